/* Sums of doubles as whole numbers, which do not depend on the order, whatever lies between the
 * smallest and the largest term: a sum has words of which each counts 2^32 times the one before.
 * Words are added each for itself, and none has carried before ct_words_carry(). */
#ifndef CT_FOREST_WORDS_H
#define CT_FOREST_WORDS_H

#include <math.h>
#include <stdint.h>

#include "base/status.h"

typedef struct {
    int low;    /* the first word is in units of 2^low */
    uint32_t n; /* words. 1: sums are not those of this file, but of one word that takes all */
} ct_words;

enum { CT_WORD_BITS = 32 };

/* For terms below 2^high, of which what is below 2^low does not count; at least two. */
static inline ct_words ct_words_between(int low, int high)
{
    const int n = (high - low + CT_WORD_BITS - 1) / CT_WORD_BITS;
    return (ct_words){low, n < 2 ? 2 : (uint32_t) n};
}

/* Adds to words from `at` on what `bits` are there; up to 2^29 times before they carry. */
static inline void ct_words_add_bits(const ct_words *w, int64_t *words, uint64_t bits, int at,
                                     int sign)
{
    const uint32_t k = (uint32_t) at / CT_WORD_BITS, by = (uint32_t) at % CT_WORD_BITS;
    const uint64_t one = UINT32_MAX, low = (bits & one) << by, high = (bits >> 32) << by;
    const uint64_t parts[3] = {low & one, (low >> 32) + (high & one), high >> 32};
    (void) w; /* what the assertion needs */
    for (uint32_t i = 0; i < 3; i++) {
        if (!parts[i]) continue;
        CT_ASSERT(k + i < w->n);
        words[k + i] += sign * (int64_t) parts[i];
    }
}

/* Adds x, rounded to a multiple of 2^low, as llround() rounds. */
static inline void ct_words_add(const ct_words *w, int64_t *words, double x)
{
    int exponent;
    uint64_t bits = (uint64_t) ldexp(frexp(fabs(x), &exponent), 53);
    int at = exponent - 53 - w->low;
    if (at < -53 || !bits) return;
    if (at < 0) bits = ((bits >> (-at - 1)) + 1) >> 1, at = 0;
    ct_words_add_bits(w, words, bits, at, x < 0 ? -1 : 1);
}

/* Carries until all words but the last one are from 0 to 2^32 - 1; the sum remains. */
static inline void ct_words_carry(const ct_words *w, int64_t *words)
{
    for (uint32_t k = 0; k + 1 < w->n; k++) {
        const int64_t rest = (int64_t) ((uint64_t) words[k] & UINT32_MAX);
        words[k + 1] += (words[k] - rest) / ((int64_t) 1 << CT_WORD_BITS);
        words[k] = rest;
    }
}

/* As llround(), without a call. */
static inline int64_t ct_rounded(double x)
{
    int64_t whole = (int64_t) x;
    double rest = x - (double) whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

#endif
