/* The candidates of a node, drawn by the lanes of a warp.
 *
 * The CPU takes columns from a permutation, one after another, and puts them back (candidates.c).
 * Of that permutation only the places that were drawn from differ from their number: which column
 * came to a place is what was last put there. */
#ifndef CT_FOREST_OFFLOAD_DRAW_BODY_H
#define CT_FOREST_OFFLOAD_DRAW_BODY_H

#include "forest/offload/group.h"
#include "forest/offload/grow_views.h"
#include "forest/sample/paths.h"

/* The column in a place after n draws. */
CT_HD uint32_t ct_draw_column_at(ct_lanes lanes, const uint16_t *places, const uint16_t *moved,
                                 uint32_t n, uint32_t place)
{
    uint32_t last = 0; /* of the draws that put a column there, from 1 */
    for (uint32_t i = lanes.lane; i < n; i += lanes.width)
        if (places[i] == place) last = i + 1;
    last = ct_lanes_max(lanes, last);
    return last ? moved[last - 1] : place;
}

/* columns: [3][mtry], of which the first row has them. */
CT_HD void ct_draw_candidates(ct_lanes lanes, const ct_grow_view *v, uint32_t tree, uint64_t path,
                              uint16_t *columns)
{
    CT_ASSERT(tree < v->batch.n_trees && v->table.mtry <= v->table.n_cols);
    const uint32_t mtry = v->table.mtry;
    uint16_t *places = columns + mtry, *moved = places + mtry;
    ct_rng rng = ct_rng_of(v->table.seed, v->batch.first_tree + tree, path);
    for (uint32_t i = 0; i < mtry; i++) {
        const uint32_t place = i + ct_rng_below(&rng, v->table.n_cols - i),
                       column = ct_draw_column_at(lanes, places, moved, i, place),
                       own = ct_draw_column_at(lanes, places, moved, i, i);
        ct_lanes_sync(lanes);
        if (lanes.lane == 0) {
            columns[i] = (uint16_t) column;
            places[i] = (uint16_t) place;
            moved[i] = (uint16_t) own;
        }
        ct_lanes_sync(lanes);
    }
}

#endif
