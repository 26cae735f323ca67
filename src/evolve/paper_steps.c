#include "base/compact.h"

#include "evolve/paper_steps.h"

#include <math.h>
#include <string.h>

#include "evolve/changes.h"

enum { PARTNERS = CT_QUERY_ROWS - 1 };
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

/* Whether the number at position a comes before that at b: the larger one, of equal ones the
 * first. */
static int is_before(const double *x, uint32_t a, uint32_t b)
{
    double first = x[a], second = x[b];
    return first > second || (first == second && a < b);
}

/* Draws the position of a number, the more likely the larger the number is. */
static uint32_t draw_large(const double *x, uint32_t n, ct_rng *rng)
{
    const uint32_t rank = ct_gmt_draw_rank(n, PRESSURE, rng);
    uint32_t position[2 * CT_TREE_LEAVES] = {0}, low = 0, high = n - 1;
    CT_ASSERT(n > 0 && n <= 2 * CT_TREE_LEAVES);
    for (uint32_t i = 0; i < n; i++) position[i] = i;
    /* Quickselect: those before a pivot go to its left, until `rank` is between equal ends. */
    while (low < high) {
        const uint32_t pivot = position[low + (high - low) / 2];
        uint32_t i = low, k = high;
        for (;;) {
            while (is_before(x, position[i], pivot)) i++;
            while (is_before(x, pivot, position[k])) k--;
            if (i >= k) break;
            const uint32_t swap = position[i];
            position[i++] = position[k];
            position[k--] = swap;
        }
        if (rank <= k) high = k;
        else low = k + 1;
    }
    return position[rank];
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
    CT_ASSERT(n > 1 && n <= CT_QUERY_ROWS);
    for (uint32_t i = 1; i < n; i++)
        distance[i - 1] = fabs(response(table, rows[i]) - response(table, rows[0]));
    return ct_gmt_test_between(table, rows[0], rows[1 + draw_large(distance, n - 1, rng)], rng,
                               test);
}

/* ---- steps ---- */

void ct_gmt_steps_changed(ct_tree_steps *steps, int32_t node)
{
    steps->refreshing.top = steps->query.node = node;
    steps->refreshing.stale = CT_NO_NODE;
    steps->query.n_numbers = 0;
}

/* Chooses a leaf, rather one with a large error per row, or a split, rather a deep one. */
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
    ct_model_node *nodes = steps->query.tree->nodes;
    const int32_t parent = nodes[child].parent;
    if (parent == CT_NO_NODE) return;
    const ct_gmt_test test = nodes[child].test;
    nodes[child].test = nodes[parent].test;
    nodes[parent].test = test;
    ct_gmt_steps_changed(steps, parent);
}

/* Replaces a split by a leaf, or by one of its branches. */
static void prune(ct_tree_steps *steps, int32_t node)
{
    ct_model_tree *tree = steps->query.tree;
    const ct_model_node *at = &tree->nodes[node];
    if (ct_rng_below(&steps->rng, 2)) ct_gmt_model_tree_collapse(tree, node);
    else ct_gmt_model_tree_lift(tree, node, ct_rng_below(&steps->rng, 2) ? at->left : at->right);
    ct_gmt_steps_changed(steps, node);
}

/* Shifts the threshold by a number of ranks of random magnitude: from a power of two, up to the
 * rows of the node, to below the next one, each power as likely. In a factor one level changes
 * sides. */
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

/* Adds a regressor to the model of a leaf with all its columns, or removes it. */
static void toggle_regressor(const ct_model_table *table, ct_model_node *leaf, uint32_t chosen)
{
    const uint32_t *assign = table->assign;
    for (uint32_t i = 0; i + 2 < table->p; i++)
        if (assign ? assign[i] == assign[chosen] : i == chosen)
            leaf->omitted[(i + 1) / 64] ^= UINT64_C(1) << ((i + 1) % 64);
}

/* Adds or removes a regressor of a leaf's model, or two, as when one replaces another. */
static void change_model(ct_tree_steps *steps, int32_t leaf)
{
    const ct_model_table *table = steps->query.tree->table;
    for (uint32_t n = 1 + ct_rng_below(&steps->rng, 2); n > 0; n--)
        toggle_regressor(table, &steps->query.tree->nodes[leaf],
                         ct_rng_below(&steps->rng, table->p - 2));
    ct_gmt_steps_changed(steps, leaf);
}

/* Begins a mutation: changes a node at once, or queries rows of it. */
static void begin_mutation(ct_tree_steps *steps, const ct_tree_limits *limits)
{
    ct_kd_query *query = &steps->query;
    ct_model_tree *tree = query->tree;
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
        query->node = chosen;
        steps->mutation = (int) kind;
        query->n_numbers = ct_gmt_dipole_numbers(node->end, rng, query->numbers);
    }
}

/* Ends a mutation whose query is answered. */
static void end_mutation(ct_tree_steps *steps)
{
    const ct_kd_query *query = &steps->query;
    ct_model_tree *tree = query->tree;
    const int32_t chosen = query->node;
    ct_model_node *node = &tree->nodes[chosen];
    ct_gmt_test test;
    steps->query.node = CT_NO_NODE;
    int found = ct_gmt_dipole_test(tree->table, query->rows, query->n_numbers, &steps->rng, &test);
    if (steps->mutation == EXPAND && !(found && ct_gmt_model_tree_expand(tree, chosen, &test)))
        return;
    if (found) node->test = test;
    ct_gmt_steps_changed(steps, chosen);
}

void ct_gmt_steps_go_on(ct_tree_steps *steps, const ct_tree_limits *limits)
{
    ct_kd_query *query = &steps->query;
    if (query->node != CT_NO_NODE && query->n_numbers) {
        end_mutation(steps);
        if (query->node != CT_NO_NODE) return;
    } else if (query->node != CT_NO_NODE) {
        query->node = ct_gmt_refresh_next(&steps->refreshing, query->tree, limits);
        if (query->node != CT_NO_NODE) return;
        ct_gmt_model_tree_add_up(query->tree);
        steps->touched += query->tree->nodes[steps->refreshing.top].end;
    }
    if (steps->may_mutate) begin_mutation(steps, limits);
    steps->may_mutate = 0;
}

/* ---- crossover ---- */

/* A copy of the tree with its nodes in other memory, to be read while the tree changes. */
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

/* The SSE of the leaves below a node. */
static double sse_below(const ct_model_tree *tree, int32_t node)
{
    const ct_model_node *at = &tree->nodes[node];
    if (ct_gmt_is_leaf(tree, node)) return at->sse;
    return sse_below(tree, at->left) + sse_below(tree, at->right);
}

/* Chooses a node below the root, rather one whose rows have a large error per row (sign 1) or a
 * small one (-1). */
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

/* Copies a good subtree of one tree to where the other has a bad one. */
static void give_subtree(const ct_tree_steps *from, ct_tree_steps *to, uint32_t leaves_max,
                         ct_rng *rng)
{
    const int32_t at = choose_below(from->query.tree, -1, rng),
                  there = choose_below(to->query.tree, 1, rng);
    if (ct_gmt_take_subtree(to->query.tree, there, from->query.tree, at, leaves_max))
        ct_gmt_steps_changed(to, there);
}

static void exchange_tests(ct_tree_steps *one, int32_t at, ct_tree_steps *other, int32_t there)
{
    ct_gmt_test *a = &one->query.tree->nodes[at].test, *b = &other->query.tree->nodes[there].test,
                test = *a;
    *a = *b;
    *b = test;
    ct_gmt_steps_changed(one, at);
    ct_gmt_steps_changed(other, there);
}

void ct_gmt_cross_trees(ct_tree_steps *one, ct_tree_steps *other, uint32_t leaves_max,
                        ct_model_node *nodes, ct_rng *rng)
{
    ct_model_tree *a = one->query.tree, *b = other->query.tree;
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
