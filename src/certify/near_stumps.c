#include "certify/near_stumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Words that rows have at random (splitmix64: Steele, Lea, Flood, 2014). */
static uint64_t next_word(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

ct_status ct_near_stumps_init(ct_near_stumps *stumps, const ct_problem *problem,
                              const ct_set_claim *claim)
{
    uint64_t state = UINT64_C(0x636f756e74);
    memset(stumps, 0, sizeof *stumps);
    stumps->problem = problem;
    stumps->claim = claim;
    stumps->words = CT_ARENA_NEW(problem->arena, ct_side_key, problem->n_rows);
    stumps->left = CT_ARENA_NEW(problem->arena, int64_t, 2 * (size_t) problem->n_classes);
    if (!stumps->words || !stumps->left) return CT_NO_MEMORY;
    stumps->right = stumps->left + problem->n_classes;
    for (uint32_t row = 0; row < problem->n_rows; row++)
        for (int i = 0; i < 2; i++) stumps->words[row].of[i] = next_word(&state);
    return CT_OK;
}

void ct_near_stumps_free(ct_near_stumps *stumps)
{
    ct_free(stumps->of);
    stumps->of = NULL;
}

int64_t ct_near_leaf(const ct_problem *p, const int64_t *mass, uint32_t *label)
{
    int64_t best = INT64_MAX, all = p->uniform ? ct_cost_at_most(p, mass) : 0;
    for (uint32_t k = 0; k < p->n_classes; k++) {
        int64_t cost = p->uniform ? all - mass[k] * p->max_cost[k] : 0;
        for (uint32_t c = 0; !p->uniform && c < p->n_classes; c++)
            cost += mass[c] * p->loss[c * p->n_classes + k];
        if (cost >= best) continue;
        best = cost;
        *label = k;
    }
    return best;
}

/* ---- columns of a group ---- */

static ct_side_key lower_of(ct_side_key left, ct_side_key right)
{
    int less = left.of[0] != right.of[0] ? left.of[0] < right.of[0] : left.of[1] < right.of[1];
    return less ? left : right;
}

ct_side_key ct_near_key(const ct_near_stumps *stumps, const ct_row_set *set, uint32_t col,
                        uint32_t n_left)
{
    ct_side_key sides[2] = {{{0, 0}}, {{0, 0}}};
    for (uint32_t j = 0; j < set->n; j++)
        for (int i = 0; i < 2; i++)
            sides[j >= n_left].of[i] += stumps->words[set->order[col][j] & CT_ROW].of[i];
    return lower_of(sides[0], sides[1]);
}

static int push(ct_near_stumps *stumps, const ct_near_stump *one)
{
    if (stumps->n == stumps->room) {
        size_t room = stumps->room ? 2 * stumps->room : 256;
        ct_near_stump *of = (ct_near_stump *) ct_alloc(room * sizeof *of);
        if (!of) return 0;
        if (stumps->n) memcpy(of, stumps->of, stumps->n * sizeof *of);
        ct_free(stumps->of);
        stumps->of = of;
        stumps->room = room;
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
            !ct_cost_counts_add(counts, of[i].cost, ct_residues_one()))
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
    memset(stumps->left, 0, p->n_classes * sizeof *stumps->left);
    memcpy(stumps->right, set->mass, p->n_classes * sizeof *stumps->right);
    for (uint32_t j = 0; j + 1 < set->n; j++) {
        uint32_t row = set->order[col][j] & CT_ROW, label[2] = {0, 0};
        uint32_t c = (uint32_t) p->data->classes[row];
        stumps->left[c] += p->mass[row];
        stumps->right[c] -= p->mass[row];
        if (!(set->order[col][j] & CT_LAST) || !ct_near_allowed(p, set->n, j + 1)) continue;
        int64_t cost = p->split_cost + ct_near_leaf(p, stumps->left, &label[0]) +
                       ct_near_leaf(p, stumps->right, &label[1]);
        if (cost > budget || label[0] == label[1]) continue;
        ct_near_stump one = {{{0, 0}}, cost};
        if (grouped) one.key = ct_near_key(stumps, set, col, j + 1);
        if (!(grouped ? push(stumps, &one) : ct_cost_counts_add(counts, cost, ct_residues_one())))
            return 0;
    }
    return 1;
}

int ct_near_stumps_count(ct_near_stumps *stumps, const ct_row_set *set, int is_table,
                         int64_t budget, ct_cost_counts *counts)
{
    const ct_set_claim *claim = stumps->claim;
    uint32_t n_cols = stumps->problem->n_cols;
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
