#include "forest/grow/permute.h"

#include <math.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/threads.h"
#include "forest/sample/draws.h"
#include "forest/sample/paths.h"
#include "forest/walk/walk.h"

/* Only where another row's code goes the other way than a row's own can exchanging it change
 * anything, and the walk starts anew there: most columns are not tested, or tests answer alike.
 * Rows of a leaf have one path, and each node of it sends away certain codes of its column,
 * whichever row they are exchanged into: of a column's nodes no two the same ones. */

double ct_forest_permute_unit(const ct_grower *g)
{
    return g->n_classes ? 1 : ldexp(1, g->harm_words.low);
}

double ct_forest_local_unit(const ct_grower *g)
{
    return g->n_classes ? 1 : ldexp(1, g->local_low);
}

/* ---- codes sent away from a path ---- */

/* Codes of a column: low .. low + n - 1, and the missing one or not. Of levels without an order:
 * `low` has a bit for each, the last for the missing one. */
typedef struct {
    uint32_t low, n, missing;
} code_set;

/* A node between the root and a leaf. */
typedef struct {
    code_set kept, sent;  /* those of the codes that come here which go on to the child; or not */
    uint32_t child, away; /* where these go */
    uint32_t col, before; /* the step, from 1, that tested the column before; 0: none */
    int is_set;
} path_step;

CT_HOT uint32_t holds(const code_set *set, int is_set, uint32_t code)
{
    if (is_set) return set->low >> code % 16 & 1;
    return (code - set->low < set->n) | ((code + set->missing) >> 16);
}

/* The codes that the node sends to a side, of `all` that come to it. */
static code_set codes_to(const ct_hist_node *node, code_set all, int right)
{
    uint32_t missing_left = node->next >> 31, end = all.low + all.n, cut = node->cut;
    if (node->next & CT_HIST_SET) {
        uint32_t left = (cut & 0x7fff) | missing_left << 15;
        return (code_set){all.low & (right ? ~left : left), 0, 0};
    }
    cut = cut < all.low ? all.low : cut < end ? cut : end;
    if (right) return (code_set){cut, end - cut, all.missing & !missing_left};
    return (code_set){all.low, cut - all.low, all.missing & missing_left};
}

/* ---- rows with a column from another ---- */

/* A walk from where the codes of a column part. */
typedef struct {
    uint32_t row, at;   /* the node that it has come to */
    uint16_t col, code; /* the column, and what it is in the other row */
} exchange;

enum { EXCHANGES = 2048, GROUP = 256, FLIGHT = 8, STEPS = 4 };

typedef struct {
    const ct_grower *grower;
    const ct_left_out *out;
    const ct_hist_tree *tree;
    const uint16_t *codes;     /* of all rows, */
    size_t next_row, next_col; /* so far from each other */
    /* rows lie together, and no column has missing values or levels without an order: then `next`
     * in these is the left child and no more */
    int plain;
    /* [n_nodes] of the tree, owned, as `up` and all between; from a leaf all codes go left, to
     * itself */
    ct_hist_node *nodes;
    uint32_t *parents;     /* [n_nodes] */
    uint16_t *labels;      /* [n_nodes] of leaves; numbers: NULL */
    path_step *path;       /* [depth] */
    uint32_t *up;          /* [depth] nodes from a leaf upwards */
    uint32_t *last_step;   /* [n_cols] the last step that tests the column, from 1; 0: none */
    uint32_t n_path, end;  /* steps, and the node that they lead to */
    double unit;
    uint32_t *leaf_of; /* [row] its leaf, for whoever asks how much worse a row is; else NULL */
    int in_words; /* losses are 0, and what a walk ends with is how much worse it is */
    int64_t *harm, *local;
    uint32_t n;
    exchange all[EXCHANGES];
    uint32_t n_group;      /* rows of one leaf: */
    uint32_t rows[GROUP];
    size_t others[GROUP];  /* codes of the rows that theirs are exchanged with */
    int64_t losses[GROUP]; /* as they are */
} permutation;

static double mean_at(const permutation *p, uint32_t leaf)
{
    return p->tree->means[p->tree->nodes[leaf].next];
}

/* Not of squares: these may be much larger than what they differ by. */
static void add_difference(permutation *p, const exchange *e)
{
    const ct_words *words = &p->grower->harm_words;
    const double now = mean_at(p, e->at), before = mean_at(p, p->leaf_of[e->row]),
                 number = p->grower->data->numbers[e->row];
    ct_words_add(words, p->harm + (size_t) e->col * words->n,
                 (now - before) * ((now - number) + (before - number)));
}

/* How bad it is to predict the leaf for the row. */
static inline int64_t loss_in(const permutation *p, uint32_t node, uint32_t row, double unit)
{
    const ct_hist_data *data = p->grower->data;
    if (p->labels) return p->labels[node] != (uint32_t) data->classes[row];
    double off = mean_at(p, node) - data->numbers[row];
    return ct_rounded(off * off / unit);
}

static inline int64_t loss_of(const permutation *p, uint32_t node, uint32_t row)
{
    return loss_in(p, node, row, p->unit);
}

static void add_local(permutation *p, const exchange *e)
{
    const double unit = ct_forest_local_unit(p->grower);
    const int64_t worse = loss_in(p, e->at, e->row, unit) -
                          loss_in(p, p->leaf_of[e->row], e->row, unit);
    if (worse) ct_atomic_add(p->local + (size_t) e->row * p->grower->n_cols + e->col, worse);
}

CT_HOT uint32_t next_of(const ct_hist_node *node, uint16_t code, int plain)
{
    return plain ? node->next + (code >= node->cut) : ct_hist_next(node, code);
}

/* Some steps of eight, which do not wait for each other. At their leaf they stay. */
#define FOR_FLIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define BEGIN(i)                                                             \
    const uint16_t *codes##i = p->codes + flight[i]->row * p->next_row;      \
    const uint16_t col##i = flight[i]->col, code##i = flight[i]->code;       \
    uint32_t at##i = flight[i]->at;
#define STEP(i)                                                              \
    {                                                                        \
        const ct_hist_node *node = &nodes[at##i];                            \
        const uint16_t own = codes##i[node->feature * next_col];             \
        const int exchanged = node->feature == col##i;                       \
        at##i = next_of(node, exchanged ? code##i : own, plain);             \
    }
#define END(i) flight[i]->at = at##i;

CT_HOT void walk_flight(const permutation *p, exchange *const *flight, int plain)
{
    const ct_hist_node *nodes = p->nodes;
    const size_t next_col = plain ? 1 : p->next_col;
    FOR_FLIGHT(BEGIN)
    for (unsigned step = 0; step < STEPS; step++) {
        FOR_FLIGHT(STEP)
    }
    FOR_FLIGHT(END)
}

static void walk_flights(const permutation *p, exchange *const *going, uint32_t n)
{
    if (p->plain)
        for (uint32_t i = 0; i < n; i += FLIGHT) walk_flight(p, going + i, 1);
    else
        for (uint32_t i = 0; i < n; i += FLIGHT) walk_flight(p, going + i, 0);
}

static uint32_t still_going(const ct_hist_node *nodes, exchange **going, uint32_t n)
{
    uint32_t rest = 0;
    for (uint32_t i = 0; i < n; i++) {
        exchange *e = going[i];
        going[rest] = e;
        rest += (nodes[e->at].next & CT_HIST_CHILD) != e->at;
    }
    return rest;
}

static void walk_all(permutation *p)
{
    exchange *going[EXCHANGES + FLIGHT];
    uint32_t n = p->n;
    for (uint32_t i = 0; i < n; i++) going[i] = &p->all[i];
    while (n) {
        for (uint32_t i = n; i % FLIGHT; i++) going[i] = going[n - 1];
        walk_flights(p, going, n);
        n = still_going(p->nodes, going, n);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        const exchange *e = &p->all[i];
        if (p->in_words) add_difference(p, e);
        else p->harm[e->col] += loss_of(p, e->at, e->row);
        if (p->local) add_local(p, e);
    }
    p->n = 0;
}

/* ---- rows of a leaf ---- */

/* Rows that the step sends away lose what they cost so far, and are on a walk from there. */
CT_HOT void leave_path(permutation *p, const path_step *s, int is_set)
{
    const uint16_t *codes = p->codes + s->col * p->next_col;
    const uint32_t away = s->away, n_group = p->n_group;
    const uint16_t col = (uint16_t) s->col;
    const code_set sent = s->sent;
    exchange *all = p->all;
    uint32_t n = p->n;
    int64_t losses = 0;
    for (uint32_t i = 0; i < n_group; i++) {
        uint16_t code = codes[p->others[i]];
        uint32_t goes = holds(&sent, is_set, code);
        all[n] = (exchange){p->rows[i], away, col, code};
        losses += p->losses[i] & -(int64_t) goes;
        n += goes;
    }
    p->n = n;
    p->harm[col] -= losses;
}

static void take_group(permutation *p)
{
    for (uint32_t i = 0; i < p->n_path; i++) {
        const path_step *s = &p->path[i];
        if (p->n + p->n_group > EXCHANGES) walk_all(p);
        if (s->is_set) leave_path(p, s, 1);
        else leave_path(p, s, 0);
    }
}

static void add_step(permutation *p, uint32_t child)
{
    const ct_hist_node *node = &p->tree->nodes[p->end];
    uint32_t col = node->feature, left = node->next & CT_HIST_CHILD, before = p->last_step[col];
    int right = child != left, is_set = (node->next & CT_HIST_SET) != 0;
    code_set all = {0, CT_CODE_MISSING, 1};
    if (is_set) all.low = UINT32_MAX;
    if (before) all = p->path[before - 1].kept;
    CT_ASSERT(!before || p->path[before - 1].is_set == is_set);
    code_set kept = codes_to(node, all, right), sent = codes_to(node, all, !right);
    uint32_t away = left + !right;
    p->path[p->n_path++] = (path_step){kept, sent, child, away, col, before, is_set};
    p->last_step[col] = p->n_path;
    p->end = child;
}

static void drop_step(permutation *p)
{
    const path_step *last = &p->path[--p->n_path];
    p->last_step[last->col] = last->before;
    p->end = p->n_path ? p->path[p->n_path - 1].child : 0;
}

/* Numbers grow on the way down, and those of a parent are below both. */
static void path_to(permutation *p, uint32_t leaf)
{
    uint32_t n = 0;
    while (leaf != p->end) {
        if (leaf < p->end) {
            drop_step(p);
        } else {
            p->up[n++] = leaf;
            leaf = p->parents[leaf];
        }
    }
    CT_ASSERT(p->n_path + n <= p->tree->depth);
    while (n) add_step(p, p->up[--n]);
}

/* Of one leaf from row i on. */
static void make_group(permutation *p, uint32_t i, const uint32_t *shuffled)
{
    const ct_left_out *out = p->out;
    uint32_t leaf = out->leaf[i], n = 0;
    for (; n < GROUP && i < out->n && out->leaf[i] == leaf; i++, n++) {
        p->rows[n] = out->row[i];
        p->others[n] = out->row[shuffled[i]] * p->next_row;
        p->losses[n] = p->in_words ? 0 : loss_of(p, leaf, p->rows[n]);
    }
    p->n_group = n;
}

/* ---- all steps ---- */

static int is_plain(const ct_hist_codes *codes)
{
    for (uint32_t col = 0; col < codes->n_cols; col++)
        if (codes->columns[col].has_missing || codes->columns[col].is_set) return 0;
    return codes->by_row != NULL;
}

static void copy_nodes(permutation *p)
{
    for (uint32_t i = 0; i < p->tree->n_nodes; i++) {
        ct_hist_node node = p->tree->nodes[i];
        if (node.feature == CT_HIST_LEAF) node = (ct_hist_node){i | CT_HIST_FLAG, 0, UINT16_MAX};
        if (p->plain) node.next &= CT_HIST_CHILD;
        p->nodes[i] = node;
    }
}

static void find_parents(permutation *p)
{
    for (uint32_t i = 0; i < p->tree->n_nodes; i++) {
        const ct_hist_node *node = &p->tree->nodes[i];
        if (node->feature == CT_HIST_LEAF) continue;
        uint32_t left = node->next & CT_HIST_CHILD;
        p->parents[left] = p->parents[left + 1] = i;
    }
}

static void find_labels(permutation *p, uint32_t n_classes)
{
    for (uint32_t i = 0; i < p->tree->n_nodes; i++) {
        const ct_hist_node *node = &p->tree->nodes[i];
        if (node->feature == CT_HIST_LEAF)
            p->labels[i] = (uint16_t) ct_hist_label(p->tree, n_classes, node);
    }
}

/* 0 if memory ends; close_permutation() then too. */
static int open_permutation(permutation *p, const ct_grower *grower, const ct_left_out *out,
                            const ct_hist_tree *tree, int64_t *harm, int64_t *local)
{
    const ct_hist_codes *codes = grower->codes;
    const uint32_t n_classes = grower->data->n_classes;
    p->grower = grower;
    p->out = out;
    p->tree = tree;
    p->codes = codes->by_row ? codes->by_row : codes->codes;
    p->next_row = codes->by_row ? codes->stride : 1;
    p->next_col = codes->by_row ? 1 : codes->n_rows;
    p->plain = is_plain(codes);
    p->nodes = (ct_hist_node *) ct_alloc(tree->n_nodes * sizeof *p->nodes);
    p->parents = (uint32_t *) ct_alloc(tree->n_nodes * sizeof *p->parents);
    p->labels = n_classes ? (uint16_t *) ct_alloc(tree->n_nodes * sizeof *p->labels) : NULL;
    p->path = (path_step *) ct_alloc((tree->depth + 1) * sizeof *p->path);
    p->up = (uint32_t *) ct_alloc((tree->depth + 1) * sizeof *p->up);
    p->last_step = (uint32_t *) ct_alloc_zeroed(codes->n_cols, sizeof *p->last_step);
    p->n_path = p->end = p->n = 0;
    p->unit = ct_forest_permute_unit(grower);
    p->harm = harm;
    p->local = local;
    p->in_words = grower->harm_words.n > 1;
    const int needs_leaf = p->in_words || local;
    p->leaf_of = needs_leaf ? (uint32_t *) ct_alloc(codes->n_rows * sizeof *p->leaf_of) : NULL;
    if (!p->nodes || !p->parents || (n_classes && !p->labels) || !p->path || !p->up ||
        !p->last_step || (needs_leaf && !p->leaf_of))
        return 0;
    copy_nodes(p);
    find_parents(p);
    if (n_classes) find_labels(p, n_classes);
    for (uint32_t i = 0; needs_leaf && i < out->n; i++)
        p->leaf_of[out->row[i]] = out->leaf[i];
    return 1;
}

static void close_permutation(permutation *p)
{
    ct_free(p->nodes);
    ct_free(p->parents);
    ct_free(p->labels);
    ct_free(p->path);
    ct_free(p->up);
    ct_free(p->last_step);
    ct_free(p->leaf_of);
}

static void shuffle(const ct_grower *grower, const ct_left_out *out, uint32_t tree)
{
    ct_draws draws;
    ct_draws_init(&draws, grower->scan,
                  ct_rng_of(grower->options->seed, tree, CT_PERMUTATION_PATH));
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t place = ct_draw_below(&draws, i + 1);
        out->spare[i] = out->spare[place];
        out->spare[place] = i;
    }
}

int ct_forest_permute(const ct_grower *grower, const ct_left_out *out, const ct_hist_tree *tree,
                      int64_t *harm, int64_t *local, ct_halt *stop, unsigned number)
{
    CT_ASSERT(out->n <= grower->n_rows && tree->n_nodes > 0);
    permutation p;
    int fine = open_permutation(&p, grower, out, tree, harm, local);
    if (fine) shuffle(grower, out, tree->number);
    for (uint32_t i = 0; fine && i < out->n; i += p.n_group) {
        path_to(&p, out->leaf[i]);
        make_group(&p, i, out->spare);
        take_group(&p);
        fine = local || !ct_halt_now(stop, number); /* a tree counts in full or not at all */
    }
    if (fine) walk_all(&p);
    close_permutation(&p);
    return fine;
}
