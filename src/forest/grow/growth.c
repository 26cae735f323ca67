#include "base/compact.h"

#include "forest/grow/growth.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "forest/grow/permute.h"

/* ---- stopping ---- */

/* Growing ends, from any thread. */
static void halt(ct_growth *g, ct_hist_end end)
{
    ct_atomic_write(&g->end, end);
    ct_halt_set(&g->stop);
}

static int check_end(void *data)
{
    ct_growth *g = (ct_growth *) data;
    double seconds = ct_seconds() - g->start;
    if (g->options->report)
        g->options->report(g->options->calls, (uint32_t) ct_atomic_read(&g->n_done), seconds);
    if (g->options->stop && g->options->stop(g->options->calls))
        halt(g, CT_HIST_INTERRUPTED);
    else if (seconds > g->options->time_limit) halt(g, CT_HIST_TIME);
    return 0;
}

/* ---- trees ---- */

int64_t ct_forest_growth_quantise(const ct_growth *g, double number)
{
    CT_ASSERT(g->extra->unit > 0 && isfinite(number));
    return llround((number - g->extra->centre) / g->extra->unit);
}

/* Integers of a row in the units of out-of-bag sums. */
static uint32_t out_width(const ct_growth *g)
{
    return g->grower.n_classes ? g->grower.n_classes : g->grower.out_words.n;
}

void ct_forest_growth_add_words(const ct_words *words, uint32_t n_cols, int64_t *tree, int64_t *all)
{
    CT_ASSERT(words->n > 0 && tree && all);
    for (uint32_t col = 0; col < n_cols; col++, tree += words->n, all += words->n) {
        ct_words_carry(words, tree);
        for (uint32_t k = 0; k < words->n; k++) all[k] += tree[k];
    }
}

int ct_forest_growth_reserve(ct_growth *g, uint32_t n_nodes, uint32_t n_leaves, uint32_t n_members)
{
    CT_ASSERT(n_nodes % 2 == 1 && g->forest->trees);
    const ct_hist_tree *tree = NULL;
    size_t leaf = ct_forest_leaf_width(g->grower.n_classes) * sizeof *tree->counts +
                  (g->grower.n_classes ? 0 : sizeof *tree->means) +
                  (g->grower.data->ranks ? sizeof *tree->ends : 0),
           own = n_nodes * sizeof *tree->nodes + n_leaves * leaf +
                 n_members * sizeof *tree->members;
    (void) tree;
    if ((size_t) ct_atomic_add(&g->bytes, (int64_t) own) <= g->options->memory_limit) return 1;
    halt(g, CT_HIST_MEMORY);
    return 0;
}

void ct_forest_growth_put(ct_growth *g, uint32_t place, const ct_hist_tree *tree)
{
    CT_ASSERT(place < g->forest->n_trees && tree->nodes && tree->n_nodes % 2 == 1);
    g->forest->trees[place] = *tree;
    ct_atomic_add(&g->n_done, 1);
}

/* ---- beginning ---- */

static ct_status check_draws(const ct_hist_data *data, const ct_hist_options *o, ct_error *error)
{
    uint32_t n_weights = 0;
    for (uint32_t col = 0; data->column_weights && col < data->codes->n_cols; col++)
        n_weights += data->column_weights[col] > 0;
    if (data->n_always > o->mtry || o->min_bucket > UINT32_C(1) << 30 ||
        (data->column_weights && o->mtry - data->n_always > n_weights) ||
        (o->min_bucket > 1 && o->learn) || (o->holdout && !data->sampling) ||
        (data->drawn && data->sampling) || !(o->honesty >= 0 && o->honesty < 1) ||
        !(o->prior >= 0) ||
        (data->monotone && (data->n_classes > 2 || data->survival || data->exposure || o->learn ||
                            o->honesty > 0)) ||
        (data->exposure && (data->n_classes || data->ranks || o->permutation || o->learn)))
        return ct_fail(error, CT_BAD_INPUT, "no such trees can be drawn");
    return CT_OK;
}

static ct_status check(const ct_hist_data *data, const ct_hist_options *o, ct_error *error)
{
    const ct_hist_codes *codes = data->codes;
    if (data->n_classes > CT_HIST_MOST_CLASSES)
        return ct_fail(error, CT_BAD_INPUT, "there can be at most %d classes, not %lu",
                       CT_HIST_MOST_CLASSES, (unsigned long) data->n_classes);
    if (ct_hist_is_many(data->n_classes) && o->learn)
        return ct_fail(error, CT_BAD_INPUT, "a learner can have at most %d classes, not %lu",
                       CT_HIST_CLASSES, (unsigned long) data->n_classes);
    if (codes->n_cols > CT_HIST_COLUMNS)
        return ct_fail(error, CT_BAD_INPUT, "there can be at most %d columns, not %lu",
                       CT_HIST_COLUMNS, (unsigned long) codes->n_cols);
    if (!ct_forest_find_criterion(o->rule, data->n_classes ? CT_OF_CLASSES : CT_OF_NUMBERS) ||
        !codes->n_rows || !codes->n_cols || !o->n_trees || !o->mtry || o->mtry > codes->n_cols ||
        !o->sample || o->sample > (o->replace ? UINT32_C(1) << 30 : codes->n_rows) ||
        (!o->replace && data->sampling) || (o->learn && !data->n_classes) ||
        (o->local && !o->permutation) ||
        (data->survival && (!data->ranks || !data->n_times || o->permutation)) ||
        (data->ranks && (data->n_classes || codes->n_rows > UINT32_C(1) << CT_HIST_MEMBER_BITS)))
        return ct_fail(error, CT_BAD_INPUT, "no such forest can be grown from such data");
    return check_draws(data, o, error);
}

ct_status ct_forest_growth_begin(ct_growth *g, const ct_hist_data *data,
                                 const ct_hist_options *options, ct_hist_forest *forest,
                                 ct_hist_extra *extra, ct_error *error)
{
    CT_ASSERT(data && options && forest && extra);
    memset(g, 0, sizeof *g);
    memset(forest, 0, sizeof *forest);
    memset(extra, 0, sizeof *extra);
    ct_lock_init(&g->lock);
    CT_TRY(check(data, options, error));
    g->options = options;
    g->forest = forest;
    g->extra = extra;
    g->start = ct_seconds();
    g->stop.asked = check_end;
    g->stop.data = g;
    forest->n_classes = data->n_classes;
    forest->n_cols = data->codes->n_cols;
    CT_TRY(ct_forest_grower_init(&g->grower, data, options, error));
    if (options->local && g->grower.is_wide)
        return ct_fail(error, CT_BAD_INPUT,
                       "there is no local importance where responses are so far from each other");
    return CT_OK;
}

void ct_forest_growth_free(ct_growth *g)
{
    ct_forest_grower_free(&g->grower);
    ct_lock_free(&g->lock);
}

static int make_extra(ct_growth *g)
{
    ct_hist_extra *extra = g->extra;
    const ct_grower *grower = &g->grower;
    const size_t n_rows = grower->n_rows, n_cols = grower->n_cols, width = out_width(g);
    const double size = grower->exposure ? grower->exposure_unit : 1,
                 square = grower->n_classes ? 1 : grower->unit * grower->unit / size;
    extra->out_words = grower->out_words.n;
    extra->gain_words = grower->gain_words.n;
    extra->harm_words = grower->harm_words.n;
    if (g->options->gains)
        extra->gains = (int64_t *) ct_alloc_zeroed(n_cols * extra->gain_words,
                                                   sizeof *extra->gains);
    extra->gain_unit = extra->gain_words == 1 ? square / grower->gain_scale
                                              : ldexp(1, grower->gain_words.low) / size;
    extra->centre = grower->centre;
    extra->unit = ldexp(1, grower->out_words.low);
    extra->harm_unit = ct_forest_permute_unit(grower);
    extra->local_unit = ct_forest_local_unit(grower);
    if (g->options->local)
        extra->local = (int64_t *) ct_alloc_zeroed(n_rows * n_cols, sizeof *extra->local);
    if (g->options->oob) {
        extra->oob_sums = (int64_t *) ct_alloc_zeroed(n_rows * width, sizeof *extra->oob_sums);
        extra->oob_trees = (uint32_t *) ct_alloc_zeroed(n_rows, sizeof *extra->oob_trees);
    }
    if (g->options->permutation)
        extra->harm = (int64_t *) ct_alloc_zeroed(n_cols * extra->harm_words, sizeof *extra->harm);
    return (extra->gains || !g->options->gains) && (extra->oob_sums || !g->options->oob) &&
           (extra->oob_trees || !g->options->oob) && (extra->harm || !g->options->permutation) &&
           (extra->local || !g->options->local);
}

ct_status ct_forest_growth_prepare(ct_growth *g, double bytes, ct_error *error)
{
    CT_ASSERT(bytes >= 0 && !g->forest->trees && g->options->n_trees > 0);
    const double width = out_width(g), rows = g->grower.n_rows;
    bytes += (g->options->oob ? rows * (8 * width + 4) : 0) + 12 * rows +
             (g->grower.logs ? 8.0 * g->options->sample : 0) +
             (g->options->local ? 8 * rows * g->grower.n_cols : 0);
    if (bytes > (double) g->options->memory_limit)
        return ct_fail(error, CT_NO_MEMORY,
                       "%.0f MB of memory are needed to begin, more than the limit", bytes / 1e6);
    g->bytes = (int64_t) bytes;
    g->forest->trees = (ct_hist_tree *) ct_alloc_zeroed(g->options->n_trees,
                                                        sizeof *g->forest->trees);
    if (g->forest->trees) g->forest->n_trees = g->options->n_trees;
    if (!g->forest->trees || !make_extra(g))
        return ct_fail(error, CT_NO_MEMORY, "no memory to grow trees");
    return CT_OK;
}

/* ---- the end ---- */

static void close_gaps(ct_hist_forest *forest)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++)
        if (forest->trees[i].nodes) forest->trees[n++] = forest->trees[i];
    forest->n_trees = n;
}

ct_status ct_forest_growth_end(ct_growth *g, ct_error *error)
{
    CT_ASSERT(g->forest->n_trees <= g->options->n_trees);
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
