/* Bit planes of a layout: for each ordered pair (f, g) the rank of f listed in the order of g, bit
 * by bit, complemented (see ct_threshold). They take n_cols^2 n_rows log2(values) / 8 bytes. They
 * are made from the highest down, eight at a time: the first thresholds of a feature need no more,
 * and many features never come to others.
 *
 * Within the budget the planes of each f are made once and stay. Above it only those of one f at a
 * time exist, and of these only what was asked for: near a threshold that is known a side can gain
 * from few child features. */
#ifndef CT_EXACT_ROWS_PLANES_H
#define CT_EXACT_ROWS_PLANES_H

#include "exact/rows/layout.h"

/* Takes the room for the planes: for all features within the budget, else for the largest one.
 * CT_NO_MEMORY, and a stop is asked for, if memory ends. */
ct_status ct_planes_take_room(ct_worker *worker, ct_layout *layout);

/* Planes with which to tell the ranks of f below the threshold, [g][threshold->end][words], made if
 * need be. Valid until the next call if one at a time; then the threshold may become another one
 * that says the same of these planes, and with `children`, whose bounds are in place, those of
 * child features that no side can gain from are left out (NULL: none is). Never fails: the room was
 * taken before. */
const uint64_t *ct_planes_of(ct_worker *worker, ct_layout *layout, uint32_t f,
                             ct_threshold *threshold, const ct_children *children);

/* Makes all planes of every step-th feature from `first` on; once all features have them (and not
 * one at a time), several threads may use the layout. Stops the worker if memory ends. */
void ct_planes_prepare(ct_worker *worker, ct_layout *layout, uint32_t first, uint32_t step);

#endif
