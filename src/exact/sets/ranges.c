/* What each row can get from the trees of a set, and at what cost. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exact/cost/response.h"
#include "exact/rows/ranks.h"
#include "exact/sets/parts.h"

/* Rows on their way down all trees of a set. Rows that were not learned from may part where no rows
 * of the table do, so every path is walked, also those that lead to the same node. */
typedef struct {
    ct_set *set;
    const ct_column *columns;
    /* The response where there is one: `least` then has the codes of the lowest prediction and of
     * the highest, turned over, as if they were costs of two classes */
    const ct_exact_response *response;
    uint32_t n_classes;
    int64_t *least;      /* [row][class] the least cost of a tree that predicts it */
    ct_set_stumps stumps;
    int64_t *best[2];    /* [cut][class] of the cuts up to this one that send a row right, and of
                          * those from it on that send it left */
    double *cuts;
    size_t room;         /* of cuts */
} walking;

/* Rows of the walk that are at a node, and what the rest of the tree costs at least. */
typedef struct {
    uint32_t *rows; /* [n] */
    uint32_t n;
    int64_t outside;
} group;

static void take(int64_t *least, int64_t cost)
{
    if (cost < *least) *least = cost;
}

/* Numbers as integers in the same order, and back. */
static int64_t code_of(double number)
{
    int64_t code;
    memcpy(&code, &number, sizeof code);
    return code < 0 ? code ^ INT64_MAX : code;
}

static double number_of(int64_t code)
{
    double number;
    if (code < 0) code ^= INT64_MAX;
    memcpy(&number, &code, sizeof number);
    return number;
}

/* A leaf with that label or value, in a tree of that cost. */
static void take_leaf(const walking *w, int64_t *least, uint32_t label, const ct_leaf_value *value,
                      int64_t cost)
{
    if (!w->response) {
        take(&least[label], cost);
        return;
    }
    double mean = value->by ? (double) value->of / (double) value->by : 0,
           number = w->response->centre + w->response->step * mean;
    take(&least[0], code_of(number));
    take(&least[1], code_of(-number));
}

/* What the rest of the tree adds to a cost. */
static int64_t outside_of(const walking *w, const group *g)
{
    return w->response ? 0 : g->outside;
}

/* Moves the rows that a cut sends left to the front; returns how many they are. Where a value is
 * missing the larger side of the training rows counts. */
static uint32_t part(const walking *w, const group *g, uint32_t f, double cut, int missing_left)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t row = g->rows[i];
        double value = ct_column_value(&w->columns[f], row);
        if (!(value < cut) && !(missing_left && ct_column_missing(&w->columns[f], row))) continue;
        g->rows[i] = g->rows[n_left];
        g->rows[n_left++] = row;
    }
    return n_left;
}

/* ---- splits into two leaves ---- */

static int make_room(walking *w, size_t cuts)
{
    if (cuts <= w->room) return 1;
    for (int side = 0; side < 2; side++) ct_free(w->best[side]);
    ct_free(w->cuts);
    size_t room = 2 * cuts;
    for (int side = 0; side < 2; side++)
        w->best[side] = (int64_t *) ct_alloc((room + 1) * w->n_classes * sizeof(int64_t));
    w->cuts = (double *) ct_alloc(room * sizeof *w->cuts);
    w->room = w->best[0] && w->best[1] && w->cuts ? room : 0;
    return w->room > 0;
}

/* The least cost of the cuts of one column on either side of a value, by label and by how many cuts
 * are not above it. */
static void sum_up(walking *w, const ct_set_stump *of, size_t n)
{
    const uint32_t k = w->n_classes;
    for (uint32_t c = 0; c < k; c++) w->best[1][c] = w->best[0][n * k + c] = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        w->cuts[i] = ct_set_cut(w->set, of[i].feature, of[i].around);
        memcpy(w->best[1] + (i + 1) * k, w->best[1] + i * k, k * sizeof(int64_t));
        take_leaf(w, w->best[1] + (i + 1) * k, of[i].label[1], &of[i].value[1], of[i].cost);
    }
    for (size_t i = n; i-- > 0;) {
        memcpy(w->best[0] + i * k, w->best[0] + (i + 1) * k, k * sizeof(int64_t));
        take_leaf(w, w->best[0] + i * k, of[i].label[0], &of[i].value[0], of[i].cost);
    }
}

static size_t cuts_up_to(const walking *w, size_t n, double value)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->cuts[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Rows without a value. */
static void take_missing(walking *w, const group *g, uint32_t row, const ct_set_stump *of, size_t n,
                         uint32_t n_rows)
{
    for (size_t i = 0; i < n; i++) {
        int side = 2 * of[i].n_left < n_rows;
        take_leaf(w, w->least + (size_t) row * w->n_classes, of[i].label[side], &of[i].value[side],
                  g->outside + of[i].cost);
    }
}

static void take_cuts(walking *w, const group *g, const ct_set_stump *of, size_t n, uint32_t n_rows)
{
    CT_ASSERT(n > 0 && n <= w->room);
    const uint32_t k = w->n_classes, f = of[0].feature;
    sum_up(w, of, n);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t row = g->rows[i];
        int64_t *least = w->least + (size_t) row * k;
        if (ct_column_missing(&w->columns[f], row)) {
            take_missing(w, g, row, of, n, n_rows);
            continue;
        }
        size_t at = cuts_up_to(w, n, ct_column_value(&w->columns[f], row));
        for (uint32_t c = 0; c < k; c++) {
            int64_t cost = ct_smaller_cost(w->best[0][at * k + c], w->best[1][at * k + c]);
            if (cost < INT64_MAX) take(&least[c], outside_of(w, g) + cost);
        }
    }
}

static ct_status walk_stumps(walking *w, const ct_place *place, const group *g)
{
    const ct_set_stumps *stumps = &w->stumps;
    CT_TRY(ct_set_stumps_list(&w->stumps, &w->set->worker, place, w->set->groups,
                              w->set->budget - g->outside));
    for (size_t i = 0, end; i < stumps->n; i = end) {
        for (end = i + 1; end < stumps->n && stumps->of[end].feature == stumps->of[i].feature;)
            end++;
        if (!make_room(w, end - i)) return CT_NO_MEMORY;
        take_cuts(w, g, stumps->of + i, end - i, place->node->n_rows);
    }
    return CT_OK;
}

/* ---- on the way down ---- */

static ct_status walk(walking *w, const ct_place *place, uint32_t index, const group *g);

static ct_status walk_option(walking *w, const ct_place *place, const ct_set_option *option,
                             const group *g)
{
    CT_ASSERT(option->feature < w->set->data.n_cols && g->n > 0);
    ct_set *set = w->set;
    const ct_node *node = place->node;
    uint32_t f = option->feature, around[2] = {0, 0},
             t = ct_layout_from_global(node->layout, f, option->threshold),
             n_left = ct_place_around(&set->worker, place, f, t, around),
             first = part(w, g, f, ct_set_cut(set, f, around), 2 * n_left >= node->n_rows);
    for (int side = 0; side < 2; side++) {
        uint32_t index = side ? option->right : option->left,
                 other = side ? option->left : option->right;
        group own = {side ? g->rows + first : g->rows, side ? g->n - first : first,
                     g->outside + set->search.split_cost +
                         ct_set_costs(&set->graph, &set->graph.nodes[other])[0]};
        ct_place child;
        if (!own.n) continue;
        ct_arena_mark mark = ct_arena_here(&set->worker.arena);
        ct_status status = ct_set_side(set, place, option, side, &child);
        if (status == CT_OK) status = walk(w, &child, index, &own);
        ct_arena_release(&set->worker.arena, mark);
        CT_TRY(status);
    }
    return CT_OK;
}

/* All trees of the node that fit into what the outside leaves. */
static ct_status walk(walking *w, const ct_place *place, uint32_t index, const group *g)
{
    const ct_set_graph *graph = &w->set->graph;
    const ct_set_node *node = &graph->nodes[index];
    int64_t most = w->set->budget - g->outside;
    if (node->leaf <= most)
        for (uint32_t i = 0; i < g->n; i++)
            take_leaf(w, w->least + (size_t) g->rows[i] * w->n_classes, node->label, &node->value,
                      g->outside + node->leaf);
    if (node->level == 1) return walk_stumps(w, place, g);
    for (uint32_t i = 0; i < node->n_options; i++) {
        const ct_set_option *option = &graph->options[node->first_option + i];
        int64_t least = w->set->search.split_cost +
                        ct_set_costs(graph, &graph->nodes[option->left])[0] +
                        ct_set_costs(graph, &graph->nodes[option->right])[0];
        if (least <= most) CT_TRY(walk_option(w, place, option, g));
        if (ct_is_halted(&w->set->worker)) return CT_OK;
    }
    return CT_OK;
}

static ct_status walk_all(walking *w, uint32_t *rows, uint32_t n_rows)
{
    ct_set *set = w->set;
    group all = {rows, n_rows, 0};
    ct_arena_mark mark = ct_arena_here(&set->worker.arena);
    for (uint32_t row = 0; row < n_rows; row++) rows[row] = row;
    ct_status status = ct_set_stumps_init(&w->stumps, &set->worker);
    if (status == CT_OK) status = walk(w, &set->place, set->graph.root, &all);
    ct_arena_release(&set->worker.arena, mark);
    ct_set_stumps_free(&w->stumps);
    for (int side = 0; side < 2; side++) ct_free(w->best[side]);
    ct_free(w->cuts);
    return status;
}

/* The i-th answer. */
static double answer_of(const walking *w, size_t i)
{
    if (w->least[i] == INT64_MAX) return INFINITY;
    if (!w->response) return ct_set_objective(w->set, w->least[i]);
    return i % 2 ? -number_of(w->least[i]) : number_of(w->least[i]);
}

ct_status ct_set_ranges(ct_set *set, const ct_column *columns, uint32_t n_rows, double *least,
                        ct_error *error)
{
    CT_ASSERT(columns && (least || !n_rows));
    walking w = {0};
    w.set = set;
    w.columns = columns;
    w.response = set->costs.response;
    w.n_classes = w.response ? 2 : set->data.n_classes;
    size_t n = (size_t) n_rows * w.n_classes;
    w.least = (int64_t *) ct_alloc((n + 1) * sizeof *w.least);
    uint32_t *rows = (uint32_t *) ct_alloc(((size_t) n_rows + 1) * sizeof *rows);
    ct_status status = w.least && rows ? CT_OK : CT_NO_MEMORY;
    ct_set_resume(set);
    for (size_t i = 0; w.least && i < n; i++) w.least[i] = INT64_MAX;
    if (status == CT_OK && ct_set_about(set).n_costs) status = walk_all(&w, rows, n_rows);
    for (size_t i = 0; status == CT_OK && i < n; i++)
        least[i] = answer_of(&w, i);
    ct_free(w.least);
    ct_free(rows);
    if (status == CT_OK) return CT_OK;
    return ct_fail(error, status, "not enough memory to walk the trees of the set");
}
