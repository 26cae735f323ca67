#include "forest/sample.h"

#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

enum { PATH = 0 }; /* of the draws; nodes have others */

int ct_sampler_init(ct_sampler *sampler, uint32_t n_rows, const double *weights)
{
    sampler->n_rows = n_rows;
    sampler->upto = NULL;
    if (!weights) return 1;
    sampler->upto = (uint32_t *) ct_alloc(n_rows * sizeof *sampler->upto);
    if (!sampler->upto) return 0;
    double sum = 0, now = 0;
    for (uint32_t i = 0; i < n_rows; i++) sum += weights[i];
    for (uint32_t i = 0; i < n_rows; i++) {
        now += weights[i];
        sampler->upto[i] = (uint32_t) (now / sum * 4294967295.0);
    }
    /* a row that weighs nothing is never drawn, also the last one */
    uint32_t last = n_rows;
    while (last > 1 && !(weights[last - 1] > 0)) last--;
    for (uint32_t i = last - 1; i < n_rows; i++) sampler->upto[i] = UINT32_MAX;
    return 1;
}

void ct_sampler_free(ct_sampler *sampler)
{
    ct_free(sampler->upto);
    sampler->upto = NULL;
}

/* The first row whose sum is above `draw`. */
static uint32_t row_of(const ct_sampler *sampler, uint32_t draw)
{
    uint32_t low = 0, n = sampler->n_rows;
    while (n > 1) {
        uint32_t half = n / 2;
        low += sampler->upto[low + half - 1] <= draw ? half : 0;
        n -= half;
    }
    return low;
}

void ct_sample(const ct_sampler *sampler, uint64_t seed, uint32_t tree, uint32_t n, int replace,
               uint32_t *counts)
{
    uint32_t n_rows = sampler->n_rows;
    ct_rng rng = ct_rng_of(seed, tree, PATH);
    memset(counts, 0, n_rows * sizeof *counts);
    if (sampler->upto) {
        for (uint32_t i = 0; i < n; i++) counts[row_of(sampler, ct_rng_below(&rng, UINT32_MAX))]++;
    } else if (replace) {
        for (uint32_t i = 0; i < n; i++) counts[ct_rng_below(&rng, n_rows)]++;
    } else {
        /* each row in turn, with the chance that the rest of the sample has in the rest of the rows
         */
        for (uint32_t row = 0; row < n_rows && n; row++) {
            counts[row] = ct_rng_below(&rng, n_rows - row) < n;
            n -= counts[row];
        }
    }
}
