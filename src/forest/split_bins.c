/* The best cut of nodes that look at histograms of bins. */
#include "base/unguarded.h"

#include <math.h>
#include <string.h>

#include "forest/lanes.h"
#include "forest/search.h"

enum { ROOM = CT_NEAR_ROWS + CT_NEAR_PAD, MISSING = CT_BIN_ROWS - 1 };

/* ---- histograms ---- */

/* Several lanes hide that an increment of a bin waits for the one before it. */
#define LANE_BINS(lane) const uint8_t *bins##lane = bins[lane];
#define LANE_ADD(lane) to[(size_t) bins##lane[at] * CT_LANES + (lane)] += value;
#define FILL(LANES, place, add)               \
    {                                         \
        LANES(LANE_BINS)                      \
        for (uint32_t i = 0; i < n; i++) {    \
            size_t row = items[i].row, at = place; \
            add;                              \
            (void) row;                       \
            LANES(LANE_ADD)                   \
        }                                     \
    }
#define FILL_LANES(add)                                 \
    if (by_place) CT_FOR_LANES(lanes, FILL, i, add)     \
    else CT_FOR_LANES(lanes, FILL, row, add)

static void fill_classes(uint32_t *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                         unsigned lanes, int by_place)
{
    FILL_LANES(uint32_t value = items[i].weight)
}

/* Every second row is counted in the upper half of the lanes, which is then added to the lower one:
 * rows of a large node are often in one bin, whose increments wait for each other. */
#define LANE_ADD_TWO(lane)                                                    \
    to[(size_t) bins##lane[items[i].row] * CT_LANES + (lane)] += first;       \
    to[(size_t) bins##lane[items[i + 1].row] * CT_LANES + CT_LANES / 2 + (lane)] += second;
#define FILL_TWO(LANES, rows)                                                             \
    {                                                                                     \
        LANES(LANE_BINS)                                                                  \
        for (; i + 2 <= (rows); i += 2) {                                                 \
            const uint32_t first = items[i].weight, second = items[i + 1].weight;         \
            LANES(LANE_ADD_TWO)                                                           \
        }                                                                                 \
    }

static void fill_by_halves(uint32_t *to, const ct_item *items, uint32_t n,
                           const uint8_t *const *bins, unsigned lanes)
{
    uint32_t i = 0;
    CT_ASSERT(lanes && lanes <= CT_LANES / 2);
    CT_FOR_FOUR_LANES(lanes, FILL_TWO, n)
    fill_classes(to, items + i, n - i, bins, lanes, 0);
}

static void add_halves(uint32_t *to, uint32_t n_bins)
{
    for (uint32_t bin = 0; bin < n_bins; bin++, to += CT_LANES)
        for (unsigned lane = 0; lane < CT_LANES / 2; lane++) to[lane] += to[lane + CT_LANES / 2];
}

static void fill_packed(int64_t *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                        unsigned lanes, int by_place, const int32_t *whole)
{
    FILL_LANES(int64_t value = ((int64_t) whole[row] * 65536 + 1) * items[i].weight)
}

static void fill_sums(double *to, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                      unsigned lanes, int by_place, const int32_t *whole)
{
    FILL_LANES(double value = (double) whole[row] * items[i].weight)
}

/* How codes of a node become bins of its own. */
typedef struct {
    uint32_t low; /* the code of the first bin */
    int exact, missing; /* bins are codes; some codes are missing */
} spreading;

/* Candidates looked at together. Rows of their histograms are bins and, behind all others, missing
 * values. */
typedef struct {
    const uint8_t *bins[CT_LANES];
    uint32_t columns[CT_LANES];
    unsigned lanes;
    uint32_t n_bins;
    int any_missing;
    int by_place; /* bins are those of items, in their order; else of the view's rows */
    spreading by[CT_LANES];
} group;

/* ---- bins of the node's own ---- */

static uint32_t bins_for(uint32_t n)
{
    uint32_t bins = CT_FEWEST_BINS;
    while (4 * bins < n) bins *= 2;
    return bins;
}

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

/* Bins of the codes of the items in a column: equal parts of the range of the codes. */
static spreading spread_codes(const ct_search *s, uint32_t column, unsigned lane)
{
    uint16_t *codes = ct_near_codes(s, lane), low, high;
    const uint16_t first = codes[0];
    uint8_t *bins = s->desk->near_bins + (size_t) lane * ROOM;
    const ct_scan *scan = s->grower->scan;
    const int may_miss = s->grower->codes->columns[column].has_missing;
    uint32_t n = s->task->n, n_bins = bins_for(n);
    int missing = 0;
    for (uint32_t i = 0; may_miss && i < n; i++) missing |= codes[i] == CT_CODE_MISSING;
    for (uint32_t i = 0; i < CT_NEAR_PAD; i++) codes[n + i] = first;
    if (missing) range_of_some(codes, n, &low, &high);
    else scan->range(codes, n, &low, &high);
    uint32_t span = (uint32_t) high - low + 1;
    scan->spread(codes, n, low, span > n_bins ? n_bins * 65536 / span : 65536, bins);
    for (uint32_t i = 0; missing && i < n; i++)
        if (codes[i] == CT_CODE_MISSING) bins[i] = CT_BIN_MISSING;
    return (spreading){low, span <= n_bins, missing};
}

/* ---- candidates ---- */

/* Columns without an order are searched on the way. */
static group draw_group(ct_search *s)
{
    group g;
    g.lanes = 0;
    g.by_place = s->task->n <= CT_NEAR_ROWS;
    g.n_bins = g.by_place ? bins_for(s->task->n) : 0;
    g.any_missing = 0;
    while (g.lanes < CT_LANES && s->n_drawn < s->grower->options->mtry) {
        uint32_t col = ct_draw_column(s);
        if (ct_has_sets(s, col)) {
            ct_search_set(s, col);
            continue;
        }
        unsigned lane = g.lanes++;
        g.columns[lane] = col;
        const ct_code_column *column = &s->grower->codes->columns[col];
        if (g.by_place) continue;
        g.bins[lane] = s->view->bins + col * s->view->bin_stride;
        if (column->n_bins > g.n_bins) g.n_bins = column->n_bins;
        g.any_missing |= column->has_missing;
    }
    if (!g.by_place || !g.lanes) return g;
    ct_read_codes(s, g.columns, g.lanes, 0);
    for (unsigned lane = 0; lane < g.lanes; lane++) {
        g.by[lane] = spread_codes(s, g.columns[lane], lane);
        g.any_missing |= g.by[lane].missing;
        g.bins[lane] = s->desk->near_bins + (size_t) lane * ROOM;
    }
    return g;
}

/* Clears rows of a histogram of so many bytes a row. */
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

static void count_run(const group *g, const ct_item *items, uint32_t n, const uint8_t *const *bins,
                      uint32_t *histogram)
{
    clear(histogram, CT_LANES * sizeof *histogram, g);
    if (!is_by_halves(g, n)) {
        fill_classes(histogram, items, n, bins, g->lanes, g->by_place);
        return;
    }
    fill_by_halves(histogram, items, n, bins, g->lanes);
    add_halves(histogram, g->n_bins);
    if (g->any_missing) add_halves(histogram + MISSING * CT_LANES, 1);
}

static void count_classes(ct_search *s, const group *g)
{
    uint32_t *histogram = s->desk->histograms;
    const ct_item *items = s->items;
    const uint8_t *bins[CT_LANES];
    memcpy(bins, g->bins, sizeof bins);
    for (uint32_t k = 0; k < s->task->n_runs; k++, histogram += CT_BIN_ROWS * CT_LANES) {
        uint32_t n = s->desk->now[k].n;
        count_run(g, items, n, bins, histogram);
        items += n;
        for (unsigned lane = 0; g->by_place && lane < g->lanes; lane++) bins[lane] += n;
    }
}

static void unpack(ct_desk *desk, uint32_t from, uint32_t to)
{
    for (size_t i = (size_t) from * CT_LANES; i < (size_t) to * CT_LANES; i++) {
        int64_t weight = desk->packed[i] & 65535;
        desk->weights[i] = (int32_t) weight;
        int64_t sum = (desk->packed[i] - weight) / 65536;
        desk->sums[i] = (double) sum;
    }
}

static void sum_numbers(ct_search *s, const group *g)
{
    ct_desk *desk = s->desk;
    const int32_t *whole = s->view->whole;
    if (s->task->weight <= CT_MIDDLE_WEIGHT) {
        clear(desk->packed, CT_LANES * sizeof *desk->packed, g);
        fill_packed(desk->packed, s->items, s->task->n, g->bins, g->lanes, g->by_place, whole);
        unpack(desk, 0, g->n_bins);
        if (g->any_missing) unpack(desk, MISSING, CT_BIN_ROWS);
    } else {
        clear(desk->sums, CT_LANES * sizeof *desk->sums, g);
        clear(desk->weights, CT_LANES * sizeof *desk->weights, g);
        fill_sums(desk->sums, s->items, s->task->n, g->bins, g->lanes, g->by_place, whole);
        fill_classes((uint32_t *) desk->weights, s->items, s->task->n, g->bins, g->lanes,
                     g->by_place);
    }
}

/* Weight of the node in a bin. */
static uint32_t bin_weight(const ct_search *s, uint32_t bin, unsigned lane)
{
    size_t at = (size_t) bin * CT_LANES + lane;
    if (!s->grower->n_classes) return (uint32_t) s->desk->weights[at];
    uint32_t weight = 0;
    for (uint32_t k = 0; k < s->task->n_runs; k++)
        weight += s->desk->histograms[(size_t) k * CT_BIN_ROWS * CT_LANES + at];
    return weight;
}

/* ---- scores ---- */

static void scan_plain(const ct_search *s, const group *g, unsigned lane, int missing_left,
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
        double score = ct_plain_score(s, left, size);
        if (!(score <= cut->score)) cut->score = score, cut->bin = bin;
    }
}

static void scan_group(const ct_search *s, const group *g, int missing_left, ct_bin_cut *cuts)
{
    uint32_t totals[CT_HIST_CLASSES];
    const ct_desk *desk = s->desk;
    if (!s->grower->n_classes) {
        s->grower->scan->variance(desk->sums, desk->weights, s->sum, s->task->weight, g->n_bins,
                                  missing_left, g->lanes, cuts);
    } else if (ct_is_plain(s)) {
        for (unsigned lane = 0; lane < g->lanes; lane++)
            scan_plain(s, g, lane, missing_left, &cuts[lane]);
    } else {
        for (uint32_t k = 0; k < s->task->n_runs; k++) totals[k] = desk->now[k].weight;
        s->grower->scan->gini(desk->histograms, totals, s->task->n_runs, s->task->weight, g->n_bins,
                              missing_left, g->lanes, cuts);
    }
}

/* ---- the best border of two bins, and the rows beside it ---- */

typedef struct {
    uint32_t bin, next; /* next: the one above that has rows; n_bins: none */
    unsigned lane;
    int missing_left;
} border;

/* Weights and sums of the bins below a border. */
static void sum_below(const ct_search *s, const border *at, ct_strip *strip)
{
    const ct_desk *desk = s->desk;
    strip->sum = 0;
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        const uint32_t *weights = s->grower->n_classes
                                      ? desk->histograms + (size_t) k * CT_BIN_ROWS * CT_LANES
                                      : (const uint32_t *) desk->weights;
        uint32_t sum = at->missing_left ? weights[MISSING * CT_LANES + at->lane] : 0;
        for (uint32_t bin = 0; bin < at->bin; bin++) sum += weights[bin * CT_LANES + at->lane];
        strip->left[k] = sum;
    }
    if (s->grower->n_classes) return;
    if (at->missing_left) strip->sum = desk->sums[MISSING * CT_LANES + at->lane];
    for (uint32_t bin = 0; bin < at->bin; bin++)
        strip->sum += desk->sums[bin * CT_LANES + at->lane];
}

/* Codes of all items of a larger node in the column of the border, where those of near ones are;
 * and the places of those from `first` up to, but not, `end`. */
static uint32_t read_rows(const ct_search *s, uint32_t column, uint32_t first, uint32_t end,
                          ct_item *rows)
{
    const ct_view *view = s->view;
    const uint16_t *from = view->codes + column * view->code_stride;
    const ct_item *items = s->items;
    uint16_t *codes = s->desk->near_codes;
    uint32_t n = 0, n_items = s->task->n;
    CT_ASSERT(n_items <= CT_REFINED_ROWS);
    for (uint32_t i = 0; i < n_items; i++) {
        uint32_t row = items[i].row;
        codes[i] = from[view->code_rows ? view->code_rows[row] : row];
        rows[n].weight = i;
        n += (uint16_t) (codes[i] - first) < end - first;
    }
    for (uint32_t i = 0; i < CT_PART_PAD; i++) codes[n_items + i] = 0;
    return n;
}

/* Places of the items in both bins, of which a bin between has none. */
static uint32_t find_rows(const ct_search *s, const group *g, const border *at, ct_item *rows)
{
    const uint32_t last = at->next < g->n_bins ? at->next : at->bin,
                   column = g->columns[at->lane];
    const uint16_t *first = s->grower->codes->columns[column].first;
    if (g->by_place)
        return s->grower->scan->places(g->bins[at->lane], s->task->n, (uint8_t) at->bin,
                                       (uint8_t) (last - at->bin), rows);
    return read_rows(s, column, first[at->bin], first[last + 1], rows);
}

static int is_one_code(const ct_search *s, const group *g, const border *at, uint32_t bin)
{
    const ct_code_column *column = &s->grower->codes->columns[g->columns[at->lane]];
    if (g->by_place) return g->by[at->lane].exact;
    return bin >= column->n_bins || column->first[bin + 1] - column->first[bin] == 1;
}

/* Whether the border is good enough: bins of so many rows have many near the best cut; bins that
 * are codes have no cuts within. */
static int is_coarse(const ct_search *s, const group *g, const border *at)
{
    return (!g->by_place && s->task->n > CT_REFINED_ROWS) ||
           (is_one_code(s, g, at, at->bin) && is_one_code(s, g, at, at->next));
}

static uint32_t cut_of_border(const ct_search *s, const group *g, const border *at)
{
    const ct_code_column *column = &s->grower->codes->columns[g->columns[at->lane]];
    if (at->next == g->n_bins) return column->n_codes;
    if (!g->by_place) return column->first[(at->bin + at->next + 1) / 2];
    return g->by[at->lane].low + (at->bin + at->next + 1) / 2;
}

static void make_strip(const ct_search *s, const group *g, const border *at, ct_strip *strip)
{
    const uint16_t *codes = g->by_place ? ct_near_codes(s, at->lane) : s->desk->near_codes;
    uint32_t column = g->columns[at->lane], k = 0, end = s->desk->now[0].n;
    strip->column = column;
    strip->codes = codes;
    strip->missing_left = at->missing_left;
    strip->knows_missing = g->any_missing && bin_weight(s, MISSING, at->lane);
    strip->right_is_missing = at->next == g->n_bins;
    if (is_coarse(s, g, at)) {
        strip->n_rows = 0;
        if (!g->by_place) strip->codes = NULL;
        strip->cut = cut_of_border(s, g, at);
        return;
    }
    strip->n_rows = find_rows(s, g, at, strip->rows);
    for (uint32_t i = 0; i < strip->n_rows; i++) {
        uint32_t place = strip->rows[i].weight;
        while (place >= end) end += s->desk->now[++k].n;
        strip->rows[i].row = (uint32_t) codes[place] << 16 | k;
    }
    sum_below(s, at, strip);
}

static int take_border(ct_search *s, const group *g, const ct_bin_cut *cut, border *best,
                       border now)
{
    now.next = cut->bin + 1;
    while (now.next < g->n_bins && !bin_weight(s, now.next, now.lane)) now.next++;
    now.bin = cut->bin;
    s->score = cut->score;
    s->is_set = 0;
    *best = now;
    return 1;
}

static void search_group(ct_search *s, ct_strip *strip)
{
    ct_bin_cut right[CT_LANES], left[CT_LANES];
    group g = draw_group(s);
    border best = {0, 0, 0, 0};
    int missing = 0, better = 0;
    if (!g.lanes) return;
    if (s->grower->n_classes) count_classes(s, &g);
    else sum_numbers(s, &g);
    scan_group(s, &g, 0, right);
    for (unsigned lane = 0; g.any_missing && lane < g.lanes; lane++)
        missing |= bin_weight(s, MISSING, lane) != 0;
    if (missing) scan_group(s, &g, 1, left);
    for (unsigned lane = 0; lane < g.lanes; lane++) {
        if (right[lane].score > s->score)
            better = take_border(s, &g, &right[lane], &best, (border){0, 0, lane, 0});
        if (missing && left[lane].score > s->score && bin_weight(s, MISSING, lane))
            better = take_border(s, &g, &left[lane], &best, (border){0, 0, lane, 1});
    }
    if (!better) return;
    make_strip(s, &g, &best, strip);
    s->half = !s->half;
}

void ct_search_bins(ct_search *s)
{
    uint32_t left[CT_HIST_CLASSES];
    ct_strip strip = {0, 0, 0, s->desk->spare_items, 0, 0, left, 0, 0, NULL};
    double none = s->score;
    while (s->n_drawn < s->grower->options->mtry) search_group(s, &strip);
    if (s->score > none && !s->is_set) ct_refine(s, &strip);
}
