#include "base/optimised.h"

#include "policy/stump.h"

#include <string.h>

#include "policy/conditions.h"

static inline int is_member(const ct_policy_part *part, uint32_t row)
{
    return !part->place || (part->place[row] < part->cut) == part->left;
}

static int64_t least_of(const int64_t *sums, uint32_t n)
{
    int64_t least = sums[0];
    for (uint32_t a = 1; a < n; a++) least = sums[a] < least ? sums[a] : least;
    return least;
}

static int64_t least_rest(const int64_t *total, const int64_t *sums, uint32_t n)
{
    int64_t least = total[0] - sums[0];
    for (uint32_t a = 1; a < n; a++) {
        const int64_t rest = total[a] - sums[a];
        least = rest < least ? rest : least;
    }
    return least;
}

static void add_row(const ct_policy_costs *costs, uint32_t row, int64_t *restrict sums)
{
    const int64_t *restrict own = costs->exact + (size_t) row * costs->n_actions;
    for (uint32_t a = 0; a < costs->n_actions; a++) sums[a] += own[a];
}

void ct_policy_part_sum(ct_policy_part *part)
{
    const ct_policy_rows *set = part->set;
    ct_policy_part_is_sound(part);
    part->n = 0;
    memset(part->total, 0, set->costs->n_actions * sizeof *part->total);
    for (uint32_t row = 0; row < set->n; row++) {
        if (!is_member(part, row)) continue;
        add_row(set->costs, set->rows[row], part->total);
        part->n++;
    }
    part->leaf = least_of(part->total, set->costs->n_actions);
}

/* The next row of the part in the order of the column, at or behind a position. */
static uint32_t next_member(const ct_policy_part *part, const ct_policy_column *column, uint32_t i)
{
    while (!is_member(part, column->order[i])) i++;
    return column->order[i];
}

/* Rows of a column are anywhere in memory. */
static inline void fetch_ahead(const ct_policy_rows *set, const ct_policy_column *column,
                               uint32_t i)
{
    enum { AHEAD = 12, LINE = 8 };
    if (i + AHEAD >= set->n) return;
    const int64_t *costs = set->costs->exact +
                           (size_t) set->rows[column->order[i + AHEAD]] * set->costs->n_actions;
    for (uint32_t a = 0; a < set->costs->n_actions; a += LINE) __builtin_prefetch(costs + a);
}

/* A row changes what a split costs by no more than its span, so it is looked at again where the
 * spans since the last time allow that it is better. */
void ct_policy_stump(const ct_policy_part *part, uint32_t at, uint32_t min_bucket,
                     ct_policy_tree *tree)
{
    const ct_policy_rows *set = part->set;
    const ct_policy_costs *costs = set->costs;
    const ct_policy_column *column = &set->columns[at];
    int64_t value = part->leaf + costs->price,
            limit = tree->cost + ((int32_t) at < tree->splits[0].column);
    uint32_t n = 0, below = 0, looked = 0;
    CT_ASSERT(at < set->n_cols && min_bucket >= 1 && part->n <= set->n && part->leaf >= 0);
    memset(part->sums, 0, costs->n_actions * sizeof *part->sums);
    for (uint32_t i = 0; i < set->n && n + min_bucket <= part->n; i++) {
        const uint32_t row = column->order[i];
        fetch_ahead(set, column, i);
        if (is_member(part, row)) {
            add_row(costs, set->rows[row], part->sums);
            value -= costs->span[set->rows[row]];
            below = row;
            n++;
        }
        if (!column->last[i] || value >= limit || n == looked || n < min_bucket || n >= part->n ||
            part->n - n < min_bucket)
            continue;
        looked = n;
        value = least_of(part->sums, costs->n_actions) + costs->price +
                least_rest(part->total, part->sums, costs->n_actions);
        if (value >= limit) continue;
        limit = tree->cost = value;
        tree->splits[0] = (ct_policy_split){(int32_t) at, set->rows[below],
                                            set->rows[next_member(part, column, i + 1)]};
        tree->splits[1].column = tree->splits[2].column = -1;
    }
}
