#include "forest/sample/sample.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "forest/sample/draws.h"
#include "forest/sample/paths.h"

static int all_equal(const double *weights, uint32_t n_rows)
{
    uint32_t i = 1;
    while (i < n_rows && weights[i] == weights[0]) i++;
    return i >= n_rows;
}

/* The power of two that weights are divided by, which is exact, before they are summed, so that no
 * sum overflows or vanishes. */
static int exponent_of_largest(const double *weights, uint32_t n_rows)
{
    double largest = 0;
    int exponent;
    for (uint32_t i = 0; i < n_rows; i++)
        if (weights[i] > largest) largest = weights[i];
    CT_ASSERT(largest > 0 && isfinite(largest));
    frexp(largest, &exponent);
    return exponent;
}

ct_status ct_hist_sampler_init(ct_hist_sampler *sampler, uint32_t n_rows, const double *weights)
{
    CT_ASSERT(n_rows > 0);
    sampler->scan = ct_scan_at(ct_cpu_find("auto"));
    sampler->n_rows = n_rows;
    sampler->upto = NULL;
    if (!weights || all_equal(weights, n_rows)) return CT_OK;
    sampler->upto = (uint32_t *) ct_alloc(n_rows * sizeof *sampler->upto);
    if (!sampler->upto) return CT_NO_MEMORY;
    int scale = -exponent_of_largest(weights, n_rows);
    double sum = 0, now = 0;
    for (uint32_t i = 0; i < n_rows; i++) sum += ldexp(weights[i], scale);
    for (uint32_t i = 0; i < n_rows; i++) {
        now += ldexp(weights[i], scale);
        sampler->upto[i] = (uint32_t) (now / sum * 4294967295.0);
    }
    /* a row that weighs nothing is never drawn, also the last one */
    uint32_t last = n_rows;
    while (last > 1 && !(weights[last - 1] > 0)) last--;
    for (uint32_t i = last - 1; i < n_rows; i++) sampler->upto[i] = UINT32_MAX;
    return CT_OK;
}

void ct_hist_sampler_free(ct_hist_sampler *sampler)
{
    ct_free(sampler->upto);
    sampler->upto = NULL;
}

/* Where draws are counted. */
typedef struct {
    const uint32_t *places;
    uint32_t *counts;
} tally;

static void count(const tally *t, uint32_t row) { t->counts[t->places ? t->places[row] : row]++; }

static void count_all(const tally *t, const uint32_t *rows, uint32_t n)
{
    if (t->places)
        for (uint32_t i = 0; i < n; i++) t->counts[t->places[rows[i]]]++;
    else
        for (uint32_t i = 0; i < n; i++) t->counts[rows[i]]++;
}

/* Draws with replacement: all words of a block at once, except in the few blocks with a word that
 * must be drawn again. */
static void draw_again(ct_draws *d, uint32_t n, uint32_t n_rows, const tally *t)
{
    uint32_t i = 0;
    while (n - i >= CT_DRAW_WORDS) {
        if (d->next == CT_DRAW_WORDS) ct_draw_words(d);
        if (d->next == 0 && d->scan->below(d->words, CT_DRAW_WORDS, n_rows)) {
            count_all(t, d->words, CT_DRAW_WORDS);
            d->next = CT_DRAW_WORDS;
            i += CT_DRAW_WORDS;
            continue;
        }
        for (; d->next != CT_DRAW_WORDS && i < n; i++) count(t, ct_draw_below(d, n_rows));
    }
    for (; i < n; i++) count(t, ct_draw_below(d, n_rows));
}

void ct_hist_sample(const ct_hist_sampler *sampler, uint64_t seed, uint32_t tree, uint32_t n,
                    int replace, const uint32_t *places, uint32_t *counts)
{
    CT_ASSERT(n > 0 && (replace || (n <= sampler->n_rows && !sampler->upto)));
    uint32_t n_rows = sampler->n_rows;
    const tally t = {places, counts};
    ct_draws d;
    ct_draws_init(&d, sampler->scan, ct_rng_of(seed, tree, CT_SAMPLE_PATH));
    memset(counts, 0, n_rows * sizeof *counts);
    if (sampler->upto) {
        for (uint32_t i = 0; i < n; i++)
            count(&t, ct_sample_row(sampler->upto, n_rows, ct_draw_below(&d, UINT32_MAX)));
    } else if (replace) {
        draw_again(&d, n, n_rows, &t);
    } else {
        /* each row is drawn with the chance that the rest of the sample has in the rest of the
         * rows */
        for (uint32_t row = 0; row < n_rows && n; row++) {
            if (ct_draw_below(&d, n_rows - row) >= n) continue;
            count(&t, row);
            n--;
        }
    }
}

/* Each row is kept with the chance that the rest of the share has in the rest of the rows. */
void ct_hist_halve(uint64_t seed, uint32_t tree, double share, uint32_t n_rows,
                   const uint32_t *places, uint32_t *counts, uint32_t *fills)
{
    CT_ASSERT(share > 0 && share < 1 && counts && fills);
    ct_draws d;
    ct_draws_init(&d, ct_scan_at(ct_cpu_find("auto")), ct_rng_of(seed, tree, CT_HALVES_PATH));
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_rows; i++) n += counts[i] > 0;
    memcpy(fills, counts, n_rows * sizeof *fills);
    if (n < 2) return;
    uint32_t kept = (uint32_t) lround(share * n);
    kept = kept < 1 ? 1 : kept > n - 1 ? n - 1 : kept;
    for (uint32_t row = 0; row < n_rows; row++) {
        const uint32_t place = places ? places[row] : row;
        if (!counts[place]) continue;
        const int stays = ct_draw_below(&d, n--) < kept;
        kept -= (uint32_t) stays;
        (stays ? fills : counts)[place] = 0;
    }
}

void ct_hist_shuffle(uint64_t seed, uint32_t n_rows, uint32_t *rows)
{
    CT_ASSERT(rows || !n_rows);
    ct_draws d;
    ct_draws_init(&d, ct_scan_at(ct_cpu_find("auto")), ct_rng_of(seed, 0, CT_TWINS_PATH));
    for (uint32_t i = 0; i < n_rows; i++) {
        const uint32_t place = ct_draw_below(&d, i + 1);
        rows[i] = rows[place];
        rows[place] = i;
    }
}
