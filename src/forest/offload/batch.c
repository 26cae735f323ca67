#include "base/compact.h"

#include "forest/offload/batch.h"

#include <math.h>
#include <string.h>

#include "forest/offload/kernels.h"

enum { STAGED = 1 << 21, LEAST_TASKS = 64 };

/* ---- sizes ---- */

static uint32_t width_of(const ct_grow_table *table)
{
    return table->n_classes ? table->n_classes : 1;
}

static uint32_t chunks_of(double n)
{
    double chunks = ceil(n / CT_GROW_CHUNK);
    return chunks < 1 ? 1 : (uint32_t) chunks;
}

/* Words that `draws` take, all but certainly; if they take more, the last chunk goes on. */
static double words_of(uint32_t draws, uint32_t n_rows, int by_weight)
{
    const double n = by_weight ? 4294967295.0 : n_rows;
    const double refused = fmod(4294967296.0, n) / 4294967296.0, words = draws / (1 - refused);
    return words + 6 * sqrt(words * refused);
}

/* Nodes of a tree at most. */
static uint32_t nodes_of(uint32_t items, uint32_t depth)
{
    const uint32_t most = 2 * items - 1;
    return depth < 31 && (UINT32_C(2) << depth) - 1 < most ? (UINT32_C(2) << depth) - 1 : most;
}

ct_batch_plan ct_forest_batch_plan_of(const ct_grow_table *table, const ct_hist_options *options,
                                      uint32_t trees)
{
    CT_ASSERT(trees > 0 && table->n_rows > 0 && options->sample > 0);
    ct_batch_plan p = {.trees = trees, .draws = options->replace};
    p.capacity = options->sample < table->n_rows ? options->sample : table->n_rows;
    p.node_capacity = nodes_of(p.capacity, options->depth);
    const uint64_t items = (uint64_t) trees * p.capacity, leaves = p.node_capacity / 2 + 1;
    p.large = (uint32_t) (items / (CT_GROW_MEDIUM + 1)) + 1;
    p.chunks = (uint32_t) (items / CT_GROW_CHUNK) + p.large;
    p.medium = trees + 4 * p.large + LEAST_TASKS;
    p.row_chunks = chunks_of(table->n_rows);
    p.draw_chunks = chunks_of(words_of(options->sample, table->n_rows, table->upto != NULL));
    p.staged = STAGED < p.node_capacity ? p.node_capacity : STAGED;
    if (p.staged > (uint64_t) trees * p.node_capacity) p.staged = trees * p.node_capacity;
    p.leaves = (uint32_t) (leaves * trees < STAGED ? leaves * trees
                           : leaves < STAGED       ? (uint32_t) STAGED
                                                   : leaves);
    p.oob = options->oob;
    p.permutation = options->permutation;
    return p;
}

static void cut_level(ct_gpu_cutter *c, ct_grow_level *level, const ct_grow_table *table,
                      const ct_batch_plan *p)
{
    const size_t n = p->large;
    level->tasks = (ct_grow_task *) ct_gpu_cut(c, n * sizeof *level->tasks);
    level->classes =
        (ct_grow_count *) ct_gpu_cut(c, n * table->n_classes * sizeof *level->classes);
    level->sums = (int64_t *) ct_gpu_cut(c, n * sizeof *level->sums);
    level->first_chunk = (uint32_t *) ct_gpu_cut(c, n * sizeof *level->first_chunk);
    level->task_of = (uint32_t *) ct_gpu_cut(c, p->chunks * sizeof *level->task_of);
}

static void cut_trees(ct_gpu_cutter *c, ct_grow_batch *b, const ct_grow_table *table,
                      const ct_batch_plan *p)
{
    const size_t n = p->trees, rows = n * table->n_rows, items = n * p->capacity,
                 nodes = n * p->node_capacity;
    uint32_t chunks = p->draw_chunks > p->row_chunks ? p->draw_chunks : p->row_chunks;
    b->counts = (uint32_t *) ct_gpu_cut(c, rows * sizeof *b->counts);
    for (int side = 0; side < 2; side++)
        b->items[side] = (ct_grow_item *) ct_gpu_cut(c, items * sizeof *b->items[side]);
    b->nodes = (ct_grow_node *) ct_gpu_cut(c, nodes * sizeof *b->nodes);
    b->placed =
        (uint32_t *) ct_gpu_cut(c, n * (p->node_capacity / 2 + 1) * sizeof *b->placed);
    b->n_nodes = (uint32_t *) ct_gpu_cut(c, n * sizeof *b->n_nodes);
    b->n_placed = (uint32_t *) ct_gpu_cut(c, n * sizeof *b->n_placed);
    b->depths = (uint32_t *) ct_gpu_cut(c, n * sizeof *b->depths);
    b->gains = (int64_t *) ct_gpu_cut(c, n * table->n_cols * sizeof *b->gains);
    b->sizes = (ct_grow_sizes *) ct_gpu_cut(c, sizeof *b->sizes);
    b->accepted = (uint32_t *) ct_gpu_cut(c, n * chunks * sizeof *b->accepted);
    b->class_counts =
        (ct_grow_count *) ct_gpu_cut(c, n * width_of(table) * sizeof *b->class_counts);
    b->root_sums = (int64_t *) ct_gpu_cut(c, n * sizeof *b->root_sums);
}

static void cut_nodes(ct_gpu_cutter *c, ct_grow_batch *b, const ct_grow_table *table,
                      const ct_batch_plan *p)
{
    const size_t n = p->large, candidates = n * table->mtry;
    b->candidates = (uint16_t *) ct_gpu_cut(c, 3 * candidates * sizeof *b->candidates);
    b->borders = (ct_grow_border *) ct_gpu_cut(c, candidates * sizeof *b->borders);
    b->splits = (ct_grow_split *) ct_gpu_cut(c, n * sizeof *b->splits);
    b->left = (ct_grow_count *) ct_gpu_cut(c, n * sizeof *b->left);
    b->left_classes =
        (ct_grow_count *) ct_gpu_cut(c, n * table->n_classes * sizeof *b->left_classes);
    b->left_sums = (int64_t *) ct_gpu_cut(c, n * sizeof *b->left_sums);
    b->flags = (uint32_t *) ct_gpu_cut(c, (size_t) p->chunks * CT_GROW_WORDS * sizeof *b->flags);
    b->chunk_left = (uint32_t *) ct_gpu_cut(c, p->chunks * sizeof *b->chunk_left);
    b->medium = (ct_grow_task *) ct_gpu_cut(c, p->medium * sizeof *b->medium);
}

static void cut_answers(ct_gpu_cutter *c, ct_grow_batch *b, const ct_grow_table *table,
                        const ct_batch_plan *p)
{
    const size_t rows = table->n_rows, leaves = p->leaves, width = width_of(table);
    b->leaf_begins = (uint32_t *) ct_gpu_cut(c, p->trees * sizeof *b->leaf_begins);
    b->leaf_counts = (uint32_t *) ct_gpu_cut(c, leaves * width * sizeof *b->leaf_counts);
    b->leaf_means =
        (double *) ct_gpu_cut(c, (table->n_classes ? 0 : leaves) * sizeof *b->leaf_means);
    b->oob_sums = (int64_t *) ct_gpu_cut(c, p->oob ? rows * width * sizeof *b->oob_sums : 0);
    b->oob_trees = (uint32_t *) ct_gpu_cut(c, p->oob ? rows * sizeof *b->oob_trees : 0);
    b->oob_leaves = (uint32_t *) ct_gpu_cut(
        c, p->permutation ? p->trees * rows * sizeof *b->oob_leaves : 0);
}

/* All that a batch has on the device. */
static size_t cut_device(ct_grow_batch *b, ct_grow_level levels[2], const ct_grow_table *table,
                         const ct_batch_plan *p, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    cut_trees(&c, b, table, p);
    for (int i = 0; i < 2; i++) cut_level(&c, &levels[i], table, p);
    cut_nodes(&c, b, table, p);
    cut_answers(&c, b, table, p);
    if (!p->oob) b->oob_sums = NULL;
    if (!p->permutation) b->oob_leaves = NULL;
    return c.used;
}

size_t ct_forest_batch_bytes(const ct_grow_table *table, const ct_batch_plan *plan)
{
    CT_ASSERT(plan->trees > 0 && plan->capacity > 0 && plan->node_capacity > 0);
    ct_grow_batch planned;
    ct_grow_level levels[2];
    return cut_device(&planned, levels, table, plan, NULL);
}

/* Parts of the memory on the host. */
static size_t cut_host(ct_hist_batch *batch, const ct_grow_table *table, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    const ct_batch_plan *p = &batch->plan;
    const size_t n = p->trees;
    batch->sizes = (ct_grow_sizes *) ct_gpu_cut(&c, sizeof *batch->sizes);
    batch->none = (ct_grow_sizes *) ct_gpu_cut(&c, sizeof *batch->none);
    batch->n_nodes = (uint32_t *) ct_gpu_cut(&c, n * sizeof *batch->n_nodes);
    batch->n_placed = (uint32_t *) ct_gpu_cut(&c, n * sizeof *batch->n_placed);
    batch->depths = (uint32_t *) ct_gpu_cut(&c, n * sizeof *batch->depths);
    batch->leaf_begins = (uint32_t *) ct_gpu_cut(&c, n * sizeof *batch->leaf_begins);
    batch->counts =
        (uint32_t *) ct_gpu_cut(&c, p->draws ? 0 : table->n_rows * sizeof *batch->counts);
    batch->nodes = (ct_grow_node *) ct_gpu_cut(&c, p->staged * sizeof *batch->nodes);
    return c.used;
}

/* ---- copies and launches ---- */

static ct_status send(const ct_hist_batch *batch, void *to, const void *from, size_t bytes)
{
    return ct_gpu_send(&batch->stream, to, from, bytes);
}

ct_status ct_forest_batch_fetch(const ct_hist_batch *batch, void *to, const void *from,
                                size_t bytes)
{
    CT_ASSERT((to && from) || !bytes);
    return ct_gpu_fetch(&batch->stream, to, from, bytes);
}

static ct_status launch(const ct_hist_batch *batch, ct_forest_kernel kernel, ct_gpu_grid grid)
{
    return ct_gpu_launch(&batch->stream, &ct_forest_kernels[kernel], grid, &batch->view);
}

static ct_status launch_groups(const ct_hist_batch *batch, ct_forest_kernel kernel, size_t items,
                               size_t shared)
{
    return launch(batch, kernel, ct_gpu_blocks(items, CT_GPU_BLOCK, shared));
}

static ct_status fetch_sizes(const ct_hist_batch *batch)
{
    CT_TRY(ct_forest_batch_fetch(batch, batch->sizes, batch->view.batch.sizes,
                                 sizeof *batch->sizes));
    return ct_gpu_drain(&batch->stream);
}

/* ---- opening and closing ---- */

/* Sums begin as zeros, sent piece by piece. */
static ct_status send_zeros(const ct_hist_batch *batch, void *to, size_t bytes)
{
    static const char zeros[4096] = {0};
    for (size_t at = 0; at < bytes; at += sizeof zeros)
        CT_TRY(send(batch, (char *) to + at, zeros,
                    bytes - at < sizeof zeros ? bytes - at : sizeof zeros));
    return CT_OK;
}

ct_status ct_forest_batch_open(ct_hist_batch *batch, ct_gpu *gpu, const ct_grow_table *table,
                               const ct_batch_plan *plan, const ct_hist_sampler *sampler)
{
    CT_ASSERT(gpu && sampler && plan->trees > 0 && plan->capacity <= table->n_rows);
    ct_grow_batch *b = &batch->view.batch;
    const size_t rows = table->n_rows;
    batch->plan = *plan;
    batch->sampler = sampler;
    batch->gpu = gpu;
    batch->view.table = *table;
    CT_TRY(ct_gpu_stream_open(gpu, &batch->stream));
    CT_TRY(ct_gpu_take(gpu, ct_forest_batch_bytes(table, plan), &batch->on_device));
    (void) cut_device(b, batch->levels, table, plan, (char *) batch->on_device.memory);
    CT_TRY(ct_gpu_take_host(gpu, cut_host(batch, table, NULL), &batch->on_host));
    (void) cut_host(batch, table, (char *) batch->on_host.memory);
    memset(batch->none, 0, sizeof *batch->none);
    b->capacity = plan->capacity;
    b->node_capacity = plan->node_capacity;
    b->n_draw_chunks = plan->draw_chunks;
    b->n_row_chunks = plan->row_chunks;
    if (!plan->oob) return CT_OK;
    CT_TRY(send_zeros(batch, b->oob_sums, rows * width_of(table) * sizeof *b->oob_sums));
    return send_zeros(batch, b->oob_trees, rows * sizeof *b->oob_trees);
}

void ct_forest_batch_close(ct_hist_batch *batch)
{
    ct_gpu_stream_close(&batch->stream);
    ct_gpu_give(&batch->on_device);
    ct_gpu_give(&batch->on_host);
}

/* ---- samples and roots ---- */

/* On the host: draws of which each one depends on those before. */
static ct_status send_samples(const ct_hist_batch *batch)
{
    const ct_grow_table *table = &batch->view.table;
    const ct_grow_batch *b = &batch->view.batch;
    for (uint32_t i = 0; i < b->n_trees; i++) {
        ct_hist_sample(batch->sampler, table->seed, b->first_tree + i, table->sample, 0, NULL,
                       batch->counts);
        CT_TRY(send(batch, b->counts + (size_t) i * table->n_rows, batch->counts,
                    table->n_rows * sizeof *batch->counts));
        CT_TRY(ct_gpu_drain(&batch->stream));
    }
    return CT_OK;
}

static ct_status draw_samples(const ct_hist_batch *batch)
{
    const ct_grow_batch *b = &batch->view.batch;
    const size_t chunks = (size_t) b->n_trees * b->n_draw_chunks;
    CT_TRY(launch(batch, CT_FOREST_SAMPLE_CLEAR,
                  ct_gpu_threads((size_t) b->n_trees * batch->view.table.n_rows)));
    CT_TRY(launch_groups(batch, CT_FOREST_SAMPLE_TEST, chunks, sizeof(uint32_t)));
    CT_TRY(launch(batch, CT_FOREST_SAMPLE_SUM, ct_gpu_warps(b->n_trees)));
    return launch_groups(batch, CT_FOREST_SAMPLE_DRAW, chunks, 0);
}

static ct_status make_roots(ct_hist_batch *batch)
{
    ct_grow_batch *b = &batch->view.batch;
    const size_t chunks = (size_t) b->n_trees * b->n_row_chunks;
    CT_TRY(send(batch, b->sizes, batch->none, sizeof *batch->none));
    CT_TRY(batch->plan.draws ? draw_samples(batch) : send_samples(batch));
    b->now = batch->levels[1];
    b->next = batch->levels[0];
    b->side = 0;
    CT_TRY(launch_groups(batch, CT_FOREST_ROOT_COUNT, chunks, sizeof(ct_root_shared)));
    CT_TRY(launch(batch, CT_FOREST_ROOT_SUM, ct_gpu_warps(b->n_trees)));
    CT_TRY(launch_groups(batch, CT_FOREST_ROOT_MOVE, chunks, sizeof(ct_root_shared)));
    CT_TRY(launch(batch, CT_FOREST_ROOT_FINISH, ct_gpu_warps(b->n_trees)));
    return fetch_sizes(batch);
}

/* ---- levels ---- */

/* Nodes of few rows are grown to their end. */
static ct_status finish_medium(ct_hist_batch *batch)
{
    const ct_grow_view *v = &batch->view;
    unsigned warps = CT_MEDIUM_WARPS;
    while (warps > 1 && ct_medium_bytes(v, warps) > CT_GPU_SHARED) warps /= 2;
    if (!batch->sizes->n_medium) return CT_OK;
    CT_TRY(launch(
        batch, CT_FOREST_MEDIUM_FINISH,
        ct_gpu_blocks(batch->sizes->n_medium, warps * CT_GPU_LANES, ct_medium_bytes(v, warps))));
    batch->sizes->n_medium = 0;
    return send(batch, &v->batch.sizes->n_medium, &batch->none->n_medium, sizeof(uint32_t));
}

static ct_status split_level(const ct_hist_batch *batch, uint32_t n_chunks)
{
    const size_t n = batch->view.batch.n_large;
    const size_t candidates = n * batch->view.table.mtry, shared = ct_large_bytes(&batch->view);
    CT_TRY(launch(batch, CT_FOREST_LARGE_DRAW, ct_gpu_warps(n)));
    if (batch->view.table.at_random) {
        CT_TRY(launch_groups(batch, CT_FOREST_RANDOM_RANGE, candidates,
                             sizeof(ct_random_shared)));
        CT_TRY(launch(batch, CT_FOREST_RANDOM_DRAW, ct_gpu_threads(n)));
        CT_TRY(launch_groups(batch, CT_FOREST_RANDOM_SCORE, candidates, shared));
    } else {
        CT_TRY(launch_groups(batch, CT_FOREST_LARGE_SEARCH, candidates, shared));
    }
    CT_TRY(launch_groups(batch, CT_FOREST_LARGE_SPLIT, n, sizeof(uint32_t)));
    CT_TRY(launch_groups(batch, CT_FOREST_PARTITION_COUNT, n_chunks, sizeof(ct_partition_shared)));
    CT_TRY(launch(batch, CT_FOREST_PARTITION_FINISH, ct_gpu_warps(n)));
    return launch_groups(batch, CT_FOREST_PARTITION_MOVE, n_chunks, sizeof(ct_chunk_words));
}

static ct_status grow_level(ct_hist_batch *batch)
{
    ct_grow_batch *b = &batch->view.batch;
    const ct_grow_level before = b->now;
    const uint32_t n_chunks = batch->sizes->n_chunks;
    b->n_large = batch->sizes->n_large;
    CT_ASSERT(b->n_large <= batch->plan.large && n_chunks <= batch->plan.chunks);
    if (batch->sizes->n_medium + 2 * b->n_large > batch->plan.medium) CT_TRY(finish_medium(batch));
    b->now = b->next;
    b->next = before;
    CT_TRY(send(batch, b->sizes, batch->none, 2 * sizeof(uint32_t))); /* n_large, n_chunks */
    CT_TRY(split_level(batch, n_chunks));
    b->side = !b->side;
    return fetch_sizes(batch);
}

static ct_status fetch_numbers(const ct_hist_batch *batch)
{
    const ct_grow_batch *b = &batch->view.batch;
    const size_t bytes = b->n_trees * sizeof(uint32_t);
    CT_TRY(ct_forest_batch_fetch(batch, batch->n_nodes, b->n_nodes, bytes));
    CT_TRY(ct_forest_batch_fetch(batch, batch->n_placed, b->n_placed, bytes));
    CT_TRY(ct_forest_batch_fetch(batch, batch->depths, b->depths, bytes));
    return ct_gpu_drain(&batch->stream);
}

ct_status ct_forest_batch_grow(ct_hist_batch *batch, uint32_t first, uint32_t n, ct_halt *stop,
                               unsigned worker, int *done, int *heavy)
{
    ct_grow_batch *b = &batch->view.batch;
    CT_ASSERT(n > 0 && n <= batch->plan.trees);
    b->first_tree = first;
    b->n_trees = n;
    *done = *heavy = 0;
    CT_TRY(make_roots(batch));
    if (batch->sizes->heavy) {
        *heavy = 1;
        return CT_OK;
    }
    while (batch->sizes->n_large) {
        if (ct_halt_now(stop, worker)) return CT_OK;
        CT_TRY(grow_level(batch));
    }
    CT_TRY(finish_medium(batch));
    CT_TRY(fetch_numbers(batch));
    *done = 1;
    return CT_OK;
}

/* ---- answers ---- */

ct_status ct_forest_batch_answer(ct_hist_batch *batch, uint32_t from, uint32_t n, uint32_t *end)
{
    ct_grow_batch *b = &batch->view.batch;
    uint32_t nodes = 0, leaves = 0, i = from;
    for (; i < n; i++) {
        if (i > from && (nodes + batch->n_nodes[i] > batch->plan.staged ||
                         leaves + batch->n_placed[i] > batch->plan.leaves))
            break;
        batch->leaf_begins[i] = leaves;
        CT_TRY(ct_forest_batch_fetch(batch, batch->nodes + nodes,
                                     b->nodes + (size_t) i * b->node_capacity,
                                     batch->n_nodes[i] * sizeof *batch->nodes));
        nodes += batch->n_nodes[i];
        leaves += batch->n_placed[i];
    }
    CT_ASSERT(nodes <= batch->plan.staged && leaves <= batch->plan.leaves);
    b->tree_from = from;
    b->tree_end = *end = i;
    CT_TRY(send(batch, b->leaf_begins, batch->leaf_begins, i * sizeof *batch->leaf_begins));
    if (leaves) CT_TRY(launch(batch, CT_FOREST_LEAVES_SAY, ct_gpu_warps(leaves)));
    if (batch->plan.oob || batch->plan.permutation)
        CT_TRY(launch(batch, CT_FOREST_LEAVES_OUT, ct_gpu_threads(batch->view.table.n_rows)));
    return ct_gpu_drain(&batch->stream);
}
