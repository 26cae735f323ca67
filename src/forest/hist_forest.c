#include "forest/hist_forest.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "forest/grow.h"
#include "forest/permute.h"
#include "forest/walk.h"

/* A forest under way. */
typedef struct {
    ct_grower grower;
    const ct_hist_options *options;
    ct_hist_forest *forest;
    ct_hist_extra *extra;
    ct_desk *desks;       /* [threads] */
    int64_t **harm;       /* [threads][n_cols] of the tree under way; NULL: not asked for */
    ct_halt stop;
    ct_lock lock;         /* of `extra` */
    double start;
    int64_t n_done, bytes, end; /* atomic; end: a ct_hist_end */
    int64_t no_memory;    /* atomic: an allocation failed */
} growth;

/* ---- stopping ---- */

static void end_with(growth *g, ct_hist_end end)
{
    ct_atomic_write(&g->end, end);
    ct_halt_set(&g->stop);
}

static int asked(void *data)
{
    growth *g = (growth *) data;
    double seconds = ct_seconds() - g->start;
    if (g->options->report)
        g->options->report(g->options->calls, (uint32_t) ct_atomic_read(&g->n_done), seconds);
    if (g->options->stop && g->options->stop(g->options->calls)) end_with(g, CT_HIST_INTERRUPTED);
    else if (seconds > g->options->time_limit) end_with(g, CT_HIST_TIME);
    return 0;
}

static size_t tree_bytes(const ct_hist_forest *forest, const ct_hist_tree *tree)
{
    size_t width = forest->n_classes ? forest->n_classes : 1;
    return tree->n_nodes * sizeof *tree->nodes +
           tree->n_leaves *
               (width * sizeof *tree->counts + (tree->means ? sizeof *tree->means : 0));
}

/* ---- trees one by one ---- */

static int64_t whole_of(const growth *g, double number)
{
    return llround((number - g->extra->centre) / g->extra->unit);
}

/* What the tree says of rows that it was not grown from. Integers: the order of trees changes
 * nothing. */
static void add_out(growth *g, const ct_desk *desk, const ct_hist_tree *tree)
{
    uint32_t n_classes = g->forest->n_classes;
    for (uint32_t i = 0; i < desk->n_settled; i++) {
        size_t row = desk->out_row[i];
        const ct_hist_node *leaf = &tree->nodes[desk->out_leaf[i]];
        g->extra->oob_trees[row]++;
        if (n_classes)
            ct_hist_add_shares(tree, n_classes, leaf, g->extra->oob_sums + row * n_classes);
        else g->extra->oob_sums[row] += whole_of(g, tree->means[leaf->next]);
    }
}

static void add_tree(growth *g, const ct_desk *desk, uint32_t place, const ct_hist_tree *tree)
{
    ct_lock_take(&g->lock);
    g->forest->trees[place] = *tree;
    if (g->extra->oob_sums) add_out(g, desk, tree);
    for (uint32_t col = 0; col < g->forest->n_cols; col++) {
        g->extra->gains[col] += desk->gains[col];
        if (g->harm) g->extra->harm[col] += g->harm[desk->number][col];
    }
    ct_lock_leave(&g->lock);
    ct_atomic_add(&g->n_done, 1);
    size_t bytes = (size_t) ct_atomic_add(&g->bytes, (int64_t) tree_bytes(g->forest, tree));
    if (bytes > g->options->memory_limit) end_with(g, CT_HIST_MEMORY);
}

/* 0 if it was stopped, or memory ended. */
static int grow_one(growth *g, ct_desk *desk, uint32_t place)
{
    ct_hist_tree tree;
    memset(&tree, 0, sizeof tree);
    uint32_t number = g->options->first_tree + place;
    int fine = ct_grow_tree(desk, number) && ct_desk_tree(desk, &tree) == CT_OK;
    tree.number = number;
    if (fine && g->harm) {
        memset(g->harm[desk->number], 0, g->forest->n_cols * sizeof **g->harm);
        fine = ct_permute(desk, &tree, g->harm[desk->number]);
    }
    if (fine) add_tree(g, desk, place, &tree);
    else ct_hist_tree_free(&tree);
    return fine;
}

static void grow_trees(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    growth *g = (growth *) data;
    for (uint64_t place = begin; place < end; place++) {
        if (grow_one(g, &g->desks[worker], (uint32_t) place)) continue;
        if (!ct_halt_now(&g->stop, 1)) {
            ct_atomic_write(&g->no_memory, 1);
            ct_halt_set(&g->stop);
        }
        return;
    }
}

/* ---- the whole ---- */

/* NULL if memory ends. */
static void *zeroed(size_t n, size_t size)
{
    size_t bytes = n * size;
    void *memory = ct_alloc(bytes > 0 ? bytes : 1);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static int make_extra(growth *g)
{
    ct_hist_extra *extra = g->extra;
    size_t n_rows = g->grower.n_rows, n_cols = g->grower.n_cols,
           width = g->grower.n_classes ? g->grower.n_classes : 1;
    extra->gains = (int64_t *) zeroed(n_cols, sizeof *extra->gains);
    double square = g->grower.n_classes ? 1 : g->grower.unit * g->grower.unit;
    extra->gain_unit = square / g->grower.gain_scale;
    extra->centre = g->grower.centre;
    extra->unit = ldexp(g->grower.unit, -16);
    extra->harm_unit = ct_permute_unit(&g->grower);
    if (g->options->oob) {
        extra->oob_sums = (int64_t *) zeroed(n_rows * width, sizeof *extra->oob_sums);
        extra->oob_trees = (uint32_t *) zeroed(n_rows, sizeof *extra->oob_trees);
    }
    if (g->options->permutation) extra->harm = (int64_t *) zeroed(n_cols, sizeof *extra->harm);
    return extra->gains && (extra->oob_sums || !g->options->oob) &&
           (extra->oob_trees || !g->options->oob) && (extra->harm || !g->options->permutation);
}

static int make_desks(growth *g, unsigned threads)
{
    g->desks = (ct_desk *) zeroed(threads, sizeof *g->desks);
    g->harm = g->options->permutation ? (int64_t **) zeroed(threads, sizeof *g->harm) : NULL;
    if (!g->desks || (g->options->permutation && !g->harm)) return 0;
    for (unsigned i = 0; i < threads; i++) {
        if (ct_desk_init(&g->desks[i], &g->grower, i, &g->stop) != CT_OK) return 0;
        if (g->harm && !(g->harm[i] = (int64_t *) zeroed(g->grower.n_cols, sizeof **g->harm)))
            return 0;
    }
    return 1;
}

static void free_desks(growth *g, unsigned threads)
{
    for (unsigned i = 0; g->desks && i < threads; i++) ct_desk_free(&g->desks[i]);
    for (unsigned i = 0; g->harm && i < threads; i++) ct_free(g->harm[i]);
    ct_free(g->desks);
    ct_free(g->harm);
}

/* Trees that were complete move together. */
static void close_gaps(ct_hist_forest *forest)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++)
        if (forest->trees[i].nodes) forest->trees[n++] = forest->trees[i];
    forest->n_trees = n;
}

static double bytes_wanted(const growth *g, unsigned threads)
{
    double width = g->grower.n_classes ? g->grower.n_classes : 1, rows = g->grower.n_rows;
    return ct_desk_bytes(&g->grower) * threads + (g->options->oob ? rows * (8 * width + 4) : 0) +
           12 * rows;
}

static ct_status run(growth *g, unsigned threads, ct_error *error)
{
    double bytes = bytes_wanted(g, threads);
    if (bytes > (double) g->options->memory_limit)
        return ct_fail(error, CT_NO_MEMORY,
                       "%.0f MB of memory are needed to begin, more than the limit", bytes / 1e6);
    g->bytes = (int64_t) bytes;
    g->forest->trees = (ct_hist_tree *) zeroed(g->options->n_trees, sizeof *g->forest->trees);
    if (g->forest->trees) g->forest->n_trees = g->options->n_trees;
    if (!g->forest->trees || !make_extra(g) || !make_desks(g, threads))
        return ct_fail(error, CT_NO_MEMORY, "no memory to grow trees");
    ct_loop loop = {g->options->n_trees, 1, CT_DYNAMIC, threads, grow_trees, g, &g->stop};
    ct_parallel_for(&loop);
    close_gaps(g->forest);
    /* a learner was interrupted, or will have no more of it */
    if (!g->end && !g->no_memory && g->forest->n_trees < g->options->n_trees)
        g->end = CT_HIST_INTERRUPTED;
    if (g->no_memory) {
        if (!g->forest->n_trees) return ct_fail(error, CT_NO_MEMORY, "no memory to grow a tree");
        g->end = CT_HIST_MEMORY;
    }
    g->extra->end = (ct_hist_end) g->end;
    g->extra->seconds = ct_seconds() - g->start;
    return CT_OK;
}

static ct_status check(const ct_hist_data *data, const ct_hist_options *o, ct_error *error)
{
    const ct_codes *codes = data->codes;
    if (data->n_classes > CT_HIST_CLASSES)
        return ct_fail(error, CT_BAD_INPUT, "there can be at most %d classes, not %lu",
                       CT_HIST_CLASSES, (unsigned long) data->n_classes);
    if (codes->n_cols > CT_HIST_COLUMNS)
        return ct_fail(error, CT_BAD_INPUT, "there can be at most %d columns, not %lu",
                       CT_HIST_COLUMNS, (unsigned long) codes->n_cols);
    if (!codes->n_rows || !codes->n_cols || !o->n_trees || !o->mtry || o->mtry > codes->n_cols ||
        !o->sample || o->sample > (o->replace ? UINT32_C(1) << 30 : codes->n_rows) ||
        (!o->replace && data->sampling) || (o->learn && !data->n_classes))
        return ct_fail(error, CT_BAD_INPUT, "no such forest can be grown from such data");
    return CT_OK;
}

ct_status ct_hist_grow(const ct_hist_data *data, const ct_hist_options *options,
                       ct_hist_forest *forest, ct_hist_extra *extra, ct_error *error)
{
    growth g;
    unsigned threads = options->threads ? options->threads : 1;
    if (threads > options->n_trees) threads = options->n_trees;
    if (options->learn) threads = 1;
    memset(&g, 0, sizeof g);
    memset(forest, 0, sizeof *forest);
    memset(extra, 0, sizeof *extra);
    CT_TRY(check(data, options, error));
    g.options = options;
    g.forest = forest;
    g.extra = extra;
    g.start = ct_seconds();
    g.stop.asked = asked;
    g.stop.data = &g;
    forest->n_classes = data->n_classes;
    forest->n_cols = data->codes->n_cols;
    ct_lock_init(&g.lock);
    ct_status status = ct_grower_init(&g.grower, data, options, error);
    if (status == CT_OK) status = run(&g, threads, error);
    free_desks(&g, threads);
    ct_grower_free(&g.grower);
    ct_lock_free(&g.lock);
    return status;
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
    memset(extra, 0, sizeof *extra);
}

/* ---- hash ---- */

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_tree(uint64_t hash, const ct_hist_tree *tree, uint32_t n_classes)
{
    hash = mixed(mixed(hash, tree->number), tree->n_nodes);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const ct_hist_node *node = &tree->nodes[i];
        hash = mixed(hash,
                     (uint64_t) node->next << 32 | (uint32_t) node->feature << 16 | node->cut);
    }
    for (size_t i = 0; i < (size_t) tree->n_leaves * (n_classes ? n_classes : 1); i++)
        hash = mixed(hash, tree->counts[i]);
    for (uint32_t i = 0; tree->means && i < tree->n_leaves; i++) {
        uint64_t bits;
        memcpy(&bits, &tree->means[i], sizeof bits);
        hash = mixed(hash, bits);
    }
    return hash;
}

uint64_t ct_hist_hash(const ct_hist_forest *forest)
{
    uint64_t hash = forest->n_classes;
    for (uint32_t i = 0; i < forest->n_trees; i++)
        hash = hash_tree(hash, &forest->trees[i], forest->n_classes);
    return hash;
}
