#include "forest/split.h"

#include <math.h>
#include <string.h>

/* The best so far. */
typedef struct {
    ct_desk *desk;
    const ct_grower *grower;
    const ct_view *view;
    const ct_task *task;
    const ct_item *items;
    ct_rng rng;      /* of candidates */
    ct_rng cuts;     /* of cuts at random; a pool's candidates must not depend on these */
    uint32_t n_drawn;
    double score;
    ct_split *split;
    double sum; /* numbers: of the node */
} search;

static double worst(void) { return -1; } /* no score is negative */

/* ---- candidates ---- */

enum { POOL_PATH = 3, CUTS_PATH = 4 };

uint32_t ct_draw_column(ct_desk *desk, ct_rng *rng, uint32_t n_drawn)
{
    uint32_t *columns = desk->columns, rest = desk->grower->n_cols - n_drawn;
    uint32_t place = n_drawn + ct_rng_below(rng, rest), column = columns[place];
    columns[place] = columns[n_drawn];
    columns[n_drawn] = column;
    desk->places[n_drawn] = place;
    return column;
}

void ct_put_back(ct_desk *desk, uint32_t n_drawn)
{
    uint32_t *columns = desk->columns;
    while (n_drawn > 0) {
        uint32_t i = --n_drawn, column = columns[i];
        columns[i] = columns[desk->places[i]];
        columns[desk->places[i]] = column;
    }
}

ct_rng ct_pool_rng(const ct_grower *grower, uint32_t tree, uint32_t depth)
{
    return ct_rng_of(grower->options->seed, tree, ct_rng_path(POOL_PATH, depth));
}

static uint32_t draw_column(search *s) { return ct_draw_column(s->desk, &s->rng, s->n_drawn++); }

/* ---- histograms ---- */

/* With a constant number of lanes, compilers keep the columns in registers; several lanes hide that
 * an increment of a bin waits for the one before it. */
#define FILL(lanes_, add)                                                                          \
    for (uint32_t i = 0; i < n; i++) {                                                             \
        size_t row = items[i].row;                                                                 \
        add;                                                                                       \
        for (unsigned lane = 0; lane < (lanes_); lane++)                                           \
            to[(size_t) bins[lane][row] * CT_LANES + lane] += value;                               \
    }
#define FILL_LANES(add)                                                                            \
    switch (lanes) {                                                                               \
    case 1: FILL(1, add) break;                                                                    \
    case 2: FILL(2, add) break;                                                                    \
    case 3: FILL(3, add) break;                                                                    \
    case 4: FILL(4, add) break;                                                                    \
    case 5: FILL(5, add) break;                                                                    \
    case 6: FILL(6, add) break;                                                                    \
    case 7: FILL(7, add) break;                                                                    \
    default: FILL(8, add) break;                                                                   \
    }

static void fill_classes(uint32_t *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                         unsigned lanes)
{
    FILL_LANES(uint32_t value = items[i].weight)
}

static void fill_packed(int64_t *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                        unsigned lanes, const int32_t *whole)
{
    FILL_LANES(int64_t value = ((int64_t) whole[row] * 65536 + 1) * items[i].weight)
}

static void fill_sums(double *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                      unsigned lanes, const int32_t *whole)
{
    FILL_LANES(double value = (double) whole[row] * items[i].weight)
}

/* Rows of histograms that the columns have: bins and, behind all others, missing values. */
typedef struct {
    const uint8_t *bins[CT_LANES];
    uint32_t columns[CT_LANES];
    unsigned lanes;
    uint32_t n_bins;
    int any_missing;
} group;

static group draw_group(search *s)
{
    group g;
    uint32_t left = s->grower->options->mtry - s->n_drawn;
    g.lanes = left < CT_LANES ? left : CT_LANES;
    g.n_bins = 0;
    g.any_missing = 0;
    for (unsigned lane = 0; lane < g.lanes; lane++) {
        uint32_t col = g.columns[lane] = draw_column(s);
        const ct_code_column *column = &s->grower->codes->columns[col];
        g.bins[lane] = s->view->bins + col * s->view->stride;
        if (column->n_bins > g.n_bins) g.n_bins = column->n_bins;
        g.any_missing |= column->has_missing;
    }
    return g;
}

/* Clears rows of a histogram of so many bytes a row. */
static void clear(void *histogram, size_t bytes, const group *g)
{
    char *from = (char *) histogram;
    memset(from, 0, g->n_bins * bytes);
    if (g->any_missing) memset(from + (CT_BIN_ROWS - 1) * bytes, 0, bytes);
}

static void count_classes(search *s, const group *g)
{
    uint32_t *histogram = s->desk->histograms;
    const ct_item *items = s->items;
    for (uint32_t k = 0; k < s->task->n_runs; k++, histogram += CT_BIN_ROWS * CT_LANES) {
        clear(histogram, CT_LANES * sizeof *histogram, g);
        fill_classes(histogram, items, s->desk->now[k].n, g->bins, g->lanes);
        items += s->desk->now[k].n;
    }
}

static void unpack(ct_desk *desk, uint32_t from, uint32_t to)
{
    for (size_t i = (size_t) from * CT_LANES; i < (size_t) to * CT_LANES; i++) {
        int64_t weight = desk->packed[i] & 65535;
        desk->weights[i] = (int32_t) weight;
        desk->sums[i] = (double) ((desk->packed[i] - weight) / 65536);
    }
}

static void sum_numbers(search *s, const group *g)
{
    ct_desk *desk = s->desk;
    const int32_t *whole = s->view->whole;
    if (s->task->weight <= CT_MIDDLE_WEIGHT) {
        clear(desk->packed, CT_LANES * sizeof *desk->packed, g);
        fill_packed(desk->packed, s->items, s->task->n, g->bins, g->lanes, whole);
        unpack(desk, 0, g->n_bins);
        if (g->any_missing) unpack(desk, CT_BIN_ROWS - 1, CT_BIN_ROWS);
    } else {
        clear(desk->sums, CT_LANES * sizeof *desk->sums, g);
        clear(desk->weights, CT_LANES * sizeof *desk->weights, g);
        fill_sums(desk->sums, s->items, s->task->n, g->bins, g->lanes, whole);
        fill_classes((uint32_t *) desk->weights, s->items, s->task->n, g->bins, g->lanes);
    }
}

/* Weight of the node in a bin. */
static uint32_t bin_weight(const search *s, uint32_t bin, unsigned lane)
{
    size_t at = (size_t) bin * CT_LANES + lane;
    if (!s->grower->n_classes) return (uint32_t) s->desk->weights[at];
    uint32_t weight = 0;
    for (uint32_t k = 0; k < s->task->n_runs; k++)
        weight += s->desk->histograms[(size_t) k * CT_BIN_ROWS * CT_LANES + at];
    return weight;
}

/* The cut goes into the middle of the gap between two bins that have rows. */
static void take_bin(search *s, const group *g, unsigned lane, const ct_bin_cut *best,
                     int missing_left)
{
    ct_split *split = s->split;
    const ct_code_column *column = &s->grower->codes->columns[g->columns[lane]];
    uint32_t next = best->bin + 1;
    while (next < column->n_bins && !bin_weight(s, next, lane)) next++;
    s->score = best->score;
    split->column = g->columns[lane];
    split->by_bin = 1;
    split->bin = next < column->n_bins ? (best->bin + next + 1) / 2 : next;
    split->cut = column->first[split->bin];
    split->missing_left = missing_left;
    split->knows_missing = column->has_missing && bin_weight(s, CT_BIN_ROWS - 1, lane);
}

/* ---- scores of other rules, in plain C ---- */

/* Larger is better: the errors of the best label spared, or minus the entropy, in both sides. */
static double side_score(const search *s, const uint32_t *counts, uint32_t size)
{
    double sum = 0, logs;
    if (s->grower->options->rule == CT_SPLIT_ERROR) {
        for (uint32_t k = 0; k < s->task->n_runs; k++) sum = counts[k] > sum ? counts[k] : sum;
        return sum;
    }
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        logs = counts[k] > 1 ? counts[k] * log(counts[k]) : 0;
        sum += logs;
    }
    logs = size > 1 ? size * log(size) : 0;
    return sum - logs;
}

/* From below to above 0, as that of all other scores is. */
static double plain_score(const search *s, const uint32_t *left, uint32_t size)
{
    uint32_t right[CT_HIST_CLASSES];
    for (uint32_t k = 0; k < s->task->n_runs; k++) right[k] = s->desk->now[k].weight - left[k];
    double score = side_score(s, left, size) + side_score(s, right, s->task->weight - size);
    return s->grower->options->rule == CT_SPLIT_ENTROPY ? score + s->task->weight * 6.0 : score;
}

static void scan_plain(const search *s, const group *g, unsigned lane, int missing_left,
                       ct_bin_cut *cut)
{
    uint32_t left[CT_HIST_CLASSES] = {0}, size = 0;
    cut->score = NAN;
    cut->bin = 0;
    for (uint32_t step = missing_left ? 0 : 1; step <= g->n_bins; step++) {
        uint32_t bin = step ? step - 1 : CT_BIN_ROWS - 1, before = size;
        for (uint32_t k = 0; k < s->task->n_runs; k++) {
            uint32_t weight =
                s->desk->histograms[((size_t) k * CT_BIN_ROWS + bin) * CT_LANES + lane];
            left[k] += weight;
            size += weight;
        }
        if (!step || size == before || size == s->task->weight) continue;
        double score = plain_score(s, left, size);
        if (!(score <= cut->score)) cut->score = score, cut->bin = bin;
    }
}

/* ---- large nodes ---- */

static int is_plain(const search *s)
{
    return s->grower->n_classes && (s->grower->options->rule == CT_SPLIT_ENTROPY ||
                                    s->grower->options->rule == CT_SPLIT_ERROR);
}

static void scan_group(const search *s, const group *g, int missing_left, ct_bin_cut *cuts)
{
    uint32_t totals[CT_HIST_CLASSES];
    const ct_desk *desk = s->desk;
    if (!s->grower->n_classes) {
        s->grower->scan->variance(desk->sums, desk->weights, s->sum, s->task->weight, g->n_bins,
                                  missing_left, g->lanes, cuts);
    } else if (is_plain(s)) {
        for (unsigned lane = 0; lane < g->lanes; lane++)
            scan_plain(s, g, lane, missing_left, &cuts[lane]);
    } else {
        for (uint32_t k = 0; k < s->task->n_runs; k++) totals[k] = desk->now[k].weight;
        s->grower->scan->gini(desk->histograms, totals, s->task->n_runs, s->task->weight, g->n_bins,
                              missing_left, g->lanes, cuts);
    }
}

static void search_group(search *s)
{
    ct_bin_cut right[CT_LANES], left[CT_LANES];
    group g = draw_group(s);
    int missing = 0;
    if (s->grower->n_classes) count_classes(s, &g);
    else sum_numbers(s, &g);
    scan_group(s, &g, 0, right);
    for (unsigned lane = 0; g.any_missing && lane < g.lanes; lane++)
        missing |= bin_weight(s, CT_BIN_ROWS - 1, lane) != 0;
    if (missing) scan_group(s, &g, 1, left);
    for (unsigned lane = 0; lane < g.lanes; lane++) {
        if (right[lane].score > s->score) take_bin(s, &g, lane, &right[lane], 0);
        if (missing && left[lane].score > s->score && bin_weight(s, CT_BIN_ROWS - 1, lane))
            take_bin(s, &g, lane, &left[lane], 1);
    }
}

/* ---- small nodes ---- */

enum { PADDED = CT_SMALL_ROWS + 64 };

typedef struct {
    int16_t codes[PADDED];
    uint16_t weights[PADDED];
    uint16_t below[PADDED];
    uint32_t order[CT_SMALL_ROWS]; /* of the rows by code */
    ct_small node;
} small_rows;

/* A code that compares as a signed number, after missing values have gone below all others if they
 * are to. */
static int16_t turned(uint16_t code, int missing_left)
{
    return (int16_t) ((uint16_t) (code + missing_left) ^ 0x8000);
}

static uint32_t turned_back(int16_t code, int missing_left)
{
    return (uint16_t) (((uint16_t) code ^ 0x8000) - missing_left);
}

/* Whether a value is missing. */
static int read_codes(const search *s, small_rows *rows, uint32_t column, int missing_left)
{
    const uint16_t *codes = s->view->codes + column * s->view->stride;
    int missing = 0;
    for (uint32_t i = 0; i < s->task->n; i++) {
        uint16_t code = codes[s->items[i].row];
        missing |= code == CT_CODE_MISSING;
        rows->codes[i] = turned(code, missing_left);
    }
    return missing;
}

static void take_code(search *s, const small_rows *rows, uint32_t column, double score,
                      int16_t code, int missing, int missing_left)
{
    ct_split *split = s->split;
    int next = 32767;
    for (uint32_t i = 0; i < s->task->n; i++)
        if (rows->codes[i] > code && rows->codes[i] < next) next = rows->codes[i];
    uint32_t low = turned_back(code, missing_left),
             high = turned_back((int16_t) next, missing_left);
    s->score = score;
    split->column = column;
    split->by_bin = 0;
    split->cut = high == CT_CODE_MISSING ? s->grower->codes->columns[column].n_codes
                                         : (low + high + 1) / 2;
    split->missing_left = missing_left;
    split->knows_missing = missing;
}

/* Rows in order of their codes, those of one code in any. */
static void sort_rows(const search *s, small_rows *rows)
{
    uint8_t same[CT_SMALL_ROWS] = {0};
    s->grower->scan->ranks(rows->codes, s->task->n, rows->below);
    for (uint32_t i = 0; i < s->task->n; i++)
        rows->order[rows->below[i] + same[rows->below[i]]++] = i;
}

static int best_of_numbers(search *s, small_rows *rows, double *best, int16_t *code)
{
    double sum = 0;
    uint32_t weight = 0, n = s->task->n;
    int found = 0;
    sort_rows(s, rows);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const ct_item *item = &s->items[rows->order[i]];
        sum += (double) s->view->whole[item->row] * item->weight;
        weight += item->weight;
        int16_t own = rows->codes[rows->order[i]];
        if (own == rows->codes[rows->order[i + 1]]) continue;
        double rest = s->sum - sum;
        double score = (sum * sum) / (double) weight +
                       (rest * rest) / (double) (s->task->weight - weight);
        if (score > *best) *best = score, *code = own, found = 1;
    }
    return found;
}

static int best_of_plain(search *s, small_rows *rows, double *best, int16_t *code)
{
    uint32_t left[CT_HIST_CLASSES] = {0}, size = 0, n = s->task->n;
    uint8_t run_of[CT_SMALL_ROWS];
    int found = 0;
    sort_rows(s, rows);
    for (uint32_t k = 0, i = 0; k < s->task->n_runs; k++)
        for (uint32_t j = 0; j < s->desk->now[k].n; j++) run_of[i++] = (uint8_t) k;
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t row = rows->order[i];
        left[run_of[row]] += s->items[row].weight;
        size += s->items[row].weight;
        if (rows->codes[row] == rows->codes[rows->order[i + 1]]) continue;
        double score = plain_score(s, left, size);
        if (score > *best) *best = score, *code = rows->codes[row], found = 1;
    }
    return found;
}

/* The best cut of a candidate whose codes are there, if better than all before. */
static int best_code(search *s, small_rows *rows, double *best, int16_t *code)
{
    *best = s->score;
    if (!s->grower->n_classes) return best_of_numbers(s, rows, best, code);
    if (is_plain(s)) return best_of_plain(s, rows, best, code);
    float score = (float) s->score;
    if (!s->grower->scan->small_gini(&rows->node, &score, code)) return 0;
    *best = score;
    return 1;
}

static void search_small(search *s)
{
    small_rows rows;
    uint32_t n = s->task->n, weight = s->task->weight;
    for (uint32_t i = 0; i < n; i++) rows.weights[i] = (uint16_t) s->items[i].weight;
    for (uint32_t i = n; i < (n + 63) / 64 * 64; i++) rows.codes[i] = 32767;
    rows.node = (ct_small){rows.codes, rows.weights, s->desk->now, s->task->n_runs, n, weight};
    int purity_ends = s->grower->n_classes && !is_plain(s);
    while (s->n_drawn < s->grower->options->mtry) {
        if (purity_ends && s->score >= weight)
            break; /* both sides have one class: no score is above */
        uint32_t column = draw_column(s);
        double score;
        int16_t code = 0;
        int missing = read_codes(s, &rows, column, 0);
        if (best_code(s, &rows, &score, &code))
            take_code(s, &rows, column, score, code, missing, 0);
        if (!missing) continue;
        (void) read_codes(s, &rows, column, 1);
        if (best_code(s, &rows, &score, &code))
            take_code(s, &rows, column, score, code, missing, 1);
    }
}

/* ---- cuts at random ---- */

/* Codes of a candidate that rows of the node have, from the lowest to the highest. 0 if they have
 * one, or none. */
static int code_range(const search *s, const uint16_t *codes, uint32_t *low, uint32_t *high,
                      int *missing)
{
    *low = CT_CODE_MISSING, *high = 0, *missing = 0;
    for (uint32_t i = 0; i < s->task->n; i++) {
        uint32_t code = codes[s->items[i].row];
        if (code == CT_CODE_MISSING) {
            *missing = 1;
            continue;
        }
        if (code < *low) *low = code;
        if (code > *high) *high = code;
    }
    return *low < *high;
}

static double score_of_cut(const search *s, const uint16_t *codes, uint32_t cut, int missing_left)
{
    uint64_t size = 0, squares = 0, others = 0, weight = s->task->weight;
    double sum = 0;
    const ct_item *item = s->items;
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        uint64_t left = 0;
        for (const ct_item *end = item + s->desk->now[k].n; item < end; item++) {
            if ((uint16_t) (codes[item->row] + missing_left) >= cut + (uint32_t) missing_left)
                continue;
            left += item->weight;
            if (!s->grower->n_classes) sum += (double) s->view->whole[item->row] * item->weight;
        }
        uint64_t right = s->desk->now[k].weight - left;
        size += left;
        squares += left * left;
        others += right * right;
    }
    double rest = s->sum - sum, a = (double) size, b = (double) (weight - size);
    if (!s->grower->n_classes) return (sum * sum) / a + (rest * rest) / b;
    return (double) squares / a + (double) others / b;
}

static void search_random(search *s)
{
    while (s->n_drawn < s->grower->options->mtry) {
        uint32_t column = draw_column(s), low, high;
        const uint16_t *codes = s->view->codes + column * s->view->stride;
        int missing;
        if (!code_range(s, codes, &low, &high, &missing)) continue;
        uint32_t cut = low + 1 + ct_rng_below(&s->cuts, high - low);
        for (int left = 0; left <= missing; left++) {
            double score = score_of_cut(s, codes, cut, left);
            if (!(score > s->score)) continue;
            s->score = score;
            *s->split = (ct_split){column, 0, 0, cut, left, missing};
        }
    }
}

int ct_find_split(ct_desk *desk, const ct_view *view, const ct_task *task, uint32_t tree,
                  ct_split *split)
{
    const ct_grower *grower = desk->grower;
    const ct_hist_options *options = grower->options;
    search s = {desk,
                grower,
                view,
                task,
                desk->items + task->begin,
                options->pool_by_level ? ct_pool_rng(grower, tree, task->depth)
                                       : ct_rng_of(options->seed, tree, task->path),
                ct_rng_of(options->seed, tree, ct_rng_path(task->path, CUTS_PATH)),
                0,
                worst(),
                split,
                0};
    for (uint32_t i = 0; !grower->n_classes && i < task->n; i++)
        s.sum += (double) view->whole[s.items[i].row] * s.items[i].weight;
    if (options->rule == CT_SPLIT_RANDOM) search_random(&s);
    else if (task->n <= CT_SMALL_ROWS && task->weight <= CT_SMALL_WEIGHT) search_small(&s);
    else while (s.n_drawn < grower->options->mtry) search_group(&s);
    ct_put_back(desk, s.n_drawn);
    return s.score > worst();
}
