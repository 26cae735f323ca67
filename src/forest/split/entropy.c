#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/split/entropy.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"

/* What is left of a cut above some bins, by lane. */
typedef struct {
    uint32_t runs[CT_HIST_CLASSES][CT_LANES], size[CT_LANES];
    double sums[CT_LANES]; /* of the runs' logs, both sides together */
} sides;

/* Weights of a run in a bin are the lower or the upper half of cells, or whole ones. */
CT_HOT void add_bin(const ct_hist_search *s, uint32_t bin, unsigned lanes, unsigned width,
                    sides *all)
{
    const double *logs = s->grower->logs;
    const int has_pairs = ct_has_pairs(s->task->weight);
    for (unsigned lane = 0; lane < lanes; lane++) all->sums[lane] = 0;
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        const uint32_t *cells = s->memory->histograms + (size_t) bin * width +
                                (size_t) (has_pairs ? k / 2 : k) * CT_HISTOGRAM_STRIDE;
        const unsigned shift = has_pairs && k % 2 ? 16 : 0;
        const uint32_t mask = has_pairs ? 65535 : UINT32_MAX, weight = s->runs[k].weight;
        for (unsigned lane = 0; lane < lanes; lane++) {
            const uint32_t own = cells[lane] >> shift & mask,
                           left = all->runs[k][lane] += own;
            all->size[lane] += own;
            all->sums[lane] += logs[left] + logs[weight - left];
        }
    }
}

void ct_forest_scan_entropy(const ct_hist_search *s, uint32_t n_bins, int missing_left,
                            unsigned lanes, unsigned width, ct_bin_cut *cuts)
{
    const double *logs = s->grower->logs;
    CT_ASSERT(logs && n_bins < CT_HIST_BIN_ROWS && lanes <= CT_LANES && lanes <= width);
    const uint32_t weight = s->task->weight;
    const double lift = weight * s->grower->lift;
    sides all;
    memset(all.runs, 0, s->task->n_runs * sizeof all.runs[0]);
    memset(all.size, 0, sizeof all.size);
    for (unsigned lane = 0; lane < lanes; lane++) cuts[lane] = (ct_bin_cut){NAN, 0};
    if (missing_left) add_bin(s, CT_HIST_BIN_ROWS - 1, lanes, width, &all);
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        add_bin(s, bin, lanes, width, &all);
        for (unsigned lane = 0; lane < lanes; lane++) {
            const uint32_t size = all.size[lane];
            if (!size || size == weight) continue;
            const double score = all.sums[lane] - logs[size] - logs[weight - size] + lift;
            if (!(score <= cuts[lane].score)) cuts[lane] = (ct_bin_cut){score, bin};
        }
    }
}

int ct_forest_small_entropy(const ct_hist_search *s, const int16_t *codes, const uint8_t *order,
                            const uint8_t *run_of, double *best, int16_t *code)
{
    const double *logs = s->grower->logs;
    const uint32_t n = s->task->n, weight = s->task->weight;
    uint32_t left[CT_SMALL_ROWS], right[CT_SMALL_ROWS], size = 0;
    double sum = weight * s->grower->lift;
    int found = 0;
    CT_ASSERT(logs && n > 1 && n <= CT_SMALL_ROWS);
    for (uint32_t k = 0; k < s->task->n_runs; k++) {
        left[k] = 0;
        right[k] = s->runs[k].weight;
        sum += logs[right[k]];
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        const uint32_t row = order[i], k = run_of[row], own = s->memory->small_weights[row];
        sum += logs[left[k] + own] - logs[left[k]] + (logs[right[k] - own] - logs[right[k]]);
        left[k] += own;
        right[k] -= own;
        size += own;
        if (codes[row] == codes[order[i + 1]]) continue;
        const double score = sum - logs[size] - logs[weight - size];
        if (score > *best) *best = score, *code = codes[row], found = 1;
    }
    return found;
}
