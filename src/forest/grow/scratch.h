/* What a thread needs to grow trees, kept from tree to tree, by who uses it. */
#ifndef CT_FOREST_GROW_SCRATCH_H
#define CT_FOREST_GROW_SCRATCH_H

#include "base/threads.h"
#include "forest/grow/permute.h"
#include "forest/split/memory.h"
#include "forest/split/node.h"

enum {
    CT_PATCH_ROWS = 4 * CT_MEDIUM_ROWS + 32, /* with those left out */
    /* the smaller child is always done first, so that few wait; with the one under way and its
     * children */
    CT_TASKS = 72
};

/* The rows of the tree, those of a node side by side, as they are in the view of their node. */
typedef struct {
    ct_item *items;   /* [n_rows + CT_PARTITION_PAD] of the sample */
    uint32_t *out;    /* [n_rows] left out */
    uint32_t *counts; /* [n_rows] how often each was drawn, in the grower's order */
    /* [n_rows] the same of rows that only fill leaves; NULL: trees are not honest */
    uint32_t *fills;
} ct_tree_rows;

/* What nodes look at (ct_view), and copies of some rows for it (copy.h). */
typedef struct {
    ct_view views[CT_VIEWS];
    int32_t *table_quantised; /* [n_rows] where nodes have their own */
    uint8_t *block_bins;  /* [n_cols][rows of a block] */
    int32_t *block_quantised, *block_exposure;
    uint32_t *block_rows;
    uint16_t *patch_codes; /* [n_cols][CT_PATCH_ROWS] */
    int32_t *patch_quantised, *patch_exposure;
    uint32_t *patch_rows;
} ct_copies;

/* Nodes that wait, under way or free. */
typedef struct {
    ct_hist_task tasks[CT_TASKS];
    ct_hist_run *runs;       /* [CT_TASKS][ct_runs_of()] of the tasks */
    uint8_t order[CT_TASKS]; /* of tasks: those that wait, the next one last; then free ones */
    uint32_t n;              /* that wait */
} ct_waiting;

/* Rows part into those of two children (partition.h). */
typedef struct {
    ct_item *items;                  /* [n_rows + CT_PARTITION_PAD] those that go right */
    ct_hist_run *left_runs;          /* [ct_runs_of()] what of each run goes left */
    uint8_t sides[CT_HIST_BIN_ROWS]; /* of the test */
    uint8_t *level_bins;             /* [CT_PATCH_ROWS] by row: a column's levels as bins */
} ct_partition_scratch;

/* The tree under way (nodes.h). */
typedef struct {
    ct_hist_node *nodes; /* in the order in which they came */
    uint32_t n_nodes, room_nodes;
    uint32_t *leaf_counts; /* mixed leaves */
    double *means;
    uint32_t *members, *ends; /* where leaves keep their rows */
    uint32_t n_members, room_members;
    uint32_t n_leaves, room_leaves, depth;
    int64_t *gains; /* [n_cols][words] */
} ct_new_tree;

typedef struct {
    const ct_grower *grower;
    unsigned number; /* the worker's */
    ct_halt *stop;
    ct_tree_rows rows;
    ct_copies copies;
    ct_waiting waiting;
    ct_split_memory search;
    ct_partition_scratch partition;
    ct_new_tree tree;
    ct_left_out left_out;
} ct_hist_scratch;

/* CT_NO_MEMORY; freed by ct_hist_scratch_free, then too. */
ct_status ct_hist_scratch_init(ct_hist_scratch *scratch, const ct_grower *grower, unsigned number,
                               ct_halt *stop);
void ct_hist_scratch_free(ct_hist_scratch *scratch);

/* Bytes that a scratch takes at the beginning. */
double ct_hist_scratch_bytes(const ct_grower *grower);

static inline const ct_view *ct_view_of(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    return &scratch->copies.views[task->place];
}

static inline uint32_t ct_table_row(const ct_view *view, uint32_t row)
{
    return view->rows ? view->rows[row] : row;
}

/* The whole numbers of a view, where nodes have their own. */
static inline int32_t *ct_own_quantised(const ct_hist_scratch *scratch, ct_node_view place)
{
    return place == CT_IN_TABLE   ? scratch->copies.table_quantised
           : place == CT_IN_BLOCK ? scratch->copies.block_quantised
                                  : scratch->copies.patch_quantised;
}

/* The task in a place of the order of tasks. */
static inline ct_hist_task *ct_task_at(ct_hist_scratch *scratch, uint32_t place)
{
    CT_ASSERT(place < CT_TASKS);
    return &scratch->waiting.tasks[scratch->waiting.order[place]];
}

/* The task at `place` waits, in the place of the first one that does not. */
static inline void ct_wait(ct_hist_scratch *scratch, uint32_t place)
{
    uint8_t *order = scratch->waiting.order, own = order[place];
    order[place] = order[scratch->waiting.n];
    order[scratch->waiting.n++] = own;
}

/* Rows of a block at most. */
static inline uint32_t ct_block_rows(const ct_grower *grower)
{
    uint32_t rows = 2 * grower->block;
    return rows < grower->n_rows ? rows : grower->n_rows;
}

#endif
