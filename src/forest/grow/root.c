#include "forest/grow/root.h"

#include <math.h>

#include "forest/grow/nodes.h"
#include "forest/sample/paths.h"

/* Of the rows left out those that no tree has. */
static void keep_held_out(ct_hist_scratch *scratch, ct_hist_task *root)
{
    uint32_t *out = scratch->rows.out, n = 0;
    for (uint32_t i = 0; i < root->n_out; i++) {
        const uint32_t row = out[i];
        out[n] = row;
        n += !(scratch->grower->data->sampling[row] > 0);
    }
    root->n_out = n;
}

static void find_out(ct_hist_scratch *scratch, ct_hist_task *root)
{
    const ct_grower *g = scratch->grower;
    const uint32_t *counts = scratch->rows.counts, *fills = scratch->rows.fills;
    for (uint32_t i = 0; i < g->n_rows; i++) {
        const uint32_t place = g->places ? g->places[i] : i;
        scratch->rows.out[root->n_out] = i;
        root->n_out += (counts[place] | (fills ? fills[place] : 0)) == 0;
    }
    if (g->options->holdout) keep_held_out(scratch, root);
}

void ct_forest_make_root(ct_hist_scratch *scratch, const uint32_t *counts, int with_out,
                         ct_hist_task *root)
{
    CT_ASSERT(root->runs && counts);
    const ct_grower *g = scratch->grower;
    ct_runs all = {root->runs, 0, 0, 0};
    *root = (ct_hist_task){.runs = root->runs};
    root->path = CT_ROOT_PATH;
    root->exponent = g->exponent;
    root->low = -INFINITY, root->high = INFINITY;
    uint32_t begin = 0, weight;
    for (uint32_t c = 0; c < ct_runs_of(g); begin = g->class_end[c], c++) {
        const uint32_t n = g->scan->drawn(g->order + begin, counts + begin,
                                          g->class_end[c] - begin, scratch->rows.items + all.n,
                                          &weight);
        ct_add_run(&all, c, n, weight);
    }
    ct_put_runs(&all, root);
    if (with_out) find_out(scratch, root);
}

void ct_forest_draw_rows(ct_hist_scratch *scratch, uint32_t tree)
{
    CT_ASSERT(tree >= scratch->grower->options->first_tree);
    const ct_grower *g = scratch->grower;
    const ct_hist_options *options = g->options;
    uint32_t *counts = scratch->rows.counts;
    if (!g->data->drawn) {
        ct_hist_sample(&g->sampler, options->seed, tree, options->sample, options->replace,
                       g->places, counts);
    } else {
        const int32_t *drawn = g->data->drawn[tree - options->first_tree];
        for (uint32_t i = 0; i < g->n_rows; i++)
            counts[g->places ? g->places[i] : i] = (uint32_t) drawn[i];
    }
    if (scratch->rows.fills)
        ct_hist_halve(options->seed, tree, options->honesty, g->n_rows, g->places, counts,
                      scratch->rows.fills);
}
