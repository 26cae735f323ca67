/* Certificates of regression trees: what the search proves is proven again; what was tampered with,
 * bytes, trees or the grid, proves nothing that is untrue. The least costs come from all trees, in
 * long double, of the response itself. */
#include "claims.h"
#include "exact/cost/response.h"

enum { MOST_ROWS = 12 };

static const uint32_t every_row[MOST_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* ---- all trees ---- */

typedef struct {
    const ct_data *data;
    const ct_exact_options *options;
    long double price;
} all_trees;

static long double weight_of(const ct_data *data, uint32_t row)
{
    return data->weights ? data->weights[row] : 1;
}

/* About the row of the largest weight, which the mean is never far from. */
static long double squares_of(const ct_data *data, const uint32_t *rows, uint32_t n)
{
    long double weight = 0, sum = 0, squares = 0;
    uint32_t heaviest = rows[0];
    for (uint32_t i = 1; i < n; i++)
        if (weight_of(data, rows[i]) > weight_of(data, heaviest)) heaviest = rows[i];
    long double centre = data->response[heaviest];
    for (uint32_t i = 0; i < n; i++) {
        weight += weight_of(data, rows[i]);
        sum += weight_of(data, rows[i]) * (data->response[rows[i]] - centre);
    }
    for (uint32_t i = 0; i < n && weight > 0; i++) {
        long double x = data->response[rows[i]] - centre - sum / weight;
        squares += weight_of(data, rows[i]) * x * x;
    }
    return squares;
}

static long double least_of(const all_trees *all, const uint32_t *rows, uint32_t n, unsigned depth)
{
    const ct_exact_options *o = all->options;
    uint32_t parted[MOST_ROWS], bucket = o->min_bucket ? o->min_bucket : 1;
    long double least = squares_of(all->data, rows, n);
    if (!depth || n < o->min_split) return least;
    for (uint32_t col = 0; col < all->data->n_cols; col++)
        for (uint32_t i = 0; i < n; i++) {
            const ct_column *x = &all->data->columns[col];
            double above = ct_column_value(x, rows[i]);
            uint32_t left = 0, right = n;
            for (uint32_t j = 0; j < n; j++) {
                if (ct_column_value(x, rows[j]) < above) parted[left++] = rows[j];
                else parted[--right] = rows[j];
            }
            if (left < bucket || n - left < bucket) continue;
            long double cost = all->price + least_of(all, parted, left, depth - 1) +
                               least_of(all, parted + left, n - left, depth - 1);
            if (cost < least) least = cost;
        }
    return least;
}

static long double price_of(const ct_data *data, const ct_exact_options *options)
{
    return options->complexity * squares_of(data, every_row, data->n_rows);
}

static long double least_cost(const ct_data *data, const ct_exact_options *options)
{
    all_trees all = {data, options, price_of(data, options)};
    return least_of(&all, every_row, data->n_rows, options->depth);
}

/* Up to what sums in long double lose. */
static int is_at_most(long double bound, long double least, const ct_data *data)
{
    return bound <= least + 64 * long_epsilon() * squares_of(data, every_row, data->n_rows);
}

static long double cost_of(const ct_data *data, const ct_exact_options *options,
                           const ct_outcome *tree)
{
    long double cost = tree->n_splits * price_of(data, options);
    for (uint32_t leaf = 0; leaf <= tree->n_splits; leaf++) {
        uint32_t rows[MOST_ROWS], n = 0;
        for (uint32_t row = 0; row < data->n_rows; row++)
            if (tree->labels[row] == (int32_t) leaf) rows[n++] = row;
        cost += n ? squares_of(data, rows, n) : 0;
    }
    return cost;
}

/* ---- problems ---- */

typedef struct {
    random_table table;
    double y[MOST_ROWS];
    ct_exact_options options;
    int32_t labels[MOST_ROWS];
    ct_outcome tree;
    ct_exact_result result;
    ct_bytes bytes;
} problem;

static double random_response(rng *r, uint32_t kind, double x)
{
    switch (kind) {
    case 0: return rng_below(r, 4);
    case 1: return floor(10 * (x + rng_unit(r))) / 10;
    case 2: return 1e9 + rng_unit(r);
    case 3: return 1e-5 / (1e-3 + rng_unit(r));
    case 4: return 1e9 + floor(1e7 * (x + rng_unit(r))) / 1e7;
    default: return x + rng_unit(r);
    }
}

static void fill_problem(rng *r, problem *p)
{
    uint32_t n = 2 + rng_below(r, MOST_ROWS - 1), kind = rng_below(r, 6);
    p->table = table_random(r, n, 1 + rng_below(r, 3), 1, 1);
    p->table.data.classes = NULL;
    p->table.data.response = p->y;
    for (uint32_t row = 0; row < n; row++)
        p->y[row] = random_response(r, kind, p->table.values[row] >= p->table.values[0]);
    p->options = ct_exact_options_default();
    p->options.depth = rng_below(r, 4);
    if (rng_below(r, 3) == 0) p->options.complexity = rng_unit(r) / 8;
    else p->options.any_size = (int) rng_below(r, 2);
    if (rng_below(r, 3) == 0) p->options.min_bucket = 1 + rng_below(r, 3);
    if (rng_below(r, 4) == 0) p->options.min_split = 1 + rng_below(r, n);
    uint32_t weights = rng_below(r, 4);
    if (weights == 0) table_add_weights(&p->table, r);
    if (weights == 1) table_add_far_weights(&p->table, r);
    if (weights == 1) p->y[0] = 1e6;
}

/* Solves; the leaves of the rows are numbered as they come. */
static int find(problem *p)
{
    uint32_t leaf[MOST_ROWS], n = p->table.data.n_rows, known = 0, of[MOST_ROWS];
    if (!solve_rows(&p->table.data, &p->options, &p->result, leaf)) return 0;
    for (uint32_t row = 0; row < n; row++) {
        uint32_t i = 0;
        while (i < known && of[i] != leaf[row]) i++;
        if (i == known) of[known++] = leaf[row];
        p->labels[row] = (int32_t) i;
    }
    p->tree = (ct_outcome){p->labels, known - 1};
    return 1;
}

/* A table, its tree, and a certificate that it is the best one, or of its bound. */
static int certify(rng *r, problem *p, double max_gap)
{
    fill_problem(r, p);
    p->options.max_gap = max_gap;
    if (!find(p)) return 0;
    int optimal = p->result.end == CT_END_OPTIMAL, failed = check_state.failed;
    p->bytes = certificate_below(&p->table.data, &p->options, p->result.bound,
                                 optimal ? &p->tree : NULL);
    return check_state.failed == failed;
}

static ct_certify_result check(const problem *p, const ct_outcome *tree, const uint8_t *bytes,
                               size_t n)
{
    ct_certify_claim claim = claim_of(&p->options, tree);
    return check_claim(&p->table.data, &claim, bytes, n);
}

/* By how much a bound may be below that of the fit: what is of last bits alone the fit does not
 * count, and of the rest next to nothing. */
static double told(const ct_certify_result *checked)
{
    return fmax(2 * checked->last_bits, 0.01 * checked->rounding);
}

/* ---- tests ---- */

static void least_costs_are_proven_again(rng *r, uint32_t seed)
{
    problem p;
    if (!certify(r, &p, 0)) return;
    long double least = least_cost(&p.table.data, &p.options);
    ct_certify_result checked = check(&p, &p.tree, p.bytes.bytes, p.bytes.n);
    CHECK_INT(checked.verdict, CT_CERTIFIED);
    CHECK(checked.attained && is_at_most(checked.bound, least, &p.table.data));
    CHECK(checked.bound >= p.result.bound * (1 - 1e-14) - told(&checked));
    CHECK(least - checked.bound <= 2 * checked.rounding + 1e-13 * least);
    check_state.tally[0] += (uint32_t) checked.smallest;
    CHECK(!p.options.any_size || !p.tree.n_splits || !checked.smallest);
}

static void some_are_smallest(void) { CHECK(check_state.tally[0] > check_state.seeds / 20); }

/* Of searches that ended within a gap. */
static void bounds_are_proven_again(rng *r, uint32_t seed)
{
    problem p;
    if (!certify(r, &p, 0.5 * (seed % 5))) return;
    ct_certify_result checked = check(&p, &p.tree, p.bytes.bytes, p.bytes.n);
    CHECK_INT(checked.verdict, CT_CERTIFIED);
    CHECK(checked.bound >= p.result.bound * (1 - 1e-14) - told(&checked));
    CHECK(is_at_most(checked.bound, least_cost(&p.table.data, &p.options), &p.table.data));
}

static void tampered_bytes_prove_nothing_untrue(rng *r, uint32_t seed)
{
    problem p;
    if (!certify(r, &p, 0)) return;
    long double least = least_cost(&p.table.data, &p.options);
    uint8_t *bytes = (uint8_t *) keep_new(p.bytes.n + 1, 1);
    for (int i = 0; i < 60; i++) {
        memcpy(bytes, p.bytes.bytes, p.bytes.n);
        size_t size = tamper(r, bytes, p.bytes.n, p.bytes.n > 18 ? 18 : 0);
        ct_certify_result checked = check(&p, NULL, bytes, size);
        if (checked.verdict != CT_CERTIFIED) CHECK(checked.bound == 0);
        else CHECK(is_at_most(checked.bound, least, &p.table.data));
    }
}

/* Rows moved to another leaf, a leaf without rows, another response: nothing of these is said to be
 * the best. */
static void other_trees_are_not_the_best(rng *r, uint32_t seed)
{
    problem p;
    if (!certify(r, &p, 0)) return;
    uint32_t n = p.table.data.n_rows, row = rng_below(r, n);
    long double least = least_cost(&p.table.data, &p.options);
    ct_outcome more = {p.labels, p.tree.n_splits + 1};
    if (more.n_splits < n) {
        ct_certify_result checked = check(&p, &more, p.bytes.bytes, p.bytes.n);
        CHECK((!checked.attained || p.options.any_size) && !checked.smallest);
    }
    p.labels[row] = (int32_t) rng_below(r, p.tree.n_splits + 1);
    ct_certify_result checked = check(&p, &p.tree, p.bytes.bytes, p.bytes.n);
    long double cost = cost_of(&p.table.data, &p.options, &p.tree);
    if (checked.attained) CHECK(cost <= least + 2 * checked.rounding + 1e-13 * least);
    check_state.tally[0] += !checked.attained;
    p.y[row] += 1;
    CHECK_INT(check(&p, &p.tree, p.bytes.bytes, p.bytes.n).verdict, CT_OTHER_DATA);
}

static void some_are_worse(void) { CHECK(check_state.tally[0] > 5); }

/* ---- what comes from other rooms ---- */

/* In place of the library's, at the linker's request: the same, spoiled as a test asks for. */
ct_status __real_ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                                     double complexity, int one_word, ct_arena *arena,
                                      ct_error *error);
ct_status __wrap_ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                                     double complexity, int one_word, ct_arena *arena,
                                      ct_error *error);

static struct {
    int how; /* which fault; 0: none */
    uint32_t row;
} spoiled;

ct_status __wrap_ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                                     double complexity, int one_word, ct_arena *arena,
                                      ct_error *error)
{
    ct_status status = __real_ct_exact_costs_init(costs, data, depth, complexity, one_word, arena,
                                                  error);
    ct_exact_response *response = (ct_exact_response *) costs->response;
    int64_t *z = (int64_t *) response->full.z, *weights = (int64_t *) response->full.weights;
    switch (spoiled.how) {
    case 1: z[spoiled.row] += z[spoiled.row] / 2 + 1; break;
    case 2: response->step *= 3; break;
    case 3: response->centre += response->step * response->range; break;
    case 4: costs->unit *= 2; break;
    case 5: costs->split *= 5; break;
    case 6: z[spoiled.row] = INT64_MAX; break;
    case 7: if (weights) weights[spoiled.row] += 7; break;
    case 8: if (weights) weights[spoiled.row] = -5; break;
    case 9: response->step = NAN; break;
    case 10: response->error = 0; z[spoiled.row] ^= 1; break;
    default: break;
    }
    return status;
}

static void wrong_grids_prove_nothing_untrue(rng *r, uint32_t seed)
{
    problem p;
    if (!certify(r, &p, 0)) return;
    long double least = least_cost(&p.table.data, &p.options),
                cost = cost_of(&p.table.data, &p.options, &p.tree);
    spoiled.row = rng_below(r, p.table.data.n_rows);
    for (spoiled.how = 1; spoiled.how <= 10; spoiled.how++) {
        ct_certify_result checked;
        ct_certify_claim claim = claim_of(&p.options, &p.tree);
        ct_status status = ct_certify(&p.table.data, &claim, p.bytes.bytes, p.bytes.n, &checked,
                                      &reason);
        check_state.tally[1] += status == CT_INTERNAL;
        if (status != CT_OK && CHECK_INT(status, CT_INTERNAL)) continue;
        check_state.tally[0] += checked.verdict == CT_CERTIFIED;
        CHECK(is_at_most(checked.bound, least, &p.table.data));
        if (checked.attained) CHECK(cost <= least + 2 * checked.rounding + 1e-13 * least);
    }
    spoiled.how = 0;
}

static void both_happen(void) { CHECK(check_state.tally[0] > 10 && check_state.tally[1] > 10); }

static void refuses(void)
{
    rng r = {5};
    problem p;
    ct_certify_result checked;
    if (!certify(&r, &p, 0)) return;
    ct_certify_claim claim = claim_of(&p.options, &p.tree);
    p.labels[0] = (int32_t) p.tree.n_splits + 1; /* more leaves than the splits make */
    CHECK_FAILS(ct_certify(&p.table.data, &claim, p.bytes.bytes, p.bytes.n, &checked, &reason),
                CT_BAD_INPUT);
    p.labels[0] = -1;
    CHECK_FAILS(ct_certify(&p.table.data, &claim, p.bytes.bytes, p.bytes.n, &checked, &reason),
                CT_BAD_INPUT);
}

static const check_case cases[] = {
    {"least costs are proven again",
     EACH(least_costs_are_proven_again, 0, 3000, 60, 60), some_are_smallest},
    {"bounds are proven again", EACH(bounds_are_proven_again, 20000, 1000, 40, 40)},
    {"tampered bytes prove nothing untrue",
     EACH(tampered_bytes_prove_nothing_untrue, 9000, 400, 20, 20)},
    {"other trees are not the best",
     EACH(other_trees_are_not_the_best, 30000, 600, 40, 40), some_are_worse},
    {"wrong grids prove nothing untrue",
     EACH(wrong_grids_prove_nothing_untrue, 40000, 400, 30, 30), both_happen},
    {"refuses", refuses},
};

CHECK_MAIN(cases)
