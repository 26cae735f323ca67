/* What must hold of costs, row sets, cuts and trees at the doors of the search: assertions, and
 * nothing without CT_DEBUG. */
#ifndef CT_POLICY_CONDITIONS_H
#define CT_POLICY_CONDITIONS_H

#include "policy/stump.h"
#include "policy/two.h"

#ifdef CT_DEBUG

/* The best action of a row costs nothing, and no action more than the span; coarse costs of all
 * rows add up in 30 bits, and spans in 60. */
static inline void ct_policy_costs_are_sound(const ct_policy_costs *costs)
{
    const uint32_t n = costs->n_actions;
    int64_t exact = 0, coarse = 0;
    CT_ASSERT(costs->n_rows > 0 && n > 0 && n <= CT_POLICY_MOST_ACTIONS && n < costs->lanes);
    CT_ASSERT(costs->price >= 1 && costs->rounding >= 0);
    for (uint32_t row = 0; row < costs->n_rows; row++) {
        const int64_t *cost = costs->exact + (size_t) row * n;
        int64_t least = INT64_MAX;
        for (uint32_t a = 0; a < n; a++) {
            CT_ASSERT(cost[a] >= 0 && cost[a] <= costs->span[row]);
            CT_ASSERT(costs->coarse[(size_t) row * costs->lanes + a] == cost[a] >> costs->shift);
            least = cost[a] < least ? cost[a] : least;
        }
        CT_ASSERT(least == 0);
        exact += costs->span[row];
        coarse += costs->span[row] >> costs->shift;
    }
    CT_ASSERT(exact < INT64_C(1) << 60 && coarse < INT64_C(1) << 30);
}

/* Each row is in the order once, blocks end where the value changes, and sums add up. */
static inline void ct_policy_column_is_sound(const ct_policy_rows *set,
                                             const ct_policy_column *column)
{
    const size_t lanes = set->costs->lanes;
    uint64_t sum = 0;
    CT_ASSERT(column->n_blocks > 0 && column->n_blocks <= set->most_blocks);
    CT_ASSERT(column->end[column->n_blocks - 1] == set->n && !column->last[set->n - 1]);
    for (uint32_t i = 0; i < set->n; i++) {
        CT_ASSERT(column->order[i] < set->n && column->block[column->order[i]] < column->n_blocks);
        sum += column->order[i];
    }
    CT_ASSERT(sum == (uint64_t) set->n * (set->n - 1) / 2);
    for (uint32_t b = 0; b + 1 < column->n_blocks; b++) {
        CT_ASSERT(column->end[b] < column->end[b + 1]);
        CT_ASSERT(column->last[column->end[b] - 1]);
    }
    for (size_t lane = 0; lane < lanes; lane++)
        CT_ASSERT(column->sums[(column->n_blocks - 1) * lanes + lane] == set->total[lane]);
}

static inline void ct_policy_rows_are_sound(const ct_policy_rows *set)
{
    CT_ASSERT(set->n > 0 && set->n <= set->costs->n_rows);
    CT_ASSERT(set->most_blocks % CT_POLICY_STEP == 0);
    CT_ASSERT(set->leaf >= 0 && set->action < set->costs->n_actions);
    for (uint32_t col = 0; col < set->n_cols; col++)
        ct_policy_column_is_sound(set, &set->columns[col]);
}

/* A cut of a column that has rows on both sides, between different values. */
static inline void ct_policy_cut_is_sound(const ct_policy_rows *set, uint32_t column, uint32_t cut)
{
    CT_ASSERT(column < set->n_cols && cut > 0 && cut < set->n);
    CT_ASSERT(set->columns[column].last[cut - 1]);
}

/* Evaluated cuts rise, and so do costs of the left side, as those of the right side fall. */
static inline void ct_policy_root_is_sound(const ct_policy_rows *set, uint32_t column,
                                           const ct_policy_root *root)
{
    CT_ASSERT(root->n >= 2 && root->n <= root->room);
    CT_ASSERT(root->cuts[0].cut == 0 && root->cuts[root->n - 1].cut == set->n);
    for (uint32_t i = 1; i < root->n; i++) {
        const ct_policy_cut *a = &root->cuts[i - 1], *b = &root->cuts[i];
        CT_ASSERT(a->cut < b->cut && a->cost[0] <= b->cost[0] && a->cost[1] >= b->cost[1]);
        if (i + 1 < root->n) ct_policy_cut_is_sound(set, column, b->cut);
    }
}

static inline void ct_policy_trials_are_sound(const ct_policy_scratch *scratch,
                                              const ct_policy_rows *set,
                                              const ct_policy_trial *trials, uint32_t n_trials)
{
    CT_ASSERT(scratch->lanes == set->costs->lanes && scratch->n_cols == set->n_cols);
    CT_ASSERT(scratch->sorted_by == scratch->column + 1 && n_trials <= CT_POLICY_WAVE);
    for (uint32_t t = 0; t < n_trials; t++) {
        ct_policy_cut_is_sound(set, scratch->column, trials[t].cut);
        CT_ASSERT(t == 0 || trials[t - 1].cut < trials[t].cut);
        CT_ASSERT(trials[t].by_child && trials[t].floor[0] >= 0 && trials[t].floor[1] >= 0);
    }
}

static inline void ct_policy_part_is_sound(const ct_policy_part *part)
{
    CT_ASSERT(part->total && part->sums && part->cut <= part->set->n);
    CT_ASSERT(part->place || !part->cut);
}

/* Before a row set is searched. */
static inline void ct_policy_solve_begins(const ct_policy_search *search, const ct_policy_rows *set,
                                          unsigned depth, const ct_policy_best *best)
{
    CT_ASSERT(depth <= CT_POLICY_DEPTH && search->min_bucket >= 1);
    CT_ASSERT(!search->relaxed || search->relaxed->min_bucket == 1);
    CT_ASSERT(set->costs == search->costs && search->kernel && search->halt);
    CT_ASSERT(best->tree.splits[0].column < (int32_t) set->n_cols);
    ct_policy_rows_are_sound(set);
}

/* After a search no tree is said to cost more than one that is known. */
static inline void ct_policy_solve_ends(const ct_policy_best *best, int64_t low)
{
    CT_ASSERT(low <= best->tree.cost);
}

#else

#define ct_policy_costs_are_sound(costs) ((void) (costs))
#define ct_policy_root_is_sound(set, column, root) ((void) (set), (void) (column), (void) (root))
#define ct_policy_cut_is_sound(set, column, cut) ((void) (set), (void) (column), (void) (cut))
#define ct_policy_trials_are_sound(scratch, set, trials, n_trials)                                 \
    ((void) (scratch), (void) (set), (void) (trials), (void) (n_trials))
#define ct_policy_part_is_sound(part) ((void) (part))
#define ct_policy_solve_begins(search, set, depth, best)                                           \
    ((void) (search), (void) (set), (void) (depth), (void) (best))
#define ct_policy_solve_ends(best, low) ((void) (best), (void) (low))

#endif
#endif
