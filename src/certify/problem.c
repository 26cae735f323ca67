#include "base/compact.h"

#include "certify/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/sum.h"
#include "certify/response.h"

/* ---- orders ---- */

/* The thresholds that there are with at most `keep` of them: the i-th at the rank i n / (keep + 1),
 * rounded. */
static int is_threshold(uint32_t rank, uint32_t n_values, uint32_t keep)
{
    if (!keep || n_values - 1 <= keep) return 1;
    CT_ASSERT(rank > 0 && rank < n_values);
    uint64_t parts = (uint64_t) keep + 1,
             i = ((uint64_t) rank * 2 * parts + n_values) / (2 * (uint64_t) n_values);
    for (uint64_t near = i ? i - 1 : 0; near <= i + 1; near++)
        if (near >= 1 && near <= keep && (near * n_values + parts / 2) / parts == rank) return 1;
    return 0;
}

/* Whether an order holds each row once and rises, and its ties are where the value changes, but for
 * thresholds left out. Writes ranks. */
static int order_is_right(const ct_problem *p, uint32_t col, uint32_t keep, uint8_t *seen)
{
    const ct_column *column = &p->data->columns[col];
    const uint32_t *order = p->table.order[col];
    uint32_t n_values = 1, rank = 0, value = 0;
    memset(seen, 0, p->n_rows);
    for (uint32_t j = 0; j < p->n_rows; j++) {
        if (order[j] >= p->n_rows || seen[order[j]]++) return 0;
        if (j && ct_column_value(column, order[j - 1]) > ct_column_value(column, order[j]))
            return 0;
        if (j)
            n_values += ct_column_value(column, order[j - 1]) < ct_column_value(column, order[j]);
    }
    for (uint32_t j = 0; j < p->n_rows; j++) {
        int changes = j + 1 < p->n_rows &&
                      ct_column_value(column, order[j]) < ct_column_value(column, order[j + 1]);
        value += (uint32_t) changes;
        int expected = changes && is_threshold(value, n_values, keep);
        CT_ASSERT(value < n_values && rank <= value);
        if ((int) ct_bit(p->table.ties[col], j) != expected) return 0;
        p->rank[col][order[j]] = rank;
        rank += (uint32_t) expected;
    }
    return 1;
}

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory to check a certificate");
}

ct_status ct_certify_problem_rank(ct_problem *p, uint32_t max_thresholds, ct_error *error)
{
    CT_ASSERT(p->n_rows > 0 && p->table.n_rows == p->n_rows && p->table.n_cols == p->n_cols);
    uint8_t *seen = CT_ARENA_NEW(p->arena, uint8_t, p->n_rows);
    p->rank = CT_ARENA_NEW(p->arena, uint32_t *, p->n_cols);
    uint32_t *ranks = CT_ARENA_NEW(p->arena, uint32_t, (size_t) p->n_rows * p->n_cols);
    if (!seen || !p->rank || !ranks) return no_memory(error);
    int capped;
    for (uint32_t col = 0; col < p->n_cols; col++) {
        p->rank[col] = ranks + (size_t) col * p->n_rows;
        if (ct_table_rank(&p->table, col, max_thresholds, p->arena, &capped) != CT_OK)
            return no_memory(error);
        if (!order_is_right(p, col, max_thresholds, seen))
            return ct_fail(error, CT_INTERNAL, "certify: the order of column %lu is wrong",
                           (unsigned long) col + 1);
    }
    return CT_OK;
}

/* ---- costs ---- */

/* Weights and losses that are whole but for their last bits count as whole. */
static const double LAST_BITS = 0x1p-48;

/* Sums it up over the rows, each under the label for which it is largest. Without losses all wrong
 * labels are alike. */
static void measure_rounding(ct_problem *p)
{
    const ct_data *data = p->data;
    size_t n = p->n_classes, alike = p->loss || data->loss ? 1 : n;
    double sum = 0, last_bits = 0;
    for (uint32_t row = 0; row < p->n_rows; row++) {
        size_t own = (size_t) data->classes[row];
        CT_ASSERT(own < n);
        int is_last = 1;
        double most = 0, w = data->weights ? data->weights[row] : 1;
        for (size_t away = 0; away < n; away += away ? alike : 1) {
            size_t label = (own + away) % n;
            double loss = data->loss ? data->loss[own * n + label] : label != own;
            int64_t cost = p->mass[row] * ct_loss_of(p, own, label);
            double off = ct_certify_distance(cost, p->unit, w, loss);
            most = fmax(most, off);
            is_last &= off <= LAST_BITS * w * loss;
        }
        sum += most;
        if (is_last) last_bits += most;
    }
    p->rounding = sum * (1 + (p->n_rows + 1.0) * DBL_EPSILON);
    p->last_bits = last_bits;
}

/* The weights of all rows, and by how much that may differ from their sum: by its last bit, and by
 * those of what additions have lost, which are of the size of last bits themselves. */
static double sum_of_weights(const ct_data *data, double *off)
{
    ct_sum sum = {0, 0};
    *off = 0;
    if (!data->weights) return data->n_rows;
    for (uint32_t row = 0; row < data->n_rows; row++) ct_sum_add(&sum, data->weights[row]);
    double all = ct_sum_value(&sum), few = data->n_rows * DBL_EPSILON;
    if (sum.low != 0) *off = all * (DBL_EPSILON / 2 + few * few);
    return all;
}

/* What a split costs in the objective, and how many a tree may have. */
static void set_penalty(ct_problem *p, const ct_certify_claim *claim)
{
    double off, sum = sum_of_weights(p->data, &off);
    ct_product penalty = ct_certify_product_of(claim->complexity, sum);
    p->penalty = penalty.value;
    p->penalty_off = (fabs(penalty.rest) + claim->complexity * off) * (1 + 4 * DBL_EPSILON);
}

/* The losses as the search has them; 0 if they are none. */
static int take_losses(ct_problem *p, const ct_exact_costs *costs)
{
    size_t n = p->n_classes;
    CT_ASSERT(n > 0);
    if (costs->shift > 60) return 0;
    for (size_t c = 0; costs->plain && n > 1 && c < n; c++)
        p->max_cost[c] = p->cheapest[c] = INT64_C(1) << costs->shift;
    for (size_t c = 0; !costs->plain && !costs->loss && c < n; c++) {
        if (costs->most[c] < 0 || costs->most[c] > INT64_MAX >> costs->shift) return 0;
        p->max_cost[c] = p->cheapest[c] = costs->most[c] << costs->shift;
    }
    for (size_t i = 0; costs->loss && i < n * n; i++) {
        if (i % (n + 1) == 0) continue;
        int64_t *least = &p->cheapest[i / n];
        int first = i / n ? i % n == 0 : i == 1;
        if (costs->loss[i] < 0 || costs->loss[i] > INT64_MAX >> costs->shift) return 0;
        int64_t loss = p->loss[i] = costs->loss[i] << costs->shift;
        if (loss > p->max_cost[i / n]) p->max_cost[i / n] = loss;
        CT_ASSERT(loss >= 0 && i / n < n);
        if (first || loss < *least) *least = loss;
    }
    return 1;
}

/* The numbers as the search has them; 0 if they are not such that sums of them fit into 64 bits. */
static int take_costs(ct_problem *p, const ct_exact_costs *costs)
{
    size_t n = p->n_classes;
    double all = 0;
    if (!take_losses(p, costs)) return 0;
    p->uniform = 1;
    for (size_t c = 0; c < n; c++) p->uniform &= p->max_cost[c] == p->cheapest[c];
    for (uint32_t row = 0; row < p->n_rows; row++) {
        p->mass[row] = costs->weights ? costs->weights[row] : 1;
        if (p->mass[row] < 0) return 0;
        all += (double) p->mass[row] * (double) p->max_cost[p->data->classes[row]];
    }
    p->unit = ldexp(costs->unit, -(int) costs->shift);
    p->shift = costs->shift;
    p->split_cost = costs->split;
    return all < 0x1p61 && costs->split >= 0 && costs->split < INT64_C(1) << 61 && p->unit > 0 &&
           isfinite(p->unit);
}

static ct_status set_costs(ct_problem *p, const ct_certify_claim *claim, ct_error *error)
{
    ct_exact_costs costs;
    size_t n = p->n_classes;
    uint32_t by_depth = (UINT32_C(1) << claim->depth) - 1;
    p->most_splits = by_depth < p->n_rows ? by_depth : p->n_rows - 1;
    CT_TRY(ct_exact_costs_init(&costs, p->data, claim->depth, claim->complexity,
                               claim->one_word, p->arena, error));
    if (claim->any_size) costs.split = 0;
    p->mass = CT_ARENA_NEW(p->arena, int64_t, p->n_rows);
    p->loss = costs.loss ? CT_ARENA_ZEROED(p->arena, int64_t, n * n) : NULL;
    p->max_cost = CT_ARENA_ZEROED(p->arena, int64_t, n);
    p->cheapest = CT_ARENA_ZEROED(p->arena, int64_t, n);
    if (!p->mass || (!p->loss && costs.loss) || !p->max_cost || !p->cheapest)
        return no_memory(error);
    if (p->data->response) return ct_certify_grid_take(p, &costs, claim->complexity, error);
    if (!take_costs(p, &costs))
        return ct_fail(error, CT_INTERNAL, "certify: the costs of rows are no costs");
    measure_rounding(p);
    set_penalty(p, claim);
    return CT_OK;
}

int64_t ct_certify_units_of_tree(const ct_problem *p, const ct_outcome *tree)
{
    int64_t count = 0;
    if (p->grid.z) return ct_certify_grid_cost_of_tree(p, tree);
    CT_ASSERT(tree->labels && p->data->classes);
    for (uint32_t row = 0; row < p->n_rows; row++)
        count += p->mass[row] *
                 ct_loss_of(p, (size_t) p->data->classes[row], (size_t) tree->labels[row]);
    return count >> p->shift;
}

int64_t ct_certify_cost_as_leaf(const ct_problem *p, const int64_t *mass)
{
    int64_t best = INT64_MAX, largest = 0;
    if (p->grid.z) return ct_grid_cost_of_sums(p, mass);
    for (uint32_t c = 0; p->uniform && c < p->n_classes; c++)
        if (mass[c] * p->max_cost[c] > largest) largest = mass[c] * p->max_cost[c];
    CT_ASSERT(largest >= 0 && (!p->uniform || ct_certify_cost_at_most(p, mass) >= largest));
    if (p->uniform) return ct_certify_cost_at_most(p, mass) - largest;
    for (uint32_t label = 0; label < p->n_classes; label++) {
        int64_t cost = 0;
        for (uint32_t c = 0; c < p->n_classes; c++)
            cost += mass[c] * p->loss[c * p->n_classes + label];
        CT_ASSERT(cost >= 0);
        if (cost < best) best = cost;
    }
    return best;
}

int64_t ct_certify_cost_at_most(const ct_problem *p, const int64_t *mass)
{
    int64_t cost = 0;
    if (p->grid.z) return mass[CT_SUM_MOST];
    for (uint32_t c = 0; c < p->n_classes; c++) cost += mass[c] * p->max_cost[c];
    CT_ASSERT(cost >= 0);
    return cost;
}

ct_status ct_certify_problem_init(ct_problem *p, const ct_data *data, const ct_certify_claim *claim,
                                  ct_arena *arena, ct_error *error)
{
    CT_ASSERT(data->columns && arena && !(claim->complexity < 0));
    memset(p, 0, sizeof *p);
    p->arena = arena;
    p->data = data;
    p->n_rows = data->n_rows;
    p->n_cols = data->n_cols;
    p->n_classes = ct_data_classes(data);
    p->n_sums = p->n_classes; /* with a response ct_certify_grid_take() says */
    p->min_bucket = claim->min_bucket < data->n_rows ? claim->min_bucket : data->n_rows;
    if (!p->min_bucket) p->min_bucket = 1;
    p->min_split = claim->min_split > 2 * p->min_bucket ? claim->min_split : 2 * p->min_bucket;
    CT_TRY(ct_table_init(&p->table, data, arena, error));
    CT_TRY(set_costs(p, claim, error));
    return ct_certify_problem_rank(p, claim->max_thresholds, error);
}

/* ---- row sets ---- */

static ct_status new_set(const ct_problem *p, uint32_t n, ct_row_set *set)
{
    CT_ASSERT(n > 0 && n <= p->n_rows);
    uint32_t *rows = CT_ARENA_NEW(p->arena, uint32_t, (size_t) n * p->n_cols);
    set->n = n;
    set->order = CT_ARENA_NEW(p->arena, uint32_t *, p->n_cols);
    set->mass = CT_ARENA_ZEROED(p->arena, int64_t, p->n_sums);
    if (!rows || !set->order || !set->mass) return CT_NO_MEMORY;
    for (uint32_t col = 0; col < p->n_cols; col++) set->order[col] = rows + (size_t) col * n;
    return CT_OK;
}

ct_status ct_certify_row_set_orders(const ct_problem *p, ct_row_set *set)
{
    CT_ASSERT(ct_table_is_ranked(&p->table));
    CT_TRY(new_set(p, p->n_rows, set));
    for (uint32_t col = 0; col < p->n_cols; col++)
        for (uint32_t j = 0; j < p->n_rows; j++)
            set->order[col][j] = p->table.order[col][j] |
                                 (ct_bit(p->table.ties[col], j) ? CT_LAST : 0);
    return CT_OK;
}

ct_status ct_certify_row_set_whole(const ct_problem *p, ct_row_set *set)
{
    CT_TRY(ct_certify_row_set_orders(p, set));
    for (uint32_t row = 0; row < p->n_rows; row++) ct_sums_add(p, row, set->mass);
    set->max_cost = ct_certify_cost_at_most(p, set->mass);
    CT_ASSERT(ct_certify_cost_as_leaf(p, set->mass) <= set->max_cost);
    return CT_OK;
}

ct_status ct_certify_row_set_part(const ct_problem *p, const ct_row_set *set, const uint8_t *side,
                                  uint8_t wanted, uint32_t n, const int64_t *mass, ct_row_set *part)
{
    CT_TRY(new_set(p, n, part));
    for (uint32_t col = 0; col < p->n_cols; col++) {
        uint32_t *out = part->order[col], kept = 0, changes = 0;
        for (uint32_t j = 0; j < set->n; j++) {
            uint32_t entry = set->order[col][j];
            if (side[entry & CT_ROW] == wanted) {
                if (kept) out[kept - 1] |= changes;
                CT_ASSERT(kept < n);
                out[kept++] = entry & CT_ROW;
                changes = 0;
            }
            changes |= entry & CT_LAST;
        }
        CT_ASSERT(kept == n); /* sizes add up */
    }
    memcpy(part->mass, mass, p->n_sums * sizeof *mass);
    part->max_cost = ct_certify_cost_at_most(p, mass);
    return CT_OK;
}
