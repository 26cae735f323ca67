/* New rows are coded on the host, chunk by chunk, and walk down the trees on the device; while it
 * does one chunk, the host codes another. */
#include "base/compact.h"

#include "forest/offload/walk.h"

#include <string.h>

#include "base/memory.h"
#include "forest/walk/compact.h"
#include "forest/codes/encode.h"
#include "forest/offload/cost.h"
#include "forest/offload/kernels.h"
#include "gpu/gpu.h"

enum {
    SLOTS = 2,
    CELLS = 1 << 24, /* leaves of a chunk, of all rows and trees */
    MOST_ROWS = 65536,
    FEWEST_ROWS = 32,
    CODED = 64 /* rows coded at a time, by one thread */
};

/* A chunk of rows under way, and the memory of chunks. */
typedef struct {
    ct_gpu_stream stream;
    ct_gpu_block on_device, on_host;
    ct_walk_view view;
    uint16_t *codes;     /* on the host, as all below */
    void *out;
    uint32_t from, n;    /* rows; n 0: none is under way */
} slot;

typedef struct {
    const ct_hist_forest *forest;
    const ct_column *columns;
    uint32_t n_rows;
    ct_hist_output what;
    unsigned threads;
    ct_halt *stop;
    void *out;
    ct_gpu *gpu;
    ct_compact compact;
    ct_coder *coders;
    size_t stride, n_nodes, n_leaves;
    uint32_t chunk; /* rows */
    unsigned n_slots;
    ct_forged_node *nodes; /* as they are sent, as both below */
    uint32_t *nexts;
    uint64_t *begins;
    ct_gpu_block trees;
    ct_walk_view view;
    slot slots[SLOTS];
} walker;

/* ---- trees as they are sent ---- */

static void make_tree(const walker *w, uint32_t number, uint32_t first_leaf)
{
    CT_ASSERT(number < w->forest->n_trees);
    const ct_hist_tree *tree = &w->forest->trees[number];
    size_t begin = w->compact.begins[number];
    w->begins[number] = begin;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const ct_hist_node *node = &tree->nodes[i];
        const ct_compact_node *compact = &w->compact.nodes[begin + i];
        const int is_leaf = node->feature == CT_HIST_LEAF;
        const uint32_t flag = is_leaf ? 0 : node->next & CT_HIST_FLAG;
        const int has_place = is_leaf && (!w->forest->n_classes || (node->next & CT_HIST_MIXED));
        CT_ASSERT(!(compact->left & CT_HIST_FLAG) && (!flag || compact->last < UINT16_MAX));
        w->nodes[begin + i] = (ct_forged_node){compact->left | flag, compact->feature,
                                               (uint16_t) (compact->last + (flag >> 31))};
        w->nexts[begin + i] = !is_leaf ? 0 : node->next + (has_place ? first_leaf : 0);
    }
}

/* 0 if memory ends. */
static int make_trees(walker *w)
{
    uint32_t n_trees = w->forest->n_trees, leaf = 0;
    w->nodes = (ct_forged_node *) ct_alloc(w->n_nodes * sizeof *w->nodes);
    w->nexts = (uint32_t *) ct_alloc(w->n_nodes * sizeof *w->nexts);
    w->begins = (uint64_t *) ct_alloc(n_trees * sizeof *w->begins);
    if (!w->nodes || !w->nexts || !w->begins) return 0;
    for (uint32_t i = 0; i < n_trees; i++) {
        make_tree(w, i, leaf);
        leaf += w->forest->trees[i].n_leaves;
    }
    return 1;
}

/* ---- memory ---- */

/* Of the trees. */
static size_t cut_trees(ct_walk_view *view, const walker *w, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    size_t n_classes = w->forest->n_classes;
    view->nodes = (const ct_forged_node *) ct_gpu_cut(&c, w->n_nodes * sizeof *view->nodes);
    view->nexts = (const uint32_t *) ct_gpu_cut(&c, w->n_nodes * sizeof *view->nexts);
    view->begins = (const uint64_t *) ct_gpu_cut(&c, w->forest->n_trees * sizeof *view->begins);
    view->counts =
        (const uint32_t *) ct_gpu_cut(&c, w->n_leaves * n_classes * sizeof *view->counts);
    view->means =
        (const double *) ct_gpu_cut(&c, n_classes ? 0 : w->n_leaves * sizeof *view->means);
    return c.used;
}

static size_t out_bytes(const walker *w)
{
    return w->what == CT_HIST_LEAVES ? 0 : ct_hist_output_bytes(w->forest, w->chunk, w->what);
}

/* Of a chunk, on the device. */
static size_t cut_chunk(ct_walk_view *view, const walker *w, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    size_t sums = w->what == CT_HIST_LABELS ? (size_t) w->chunk * w->forest->n_classes : 0;
    view->codes = (const uint16_t *) ct_gpu_cut(&c, w->chunk * w->stride * sizeof *view->codes);
    view->leaves = (uint32_t *) ct_gpu_cut(&c, (size_t) w->chunk * w->forest->n_trees *
                                                   sizeof *view->leaves);
    view->sums = (int64_t *) ct_gpu_cut(&c, sums * sizeof *view->sums);
    view->out = ct_gpu_cut(&c, out_bytes(w));
    return c.used;
}

/* Parts of the memory on the host. */
static size_t cut_host(slot *s, const walker *w, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    s->codes = (uint16_t *) ct_gpu_cut(&c, w->chunk * w->stride * sizeof *s->codes);
    s->out = ct_gpu_cut(&c, ct_hist_output_bytes(w->forest, w->chunk, w->what));
    return c.used;
}

/* Rows of a chunk: enough to fill a device, and that more than one is under way. */
static uint32_t rows_wanted(const walker *w)
{
    uint32_t most = CELLS / w->forest->n_trees, fourth = w->n_rows / 4 + 1, rows = 4096;
    if (rows < fourth) rows = fourth;
    if (rows > most) rows = most;
    if (rows > MOST_ROWS) rows = MOST_ROWS;
    if (rows < FEWEST_ROWS) rows = FEWEST_ROWS;
    return rows < w->n_rows ? rows : w->n_rows;
}

static ct_status plan_memory(walker *w, ct_error *error)
{
    ct_walk_view planned;
    size_t room, trees = cut_trees(&planned, w, NULL), needed;
    if (ct_gpu_room(w->gpu, &room) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(w->gpu));
    for (w->chunk = rows_wanted(w);; w->chunk /= 2) {
        w->n_slots = w->chunk < w->n_rows ? SLOTS : 1;
        needed = trees + w->n_slots * cut_chunk(&planned, w, NULL);
        if (needed <= room) return CT_OK;
        if (w->chunk <= FEWEST_ROWS) break;
    }
    return ct_fail(error, CT_NO_DEVICE,
                   "the forest takes %.3g GB on the device even with few rows at a time, and %.3g "
                   "GB are free",
                   (double) needed / 1e9, (double) room / 1e9);
}

static ct_status open_slot(walker *w, slot *s)
{
    ct_walk_view planned;
    CT_TRY(ct_gpu_stream_open(w->gpu, &s->stream));
    CT_TRY(ct_gpu_take(w->gpu, cut_chunk(&planned, w, NULL), &s->on_device));
    CT_TRY(ct_gpu_take_host(w->gpu, cut_host(s, w, NULL), &s->on_host));
    s->view = w->view;
    (void) cut_chunk(&s->view, w, (char *) s->on_device.memory);
    (void) cut_host(s, w, (char *) s->on_host.memory);
    return CT_OK;
}

/* ---- the trees go to the device ---- */

static ct_status send_leaves(const walker *w, const slot *s)
{
    const ct_hist_forest *forest = w->forest;
    size_t n = 0, n_classes = forest->n_classes;
    for (uint32_t i = 0; i < forest->n_trees; i++) {
        const ct_hist_tree *tree = &forest->trees[i];
        if (n_classes)
            CT_TRY(ct_gpu_send(&s->stream, w->view.counts + n * n_classes, tree->counts,
                               tree->n_leaves * n_classes * sizeof *tree->counts));
        else
            CT_TRY(ct_gpu_send(&s->stream, w->view.means + n, tree->means,
                               tree->n_leaves * sizeof *tree->means));
        n += tree->n_leaves;
    }
    return CT_OK;
}

static ct_status send_trees(walker *w)
{
    CT_TRY(ct_gpu_take(w->gpu, cut_trees(&w->view, w, NULL), &w->trees));
    (void) cut_trees(&w->view, w, (char *) w->trees.memory);
    for (unsigned i = 0; i < w->n_slots; i++) CT_TRY(open_slot(w, &w->slots[i]));
    const slot *s = &w->slots[0];
    CT_TRY(ct_gpu_send(&s->stream, w->view.nodes, w->nodes, w->n_nodes * sizeof *w->nodes));
    CT_TRY(ct_gpu_send(&s->stream, w->view.nexts, w->nexts, w->n_nodes * sizeof *w->nexts));
    CT_TRY(ct_gpu_send(&s->stream, w->view.begins, w->begins,
                       w->forest->n_trees * sizeof *w->begins));
    CT_TRY(send_leaves(w, s));
    return ct_gpu_drain(&s->stream);
}

/* ---- a chunk ---- */

typedef struct {
    const walker *w;
    const slot *s;
} coding;

static void code_rows(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const coding *c = (const coding *) data;
    const walker *w = c->w;
    uint16_t *to = c->s->codes + begin * w->stride;
    uint32_t n_cols = w->forest->n_cols, n = (uint32_t) (end - begin);
    (void) worker;
    for (uint32_t col = 0; col < n_cols; col++)
        ct_forest_encode(&w->compact.columns[col], &w->coders[col], &w->columns[col],
                         c->s->from + (uint32_t) begin, n, to + col, w->stride);
    ct_forest_compact_answer(&w->compact, n_cols, n, to, w->stride);
}

static ct_status launch(const slot *s, ct_forest_kernel kernel, size_t items)
{
    return ct_gpu_launch(&s->stream, &ct_forest_kernels[kernel], ct_gpu_threads(items), &s->view);
}

static ct_status launch_says(const walker *w, const slot *s)
{
    const size_t cells = (size_t) s->n * w->forest->n_trees;
    switch (w->what) {
    case CT_HIST_LEAVES: return CT_OK;
    case CT_HIST_VOTES: return launch(s, CT_FOREST_WALK_VOTES, s->n);
    case CT_HIST_TREES: return launch(s, CT_FOREST_WALK_SAY, cells);
    default:
        return launch(s, w->forest->n_classes ? CT_FOREST_WALK_SHARES : CT_FOREST_WALK_MEANS,
                      s->n);
    }
}

static ct_status start_chunk(const walker *w, slot *s, uint32_t from)
{
    coding c = {w, s};
    s->from = from;
    s->n = w->n_rows - from < w->chunk ? w->n_rows - from : w->chunk;
    s->view.n_rows = s->n;
    ct_loop loop = {s->n, CODED, CT_DYNAMIC, w->threads, code_rows, &c, w->stop};
    ct_parallel_for(&loop);
    CT_TRY(ct_gpu_send(&s->stream, s->view.codes, s->codes, s->n * w->stride * sizeof *s->codes));
    CT_TRY(launch(s, CT_FOREST_WALK_ROW, (size_t) s->n * w->forest->n_trees));
    CT_TRY(launch_says(w, s));
    const void *out = w->what == CT_HIST_LEAVES ? s->view.leaves : s->view.out;
    return ct_gpu_fetch(&s->stream, s->out, out,
                        ct_hist_output_bytes(w->forest, s->n, w->what));
}

/* Rows of all trees, or the chunk's rows, to their place. */
static ct_status end_chunk(const walker *w, slot *s)
{
    if (!s->n) return CT_OK;
    CT_TRY(ct_gpu_drain(&s->stream));
    int by_tree = w->what == CT_HIST_LEAVES || w->what == CT_HIST_TREES;
    uint32_t times = by_tree ? w->forest->n_trees : 1;
    size_t bytes = ct_hist_output_bytes(w->forest, s->n, w->what) / times / s->n;
    for (uint32_t i = 0; i < times; i++)
        memcpy((char *) w->out + ((size_t) i * w->n_rows + s->from) * bytes,
               (const char *) s->out + (size_t) i * s->n * bytes, s->n * bytes);
    s->n = 0;
    return CT_OK;
}

static ct_status walk_all(walker *w)
{
    unsigned slot_number = 0;
    for (uint32_t from = 0; from < w->n_rows && !ct_halt_now(w->stop, 0);
         from += w->chunk, slot_number = (slot_number + 1) % w->n_slots) {
        CT_TRY(end_chunk(w, &w->slots[slot_number]));
        CT_TRY(start_chunk(w, &w->slots[slot_number], from));
    }
    for (unsigned i = 0; i < w->n_slots; i++) CT_TRY(end_chunk(w, &w->slots[i]));
    return CT_OK;
}

/* ---- all steps ---- */

static ct_status prepare(walker *w, const ct_hist_code_column *codes, ct_error *error)
{
    for (uint32_t i = 0; i < w->forest->n_trees; i++) {
        w->n_nodes += w->forest->trees[i].n_nodes;
        w->n_leaves += w->forest->trees[i].n_leaves;
    }
    if (ct_hist_is_many(w->forest->n_classes))
        return ct_fail(error, CT_NO_DEVICE, "this many classes are left to the CPU");
    if (w->n_leaves >= CT_HIST_MIXED)
        return ct_fail(error, CT_NO_DEVICE, "this many leaves are left to the CPU");
    if (!ct_forest_compact_init(&w->compact, w->forest, codes, w->n_rows))
        return ct_fail(error, CT_NO_MEMORY, "no memory to predict");
    if (!w->compact.nodes)
        return ct_fail(error, CT_NO_DEVICE, "this many sets of levels are left to the CPU");
    w->stride = ((size_t) w->forest->n_cols + w->compact.n_sets + 7) / 8 * 8;
    w->coders = ct_forest_coders_new(w->compact.columns, w->forest->n_cols, w->n_rows);
    if (!w->coders || !make_trees(w)) return ct_fail(error, CT_NO_MEMORY, "no memory to predict");
    return CT_OK;
}

static void walker_free(walker *w)
{
    for (unsigned i = 0; i < SLOTS; i++) ct_gpu_stream_close(&w->slots[i].stream);
    for (unsigned i = 0; i < SLOTS; i++) {
        ct_gpu_give(&w->slots[i].on_device);
        ct_gpu_give(&w->slots[i].on_host);
    }
    ct_gpu_give(&w->trees);
    ct_gpu_close(w->gpu);
    ct_forest_coders_free(w->coders, w->forest->n_cols);
    ct_forest_compact_free(&w->compact);
    ct_free(w->nodes);
    ct_free(w->nexts);
    ct_free(w->begins);
}

static ct_status walk_on(int number, walker *w, const ct_hist_code_column *codes, ct_error *error)
{
    CT_TRY(ct_gpu_open(number, &w->gpu, error));
    CT_TRY(prepare(w, codes, error));
    CT_TRY(plan_memory(w, error));
    w->view.n_trees = w->forest->n_trees;
    w->view.n_classes = w->forest->n_classes;
    w->view.what = w->what;
    w->view.stride = w->stride;
    if (send_trees(w) != CT_OK || walk_all(w) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(w->gpu));
    return CT_OK;
}

ct_status ct_hist_predict_at(const ct_gpu_choice *device, const ct_hist_forest *forest,
                             const ct_hist_code_column *codes, const ct_column *columns,
                             uint32_t n_rows, ct_hist_output what, unsigned threads, ct_halt *stop,
                             void *out, ct_gpu_used *used, ct_error *error)
{
    CT_ASSERT(codes && columns && (out || !n_rows));
    const ct_gpu_cost cost = ct_forest_walk_cost(forest, n_rows, threads);
    ct_error why = {CT_OK, ""};
    if (ct_gpu_wants(device, &cost, used) && n_rows && forest->n_trees) {
        walker w = {.forest = forest, .columns = columns, .n_rows = n_rows, .what = what,
                    .threads = threads, .stop = stop, .out = out};
        ct_status status = walk_on(ct_gpu_number(device), &w, codes, &why);
        walker_free(&w);
        if (status == CT_OK) ct_gpu_done(device, used);
        else CT_TRY(ct_gpu_without(device, &why, used, error));
        if (status == CT_OK) return CT_OK;
    }
    return ct_hist_predict(forest, codes, columns, n_rows, what, threads, stop, out, error);
}
