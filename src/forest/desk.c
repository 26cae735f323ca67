/* What trees share, and what a thread that grows them owns. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "forest/subtree.h"
#include "forest/whole.h"

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
    if (ct_sampler_init(&g->sampler, g->n_rows, data->sampling) != CT_OK ||
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
    ct_sampler_free(&g->sampler);
    ct_free(g->order);
    ct_free(g->places);
    ct_free(g->class_end);
    ct_free(g->whole);
}

/* ---- what a thread owns ---- */

static int needs_blocks(const ct_grower *g) { return g->n_rows > g->block; }
static int needs_corners(const ct_grower *g) { return g->n_rows > CT_NEAR_ROWS; }

/* Calls for each array of a desk: member, elements, whether it is needed. */
#define DESK_ARRAYS(X)                                                              \
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
    X(corner_codes, (size_t) g->n_cols * CT_CORNER_ROWS, needs_corners(g))          \
    X(corner_whole, CT_CORNER_ROWS, needs_corners(g) && !g->n_classes)              \
    X(corner_rows, CT_CORNER_ROWS, needs_corners(g))                                \
    X(level_bins, CT_CORNER_ROWS, needs_corners(g))                                 \
    X(near_codes, (size_t) 2 * CT_LANES * (CT_NEAR_ROWS + CT_NEAR_PAD), 1)              \
    X(near_bins, (size_t) CT_LANES * (CT_NEAR_ROWS + CT_NEAR_PAD), 1)               \
    X(columns, g->n_cols, 1)                                                        \
    X(places, g->n_cols, 1)                                                         \
    X(runs, (size_t) CT_TASKS * ct_runs_of(g), 1)                                      \
    X(went, ct_runs_of(g), 1)                                                          \
    X(histograms, (size_t) CT_BIN_ROWS * CT_LANES * g->n_classes, g->n_classes > 0) \
    X(packed, CT_BIN_ROWS * CT_LANES, g->n_classes == 0)                            \
    X(sums, CT_BIN_ROWS * CT_LANES, g->n_classes == 0)                              \
    X(weights, CT_BIN_ROWS * CT_LANES, g->n_classes == 0)                           \
    X(gains, (size_t) g->n_cols * g->gain_words.n, 1)

/* As ct_alloc. C++ wants what is assigned to have its type, hence the place in between. */
static int take(void *place, size_t bytes)
{
    void *memory = ct_alloc(bytes);
    memcpy(place, &memory, sizeof memory);
    return memory != NULL;
}

static void make_views(ct_desk *desk)
{
    const ct_codes *codes = desk->grower->codes;
    const size_t n = codes->n_rows;
    const int32_t *whole = desk->grower->is_wide ? desk->table_whole : desk->grower->whole;
    desk->views[CT_IN_TABLE] = (ct_view){codes->codes, n, NULL, codes->bins, n, whole, NULL};
    desk->views[CT_IN_BLOCK] = (ct_view){codes->codes,
                                         n,
                                         desk->block_rows,
                                         desk->block_bins,
                                         ct_block_rows(desk->grower),
                                         desk->block_whole,
                                         desk->block_rows};
    desk->views[CT_IN_CORNER] = (ct_view){desk->corner_codes, CT_CORNER_ROWS,     NULL, NULL, 0,
                                          desk->corner_whole, desk->corner_rows};
}

ct_status ct_desk_init(ct_desk *desk, const ct_grower *g, unsigned number, ct_halt *stop)
{
    int fine = 1;
    memset(desk, 0, sizeof *desk);
    desk->grower = g;
    desk->number = number;
    desk->stop = stop;
#define TAKE(member, n, wanted) \
    if (fine && (wanted)) fine = take(&desk->member, (n) * sizeof *desk->member);
    DESK_ARRAYS(TAKE)
#undef TAKE
    if (!fine) return CT_NO_MEMORY;
    for (uint32_t col = 0; col < g->n_cols; col++) desk->columns[col] = col;
    make_views(desk);
    return CT_OK;
}

void ct_desk_free(ct_desk *desk)
{
#define FREE(member, n, wanted) ct_free(desk->member);
    DESK_ARRAYS(FREE)
#undef FREE
    ct_free(desk->nodes);
    ct_free(desk->leaf_counts);
    ct_free(desk->means);
}

double ct_desk_bytes(const ct_grower *g)
{
    const ct_desk *desk = NULL;
    double bytes = 0;
#define ADD(member, n, wanted) bytes += (wanted) ? (double) (n) * sizeof *desk->member : 0;
    DESK_ARRAYS(ADD)
#undef ADD
    (void) desk;
    return bytes;
}
