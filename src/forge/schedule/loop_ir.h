/* What a schedule becomes for a forest: three levels, each verified after the pass that made it.
 *
 * High: predictEnsemble, one operation with the schedule beside it.
 * Mid: loops, walks of trees, cached rows and trees, reductions.
 * Low: the same nodes with their bounds, barriers and launches.
 *
 * Sums are `sums[row][output]`. A loop over trees whose iterations run at once conflicts: they add
 * to the same sums. Threads of the CPU get sums of their own, one more dimension for the loop,
 * which are added up just after it (PRIVATE, REDUCE_DIM), into those of the next such loop around
 * it or into the result. On a GPU all such dimensions together are one, the slots, filled by a
 * launch before the nest's and added up by one after it; or shared memory has them, within the loop
 * over blocks of rows (sharedReduce); or the sums are added to by atomic operations.
 *
 * Sums of their own begin at -0, since -0 + x is x for each x, 0 and -0 too. */
#ifndef CT_FORGE_SCHEDULE_LOOP_IR_H
#define CT_FORGE_SCHEDULE_LOOP_IR_H

#include "forge/schedule/legal.h"
#include "forge/schedule/ranges.h"

typedef enum {
    CT_FORGE_IR_INIT,       /* sums of all rows to the base */
    CT_FORGE_IR_FOR,
    CT_FORGE_IR_CACHE_ROWS, /* rows in reach of the loop, copied */
    CT_FORGE_IR_CACHE_TREES,
    CT_FORGE_IR_WALK,       /* trees of an iteration, or of `lanes` of them, to leaves */
    CT_FORGE_IR_REDUCE,     /* what their leaves are worth is added to `target` */
    CT_FORGE_IR_PRIVATE,    /* sums of their own for each iteration of the loop, all -0 */
    CT_FORGE_IR_REDUCE_DIM, /* and these added to `target` */
    CT_FORGE_IR_BARRIER,    /* threads of a block wait for each other */
    CT_FORGE_IR_LAUNCH,     /* what follows, until the next, is a launch */
    CT_FORGE_IR_POST        /* sums divided by the divisor, as the result has them */
} ct_forge_ir_kind;

typedef enum {
    CT_FORGE_HOW_SERIAL, CT_FORGE_HOW_THREADS, CT_FORGE_HOW_GRID, CT_FORGE_HOW_BLOCK
} ct_forge_ir_how;

/* Targets of reductions that are no loop. */
enum { CT_FORGE_TO_RESULT = -1, CT_FORGE_TO_SLOTS = -2 };

typedef struct {
    ct_forge_ir_kind kind;
    int loop;          /* CT_FORGE_TO_SLOTS: PRIVATE and REDUCE_DIM of all slots */
    int inner, next;
    ct_forge_ir_how how; /* FOR */
    int target, atomic;  /* REDUCE, REDUCE_DIM */
    /* REDUCE_DIM: some sums may be of rows that other threads add to; these are still -0, and left
     * out */
    int added_only;
    uint32_t lanes, hops, peel, vector; /* WALK; hops 0: until all are leaves */
    int simd;
    uint32_t n_bounds; /* FOR, at the low level */
    ct_forge_loop_bound bounds[CT_FORGE_MOST_NEST];
} ct_forge_ir_node;

enum { CT_FORGE_MOST_IR = 10 * CT_FORGE_MOST_LOOPS };

typedef enum { CT_FORGE_HIGH, CT_FORGE_MID, CT_FORGE_LOW } ct_forge_ir_level;

typedef struct {
    ct_forge_ir_level level;
    const ct_forge_nest *nest;     /* borrowed, as is the shape */
    const ct_forge_shape *shape;
    int on_gpu, n_nodes, first;
    int n_slots;                   /* loops whose iterations have slots, outermost first */
    int slots[CT_FORGE_MOST_NEST];
    ct_forge_ir_node nodes[CT_FORGE_MOST_IR];
} ct_forge_ir;

/* All passes up to a level; the nest must be legal for the shape. CT_INTERNAL if a pass broke what
 * the verifier looks at. */
ct_status ct_forge_ir_lower(ct_forge_ir *ir, const ct_forge_nest *nest, const ct_forge_shape *shape,
                            ct_forge_ir_level level, ct_error *error);

/* Whether the nodes are what their level says, which each pass must leave so. */
ct_status ct_forge_ir_verify(const ct_forge_ir *ir, ct_error *error);

void ct_forge_ir_print(const ct_forge_ir *ir, ct_forge_text *text);

/* The rows or trees that an iteration of a loop (-1: the whole) can reach begin at the sum of these
 * loops: their number. */
uint32_t ct_forge_ir_base(const ct_forge_nest *nest, int loop, ct_forge_axis axis,
                          int loops[CT_FORGE_MOST_NEST]);

/* How many slots there are. */
int64_t ct_forge_ir_slots(const ct_forge_ir *ir);

/* How many sums a loop (CT_FORGE_TO_SLOTS: all loops with slots) has, and which of those of a
 * target are added to with the loops' variables where they are; 0: the first. */
int64_t ct_forge_ir_copies(const ct_forge_ir *ir, int loop);
int64_t ct_forge_ir_copy_of(const ct_forge_ir *ir, int target, const int64_t *at);

#endif
