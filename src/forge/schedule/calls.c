#include "base/compact.h"

#include "forge/schedule/calls.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "forge/input.h"
#include "forge/sums.h"

ct_status ct_forge_scheduled_new(const ct_forged *f, const char *text, int any_order,
                                 ct_arena *arena, ct_forge_scheduled *s, ct_error *error)
{
    CT_ASSERT(f->ensemble && text);
    memset(s, 0, sizeof *s);
    s->forged = f;
    s->nest = CT_ARENA_NEW(arena, ct_forge_nest, 1);
    s->ir = CT_ARENA_NEW(arena, ct_forge_ir, 1);
    s->shape = ct_forge_shape_of(f, any_order, arena);
    if (!s->nest || !s->ir || !s->shape) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    CT_TRY(ct_forge_nest_parse(s->nest, text, error));
    CT_TRY(ct_forge_nest_check(s->nest, s->shape, error));
    CT_TRY(ct_forge_ir_lower(s->ir, s->nest, s->shape, CT_FORGE_LOW, error));
    s->model = ct_forge_model_new(f, s->shape, s->nest->layout, arena);
    return s->model ? CT_OK : ct_fail(error, CT_NO_MEMORY, "not enough memory");
}

/* ---- what a thread is at ---- */

typedef struct {
    const double *x; /* [row - first][n_used] */
    int64_t first;
} some_rows;

typedef struct {
    char *sums;     /* [iteration][row - first][n_outputs], NULL: none */
    int64_t first, n_rows;
} own_sums;

typedef struct {
    const ct_forge_scheduled *s;
    const ct_column *columns;
    uint32_t n_rows;
    unsigned threads;
    ct_halt *stop;
    int64_t *failed; /* atomic, shared: 1 once memory was short */
    ct_arena *arena; /* the thread's own */
    int64_t at[CT_FORGE_MOST_LOOPS];
    some_rows rows;
    own_sums result, slots, own[CT_FORGE_MOST_LOOPS];
} running;

static size_t number_size(const running *r)
{
    return r->s->forged->ensemble->sum == CT_FORGE_F32 ? sizeof(float) : sizeof(double);
}

static int64_t sum_of(const running *r, int loop, ct_forge_axis axis)
{
    int64_t sum = 0;
    for (int i = loop; i >= 0; i = r->s->nest->loops[i].outer)
        if (r->s->nest->loops[i].axis == axis) sum += r->at[i];
    return sum;
}

/* The rows within reach of the loop that there are. */
static int64_t rows_within(const running *r, int loop, int64_t first)
{
    int64_t n = ct_forge_loop_span(r->s->nest, loop, CT_FORGE_ROWS, r->s->shape->n_trees);
    int64_t left = first < r->n_rows ? r->n_rows - first : 0;
    return n < left ? n : left;
}

/* ---- sums ---- */

static own_sums *holder_of(running *r, int target)
{
    if (target == CT_FORGE_TO_RESULT) return &r->result;
    return target < 0 ? &r->slots : &r->own[target];
}

/* The sums of the iteration under way, and the row that they begin with. */
static char *sums_of(running *r, int target, int64_t *first)
{
    own_sums *of = holder_of(r, target);
    int64_t which = ct_forge_ir_copy_of(r->s->ir, target, r->at);
    *first = of->first;
    return of->sums + (size_t) which * (size_t) of->n_rows * r->s->model->n_outputs *
                          number_size(r);
}

/* Any order is allowed of doubles alone. */
static void make_private(running *r, const ct_forge_ir_node *node)
{
    int grid, around = node->loop < 0 ? -1 : r->s->nest->loops[node->loop].outer;
    own_sums *of = holder_of(r, node->loop);
    if (node->loop >= 0 && r->s->ir->on_gpu) {
        ct_forge_shared_loop(r->s->nest, &grid);
        around = grid;
    }
    of->first = sum_of(r, around, CT_FORGE_ROWS);
    of->n_rows = rows_within(r, around, of->first);
    int64_t copies = ct_forge_ir_copies(r->s->ir, node->loop);
    size_t n = (size_t) (copies * of->n_rows) * r->s->model->n_outputs;
    double *sums = CT_ARENA_NEW(r->arena, double, n ? n : 1);
    of->sums = (char *) sums;
    if (!sums) ct_atomic_write(r->failed, 1);
    for (size_t i = 0; sums && i < n; i++) sums[i] = -0.0;
}

static void reduce_dim(running *r, const ct_forge_ir_node *node)
{
    const own_sums *from = holder_of(r, node->loop);
    int64_t first, copies = ct_forge_ir_copies(r->s->ir, node->loop);
    size_t n = (size_t) from->n_rows * r->s->model->n_outputs;
    char *into = sums_of(r, node->target, &first);
    double *to = (double *) (void *) into +
                 (size_t) (from->first - first) * r->s->model->n_outputs;
    for (int64_t k = 0; k < copies; k++) {
        const double *own = (const double *) (const void *) from->sums + (size_t) k * n;
        for (size_t i = 0; i < n; i++) {
            if (node->added_only && own[i] == 0 && signbit(own[i])) continue;
            if (node->atomic) ct_atomic_add_double(&to[i], own[i]);
            else to[i] += own[i];
        }
    }
}

/* ---- rows ---- */

static void cache_rows(running *r, int loop)
{
    int64_t first = loop < 0 ? 0 : sum_of(r, loop, CT_FORGE_ROWS), n = rows_within(r, loop, first);
    size_t size = (size_t) n * r->s->forged->n_used;
    double *x = CT_ARENA_NEW(r->arena, double, size ? size : 1);
    if (!x) {
        ct_atomic_write(r->failed, 1);
        return;
    }
    ct_forge_input_rows(r->s->forged, r->columns, (uint32_t) first, (uint32_t) n, x);
    r->rows = (some_rows){x, first};
}

/* ---- loops ---- */

static void run_list(running *r, int first);

/* The innermost loop: n iterations from where it is. */
static void call_kernel(running *r, const ct_forge_ir_node *walk, int64_t n)
{
    const ct_forge_ir_node *reduce = &r->s->ir->nodes[walk->next];
    const ct_forge_index *index = &r->s->nest->loops[walk->loop];
    ct_forge_walk_call call = {
        .tree = sum_of(r, walk->loop, CT_FORGE_TREES), .row = sum_of(r, walk->loop, CT_FORGE_ROWS),
        .n = n, .step = index->step, .axis = index->axis, .lanes = walk->lanes,
        .hops = walk->hops, .peel = walk->peel, .x = r->rows.x, .first_row = r->rows.first,
        .atomic = reduce->atomic};
    call.sums = sums_of(r, reduce->target, &call.first_sum);
    ct_forge_representation_of(r->s->nest->layout)->walk(r->s->model, &call);
}

static void run_iterations(running *r, const ct_forge_ir_node *node, int64_t begin, int64_t end)
{
    const ct_forge_index *index = &r->s->nest->loops[node->loop];
    const ct_forge_ir_node *first = &r->s->ir->nodes[node->inner];
    if (first->kind == CT_FORGE_IR_BARRIER) first = &r->s->ir->nodes[first->next];
    int at_once = first->kind == CT_FORGE_IR_WALK &&
                  !ct_forge_nest_conflicts(r->s->nest, node->loop);
    some_rows rows = r->rows;
    for (int64_t k = begin; k < end; k = at_once ? end : k + 1) {
        if (ct_atomic_read(r->failed)) return;
        r->at[node->loop] = index->start + k * index->step;
        if (at_once) {
            call_kernel(r, first, end - k);
        } else {
            ct_arena_mark mark = ct_arena_here(r->arena);
            run_list(r, node->inner);
            ct_arena_release(r->arena, mark);
            r->rows = rows;
        }
    }
}

typedef struct {
    const running *r;
    const ct_forge_ir_node *node;
} sharing;

/* Threads have what is under way as it was before the loop, and memory of their own. */
static void share(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const sharing *s = (const sharing *) data;
    running own = *s->r;
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    (void) worker;
    ct_arena_init(&arena, &budget);
    own.arena = &arena;
    own.threads = 1;
    run_iterations(&own, s->node, (int64_t) begin, (int64_t) end);
    ct_arena_free(&arena);
}

static void run_for(running *r, const ct_forge_ir_node *node)
{
    int64_t n = ct_forge_loop_trips_now(r->s->nest, node->loop, node->bounds, node->n_bounds,
                                        r->n_rows, r->at);
    if (node->how != CT_FORGE_HOW_THREADS || r->threads < 2 || n < 2) {
        run_iterations(r, node, 0, n);
        return;
    }
    sharing s = {r, node};
    uint64_t chunk = (uint64_t) n / (8 * r->threads) + 1;
    ct_loop loop = {(uint64_t) n, chunk, CT_DYNAMIC, r->threads, share, &s, r->stop};
    ct_parallel_for(&loop);
}

static void run_list(running *r, int first)
{
    for (int i = first; i >= 0 && !ct_atomic_read(r->failed); i = r->s->ir->nodes[i].next) {
        const ct_forge_ir_node *node = &r->s->ir->nodes[i];
        switch (node->kind) {
        case CT_FORGE_IR_FOR: run_for(r, node); break;
        case CT_FORGE_IR_WALK: call_kernel(r, node, 1); break;
        case CT_FORGE_IR_CACHE_ROWS: cache_rows(r, node->loop); break;
        case CT_FORGE_IR_PRIVATE: make_private(r, node); break;
        case CT_FORGE_IR_REDUCE_DIM: reduce_dim(r, node); break;
        default: break;
        }
    }
}

/* ---- all of it ---- */

/* Where the one outermost loop caches its rows, no others are asked for. */
static int caches_all_rows(const ct_forge_nest *nest)
{
    const ct_forge_index *outermost = &nest->loops[nest->first];
    return outermost->next < 0 && outermost->axis == CT_FORGE_ROWS &&
           outermost->marked[CT_FORGE_CACHE];
}

static void begin_sums(const running *r)
{
    const ct_forge_model *m = r->s->model;
    for (size_t i = 0; i < (size_t) r->n_rows * m->n_outputs; i++) {
        if (number_size(r) == sizeof(float))
            ((float *) (void *) r->result.sums)[i] = (float) m->base[i % m->n_outputs];
        else ((double *) (void *) r->result.sums)[i] = m->base[i % m->n_outputs];
    }
}

static void end_sums(const running *r, double *out)
{
    const ct_forge_ensemble *e = r->s->forged->ensemble;
    size_t width = e->n_outputs * number_size(r);
    for (uint32_t row = 0; row < r->n_rows; row++)
        ct_forge_sums_end(e, r->result.sums + row * width, 1, 1, out + row, r->n_rows);
}

static void run_all(running *r, double *out)
{
    size_t n = (size_t) r->n_rows * r->s->model->n_outputs;
    r->result.sums = (char *) ct_arena_alloc(r->arena, n, number_size(r));
    r->result.n_rows = r->n_rows;
    if (!r->result.sums) {
        ct_atomic_write(r->failed, 1);
        return;
    }
    begin_sums(r);
    if (!caches_all_rows(r->s->nest)) cache_rows(r, -1);
    run_list(r, r->s->ir->first);
    if (!ct_atomic_read(r->failed)) end_sums(r, out);
}

/* A block of planes is a tile of the schedule; threads if its loop is parallel. */
static ct_status predict_planes(const ct_forge_scheduled *s, const ct_column *columns,
                                uint32_t n_rows, const ct_forge_run *run, double *out,
                                ct_error *error)
{
    const ct_forge_index *rows = &s->nest->loops[s->nest->first];
    ct_forge_run as = *run;
    as.way = CT_FORGE_WAY_PLANES;
    as.block = (uint32_t) rows->step;
    if (!rows->marked[CT_FORGE_PARALLEL]) as.threads = 1;
    return ct_forged_predict(s->forged, columns, n_rows, &as, out, error);
}

ct_status ct_forge_scheduled_predict(const ct_forge_scheduled *s, const ct_column *columns,
                                     uint32_t n_rows, const ct_forge_run *run, double *out,
                                     ct_error *error)
{
    CT_ASSERT(s->forged && s->nest && s->forged->ensemble->n_outputs > 0);
    if (s->nest->layout == CT_FORGE_PLANES)
        return predict_planes(s, columns, n_rows, run, out, error);
    int64_t failed = 0;
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    running r = {.s = s, .columns = columns, .n_rows = n_rows, .threads = run->threads,
                 .stop = run->stop, .failed = &failed, .arena = &arena};
    if (!n_rows) return CT_OK;
    ct_arena_init(&arena, &budget);
    run_all(&r, out);
    ct_arena_free(&arena);
    return failed ? ct_fail(error, CT_NO_MEMORY, "not enough memory to predict") : CT_OK;
}
