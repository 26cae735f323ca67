/* On which side of a test cells are: one text for the CPU and for a device. */
#ifndef CT_EVOLVE_KD_SIDES_H
#define CT_EVOLVE_KD_SIDES_H

#include "evolve/kd_tree.h"

typedef enum { CT_SIDE_LEFT, CT_SIDE_RIGHT, CT_SIDE_BOTH } ct_kd_side;

CT_HD ct_kd_side ct_side_of_levels(const ct_gmt_test *test, const ct_rank_range *range)
{
    const int left = ct_has_level(test, range->low);
    for (uint32_t level = range->low + 1; level <= range->high; level++)
        if (ct_has_level(test, level) != left) return CT_SIDE_BOTH;
    return left ? CT_SIDE_LEFT : CT_SIDE_RIGHT;
}

/* The side of a cell with that range of the test's splitter, which has n_levels. */
CT_HD ct_kd_side ct_side_of_range(const ct_gmt_test *test, uint32_t n_levels,
                                  const ct_rank_range *range)
{
    const ct_kd_side of_missing = test->missing_left ? CT_SIDE_LEFT : CT_SIDE_RIGHT;
    if (range->low > range->high) return of_missing;
    const ct_kd_side side = n_levels                  ? ct_side_of_levels(test, range)
                            : range->high < test->cut ? CT_SIDE_LEFT
                            : range->low >= test->cut ? CT_SIDE_RIGHT
                                                      : CT_SIDE_BOTH;
    return range->any_missing && side != of_missing ? CT_SIDE_BOTH : side;
}

#endif
