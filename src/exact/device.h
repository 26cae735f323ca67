/* The device of a search: opened where it is wanted and pays, closed with what happened to it. */
#ifndef CT_EXACT_DEVICE_H
#define CT_EXACT_DEVICE_H

#include "exact/exact.h"

/* Opens the device that the options ask for, if the search has work for it, and gives every worker
 * a queue; result->device_note says why not. search->device is closed by ct_search_close_device().
 * Errors: CT_NO_DEVICE, where the options name one. */
ct_status ct_search_open_device(ct_worker *workers, unsigned n_workers, ct_exact_search *search,
                                const ct_table *table, ct_exact_result *result, ct_error *error);

/* The given status, or CT_NO_DEVICE if the device was lost that the options name; a loss is noted
 * in any case. Without a device there is nothing to do. */
ct_status ct_search_close_device(ct_exact_search *search, ct_status status, ct_exact_result *result,
                                 ct_error *error);

#endif
