#include "base/compact.h"

#include "evolve/kicks.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "evolve/changes.h"
#include "evolve/conditions.h"

/* A kick starts from the best tree after the kick before it. Workers start kicks before earlier
 * ones are done, supposing that those will bring no improvement, which is mostly so; otherwise they
 * are made again. The result is that of one worker. */
enum { AHEAD = 16, ROTATE_EVERY = 4, ROUNDS = 20 };
enum { STREAM_KICKS = 0x6b69636b, STREAM_START = 0x73746172 };

typedef enum { WAITING, UNDER_WAY, DONE } progress;

typedef struct {
    ct_model_tree tree;
    ct_rng rng;
    progress at;
    int stale;     /* it is being made, but will have to be made again */
    int better;    /* done: the tree is better than the one that it started from */
    double bic;    /* of the tree that it started from */
    ct_halt *halt; /* of the worker who has it */
    int crossed;
    double lambda;
    int64_t touched;
    ct_status status;
    ct_error error;
} attempt;

typedef struct {
    ct_local locals[AHEAD];
    unsigned n_workers;
    attempt attempts[AHEAD]; /* of kick k: [k % AHEAD] */
    ct_lock lock;            /* protects what follows while kicks are made */
    uint32_t idle;           /* kicks since the last success */
    ct_model_tree *best;
    /* [n_population of room] local optima, `best` among them; NULL: there is only `best` */
    ct_model_tree *population;
    uint32_t room, n_population;
    ct_kick_history *history;
    ct_status status;
    ct_error *error;
    ct_halt halt; /* set at the end */
    /* [worker] set when its kick is of no use any more, also at the end */
    ct_halt halts[AHEAD];
    const ct_tree_limits *limits;
    const ct_kick_options *options;
} kicking;

/* ---- kicks ---- */

static int split_below_split(const ct_model_tree *tree, int32_t node)
{
    return node && !ct_gmt_is_leaf(tree, node);
}

static void kick(ct_model_tree *tree, const ct_tree_limits *limits, ct_rng *rng)
{
    static const ct_node_filter filters[] = {ct_gmt_any_split, ct_gmt_any_leaf, split_below_split,
                                             ct_gmt_any_split};
    uint32_t kind = ct_rng_below(rng, 4);
    int32_t node = ct_gmt_random_node(tree, filters[kind], rng);
    ct_gmt_test test;
    if (node == CT_NO_NODE) node = ct_gmt_random_node(tree, ct_gmt_any_leaf, rng), kind = 1;
    if (node == CT_NO_NODE) return;
    ct_model_node *at = &tree->nodes[node];
    if (kind < 2) {
        if (!ct_gmt_random_test(tree, at, rng, &test)) return;
        if (kind == 0) at->test = test;
        else if (tree->n_leaves >= limits->leaves_max ||
                 !ct_gmt_model_tree_expand(tree, node, &test))
            return;
    } else if (kind == 2) {
        node = at->parent;
        test = at->test;
        at->test = tree->nodes[node].test;
        tree->nodes[node].test = test;
    } else {
        ct_gmt_model_tree_collapse(tree, node);
    }
    ct_gmt_model_tree_refresh(tree, node, limits);
    ct_gmt_mark_around(tree, node);
}

/* Takes over a subtree or a test from another tree of the population. */
static void cross(ct_model_tree *tree, const ct_model_tree *other, const ct_tree_limits *limits,
                  ct_rng *rng)
{
    int32_t node = ct_gmt_random_node(tree, ct_gmt_any_split, rng),
            from = ct_gmt_random_node(other, ct_gmt_any_split, rng);
    if (node == CT_NO_NODE) node = 0;
    if (from == CT_NO_NODE) return;
    if (ct_rng_below(rng, 2) && !ct_gmt_is_leaf(tree, node))
        tree->nodes[node].test = other->nodes[from].test;
    else if (!ct_gmt_take_subtree(tree, node, other, from, limits->leaves_max)) return;
    ct_gmt_model_tree_refresh(tree, node, limits);
    ct_gmt_mark_around(tree, node);
}

/* The best tree before a kick, if earlier kicks that are not done bring no improvement. A
 * population waits until they are accepted. */
static const ct_model_tree *best_before(const kicking *all, uint32_t number)
{
    for (uint32_t k = number; !all->room && k-- > all->history->kicks;) {
        const attempt *a = &all->attempts[k % AHEAD];
        if (a->at == DONE && a->better) return &a->tree;
    }
    return all->best;
}

/* The tree that a kick starts from, and what it takes over from another. */
static void prepare(kicking *all, uint32_t number)
{
    attempt *a = &all->attempts[number % AHEAD];
    const ct_model_tree *best = best_before(all, number);
    uint32_t n = all->n_population;
    a->rng = ct_rng_of(all->options->seed, STREAM_KICKS, number);
    a->lambda = ct_gmt_tree_lambda(best, all->limits->complexity);
    a->bic = ct_gmt_tree_bic(best, all->limits->complexity);
    a->stale = 0;
    a->at = UNDER_WAY;
    uint32_t which = n ? ct_rng_below(&a->rng, n) : 0;
    ct_gmt_model_tree_copy(&a->tree, n ? &all->population[which] : best);
    a->crossed = n > 1 && ct_rng_below(&a->rng, 2);
    if (!a->crossed) return;
    uint32_t other = (which + 1 + ct_rng_below(&a->rng, n - 1)) % n;
    cross(&a->tree, &all->population[other], all->limits, &a->rng);
}

static ct_status kick_and_search(const kicking *all, ct_local *local, attempt *a, int rotate,
                                 ct_error *error)
{
    uint32_t open_max = all->options->open_max;
    int clean;
    if (!a->crossed)
        for (uint32_t i = 1 + ct_rng_below(&a->rng, 2); i > 0; i--)
            kick(&a->tree, all->limits, &a->rng);
    CT_TRY(ct_gmt_local_search(local, &a->tree, a->lambda, open_max, UINT32_MAX, &a->rng, &clean,
                               error));
    for (int round = 0; rotate && round < ROUNDS; round++)
        CT_TRY(ct_gmt_rotate(local, &a->tree, a->lambda, open_max, &a->rng, &rotate, error));
    return CT_OK;
}

/* ---- the start ---- */

/* Searches locally at the slope of the tree's own SSE, until that no longer changes. */
static ct_status reach_optimum(ct_local *local, ct_model_tree *tree, const kicking *all,
                               ct_rng *rng, ct_error *error)
{
    int clean, better = 1;
    for (int round = 0; better && round < ROUNDS; round++) {
        double before = ct_gmt_tree_bic(tree, all->limits->complexity),
               lambda = ct_gmt_tree_lambda(tree, all->limits->complexity);
        ct_gmt_mark_all(tree);
        CT_TRY(ct_gmt_local_search(local, tree, lambda, all->options->open_max, UINT32_MAX, rng,
                                   &clean, error));
        CT_TRY(ct_gmt_rotate(local, tree, lambda, all->options->open_max, rng, &better, error));
        better = ct_gmt_tree_bic(tree, all->limits->complexity) < before - 1e-9;
    }
    return CT_OK;
}

/* Starts from the tree as it is, and from one grown greedily, and keeps the better one. */
static ct_status begin_search(kicking *all, ct_model_tree *best, ct_error *error)
{
    ct_local *local = &all->locals[0];
    ct_model_tree *other = &all->attempts[0].tree;
    ct_rng rng = ct_rng_of(all->options->seed, STREAM_START, 0);
    ct_gmt_model_tree_copy(other, best);
    CT_TRY(reach_optimum(local, best, all, &rng, error));
    CT_TRY(ct_gmt_grow_greedily(local, other, all->options->open_max, error));
    CT_TRY(reach_optimum(local, other, all, &rng, error));
    if (ct_gmt_tree_bic(other, all->limits->complexity) <
        ct_gmt_tree_bic(best, all->limits->complexity))
        ct_gmt_model_tree_copy(best, other);
    return CT_OK;
}

/* ---- all ---- */

void ct_gmt_note_moment(ct_kick_history *history, const ct_model_tree *best, double complexity)
{
    if (history->n == history->room) return;
    ct_gmt_moment moment = {history->kicks, best->n_leaves, ct_gmt_tree_bic(best, complexity),
                            best->sse, history->touched, ct_seconds() - history->start};
    history->moments[history->n++] = moment;
}

/* Adds a local optimum to the population, in place of the worst tree if there is no room, unless it
 * is in it already. Returns whether it was added. */
static int join_population(kicking *all, const ct_model_tree *tree)
{
    double complexity = all->limits->complexity, bic = ct_gmt_tree_bic(tree, complexity),
 most = bic;
    uint32_t index = all->n_population;
    for (uint32_t i = 0; i < all->n_population; i++) {
        double other = ct_gmt_tree_bic(&all->population[i], complexity);
        if (fabs(other - bic) <= 1e-9) return 0;
        if (all->n_population == all->room && other > most) most = other, index = i;
    }
    if (index == all->room) return 0;
    ct_gmt_model_tree_copy(&all->population[index], tree);
    if (index == all->n_population) all->n_population++;
    return 1;
}

static ct_status kicking_init(kicking *all, const ct_model_tree *best, ct_error *error)
{
    unsigned wanted = all->options->threads < 1 ? 1 : all->options->threads;
    if (wanted > AHEAD) wanted = AHEAD;
    for (; all->n_workers < wanted; all->n_workers++) {
        ct_status status = ct_gmt_local_init(&all->locals[all->n_workers], best, all->limits,
                                             all->n_workers ? 1 : wanted, error);
        all->locals[all->n_workers].worker = all->n_workers;
        all->locals[all->n_workers].halt = &all->halts[all->n_workers];
        all->locals[all->n_workers].without = all->options->without;
        if (status != CT_OK) {
            ct_gmt_local_free(&all->locals[all->n_workers]);
            return status;
        }
    }
    for (int i = 0; i < AHEAD; i++)
        CT_TRY(ct_gmt_model_tree_init_as(&all->attempts[i].tree, best, error));
    uint32_t wanted_trees = all->options->population;
    if (wanted_trees < 2) return CT_OK;
    all->population = (ct_model_tree *) ct_alloc_zeroed(wanted_trees, sizeof *all->population);
    if (!all->population) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (; all->room < wanted_trees; all->room++)
        CT_TRY(ct_gmt_model_tree_init_as(&all->population[all->room], best, error));
    return CT_OK;
}

static void kicking_free(kicking *all)
{
    for (uint32_t i = 0; all->population && i < all->options->population; i++)
        ct_gmt_model_tree_free(&all->population[i]);
    ct_free(all->population);
    for (unsigned i = 0; i < all->n_workers; i++) ct_gmt_local_free(&all->locals[i]);
    for (int i = 0; i < AHEAD; i++) ct_gmt_model_tree_free(&all->attempts[i].tree);
    ct_lock_free(&all->lock);
}

static int64_t take_touched(ct_local *local)
{
    int64_t touched = local->touched;
    local->touched = 0;
    return touched;
}

/* ---- kicks by several workers ---- */

/* Discards the kicks from `number` on that are done or being made: they started from a tree that is
 * no longer the best. */
static void start_anew(kicking *all, uint32_t number)
{
    for (uint32_t k = number; k < all->history->kicks + AHEAD; k++) {
        attempt *a = &all->attempts[k % AHEAD];
        if (a->at == UNDER_WAY) ct_halt_set(a->halt), a->stale = 1;
        if (a->at == DONE) a->at = WAITING;
    }
}

/* Ends all kicks; called under the lock. */
static void end_kicks(kicking *all)
{
    ct_halt_set(&all->halt);
    for (unsigned i = 0; i < all->n_workers; i++) ct_halt_set(&all->halts[i]);
}

/* Accepts the result of the next kick; called under the lock. */
static void accept_kick(kicking *all, attempt *a)
{
    ct_kick_history *history = all->history;
    const ct_kick_options *options = all->options;
    double complexity = all->limits->complexity;
    if (a->status != CT_OK) {
        all->status = a->status;
        if (all->error) *all->error = a->error;
    }
    a->at = WAITING;
    history->kicks++;
    history->touched += a->touched;
    all->idle++;
    CT_ASSERT(a->bic == ct_gmt_tree_bic(all->best, complexity)); /* it began with this */
    int changed = all->room && join_population(all, &a->tree);
    if (a->better) {
        ct_gmt_model_tree_copy(all->best, &a->tree);
        all->idle = 0;
        changed = all->room > 0;
        ct_gmt_note_moment(history, all->best, complexity);
    }
    if (changed) start_anew(all, history->kicks);
    if (history->kicks >= options->effort || all->idle >= options->patience ||
        history->touched >= options->max_rows || all->status != CT_OK)
        end_kicks(all);
}

/* The first kick that waits, or NULL. */
static attempt *take_kick(kicking *all, unsigned worker, uint32_t *number)
{
    attempt *taken = NULL;
    ct_lock_take(&all->lock);
    uint32_t k = all->history->kicks, end = k + AHEAD;
    if (end > all->options->effort) end = all->options->effort;
    while (k < end && all->attempts[k % AHEAD].at != WAITING) k++;
    if (k < end && !ct_halt_now(&all->halt, worker)) {
        *number = k;
        taken = &all->attempts[k % AHEAD];
        taken->halt = &all->halts[worker];
        ct_atomic_write(&taken->halt->stopped, 0);
        prepare(all, k);
    }
    ct_lock_leave(&all->lock);
    return taken;
}

/* Hands in a kick. Kicks are accepted in order, when they are complete and started from the best
 * tree before them. */
static void hand_in(kicking *all, unsigned worker, uint32_t number)
{
    attempt *a = &all->attempts[number % AHEAD];
    ct_lock_take(&all->lock);
    a->at = a->stale ? WAITING : DONE;
    a->better = a->status == CT_OK &&
                ct_gmt_tree_bic(&a->tree, all->limits->complexity) < a->bic - 1e-9;
    if (a->at == DONE && a->better && !all->room) start_anew(all, number + 1);
    while (!ct_halt_now(&all->halt, worker) &&
           all->attempts[all->history->kicks % AHEAD].at == DONE)
        accept_kick(all, &all->attempts[all->history->kicks % AHEAD]);
    uint32_t kicks = all->history->kicks;
    double bic = ct_gmt_tree_bic(all->best, all->limits->complexity);
    ct_lock_leave(&all->lock);
    if (worker == 0 && all->options->report)
        all->options->report(all->options->calls, kicks, bic);
}

static void do_kicks(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    kicking *all = (kicking *) data;
    ct_local *local = &all->locals[worker];
    (void) begin, (void) end; /* every worker takes kicks until the end */
    while (!ct_halt_now(&all->halt, worker)) {
        uint32_t number;
        attempt *a = take_kick(all, worker, &number);
        if (!a) {
            ct_pause();
            continue;
        }
        a->status = kick_and_search(all, local, a, number % ROTATE_EVERY == 0, &a->error);
        a->touched = take_touched(local);
        hand_in(all, worker, number);
    }
    ct_lock_take(&all->lock);
    end_kicks(all);
    ct_lock_leave(&all->lock);
}

static void make_kicks(kicking *all)
{
    const ct_kick_options *options = all->options;
    if (all->history->kicks >= options->effort || !options->patience ||
        all->history->touched >= options->max_rows)
        return;
    unsigned threads = all->locals[0].threads;
    all->locals[0].threads = 1; /* workers share the kicks, not a split search */
    ct_loop loop = {all->n_workers, 1, CT_STATIC, all->n_workers, do_kicks, all, NULL};
    ct_parallel_for(&loop);
    all->locals[0].threads = threads;
}

/* Called by worker 0, for all workers. */
static int is_stopped(void *data) { return ct_halt_now((ct_halt *) data, 0); }

ct_status ct_gmt_search_tree(ct_model_tree *best, const ct_tree_limits *limits,
                             const ct_kick_options *options, ct_kick_history *history,
                             ct_error *error)
{
    ct_model_tree_is_sound(best);
    kicking *all = (kicking *) ct_alloc_zeroed(1, sizeof *all);
    if (!all) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    ct_lock_init(&all->lock);
    all->best = best;
    all->history = history;
    all->error = error;
    all->limits = limits;
    all->options = options;
    all->halt.asked = is_stopped;
    all->halt.data = options->halt;
    all->halts[0].asked = is_stopped;
    all->halts[0].data = &all->halt;
    ct_status status = kicking_init(all, best, error);
    if (status == CT_OK) status = begin_search(all, best, error);
    if (all->n_workers) history->touched += take_touched(&all->locals[0]);
    ct_gmt_note_moment(history, best, limits->complexity);
    if (all->room) join_population(all, best);
    all->status = status;
    if (status == CT_OK) make_kicks(all);
    status = all->status;
    kicking_free(all);
    ct_free(all);
    return status;
}
