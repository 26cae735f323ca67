#include "base/compact.h"

#include "forge/schedule/ranges.h"

int64_t ct_forge_loop_stop(const ct_forge_nest *nest, int loop, uint32_t n_trees)
{
    CT_ASSERT(loop >= 0 && loop < nest->n_loops);
    const ct_forge_index *index = &nest->loops[loop];
    if (index->stop == CT_FORGE_OPEN && index->axis == CT_FORGE_TREES && n_trees) return n_trees;
    return index->stop;
}

static int64_t trips_until(const ct_forge_index *index, int64_t stop)
{
    return stop <= index->start ? 0 : (stop - index->start - 1) / index->step + 1;
}

int64_t ct_forge_loop_trips(const ct_forge_nest *nest, int loop, uint32_t n_trees)
{
    CT_ASSERT(loop >= 0 && loop < nest->n_loops && nest->loops[loop].step > 0);
    const ct_forge_index *index = &nest->loops[loop];
    int64_t stop = ct_forge_loop_stop(nest, loop, n_trees);
    if (stop == CT_FORGE_OPEN) return CT_FORGE_OPEN;
    return trips_until(index, stop);
}

/* The highest value of the variable; -1: there is none. */
static int64_t last_of(const ct_forge_nest *nest, int loop, uint32_t n_trees)
{
    int64_t trips = ct_forge_loop_trips(nest, loop, n_trees);
    if (trips == CT_FORGE_OPEN) return CT_FORGE_OPEN;
    return nest->loops[loop].start + (trips - 1) * nest->loops[loop].step;
}

/* Do tiles of the loop fill its range, or was it split within it? Then what holds for its parts
 * holds for it. */
static int is_exact(const ct_forge_nest *nest, int loop, uint32_t n_trees)
{
    const ct_forge_index *index = &nest->loops[loop];
    int64_t stop = ct_forge_loop_stop(nest, loop, n_trees);
    if (!index->tile) return index->stop != CT_FORGE_OPEN;
    return stop != CT_FORGE_OPEN && (stop - index->start) % (index->step * index->tile) == 0;
}

uint32_t ct_forge_loop_bounds(const ct_forge_nest *nest, int loop, uint32_t n_trees,
                              ct_forge_loop_bound bounds[CT_FORGE_MOST_NEST])
{
    CT_ASSERT(loop >= 0 && loop < nest->n_loops);
    uint32_t n = 0;
    for (int a = loop; a >= 0 && n < CT_FORGE_MOST_NEST; a = nest->loops[a].from) {
        if (a != loop && is_exact(nest, a, n_trees)) continue;
        ct_forge_loop_bound bound = {.constant = ct_forge_loop_stop(nest, a, n_trees)};
        for (int m = nest->loops[loop].outer; m >= 0; m = nest->loops[m].outer)
            if (ct_forge_nest_descends(nest, m, a)) bound.minus[bound.n_minus++] = (uint8_t) m;
        int open = bound.constant == CT_FORGE_OPEN && n && bounds[0].constant != CT_FORGE_OPEN;
        if (n && !bound.n_minus && !open && bound.constant >= bounds[0].constant) continue;
        bounds[n++] = bound;
    }
    return n;
}

int64_t ct_forge_loop_trips_now(const ct_forge_nest *nest, int loop,
                                const ct_forge_loop_bound *bounds, uint32_t n_bounds,
                                int64_t n_rows, const int64_t *at)
{
    CT_ASSERT(loop >= 0 && loop < nest->n_loops && n_bounds > 0 && n_bounds <= CT_FORGE_MOST_NEST);
    int64_t stop = CT_FORGE_OPEN;
    for (uint32_t i = 0; i < n_bounds; i++) {
        int64_t bound = bounds[i].constant;
        if (bound == CT_FORGE_OPEN) bound = n_rows;
        for (uint32_t k = 0; k < bounds[i].n_minus; k++) bound -= at[bounds[i].minus[k]];
        if (bound < stop) stop = bound;
    }
    return trips_until(&nest->loops[loop], stop);
}

int64_t ct_forge_loop_iteration(const ct_forge_nest *nest, int loop, const int64_t *at)
{
    CT_ASSERT(nest->loops[loop].step > 0 && at[loop] >= nest->loops[loop].start);
    return (at[loop] - nest->loops[loop].start) / nest->loops[loop].step;
}

static int64_t reach_below(const ct_forge_nest *nest, int first, ct_forge_axis axis,
                           uint32_t n_trees)
{
    int64_t most = 0;
    for (int i = first; i >= 0; i = nest->loops[i].next) {
        int64_t reach = reach_below(nest, nest->loops[i].inner, axis, n_trees);
        if (nest->loops[i].axis == axis) {
            int64_t last = last_of(nest, i, n_trees);
            if (last == CT_FORGE_OPEN || reach == CT_FORGE_OPEN) return CT_FORGE_OPEN;
            if (last > 0) reach += last;
        }
        if (reach > most) most = reach;
    }
    return most;
}

int64_t ct_forge_loop_span(const ct_forge_nest *nest, int loop, ct_forge_axis axis,
                           uint32_t n_trees)
{
    CT_ASSERT(loop >= -1 && loop < nest->n_loops);
    int inner = loop < 0 ? nest->first : nest->loops[loop].inner;
    int64_t reach = reach_below(nest, inner, axis, n_trees);
    return reach == CT_FORGE_OPEN ? CT_FORGE_OPEN : reach + 1;
}

int ct_forge_loop_overlaps(const ct_forge_nest *nest, int loop, uint32_t n_trees)
{
    CT_ASSERT(loop < nest->n_loops);
    for (int i = loop; i >= 0; i = nest->loops[i].outer) {
        if (nest->loops[i].axis != CT_FORGE_ROWS || !ct_forge_nest_concurrent(nest, i)) continue;
        int64_t span = ct_forge_loop_span(nest, i, CT_FORGE_ROWS, n_trees);
        if (span == CT_FORGE_OPEN || span > nest->loops[i].step) return 1;
    }
    return 0;
}

void ct_forge_loop_trees(const ct_forge_nest *nest, int loop, uint32_t n_trees, uint32_t *first,
                         uint32_t *end)
{
    CT_ASSERT(loop < nest->n_loops && n_trees > 0);
    int64_t low = 0, high = 0;
    for (int i = loop; i >= 0; i = nest->loops[i].outer) {
        if (nest->loops[i].axis != CT_FORGE_TREES) continue;
        int64_t last = last_of(nest, i, n_trees);
        low += nest->loops[i].start;
        high += last < 0 ? 0 : last;
    }
    if (high >= n_trees) high = (int64_t) n_trees - 1;
    *first = (uint32_t) low;
    *end = (uint32_t) high + 1;
}
