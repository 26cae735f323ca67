/* Where cells go by a test: one text for the CPU and for a device. */
#ifndef CT_EVOLVE_CELL_SIDES_H
#define CT_EVOLVE_CELL_SIDES_H

#include "evolve/row_cells.h"

typedef enum { CT_SIDE_LEFT, CT_SIDE_RIGHT, CT_SIDE_BOTH } ct_cell_side;

CT_HD ct_cell_side ct_side_of_levels(const ct_gmt_test *test, const ct_cell_range *range)
{
    const int left = ct_has_level(test, range->low);
    for (uint32_t level = range->low + 1; level <= range->high; level++)
        if (ct_has_level(test, level) != left) return CT_SIDE_BOTH;
    return left ? CT_SIDE_LEFT : CT_SIDE_RIGHT;
}

/* Of a cell with that range of the test's splitter, which has n_levels. */
CT_HD ct_cell_side ct_side_of_range(const ct_gmt_test *test, uint32_t n_levels,
                                    const ct_cell_range *range)
{
    const ct_cell_side of_missing = test->missing_left ? CT_SIDE_LEFT : CT_SIDE_RIGHT;
    if (range->low > range->high) return of_missing;
    const ct_cell_side side = n_levels                    ? ct_side_of_levels(test, range)
                              : range->high < test->cut   ? CT_SIDE_LEFT
                              : range->low >= test->cut   ? CT_SIDE_RIGHT
                                                          : CT_SIDE_BOTH;
    return range->any_missing && side != of_missing ? CT_SIDE_BOTH : side;
}

#endif
