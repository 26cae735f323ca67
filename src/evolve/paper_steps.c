#include "evolve/paper_steps.h"

#include <math.h>
#include <string.h>

#include "evolve/changes.h"

enum { PARTNERS = CT_ROWS_ASKED - 1 };
static const double PRESSURE = 1.7, MUTATED = 0.8;

typedef enum { NEW_TEST, SHIFT, EXCHANGE, PRUNE, N_OF_SPLITS, EXPAND = N_OF_SPLITS } mutation_kind;

/* ---- chance ---- */

/* The first place is PRESSURE times as likely as one of equal chances would be. */
uint32_t ct_draw_rank(uint32_t n, ct_rng *rng)
{
    double u = ct_rng_uniform(rng) * n;
    for (uint32_t i = 0; i + 1 < n; i++) {
        u -= PRESSURE - (2 * PRESSURE - 2) * i / (n - 1);
        if (u < 0) return i;
    }
    return n - 1;
}

/* Whether the number at place a comes before that at b: the larger one, of equal ones the first. */
static int is_before(const double *x, uint32_t a, uint32_t b)
{
    double first = x[a], second = x[b];
    return first > second || (first == second && a < b);
}

/* The place of the number that is to be chosen, large ones first: the more so the larger. */
static uint32_t draw_large(const double *x, uint32_t n, ct_rng *rng)
{
    uint32_t place[2 * CT_TREE_LEAVES] = {0}, rank = ct_draw_rank(n, rng), low = 0, high = n - 1;
    CT_ASSERT(n > 0 && n <= 2 * CT_TREE_LEAVES);
    for (uint32_t i = 0; i < n; i++) place[i] = i;
    /* Quickselect: those before a pivot go to its left, until `rank` is between equal ends. */
    while (low < high) {
        const uint32_t pivot = place[low + (high - low) / 2];
        uint32_t i = low, k = high;
        for (;;) {
            while (is_before(x, place[i], pivot)) i++;
            while (is_before(x, pivot, place[k])) k--;
            if (i >= k) break;
            const uint32_t swap = place[i];
            place[i++] = place[k];
            place[k--] = swap;
        }
        if (rank <= k) high = k;
        else low = k + 1;
    }
    return place[rank];
}

static double response(const ct_model_table *table, uint32_t row)
{
    return table->z[row * table->width + table->p - 1];
}

/* A random row, and up to PARTNERS others. */
uint32_t ct_dipole_numbers(uint32_t n, ct_rng *rng, uint32_t *numbers)
{
    const uint32_t n_others = n < PARTNERS ? n : PARTNERS;
    CT_ASSERT(n > 0);
    numbers[0] = ct_rng_below(rng, n);
    for (uint32_t i = 0; i < n_others; i++)
        numbers[1 + i] = n <= PARTNERS ? i : ct_rng_below(rng, n);
    return 1 + n_others;
}

int ct_dipole_test(const ct_model_table *table, const uint32_t *rows, uint32_t n, ct_rng *rng,
                   ct_gmt_test *test)
{
    double distance[PARTNERS];
    CT_ASSERT(n > 1 && n <= CT_ROWS_ASKED);
    for (uint32_t i = 1; i < n; i++)
        distance[i - 1] = fabs(response(table, rows[i]) - response(table, rows[0]));
    return ct_test_between(table, rows[0], rows[1 + draw_large(distance, n - 1, rng)], rng, test);
}

/* ---- steps ---- */

void ct_steps_changed(ct_tree_steps *steps, int32_t node)
{
    steps->refreshing.top = steps->question.node = node;
    steps->refreshing.stale = CT_NO_NODE;
    steps->question.n_numbers = 0;
}

/* Leaves by the error of a row, splits by their depth: far down and bad comes first. */
static int32_t choose_node(const ct_model_tree *tree, int leaf, ct_rng *rng)
{
    int32_t nodes[2 * CT_TREE_LEAVES];
    double badness[2 * CT_TREE_LEAVES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < tree->room; i++) {
        const ct_model_node *node = &tree->nodes[i];
        if (!node->used || ct_gmt_is_leaf(tree, (int32_t) i) != leaf) continue;
        badness[n] = leaf ? node->sse / node->end : node->depth;
        nodes[n++] = (int32_t) i;
    }
    return n ? nodes[draw_large(badness, n, rng)] : CT_NO_NODE;
}

static const ct_splitter *splitter_of(const ct_model_tree *tree, const ct_model_node *node)
{
    return &tree->table->splitters[node->test.splitter];
}

/* Parent and child exchange their tests. */
static void exchange(ct_tree_steps *steps, int32_t child)
{
    ct_model_node *nodes = steps->question.tree->nodes;
    const int32_t parent = nodes[child].parent;
    if (parent == CT_NO_NODE) return;
    const ct_gmt_test test = nodes[child].test;
    nodes[child].test = nodes[parent].test;
    nodes[parent].test = test;
    ct_steps_changed(steps, parent);
}

/* A leaf, or one of its branches, in the place of a split. */
static void prune(ct_tree_steps *steps, int32_t node)
{
    ct_model_tree *tree = steps->question.tree;
    const ct_model_node *at = &tree->nodes[node];
    if (ct_rng_below(&steps->rng, 2)) ct_model_tree_collapse(tree, node);
    else ct_model_tree_lift(tree, node, ct_rng_below(&steps->rng, 2) ? at->left : at->right);
    ct_steps_changed(steps, node);
}

/* Asks for rows of the node, or changes it at once. */
static void begin_mutation(ct_tree_steps *steps, const ct_tree_limits *limits)
{
    ct_cell_question *question = &steps->question;
    ct_model_tree *tree = question->tree;
    ct_rng *rng = &steps->rng;
    int leaf = tree->n_leaves == 1 || ct_rng_below(rng, 2);
    const int32_t chosen = choose_node(tree, leaf, rng);
    ct_model_node *node = &tree->nodes[chosen];
    const mutation_kind kind = leaf ? EXPAND : (mutation_kind) ct_rng_below(rng, N_OF_SPLITS);
    if (kind == EXCHANGE) {
        exchange(steps, chosen);
    } else if (kind == PRUNE) {
        prune(steps, chosen);
    } else if (kind == SHIFT && splitter_of(tree, node)->n_levels) {
        /* one level goes to the other side */
        uint32_t level = ct_rng_below(rng, splitter_of(tree, node)->n_levels);
        node->test.levels[level / 64] ^= UINT64_C(1) << (level % 64);
        ct_steps_changed(steps, chosen);
    } else if (kind != EXPAND || tree->n_leaves < limits->leaves_max) {
        question->node = chosen;
        steps->mutation = (int) kind;
        if (kind != SHIFT) {
            question->n_numbers = ct_dipole_numbers(node->end, rng, question->numbers);
            return;
        }
        question->n_numbers = PARTNERS;
        for (int i = 0; i < PARTNERS; i++) question->numbers[i] = ct_rng_below(rng, node->end);
    }
}

/* Another threshold, rather near the one there is. */
static void shift_test(const ct_model_tree *tree, ct_model_node *node, const uint32_t *rows,
                       ct_rng *rng)
{
    const uint32_t *rank = splitter_of(tree, node)->rank;
    uint32_t ranks[PARTNERS], n = 0;
    double nearness[PARTNERS];
    for (int i = 0; i < PARTNERS; i++) {
        if (rank[rows[i]] == CT_RANK_MISSING) continue;
        ranks[n] = rank[rows[i]];
        nearness[n] = -fabs((double) ranks[n] - node->test.cut);
        n++;
    }
    if (n) node->test.cut = ranks[draw_large(nearness, n, rng)];
}

/* The rows of the node are there. */
static void end_mutation(ct_tree_steps *steps)
{
    const ct_cell_question *question = &steps->question;
    ct_model_tree *tree = question->tree;
    const int32_t chosen = question->node;
    ct_model_node *node = &tree->nodes[chosen];
    ct_gmt_test test;
    steps->question.node = CT_NO_NODE;
    if (steps->mutation == SHIFT) {
        shift_test(tree, node, question->rows, &steps->rng);
    } else {
        int found = ct_dipole_test(tree->table, question->rows, question->n_numbers, &steps->rng,
                                   &test);
        if (steps->mutation == EXPAND && !(found && ct_model_tree_expand(tree, chosen, &test)))
            return;
        if (found) node->test = test;
    }
    ct_steps_changed(steps, chosen);
}

void ct_steps_go_on(ct_tree_steps *steps, const ct_tree_limits *limits)
{
    ct_cell_question *question = &steps->question;
    if (question->node != CT_NO_NODE && question->n_numbers) {
        end_mutation(steps);
        if (question->node != CT_NO_NODE) return;
    } else if (question->node != CT_NO_NODE) {
        question->node = ct_refresh_next(&steps->refreshing, question->tree, limits->minbucket,
                                         limits->depth_max);
        if (question->node != CT_NO_NODE) return;
        ct_model_tree_add_up(question->tree);
        steps->touched += question->tree->nodes[steps->refreshing.top].end;
    }
    if (steps->may_mutate && ct_rng_uniform(&steps->rng) < MUTATED)
        begin_mutation(steps, limits);
    steps->may_mutate = 0;
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

void ct_cross_trees(ct_tree_steps *better, ct_tree_steps *other, uint32_t leaves_max,
                    ct_model_node *nodes, ct_rng *rng)
{
    ct_model_tree *a = better->question.tree, *b = other->question.tree;
    int32_t at = ct_random_node(a, ct_any_split, rng), there = ct_random_node(b, ct_any_split, rng);
    if (at == CT_NO_NODE || there == CT_NO_NODE) return;
    uint32_t kind = ct_rng_below(rng, 4);
    if (kind == 1) { /* tests */
        ct_gmt_test test = a->nodes[at].test;
        a->nodes[at].test = b->nodes[there].test;
        b->nodes[there].test = test;
        ct_steps_changed(better, at);
        ct_steps_changed(other, there);
        return;
    }
    if (kind == 2) at = a_child(a, at, rng), there = a_child(b, there, rng); /* branches */
    ct_model_tree of_a = shadow_of(a, nodes), of_b = shadow_of(b, nodes + a->room);
    if (ct_take_subtree(b, there, &of_a, at, leaves_max)) ct_steps_changed(other, there);
    /* the last kind gives the worse one a subtree of the better, which keeps its own */
    if (kind != 3 && ct_take_subtree(a, at, &of_b, there, leaves_max))
        ct_steps_changed(better, at);
}
