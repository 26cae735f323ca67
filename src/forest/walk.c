#include "forest/walk.h"

#include <string.h>

#include "base/memory.h"

enum { FLIGHT = 8, CHUNK = 512, STEPS = 4, FEWEST = 64 };

uint32_t ct_hist_leaf(const ct_hist_tree *tree, uint32_t from, const uint16_t *codes)
{
    while (tree->nodes[from].feature != CT_HIST_LEAF)
        from = ct_hist_next(&tree->nodes[from], codes[tree->nodes[from].feature]);
    return from;
}

/* Several rows at a time, since each step waits for memory; a row that has come to its leaf stays
 * there. */
static void walk_flight(const ct_hist_tree *tree, const uint16_t *by_row, size_t stride,
                        uint32_t *leaves)
{
    uint32_t at[FLIGHT] = {0}, on_the_way = 1;
    while (on_the_way) {
        on_the_way = 0;
        for (unsigned i = 0; i < FLIGHT; i++) {
            const ct_hist_node *node = &tree->nodes[at[i]];
            uint32_t inner = node->feature != CT_HIST_LEAF;
            uint32_t next = ct_hist_next(node, by_row[i * stride + (inner ? node->feature : 0)]);
            at[i] = inner ? next : at[i];
            on_the_way |= inner;
        }
    }
    memcpy(leaves, at, sizeof at);
}

static void walk_rows(const ct_hist_tree *tree, const uint16_t *by_row, size_t stride, uint32_t n,
                      uint32_t *leaves)
{
    uint32_t row = 0;
    for (; row + FLIGHT <= n; row += FLIGHT)
        walk_flight(tree, by_row + row * stride, stride, leaves + row);
    for (; row < n; row++) leaves[row] = ct_hist_leaf(tree, 0, by_row + row * stride);
}

/* ---- rows without missing values ---- */

/* A node that is walked without asking what it is: a code above `last` goes to the node behind
 * `left`. Above a leaf's last there is none, and its left is itself. */
typedef struct {
    uint32_t left;
    uint16_t feature, last;
} bare_node;

static void bare_tree(const ct_hist_tree *tree, bare_node *to)
{
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const ct_hist_node *node = &tree->nodes[i];
        if (node->feature == CT_HIST_LEAF) to[i] = (bare_node){i, 0, UINT16_MAX};
        else
            to[i] = (bare_node){node->next & ~CT_HIST_FLAG, node->feature,
                                (uint16_t) (node->cut - 1)};
    }
}

#define FOR_FLIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define BEGIN(i)                                                  \
    const uint16_t *codes##i = by_row + flight[i] * stride;       \
    uint32_t at##i = leaves[flight[i]];
#define STEP(i) at##i = nodes[at##i].left + (codes##i[nodes[at##i].feature] > nodes[at##i].last);
#define END(i) leaves[flight[i]] = at##i;

/* Some steps of a flight, from where leaves[row] says. */
static inline void walk_bare_flight(const bare_node *nodes, const uint16_t *by_row, size_t stride,
                                    const uint16_t *flight, uint32_t *leaves)
{
    FOR_FLIGHT(BEGIN)
    for (int step = 0; step < STEPS; step++) {
        FOR_FLIGHT(STEP)
    }
    FOR_FLIGHT(END)
}

/* Flights of rows that are not yet at their leaf, until there are none. */
static void walk_bare(const bare_node *nodes, const uint16_t *by_row, size_t stride, uint32_t n,
                      uint32_t *leaves)
{
    uint16_t rows[CHUNK + FLIGHT];
    for (uint32_t i = 0; i < n; i++) rows[i] = (uint16_t) i;
    memset(leaves, 0, n * sizeof *leaves);
    while (n) {
        uint32_t rest = 0;
        for (uint32_t i = n; i % FLIGHT; i++) rows[i] = rows[n - 1];
        for (uint32_t i = 0; i < n; i += FLIGHT)
            walk_bare_flight(nodes, by_row, stride, rows + i, leaves);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = leaves[rows[i]];
            rows[rest] = rows[i];
            rest += nodes[at].left != at;
        }
        n = rest;
    }
}

uint32_t ct_hist_label(const ct_hist_tree *tree, uint32_t n_classes, const ct_hist_node *leaf)
{
    if (!(leaf->next & CT_HIST_MIXED)) return leaf->next % CT_HIST_CLASSES;
    const uint32_t *counts = tree->counts + (size_t) (leaf->next & ~CT_HIST_MIXED) * n_classes;
    uint32_t label = 0;
    for (uint32_t c = 1; c < n_classes; c++)
        if (counts[c] > counts[label]) label = c;
    return label;
}

void ct_hist_add_shares(const ct_hist_tree *tree, uint32_t n_classes, const ct_hist_node *leaf,
                        int64_t *shares)
{
    if (!(leaf->next & CT_HIST_MIXED)) {
        shares[leaf->next % CT_HIST_CLASSES] += INT64_C(1) << 32;
        return;
    }
    const uint32_t *counts = tree->counts + (size_t) (leaf->next & ~CT_HIST_MIXED) * n_classes;
    uint64_t sum = 0;
    for (uint32_t c = 0; c < n_classes; c++) sum += counts[c];
    for (uint32_t c = 0; c < n_classes; c++)
        if (counts[c]) shares[c] += (int64_t) (((uint64_t) counts[c] << 32) / sum);
}

/* ---- new data ---- */

typedef struct {
    const ct_hist_forest *forest;
    const ct_code_column *codes;
    const ct_column *columns;
    uint32_t n_rows;
    size_t stride;
    ct_hist_output what;
    void *out;
    uint16_t *by_row; /* [worker][CHUNK][stride] */
    bare_node *bare;  /* of all trees; NULL: rows are too few for it to pay */
    size_t *begins;   /* [tree] in it */
} plan;

static int make_bare(plan *p)
{
    size_t n = 0;
    p->begins = (size_t *) ct_alloc((p->forest->n_trees + 1) * sizeof *p->begins);
    if (!p->begins) return 0;
    for (uint32_t i = 0; i < p->forest->n_trees; i++) {
        p->begins[i] = n;
        n += p->forest->trees[i].n_nodes;
    }
    p->bare = (bare_node *) ct_alloc((n ? n : 1) * sizeof *p->bare);
    for (uint32_t i = 0; p->bare && i < p->forest->n_trees; i++)
        bare_tree(&p->forest->trees[i], p->bare + p->begins[i]);
    return p->bare != NULL;
}

/* Codes of n values, all searched in step. Returns whether one is missing. */
static int code_values(const ct_code_column *column, const double *values, uint32_t n,
                        uint16_t *to, size_t stride)
{
    uint32_t low[CHUNK];
    memset(low, 0, n * sizeof *low);
    for (uint32_t rest = column->n_codes; rest > 1; rest -= rest / 2) {
        uint32_t half = rest / 2;
        for (uint32_t i = 0; i < n; i++)
            low[i] += values[i] >= column->edges[low[i] + half] ? half : 0;
    }
    int missing = 0;
    for (uint32_t i = 0; i < n; i++) {
        int there = values[i] == values[i];
        to[i * stride] = (uint16_t) (there ? low[i] : CT_CODE_MISSING);
        missing |= !there;
    }
    return missing;
}

static int code_rows(const plan *p, uint32_t from, uint32_t n, uint16_t *to)
{
    double values[CHUNK];
    int missing = 0;
    for (uint32_t col = 0; col < p->forest->n_cols; col++) {
        const ct_column *column = &p->columns[col];
        for (uint32_t i = 0; i < n; i++)
            values[i] = ct_is_missing(column, from + i) ? 0.0 / 0.0
                                                        : ct_column_value(column, from + i);
        missing |= code_values(&p->codes[col], values, n, to + col, p->stride);
    }
    return missing;
}

static void say(const plan *p, uint32_t number, const uint32_t *leaves, uint32_t from, uint32_t n)
{
    const ct_hist_tree *tree = &p->forest->trees[number];
    uint32_t n_classes = p->forest->n_classes;
    size_t at = (size_t) number * p->n_rows + from;
    for (uint32_t i = 0; i < n; i++) {
        const ct_hist_node *leaf = &tree->nodes[leaves[i]];
        size_t row = from + i;
        if (p->what == CT_HIST_LEAVES) ((int32_t *) p->out)[at + i] = (int32_t) leaves[i] + 1;
        else if (!n_classes)
            ((double *) p->out)[p->what == CT_HIST_TREES ? at + i : row] += tree->means[leaf->next];
        else if (p->what == CT_HIST_SHARES)
            ct_hist_add_shares(tree, n_classes, leaf, (int64_t *) p->out + row * n_classes);
        else if (p->what == CT_HIST_VOTES)
            ((uint32_t *) p->out)[row * n_classes + ct_hist_label(tree, n_classes, leaf)]++;
        else ((double *) p->out)[at + i] = ct_hist_label(tree, n_classes, leaf) + 1;
    }
}

static void walk_chunk(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const plan *p = (const plan *) data;
    uint32_t leaves[CHUNK], from = (uint32_t) begin, n = (uint32_t) (end - begin);
    uint16_t *by_row = p->by_row + (size_t) worker * CHUNK * p->stride;
    int missing = code_rows(p, from, n, by_row);
    for (uint32_t tree = 0; tree < p->forest->n_trees; tree++) {
        if (missing || !p->bare)
            walk_rows(&p->forest->trees[tree], by_row, p->stride, n, leaves);
        else walk_bare(p->bare + p->begins[tree], by_row, p->stride, n, leaves);
        say(p, tree, leaves, from, n);
    }
}

static size_t bytes_of(const plan *p)
{
    size_t rows = p->n_rows, trees = p->forest->n_trees,
           width = p->forest->n_classes ? p->forest->n_classes : 1;
    switch (p->what) {
    case CT_HIST_SHARES: return rows * width * sizeof(int64_t);
    case CT_HIST_VOTES: return rows * width * sizeof(uint32_t);
    case CT_HIST_LEAVES: return rows * trees * sizeof(int32_t);
    default: return rows * trees * sizeof(double);
    }
}

ct_status ct_hist_predict(const ct_hist_forest *forest, const ct_code_column *codes,
                          const ct_column *columns, uint32_t n_rows, ct_hist_output what,
                          unsigned threads, ct_halt *stop, void *out, ct_error *error)
{
    plan p = {forest, codes, columns, n_rows, ((size_t) forest->n_cols + 7) / 8 * 8,
              what,   out,   NULL,    NULL,   NULL};
    if (!threads) threads = 1;
    p.by_row = (uint16_t *) ct_alloc((size_t) threads * CHUNK * p.stride * sizeof *p.by_row);
    int fine = p.by_row && (n_rows < FEWEST || make_bare(&p));
    if (fine) {
        memset(out, 0, bytes_of(&p));
        ct_loop loop = {n_rows, CHUNK, CT_DYNAMIC, threads, walk_chunk, &p, stop};
        ct_parallel_for(&loop);
    }
    ct_free(p.by_row);
    ct_free(p.bare);
    ct_free(p.begins);
    return fine ? CT_OK : ct_fail(error, CT_NO_MEMORY, "no memory to predict");
}
