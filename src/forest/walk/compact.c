#include "forest/walk/compact.h"

#include <string.h>

#include "base/bits.h"
#include "base/memory.h"

enum { FLIGHT = 8, STEPS = 4, SETS = 1 << CT_HIST_SET_LEVELS, MOST_COLUMNS = 65536 };

/* ---- making ---- */

static int is_set(const ct_hist_node *node)
{
    return node->feature != CT_HIST_LEAF && (node->next & CT_HIST_SET);
}

/* numbers[column][levels]: 1 where some node asks so, then the number of the test. Returns how many
 * tests there are. */
static uint32_t number_sets(const ct_hist_forest *forest, uint32_t *numbers, ct_compact_set *sets)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++)
        for (uint32_t k = 0; k < forest->trees[i].n_nodes; k++) {
            const ct_hist_node *node = &forest->trees[i].nodes[k];
            if (!is_set(node)) continue;
            uint32_t *own = &numbers[(size_t) node->feature * SETS + node->cut % SETS];
            if (*own) continue;
            if (sets) sets[n] = (ct_compact_set){node->feature, node->cut};
            *own = ++n;
        }
    return n;
}

/* NULL where there are no such tests, or if memory ends: then *fine is 0. */
static uint32_t *find_sets(ct_compact *compact, const ct_hist_forest *forest, int *fine)
{
    int any = 0;
    for (uint32_t i = 0; i < forest->n_trees; i++)
        for (uint32_t k = 0; !any && k < forest->trees[i].n_nodes; k++)
            any = is_set(&forest->trees[i].nodes[k]);
    if (!any) return NULL;
    size_t bytes = (size_t) forest->n_cols * SETS * sizeof(uint32_t);
    uint32_t *numbers = (uint32_t *) ct_alloc(bytes);
    *fine = 0;
    if (!numbers) return NULL;
    memset(numbers, 0, bytes);
    compact->n_sets = number_sets(forest, numbers, NULL);
    compact->sets = (ct_compact_set *) ct_alloc(compact->n_sets * sizeof *compact->sets);
    memset(numbers, 0, bytes);
    if (compact->sets) (void) number_sets(forest, numbers, compact->sets);
    *fine = compact->sets != NULL;
    return numbers;
}

/* Cuts beyond the codes of a column are above all of them. */
static uint16_t *code_at(const ct_compact *compact, const ct_hist_node *node)
{
    uint32_t n_codes = compact->columns[node->feature].n_codes;
    return compact->code_of + compact->first_code[node->feature] +
           (node->cut < n_codes ? node->cut : n_codes);
}

static void mark_cuts(ct_compact *compact, const ct_hist_forest *forest)
{
    for (uint32_t i = 0; i < forest->n_trees; i++)
        for (uint32_t k = 0; k < forest->trees[i].n_nodes; k++) {
            const ct_hist_node *node = &forest->trees[i].nodes[k];
            if (node->feature != CT_HIST_LEAF && !is_set(node)) *code_at(compact, node) = 1;
        }
    for (uint32_t i = 0; i < compact->n_sets; i++) {
        uint32_t col = compact->sets[i].column;
        for (uint32_t code = 0; code < compact->columns[col].n_codes; code++)
            compact->code_of[compact->first_code[col] + code] = 1;
    }
}

/* A value's code is how many of the cuts are at or below it. */
static void number_cuts(ct_compact *compact, uint32_t n_cols)
{
    for (uint32_t col = 0; col < n_cols; col++) {
        ct_hist_code_column *column = &compact->columns[col];
        uint16_t *code_of = compact->code_of + compact->first_code[col];
        double *edges = compact->edges + compact->first_code[col];
        uint32_t n = 0;
        edges[0] = column->n_codes ? column->edges[0] : 0;
        code_of[0] = 0;
        for (uint32_t code = 1; code < column->n_codes; code++) {
            if (!code_of[code]) continue;
            edges[++n] = column->edges[code];
            code_of[code] = (uint16_t) n;
        }
        code_of[column->n_codes] = (uint16_t) (n + 1);
        column->edges = edges;
        column->n_codes = n + 1;
    }
}

/* Fewer codes, which pays where values are more than nodes. 0 if memory ends. */
static int code_cuts(ct_compact *compact, const ct_hist_forest *forest,
                     const ct_hist_code_column *columns, uint32_t n_rows, size_t n_nodes)
{
    size_t n_cols = forest->n_cols, n = 0;
    compact->columns = (ct_hist_code_column *) ct_alloc((n_cols + 1) * sizeof *compact->columns);
    if (!compact->columns) return 0;
    memcpy(compact->columns, columns, n_cols * sizeof *columns);
    if ((double) n_cols * n_rows < (double) n_nodes) return 1;
    compact->first_code = (size_t *) ct_alloc((n_cols + 1) * sizeof *compact->first_code);
    if (!compact->first_code) return 0;
    for (size_t col = 0; col < n_cols; col++) {
        compact->first_code[col] = n;
        n += columns[col].n_codes + 1;
    }
    compact->code_of = (uint16_t *) ct_alloc_zeroed(n + 1, sizeof *compact->code_of);
    compact->edges = (double *) ct_alloc((n + 1) * sizeof *compact->edges);
    if (!compact->code_of || !compact->edges) return 0;
    mark_cuts(compact, forest);
    number_cuts(compact, forest->n_cols);
    return 1;
}

static uint16_t last_of(const ct_compact *compact, const ct_hist_code_column *columns,
                        const ct_hist_node *node)
{
    uint32_t n_codes = columns[node->feature].n_codes, cut = node->cut;
    if (compact->code_of)
        cut = compact->code_of[compact->first_code[node->feature] +
                               (cut < n_codes ? cut : n_codes)];
    return (uint16_t) (cut - 1);
}

static void compact_tree(const ct_compact *compact, const ct_hist_tree *tree,
                         const ct_hist_code_column *columns,
                         uint32_t n_cols, const uint32_t *numbers, ct_compact_node *to)
{
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const ct_hist_node *node = &tree->nodes[i];
        uint32_t left = node->next & CT_HIST_CHILD;
        if (node->feature == CT_HIST_LEAF) to[i] = (ct_compact_node){i, 0, UINT16_MAX};
        else if (is_set(node)) {
            uint32_t number = numbers[(size_t) node->feature * SETS + node->cut % SETS] - 1;
            to[i] = (ct_compact_node){left, (uint16_t) (n_cols + number), 0};
        } else to[i] = (ct_compact_node){left, node->feature, last_of(compact, columns, node)};
    }
}

int ct_forest_compact_init(ct_compact *compact, const ct_hist_forest *forest,
                           const ct_hist_code_column *columns, uint32_t n_rows)
{
    CT_ASSERT(forest->n_cols > 0 && columns);
    size_t n = 0, n_trees = forest->n_trees;
    int fine = 1;
    memset(compact, 0, sizeof *compact);
    uint32_t *numbers = find_sets(compact, forest, &fine);
    if (!fine || forest->n_cols + compact->n_sets > MOST_COLUMNS) {
        ct_free(numbers);
        return fine;
    }
    compact->begins = (size_t *) ct_alloc((n_trees + 1) * sizeof *compact->begins);
    compact->steps = (uint8_t *) ct_alloc(n_trees + 1);
    for (uint32_t i = 0; i < n_trees; i++) n += forest->trees[i].n_nodes;
    fine = code_cuts(compact, forest, columns, n_rows, n);
    compact->nodes = (ct_compact_node *) ct_alloc((n + 1) * sizeof *compact->nodes);
    fine = fine && compact->begins && compact->steps && compact->nodes;
    n = 0;
    for (uint32_t i = 0; fine && i < n_trees; i++) {
        unsigned bits = ct_bit_width(forest->trees[i].n_nodes);
        compact->begins[i] = n;
        compact->steps[i] = (uint8_t) (bits > STEPS + 2 ? bits - 2 : STEPS);
        compact_tree(compact, &forest->trees[i], columns, forest->n_cols, numbers, compact->nodes +
                     n);
        n += forest->trees[i].n_nodes;
    }
    ct_free(numbers);
    return fine;
}

void ct_forest_compact_free(ct_compact *compact)
{
    ct_free(compact->nodes);
    ct_free(compact->begins);
    ct_free(compact->steps);
    ct_free(compact->sets);
    ct_free(compact->code_of);
    ct_free(compact->first_code);
    ct_free(compact->edges);
    ct_free(compact->columns);
}

/* ---- walking ---- */

void ct_forest_compact_answer(const ct_compact *compact, uint32_t n_cols, uint32_t n,
                              uint16_t *by_row, size_t stride)
{
    CT_ASSERT(stride >= n_cols + compact->n_sets);
    for (uint32_t i = 0; i < compact->n_sets; i++) {
        const uint16_t *codes = by_row + compact->sets[i].column;
        uint16_t *to = by_row + n_cols + i;
        uint32_t levels = compact->sets[i].levels;
        for (size_t row = 0; row < n; row++) {
            uint32_t code = codes[row * stride], right = ~(levels >> code % 16) & 1;
            to[row * stride] = (uint16_t) (code == CT_CODE_MISSING ? code : right);
        }
    }
}

uint32_t ct_forest_compact_leaf(const ct_compact *compact, const ct_hist_forest *forest,
                                uint32_t tree, const uint16_t *codes)
{
    CT_ASSERT(tree < forest->n_trees && compact->nodes);
    const ct_compact_node *nodes = compact->nodes + compact->begins[tree];
    uint32_t at = 0;
    while (nodes[at].left != at) {
        uint16_t code = codes[nodes[at].feature];
        int right = code > nodes[at].last;
        if (code == CT_CODE_MISSING)
            right = !(forest->trees[tree].nodes[at].next & CT_HIST_FLAG);
        at = nodes[at].left + (uint32_t) right;
    }
    return at;
}

#define FOR_FLIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define BEGIN(i)                                                  \
    const uint16_t *codes##i = by_row + flight[i] * stride;       \
    uint32_t at##i = leaves[flight[i]];
#define STEP(i) at##i = nodes[at##i].left + (codes##i[nodes[at##i].feature] > nodes[at##i].last);
#define END(i) leaves[flight[i]] = at##i;

/* Some steps of a flight, from where leaves[row] says. */
static inline void walk_flight(const ct_compact_node *nodes, const uint16_t *by_row, size_t stride,
                               const uint16_t *flight, unsigned steps, uint32_t *leaves)
{
    FOR_FLIGHT(BEGIN)
    for (unsigned step = 0; step < steps; step++) {
        FOR_FLIGHT(STEP)
    }
    FOR_FLIGHT(END)
}

/* Flights of rows that are not yet at their leaf, until there are none. */
void ct_forest_compact_walk(const ct_compact *compact, uint32_t tree, const uint16_t *by_row,
                            size_t stride, uint16_t *rows, uint32_t n, uint32_t *leaves)
{
    CT_ASSERT(compact->nodes && n <= CT_COMPACT_ROWS);
    const ct_compact_node *nodes = compact->nodes + compact->begins[tree];
    unsigned steps = compact->steps[tree];
    for (uint32_t i = 0; i < n; i++) leaves[rows[i]] = 0;
    for (; n; steps = STEPS) {
        uint32_t rest = 0;
        for (uint32_t i = n; i % FLIGHT; i++) rows[i] = rows[n - 1];
        for (uint32_t i = 0; i < n; i += FLIGHT)
            walk_flight(nodes, by_row, stride, rows + i, steps, leaves);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = leaves[rows[i]];
            rows[rest] = rows[i];
            rest += nodes[at].left != at;
        }
        n = rest;
    }
}
