/* The sample of rows that a tree is grown from. */
#ifndef CT_FOREST_SAMPLE_SAMPLE_H
#define CT_FOREST_SAMPLE_SAMPLE_H

#include <stdint.h>

#include "base/hd.h"
#include "base/status.h"
#include "forest/scan/scan.h"

/* The weights as integers, summed up to each row, for sampling by weight. */
typedef struct {
    const ct_scan *scan; /* how draws are computed; they are the same */
    uint32_t n_rows;
    uint32_t *upto; /* [n_rows] owned; NULL: all rows alike */
} ct_hist_sampler;

/* The first row whose sum is above `draw`. */
CT_HD uint32_t ct_sample_row(const uint32_t *upto, uint32_t n, uint32_t draw)
{
    uint32_t low = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        low += upto[low + half - 1] <= draw ? half : 0;
        n -= half;
    }
    return low;
}

/* `weights` are finite, at least 0, and not all 0; NULL, or all equal: all rows alike.
 * CT_NO_MEMORY; the caller says what for. */
ct_status ct_hist_sampler_init(ct_hist_sampler *sampler, uint32_t n_rows, const double *weights);
void ct_hist_sampler_free(ct_hist_sampler *sampler);

/* How often each row is drawn in `n` draws for a tree: counts[n_rows], a row's at places[row], or
 * at the row itself where `places` is NULL. Without replacement n is at most n_rows and all rows
 * are alike. A function of seed and tree alone. */
void ct_hist_sample(const ct_hist_sampler *sampler, uint64_t seed, uint32_t tree, uint32_t n,
                    int replace, const uint32_t *places, uint32_t *counts);

/* Draws a share of the different rows of a sample, at least one, that stays in `counts`; the
 * others, at least one, go to `fills`. A single row is in both. */
void ct_hist_halve(uint64_t seed, uint32_t tree, double share, uint32_t n_rows,
                   const uint32_t *places, uint32_t *counts, uint32_t *fills);

/* The rows in an order that the seed alone decides: rows[n_rows]. */
void ct_hist_shuffle(uint64_t seed, uint32_t n_rows, uint32_t *rows);

#endif
