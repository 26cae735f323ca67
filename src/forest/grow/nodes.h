/* What becomes of a node: a leaf, or the parent of two. */
#ifndef CT_FOREST_GROW_NODES_H
#define CT_FOREST_GROW_NODES_H

#include "base/bits.h"
#include "base/rng.h"
#include "forest/grow/partition.h"

/* Numbers: whether those of all rows are equal; of survival forests: whether none has an event. */
int ct_forest_all_equal(const ct_hist_scratch *scratch, const ct_hist_task *task);

/* Whether a node is not to be split. */
static inline int ct_hist_is_leaf(const ct_hist_scratch *scratch, const ct_hist_task *task)
{
    const ct_grower *g = scratch->grower;
    if (task->n < 2 || task->weight <= g->leaf_weight || task->depth >= g->options->depth)
        return 1;
    return g->n_classes ? task->n_runs == 1 : ct_forest_all_equal(scratch, task);
}

/* A leaf with the rows of the task. 0 if memory ends. */
int ct_forest_make_leaf(ct_hist_scratch *scratch, const ct_hist_task *task);

/* Room for more; 0 if memory ends. */
int ct_forest_more_nodes(ct_new_tree *tree);

static inline int ct_room_for_nodes(ct_new_tree *tree, uint32_t n)
{
    return tree->n_nodes + n <= tree->room_nodes || ct_forest_more_nodes(tree);
}

static inline void ct_begin_child(ct_hist_task *child, const ct_hist_task *task, uint32_t node,
                                  uint32_t side)
{
    child->path = ct_rng_path(task->path, side);
    child->begin = task->begin;
    child->out = task->out;
    child->n_out = 0;
    child->node = node;
    child->depth = task->depth + 1;
    child->exponent = task->exponent;
    child->place = task->place;
    child->low = task->low;
    child->high = task->high;
}

/* Two more nodes, which do not have rows yet. 0 if memory ends. */
CT_HOT int ct_begin_children(ct_hist_scratch *scratch, const ct_hist_task *task, ct_hist_task *left,
                             ct_hist_task *right)
{
    ct_new_tree *tree = &scratch->tree;
    if (!ct_room_for_nodes(tree, 2)) return 0;
    ct_begin_child(left, task, tree->n_nodes, 0);
    ct_begin_child(right, task, tree->n_nodes + 1, 1);
    tree->n_nodes += 2;
    return 1;
}

double ct_forest_purity(const ct_hist_scratch *scratch, const ct_hist_task *task);

/* What happened by what might have. A prior, of `prior` events at the rate of all rows, keeps rates
 * of little exposure near that, as rpart does it. */
double ct_forest_rate_of(const ct_hist_scratch *scratch, const ct_hist_task *task, double prior);
/* Of monotone forests: what nodes below the children must be within. */
void ct_forest_bound_children(const ct_hist_scratch *scratch, uint32_t column, ct_hist_task *left,
                              ct_hist_task *right);
void ct_forest_note_gain(ct_hist_scratch *scratch, const ct_hist_task *task, ct_hist_task *left,
                         ct_hist_task *right, uint32_t column);

/* The node is split so, and both have their rows: what follows from their weights. Values that were
 * never missing here, and levels without rows, go to the larger side; rows left out go where they
 * belong; gains are noted. */
CT_HOT void ct_end_children(ct_hist_scratch *scratch, const ct_hist_task *task,
                            ct_hist_split *split, ct_hist_task *left, ct_hist_task *right)
{
    const int to_left = left->weight >= right->weight;
    if (!split->knows_missing) split->missing_left = to_left;
    if (split->is_set && to_left) split->cut |= split->absent;
    if (task->n_out) ct_forest_partition_out(scratch, task, split, left, right);
    if (scratch->grower->options->gains)
        ct_forest_note_gain(scratch, task, left, right, split->column);
    const uint32_t next = left->node | (split->missing_left ? CT_HIST_FLAG : 0) |
                          (split->is_set ? CT_HIST_SET : 0);
    scratch->tree.nodes[task->node] = (ct_hist_node){next, (uint16_t) split->column,
                                                (uint16_t) split->cut};
}

/* Runs under way, and what they sum up to. Not in the task: loops that add to it would wait for
 * memory. */
typedef struct {
    ct_hist_run *runs;
    uint32_t n_runs, n, weight;
} ct_runs;

/* Without a branch that cannot be foreseen: a run without rows is written over by the next. */
CT_HOT void ct_add_run(ct_runs *all, uint32_t class_, uint32_t n, uint32_t weight)
{
    all->runs[all->n_runs] = (ct_hist_run){class_, n, weight};
    all->n_runs += n > 0;
    all->n += n;
    all->weight += weight;
}

static inline void ct_put_runs(const ct_runs *all, ct_hist_task *task)
{
    task->n_runs = all->n_runs;
    task->n = all->n;
    task->weight = all->weight;
}

#endif
