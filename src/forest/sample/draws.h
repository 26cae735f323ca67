/* Many draws of one key, in the order of ct_rng, some blocks at a time. */
#ifndef CT_FOREST_SAMPLE_DRAWS_H
#define CT_FOREST_SAMPLE_DRAWS_H

#include "base/rng.h"
#include "forest/scan/scan.h"

enum { CT_DRAW_BLOCKS = 64, CT_DRAW_WORDS = 4 * CT_DRAW_BLOCKS };

typedef struct {
    const ct_scan *scan; /* lent */
    ct_rng rng;
    uint32_t words[CT_DRAW_WORDS], next;
} ct_draws;

static inline void ct_draws_init(ct_draws *d, const ct_scan *scan, ct_rng rng)
{
    d->scan = scan;
    d->rng = rng;
    d->next = CT_DRAW_WORDS;
}

static inline void ct_draw_words(ct_draws *d)
{
    d->scan->draws(d->rng.counter, d->rng.key, CT_DRAW_BLOCKS, d->words);
    d->rng.counter[0] += CT_DRAW_BLOCKS;
    d->next = 0;
}

static inline uint32_t ct_draw(ct_draws *d)
{
    if (d->next == CT_DRAW_WORDS) ct_draw_words(d);
    return d->words[d->next++];
}

/* A number below n, as ct_rng_below() draws it. */
static inline uint32_t ct_draw_below(ct_draws *d, uint32_t n)
{
    CT_ASSERT(n > 0);
    uint64_t product = (uint64_t) ct_draw(d) * n;
    if ((uint32_t) product < n) {
        uint32_t rest = (uint32_t) -n % n;
        while ((uint32_t) product < rest) product = (uint64_t) ct_draw(d) * n;
    }
    return (uint32_t) (product >> 32);
}

#endif
