/* Sets of near-optimal trees of tables whose columns have few values: the same with and without
 * counts of tests, and on every instruction set. Small ones against all trees: test_set.c. */
#include "solve.h"

#include "exact/kernels/kernels.h"
#include "exact/sets/counts.h"
#include "exact/sets/set.h"

static uint32_t below(rng *r, uint32_t n) { return rng_next(r) % n; }

enum { FEW_ROWS = 600, FEW_COLS = 80 };

typedef struct {
    uint32_t n, p, k;
    double x[FEW_COLS][FEW_ROWS];
    int32_t y[FEW_ROWS];
    uint32_t groups[FEW_COLS];
} wide;

static void draw_wide(wide *s, rng *r, uint32_t n, uint32_t p)
{
    s->n = n;
    s->p = p;
    s->k = 2 + below(r, 3);
    for (uint32_t col = 0; col < p; col++) {
        uint32_t values = below(r, 4) ? 2 : 2 + below(r, 3), from = col ? below(r, col) : 0,
                 alike = col ? below(r, 6) : 2;
        s->groups[col] = col && !below(r, 6) ? s->groups[col - 1] : col;
        for (uint32_t i = 0; i < n; i++)
            s->x[col][i] = alike == 0 ? s->x[from][i] : alike == 1 ? -s->x[from][i]
                                                                  : (double) below(r, values);
    }
    for (uint32_t i = 0; i < n; i++) {
        int one = (s->x[1][i] > 0) != (s->x[p - 1][i] > 0 && s->x[0][i] > 0);
        s->y[i] = (int32_t) (below(r, 5) ? (uint32_t) one : below(r, s->k));
    }
}

static ct_set *set_of_wide(const wide *s, ct_exact_options options)
{
    ct_column columns[FEW_COLS];
    ct_set *set;
    for (uint32_t col = 0; col < s->p; col++) columns[col] = (ct_column){s->x[col], CT_DOUBLE};
    ct_data data = {s->n, s->p, s->k, columns, s->y, NULL, NULL, NULL};
    int made = CHECK_OK(ct_set_new(&data, &options, s->groups, 0, &set, &reason));
    return made ? set : NULL;
}

/* The k-th trees of both sets split alike. */
static void check_tree(ct_set *a, ct_set *b, uint64_t k)
{
    ct_exact_result results[2];
    uint32_t where[FEW_ROWS];
    uint64_t number[CT_COUNT_WORDS] = {k};
    for (int i = 0; i < 2; i++) {
        REQUIRE_OK(ct_set_tree(i ? b : a, number, &results[i], where, &reason));
        keep_result(&results[i]);
    }
    CHECK(results[0].cost == results[1].cost && same_tree(&results[0].tree, &results[1].tree));
}

static void same_sets(ct_set *a, ct_set *b)
{
    ct_set_facts facts = ct_set_about(a), others = ct_set_about(b);
    uint64_t n_trees = 0;
    REQUIRE(facts.n_costs == others.n_costs && facts.complete == others.complete);
    for (uint32_t i = 0; i < facts.n_costs; i++) {
        const uint64_t *count, *other;
        double cost = ct_set_cost(a, i, &count);
        CHECK(cost == ct_set_cost(b, i, &other));
        CHECK(!memcmp(count, other, ct_set_words(a) * sizeof *count));
        n_trees += count[0];
    }
    if (n_trees > 100000) n_trees = 100000; /* or more than a word holds */
    for (uint64_t i = 0; i < n_trees && i < 12; i++) check_tree(a, b, i * 7919 % n_trees);
}

static void check_wide(const wide *s, unsigned depth, double price)
{
    ct_exact_options options = ct_exact_options_default();
    ct_column columns[FEW_COLS];
    ct_exact_result result;
    uint32_t where[FEW_ROWS];
    for (uint32_t col = 0; col < s->p; col++) columns[col] = (ct_column){s->x[col], CT_DOUBLE};
    ct_data data = {s->n, s->p, s->k, columns, s->y, NULL, NULL, NULL};
    options.depth = depth;
    options.complexity = price / s->n;
    REQUIRE(solve_rows(&data, &options, &result, where));
    options.max_cost = result.cost + 3 + s->n / 100.0;
    options.off = UINT32_C(1) << CT_SHORTCUT_TRIPLES;
    ct_set *plain = set_of_wide(s, options);
    options.off = 0;
    options.test_rows = 0;
    for (size_t i = 0; plain && ct_kernels_at(i); i++) {
        options.simd = ct_kernels_at(i)->name;
        ct_set *set = set_of_wide(s, options);
        REQUIRE(set);
        same_sets(set, plain);
        ct_set_free(set);
    }
    REQUIRE(plain);
    ct_set_free(plain);
}

static void few_or_many(void)
{
    rng r = {17};
    static wide s;
    for (int i = 0; i < (CHECK_QUICK() ? 4 : 40); i++) {
        draw_wide(&s, &r, 40 + below(&r, FEW_ROWS - 40), 5 + below(&r, i % 4 ? 20 : FEW_COLS - 5));
        check_wide(&s, 2 + (unsigned) (i % 3 > 0), i % 4);
    }
    draw_wide(&s, &r, 150, 9);
    check_wide(&s, 4, 2);
}

static const check_case cases[] = {{"counted by tests or not", few_or_many}};
CHECK_MAIN(cases)
