#include "base/compact.h"

#include "evolve/paper_steps.h"

#include <math.h>
#include <string.h>

#include "evolve/changes.h"

enum { PARTNERS = CT_ROWS_ASKED - 1 };
static const double PRESSURE = 1.7; /* where nodes and rows are ranked */

typedef enum { NEW_TEST, SHIFT, EXCHANGE, PRUNE, N_OF_SPLITS, EXPAND = N_OF_SPLITS } mutation_kind;

/* ---- chance ---- */

uint32_t ct_gmt_draw_rank(uint32_t n, double pressure, ct_rng *rng)
{
    double u = ct_rng_uniform(rng) * n;
    for (uint32_t i = 0; i + 1 < n; i++) {
        u -= pressure - (2 * pressure - 2) * i / (n - 1);
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
    const uint32_t rank = ct_gmt_draw_rank(n, PRESSURE, rng);
    uint32_t place[2 * CT_TREE_LEAVES] = {0}, low = 0, high = n - 1;
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
uint32_t ct_gmt_dipole_numbers(uint32_t n, ct_rng *rng, uint32_t *numbers)
{
    const uint32_t n_others = n < PARTNERS ? n : PARTNERS;
    CT_ASSERT(n > 0);
    numbers[0] = ct_rng_below(rng, n);
    for (uint32_t i = 0; i < n_others; i++)
        numbers[1 + i] = n <= PARTNERS ? i : ct_rng_below(rng, n);
    return 1 + n_others;
}

int ct_gmt_dipole_test(const ct_model_table *table, const uint32_t *rows, uint32_t n, ct_rng *rng,
                       ct_gmt_test *test)
{
    double distance[PARTNERS];
    CT_ASSERT(n > 1 && n <= CT_ROWS_ASKED);
    for (uint32_t i = 1; i < n; i++)
        distance[i - 1] = fabs(response(table, rows[i]) - response(table, rows[0]));
    return ct_gmt_test_between(table, rows[0], rows[1 + draw_large(distance, n - 1, rng)], rng,
                               test);
}

/* ---- steps ---- */

void ct_gmt_steps_changed(ct_tree_steps *steps, int32_t node)
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
    ct_gmt_steps_changed(steps, parent);
}

/* A leaf, or one of its branches, in the place of a split. */
static void prune(ct_tree_steps *steps, int32_t node)
{
    ct_model_tree *tree = steps->question.tree;
    const ct_model_node *at = &tree->nodes[node];
    if (ct_rng_below(&steps->rng, 2)) ct_gmt_model_tree_collapse(tree, node);
    else ct_gmt_model_tree_lift(tree, node, ct_rng_below(&steps->rng, 2) ? at->left : at->right);
    ct_gmt_steps_changed(steps, node);
}

/* Another threshold, by as many ranks as 1, 2, 4, .. up to the rows of the node, and a part of
 * these, each as likely. Of a factor one level goes to the other side. */
static void shift_test(const ct_model_tree *tree, ct_model_node *node, ct_rng *rng)
{
    const ct_splitter *s = splitter_of(tree, node);
    if (s->n_levels) {
        const uint32_t level = ct_rng_below(rng, s->n_levels);
        node->test.levels[level / 64] ^= UINT64_C(1) << (level % 64);
        return;
    }
    uint32_t powers = 1;
    while (powers < 32 && node->end >> powers) powers++;
    const uint32_t least = UINT32_C(1) << ct_rng_below(rng, powers);
    const int64_t last = (int64_t) s->n_ranks - 1, step = least + ct_rng_below(rng, least),
                  cut = (int64_t) node->test.cut + (ct_rng_below(rng, 2) ? step : -step);
    node->test.cut = (uint32_t) (cut < 1 ? 1 : cut > last ? last : cut);
}

/* All columns of a regressor enter the model of a leaf, or leave it. */
static void toggle_regressor(const ct_model_table *table, ct_model_node *leaf, uint32_t chosen)
{
    const uint32_t *parts = table->parts;
    for (uint32_t i = 0; i + 2 < table->p; i++)
        if (parts ? parts[i] == parts[chosen] : i == chosen)
            leaf->omitted[(i + 1) / 64] ^= UINT64_C(1) << ((i + 1) % 64);
}

/* One regressor of a leaf's model more or less, or two, as when one takes another's place. */
static void change_model(ct_tree_steps *steps, int32_t leaf)
{
    const ct_model_table *table = steps->question.tree->table;
    for (uint32_t n = 1 + ct_rng_below(&steps->rng, 2); n > 0; n--)
        toggle_regressor(table, &steps->question.tree->nodes[leaf],
                         ct_rng_below(&steps->rng, table->p - 2));
    ct_gmt_steps_changed(steps, leaf);
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
    if (leaf && tree->table->p > 2 && ct_rng_below(rng, 2)) {
        change_model(steps, chosen);
        return;
    }
    if (kind == EXCHANGE) {
        exchange(steps, chosen);
    } else if (kind == PRUNE) {
        prune(steps, chosen);
    } else if (kind == SHIFT) {
        shift_test(tree, node, rng);
        ct_gmt_steps_changed(steps, chosen);
    } else if (kind != EXPAND || tree->n_leaves < limits->leaves_max) {
        question->node = chosen;
        steps->mutation = (int) kind;
        question->n_numbers = ct_gmt_dipole_numbers(node->end, rng, question->numbers);
    }
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
    int found = ct_gmt_dipole_test(tree->table, question->rows, question->n_numbers, &steps->rng,
                                   &test);
    if (steps->mutation == EXPAND && !(found && ct_gmt_model_tree_expand(tree, chosen, &test)))
        return;
    if (found) node->test = test;
    ct_gmt_steps_changed(steps, chosen);
}

void ct_gmt_steps_go_on(ct_tree_steps *steps, const ct_tree_limits *limits)
{
    ct_cell_question *question = &steps->question;
    if (question->node != CT_NO_NODE && question->n_numbers) {
        end_mutation(steps);
        if (question->node != CT_NO_NODE) return;
    } else if (question->node != CT_NO_NODE) {
        question->node = ct_gmt_refresh_next(&steps->refreshing, question->tree, limits);
        if (question->node != CT_NO_NODE) return;
        ct_gmt_model_tree_add_up(question->tree);
        steps->touched += question->tree->nodes[steps->refreshing.top].end;
    }
    if (steps->may_mutate) begin_mutation(steps, limits);
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

/* Of the leaves below a node. */
static double sse_below(const ct_model_tree *tree, int32_t node)
{
    const ct_model_node *at = &tree->nodes[node];
    if (ct_gmt_is_leaf(tree, node)) return at->sse;
    return sse_below(tree, at->left) + sse_below(tree, at->right);
}

/* A node below the root, rather one whose rows have a large error, or a small one. */
static int32_t choose_below(const ct_model_tree *tree, double sign, ct_rng *rng)
{
    int32_t nodes[2 * CT_TREE_LEAVES] = {0};
    double error[2 * CT_TREE_LEAVES];
    uint32_t n = 0;
    for (uint32_t i = 1; i < tree->room; i++) {
        if (!tree->nodes[i].used) continue;
        error[n] = sign * sse_below(tree, (int32_t) i) / tree->nodes[i].end;
        nodes[n++] = (int32_t) i;
    }
    return nodes[draw_large(error, n, rng)];
}

/* A good subtree of one comes in the place of a bad one of the other. */
static void give_subtree(const ct_tree_steps *from, ct_tree_steps *to, uint32_t leaves_max,
                         ct_rng *rng)
{
    const int32_t at = choose_below(from->question.tree, -1, rng),
                  there = choose_below(to->question.tree, 1, rng);
    if (ct_gmt_take_subtree(to->question.tree, there, from->question.tree, at, leaves_max))
        ct_gmt_steps_changed(to, there);
}

static void exchange_tests(ct_tree_steps *one, int32_t at, ct_tree_steps *other, int32_t there)
{
    ct_gmt_test *a = &one->question.tree->nodes[at].test,
                *b = &other->question.tree->nodes[there].test, test = *a;
    *a = *b;
    *b = test;
    ct_gmt_steps_changed(one, at);
    ct_gmt_steps_changed(other, there);
}

void ct_gmt_cross_trees(ct_tree_steps *one, ct_tree_steps *other, uint32_t leaves_max,
                        ct_model_node *nodes, ct_rng *rng)
{
    ct_model_tree *a = one->question.tree, *b = other->question.tree;
    int32_t at = ct_gmt_random_node(a, ct_gmt_any_split, rng),
 there = ct_gmt_random_node(b, ct_gmt_any_split, rng);
    if (at == CT_NO_NODE || there == CT_NO_NODE) return;
    switch (ct_rng_below(rng, 4)) {
    case 0: exchange_tests(one, at, other, there); return;
    case 1:
        if (ct_rng_below(rng, 2)) give_subtree(one, other, leaves_max, rng);
        else give_subtree(other, one, leaves_max, rng);
        return;
    case 2: at = a_child(a, at, rng), there = a_child(b, there, rng); break; /* branches */
    default: break;
    }
    ct_model_tree of_a = shadow_of(a, nodes), of_b = shadow_of(b, nodes + a->room);
    if (ct_gmt_take_subtree(b, there, &of_a, at, leaves_max)) ct_gmt_steps_changed(other, there);
    if (ct_gmt_take_subtree(a, at, &of_b, there, leaves_max)) ct_gmt_steps_changed(one, at);
}
