#include "exact/search/price.h"

/* What trees of the task, of rows that cost `leaf` as a leaf, have to cost less than. */
static int64_t price_below(const ct_exact_task *task, int64_t leaf)
{
    /* trees as good as the one that is known are wanted, and its own levels */
    return ct_smaller_cost(leaf, task->known ? task->known->cost + 1 : task->cap);
}

int ct_price_limit(const ct_worker *worker, int64_t leaf, ct_exact_task *task)
{
    int64_t below = price_below(task, leaf);
    if (!ct_price_counts(worker) || below <= worker->search->split_cost) return 0;
    int64_t splits = ct_price_affords(worker, below);
    ct_exact_task all = *task;
    if (splits < task->depth) task->depth = splits > 2 ? (unsigned) splits : 2;
    if (task->leaves > splits) task->leaves = (uint32_t) splits + 1;
    task->leaves = ct_few_leaves(task->leaves, task->depth);
    return task->depth < all.depth || task->leaves != all.leaves;
}

void ct_price_answer(const ct_worker *worker, const ct_node *node, const ct_exact_task *task,
                     const ct_exact_task *limited, int64_t *root_bounds, ct_split_code *tree,
                     ct_bounds *bounds)
{
    int64_t below = price_below(task, node->leaf_cost), split = worker->search->split_cost,
            others = (ct_price_affords(worker, below) + 1) * split;
    CT_ASSERT(others >= below && limited->depth <= task->depth);
    bounds->relaxed = ct_smaller_cost(bounds->relaxed, others);
    bounds->proven = ct_smaller_cost(bounds->proven, others);
    for (uint32_t f = 0; f < node->layout->n_cols; f++)
        root_bounds[f] = ct_smaller_cost(root_bounds[f], others);
    for (size_t i = ct_heap_size(limited->depth); i < ct_heap_size(task->depth); i++)
        tree[i] = CT_LEAF_CODE;
}
