#include "exact/search/leaf_runs.h"

int ct_leaf_runs_apply(const ct_worker *worker, unsigned depth)
{
    const ct_exact_search *search = worker->search;
    return ct_uses(worker, CT_SHORTCUT_LEAF_RUNS) && ct_uses(worker, CT_SHORTCUT_INTERVAL) &&
           search->costs->plain && !worker->evidence && (depth > 2 || search->breaks_ties);
}

/* What a side costs at least if it is split, where `lower` is a bound of all its trees. */
static int64_t when_split(const ct_worker *worker, int64_t lower)
{
    const ct_exact_search *search = worker->search;
    int64_t units = search->breaks_ties ? lower & -ct_cost_of_units(search->costs, 1) : 0;
    return ct_larger_cost(lower, units + search->split_cost);
}

/* How many rows may lie on the left at most (side 0) or must at least (side 1) for a leaf of that
 * side to cost less than `cost`. The feature keeps the last answer. */
static uint32_t rows_of_run(const ct_evaluator *evaluator, uint32_t f, int side, int64_t cost)
{
    ct_exact_feature *feature = &evaluator->roots->features[f];
    if (feature->run_cost[side] != cost) {
        feature->run_cost[side] = cost;
        feature->run_rows[side] = ct_node_leaf_rows(evaluator->worker, evaluator->roots->node, f,
                                                    side, cost, evaluator->totals[0].rows);
    }
    return feature->run_rows[side];
}

/* The threshold with the most rows on the left (side 0), or the fewest, of those with least .. most
 * of them; 0 if there is none. */
static uint32_t last_of_run(const ct_evaluator *evaluator, uint32_t f, int side, uint32_t least,
                            uint32_t most)
{
    uint32_t first, last;
    if (least > most) return 0;
    ct_node_window(evaluator->worker, evaluator->roots->node, f, least, most, &first, &last);
    return first > last ? 0 : side ? first : last;
}

int ct_leaf_runs_pick(ct_evaluator *evaluator, uint32_t feature, const ct_interval *i,
                      const uint32_t rows[2], uint32_t *t)
{
    const ct_worker *worker = evaluator->worker;
    int64_t left = i->a->lower[0], right = i->b->lower[1],
            left_split = when_split(worker, left), right_split = when_split(worker, right),
            room = evaluator->target - worker->search->split_cost;
    if (left_split + right_split < room) return 0;
    *t = 0;
    if (left + right >= room) return 1; /* by what has become known of the ends since */
    /* be the only leaf */
    int left_may = left + right_split < room, right_may = left_split + right < room;
    uint32_t most = rows[1], least = rows[0];
    if (left_may || !right_may) most = rows_of_run(evaluator, feature, 0, room - right);
    if (right_may || !left_may) least = rows_of_run(evaluator, feature, 1, room - left);
    if (most > rows[1]) most = rows[1];
    if (least < rows[0]) least = rows[0];
    if (!left_may && !right_may) *t = last_of_run(evaluator, feature, 0, least, most);
    if (left_may) *t = last_of_run(evaluator, feature, 0, rows[0], most);
    if (right_may && !*t) *t = last_of_run(evaluator, feature, 1, least, rows[1]);
    return 1;
}
