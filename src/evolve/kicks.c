#include "evolve/kicks.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evolve/changes.h"

enum { BATCH = 4, ROTATE_EVERY = 4, ROUNDS = 20 };
enum { STREAM_KICKS = 0x6b69636b, STREAM_START = 0x73746172 };

typedef struct {
    ct_local locals[BATCH];
    ct_model_tree trees[BATCH];
    ct_status status[BATCH];
    ct_error errors[BATCH];
    unsigned n_workers;
    uint32_t first;            /* kick of trees[0] */
    const ct_model_tree *best;
    ct_model_tree *population; /* [n_population of room] local optima, that of `best` too; NULL: it
                                  is all there is */
    uint32_t room, n_population;
    const ct_tree_limits *limits;
    const ct_kick_options *options;
} kicking;

/* ---- kicks ---- */

static int split_below_split(const ct_model_tree *tree, int32_t node)
{
    return node && !ct_is_leaf(tree, node);
}

static void kick(ct_model_tree *tree, const ct_tree_limits *limits, ct_rng *rng)
{
    static const ct_node_filter filters[] = {ct_any_split, ct_any_leaf, split_below_split,
                                             ct_any_split};
    uint32_t kind = ct_rng_below(rng, 4);
    int32_t node = ct_random_node(tree, filters[kind], rng);
    ct_test test;
    if (node == CT_NO_NODE) node = ct_random_node(tree, ct_any_leaf, rng), kind = 1;
    if (node == CT_NO_NODE) return;
    ct_model_node *at = &tree->nodes[node];
    if (kind < 2) {
        if (!ct_random_test(tree, at, rng, &test)) return;
        if (kind == 0) at->test = test;
        else if (tree->n_leaves >= limits->leaves_max || !ct_model_tree_expand(tree, node, &test))
            return;
    } else if (kind == 2) {
        node = at->parent;
        test = at->test;
        at->test = tree->nodes[node].test;
        tree->nodes[node].test = test;
    } else {
        ct_model_tree_collapse(tree, node);
    }
    ct_model_tree_refresh(tree, node, limits->minbucket, limits->depth_max);
    ct_mark_around(tree, node);
}

/* Something of another tree of the population: a subtree, or a test. */
static void cross(ct_model_tree *tree, const ct_model_tree *other, const ct_tree_limits *limits,
                  ct_rng *rng)
{
    int32_t node = ct_random_node(tree, ct_any_split, rng),
            from = ct_random_node(other, ct_any_split, rng);
    if (node == CT_NO_NODE) node = 0;
    if (from == CT_NO_NODE) return;
    if (ct_rng_below(rng, 2) && !ct_is_leaf(tree, node))
        tree->nodes[node].test = other->nodes[from].test;
    else if (!ct_take_subtree(tree, node, other, from, limits->leaves_max)) return;
    ct_model_tree_refresh(tree, node, limits->minbucket, limits->depth_max);
    ct_mark_around(tree, node);
}

/* The tree to start from, with one or two changes. */
static void change(kicking *all, ct_model_tree *tree, ct_rng *rng)
{
    uint32_t n = all->n_population, which = n ? ct_rng_below(rng, n) : 0;
    ct_model_tree_copy(tree, n ? &all->population[which] : all->best);
    if (n > 1 && ct_rng_below(rng, 2)) {
        uint32_t other = (which + 1 + ct_rng_below(rng, n - 1)) % n;
        cross(tree, &all->population[other], all->limits, rng);
        return;
    }
    for (uint32_t i = 1 + ct_rng_below(rng, 2); i > 0; i--) kick(tree, all->limits, rng);
}

static ct_status kick_and_search(kicking *all, ct_local *local, uint32_t place, ct_error *error)
{
    ct_model_tree *tree = &all->trees[place];
    uint32_t number = all->first + place;
    ct_rng rng = ct_rng_of(all->options->seed, STREAM_KICKS, number);
    double lambda = ct_tree_lambda(all->best, all->limits->complexity);
    int clean, better = number % ROTATE_EVERY == 0;
    change(all, tree, &rng);
    CT_TRY(ct_local_search(local, tree, lambda, all->options->open_max, UINT32_MAX, &rng, &clean,
                           error));
    for (int round = 0; better && round < ROUNDS; round++)
        CT_TRY(ct_rotate(local, tree, lambda, all->options->open_max, &rng, &better, error));
    return CT_OK;
}

static void do_kicks(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    kicking *all = (kicking *) data;
    all->locals[worker].worker = worker;
    for (uint64_t i = begin; i < end; i++)
        all->status[i] = kick_and_search(all, &all->locals[worker], (uint32_t) i, &all->errors[i]);
}

/* ---- the start ---- */

/* Local search at the slope of its own SSE, until that no longer changes. */
static ct_status settle(ct_local *local, ct_model_tree *tree, const kicking *all, ct_rng *rng,
                        ct_error *error)
{
    int clean, better = 1;
    for (int round = 0; better && round < ROUNDS; round++) {
        double before = ct_tree_bic(tree, all->limits->complexity),
               lambda = ct_tree_lambda(tree, all->limits->complexity);
        ct_mark_all(tree);
        CT_TRY(ct_local_search(local, tree, lambda, all->options->open_max, UINT32_MAX, rng,
                               &clean, error));
        CT_TRY(ct_rotate(local, tree, lambda, all->options->open_max, rng, &better, error));
        better = ct_tree_bic(tree, all->limits->complexity) < before - 1e-9;
    }
    return CT_OK;
}

/* From the tree as it is, and from one grown greedily: the better one. */
static ct_status begin_search(kicking *all, ct_model_tree *best, ct_error *error)
{
    ct_local *local = &all->locals[0];
    ct_model_tree *other = &all->trees[0];
    ct_rng rng = ct_rng_of(all->options->seed, STREAM_START, 0);
    ct_model_tree_copy(other, best);
    CT_TRY(settle(local, best, all, &rng, error));
    CT_TRY(ct_grow_greedily(local, other, all->options->open_max, error));
    CT_TRY(settle(local, other, all, &rng, error));
    if (ct_tree_bic(other, all->limits->complexity) < ct_tree_bic(best, all->limits->complexity))
        ct_model_tree_copy(best, other);
    return CT_OK;
}

/* ---- all ---- */

void ct_note_moment(ct_kick_history *history, const ct_model_tree *best, double complexity)
{
    if (history->n == history->room) return;
    ct_moment moment = {history->kicks, best->n_leaves, ct_tree_bic(best, complexity), best->sse,
                        history->touched, ct_seconds() - history->start};
    history->moments[history->n++] = moment;
}

/* A local optimum becomes one of the population, in the place of the worst if there is no room, but
 * not one that is there. */
static void join_population(kicking *all, const ct_model_tree *tree)
{
    double complexity = all->limits->complexity, bic = ct_tree_bic(tree, complexity), most = bic;
    uint32_t place = all->n_population;
    for (uint32_t i = 0; i < all->n_population; i++) {
        double other = ct_tree_bic(&all->population[i], complexity);
        if (fabs(other - bic) <= 1e-9) return;
        if (all->n_population == all->room && other > most) most = other, place = i;
    }
    if (place == all->room) return;
    ct_model_tree_copy(&all->population[place], tree);
    if (place == all->n_population) all->n_population++;
}

static ct_status kicking_init(kicking *all, const ct_model_tree *best, ct_error *error)
{
    unsigned wanted = all->options->threads < 1 ? 1 : all->options->threads;
    if (wanted > BATCH) wanted = BATCH;
    for (; all->n_workers < wanted; all->n_workers++) {
        ct_status status = ct_local_init(&all->locals[all->n_workers], best, all->limits,
                                         all->n_workers ? 1 : wanted, error);
        all->locals[all->n_workers].halt = all->options->halt;
        all->locals[all->n_workers].without = all->options->without;
        if (status != CT_OK) {
            ct_local_free(&all->locals[all->n_workers]);
            return status;
        }
    }
    for (int i = 0; i < BATCH; i++)
        CT_TRY(ct_model_tree_init(&all->trees[i], best->table, best->kernels,
                                  all->limits->leaves_max, error));
    uint32_t wanted_trees = all->options->population;
    if (wanted_trees < 2) return CT_OK;
    all->population = (ct_model_tree *) ct_alloc(wanted_trees * sizeof *all->population);
    if (!all->population) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    memset(all->population, 0, wanted_trees * sizeof *all->population);
    for (; all->room < wanted_trees; all->room++)
        CT_TRY(ct_model_tree_init(&all->population[all->room], best->table, best->kernels,
                                  all->limits->leaves_max, error));
    return CT_OK;
}

static void kicking_free(kicking *all)
{
    for (uint32_t i = 0; all->population && i < all->options->population; i++)
        ct_model_tree_free(&all->population[i]);
    ct_free(all->population);

    for (unsigned i = 0; i < all->n_workers; i++) ct_local_free(&all->locals[i]);
    for (int i = 0; i < BATCH; i++) ct_model_tree_free(&all->trees[i]);
}

static void count_rows(kicking *all, ct_kick_history *history)
{
    for (unsigned i = 0; i < all->n_workers; i++) {
        history->touched += all->locals[i].touched;
        all->locals[i].touched = 0;
    }
}

static ct_status make_kicks(kicking *all, ct_model_tree *best, ct_kick_history *history,
                            ct_error *error)
{
    const ct_kick_options *options = all->options;
    double complexity = all->limits->complexity;
    uint32_t idle = 0;
    unsigned threads = all->locals[0].threads;
    all->locals[0].threads = 1; /* workers share the kicks, not a line search */
    ct_status status = CT_OK;
    while (history->kicks < options->effort && idle < options->patience &&
           history->touched < options->max_rows && status == CT_OK &&
           !ct_halt_now(options->halt, 0)) {
        uint32_t n = options->effort - history->kicks;
        if (n > BATCH) n = BATCH;
        all->first = history->kicks;
        ct_loop loop = {n, 1, CT_DYNAMIC, all->n_workers, do_kicks, all, NULL};
        ct_parallel_for(&loop);
        count_rows(all, history);
        for (uint32_t i = 0; i < n; i++) {
            if (all->status[i] != CT_OK && status == CT_OK) {
                status = all->status[i];
                if (error) *error = all->errors[i];
            }
            history->kicks++;
            idle++;
            if (all->room) join_population(all, &all->trees[i]);
            if (!(ct_tree_bic(&all->trees[i], complexity) < ct_tree_bic(best, complexity) - 1e-9))
                continue;
            ct_model_tree_copy(best, &all->trees[i]);
            idle = 0;
            ct_note_moment(history, best, complexity);
        }
        if (options->report)
            options->report(options->calls, history->kicks, ct_tree_bic(best, complexity));
    }
    all->locals[0].threads = threads;
    return status;
}

ct_status ct_search_tree(ct_model_tree *best, const ct_tree_limits *limits,
                         const ct_kick_options *options, ct_kick_history *history,
                         ct_error *error)
{
    kicking *all = (kicking *) ct_alloc(sizeof *all);
    if (!all) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    memset(all, 0, sizeof *all);
    all->best = best;
    all->limits = limits;
    all->options = options;
    ct_status status = kicking_init(all, best, error);
    if (status == CT_OK) status = begin_search(all, best, error);
    count_rows(all, history);
    ct_note_moment(history, best, limits->complexity);
    if (all->room) join_population(all, best);
    if (status == CT_OK) status = make_kicks(all, best, history, error);
    kicking_free(all);
    ct_free(all);
    return status;
}
