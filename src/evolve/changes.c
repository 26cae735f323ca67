#include "evolve/changes.h"

#include <string.h>

enum { TRIES = 8 };

int ct_gmt_any_split(const ct_model_tree *tree, int32_t node)
{
    return !ct_gmt_is_leaf(tree, node);
}

int ct_gmt_any_leaf(const ct_model_tree *tree, int32_t node) { return ct_gmt_is_leaf(tree, node); }

int32_t ct_gmt_random_node(const ct_model_tree *tree, ct_node_filter fits, ct_rng *rng)
{
    uint32_t n = 0, chosen;
    for (uint32_t i = 0; i < tree->room; i++)
        n += tree->nodes[i].used && fits(tree, (int32_t) i);
    if (!n) return CT_NO_NODE;
    chosen = ct_rng_below(rng, n);
    for (uint32_t i = 0; i < tree->room; i++)
        if (tree->nodes[i].used && fits(tree, (int32_t) i) && !chosen--) return (int32_t) i;
    return CT_NO_NODE;
}

static int separates(const ct_splitter *splitter, uint32_t a, uint32_t b)
{
    return splitter->rank[a] != splitter->rank[b] && splitter->rank[a] != CT_RANK_MISSING &&
           splitter->rank[b] != CT_RANK_MISSING;
}

static void write_test(const ct_model_table *table, uint32_t s, uint32_t a, uint32_t b, ct_rng *rng,
                       ct_gmt_test *test)
{
    const ct_splitter *splitter = &table->splitters[s];
    uint32_t low = splitter->rank[a], high = splitter->rank[b];
    if (low > high) low = splitter->rank[b], high = splitter->rank[a];
    memset(test, 0, sizeof *test);
    test->splitter = (int32_t) s;
    test->missing_left = (int) (ct_rng_next(rng) & 1);
    test->cut = low + 1 + ct_rng_below(rng, high - low);
    for (uint32_t level = 0; level < splitter->n_levels; level++) {
        int left = level == low || (level != high && (ct_rng_next(rng) & 1));
        test->levels[level / 64] |= (uint64_t) left << (level % 64);
    }
}

int ct_gmt_test_between(const ct_model_table *table, uint32_t a, uint32_t b, ct_rng *rng,
                        ct_gmt_test *test)
{
    for (int attempt = 0; attempt < TRIES && table->n_splitters; attempt++) {
        uint32_t s = ct_rng_below(rng, table->n_splitters);
        if (!separates(&table->splitters[s], a, b)) continue;
        write_test(table, s, a, b, rng, test);
        return 1;
    }
    return 0;
}

int ct_gmt_random_test(const ct_model_tree *tree, const ct_model_node *node, ct_rng *rng,
                       ct_gmt_test *test)
{
    const ct_model_table *table = tree->table;
    for (int attempt = 0; attempt < TRIES && table->n_splitters; attempt++) {
        uint32_t n = node->end - node->begin, s = ct_rng_below(rng, table->n_splitters),
                 a = tree->rows[node->begin + ct_rng_below(rng, n)],
                 b = tree->rows[node->begin + ct_rng_below(rng, n)];
        if (!separates(&table->splitters[s], a, b)) continue;
        write_test(table, s, a, b, rng, test);
        return 1;
    }
    return 0;
}

int ct_gmt_take_subtree(ct_model_tree *tree, int32_t node, const ct_model_tree *other, int32_t from,
                        uint32_t leaves_max)
{
    int32_t leaves[CT_TREE_LEAVES];
    uint32_t gone = ct_gmt_model_tree_leaves(tree, node, leaves),
             come = ct_gmt_model_tree_leaves(other, from, leaves);
    if (tree->n_leaves - gone + come > leaves_max) return 0;
    ct_gmt_model_tree_collapse(tree, node);
    int fits = ct_gmt_model_tree_graft(tree, node, other, from);
    CT_ASSERT(fits);
    return fits;
}
