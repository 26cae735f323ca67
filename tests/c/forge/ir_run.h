/* The loop IR taken literally, node after node, on one thread: what targets are held to. What runs
 * at once runs backwards here, so that whoever depends on an order gets other sums. It also watches
 * that each tree and row meet once, and that walks stay within what was cached. */
#ifndef IR_RUN_H
#define IR_RUN_H

#include <string.h>

#include "interpret_rows.h"
#include "forge/schedule/loop_ir.h"

typedef struct {
    int64_t first, n; /* rows or trees */
} reach;

typedef struct {
    const ct_forge_ir *ir;
    const ct_forge_ensemble *e;
    const double *x;
    uint32_t n_rows;
    double *sums;                      /* [row][output] */
    double *own[CT_FORGE_MOST_LOOPS];  /* by loop: [iteration][row][output] */
    double *slots;                     /* [slot][row][output] */
    int64_t at[CT_FORGE_MOST_LOOPS];   /* variables */
    reach cached[2], within[2];        /* by axis; what is cached, what bounds own sums */
    uint8_t *met;                      /* [tree][row] */
    ct_arena *arena;
    ct_error *error;
} running;

static ct_status wrong_ir(const running *r, const char *what)
{
    return ct_fail(r->error, CT_INTERNAL, "the loop IR went wrong: %s", what);
}

static int64_t sum_of(const running *r, int loop, ct_forge_axis axis)
{
    int loops[CT_FORGE_MOST_NEST];
    int64_t sum = 0;
    uint32_t n = ct_forge_ir_base(r->ir->nest, loop, axis, loops);
    while (n) sum += r->at[loops[--n]];
    return sum;
}

static reach reach_of(const running *r, int loop, ct_forge_axis axis)
{
    int64_t whole = axis == CT_FORGE_ROWS ? r->n_rows : r->e->n_trees;
    reach it = {sum_of(r, loop, axis), ct_forge_loop_span(r->ir->nest, loop, axis, r->e->n_trees)};
    if (it.n > whole - it.first) it.n = whole - it.first;
    return it;
}

static int is_within(reach it, int64_t place)
{
    return it.n < 0 || (place >= it.first && place - it.first < it.n);
}

/* The sums that a node adds to. */
static double *target_of(const running *r, int target)
{
    size_t size = (size_t) r->n_rows * r->e->n_outputs;
    if (target == CT_FORGE_TO_RESULT) return r->sums;
    double *sums = target == CT_FORGE_TO_SLOTS ? r->slots : r->own[target];
    return sums + (size_t) ct_forge_ir_copy_of(r->ir, target, r->at) * size;
}

static void add(const running *r, double *sum, double term)
{
    double next = *sum + term;
    *sum = r->e->sum == CT_FORGE_F32 ? (float) next : next;
}

/* ---- nodes ---- */

static ct_status walk(running *r, const ct_forge_ir_node *node, const ct_forge_ir_node *reduce)
{
    int64_t tree = sum_of(r, node->loop, CT_FORGE_TREES);
    int64_t row = sum_of(r, node->loop, CT_FORGE_ROWS);
    const ct_forge_ensemble *e = r->e;
    if (tree < 0 || tree >= e->n_trees || row < 0 || row >= r->n_rows)
        return wrong_ir(r, "a walk leaves the trees or the rows");
    if (!is_within(r->cached[CT_FORGE_ROWS], row) || !is_within(r->cached[CT_FORGE_TREES], tree))
        return wrong_ir(r, "a walk leaves what is cached");
    if (reduce->target >= 0 && !is_within(r->within[CT_FORGE_ROWS], row))
        return wrong_ir(r, "a row has no sums of its own");
    uint8_t *met = &r->met[(size_t) tree * r->n_rows + (size_t) row];
    if (*met) return wrong_ir(r, "a row meets a tree twice");
    *met = 1;
    uint32_t leaf = interpret_leaf(e, (uint32_t) tree,
                                            r->x + (size_t) row * e->n_features);
    double *sums = target_of(r, reduce->target) + (size_t) row * e->n_outputs;
    for (uint32_t k = 0; k < e->leaf_width; k++)
        add(r, &sums[e->output_of_tree[tree] + k],
            ct_forge_ensemble_term(e, (uint32_t) tree, leaf, k));
    return CT_OK;
}

static double *own_sums(const running *r, int64_t n)
{
    size_t size = (size_t) n * r->n_rows * r->e->n_outputs;
    double *sums = CT_ARENA_NEW(r->arena, double, size ? size : 1);
    for (size_t i = 0; sums && i < size; i++) sums[i] = -0.0;
    return sums;
}

static ct_status make_private(running *r, const ct_forge_ir_node *node)
{
    int64_t n = ct_forge_ir_copies(r->ir, node->loop);
    double *sums = own_sums(r, n);
    if (!sums) return ct_fail(r->error, CT_NO_MEMORY, "not enough memory to predict");
    if (node->loop < 0) {
        r->slots = sums;
    } else {
        r->own[node->loop] = sums;
        int around = r->ir->nest->loops[node->loop].outer, grid = -1;
        if (r->ir->on_gpu) ct_forge_shared_loop(r->ir->nest, &grid);
        r->within[CT_FORGE_ROWS] = reach_of(r, r->ir->on_gpu ? grid : around, CT_FORGE_ROWS);
    }
    return CT_OK;
}

static void reduce_dim(running *r, const ct_forge_ir_node *node)
{
    int64_t n = ct_forge_ir_copies(r->ir, node->loop);
    size_t size = (size_t) r->n_rows * r->e->n_outputs;
    const double *from = node->loop < 0 ? r->slots : r->own[node->loop];
    double *to = target_of(r, node->target);
    CT_ASSERT(from);
    for (int64_t k = 0; k < n; k++)
        for (size_t i = 0; i < size; i++) add(r, &to[i], from[(size_t) k * size + i]);
}

static ct_status run_list(running *r, int first);

static ct_status run_for(running *r, const ct_forge_ir_node *node)
{
    const ct_forge_index *index = &r->ir->nest->loops[node->loop];
    int64_t n = ct_forge_loop_trips_now(r->ir->nest, node->loop, node->bounds, node->n_bounds,
                                        r->n_rows, r->at);
    reach cached[2] = {r->cached[0], r->cached[1]}, within = r->within[CT_FORGE_ROWS];
    for (int64_t k = 0; k < n; k++) {
        ct_arena_mark mark = ct_arena_here(r->arena);
        r->at[node->loop] = index->start +
                            (node->how == CT_FORGE_HOW_SERIAL ? k : n - 1 - k) * index->step;
        CT_TRY(run_list(r, node->inner));
        ct_arena_release(r->arena, mark);
        memcpy(r->cached, cached, sizeof cached);
        r->within[CT_FORGE_ROWS] = within;
    }
    return CT_OK;
}

static ct_status run_node(running *r, const ct_forge_ir_node *node)
{
    ct_forge_axis axis = node->kind == CT_FORGE_IR_CACHE_TREES ? CT_FORGE_TREES : CT_FORGE_ROWS;
    switch (node->kind) {
    case CT_FORGE_IR_FOR: return run_for(r, node);
    case CT_FORGE_IR_WALK: return walk(r, node, &r->ir->nodes[node->next]);
    case CT_FORGE_IR_CACHE_ROWS: case CT_FORGE_IR_CACHE_TREES:
        r->cached[axis] = reach_of(r, node->loop, axis);
        return CT_OK;
    case CT_FORGE_IR_PRIVATE: return make_private(r, node);
    case CT_FORGE_IR_REDUCE_DIM: reduce_dim(r, node); return CT_OK;
    default: return CT_OK;
    }
}

static ct_status run_list(running *r, int first)
{
    for (int i = first; i >= 0; i = r->ir->nodes[i].next) CT_TRY(run_node(r, &r->ir->nodes[i]));
    return CT_OK;
}

static ct_status run_all(running *r, double *out)
{
    const ct_forge_ensemble *e = r->e;
    size_t n = (size_t) r->n_rows * e->n_outputs, pairs = (size_t) r->n_rows * e->n_trees;
    r->sums = CT_ARENA_NEW(r->arena, double, n ? n : 1);
    r->met = CT_ARENA_ZEROED(r->arena, uint8_t, pairs ? pairs : 1);
    if (!r->sums || !r->met) return ct_fail(r->error, CT_NO_MEMORY, "not enough memory");
    for (size_t i = 0; i < n; i++) r->sums[i] = e->base[i % e->n_outputs];
    CT_TRY(run_list(r, r->ir->first));
    for (size_t i = 0; i < pairs; i++)
        if (!r->met[i]) return wrong_ir(r, "a row does not meet all trees");
    for (uint32_t row = 0; row < r->n_rows; row++)
        for (uint32_t k = 0; k < e->n_outputs; k++) {
            double sum = r->sums[(size_t) row * e->n_outputs + k];
            if (e->divisor != 1) sum /= e->divisor;
            out[(size_t) k * r->n_rows + row] = e->sum == CT_FORGE_F32 ? (float) sum : sum;
        }
    return CT_OK;
}

/* x[n_rows][n_features]; out[n_outputs][n_rows], the margins. Low level. CT_INTERNAL if the IR is
 * wrong, CT_NO_MEMORY. */
static ct_status run_ir(const ct_forge_ir *ir, const ct_forge_ensemble *ensemble, const double *x,
                    uint32_t n_rows, double *out, ct_error *error)
{
    running r;
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    memset(&r, 0, sizeof r);
    r.ir = ir;
    r.e = ensemble;
    r.x = x;
    r.n_rows = n_rows;
    r.cached[0].n = r.cached[1].n = r.within[0].n = r.within[1].n = -1;
    r.arena = &arena;
    r.error = error;
    ct_status status = run_all(&r, out);
    ct_arena_free(&arena);
    return status;
}

#endif
