#include "base/compact.h"

#include "forge/schedule/legal.h"

#include <string.h>

#include "forge/schedule/layout.h"
#include "forge/schedule/ranges.h"

ct_forge_shape *ct_forge_shape_of(const ct_forged *f, int any_order, ct_arena *arena)
{
    const ct_forge_ensemble *e = f->ensemble;
    ct_forge_shape *shape = CT_ARENA_ZEROED(arena, ct_forge_shape, 1);
    uint32_t *depth = CT_ARENA_ZEROED(arena, uint32_t, e->n_nodes);
    uint32_t *deep = CT_ARENA_ZEROED(arena, uint32_t, e->n_trees);
    uint32_t *shallow = CT_ARENA_ZEROED(arena, uint32_t, e->n_trees);
    uint32_t *n_nodes = CT_ARENA_ZEROED(arena, uint32_t, e->n_trees);
    if (!shape || !depth || !deep || !shallow || !n_nodes) return NULL;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        shallow[t] = UINT32_MAX;
        n_nodes[t] = ct_forge_ensemble_end(e, t) - e->roots[t];
        for (uint32_t i = e->roots[t]; i < ct_forge_ensemble_end(e, t); i++) {
            if (e->feature[i] >= 0) {
                depth[e->left[i]] = depth[e->right[i]] = depth[i] + 1;
                continue;
            }
            if (depth[i] > deep[t]) deep[t] = depth[i];
            if (depth[i] < shallow[t]) shallow[t] = depth[i];
        }
    }
    *shape = (ct_forge_shape){
        .n_trees = e->n_trees,
        .n_used = f->n_used,
        .n_outputs = e->n_outputs,
        .deepest = f->deepest,
        .deep = deep,
        .shallow = shallow,
        .n_nodes = n_nodes,
        .has_planes = f->has_planes,
        .has_models = e->first_term != NULL,
        .any_order = any_order};
    return shape;
}

/* ---- one loop at a time ---- */

typedef struct {
    const ct_forge_nest *nest;
    const ct_forge_shape *shape; /* NULL: not known */
    uint32_t n_trees;            /* 0: not known */
    ct_error *error;
} checking;

#define FAULT(c, directive, loop, rule, ...)                                                      \
    ct_forge_nest_fault((c)->nest, (c)->nest->loops[loop].marked[directive], loop,                 \
                        CT_FORGE_RULE_##rule, (c)->error, __VA_ARGS__)

static int is_block(const ct_forge_index *loop)
{
    return loop->marked[CT_FORGE_GPU] && loop->number[CT_FORGE_GPU] >= CT_FORGE_BLOCK_X;
}

static int is_grid(const ct_forge_index *loop)
{
    return loop->marked[CT_FORGE_GPU] && loop->number[CT_FORGE_GPU] < CT_FORGE_BLOCK_X;
}

static int has_neighbour(const ct_forge_nest *nest, int loop)
{
    int outer = nest->loops[loop].outer;
    int first = outer >= 0 ? nest->loops[outer].inner : nest->first;
    return nest->loops[first].next >= 0;
}

static ct_status check_gpu(const checking *c, int loop)
{
    const ct_forge_nest *nest = c->nest;
    const ct_forge_index *index = &nest->loops[loop];
    for (int i = 0; i < nest->n_loops; i++) {
        const ct_forge_index *other = &nest->loops[i];
        if (!other->live || i == loop) continue;
        if (other->marked[CT_FORGE_GPU] &&
            other->number[CT_FORGE_GPU] == index->number[CT_FORGE_GPU])
            return FAULT(c, CT_FORGE_GPU, loop, GPU_ONCE, "%s is that of '%s', too",
                         ct_forge_dimension_name((int) index->number[CT_FORGE_GPU]), other->name);
    }
    for (int i = loop; i >= 0; i = nest->loops[i].outer) {
        if (has_neighbour(nest, i))
            return FAULT(c, CT_FORGE_GPU, loop, GPU_NEST, "'%s' has a loop beside it",
                         nest->loops[i].name);
        if (is_grid(index) && is_block(&nest->loops[i]))
            return FAULT(c, CT_FORGE_GPU, loop, GPU_GRID, "'%s' lies around it and is %s",
                         nest->loops[i].name,
                         ct_forge_dimension_name((int) nest->loops[i].number[CT_FORGE_GPU]));
    }
    int64_t trips = ct_forge_loop_trips(nest, loop, c->n_trees);
    if (is_block(index) && trips == CT_FORGE_OPEN && (index->axis == CT_FORGE_ROWS || c->n_trees))
        return FAULT(c, CT_FORGE_GPU, loop, GPU_STATIC, "it is over all rows");
    return CT_OK;
}

static ct_status check_threads(const checking *c)
{
    int64_t threads = 1;
    for (int i = 0; i < c->nest->n_loops; i++) {
        const ct_forge_index *index = &c->nest->loops[i];
        if (!index->live || !is_block(index)) continue;
        int64_t trips = ct_forge_loop_trips(c->nest, i, c->n_trees);
        if (trips == CT_FORGE_OPEN) continue;
        threads *= trips > 4096 ? 4096 : trips;
        if (threads > 1024 || (index->number[CT_FORGE_GPU] == CT_FORGE_BLOCK_Z && trips > 64))
            return FAULT(c, CT_FORGE_GPU, i, GPU_THREADS, "with it a block has %lld",
                         (long long) threads);
    }
    return CT_OK;
}

/* All threads of a block run a loop equally often, and start a cache at the same place. */
static ct_status check_uniform(const checking *c, int loop)
{
    const ct_forge_nest *nest = c->nest;
    if (is_block(&nest->loops[loop]))
        return FAULT(c, CT_FORGE_CACHE, loop, CACHE_UNIFORM, "its iterations are threads");
    for (int i = loop; i >= 0; i = nest->loops[i].outer) {
        const ct_forge_index *around = &nest->loops[i];
        if (is_block(around) && around->axis == nest->loops[loop].axis)
            return FAULT(c, CT_FORGE_CACHE, loop, CACHE_UNIFORM, "threads of '%s' have "
                         "caches of their own", around->name);
        ct_forge_loop_bound bounds[CT_FORGE_MOST_NEST];
        const int on_gpu = around->marked[CT_FORGE_GPU];
        uint32_t n = on_gpu ? 0 : ct_forge_loop_bounds(nest, i, c->n_trees, bounds);
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t m = 0; m < bounds[k].n_minus; m++)
                if (is_block(&nest->loops[bounds[k].minus[m]]))
                    return FAULT(c, CT_FORGE_CACHE, loop, CACHE_UNIFORM,
                                 "threads run '%s' more or less often", around->name);
    }
    return CT_OK;
}

static ct_status check_cache(const checking *c, int loop)
{
    if (!ct_forge_nest_on_gpu(c->nest)) {
        /* while statements are missing it may yet come to be on a GPU */
        if (!c->shape || c->nest->loops[loop].axis == CT_FORGE_ROWS) return CT_OK;
        return FAULT(c, CT_FORGE_CACHE, loop, CACHE_TREES,
                     "the schedule is for the CPU");
    }
    CT_TRY(check_uniform(c, loop));
    int64_t span = ct_forge_loop_span(c->nest, loop, c->nest->loops[loop].axis, c->n_trees);
    if (span == CT_FORGE_OPEN && (c->nest->loops[loop].axis == CT_FORGE_ROWS || c->n_trees))
        return FAULT(c, CT_FORGE_CACHE, loop, CACHE_FITS, "an iteration has all rows");
    if (!c->shape) return CT_OK;
    int64_t bytes = ct_forge_shared_bytes(c->nest, c->shape);
    if (bytes > CT_FORGE_SHARED_BYTES)
        return FAULT(c, CT_FORGE_CACHE, loop, CACHE_FITS, "a block would share %lld bytes",
                     (long long) bytes);
    return CT_OK;
}

static ct_status check_walk(const checking *c, int loop)
{
    static const ct_forge_directive of_walks[] = {CT_FORGE_INTERLEAVE, CT_FORGE_UNROLL,
                                                  CT_FORGE_PEEL, CT_FORGE_SIMDIZE};
    const ct_forge_index *index = &c->nest->loops[loop];
    for (int i = 0; i < 4; i++)
        if (index->marked[of_walks[i]] && index->inner >= 0)
            return FAULT(c, of_walks[i], loop, INNERMOST, "it holds '%s'",
                         c->nest->loops[index->inner].name);
    if (index->marked[CT_FORGE_INTERLEAVE] && index->marked[CT_FORGE_SIMDIZE])
        return FAULT(c, CT_FORGE_SIMDIZE, loop, LANES, "it is interleaved as well");
    if (index->marked[CT_FORGE_UNROLL] && index->marked[CT_FORGE_PEEL])
        return FAULT(c, CT_FORGE_PEEL, loop, UNROLL_PEEL, "it is unrolled as well");
    if (!c->shape || !(index->marked[CT_FORGE_UNROLL] || index->marked[CT_FORGE_PEEL]))
        return CT_OK;
    uint32_t first, end;
    ct_forge_loop_trees(c->nest, loop, c->n_trees, &first, &end);
    for (uint32_t t = first; t < end; t++) {
        if (index->marked[CT_FORGE_UNROLL] && c->shape->deep[t] > index->number[CT_FORGE_UNROLL])
            return FAULT(c, CT_FORGE_UNROLL, loop, UNROLL_DEPTH, "tree %u is %u deep",
                         (unsigned) t + 1, (unsigned) c->shape->deep[t]);
        if (index->marked[CT_FORGE_PEEL] && c->shape->shallow[t] < index->number[CT_FORGE_PEEL])
            return FAULT(c, CT_FORGE_PEEL, loop, PEEL_DEPTH, "tree %u has a leaf below %u "
                         "splits", (unsigned) t + 1, (unsigned) c->shape->shallow[t]);
    }
    return CT_OK;
}

static ct_status check_shared(const checking *c, int loop)
{
    const ct_forge_nest *nest = c->nest;
    int grids = 0;
    if (!is_block(&nest->loops[loop]))
        return FAULT(c, CT_FORGE_SHARED, loop, SHARED_GPU, "its iterations are no threads of "
                     "a block");
    for (int i = 0; i < nest->n_loops; i++)
        if (nest->loops[i].live && i != loop && ct_forge_nest_conflicts(nest, i))
            return FAULT(c, CT_FORGE_SHARED, loop, SHARED_ONE, "'%s' is parallel, too",
                         nest->loops[i].name);
    for (int i = loop; i >= 0; i = nest->loops[i].outer)
        grids += is_grid(&nest->loops[i]) && nest->loops[i].axis == CT_FORGE_ROWS;
    if (grids != 1)
        return FAULT(c, CT_FORGE_SHARED, loop, SHARED_GRID, "%d are around it", grids);
    int grid;
    ct_forge_shared_loop(nest, &grid);
    if (ct_forge_loop_span(nest, grid, CT_FORGE_ROWS, c->n_trees) == CT_FORGE_OPEN)
        return FAULT(c, CT_FORGE_SHARED, loop, CACHE_FITS, "a block has all rows");
    if (c->shape && ct_forge_shared_bytes(nest, c->shape) > CT_FORGE_SHARED_BYTES)
        return FAULT(c, CT_FORGE_SHARED, loop, CACHE_FITS, "a block would share %lld bytes",
                     (long long) ct_forge_shared_bytes(nest, c->shape));
    return CT_OK;
}

static ct_status check_reduction(const checking *c, int loop)
{
    const ct_forge_index *index = &c->nest->loops[loop];
    int said = 0;
    for (int i = CT_FORGE_ATOMIC; i <= CT_FORGE_VECTOR; i++) {
        const ct_forge_directive d = (ct_forge_directive) i;
        if (!index->marked[d]) continue;
        if (index->axis != CT_FORGE_TREES)
            return FAULT(c, d, loop, TREE_LOOP, "it is over rows");
        if (!ct_forge_nest_conflicts(c->nest, loop))
            return FAULT(c, d, loop, CONFLICT, "its iterations run one after another");
        if (said++) return FAULT(c, d, loop, ONE_REDUCTION, "it has two");
    }
    return index->marked[CT_FORGE_SHARED] ? check_shared(c, loop) : CT_OK;
}

static ct_status check_simd(const checking *c, int loop)
{
    const ct_forge_index *index = &c->nest->loops[loop];
    int64_t width = index->number[CT_FORGE_SIMDIZE];
    if (index->axis != CT_FORGE_ROWS)
        return FAULT(c, CT_FORGE_SIMDIZE, loop, SIMD_ROWS, "it is over trees");
    int fits = c->nest->layout == CT_FORGE_PLANES ? width == 64 || width == CT_FORGE_BLOCK
                                            : width == 4 || width == 8 || width == 16;
    if (fits) return CT_OK;
    return FAULT(c, CT_FORGE_SIMDIZE, loop, SIMD_WIDTH, "%lld lanes of %s", (long long) width,
                 ct_forge_layout_name((int) c->nest->layout));
}

static ct_status check_loop(const checking *c, int loop)
{
    const ct_forge_index *index = &c->nest->loops[loop];
    if (index->marked[CT_FORGE_GPU]) CT_TRY(check_gpu(c, loop));
    if (index->marked[CT_FORGE_PARALLEL] && ct_forge_nest_on_gpu(c->nest))
        return FAULT(c, CT_FORGE_PARALLEL, loop, GPU_PARALLEL, "others are on the GPU");
    if (c->n_trees && index->start >= ct_forge_loop_stop(c->nest, loop, c->n_trees))
        return ct_forge_nest_fault(c->nest, 0, loop, CT_FORGE_RULE_SPLIT_RANGE, c->error,
                                   "it begins behind the last tree");
    CT_TRY(check_walk(c, loop));
    CT_TRY(check_reduction(c, loop));
    if (index->marked[CT_FORGE_CACHE]) CT_TRY(check_cache(c, loop));
    if (index->marked[CT_FORGE_SIMDIZE]) CT_TRY(check_simd(c, loop));
    return CT_OK;
}

/* ---- the order of sums ---- */

/* Trees of a row come in their order if, of the loops over trees around a walk, outer ones go in
 * larger steps. */
static ct_status check_order(const checking *c, int loop)
{
    const ct_forge_nest *nest = c->nest;
    const ct_forge_index *index = &nest->loops[loop];
    if (index->axis != CT_FORGE_TREES) return CT_OK;
    if (ct_forge_nest_concurrent(nest, loop))
        return FAULT(c, index->marked[CT_FORGE_GPU] ? CT_FORGE_GPU : CT_FORGE_PARALLEL, loop,
                     ORDER,
                     "its trees are added up at once; forge(sums = \"reproducible\") allows it");
    if (ct_forge_loop_trips(nest, loop, c->n_trees) <= 1) return CT_OK;
    for (int i = index->outer; i >= 0; i = nest->loops[i].outer)
        if (nest->loops[i].axis == CT_FORGE_TREES && nest->loops[i].step <= index->step &&
            ct_forge_loop_trips(nest, i, c->n_trees) > 1)
            return FAULT(c, CT_FORGE_TILE, loop, ORDER, "'%s' within it goes through trees "
                         "nearer to each other; forge(sums = \"reproducible\") allows it",
                         nest->loops[i].name);
    return CT_OK;
}

/* ---- representations ---- */

static ct_status no_layout(const checking *c, int loop, ct_forge_rule rule, const char *why)
{
    return ct_forge_nest_fault(c->nest, c->nest->layout_statement, loop, rule, c->error, "%s", why);
}

static ct_status check_planes(const checking *c)
{
    const ct_forge_nest *nest = c->nest;
    static const char nested[] = "the nest is not rows > trees > rows with simdize";
    if (ct_forge_nest_on_gpu(nest))
        return no_layout(c, -1, CT_FORGE_RULE_PLANES_CPU, "a loop is on the GPU");
    int rows = nest->first, trees = nest->loops[rows].inner;
    int lanes = trees < 0 ? -1 : nest->loops[trees].inner;
    if (lanes < 0 || has_neighbour(nest, rows) || has_neighbour(nest, trees) ||
        has_neighbour(nest, lanes) || nest->loops[lanes].inner >= 0)
        return no_layout(c, rows, CT_FORGE_RULE_PLANES_NEST, nested);
    const ct_forge_index *inner = &nest->loops[lanes];
    if (nest->loops[rows].axis != CT_FORGE_ROWS || nest->loops[trees].axis != CT_FORGE_TREES ||
        inner->axis != CT_FORGE_ROWS || !inner->marked[CT_FORGE_SIMDIZE] ||
        inner->marked[CT_FORGE_UNROLL] || inner->marked[CT_FORGE_PEEL] ||
        inner->marked[CT_FORGE_CACHE] || inner->marked[CT_FORGE_PARALLEL])
        return no_layout(c, lanes, CT_FORGE_RULE_PLANES_NEST, nested);
    if (inner->stop != inner->number[CT_FORGE_SIMDIZE] || nest->loops[rows].step != inner->stop)
        return no_layout(c, lanes, CT_FORGE_RULE_PLANES_NEST, "the tile is not as wide as simdize");
    for (int i = CT_FORGE_GPU; i < CT_FORGE_N_DIRECTIVES; i++)
        if (nest->loops[trees].marked[i])
            return no_layout(c, trees, CT_FORGE_RULE_PLANES_NEST, "the loop over trees has marks");
    if (c->shape && !c->shape->has_planes)
        return no_layout(c, -1, CT_FORGE_RULE_REPRESENT, "deep trees test too many columns");
    return CT_OK;
}

static ct_status check_layout(const checking *c)
{
    const ct_forge_shape *shape = c->shape;
    ct_forge_nest_layout layout = c->nest->layout;
    if (layout == CT_FORGE_PLANES) return check_planes(c);
    if (!shape) return CT_OK;
    const char *why = ct_forge_representation_of(layout)->check(shape);
    if (why) return no_layout(c, -1, CT_FORGE_RULE_REPRESENT, why);
    uint64_t nodes = 0;
    for (uint32_t t = 0; layout != CT_FORGE_SPARSE && t < shape->n_trees; t++)
        nodes += ct_forge_representation_of(layout)->n_nodes(shape, t);
    if (nodes > CT_FORGE_MOST_PADDED)
        return no_layout(c, -1, CT_FORGE_RULE_REPRESENT, "padded trees would have too many nodes");
    return CT_OK;
}

ct_status ct_forge_nest_check(const ct_forge_nest *nest, const ct_forge_shape *shape,
                              ct_error *error)
{
    CT_ASSERT(!shape || (shape->n_trees > 0 && shape->n_outputs > 0));
    checking c = {nest, shape, shape ? shape->n_trees : 0, error};
    if (shape && shape->has_models)
        return ct_forge_nest_fault(nest, 0, -1, CT_FORGE_RULE_MODELS, error,
                                   "leaves are linear models");
    CT_TRY(check_layout(&c));
    for (int i = 0; i < nest->n_loops; i++)
        if (nest->loops[i].live) CT_TRY(check_loop(&c, i));
    CT_TRY(check_threads(&c));
    for (int i = 0; shape && !shape->any_order && i < nest->n_loops; i++)
        if (nest->loops[i].live) CT_TRY(check_order(&c, i));
    return CT_OK;
}

/* ---- shared memory ---- */

int ct_forge_shared_loop(const ct_forge_nest *nest, int *grid)
{
    *grid = -1;
    for (int i = 0; i < nest->n_loops; i++) {
        if (!nest->loops[i].live || !nest->loops[i].marked[CT_FORGE_SHARED]) continue;
        for (int g = i; g >= 0; g = nest->loops[g].outer)
            if (is_grid(&nest->loops[g]) && nest->loops[g].axis == CT_FORGE_ROWS) *grid = g;
        return i;
    }
    return -1;
}

/* The nodes of the `span` trees that have most. */
static int64_t cached_nodes(const ct_forge_nest *nest, const ct_forge_shape *shape, int64_t span)
{
    const ct_forge_representation *as = ct_forge_representation_of(nest->layout);
    int64_t most = 0, here = 0;
    for (uint32_t t = 0; t < shape->n_trees; t++) {
        here += as->n_nodes(shape, t);
        if (t >= span) here -= as->n_nodes(shape, t - (uint32_t) span);
        if (here > most) most = here;
    }
    return most;
}

int64_t ct_forge_cache_bytes(const ct_forge_nest *nest, const ct_forge_shape *shape, int loop)
{
    CT_ASSERT(loop >= 0 && loop < nest->n_loops && nest->loops[loop].live);
    int64_t span = ct_forge_loop_span(nest, loop, nest->loops[loop].axis, shape->n_trees);
    if (span > CT_FORGE_MANY_BYTES) return CT_FORGE_MANY_BYTES;
    if (nest->loops[loop].axis == CT_FORGE_ROWS)
        return span * shape->n_used * (int64_t) sizeof(double);
    return cached_nodes(nest, shape, span) * (int64_t) sizeof(ct_forged_node);
}

int64_t ct_forge_shared_bytes(const ct_forge_nest *nest, const ct_forge_shape *shape)
{
    int64_t bytes = 0;
    int grid, shared = ct_forge_shared_loop(nest, &grid);
    for (int i = 0; i < nest->n_loops; i++)
        if (nest->loops[i].live && nest->loops[i].marked[CT_FORGE_CACHE])
            bytes += ct_forge_cache_bytes(nest, shape, i);
    if (shared < 0 || grid < 0) return bytes;
    int64_t rows = ct_forge_loop_span(nest, grid, CT_FORGE_ROWS, shape->n_trees);
    int64_t trips = ct_forge_loop_trips(nest, shared, shape->n_trees);
    if (rows > CT_FORGE_MANY_BYTES || trips > CT_FORGE_MANY_BYTES) return CT_FORGE_MANY_BYTES;
    return bytes + trips * rows * shape->n_outputs * (int64_t) sizeof(double);
}
