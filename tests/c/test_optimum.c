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
    uint32_t minbucket;
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
static int test_of(const problem *p, uint32_t number, ct_test *test)
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
    ct_test test;
    for (uint32_t number = 0; depth && test_of(p, number, &test); number++) {
        uint8_t side[2][ALL];
        uint32_t n[2] = {0, 0};
        for (uint32_t row = 0; row < n_rows; row++) {
            int left = ct_goes_left(p->table, &test, row) != 0;
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
static double cost_of_tests(const problem *p, const ct_test *tests, uint32_t n_tests, uint32_t at,
                            const uint8_t *in)
{
    uint8_t side[2][ALL];
    if (at >= n_tests || tests[at].splitter < 0) return leaf_cost(p, in);
    for (uint32_t row = 0; row < p->d->data.n_rows; row++) {
        int left = ct_goes_left(p->table, &tests[at], row) != 0;
        side[0][row] = in[row] && left;
        side[1][row] = in[row] && !left;
    }
    return p->lambda + cost_of_tests(p, tests, n_tests, 2 * at + 1, side[0]) +
           cost_of_tests(p, tests, n_tests, 2 * at + 2, side[1]);
}

/* ---- cases ---- */

typedef struct {
    uint32_t n, q, values, levels, holes, bins, minbucket;
    int weighted;
    double price;
} shape;

static int open_problem(problem *p, ct_model_table *table, const shape *s, uint32_t seed)
{
    ct_error error;
    evolve_data *d = new_data(seed, s->n, s->q, s->values, s->levels, s->holes);
    if (s->weighted) d->data.weights = d->weights;
    if (ct_model_table_init(table, &d->data, s->bins, 1, &error) != CT_OK) return 0;
    *p = (problem){d, table, s->price * table->unit, s->minbucket};
    return 1;
}

static void close_problem(const problem *p, ct_model_table *table)
{
    ct_model_table_free(table);
    free((void *) (uintptr_t) p->d);
}

static ct_optimum_options options_of(const shape *s, uint32_t depth)
{
    return (ct_optimum_options){depth, s->minbucket, s->price, INFINITY, 0, 1, NULL};
}

static const shape shapes[] = {
    {40, 2, 0, 0, 0, 6, 3, 0, 0.3}, {36, 1, 0, 0, 0, 9, 2, 1, 0.1}, {40, 3, 4, 0, 0, 5, 4, 0, 0.2},
    {44, 2, 0, 0, 2, 5, 3, 0, 0.1}, {40, 1, 0, 4, 0, 5, 3, 1, 0},   {48, 2, 0, 3, 3, 4, 2, 1, 0.05},
    {30, 1, 0, 3, 0, 7, 9, 0, 0},   {50, 2, 3, 0, 4, 4, 5, 0, 0.02}, {12, 2, 0, 0, 0, 3, 7, 0, 0},
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
    ct_pairs *pairs = ct_pairs_new(&table, ct_gram_at(CT_SIMD_SCALAR), 1, seed % 2 ? 0 : 1 << 20);
    REQUIRE(pairs);
    for (int round = 0; round < 2; round++) {
        /* all rows, then some of them */
        n = 0;
        for (uint32_t row = 0; row < s->n; row++) {
            in[row] = !round || ct_rng_below(&rng, 4) > 0;
            if (in[row]) rows[n++] = row;
        }
        double tie = 1e-9 * table.unit * table.total;
        ct_depth_two_solve(pairs, rows, n, s->price, s->minbucket, NULL, &answer, &done);
        CHECK(done);
        double expected = best_tree(&p, in, 2);
        if (isinf(expected)) CHECK(isinf(answer.cost));
        else {
            CHECK(fabs(table.unit * answer.cost - expected) <= tie);
            CHECK(fabs(cost_of_tests(&p, answer.tests, 3, 0, in) - expected) <= tie);
        }
        p.minbucket = 0;
        CHECK(fabs(table.unit * answer.bound - best_tree(&p, in, 2)) <= tie);
        p.minbucket = s->minbucket;
    }
    ct_pairs_free(pairs);
    close_problem(&p, &table);
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
    ct_error error;
    uint8_t in[ALL];
    memset(in, 1, sizeof in);
    REQUIRE(open_problem(&p, &table, s, seed));
    double expected = best_tree(&p, in, 3), tie = 3e-9 * table.unit * table.total;
    for (uint32_t without = 0; without < 8; without++) {
        ct_optimum_options o = options_of(s, 3);
        o.without = without;
        REQUIRE(ct_optimum_search(&table, ct_gram_at(CT_SIMD_SCALAR), &o, &found, &error) ==
                CT_OK);
        CHECK(found.complete);
        CHECK(fabs(table.unit * found.cost - expected) <= tie);
        CHECK(fabs(table.unit * found.bound - expected) <= tie);
        CHECK(fabs(cost_of_tests(&p, found.tests, 7, 0, in) - expected) <= tie);
    }
    close_problem(&p, &table);
}

static void depth_three_equals_brute(void)
{
    static const shape small[] = {
        {40, 1, 0, 0, 0, 7, 3, 0, 0.05}, {36, 2, 0, 0, 0, 4, 2, 1, 0},  {40, 2, 3, 0, 0, 4, 4, 0, 0},
        {44, 1, 0, 3, 0, 4, 3, 0, 0.02}, {40, 2, 0, 0, 3, 3, 2, 1, 0}, {60, 1, 0, 0, 0, 9, 6, 0, 0},
    };
    for (uint32_t i = 0; i < (CHECK_QUICK() ? 2 : 6); i++) check_depth_three(&small[i], 40 + i);
}

static const check_case cases[] = {
    {"depth two equals brute force", depth_two_equals_brute},
    {"depth three equals brute force", depth_three_equals_brute},
};

CHECK_MAIN(cases)
