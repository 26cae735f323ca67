#include "base/compact.h"

#include "exact/search/lower_price.h"

#include <string.h>

#include "exact/search/early.h"
#include "exact/search/price.h"
#include "exact/search/solve.h"

/* Trees of so few leaves are few; larger ones are searched at a price that is a tenth lower, where
 * the best tree known costs an eighth of the rows or more. Measured, see bench/notes/exact.md. */
enum { FEW_LEAVES = 4, LOWER = 10, LONG_SEARCH_SHARE = 8 };

/* Work on the former, beside what a search may do before it has a bound. */
static const double FEW_WORK = 4;

/* Splits below entry i of a heap, with its own. */
static uint32_t n_splits(const ct_split_code *tree, size_t i, size_t size)
{
    if (i >= size || tree[i].feature < 0) return 0;
    return 1 + n_splits(tree, 2 * i + 1, size) + n_splits(tree, 2 * i + 2, size);
}

int ct_lower_price_applies(const ct_worker *worker, const ct_node *root, const ct_exact_task *task)
{
    const ct_exact_search *search = worker->search;
    const ct_known_tree *known = task->known;
    int64_t best = ct_smaller_cost(root->leaf_cost, known ? known->cost : task->cap);
    if (!ct_uses(worker, CT_SHORTCUT_LOWER_PRICE) || !ct_uses(worker, CT_SHORTCUT_CAPS) ||
        !ct_price_counts(worker) || search->breaks_ties || search->costs->response ||
        search->options->part || worker->queue || task->leaves || task->gap || task->depth < 4)
        return 0;
    return !root->layout->tests && root->n_rows >= search->options->price_rows &&
           LONG_SEARCH_SHARE * (best >> search->costs->shift) >= root->n_rows &&
           (!known || n_splits(known->codes, 0, ct_heap_size(task->depth)) < FEW_LEAVES);
}

/* One of the two searches. */
typedef struct {
    const ct_node *root;
    ct_exact_task task;
    int64_t *root_bounds;
    ct_split_code *tree;
    ct_bounds bounds;
} half;

static int half_new(half *x, ct_worker *worker, const ct_node *root, const ct_exact_task *task)
{
    *x = (half){.root = root, .task = *task};
    x->root_bounds = CT_ARENA_NEW(&worker->arena, int64_t, root->layout->n_cols);
    x->tree = CT_ARENA_NEW(&worker->arena, ct_split_code, ct_heap_size(task->depth));
    return x->root_bounds && x->tree;
}

/* Bounds of row sets are remembered at the lower price, which hold at any price above it. */
static void solve_few(ct_worker *worker, void *data)
{
    half *x = (half *) data;
    struct ct_bound_cache *cache = worker->cache;
    worker->cache = NULL;
    x->bounds = ct_solve(worker, NULL, x->root, &x->task, x->root_bounds, x->tree);
    worker->cache = cache;
}

static void use_search(ct_worker *worker, const ct_team *team, const ct_exact_search *search)
{
    worker->search = search;
    for (unsigned i = 0; team && i < team->n_workers; i++) team->workers[i].search = search;
}

/* Searches for large trees that cost less than the best one of few leaves. What it proves is turned
 * into costs of trees at their own price, and into bounds of all. 0: there may be such trees. */
static int solve_large(ct_worker *worker, ct_team *team, const half *few, half *large)
{
    const ct_exact_search *search = worker->search;
    ct_exact_search lower = *search;
    int64_t best = ct_smaller_cost(few->bounds.upper, large->task.cap);
    lower.split_cost -= search->split_cost / LOWER;
    lower.more = FEW_LEAVES * (search->split_cost - lower.split_cost);
    lower.few_lower = few->bounds.proven;
    lower.few_upper = few->bounds.upper;
    CT_ASSERT(lower.more > 0);
    large->task.cap = best - lower.more;
    large->task.known = NULL;
    large->task.first_of_ties = 0;
    worker->statistics.lower_price++;
    use_search(worker, team, &lower);
    large->bounds = ct_solve(worker, team, large->root, &large->task, large->root_bounds,
                             large->tree);
    use_search(worker, team, search);
    ct_team_tell(team, INT64_MAX);
    int proven = large->bounds.upper >= large->task.cap;
    for (uint32_t f = 0; f < large->root->layout->n_cols; f++)
        large->root_bounds[f] = ct_smaller_cost(large->root_bounds[f] + lower.more,
                                                few->root_bounds[f]);
    large->bounds.relaxed = ct_smaller_cost(large->bounds.relaxed + lower.more,
                                            few->bounds.relaxed);
    large->bounds.proven = ct_smaller_cost(large->bounds.proven + lower.more, few->bounds.proven);
    large->bounds.upper = few->bounds.upper;
    return proven;
}

/* Whether both halves have the answer, *large; else what the large ones say of roots holds. */
static int solve_both(ct_worker *worker, ct_team *team, half *few, half *large)
{
    int64_t most = FEW_LEAVES * worker->search->split_cost;
    few->task.leaves = FEW_LEAVES;
    few->task.on_cpu = 1;
    few->bounds.upper = 0;
    return ct_early_aside(worker, FEW_WORK * worker->search->options->early_after, solve_few,
                          few) &&
           ct_smaller_cost(few->bounds.upper, large->task.cap) > most &&
           solve_large(worker, team, few, large);
}

ct_bounds ct_lower_price_solve(ct_worker *worker, ct_team *team, const ct_node *root,
                               const ct_exact_task *task, int64_t *root_bounds, ct_split_code *tree)
{
    half few = {0}, large = {0};
    ct_exact_task rest = *task;
    ct_arena_mark mark = ct_arena_here(&worker->arena);
    int there = half_new(&few, worker, root, task) && half_new(&large, worker, root, task),
        answered = there && solve_both(worker, team, &few, &large);
    ct_bounds bounds = large.bounds;
    if (answered) {
        memcpy(root_bounds, large.root_bounds, root->layout->n_cols * sizeof *root_bounds);
    } else {
        rest.root_bounds = large.bounds.upper ? large.root_bounds : NULL;
        bounds = ct_solve(worker, team, root, &rest, root_bounds, tree);
    }
    if (answered || (large.bounds.upper && large.bounds.upper < bounds.upper)) {
        bounds.upper = few.bounds.upper;
        memcpy(tree, few.tree, ct_heap_size(task->depth) * sizeof *tree);
    }
    ct_arena_release(&worker->arena, mark);
    return bounds;
}
