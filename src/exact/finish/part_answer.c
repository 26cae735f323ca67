#include "exact/finish/part_answer.h"

#include "exact/cost/penalty.h"

ct_status ct_part_answer(const ct_exact_search *search, const ct_split_code *codes,
                         const ct_bounds *bounds, ct_error *error)
{
    ct_exact_part *part = search->options->part;
    if (!part) return CT_OK;
    if (part->unsound)
        return ct_fail(error, CT_BAD_INPUT, "what was left open is not of this search");
    if (part->open.lost)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory for what is left open");
    part->cost = bounds->upper;
    part->feature = codes[0].feature;
    part->threshold = codes[0].feature < 0 ? 0 : codes[0].threshold;
    for (uint32_t i = 0; i < part->open.n; i++) {
        ct_exact_range *range = &part->open.ranges[i];
        range->proven = ct_objective_bound(search->costs, range->bound);
    }
    return CT_OK;
}
