#include "forge/run.h"

#include <string.h>

#include "forge/blocks.h"

enum { TILE_BYTES = 1 << 20, MOST_TILE = 8192, LEAST_TILE = 64 };

typedef struct {
    const ct_forged *forged;
    const ct_column *columns;
    const ct_forge_planes *planes; /* NULL: walks */
    uint32_t n_rows, block;
    double *sums;
    int32_t *leaves;
    void **scratches; /* [worker] a ct_forge_block_scratch or a ct_forge_tile_scratch */
} job;

static void do_blocks(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const job *j = (const job *) data;
    uint32_t first = (uint32_t) begin, n = (uint32_t) (end - begin);
    void *scratch = j->scratches[worker];
    if (j->planes)
        ct_forge_block_predict(j->forged, j->planes, (ct_forge_block_scratch *) scratch, j->columns,
                               first, n, j->block, j->sums, j->n_rows);
    else if (j->sums)
        ct_forge_tile_predict(j->forged, (ct_forge_tile_scratch *) scratch, j->columns, first, n,
                              j->sums, j->n_rows);
    else
        ct_forge_tile_leaves(j->forged, (ct_forge_tile_scratch *) scratch, j->columns, first, n,
                             j->leaves, j->n_rows);
}

/* Rows that a worker takes at a time by planes: several blocks of whole words, if there are enough
 * for all workers. */
static uint32_t piece_rows(const ct_forged *f, uint32_t n_rows, uint32_t block, unsigned threads)
{
    CT_ASSERT(n_rows > 0 && threads > 0 && block > 0);
    uint32_t share = (n_rows - 1) / threads + 1, most = ct_forge_block_rows(f) / CT_FORGE_BLOCK;
    uint32_t n = (share - 1) / block + 1;
    if (n > most) n = most;
    return block % 64 ? block : block * n;
}

/* As many rows as stay in the cache, and no more than leave work for all threads. */
static uint32_t tile_rows(const ct_forged *f, uint32_t n_rows, unsigned threads)
{
    uint32_t fit = TILE_BYTES / (8 * (f->n_used ? f->n_used : 1)), share = n_rows / threads + 1;
    uint32_t rows = fit < share ? fit : share;
    if (rows < LEAST_TILE) rows = LEAST_TILE;
    if (rows > MOST_TILE) rows = MOST_TILE;
    return rows < n_rows ? rows : n_rows;
}

void ct_forge_scratch_pool_free(ct_forge_scratch_pool *scratches)
{
    if (scratches->n) ct_arena_free(&scratches->arena);
    memset(scratches, 0, sizeof *scratches);
}

/* Memory of the workers, each for a tile of rows; 0 if there is not enough. */
static int make_scratches(ct_forge_scratch_pool *scratches, const job *j, unsigned threads,
                          uint32_t rows)
{
    CT_ASSERT(threads > 0 && rows > 0);
    if (scratches->n >= threads) return 1;
    ct_forge_scratch_pool_free(scratches);
    scratches->budget.limit = SIZE_MAX / 2;
    scratches->n = threads;
    ct_arena_init(&scratches->arena, &scratches->budget);
    scratches->of = CT_ARENA_NEW(&scratches->arena, void *, threads);
    int ready = scratches->of != NULL;
    for (unsigned i = 0; ready && i < threads; i++) {
        ct_arena *arena = &scratches->arena;
        scratches->of[i] = j->planes ? (void *) ct_forge_block_scratch_new(j->forged, arena)
                                     : (void *) ct_forge_tile_scratch_new(j->forged, arena, rows);
        ready = scratches->of[i] != NULL;
    }
    if (!ready) ct_forge_scratch_pool_free(scratches);
    return ready;
}

static ct_status run_job(job *j, const ct_forge_run *run, ct_error *error)
{
    if (!j->n_rows) return CT_OK;
    unsigned threads = run->threads ? run->threads : 1;
    j->block = run->block ? run->block : CT_FORGE_BLOCK;
    uint32_t rows = j->planes ? piece_rows(j->forged, j->n_rows, j->block, threads)
                              : tile_rows(j->forged, j->n_rows, threads);
    uint32_t pieces = (j->n_rows - 1) / rows + 1;
    if (threads > pieces) threads = pieces;
    ct_forge_scratch_pool own = {0};
    ct_forge_scratch_pool *scratches = j->planes && run->kept ? run->kept : &own;
    if (!make_scratches(scratches, j, threads, rows))
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to predict");
    j->scratches = scratches->of;
    ct_loop loop = {j->n_rows, rows, CT_DYNAMIC, threads, do_blocks, j, run->stop};
    ct_parallel_for(&loop);
    ct_forge_scratch_pool_free(&own);
    return CT_OK;
}

/* The more tests a tree has of its own, the more rows it takes to pay for all of them, and for
 * codes: see bench/notes/forge.md. */
uint32_t ct_forged_planes_from(const ct_forged *f)
{
    CT_ASSERT(f->ensemble->n_trees > 0);
    enum { LEAST_ROWS = 8, MOST_ROWS = 32, DEEP_ROWS = 64, TESTS_A_ROW = 6 };
    if (!f->has_planes) return UINT32_MAX;
    uint32_t rows = LEAST_ROWS + f->n_tests / TESTS_A_ROW / f->ensemble->n_trees;
    uint32_t most = f->n_coded ? DEEP_ROWS : MOST_ROWS;
    return rows < most ? rows : most;
}

static ct_forge_way best_way(const ct_forged *f, uint32_t n_rows)
{
    return n_rows >= ct_forged_planes_from(f) ? CT_FORGE_WAY_PLANES : CT_FORGE_WAY_WALK;
}

ct_status ct_forged_predict(const ct_forged *f, const ct_column *columns, uint32_t n_rows,
                            const ct_forge_run *run, double *out, ct_error *error)
{
    CT_ASSERT(f->ensemble && f->ensemble->n_outputs > 0 && run->block <= CT_FORGE_BLOCK);
    ct_forge_way way = run->way == CT_FORGE_WAY_AUTO ? best_way(f, n_rows) : run->way;
    if (way == CT_FORGE_WAY_PLANES && !f->has_planes)
        return ct_fail(error, CT_BAD_INPUT, "leaves are linear models, or codes are too many");
    job j = {.forged = f, .columns = columns, .n_rows = n_rows, .sums = out,
             .planes = way == CT_FORGE_WAY_PLANES ? ct_forge_planes_at(run->simd) : NULL};
    return run_job(&j, run, error);
}

ct_status ct_forged_leaves(const ct_forged *f, const ct_column *columns, uint32_t n_rows,
                           const ct_forge_run *run, int32_t *out, ct_error *error)
{
    CT_ASSERT(f->ensemble && run->block <= CT_FORGE_BLOCK);
    job j = {.forged = f, .columns = columns, .n_rows = n_rows, .leaves = out};
    return run_job(&j, run, error);
}
