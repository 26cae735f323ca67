/* Claims and certificates, for the tests of the checker. */
#ifndef CT_TEST_CLAIMS_H
#define CT_TEST_CLAIMS_H

#include <float.h>

#include "../exact/solve.h"
#include "certify/certify.h"
#include "exact/prove.h"

/* The epsilon of long double: under valgrind, which computes with 53 bits where the type has 64,
 * that of double. */
static inline long double long_epsilon(void)
{
    volatile long double one = 1, more = one + LDBL_EPSILON;
    return more > one ? LDBL_EPSILON : DBL_EPSILON;
}

static inline ct_certify_claim claim_of(const ct_exact_options *options, const ct_outcome *best)
{
    ct_certify_claim claim = {.depth = options->depth,
                              .complexity = options->complexity,
                              .min_bucket = options->min_bucket,
                              .min_split = options->min_split,
                              .max_thresholds = options->max_thresholds,
                              .best = best,
                              .any_size = options->any_size};
    return claim;
}

static inline void release_bytes(void *of) { ct_bytes_free((ct_bytes *) of); }

/* A certificate that no tree costs less than `best` or, without, than the bound. It is kept, so
 * that nothing may be added to it. */
static inline ct_bytes certificate_below(const ct_data *data, const ct_exact_options *options,
                                         double bound, const ct_outcome *best)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_certify_claim claim = claim_of(options, NULL);
    ct_exact_end end;
    ct_certify_begin(data, &claim, &bytes);
    CHECK_OK(ct_exact_prove(data, options, bound, best, &bytes, &end, &reason));
    CHECK_INT(end, CT_END_OPTIMAL);
    keep_parts(&bytes, sizeof bytes, release_bytes);
    return bytes;
}

static inline ct_certify_result check_claim(const ct_data *data, const ct_certify_claim *claim,
                                            const uint8_t *bytes, size_t n)
{
    ct_certify_result checked;
    CHECK_OK(ct_certify(data, claim, bytes, n, &checked, &reason));
    return checked;
}

/* Turns bits from byte `from` on, and may cut the n bytes off or add one; returns how many there
 * are. */
static inline size_t tamper(rng *r, uint8_t *bytes, size_t n, size_t from)
{
    size_t size = n;
    for (uint32_t flips = rng_below(r, 3) + 1; flips; flips--)
        bytes[from + rng_below(r, (uint32_t) (n - from))] ^= (uint8_t) (1 << rng_below(r, 8));
    if (rng_below(r, 5) == 0) size = rng_below(r, (uint32_t) n + 1);
    if (rng_below(r, 5) == 0) bytes[size++] = (uint8_t) rng_next(r);
    return size;
}

#endif
