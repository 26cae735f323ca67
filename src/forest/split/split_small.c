/* The best cut of small nodes, which look at all cuts of each candidate. */
#include "base/optimised.h"
#include "base/unguarded.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "forest/split/entropy.h"

/* What all candidates of a node have in common, and those that wait to be looked at together. */
typedef struct {
    uint16_t weights[CT_SMALL_ROWS], pairs[CT_SMALL_ROWS];
    uint32_t columns[CT_LANES];
    uint8_t missing[CT_LANES], missing_left[CT_LANES]; /* there are such; they go left */
    uint8_t run_of[CT_SMALL_ROWS]; /* of entropy */
    int64_t packed[CT_SMALL_ROWS]; /* of numbers, as in ct_small_numbers */
    ct_small node;
} small_rows;

enum { SIGN_BIT = 0x8000 }; /* codes with this bit flipped compare as signed numbers */

static uint32_t from_signed(int16_t code, int missing_left)
{
    return (uint16_t) (((uint16_t) code ^ SIGN_BIT) - missing_left);
}

static void take_cut(ct_hist_search *s, const small_rows *rows, const ct_small_cut *cut,
                     double score)
{
    const int missing_left = rows->missing_left[cut->candidate];
    const uint32_t column = rows->columns[cut->candidate],
                   low = from_signed(cut->code, missing_left),
                   high = from_signed(cut->next, missing_left);
    s->score = score;
    s->split->column = column;
    s->split->cut = high == CT_CODE_MISSING ? s->grower->codes->columns[column].n_codes
                                            : (low + high + 1) / 2;
    s->split->missing_left = missing_left;
    s->split->knows_missing = rows->missing[cut->candidate];
    s->split->is_set = 0;
    s->split->codes = (const uint16_t *) rows->node.codes[cut->candidate];
    s->split->weights = s->memory->small_weights;
    s->split->raise = SIGN_BIT;
    s->half = !s->half;
}

/* ---- one candidate at a time ---- */

/* Rows in order of their codes, those of one code in any. */
static void sort_rows(const ct_hist_search *s, const int16_t *codes, uint32_t n, uint8_t *order)
{
    uint8_t same[CT_SMALL_ROWS] = {0};
    uint16_t below[CT_SMALL_ROWS];
    s->grower->scan->ranks(codes, n, below);
    for (uint32_t i = 0; i < n; i++) order[below[i] + same[below[i]]++] = (uint8_t) i;
}

/* Whether a cut behind this code would leave missing values alone on the left, which no code says.
 * Another candidate has them alone on the right; monotone forests might take only this one. */
static int leaves_missing(const small_rows *rows, uint32_t candidate, int16_t code)
{
    return rows->missing_left[candidate] && code == INT16_MIN;
}

/* Where some cuts must not be made, or rows have exposures. */
CT_HOT int best_within_limits(const ct_hist_search *s, const small_rows *rows, uint32_t candidate,
                              double *best, int16_t *code, int exposed)
{
    const int16_t *codes = rows->node.codes[candidate];
    const uint32_t column = rows->columns[candidate];
    double sum = 0, exposure = 0;
    uint32_t weight = 0, n = s->task->n;
    uint8_t order[CT_SMALL_ROWS] = {0};
    int found = 0;
    sort_rows(s, codes, n, order);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const uint8_t place = order[i];
        const int64_t quantised = (rows->packed[place] - rows->weights[place]) / 65536;
        sum += (double) quantised;
        weight += rows->weights[place];
        if (exposed) {
            const ct_item *item = &s->items[place];
            exposure += (double) s->view->exposure[item->row] * item->weight;
        }
        int16_t own = codes[place];
        if (own == codes[order[i + 1]] || leaves_missing(rows, candidate, own)) continue;
        if (ct_is_scarce(s->grower, weight, s->task->weight) ||
            ct_breaks_order(s, column, sum, weight))
            continue;
        double rest = s->sum - sum, left = exposed ? exposure : (double) weight,
               right = exposed ? s->amount - exposure : (double) (s->task->weight - weight);
        double score = (sum * sum) / left + (rest * rest) / right;
        if (score > *best) *best = score, *code = own, found = 1;
    }
    return found;
}

static int best_of_numbers(const ct_hist_search *s, const small_rows *rows, uint32_t candidate,
                           double *best, int16_t *code)
{
    const ct_small_numbers node = {rows->node.codes[candidate], rows->packed, s->sum, s->task->n,
                                   s->task->weight};
    if (s->view->exposure) return best_within_limits(s, rows, candidate, best, code, 1);
    if (ct_has_limits(s->grower)) return best_within_limits(s, rows, candidate, best, code, 0);
    return s->grower->scan->small_variance(&node, best, code);
}

static int best_of_plain(const ct_hist_search *s, const small_rows *rows, uint32_t candidate,
                         double *best, int16_t *code)
{
    const int16_t *codes = rows->node.codes[candidate];
    const uint32_t column = rows->columns[candidate];
    uint32_t left[CT_HIST_CLASSES] = {0}, size = 0, n = s->task->n;
    uint8_t order[CT_SMALL_ROWS] = {0}, run_of[CT_SMALL_ROWS] = {0};
    int found = 0;
    sort_rows(s, codes, n, order);
    for (uint32_t k = 0, i = 0; k < s->task->n_runs; k++)
        for (uint32_t j = 0; j < s->runs[k].n; j++) run_of[i++] = (uint8_t) k;
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t row = order[i];
        left[run_of[row]] += s->items[row].weight;
        size += s->items[row].weight;
        if (codes[row] == codes[order[i + 1]] || leaves_missing(rows, candidate, codes[row]))
            continue;
        if (ct_is_scarce(s->grower, size, s->task->weight) ||
            ct_breaks_order(s, column, left[1], size))
            continue;
        double score = ct_forest_plain_score(s, left, size);
        if (score > *best) *best = score, *code = codes[row], found = 1;
    }
    return found;
}

static int best_of_entropy(const ct_hist_search *s, const small_rows *rows, const int16_t *codes,
                           double *best, int16_t *code)
{
    uint8_t order[CT_SMALL_ROWS] = {0};
    sort_rows(s, codes, s->task->n, order);
    return ct_forest_small_entropy(s, codes, order, rows->run_of, best, code);
}

static int best_of_one(const ct_hist_search *s, const small_rows *rows, uint32_t candidate,
                       double *best, int16_t *code)
{
    if (!s->grower->n_classes) return best_of_numbers(s, rows, candidate, best, code);
    if (s->grower->logs && !ct_has_limits(s->grower))
        return best_of_entropy(s, rows, rows->node.codes[candidate], best, code);
    return best_of_plain(s, rows, candidate, best, code);
}

/* ---- candidates that wait ---- */

/* The best cut of these, if better than all before. */
static int best_of_waiting(const ct_hist_search *s, const small_rows *rows, ct_small_cut *cut,
                           double *score)
{
    int found = 0;
    *score = s->score;
    if (s->grower->criterion->score == CT_SCORE_SQUARES && !ct_has_limits(s->grower)) {
        cut->score = (float) s->score;
        found = s->grower->scan->small_gini(&rows->node, cut);
        if (found) *score = cut->score;
        return found;
    }
    for (uint32_t k = 0; k < rows->node.n_candidates; k++) {
        const int16_t *codes = rows->node.codes[k];
        if (!best_of_one(s, rows, k, score, &cut->code)) continue;
        found = 1;
        cut->candidate = k;
        cut->next = s->grower->scan->above(codes, s->task->n, cut->code);
    }
    return found;
}

static int any_missing(const ct_hist_search *s, const uint16_t *codes, uint32_t column)
{
    int missing = 0;
    if (!s->grower->codes->columns[column].has_missing) return 0;
    for (uint32_t i = 0; i < s->task->n; i++) missing |= codes[i] == INT16_MAX;
    return missing;
}

/* The rest of a vector, by eights that are stored at once. */
static void pad_codes(uint16_t *codes, uint32_t n)
{
    static const uint16_t most[8] = {INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX,
                                     INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX};
    const uint32_t end = n <= CT_SMALL_ROWS / 2 ? CT_SMALL_ROWS / 2 : CT_SMALL_ROWS;
    for (uint32_t i = n / 8 * 8; i < end; i += 8) memcpy(codes + i, most, sizeof most);
}

/* Missing values go above all others, or, one further, below; where there are none, one side is
 * enough. */
static void read_waiting(const ct_hist_search *s, small_rows *rows)
{
    const uint32_t n_read = rows->node.n_candidates;
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_read; k++) pad_codes(ct_medium_codes(s, k), s->task->n);
    ct_forest_read_codes(s, rows->columns, n_read, SIGN_BIT);
    for (uint32_t k = 0; k < n_read; k++) {
        uint16_t *codes = ct_medium_codes(s, k);
        const int missing = any_missing(s, codes, rows->columns[k]), left = rows->missing_left[k];
        if (left && !missing) continue;
        for (uint32_t i = 0; left && i < s->task->n; i++) codes[i]++;
        rows->columns[n] = rows->columns[k];
        rows->missing[n] = (uint8_t) missing;
        rows->missing_left[n] = (uint8_t) left;
        rows->node.codes[n++] = (const int16_t *) codes;
    }
    rows->node.n_candidates = n;
}

static void look_at_waiting(ct_hist_search *s, small_rows *rows)
{
    ct_small_cut cut;
    double score;
    if (!rows->node.n_candidates) return;
    read_waiting(s, rows);
    if (best_of_waiting(s, rows, &cut, &score)) take_cut(s, rows, &cut, score);
    rows->node.n_candidates = 0;
}

static void add_candidate(small_rows *rows, uint32_t column, int missing_left)
{
    uint32_t k = rows->node.n_candidates++;
    rows->columns[k] = column;
    rows->missing_left[k] = (uint8_t) missing_left;
}

/* The score where each side has one class, which no other is above. */
static double pure_score(const ct_hist_search *s)
{
    if (s->grower->criterion->score != CT_SCORE_SQUARES || ct_has_limits(s->grower))
        return INFINITY;
    if (s->task->n_runs != 2) return s->task->weight;
    float off = (float) (s->runs[0].weight * s->runs[1].weight), square = off * off;
    return square / off;
}

static void begin_rows(const ct_hist_search *s, small_rows *rows)
{
    const uint32_t n = s->task->n, first = s->runs[0].n;
    s->grower->scan->weights(s->items, n, first, s->memory->small_weights, rows->weights,
                             rows->pairs);
    rows->node.weights = rows->weights;
    rows->node.pairs = rows->pairs;
    rows->node.runs = s->runs;
    rows->node.n_candidates = 0;
    rows->node.n_runs = s->task->n_runs;
    rows->node.n = n;
    rows->node.weight = s->task->weight;
    for (uint32_t i = 0; !s->grower->n_classes && i < n; i++)
        rows->packed[i] =
            (int64_t) s->view->quantised[s->items[i].row] * s->items[i].weight * 65536 +
            s->items[i].weight;
    for (uint32_t k = 0, i = 0; s->grower->logs && k < s->task->n_runs; k++)
        for (uint32_t j = 0; j < s->runs[k].n; j++) rows->run_of[i++] = (uint8_t) k;
}

void ct_forest_search_small(ct_hist_search *s)
{
    CT_ASSERT(s->task->n > 1 && s->task->n <= CT_SMALL_ROWS && s->task->weight <= CT_SMALL_WEIGHT);
    small_rows rows;
    begin_rows(s, &rows);
    const double most = pure_score(s);
    /* in groups of one size, each with room for one more where values are missing */
    const uint32_t mtry = s->grower->options->mtry,
                   groups = (mtry + CT_LANES - 2) / (CT_LANES - 1),
                   together = (mtry + groups - 1) / groups;
    while (s->n_drawn < s->grower->options->mtry && s->score < most) {
        uint32_t column = ct_forest_draw_column(s);
        if (ct_has_sets(s, column)) {
            look_at_waiting(s, &rows);
            if (s->score < most) ct_forest_search_set(s, column);
            continue;
        }
        add_candidate(&rows, column, 0);
        if (s->grower->codes->columns[column].has_missing) add_candidate(&rows, column, 1);
        if (rows.node.n_candidates >= together) look_at_waiting(s, &rows);
    }
    look_at_waiting(s, &rows);
}
