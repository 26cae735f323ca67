#include "forest/walk/walk.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "forest/walk/compact.h"
#include "forest/codes/encode.h"
#include "forest/walk/leaf_body.h"

enum {
    CHUNK = CT_COMPACT_ROWS,
    CODED = 64,            /* rows coded at a time, column after column; a chunk has no fewer */
    CACHED_CODES = 131072, /* of a chunk */
    CACHED_SUMS = CHUNK * CT_HIST_CLASSES, /* of one of CT_HIST_LABELS */
    FEWEST = 64
};

/* The leaf of a row whose codes are these. */
static uint32_t leaf_of(const ct_hist_tree *tree, const uint16_t *codes)
{
    uint32_t from = 0;
    while (tree->nodes[from].feature != CT_HIST_LEAF)
        from = ct_hist_next(&tree->nodes[from], codes[tree->nodes[from].feature]);
    return from;
}

uint32_t ct_hist_label(const ct_hist_tree *tree, uint32_t n_classes, const ct_hist_node *leaf)
{
    return ct_leaf_label(leaf->next, tree->counts, n_classes);
}

void ct_hist_add_shares(const ct_hist_tree *tree, uint32_t n_classes, const ct_hist_node *leaf,
                        int64_t *shares)
{
    ct_leaf_add_shares(leaf->next, tree->counts, n_classes, shares);
}

/* ---- new data ---- */

/* What a thread needs for some rows. */
typedef struct {
    uint16_t *by_row; /* [CHUNK][stride] codes */
    uint16_t rows[CHUNK + CT_COMPACT_PAD], plain[CHUNK], odd[CHUNK];
    uint8_t missing[CHUNK];
    uint32_t leaves[CHUNK], n_plain, n_odd; /* rows without missing values, and others */
    int64_t *sums;                          /* [CHUNK][class] of CT_HIST_LABELS */
} scratch;

typedef struct {
    const ct_hist_forest *forest;
    const ct_hist_code_column *codes;
    const ct_column *columns;
    uint32_t n_rows;
    ct_hist_output what;
    void *out;
    const ct_hist_visitor *visitor; /* in place of `out`, or NULL */
    int64_t no_memory;              /* atomic: the visitor's has ended */
    uint32_t chunk; /* rows at a time */
    size_t stride;
    ct_compact compact; /* without nodes: rows are too few for it to pay */
    double **means;     /* [tree][node] of numbers, where it has nodes */
    ct_coder *coders;
    scratch *scratches; /* [thread] */
} plan;

static void code_rows(const plan *p, uint32_t from, uint32_t n, scratch *d)
{
    uint32_t n_cols = p->forest->n_cols;
    memset(d->missing, 0, n);
    for (uint32_t begin = 0; begin < n; begin += CODED) {
        uint32_t m = n - begin < CODED ? n - begin : CODED;
        uint16_t *to = d->by_row + begin * p->stride;
        for (uint32_t col = 0; col < n_cols; col++)
            if (ct_forest_encode(&p->codes[col], &p->coders[col], &p->columns[col], from + begin, m,
                                 to + col, p->stride))
                for (uint32_t i = 0; i < m; i++)
                    d->missing[begin + i] |= to[i * p->stride + col] == CT_CODE_MISSING;
    }
    if (p->compact.nodes) ct_forest_compact_answer(&p->compact, n_cols, n, d->by_row, p->stride);
    d->n_plain = d->n_odd = 0;
    for (uint32_t i = 0; i < n; i++)
        if (p->compact.nodes && !d->missing[i]) d->plain[d->n_plain++] = (uint16_t) i;
        else d->odd[d->n_odd++] = (uint16_t) i;
}

static void say_numbers(const plan *p, uint32_t number, const uint32_t *leaves, uint32_t n,
                        double *out)
{
    const ct_hist_tree *tree = &p->forest->trees[number];
    if (p->means)
        for (uint32_t i = 0; i < n; i++) out[i] += p->means[number][leaves[i]];
    else
        for (uint32_t i = 0; i < n; i++) out[i] += tree->means[tree->nodes[leaves[i]].next];
}

static void say_shares(const ct_hist_tree *tree, uint32_t n_classes, const uint32_t *leaves,
                       uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++, out += n_classes) {
        const ct_hist_node *leaf = &tree->nodes[leaves[i]];
        if (leaf->next & CT_HIST_MIXED) ct_hist_add_shares(tree, n_classes, leaf, out);
        else out[ct_forest_pure_class(leaf->next, n_classes)] += INT64_C(1) << 32;
    }
}

static void say_votes(const ct_hist_tree *tree, uint32_t n_classes, const uint32_t *leaves,
                      uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++, out += n_classes)
        out[ct_hist_label(tree, n_classes, &tree->nodes[leaves[i]])]++;
}

/* What tree `number` says of n rows from a row on. */
static void say(const plan *p, uint32_t number, const scratch *d, uint32_t from, uint32_t n)
{
    const ct_hist_tree *tree = &p->forest->trees[number];
    const uint32_t *leaves = d->leaves;
    uint32_t n_classes = p->forest->n_classes;
    size_t at = (size_t) number * p->n_rows + from, row = (size_t) from * n_classes;
    if (p->what == CT_HIST_LEAVES)
        for (uint32_t i = 0; i < n; i++) ((int32_t *) p->out)[at + i] = (int32_t) leaves[i] + 1;
    else if (!n_classes)
        say_numbers(p, number, leaves, n,
                    (double *) p->out + (p->what == CT_HIST_TREES ? at : from));
    else if (p->what == CT_HIST_SHARES)
        say_shares(tree, n_classes, leaves, n, (int64_t *) p->out + row);
    else if (p->what == CT_HIST_VOTES)
        say_votes(tree, n_classes, leaves, n, (uint32_t *) p->out + row);
    else if (p->what == CT_HIST_LABELS)
        say_shares(tree, n_classes, leaves, n, d->sums);
    else
        for (uint32_t i = 0; i < n; i++)
            ((double *) p->out)[at + i] =
                ct_hist_label(tree, n_classes, &tree->nodes[leaves[i]]) + 1;
}

static uint32_t odd_leaf(const plan *p, uint32_t tree, const uint16_t *codes)
{
    if (p->compact.nodes) return ct_forest_compact_leaf(&p->compact, p->forest, tree, codes);
    return leaf_of(&p->forest->trees[tree], codes);
}

static void walk_chunk(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    plan *p = (plan *) data;
    scratch *d = &p->scratches[worker];
    uint32_t from = (uint32_t) begin, n = (uint32_t) (end - begin);
    size_t width = p->forest->n_classes;
    code_rows(p, from, n, d);
    if (d->sums) memset(d->sums, 0, n * width * sizeof *d->sums);
    for (uint32_t tree = 0; tree < p->forest->n_trees; tree++) {
        memcpy(d->rows, d->plain, d->n_plain * sizeof *d->rows);
        if (d->n_plain)
            ct_forest_compact_walk(&p->compact, tree, d->by_row, p->stride, d->rows, d->n_plain,
                                   d->leaves);
        for (uint32_t i = 0; i < d->n_odd; i++)
            d->leaves[d->odd[i]] = odd_leaf(p, tree, d->by_row + d->odd[i] * p->stride);
        if (!p->visitor) say(p, tree, d, from, n);
        else if (!p->visitor->tree(p->visitor->data, worker, tree, from, n, d->leaves))
            ct_atomic_write(&p->no_memory, 1);
        if (ct_atomic_read(&p->no_memory)) return;
    }
    if (p->visitor && !p->visitor->rows(p->visitor->data, worker, from, n))
        ct_atomic_write(&p->no_memory, 1);
    for (uint32_t i = 0; d->sums && i < n; i++)
        ((int32_t *) p->out)[from + i] =
            (int32_t) ct_leaf_most(d->sums + i * width, (uint32_t) width) + 1;
}

size_t ct_hist_output_bytes(const ct_hist_forest *forest, uint32_t n_rows, ct_hist_output what)
{
    size_t rows = n_rows, trees = forest->n_trees,
           width = forest->n_classes ? forest->n_classes : 1;
    switch (what) {
    case CT_HIST_SHARES: return rows * width * sizeof(int64_t);
    case CT_HIST_VOTES: return rows * width * sizeof(uint32_t);
    case CT_HIST_LEAVES: return rows * trees * sizeof(int32_t);
    case CT_HIST_LABELS: return rows * sizeof(int32_t);
    default: return rows * trees * sizeof(double);
    }
}

/* Means by node, so that a leaf's is one look-up away. */
static int make_means(plan *p)
{
    const ct_hist_forest *f = p->forest;
    if (f->n_classes || !p->compact.nodes || p->visitor) return 1;
    p->means = (double **) ct_alloc_zeroed(f->n_trees + 1, sizeof *p->means);
    if (!p->means) return 0;
    for (uint32_t i = 0; i < f->n_trees; i++) {
        const ct_hist_tree *tree = &f->trees[i];
        p->means[i] = (double *) ct_alloc(tree->n_nodes * sizeof **p->means);
        if (!p->means[i]) return 0;
        for (uint32_t k = 0; k < tree->n_nodes; k++)
            if (tree->nodes[k].feature == CT_HIST_LEAF)
                p->means[i][k] = tree->means[tree->nodes[k].next];
    }
    return 1;
}

static int make_plan(plan *p, unsigned threads)
{
    uint32_t n_cols = p->forest->n_cols;
    if (p->n_rows >= FEWEST && !ct_forest_compact_init(&p->compact, p->forest, p->codes,
                                                       p->n_rows)) return 0;
    if (p->compact.nodes) p->codes = p->compact.columns;
    p->stride = ((size_t) n_cols + p->compact.n_sets + 7) / 8 * 8;
    size_t rows = CACHED_CODES / p->stride, share = (p->n_rows + threads - 1) / threads;
    rows = rows < share ? rows : share;
    rows = rows < CODED ? CODED : rows > CHUNK ? CHUNK : rows;
    if (p->what == CT_HIST_LABELS && rows > CACHED_SUMS / p->forest->n_classes)
        rows = CACHED_SUMS / p->forest->n_classes;
    if (p->visitor && rows > p->visitor->most) rows = p->visitor->most;
    p->chunk = (uint32_t) rows;
    p->coders = ct_forest_coders_new(p->codes, n_cols, p->n_rows);
    p->scratches = (scratch *) ct_alloc_zeroed(threads, sizeof *p->scratches);
    if (!p->coders || !p->scratches || !make_means(p)) return 0;
    int fine = 1;
    for (unsigned i = 0; fine && i < threads; i++) {
        p->scratches[i].by_row = (uint16_t *) ct_alloc(rows * p->stride * sizeof(uint16_t));
        fine = p->scratches[i].by_row != NULL;
        if (!fine || p->what != CT_HIST_LABELS) continue;
        p->scratches[i].sums = (int64_t *) ct_alloc(rows * p->forest->n_classes * sizeof(int64_t));
        fine = p->scratches[i].sums != NULL;
    }
    return fine;
}

static void free_plan(plan *p, unsigned threads)
{
    for (unsigned i = 0; p->scratches && i < threads; i++) {
        ct_free(p->scratches[i].by_row);
        ct_free(p->scratches[i].sums);
    }
    for (uint32_t i = 0; p->means && i < p->forest->n_trees; i++) ct_free(p->means[i]);
    ct_free(p->scratches);
    ct_free(p->means);
    ct_forest_coders_free(p->coders, p->forest->n_cols);
    ct_forest_compact_free(&p->compact);
}

static ct_status walk_rows(plan *p, unsigned threads, ct_halt *stop, ct_error *error)
{
    int fine = make_plan(p, threads);
    if (fine) {
        ct_loop loop = {p->n_rows, p->chunk, CT_DYNAMIC, threads, walk_chunk, p, stop};
        ct_parallel_for(&loop);
    }
    free_plan(p, threads);
    return fine && !p->no_memory ? CT_OK : ct_fail(error, CT_NO_MEMORY, "no memory to predict");
}

ct_status ct_hist_predict(const ct_hist_forest *forest, const ct_hist_code_column *codes,
                          const ct_column *columns, uint32_t n_rows, ct_hist_output what,
                          unsigned threads, ct_halt *stop, void *out, ct_error *error)
{
    CT_ASSERT(forest->n_classes || what != CT_HIST_LABELS);
    plan p = {.forest = forest, .codes = codes, .columns = columns, .n_rows = n_rows,
              .what = what, .out = out};
    memset(out, 0, ct_hist_output_bytes(forest, n_rows, what));
    return walk_rows(&p, threads ? threads : 1, stop, error);
}

ct_status ct_hist_visit(const ct_hist_forest *forest, const ct_hist_code_column *codes,
                        const ct_column *columns, uint32_t n_rows, const ct_hist_visitor *visitor,
                        unsigned threads, ct_halt *stop, ct_error *error)
{
    CT_ASSERT(codes && columns && visitor);
    plan p = {.forest = forest, .codes = codes, .columns = columns, .n_rows = n_rows,
              .what = CT_HIST_LEAVES, .visitor = visitor};
    return walk_rows(&p, threads ? threads : 1, stop, error);
}
