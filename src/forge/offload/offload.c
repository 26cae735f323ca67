#include "forge/offload/offload.h"

#include <string.h>

#include "base/memory.h"
#include "forge/offload/functions.h"
#include "forge/offload/image.h"
#include "forge/offload/text.h"

struct ct_forged_device {
    ct_gpu *gpu;
    ct_gpu_block trees;
    ct_forge_passes passes;
    ct_forged_view forest;     /* by functions compiled before, */
    ct_forge_device_text text; /* or by the text of a schedule */
};

static ct_status device_new(const ct_forged *forged, ct_forged_device **out, ct_error *error)
{
    *out = (ct_forged_device *) ct_alloc(sizeof **out);
    if (!*out) return ct_fail(error, CT_NO_MEMORY, "not enough memory for a device");
    memset(*out, 0, sizeof **out);
    (*out)->passes.forged = forged;
    return CT_OK;
}

/* What opening came to. */
static ct_status opened(ct_forged_device **device, ct_status status)
{
    CT_ASSERT(*device);
    (*device)->passes.gpu = (*device)->gpu;
    if (status == CT_OK) return CT_OK;
    ct_forged_device_close(*device);
    *device = NULL;
    return status;
}

ct_status ct_forged_device_open(const ct_forged *forged, int number, ct_forge_way way,
                                int any_order, ct_forged_device **out, ct_error *error)
{
    CT_TRY(device_new(forged, out, error));
    ct_forged_device *device = *out;
    CT_ASSERT(device);
    ct_status status = ct_gpu_open(number, &device->gpu, error);
    if (status == CT_OK)
        status = ct_forge_send(forged, way, any_order, device->gpu, &device->trees,
                               &device->forest, error);
    if (status == CT_OK)
        device->passes.work = (ct_forge_pass_work){&device->forest, device->forest.wide,
                                                   ct_forge_functions_rows(&device->forest),
                                                   ct_forge_functions_scratch,
                                                   ct_forge_functions_predict};
    return opened(out, status);
}

ct_status ct_forged_device_open_text(const ct_forge_scheduled *scheduled, int number,
                                     ct_forged_device **out, ct_error *error)
{
    CT_TRY(device_new(scheduled->forged, out, error));
    ct_forged_device *device = *out;
    CT_ASSERT(device);
    ct_status status = scheduled->ir->on_gpu
                           ? ct_gpu_open_driver(number, &device->gpu, error)
                           : ct_fail(error, CT_BAD_INPUT,
                                     "no loop of the schedule is on a dimension of a GPU");
    if (status == CT_OK)
        status = ct_forge_device_text_load(scheduled, device->gpu, &device->trees, &device->text,
                                           error);
    device->passes.work = (ct_forge_pass_work){&device->text, 1, CT_FORGE_DEVICE_TEXT_ROWS,
                                               ct_forge_device_text_scratch,
                                               ct_forge_device_text_predict};
    return opened(out, status);
}

void ct_forged_device_close(ct_forged_device *device)
{
    if (!device) return;
    ct_forge_passes_close(&device->passes);
    ct_gpu_unload(&device->text.module);
    ct_gpu_give(&device->trees);
    ct_gpu_close(device->gpu);
    ct_free(device);
}

ct_status ct_forged_device_predict(ct_forged_device *device, const ct_column *columns,
                                   uint32_t n_rows, const ct_forge_run *run, double *out,
                                   ct_error *error)
{
    CT_ASSERT(out || !n_rows);
    return ct_forge_passes_run(&device->passes, columns, n_rows, run, out, error);
}

ct_status ct_forged_device_time(ct_forged_device *device, const ct_column *columns, uint32_t n_rows,
                                const ct_forge_run *run, double seconds, double *taken,
                                ct_error *error)
{
    CT_ASSERT(n_rows > 0 && seconds > 0 && taken);
    return ct_forge_passes_time(&device->passes, columns, n_rows, run, seconds, taken, error);
}
