#include "forest/permute.h"

#include <math.h>

#include "base/memory.h"
#include "forest/bare.h"
#include "forest/paths.h"
#include "forest/walk.h"

/* Only where another row's code goes the other way than a row's own can exchanging it change
 * anything, and the walk starts anew there: most columns are not asked about, or answer alike. */

double ct_permute_unit(const ct_grower *g)
{
    double most = g->unit * 8388608.0; /* the largest deviation from the centre */
    return g->n_classes ? 1 : ldexp(most * most, -20);
}

/* How bad it is to predict the leaf for the row. */
static int64_t loss_of(const ct_desk *desk, const ct_hist_tree *tree, uint32_t node, uint32_t row,
                       double unit)
{
    const ct_hist_node *leaf = &tree->nodes[node];
    const ct_hist_data *data = desk->grower->data;
    if (data->n_classes)
        return ct_hist_label(tree, data->n_classes, leaf) != (uint32_t) data->classes[row];
    double off = tree->means[leaf->next] - data->numbers[row];
    return llround(off * off / unit);
}

static uint16_t code_at(const ct_codes *codes, uint32_t row, uint32_t col)
{
    if (codes->by_row) return codes->by_row[row * codes->stride + col];
    return codes->codes[(size_t) col * codes->n_rows + row];
}

/* ---- rows with a column from another ---- */

/* A walk from where the codes of a column part. */
typedef struct {
    uint32_t place;    /* of the row among those left out */
    uint32_t at;       /* the node that it has come to */
    uint16_t col, code; /* the column, and what it is in the other row */
} exchange;

enum { EXCHANGES = 2048, FLIGHT = 8, STEPS = 4 };

typedef struct {
    const ct_desk *desk;
    const ct_hist_tree *tree;
    ct_bare_node *nodes; /* [n_nodes] of the tree; NULL: some have answers besides left and right */
    double unit;
    int64_t *harm;
    uint32_t n;
    exchange all[EXCHANGES];
} exchanges;

static uint16_t exchanged(const ct_codes *codes, const exchange *e, uint32_t row, uint32_t feature)
{
    return feature == e->col ? e->code : code_at(codes, row, feature);
}

static void walk_alone(const exchanges *x, exchange *e)
{
    const ct_hist_node *nodes = x->tree->nodes;
    uint32_t row = x->desk->out_row[e->place];
    while (nodes[e->at].feature != CT_HIST_LEAF)
        e->at = ct_hist_next(&nodes[e->at], exchanged(x->desk->grower->codes, e, row,
                                                      nodes[e->at].feature));
}

/* Some steps of eight, which do not wait for each other. At their leaf they stay. */
#define FOR_FLIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define BEGIN(i)                                                                               \
    const uint16_t *codes##i = by_row + rows[flight[i]->place] * stride;                       \
    const uint16_t col##i = flight[i]->col, code##i = flight[i]->code;                         \
    uint32_t at##i = flight[i]->at;
#define STEP(i)                                                                                \
    {                                                                                          \
        const ct_bare_node *node = &nodes[at##i];                                              \
        const uint16_t own = codes##i[node->feature];                                          \
        at##i = node->left + ((node->feature == col##i ? code##i : own) > node->last);         \
    }
#define END(i) flight[i]->at = at##i;

static void walk_flight(const ct_bare_node *nodes, const uint16_t *by_row, size_t stride,
                        const uint32_t *rows, exchange *const *flight)
{
    FOR_FLIGHT(BEGIN)
    for (unsigned step = 0; step < STEPS; step++) {
        FOR_FLIGHT(STEP)
    }
    FOR_FLIGHT(END)
}

static void walk_together(exchanges *x)
{
    const ct_codes *codes = x->desk->grower->codes;
    exchange *going[EXCHANGES + FLIGHT];
    uint32_t n = x->n;
    for (uint32_t i = 0; i < n; i++) going[i] = &x->all[i];
    while (n) {
        uint32_t rest = 0;
        for (uint32_t i = n; i % FLIGHT; i++) going[i] = going[n - 1];
        for (uint32_t i = 0; i < n; i += FLIGHT)
            walk_flight(x->nodes, codes->by_row, codes->stride, x->desk->out_row, going + i);
        for (uint32_t i = 0; i < n; i++) {
            exchange *e = going[i];
            going[rest] = e;
            rest += x->nodes[e->at].left != e->at;
        }
        n = rest;
    }
}

static void walk_all(exchanges *x)
{
    const ct_desk *desk = x->desk;
    if (x->nodes) walk_together(x);
    for (uint32_t i = 0; i < x->n; i++) {
        exchange *e = &x->all[i];
        uint32_t row = desk->out_row[e->place], leaf = desk->out_leaf[e->place];
        if (!x->nodes) walk_alone(x, e);
        if (e->at != leaf)
            x->harm[e->col] += loss_of(desk, x->tree, e->at, row, x->unit) -
                               loss_of(desk, x->tree, leaf, row, x->unit);
    }
    x->n = 0;
}

/* Nodes that need no more than a comparison; NULL if some do, or if memory ends. */
static ct_bare_node *bare_nodes(const ct_codes *codes, const ct_hist_tree *tree)
{
    if (!codes->by_row) return NULL;
    for (uint32_t col = 0; col < codes->n_cols; col++)
        if (codes->columns[col].has_missing || codes->columns[col].is_set) return NULL;
    ct_bare_node *nodes = (ct_bare_node *) ct_alloc(tree->n_nodes * sizeof *nodes);
    for (uint32_t i = 0; nodes && i < tree->n_nodes; i++) {
        const ct_hist_node *node = &tree->nodes[i];
        if (node->feature == CT_HIST_LEAF) nodes[i] = (ct_bare_node){i, 0, UINT16_MAX};
        else nodes[i] = (ct_bare_node){node->next & CT_HIST_CHILD, node->feature,
                                       (uint16_t) (node->cut - 1)};
    }
    return nodes;
}

/* ---- the whole ---- */

/* parted[col]: the last row, from 1, whose path the column of another row has left. */
static void permute_row(exchanges *x, uint32_t i, uint32_t other, uint32_t *parted)
{
    const ct_codes *codes = x->desk->grower->codes;
    uint32_t row = x->desk->out_row[i], leaf = x->desk->out_leaf[i], node = 0;
    while (node != leaf) {
        const ct_hist_node *at = &x->tree->nodes[node];
        uint32_t col = at->feature;
        node = ct_hist_next(at, code_at(codes, row, col));
        if (parted[col] == i + 1) continue;
        uint16_t code = code_at(codes, other, col);
        uint32_t away = ct_hist_next(at, code);
        if (away == node) continue;
        parted[col] = i + 1;
        x->all[x->n++] = (exchange){i, away, (uint16_t) col, code};
        if (x->n == EXCHANGES) walk_all(x);
    }
}

int ct_permute(ct_desk *desk, const ct_hist_tree *tree, int64_t *harm)
{
    uint32_t n = desk->n_settled, *shuffled = desk->spare_out, *parted = desk->places;
    ct_rng rng = ct_rng_of(desk->grower->options->seed, tree->number, CT_PERMUTATION_PATH);
    exchanges x;
    int fine = 1;
    x.desk = desk;
    x.tree = tree;
    x.nodes = bare_nodes(desk->grower->codes, tree);
    x.unit = ct_permute_unit(desk->grower);
    x.harm = harm;
    x.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = ct_rng_below(&rng, i + 1);
        shuffled[i] = shuffled[place];
        shuffled[place] = i;
    }
    for (uint32_t col = 0; col < desk->grower->n_cols; col++) parted[col] = 0;
    for (uint32_t i = 0; fine && i < n; i++) {
        fine = i % 1024 || !ct_halt_now(desk->stop, desk->number);
        if (fine) permute_row(&x, i, desk->out_row[shuffled[i]], parted);
    }
    walk_all(&x);
    ct_free(x.nodes);
    return fine;
}
