/* What rows cost in few bits, for scans in small integers.
 *
 * Costs are multiples of 2^shift: exactly, or rounded down, and cut at 255 where rows have weights.
 * Where a row costs the same under every wrong label its cost is one number; else it is the product
 * of its weight and of the loss, of which either is rounded. Errors counted in such costs are at
 * most the true ones, so that a scan of them may reject what the full costs need not be asked
 * about; the others are asked of (exact/kernels/full_costs.h). All rows together cost less than
 * 2^29. */
#ifndef CT_EXACT_COST_QUANTISED_H
#define CT_EXACT_COST_QUANTISED_H

#include "exact/cost/costs.h"

struct ct_quantised {
    unsigned shift;
    int exact;             /* nothing was rounded */
    unsigned n_planes; /* bits of the largest of `rows`; 0: rows of a class cost the same */
    const uint32_t *gains; /* [class] then, what one costs; NULL: see by_label */
    const uint8_t *rows;   /* [row] else, what it costs; or what it weighs, see by_label */
    /* [class][label] where costs depend on the label, as ct_exact_costs.gains: below 2^15; NULL */
    const int32_t *by_label;
};

/* Sets costs->quantised; leaves it NULL where costs are plain. From the arena. */
ct_status ct_quantised_init(ct_exact_costs *costs, const ct_data *data, ct_arena *arena,
                            ct_error *error);

#endif
