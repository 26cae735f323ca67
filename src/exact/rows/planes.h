/* Bit planes of a layout: for each ordered pair (f, g) the rank of f listed in the order of g, bit
 * by bit, complemented (see ct_threshold). They take n_cols^2 n_rows log2(values) / 8 bytes. They
 * are made from the highest down, eight at a time: the first thresholds of a feature need no more,
 * and many features never come to others.
 *
 * Within the budget the planes of each f are made once and stay. Above it only those of one f at a
 * time exist, and of these only what was asked for: near a threshold that is known a side can gain
 * from few child features. Where few thresholds of each feature are evaluated, in wide tables, that
 * takes longer than the scans: there each evaluator makes the planes of a group of thresholds. And
 * where those of one f are above the budget too, each threshold has one plane made for it. */
#ifndef CT_EXACT_ROWS_PLANES_H
#define CT_EXACT_ROWS_PLANES_H

#include "exact/rows/layout.h"

/* Thresholds, of any features, of which one evaluator keeps planes that tell the rows below one
 * threshold only. The rows are then listed in the order of each child feature
 * once for all of them, and that listing is most of the work. */
enum { CT_PLANES_TOGETHER = 8 };

typedef struct {
    unsigned n;       /* thresholds */
    uint8_t *digits;  /* [n_rows] bit k: the row is not below threshold k */
    uint8_t *wanted;  /* [g] bit k: the planes of threshold k are wanted */
    uint64_t *planes; /* [k][g][words] */
    uint64_t *listed; /* [k][words] scratch */
} ct_plane_group;

/* Takes the room for the planes: for all features within the budget, else for the largest one, else
 * for one plane.
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

/* From the arena. NULL, and a stop is asked for, if memory ends. */
ct_plane_group *ct_plane_group_new(ct_worker *worker, ct_arena *arena, const ct_layout *layout);

/* Empties the group; adds a threshold of f, for the child features that a side can gain from by
 * `children`, whose bounds are in place, or with none for no child feature (it has a place in the
 * group all the same); makes what was added. */
void ct_plane_group_clear(ct_plane_group *group, const ct_layout *layout);
void ct_plane_group_add(ct_plane_group *group, const ct_worker *worker, const ct_layout *layout,
                        uint32_t f, uint32_t threshold, const ct_children *children);
void ct_plane_group_make(ct_plane_group *group, ct_worker *worker, const ct_layout *layout);

/* Planes of the k-th threshold added, [g][words], to be read with ct_threshold_set(.., 1, 1). */
static inline const uint64_t *ct_plane_group_at(const ct_plane_group *group,
                                                const ct_layout *layout, unsigned k)
{
    CT_ASSERT(k < group->n);
    return group->planes + (size_t) k * layout->n_cols * layout->words;
}

#endif
