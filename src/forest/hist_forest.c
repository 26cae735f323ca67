#include "base/compact.h"

#include "forest/hist_forest.h"

#include <string.h>

#include "base/memory.h"
#include "forest/grow/grow.h"
#include "forest/grow/growth.h"
#include "forest/grow/permute.h"
#include "forest/walk/walk.h"

/* A forest under way on threads of the CPU. */
typedef struct {
    ct_growth all;
    ct_hist_scratch *scratches; /* [threads] */
    /* [threads][n_cols][words] of the tree under way; NULL: not wanted */
    int64_t **harm;
} growth;

/* ---- trees one by one ---- */

/* What the tree says of rows that it was not grown from. Integers: the order of trees changes
 * nothing. */
static void add_number(growth *g, size_t row, double mean)
{
    ct_hist_extra *extra = g->all.extra;
    CT_ASSERT(extra->oob_sums);
    const ct_words *words = &g->all.grower.out_words;
    if (words->n == 1)
        extra->oob_sums[row] += ct_forest_growth_quantise(&g->all, mean);
    else ct_words_add(words, extra->oob_sums + row * words->n, mean - extra->centre);
}

static void add_out(growth *g, const ct_hist_scratch *scratch, const ct_hist_tree *tree)
{
    ct_hist_extra *extra = g->all.extra;
    uint32_t n_classes = g->all.forest->n_classes;
    for (uint32_t i = 0; i < scratch->left_out.n; i++) {
        size_t row = scratch->left_out.row[i];
        const ct_hist_node *leaf = &tree->nodes[scratch->left_out.leaf[i]];
        extra->oob_trees[row]++;
        if (n_classes) ct_hist_add_shares(tree, n_classes, leaf, extra->oob_sums + row * n_classes);
        else add_number(g, row, tree->means[leaf->next]);
    }
}

static void add_tree(growth *g, const ct_hist_scratch *scratch, uint32_t place,
                     const ct_hist_tree *tree)
{
    ct_hist_extra *extra = g->all.extra;
    const ct_grower *grower = &g->all.grower;
    ct_lock_take(&g->all.lock);
    if (extra->oob_sums) add_out(g, scratch, tree);
    if (extra->gains)
        ct_forest_growth_add_words(&grower->gain_words, grower->n_cols, scratch->tree.gains,
                                   extra->gains);
    if (g->harm)
        ct_forest_growth_add_words(&grower->harm_words, grower->n_cols, g->harm[scratch->number],
                                   extra->harm);
    ct_lock_leave(&g->all.lock);
    (void) ct_forest_growth_reserve(&g->all, tree->n_nodes, tree->n_leaves,
                                    tree->ends ? tree->ends[tree->n_leaves - 1] : 0);
    ct_forest_growth_put(&g->all, place, tree);
}

static size_t harm_cells(const growth *g)
{
    return (size_t) g->all.grower.n_cols * g->all.grower.harm_words.n;
}

/* 0 if it was stopped, or memory ended. */
static int grow_one(growth *g, ct_hist_scratch *scratch, uint32_t place)
{
    CT_ASSERT(place < g->all.options->n_trees);
    uint32_t number = g->all.options->first_tree + place;
    ct_hist_tree tree = {0};
    int fine = ct_forest_grow_tree(scratch, number) &&
               ct_hist_scratch_tree(scratch, &tree) == CT_OK;
    tree.number = number;
    if (fine && g->harm) {
        memset(g->harm[scratch->number], 0, harm_cells(g) * sizeof **g->harm);
        fine = ct_forest_permute(&g->all.grower, &scratch->left_out, &tree,
                                 g->harm[scratch->number], g->all.extra->local, &g->all.stop,
                                 scratch->number);
    }
    if (fine) add_tree(g, scratch, place, &tree);
    else ct_hist_tree_free(&tree);
    return fine;
}

static void grow_trees(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    growth *g = (growth *) data;
    for (uint64_t place = begin; place < end; place++) {
        if (grow_one(g, &g->scratches[worker], (uint32_t) place)) continue;
        if (!ct_halt_now(&g->all.stop, 1)) {
            ct_atomic_write(&g->all.no_memory, 1);
            ct_halt_set(&g->all.stop);
        }
        return;
    }
}

/* ---- all steps ---- */

static int make_scratches(growth *g, unsigned threads)
{
    CT_ASSERT(threads > 0);
    int permutes = g->all.options->permutation;
    g->scratches = (ct_hist_scratch *) ct_alloc_zeroed(threads, sizeof *g->scratches);
    if (permutes) g->harm = (int64_t **) ct_alloc_zeroed(threads, sizeof *g->harm);
    if (!g->scratches || (permutes && !g->harm)) return 0;
    for (unsigned i = 0; i < threads; i++) {
        ct_hist_scratch *scratch = &g->scratches[i];
        if (ct_hist_scratch_init(scratch, &g->all.grower, i, &g->all.stop) != CT_OK) return 0;
        if (permutes && !(g->harm[i] = (int64_t *) ct_alloc(harm_cells(g) * sizeof **g->harm)))
            return 0;
    }
    return 1;
}

static void free_scratches(growth *g, unsigned threads)
{
    for (unsigned i = 0; g->scratches && i < threads; i++) ct_hist_scratch_free(&g->scratches[i]);
    for (unsigned i = 0; g->harm && i < threads; i++) ct_free(g->harm[i]);
    ct_free(g->scratches);
    ct_free(g->harm);
}

static ct_status run(growth *g, unsigned threads, ct_error *error)
{
    CT_TRY(ct_forest_growth_prepare(&g->all, ct_hist_scratch_bytes(&g->all.grower) * threads,
                                    error));
    if (!make_scratches(g, threads)) return ct_fail(error, CT_NO_MEMORY, "no memory to grow trees");
    ct_loop loop = {g->all.options->n_trees, 1, CT_DYNAMIC, threads, grow_trees, g, &g->all.stop};
    ct_parallel_for(&loop);
    return ct_forest_growth_end(&g->all, error);
}

ct_status ct_hist_grow(const ct_hist_data *data, const ct_hist_options *options,
                       ct_hist_forest *forest, ct_hist_extra *extra, ct_error *error)
{
    CT_ASSERT(data->codes && options && forest && extra);
    growth g = {0};
    unsigned threads = options->threads ? options->threads : 1;
    if (threads > options->n_trees) threads = options->n_trees;
    if (options->learn) threads = 1;
    ct_status status = ct_forest_growth_begin(&g.all, data, options, forest, extra, error);
    if (status == CT_OK) status = run(&g, threads, error);
    free_scratches(&g, threads);
    ct_forest_growth_free(&g.all);
    return status;
}

void ct_hist_tree_free(ct_hist_tree *tree)
{
    ct_free(tree->nodes);
    ct_free(tree->counts);
    ct_free(tree->means);
    ct_free(tree->members);
    ct_free(tree->ends);
    memset(tree, 0, sizeof *tree);
}

void ct_hist_forest_free(ct_hist_forest *forest)
{
    for (uint32_t i = 0; forest->trees && i < forest->n_trees; i++)
        ct_hist_tree_free(&forest->trees[i]);
    ct_free(forest->trees);
    memset(forest, 0, sizeof *forest);
}

void ct_hist_extra_free(ct_hist_extra *extra)
{
    ct_free(extra->oob_sums);
    ct_free(extra->oob_trees);
    ct_free(extra->gains);
    ct_free(extra->harm);
    ct_free(extra->local);
    memset(extra, 0, sizeof *extra);
}
