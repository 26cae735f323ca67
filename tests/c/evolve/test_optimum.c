/* Model trees that are optimal over bins: against all tests tried one by one, each leaf a model of
 * its rows by QR. */
#include "evolve/optimum.h"
#include "evolve_data.h"

enum { ALL = 64 }; /* rows at most */

/* ---- second opinion ---- */

typedef struct {
    const evolve_data *d;
    const ct_model_table *table;
    double lambda;       /* of the response as it is */
    uint32_t minbucket, min_n;
} problem;

static double leaf_cost(const problem *p, const uint8_t *in)
{
    uint32_t n = 0;
    double terms;
    for (uint32_t row = 0; row < p->d->data.n_rows; row++) n += in[row] != 0;
    if (n < p->minbucket) return INFINITY;
    double sse = plain_sse(&p->d->data, in, &terms);
    return sse + p->lambda * terms;
}

/* Tests at the edges of bins, by number; 0 past the last one. */
static int test_of(const problem *p, uint32_t number, ct_gmt_test *test)
{
    memset(test, 0, sizeof *test);
    test->missing_left = number & 1;
    number /= 2;
    for (uint32_t s = 0; s < p->table->n_splitters; s++) {
        const ct_splitter *splitter = &p->table->splitters[s];
        uint32_t n = splitter->n_levels ? 1u << splitter->n_levels : splitter->n_bins;
        test->splitter = (int32_t) s;
        if (number < n && splitter->n_levels) test->levels[0] = number;
        else if (number < n) test->cut = splitter->first_rank[number + 1];
        if (number < n) return 1;
        number -= n;
    }
    return 0;
}

static double best_tree(const problem *p, const uint8_t *in, uint32_t depth)
{
    const uint32_t n_rows = p->d->data.n_rows;
    double best = leaf_cost(p, in);
    ct_gmt_test test;
    uint32_t here = 0;
    for (uint32_t row = 0; row < n_rows; row++) here += in[row] != 0;
    if (here < p->min_n) return best;
    for (uint32_t number = 0; depth && test_of(p, number, &test); number++) {
        uint8_t side[2][ALL];
        uint32_t n[2] = {0, 0};
        for (uint32_t row = 0; row < n_rows; row++) {
            int left = ct_gmt_goes_left(p->table, &test, row) != 0;
            side[0][row] = in[row] && left;
            side[1][row] = in[row] && !left;
            n[0] += side[0][row], n[1] += side[1][row];
        }
        if (!n[0] || !n[1] || n[0] < p->minbucket || n[1] < p->minbucket) continue;
        double cost = p->lambda + best_tree(p, side[0], depth - 1);
        if (cost < best) cost += best_tree(p, side[1], depth - 1);
        if (cost < best) best = cost;
    }
    return best;
}

/* What the tree costs, with its tests as they are told. */
static double cost_of_tests(const problem *p, const ct_gmt_test *tests, uint32_t n_tests,
                            uint32_t at, const uint8_t *in)
{
    uint8_t side[2][ALL];
    if (at >= n_tests || tests[at].splitter < 0) return leaf_cost(p, in);
    for (uint32_t row = 0; row < p->d->data.n_rows; row++) {
        int left = ct_gmt_goes_left(p->table, &tests[at], row) != 0;
        side[0][row] = in[row] && left;
        side[1][row] = in[row] && !left;
    }
    return p->lambda + cost_of_tests(p, tests, n_tests, 2 * at + 1, side[0]) +
           cost_of_tests(p, tests, n_tests, 2 * at + 2, side[1]);
}

/* ---- cases ---- */

typedef enum { PLAIN, WEIGHTED, CONSTANTS } models; /* the last: no regressors */

typedef struct {
    uint32_t n, q, values, levels, holes, bins, minbucket;
    models leaves;
    double price;
} shape;

static int open_problem(problem *p, ct_model_table *table, const shape *s, uint32_t seed)
{
    evolve_data *d = new_data(seed, s->n, s->q, s->values, s->levels, s->holes);
    if (s->leaves == WEIGHTED) d->data.weights = d->weights;
    if (s->leaves == CONSTANTS) d->data.n_regressors = 0;
    if (!open_table(d, s->bins, table)) return 0;
    *p = (problem){d, table, s->price * table->unit, s->minbucket, seed % 2 ? s->n / 3 : 0};
    return 1;
}

static ct_optimum_options options_of(const shape *s, uint32_t min_n, uint32_t depth)
{
    return (ct_optimum_options){depth, s->minbucket, min_n, s->price, INFINITY, 0, 1, NULL};
}

static ct_status search(const ct_model_table *table, const ct_optimum_options *o,
                        ct_optimum *optimum)
{
    return ct_gmt_optimum_search(table, ct_gram_at(CT_SIMD_SCALAR), o, optimum, &reason);
}

static const shape shapes[] = {
    {40, 2, 0, 0, 0, 6, 3, PLAIN, 0.3},     {36, 1, 0, 0, 0, 9, 2, WEIGHTED, 0.1},
    {40, 3, 4, 0, 0, 5, 4, PLAIN, 0.2},     {44, 2, 0, 0, 2, 5, 3, PLAIN, 0.1},
    {40, 1, 0, 4, 0, 5, 3, WEIGHTED, 0},    {48, 2, 0, 3, 3, 4, 2, WEIGHTED, 0.05},
    {30, 1, 0, 3, 0, 7, 9, PLAIN, 0},       {50, 2, 3, 0, 4, 4, 5, CONSTANTS, 0.02},
    {12, 2, 0, 0, 0, 3, 7, PLAIN, 0},       {60, 1, 0, 0, 5, 8, 2, PLAIN, 0.05},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void check_depth_two(const shape *s, uint32_t seed)
{
    problem p;
    ct_model_table table;
    ct_depth_two answer;
    int done;
    uint8_t in[ALL];
    uint32_t rows[ALL], n = 0;
    ct_rng rng = ct_rng_of(seed, 17, 0);
    REQUIRE(open_problem(&p, &table, s, seed));
    ct_pairs *pairs = ct_gmt_pairs_new(&table, ct_gram_at(CT_SIMD_SCALAR), 1,
                                       seed % 2 ? 0 : 1 << 20);
    REQUIRE(pairs);
    for (int round = 0; round < 2; round++) {
        /* all rows, then some of them */
        n = 0;
        for (uint32_t row = 0; row < s->n; row++) {
            in[row] = !round || ct_rng_below(&rng, 4) > 0;
            if (in[row]) rows[n++] = row;
        }
        double tie = 1e-9 * table.unit * table.total;
        ct_gmt_depth_two_solve(pairs, rows, n, s->price, s->minbucket, p.min_n, NULL, &answer,
                               &done);
        CHECK(done);
        double expected = best_tree(&p, in, 2);
        if (isinf(expected)) CHECK(isinf(answer.cost));
        else {
            CHECK(fabs(table.unit * answer.cost - expected) <= tie);
            CHECK(fabs(cost_of_tests(&p, answer.tests, 3, 0, in) - expected) <= tie);
        }
        const uint32_t min_n = p.min_n;
        p.minbucket = p.min_n = 0;
        CHECK(fabs(table.unit * answer.bound - best_tree(&p, in, 2)) <= tie);
        p.minbucket = s->minbucket;
        p.min_n = min_n;
    }
    ct_gmt_pairs_free(pairs);
}

static void depth_two_equals_brute(void)
{
    for (uint32_t i = 0; i < (CHECK_QUICK() ? 4 : 2 * N_SHAPES); i++)
        check_depth_two(&shapes[i % N_SHAPES], i);
}

static void check_depth_three(const shape *s, uint32_t seed)
{
    problem p;
    ct_model_table table;
    ct_optimum found;
    uint8_t in[ALL];
    memset(in, 1, sizeof in);
    REQUIRE(open_problem(&p, &table, s, seed));
    double expected = best_tree(&p, in, 3), tie = 3e-9 * table.unit * table.total;
    for (uint32_t run = 0; run < 16; run++) {
        ct_optimum_options o = options_of(s, p.min_n, 3);
        o.without = run % 8;
        /* little is left to be found where a tree is known that is nearly as good */
        if (run >= 8) o.known = expected / table.unit + 1e-6 * table.total;
        REQUIRE_OK(search(&table, &o, &found));
        CHECK(found.complete && found.better);
        CHECK(fabs(table.unit * found.cost - expected) <= tie);
        CHECK(fabs(table.unit * found.bound - expected) <= tie);
        CHECK(fabs(cost_of_tests(&p, found.tests, 7, 0, in) - expected) <= tie);
    }
}

static void depth_three_equals_brute(void)
{
    static const shape small[] = {
        {60, 1, 0, 0, 0, 9, 2, CONSTANTS, 0.3}, {64, 2, 0, 0, 0, 5, 3, CONSTANTS, 0.1},
        {40, 1, 0, 0, 0, 7, 3, PLAIN, 0.05},    {36, 2, 0, 0, 0, 4, 2, WEIGHTED, 0},
        {44, 1, 0, 3, 0, 4, 3, PLAIN, 0.02},    {40, 2, 0, 0, 3, 3, 2, WEIGHTED, 0},
        {64, 1, 0, 0, 0, 8, 6, CONSTANTS, 0},   {64, 1, 0, 0, 2, 8, 2, CONSTANTS, 0.01},
    };
    for (uint32_t i = 0; i < (CHECK_QUICK() ? 2 : 8); i++) check_depth_three(&small[i], 40 + i);
}

/* Two sides of one threshold, each with four constants over the other column, told by the best tree
 * alone: bounds that are a little too strong lose it. It is first looked for below or above other
 * thresholds, and inside of what is taken together as the middle (16 bins). */
static void one_threshold_is_found(void)
{
    static const double levels[2][8] = {{0, 0, 1, 1, 5, 5, 2, 2}, {3, -2, -2, 0, 0, 7, 7, 7}};
    for (uint32_t bins = 8; bins <= 16; bins += 8)
        for (uint32_t half = 0; half < 2; half++) {
            evolve_data *d = new_data(3, 128, 2, 0, 0, 0);
            ct_model_table table;
            ct_optimum found, all;
            ct_optimum_options o = {3, 1, 0, half ? 0.5 : 0.01, INFINITY, 7, 1, NULL};
            const uint32_t cut = 128 / bins * (bins / 2 + 1);
            d->data.n_regressors = 0;
            for (uint32_t row = 0; row < 128; row++) {
                d->x[0][row] = row;
                d->x[1][row] = row % 8;
                d->y[row] = levels[row >= cut][row % 8] + 0.01 * d->weights[row];
            }
            REQUIRE(open_table(d, bins, &table));
            REQUIRE_OK(search(&table, &o, &all));
            CHECK_INT(all.tests[0].splitter, 0);
            CHECK_INT(all.tests[0].cut, cut);
            o.known = 1.001 * all.cost;
            o.without = 0;
            REQUIRE_OK(search(&table, &o, &found));
            CHECK(found.better && found.cost == all.cost);
            CHECK_INT(found.tests[0].cut, cut);
        }
}

/* Four constants over one column, the rows without a value like those of the least. */
static void missing_rows_go_down_on_the_left(void)
{
    evolve_data *d = new_data(3, 80, 1, 0, 0, 0);
    ct_model_table table;
    ct_depth_two answer;
    uint32_t rows[80];
    int done;
    d->data.n_regressors = 0;
    for (uint32_t row = 0; row < 80; row++) {
        d->x[0][row] = row;
        if (row % 10 == 0) d->x[0][row] = NAN;
        d->y[row] = (row % 10 ? row / 20 * 2.0 : 0) + 0.01 * d->weights[row];
        rows[row] = row;
    }
    REQUIRE(open_table(d, 16, &table));
    ct_pairs *pairs = ct_gmt_pairs_new(&table, ct_gram_at(CT_SIMD_SCALAR), 1, 1 << 20);
    REQUIRE(pairs);
    ct_gmt_depth_two_solve(pairs, rows, 80, 0, 1, 0, NULL, &answer, &done);
    CHECK(done && answer.cost < 0.001 * table.total);
    CHECK(answer.tests[0].missing_left && answer.tests[1].missing_left);
    ct_gmt_pairs_free(pairs);
}

static int same_optimum(const ct_optimum *a, const ct_optimum *b)
{
    return a->cost == b->cost && a->bound == b->bound && a->better == b->better &&
           a->complete == b->complete && !memcmp(a->tests, b->tests, sizeof a->tests) &&
           a->solved == b->solved && a->touched == b->touched;
}

/* To the last bit, and in as many steps. */
static void same_on_all_machines(void)
{
    const shape s = {300, 3, 0, 3, 1, CHECK_QUICK() ? 6 : 12, 6, PLAIN, 0.2};
    problem p;
    ct_model_table table;
    ct_optimum first, again;
    ct_optimum_options o = options_of(&s, 0, 3);
    REQUIRE(open_problem(&p, &table, &s, 3));
    REQUIRE_OK(search(&table, &o, &first));
    CHECK(first.better && first.complete && first.solved < 80);
    for (int level = 0; level < CT_N_SIMD; level++) {
        if (!ct_cpu_has((ct_simd) level)) continue;
        o.threads = 1 + (unsigned) level % 3;
        REQUIRE_OK(ct_gmt_optimum_search(&table, ct_gram_at((ct_simd) level), &o, &again, &reason));
        CHECK(same_optimum(&first, &again));
    }
}

/* Each rule saves work; a tree that is known is kept if it is as good. */
static void rules_save_work(void)
{
    static const shape s = {600, 2, 0, 0, 0, 16, 6, CONSTANTS, 0.01};
    problem p;
    ct_model_table table;
    ct_optimum found, less;
    ct_optimum_options o = options_of(&s, 0, 3);
    REQUIRE(open_problem(&p, &table, &s, 4));
    REQUIRE_OK(search(&table, &o, &found));
    for (uint32_t rule = CT_OPTIMUM_SIDES; rule <= CT_OPTIMUM_KNOWN; rule *= 2) {
        o.without = rule;
        REQUIRE_OK(search(&table, &o, &less));
        CHECK(less.cost == found.cost);
        CHECK(less.touched > found.touched);
    }
    o.without = 0;
    o.known = found.cost;
    REQUIRE_OK(search(&table, &o, &less));
    CHECK(!less.better && less.complete && less.cost == found.cost);
    CHECK(less.bound <= found.cost && less.bound >= found.cost * (1 - 1e-8));
    /* one that is better than all over bins is the best, too */
    o.known = found.cost / 2;
    REQUIRE_OK(search(&table, &o, &less));
    CHECK(!less.better && less.complete && less.bound <= o.known);
}

/* Rows twice are rows of twice the weight. */
static void rows_twice_weigh_twice(void)
{
    evolve_data *d = new_data(5, 200, 2, 0, 0, 0), *twice = new_data(5, 400, 2, 0, 0, 0);
    ct_model_table table[2];
    ct_optimum found[2];
    for (uint32_t row = 0; row < 400; row++) {
        for (int k = 0; k < 2; k++) twice->x[k][row] = d->x[k][row % 200];
        twice->y[row] = d->y[row % 200];
        d->weights[row] = 2;
    }
    d->data.weights = d->weights;
    for (uint32_t i = 0; i < 2; i++) {
        ct_optimum_options o = {3, 6 * (i + 1), 0, 0.5, INFINITY, 0, 1, NULL};
        REQUIRE(open_table(i ? twice : d, 10, &table[i]));
        REQUIRE_OK(search(&table[i], &o, &found[i]));
    }
    CHECK(fabs(found[0].cost - found[1].cost) <= 1e-9 * found[0].cost);
    for (int i = 0; i < CT_OPTIMUM_TESTS; i++) {
        CHECK_INT(found[0].tests[i].splitter, found[1].tests[i].splitter);
        CHECK_INT(found[0].tests[i].cut, found[1].tests[i].cut);
    }
}

/* Kernels that count calls, and stop a search at one of them. */
static struct {
    int64_t calls, last;
    ct_halt *halt;
} counted;

static void counted_pivots(double *s, uint32_t p, double *sse, double *terms)
{
    ct_gram_at(CT_SIMD_SCALAR)->pivots(s, p, sse, terms);
    if (++counted.calls == counted.last) ct_halt_set(counted.halt);
}

/* Whenever it is stopped, no tree costs less than the bound. */
static void stopped_bounds_hold(void)
{
    const shape s = {2000, 3, 0, 0, 0, CHECK_QUICK() ? 12 : 36, 6, PLAIN, 0.01};
    problem p;
    ct_model_table table;
    ct_optimum optimum, subset;
    ct_halt never = {NULL, NULL, 0, 1};
    ct_optimum_options o = options_of(&s, 0, 3);
    ct_gram_kernels kernels = *ct_gram_at(CT_SIMD_SCALAR);
    kernels.pivots = counted_pivots;
    counted.calls = counted.last = 0;
    REQUIRE(open_problem(&p, &table, &s, 6));
    REQUIRE_OK(ct_gmt_optimum_search(&table, &kernels, &o, &optimum, &reason));
    const int64_t n_calls = counted.calls;
    o.halt = &never;
    REQUIRE_OK(ct_gmt_optimum_search(&table, &kernels, &o, &subset, &reason));
    CHECK(!subset.complete && !subset.better && subset.bound == 0);
    for (int64_t k = 1; k < 20; k++) {
        ct_halt soon = {NULL, NULL, 0, 0};
        o.halt = counted.halt = &soon;
        counted.calls = 0;
        counted.last = n_calls * k / 20;
        REQUIRE_OK(ct_gmt_optimum_search(&table, &kernels, &o, &subset, &reason));
        CHECK(!subset.complete && soon.stopped);
        CHECK(subset.bound <= optimum.cost && subset.cost >= optimum.bound);
    }
}

/* Four constants, crosswise, so that no single split of these helps, and a third column whose split
 * does: a local search stays with that one. The optimum takes the place of its tree, and is then
 * searched to the row. */
static void fits_become_the_optimum(void)
{
    for (uint32_t sample = 300; sample <= 20000; sample += 19700) {
        evolve_data *d = new_data(5, 500, 3, 0, 0, 0);
        ct_gmt_options o = default_options();
        ct_gmt plain, proven;
        o.limits = (ct_tree_limits){4, 2, 5, 1, 0};
        o.effort = 0;
        o.bins = 8;
        o.sample = sample;
        d->data.n_regressors = 0;
        for (uint32_t row = 0; row < 500; row++)
            d->y[row] = ((d->x[0][row] < 2.4) == (d->x[1][row] < 2.7)) +
                        (d->x[2][row] < 2) * 0.2 + 0.01 * d->weights[row];
        REQUIRE(fit(d, &o, &plain));
        o.prove = 2;
        REQUIRE(fit(d, &o, &proven));
        CHECK(plain.bic > proven.bic + 500 && plain.proof.depth == 0);
        CHECK(proven.proof.complete && proven.proof.gap == 0 && proven.certified);
        CHECK(proven.proof.cost < proven.proof.bound);
        CHECK_INT(proven.forest.n_nodes, 7);
        CHECK(proven.models.deviance[0] > 100);
        double deviance = 0;
        for (uint32_t i = 0; i < 7; i++)
            deviance += proven.forest.left[i] ? 0 : proven.models.deviance[i];
        CHECK(deviance < 6);
        CHECK(fabs(deviance + 7 * proven.proof.lambda - proven.proof.cost) <= 1e-9 * deviance);
        
    }
}

static const check_case cases[] = {
    {"depth two equals brute force", depth_two_equals_brute},
    {"depth three equals brute force", depth_three_equals_brute},
    {"one threshold is found", one_threshold_is_found},
    {"missing rows go down", missing_rows_go_down_on_the_left},
    {"the same on all machines", same_on_all_machines},
    {"rules save work", rules_save_work},
    {"rows twice weigh twice", rows_twice_weigh_twice},
    {"stopped bounds hold", stopped_bounds_hold},
    {"fits become the optimum", fits_become_the_optimum},
};

CHECK_MAIN(cases)
