#include "exact/search/in_full.h"

#include "base/bits.h"
#include "exact/rows/ranks.h"

struct ct_in_full {
    uint8_t *left;    /* [row of the layout] 1: left of the threshold */
    /* of a side, in the order of a child feature */
    int64_t *z, *weights; /* [n_rows]; weights NULL: 1 each */
    uint32_t *ranks;      /* [n_rows] */
};

ct_in_full *ct_in_full_new(const ct_node *node, ct_arena *arena)
{
    size_t n = node->layout->n_rows;
    ct_in_full *in_full = CT_ARENA_NEW(arena, ct_in_full, 1);
    if (!in_full) return NULL;
    int weighted = node->layout->full.weights != NULL;
    in_full->left = CT_ARENA_NEW(arena, uint8_t, n);
    in_full->z = CT_ARENA_NEW(arena, int64_t, n);
    in_full->weights = weighted ? CT_ARENA_NEW(arena, int64_t, n) : NULL;
    in_full->ranks = CT_ARENA_NEW(arena, uint32_t, n);
    int ready = in_full->left && in_full->z && (in_full->weights || !weighted) && in_full->ranks;
    return ready ? in_full : NULL;
}

void ct_in_full_leaves(ct_in_full *in_full, ct_evaluator *evaluator, uint32_t f, uint32_t t,
                       int64_t leaf[2])
{
    const ct_node *node = evaluator->roots->node;
    const ct_layout *layout = node->layout;
    ct_worker *worker = evaluator->worker;
    size_t start = ct_layout_start(worker, layout, f, t);
    for (uint32_t j = 0; j < layout->n_rows; j++) in_full->left[layout->order[f][j]] = j < start;
    ct_totals *totals = evaluator->totals;
    *totals[0].full = ct_node_full(worker, node, f, t);
    *totals[1].full = ct_full_rest(node->totals.full, totals[0].full);
    for (int side = 0; side < 2; side++)
        leaf[side] = ct_leaf_cost(worker->search->costs, &totals[side]);
    ct_worker_poll(worker, node->n_rows);
}

/* Lists the rows of a side in the order of child feature g; returns how many there are. */
static uint32_t list_side(const ct_in_full *in_full, const ct_node *node, uint32_t g, int side)
{
    const uint64_t *sets = ct_node_sets(node, g);
    const uint32_t *order = node->layout->order[g], *ranks = ct_layout_ranks(node->layout, g);
    const int64_t *z = node->layout->full.z, *weights = node->layout->full.weights;
    uint32_t n = 0;
    for (size_t w = node->rows.begin[g]; w < node->rows.end[g]; w++)
        for (uint64_t rest = sets[w]; rest; rest &= rest - 1) {
            size_t j = w * 64 + ct_trailing_zeros(rest);
            in_full->z[n] = z[order[j]];
            in_full->ranks[n] = ranks[j];
            if (weights) in_full->weights[n] = weights[order[j]];
            n += in_full->left[order[j]] != side;
        }
    return n;
}

/* Child feature g: raises its bound, and takes it if it is better than the need or, among equal
 * ones, comes before the best. */
static void split_by(const ct_in_full *in_full, ct_evaluator *evaluator, int side, uint32_t g,
                     ct_children *c)
{
    const ct_node *node = evaluator->roots->node;
    const ct_full_sums *all = evaluator->totals[side].full;
    int64_t below = c->need[side] + (c->best[side] > (int32_t) g), relaxed, allowed;
    uint32_t place;
    if (c->errors[side][g] >= below) return;
    const ct_full full = {in_full->z, in_full->weights, node->layout->full.down,
                          node->layout->full.low_bits};
    const ct_full_list list = {NULL, in_full->ranks, list_side(in_full, node, g, side)};
    CT_ASSERT(list.n == c->size[side]);
    allowed = relaxed = ct_full_split(&full, &list, all, 1, below, &place);
    if (place && c->min_rows[side] > 1)
        allowed = ct_full_split(&full, &list, all, c->min_rows[side], below, &place);
    if (!c->outer_rows) c->errors[side][g] = ct_larger_cost(c->errors[side][g], relaxed);
    ct_worker_poll(evaluator->worker, node->n_rows);
    if (!place) return;
    c->need[side] = allowed;
    c->best[side] = (int32_t) g;
}

void ct_in_full_split(ct_in_full *in_full, ct_evaluator *evaluator, int side, ct_children *c)
{
    int32_t first = c->best[side];
    uint32_t n_cols = evaluator->roots->node->layout->n_cols;
    c->best[side] = -1;
    if (first >= 0) split_by(in_full, evaluator, side, (uint32_t) first, c);
    for (uint32_t g = 0; g < n_cols; g++)
        if ((int32_t) g != first) split_by(in_full, evaluator, side, g, c);
    c->least[side] = INT64_MAX;
    for (uint32_t g = 0; g < n_cols; g++)
        c->least[side] = ct_smaller_cost(c->least[side], c->errors[side][g]);
    c->least_allowed[side] = c->best[side] >= 0 ? c->need[side]
                                                : ct_larger_cost(c->need[side], c->least[side]);
}
