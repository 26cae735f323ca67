/* Regression trees of columns of two or a few values, which are solved by sums over triples of
 * tests: the same answers as by the search over root splits and by brute force. */
#include "exact/kernels/kernels.h"
#include "instance_bounds.h"
#include "response_answer.h"
#include "solve.h"

/* Columns of two values or, in every third table, of up to six in some of them: noise, near
 * copies and complements of others, nearly constant ones; the response from a random tree, with
 * noise or without, of few values, many digits, far from 0. */
static response_table few_valued(rng *r, uint32_t n_rows, uint32_t n_cols)
{
    response_table t = response_new(n_rows, n_cols);
    uint32_t more = rng_below(r, 3) == 0;
    for (uint32_t col = 0; col < n_cols; col++) {
        double *x = table_column(&t.table, col),
               *like = table_column(&t.table, col ? rng_below(r, col) : 0);
        uint32_t kind = col ? rng_below(r, 6) : 0,
                 noise = rng_below(r, 3) ? rng_below(r, 20) : 0, ones = 1 + rng_below(r, 3);
        for (uint32_t i = 0; i < n_rows; i++) {
            x[i] = rng_below(r, 4) < ones;
            if (kind == 1 && rng_below(r, 100) >= noise) x[i] = like[i];
            if (kind == 2 && rng_below(r, 100) >= noise) x[i] = 1 - like[i];
            if (kind == 3) x[i] = rng_below(r, 12) == 0;
            if (kind > 3 && more) x[i] = rng_below(r, ones + 4);
        }
    }
    uint32_t kind = rng_below(r, 6), exact = rng_below(r, 4) == 0;
    const double *a = table_column(&t.table, rng_below(r, n_cols)),
                 *b = table_column(&t.table, rng_below(r, n_cols)),
                 *c = table_column(&t.table, rng_below(r, n_cols));
    for (uint32_t i = 0; i < n_rows; i++) {
        double u = exact ? 0 : rng_unit(r), tree = a[i] > 0 ? 2 + b[i] : c[i], y = tree + u;
        t.y[i] = kind == 0   ? floor(2 * y)
                 : kind == 1 ? floor(1000 * y) / 1000
                 : kind == 2 ? 1000 + y
                 : kind == 3 ? y / (1e-3 + u * u)
                 : kind == 4 ? rng_below(r, 3)
                             : y;
    }
    return t;
}

static ct_exact_options sum_options(rng *r, response_table *t)
{
    ct_exact_options o = ct_exact_options_default();
    o.depth = 2 + rng_below(r, 2);
    o.test_rows = 0;
    o.off = 0;
    if (rng_below(r, 2)) o.min_bucket = 1 + rng_below(r, 3);
    if (rng_below(r, 4) == 0) o.min_split = 2 + rng_below(r, 6);
    if (rng_below(r, 3) == 0) o.complexity = rng_unit(r) * rng_unit(r) * 0.2;
    o.any_size = o.complexity == 0 && rng_below(r, 3) == 0;
    if (rng_below(r, 8) == 0) {
        table_add_roots(&t->table, r);
        o.roots = t->table.roots;
    }
    return o;
}

/* How many tables of a case were deep, and were added up. */
enum { DEEP, ADDED };

static void quarter_of_the_deep_are_added_up(void)
{
    CHECK(check_state.tally[ADDED] > check_state.tally[DEEP] / 4);
}

static void half_are_added_up(void) { CHECK(check_state.tally[ADDED] > check_state.seeds / 2); }

static void equals_brute_force(rng *r, uint32_t i)
{
    response_table t = few_valued(r, 2 + rng_below(r, 14), 1 + rng_below(r, 6));
    if (i % 3 == 0) table_add_weights(&t.table, r);
    ct_exact_options options = sum_options(r, &t);
    if (i % 16 == 0) options.depth = 4;
    compare(&t, &options);
}

/* The cost, which must be proven; -1 after a failure. */
static double proven_cost(const ct_data *data, const ct_exact_options *options)
{
    ct_exact_result result;
    if (!solve(data, options, &result)) return -1;
    CHECK(result.end == CT_END_OPTIMAL && result.bound <= result.cost);
    return result.cost;
}

/* Which leaves rows are in. */
typedef struct {
    ct_exact_result result;
    uint32_t *leaf;
} answer;

static int answer_of(const response_table *t, const ct_exact_options *options, answer *a)
{
    a->leaf = (uint32_t *) keep_new(t->table.data.n_rows, sizeof *a->leaf);
    return solve_rows(&t->table.data, options, &a->result, a->leaf);
}

/* Whether leaves are numbered alike: trees that part the rows in the same way are. */
static int same_leaves(const response_table *t, const answer *a, const answer *b)
{
    return !memcmp(a->leaf, b->leaf, t->table.data.n_rows * sizeof *a->leaf);
}

/* Solves by sums and without; how many roots were added up. */
static uint64_t check_both_ways(const response_table *t, ct_exact_options options)
{
    answer by_sums, by_search;
    const ct_exact_result *added = &by_sums.result, *searched = &by_search.result;
    if (!answer_of(t, &options, &by_sums)) return 0;
    options.off |= UINT32_C(1) << CT_SHORTCUT_TRIPLES;
    if (!answer_of(t, &options, &by_search)) return 0;
    if (options.any_of_ties || options.max_gap > 0 || isfinite(options.max_cost)) {
        CHECK(added->bound <= searched->cost && searched->bound <= added->cost);
    } else {
        CHECK(added->end == CT_END_OPTIMAL && searched->end == CT_END_OPTIMAL);
        CHECK(added->cost == searched->cost && added->bound == searched->bound);
        CHECK((options.any_size && added->cost == 0) || /* that of looking ahead */
              (same_leaves(t, &by_sums, &by_search) &&
               same_tree(&added->tree, &searched->tree)));
    }
    CHECK_INT(searched->statistics.counted, 0);
    return added->statistics.counted;
}

static void equals_the_search(rng *r, uint32_t seed)
{
    response_table t = few_valued(r, 8 + rng_below(r, 200), 1 + rng_below(r, 12));
    if (seed % 4 == 0) table_add_weights(&t.table, r);
    for (uint32_t i = 0; seed % 6 == 0 && i < t.table.data.n_rows; i++)
        t.table.values[i] = rng_below(r, 3); /* sides may have columns of two values alone */
    ct_exact_options options = sum_options(r, &t);
    options.depth = 2 + rng_below(r, 3);
    if (rng_below(r, 3) == 0) options.min_bucket = 7;
    if (rng_below(r, 8) == 0) options.threads = 2, options.team_after = 0;
    if (rng_below(r, 8) == 0) options.any_of_ties = 1;
    if (rng_below(r, 8) == 0) options.max_cost = rng_unit(r) * t.table.data.n_rows;
    if (rng_below(r, 12) == 0) options.max_gap = rng_unit(r);
    for (int s = 0; s < CT_EXACT_N_SHORTCUTS && rng_below(r, 3) == 0; s++)
        if (rng_below(r, 3) == 0 && s != CT_SHORTCUT_TRIPLES) options.off |= UINT32_C(1) << s;
    check_state.tally[DEEP] += options.depth > 2 && !options.roots;
    check_state.tally[ADDED] += check_both_ways(&t, options) > 0;
}

/* More tests than a vector has lanes, and than a word has bits. */
static void many_tests(rng *r, uint32_t seed)
{
    response_table t = few_valued(r, 30 + rng_below(r, 150), 20 + rng_below(r, 80));
    if (seed % 4 == 0) table_add_weights(&t.table, r);
    ct_exact_options options = ct_exact_options_default();
    options.test_rows = 0;
    options.min_bucket = seed % 3 ? 7 : 1;
    check_state.tally[ADDED] += check_both_ways(&t, options) > 0;
}

/* Whether leaves may have a least size where rows are added up. */
static int has_two_values(const response_table *t)
{
    const ct_data *data = &t->table.data;
    for (size_t i = 0; i < (size_t) data->n_rows * data->n_cols; i++)
        if (t->table.values[i] != 0 && t->table.values[i] != 1) return 0;
    return 1;
}

/* More rows than 16 bits count, and sums that 32 bits do not hold, with all digits and with few. */
static void large_sums(rng *r, uint32_t i)
{
    static const uint32_t rows[] = {65535, 65536, 70001};
    response_table t = few_valued(r, rows[i % 3], 6);
    for (uint32_t row = 0; row < rows[i % 3]; row++) {
        if (i / 3 == 0) t.y[row] = rng_unit(r) + t.table.values[row];
        if (i / 3 == 1) t.y[row] = 2e6 * t.table.values[row] + rng_below(r, 1000000);
    }
    ct_exact_options options = ct_exact_options_default();
    options.min_bucket = i % 2 && has_two_values(&t) ? 7 : 1;
    CHECK(check_both_ways(&t, options) > 0);
}

/* The steps of the search are the same on all of them. */
static void instruction_sets_agree(rng *r, uint32_t seed)
{
    response_table t = few_valued(r, 30 + rng_below(r, 300), 4 + rng_below(r, 90));
    if (seed % 3 == 0) table_add_weights(&t.table, r);
    ct_exact_options options = ct_exact_options_default();
    answer first, other;
    options.test_rows = 0;
    if (seed % 2) options.min_bucket = 5;
    if (seed % 4 == 0) options.complexity = 0.02;
    options.any_size = seed % 4 == 1;
    REQUIRE(answer_of(&t, &options, &first));
    for (size_t i = 1; ct_kernels_at(i); i++) {
        options.simd = ct_kernels_at(i)->name;
        REQUIRE(answer_of(&t, &options, &other));
        CHECK(!memcmp(&first.result.statistics, &other.result.statistics,
                      sizeof first.result.statistics));
        CHECK(first.result.cost == other.result.cost && same_leaves(&t, &first, &other));
        for (uint32_t col = 0; col < t.table.data.n_cols; col++)
            CHECK(first.result.root_bounds[col] == other.result.root_bounds[col]);
    }
}

/* The bounds of all roots, against trees that have to have that root; also of roots that were not
 * added up again, as none is below the cap. */
static void root_bounds_hold(rng *r, uint32_t seed)
{
    response_table t = few_valued(r, 20 + rng_below(r, 100), 6);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 2 + seed % 2;
    options.min_bucket = 1 + rng_below(r, 5);
    options.test_rows = 0;
    for (int capped = 0; capped < 2; capped++) {
        REQUIRE(solve(&t.table.data, &options, &result));
        check_root_bounds(&t.table.data, &options, &result, proven_cost);
        options.max_cost = result.cost * 0.9;
    }
}

/* Stopped after any number of roots, and with any amount of memory. */
static void stopped_searches_have_valid_bounds(void)
{
    rng r = {26000000};
    response_table t = few_valued(&r, 300, 20);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    int stopped = 0;
    double costs[2];
    for (unsigned i = 0; i < 2; i++) {
        options.depth = 3 + i;
        costs[i] = proven_cost(&t.table.data, &options);
    }
    for (int polls = 0; polls < 60; polls++) {
        options.depth = 3 + (unsigned) polls % 2;
        REQUIRE(solve_stopped(&t.table.data, options, polls, 1, &result));
        double cost = costs[polls % 2];
        CHECK(result.bound <= cost && cost <= result.cost);
        stopped += result.end == CT_END_INTERRUPT;
    }
    CHECK(stopped > 10);
    options = ct_exact_options_default();
    for (size_t limit = 20000; limit < 1500000; limit += limit / 6) {
        options.memory_limit = limit;
        if (solve_if_enough(&t.table.data, &options, &result))
            CHECK(result.bound <= costs[0] && costs[0] <= result.cost);
    }
}

/* Every lower bound that a search believes. */
static void believes_no_wrong_bound(rng *r, uint32_t i)
{
    response_table t = few_valued(r, 5 + rng_below(r, BOUND_ROWS - 4), 1 + rng_below(r, 5));
    if (i % 3 == 0) table_add_weights(&t.table, r);
    ct_exact_options options = sum_options(r, &t);
    if (i % 2) options.depth = 4;
    CHECK(bounds_hold(&t.table, &options));
}

static void bounds_were_seen(void) { CHECK(bounds_state.seen > 0); }

static const check_case cases[] = {
    {"equals brute force", EACH(equals_brute_force, 20000000, 6000, 400, 40)},
    {"equals the search",
     EACH(equals_the_search, 21000000, 1500, 60, 10), quarter_of_the_deep_are_added_up},
    {"many tests", EACH(many_tests, 22000000, 40, 4, 1), half_are_added_up},
    {"large sums", EACH(large_sums, 23000000, 9, 4, 1)},
    {"instruction sets agree", EACH(instruction_sets_agree, 24000000, 75, 6, 3)},
    {"root bounds hold", EACH(root_bounds_hold, 25000000, 150, 15, 3)},
    {"stopped searches have valid bounds", stopped_searches_have_valid_bounds},
    {"believes no wrong bound",
     EACH(believes_no_wrong_bound, 27000000, 1500, 150, 20), bounds_were_seen},
};

CHECK_MAIN(cases)
