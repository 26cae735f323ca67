#include "forest/grower.h"

#include <math.h>

#include "base/memory.h"
#include "forest/grow/subtree.h"
#include "forest/grow/quantise.h"

/* Rows of a node that get columns of their own: they fit the nearer caches. */
enum { BLOCK = 16384 };

static int order_by_class(ct_grower *g)
{
    uint32_t n_ends = g->n_classes ? g->n_classes : 1;
    const int32_t *classes = g->data->classes;
    g->order = (uint32_t *) ct_alloc(g->n_rows * sizeof *g->order);
    g->class_end = (uint32_t *) ct_alloc_zeroed(n_ends, sizeof *g->class_end);
    g->places = classes ? (uint32_t *) ct_alloc(g->n_rows * sizeof *g->places) : NULL;
    if (!g->order || !g->class_end || (classes && !g->places)) return 0;
    for (uint32_t row = 0; row < g->n_rows; row++) g->class_end[classes ? classes[row] : 0]++;
    for (uint32_t c = 0, before = 0; c < n_ends; c++) {
        uint32_t n = g->class_end[c];
        g->class_end[c] = before; /* its begin, which the rows move on to its end */
        before += n;
    }
    for (uint32_t row = 0; row < g->n_rows; row++) {
        const uint32_t place = g->class_end[classes ? classes[row] : 0]++;
        g->order[place] = row;
        if (classes) g->places[row] = place;
    }
    return 1;
}

/* Weights of columns as whole numbers of about 31 bits together, none of them 0 that was not. */
static int sum_weights(ct_grower *g)
{
    const double *weights = g->data->column_weights;
    uint32_t now = 0;
    double largest = 0, sum = 0;
    if (!weights) return 1;
    g->column_upto = (uint32_t *) ct_alloc(g->n_cols * sizeof *g->column_upto);
    if (!g->column_upto) return 0;
    for (uint32_t col = 0; col < g->n_cols; col++) largest = fmax(largest, weights[col]);
    for (uint32_t col = 0; col < g->n_cols; col++) sum += weights[col] / largest;
    for (uint32_t col = 0; col < g->n_cols; col++) {
        const uint32_t own = (uint32_t) (weights[col] / largest / sum * 2147483648.0);
        now += own ? own : weights[col] > 0;
        g->column_upto[col] = now;
    }
    return 1;
}

static int make_logs(ct_grower *g)
{
    const uint32_t most = g->options->sample;
    if (g->criterion->score != CT_SCORE_ENTROPY) return 1;
    g->lift = ct_entropy_lift(g->n_classes);
    g->logs = (double *) ct_alloc(((size_t) most + 1) * sizeof *g->logs);
    if (g->logs) ct_forest_entropy_logs(g->logs, most, g->lift);
    return g->logs != NULL;
}

static uint32_t weight_of_leaves(const ct_hist_options *o)
{
    const uint32_t least = o->min_bucket > 1 ? 2 * o->min_bucket - 1 : 0;
    return o->min_n > least ? o->min_n : least;
}

ct_status ct_forest_grower_init(ct_grower *g, const ct_hist_data *data,
                                const ct_hist_options *options, ct_error *error)
{
    CT_ASSERT(!data->classes == !data->n_classes);
    *g = (ct_grower){.data = data, .options = options, .codes = data->codes,
                     .n_rows = data->codes->n_rows, .n_cols = data->codes->n_cols,
                     .n_classes = data->n_classes, .scan = ct_scan_at(options->simd),
                     .leaf_weight = weight_of_leaves(options),
                     .block = options->block ? options->block : BLOCK,
                     .gain_scale = ldexp(1, 20), .out_words.n = 1, .gain_words.n = 1,
                     .harm_words.n = 1, .need_out = options->oob || options->permutation};
    g->criterion = ct_forest_find_criterion(options->rule,
                                            g->n_classes ? CT_OF_CLASSES : CT_OF_NUMBERS);
    if (ct_hist_sampler_init(&g->sampler, g->n_rows, data->sampling) != CT_OK ||
        !order_by_class(g) || !sum_weights(g) || !make_logs(g) ||
        (!g->n_classes && !ct_forest_quantise(g)))
        return ct_fail(error, CT_NO_MEMORY, "no memory to grow from %lu rows",
                       (unsigned long) g->n_rows);
    if (data->monotone && g->is_wide)
        return ct_fail(error, CT_BAD_INPUT,
                       "'monotone' is not for responses of which some are far from all others");
    g->sampler.scan = g->scan;
    for (uint32_t col = 0; col < g->n_cols; col++)
        g->has_missing |= data->codes->columns[col].has_missing;
    g->has_subtrees = ct_forest_may_have_subtrees(g);
    return CT_OK;
}

void ct_forest_grower_free(ct_grower *g)
{
    ct_hist_sampler_free(&g->sampler);
    ct_free(g->order);
    ct_free(g->places);
    ct_free(g->class_end);
    ct_free(g->column_upto);
    ct_free(g->logs);
    ct_free(g->quantised);
    ct_free(g->exposure);
}
