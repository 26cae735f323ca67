#include "base/optimised.h"

#include "forest/split/many.h"

#include <math.h>
#include <string.h>

enum { MISSING = CT_HIST_BIN_ROWS - 1 };

/* One side of a border, to which rows are added. */
typedef struct {
    uint32_t size;
    uint64_t squares; /* of the weights of its runs */
    double logs;      /* of entropy: their sum */
    uint32_t most;    /* the largest weight */
} side;

void ct_forest_begin_many(const ct_hist_search *s)
{
    CT_ASSERT(ct_has_many_runs(s) && s->memory->run_of);
    uint32_t *run_of = s->memory->run_of;
    for (uint32_t k = 0, i = 0; k < s->task->n_runs; k++)
        for (uint32_t end = i + s->runs[k].n; i < end; i++) run_of[i] = k;
}

static uint32_t bin_at(const ct_hist_search *s, const ct_many_bins *b, uint32_t i)
{
    return b->bins[b->by_place ? i : s->items[i].row];
}

void ct_forest_sort_many(const ct_hist_search *s, const ct_many_bins *b, unsigned lane)
{
    CT_ASSERT(b->n_bins < CT_HIST_BIN_ROWS && lane < CT_LANES);
    const ct_split_memory *memory = s->memory;
    uint32_t *ends = memory->bin_ends, before = 0;
    memset(ends, 0, CT_HIST_BIN_ROWS * sizeof *ends);
    for (uint32_t bin = 0; bin < CT_HIST_BIN_ROWS; bin++)
        memory->weights[(size_t) bin * CT_LANES + lane] = 0;
    for (uint32_t i = 0; i < s->task->n; i++) {
        const uint32_t bin = bin_at(s, b, i);
        ends[bin]++;
        memory->weights[(size_t) bin * CT_LANES + lane] += (int32_t) s->items[i].weight;
    }
    for (uint32_t bin = 0; bin < CT_HIST_BIN_ROWS; bin++) {
        const uint32_t n = ends[bin];
        ends[bin] = before;
        before += n;
    }
    for (uint32_t i = 0; i < s->task->n; i++) memory->sorted[ends[bin_at(s, b, i)]++] = i;
}

/* The rows of a bin come to the side; of_run[run] are the weights there. */
static void add_bin(const ct_hist_search *s, uint32_t bin, uint32_t *of_run, side *to)
{
    const ct_split_memory *memory = s->memory;
    const double *logs = s->grower->logs;
    for (uint32_t i = bin ? memory->bin_ends[bin - 1] : 0; i < memory->bin_ends[bin]; i++) {
        const uint32_t place = memory->sorted[i], own = s->items[place].weight,
                       run = memory->run_of[place], old = of_run[run], now = old + own;
        of_run[run] = now;
        to->size += own;
        to->squares += (uint64_t) own * ((uint64_t) old + now);
        if (logs) to->logs += logs[now] - logs[old];
        if (now > to->most) to->most = now;
    }
}

static double worth(const ct_hist_search *s, const side *of)
{
    switch (s->grower->criterion->score) {
    case CT_SCORE_ENTROPY: return of->logs - s->grower->logs[of->size];
    case CT_SCORE_ERROR: return of->most;
    default: return (double) of->squares / of->size;
    }
}

/* worths[bin] and sizes[bin]: of the rows above the border behind that bin, and of missing values
 * if they are there. */
static void scan_right(const ct_hist_search *s, uint32_t n_bins, int with_missing, double *worths,
                       uint32_t *sizes)
{
    uint32_t *of_run = s->memory->others;
    side right = {0, 0, 0, 0};
    memset(of_run, 0, s->task->n_runs * sizeof *of_run);
    if (with_missing) add_bin(s, MISSING, of_run, &right);
    for (uint32_t bin = n_bins; bin-- > 0;) {
        sizes[bin] = right.size;
        worths[bin] = right.size ? worth(s, &right) : 0;
        add_bin(s, bin, of_run, &right);
    }
}

void ct_forest_scan_many(const ct_hist_search *s, const ct_many_bins *b, int missing_left,
                         ct_bin_cut *cut)
{
    CT_ASSERT(b->n_bins < CT_HIST_BIN_ROWS);
    double worths[CT_HIST_BIN_ROWS];
    uint32_t sizes[CT_HIST_BIN_ROWS], *of_run = s->memory->others;
    const double lift = s->task->weight * s->grower->lift;
    side left = {0, 0, 0, 0};
    *cut = (ct_bin_cut){NAN, 0};
    scan_right(s, b->n_bins, !missing_left, worths, sizes);
    memset(of_run, 0, s->task->n_runs * sizeof *of_run);
    if (missing_left) add_bin(s, MISSING, of_run, &left);
    for (uint32_t bin = 0; bin < b->n_bins; bin++) {
        const uint32_t before = left.size;
        add_bin(s, bin, of_run, &left);
        if (left.size == before || !sizes[bin] ||
            ct_is_scarce(s->grower, left.size, s->task->weight))
            continue;
        const double score = worth(s, &left) + worths[bin] + lift;
        if (!(score <= cut->score)) *cut = (ct_bin_cut){score, bin};
    }
}
