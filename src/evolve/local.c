#include "base/compact.h"

#include "evolve/local.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { ROTATION_STEPS = 20 };

/* ---- memory ---- */

ct_status ct_gmt_local_init(ct_local *local, const ct_model_tree *like,
                            const ct_tree_limits *limits, unsigned threads, ct_error *error)
{
    memset(local, 0, sizeof *local);
    local->limits = limits;
    CT_TRY(ct_gmt_model_tree_init_as(&local->undo, like, error));
    CT_TRY(ct_gmt_model_tree_init_as(&local->trial, like, error));
    local->cache = ct_gmt_split_cache_new();
    local->scratch = (ct_split_scratch **) ct_alloc(threads * sizeof(ct_split_scratch *));
    if (!local->scratch || !local->cache) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (; local->threads < threads; local->threads++) {
        local->scratch[local->threads] = ct_gmt_split_scratch_new(like->table, limits->leaves_max);
        if (!local->scratch[local->threads])
            return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    }
    return CT_OK;
}

void ct_gmt_local_free(ct_local *local)
{
    ct_gmt_model_tree_free(&local->undo);
    ct_gmt_model_tree_free(&local->trial);
    for (unsigned i = 0; i < local->threads; i++) ct_gmt_split_scratch_free(local->scratch[i]);
    ct_free(local->scratch);
    ct_gmt_split_cache_free(local->cache);
    memset(local, 0, sizeof *local);
}

/* ---- what a tree costs ---- */

static double counted_sse(const ct_model_tree *tree)
{
    return fmax(tree->sse, 1e-11 * tree->table->total);
}

double ct_gmt_tree_bic(const ct_model_tree *tree, double complexity)
{
    double n = tree->table->n_rows, size = tree->terms + tree->n_leaves - 1;
    return n * log(fmax(counted_sse(tree), 1e-300) / n) + complexity * log(n) * size;
}

double ct_gmt_tree_lambda(const ct_model_tree *tree, double complexity)
{
    double n = tree->table->n_rows;
    return complexity * counted_sse(tree) / n * log(n);
}

static double cost_of(const ct_model_tree *tree, double lambda)
{
    return ct_penalised(tree->sse, tree->terms, tree->n_leaves, lambda);
}

/* ---- one step ---- */

typedef enum { MOVE_NONE, MOVE_LEAF, MOVE_LEFT, MOVE_RIGHT, MOVE_TEST } move;

/* What the leaves below a node cost, and the splits. */
static double cost_below(const ct_model_tree *tree, int32_t node, double lambda, uint32_t *n_leaves)
{
    int32_t leaves[CT_TREE_LEAVES];
    double cost = 0;
    *n_leaves = ct_gmt_model_tree_leaves(tree, node, leaves);
    for (uint32_t i = 0; i < *n_leaves; i++)
        cost += tree->nodes[leaves[i]].sse + lambda * tree->nodes[leaves[i]].terms;
    return cost + lambda * (*n_leaves - 1);
}

/* The move that promises most; of equal ones the smallest tree. */
static move best_move(const ct_model_tree *tree, int32_t node, double now, double lambda,
                      const ct_gmt_split_result *result)
{
    const ct_model_node *at = &tree->nodes[node];
    const double tie = 1e-12 * tree->table->total;
    double least = now;
    move chosen = MOVE_NONE;
    if (!ct_gmt_is_leaf(tree, node)) {
        double leaf = at->sse + lambda * at->terms;
        if (leaf < least - tie) least = leaf, chosen = MOVE_LEAF;
        for (int side = 0; side < 2; side++) {
            const ct_gmt_split *kept = &result->kept[side];
            double cost = kept->sse + lambda * kept->terms;
            if (kept->test.splitter < 0 || !(cost < least - tie)) continue;
            least = cost;
            chosen = side ? MOVE_RIGHT : MOVE_LEFT;
        }
    }
    if (result->best.test.splitter >= 0 &&
        result->best.sse + lambda * result->best.terms < least - tie)
        chosen = MOVE_TEST;
    return chosen;
}

static void make_move(ct_local *local, ct_model_tree *tree, int32_t node, move chosen,
                      const ct_gmt_test *test)
{
    ct_model_node *at = &tree->nodes[node];
    switch (chosen) {
    case MOVE_NONE: return;
    case MOVE_LEAF: ct_gmt_model_tree_collapse(tree, node); break;
    case MOVE_LEFT: ct_gmt_model_tree_lift(tree, node, at->left); break;
    case MOVE_RIGHT: ct_gmt_model_tree_lift(tree, node, at->right); break;
    case MOVE_TEST:
        if (!ct_gmt_is_leaf(tree, node)) at->test = *test;
        else if (!ct_gmt_model_tree_expand(tree, node, test)) return;
        break;
    }
    ct_gmt_model_tree_refresh(tree, node, local->limits);
}

/* Whether the node is a leaf that may not be split. */
static int cannot_split(const ct_local *local, const ct_model_tree *tree, int32_t node)
{
    const ct_model_node *at = &tree->nodes[node];
    return ct_gmt_is_leaf(tree, node) &&
           (local->shift_only || tree->n_leaves >= local->limits->leaves_max ||
            at->depth >= local->limits->depth_max ||
            at->end - at->begin < 2 * (uint64_t) local->limits->minbucket ||
            at->end - at->begin < local->limits->min_n);
}

static ct_status find_split(ct_local *local, const ct_model_tree *tree, int32_t node, double limit,
                            const ct_gmt_split_options *options, ct_gmt_split_result *result,
                            ct_error *error)
{
    const ct_gmt_split_result *known = options->without & CT_GMT_CACHE
                                           ? NULL
                                           : ct_gmt_split_cache_find(local->cache, tree, node,
                                                                     limit, options);
    local->touched += tree->nodes[node].end - tree->nodes[node].begin;
    if (known) {
        *result = *known;
        return CT_OK;
    }
    CT_TRY(ct_gmt_split_search(tree, node, limit, options, local->scratch, local->threads, result,
                               error));
    if (!(options->without & CT_GMT_CACHE)) ct_gmt_split_cache_store(local->cache, result);
    return CT_OK;
}

/* Looks at one node; accepts what lowers the cost of the tree, as computed from the rows. */
static ct_status step(ct_local *local, ct_model_tree *tree, int32_t node, double lambda,
                      uint32_t open_max, int *better, ct_error *error)
{
    ct_gmt_split_options options = {.minbucket = local->limits->minbucket,
                                    .open_max = open_max,
                                    .lambda = lambda,
                                    .only = local->shift_only ? tree->nodes[node].test.splitter
                                                              : -1,
                                    .without = local->without,
                                    .min_n = local->limits->min_n};
    ct_gmt_split_result result;
    uint32_t n_leaves;
    *better = 0;
    if (cannot_split(local, tree, node)) return CT_OK;
    double now = cost_below(tree, node, lambda, &n_leaves);
    CT_TRY(find_split(local, tree, node, now, &options, &result, error));
    move chosen = best_move(tree, node, now, lambda, &result);
    if (chosen == MOVE_NONE) return CT_OK;
    double before = cost_of(tree, lambda);
    ct_gmt_model_tree_copy(&local->undo, tree);
    make_move(local, tree, node, chosen, &result.best.test);
    if (cost_of(tree, lambda) < before - 0.5e-12 * tree->table->total &&
        tree->n_leaves <= local->limits->leaves_max)
        *better = 1;
    else ct_gmt_model_tree_copy(tree, &local->undo);
    return CT_OK;
}

/* ---- many ---- */

static int32_t random_dirty(const ct_model_tree *tree, ct_rng *rng)
{
    uint32_t n = 0, chosen;
    for (uint32_t i = 0; i < tree->room; i++) n += tree->nodes[i].used && tree->nodes[i].dirty;
    if (!n) return CT_NO_NODE;
    chosen = ct_rng_below(rng, n);
    for (uint32_t i = 0; i < tree->room; i++)
        if (tree->nodes[i].used && tree->nodes[i].dirty && !chosen--) return (int32_t) i;
    return CT_NO_NODE;
}

ct_status ct_gmt_local_search(ct_local *local, ct_model_tree *tree, double lambda,
                              uint32_t open_max, uint32_t steps, ct_rng *rng, int *clean,
                              ct_error *error)
{
    CT_ASSERT(tree->nodes[0].used && tree->n_leaves > 0 && lambda >= 0);
    int32_t node = CT_NO_NODE;
    *clean = 0;
    for (uint32_t i = 0; i < steps; i++) {
        int better;
        node = random_dirty(tree, rng);
        if (node == CT_NO_NODE || ct_halt_now(local->halt, local->worker)) break;
        CT_TRY(step(local, tree, node, lambda, open_max, &better, error));
        if (better) ct_gmt_mark_around(tree, node);
        else tree->nodes[node].dirty = 0;
    }
    *clean = node == CT_NO_NODE;
    return CT_OK;
}

/* ---- rotations ---- */

/* In `to`, a copy of `tree`: the test of `child` at `node`, and its own on both sides; 0 if there
 * is no room. */
static int rotate_node(ct_model_tree *to, const ct_model_tree *tree, int32_t node, int32_t child)
{
    const ct_model_node *top = &tree->nodes[node], *below = &tree->nodes[child];
    int is_left = top->left == child;
    ct_gmt_model_tree_collapse(to, node);
    if (!ct_gmt_model_tree_expand(to, node, &below->test)) return 0;
    for (int side = 0; side < 2; side++) {
        int32_t at = side ? to->nodes[node].right : to->nodes[node].left,
                branch = side ? below->right : below->left;
        if (!ct_gmt_model_tree_expand(to, at, &top->test)) return 0;
        if (!ct_gmt_model_tree_graft(to, to->nodes[at].left, tree, is_left ? branch : top->left) ||
            !ct_gmt_model_tree_graft(to, to->nodes[at].right, tree, is_left ? top->right : branch))
            return 0;
    }
    return 1;
}

ct_status ct_gmt_rotate(ct_local *local, ct_model_tree *tree, double lambda, uint32_t open_max,
                        ct_rng *rng, int *better, ct_error *error)
{
    CT_ASSERT(tree->nodes[0].used && lambda >= 0);
    const ct_tree_limits *limits = local->limits;
    *better = 0;
    for (uint32_t i = 0; i < tree->room; i++)
        for (int side = 0; side < 2; side++) {
            const ct_model_node *node = &tree->nodes[i];
            if (!node->used || ct_gmt_is_leaf(tree, (int32_t) i)) continue;
            int32_t child = side ? node->right : node->left;
            int clean;
            if (ct_gmt_is_leaf(tree, child) || ct_halt_now(local->halt, local->worker)) continue;
            ct_gmt_model_tree_copy(&local->trial, tree);
            if (!rotate_node(&local->trial, tree, (int32_t) i, child)) continue;
            ct_gmt_model_tree_refresh(&local->trial, (int32_t) i, limits);
            ct_gmt_mark_around(&local->trial, (int32_t) i);
            CT_TRY(ct_gmt_local_search(local, &local->trial, lambda, open_max, ROTATION_STEPS, rng,
                                       &clean, error));
            if (local->trial.n_leaves > limits->leaves_max ||
                !(cost_of(&local->trial, lambda) <
                  cost_of(tree, lambda) - 1e-12 * tree->table->total))
                continue;
            ct_gmt_model_tree_copy(tree, &local->trial);
            *better = 1;
        }
    return CT_OK;
}

/* ---- greedy growth ---- */

ct_status ct_gmt_grow_greedily(ct_local *local, ct_model_tree *tree, uint32_t open_max,
                               ct_error *error)
{
    const ct_tree_limits *limits = local->limits;
    ct_gmt_split_options options = {.minbucket = limits->minbucket,
                                    .open_max = open_max,
                                    .only = -1,
                                    .without = local->without,
                                    .min_n = limits->min_n};
    ct_gmt_split_result *known = (ct_gmt_split_result *) ct_alloc(tree->room * sizeof *known);
    ct_status status = CT_OK;
    if (!known) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    ct_gmt_mark_all(tree);
    while (status == CT_OK && !ct_halt_now(local->halt, local->worker)) {
        int32_t chosen = CT_NO_NODE;
        double most = 0;
        for (uint32_t i = 0; i < tree->room && status == CT_OK; i++) {
            ct_model_node *node = &tree->nodes[i];
            if (!node->used || !ct_gmt_is_leaf(tree, (int32_t) i) ||
                cannot_split(local, tree, (int32_t) i))
                continue;
            if (node->dirty)
                status = find_split(local, tree, (int32_t) i, node->sse, &options, &known[i],
                                    error);
            node->dirty = 0;
            if (status == CT_OK && known[i].best.test.splitter >= 0 &&
                node->sse - known[i].best.sse > most)
                most = node->sse - known[i].best.sse, chosen = (int32_t) i;
        }
        if (chosen == CT_NO_NODE || status != CT_OK) break;
        make_move(local, tree, chosen, MOVE_TEST, &known[chosen].best.test);
        if (ct_gmt_is_leaf(tree, chosen)) break;
        tree->nodes[tree->nodes[chosen].left].dirty = 1;
        tree->nodes[tree->nodes[chosen].right].dirty = 1;
    }
    ct_free(known);
    return status;
}
