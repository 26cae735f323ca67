#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/grow/subtree.h"

#include <string.h>

#include "base/bits.h"
#include "forest/scan/lanes.h"
#include "forest/grow/nodes.h"

enum { SIGN_BIT = 0x8000 }; /* codes with this bit flipped compare as signed numbers */

typedef struct {
    ct_hist_task task;
    uint32_t rows; /* a bit for each of the subtree's */
    uint32_t of_run[CT_SUBSET_ROWS];
    ct_hist_run runs[CT_SUBSET_ROWS];
} subset;

/* Candidates come a second time, behind the first, where some of their values are missing, which
 * then go left. */
typedef struct {
    ct_hist_scratch *scratch;
    const ct_view *view;
    uint32_t tree;
    uint32_t rows[CT_SUBSET_ROWS]; /* in the view */
    uint16_t weights[CT_SUBSET_ROWS];
    int16_t codes[2 * CT_LANES][CT_SUBSET_ROWS];
    uint32_t columns[2 * CT_LANES]; /* of the candidates of the node under way */
    uint8_t missing[2 * CT_LANES], missing_left[2 * CT_LANES];
    ct_subset node;
} subtree;

int ct_forest_may_have_subtrees(const ct_grower *g)
{
    int has_sets = 0;
    for (uint32_t col = 0; col < g->n_cols; col++) has_sets |= g->codes->columns[col].is_set;
    return g->scan->subset_gini && g->criterion->score == CT_SCORE_SQUARES &&
           !g->criterion->at_random && !g->options->learn && !has_sets && !ct_has_limits(g);
}

/* ---- codes ---- */

#define SUBSET_COLUMN(lane) \
    const uint16_t *from##lane = view->codes + columns[lane] * view->code_stride;
#define SUBSET_READ(lane) to[lane][i] = (int16_t) (from##lane[at] ^ SIGN_BIT);
#define SUBSET_ROWS(LANES, PLACE)                            \
    {                                                        \
        LANES(SUBSET_COLUMN)                                 \
        for (uint32_t rest = rows; rest; rest &= rest - 1) { \
            const unsigned i = ct_trailing_zeros(rest);              \
            const size_t at = PLACE(s->rows[i]);             \
            LANES(SUBSET_READ)                               \
        }                                                    \
    }
#define ROW(row) row
#define CODE_ROW(row) view->code_rows[row]

static void read_codes(subtree *s, unsigned n)
{
    const ct_view *view = s->view;
    const uint32_t *columns = s->columns, rows = s->node.rows;
    int16_t (*to)[CT_SUBSET_ROWS] = s->codes;
    CT_ASSERT(n && n <= CT_LANES);
    if (view->code_rows) CT_FOR_LANES(n, SUBSET_ROWS, CODE_ROW)
    else CT_FOR_LANES(n, SUBSET_ROWS, ROW)
}

static int any_missing(uint32_t rows, const int16_t *codes)
{
    int missing = 0;
    for (uint32_t rest = rows; rest; rest &= rest - 1)
        missing |= codes[ct_trailing_zeros(rest)] == INT16_MAX;
    return missing;
}

/* Missing values go below all others, which are one higher. */
static void move_missing(const int16_t *from, int16_t *to)
{
    for (unsigned i = 0; i < CT_SUBSET_ROWS; i++) to[i] = (int16_t) ((uint16_t) from[i] + 1);
}

/* ---- the best cut ---- */

static void add_candidate(subtree *s, const int16_t *codes, uint32_t column, int missing,
                          int missing_left)
{
    const uint32_t k = s->node.n_candidates++;
    s->node.codes[k] = codes;
    s->columns[k] = column;
    s->missing[k] = (uint8_t) missing;
    s->missing_left[k] = (uint8_t) missing_left;
}

static void add_candidates(subtree *s, unsigned n)
{
    uint32_t columns[CT_LANES];
    memcpy(columns, s->columns, sizeof columns);
    s->node.n_candidates = 0;
    for (unsigned i = 0; i < n; i++) {
        const int missing = any_missing(s->node.rows, s->codes[i]);
        add_candidate(s, s->codes[i], columns[i], missing, 0);
        if (!missing) continue;
        move_missing(s->codes[i], s->codes[CT_LANES + i]);
        add_candidate(s, s->codes[CT_LANES + i], columns[i], 1, 1);
    }
}

static uint32_t from_signed(int16_t code, int missing_left)
{
    return (uint16_t) (((uint16_t) code ^ SIGN_BIT) - missing_left);
}

static void take_cut(const subtree *s, const ct_subset_cut *cut, ct_hist_split *split)
{
    const uint32_t column = s->columns[cut->candidate];
    const int missing_left = s->missing_left[cut->candidate];
    const uint32_t low = from_signed(cut->code, missing_left),
                   high = from_signed(cut->next, missing_left);
    *split = (ct_hist_split){.column = column, .missing_left = missing_left,
                             .knows_missing = s->missing[cut->candidate]};
    split->cut = high == CT_CODE_MISSING ? s->scratch->grower->codes->columns[column].n_codes
                                         : (low + high + 1) / 2;
}

/* 0 if there is none. */
static int find_cut(subtree *s, const subset *own, ct_subset_cut *cut, ct_hist_split *split)
{
    const ct_grower *g = s->scratch->grower;
    const ct_hist_options *options = g->options;
    ct_rng rng = options->pool_by_level ? ct_forest_pool_rng(g, s->tree, own->task.depth)
                                        : ct_rng_of(options->seed, s->tree, own->task.path);
    uint32_t n_drawn = 0;
    int found = 0;
    s->node.runs = own->runs;
    s->node.of_run = own->of_run;
    s->node.n_runs = own->task.n_runs;
    s->node.rows = own->rows;
    s->node.weight = own->task.weight;
    cut->score = -1;
    while (n_drawn < options->mtry) {
        uint32_t n = 0;
        while (n < CT_LANES && n_drawn < options->mtry)
            s->columns[n++] = ct_forest_draw_next(&s->scratch->search, &rng, n_drawn++);
        read_codes(s, n);
        s->node.n_candidates = n;
        if (g->has_missing) add_candidates(s, n);
        if (!g->scan->subset_gini(&s->node, cut)) continue;
        take_cut(s, cut, split);
        found = 1;
    }
    ct_forest_put_back(&s->scratch->search, n_drawn);
    return found;
}

/* ---- nodes ---- */

static uint32_t weight_of(const subtree *s, uint32_t rows)
{
    uint32_t weight = 0;
    for (uint32_t rest = rows; rest; rest &= rest - 1)
        weight += s->weights[ct_trailing_zeros(rest)];
    return weight;
}

static void part(const subtree *s, const subset *own, const ct_subset_cut *cut, subset *left,
                 subset *right)
{
    ct_runs to_left = {left->runs, 0, 0, 0}, to_right = {right->runs, 0, 0, 0};
    left->rows = cut->left;
    right->rows = own->rows & ~cut->left;
    for (uint32_t k = 0; k < own->task.n_runs; k++) {
        const ct_hist_run run = own->runs[k];
        const uint32_t rows = own->of_run[k] & right->rows, n = ct_popcount(rows),
                       weight = own->task.n_runs == 2 ? cut->right >> 8 * k & 255
                                                      : weight_of(s, rows);
        left->of_run[to_left.n_runs] = own->of_run[k] & left->rows;
        right->of_run[to_right.n_runs] = rows;
        ct_add_run(&to_left, run.class_, run.n - n, run.weight - weight);
        ct_add_run(&to_right, run.class_, n, weight);
    }
    ct_put_runs(&to_left, &left->task);
    ct_put_runs(&to_right, &right->task);
}

/* 1 if the node has become the parent of two, -1 if it is a leaf, 0 if memory ends. */
static int divide(subtree *s, const subset *own, subset *left, subset *right)
{
    ct_subset_cut cut;
    ct_hist_split split;
    if (!find_cut(s, own, &cut, &split))
        return ct_forest_make_leaf(s->scratch, &own->task) ? -1 : 0;
    if (!ct_begin_children(s->scratch, &own->task, &left->task, &right->task)) return 0;
    part(s, own, &cut, left, right);
    ct_end_children(s->scratch, &own->task, &split, &left->task, &right->task);
    return 1;
}

static void begin_subtree(subtree *s, ct_hist_scratch *scratch, const ct_hist_task *task,
                          uint32_t tree, subset *root)
{
    const ct_item *items = scratch->rows.items + task->begin;
    uint32_t begin = 0;
    CT_ASSERT(task->n > 0 && task->n <= CT_SUBSET_ROWS && task->n_runs <= task->n);
    s->scratch = scratch;
    s->view = ct_view_of(scratch, task);
    s->tree = tree;
    memset(s->weights, 0, sizeof s->weights);
    memset(s->missing, 0, sizeof s->missing);
    memset(s->missing_left, 0, sizeof s->missing_left);
    s->node.weights = s->weights;
    for (unsigned k = 0; k < CT_LANES; k++) s->node.codes[k] = s->codes[k];
    for (uint32_t i = 0; i < task->n; i++) {
        s->rows[i] = items[i].row;
        s->weights[i] = (uint16_t) items[i].weight;
    }
    root->task = *task;
    root->task.runs = root->runs;
    root->rows = (UINT32_C(1) << task->n) - 1;
    for (uint32_t k = 0; k < task->n_runs; begin += task->runs[k].n, k++) {
        root->runs[k] = task->runs[k];
        root->of_run[k] = ((UINT32_C(1) << task->runs[k].n) - 1) << begin;
    }
}

/* A child becomes a leaf, or waits in the place of the first that does not. */
static int grow_from(ct_hist_scratch *scratch, const subset *all, uint8_t *order, uint32_t place,
                     uint32_t *n)
{
    const uint8_t child = order[place];
    const subset *own = &all[child];
    if (ct_hist_is_leaf(scratch, &own->task)) return ct_forest_make_leaf(scratch, &own->task);
    order[place] = order[*n];
    order[(*n)++] = child;
    return 1;
}

/* In the order in which ct_forest_grow_tree() splits nodes: the larger child waits. */
int ct_forest_grow_subtree(ct_hist_scratch *scratch, const ct_hist_task *task, uint32_t tree)
{
    CT_ASSERT(task->n > 0 && ct_is_subtree(scratch, task));
    subtree s;
    enum { MOST = CT_SUBSET_ROWS + 2 };
    subset all[MOST];
    uint8_t order[MOST]; /* of these: nodes that wait, then free ones */
    uint32_t n = 1;
    for (uint32_t i = 0; i < MOST; i++) {
        order[i] = (uint8_t) i;
        all[i].task.runs = all[i].runs;
    }
    begin_subtree(&s, scratch, task, tree, &all[0]);
    while (n) {
        const uint32_t place = --n;
        const subset *left = &all[order[place + 1]], *right = &all[order[place + 2]];
        const int divided = divide(&s, &all[order[place]], &all[order[place + 1]],
                                   &all[order[place + 2]]);
        if (!divided) return 0;
        if (divided < 0) continue;
        const uint32_t larger = left->task.n >= right->task.n ? 1 : 2;
        if (!grow_from(scratch, all, order, place + larger, &n) ||
            !grow_from(scratch, all, order, place + 3 - larger, &n))
            return 0;
    }
    return 1;
}
