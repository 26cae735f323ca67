#include <math.h>
#include <string.h>

#include "forest/search.h"

enum { PADDED = CT_SMALL_ROWS + 64 };

typedef struct {
    int16_t codes[PADDED];
    uint16_t weights[PADDED], pairs[PADDED];
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
static int read_codes(const ct_search *s, small_rows *rows, uint32_t column, int missing_left)
{
    const ct_view *view = s->view;
    const uint16_t *codes = view->codes + column * view->code_stride;
    const uint32_t n = s->task->n;
    const ct_item *items = s->items;
    int missing = 0;
    if (!view->code_rows && !s->grower->codes->columns[column].has_missing) {
        for (uint32_t i = 0; i < n; i++) rows->codes[i] = turned(codes[items[i].row], 0);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint16_t code = ct_view_code(view, column, items[i].row);
        missing |= code == CT_CODE_MISSING;
        rows->codes[i] = turned(code, missing_left);
    }
    return missing;
}

static void take_code(ct_search *s, const small_rows *rows, uint32_t column, double score,
                      int16_t code, int missing, int missing_left)
{
    ct_split *split = s->split;
    int16_t next = s->grower->scan->above(rows->codes, s->task->n, code);
    uint32_t low = turned_back(code, missing_left),
             high = turned_back(next, missing_left);
    s->score = score;
    split->column = column;
    split->cut = high == CT_CODE_MISSING ? s->grower->codes->columns[column].n_codes
                                         : (low + high + 1) / 2;
    split->missing_left = missing_left;
    split->knows_missing = missing;
    split->is_set = 0;
}

/* Rows in order of their codes, those of one code in any. */
static void sort_rows(const ct_search *s, small_rows *rows)
{
    uint8_t same[CT_SMALL_ROWS] = {0};
    s->grower->scan->ranks(rows->codes, s->task->n, rows->below);
    for (uint32_t i = 0; i < s->task->n; i++)
        rows->order[rows->below[i] + same[rows->below[i]]++] = i;
}

static int best_of_numbers(ct_search *s, small_rows *rows, double *best, int16_t *code)
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

static int best_of_plain(ct_search *s, small_rows *rows, double *best, int16_t *code)
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
        double score = ct_plain_score(s, left, size);
        if (score > *best) *best = score, *code = rows->codes[row], found = 1;
    }
    return found;
}

/* The best cut of a candidate whose codes are there, if better than all before. */
static int best_code(ct_search *s, small_rows *rows, double *best, int16_t *code)
{
    *best = s->score;
    if (!s->grower->n_classes) return best_of_numbers(s, rows, best, code);
    if (ct_is_plain(s)) return best_of_plain(s, rows, best, code);
    float score = (float) s->score;
    if (!s->grower->scan->small_gini(&rows->node, &score, code)) return 0;
    *best = score;
    return 1;
}

/* The score where each side has one class, which no other is above. */
static double pure_score(const ct_search *s)
{
    if (!s->grower->n_classes || ct_is_plain(s)) return INFINITY;
    if (s->task->n_runs != 2) return s->task->weight;
    float off = (float) (s->desk->now[0].weight * s->desk->now[1].weight), square = off * off;
    return square / off;
}

static void begin_rows(const ct_search *s, small_rows *rows)
{
    const uint32_t n = s->task->n, first = s->desk->now[0].n;
    for (uint32_t i = 0; i < n; i++) {
        rows->weights[i] = (uint16_t) s->items[i].weight;
        rows->pairs[i] = (uint16_t) (rows->weights[i] << (i < first ? 0 : 8));
    }
    for (uint32_t i = n; i < (n + 63) / 64 * 64; i++) rows->codes[i] = 32767;
    memset(rows->pairs + n, 0, 4 * sizeof *rows->pairs);
    rows->node = (ct_small){rows->codes,     rows->weights, rows->pairs,    s->desk->now,
                            s->task->n_runs, n,             s->task->weight};
}

void ct_search_small(ct_search *s)
{
    small_rows rows;
    begin_rows(s, &rows);
    const double most = pure_score(s);
    while (s->n_drawn < s->grower->options->mtry && s->score < most) {
        uint32_t column = ct_draw_column(s);
        double score;
        int16_t code = 0;
        if (ct_has_sets(s, column)) {
            ct_search_set(s, column);
            continue;
        }
        int missing = read_codes(s, &rows, column, 0);
        if (best_code(s, &rows, &score, &code))
            take_code(s, &rows, column, score, code, missing, 0);
        if (!missing) continue;
        (void) read_codes(s, &rows, column, 1);
        if (best_code(s, &rows, &score, &code))
            take_code(s, &rows, column, score, code, missing, 1);
    }
}

