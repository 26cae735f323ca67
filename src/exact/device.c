#include "base/compact.h"

#include "exact/device.h"

#include <stdio.h>

#include "exact/offload/device.h"
#include "exact/offload/offload.h"
#include "exact/offload/placing.h"
#include "gpu/device.h"

static void note(ct_exact_result *result, const char *what, const char *why)
{
    snprintf(result->device_note, sizeof result->device_note, "%s%s", what, why);
}

static int wants_device(const ct_exact_search *search, const ct_table *table)
{
    const ct_exact_options *options = search->options;
    if (options->device == CT_EXACT_DEVICE_CPU || options->part) return 0;
    if (options->device != CT_EXACT_DEVICE_AUTO) return 1;
    return search->costs->plain && table->n_classes <= CT_OFFLOAD_CLASSES &&
           ct_pays_to_open(table->n_rows, table->n_cols, table->n_classes, options->depth);
}

/* With AUTO a device that is there and does not work is worth a note; that there is none is not. */
static ct_status without_device(const ct_exact_options *options, ct_exact_result *result,
                                const ct_error *why, ct_error *error)
{
    ct_device_list list = {0};
    if (options->device == CT_EXACT_DEVICE_CUDA) return ct_fail(error, why->status, "%s",
                                                                why->message);
    if (options->device == CT_EXACT_DEVICE_AUTO) ct_device_query(&list);
    if (options->device != CT_EXACT_DEVICE_AUTO || list.n_devices) note(result, "", why->message);
    return CT_OK;
}

ct_status ct_search_open_device(ct_worker *workers, unsigned n_workers, ct_exact_search *search,
                                const ct_table *table, ct_exact_result *result, ct_error *error)
{
    const ct_exact_options *options = search->options;
    int twin = options->device == CT_EXACT_DEVICE_TWIN, number = twin ? -1 : options->device_number;
    ct_error why = {CT_OK, ""};
    if (!wants_device(search, table)) return CT_OK;
    if (search->costs->response)
        note(result, "regression trees are searched on the CPU", "");
    else if (!search->costs->plain)
        note(result, "rows or errors that do not all cost the same are left to the CPU", "");
    else if (search->max_leaves)
        note(result, "trees of few leaves are searched on the CPU", "");
    else if (table->n_classes > CT_OFFLOAD_CLASSES)
        note(result, "this many classes are left to the CPU", "");
    if (result->device_note[0]) return CT_OK;
    ct_offload_table sent = {table->n_rows, table->n_cols, table->n_classes, table->order,
                             table->ties,   table->words,  table->n_values,  table->data->classes};
    if (ct_offload_open(number, &sent, n_workers, &search->device, &why) != CT_OK)
        return without_device(options, result, &why, error);
    for (unsigned i = 0; i < n_workers; i++)
        workers[i].queue = ct_offload_queue_at(search->device, i);
    if (twin) snprintf(result->device, sizeof result->device, "twin");
    else snprintf(result->device, sizeof result->device, "cuda:%d", number);
    return CT_OK;
}

ct_status ct_search_close_device(ct_exact_search *search, ct_status status, ct_exact_result *result,
                                 ct_error *error)
{
    if (search->device && ct_offload_is_lost(search->device)) {
        note(result, "the device failed: ", ct_offload_why(search->device));
        if (search->options->device == CT_EXACT_DEVICE_CUDA)
            status = ct_fail(error, CT_NO_DEVICE, "%s: %s", result->device, result->device_note);
    }
    ct_offload_close(search->device);
    search->device = NULL;
    return status;
}
