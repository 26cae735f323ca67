/* The best cut of the codes in two bins: cuts of bins are borders between these, and the best one
 * lies near the best of them. */
#include "base/unguarded.h"

#include "forest/search.h"

enum { FEW = 16 }; /* rows that are sorted by looking at all pairs */

/* Both sides of a cut. */
typedef struct {
    const ct_search *s;
    uint32_t *left;      /* [n_runs] */
    uint64_t size, squares, others; /* of the left side; squares of the weights left and right */
    double sum;          /* numbers */
} sides;

/* Few rows: each goes where as many are before it, without a branch that cannot be foreseen. Places
 * differ, so that all words do. */
static void sort_few(ct_item *rows, uint32_t n)
{
    uint64_t words[FEW];
    for (uint32_t i = 0; i < n; i++) words[i] = (uint64_t) rows[i].row << 32 | rows[i].weight;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < n; k++) before += words[k] < words[i];
        rows[before] = (ct_item){(uint32_t) (words[i] >> 32), (uint32_t) words[i]};
    }
}

static void sort_by_code(ct_item *rows, uint32_t n)
{
    static const uint32_t gaps[] = {4193, 1820, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t gap = gaps[g], i = gap; i < n; i++) {
            ct_item row = rows[i];
            uint32_t at = i;
            for (; at >= gap && rows[at - gap].row > row.row; at -= gap) rows[at] = rows[at - gap];
            rows[at] = row;
        }
}

static sides sides_of(const ct_search *s, const ct_strip *strip)
{
    sides a = {s, strip->left, 0, 0, 0, strip->sum};
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        uint64_t left = strip->left[k], right = s->desk->now[k].weight - left;
        a.size += left;
        a.squares += left * left;
        a.others += right * right;
    }
    return a;
}

static void move_left(sides *a, uint32_t run, const ct_item *item)
{
    uint64_t weight = item->weight, left = a->left[run],
             right = a->s->desk->now[run].weight - left;
    a->left[run] += item->weight;
    a->size += weight;
    a->squares += weight * (2 * left + weight);
    a->others -= weight * (2 * right - weight);
    if (!a->s->grower->n_classes)
        a->sum += (double) a->s->view->whole[item->row] * item->weight;
}

/* As scores of bins are, see scan.h. */
static double score_of(const sides *a)
{
    uint64_t rest = a->s->task->weight - a->size;
    if (ct_is_plain(a->s)) return ct_plain_score(a->s, a->left, (uint32_t) a->size);
    if (!a->s->grower->n_classes) {
        double others = a->s->sum - a->sum;
        return (a->sum * a->sum) / (double) a->size + (others * others) / (double) rest;
    }
    return (double) a->squares / (double) a->size + (double) a->others / (double) rest;
}

void ct_refine(ct_search *s, ct_strip *strip)
{
    const uint32_t n = strip->n_rows, n_codes = s->grower->codes->columns[strip->column].n_codes;
    double best = -1;
    *s->split = (ct_split){strip->column, strip->cut, strip->missing_left, strip->knows_missing,
                           0, 0, strip->codes, (uint16_t) strip->missing_left};
    if (!n) return;
    sides a = sides_of(s, strip);
    (n <= FEW ? sort_few : sort_by_code)(strip->rows, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = strip->rows[i].row, code = row >> 16,
                 next = i + 1 < n ? strip->rows[i + 1].row >> 16 : CT_CODE_MISSING;
        move_left(&a, row & 65535, &s->items[strip->rows[i].weight]);
        if (code == next || a.size == s->task->weight || (i + 1 == n && !strip->right_is_missing))
            continue;
        double score = score_of(&a);
        if (!(score > best)) continue;
        best = score;
        s->split->cut = i + 1 < n ? (code + next + 1) / 2 : n_codes;
    }
}
