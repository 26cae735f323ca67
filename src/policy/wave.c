#include "base/optimised.h"

#include "policy/wave.h"

#include <string.h>

#include "policy/conditions.h"

/* ---- scratch ---- */

static int make_trials(ct_policy_scratch *scratch, ct_arena *arena)
{
    const size_t lanes = scratch->lanes;
    int32_t *totals = CT_ARENA_NEW(arena, int32_t, 2 * CT_POLICY_WAVE * lanes);
    if (!totals) return 0;
    for (size_t i = 0; i < CT_POLICY_WAVE; i++) {
        ct_policy_trial *trial = &scratch->trials[i];
        trial->total[0] = totals + 2 * i * lanes;
        trial->total[1] = trial->total[0] + lanes;
    }
    return 1;
}

/* By block: arrays of the scan. */
static int make_side(ct_policy_side *side, size_t blocks, ct_arena *arena)
{
    int32_t *all = CT_ARENA_ZEROED(arena, int32_t, 4 * (blocks + 1) + 3 * blocks);
    if (!all) return 0;
    side->low = all, side->high = all + (blocks + 1);
    side->low_other = side->high + blocks + 1, side->high_other = side->low_other + blocks + 1;
    side->at_end = side->high_other + blocks + 1, side->inside = side->at_end + blocks;
    side->spans = side->inside + blocks;
    return 1;
}

ct_policy_scratch *ct_policy_scratch_new(const ct_policy_rows *set, ct_arena *arena)
{
    const size_t lanes = set->costs->lanes, blocks = set->most_blocks;
    ct_policy_scratch *scratch = CT_ARENA_ZEROED(arena, ct_policy_scratch, 1);
    if (!scratch) return NULL;
    scratch->lanes = set->costs->lanes, scratch->n_cols = set->n_cols;
    scratch->costs = CT_ARENA_NEW(arena, int32_t, set->n * lanes);
    scratch->place = CT_ARENA_NEW(arena, uint32_t, set->n);
    scratch->sums = CT_ARENA_ZEROED(arena, int32_t, 2 * blocks * lanes);
    scratch->lift = CT_ARENA_ZEROED(arena, int32_t, 2 * lanes);
    scratch->hints = CT_ARENA_NEW(arena, uint32_t, set->n_cols);
    scratch->exact[0] = CT_ARENA_NEW(arena, int64_t, 2 * (size_t) set->costs->n_actions);
    if (!scratch->costs || !scratch->place || !scratch->sums || !scratch->lift || !scratch->hints ||
        !scratch->exact[0] || !make_side(&scratch->side, blocks, arena) || !make_trials(scratch,
                                         arena))
        return NULL;
    scratch->walk = scratch->lift + lanes;
    scratch->upto = scratch->sums + blocks * lanes;
    scratch->exact[1] = scratch->exact[0] + set->costs->n_actions;
    for (uint32_t col = 0; col < set->n_cols; col++) scratch->hints[col] = col;
    return scratch;
}

void ct_policy_scratch_sort(ct_policy_scratch *scratch, const ct_policy_rows *set, uint32_t column)
{
    const uint32_t *order = set->columns[column].order;
    const size_t lanes = scratch->lanes;
    CT_ASSERT(column < set->n_cols && scratch->lanes == set->costs->lanes);
    scratch->column = column;
    if (scratch->sorted_by == column + 1) return;
    scratch->sorted_by = column + 1;
    for (uint32_t i = 0; i < set->n; i++) {
        scratch->place[order[i]] = i;
        ct_policy_row_copy(scratch->costs + i * lanes, set->coarse + order[i] * lanes,
                           scratch->lanes);
    }
}

static void move_to_front(ct_policy_scratch *scratch, uint32_t column)
{
    uint32_t at = 0;
    while (scratch->hints[at] != column) at++;
    memmove(scratch->hints + 1, scratch->hints, at * sizeof *scratch->hints);
    scratch->hints[0] = column;
}

/* ---- sides of cuts ---- */

static int32_t price_of(const ct_policy_search *search)
{
    return (int32_t) (search->costs->price >> search->costs->shift);
}

/* Costs of a side from here on need not be known: each row loses less than 1 to rounding. */
static int32_t limit_of(const ct_policy_trial *trial, int s, const ct_policy_rows *set)
{
    const int64_t in_doubt = (int64_t) trial->best[s] + (s ? set->n - trial->cut : trial->cut) + 1;
    return in_doubt < trial->cap[s] ? (int32_t) in_doubt : trial->cap[s];
}

static void add_leaves(ct_policy_scratch *scratch, const ct_policy_rows *set,
                       ct_policy_trial *trials, uint32_t n_trials)
{
    const uint32_t lanes = scratch->lanes;
    int32_t *sums = scratch->walk;
    memset(sums, 0, lanes * sizeof *sums);
    for (uint32_t t = 0, i = 0; t < n_trials; t++) {
        ct_policy_trial *trial = &trials[t];
        for (; i < trial->cut; i++)
            for (uint32_t lane = 0; lane < lanes; lane++)
                sums[lane] += scratch->costs[i * (size_t) lanes + lane];
        for (int s = 0; s < 2; s++) {
            int32_t *total = trial->total[s], leaf = INT32_MAX;
            for (uint32_t lane = 0; lane < lanes; lane++) {
                total[lane] = s ? set->total[lane] - sums[lane] : sums[lane];
                if (total[lane] < leaf) leaf = total[lane];
            }
            trial->best[s] = leaf < trial->cap[s] ? leaf : trial->cap[s];
            trial->winner[s] = -1;
        }
    }
}

/* Whether a side has to be split on a column to know what it costs; if not, what is known of it is
 * noted. */
static int is_wanted(const ct_policy_worker *worker, ct_policy_trial *trial, int s, uint32_t child,
                     const ct_policy_rows *set)
{
    const uint32_t n_cols = set->n_cols;
    const int32_t limit = limit_of(trial, s, set), *of_subset = trial->of_subset[s];
    int32_t *known = &trial->by_child[(size_t) s * n_cols + child];
    const int32_t floor = of_subset && ct_policy_uses(worker, CT_POLICY_CHILDREN)
                              ? of_subset[(size_t) s * n_cols + child] : 0;
    *known = floor > limit ? floor : limit;
    return floor < limit && price_of(worker->search) < limit;
}

/* 2^30 in the place of the cheapest action. */
static const int32_t *lift_of(const ct_policy_worker *worker, ct_policy_scratch *scratch,
                              const int32_t *total)
{
    uint32_t best = 0;
    if (scratch->lanes > 8 || !ct_policy_uses(worker, CT_POLICY_SAME)) return NULL;
    for (uint32_t lane = 0; lane < scratch->lanes; lane++) {
        scratch->lift[lane] = 0;
        if (total[lane] < total[best]) best = lane;
    }
    scratch->lift[best] = 1 << 30;
    return scratch->lift;
}

static int32_t walk_block(ct_policy_worker *worker, ct_policy_scratch *scratch,
                          const ct_policy_rows *set, const ct_policy_column *column, uint32_t block,
                          const ct_policy_trial *trial, int s, int32_t limit)
{
    const size_t lanes = scratch->lanes;
    const uint32_t begin = block ? column->end[block - 1] : 0;
    const ct_policy_side *side = &scratch->side;
    const size_t before = block ? (block - 1) * lanes : 0;
    for (size_t lane = 0; lane < lanes; lane++)
        scratch->walk[lane] = !block      ? 0
                           : side->all ? side->all[before + lane] - side->sums[before + lane]
                                       : side->sums[before + lane];
    const ct_policy_walk walk = {
        .rows = column->order + begin,
        .last = column->last + begin,
        .n = column->end[block] - begin,
        .lanes = scratch->lanes,
        .costs = set->coarse,
        .place = scratch->place,
        .cut = trial->cut,
        .left = !s,
        .total = trial->total[s],
        .sums = scratch->walk,
        .value = side->low[block] + side->high[block],
        .high_end = side->high[block + 1],
        .limit = limit};
    worker->counts.walks++;
    return worker->search->kernel->walk(&walk);
}

/* The first of the steps from that block on that has one whose inside may be below a limit. */
static uint32_t next_step(const ct_policy_side *side, uint32_t i, int32_t limit)
{
    for (; i + CT_POLICY_STEP <= side->n_blocks; i += CT_POLICY_STEP) {
        int below = 0;
        for (uint32_t k = 0; k < CT_POLICY_STEP; k++) below |= side->inside[i + k] < limit;
        if (below) break;
    }
    return i;
}

/* The best split of a side on a column, if it is below the limit. */
static void split_side(ct_policy_worker *worker, ct_policy_scratch *scratch,
                       const ct_policy_rows *set, ct_policy_trial *trial, int s, uint32_t child)
{
    const ct_policy_column *column = &set->columns[child];
    const int32_t price = price_of(worker->search), limit = limit_of(trial, s, set) - price;
    const int all = !ct_policy_uses(worker, CT_POLICY_INSIDE);
    ct_policy_side *side = &scratch->side;
    side->n_blocks = column->n_blocks, side->lanes = scratch->lanes;
    side->sums = scratch->upto, side->all = s ? column->sums : NULL, side->total = trial->total[s];
    side->closed = column->closed;
    side->lift = lift_of(worker, scratch, trial->total[s]);
    worker->search->kernel->scan(side);
    int32_t found = side->least_end < limit ? side->least_end : limit;
    for (uint32_t i = 0; i < column->n_blocks && (side->least_inside < found || all); i++) {
        if (!all && i % CT_POLICY_STEP == 0) i = next_step(side, i, found);
        if (i < column->n_blocks && (side->inside[i] < found || all) && !column->closed[i])
            found = walk_block(worker, scratch, set, column, i, trial, s, found);
    }
    if (found >= limit) return;
    trial->by_child[(size_t) s * set->n_cols + child] = found + price;
    if (found + price >= trial->best[s]) return;
    trial->best[s] = found + price;
    trial->winner[s] = (int32_t) child;
}

/* ---- the wave ---- */

static void split_trials(ct_policy_worker *worker, ct_policy_scratch *scratch,
                         const ct_policy_rows *set, ct_policy_trial *trials, uint32_t n_trials,
                         uint32_t child)
{
    const ct_policy_kernel *kernel = worker->search->kernel;
    const ct_policy_column *column = &set->columns[child];
    const uint32_t *order = set->columns[scratch->column].order;
    uint32_t at = 0;
    for (uint32_t t = 0; t < n_trials; t++) {
        const int left = is_wanted(worker, &trials[t], 0, child, set),
                  right = is_wanted(worker, &trials[t], 1, child, set);
        if (!left && !right) continue;
        if (!at) {
            memset(scratch->sums, 0,
                   column->n_blocks * (size_t) scratch->lanes * sizeof *scratch->sums);
            worker->counts.sweeps++;
        }
        kernel->sweep(scratch->sums, scratch->costs, order, column->block, at, trials[t].cut,
                      scratch->lanes);
        at = trials[t].cut;
        kernel->prefix(scratch->sums, column->n_blocks, scratch->lanes, scratch->upto);
        if (left) split_side(worker, scratch, set, &trials[t], 0, child);
        if (right) split_side(worker, scratch, set, &trials[t], 1, child);
    }
}

int ct_policy_wave_run(ct_policy_worker *worker, ct_policy_scratch *scratch,
                       const ct_policy_rows *set, ct_policy_trial *trials, uint32_t n_trials)
{
    ct_policy_trials_are_sound(scratch, set, trials, n_trials);
    add_leaves(scratch, set, trials, n_trials);
    worker->counts.cuts += n_trials;
    for (uint32_t i = 0; i < set->n_cols; i++) {
        if (ct_policy_is_halted(worker)) return 0;
        split_trials(worker, scratch, set, trials, n_trials, scratch->hints[i]);
    }
    for (uint32_t t = 0; t < n_trials; t++)
        for (int s = 0; s < 2; s++)
            if (trials[t].winner[s] >= 0) move_to_front(scratch, (uint32_t) trials[t].winner[s]);
    return 1;
}
