/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers,
 * as easy as 1, 2, 3; SC 2011). A draw is a pure function of a seed, a stream, a path and its
 * number, so that work which is keyed by what it is about, not by who does it or when, has the same
 * numbers on any number of threads and on a device. Not for cryptography. */
#ifndef CT_BASE_RNG_H
#define CT_BASE_RNG_H

#include <stdint.h>

#include "base/hd.h"
#include "base/status.h"

/* The block function: 128 bits of counter and 64 bits of key to 128 random bits. */
CT_HD void ct_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k0 = key[0],
             k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t x = (uint64_t) a * UINT32_C(0xd2511f53), y = (uint64_t) c * UINT32_C(0xcd9e8d57);
        a = (uint32_t) (y >> 32) ^ b ^ k0;
        b = (uint32_t) y;
        c = (uint32_t) (x >> 32) ^ d ^ k1;
        d = (uint32_t) x;
        k0 += UINT32_C(0x9e3779b9);
        k1 += UINT32_C(0xbb67ae85);
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

/* The draws of one (seed, stream, path), in order; 2^34 of them. */
typedef struct {
    uint32_t key[2];     /* the seed */
    uint32_t counter[4]; /* number of the block to come, stream, path */
    uint32_t words[4];   /* the block at hand */
    unsigned next;       /* in it; 4: none is left */
} ct_rng;

CT_HD ct_rng ct_rng_of(uint64_t seed, uint32_t stream, uint64_t path)
{
    ct_rng rng = {{(uint32_t) seed, (uint32_t) (seed >> 32)},
                  {0, stream, (uint32_t) path, (uint32_t) (path >> 32)},
                  {0, 0, 0, 0},
                  4};
    return rng;
}

CT_HD uint32_t ct_rng_next(ct_rng *rng)
{
    CT_ASSERT(rng->next <= 4);
    if (rng->next == 4) {
        ct_philox(rng->counter, rng->key, rng->words);
        rng->counter[0]++;
        rng->next = 0;
    }
    return rng->words[rng->next++];
}

/* Above 0 and below 1. */
static inline double ct_rng_uniform(ct_rng *rng)
{
    return (ct_rng_next(rng) + 0.5) / 4294967296.0;
}

/* A number below n, all equally likely; n at least 1. It may take more than one draw: the high half
 * of draw * n is taken but for the few draws that would favour some numbers (Lemire: Fast random
 * integer generation in an interval, 2019). */
CT_HD uint32_t ct_rng_below(ct_rng *rng, uint32_t n)
{
    CT_ASSERT(n > 0);
    uint64_t product = (uint64_t) ct_rng_next(rng) * n;
    if ((uint32_t) product < n) {
        uint32_t rest = (uint32_t) -n % n; /* 2^32 modulo n */
        CT_ASSERT(rest < n);
        while ((uint32_t) product < rest) product = (uint64_t) ct_rng_next(rng) * n;
    }
    return (uint32_t) (product >> 32);
}

/* The key of one of a path's continuations: paths of a tree's nodes, say, with `turn` the side. One
 * to one for each turn; that two paths of a tree meet is as likely as for random 64 bits. */
CT_HD uint64_t ct_rng_path(uint64_t path, uint64_t turn)
{
    uint64_t x = path + (turn + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
