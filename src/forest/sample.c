#include "forest/sample.h"

#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "forest/paths.h"

enum { BLOCKS = 64 }; /* of draws at a time */

/* The draws of a tree, some at a time, in the order of ct_rng. */
typedef struct {
    const ct_scan *scan;
    ct_rng rng;
    uint32_t words[4 * BLOCKS], next;
} draws;

static void refill(draws *d)
{
    d->scan->draws(d->rng.counter, d->rng.key, BLOCKS, d->words);
    d->rng.counter[0] += BLOCKS;
    d->next = 0;
}

/* As ct_rng_below(), of which `rest` is 2^32 modulo n. */
static inline uint32_t draw_below(draws *d, uint32_t n, uint32_t rest)
{
    uint64_t product;
    do {
        if (d->next == 4 * BLOCKS) refill(d);
        product = (uint64_t) d->words[d->next++] * n;
    } while ((uint32_t) product < rest);
    return (uint32_t) (product >> 32);
}

ct_status ct_sampler_init(ct_sampler *sampler, uint32_t n_rows, const double *weights)
{
    sampler->scan = ct_scan_at(ct_cpu_find("auto"));
    sampler->n_rows = n_rows;
    sampler->upto = NULL;
    if (!weights) return CT_OK;
    sampler->upto = (uint32_t *) ct_alloc(n_rows * sizeof *sampler->upto);
    if (!sampler->upto) return CT_NO_MEMORY;
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
    return CT_OK;
}

void ct_sampler_free(ct_sampler *sampler)
{
    ct_free(sampler->upto);
    sampler->upto = NULL;
}

void ct_sample(const ct_sampler *sampler, uint64_t seed, uint32_t tree, uint32_t n, int replace,
               uint32_t *counts)
{
    uint32_t n_rows = sampler->n_rows;
    draws d = {sampler->scan, ct_rng_of(seed, tree, CT_SAMPLE_PATH), {0}, 4 * BLOCKS};
    memset(counts, 0, n_rows * sizeof *counts);
    if (sampler->upto) {
        for (uint32_t i = 0; i < n; i++)
            counts[ct_sample_row(sampler->upto, n_rows, draw_below(&d, UINT32_MAX, 1))]++;
    } else if (replace) {
        const uint32_t rest = (uint32_t) -n_rows % n_rows;
        for (uint32_t i = 0; i < n; i++) counts[draw_below(&d, n_rows, rest)]++;
    } else {
        /* each row in turn, with the chance that the rest of the sample has in the rest of the rows
         */
        for (uint32_t row = 0; row < n_rows && n; row++) {
            const uint32_t left = n_rows - row;
            counts[row] = draw_below(&d, left, (uint32_t) -left % left) < n;
            n -= counts[row];
        }
    }
}
