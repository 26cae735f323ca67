#include "evolve/paper.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evolve/changes.h"

enum { PARTNERS = 64, SAMPLE = 500, STREAM_FIRST = 0x66697273, STREAM_PAIRS = 0x70616972,
       STREAM_RANKS = 0x72616e6b };
static const double PRESSURE = 1.7, CROSSED = 0.2, MUTATED = 0.8, SAME = 1e-12;

typedef struct {
    const ct_row_cells *cells;
    const ct_tree_limits *limits;
    const ct_kick_options *options;
    const ct_paper_options *paper;
    ct_model_tree *trees; /* [n] */
    double *loss;         /* [n] the less the better */
    uint32_t n;
    uint32_t *order, *source; /* [n] pairs lie next to each other; the tree that one is to be */
    uint32_t *more;           /* [n] trees that are selected once more */
    ct_model_node **spare;    /* [threads][2 room] nodes */
    ct_node_rows *rows;       /* [threads] of a node to be changed */
    unsigned n_workers;
    uint32_t generation;
    int64_t *touched;     /* [threads] */
} evolution;

/* ---- chance ---- */

static double uniform(ct_rng *rng) { return (ct_rng_next(rng) + 0.5) / 4294967296.0; }

/* A place in a ranking of n, 0 the first, which is PRESSURE times as likely as one of equal chances
 * would be. */
static uint32_t draw_rank(uint32_t n, ct_rng *rng)
{
    double u = uniform(rng) * n;
    for (uint32_t i = 0; i + 1 < n; i++) {
        u -= PRESSURE - (2 * PRESSURE - 2) * i / (n - 1);
        if (u < 0) return i;
    }
    return n - 1;
}

/* The place of the number that is to be chosen, large ones first: the more so the larger. */
static uint32_t draw_large(const double *x, uint32_t n, ct_rng *rng)
{
    uint32_t rank = draw_rank(n, rng);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < n; k++) before += x[k] > x[i] || (x[k] == x[i] && k < i);
        if (before == rank) return i;
    }
    return 0;
}

static double response(const ct_model_table *table, uint32_t row)
{
    return table->z[row * table->width + table->p - 1];
}

/* A dipole: a random row, and another whose response is rather far from its own, of up to PARTNERS.
 * A test that parts the two. `row_at(rows, i)`: the row i of n. */
static int dipole_test(const ct_model_table *table, uint32_t (*row_at)(const void *, uint32_t),
                       const void *rows, uint32_t n, ct_rng *rng, ct_test *test)
{
    uint32_t a = row_at(rows, ct_rng_below(rng, n)), others[PARTNERS],
             n_others = n < PARTNERS ? n : PARTNERS;
    double distance[PARTNERS];
    CT_ASSERT(n > 0);
    for (uint32_t i = 0; i < n_others; i++) {
        others[i] = row_at(rows, n <= PARTNERS ? i : ct_rng_below(rng, n));
        distance[i] = fabs(response(table, others[i]) - response(table, a));
    }
    return ct_test_between(table, a, others[draw_large(distance, n_others, rng)], rng, test);
}

static uint32_t row_of_sample(const void *rows, uint32_t i) { return ((const uint32_t *) rows)[i]; }

static uint32_t row_of_node(const void *rows, uint32_t i)
{
    return ct_node_rows_at((const ct_node_rows *) rows, i);
}

/* ---- the first trees ---- */

/* Splits the leaf by dipoles of the sample's rows, on and on. */
static void grow(evolution *all, ct_model_tree *tree, int32_t node, uint32_t *rows, uint32_t n,
                 uint32_t depth, ct_rng *rng)
{
    ct_test test;
    uint32_t left = 0;
    if (!depth || n < 2 || tree->n_leaves >= all->limits->leaves_max ||
        !dipole_test(tree->table, row_of_sample, rows, n, rng, &test) ||
        !ct_model_tree_expand(tree, node, &test))
        return;
    tree->n_leaves++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = rows[i];
        if (!ct_goes_left(tree->table, &test, row)) continue;
        rows[i] = rows[left];
        rows[left++] = row;
    }
    grow(all, tree, tree->nodes[node].left, rows, left, depth - 1, rng);
    grow(all, tree, tree->nodes[node].right, rows + left, n - left, depth - 1, rng);
}

static double loss_of(const evolution *all, const ct_model_tree *tree)
{
    if (all->paper->fitness == CT_FITNESS_BIC) return ct_tree_bic(tree, all->limits->complexity);
    double n = tree->table->n_rows, size = tree->terms + tree->n_leaves - 1;
    return all->paper->alpha * size - 1 / (1 + tree->sse / n);
}

static void refresh(evolution *all, ct_model_tree *tree, int32_t node, unsigned worker)
{
    ct_row_cells_refresh(all->cells, tree, node, all->limits->minbucket, all->limits->depth_max);
    all->touched[worker] += tree->nodes[node].end;
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
        refresh(all, tree, 0, worker);
        all->loss[i] = loss_of(all, tree);
    }
}

/* ---- mutations ---- */

/* Leaves by the error of a row, splits by their depth: far down and bad comes first. */
static int32_t choose_node(const ct_model_tree *tree, int leaf, ct_rng *rng)
{
    int32_t nodes[2 * CT_TREE_LEAVES];
    double badness[2 * CT_TREE_LEAVES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < tree->room; i++) {
        const ct_model_node *node = &tree->nodes[i];
        if (!node->used || ct_is_leaf(tree, (int32_t) i) != leaf) continue;
        badness[n] = leaf ? node->sse / node->end : node->depth;
        nodes[n++] = (int32_t) i;
    }
    return n ? nodes[draw_large(badness, n, rng)] : CT_NO_NODE;
}

/* Another threshold, rather near the one there is; of a factor one level goes to the other side. */
static void shift_test(const ct_model_tree *tree, ct_model_node *node, const ct_node_rows *rows,
                       ct_rng *rng)
{
    const ct_splitter *splitter = &tree->table->splitters[node->test.splitter];
    uint32_t ranks[PARTNERS];
    double nearness[PARTNERS];
    uint32_t n = 0;
    if (splitter->n_levels) {
        uint32_t level = ct_rng_below(rng, splitter->n_levels);
        node->test.levels[level / 64] ^= UINT64_C(1) << (level % 64);
        return;
    }
    for (int i = 0; i < PARTNERS; i++) {
        uint32_t row = ct_node_rows_at(rows, ct_rng_below(rng, rows->n_rows));
        if (splitter->rank[row] == CT_RANK_MISSING) continue;
        ranks[n] = splitter->rank[row];
        nearness[n++] = -fabs((double) splitter->rank[row] - node->test.cut);
    }
    if (n) node->test.cut = ranks[draw_large(nearness, n, rng)];
}

static int dipole_of_node(const evolution *all, const ct_model_tree *tree, int32_t node,
                          unsigned worker, ct_rng *rng, ct_test *test)
{
    ct_node_rows *rows = &all->rows[worker];
    ct_node_rows_find(rows, all->cells, tree, node);
    return dipole_test(tree->table, row_of_node, rows, rows->n_rows, rng, test);
}

static void mutate(evolution *all, ct_model_tree *tree, unsigned worker, ct_rng *rng)
{
    int leaf = tree->n_leaves == 1 || ct_rng_below(rng, 2);
    int32_t chosen = choose_node(tree, leaf, rng);
    ct_model_node *node = &tree->nodes[chosen];
    ct_test test;
    switch (leaf ? 4 : ct_rng_below(rng, 4)) {
    case 0: /* a new test */
        if (dipole_of_node(all, tree, chosen, worker, rng, &test)) node->test = test;
        break;
    case 1:
        ct_node_rows_find(&all->rows[worker], all->cells, tree, chosen);
        shift_test(tree, node, &all->rows[worker], rng);
        break;
    case 2: /* parent and child exchange their tests */
        if (node->parent == CT_NO_NODE) return;
        test = node->test;
        chosen = node->parent;
        node->test = tree->nodes[chosen].test;
        tree->nodes[chosen].test = test;
        break;
    case 3: /* a leaf, or one of its branches */
        if (ct_rng_below(rng, 2)) ct_model_tree_collapse(tree, chosen);
        else ct_model_tree_lift(tree, chosen, ct_rng_below(rng, 2) ? node->left : node->right);
        break;
    default: /* a leaf is split */
        if (tree->n_leaves >= all->limits->leaves_max ||
            !dipole_of_node(all, tree, chosen, worker, rng, &test) ||
            !ct_model_tree_expand(tree, chosen, &test))
            return;
    }
    refresh(all, tree, chosen, worker);
}

/* ---- crossover ---- */

/* The tree's nodes in other memory, to be read while the tree changes. */
static ct_model_tree shadow_of(const ct_model_tree *tree, ct_model_node *nodes)
{
    ct_model_tree shadow = *tree;
    memcpy(nodes, tree->nodes, tree->room * sizeof *nodes);
    shadow.nodes = nodes;
    return shadow;
}

static int32_t a_child(const ct_model_tree *tree, int32_t node, ct_rng *rng)
{
    return ct_rng_below(rng, 2) ? tree->nodes[node].left : tree->nodes[node].right;
}

static void cross(evolution *all, uint32_t i, uint32_t k, unsigned worker, ct_rng *rng)
{
    ct_model_tree *a = &all->trees[i], *b = &all->trees[k];
    const uint32_t most = all->limits->leaves_max;
    if (all->loss[i] > all->loss[k]) a = &all->trees[k], b = &all->trees[i]; /* a is no worse */
    int32_t at = ct_random_node(a, ct_any_split, rng), there = ct_random_node(b, ct_any_split, rng);
    if (at == CT_NO_NODE || there == CT_NO_NODE) return;
    uint32_t kind = ct_rng_below(rng, 4);
    if (kind == 1) { /* tests */
        ct_test test = a->nodes[at].test;
        a->nodes[at].test = b->nodes[there].test;
        b->nodes[there].test = test;
        refresh(all, a, at, worker);
        refresh(all, b, there, worker);
        return;
    }
    if (kind == 2) at = a_child(a, at, rng), there = a_child(b, there, rng); /* branches */
    ct_model_node *nodes = all->spare[worker];
    ct_model_tree of_a = shadow_of(a, nodes), of_b = shadow_of(b, nodes + a->room);
    if (ct_take_subtree(b, there, &of_a, at, most)) refresh(all, b, there, worker);
    /* the last kind gives the worse one a subtree of the better, which keeps its own */
    if (kind != 3 && ct_take_subtree(a, at, &of_b, there, most)) refresh(all, a, at, worker);
}

static void make_pairs(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    evolution *all = (evolution *) data;
    for (uint64_t pair = begin; pair < end; pair++) {
        const uint32_t *of = all->order + 2 * pair;
        ct_rng rng = ct_rng_of(all->options->seed, STREAM_PAIRS,
                               (uint64_t) all->generation << 32 | pair);
        if (uniform(&rng) < CROSSED) cross(all, of[0], of[1], worker, &rng);
        for (int i = 0; i < 2; i++) {
            if (uniform(&rng) < MUTATED) mutate(all, &all->trees[of[i]], worker, &rng);
            all->loss[of[i]] = loss_of(all, &all->trees[of[i]]);
        }
    }
}

/* ---- generations ---- */

static void copy_trees(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    evolution *all = (evolution *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        if (all->source[i] != i)
            ct_model_tree_copy(&all->trees[i], &all->trees[all->source[i]]);
}

static void for_all(evolution *all, uint64_t n, void (*work)(void *, unsigned, uint64_t, uint64_t))
{
    ct_loop loop = {n, 1, CT_DYNAMIC, all->n_workers, work, all, NULL};
    ct_parallel_for(&loop);
}

/* Selection by linear ranking. A tree that is selected stays where it is, and once more in the
 * place of one that is not. */
static void select_trees(evolution *all, ct_rng *rng)
{
    const uint32_t n = all->n;
    uint32_t *ranking = all->order, free_place = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;
        for (; k > 0 && all->loss[ranking[k - 1]] > all->loss[i]; k--) ranking[k] = ranking[k - 1];
        ranking[k] = i;
        all->source[i] = UINT32_MAX;
    }
    uint32_t n_more = 0, *chosen = all->more;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t tree = ranking[draw_rank(n, rng)];
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

/* The best tree so far; if no tree is as good it takes the place of the worst. */
static int keep_best(evolution *all, ct_model_tree *best, double *least)
{
    uint32_t first = 0, last = 0;
    for (uint32_t i = 1; i < all->n; i++) {
        if (all->loss[i] < all->loss[first]) first = i;
        if (all->loss[i] > all->loss[last]) last = i;
    }
    if (all->loss[first] > *least) {
        ct_model_tree_copy(&all->trees[last], best);
        all->loss[last] = *least; /* the elite of one */
    }
    if (!(all->loss[first] < *least - SAME * fabs(*least))) return 0; /* not by rounding */
    *least = all->loss[first];
    ct_model_tree_copy(best, &all->trees[first]);
    return 1;
}

static void count_rows(evolution *all, ct_kick_history *history)
{
    for (unsigned i = 0; i < all->n_workers; i++) {
        history->touched += all->touched[i];
        all->touched[i] = 0;
    }
}

static void evolve(evolution *all, ct_model_tree *best, ct_kick_history *history)
{
    const ct_kick_options *o = all->options;
    double least = loss_of(all, best), complexity = all->limits->complexity;
    uint32_t idle = 0;
    for_all(all, all->n, first_trees);
    count_rows(all, history);
    keep_best(all, best, &least);
    ct_note_moment(history, best, complexity);
    while (history->kicks < o->effort && idle < o->patience && history->touched < o->max_rows &&
           !ct_halt_now(o->halt, 0)) {
        ct_rng rng = ct_rng_of(o->seed, STREAM_RANKS, all->generation);
        select_trees(all, &rng);
        for_all(all, all->n / 2, make_pairs);
        count_rows(all, history);
        all->generation = ++history->kicks;
        idle++;
        if (keep_best(all, best, &least)) {
            idle = 0;
            ct_note_moment(history, best, complexity);
        }
        if (o->report) o->report(o->calls, history->kicks, ct_tree_bic(best, complexity));
    }
}

static ct_status take_memory(evolution *all, const ct_model_tree *best, ct_error *error)
{
    const uint32_t n = (all->options->population + 1) / 2 * 2;
    const unsigned threads = all->options->threads < 1 ? 1 : all->options->threads;
    all->trees = (ct_model_tree *) ct_alloc(n * sizeof *all->trees);
    all->loss = (double *) ct_alloc(n * sizeof *all->loss);
    all->order = (uint32_t *) ct_alloc(n * sizeof *all->order);
    all->source = (uint32_t *) ct_alloc(n * sizeof *all->source);
    all->more = (uint32_t *) ct_alloc(n * sizeof *all->more);
    all->spare = (ct_model_node **) ct_alloc(threads * sizeof(ct_model_node *));
    all->rows = (ct_node_rows *) ct_alloc(threads * sizeof *all->rows);
    all->touched = (int64_t *) ct_alloc(threads * sizeof *all->touched);
    if (!all->trees || !all->loss || !all->order || !all->source || !all->more || !all->spare ||
        !all->rows || !all->touched)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (; all->n_workers < threads; all->n_workers++) {
        ct_model_node *nodes = (ct_model_node *) ct_alloc(2 * best->room * sizeof *nodes);
        ct_node_rows *rows = &all->rows[all->n_workers];
        if (!nodes || ct_node_rows_init(rows, best->table->n_rows, error) != CT_OK) {
            if (nodes) ct_node_rows_free(rows);
            ct_free(nodes);
            return ct_fail(error, CT_NO_MEMORY, "not enough memory");
        }
        all->spare[all->n_workers] = nodes;
        all->touched[all->n_workers] = 0;
    }
    for (; all->n < n; all->n++) {
        ct_status status = ct_row_cells_tree(all->cells, &all->trees[all->n],
                                             all->limits->leaves_max, error);
        if (status == CT_OK) continue;
        ct_model_tree_free(&all->trees[all->n]);
        return status;
    }
    return CT_OK;
}

ct_status ct_evolve_tree(const ct_row_cells *cells, ct_model_tree *best,
                         const ct_tree_limits *limits, const ct_kick_options *options,
                         const ct_paper_options *paper, ct_kick_history *history, ct_error *error)
{
    evolution all;
    memset(&all, 0, sizeof all);
    all.cells = cells;
    all.limits = limits;
    all.options = options;
    all.paper = paper;
    ct_status status = take_memory(&all, best, error);
    if (status == CT_OK) evolve(&all, best, history);
    for (uint32_t i = 0; i < all.n; i++) ct_model_tree_free(&all.trees[i]);
    for (unsigned i = 0; i < all.n_workers; i++)
        ct_free(all.spare[i]), ct_node_rows_free(&all.rows[i]);
    ct_free(all.trees), ct_free(all.loss), ct_free(all.order), ct_free(all.source);
    ct_free(all.more), ct_free(all.spare), ct_free(all.rows), ct_free(all.touched);
    return status;
}
