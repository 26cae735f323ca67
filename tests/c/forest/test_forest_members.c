/* Rows that leaves keep, and what is predicted from them, against plain loops over rows and
 * trees. */
#include "check.h"
#include "forest/walk/members.h"
#include "forest_data.h"

typedef struct {
    forest_table t;
    uint32_t *ranks; /* of the numbers, where they were not equal */
    ct_hist_options o;
    ct_hist_forest forest;
    ct_hist_extra extra;
} grown;

static uint32_t *ranks_of(const double *y, uint32_t n)
{
    uint32_t *ranks = (uint32_t *) calloc(n, sizeof *ranks);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) ranks[i] += y[k] < y[i] || (y[k] == y[i] && k < i);
    return ranks;
}

static grown grow(uint64_t seed, uint32_t n, uint32_t trees, uint32_t min_n, double sample)
{
    grown g;
    ct_error error;
    g.t = forest_table_new(seed, n, 3, 0, 0, 0.1, CT_HIST_CODES);
    for (uint32_t i = 0; i < n; i++) g.t.numbers[i] = round(8 * g.t.numbers[i]) / 8;
    g.t.data.ranks = g.ranks = ranks_of(g.t.numbers, n);
    g.o = forest_options(&g.t, trees);
    g.o.min_n = min_n;
    g.o.oob = 1;
    g.o.sample = (uint32_t) (sample * n);
    CHECK_INT(ct_hist_grow(&g.t.data, &g.o, &g.forest, &g.extra, &error), CT_OK);
    return g;
}

static void grown_free(grown *g)
{
    ct_hist_forest_free(&g->forest);
    ct_hist_extra_free(&g->extra);
    forest_table_free(&g->t);
    free(g->ranks);
}

static uint32_t leaf_of(const grown *g, uint32_t tree, uint32_t row)
{
    const ct_hist_tree *own = &g->forest.trees[tree];
    return own->nodes[raw_leaf(&g->t, own, row)].next;
}

/* Each leaf has the rows that come to it, as often as they were drawn, in order. */
static void leaves_keep_their_rows(void)
{
    for (uint32_t seed = 0; seed < 12; seed++) {
        const uint32_t n = seed % 3 ? 700 : 60;
        grown g = grow(seed, n, 3, seed % 2 ? 1 : 9, seed == 6 ? 900 : 1);
        CHECK(ct_forest_members_are_valid(&g.forest, n));
        for (uint32_t i = 0; i < 3; i++) {
            const ct_hist_tree *tree = &g.forest.trees[i];
            uint32_t *left = forest_sample(&g.t.data, &g.o, i);
            for (uint32_t leaf = 0, k = 0; leaf < tree->n_leaves; leaf++)
                for (; k < tree->ends[leaf]; k++) {
                    uint32_t row = 0;
                    while (g.ranks[row] != ct_hist_rank(tree->members[k])) row++;
                    CHECK_INT(leaf_of(&g, i, row), leaf);
                    CHECK(left[row] >= ct_hist_drawn(tree->members[k]));
                    left[row] -= ct_hist_drawn(tree->members[k]);
                }
            for (uint32_t row = 0; row < n; row++) CHECK_INT(left[row], 0);
            free(left);
        }
        grown_free(&g);
    }
}

/* weights[rank] of a row; how many trees count. */
static uint32_t weights_of(const grown *g, uint32_t row, int is_own, long double *weights)
{
    uint32_t trees = 0;
    for (uint32_t k = 0; k < g->t.n_rows; k++) weights[k] = 0;
    for (uint32_t i = 0; i < g->forest.n_trees; i++) {
        uint32_t *drawn = forest_sample(&g->t.data, &g->o, i);
        const uint32_t leaf = leaf_of(g, i, row);
        trees += !is_own || !drawn[row];
        for (uint32_t k = 0; k < g->t.n_rows && (!is_own || !drawn[row]); k++)
            if (drawn[k] && leaf_of(g, i, k) == leaf)
                weights[g->ranks[k]] += (long double) drawn[k] / g->forest.trees[i].counts[leaf];
        free(drawn);
    }
    for (uint32_t k = 0; k < g->t.n_rows; k++) weights[k] /= trees ? trees : 1;
    return trees;
}

/* The place, from 1, up to which weights sum to p. */
static int32_t place_of(const long double *weights, uint32_t n, double p)
{
    long double sum = 0;
    for (uint32_t k = 0; k < n; k++)
        if ((sum += weights[k]) >= p - 1e-10L && weights[k] > 0) return (int32_t) k + 1;
    return 0;
}

static const double probabilities[] = {0, 0.1, 1.0 / 3, 0.5, 0.7, 1};
enum { PROBABILITIES = 6 };

static void predictions(void)
{
    for (uint32_t seed = 0; seed < 8; seed++) {
        const uint32_t n = seed % 3 ? 90 : 1100; /* ranks are more than buckets, or fewer */
        const int is_own = seed % 2;
        grown g = grow(seed, n, seed == 3 ? 1 : 7, 1 + 5 * seed, 1);
        int32_t *places = (int32_t *) malloc(PROBABILITIES * n * sizeof *places);
        double *weights = (double *) malloc((size_t) n * n * sizeof *weights);
        long double *known = (long double *) malloc(n * sizeof *known);
        const ct_forest_members_request request = {&g.forest, n, n, is_own ? g.ranks : NULL,
                                                   probabilities, PROBABILITIES, places, weights};
        ct_error error;
        ct_halt stop = {NULL, NULL, 0, 0};
        CHECK_INT(ct_forest_members_predict(&request, g.t.codes->columns, g.t.columns, 1 + seed % 3,
                                            &stop, &error),
                  CT_OK);
        for (uint32_t row = 0; row < n; row += 1 + n / 40) {
            const uint32_t trees = weights_of(&g, row, is_own, known);
            for (uint32_t k = 0; k < n; k++)
                CHECK(fabsl(weights[(size_t) k * n + row] - known[k]) < 1e-9L);
            for (uint32_t i = 0; i < PROBABILITIES; i++)
                CHECK_INT(places[i * n + row], trees ? place_of(known, n, probabilities[i]) : 0);
        }
        free(places);
        free(weights);
        free(known);
        grown_free(&g);
    }
}

/* A member tells of 255 draws at most: rows drawn so often, twice as often, and once more. */
static void drawn_as_often_as_a_member_tells(void)
{
    enum { N = 6 };
    const int32_t often[N] = {254, 255, 256, 510, 511, 0}, *drawn[1] = {often};
    forest_table t = forest_table_new(1, N, 2, 0, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 1);
    uint32_t *ranks = ranks_of(t.numbers, N);
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    t.data.ranks = ranks;
    t.data.drawn = drawn;
    o.sample = 254 + 255 + 256 + 510 + 511;
    o.depth = 0;
    REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
    const ct_hist_tree *tree = &forest.trees[0];
    CHECK(ct_forest_members_are_valid(&forest, N));
    CHECK_INT(tree->ends[0], 9);
    for (uint32_t row = 0; row < N; row++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < tree->ends[0]; k++)
            if (ct_hist_rank(tree->members[k]) == ranks[row])
                sum += ct_hist_drawn(tree->members[k]);
        CHECK_INT(sum, often[row]);
    }
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
    forest_table_free(&t);
    free(ranks);
}

/* The same trees as without rows; in any number of threads, and in blocks of any size. */
static void same_forest(void)
{
    grown g = grow(5, 3000, 6, 5, 1);
    for (unsigned kind = 0; kind < 3; kind++) {
        ct_hist_options o = g.o;
        ct_hist_data data = g.t.data;
        ct_hist_forest other;
        ct_hist_extra extra;
        ct_error error;
        o.threads = kind + 1;
        o.block = kind == 1 ? 100 : 0;
        if (kind == 2) data.ranks = NULL;
        CHECK_INT(ct_hist_grow(&data, &o, &other, &extra, &error), CT_OK);
        CHECK_INT(hist_hash(&other), hist_hash(&g.forest));
        for (uint32_t i = 0; i < 6 && kind < 2; i++) {
            const ct_hist_tree *a = &g.forest.trees[i], *b = &other.trees[i];
            CHECK(!memcmp(a->ends, b->ends, a->n_leaves * sizeof *a->ends));
            CHECK(!memcmp(a->members, b->members, a->ends[a->n_leaves - 1] * sizeof *a->members));
        }
        ct_hist_forest_free(&other);
        ct_hist_extra_free(&extra);
    }
    grown_free(&g);
}

/* Rows that are not those the forest was grown from are not taken for them. */
static void others_are_refused(void)
{
    grown g = grow(2, 200, 5, 5, 1);
    int32_t places[200];
    const ct_forest_members_request request = {&g.forest, 200, 200, g.ranks, probabilities, 1,
                                               places, NULL};
    ct_error error;
    ct_halt stop = {NULL, NULL, 0, 0};
    const uint32_t kept = g.ranks[3];
    CHECK_INT(
        ct_forest_members_predict(&request, g.t.codes->columns, g.t.columns, 1, &stop, &error),
        CT_OK);
    for (uint32_t i = 0; i < 200; i++) g.t.values[i] = -g.t.values[i];
    CHECK_INT(
        ct_forest_members_predict(&request, g.t.codes->columns, g.t.columns, 1, &stop, &error),
        CT_BAD_INPUT);
    ct_hist_tree *tree = &g.forest.trees[1];
    tree->members[0] = ct_hist_member(200, 1);
    CHECK(!ct_forest_members_are_valid(&g.forest, 200));
    tree->members[0] = ct_hist_member(kept, 0);
    CHECK(!ct_forest_members_are_valid(&g.forest, 200));
    grown_free(&g);
}

static void memory_ends(void)
{
    int fine = 0;
    for (long after = 0; !fine && after < 300; after++) {
        forest_table t = forest_table_new(4, 200, 3, 0, 0, 0, CT_HIST_CODES);
        uint32_t *ranks = ranks_of(t.numbers, 200);
        ct_hist_options o = forest_options(&t, 2);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        int32_t places[200];
        t.data.ranks = ranks;
        ct_halt stop = {NULL, NULL, 0, 0};
        const ct_forest_members_request request = {&forest, 200, 200, NULL, probabilities + 3, 1,
                                                   places, NULL};
        ct_alloc_fail_after(after);
        ct_status status = ct_hist_grow(&t.data, &o, &forest, &extra, &error);
        if (status == CT_OK && forest.n_trees == 2)
            status = ct_forest_members_predict(&request, t.codes->columns, t.columns, 1, &stop,
                                               &error);
        fine = status == CT_OK && forest.n_trees == 2;
        ct_alloc_fail_for(-1, 0);
        CHECK(fine || status == CT_NO_MEMORY || extra.end == CT_HIST_MEMORY);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
        forest_table_free(&t);
        free(ranks);
    }
    CHECK(fine);
}

static const check_case cases[] = {
    {"leaves keep their rows", leaves_keep_their_rows},
    {"predictions", predictions},
    {"drawn as often as a member tells", drawn_as_often_as_a_member_tells},
    {"the same forest", same_forest},
    {"others are refused", others_are_refused},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
