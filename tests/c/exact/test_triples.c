/* Tables whose columns have few values, which are solved by counts of triples of tests: the same
 * answers as by the search over root splits and by brute force. */
#include "../certify/claims.h"
#include "brute.h"
#include "exact/kernels/kernels.h"

/* Columns of two to six values: noise, near copies and complements of others, nearly constant ones;
 * classes from a random tree with noise. */
static random_table few_valued(rng *r, uint32_t n_rows, uint32_t n_cols, uint32_t n_classes)
{
    random_table t = table_new(n_rows, n_cols, n_classes);
    for (uint32_t col = 0; col < n_cols; col++) {
        double *x = table_column(&t, col), *like = table_column(&t, col ? rng_below(r, col) : 0);
        uint32_t kind = col ? rng_below(r, 6) : 0,
                 values = rng_below(r, 3) ? 2 : 2 + rng_below(r, 5),
                 noise = rng_below(r, 3) ? rng_below(r, 20) : 0;
        for (uint32_t i = 0; i < n_rows; i++) {
            x[i] = rng_below(r, values);
            if (kind == 1 && rng_below(r, 100) >= noise) x[i] = like[i];
            if (kind == 2 && rng_below(r, 100) >= noise) x[i] = 1 - like[i];
            if (kind == 3) x[i] = rng_below(r, 12) == 0;
        }
    }
    uint32_t noise = rng_below(r, 3) ? rng_below(r, 60) : 100;
    uint32_t a = rng_below(r, n_cols), b = rng_below(r, n_cols), c = rng_below(r, n_cols);
    for (uint32_t i = 0; i < n_rows; i++) {
        double *at = t.values + i;
        uint32_t leaf = (at[a * n_rows] > 0 ? 1U : 0) + (at[b * n_rows] > 0 ? 2 : 0) +
                        (at[c * n_rows] > 0 ? 4 : 0);
        t.classes[i] = (int32_t) (rng_below(r, 100) < noise ? rng_below(r, n_classes)
                                                            : leaf * 5 / 2 % n_classes);
    }
    return t;
}

static ct_exact_options few_options(rng *r, const random_table *t)
{
    ct_exact_options o = ct_exact_options_default();
    o.depth = 2 + rng_below(r, 4);
    o.test_rows = 0;
    if (rng_below(r, 3) == 0) o.complexity = rng_below(r, 24) / 8.0 / t->data.n_rows;
    if (rng_below(r, 9) == 0) o.complexity = rng_unit(r) * rng_unit(r) * 0.1;
    if (o.complexity == 0 && rng_below(r, 4) == 0) o.any_size = 1;
    if (rng_below(r, 8) == 0) o.max_cost = rng_unit(r) * 0.4 * t->data.n_rows;
    if (rng_below(r, 12) == 0) o.max_gap = rng_unit(r) * 0.1 * t->data.n_rows;
    if (rng_below(r, 6) == 0) o.min_bucket = 1 + rng_below(r, 2 + t->data.n_rows / 6);
    if (rng_below(r, 12) == 0) o.min_split = rng_below(r, 4 + t->data.n_rows / 3);
    if (rng_below(r, 8) == 0) o.threads = 2, o.team_after = 0;
    if (rng_below(r, 8) == 0) o.any_of_ties = 1;
    if (rng_below(r, 8) == 0) o.max_thresholds = 1 + rng_below(r, 3);
    for (int s = 0; s < CT_EXACT_N_SHORTCUTS && rng_below(r, 3) == 0; s++)
        if (rng_below(r, 3) == 0 && s != CT_SHORTCUT_TRIPLES) o.off |= UINT32_C(1) << s;
    return o;
}

/* Solves by counts and without. Returns how many roots were counted. */
static uint64_t check_both_ways(const random_table *t, ct_exact_options options)
{
    ct_exact_result counted, searched;
    if (!solve(&t->data, &options, &counted)) return 0;
    options.off |= UINT32_C(1) << CT_SHORTCUT_TRIPLES;
    if (!solve(&t->data, &options, &searched)) return 0;
    int any = options.any_of_ties || options.max_gap > 0;
    if (any || isfinite(options.max_cost)) {
        CHECK(counted.bound <= searched.cost && searched.bound <= counted.cost);
    } else {
        CHECK(counted.end == CT_END_OPTIMAL && searched.end == CT_END_OPTIMAL);
        CHECK(counted.cost == searched.cost && counted.bound == searched.bound);
        CHECK((options.any_size && counted.cost == 0) || /* that of looking ahead */
              same_tree(&counted.tree, &searched.tree));
    }
    for (uint32_t f = 0; !any && f < t->data.n_cols; f++)
        CHECK(counted.root_bounds[f] >= counted.bound);
    CHECK_INT(searched.statistics.counted, 0);
    return counted.statistics.counted;
}

/* How many tables of a case were deep, and were counted. */
enum { DEEP, COUNTED };

static void half_of_the_deep_are_counted(void)
{
    CHECK(check_state.tally[COUNTED] > check_state.tally[DEEP] / 2);
}

static void half_are_counted(void)
{
    CHECK(check_state.tally[COUNTED] > check_state.seeds / 2);
}

static void equals_the_search(rng *r, uint32_t seed)
{
    uint32_t n_rows = rng_below(r, 4) ? 8 + rng_below(r, 120) : 240 + rng_below(r, 40);
    random_table t = few_valued(r, n_rows, 1 + rng_below(r, 9), 2 + rng_below(r, 4));
    ct_exact_options options = few_options(r, &t);
    check_state.tally[COUNTED] += check_both_ways(&t, options) > 0;
    check_state.tally[DEEP] += options.depth > 2;
}

/* Also which of equally good trees it is, and without sharing anything with the library. */
static void equals_brute_force(rng *r, uint32_t seed)
{
    static brute b;
    random_table t = few_valued(r, 2 + rng_below(r, 14), 1 + rng_below(r, 5), 2 + rng_below(r, 3));
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 2 + seed % 3;
    options.test_rows = 0;
    if (seed % 2) options.complexity = rng_below(r, 16) / 8.0 / t.data.n_rows;
    options.any_size = seed % 4 == 0;
    if (seed % 5 < 2) options.min_bucket = 1 + rng_below(r, 5);
    if (seed % 7 < 2) options.min_split = rng_below(r, 12);
    double expected = brute_optimum(&b, &t.data, &options);
    brute_value best;
    uint32_t left = 0, all = brute_all(&b);
    int32_t root = brute_choice(&b, all, options.depth, NULL, &best, &left);
    REQUIRE(solve(&t.data, &options, &result));
    int ahead = options.any_size && expected == 0;
    CHECK_NEAR(result.cost, expected, 1e-6);
    CHECK(ahead || result.tree.feature[0] == root);
    for (uint32_t i = 0; root >= 0 && !ahead && i < t.data.n_rows; i++)
        CHECK_INT(table_column(&t, (uint32_t) root)[i] < result.tree.threshold[0],
                  left >> i & 1);
}

/* More tests than a vector has lanes, many of them equal: what is beyond the last must count
 * nothing. */
static void many_tests(rng *r, uint32_t seed)
{
    uint32_t n_cols = 25 + rng_below(r, 45), n_rows = 20 + rng_below(r, 100);
    random_table t = few_valued(r, n_rows, n_cols, 2 + rng_below(r, 3));
    for (uint32_t col = 1; col < n_cols; col++)
        for (uint32_t i = 0; i < n_rows && seed % 3; i++)
            table_column(&t, col)[i] = floor(table_column(&t, col)[i] / 3) +
                                       (i + col) % (2 + col % 3);
    ct_exact_options options = ct_exact_options_default();
    options.test_rows = 0;
    if (seed % 4 == 0) options.complexity = 0.01;
    CHECK(check_both_ways(&t, options) > 0);
}

/* Rows at the limits of lanes of 8 and of 16 bits, with a class that has nearly all of them, and
 * roots that most rows are in or few. */
static void rows_at_the_limits_of_lanes(void)
{
    static const uint32_t rows[] = {254,   255,   256,   257,   510,  511,
                                    32766, 32767, 32768, 65536, 70001};
    uint32_t n = CHECK_SLOW() ? 5 : sizeof rows / sizeof *rows, few = check_seeds(60, 10, 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t seed = 0; seed < (rows[i] < 1000 ? few : 2); seed++) {
            rng r = {100 * i + seed + 930000};
            random_table t = few_valued(&r, rows[i], 4 + rng_below(&r, 4), 2 + rng_below(&r, 3));
            for (uint32_t row = 0; row < rows[i] && seed % 2; row++)
                if (rng_below(&r, 50)) t.classes[row] = 0;
            ct_exact_options options = ct_exact_options_default();
            if ((i + seed) % 3 == 0) options.depth = 2;
            check_state.tally[DEEP] += options.depth > 2;
            check_state.tally[COUNTED] += check_both_ways(&t, options) > 0;
        }
    half_of_the_deep_are_counted();
}

/* The best tree is a leaf, or has fewer levels than it may: prices from nothing to more than any
 * split saves. */
static void small_trees(rng *r, uint32_t seed)
{
    random_table t = few_valued(r, 30 + rng_below(r, 60), 5, 2 + rng_below(r, 3));
    for (uint32_t i = 0; i < t.data.n_rows; i++)
        if (seed % 5 == 0) t.classes[i] = i == 0;
    ct_exact_options options = ct_exact_options_default();
    options.test_rows = 0;
    options.depth = 2 + seed % 3;
    for (int price = 0; price < 6; price++) {
        options.complexity = ldexp(rng_unit(r), -price);
        check_both_ways(&t, options);
    }
}

/* The steps of the search are the same on all of them. */
static void instruction_sets_agree(rng *r, uint32_t seed)
{
    uint32_t n_rows = seed % 3 ? 30 + rng_below(r, 400) : 252 + rng_below(r, 6);
    random_table t = few_valued(r, n_rows, 4 + rng_below(r, 40), 2 + rng_below(r, 4));
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result first, other;
    options.test_rows = 0;
    if (seed % 4 == 0) options.complexity = 0.02;
    options.any_size = seed % 4 == 1;
    REQUIRE(solve(&t.data, &options, &first));
    check_state.tally[COUNTED] += first.statistics.counted > 0;
    for (size_t i = 1; ct_kernels_at(i); i++) {
        options.simd = ct_kernels_at(i)->name;
        REQUIRE(solve(&t.data, &options, &other));
        CHECK(!memcmp(&first.statistics, &other.statistics, sizeof first.statistics));
        CHECK(first.cost == other.cost && same_tree(&first.tree, &other.tree));
    }
}

/* The bounds of all roots, against trees that have to have that root; also of roots that were not
 * counted, as none is below the cap. */
static void root_bounds_hold(rng *r, uint32_t seed)
{
    random_table t = few_valued(r, 20 + rng_below(r, 100), 6, 2 + rng_below(r, 4));
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.depth = 2 + seed % 2;
    options.test_rows = 0;
    for (int capped = 0; capped < 2; capped++) {
        REQUIRE(solve(&t.data, &options, &result));
        check_root_bounds(&t.data, &options, &result, solved_cost);
        options.max_cost = result.cost - 1;
        if (options.max_cost < 0) break;
    }
}

/* Stopped after any number of roots, and with any amount of memory. */
static void stopped_searches_have_valid_bounds(void)
{
    rng r = {970000};
    random_table t = few_valued(&r, 300, 20, 3);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_exact_result result;
    int stopped = 0;
    for (int polls = 0; polls < 60; polls++) {
        options.depth = 3 + (unsigned) polls % 2;
        REQUIRE(solve_stopped(&t.data, options, polls, 1, &result));
        if (options.depth == 3) CHECK(result.bound <= cost && cost <= result.cost);
        stopped += result.end == CT_END_INTERRUPT;
        for (uint32_t col = 0; col < t.data.n_cols; col++)
            CHECK(result.root_bounds[col] >= result.bound || result.end != CT_END_OPTIMAL);
    }
    CHECK(stopped > 10);
    options = ct_exact_options_default();
    for (size_t limit = 20000; limit < 1500000; limit += limit / 6) {
        options.memory_limit = limit;
        if (solve_if_enough(&t.data, &options, &result))
            CHECK(result.bound <= cost && cost <= result.cost);
    }
}

/* What was found by counts is proven by a search that writes evidence, for a checker that knows
 * neither. */
static void certificates_are_proven(rng *r, uint32_t seed)
{
    random_table t = few_valued(r, 20 + rng_below(r, 60), 2 + rng_below(r, 4), 2 + rng_below(r, 3));
    ct_exact_options options = ct_exact_options_default();
    options.test_rows = 0;
    options.depth = 2 + seed % 3;
    if (seed % 2) options.complexity = 0.01;
    options.any_size = seed % 4 == 0;
    double cost = solved_cost(&t.data, &options);
    ct_certify_claim claim = claim_of(&options, NULL);
    ct_bytes bytes = certificate_below(&t.data, &options, cost, NULL);
    CHECK_NEAR(check_claim(&t.data, &claim, bytes.bytes, bytes.n).bound, cost, 1e-9);
}

/* Classes from a tree of three or four levels. */
static random_table without_errors(rng *r)
{
    random_table t = few_valued(r, 100 + rng_below(r, 300), 5 + rng_below(r, 4),
                                2 + rng_below(r, 2));
    uint32_t split[15], n_cols = t.data.n_cols, two_values = rng_below(r, 2),
             n = rng_below(r, 3) ? 7 : 15;
    for (int i = 0; i < 15; i++) split[i] = rng_below(r, n_cols);
    uint32_t classes = rng_below(r, 1 << 16);
    for (uint32_t i = 0; i < t.data.n_rows; i++) {
        for (uint32_t col = 0; two_values && col < n_cols; col++)
            table_column(&t, col)[i] = table_column(&t, col)[i] > 0;
        uint32_t at = 0;
        while (at < n) at = 2 * at + 1 + (table_column(&t, split[at])[i] > 0);
        t.classes[i] = classes >> (at - n) & 1;
    }
    return t;
}

/* The first column may be split below 1 and below 2, and hardly any row says which it is. */
static void make_lowest_rare(random_table *t)
{
    for (uint32_t i = 0; i < t->data.n_rows; i++) {
        double *first = table_column(t, 0) + i, *second = table_column(t, 1) + i;
        *first = i % 97 == 50 ? 1 : i % 2 * 2;
        *second = *first == 1 || i % 3 == 0;
        t->classes[i] = *first == 2 || *second > 0;
    }
}

/* Smallest trees without errors, of some rows and of all of them. */
static void some_rows_are_enough(rng *r, uint32_t seed)
{
    random_table t = without_errors(r);
    if (seed % 8 == 0) make_lowest_rare(&t);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result some, all, one;
    options.depth = 4 + seed % 2;
    options.test_rows = 0;
    options.some_rows = 8 + rng_below(r, 24);
    options.threads = 1 + seed / 2 % 2;
    REQUIRE(solve(&t.data, &options, &some));
    options.off = UINT32_C(1) << CT_SHORTCUT_SOME_ROWS;
    REQUIRE(solve(&t.data, &options, &all));
    CHECK(some.end == CT_END_OPTIMAL && some.cost == all.cost && some.bound == all.bound);
    CHECK(same_tree(&some.tree, &all.tree));
    uint32_t f = rng_below(r, t.data.n_cols);
    uint8_t roots[16] = {0};
    roots[f] = 1;
    options.roots = roots;
    REQUIRE(solve(&t.data, &options, &one));
    CHECK(some.root_bounds[f] <= one.cost);
    check_state.tally[COUNTED] += some.statistics.some_rows > 0;
}

static const check_case cases[] = {
    {"equals the search",
     EACH(equals_the_search, 900000, 1200, 100, 20), half_of_the_deep_are_counted},
    {"equals brute force", EACH(equals_brute_force, 910000, 3000, 200, 20)},
    {"many tests", EACH(many_tests, 920000, 60, 6, 1)},
    {"rows at the limits of lanes", rows_at_the_limits_of_lanes},
    {"small trees", EACH(small_trees, 940000, 300, 30, 5)},
    {"instruction sets agree", EACH(instruction_sets_agree, 950000, 200, 20, 3), half_are_counted},
    {"root bounds hold", EACH(root_bounds_hold, 960000, 150, 10, 3)},
    {"stopped searches have valid bounds", stopped_searches_have_valid_bounds},
    {"certificates are proven", EACH(certificates_are_proven, 980000, 200, 20, 2)},
    {"some rows are enough", EACH(some_rows_are_enough, 970000, 600, 100, 10), half_are_counted},
};

CHECK_MAIN(cases)
