/* Bytes from a fuzzer, taken as what a caller may pass: numbers of every kind, the awkward ones
 * more often than not. */
#ifndef CT_TEST_FUZZ_API_H
#define CT_TEST_FUZZ_API_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *at, *end;
} fuzz_bytes;

/* 0 when there are no more. */
static inline uint32_t fuzz_byte(fuzz_bytes *b) { return b->at < b->end ? *b->at++ : 0; }
static inline uint32_t fuzz_below(fuzz_bytes *b, uint32_t n) { return fuzz_byte(b) % n; }
static inline uint32_t fuzz_u32(fuzz_bytes *b)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++) x = x << 8 | fuzz_byte(b);
    return x;
}

/* One time in `n` a hostile choice. */
static inline int fuzz_rarely(fuzz_bytes *b, uint32_t n) { return fuzz_below(b, n) == n - 1; }

static inline double fuzz_any_double(fuzz_bytes *b)
{
    static const double odd[] = {0.0,      -0.0,      NAN,
                                 INFINITY, -INFINITY, DBL_MAX,
                                 -DBL_MAX, DBL_MIN,   4.9406564584124654e-324,
                                 1e300,    -1e300,    9007199254740993.0,
                                 1e-310,   -1.0,      0.1,
                                 1e18};
    uint32_t kind = fuzz_byte(b);
    if (kind < 64) return odd[kind % (sizeof odd / sizeof *odd)];
    double x;
    uint64_t bits = (uint64_t) fuzz_u32(b) << 32 | fuzz_u32(b);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A small number most of the time. */
static inline double fuzz_double(fuzz_bytes *b)
{
    uint32_t kind = fuzz_byte(b);
    return kind < 200   ? (kind % 16) / 4.0
           : kind < 240 ? 1 + (kind % 4) * DBL_EPSILON
                        : fuzz_any_double(b);
}

static inline uint32_t fuzz_size(fuzz_bytes *b, uint32_t most)
{
    static const uint32_t odd[] = {0, UINT32_MAX, INT32_MAX, UINT32_C(1) << 31, 65536};
    return fuzz_rarely(b, 40) ? odd[fuzz_below(b, 5)] : fuzz_below(b, most + 1);
}

/* Ends the process, which is what a fuzzer takes for a finding. */
#define FUZZ_REQUIRE(condition)                                                              \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);    \
            abort();                                                                         \
        }                                                                                    \
    } while (0)

#endif
