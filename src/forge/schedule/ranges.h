/* The ranges of rows and trees of the iterations of a loop. */
#ifndef CT_FORGE_SCHEDULE_RANGES_H
#define CT_FORGE_SCHEDULE_RANGES_H

#include "forge/schedule/nest.h"

/* A loop's variable stays below `constant` less the loops around it that are named; CT_FORGE_OPEN:
 * below the number of rows less these. */
typedef struct {
    int64_t constant;
    uint32_t n_minus;
    uint8_t minus[CT_FORGE_MOST_NEST];
} ct_forge_loop_bound;

/* The stop of a loop; over all trees it is their number, if that is known (n_trees is not 0). */
int64_t ct_forge_loop_stop(const ct_forge_nest *nest, int loop, uint32_t n_trees);
/* The iterations of a loop when no bound cuts them short, or CT_FORGE_OPEN. */
int64_t ct_forge_loop_trips(const ct_forge_nest *nest, int loop, uint32_t n_trees);

/* The bounds of a loop, of which the least holds: its own stop first, then those of the loops that
 * it descends from where a tile may be cut short. The number of them. */
uint32_t ct_forge_loop_bounds(const ct_forge_nest *nest, int loop, uint32_t n_trees,
                              ct_forge_loop_bound bounds[CT_FORGE_MOST_NEST]);

/* The iterations of a loop under these bounds, with the variables of the loops around it. */
int64_t ct_forge_loop_trips_now(const ct_forge_nest *nest, int loop,
                                const ct_forge_loop_bound *bounds, uint32_t n_bounds,
                                int64_t n_rows, const int64_t *at);
/* Which iteration a loop's variable is in. */
int64_t ct_forge_loop_iteration(const ct_forge_nest *nest, int loop, const int64_t *at);

/* While a loop and those around it stand still (-1: none), the rows or trees within reach begin at
 * the sum of these; their greatest number, or CT_FORGE_OPEN: to the end. */
int64_t ct_forge_loop_span(const ct_forge_nest *nest, int loop, ct_forge_axis axis,
                           uint32_t n_trees);

/* Whether iterations that run at once, of a loop or of those around it, may have rows of each other
 * within reach: where tiles are cut short, or another loop has longer steps. */
int ct_forge_loop_overlaps(const ct_forge_nest *nest, int loop, uint32_t n_trees);

/* The trees that walks of an innermost loop may come to: first to end - 1; n_trees is known. */
void ct_forge_loop_trees(const ct_forge_nest *nest, int loop, uint32_t n_trees, uint32_t *first,
                         uint32_t *end);

#endif
