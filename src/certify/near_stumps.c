#include "certify/near_stumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "certify/response.h"

__extension__ typedef __int128 wide;

/* Words that rows have at random (splitmix64: Steele, Lea, Flood, 2014). */
static uint64_t next_word(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

ct_status ct_certify_near_stumps_init(ct_near_stumps *stumps, const ct_problem *problem,
                                      const ct_certify_set_claim *claim)
{
    uint64_t state = UINT64_C(0x636f756e74);
    CT_ASSERT(problem->n_rows > 0 && problem->n_sums > 0 && claim->groups);
    memset(stumps, 0, sizeof *stumps);
    stumps->problem = problem;
    stumps->claim = claim;
    stumps->words = CT_ARENA_NEW(problem->arena, ct_side_key, problem->n_rows);
    stumps->left = CT_ARENA_NEW(problem->arena, int64_t, 2 * (size_t) problem->n_sums);
    if (!stumps->words || !stumps->left) return CT_NO_MEMORY;
    stumps->right = stumps->left + problem->n_sums;
    for (uint32_t row = 0; row < problem->n_rows; row++)
        for (int i = 0; i < 2; i++) stumps->words[row].of[i] = next_word(&state);
    return CT_OK;
}

void ct_certify_near_stumps_free(ct_near_stumps *stumps)
{
    ct_free(stumps->of);
    stumps->of = NULL;
}

/* Means of rows without weight are their own. */
int ct_certify_near_same(const ct_near_told *a, const ct_near_told *b)
{
    return !a->by == !b->by && (wide) a->of * b->by == (wide) b->of * a->by;
}

int64_t ct_certify_near_leaf(const ct_problem *p, const int64_t *sums, ct_near_told *told)
{
    CT_ASSERT(p->grid.z ? !p->grid.wide && sums[CT_SUM_MASS] >= 0 : p->n_classes > 0);
    if (p->grid.z) {
        *told = (ct_near_told){sums[CT_SUM_Z], sums[CT_SUM_MASS]};
        return ct_grid_cost_of_sums(p, sums);
    }
    int64_t best = INT64_MAX, all = p->uniform ? ct_certify_cost_at_most(p, sums) : 0;
    for (uint32_t k = 0; k < p->n_classes; k++) {
        int64_t cost = p->uniform ? all - sums[k] * p->max_cost[k] : 0;
        for (uint32_t c = 0; !p->uniform && c < p->n_classes; c++)
            cost += sums[c] * p->loss[c * p->n_classes + k];
        if (cost >= best) continue;
        best = cost;
        *told = (ct_near_told){k, 1};
    }
    return best;
}

/* ---- columns of a group ---- */

static ct_side_key lower_of(ct_side_key left, ct_side_key right)
{
    int less = left.of[0] != right.of[0] ? left.of[0] < right.of[0] : left.of[1] < right.of[1];
    return less ? left : right;
}

ct_side_key ct_certify_near_key(const ct_near_stumps *stumps, const ct_row_set *set, uint32_t col,
                                uint32_t n_left)
{
    CT_ASSERT(col < stumps->problem->n_cols && n_left > 0 && n_left < set->n);
    ct_side_key sides[2] = {{{0, 0}}, {{0, 0}}};
    for (uint32_t j = 0; j < set->n; j++)
        for (int i = 0; i < 2; i++)
            sides[j >= n_left].of[i] += stumps->words[set->order[col][j] & CT_ROW].of[i];
    return lower_of(sides[0], sides[1]);
}

static int push(ct_near_stumps *stumps, const ct_near_stump *one)
{
    if (stumps->n == stumps->room) {
        const size_t more = stumps->n ? stumps->n : 256, size = sizeof *stumps->of;
        if (!ct_enlarge(&stumps->of, stumps->n * size, more * size)) return 0;
        stumps->room += more;
    }
    stumps->of[stumps->n++] = *one;
    return 1;
}

static int by_key(const void *a, const void *b)
{
    return memcmp(&((const ct_near_stump *) a)->key, &((const ct_near_stump *) b)->key,
                  sizeof(ct_side_key));
}

/* Counts what the columns of a group split in the same way once. */
static int end_group(ct_near_stumps *stumps, ct_cost_counts *counts)
{
    ct_near_stump *of = stumps->of;
    if (stumps->n) qsort(of, stumps->n, sizeof *of, by_key);
    for (size_t i = 0; i < stumps->n; i++)
        if ((!i || by_key(&of[i - 1], &of[i])) &&
            !ct_certify_cost_counts_add(counts, of[i].cost, ct_residues_one()))
            return 0;
    stumps->n = 0;
    return 1;
}

/* ---- all columns ---- */

static int count_column(ct_near_stumps *stumps, const ct_row_set *set, uint32_t col,
                        int64_t budget, ct_cost_counts *counts)
{
    const ct_problem *p = stumps->problem;
    int grouped = ct_near_grouped(stumps->claim, p->n_cols, col);
    memset(stumps->left, 0, p->n_sums * sizeof *stumps->left);
    for (uint32_t j = 0; j + 1 < set->n; j++) {
        ct_near_told told[2] = {{0, 0}, {0, 0}};
        ct_sums_add(p, set->order[col][j] & CT_ROW, stumps->left);
        if (!(set->order[col][j] & CT_LAST) || !ct_near_allowed(p, set->n, j + 1)) continue;
        for (uint32_t k = 0; k < p->n_sums; k++) stumps->right[k] = set->mass[k] - stumps->left[k];
        int64_t cost = p->split_cost + ct_certify_near_leaf(p, stumps->left, &told[0]) +
                       ct_certify_near_leaf(p, stumps->right, &told[1]);
        if (cost > budget || ct_certify_near_same(&told[0], &told[1])) continue;
        ct_near_stump one = {{{0, 0}}, cost};
        if (grouped) one.key = ct_certify_near_key(stumps, set, col, j + 1);
        if (!(grouped ? push(stumps, &one)
                      : ct_certify_cost_counts_add(counts, cost, ct_residues_one())))
            return 0;
    }
    return 1;
}

int ct_certify_near_stumps_count(ct_near_stumps *stumps, const ct_row_set *set, int is_table,
                                 int64_t budget, ct_cost_counts *counts)
{
    const ct_certify_set_claim *claim = stumps->claim;
    uint32_t n_cols = stumps->problem->n_cols;
    CT_ASSERT(stumps->n == 0 && set->n > 0 && set->n <= stumps->problem->n_rows);
    for (uint32_t col = 0; col < n_cols; col++) {
        if ((!is_table || !claim->roots || claim->roots[col]) &&
            !count_column(stumps, set, col, budget, counts))
            return 0;
        if ((col + 1 == n_cols || claim->groups[col] != claim->groups[col + 1]) &&
            !end_group(stumps, counts))
            return 0;
    }
    return 1;
}
