#include "base/compact.h"

#include "forge/schedule/emit.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const ct_forge_ir *ir;
    const ct_forge_model *m;
    ct_forge_language language;
    ct_forge_text *text;
    int rows, trees;     /* the loops whose caches hold; -1: none */
    size_t shared;       /* bytes of the caches and sums so far */
} emitting;

#define LINE(e, level, ...) ct_forge_text_line((e)->text, level, __VA_ARGS__)
#define ADD(e, ...) ct_forge_text_add((e)->text, __VA_ARGS__)

static const char *sum_type(const emitting *e)
{
    return e->m->ensemble->sum == CT_FORGE_F32 ? "float" : "double";
}

/* Of a loop: `v` with a number, since names of schedules may be words of C. */
static void add_sum(const emitting *e, int loop, ct_forge_axis axis, int walked)
{
    int loops[CT_FORGE_MOST_NEST];
    uint32_t n = ct_forge_ir_base(e->ir->nest, loop, axis, loops);
    if (!n) ADD(e, "0");
    while (n) {
        n--;
        if (loops[n] == walked) ADD(e, "w%s", n ? " + " : "");
        else ADD(e, "v%d%s", loops[n], n ? " + " : "");
    }
}

/* `const i64 first = ..., rows = ...`: what an iteration of the loop (-1: all) can reach. */
static void add_reach(const emitting *e, int level, int loop, const char *of, int number)
{
    int64_t span = ct_forge_loop_span(e->ir->nest, loop, CT_FORGE_ROWS, e->ir->shape->n_trees);
    ADD(e, "%*sconst i64 %s_first%d = ", 4 * level, "", of, number);
    add_sum(e, loop, CT_FORGE_ROWS, -1);
    ADD(e, ", %s_left%d = n_rows > %s_first%d ? n_rows - %s_first%d : 0;\n", of, number, of,
        number, of, number);
    if (span == CT_FORGE_OPEN)
        LINE(e, level, "const i64 %s_rows%d = %s_left%d;", of, number, of, number);
    else
        LINE(e, level, "const i64 %s_rows%d = %s_left%d < %lld ? %s_left%d : %lld;", of, number,
             of, number, (long long) span, of, number, (long long) span);
}

/* ---- loops ---- */

static void add_bound(const emitting *e, const ct_forge_loop_bound *bound)
{
    if (bound->constant == CT_FORGE_OPEN) ADD(e, "n_rows");
    else ADD(e, "%lld", (long long) bound->constant);
    for (uint32_t k = 0; k < bound->n_minus; k++) ADD(e, " - v%d", (int) bound->minus[k]);
}

static void add_stop(const emitting *e, int level, const ct_forge_ir_node *node)
{
    for (uint32_t i = 0; i < node->n_bounds; i++) {
        ADD(e, "%*sconst i64 b%u_%d = ", 4 * level, "", (unsigned) i, node->loop);
        add_bound(e, &node->bounds[i]);
        ADD(e, ";\n");
        if (!i) LINE(e, level, "const i64 s0_%d = b0_%d;", node->loop, node->loop);
        else LINE(e, level, "const i64 s%u_%d = b%u_%d < s%u_%d ? b%u_%d : s%u_%d;",
                  (unsigned) i, node->loop, (unsigned) i, node->loop, (unsigned) i - 1,
                  node->loop, (unsigned) i, node->loop, (unsigned) i - 1, node->loop);
    }
    LINE(e, level, "const i64 stop%d = s%u_%d;", node->loop, (unsigned) node->n_bounds - 1,
         node->loop);
}

static uint32_t lanes_of(const ct_forge_ir_node *walk)
{
    return walk->lanes > CT_FORGE_MOST_LANES ? CT_FORGE_MOST_LANES : walk->lanes;
}

static void add_for(const emitting *e, int level, const ct_forge_ir_node *node,
                    const ct_forge_ir_node *walk)
{
    const ct_forge_index *index = &e->ir->nest->loops[node->loop];
    long long start = index->start, step = index->step;
    int v = node->loop;
    char axis = "xyz"[index->number[CT_FORGE_GPU] % 3];
    LINE(e, level, "/* %s */", index->name);
    if (node->how == CT_FORGE_HOW_THREADS && e->language == CT_FORGE_IN_C) {
        LINE(e, 0, "#ifdef _OPENMP");
        LINE(e, 0, "#pragma omp parallel for schedule(dynamic)");
        LINE(e, 0, "#endif");
    }
    if (e->language == CT_FORGE_IN_CUDA && node->how == CT_FORGE_HOW_GRID)
        LINE(e, level, "for (i64 v%d = %lld + (i64) blockIdx.%c * %lld; v%d < stop%d; "
             "v%d += (i64) gridDim.%c * %lld) {", v, start, axis, step, v, v, v, axis, step);
    else if (e->language == CT_FORGE_IN_CUDA && node->how == CT_FORGE_HOW_BLOCK)
        LINE(e, level, "for (i64 v%d = %lld + (i64) threadIdx.%c * %lld, once%d = 1; once%d; "
             "once%d = 0) {", v, start, axis, step, v, v, v);
    else
        LINE(e, level, "for (i64 v%d = %lld; v%d < stop%d; v%d += %lld) {", v, start, v, v, v,
             step * (walk ? (long long) lanes_of(walk) : 1));
}

/* ---- walks ---- */

static void add_value(const emitting *e)
{
    if (e->rows >= 0) ADD(e, "at_row[lane][node->what & 0xffffffu]");
    else ADD(e, "%sat_row[lane][(i64) m->used[node->what & 0xffffffu] * column_step]",
             e->m->ensemble->number == CT_FORGE_F32 ? "(double) (float) " : "");
}

static void add_node(const emitting *e, int level)
{
    const ct_forge_representation *as = ct_forge_representation_of(e->m->layout);
    LINE(e, level, "const u32 tree = trees[lane], i = at[lane], place = %s;", as->place);
    if (e->trees < 0 || e->language == CT_FORGE_IN_C)
        LINE(e, level, "const struct ct_node *node = &m->nodes[place];");
    else if (e->m->layout == CT_FORGE_REORG)
        LINE(e, level, "const struct ct_node *node = &nodes%d[i * trees%d + (tree - low%d)];",
             e->trees, e->trees, e->trees);
    else
        LINE(e, level, "const struct ct_node *node = &nodes%d[place - begin%d];", e->trees,
             e->trees);
}

/* One hop of all lanes; `moved`: whether anybody asks. */
static void add_hop(const emitting *e, int level, int lanes, int moved)
{
    const ct_forge_representation *as = ct_forge_representation_of(e->m->layout);
    LINE(e, level, "for (int lane = 0; lane < %d; lane++) {", lanes);
    add_node(e, level + 1);
    /* a leaf asks for no column, and there may be none */
    LINE(e, level + 1, "if (node->what >> 24 & 1u) {");
    ADD(e, "%*sconst double value = ", 4 * level + 8, "");
    add_value(e);
    ADD(e, ";\n");
    LINE(e, level + 2, "const u32 right = ct_right(m, node, m->origin[place], value);");
    LINE(e, level + 2, "at[lane] = %s;", as->child);
    if (moved) LINE(e, level + 2, "moved = 1;");
    LINE(e, level + 1, "}");
    LINE(e, level, "}");
}

static void add_hops(const emitting *e, int level, const ct_forge_ir_node *walk, int lanes)
{
    uint32_t known = walk->hops ? walk->hops : walk->peel;
    if (known) {
        if (e->language == CT_FORGE_IN_CUDA) LINE(e, 0, "#pragma unroll");
        LINE(e, level, "for (int hop = 0; hop < %u; hop++)", (unsigned) known);
        add_hop(e, level + 1, lanes, 0);
    }
    if (walk->hops) return;
    LINE(e, level, "for (int moved = 1; moved;) {");
    LINE(e, level + 1, "moved = 0;");
    add_hop(e, level + 1, lanes, 1);
    LINE(e, level, "}");
}

/* The index of a row's sums, without the output. */
static void add_target(const emitting *e, int target)
{
    const ct_forge_nest *nest = e->ir->nest;
    if (target == CT_FORGE_TO_RESULT) {
        ADD(e, "sums[row * m->n_outputs + ");
    } else if (target == CT_FORGE_TO_SLOTS) {
        ADD(e, "slots[(");
        for (int i = 0; i < e->ir->n_slots; i++) ADD(e, "(");
        ADD(e, "0");
        for (int i = 0; i < e->ir->n_slots; i++) {
            const ct_forge_index *index = &nest->loops[e->ir->slots[i]];
            ADD(e, " * %lld + (v%d - %lld) / %lld)",
                (long long) ct_forge_loop_trips(nest, e->ir->slots[i], e->ir->shape->n_trees),
                e->ir->slots[i], (long long) index->start, (long long) index->step);
        }
        ADD(e, " * n_rows + row) * m->n_outputs + ");
    } else {
        const ct_forge_index *index = &nest->loops[target];
        ADD(e, "own%d[((v%d - %lld) / %lld * own_rows%d + row - own_first%d) * m->n_outputs + ",
            target, target, (long long) index->start, (long long) index->step, target, target);
    }
}

static void add_addition(const emitting *e, int level, int target, int atomic, const char *place,
                         const char *what)
{
    if (atomic && e->language == CT_FORGE_IN_C) {
        LINE(e, 0, "#ifdef _OPENMP");
        LINE(e, 0, "#pragma omp atomic");
        LINE(e, 0, "#endif");
    }
    ADD(e, "%*s%s", 4 * level, "", atomic && e->language == CT_FORGE_IN_CUDA ? "atomicAdd(&" : "");
    add_target(e, target);
    if (atomic && e->language == CT_FORGE_IN_CUDA) ADD(e, "%s], %s);\n", place, what);
    else ADD(e, "%s] += %s;\n", place, what);
}

static void add_leaves(const emitting *e, int level, const ct_forge_ir_node *reduce)
{
    const ct_forge_representation *as = ct_forge_representation_of(e->m->layout);
    char term[64];
    snprintf(term, sizeof term, "(%s) term[k]", sum_type(e));
    LINE(e, level, "for (int lane = 0; lane < n_lanes; lane++) {");
    LINE(e, level + 1, "const i64 row = rows[lane];");
    LINE(e, level + 1, "const u32 tree = trees[lane], i = at[lane];");
    LINE(e, level + 1, "const double *term = m->terms + (i64) m->origin[%s] * m->leaf_width;",
         as->place);
    LINE(e, level + 1, "for (u32 k = 0; k < m->leaf_width; k++)");
    add_addition(e, level + 2, reduce->target, reduce->atomic, "m->output[tree] + k", term);
    LINE(e, level, "}");
}

static void add_walk(const emitting *e, int level, const ct_forge_ir_node *walk)
{
    const ct_forge_nest *nest = e->ir->nest;
    const ct_forge_representation *as = ct_forge_representation_of(e->m->layout);
    int lanes = (int) lanes_of(walk), v = walk->loop;
    long long step = nest->loops[v].step;
    if (e->language == CT_FORGE_IN_CUDA) {
        ADD(e, "%*sif (1", 4 * level, "");
        for (int i = v; i >= 0; i = nest->loops[i].outer)
            if (ct_forge_nest_concurrent(nest, i)) ADD(e, " && v%d < stop%d", i, i);
        ADD(e, ") {\n");
    } else {
        LINE(e, level, "{");
    }
    LINE(e, level + 1, "const i64 left = (stop%d - v%d - 1) / %lld + 1;", v, v, step);
    LINE(e, level + 1, "const int n_lanes = left < %d ? (int) left : %d;", lanes, lanes);
    LINE(e, level + 1, "u32 at[%d], trees[%d];", lanes, lanes);
    LINE(e, level + 1, "i64 rows[%d];", lanes);
    LINE(e, level + 1, "const double *at_row[%d];", lanes);
    LINE(e, level + 1, "for (int lane = 0; lane < %d; lane++) {", lanes);
    LINE(e, level + 2, "const i64 w = v%d + (lane < n_lanes ? lane : n_lanes - 1) * (i64) %lld;",
         v, step);
    ADD(e, "%*sconst u32 tree = (u32) (", 4 * level + 8, "");
    add_sum(e, v, CT_FORGE_TREES, v);
    ADD(e, ");\n%*srows[lane] = ", 4 * level + 8, "");
    add_sum(e, v, CT_FORGE_ROWS, v);
    ADD(e, ";\n");
    LINE(e, level + 2, "(void) w;");
    LINE(e, level + 2, "trees[lane] = tree;");
    LINE(e, level + 2, "at[lane] = %s;", as->first);
    if (e->rows >= 0)
        LINE(e, level + 2, "at_row[lane] = cache%d + (rows[lane] - cache_first%d) * m->n_used;",
             e->rows, e->rows);
    else LINE(e, level + 2, "at_row[lane] = x + rows[lane] * row_step;");
    LINE(e, level + 1, "}");
    add_hops(e, level + 1, walk, lanes);
    add_leaves(e, level + 1, &e->ir->nodes[walk->next]);
    LINE(e, level, "}");
}

/* ---- caches and sums ---- */

static void add_row_cache(emitting *e, int level, int loop)
{
    int v = loop;
    add_reach(e, level, loop, "cache", v);
    if (e->language == CT_FORGE_IN_CUDA) {
        LINE(e, level, "double *const cache%d = (double *) (shared + %lld);", v,
             (long long) e->shared);
        e->shared += (size_t) ct_forge_cache_bytes(e->ir->nest, e->ir->shape, loop);
        LINE(e, level, "for (i64 k = thread; k < cache_rows%d * m->n_used; k += n_threads)", v);
    } else {
        LINE(e, level, "double *const cache%d = ct_sums(cache_rows%d * m->n_used);", v, v);
        LINE(e, level, "if (cache%d) {", v);
        LINE(e, level, "for (i64 k = 0; k < cache_rows%d * m->n_used; k++)", v);
    }
    LINE(e, level + 1, "cache%d[k] = %sx[(cache_first%d + k / m->n_used) * row_step + "
         "(i64) m->used[k %% m->n_used] * column_step];", v,
         e->m->ensemble->number == CT_FORGE_F32 ? "(double) (float) " : "", v);
    e->rows = loop;
}

/* In C: the end of what a block has of its own, if there was memory for it. */
static void close_memory(const emitting *e, int level, const char *of, int loop)
{
    LINE(e, level, "free(%s%d);", of, loop);
    LINE(e, level, "} else {");
    LINE(e, 0, "#ifdef _OPENMP");
    LINE(e, 0, "#pragma omp atomic write");
    LINE(e, 0, "#endif");
    LINE(e, level + 1, "failed = 1;");
    LINE(e, level, "}");
}

/* Trees are cached on a GPU alone: rule cache-trees. */
static void add_tree_cache(emitting *e, int level, int loop)
{
    int64_t span = ct_forge_loop_span(e->ir->nest, loop, CT_FORGE_TREES, e->ir->shape->n_trees);
    int v = loop;
    if (span > e->m->n_trees) span = e->m->n_trees;
    ADD(e, "%*sconst u32 low%d = (u32) (", 4 * level, "", v);
    add_sum(e, loop, CT_FORGE_TREES, -1);
    ADD(e, "), left%d = m->n_trees > low%d ? m->n_trees - low%d : 0u;\n", v, v, v);
    LINE(e, level, "const u32 trees%d = left%d < %lldu ? left%d : %lldu;", v, v, (long long) span,
         v, (long long) span);
    LINE(e, level, "struct ct_node *const nodes%d = (struct ct_node *) (shared + %lld);", v,
         (long long) e->shared);
    e->trees = loop;
    e->shared += (size_t) ct_forge_cache_bytes(e->ir->nest, e->ir->shape, loop);
    if (e->m->layout == CT_FORGE_REORG) {
        LINE(e, level, "for (u32 k = thread; k < m->n_nodes / m->n_trees * trees%d; "
             "k += n_threads)", v);
        LINE(e, level + 1, "nodes%d[k] = m->nodes[k / trees%d * m->n_trees + low%d + "
             "k %% trees%d];", v, v, v, v);
        return;
    }
    LINE(e, level, "const u32 begin%d = trees%d ? m->roots[low%d] : 0u;", v, v, v);
    LINE(e, level, "const u32 end%d = low%d + trees%d < m->n_trees ? m->roots[low%d + trees%d] : "
         "m->n_nodes;", v, v, v, v, v);
    LINE(e, level, "for (u32 k = thread; trees%d && k < end%d - begin%d; k += n_threads)", v, v,
         v);
    LINE(e, level + 1, "nodes%d[k] = m->nodes[begin%d + k];", v, v);
}

static void add_private(emitting *e, int level, const ct_forge_ir_node *node)
{
    int grid, v = node->loop;
    if (v < 0) return; /* slots: a launch of its own */
    long long trips = ct_forge_loop_trips(e->ir->nest, v, e->ir->shape->n_trees);
    ct_forge_shared_loop(e->ir->nest, &grid);
    add_reach(e, level, e->ir->on_gpu ? grid : e->ir->nest->loops[v].outer, "own", v);
    if (e->language == CT_FORGE_IN_C) {
        LINE(e, level, "double *const own%d = ct_sums(%lld * own_rows%d * m->n_outputs);", v,
             trips, v);
        LINE(e, level, "if (own%d) {", v);
        return;
    }
    LINE(e, level, "double *const own%d = (double *) (shared + %lld);", v, (long long) e->shared);
    LINE(e, level, "for (i64 k = thread; k < %lld * own_rows%d * m->n_outputs; k += n_threads)",
         trips, v);
    LINE(e, level + 1, "own%d[k] = -0.0;", v);
    e->shared += (size_t) trips * e->ir->shape->n_outputs * sizeof(double) *
                 (size_t) ct_forge_loop_span(e->ir->nest, grid, CT_FORGE_ROWS,
                                             e->ir->shape->n_trees);
}

static void add_reduce_dim(const emitting *e, int level, const ct_forge_ir_node *node)
{
    int v = node->loop;
    if (v < 0) return;
    long long trips = ct_forge_loop_trips(e->ir->nest, v, e->ir->shape->n_trees);
    char what[96];
    int cuda = e->language == CT_FORGE_IN_CUDA;
    LINE(e, level, "for (i64 part = 0; part < %lld; part++) {", trips);
    if (node->vector && !node->atomic && !node->added_only) {
        LINE(e, 0, "#ifdef _OPENMP");
        LINE(e, 0, "#pragma omp simd simdlen(%u)", (unsigned) node->vector);
        LINE(e, 0, "#endif");
    }
    LINE(e, level + 1, "for (i64 k = %s; k < own_rows%d * m->n_outputs; k += %s) {",
         cuda ? "thread" : "0", v, cuda ? "n_threads" : "1");
    LINE(e, level + 2, "const i64 row = own_first%d + k / m->n_outputs;", v);
    snprintf(what, sizeof what, "own%d[part * own_rows%d * m->n_outputs + k]", v, v);
    if (node->added_only) LINE(e, level + 2, "if (%s == 0.0 && 1.0 / %s < 0.0) continue;", what,
                               what);
    add_addition(e, level + 2, node->target, node->atomic, "k % m->n_outputs", what);
    LINE(e, level + 1, "}");
    LINE(e, level, "}");
    if (!cuda) close_memory(e, level, "own", v);
}

/* ---- all nodes ---- */

static void add_list(emitting *e, int first, int level);

static void add_loop(emitting *e, int level, const ct_forge_ir_node *node)
{
    const ct_forge_ir_node *inner = &e->ir->nodes[node->inner];
    const ct_forge_ir_node *walk = inner->kind == CT_FORGE_IR_WALK ? inner : NULL;
    int rows = e->rows, trees = e->trees, v = node->loop;
    for (int i = node->inner; !walk && i >= 0; i = e->ir->nodes[i].next)
        if (e->ir->nodes[i].kind == CT_FORGE_IR_WALK) walk = &e->ir->nodes[i];
    LINE(e, level, "{");
    add_stop(e, level, node);
    add_for(e, level, node, walk);
    add_list(e, node->inner, level + 1);
    if (e->language == CT_FORGE_IN_C && e->rows == v && rows != v)
        close_memory(e, level + 1, "cache", v);
    LINE(e, level, "}");
    LINE(e, level, "}");
    e->rows = rows;
    e->trees = trees;
}

static void add_list(emitting *e, int first, int level)
{
    for (int i = first; i >= 0; i = e->ir->nodes[i].next) {
        const ct_forge_ir_node *node = &e->ir->nodes[i];
        switch (node->kind) {
        case CT_FORGE_IR_FOR: add_loop(e, level, node); break;
        case CT_FORGE_IR_WALK: add_walk(e, level, node); break;
        case CT_FORGE_IR_CACHE_ROWS: add_row_cache(e, level, node->loop); break;
        case CT_FORGE_IR_CACHE_TREES: add_tree_cache(e, level, node->loop); break;
        case CT_FORGE_IR_PRIVATE: add_private(e, level, node); break;
        case CT_FORGE_IR_REDUCE_DIM: add_reduce_dim(e, level, node); break;
        case CT_FORGE_IR_BARRIER:
            if (e->language == CT_FORGE_IN_CUDA) LINE(e, level, "__syncthreads();");
            break;
        default: break;
        }
    }
}

static void emit_c(emitting *e, const char *name)
{
    long long slots = e->ir->n_slots ? ct_forge_ir_slots(e->ir) : 0;
    LINE(e, 0, "int %s(const struct ct_model *m, const double *x, i64 n_rows, i64 row_step,", name);
    LINE(e, 0, "    i64 column_step, double *out);");
    LINE(e, 0, "int %s(const struct ct_model *m, const double *x, i64 n_rows, i64 row_step,", name);
    LINE(e, 0, "    i64 column_step, double *out)");
    LINE(e, 0, "{");
    LINE(e, 1, "const i64 n = n_rows * m->n_outputs;");
    LINE(e, 1, "int failed = 0;");
    LINE(e, 1, "%s *sums = (%s *) malloc((size_t) (n > 0 ? n : 1) * sizeof *sums);", sum_type(e),
         sum_type(e));
    LINE(e, 1, "if (!sums) return 1;");
    LINE(e, 1, "for (i64 k = 0; k < n; k++) sums[k] = (%s) m->base[k %% m->n_outputs];",
         sum_type(e));
    if (slots) {
        LINE(e, 1, "double *slots = ct_sums(%lld * n);", slots);
        LINE(e, 1, "if (!slots) {");
        LINE(e, 2, "free(sums);");
        LINE(e, 2, "return 1;");
        LINE(e, 1, "}");
    }
    add_list(e, e->ir->first, 1);
    if (slots) {
        LINE(e, 1, "for (i64 k = 0; k < %lld * n; k++) sums[k %% n] += slots[k];", slots);
        LINE(e, 1, "free(slots);");
    }
    LINE(e, 1, "for (i64 k = 0; k < n; k++) {");
    LINE(e, 2, "const double margin = (double) sums[k] / m->divisor;");
    LINE(e, 2, "out[k %% m->n_outputs * n_rows + k / m->n_outputs] = (%s) margin;", sum_type(e));
    LINE(e, 1, "}");
    LINE(e, 1, "free(sums);");
    LINE(e, 1, "(void) x, (void) row_step, (void) column_step;");
    LINE(e, 1, "return failed;");
    LINE(e, 0, "}");
    LINE(e, 0, "%s", "");
}

/* ---- CUDA ---- */

static void begin_kernel(const emitting *e, const char *name, const char *part, const char *last)
{
    LINE(e, 0, "extern \"C\" __global__ void %s_%s(const struct ct_model model, i64 n_rows,", name,
         part);
    LINE(e, 0, "    %s *sums, double *slots%s)", sum_type(e), last);
    LINE(e, 0, "{");
    LINE(e, 1, "const struct ct_model *m = &model;");
}

/* A loop in which each thread takes one number after another. */
static void begin_numbers(const emitting *e, const char *name, const char *part, const char *last)
{
    begin_kernel(e, name, part, last);
    LINE(e, 1, "const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;");
    LINE(e, 1, "for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {");
}

static void end_kernel(const emitting *e)
{
    LINE(e, 1, "}");
    LINE(e, 0, "}");
    LINE(e, 0, "%s", "");
}

static void emit_cuda(emitting *e, const char *name)
{
    long long slots = e->ir->n_slots ? ct_forge_ir_slots(e->ir) : 0;
    begin_numbers(e, name, "begin", "");
    LINE(e, 2, "sums[k] = (%s) m->base[k %% m->n_outputs];", sum_type(e));
    LINE(e, 2, "for (i64 slot = 0; slot < %lld; slot++) slots[slot * n + k] = -0.0;", slots);
    end_kernel(e);
    begin_kernel(e, name, "nest", ", const double *x, i64 row_step, i64 column_step");
    LINE(e, 1, "extern __shared__ __align__(16) unsigned char shared[];");
    LINE(e, 1, "const u32 n_threads = blockDim.x * blockDim.y * blockDim.z;");
    LINE(e, 1, "const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + "
         "blockDim.y * threadIdx.z);");
    LINE(e, 1, "(void) shared, (void) thread, (void) n_threads, (void) slots, (void) x;");
    LINE(e, 1, "(void) row_step, (void) column_step, (void) sums;");
    LINE(e, 1, "{");
    add_list(e, e->ir->first, 2);
    end_kernel(e);
    begin_numbers(e, name, "end", ", double *out");
    LINE(e, 2, "%s sum = sums[k];", sum_type(e));
    LINE(e, 2, "for (i64 slot = 0; slot < %lld; slot++) sum += (%s) slots[slot * n + k];", slots,
         sum_type(e));
    LINE(e, 2, "const double margin = (double) sum / m->divisor;");
    LINE(e, 2, "out[k %% m->n_outputs * n_rows + k / m->n_outputs] = (%s) margin;", sum_type(e));
    end_kernel(e);
}

ct_forge_launch ct_forge_launch_of(const ct_forge_ir *ir, uint32_t n_rows)
{
    CT_ASSERT(ir->on_gpu && ir->shape->n_trees > 0);
    ct_forge_launch launch = {{1, 1, 1}, {1, 1, 1}, 0};
    for (int i = 0; i < ir->nest->n_loops; i++) {
        const ct_forge_index *index = &ir->nest->loops[i];
        if (!index->live || !index->marked[CT_FORGE_GPU]) continue;
        int64_t trips = ct_forge_loop_trips(ir->nest, i, ir->shape->n_trees), at =
            index->number[CT_FORGE_GPU];
        int64_t most = at == CT_FORGE_GRID_X ? INT32_MAX : 65535;
        if (trips == CT_FORGE_OPEN)
            trips = n_rows > index->start ? (n_rows - index->start - 1) / index->step + 1 : 1;
        if (trips < 1) trips = 1;
        if (at >= CT_FORGE_BLOCK_X) launch.threads[at - CT_FORGE_BLOCK_X] = (uint32_t) trips;
        else launch.blocks[at] = (uint32_t) (trips < most ? trips : most);
    }
    launch.shared = (uint32_t) ct_forge_shared_bytes(ir->nest, ir->shape);
    return launch;
}

void ct_forge_emit(const ct_forge_ir *ir, const ct_forge_model *model, const char *name,
                   ct_forge_language language, ct_forge_text *text)
{
    emitting e = {ir, model, language, text, -1, -1, 0};
    CT_ASSERT(ir->level == CT_FORGE_LOW);
    if (language == CT_FORGE_IN_C) emit_c(&e, name);
    else emit_cuda(&e, name);
}
