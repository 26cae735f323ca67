#include "base/compact.h"

#include "forge/offload/functions.h"

#include "forge/offload/kernels.h"

/* Enough slices of the trees to occupy all threads of a device, of a least number of trees each,
 * since each slice takes memory for sums. */
static uint32_t slices_of(const ct_forged_view *f, uint32_t n_rows)
{
    enum { THREADS = 1 << 17, TREES = 16 };
    uint32_t by_trees = f->n_trees / TREES;
    uint64_t sums = (uint64_t) n_rows * f->n_outputs, by_threads = THREADS / (sums ? sums : 1);
    if (!f->any_order || by_trees < 2 || by_threads < 2) return 1;
    if (by_trees > CT_FORGE_MOST_SLICES - 1) by_trees = CT_FORGE_MOST_SLICES - 1;
    return by_threads < by_trees ? (uint32_t) by_threads : by_trees;
}

uint32_t ct_forge_functions_rows(const ct_forged_view *f)
{
    CT_ASSERT(f->n_trees > 0 && f->n_outputs > 0);
    enum { MOST_ROWS = 1 << 18, WORD = 32 };
    uint32_t a_row = f->n_trees > f->n_outputs ? f->n_trees : f->n_outputs, a_word = f->n_groups;
    if (f->n_searches > a_word) a_word = f->n_searches;
    if (f->n_code_tests > a_word) a_word = f->n_code_tests;
    uint32_t words = UINT32_MAX / (a_word > WORD * a_row ? a_word : WORD * a_row);
    return words < MOST_ROWS / WORD ? WORD * words : MOST_ROWS;
}

static size_t cut_rows(const ct_forged_view *f, char *memory, uint32_t n_rows,
                       ct_forge_rows_view *rows)
{
    ct_gpu_cutter c = {memory, 0};
    const size_t words = (n_rows + 31) / 32, word = sizeof(uint32_t);
    rows->n_rows = n_rows;
    rows->words = (uint32_t) words;
    rows->n_slices = slices_of(f, n_rows);
    rows->ranks = (uint32_t *) ct_gpu_cut(&c, f->n_searches * words * CT_FORGE_RANK_PLANES * word);
    rows->tests = (uint32_t *) ct_gpu_cut(&c, f->n_planes * words * word);
    rows->leaves = (uint32_t *) ct_gpu_cut(
        &c, f->n_trees * word * (f->networks ? CT_FORGE_LEAF_WORDS * words : n_rows));
    rows->sums = ct_gpu_cut(&c, (size_t) rows->n_slices * f->n_outputs * 32 * words *
                                    (f->wide_sums ? sizeof(double) : sizeof(float)));
    return c.used;
}

size_t ct_forge_functions_scratch(const void *of, uint32_t n_rows)
{
    CT_ASSERT(of && n_rows > 0);
    ct_forge_rows_view planned;
    return cut_rows((const ct_forged_view *) of, NULL, n_rows, &planned);
}

static ct_status launch(const ct_forge_pass *pass, ct_forged_kernel kernel, ct_gpu_grid grid,
                        const ct_forged_views *views)
{
    if (!grid.items) return CT_OK;
    return ct_gpu_launch(&pass->stream, &ct_forged_kernels[kernel], grid, views);
}

static ct_status launch_networks(const ct_forge_pass *pass, const ct_forged_views *v)
{
    const ct_forged_view *f = &v->forest;
    const size_t words = v->rows.words, sums = (size_t) v->rows.n_slices * f->n_outputs;
    CT_TRY(launch(pass, CT_FORGED_VALUES, ct_gpu_warps(f->n_searches * words), v));
    CT_TRY(launch(pass, CT_FORGED_TESTS, ct_gpu_threads(f->n_groups * words), v));
    CT_TRY(launch(pass, CT_FORGED_CODES, ct_gpu_warps(f->n_code_tests * words), v));
    CT_TRY(launch(pass, CT_FORGED_NETWORKS, ct_gpu_threads(f->n_trees * words), v));
    return launch(pass, CT_FORGED_LEAVES, ct_gpu_threads(sums * CT_FORGE_LEAF_WORDS * words), v);
}

static ct_status launch_walks(const ct_forge_pass *pass, const ct_forged_views *v)
{
    const size_t n = v->rows.n_rows, sums = (size_t) v->rows.n_slices * v->forest.n_outputs;
    CT_TRY(launch(pass, CT_FORGED_WALKS, ct_gpu_threads(v->forest.n_trees * n), v));
    return launch(pass, CT_FORGED_NODES, ct_gpu_threads(sums * n), v);
}

ct_status ct_forge_functions_predict(const void *of, const ct_forge_pass *pass)
{
    CT_ASSERT(of && pass->n > 0 && pass->n <= pass->capacity && pass->scratch);
    ct_forged_views v;
    v.forest = *(const ct_forged_view *) of;
    (void) cut_rows(&v.forest, pass->scratch, pass->n, &v.rows);
    v.rows.x = pass->x;
    v.rows.out = pass->out;
    CT_TRY(v.forest.networks ? launch_networks(pass, &v) : launch_walks(pass, &v));
    return launch(pass, CT_FORGED_SUMS, ct_gpu_threads((size_t) pass->n * v.forest.n_outputs),
                  &v);
}
