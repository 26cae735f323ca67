#include "exact/search/sized.h"

/* What no tree costs, as a leaf would be too small. */
static const int64_t NO_TREE = INT64_MAX / 8;

/* A quadrant as a leaf. */
static ct_sized_side leaf_of(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                             uint32_t *rows)
{
    uint32_t largest;
    *rows = ct_counting_quadrant(x, i, j, a, b, &largest);
    ct_sized_side leaf = {NO_TREE, CT_NO_TEST, {CT_NO_TEST, CT_NO_TEST}};
    if (*rows >= x->worker->search->min_bucket)
        leaf.cost = ct_cost_of_units(x->worker->search->costs, *rows - largest);
    return leaf;
}

/* The best tree of a quadrant with one split or none, which costs `least` at least if it has one;
 * of equal ones the leaf, or the first. */
static ct_sized_side best_stump(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                                int64_t least)
{
    uint32_t rows;
    int64_t wrong;
    ct_sized_side best = leaf_of(x, i, j, a, b, &rows);
    if (least >= best.cost || !ct_may_split(x->worker, rows)) return best;
    int32_t k = ct_counting_third(x, i, j, a, b, &wrong);
    ct_worker_poll(x->worker, rows);
    if (k < 0) return best;
    const ct_exact_search *search = x->worker->search;
    int64_t cost = search->split_cost + ct_cost_of_units(search->costs, wrong);
    if (cost < best.cost) best.cost = cost, best.test = k;
    return best;
}

/* What trees with root j of a side of root i cost at least. */
static int64_t least_below(const ct_counting *x, uint32_t i, int side, uint32_t j)
{
    int64_t leaf, cost = x->worker->search->split_cost;
    for (int b = 0; b < 2; b++) cost += ct_counting_quadrant_cost(x, i, j, side, b, &leaf);
    return cost;
}

/* Takes the trees of a side of root i that have root j, if one is better than `best`. */
static void take_second(const ct_counting *x, uint32_t i, int side, uint32_t j, ct_sized_side *best)
{
    ct_sized_side tree = {x->worker->search->split_cost, (int32_t) j, {CT_NO_TEST, CT_NO_TEST}};
    for (int b = 0; b < 2; b++) {
        int64_t leaf, least = ct_counting_quadrant_cost(x, i, j, side, b, &leaf);
        ct_sized_side part = best_stump(x, i, j, side, b, least);
        tree.cost += part.cost;
        tree.third[b] = part.test;
        if (part.cost == NO_TREE) return;
    }
    int first = best->test >= 0 && x->tests.test[j] < x->tests.test[best->test];
    if (tree.cost < best->cost + first) *best = tree;
}

/* The best tree of a side of root i, of one level less than the task; of equal ones the leaf, or
 * that with the first root. What costs `below` or more need not be found. */
static ct_sized_side best_side(const ct_counting *x, uint32_t i, int side, int64_t below)
{
    uint32_t rows, n = x->tests.counts.n_tests, promising = 0;
    int64_t least = INT64_MAX;
    if (x->task->depth == 2) return best_stump(x, i, i, side, side, x->sides[side][i]);
    ct_sized_side best = leaf_of(x, i, i, side, side, &rows);
    if (!ct_may_split(x->worker, rows)) return best;
    for (uint32_t j = 0; j < n; j++) {
        int64_t cost = least_below(x, i, side, j);
        if (cost < least) least = cost, promising = j;
    }
    if (least < ct_smaller_cost(best.cost, below)) take_second(x, i, side, promising, &best);
    for (uint32_t j = 0; j < n; j++) {
        int first = best.test >= 0 && x->tests.test[j] < x->tests.test[best.test];
        int64_t cost = least_below(x, i, side, j);
        if (j != promising && cost < below && cost < best.cost + first)
            take_second(x, i, side, j, &best);
    }
    return best;
}

void ct_sized_take(ct_counting *x, uint32_t i)
{
    int64_t best = x->best + ct_counting_comes_first(x, i), cost = x->worker->search->split_cost,
            other = x->sides[1][i];
    ct_sized_side sides[2];
    if (x->value[i] >= best) return;
    x->sized[i] = NO_TREE;
    if (!ct_may_split_at(x->worker, x->node->n_rows, x->rows[i])) return;
    for (int side = 0; side < 2; side++, other = 0) {
        int64_t below = best - cost - other;
        sides[side] = best_side(x, i, side, below);
        cost += ct_smaller_cost(sides[side].cost, below);
    }
    x->sized[i] = cost;
    if (cost >= best) return;
    x->best = cost;
    x->found = (int32_t) i;
    x->found_sides[0] = sides[0];
    x->found_sides[1] = sides[1];
}

int64_t ct_sized_least(const ct_counting *x)
{
    int64_t least = x->leaf;
    for (uint32_t i = 0; i < x->tests.counts.n_tests; i++)
        least = ct_smaller_cost(least, ct_larger_cost(x->sized[i], x->value[i]));
    return least;
}

void ct_sized_write_side(const ct_counting *x, int side, ct_split_code *tree)
{
    const ct_sized_side *found = &x->found_sides[side];
    uint32_t at = ct_counting_place(x, (uint32_t) x->found, side);
    if (found->test < 0) return;
    uint32_t j = (uint32_t) found->test;
    tree[at] = x->task->depth > 2 ? ct_counting_code(x, j) : ct_counting_lowest_code(x, j);
    for (int b = 0; b < 2; b++)
        if (found->third[b] >= 0)
            tree[2 * at + ct_counting_place(x, j, b)] =
                ct_counting_lowest_code(x, (uint32_t) found->third[b]);
}
