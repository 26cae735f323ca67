#include "exact/prove.h"

#include <math.h>

/* Bounds are doubles, and not always the ones nearest to what is proven. */
static const double NEARLY_ALL = 1 - 0x1p-50;

ct_status ct_exact_prove(const ct_data *data, const ct_exact_options *options, double bound,
                         const ct_outcome *best, ct_bytes *evidence, ct_exact_end *end,
                             ct_error *error)
{
    ct_exact_options again = *options;
    ct_exact_result result;
    again.evidence = evidence;
    again.max_cost = best ? INFINITY : bound * NEARLY_ALL;
    again.cheaper_than = best;
    again.max_gap = 0;
    again.threads = 1;
    again.device = CT_EXACT_DEVICE_CPU;
    again.any_of_ties = 1;
    again.start = NULL;
    again.roots = NULL;
    again.off |= UINT32_C(1) << CT_SHORTCUT_BOUND_CACHE | UINT32_C(1) << CT_SHORTCUT_ROOT_FEATURES |
                 UINT32_C(1) << CT_SHORTCUT_ENDS;
    CT_ASSERT(bound >= 0 && evidence);
    *end = CT_END_OPTIMAL;
    /* free of errors, but is there a smaller one? (with a response a bound of 0 may have errors) */
    if (bound > 0 || (best && (best->n_splits || data->response))) {
        CT_TRY(ct_exact_solve(data, &again, &result, NULL, error));
        if (result.end != CT_END_COST) *end = result.end;
        ct_exact_result_free(&result);
    }
    ct_bytes_put(evidence, 0);
    if (evidence->lost) *end = CT_END_MEMORY;
    return CT_OK;
}
