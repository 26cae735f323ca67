/* Splits by subsets of levels against plain counts over rows, beside columns that are cut. */
#include "check.h"
#include "forest/walk/walk.h"
#include "forest_data.h"

/* A tree under recount. */
typedef struct {
    const forest_table *t;
    const ct_hist_tree *tree;
    const uint32_t *counts;
    uint32_t *node_of; /* [row] where it is now */
    uint32_t by_sets, by_cuts;
} recount;

/* Codes of a column whose values are levels / 8 - 3. */
static uint32_t level_at(const forest_table *t, uint32_t col, uint32_t row)
{
    return t->codes->codes[(size_t) col * t->n_rows + row];
}

/* How good it is to send the rows of a node left whose bit of `left` is set, missing ones by bit 6.
 */
static long double score_of_set(const recount *r, uint32_t node, uint32_t col, uint32_t left)
{
    forest_sides sides;
    memset(&sides, 0, sizeof sides);
    for (uint32_t row = 0; row < r->t->n_rows; row++) {
        if (!r->counts[row] || r->node_of[row] != node) continue;
        uint32_t level = level_at(r->t, col, row), right = !(left >> (level < 6 ? level : 6) & 1);
        forest_sides_add(&sides, r->t, row, r->counts[row], right);
    }
    return forest_sides_score(&sides, r->t);
}

/* Of columns that are cut, levels below a cut alone go left. */
static int may_go_left(const recount *r, uint32_t col, uint32_t left)
{
    uint32_t levels = left & 63;
    return r->t->codes->columns[col].is_set || !(levels & (levels + 1));
}

/* Every split is as good as the best of all subsets and cuts; of a subset, levels that no row of
 * the node has go to the larger side. */
static void recount_sets(recount *r)
{
    for (uint32_t node = 0; node < r->tree->n_nodes; node++) {
        const ct_hist_node *it = &r->tree->nodes[node];
        if (it->feature == CT_HIST_LEAF) continue;
        int is_set = (it->next & CT_HIST_SET) != 0;
        uint32_t own = is_set ? it->cut : (UINT32_C(1) << it->cut) - 1, absent = 63;
        uint32_t child = it->next & CT_HIST_CHILD, weight[2] = {0, 0};
        long double best = -1;
        own |= it->next & CT_HIST_FLAG ? 64 : 0;
        CHECK_INT(is_set, r->t->codes->columns[it->feature].is_set);
        for (uint32_t col = 0; col < r->t->n_cols; col++)
            for (uint32_t left = 0; left < 128; left++) {
                long double score = may_go_left(r, col, left) ? score_of_set(r, node, col, left)
                                                              : -1;
                if (score > best) best = score;
            }
        CHECK(score_of_set(r, node, it->feature, own) >= best * (1 - 1e-6L));
        for (uint32_t row = 0; row < r->t->n_rows; row++) {
            if (r->node_of[row] != node) continue;
            uint32_t level = level_at(r->t, it->feature, row);
            uint32_t right = !(own >> (level < 6 ? level : 6) & 1);
            CHECK_INT(ct_hist_next(it, (uint16_t) level), child + right);
            r->node_of[row] = child + right;
            if (!r->counts[row]) continue;
            weight[right] += r->counts[row];
            if (level < 6) absent &= ~(UINT32_C(1) << level);
        }
        if (is_set) CHECK_INT(own & absent, weight[0] >= weight[1] ? absent : 0);
        if (is_set) r->by_sets++;
        else r->by_cuts++;
    }
}

/* Walks of many rows find the leaves that the recount has found. */
static void walk_sets(const recount *r, const ct_hist_forest *forest)
{
    uint32_t n = r->t->n_rows;
    int32_t *leaves = (int32_t *) malloc(n * sizeof *leaves);
    ct_error error;
    REQUIRE(leaves != NULL);
    for (uint32_t rows = 50; rows <= n; rows += n - 50) {
        int wrong = 0;
        CHECK_INT(ct_hist_predict(forest, r->t->codes->columns, r->t->columns, rows, CT_HIST_LEAVES,
                                  1, NULL, leaves, &error),
                  CT_OK);
        for (uint32_t i = 0; i < rows; i++) wrong += (uint32_t) leaves[i] != r->node_of[i] + 1;
        CHECK_INT(wrong, 0);
    }
    free(leaves);
}

static uint64_t hash_of(const forest_table *t, const ct_hist_options *o)
{
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    CHECK_INT(ct_hist_grow(&t->data, o, &forest, &extra, &error), CT_OK);
    uint64_t hash = hist_hash(&forest);
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
    return hash;
}

static void check_table(forest_table *t, int both, ct_forest_split_rule rule)
{
    ct_hist_options o = forest_options(t, 1);
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    recount r = {t, NULL, NULL, NULL, 0, 0};
    t->codes->columns[0].is_set = 1;
    t->codes->columns[1].is_set = both;
    o.oob = 1;
    o.rule = rule;
    REQUIRE(ct_hist_grow(&t->data, &o, &forest, &extra, &error) == CT_OK);
    r.tree = &forest.trees[0];
    uint32_t *counts = forest_sample(&t->data, &o, 0);
    r.counts = counts;
    r.node_of = (uint32_t *) calloc(t->n_rows, sizeof *r.node_of);
    if (rule == CT_SPLIT_GINI) {
        recount_sets(&r);
        CHECK(r.by_sets > 0 && (both || r.by_cuts > 0));
        walk_sets(&r, &forest);
    }
    uint64_t hash = hist_hash(&forest);
    o.simd = CT_SIMD_SCALAR, o.block = 100, o.threads = 2;
    CHECK(hash_of(t, &o) == hash);
    t->codes->columns[0].is_set = t->codes->columns[1].is_set = 0;
    CHECK(hash_of(t, &o) != hash);
    free(counts), free(r.node_of);
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
}

static void sets_of_levels(void)
{
    for (uint32_t kind = 0; kind < 8; kind++) {
        forest_table t = forest_table_new(kind + 30, kind % 2 && !CHECK_QUICK() ? 2500 : 700, 2,
                                          kind < 6 ? 2 + kind % 3 : 0, kind == 1 ? 4 : 6,
                                          kind < 3 ? 0.1 : 0, CT_HIST_CODES);
        check_table(&t, kind < 4, CT_SPLIT_GINI);
        forest_table_free(&t);
    }
}

/* Of other rules the forest is the same for all instruction sets, blocks and threads. */
static void other_rules(void)
{
    static const ct_forest_split_rule rules[] = {CT_SPLIT_ENTROPY, CT_SPLIT_ERROR, CT_SPLIT_RANDOM};
    for (uint32_t kind = 0; kind < 3; kind++) {
        forest_table t = forest_table_new(kind + 50, 1500, 2, 3, 6, 0.1, CT_HIST_CODES);
        check_table(&t, 0, rules[kind]);
        forest_table_free(&t);
    }
}

static const check_case cases[] = {
    {"sets of levels are the best", sets_of_levels},
    {"sets of levels by other rules", other_rules},
};

CHECK_MAIN(cases)
