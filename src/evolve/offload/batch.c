/* Batches of questions: planned and packed on the host, answered on the device. */
#include "evolve/offload/batch.h"

#include <string.h>

#include "base/memory.h"

/* ---- memory ---- */

/* Bytes that are sent. */
static size_t cut_questions(ct_batch_view *batch, const ct_batch_place *all, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    batch->nodes =
        (const ct_question_node *) ct_gpu_cut(&c, all->nodes * sizeof *batch->nodes);
    batch->pieces = (const ct_tile_piece *) ct_gpu_cut(&c, all->pieces * sizeof *batch->pieces);
    batch->parts = (const uint32_t *) ct_gpu_cut(&c, all->parts * sizeof *batch->parts);
    batch->leaves = (const ct_parts_of *) ct_gpu_cut(&c, all->leaves * sizeof *batch->leaves);
    batch->omitted = (const uint64_t *) ct_gpu_cut(
        &c, all->leaves * CT_OMITTED_WORDS * sizeof *batch->omitted);
    batch->asked = (const ct_row_asked *) ct_gpu_cut(&c, all->rows * sizeof *batch->asked);
    return c.used;
}

static size_t bytes_of_answers(const ct_batch_place *all)
{
    return all->leaves * (2 * sizeof(double) + sizeof(uint32_t)) + all->rows * sizeof(uint32_t);
}

/* Without gaps, so that no byte is fetched that was not written. */
static size_t cut_answers(ct_batch_view *batch, const ct_batch_place *all, char *memory)
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

static size_t cut_scratch(ct_batch_view *batch, const ct_cells_view *cells,
                          const ct_batch_place *all, char *memory)
{
    ct_gpu_cutter c = {memory, 0};
    batch->sums = (double *) ct_gpu_cut(&c, all->pieces * cells->size * sizeof *batch->sums);
    batch->counts = (uint32_t *) ct_gpu_cut(&c, all->pieces * sizeof *batch->counts);
    batch->models = (double *) ct_gpu_cut(
        &c, all->leaves * (cells->size + cells->p) * sizeof *batch->models);
    return c.used;
}

/* Whether there is room for them. */
static int has_room(const ct_cell_device *device, const ct_batch_place *all)
{
    ct_batch_view batch;
    const size_t both = cut_questions(&batch, all, NULL) + cut_answers(&batch, all, NULL);
    return both <= device->bytes_on_host &&
           both + cut_scratch(&batch, &device->views.cells, all, NULL) <= device->bytes_on_device;
}

ct_status ct_gmt_cell_batch_open(ct_cell_device *device)
{
    device->plans =
        (ct_question_plan *) ct_alloc(CT_BATCH_QUESTIONS * sizeof *device->plans);
    device->places =
        (ct_batch_place *) ct_alloc((CT_BATCH_QUESTIONS + 1) * sizeof *device->places);
    if (device->plans) memset(device->plans, 0, CT_BATCH_QUESTIONS * sizeof *device->plans);
    if (!device->plans || !device->places) return CT_NO_MEMORY;
    CT_TRY(ct_gpu_take(device->gpu, device->bytes_on_device, &device->batch_on_device));
    return ct_gpu_take_host(device->gpu, device->bytes_on_host, &device->on_host);
}

void ct_gmt_cell_batch_close(ct_cell_device *device)
{
    for (uint32_t i = 0; device->plans && i < CT_BATCH_QUESTIONS; i++)
        ct_gmt_question_plan_free(&device->plans[i]);
    ct_gpu_give(&device->batch_on_device);
    ct_gpu_give(&device->on_host);
    ct_free(device->plans), ct_free(device->places);
}

/* ---- planning and packing ---- */

/* Questions under way, those about sums first; `begin` .. `end` are a batch. */
typedef struct {
    ct_cell_device *device;
    ct_cell_question *questions[CT_BATCH_QUESTIONS];
    uint32_t number[CT_BATCH_QUESTIONS]; /* of each, as the caller has it */
    uint32_t n, begin, end;
    ct_batch_view host;   /* of the batch, in memory of the host */
    uint8_t *answered;    /* [number] */
} asking;

static void for_all(asking *a, uint32_t n, void (*work)(void *, unsigned, uint64_t, uint64_t))
{
    CT_ASSERT(a->device->threads > 0);
    ct_loop loop = {n, 1, CT_DYNAMIC, a->device->threads, work, a, NULL};
    ct_parallel_for(&loop);
}

static void make_plans(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    asking *a = (asking *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        ct_gmt_question_plan_make(&a->device->plans[i], a->device->cells, a->questions[i]);
}

/* The place behind a question at `at`; 0 if there is no room for it. */
static int place_behind(const asking *a, uint32_t i, const ct_batch_place *at,
                        ct_batch_place *behind)
{
    const ct_question_plan *plan = &a->device->plans[i];
    const uint32_t n_rows = a->questions[i]->n_numbers;
    if (!plan->complete || plan->n_pieces > (CT_PART_PIECE - 1) - at->pieces) return 0;
    behind->nodes = at->nodes + plan->n_nodes;
    behind->pieces = at->pieces + plan->n_pieces;
    behind->parts = at->parts + plan->n_parts;
    behind->leaves = at->leaves + (n_rows ? 0 : plan->n_leaves);
    behind->rows = at->rows + n_rows;
    return has_room(a->device, behind);
}

/* As many questions from `begin` on as there is room for; at least one, or 0: it is too large. */
static int begin_batch(asking *a, uint32_t begin)
{
    ct_batch_place *places = a->device->places;
    a->begin = a->end = begin;
    memset(&places[begin], 0, sizeof *places);
    while (a->end < a->n && place_behind(a, a->end, &places[a->end], &places[a->end + 1])) a->end++;
    return a->end > begin;
}

/* The parts of each leaf next to each other, in their order. */
static void pack_parts(const asking *a, const ct_question_plan *plan, const ct_batch_place *at,
                       ct_parts_of *leaves)
{
    uint32_t *to = (uint32_t *) a->host.parts + at->parts, used = 0;
    for (uint32_t k = 0; k < plan->n_leaves; k++) leaves[k].n = 0;
    for (uint32_t i = 0; i < plan->n_parts; i++) leaves[plan->parts[i].leaf].n++;
    for (uint32_t k = 0; k < plan->n_leaves; k++) {
        leaves[k].first = at->parts + used;
        used += leaves[k].n;
        leaves[k].n = 0;
    }
    for (uint32_t i = 0; i < plan->n_parts; i++) {
        ct_parts_of *leaf = &leaves[plan->parts[i].leaf];
        const uint32_t part = plan->parts[i].part;
        to[leaf->first - at->parts + leaf->n++] = part & CT_PART_PIECE ? part + at->pieces : part;
    }
}

/* What the models of a question's leaves do without. */
static void pack_omitted(const asking *a, const ct_question_plan *plan, const ct_batch_place *at,
                         const ct_model_tree *tree)
{
    uint64_t *to = (uint64_t *) a->host.omitted + (size_t) at->leaves * CT_OMITTED_WORDS;
    for (uint32_t k = 0; k < plan->n_leaves; k++)
        memcpy(to + (size_t) k * CT_OMITTED_WORDS, tree->nodes[plan->leaves[k]].omitted,
               CT_OMITTED_WORDS * sizeof *to);
}

static void pack(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const asking *a = (const asking *) data;
    (void) worker;
    for (uint64_t i = a->begin + begin; i < a->begin + end; i++) {
        const ct_question_plan *plan = &a->device->plans[i];
        const ct_cell_question *question = a->questions[i];
        const ct_batch_place *at = &a->device->places[i];
        ct_tile_piece *pieces = (ct_tile_piece *) a->host.pieces + at->pieces;
        ct_parts_of *leaves = (ct_parts_of *) a->host.leaves + at->leaves, rows;
        ct_row_asked *asked = (ct_row_asked *) a->host.asked + at->rows;
        memcpy((ct_question_node *) a->host.nodes + at->nodes, plan->nodes,
               plan->n_nodes * sizeof *plan->nodes);
        for (uint32_t k = 0; k < plan->n_pieces; k++) {
            pieces[k] = plan->pieces[k];
            pieces[k].nodes = at->nodes;
        }
        CT_ASSERT(!question->n_numbers || plan->n_leaves == 1 /* the node */);
        pack_parts(a, plan, at, question->n_numbers ? &rows : leaves);
        if (!question->n_numbers) pack_omitted(a, plan, at, question->tree);
        for (uint32_t k = 0; k < question->n_numbers; k++)
            asked[k] = (ct_row_asked){rows, question->numbers[k]};
    }
}

/* ---- on the device ---- */

static ct_status launch(const ct_cell_device *device, ct_evolve_kernel kernel, size_t items)
{
    if (!items) return CT_OK;
    return ct_gpu_launch(&device->stream, &ct_evolve_kernels[kernel], ct_gpu_warps(items),
                         &device->views);
}

static ct_evolve_kernel piece_kernel(const ct_cells_view *cells)
{
    return cells->n_entries <= 32   ? CT_EVOLVE_PIECE_NARROW
           : cells->n_entries <= 96 ? CT_EVOLVE_PIECE_MIDDLE
                                    : CT_EVOLVE_PIECE_WIDE;
}

/* What the batch has is cut, and the questions about sums are found. */
static void cut_batch(asking *a, size_t *sent)
{
    ct_cell_device *device = a->device;
    ct_batch_view *batch = &device->views.batch;
    const ct_batch_place *all = &device->places[a->end];
    char *on_device = (char *) device->batch_on_device.memory,
         *on_host = (char *) device->on_host.memory;
    uint32_t first_about_rows = a->begin;
    while (first_about_rows < a->end && !a->questions[first_about_rows]->n_numbers)
        first_about_rows++;
    *sent = cut_questions(batch, all, on_device);
    const size_t both = *sent + cut_answers(batch, all, on_device + *sent),
                 scratch = cut_scratch(batch, &device->views.cells, all, on_device + both);
    CT_ASSERT(both <= device->bytes_on_host && both + scratch <= device->bytes_on_device);
    (void) scratch;
    (void) cut_questions(&a->host, all, on_host);
    (void) cut_answers(&a->host, all, on_host + *sent);
    batch->n_summed = device->places[first_about_rows].pieces;
    batch->n_pieces = all->pieces;
    batch->n_leaves = all->leaves;
    batch->n_rows = all->rows;
}

static ct_status run_batch(asking *a)
{
    ct_cell_device *device = a->device;
    const ct_batch_view *batch = &device->views.batch;
    size_t sent;
    cut_batch(a, &sent);
    for_all(a, a->end - a->begin, pack);
    CT_TRY(ct_gpu_send(&device->stream, device->batch_on_device.memory, device->on_host.memory,
                       sent));
    CT_TRY(launch(device, piece_kernel(&device->views.cells), batch->n_pieces));
    CT_TRY(launch(device, CT_EVOLVE_ANSWER, (size_t) batch->n_leaves + batch->n_rows));
    CT_TRY(ct_gpu_fetch(&device->stream, (char *) device->on_host.memory + sent,
                        (char *) device->batch_on_device.memory + sent,
                        bytes_of_answers(&device->places[a->end])));
    CT_TRY(ct_gpu_drain(&device->stream));
    device->n_batches++;
    return CT_OK;
}

static void take_answers(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const asking *a = (const asking *) data;
    (void) worker;
    for (uint64_t i = a->begin + begin; i < a->begin + end; i++) {
        const ct_question_plan *plan = &a->device->plans[i];
        const ct_batch_place *at = &a->device->places[i];
        ct_cell_question *question = a->questions[i];
        a->answered[a->number[i]] = 1;
        if (question->n_numbers) {
            memcpy(question->rows, a->host.rows + at->rows,
                   question->n_numbers * sizeof *question->rows);
            continue;
        }
        for (uint32_t k = 0; k < plan->n_leaves; k++) {
            ct_model_node *leaf = &question->tree->nodes[plan->leaves[k]];
            leaf->begin = 0;
            leaf->end = a->host.n[at->leaves + k];
            leaf->sse = a->host.sse[at->leaves + k];
            leaf->terms = a->host.terms[at->leaves + k];
        }
        ct_gmt_count_below(question->tree, question->node);
    }
}

/* ---- questions ---- */

static void take_questions(asking *a, ct_cell_question *const *questions, uint32_t first,
                           uint32_t n)
{
    a->n = 0;
    for (int about_rows = 0; about_rows < 2; about_rows++)
        for (uint32_t i = first; i < first + n; i++) {
            if ((questions[i]->n_numbers != 0) != about_rows) continue;
            a->number[a->n] = i;
            a->questions[a->n++] = questions[i];
        }
}

void ct_gmt_cell_device_ask(ct_cell_device *device, ct_cell_question *const *questions, uint32_t n,
                            uint8_t *answered)
{
    asking a;
    a.device = device;
    a.answered = answered;
    memset(answered, 0, n);
    if (ct_gpu_is_lost(device->gpu)) return;
    for (uint32_t first = 0; first < n; first += CT_BATCH_QUESTIONS) {
        take_questions(&a, questions, first,
                       n - first < CT_BATCH_QUESTIONS ? n - first : CT_BATCH_QUESTIONS);
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
