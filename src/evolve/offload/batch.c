/* Batches of queries: planned and packed on the host, answered on the device. */
#include "base/compact.h"

#include "evolve/offload/batch.h"

#include <string.h>

#include "base/memory.h"

/* ---- memory ---- */

/* Lays out what is sent; returns its bytes. */
static size_t cut_queries(ct_batch_view *batch, const ct_batch_offsets *all, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    batch->nodes = (const ct_query_node *) ct_gpu_cut(&c, all->nodes * sizeof *batch->nodes);
    batch->pieces = (const ct_tile_piece *) ct_gpu_cut(&c, all->pieces * sizeof *batch->pieces);
    batch->summands = (const uint32_t *) ct_gpu_cut(&c, all->summands * sizeof *batch->summands);
    batch->leaves = (const ct_summands *) ct_gpu_cut(&c, all->leaves * sizeof *batch->leaves);
    batch->omitted = (const uint64_t *) ct_gpu_cut(
        &c, all->leaves * CT_OMITTED_WORDS * sizeof *batch->omitted);
    batch->nth_rows = (const ct_nth_row *) ct_gpu_cut(&c, all->rows * sizeof *batch->nth_rows);
    return c.used;
}

static size_t bytes_of_answers(const ct_batch_offsets *all)
{
    return all->leaves * (2 * sizeof(double) + sizeof(uint32_t)) + all->rows * sizeof(uint32_t);
}

/* Lays out the answers without gaps, so that no byte is fetched that was not written. */
static size_t cut_answers(ct_batch_view *batch, const ct_batch_offsets *all, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    batch->sse = (double *) ct_gpu_cut(&c, bytes_of_answers(all));
    if (memory) {
        batch->terms = batch->sse + all->leaves;
        batch->n = (uint32_t *) (void *) (batch->terms + all->leaves);
        batch->rows = batch->n + all->leaves;
    }
    return c.used;
}

static size_t cut_scratch(ct_batch_view *batch, const ct_kd_view *kd, const ct_batch_offsets *all,
                          char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    batch->sums = (double *) ct_gpu_cut(&c, all->pieces * kd->size * sizeof *batch->sums);
    batch->counts = (uint32_t *) ct_gpu_cut(&c, all->pieces * sizeof *batch->counts);
    batch->models = (double *) ct_gpu_cut(&c,
                                          all->leaves * (kd->size + kd->p) * sizeof *batch->models);
    return c.used;
}

/* Whether there is room for a batch of these sizes. */
static int has_room(const ct_kd_device *device, const ct_batch_offsets *all)
{
    ct_batch_view batch;
    const size_t both = cut_queries(&batch, all, NULL) + cut_answers(&batch, all, NULL);
    return both <= device->bytes_on_host &&
           both + cut_scratch(&batch, &device->views.kd, all, NULL) <= device->bytes_on_device;
}

ct_status ct_gmt_kd_batch_open(ct_kd_device *device)
{
    device->plans = (ct_query_plan *) ct_alloc_zeroed(CT_BATCH_QUERIES, sizeof *device->plans);
    device->offsets = (ct_batch_offsets *) ct_alloc((CT_BATCH_QUERIES + 1) *
                                                    sizeof *device->offsets);
    if (!device->plans || !device->offsets) return CT_NO_MEMORY;
    CT_TRY(ct_gpu_take(device->gpu, device->bytes_on_device, &device->batch_on_device));
    return ct_gpu_take_host(device->gpu, device->bytes_on_host, &device->on_host);
}

void ct_gmt_kd_batch_close(ct_kd_device *device)
{
    for (uint32_t i = 0; device->plans && i < CT_BATCH_QUERIES; i++)
        ct_gmt_query_plan_free(&device->plans[i]);
    ct_gpu_give(&device->batch_on_device);
    ct_gpu_give(&device->on_host);
    ct_free(device->plans), ct_free(device->offsets);
}

/* ---- planning and packing ---- */

/* The queries at work, those about sums first; `begin` .. `end` are a batch. */
typedef struct {
    ct_kd_device *device;
    ct_kd_query *queries[CT_BATCH_QUERIES];
    uint32_t number[CT_BATCH_QUERIES]; /* the caller's number of each */
    uint32_t n, begin, end;
    ct_batch_view host; /* the batch in memory of the host */
    uint8_t *answered;  /* [number] */
} answering;

static void for_all(answering *a, uint32_t n, void (*work)(void *, unsigned, uint64_t, uint64_t))
{
    CT_ASSERT(a->device->threads > 0);
    ct_loop loop = {n, 1, CT_DYNAMIC, a->device->threads, work, a, NULL};
    ct_parallel_for(&loop);
}

static void make_plans(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    answering *a = (answering *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        ct_gmt_query_plan_make(&a->device->plans[i], a->device->kd, a->queries[i]);
}

/* The offsets behind a query whose own are `at`; 0 if there is no room for it. */
static int next_offsets(const answering *a, uint32_t i, const ct_batch_offsets *at,
                        ct_batch_offsets *behind)
{
    const ct_query_plan *plan = &a->device->plans[i];
    const uint32_t n_rows = a->queries[i]->n_numbers;
    if (!plan->complete || plan->n_pieces > (CT_PIECE_FLAG - 1) - at->pieces) return 0;
    behind->nodes = at->nodes + plan->n_nodes;
    behind->pieces = at->pieces + plan->n_pieces;
    behind->summands = at->summands + plan->n_summands;
    behind->leaves = at->leaves + (n_rows ? 0 : plan->n_leaves);
    behind->rows = at->rows + n_rows;
    return has_room(a->device, behind);
}

/* Takes as many queries from `begin` on as there is room for; returns 0 if not even one fits. */
static int begin_batch(answering *a, uint32_t begin)
{
    ct_batch_offsets *offsets = a->device->offsets;
    a->begin = a->end = begin;
    memset(&offsets[begin], 0, sizeof *offsets);
    while (a->end < a->n && next_offsets(a, a->end, &offsets[a->end], &offsets[a->end + 1]))
        a->end++;
    return a->end > begin;
}

/* Packs the summands of each leaf next to each other, in their order. */
static void pack_summands(const answering *a, const ct_query_plan *plan, const ct_batch_offsets *at,
                          ct_summands *leaves)
{
    uint32_t *to = (uint32_t *) a->host.summands + at->summands, used = 0;
    for (uint32_t k = 0; k < plan->n_leaves; k++) leaves[k].n = 0;
    for (uint32_t i = 0; i < plan->n_summands; i++) leaves[plan->summands[i].leaf].n++;
    for (uint32_t k = 0; k < plan->n_leaves; k++) {
        leaves[k].first = at->summands + used;
        used += leaves[k].n;
        leaves[k].n = 0;
    }
    for (uint32_t i = 0; i < plan->n_summands; i++) {
        ct_summands *leaf = &leaves[plan->summands[i].leaf];
        const uint32_t summand = plan->summands[i].summand;
        to[leaf->first - at->summands + leaf->n++] = summand & CT_PIECE_FLAG ? summand + at->pieces
                                                                             : summand;
    }
}

/* Packs which columns the models of a query's leaves leave out. */
static void pack_omitted(const answering *a, const ct_query_plan *plan, const ct_batch_offsets *at,
                         const ct_model_tree *tree)
{
    uint64_t *to = (uint64_t *) a->host.omitted + (size_t) at->leaves * CT_OMITTED_WORDS;
    for (uint32_t k = 0; k < plan->n_leaves; k++)
        memcpy(to + (size_t) k * CT_OMITTED_WORDS, tree->nodes[plan->leaves[k]].omitted,
               CT_OMITTED_WORDS * sizeof *to);
}

static void pack(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const answering *a = (const answering *) data;
    (void) worker;
    for (uint64_t i = a->begin + begin; i < a->begin + end; i++) {
        const ct_query_plan *plan = &a->device->plans[i];
        const ct_kd_query *query = a->queries[i];
        const ct_batch_offsets *at = &a->device->offsets[i];
        ct_tile_piece *pieces = (ct_tile_piece *) a->host.pieces + at->pieces;
        ct_summands *leaves = (ct_summands *) a->host.leaves + at->leaves, rows;
        ct_nth_row *nth_rows = (ct_nth_row *) a->host.nth_rows + at->rows;
        memcpy((ct_query_node *) a->host.nodes + at->nodes, plan->nodes,
               plan->n_nodes * sizeof *plan->nodes);
        for (uint32_t k = 0; k < plan->n_pieces; k++) {
            pieces[k] = plan->pieces[k];
            pieces[k].nodes = at->nodes;
        }
        CT_ASSERT(!query->n_numbers || plan->n_leaves == 1 /* the node */);
        pack_summands(a, plan, at, query->n_numbers ? &rows : leaves);
        if (!query->n_numbers) pack_omitted(a, plan, at, query->tree);
        for (uint32_t k = 0; k < query->n_numbers; k++)
            nth_rows[k] = (ct_nth_row){rows, query->numbers[k]};
    }
}

/* ---- on the device ---- */

static ct_status launch(const ct_kd_device *device, ct_evolve_kernel kernel, size_t items)
{
    if (!items) return CT_OK;
    return ct_gpu_launch(&device->stream, &ct_evolve_kernels[kernel], ct_gpu_warps(items),
                         &device->views);
}

static ct_evolve_kernel piece_kernel(const ct_kd_view *kd)
{
    return kd->n_entries <= 32   ? CT_EVOLVE_PIECE_NARROW
           : kd->n_entries <= 96 ? CT_EVOLVE_PIECE_MIDDLE
                                 : CT_EVOLVE_PIECE_WIDE;
}

/* Lays out the batch, and counts the pieces of the queries about sums. */
static void cut_batch(answering *a, size_t *sent)
{
    ct_kd_device *device = a->device;
    ct_batch_view *batch = &device->views.batch;
    const ct_batch_offsets *all = &device->offsets[a->end];
    char *on_device = (char *) device->batch_on_device.memory,
         *on_host = (char *) device->on_host.memory;
    uint32_t first_about_rows = a->begin;
    while (first_about_rows < a->end && !a->queries[first_about_rows]->n_numbers)
        first_about_rows++;
    *sent = cut_queries(batch, all, on_device);
    const size_t both = *sent + cut_answers(batch, all, on_device + *sent),
                 scratch = cut_scratch(batch, &device->views.kd, all, on_device + both);
    CT_ASSERT(both <= device->bytes_on_host && both + scratch <= device->bytes_on_device);
    (void) scratch;
    (void) cut_queries(&a->host, all, on_host);
    (void) cut_answers(&a->host, all, on_host + *sent);
    batch->n_summed = device->offsets[first_about_rows].pieces;
    batch->n_pieces = all->pieces;
    batch->n_leaves = all->leaves;
    batch->n_rows = all->rows;
}

static ct_status run_batch(answering *a)
{
    ct_kd_device *device = a->device;
    const ct_batch_view *batch = &device->views.batch;
    size_t sent;
    cut_batch(a, &sent);
    for_all(a, a->end - a->begin, pack);
    CT_TRY(ct_gpu_send(&device->stream, device->batch_on_device.memory, device->on_host.memory,
                       sent));
    CT_TRY(launch(device, piece_kernel(&device->views.kd), batch->n_pieces));
    CT_TRY(launch(device, CT_EVOLVE_ANSWER, (size_t) batch->n_leaves + batch->n_rows));
    CT_TRY(ct_gpu_fetch(&device->stream, (char *) device->on_host.memory + sent,
                        (char *) device->batch_on_device.memory + sent,
                        bytes_of_answers(&device->offsets[a->end])));
    CT_TRY(ct_gpu_drain(&device->stream));
    device->n_batches++;
    return CT_OK;
}

static void take_answers(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const answering *a = (const answering *) data;
    (void) worker;
    for (uint64_t i = a->begin + begin; i < a->begin + end; i++) {
        const ct_query_plan *plan = &a->device->plans[i];
        const ct_batch_offsets *at = &a->device->offsets[i];
        ct_kd_query *query = a->queries[i];
        a->answered[a->number[i]] = 1;
        if (query->n_numbers) {
            memcpy(query->rows, a->host.rows + at->rows, query->n_numbers * sizeof *query->rows);
            continue;
        }
        for (uint32_t k = 0; k < plan->n_leaves; k++) {
            ct_model_node *leaf = &query->tree->nodes[plan->leaves[k]];
            leaf->begin = 0;
            leaf->end = a->host.n[at->leaves + k];
            leaf->sse = a->host.sse[at->leaves + k];
            leaf->terms = a->host.terms[at->leaves + k];
        }
        ct_gmt_count_below(query->tree, query->node);
    }
}

/* ---- queries ---- */

static void take_queries(answering *a, ct_kd_query *const *queries, uint32_t first, uint32_t n)
{
    a->n = 0;
    for (int about_rows = 0; about_rows < 2; about_rows++)
        for (uint32_t i = first; i < first + n; i++) {
            if ((queries[i]->n_numbers != 0) != about_rows) continue;
            a->number[a->n] = i;
            a->queries[a->n++] = queries[i];
        }
}

void ct_gmt_kd_device_answer(ct_kd_device *device, ct_kd_query *const *queries, uint32_t n,
                             uint8_t *answered)
{
    answering a;
    a.device = device;
    a.answered = answered;
    memset(answered, 0, n);
    if (ct_gpu_is_lost(device->gpu)) return;
    for (uint32_t first = 0; first < n; first += CT_BATCH_QUERIES) {
        take_queries(&a, queries, first,
                     n - first < CT_BATCH_QUERIES ? n - first : CT_BATCH_QUERIES);
        a.begin = a.end = 0;
        for_all(&a, a.n, make_plans);
        for (uint32_t begin = 0; begin < a.n; begin = a.end) {
            if (!begin_batch(&a, begin)) {
                a.end++;
                continue;
            }
            if (run_batch(&a) != CT_OK) return;
            for_all(&a, a.end - a.begin, take_answers);
            device->n_answers += a.end - a.begin;
        }
    }
}
