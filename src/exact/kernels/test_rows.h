/* Rows with a bit for each test, to and from bytes of 8 rows. */
#ifndef CT_EXACT_KERNELS_TEST_ROWS_H
#define CT_EXACT_KERNELS_TEST_ROWS_H

#include <string.h>

#include "base/simd/vec.h"
#include "exact/kernels/tests.h"

enum { VEC_TESTS = 8 * VEC_WORDS };

typedef uint8_t lane8;
typedef int16_t lane16;
typedef int32_t lane32;

CT_INLINE vec lanes_load(const void *lanes)
{
    vec a;
    memcpy(&a, lanes, sizeof a);
    return a;
}
CT_INLINE void lanes_store(void *lanes, vec a) { memcpy(lanes, &a, sizeof a); }

/* Bytes of a word of up to 8 rows, records[row][words]. */
static void gather_tests(const uint64_t *records, size_t words, const uint32_t *rows, uint32_t n,
                         uint8_t *bytes)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t in[8], out[8];
        for (uint32_t i = 0; i < 8; i++) in[i] = i < n ? records[rows[i] * words + w] : 0;
        words_across(in, out);
        blocks_across(out);
        memcpy(bytes + 64 * w, out, sizeof out);
    }
}

/* From bytes of 8 rows back to records[8][words], a bit for each test. */
static void scatter_tests(const uint8_t *bytes, size_t words, uint64_t *records)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t in[8], out[8];
        memcpy(in, bytes + 64 * w, sizeof in);
        blocks_across(in);
        words_across(in, out);
        for (int i = 0; i < 8; i++) records[(size_t) i * words + w] = out[i];
    }
}

#endif
