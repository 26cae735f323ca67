/* Regression trees against all trees that there are, in integers. */
#include "exact/kernels/kernels.h"
#include "instance_bounds.h"
#include "response_answer.h"

/* ---- tables ---- */

/* Ties, offsets, heavy tails, prices, few values; from a tree, or from nothing. */
static double random_response(rng *r, uint32_t kind, double signal)
{
    double u = rng_unit(r), noise = signal + u;
    switch (kind) {
    case 0: return rng_below(r, 3);
    case 1: return floor(10 * noise);
    case 2: return 1e9 + noise;
    case 3: return -1e8 + floor(100 * noise) / 100;
    case 4: return noise / (1e-4 + u * u);
    case 5: return floor(noise * 1000) * 500 + 99000;
    case 6: return floor(signal) + (rng_below(r, 20) ? 0 : 50);
    default: return noise;
    }
}

static response_table response_random(rng *r, uint32_t n_rows, uint32_t n_cols)
{
    response_table t = response_new(n_rows, n_cols);
    uint32_t kind = rng_below(r, 9), root = rng_below(r, n_cols), child = rng_below(r, n_cols);
    for (uint32_t col = 0; col < n_cols; col++) {
        double *x = table_column(&t.table, col);
        if (col && rng_below(r, 4) == 0) follow_column(r, table_column(&t.table, 0), x, n_rows);
        else if (col && rng_below(r, 8) == 0)
            memcpy(x, table_column(&t.table, col - 1), n_rows * sizeof *x);
        else fill_column(r, x, n_rows);
    }
    double cut = table_column(&t.table, root)[rng_below(r, n_rows)],
           below = table_column(&t.table, child)[rng_below(r, n_rows)];
    for (uint32_t i = 0; i < n_rows; i++) {
        double signal = 2 * (table_column(&t.table, root)[i] >= cut) +
                        (table_column(&t.table, child)[i] >= below);
        t.y[i] = random_response(r, kind, rng_below(r, 3) ? signal : 0);
    }
    return t;
}

/* Small tables are not laid out for scans of many child features at once. */
static const uint32_t by_rows_alone = UINT32_C(1) << CT_SHORTCUT_COMPACTION,
                      in_full_alone = UINT32_C(1) << CT_SHORTCUT_FEW_BITS;

static ct_exact_options random_options(rng *r, response_table *t, int leaf_sizes)
{
    ct_exact_options options = ct_exact_options_default();
    uint32_t n = t->table.data.n_rows;
    options.depth = n > 18 ? 2 : n > 11 ? 2 + rng_below(r, 2) : 2 + rng_below(r, 3);
    if (rng_below(r, 3) == 0) options.complexity = rng_unit(r) * 0.1;
    options.any_size = options.complexity == 0 && rng_below(r, 3) == 0;
    if (rng_below(r, 2)) options.word_rows = 0;
    if (rng_below(r, 2)) options.tally_rows = 0;
    if (rng_below(r, 2)) options.off = by_rows_alone;
    if (leaf_sizes) {
        options.min_bucket = 1 + rng_below(r, rng_below(r, 2) ? 3 : 7);
        options.min_split = rng_below(r, 8);
    }
    if (rng_below(r, 6) == 0) {
        table_add_roots(&t->table, r);
        options.roots = t->table.roots;
    }
    return options;
}

/* ---- random tables ---- */

static void compare_table(rng *r, int leaf_sizes, int weights)
{
    response_table t = response_random(r, 5 + rng_below(r, weights ? 12 : 25), 1 + rng_below(r, 4));
    if (weights) table_add_weights(&t.table, r);
    ct_exact_options options = random_options(r, &t, leaf_sizes);
    compare(&t, &options);
}

static void equals_brute_force(rng *r, uint32_t i) { compare_table(r, 0, 0); }
static void equals_with_leaf_sizes(rng *r, uint32_t i) { compare_table(r, 1, 0); }
static void equals_with_weights(rng *r, uint32_t i) { compare_table(r, 1, 1); }

/* Numbers of which one word would lose much: far from zero, tiny beside huge, of heavy tails, apart
 * by last bits. */
static double hostile_number(rng *r, uint32_t kind, uint32_t i, double signal)
{
    double u = rng_unit(r);
    switch (kind) {
    case 0: return 1e12 + signal + u;
    case 1: return i ? 1e-6 * (signal + u) : 1e6;
    case 2: return signal + 1 / (1e-5 + u * u * u);
    case 3: return 1 + ldexp(floor(8 * u + signal), -40);
    case 4: return signal + (rng_below(r, 2) ? 0.1 : 0.2) + (rng_below(r, 3) ? 0 : 1e-13);
    default: return -1e15 + floor(1000 * (signal + u));
    }
}

/* Weights of all digits within a factor of 10^6, counts of a large sum, next to each other, and of
 * next to none in some rows. */
static void add_hostile_weights(response_table *t, rng *r, uint32_t kind)
{
    if (kind == 4) {
        table_add_far_weights(&t->table, r);
        return;
    }
    double *w = table_new_weights(&t->table);
    for (uint32_t i = 0; i < t->table.data.n_rows; i++) {
        double u = rng_unit(r);
        w[i] = kind == 1   ? exp(u * log(1e6))
               : kind == 2 ? 1 + floor(u * u * 1e9)
                           : 1 + ldexp(rng_below(r, 8), -45);
    }
}

/* What the help says that rounding hides, from the data alone: of n rows in so many leaves. */
static double hidden_of(const response_table *t, double leaves, double all)
{
    const ct_data *data = &t->table.data;
    double low = INFINITY, high = -INFINITY, weight = 0, least = INFINITY, largest = 0;
    int is_whole = 1;
    for (uint32_t i = 0; i < data->n_rows; i++) {
        double w = data->weights ? data->weights[i] : 1;
        weight += w;
        least = fmin(least, w);
        largest = fmax(largest, w);
        is_whole &= w == floor(w);
        low = fmin(low, t->y[i]);
        high = fmax(high, t->y[i]);
    }
    double square = (high - low) * (high - low), bits = data->weights ? 51 : 45,
           e = fmax(ldexp(high - low, -(int) bits - 1) * sqrt(weight), ldexp(sqrt(all), -32)),
           word = ldexp(weight, -64), two = fmax(ldexp(weight, -72), ldexp(largest, -63)),
           in_word = fmin(data->n_rows * word * square, 2 * word / least * all),
           in_two = fmin(data->n_rows * two * square, 2 * two / least * all),
           r = data->weights ? fmin(in_word, fmax(in_two, ldexp(all, -36))) : 0,
           dearest = data->weights ? data->n_rows * fmin(largest * square, all) : weight * square,
           s = leaves * leaves * fmax(dearest, weight * square * is_whole) * 0x1p-60;
    return 4 * e * (sqrt(all) + e) + 2 * r + s;
}

static void check_gap(const response_table *t, const ct_exact_options *options)
{
    ct_exact_result result;
    if (!solve(&t->table.data, options, &result)) return;
    double all = result.deviance[0], leaves = ldexp(1, (int) options->depth),
           hidden = hidden_of(t, leaves, all), gap = result.cost - result.bound;
    CHECK(gap <= hidden * (1 + 1e-9) + 1e-14 * all);
    if (!t->table.data.weights) CHECK(gap <= 1e-9 * all);
}

static void equals_where_one_word_rounds(rng *r, uint32_t i)
{
    uint32_t n = 5 + rng_below(r, 12), n_cols = 1 + rng_below(r, 4),
             weights = rng_below(r, 5), kind = rng_below(r, 6);
    response_table t = response_new(n, n_cols);
    int two_valued = rng_below(r, 3) == 0;
    for (uint32_t col = 0; col < n_cols; col++) {
        double *x = table_column(&t.table, col);
        fill_column(r, x, n);
        for (uint32_t row = 0; two_valued && row < n; row++) x[row] = rng_below(r, 2);
    }
    for (uint32_t row = 0; row < n; row++)
        t.y[row] = hostile_number(r, kind, row, t.table.values[row] > 0.5);
    if (weights) add_hostile_weights(&t, r, weights);
    ct_exact_options options = random_options(r, &t, i % 2 == 0);
    if (two_valued) options.test_rows = 0;
    if (rng_below(r, 2)) options.off |= in_full_alone;
    options.roots = NULL;
    compare(&t, &options);
    options.complexity = 0;
    check_gap(&t, &options);
}

/* So many columns that scans go through the orders of several at once, in one block and in two. */
static void equals_with_many_columns(rng *r, uint32_t i)
{
    response_table t = response_random(r, 8 + rng_below(r, 9), 6 + rng_below(r, 12));
    ct_exact_options options = random_options(r, &t, i % 2 == 0);
    options.depth = 3; /* of the sides the rows lie by places */
    compare(&t, &options);
}

/* Column 1 parts most of the rows from the rest, and of these column 0 in its middle. But its first
 * row stands out: the best of all places to split is in another block than the best that leaves of
 * some size allow. */
static void add_outlier(response_table *t)
{
    uint32_t n = t->table.data.n_rows, first = n;
    const double *x = t->table.values, *root = x + n;
    for (uint32_t row = 0; row < n; row++) {
        t->y[row] = 30 * (x[row] > 0.6) + 100 * (root[row] >= 7) + sin(row);
        if (root[row] < 7 && (first == n || x[row] < x[first])) first = row;
    }
    t->y[first] += 300;
}

/* Trees of more levels than brute force can go through: the bounds that go by sizes of leaves leave
 * the cost as it is without them. */
static void leaf_sizes_in_bounds_keep_the_cost(rng *r, uint32_t i)
{
    uint32_t n = 12 + rng_below(r, 40);
    response_table t = response_random(r, n, 2 + rng_below(r, 3));
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result results[2];
    options.depth = 3 + rng_below(r, 2);
    options.min_bucket = 2 + rng_below(r, n / 6);
    for (int k = 0; k < 2; k++) {
        options.off = k ? UINT32_C(1) << CT_SHORTCUT_LEAF_SIZES : 0;
        REQUIRE(solve(&t.table.data, &options, &results[k]));
        CHECK(results[k].end == CT_END_OPTIMAL);
    }
    CHECK(results[0].cost == results[1].cost);
}

/* More rows than a block of a scan has, of few values and of many. */
static void equals_in_blocks(rng *r, uint32_t i)
{
    uint32_t n = i % 6 == 3 ? BRUTE_ROWS : 66 + rng_below(r, BRUTE_ROWS - 66);
    response_table t = response_new(n, 3);
    for (uint32_t k = 0; k < 3 * n; k++)
        t.table.values[k] = k < n ? floor(40 * rng_unit(r)) : rng_below(r, k < 2 * n ? 9 : 2);
    if (i % 2)
        for (uint32_t row = 0; row < n; row++) table_column(&t.table, 0)[row] = rng_unit(r);
    for (uint32_t row = 0; row < n; row++)
        t.y[row] = random_response(r, i % 9, sin(t.table.values[row] * (i % 2 ? 6 : 0.2)));
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2;
    options.min_bucket = i % 3 ? 1 : 20;
    if (i % 6 == 3) add_outlier(&t);
    compare(&t, &options);
    options.off = by_rows_alone;
    compare(&t, &options);
    options.word_rows = 0;
    compare(&t, &options);
    options.simd = "scalar";
    compare(&t, &options);
    options.tally_rows = 0;
    compare(&t, &options);
    options.off |= in_full_alone;
    compare(&t, &options);
    add_hostile_weights(&t, r, 1 + i % 3);
    options.simd = "auto";
    compare(&t, &options);
}

/* Every instruction set, any number of threads, each shortcut off. */
static void equals_in_any_way(rng *r, uint32_t i)
{
    response_table t = response_random(r, 5 + rng_below(r, 25), 2 + rng_below(r, 3));
    ct_exact_options options = random_options(r, &t, i % 2 == 0);
    response_brute b;
    REQUIRE(brute_begin(&b, &t.table.data, &options));
    brute_tree expected = brute_solve(&b, options.depth);
    for (size_t k = 0; ct_kernels_at(k); k++) {
        options.simd = ct_kernels_at(k)->name;
        check_answer(&t, &options, &b, &expected);
    }
    options.simd = "auto";
    for (unsigned off = 0; off <= CT_EXACT_N_SHORTCUTS; off++) {
        options.off = off < CT_EXACT_N_SHORTCUTS ? UINT32_C(1) << off : ~UINT32_C(0);
        check_answer(&t, &options, &b, &expected);
    }
    options.off = 0;
    options.threads = 2;
    options.team_after = 0;
    check_answer(&t, &options, &b, &expected);
    options.plane_budget = i % 2 ? 1 : 5000;
    check_answer(&t, &options, &b, &expected);
}

/* A table that is too large for brute force, with blocks of rows before the last. */
static response_table large_table(rng *r, uint32_t n_rows, int tied)
{
    response_table t = response_new(n_rows, 4);
    for (uint32_t i = 0; i < n_rows; i++) {
        for (uint32_t col = 0; col < 4; col++) {
            double u = rng_unit(r);
            table_column(&t.table, col)[i] = tied ? floor(u * (3 + 30 * col)) : u;
        }
        double *x = t.table.values;
        t.y[i] = sin(6 * x[i]) + x[n_rows + i] * x[2 * (size_t) n_rows + i] + rng_unit(r);
    }
    return t;
}

/* The course of a search, not its answer alone. */
static void same_course_everywhere(rng *r, uint32_t i)
{
    response_table t = large_table(r, 150 + 100 * i, i % 2 == 1);
    ct_exact_options options = ct_exact_options_default();
    options.min_bucket = i % 3 ? 1 : 7;
    if (i % 4 > 1) options.word_rows = 0;
    options.tally_rows = i % 3 ? UINT32_MAX : 0;
    if (i % 2) options.off = in_full_alone;
    if (i % 3 == 1) add_hostile_weights(&t, r, 1);
    ct_exact_result first, again;
    options.simd = "scalar";
    REQUIRE(solve(&t.table.data, &options, &first));
    for (size_t k = 0; ct_kernels_at(k); k++) {
        options.simd = ct_kernels_at(k)->name;
        REQUIRE(solve(&t.table.data, &options, &again));
        again.statistics.planes_spared = first.statistics.planes_spared;
        CHECK(!memcmp(&first.statistics, &again.statistics, sizeof first.statistics));
        CHECK(first.errors == again.errors && first.tree.n_nodes == again.tree.n_nodes);
    }
}

/* Rows bounded word by word before they are listed, and listed at once: the same answer. There are
 * many words, of which most are passed over. */
static void words_first_change_nothing(rng *r, uint32_t i)
{
    response_table t = large_table(r, 500 + rng_below(r, 2500), i % 2);
    ct_exact_options options = ct_exact_options_default();
    options.depth = i % 4 == 3 && !CHECK_SLOW() ? 3 : 2;
    options.min_bucket = i % 3 ? 1 : 7;
    ct_exact_result lists, words;
    REQUIRE(solve(&t.table.data, &options, &lists));
    for (size_t k = 0; ct_kernels_at(k); k++) {
        options.simd = ct_kernels_at(k)->name;
        options.word_rows = 64 * (uint32_t) rng_below(r, 10);
        REQUIRE(solve(&t.table.data, &options, &words));
        CHECK(words.cost == lists.cost && words.bound == lists.bound);
        CHECK(words.tree.n_nodes == lists.tree.n_nodes);
    }
}

/* Values scanned by tallies, or rows: the same answer, with any number of threads. */
static void tallies_change_nothing(rng *r, uint32_t i)
{
    response_table t = large_table(r, 300 + rng_below(r, i % 3 ? 1500 : 6000), i % 4 > 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = i % 4 == 3 && !CHECK_SLOW() ? 3 : 2;
    options.min_bucket = i % 3 ? 1 : 3 + rng_below(r, 30);
    options.complexity = i % 2 ? 0 : 1e-4;
    ct_exact_result rows, tallies;
    options.tally_rows = UINT32_MAX;
    REQUIRE(solve(&t.table.data, &options, &rows));
    options.tally_rows = 0;
    for (options.off = 0;; options.off = UINT32_C(1) << rng_below(r, CT_EXACT_N_SHORTCUTS)) {
        REQUIRE(solve(&t.table.data, &options, &tallies));
        CHECK(tallies.cost == rows.cost && tallies.bound == rows.bound);
        CHECK_INT(tallies.tree.n_nodes, rows.tree.n_nodes);
        for (uint32_t node = 0; node < rows.tree.n_nodes; node++)
            CHECK(tallies.tree.feature[node] == rows.tree.feature[node]);
        if (options.off) break;
        options.threads = 2;
        options.team_after = 0;
    }
}

/* ---- limits ---- */

typedef struct {
    double cost, grid_error;
    ct_exact_end end;
} outcome;

static outcome outcome_of(const response_table *t, const ct_exact_options *options)
{
    ct_exact_result result;
    outcome out = {-1, 0, CT_END_OPTIMAL};
    if (!solve(&t->table.data, options, &result)) return out;
    CHECK(result.bound <= result.cost);
    CHECK(result.end != CT_END_GAP || result.cost - result.bound <= options->max_gap);
    for (uint32_t i = 1; i < result.n_history; i++) {
        const ct_exact_progress *a = &result.history[i - 1], *b = &result.history[i];
        CHECK(a->upper >= b->upper && a->lower <= b->lower && b->upper >= result.cost);
    }
    out = (outcome){result.cost, result.grid_error, result.end};
    return out;
}

/* Up to the cost asked for trees are found, below it none is; within a gap any will do. */
static void keeps_to_caps(rng *r, uint32_t i)
{
    response_table t = response_random(r, 8 + rng_below(r, 20), 1 + rng_below(r, 3));
    ct_exact_options options = random_options(r, &t, i % 2 == 0);
    outcome best = outcome_of(&t, &options), other;
    CHECK_INT(best.end, CT_END_OPTIMAL);
    options.max_cost = best.cost;
    other = outcome_of(&t, &options);
    CHECK(other.cost == best.cost && other.end == CT_END_OPTIMAL);
    options.max_cost = best.cost * 0.9;
    other = outcome_of(&t, &options);
    if (sqrt(best.cost) > 100 * best.grid_error && best.cost > 1e-3)
        CHECK(other.cost >= best.cost && (other.end == CT_END_COST ||
                                          other.cost == best.cost)); /* a leaf */
    options.max_cost = INFINITY;
    options.max_gap = best.cost * 0.2;
    other = outcome_of(&t, &options);
    CHECK(other.cost <= best.cost * 1.2 * (1 + 1e-9));
    CHECK(other.end == CT_END_OPTIMAL || other.end == CT_END_GAP);
}

/* A tree to begin with changes nothing. */
static void begins_with_a_tree(rng *r, uint32_t i)
{
    response_table t = response_random(r, 8 + rng_below(r, 20), 1 + rng_below(r, 3));
    ct_exact_options options = random_options(r, &t, i % 2 == 0);
    ct_exact_result from;
    unsigned depth = options.depth;
    options.depth = rng_below(r, depth + 2);
    REQUIRE(solve(&t.table.data, &options, &from));
    ct_exact_start start = start_of(&from.tree);
    options.depth = depth;
    options.start = &start;
    compare(&t, &options);
}

/* A search that is stopped has a tree and a bound that hold. */
static void stops_with_a_bound(void)
{
    rng r = {77};
    response_table t = large_table(&r, 300, 0);
    ct_exact_options options = ct_exact_options_default();
    double best = outcome_of(&t, &options).cost;
    ct_exact_result result;
    REQUIRE(solve_stopped(&t.table.data, options, 1, 1 << 16, &result));
    CHECK_INT(result.end, CT_END_INTERRUPT);
    CHECK(result.bound <= best && best <= result.cost);
}

/* ---- bounds ---- */

/* Every lower bound that a search believes, of trees, features and thresholds. */
static void believes_no_wrong_bound(rng *r, uint32_t i)
{
    response_table t = response_random(r, 5 + rng_below(r, BOUND_ROWS - 4), 1 + rng_below(r, 4));
    if (i % 3 == 0) table_add_weights(&t.table, r);
    ct_exact_options options = random_options(r, &t, i % 2 == 0);
    CHECK(bounds_hold(&t.table, &options));
}

static void bounds_were_seen(void) { CHECK(bounds_state.seen > 0); }

/* Deep trees of small leaves: a side is bounded by leaf sizes of a larger row set, and so are the
 * floors of its features, which neighbours take over. Rarely does one of them matter, most often
 * with many rows and columns and no price of splits: with a floor that is wrong in one of some 60
 * such tables. */
static void believes_no_wrong_floor(rng *r, uint32_t i)
{
    response_table t = response_random(r, BOUND_ROWS - rng_below(r, 2), 3 + rng_below(r, 2));
    if (i % 4 == 1) table_add_weights(&t.table, r);
    ct_exact_options options = random_options(r, &t, 1);
    options.depth = 3 + rng_below(r, 2);
    options.min_bucket = 2 + (rng_below(r, 4) == 0);
    options.min_split = 1;
    options.off = 0;
    if (rng_below(r, 4)) options.complexity = 0;
    CHECK(bounds_hold(&t.table, &options));
}

/* ---- what cannot matter ---- */

/* Whether the rows come to the same leaves. */
static void same_leaves(const response_table *t, const response_table *other, const char *what)
{
    ct_exact_options options = ct_exact_options_default();
    uint32_t n = t->table.data.n_rows, *leaf = (uint32_t *) keep_new(n, 2 * sizeof *leaf);
    ct_exact_result result;
    REQUIRE(solve_rows(&t->table.data, &options, &result, leaf));
    REQUIRE(solve_rows(&other->table.data, &options, &result, leaf + n));
    if (!CHECK(!memcmp(leaf, leaf + n, n * sizeof *leaf))) printf("    %s\n", what);
}

/* Shifted and negated responses, and weights of two, leave the leaves as they are. */
static void shift_negation_and_weights(rng *r, uint32_t i)
{
    uint32_t n = 10 + rng_below(r, 40);
    response_table t = response_new(n, 2), other = response_new(n, 2);
    for (uint32_t k = 0; k < 2 * n; k++)
        t.table.values[k] = other.table.values[k] = rng_unit(r);
    for (uint32_t row = 0; row < n; row++) t.y[row] = floor(1000 * rng_unit(r));
    for (uint32_t row = 0; row < n; row++) other.y[row] = t.y[row] + 123456;
    same_leaves(&t, &other, "shifted");
    for (uint32_t row = 0; row < n; row++) other.y[row] = 4000 - t.y[row];
    same_leaves(&t, &other, "negated");
    memcpy(other.y, t.y, n * sizeof *t.y);
    double *w = table_new_weights(&other.table);
    for (uint32_t row = 0; row < n; row++) w[row] = 2;
    same_leaves(&t, &other, "weighted");
}

/* ---- the grid ---- */

/* Leaves cost their squared error rounded down, whatever the size of its sums. */
static void costs_of_leaves(void)
{
    rng r = {13};
    for (int i = 0; i < 20000; i++) {
        response_brute b = {0};
        uint32_t n = 1 + rng_below(&r, 6), rows[6], bits = rng_below(&r, 23);
        int64_t weight = 0, sum = 0, squares = 0;
        for (uint32_t k = 0; k < n; k++) {
            rows[k] = k;
            b.z[k] = (int64_t) rng_below(&r, 2U << bits) - ((int64_t) 1 << bits);
            b.w[k] = i % 2 ? 1 : rng_below(&r, bits < 15 ? 1 << 26 : 100);
            weight += b.w[k];
            sum += b.w[k] * b.z[k];
            squares += b.w[k] * b.z[k] * b.z[k];
        }
        unsigned fine = rng_below(&r, 61U - (unsigned) ilogb((double) (squares + 1)));
        if (fine > CT_FINE_BITS) fine = CT_FINE_BITS;
        b.down = -(int) fine;
        REQUIRE(CHECK_INT(ct_response_cost(fine, weight, sum, squares), brute_leaf(&b, rows, n)));
    }
}

/* Splits of rows that cost nearly the same: three heaps as far from each other, which weigh the
 * same but for last bits, and noise that doubles lose beside them. */
static void splits_in_full(rng *r, uint32_t i)
{
    int64_t z[9], w[9], least = INT64_MAX, found;
    uint32_t ranks[9], rows[9], n = 3 + rng_below(r, 7), place = 0, first = 0, at;
    uint32_t weighted = rng_below(r, 4), noise = 1 + rng_below(r, 3), size = 1 + n / 3;
    /* bits of z, of weights, and of the latter part of their squares */
    int bits = weighted > 2 ? 2 + (int) rng_below(r, 17)
               : weighted   ? 34 + (int) rng_below(r, 17)
                            : 44,
        heavy = weighted ? 51 + (int) rng_below(r, 11) : 0,
        low = 2 * bits + heavy > 120 ? 2 * bits + heavy - 120 : 0,
        down = weighted ? 2 * bits + heavy - 53 : 30;
    low += (int) rng_below(r, (uint32_t) ((down < 58 ? down : 58) - low + 1));
    ct_full full = {z, weighted ? w : NULL, down, (unsigned) low};
    ct_full_sums all = {0, 0, 0, 0};
    for (uint32_t k = 0; k < n; k++) {
        int64_t far = ((int64_t) (k * 3 / n) - 1) * (INT64_C(1) << bits);
        z[k] = far + rng_below(r, noise);
        w[k] = weighted ? (INT64_C(1) << heavy) + rng_below(r, 3) : 1;
        ranks[k] = k ? ranks[k - 1] + (rng_below(r, 5) > 0) : 0;
        rows[k] = k;
        ct_full_add(&full, k, &all);
    }
    size = rng_below(r, 2) ? 1 : size;
    for (uint32_t k = size; k + size <= n; k++) {
        if (ranks[k - 1] == ranks[k]) continue;
        int64_t cost = brute_cost(full.down, z, w, rows, k) +
                       brute_cost(full.down, z, w, rows + k, n - k);
        if (cost < least) least = cost, first = k;
    }
    const ct_full_list list = {rng_below(r, 2) ? rows : NULL, ranks, n};
    found = ct_full_split(&full, &list, &all, size, INT64_MAX / 2, &at);
    if (first) place = first;
    else least = INT64_MAX / 2;
    CHECK_INT(found, least);
    CHECK_INT(at, place);
    if (!first) return;
    CHECK_INT(ct_full_split(&full, &list, &all, size, least, &at), least);
    CHECK_INT(at, 0);
}

static double grid_error_of(const response_table *t, double *error_of_root)
{
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 1;
    if (!solve(&t->table.data, &options, &result)) return -1;
    double off = result.grid_error;
    *error_of_root = sqrt(result.deviance[0]);
    return off;
}

/* Whether costs are counted in two words; `rounding`, by how much weights may hide a tree. */
static int in_two_words(const response_table *t, int one_word, double *rounding)
{
    ct_exact_costs costs;
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    int two = -1;
    if (CHECK_OK(ct_response_init(&costs, &t->table.data, 2, 0, one_word, &arena, &reason))) {
        two = costs.response->rounded;
        /* and the steps of costs, at depth 2 */
        *rounding = (costs.rounding + 16 * costs.unit) / costs.total;
    }
    ct_arena_free(&arena);
    return two;
}

/* What the rounding of weights changes of the squares of these leaves, beside their means. */
static double changed_by_rounding(const response_table *t, const uint32_t *leaf,
                                  const ct_exact_costs *costs)
{
    double mean[3] = {0, 0, 0}, weight[3] = {0, 0, 0}, changed = 0;
    const double *w = t->table.weights;
    double unit = ldexp(costs->unit, -costs->response->full.down) / costs->response->step /
                  costs->response->step;
    for (uint32_t row = 0; row < t->table.data.n_rows; row++) weight[leaf[row]] += w[row];
    for (uint32_t row = 0; row < t->table.data.n_rows; row++)
        mean[leaf[row]] += w[row] / weight[leaf[row]] * t->y[row];
    for (uint32_t row = 0; row < t->table.data.n_rows; row++) {
        double off = fma(-unit, (double) costs->response->full.weights[row], w[row]);
        changed += off * (t->y[row] - mean[leaf[row]]) * (t->y[row] - mean[leaf[row]]);
    }
    return fabs(changed);
}

/* Of any leaves, beside rows far away and others of next to no weight. */
static void rounded_weights_change_no_more_than_is_said(rng *r, uint32_t i)
{
    uint32_t n = 3 + rng_below(r, 12), leaf[14];
    response_table t = response_new(n, 1);
    double *w = table_new_weights(&t.table);
    ct_exact_costs costs;
    ct_budget budget = {SIZE_MAX, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    for (uint32_t row = 0; row < n; row++) {
        t.y[row] = rng_unit(r) * pow(10, rng_below(r, 6));
        w[row] = pow(10, (double) rng_below(r, 25) * rng_unit(r));
    }
    REQUIRE(ct_response_init(&costs, &t.table.data, 2, 0, 0, &arena, &reason) == CT_OK);
    check_state.tally[0] += costs.rounding > 0;
    for (uint32_t split = 0; split < 20; split++) {
        for (uint32_t row = 0; row < n; row++) leaf[row] = rng_below(r, 3);
        CHECK(changed_by_rounding(&t, leaf, &costs) <= costs.rounding);
    }
    ct_arena_free(&arena);
}

static void weights_were_rounded(void) { CHECK(check_state.tally[0] > 10); }

/* However many rows there are, of whatever weights within a factor of 10^6, and wherever the
 * response of the lightest is. */
static void two_words_for_many_rows(rng *r, uint32_t i)
{
    static const uint32_t rows[] = {20000, 100000, 400000, 20000, 100000, 400000};
    int weighted = i % 2, tails = i > 5, far = i > 9;
    response_table t = response_new(rows[i / 2 % 6], 1);
    double *w = weighted ? table_new_weights(&t.table) : NULL, hidden = 1, in_one = 1;
    for (uint32_t row = 0; row < t.table.data.n_rows; row++) {
        t.y[row] = rng_unit(r);
        if (tails) t.y[row] = 1 / (t.y[row] - 0.5);
        if (weighted) w[row] = pow(10, 6 * rng_unit(r));
    }
    if (far) t.y[7] = 1e7;
    if (far && weighted) w[7] = 1;
    CHECK_INT(in_two_words(&t, 0, &hidden), 1);
    CHECK_INT(in_two_words(&t, 1, &in_one), 0);
    CHECK(weighted ? in_one > 1e-6 : in_one < 1e-6);
    CHECK(hidden < 2.5e-10);
}

/* Decimals that fit are exact; other numbers are near, and it is said how near. */
static void says_how_near_the_grid_is(void)
{
    rng r = {12};
    double root;
    response_table t = response_new(50, 1);
    for (uint32_t i = 0; i < 50; i++) {
        table_column(&t.table, 0)[i] = i;
        t.y[i] = floor(rng_unit(&r) * 500) / 10;
    }
    CHECK(grid_error_of(&t, &root) == 0);
    for (uint32_t i = 0; i < 50; i++) t.y[i] = 500 * floor(rng_unit(&r) * 10000);
    CHECK(grid_error_of(&t, &root) == 0);
    for (uint32_t i = 0; i < 50; i++) t.y[i] = 1 / (0.01 + rng_unit(&r));
    double off = grid_error_of(&t, &root);
    CHECK(off > 0 && off < 1e-12 * root);
    t.y[0] = 1e20; /* the others are next to nothing beside it */
    CHECK(grid_error_of(&t, &root) > 0.1);
    for (uint32_t i = 0; i < 50; i++) t.y[i] = 3.25;
    CHECK(grid_error_of(&t, &root) == 0 && root == 0);
}

/* Runs of the largest and the least response: sums that a number of fewer bits would not hold. */
static void holds_the_largest_sums(void)
{
    response_table t = response_new(4000, 2);
    for (uint32_t i = 0; i < 4000; i++) {
        table_column(&t.table, 0)[i] = i;
        table_column(&t.table, 1)[i] = i % 7;
        t.y[i] = i < 1000 || i >= 3000 ? 0.7 : -0.3 + (i == 1500) * 1e-7;
    }
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    for (size_t k = 0; ct_kernels_at(k); k++) {
        options.simd = ct_kernels_at(k)->name;
        REQUIRE(solve(&t.table.data, &options, &result));
        CHECK(result.errors < 1e-10 && result.tree.n_nodes >= 5);
    }
}

/* Rows without weight may have any response: the answer is the same in every bit. */
static void rows_without_weight_decide_nothing(rng *r, uint32_t i)
{
    static const double wild[] = {1e8, -1e9, 1e30, -3e-7, 0.1};
    uint32_t n = 6 + rng_below(r, 20), leaf[2][BRUTE_ROWS];
    response_table t = response_random(r, n, 1 + rng_below(r, 3));
    ct_exact_options options = random_options(r, &t, i % 2 == 0);
    ct_exact_result results[2];
    table_add_weights(&t.table, r);
    for (uint32_t row = 1; row < n; row += 1 + rng_below(r, 4)) t.table.weights[row] = 0;
    t.table.weights[0] += 1;
    for (int k = 0; k < 2; k++) {
        for (uint32_t row = 0; row < n; row++)
            if (t.table.weights[row] == 0)
                t.y[row] = k ? wild[rng_below(r, 5)] : t.y[0];
        REQUIRE(solve_rows(&t.table.data, &options, &results[k], leaf[k]));
    }
    CHECK(results[0].errors == results[1].errors && results[0].bound == results[1].bound &&
          results[0].grid_error == results[1].grid_error &&
          !memcmp(leaf[0], leaf[1], n * sizeof **leaf));
}

/* Rows of weights so far apart that the light ones are nothing to the search: what it misses of
 * them is 1.25, and told, although the heavy ones cost 1e14 in any tree. */
static void tells_what_rounding_hides(void)
{
    static const double x[] = {0, 0, 0, 0, 1, 2}, y[] = {0, 1, 0, 1, 0, 1},
                        w[] = {1e18, 1e18, 1e18, 1e18, 2, 3};
    response_table t = response_new(6, 1);
    memcpy(table_column(&t.table, 0), x, sizeof x);
    memcpy(t.y, y, sizeof y);
    memcpy(table_new_weights(&t.table), w, sizeof w);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 2;
    REQUIRE(solve(&t.table.data, &options, &result));
    CHECK(result.bound <= 1e18 && result.cost >= 1e18);
    for (uint32_t row = 0; row < 6; row++) t.table.weights[row] = (1 + row % 3) / 7.0;
    REQUIRE(solve(&t.table.data, &options, &result));
    CHECK(result.bound == result.cost); /* multiples of the least are not rounded */
}

/* The least sum of squares of the differences between whole numbers, each of which is exact. */
static long double least_squares(const response_brute *b, const uint32_t *rows, uint32_t n,
                                 unsigned depth)
{
    const double *y = b->data->response;
    uint32_t parted[BRUTE_ROWS];
    brute_wide sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t x = (int64_t) y[rows[i]] - (int64_t) y[0];
        sum += x;
        squares += (brute_wide) x * x;
    }
    long double least = (long double) (squares * n - sum * sum) / n;
    if (!depth) return least;
    for (uint32_t col = 0; col < b->data->n_cols; col++)
        for (uint32_t i = 0; i < n; i++) {
            double above = ct_column_value(&b->data->columns[col], rows[i]);
            uint32_t left = brute_part(b, col, above, rows, n, parted);
            if (!left) continue;
            long double cost = least_squares(b, parted, left, depth - 1) +
                               least_squares(b, parted + left, n - left, depth - 1);
            if (cost < least) least = cost;
        }
    return least;
}

/* Whole numbers, near zero and far from it, some a step apart and some far: those that the grid
 * holds have the least sum of squares that there is, but for 4^depth steps in which sums of squares
 * are counted. */
static void whole_numbers_lose_nothing(rng *r, uint32_t i)
{
    static const double offsets[] = {0, 3e6, -1e12, 0x1p50, 0x1p52};
    uint32_t n = 3 + rng_below(r, 9), rows[BRUTE_ROWS];
    double offset = offsets[rng_below(r, 5)], apart = i % 3 ? 3e6 : 1 + rng_below(r, 9);
    response_table t = response_new(n, 1 + rng_below(r, 2));
    for (uint32_t k = 0; k < n * t.table.data.n_cols; k++)
        t.table.values[k] = rng_below(r, n);
    for (uint32_t row = 0; row < n; row++) {
        rows[row] = row;
        t.y[row] = offset + apart * rng_below(r, 4) + rng_below(r, 3);
    }
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 1 + rng_below(r, 3);
    response_brute b = {.data = &t.table.data};
    long double least = least_squares(&b, rows, n, options.depth);
    REQUIRE(solve(&t.table.data, &options, &result));
    double range = 3 * apart + 2, step = ldexp(n * range * range, 2 * (int) options.depth - 60);
    CHECK(result.grid_error == 0 && result.end == CT_END_OPTIMAL);
    CHECK(result.errors <= (double) least * (1 + 1e-14) + step);
    CHECK(least > 0 || result.errors == 0);
    CHECK(result.bound <= (double) least * (1 + 1e-14));
}

/* A large offset takes nothing from differences: neither from the tree nor from what it costs. */
static void offsets_take_nothing(rng *r, uint32_t i)
{
    uint32_t n = 20 + rng_below(r, 40);
    response_table t = response_new(n, 2), other = response_new(n, 2);
    for (uint32_t k = 0; k < 2 * n; k++)
        t.table.values[k] = other.table.values[k] = rng_unit(r);
    for (uint32_t row = 0; row < n; row++) {
        t.y[row] = rng_below(r, 4000) * 0x1p-12;
        other.y[row] = 1e12 + t.y[row];
        t.y[row] = other.y[row] - 1e12;
    }
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result results[2];
    options.depth = 2;
    options.min_bucket = 2;
    REQUIRE(solve(&t.table.data, &options, &results[0]));
    REQUIRE(solve(&other.table.data, &options, &results[1]));
    CHECK(results[0].grid_error == 0 && results[1].grid_error == 0);
    CHECK_NEAR(results[1].errors, results[0].errors, 1e-13 * results[0].errors);
    for (uint32_t node = 0; node < results[0].tree.n_nodes; node++)
        CHECK_NEAR(results[1].saved[node], results[0].saved[node],
                   1e-9 * fabs(results[0].saved[node]));
    same_leaves(&t, &other, "far from zero");
}

static void refuses(void)
{
    response_table t = response_new(4, 1);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    int32_t classes[4] = {0};
    t.y[2] = NAN;
    CHECK(is_refused(&t.table.data, &options));
    t.y[2] = 1e200;
    CHECK(is_refused(&t.table.data, &options));
    t.y[2] = 1;
    t.table.data.classes = classes;
    CHECK(is_refused(&t.table.data, &options));
    t.table.data.classes = NULL;
    options.device = CT_EXACT_DEVICE_TWIN;
    options.depth = 2;
    REQUIRE(solve(&t.table.data, &options, &result));
    CHECK(result.device_note[0] && !strcmp(result.device, "cpu"));
}

static const check_case cases[] = {
    {"equals brute force, leaves of any size", EACH(equals_brute_force, 1000, 300, 75, 15)},
    {"equals brute force with leaf sizes", EACH(equals_with_leaf_sizes, 2000000, 300, 75, 15)},
    {"leaf sizes in bounds keep the cost",
     EACH(leaf_sizes_in_bounds_keep_the_cost, 12000000, 60, 15, 3)},
    {"equals brute force with weights", EACH(equals_with_weights, 4000000, 300, 75, 15)},
    {"equals brute force where one word rounds",
     EACH(equals_where_one_word_rounds, 31000000, 400, 100, 20)},
    {"equals brute force with many columns", EACH(equals_with_many_columns, 13000000, 60, 15, 3)},
    {"equals brute force in blocks", EACH(equals_in_blocks, 5000000, 16, 4, 0)},
    {"equals brute force in any way", EACH(equals_in_any_way, 6000000, 24, 6, 1)},
    {"same course everywhere", EACH(same_course_everywhere, 7000000, 6, 6, 2)},
    {"words first", EACH(words_first_change_nothing, 7500000, 12, 3, 0)},
    {"tallies", EACH(tallies_change_nothing, 7800000, 24, 6, 1)},
    {"keeps to caps and gaps", EACH(keeps_to_caps, 8000000, 100, 25, 5)},
    {"begins with a tree", EACH(begins_with_a_tree, 9000000, 60, 15, 3)},
    {"stops with a bound", stops_with_a_bound},
    {"believes no wrong bound",
     EACH(believes_no_wrong_bound, 10000000, 150, 37, 7), bounds_were_seen},
    {"believes no wrong floor",
     EACH(believes_no_wrong_floor, 10002000, 600, 150, 30), bounds_were_seen},
    {"shift, negation and weights", EACH(shift_negation_and_weights, 11000000, 40, 10, 2)},
    {"costs of leaves", costs_of_leaves},
    {"splits in full", EACH(splits_in_full, 32000000, 20000, 5000, 1000)},
    {"rounded weights change no more than is said",
     EACH(rounded_weights_change_no_more_than_is_said, 18000000, 2000, 500, 100),
     weights_were_rounded},
    {"two words for many rows", EACH(two_words_for_many_rows, 14000000, 12, 12, 2)},
    {"says how near the grid is", says_how_near_the_grid_is},
    {"holds the largest sums", holds_the_largest_sums},
    {"rows without weight", EACH(rows_without_weight_decide_nothing, 15000000, 60, 15, 3)},
    {"tells what rounding hides", tells_what_rounding_hides},
    {"whole numbers lose nothing", EACH(whole_numbers_lose_nothing, 16000000, 400, 100, 20)},
    {"offsets take nothing", EACH(offsets_take_nothing, 17000000, 40, 10, 2)},
    {"refuses", refuses},
};

CHECK_MAIN(cases)
