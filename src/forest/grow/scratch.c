/* What trees share, and what a thread that grows them owns. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "forest/grow/subtree.h"
#include "forest/grow/whole.h"

/* Rows of a node that get columns of their own: they fit the nearer caches. */
enum { BLOCK = 16384 };

/* ---- what trees share ---- */

static int order_by_class(ct_grower *g)
{
    uint32_t n_ends = g->n_classes ? g->n_classes : 1;
    const int32_t *classes = g->data->classes;
    g->order = (uint32_t *) ct_alloc(g->n_rows * sizeof *g->order);
    g->class_end = (uint32_t *) ct_alloc(n_ends * sizeof *g->class_end);
    g->places = classes ? (uint32_t *) ct_alloc(g->n_rows * sizeof *g->places) : NULL;
    if (!g->order || !g->class_end || (classes && !g->places)) return 0;
    memset(g->class_end, 0, n_ends * sizeof *g->class_end);
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

ct_status ct_grower_init(ct_grower *g, const ct_hist_data *data, const ct_hist_options *options,
                         ct_error *error)
{
    CT_ASSERT(!data->classes == !data->n_classes);
    memset(g, 0, sizeof *g);
    g->data = data;
    g->options = options;
    g->codes = data->codes;
    g->scan = ct_scan_at(options->simd);
    g->n_rows = data->codes->n_rows;
    g->n_cols = data->codes->n_cols;
    g->n_classes = data->n_classes;
    g->block = options->block ? options->block : BLOCK;
    g->gain_scale = ldexp(1, 20);
    g->out_words.n = g->gain_words.n = g->harm_words.n = 1;
    g->need_out = options->oob || options->permutation;
    if (ct_hist_sampler_init(&g->sampler, g->n_rows, data->sampling) != CT_OK ||
        !order_by_class(g) ||
        (!g->n_classes && !ct_whole_init(g)))
        return ct_fail(error, CT_NO_MEMORY, "no memory to grow from %lu rows",
                       (unsigned long) g->n_rows);
    g->sampler.scan = g->scan;
    for (uint32_t col = 0; col < g->n_cols; col++)
        g->has_missing |= data->codes->columns[col].has_missing;
    g->has_subtrees = ct_may_have_subtrees(g);
    return CT_OK;
}

void ct_grower_free(ct_grower *g)
{
    ct_hist_sampler_free(&g->sampler);
    ct_free(g->order);
    ct_free(g->places);
    ct_free(g->class_end);
    ct_free(g->whole);
}

/* ---- what a thread owns ---- */

static int needs_blocks(const ct_grower *g) { return g->n_rows > g->block; }
static int needs_patches(const ct_grower *g) { return g->n_rows > CT_MEDIUM_ROWS; }

/* Calls for each array of a scratch: member, elements, whether it is needed. */
#define SCRATCH_ARRAYS(X)                                                           \
    X(items, (size_t) g->n_rows + CT_PART_PAD, 1)                                   \
    X(spare_items, (size_t) g->n_rows + CT_PART_PAD, 1)                             \
    X(counts, g->n_rows, 1)                                                         \
    X(out, g->n_rows, g->need_out)                                                  \
    X(spare_out, g->n_rows, g->need_out)                                            \
    X(out_row, g->n_rows, g->need_out)                                              \
    X(out_leaf, g->n_rows, g->need_out)                                             \
    X(table_whole, g->n_rows, g->is_wide)                                           \
    X(block_bins, (size_t) g->n_cols * ct_block_rows(g), needs_blocks(g))           \
    X(block_whole, ct_block_rows(g), needs_blocks(g) && !g->n_classes)              \
    X(block_rows, ct_block_rows(g), needs_blocks(g))                                \
    X(patch_codes, (size_t) g->n_cols * CT_PATCH_ROWS, needs_patches(g))            \
    X(patch_whole, CT_PATCH_ROWS, needs_patches(g) && !g->n_classes)                \
    X(patch_rows, CT_PATCH_ROWS, needs_patches(g))                                  \
    X(level_bins, CT_PATCH_ROWS, needs_patches(g))                                  \
    X(medium_codes, (size_t) 2 * CT_LANES * (CT_MEDIUM_ROWS + CT_MEDIUM_PAD), 1)        \
    X(medium_bins, (size_t) CT_LANES * (CT_MEDIUM_ROWS + CT_MEDIUM_PAD), 1)         \
    X(columns, g->n_cols, 1)                                                        \
    X(places, g->n_cols, 1)                                                         \
    X(runs, (size_t) CT_TASKS * ct_runs_of(g), 1)                                      \
    X(left_runs, ct_runs_of(g), 1)                                                     \
    X(histograms, (size_t) CT_HIST_BIN_ROWS * CT_LANES * g->n_classes, g->n_classes > 0) \
    X(packed, CT_HIST_BIN_ROWS * CT_LANES, g->n_classes == 0)                       \
    X(sums, CT_HIST_BIN_ROWS * CT_LANES, g->n_classes == 0)                         \
    X(weights, CT_HIST_BIN_ROWS * CT_LANES, g->n_classes == 0)                      \
    X(gains, (size_t) g->n_cols * g->gain_words.n, 1)

/* As ct_alloc. C++ wants what is assigned to have its type, hence the place in between. */
static int take(void *place, size_t bytes)
{
    void *memory = ct_alloc(bytes);
    memcpy(place, &memory, sizeof memory);
    return memory != NULL;
}

static void make_views(ct_hist_scratch *scratch)
{
    const ct_hist_codes *codes = scratch->grower->codes;
    const size_t n = codes->n_rows;
    const int32_t *whole = scratch->grower->is_wide ? scratch->table_whole : scratch->grower->whole;
    scratch->views[CT_IN_TABLE] = (ct_view){codes->codes, n, NULL, codes->bins, n, whole, NULL};
    scratch->views[CT_IN_BLOCK] = (ct_view){codes->codes,
                                            n,
                                            scratch->block_rows,
                                            scratch->block_bins,
                                            ct_block_rows(scratch->grower),
                                            scratch->block_whole,
                                            scratch->block_rows};
    scratch->views[CT_IN_PATCH] = (ct_view){scratch->patch_codes, CT_PATCH_ROWS,     NULL, NULL, 0,
                                            scratch->patch_whole, scratch->patch_rows};
}

ct_status ct_hist_scratch_init(ct_hist_scratch *scratch, const ct_grower *g, unsigned number,
                               ct_halt *stop)
{
    int fine = 1;
    memset(scratch, 0, sizeof *scratch);
    scratch->grower = g;
    scratch->number = number;
    scratch->stop = stop;
#define TAKE(member, n, wanted) \
    if (fine && (wanted)) fine = take(&scratch->member, (n) * sizeof *scratch->member);
    SCRATCH_ARRAYS(TAKE)
#undef TAKE
    if (!fine) return CT_NO_MEMORY;
    for (uint32_t col = 0; col < g->n_cols; col++) scratch->columns[col] = col;
    make_views(scratch);
    return CT_OK;
}

void ct_hist_scratch_free(ct_hist_scratch *scratch)
{
#define FREE(member, n, wanted) ct_free(scratch->member);
    SCRATCH_ARRAYS(FREE)
#undef FREE
    ct_free(scratch->nodes);
    ct_free(scratch->leaf_counts);
    ct_free(scratch->means);
}

double ct_hist_scratch_bytes(const ct_grower *g)
{
    const ct_hist_scratch *scratch = NULL;
    double bytes = 0;
#define ADD(member, n, wanted) bytes += (wanted) ? (double) (n) * sizeof *scratch->member : 0;
    SCRATCH_ARRAYS(ADD)
#undef ADD
    (void) scratch;
    return bytes;
}
