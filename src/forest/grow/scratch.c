#include "base/compact.h"

#include "forest/grow/scratch.h"

#include <string.h>

#include "base/memory.h"
#include "forest/split/split.h"

static int needs_blocks(const ct_grower *g) { return g->n_rows > g->block; }
static int needs_patches(const ct_grower *g) { return g->n_rows > CT_MEDIUM_ROWS; }

static int has_many(const ct_grower *g) { return ct_hist_is_many(g->n_classes); }
static uint32_t most_counted(const ct_grower *g)
{
    return has_many(g) ? CT_HIST_CLASSES : g->n_classes;
}

/* Calls for each array of a scratch: member, elements, whether it is needed. */
#define SCRATCH_ARRAYS(X)                                                                          \
    X(rows.items, (size_t) g->n_rows + CT_PARTITION_PAD, 1)                                        \
    X(partition.items, (size_t) g->n_rows + CT_PARTITION_PAD, 1)                                   \
    X(rows.counts, g->n_rows, 1)                                                                   \
    X(rows.fills, g->n_rows, g->options->honesty > 0)                                              \
    X(rows.out, g->n_rows, g->need_out)                                                            \
    X(left_out.spare, g->n_rows, g->need_out)                                                      \
    X(left_out.row, g->n_rows, g->need_out)                                                        \
    X(left_out.leaf, g->n_rows, g->need_out)                                                       \
    X(copies.table_quantised, g->n_rows, g->has_own_quantised)                                     \
    X(copies.block_bins, (size_t) g->n_cols *ct_block_rows(g), needs_blocks(g))                    \
    X(copies.block_quantised, ct_block_rows(g), needs_blocks(g) && !g->n_classes)                  \
    X(copies.block_exposure, ct_block_rows(g), needs_blocks(g) && g->exposure)                     \
    X(copies.block_rows, ct_block_rows(g), needs_blocks(g))                                        \
    X(copies.patch_codes, (size_t) g->n_cols *CT_PATCH_ROWS, needs_patches(g))                     \
    X(copies.patch_quantised, CT_PATCH_ROWS, needs_patches(g) && !g->n_classes)                    \
    X(copies.patch_exposure, CT_PATCH_ROWS, needs_patches(g) && g->exposure)                       \
    X(copies.patch_rows, CT_PATCH_ROWS, needs_patches(g))                                          \
    X(partition.level_bins, CT_PATCH_ROWS, needs_patches(g))                                       \
    X(search.medium_codes, (size_t) 2 * CT_LANES * (CT_MEDIUM_ROWS + CT_MEDIUM_PAD), 1)            \
    X(search.medium_bins, (size_t) CT_LANES *(CT_MEDIUM_ROWS + CT_MEDIUM_PAD), 1)                  \
    X(search.columns, g->n_cols, 1)                                                                \
    X(search.places, g->n_cols, 1)                                                                 \
    X(waiting.runs, (size_t) CT_TASKS *ct_runs_of(g), 1)                                           \
    X(partition.left_runs, ct_runs_of(g), 1)                                                       \
    X(search.histograms, (size_t) CT_HISTOGRAM_STRIDE *most_counted(g), g->n_classes > 0)          \
    X(search.run_of, g->n_rows, has_many(g))                                                       \
    X(search.sorted, g->n_rows, has_many(g))                                                       \
    X(search.bin_ends, CT_HIST_BIN_ROWS, has_many(g))                                              \
    X(search.others, g->n_classes, has_many(g))                                                    \
    X(search.sides, g->n_classes, has_many(g))                                                     \
    X(search.of_levels, (size_t) (CT_HIST_SET_LEVELS + 1) * g->n_classes, has_many(g))             \
    X(search.packed, CT_HIST_BIN_ROWS *CT_LANES, g->n_classes == 0)                                \
    X(search.sums, CT_HIST_BIN_ROWS *CT_LANES, g->n_classes == 0)                                  \
    X(search.exposures, CT_HIST_BIN_ROWS *CT_LANES, g->exposure != NULL)                           \
    X(search.weights, CT_HIST_BIN_ROWS *CT_LANES, g->n_classes == 0 || has_many(g))                \
    X(tree.gains, (size_t) g->n_cols * g->gain_words.n, 1)

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
    ct_copies *copies = &scratch->copies;
    const int32_t *quantised = scratch->grower->has_own_quantised ? copies->table_quantised
                                                          : scratch->grower->quantised;
    copies->views[CT_IN_TABLE] = (ct_view){.codes = codes->codes,
                                           .code_stride = n,
                                           .bins = codes->bins,
                                           .bin_stride = n,
                                           .quantised = quantised,
                                           .exposure = scratch->grower->exposure};
    copies->views[CT_IN_BLOCK] = (ct_view){.codes = codes->codes,
                                           .code_stride = n,
                                           .code_rows = copies->block_rows,
                                           .bins = copies->block_bins,
                                           .bin_stride = ct_block_rows(scratch->grower),
                                           .quantised = copies->block_quantised,
                                           .exposure = copies->block_exposure,
                                           .rows = copies->block_rows};
    copies->views[CT_IN_PATCH] = (ct_view){.codes = copies->patch_codes,
                                           .code_stride = CT_PATCH_ROWS,
                                           .quantised = copies->patch_quantised,
                                           .exposure = copies->patch_exposure,
                                           .rows = copies->patch_rows};
}

ct_status ct_hist_scratch_init(ct_hist_scratch *scratch, const ct_grower *g, unsigned number,
                               ct_halt *stop)
{
    CT_ASSERT(g->n_rows > 0 && g->n_cols > 0);
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
    scratch->search.n_cols = g->n_cols;
    ct_forest_begin_columns(&scratch->search, g);
    for (uint32_t i = 0; i < CT_TASKS; i++)
        scratch->waiting.tasks[i].runs = scratch->waiting.runs + (size_t) i * ct_runs_of(g);
    make_views(scratch);
    return CT_OK;
}

void ct_hist_scratch_free(ct_hist_scratch *scratch)
{
#define FREE(member, n, wanted) ct_free(scratch->member);
    SCRATCH_ARRAYS(FREE)
#undef FREE
    ct_free(scratch->tree.nodes);
    ct_free(scratch->tree.leaf_counts);
    ct_free(scratch->tree.means);
    ct_free(scratch->tree.members);
    ct_free(scratch->tree.ends);
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
