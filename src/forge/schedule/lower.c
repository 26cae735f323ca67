/* Passes from a loop nest to the loop IR: loops, then walks, then reductions. */
#include "base/compact.h"

#include <string.h>

#include "forge/schedule/loop_ir.h"

/* ---- nodes ---- */

static int new_node(ct_forge_ir *ir, ct_forge_ir_kind kind, int loop)
{
    CT_ASSERT(ir->n_nodes < CT_FORGE_MOST_IR);
    ct_forge_ir_node *node = &ir->nodes[ir->n_nodes];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    node->loop = loop;
    node->inner = node->next = -1;
    node->target = CT_FORGE_TO_RESULT;
    return ir->n_nodes++;
}

/* Puts a node at the end of a list, given by the link to its first; the link behind it. */
static int *append(ct_forge_ir *ir, int *link, int node)
{
    while (*link >= 0) link = &ir->nodes[*link].next;
    *link = node;
    return &ir->nodes[node].next;
}

static void prepend(ct_forge_ir *ir, int *link, int node)
{
    ir->nodes[node].next = *link;
    *link = node;
}

uint32_t ct_forge_ir_base(const ct_forge_nest *nest, int loop, ct_forge_axis axis,
                          int loops[CT_FORGE_MOST_NEST])
{
    CT_ASSERT(loop >= -1 && loop < nest->n_loops);
    uint32_t n = 0;
    for (int i = loop; i >= 0; i = nest->loops[i].outer)
        if (nest->loops[i].axis == axis) loops[n++] = i;
    return n;
}

/* ---- high to mid: loops, walks, caches ---- */

static ct_forge_ir_how how_of(const ct_forge_index *index)
{
    if (index->marked[CT_FORGE_PARALLEL]) return CT_FORGE_HOW_THREADS;
    if (!index->marked[CT_FORGE_GPU]) return CT_FORGE_HOW_SERIAL;
    return index->number[CT_FORGE_GPU] < CT_FORGE_BLOCK_X ? CT_FORGE_HOW_GRID : CT_FORGE_HOW_BLOCK;
}

static int build(ct_forge_ir *ir, int loop)
{
    const ct_forge_index *index = &ir->nest->loops[loop];
    int node = new_node(ir, CT_FORGE_IR_FOR, loop), first = -1, *link = &first;
    ir->nodes[node].how = how_of(index);
    if (index->marked[CT_FORGE_CACHE])
        link = append(ir, link, new_node(ir, index->axis == CT_FORGE_ROWS
                                                 ? CT_FORGE_IR_CACHE_ROWS
                                                 : CT_FORGE_IR_CACHE_TREES, loop));
    for (int i = index->inner; i >= 0; i = ir->nest->loops[i].next)
        link = append(ir, link, build(ir, i));
    if (index->inner < 0) {
        link = append(ir, link, new_node(ir, CT_FORGE_IR_WALK, loop));
        append(ir, link, new_node(ir, CT_FORGE_IR_REDUCE, loop));
    }
    ir->nodes[node].inner = first;
    return node;
}

static void raise_to_mid(ct_forge_ir *ir)
{
    int *link = append(ir, &ir->first, new_node(ir, CT_FORGE_IR_INIT, -1));
    for (int i = ir->nest->first; i >= 0; i = ir->nest->loops[i].next)
        link = append(ir, link, build(ir, i));
    append(ir, link, new_node(ir, CT_FORGE_IR_POST, -1));
    ir->level = CT_FORGE_MID;
}

/* ---- specialisation: what walks are, with this forest ---- */

static void specialise(ct_forge_ir *ir)
{
    for (int i = 0; i < ir->n_nodes; i++) {
        ct_forge_ir_node *node = &ir->nodes[i];
        if (node->kind != CT_FORGE_IR_WALK && node->kind != CT_FORGE_IR_REDUCE) continue;
        const ct_forge_index *index = &ir->nest->loops[node->loop];
        int64_t trips = ct_forge_loop_trips(ir->nest, node->loop, ir->shape->n_trees), lanes = 1;
        if (index->marked[CT_FORGE_INTERLEAVE]) lanes = index->number[CT_FORGE_INTERLEAVE];
        if (index->marked[CT_FORGE_SIMDIZE]) lanes = index->number[CT_FORGE_SIMDIZE];
        if (node->kind == CT_FORGE_IR_WALK) node->simd = index->marked[CT_FORGE_SIMDIZE] > 0;
        if (lanes > trips) lanes = trips > 0 ? trips : 1;
        /* threads walk alone, each its own iteration; a cache holds that of one */
        if (ct_forge_nest_concurrent(ir->nest, node->loop) || index->marked[CT_FORGE_CACHE])
            lanes = 1;
        node->lanes = (uint32_t) lanes;
        node->hops = (uint32_t) index->number[CT_FORGE_UNROLL];
        node->peel = (uint32_t) index->number[CT_FORGE_PEEL];
    }
}

/* ---- legalised reductions ---- */

static int is_private(const ct_forge_nest *nest, int loop)
{
    return ct_forge_nest_conflicts(nest, loop) && !nest->loops[loop].marked[CT_FORGE_ATOMIC];
}

/* The loop around that has sums of its own, or what else takes the sums of a walk there, and
 * whether adding must be atomic. */
static int target_of(const ct_forge_ir *ir, int loop, int *atomic)
{
    *atomic = 0;
    for (int i = loop; i >= 0; i = ir->nest->loops[i].outer) {
        const ct_forge_index *index = &ir->nest->loops[i];
        if (ct_forge_nest_conflicts(ir->nest, i) && index->marked[CT_FORGE_ATOMIC]) *atomic = 1;
        if (is_private(ir->nest, i) && (!ir->on_gpu || index->marked[CT_FORGE_SHARED])) return i;
    }
    return ir->n_slots ? CT_FORGE_TO_SLOTS : CT_FORGE_TO_RESULT;
}

static int reduce_dim(ct_forge_ir *ir, int loop, int around)
{
    int node = new_node(ir, CT_FORGE_IR_REDUCE_DIM, loop);
    const ct_forge_index *loops = ir->nest->loops;
    if (loop >= 0) ir->nodes[node].vector = (uint32_t) loops[loop].number[CT_FORGE_VECTOR];
    ir->nodes[node].added_only = ct_forge_loop_overlaps(ir->nest, around, ir->shape->n_trees);
    if (loop >= 0 && !ir->on_gpu)
        ir->nodes[node].target = target_of(ir, around, &ir->nodes[node].atomic);
    return node;
}

/* Sums of threads of the CPU, around their loop. */
static void privatise(ct_forge_ir *ir, int *link)
{
    for (; *link >= 0; link = &ir->nodes[*link].next) {
        int node = *link, loop = ir->nodes[node].loop;
        if (ir->nodes[node].inner >= 0) privatise(ir, &ir->nodes[node].inner);
        if (ir->nodes[node].kind != CT_FORGE_IR_FOR || !is_private(ir->nest, loop)) continue;
        int after = reduce_dim(ir, loop, ir->nest->loops[loop].outer);
        prepend(ir, link, new_node(ir, CT_FORGE_IR_PRIVATE, loop));
        prepend(ir, &ir->nodes[node].next, after);
        link = &ir->nodes[node].next;
    }
}

/* Sums in shared memory, within the loop over blocks of rows. */
static void share(ct_forge_ir *ir, int shared, int grid)
{
    for (int i = 0; i < ir->n_nodes; i++) {
        if (ir->nodes[i].kind != CT_FORGE_IR_FOR || ir->nodes[i].loop != grid) continue;
        prepend(ir, &ir->nodes[i].inner, new_node(ir, CT_FORGE_IR_PRIVATE, shared));
        append(ir, &ir->nodes[i].inner, reduce_dim(ir, shared, grid));
        return;
    }
}

/* All other sums of a GPU: slots, around the nest. */
static void give_slots(ct_forge_ir *ir)
{
    if (!ir->n_slots) return;
    prepend(ir, &ir->nodes[ir->first].next, new_node(ir, CT_FORGE_IR_PRIVATE, CT_FORGE_TO_SLOTS));
    int *link = &ir->first;
    while (ir->nodes[*link].kind != CT_FORGE_IR_POST) link = &ir->nodes[*link].next;
    prepend(ir, link, reduce_dim(ir, CT_FORGE_TO_SLOTS, -1));
}

static void find_slots(ct_forge_ir *ir, int loop)
{
    for (; loop >= 0; loop = ir->nest->loops[loop].inner)
        if (ir->on_gpu && is_private(ir->nest, loop) &&
            !ir->nest->loops[loop].marked[CT_FORGE_SHARED])
            ir->slots[ir->n_slots++] = loop;
}

static void legalise_reductions(ct_forge_ir *ir)
{
    int grid, shared = ct_forge_shared_loop(ir->nest, &grid), n = ir->n_nodes;
    find_slots(ir, ir->nest->first);
    for (int i = 0; i < n; i++)
        if (ir->nodes[i].kind == CT_FORGE_IR_REDUCE)
            ir->nodes[i].target = target_of(ir, ir->nodes[i].loop, &ir->nodes[i].atomic);
    if (!ir->on_gpu) privatise(ir, &ir->first);
    else if (shared >= 0) share(ir, shared, grid);
    else give_slots(ir);
}

int64_t ct_forge_ir_slots(const ct_forge_ir *ir)
{
    CT_ASSERT(ir->n_slots >= 0 && ir->n_slots <= CT_FORGE_MOST_NEST);
    int64_t n = 1;
    for (int i = 0; i < ir->n_slots; i++)
        n *= ct_forge_loop_trips(ir->nest, ir->slots[i], ir->shape->n_trees);
    return n;
}

int64_t ct_forge_ir_copies(const ct_forge_ir *ir, int loop)
{
    CT_ASSERT(loop >= CT_FORGE_TO_SLOTS && loop < ir->nest->n_loops);
    if (loop < 0) return ct_forge_ir_slots(ir);
    return ct_forge_loop_trips(ir->nest, loop, ir->shape->n_trees);
}

int64_t ct_forge_ir_copy_of(const ct_forge_ir *ir, int target, const int64_t *at)
{
    CT_ASSERT(target >= CT_FORGE_TO_SLOTS && target < ir->nest->n_loops && at);
    if (target >= 0) return ct_forge_loop_iteration(ir->nest, target, at);
    int64_t slot = 0;
    for (int i = 0; target == CT_FORGE_TO_SLOTS && i < ir->n_slots; i++)
        slot = slot * ct_forge_loop_trips(ir->nest, ir->slots[i], ir->shape->n_trees) +
               ct_forge_loop_iteration(ir->nest, ir->slots[i], at);
    return slot;
}

/* ---- mid to low: remainders, barriers, launches ---- */

/* Threads wait before what a cache holds is overwritten, and until it is there. */
static void add_barriers(ct_forge_ir *ir, int *link)
{
    for (; *link >= 0; link = &ir->nodes[*link].next) {
        ct_forge_ir_node *node = &ir->nodes[*link];
        const int cache = node->kind == CT_FORGE_IR_CACHE_ROWS ||
                          node->kind == CT_FORGE_IR_CACHE_TREES;
        int before = cache || (node->kind == CT_FORGE_IR_REDUCE_DIM && node->loop >= 0);
        int after = cache || (node->kind == CT_FORGE_IR_PRIVATE && node->loop >= 0);
        /* the block's next rows begin with sums that all have read */
        if (node->kind == CT_FORGE_IR_REDUCE_DIM && node->loop >= 0) after = 1;
        if (node->inner >= 0) add_barriers(ir, &node->inner);
        if (before) {
            prepend(ir, link, new_node(ir, CT_FORGE_IR_BARRIER, -1));
            link = &ir->nodes[*link].next;
        }
        if (after) {
            int *behind = &ir->nodes[*link].next;
            prepend(ir, behind, new_node(ir, CT_FORGE_IR_BARRIER, -1));
            link = behind;
        }
    }
}

/* On the GPU, one for what comes before the nest, the nest, and what comes after it. */
static void add_launches(ct_forge_ir *ir)
{
    for (int *link = &ir->first; *link >= 0; link = &ir->nodes[*link].next) {
        ct_forge_ir_kind kind = ir->nodes[*link].kind;
        int starts = *link == ir->first || kind == CT_FORGE_IR_FOR || kind == CT_FORGE_IR_POST ||
                     kind == CT_FORGE_IR_REDUCE_DIM;
        if (kind == CT_FORGE_IR_POST && ir->n_slots) starts = 0; /* adds sums up, too */
        if (!starts) continue;
        prepend(ir, link, new_node(ir, CT_FORGE_IR_LAUNCH, -1));
        link = &ir->nodes[*link].next;
    }
}

static void lower_to_low(ct_forge_ir *ir)
{
    for (int i = 0; i < ir->n_nodes; i++) {
        ct_forge_ir_node *node = &ir->nodes[i];
        if (node->kind == CT_FORGE_IR_FOR)
            node->n_bounds = ct_forge_loop_bounds(ir->nest, node->loop, ir->shape->n_trees,
                                                  node->bounds);
    }
    if (ir->on_gpu) add_barriers(ir, &ir->first);
    if (ir->on_gpu) add_launches(ir);
    ir->level = CT_FORGE_LOW;
}

ct_status ct_forge_ir_lower(ct_forge_ir *ir, const ct_forge_nest *nest, const ct_forge_shape *shape,
                            ct_forge_ir_level level, ct_error *error)
{
    CT_ASSERT(shape->n_trees > 0 && shape->n_outputs > 0);
    memset(ir, 0, sizeof *ir);
    ir->nest = nest;
    ir->shape = shape;
    ir->first = -1;
    ir->on_gpu = ct_forge_nest_on_gpu(nest);
    if (level == CT_FORGE_HIGH) return CT_OK;
    raise_to_mid(ir);
    CT_TRY(ct_forge_ir_verify(ir, error));
    specialise(ir);
    CT_TRY(ct_forge_ir_verify(ir, error));
    legalise_reductions(ir);
    CT_TRY(ct_forge_ir_verify(ir, error));
    if (level == CT_FORGE_MID) return CT_OK;
    lower_to_low(ir);
    return ct_forge_ir_verify(ir, error);
}
