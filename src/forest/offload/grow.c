/* The table goes to the device, and workers grow batches of trees there: each drives one, and makes
 * trees of the host from it while the device does those of others. */
#include "base/compact.h"

#include "forest/offload/grow.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "forest/grow/growth.h"
#include "forest/grow/permute.h"
#include "forest/offload/batch.h"
#include "forest/offload/cost.h"
#include "forest/offload/result.h"

enum {
    WORKERS = 4,        /* at most; more where columns are shuffled on the host */
    PERMUTING = 8,
    FEWEST_TREES = 8,   /* of a batch where there is memory for them, */
    MOST_TREES = 1024,
    WANTED = 1 << 23    /* and as many as have that many items */
};

/* What a worker has on the host. */
typedef struct {
    ct_hist_batch batch;
    ct_left_out out;           /* for shuffled columns alone */
    int64_t *gains, *harm;     /* [col] of a tree */
    uint32_t *order, *scratch; /* [2 * nodes] of a tree */
    uint32_t *leaf_of;         /* [row] */
    uint32_t *counts;          /* [place][width] of some trees */
    double *means;
} worker;

typedef struct {
    ct_growth all;
    ct_gpu *gpu;
    ct_grow_table table;
    ct_gpu_block block; /* of the table */
    ct_batch_plan plan;
    unsigned n_workers;
    worker *workers;
    int64_t *oob_sums;  /* of a worker, as they come to the host */
    uint32_t *oob_trees;
    int64_t heavy, failed; /* atomic: a row was drawn too often; a call of the device failed */
} growth;

/* ---- the table ---- */

static size_t cut_table(ct_grow_table *t, const ct_grower *g, int logs, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    const size_t rows = g->n_rows, cols = g->n_cols, sample = g->options->sample;
    t->bins = (const uint8_t *) ct_gpu_cut(&c, cols * rows);
    t->codes = (const uint16_t *) ct_gpu_cut(&c, rows * t->stride * sizeof *t->codes);
    t->columns = (const ct_grow_column *) ct_gpu_cut(&c, cols * sizeof *t->columns);
    t->first = (const uint16_t *) ct_gpu_cut(&c, cols * (CT_BINS + 1) * sizeof *t->first);
    t->classes = (const uint8_t *) ct_gpu_cut(&c, g->n_classes ? rows : 0);
    t->quantised =
        (const int32_t *) ct_gpu_cut(&c, (g->n_classes ? 0 : rows) * sizeof *t->quantised);
    t->numbers = (const double *) ct_gpu_cut(&c, (g->n_classes ? 0 : rows) * sizeof *t->numbers);
    t->order = (const uint32_t *) ct_gpu_cut(&c, rows * sizeof *t->order);
    t->upto = (const uint32_t *) ct_gpu_cut(&c, (g->sampler.upto ? rows : 0) * sizeof *t->upto);
    t->logs = (const double *) ct_gpu_cut(&c, (logs ? sample + 1 : 0) * sizeof *t->logs);
    if (!g->sampler.upto) t->upto = NULL;
    return c.used;
}

static int has_logs(const ct_grower *g)
{
    return g->criterion->score == CT_SCORE_ENTROPY;
}

/* On the host, as it is sent. */
typedef struct {
    ct_grow_column *columns;
    uint16_t *first, *codes; /* codes: NULL where the table has them by row */
    uint8_t *classes;
    const double *logs;      /* lent */
} made_to_send;

static void free_made(made_to_send *made)
{
    ct_free(made->columns);
    ct_free(made->first);
    ct_free(made->codes);
    ct_free(made->classes);
}

static void transpose_rows(const ct_hist_codes *codes, size_t stride, uint16_t *to)
{
    for (uint32_t col = 0; col < codes->n_cols; col++) {
        const uint16_t *from = codes->codes + (size_t) col * codes->n_rows;
        for (size_t row = 0; row < codes->n_rows; row++) to[row * stride + col] = from[row];
    }
}

/* 0 if memory ends. */
static int make(const growth *g, made_to_send *made)
{
    const ct_grower *grower = &g->all.grower;
    const ct_hist_codes *codes = grower->codes;
    const size_t rows = grower->n_rows, cols = grower->n_cols;
    made->columns = (ct_grow_column *) ct_alloc(cols * sizeof *made->columns);
    made->first = (uint16_t *) ct_alloc_zeroed(cols * (CT_BINS + 1), sizeof *made->first);
    made->codes = codes->by_row ? NULL : (uint16_t *) ct_alloc(rows * g->table.stride *
                                                               sizeof *made->codes);
    made->classes = grower->n_classes ? (uint8_t *) ct_alloc(rows) : NULL;
    made->logs = grower->logs;
    if (!made->columns || !made->first || (!made->codes && !codes->by_row) ||
        (!made->classes && grower->n_classes))
        return 0;
    for (uint32_t col = 0; col < cols; col++) {
        const ct_hist_code_column *column = &codes->columns[col];
        made->columns[col] = (ct_grow_column){column->n_codes, column->n_bins,
                                              (uint32_t) column->has_missing,
                                              (uint32_t) column->is_set};
        memcpy(made->first + (size_t) col * (CT_BINS + 1), column->first,
               (column->n_bins + 1) * sizeof *column->first);
    }
    if (made->codes) transpose_rows(codes, g->table.stride, made->codes);
    for (size_t row = 0; made->classes && row < rows; row++)
        made->classes[row] = (uint8_t) grower->data->classes[row];
    return 1;
}

static ct_status send_columns(const growth *g, const made_to_send *made,
                              const ct_gpu_stream *stream)
{
    const ct_grow_table *t = &g->table;
    const ct_grower *grower = &g->all.grower;
    const size_t rows = t->n_rows, cols = t->n_cols;
    const uint16_t *codes = made->codes ? made->codes : grower->codes->by_row;
    CT_TRY(ct_gpu_send(stream, t->bins, grower->codes->bins, cols * rows));
    CT_TRY(ct_gpu_send(stream, t->codes, codes, rows * t->stride * sizeof *codes));
    CT_TRY(ct_gpu_send(stream, t->columns, made->columns, cols * sizeof *made->columns));
    CT_TRY(ct_gpu_send(stream, t->first, made->first, cols * (CT_BINS + 1) * sizeof *made->first));
    if (made->classes) CT_TRY(ct_gpu_send(stream, t->classes, made->classes, rows));
    if (grower->quantised)
        CT_TRY(ct_gpu_send(stream, t->quantised, grower->quantised, rows * sizeof *t->quantised));
    if (grower->quantised)
        CT_TRY(ct_gpu_send(stream, t->numbers, grower->data->numbers, rows * sizeof *t->numbers));
    CT_TRY(ct_gpu_send(stream, t->order, grower->order, rows * sizeof *t->order));
    if (t->upto) CT_TRY(ct_gpu_send(stream, t->upto, grower->sampler.upto, rows * sizeof *t->upto));
    if (made->logs)
        CT_TRY(ct_gpu_send(stream, t->logs, made->logs, (t->sample + 1) * sizeof *made->logs));
    return ct_gpu_drain(stream);
}

/* ---- memory ---- */

static void describe(growth *g)
{
    const ct_grower *grower = &g->all.grower;
    const ct_hist_options *o = grower->options;
    ct_grow_table *t = &g->table;
    t->n_rows = grower->n_rows;
    t->n_cols = grower->n_cols;
    t->n_classes = grower->n_classes;
    t->stride = grower->codes->by_row ? grower->codes->stride : ((size_t) t->n_cols + 7) / 8 * 8;
    t->seed = o->seed;
    t->sample = o->sample;
    t->mtry = o->mtry;
    t->depth = o->depth;
    t->min_n = o->min_n;
    t->pool_by_level = (uint32_t) (o->pool_by_level != 0);
    t->score = grower->criterion->score;
    t->at_random = grower->criterion->at_random;
    t->gain_scale = grower->gain_scale;
    t->centre = grower->centre;
    t->unit = ldexp(1, grower->out_words.low);
}

/* As many trees in a batch as fill a device, and batches under way as threads can drive; fewer
 * where there is less memory. */
static ct_status plan_memory(growth *g, ct_error *error)
{
    const ct_hist_options *o = g->all.options;
    size_t room, table = cut_table(&g->table, &g->all.grower, has_logs(&g->all.grower), NULL),
                 needed;
    unsigned workers = o->threads ? o->threads : 1, most = o->permutation ? PERMUTING : WORKERS;
    if (ct_gpu_room(g->gpu, &room) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(g->gpu));
    if (workers > most) workers = most;
    if (workers > o->n_trees) workers = o->n_trees;
    CT_ASSERT(workers > 0);
    uint32_t items = o->sample < g->table.n_rows ? o->sample : g->table.n_rows,
             trees = WANTED / items, share = (o->n_trees + workers - 1) / workers;
    trees = trees < FEWEST_TREES ? FEWEST_TREES : trees > MOST_TREES ? MOST_TREES : trees;
    if (trees > share) trees = share;
    for (;;) {
        g->plan = ct_forest_batch_plan_of(&g->table, o, trees);
        g->n_workers = workers;
        needed = table + workers * ct_forest_batch_bytes(&g->table, &g->plan);
        if (needed <= room) return CT_OK;
        if (trees == 1 && workers == 1) break;
        if (workers > 1 && trees <= FEWEST_TREES) workers /= 2;
        else trees /= 2;
    }
    return ct_fail(error, CT_NO_DEVICE,
                   "growing takes %.3g GB on the device even tree by tree, and %.3g GB are free",
                   (double) needed / 1e9, (double) room / 1e9);
}

static size_t harm_cells(const growth *g)
{
    return (size_t) g->table.n_cols * g->all.grower.harm_words.n;
}

/* What can fail but for the device: memory of the host. */
static int open_host(growth *g, worker *w)
{
    const size_t rows = g->table.n_rows, cols = g->table.n_cols, nodes = g->plan.node_capacity,
                 leaves = g->plan.leaves, width = ct_runs_of(&g->all.grower);
    const int permutes = g->all.options->permutation;
    w->gains = (int64_t *) ct_alloc(cols * sizeof *w->gains);
    w->order = (uint32_t *) ct_alloc(2 * nodes * sizeof *w->order);
    w->counts = (uint32_t *) ct_alloc(leaves * width * sizeof *w->counts);
    w->means = g->table.n_classes ? NULL : (double *) ct_alloc(leaves * sizeof *w->means);
    if (!w->gains || !w->order || !w->counts || (!w->means && !g->table.n_classes)) return 0;
    if (!permutes) return 1;
    w->harm = (int64_t *) ct_alloc(harm_cells(g) * sizeof *w->harm);
    w->scratch = (uint32_t *) ct_alloc(2 * nodes * sizeof *w->scratch);
    w->leaf_of = (uint32_t *) ct_alloc(rows * sizeof *w->leaf_of);
    w->out.row = (uint32_t *) ct_alloc(rows * sizeof *w->out.row);
    w->out.leaf = (uint32_t *) ct_alloc(rows * sizeof *w->out.leaf);
    w->out.spare = (uint32_t *) ct_alloc(rows * sizeof *w->out.spare);
    return w->harm && w->scratch && w->leaf_of && w->out.row && w->out.leaf &&
           w->out.spare;
}

/* Bytes of the host that workers take, about. */
static double host_bytes(const growth *g)
{
    const double rows = g->table.n_rows, width = ct_runs_of(&g->all.grower),
                 nodes = 8.0 * g->plan.node_capacity + 16.0 * g->plan.staged,
                 leaves = (4 * width + 8) * g->plan.leaves;
    return g->n_workers *
           (nodes + leaves +
            (g->all.options->permutation ? 8.0 * g->plan.node_capacity + 16 * rows : 0));
}

static void close_worker(worker *w)
{
    ct_forest_batch_close(&w->batch);
    ct_free(w->gains);
    ct_free(w->harm);
    ct_free(w->order);
    ct_free(w->scratch);
    ct_free(w->leaf_of);
    ct_free(w->counts);
    ct_free(w->means);
    ct_free(w->out.row);
    ct_free(w->out.leaf);
    ct_free(w->out.spare);
}

/* ---- trees come to the host ---- */

/* The tree, and what is known besides; `from` is the first one whose answers are there. 0 if memory
 * ends. */
static int take_tree(growth *g, worker *w, uint32_t i, uint32_t from, uint32_t node)
{
    const ct_hist_batch *b = &w->batch;
    const size_t width = ct_runs_of(&g->all.grower),
                 leaf = b->leaf_begins[i] - b->leaf_begins[from];
    const uint32_t n_cols = g->table.n_cols;
    const ct_hist_result result = {b->nodes + node, b->n_nodes[i], b->n_placed[i], b->depths[i],
                                   g->table.n_classes, w->counts + leaf * width,
                                   w->means ? w->means + leaf : NULL};
    ct_hist_tree tree;
    if (ct_forest_result_tree(&result, w->order, &tree) != CT_OK) {
        ct_hist_tree_free(&tree);
        return 0;
    }
    tree.number = b->view.batch.first_tree + i;
    if (w->harm) {
        memset(w->harm, 0, harm_cells(g) * sizeof *w->harm);
        ct_forest_result_finish(&result, w->leaf_of, g->table.n_rows, w->order + result.n_nodes,
                                w->scratch, &w->out);
        if (!ct_forest_permute(&g->all.grower, &w->out, &tree, w->harm, NULL, NULL, 0)) {
            ct_hist_tree_free(&tree);
            return 0;
        }
    }
    ct_lock_take(&g->all.lock);
    for (uint32_t col = 0; g->all.extra->gains && col < n_cols; col++)
        g->all.extra->gains[col] += w->gains[col];
    if (w->harm)
        ct_forest_growth_add_words(&g->all.grower.harm_words, n_cols, w->harm, g->all.extra->harm);
    ct_lock_leave(&g->all.lock);
    ct_forest_growth_put(&g->all, tree.number - g->all.options->first_tree, &tree);
    return 1;
}

/* What is fetched tree by tree, besides nodes and leaves. */
static ct_status fetch_tree(growth *g, worker *w, uint32_t i)
{
    const ct_grow_batch *b = &w->batch.view.batch;
    const size_t rows = g->table.n_rows, cols = g->table.n_cols;
    CT_TRY(ct_forest_batch_fetch(&w->batch, w->gains, b->gains + i * cols,
                                 cols * sizeof *w->gains));
    if (w->leaf_of)
        CT_TRY(ct_forest_batch_fetch(&w->batch, w->leaf_of, b->oob_leaves + i * rows,
                                     rows * sizeof *w->leaf_of));
    return ct_gpu_drain(&w->batch.stream);
}

static ct_status fetch_leaves(growth *g, worker *w, uint32_t from, uint32_t end)
{
    const ct_hist_batch *b = &w->batch;
    const size_t width = ct_runs_of(&g->all.grower),
                 n = b->leaf_begins[end - 1] + b->n_placed[end - 1] - b->leaf_begins[from];
    CT_TRY(ct_forest_batch_fetch(b, w->counts, b->view.batch.leaf_counts,
                                 n * width * sizeof *w->counts));
    if (w->means)
        CT_TRY(ct_forest_batch_fetch(b, w->means, b->view.batch.leaf_means, n * sizeof *w->means));
    return ct_gpu_drain(&b->stream);
}

/* The first n trees of the batch. */
static ct_status take_trees(growth *g, worker *w, uint32_t n)
{
    uint32_t end;
    for (uint32_t from = 0; from < n; from = end) {
        uint32_t node = 0;
        CT_TRY(ct_forest_batch_answer(&w->batch, from, n, &end));
        CT_TRY(fetch_leaves(g, w, from, end));
        for (uint32_t i = from; i < end; node += w->batch.n_nodes[i], i++) {
            CT_TRY(fetch_tree(g, w, i));
            if (!take_tree(g, w, i, from, node)) return CT_NO_MEMORY;
        }
    }
    return CT_OK;
}

/* ---- batches ---- */

static ct_status grow_batch(growth *g, unsigned number, uint32_t place, uint32_t n)
{
    worker *w = &g->workers[number];
    int done, heavy;
    uint32_t kept = 0;
    CT_TRY(ct_forest_batch_grow(&w->batch, g->all.options->first_tree + place, n, &g->all.stop,
                                number, &done, &heavy));
    if (heavy) ct_atomic_write(&g->heavy, 1);
    if (heavy) ct_halt_set(&g->all.stop);
    while (done && kept < n &&
           ct_forest_growth_reserve(&g->all, w->batch.n_nodes[kept], w->batch.n_placed[kept], 0))
        kept++;
    if (done && kept < n) kept++; /* the one that reached the limit, as on the CPU */
    return take_trees(g, w, kept);
}

static void grow_batches(void *data, unsigned number, uint64_t begin, uint64_t end)
{
    growth *g = (growth *) data;
    const uint32_t n_trees = g->all.options->n_trees;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t place = (uint32_t) i * g->plan.trees, left = n_trees - place;
        ct_status status =
            grow_batch(g, number, place, left < g->plan.trees ? left : g->plan.trees);
        if (status == CT_OK) continue;
        ct_atomic_write(status == CT_NO_MEMORY ? &g->all.no_memory : &g->failed, 1);
        ct_halt_set(&g->all.stop);
        return;
    }
}

/* Sums of rows left out, of all workers. */
static ct_status fetch_out(growth *g)
{
    const size_t rows = g->table.n_rows, cells = rows * ct_runs_of(&g->all.grower);
    ct_hist_extra *extra = g->all.extra;
    if (!extra->oob_sums) return CT_OK;
    g->oob_sums = (int64_t *) ct_alloc(cells * sizeof *g->oob_sums);
    g->oob_trees = (uint32_t *) ct_alloc(rows * sizeof *g->oob_trees);
    if (!g->oob_sums || !g->oob_trees) return CT_NO_MEMORY;
    for (unsigned i = 0; i < g->n_workers; i++) {
        const ct_hist_batch *b = &g->workers[i].batch;
        const ct_grow_batch *on_device = &b->view.batch;
        CT_TRY(ct_forest_batch_fetch(b, g->oob_sums, on_device->oob_sums,
                                     cells * sizeof *g->oob_sums));
        CT_TRY(ct_forest_batch_fetch(b, g->oob_trees, on_device->oob_trees,
                                     rows * sizeof *g->oob_trees));
        CT_TRY(ct_gpu_drain(&b->stream));
        for (size_t k = 0; k < cells; k++) extra->oob_sums[k] += g->oob_sums[k];
        for (size_t k = 0; k < rows; k++) extra->oob_trees[k] += g->oob_trees[k];
    }
    return CT_OK;
}

/* ---- all steps ---- */

static ct_status send_table(growth *g, ct_error *error)
{
    made_to_send made = {0};
    ct_gpu_stream stream = {NULL, NULL};
    const int logs = has_logs(&g->all.grower);
    ct_status status = CT_NO_MEMORY;
    if (make(g, &made)) {
        status = ct_gpu_take(g->gpu, cut_table(&g->table, &g->all.grower, logs, NULL), &g->block);
        (void) cut_table(&g->table, &g->all.grower, logs, (char *) g->block.memory);
        if (status == CT_OK) status = ct_gpu_stream_open(g->gpu, &stream);
        if (status == CT_OK) status = send_columns(g, &made, &stream);
        ct_gpu_stream_close(&stream);
    }
    free_made(&made);
    if (status == CT_NO_MEMORY) return ct_fail(error, status, "no memory to grow trees");
    return status == CT_OK ? CT_OK : ct_fail(error, status, "%s", ct_gpu_why(g->gpu));
}

static ct_status open_workers(growth *g, ct_error *error)
{
    g->workers = (worker *) ct_alloc_zeroed(g->n_workers, sizeof *g->workers);
    if (!g->workers) return ct_fail(error, CT_NO_MEMORY, "no memory to grow trees");
    for (unsigned i = 0; i < g->n_workers; i++) {
        worker *w = &g->workers[i];
        if (!open_host(g, w)) return ct_fail(error, CT_NO_MEMORY, "no memory to grow trees");
        if (ct_forest_batch_open(&w->batch, g->gpu, &g->table, &g->plan,
                                 &g->all.grower.sampler) != CT_OK)
            return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(g->gpu));
    }
    return CT_OK;
}

static ct_status run(growth *g, ct_error *error)
{
    describe(g);
    CT_TRY(plan_memory(g, error));
    CT_TRY(ct_forest_growth_prepare(&g->all, host_bytes(g), error));
    CT_TRY(send_table(g, error));
    CT_TRY(open_workers(g, error));
    const uint32_t n_batches =
        (g->all.options->n_trees + g->plan.trees - 1) / g->plan.trees;
    ct_loop loop = {n_batches, 1, CT_DYNAMIC, g->n_workers, grow_batches, g, &g->all.stop};
    ct_parallel_for(&loop);
    if (g->heavy)
        return ct_fail(error, CT_NO_DEVICE, "samples that have a row so often are left to the CPU");
    ct_status status = g->failed ? CT_NO_DEVICE : fetch_out(g);
    if (status == CT_NO_DEVICE) return ct_fail(error, status, "%s", ct_gpu_why(g->gpu));
    if (status == CT_NO_MEMORY) return ct_fail(error, status, "no memory to grow trees");
    return ct_forest_growth_end(&g->all, error);
}

static void growth_free(growth *g)
{
    for (unsigned i = 0; g->workers && i < g->n_workers; i++) close_worker(&g->workers[i]);
    ct_free(g->workers);
    ct_free(g->oob_sums);
    ct_free(g->oob_trees);
    ct_gpu_give(&g->block);
    ct_gpu_close(g->gpu);
    ct_forest_growth_free(&g->all);
}

/* What is left to the CPU; NULL: nothing. */
static const char *left_to_cpu(const ct_hist_data *data, const ct_hist_options *o)
{
    if (ct_hist_is_many(data->n_classes)) return "this many classes are left to the CPU";
    if (o->learn) return "splits that a function chooses are left to the CPU";
    if (data->exposure) return "rates by exposure are left to the CPU";
    if (data->survival) return "survival forests are left to the CPU";
    if (data->n_always || data->column_weights)
        return "columns that are not drawn alike are left to the CPU";
    if (data->drawn) return "samples that are given are left to the CPU";
    if (o->min_bucket > 1) return "least sizes of leaves are left to the CPU";
    if (o->holdout) return "rows held out are left to the CPU";
    if (data->monotone) return "monotone predictors are left to the CPU";
    if (o->honesty > 0) return "honest trees are left to the CPU";
    if (o->local) return "local importance is left to the CPU";
    if (data->ranks) return "leaves that keep their rows are left to the CPU";
    if (o->mtry > CT_GROW_MTRY) return "this many candidates at a node are left to the CPU";
    if (o->sample >> (CT_GROW_WEIGHT_BITS + 2) || data->codes->n_rows > INT32_MAX)
        return "this many rows are left to the CPU";
    return NULL;
}

static ct_status grow_on(int number, const ct_hist_data *data, const ct_hist_options *options,
                         ct_hist_forest *forest, ct_hist_extra *extra, ct_error *error)
{
    growth g = {0};
    const char *why = left_to_cpu(data, options);
    memset(forest, 0, sizeof *forest);
    memset(extra, 0, sizeof *extra);
    if (why) return ct_fail(error, CT_NO_DEVICE, "%s", why);
    ct_gpu *gpu;
    CT_TRY(ct_gpu_open(number, &gpu, error));
    ct_status status = ct_forest_growth_begin(&g.all, data, options, forest, extra, error);
    g.gpu = gpu;
    if (status == CT_OK && g.all.grower.is_wide)
        status = ct_fail(error, CT_NO_DEVICE,
                         "responses so far from each other are left to the CPU");
    if (status == CT_OK) status = run(&g, error);
    growth_free(&g);
    if (status == CT_OK) return CT_OK;
    ct_hist_forest_free(forest);
    ct_hist_extra_free(extra);
    return status;
}

ct_status ct_hist_grow_at(const ct_gpu_choice *device, const ct_hist_data *data,
                          const ct_hist_options *options, ct_hist_forest *forest,
                          ct_hist_extra *extra, ct_gpu_used *used, ct_error *error)
{
    const ct_gpu_cost cost = ct_forest_grow_cost(data, options);
    ct_hist_options rest = *options;
    ct_error why = {CT_OK, ""};
    double start = ct_seconds();
    if (ct_gpu_wants(device, &cost, used)) {
        ct_status status =
            grow_on(ct_gpu_number(device), data, options, forest, extra, &why);
        if (status == CT_OK) ct_gpu_done(device, used);
        if (status == CT_OK) return CT_OK;
        memset(forest, 0, sizeof *forest);
        memset(extra, 0, sizeof *extra);
        if (status == CT_BAD_INPUT) return ct_fail(error, status, "%s", why.message);
        CT_TRY(ct_gpu_without(device, &why, used, error));
        rest.time_limit -= ct_seconds() - start;
    }
    return ct_hist_grow(data, &rest, forest, extra, error);
}
