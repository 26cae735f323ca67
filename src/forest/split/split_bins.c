/* The best cut of nodes that look at histograms of bins. */
#include "base/optimised.h"
#include "base/unguarded.h"

#include <math.h>
#include <string.h>

#include "forest/scan/lanes.h"
#include "forest/split/entropy.h"
#include "forest/split/many.h"

enum { ROOM = CT_MEDIUM_ROWS + CT_MEDIUM_PAD, MISSING = CT_HIST_BIN_ROWS - 1 };

/* ---- histograms ---- */

/* Several lanes hide that an increment of a bin waits for the one before it. */
#define LANE_BINS(lane) const uint8_t *bins##lane = bins[lane];
#define LANE_ADD_AT(lane, width) to[(size_t) bins##lane[at] * (width) + (lane)] += value;
#define LANE_ADD(lane) LANE_ADD_AT(lane, CT_LANES)
#define LANE_ADD_FOUR(lane) LANE_ADD_AT(lane, CT_LANES / 2)
#define FILL(LANES, ADD, place, add)          \
    {                                         \
        LANES(LANE_BINS)                      \
        for (uint32_t i = 0; i < n; i++) {    \
            size_t row = items[i].row, at = place; \
            add;                              \
            (void) row;                       \
            LANES(ADD)                        \
        }                                     \
    }
#define FILL_LANES(FOR, ADD, add)                      \
    if (by_place) FOR(lanes, FILL, ADD, i, add)        \
    else FOR(lanes, FILL, ADD, row, add)

/* Weights, times 2^shift, in bins of `width` lanes. */
static void fill_classes(uint32_t *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                         unsigned lanes, int by_place, unsigned width, unsigned shift)
{
    if (width == CT_LANES) {
        FILL_LANES(CT_FOR_LANES, LANE_ADD, uint32_t value = items[i].weight << shift)
    } else {
        CT_ASSERT(width == CT_LANES / 2 && lanes <= width);
        FILL_LANES(CT_FOR_FOUR_LANES, LANE_ADD_FOUR, uint32_t value = items[i].weight << shift)
    }
}

/* Every second row is counted in the upper half of the lanes, which is then added to the lower one:
 * rows of a large node are often in one bin, whose increments wait for each other. */
#define LANE_ADD_TWO(lane)                                                    \
    to[(size_t) bins##lane[row] * CT_LANES + (lane)] += first;                \
    to[(size_t) bins##lane[next_row] * CT_LANES + CT_LANES / 2 + (lane)] += second;
#define FILL_TWO(LANES, rows)                                                             \
    {                                                                                     \
        LANES(LANE_BINS)                                                                  \
        for (; i + 2 <= (rows); i += 2) {                                                 \
            const uint64_t item = ct_item_word(items + i), next = ct_item_word(items + i + 1); \
            const size_t row = ct_word_row(item), next_row = ct_word_row(next);           \
            const uint32_t first = ct_word_weight(item) << shift,                         \
                           second = ct_word_weight(next) << shift;                        \
            LANES(LANE_ADD_TWO)                                                           \
        }                                                                                 \
    }

static void fill_by_halves(uint32_t *to, const ct_item *items, uint32_t n,
                           const uint8_t *const *bins, unsigned lanes, unsigned by)
{
    uint32_t i = 0;
    CT_ASSERT(lanes && lanes <= CT_LANES / 2);
    /* a variable shift would take registers from the loop */
    if (by) {
        const unsigned shift = 16;
        CT_FOR_FOUR_LANES(lanes, FILL_TWO, n)
    } else {
        const unsigned shift = 0;
        CT_FOR_FOUR_LANES(lanes, FILL_TWO, n)
    }
    fill_classes(to, items + i, n - i, bins, lanes, 0, CT_LANES, by);
}

/* Bins of `width` lanes take the place of those filled by halves, from the lowest on. */
static void add_halves(uint32_t *histogram, uint32_t first, uint32_t n_bins, unsigned width)
{
    typedef uint32_t half __attribute__((vector_size(CT_LANES * 2), aligned(4), may_alias));
    for (uint32_t bin = first; bin < first + n_bins; bin++) {
        const half *from = (const half *) (const void *) (histogram + (size_t) bin * CT_LANES);
        *(half *) (void *) (histogram + (size_t) bin * width) = from[0] + from[1];
    }
}

static void fill_packed(int64_t *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                        unsigned lanes, int by_place, const int32_t *quantised)
{
    FILL_LANES(CT_FOR_LANES, LANE_ADD,
               int64_t value = ((int64_t) quantised[row] * 65536 + 1) * items[i].weight)
}

static void fill_sums(double *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                      unsigned lanes, int by_place, const int32_t *quantised)
{
    FILL_LANES(CT_FOR_LANES, LANE_ADD, double value = (double) quantised[row] * items[i].weight)
}

/* Candidates looked at together. Rows of their histograms are bins and, behind all others, missing
 * values. */
typedef struct {
    const uint8_t *bins[CT_LANES];
    uint32_t columns[CT_LANES];
    unsigned lanes;
    unsigned width; /* lanes of a bin */
    uint32_t n_bins;
    int any_missing;
    int by_place; /* bins are those of items, in their order; else of the view's rows */
    ct_medium_bins by[CT_LANES];
} group;

/* ---- bins of the node's own ---- */

/* As the scan's range(), of codes some of which may be missing. */
static void range_of_some(const uint16_t *codes, uint32_t n, uint16_t *low, uint16_t *high)
{
    *low = CT_CODE_MISSING, *high = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (codes[i] == CT_CODE_MISSING) continue;
        if (codes[i] < *low) *low = codes[i];
        if (codes[i] > *high) *high = codes[i];
    }
    if (*low > *high) *low = *high = 0;
}

/* Bins of the codes of the items in a column; returns whether some are missing. */
static int spread_codes(const ct_hist_search *s, uint32_t column, unsigned lane, ct_medium_bins *by)
{
    uint16_t *codes = ct_medium_codes(s, lane), low, high;
    uint8_t *bins = s->memory->medium_bins + (size_t) lane * ROOM;
    const ct_scan *scan = s->grower->scan;
    const int may_miss = s->grower->codes->columns[column].has_missing;
    const uint32_t n = s->task->n;
    int missing = 0;
    for (uint32_t i = 0; may_miss && i < n; i++) missing |= codes[i] == CT_CODE_MISSING;
    if (missing) range_of_some(codes, n, &low, &high);
    else scan->range(codes, n, &low, &high);
    *by = ct_medium_bins_of(low, high, n);
    scan->spread(codes, n, by, bins);
    for (uint32_t i = 0; missing && i < n; i++)
        if (codes[i] == CT_CODE_MISSING) bins[i] = CT_BIN_MISSING;
    return missing;
}

/* ---- candidates ---- */

/* Columns without an order are searched on the way. */
static group draw_group(ct_hist_search *s)
{
    group g;
    g.lanes = 0;
    g.by_place = s->task->n <= CT_MEDIUM_ROWS;
    g.n_bins = g.by_place ? ct_medium_most(s->task->n) : 0;
    g.any_missing = 0;
    while (g.lanes < CT_LANES && s->n_drawn < s->grower->options->mtry) {
        uint32_t col = ct_forest_draw_column(s);
        if (ct_has_sets(s, col)) {
            ct_forest_search_set(s, col);
            continue;
        }
        unsigned lane = g.lanes++;
        g.columns[lane] = col;
        const ct_hist_code_column *column = &s->grower->codes->columns[col];
        if (g.by_place) continue;
        g.bins[lane] = s->view->bins + col * s->view->bin_stride;
        if (column->n_bins > g.n_bins) g.n_bins = column->n_bins;
        g.any_missing |= column->has_missing;
    }
    g.width = s->grower->n_classes ? ct_bin_width(s->task->weight, g.lanes) : CT_LANES;
    if (!g.by_place || !g.lanes) return g;
    ct_forest_read_codes(s, g.columns, g.lanes, 0);
    for (unsigned lane = 0; lane < g.lanes; lane++) {
        g.any_missing |= spread_codes(s, g.columns[lane], lane, &g.by[lane]);
        g.bins[lane] = s->memory->medium_bins + (size_t) lane * ROOM;
    }
    return g;
}

/* Clears the rows of a histogram, of `bytes` each. */
static void clear(void *histogram, size_t bytes, const group *g)
{
    char *from = (char *) histogram;
    memset(from, 0, g->n_bins * bytes);
    if (g->any_missing) memset(from + MISSING * bytes, 0, bytes);
}

/* Worth it where rows are many beside the bins to add. */
static int is_by_halves(const group *g, uint32_t n)
{
    return !g->by_place && g->lanes <= CT_LANES / 2 && n > 4 * g->n_bins;
}

/* One part of the histograms: of n_runs runs, which have n items. */
static void count_part(const group *g, const ct_hist_run *runs, uint32_t n_runs,
                       const ct_item *items,
                       uint32_t n, const uint8_t *const *all_bins, uint32_t *histogram)
{
    const int by_halves = is_by_halves(g, n);
    const uint8_t *bins[CT_LANES];
    memcpy(bins, all_bins, sizeof bins);
    clear(histogram, (by_halves ? CT_LANES : g->width) * sizeof *histogram, g);
    for (uint32_t k = 0; k < n_runs; items += runs[k].n, k++) {
        if (by_halves) fill_by_halves(histogram, items, runs[k].n, bins, g->lanes, 16 * k);
        else fill_classes(histogram, items, runs[k].n, bins, g->lanes, g->by_place, g->width,
                          16 * k);
        for (unsigned lane = 0; g->by_place && lane < g->lanes; lane++) bins[lane] += runs[k].n;
    }
    if (!by_halves) return;
    add_halves(histogram, 0, g->n_bins, g->width);
    if (g->any_missing) add_halves(histogram, MISSING, 1, g->width);
}

static void count_classes(ct_hist_search *s, const group *g)
{
    uint32_t *histogram = s->memory->histograms;
    const ct_item *items = s->items;
    const uint32_t n_runs = s->task->n_runs, most = ct_has_pairs(s->task->weight) ? 2 : 1;
    const uint8_t *bins[CT_LANES];
    memcpy(bins, g->bins, sizeof bins);
    for (uint32_t k = 0; k < n_runs; k += most, histogram += CT_HISTOGRAM_STRIDE) {
        const ct_hist_run *runs = s->runs + k;
        const uint32_t own = n_runs - k < most ? n_runs - k : most;
        uint32_t n = 0;
        for (uint32_t i = 0; i < own; i++) n += runs[i].n;
        count_part(g, runs, own, items, n, bins, histogram);
        items += n;
        for (unsigned lane = 0; g->by_place && lane < g->lanes; lane++) bins[lane] += n;
    }
}

static void unpack(ct_split_memory *memory, uint32_t from, uint32_t to)
{
    for (size_t i = (size_t) from * CT_LANES; i < (size_t) to * CT_LANES; i++) {
        int64_t weight = memory->packed[i] & 65535;
        memory->weights[i] = (int32_t) weight;
        int64_t sum = (memory->packed[i] - weight) / 65536;
        memory->sums[i] = (double) sum;
    }
}

static void sum_numbers(ct_hist_search *s, const group *g)
{
    ct_split_memory *memory = s->memory;
    const int32_t *quantised = s->view->quantised;
    if (s->task->weight <= CT_MIDDLE_WEIGHT && !s->view->exposure) {
        clear(memory->packed, CT_LANES * sizeof *memory->packed, g);
        fill_packed(memory->packed, s->items, s->task->n, g->bins, g->lanes, g->by_place,
                    quantised);
        unpack(memory, 0, g->n_bins);
        if (g->any_missing) unpack(memory, MISSING, CT_HIST_BIN_ROWS);
    } else {
        clear(memory->sums, CT_LANES * sizeof *memory->sums, g);
        clear(memory->weights, CT_LANES * sizeof *memory->weights, g);
        fill_sums(memory->sums, s->items, s->task->n, g->bins, g->lanes, g->by_place, quantised);
        fill_classes((uint32_t *) memory->weights, s->items, s->task->n, g->bins, g->lanes,
                     g->by_place, CT_LANES, 0);
    }
    if (!s->view->exposure) return;
    clear(memory->exposures, CT_LANES * sizeof *memory->exposures, g);
    fill_sums(memory->exposures, s->items, s->task->n, g->bins, g->lanes, g->by_place,
              s->view->exposure);
}

/* Weight of a run in a bin. */
static uint32_t run_weight(const ct_hist_search *s, const group *g, uint32_t run, uint32_t bin,
                           unsigned lane)
{
    const uint32_t *cells = s->memory->histograms + (size_t) bin * g->width + lane;
    if (!ct_has_pairs(s->task->weight)) return cells[(size_t) run * CT_HISTOGRAM_STRIDE];
    return cells[(size_t) (run / 2) * CT_HISTOGRAM_STRIDE] >> run % 2 * 16 & 65535;
}

/* Weight of the node in a bin. */
static uint32_t bin_weight(const ct_hist_search *s, const group *g, uint32_t bin, unsigned lane)
{
    uint32_t weight = 0;
    if (!s->grower->n_classes || ct_has_many_runs(s))
        return (uint32_t) s->memory->weights[(size_t) bin * CT_LANES + lane];
    for (uint32_t k = 0; k < s->task->n_runs; k++) weight += run_weight(s, g, k, bin, lane);
    return weight;
}

/* ---- scores ---- */

static void scan_plain(const ct_hist_search *s, const group *g, unsigned lane, int missing_left,
                       ct_bin_cut *cut)
{
    uint32_t left[CT_HIST_CLASSES] = {0}, size = 0;
    cut->score = NAN;
    cut->bin = 0;
    for (uint32_t step = missing_left ? 0 : 1; step <= g->n_bins; step++) {
        uint32_t bin = step ? step - 1 : CT_HIST_BIN_ROWS - 1, before = size;
        for (uint32_t k = 0; k < s->task->n_runs; k++) {
            uint32_t weight = run_weight(s, g, k, bin, lane);
            left[k] += weight;
            size += weight;
        }
        if (!step || size == before || size == s->task->weight) continue;
        if (ct_is_scarce(s->grower, size, s->task->weight) ||
            ct_breaks_order(s, g->columns[lane], left[1], size))
            continue;
        double score = ct_forest_plain_score(s, left, size);
        if (!(score <= cut->score)) cut->score = score, cut->bin = bin;
    }
}

/* As the scan's variance(), where sides must have more than a row, or rows have exposures. */
static void scan_numbers(const ct_hist_search *s, const group *g, unsigned lane, int missing_left,
                         ct_bin_cut *cut)
{
    const ct_split_memory *memory = s->memory;
    const uint32_t weight = s->task->weight;
    uint32_t size = 0;
    double sum = 0, amount = 0;
    cut->score = NAN;
    cut->bin = 0;
    for (uint32_t step = missing_left ? 0 : 1; step <= g->n_bins; step++) {
        const uint32_t bin = step ? step - 1 : MISSING, own = bin_weight(s, g, bin, lane);
        const size_t cell = (size_t) bin * CT_LANES + lane;
        size += own;
        sum += own ? memory->sums[cell] : 0;
        amount += !own ? 0 : s->view->exposure ? memory->exposures[cell] : own;
        if (!step || !own || size == weight || ct_is_scarce(s->grower, size, weight) ||
            ct_breaks_order(s, g->columns[lane], sum, size))
            continue;
        const double rest = s->sum - sum,
                     score = (sum * sum) / amount + (rest * rest) / (s->amount - amount);
        if (!(score <= cut->score)) cut->score = score, cut->bin = bin;
    }
}

static void scan_group(const ct_hist_search *s, const group *g, int missing_left, ct_bin_cut *cuts)
{
    uint32_t totals[CT_HIST_CLASSES + 1];
    const ct_split_memory *memory = s->memory;
    if (!s->grower->n_classes && (ct_has_limits(s->grower) || s->view->exposure)) {
        for (unsigned lane = 0; lane < g->lanes; lane++)
            scan_numbers(s, g, lane, missing_left, &cuts[lane]);
    } else if (!s->grower->n_classes) {
        s->grower->scan->variance(memory->sums, memory->weights, s->sum, s->task->weight,
                                  g->n_bins, missing_left, g->lanes, cuts);
    } else if (s->grower->logs && !ct_has_limits(s->grower)) {
        ct_forest_scan_entropy(s, g->n_bins, missing_left, g->lanes, g->width, cuts);
    } else if (s->grower->criterion->side || ct_has_limits(s->grower)) {
        for (unsigned lane = 0; lane < g->lanes; lane++)
            scan_plain(s, g, lane, missing_left, &cuts[lane]);
    } else {
        for (uint32_t k = 0; k < s->task->n_runs; k++) totals[k] = s->runs[k].weight;
        totals[s->task->n_runs] = 0;
        s->grower->scan->gini(memory->histograms, totals, s->task->n_runs, s->task->weight,
                              g->n_bins, missing_left, g->lanes, cuts);
    }
}

/* ---- the best border of two bins ---- */

typedef struct {
    uint32_t bin;
    unsigned lane;
    int missing_left;
} border;

/* Between two bins of the table that have rows. */
static uint32_t cut_of_table(const ct_hist_search *s, const group *g, const border *at)
{
    const ct_hist_code_column *column = &s->grower->codes->columns[g->columns[at->lane]];
    uint32_t next = at->bin + 1;
    while (next < g->n_bins && !bin_weight(s, g, next, at->lane)) next++;
    return next == g->n_bins ? column->n_codes : column->first[(at->bin + next + 1) / 2];
}

/* Between the codes beside the border of two bins of the node's own. */
static uint32_t cut_of_codes(const ct_hist_search *s, const group *g, const border *at)
{
    const uint32_t last = ct_medium_last(&g->by[at->lane], at->bin);
    const uint16_t most = (uint16_t) (last < CT_CODE_MISSING ? last : CT_CODE_MISSING - 1);
    uint16_t low, high;
    s->grower->scan->beside(ct_medium_codes(s, at->lane), s->task->n, most, &low, &high);
    return high == CT_CODE_MISSING ? s->grower->codes->columns[g->columns[at->lane]].n_codes
                                   : (uint32_t) (low + high + 1) / 2;
}

static void take_border(ct_hist_search *s, const group *g, const border *at)
{
    const uint16_t *codes = g->by_place ? ct_medium_codes(s, at->lane) : NULL;
    const uint32_t cut = (g->by_place ? cut_of_codes : cut_of_table)(s, g, at);
    const int knows_missing = g->any_missing && bin_weight(s, g, MISSING, at->lane);
    *s->split = (ct_hist_split){.column = g->columns[at->lane],
                                .cut = cut,
                                .missing_left = at->missing_left,
                                .knows_missing = knows_missing,
                                .codes = codes,
                                .raise = (uint16_t) at->missing_left};
    s->half = !s->half;
}

/* The better one of the best so far and a cut. */
static int compare(ct_hist_search *s, const ct_bin_cut *cut, border *best, unsigned lane,
                   int missing_left)
{
    if (!(cut->score > s->score)) return 0;
    s->score = cut->score;
    *best = (border){cut->bin, lane, missing_left};
    return 1;
}

/* Candidates one by one, whose rows are in order for one at a time. */
static void search_many(ct_hist_search *s, const group *g)
{
    border best = {0, 0, 0};
    int better = 0;
    ct_forest_begin_many(s);
    for (unsigned lane = 0; lane < g->lanes; lane++) {
        const ct_many_bins bins = {g->bins[lane], g->by_place, g->n_bins};
        ct_bin_cut cut;
        ct_forest_sort_many(s, &bins, lane);
        const int missing = g->any_missing && bin_weight(s, g, MISSING, lane);
        for (int left = 0; left <= missing; left++) {
            ct_forest_scan_many(s, &bins, left, &cut);
            better |= compare(s, &cut, &best, lane, left);
        }
    }
    if (better) take_border(s, g, &best);
}

static void search_group(ct_hist_search *s)
{
    ct_bin_cut right[CT_LANES], left[CT_LANES];
    group g = draw_group(s);
    border best = {0, 0, 0};
    int missing = 0, better = 0;
    if (!g.lanes) return;
    if (ct_has_many_runs(s)) {
        search_many(s, &g);
        return;
    }
    if (s->grower->n_classes) count_classes(s, &g);
    else sum_numbers(s, &g);
    scan_group(s, &g, 0, right);
    for (unsigned lane = 0; g.any_missing && lane < g.lanes; lane++)
        missing |= bin_weight(s, &g, MISSING, lane) != 0;
    if (missing) scan_group(s, &g, 1, left);
    for (unsigned lane = 0; lane < g.lanes; lane++) {
        better |= compare(s, &right[lane], &best, lane, 0);
        if (missing && bin_weight(s, &g, MISSING, lane))
            better |= compare(s, &left[lane], &best, lane, 1);
    }
    if (better) take_border(s, &g, &best);
}

void ct_forest_search_bins(ct_hist_search *s)
{
    CT_ASSERT(s->task->n > 1 && s->grower->options->mtry <= s->grower->n_cols);
    while (s->n_drawn < s->grower->options->mtry) search_group(s);
}
