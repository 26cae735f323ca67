#include "base/compact.h"

#include "evolve/paper.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evolve/conditions.h"
#include "evolve/paper_steps.h"

enum { SAMPLE = 500, STREAM_FIRST = 0x66697273, STREAM_PAIRS = 0x70616972,
       STREAM_TREES = 0x74726565, STREAM_RANKS = 0x72616e6b };
static const double SAME = 1e-12;

typedef struct {
    const ct_kd_tree *kd;
    const ct_tree_limits *limits;
    const ct_kick_options *options;
    const ct_paper_options *paper;
    ct_kd_device *device; /* NULL: the CPU alone */
    ct_model_tree *trees; /* [n] */
    ct_tree_steps *steps; /* [n] of each */
    double *loss;         /* [n] the less the better */
    uint32_t n;
    ct_model_tree *elite; /* [n_elite] the best trees, of the last generation or before */
    double *elite_loss;
    uint32_t n_elite;
    uint32_t *ranking;        /* [n] trees, the best one first */
    uint32_t *order, *source; /* [n] pairs lie next to each other; the tree that one is to be */
    uint32_t *more;           /* [n] trees that are selected once more */
    ct_model_node **spare;    /* [threads][2 room] nodes */
    ct_node_rows *rows;       /* [threads] scratch of queries */
    uint32_t *waiting;        /* [n] trees with a query */
    ct_kd_query **queries;    /* [n] their queries */
    uint8_t *answered;        /* [n] */
    unsigned n_workers;
    uint32_t generation;
} evolution;

/* ---- the first trees ---- */

/* Draws a test from a dipole of rows of the sample. */
static int test_of_sample(const ct_model_table *table, const uint32_t *sample, uint32_t n,
                          ct_rng *rng, ct_gmt_test *test)
{
    uint32_t numbers[CT_QUERY_ROWS], rows[CT_QUERY_ROWS];
    const uint32_t n_rows = ct_gmt_dipole_numbers(n, rng, numbers);
    for (uint32_t i = 0; i < n_rows; i++) rows[i] = sample[numbers[i]];
    return ct_gmt_dipole_test(table, rows, n_rows, rng, test);
}

/* Splits the leaf by dipoles of the sample's rows, recursively. */
static void grow(evolution *all, ct_model_tree *tree, int32_t node, uint32_t *rows, uint32_t n,
                 uint32_t depth, ct_rng *rng)
{
    ct_gmt_test test;
    uint32_t left = 0;
    if (!depth || n < 2 || tree->n_leaves >= all->limits->leaves_max ||
        !test_of_sample(tree->table, rows, n, rng, &test) ||
        !ct_gmt_model_tree_expand(tree, node, &test))
        return;
    tree->n_leaves++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = rows[i];
        if (!ct_gmt_goes_left(tree->table, &test, row)) continue;
        rows[i] = rows[left];
        rows[left++] = row;
    }
    grow(all, tree, tree->nodes[node].left, rows, left, depth - 1, rng);
    grow(all, tree, tree->nodes[node].right, rows + left, n - left, depth - 1, rng);
}

static double loss_of(const evolution *all, const ct_model_tree *tree)
{
    if (all->paper->fitness == CT_FITNESS_BIC)
        return ct_gmt_tree_bic(tree, all->limits->complexity);
    double n = tree->table->n_rows, size = tree->terms + tree->n_leaves - 1;
    return all->paper->alpha * size - 1 / (1 + tree->sse / n);
}

static int waits(const ct_tree_steps *steps) { return steps->query.node != CT_NO_NODE; }

/* Runs the steps of a tree: all of them or, with a device, up to its first query. */
static void run_tree(evolution *all, uint32_t i, unsigned worker)
{
    ct_tree_steps *steps = &all->steps[i];
    if (!waits(steps)) ct_gmt_steps_go_on(steps, all->limits);
    if (all->device) return;
    while (waits(steps)) {
        ct_gmt_kd_answer(all->kd, &steps->query, &all->rows[worker]);
        ct_gmt_steps_go_on(steps, all->limits);
    }
}

static void first_trees(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    evolution *all = (evolution *) data;
    for (uint64_t i = begin; i < end; i++) {
        ct_model_tree *tree = &all->trees[i];
        ct_rng rng = ct_rng_of(all->options->seed, STREAM_FIRST, i);
        uint32_t rows[SAMPLE], n_rows = tree->table->n_rows, n = n_rows / 10;
        if (n > SAMPLE) n = SAMPLE;
        for (uint32_t k = 0; k < n; k++) rows[k] = ct_rng_below(&rng, n_rows);
        grow(all, tree, 0, rows, n, ct_rng_below(&rng, all->limits->depth_max + 1), &rng);
        ct_gmt_steps_changed(&all->steps[i], 0);
        run_tree(all, (uint32_t) i, worker);
    }
}

/* ---- pairs ---- */

static void cross(evolution *all, const uint32_t *pair, unsigned worker, ct_rng *rng)
{
    ct_gmt_cross_trees(&all->steps[pair[0]], &all->steps[pair[1]], all->limits->leaves_max,
                       all->spare[worker], rng);
}

static void make_pairs(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    evolution *all = (evolution *) data;
    for (uint64_t pair = begin; pair < end; pair++) {
        const uint32_t *of = all->order + 2 * pair;
        const uint64_t key = (uint64_t) all->generation << 32;
        ct_rng rng = ct_rng_of(all->options->seed, STREAM_PAIRS, key | pair);
        for (int i = 0; i < 2; i++) {
            ct_tree_steps *steps = &all->steps[of[i]];
            steps->rng = ct_rng_of(all->options->seed, STREAM_TREES,
                                   key | (2 * pair + (uint64_t) i));
            steps->may_mutate = ct_rng_uniform(&steps->rng) < all->paper->mutation;
        }
        if (ct_rng_uniform(&rng) < all->paper->crossover) cross(all, of, worker, &rng);
        for (int i = 0; i < 2; i++) run_tree(all, of[i], worker);
    }
}

/* ---- all trees at once ---- */

static void for_all(evolution *all, uint64_t n, void (*work)(void *, unsigned, uint64_t, uint64_t))
{
    ct_loop loop = {n, 1, CT_DYNAMIC, all->n_workers, work, all, NULL};
    ct_parallel_for(&loop);
}

/* Continues the trees that wait; queries that the device has not answered are answered here. */
static void go_on(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    evolution *all = (evolution *) data;
    for (uint64_t i = begin; i < end; i++) {
        ct_tree_steps *steps = &all->steps[all->waiting[i]];
        if (!all->answered[i]) ct_gmt_kd_answer(all->kd, &steps->query, &all->rows[worker]);
        ct_gmt_steps_go_on(steps, all->limits);
    }
}

/* Runs the trees, answering their queries in rounds if there is a device. */
static void run_trees(evolution *all, uint32_t n,
                      void (*work)(void *, unsigned, uint64_t, uint64_t))
{
    for_all(all, n, work);
    for (uint32_t n_waiting = 1; all->device && n_waiting;) {
        n_waiting = 0;
        for (uint32_t i = 0; i < all->n; i++) {
            if (!waits(&all->steps[i])) continue;
            all->queries[n_waiting] = &all->steps[i].query;
            all->waiting[n_waiting++] = i;
        }
        ct_gmt_kd_device_answer(all->device, all->queries, n_waiting, all->answered);
        for_all(all, n_waiting, go_on);
    }
    if (all->device && ct_gmt_kd_device_is_lost(all->device)) all->device = NULL;
    for (uint32_t i = 0; i < all->n; i++) all->loss[i] = loss_of(all, &all->trees[i]);
}

/* ---- generations ---- */

static void copy_trees(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    evolution *all = (evolution *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        if (all->source[i] != i)
            ct_gmt_model_tree_copy(&all->trees[i], &all->trees[all->source[i]]);
}

/* Selection by linear ranking. A tree that is selected stays where it is, and replaces one that is
 * not each further time. */
static void select_trees(evolution *all, ct_rng *rng)
{
    const uint32_t n = all->n;
    uint32_t n_more = 0, *chosen = all->more, free_place = 0;
    for (uint32_t i = 0; i < n; i++) all->source[i] = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t tree = all->ranking[ct_gmt_draw_rank(n, all->paper->pressure, rng)];
        if (all->source[tree] == UINT32_MAX) all->source[tree] = tree;
        else chosen[n_more++] = tree;
    }
    for (uint32_t i = 0; i < n_more; i++) {
        while (all->source[free_place] != UINT32_MAX) free_place++;
        all->source[free_place] = chosen[i];
    }
    for_all(all, n, copy_trees);
    for (uint32_t i = 0; i < n; i++) all->loss[i] = loss_of(all, &all->trees[i]);
    for (uint32_t i = 0; i < n; i++) all->order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = ct_rng_below(rng, i), swap = all->order[i - 1];
        all->order[i - 1] = all->order[k];
        all->order[k] = swap;
    }
}

/* Insertion sort, since much of the order is that of the generation before. */
static void rank_trees(evolution *all)
{
    uint32_t *ranking = all->ranking;
    for (uint32_t i = 1; i < all->n; i++) {
        const uint32_t tree = ranking[i];
        uint32_t k = i;
        for (; k > 0 && all->loss[ranking[k - 1]] > all->loss[tree]; k--)
            ranking[k] = ranking[k - 1];
        ranking[k] = tree;
    }
}

/* Trees of the elite that are better than the new ones replace the worst trees; then the best trees
 * become the elite. */
static void keep_elite(evolution *all)
{
    uint32_t next = 0, lost = 0;
    rank_trees(all);
    for (uint32_t k = 0; k < all->n_elite; k++) {
        if (all->loss[all->ranking[next]] <= all->elite_loss[k]) {
            next++;
            continue;
        }
        const uint32_t worst = all->ranking[all->n - 1 - lost++];
        ct_gmt_model_tree_copy(&all->trees[worst], &all->elite[k]);
        all->loss[worst] = all->elite_loss[k];
    }
    if (lost) rank_trees(all);
    for (uint32_t k = 0; k < all->n_elite; k++) {
        ct_gmt_model_tree_copy(&all->elite[k], &all->trees[all->ranking[k]]);
        all->elite_loss[k] = all->loss[all->ranking[k]];
    }
}

/* Keeps the best tree so far; returns whether it is new. */
static int keep_best(evolution *all, ct_model_tree *best, double *least)
{
    keep_elite(all);
    const uint32_t first = all->ranking[0];
    if (!(all->loss[first] < *least - SAME * fabs(*least))) return 0; /* not by rounding */
    *least = all->loss[first];
    ct_gmt_model_tree_copy(best, &all->trees[first]);
    return 1;
}

static void count_rows(evolution *all, ct_kick_history *history)
{
    for (uint32_t i = 0; i < all->n; i++) {
        history->touched += all->steps[i].touched;
        all->steps[i].touched = 0;
    }
}

static void evolve(evolution *all, ct_model_tree *best, ct_kick_history *history)
{
    const ct_kick_options *o = all->options;
    double least = loss_of(all, best), complexity = all->limits->complexity;
    uint32_t idle = 0;
    run_trees(all, all->n, first_trees);
    count_rows(all, history);
    keep_best(all, best, &least);
    ct_gmt_note_moment(history, best, complexity);
    while (history->kicks < o->effort && idle < o->patience && history->touched < o->max_rows &&
           !ct_halt_now(o->halt, 0) && !(all->paper->needs_device && !all->device)) {
        ct_rng rng = ct_rng_of(o->seed, STREAM_RANKS, all->generation);
        select_trees(all, &rng);
        run_trees(all, all->n / 2, make_pairs);
        count_rows(all, history);
        all->generation = ++history->kicks;
        idle++;
        if (keep_best(all, best, &least)) {
            idle = 0;
            ct_gmt_note_moment(history, best, complexity);
        }
        if (o->report) o->report(o->calls, history->kicks, ct_gmt_tree_bic(best, complexity));
    }
}

/* Makes trees without splits; *made counts them. */
static ct_status make_trees(const evolution *all, ct_model_tree *trees, uint32_t n, uint32_t *made,
                            ct_error *error)
{
    for (; *made < n; ++*made) {
        ct_status status = ct_gmt_kd_model_tree(all->kd, &trees[*made], all->limits->leaves_max,
                                                error);
        if (status == CT_OK) continue;
        ct_gmt_model_tree_free(&trees[*made]);
        return status;
    }
    return CT_OK;
}

static ct_status make_workers(evolution *all, const ct_model_tree *best, unsigned threads,
                              ct_error *error)
{
    for (; all->n_workers < threads; all->n_workers++) {
        ct_model_node *nodes = (ct_model_node *) ct_alloc(2 * best->room * sizeof *nodes);
        ct_node_rows *rows = &all->rows[all->n_workers];
        if (!nodes || ct_gmt_node_rows_init(rows, best->table->n_rows, error) != CT_OK) {
            if (nodes) ct_gmt_node_rows_free(rows);
            ct_free(nodes);
            return ct_fail(error, CT_NO_MEMORY, "not enough memory");
        }
        all->spare[all->n_workers] = nodes;
    }
    return CT_OK;
}

static ct_status take_memory(evolution *all, const ct_model_tree *best, ct_error *error)
{
    const uint32_t n = (all->options->population + 1) / 2 * 2, n_elite = all->paper->elite;
    const unsigned threads = all->options->threads < 1 ? 1 : all->options->threads;
    all->trees = (ct_model_tree *) ct_alloc(n * sizeof *all->trees);
    all->loss = (double *) ct_alloc(n * sizeof *all->loss);
    all->elite = (ct_model_tree *) ct_alloc((n_elite + 1) * sizeof *all->elite);
    all->elite_loss = (double *) ct_alloc((n_elite + 1) * sizeof *all->elite_loss);
    all->ranking = (uint32_t *) ct_alloc(n * sizeof *all->ranking);
    all->order = (uint32_t *) ct_alloc(n * sizeof *all->order);
    all->source = (uint32_t *) ct_alloc(n * sizeof *all->source);
    all->more = (uint32_t *) ct_alloc(n * sizeof *all->more);
    all->spare = (ct_model_node **) ct_alloc(threads * sizeof(ct_model_node *));
    all->rows = (ct_node_rows *) ct_alloc(threads * sizeof *all->rows);
    all->steps = (ct_tree_steps *) ct_alloc_zeroed(n, sizeof *all->steps);
    all->waiting = (uint32_t *) ct_alloc(n * sizeof *all->waiting);
    all->queries = (ct_kd_query **) ct_alloc(n * sizeof(ct_kd_query *));
    all->answered = (uint8_t *) ct_alloc(n);
    if (!all->trees || !all->loss || !all->elite || !all->elite_loss || !all->ranking ||
        !all->order || !all->source || !all->more || !all->spare || !all->rows || !all->steps ||
        !all->waiting || !all->queries || !all->answered)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    CT_TRY(make_workers(all, best, threads, error));
    CT_TRY(make_trees(all, all->trees, n, &all->n, error));
    CT_TRY(make_trees(all, all->elite, n_elite, &all->n_elite, error));
    for (uint32_t i = 0; i < n; i++) {
        all->ranking[i] = i;
        all->steps[i].query.tree = &all->trees[i];
        all->steps[i].query.node = CT_NO_NODE;
    }
    for (uint32_t k = 0; k < n_elite; k++) all->elite_loss[k] = INFINITY;
    return CT_OK;
}

ct_status ct_evolve_tree(const ct_kd_tree *kd, ct_model_tree *best, const ct_tree_limits *limits,
                         const ct_kick_options *options, const ct_paper_options *paper,
                         ct_kick_history *history, ct_error *error)
{
    CT_ASSERT(best->table == &kd->table && limits->minbucket > 0);
    ct_model_tree_is_sound(best);
    evolution all = {.kd = kd, .limits = limits, .options = options, .paper = paper,
                     .device = paper->device};
    ct_status status = take_memory(&all, best, error);
    if (status == CT_OK) evolve(&all, best, history);
    for (uint32_t i = 0; i < all.n; i++) ct_gmt_model_tree_free(&all.trees[i]);
    for (uint32_t i = 0; i < all.n_elite; i++) ct_gmt_model_tree_free(&all.elite[i]);
    for (unsigned i = 0; i < all.n_workers; i++)
        ct_free(all.spare[i]), ct_gmt_node_rows_free(&all.rows[i]);
    ct_free(all.trees), ct_free(all.loss), ct_free(all.order), ct_free(all.source);
    ct_free(all.more), ct_free(all.spare), ct_free(all.rows), ct_free(all.steps);
    ct_free(all.waiting), ct_free(all.queries), ct_free(all.answered);
    ct_free(all.elite), ct_free(all.elite_loss), ct_free(all.ranking);
    return status;
}
