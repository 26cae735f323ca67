/* The vocabulary of vec.h in portable C: a vector is one 64-bit word. */
#ifndef CT_BASE_SIMD_VEC_SCALAR_H
#define CT_BASE_SIMD_VEC_SCALAR_H

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/simd/rounded.h"

enum { VEC_WORDS = 1 };
typedef uint64_t vec;
typedef uint64_t mask16;
typedef uint64_t mask32;

#define CT_INLINE static inline

CT_INLINE unsigned word_count(uint64_t word) { return ct_popcount(word); }
CT_INLINE unsigned word_select(uint64_t word, unsigned k) { return ct_select(word, k); }
CT_INLINE uint64_t word_pack(uint64_t word, uint64_t where) { return ct_pack(word, where); }

CT_INLINE vec v_load(const uint64_t *words) { return *words; }
CT_INLINE void v_store(uint64_t *words, vec a) { *words = a; }
CT_INLINE vec v_and(vec a, vec b) { return a & b; }
CT_INLINE vec v_and_not(vec a, vec b) { return a & ~b; }
CT_INLINE vec v_or(vec a, vec b) { return a | b; }
CT_INLINE vec v_xor(vec a, vec b) { return a ^ b; }
CT_INLINE vec v_not(vec a) { return ~a; }
CT_INLINE vec v_fill(uint64_t word) { return word; }
CT_INLINE vec v_choose(vec s, vec a, vec b) { return (a & s) | (b & ~s); }
CT_INLINE vec v_majority(vec a, vec b, vec s) { return (a & b) | (s & (a | b)); }
CT_INLINE int v_any(vec a) { return a != 0; }

/* Lane arithmetic within a word: the sign bits are added apart, so that no carry leaves its
 * lane. */
#define LANE_OPS(L, SIGNS, ONES, LAST_SHIFT) \
    CT_INLINE vec l##L##_add(vec a, vec b) \
    { \
        return ((a & ~SIGNS) + (b & ~SIGNS)) ^ ((a ^ b) & SIGNS); \
    } \
    CT_INLINE vec l##L##_sub(vec a, vec b) \
    { \
        return ((a | SIGNS) - (b & ~SIGNS)) ^ ((a ^ ~b) & SIGNS); \
    } \
    CT_INLINE mask##L l##L##_spread(vec signs) \
    { \
        return (signs >> (L - 1)) * ((UINT64_C(1) << L) - 1); \
    } \
    /* where the signs differ, that of b tells, else the rest; hot: gcc would call it */ \
    CT_HOT mask##L l##L##_above(vec a, vec b) \
    { \
        vec differ = a ^ b, reaches = (b | SIGNS) - (a & ~SIGNS); \
        return l##L##_spread(((differ & b) | ~(differ | reaches)) & SIGNS); \
    } \
    CT_INLINE vec l##L##_choose(mask##L m, vec a, vec b) { return (a & m) | (b & ~m); } \
    CT_INLINE vec l##L##_max(vec a, vec b) { return l##L##_choose(l##L##_above(a, b), a, b); } \
    CT_INLINE vec l##L##_min(vec a, vec b) { return l##L##_choose(l##L##_above(a, b), b, a); } \
    CT_INLINE vec l##L##_half(vec a) { return (a >> 1 & ~SIGNS) | (a & SIGNS); } \
    CT_INLINE vec l##L##_last(vec a) { return (a >> LAST_SHIFT) * ONES; } \
    CT_INLINE mask##L l##L##_negative(vec a) { return l##L##_spread(a & SIGNS); } \
    CT_INLINE mask##L l##L##_occupied(vec a) \
    { \
        return l##L##_spread((a | ((a & ~SIGNS) + ~SIGNS)) & SIGNS); \
    } \
    CT_INLINE mask##L l##L##_both(mask##L a, mask##L b) { return a & b; } \
    CT_INLINE mask##L l##L##_except(mask##L a, mask##L b) { return a & ~b; } \
    CT_INLINE vec l##L##_max_where(vec a, vec x, mask##L m) \
    { \
        return l##L##_choose(m & l##L##_above(x, a), x, a); \
    }

LANE_OPS(16, UINT64_C(0x8000800080008000), UINT64_C(0x0001000100010001), 48)
LANE_OPS(32, UINT64_C(0x8000000080000000), UINT64_C(0x0000000100000001), 32)

#define TOPS UINT64_C(0x8080808080808080)
CT_INLINE vec l8_add(vec a, vec b) { return ((a & ~TOPS) + (b & ~TOPS)) ^ ((a ^ b) & TOPS); }
CT_INLINE vec l8_sub(vec a, vec b) { return ((a | TOPS) - (b & ~TOPS)) ^ ((a ^ ~b) & TOPS); }
CT_INLINE vec l8_max(vec a, vec b)
{
    vec differ = a ^ b, reaches = (a | TOPS) - (b & ~TOPS); /* the lower bits of a those of b */
    vec where = (((differ & a) | (~differ & reaches)) & TOPS) >> 7;
    return v_choose(where * 0xff, a, b);
}
CT_INLINE vec l8_set(uint8_t x) { return x * UINT64_C(0x0101010101010101); }
CT_INLINE vec l8_count(vec a)
{
    a -= a >> 1 & UINT64_C(0x5555555555555555);
    a = (a & UINT64_C(0x3333333333333333)) + (a >> 2 & UINT64_C(0x3333333333333333));
    return (a + (a >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}
CT_INLINE int l8_top(vec a)
{
    int top = 0;
    for (unsigned i = 0; i < 64; i += 8)
        if ((int) (a >> i & 0xff) > top) top = (int) (a >> i & 0xff);
    return top;
}
CT_INLINE vec l32_wide(vec a, int upper)
{
    uint64_t half = upper ? a >> 32 : a & 0xffffffff;
    return (half | half << 16) & UINT64_C(0x0000ffff0000ffff);
}
CT_INLINE vec l16_wide(vec a, int upper)
{
    uint64_t pairs = l32_wide(a, upper);
    return (pairs | pairs << 8) & UINT64_C(0x00ff00ff00ff00ff);
}
CT_INLINE void words_across(const uint64_t in[8], uint64_t out[8])
{
    ct_transpose_bytes(in, out);
}

CT_INLINE void blocks_across(uint64_t words[8])
{
    for (int i = 0; i < 8; i++) words[i] = ct_transpose8(words[i]);
}

CT_INLINE vec l16_set(int x) { return (uint64_t) (uint16_t) x * UINT64_C(0x0001000100010001); }
CT_INLINE vec l32_set(int x) { return (uint64_t) (uint32_t) x * UINT64_C(0x0000000100000001); }

/* All lanes of x are the same. */
CT_INLINE vec l32_times(vec counts, vec x) { return counts * (uint32_t) x; }
CT_INLINE vec l16_times(vec counts, vec x) { return counts * (uint16_t) x; }

CT_INLINE vec l32_pair(vec a, vec b) { return a | b << 16; }
CT_INLINE vec l32_dot(vec pairs, vec costs)
{
    const uint64_t low = UINT64_C(0x0000ffff0000ffff);
    return (pairs & low) * (costs & 0xffff) + (pairs >> 16 & low) * (costs >> 16 & 0xffff);
}
CT_INLINE vec l32_after(vec a, vec b) { return a << 32 | b >> 32; }

CT_INLINE vec l16_count(vec a)
{
    a -= a >> 1 & UINT64_C(0x5555555555555555);
    a = (a & UINT64_C(0x3333333333333333)) + (a >> 2 & UINT64_C(0x3333333333333333));
    a = (a + (a >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (a + (a >> 8)) & UINT64_C(0x001f001f001f001f);
}
CT_INLINE vec l32_count(vec a)
{
    a = l16_count(a);
    return (a + (a >> 16)) & UINT64_C(0x0000003f0000003f);
}

CT_INLINE vec l16_scan(vec a)
{
    a = l16_add(a, a << 16);
    return l16_add(a, a << 32);
}
CT_INLINE vec l32_scan(vec a) { return l32_add(a, a << 32); }

CT_INLINE int l16_top(vec a)
{
    int top = INT_MIN;
    for (unsigned i = 0; i < 64; i += 16) {
        int lane = (int16_t) (uint16_t) (a >> i);
        if (lane > top) top = lane;
    }
    return top;
}
CT_INLINE int l32_top(vec a)
{
    int low = (int32_t) (uint32_t) a, high = (int32_t) (uint32_t) (a >> 32);
    return low > high ? low : high;
}

CT_INLINE uint32_t l16_bits(mask16 m)
{
    return (uint32_t) (m & 1) | (uint32_t) (m >> 15 & 2) | (uint32_t) (m >> 30 & 4) |
           (uint32_t) (m >> 45 & 8);
}
CT_INLINE mask32 l32_of_bits(uint32_t bits)
{
    return (bits & 1 ? UINT64_C(0xffffffff) : 0) | (bits & 2 ? UINT64_C(0xffffffff) << 32 : 0);
}
CT_INLINE vec l32_add_where(vec a, vec x, mask32 m) { return l32_add(a, x & m); }
CT_INLINE uint32_t l32_bits(mask32 m) { return (uint32_t) (m & 1) | (uint32_t) (m >> 31 & 2); }

typedef uint64_t mask64;
CT_INLINE vec l64_set(int64_t x) { return (uint64_t) x; }
CT_INLINE vec l64_add(vec a, vec b) { return a + b; }
CT_INLINE vec l64_sub(vec a, vec b) { return a - b; }
CT_INLINE vec l64_max(vec a, vec b) { return (int64_t) a > (int64_t) b ? a : b; }
CT_INLINE vec l64_scan(vec a) { return a; }
CT_INLINE vec l64_last(vec a) { return a; }
CT_INLINE int64_t l64_top(vec a) { return (int64_t) a; }
CT_INLINE mask64 l64_of_bits(uint64_t bits) { return bits & 1; }
CT_INLINE vec l64_where(vec a, mask64 m) { return m ? a : 0; }
CT_INLINE vec l64_max_where(vec a, vec x, mask64 m) { return m ? l64_max(a, x) : a; }

/* Compilers make one load of this where bytes come in that order. */
CT_INLINE uint64_t load_bytes(const uint8_t *b)
{
    return (uint64_t) b[0] | (uint64_t) b[1] << 8 | (uint64_t) b[2] << 16 | (uint64_t) b[3] << 24 |
           (uint64_t) b[4] << 32 | (uint64_t) b[5] << 40 | (uint64_t) b[6] << 48 |
           (uint64_t) b[7] << 56;
}

CT_INLINE void transpose_bytes(const uint8_t *bytes, uint64_t *planes, size_t stride,
                               unsigned n_planes)
{
    uint8_t by_plane[8][8];
    for (unsigned group = 0; group < 8; group++) {
        uint64_t block = ct_transpose8(load_bytes(bytes + 8 * group));
        for (unsigned bit = 0; bit < 8; bit++)
            by_plane[bit][group] = (uint8_t) (block >> (8 * bit));
    }
    for (unsigned bit = 0; bit < n_planes; bit++) planes[bit * stride] = ~load_bytes(by_plane[bit]);
}

CT_INLINE void extremes16(uint32_t a, uint32_t b, uint32_t ties, int *high, int *low)
{
    *high = -128, *low = 128;
    for (; ties; ties &= ties - 1) {
        uint32_t upto = ties ^ (ties - 1);
        int net = (int) ct_popcount(a & upto) - (int) ct_popcount(b & upto);
        if (net > *high) *high = net;
        if (net < *low) *low = net;
    }
}

/* ---- single precision ---- */

typedef struct {
    float low, high;
} vecf;

CT_INLINE vecf f32_pair(float low, float high)
{
    vecf a = {low, high};
    return a;
}
CT_INLINE vecf f32_of(vec a)
{
    return f32_pair((float) (int32_t) (uint32_t) a, (float) (int32_t) (uint32_t) (a >> 32));
}
CT_INLINE vecf f32_set(float x) { return f32_pair(x, x); }
CT_INLINE vecf f32_load(const float *x) { return f32_pair(x[0], x[1]); }
CT_INLINE void f32_store(float *x, vecf a) { x[0] = a.low, x[1] = a.high; }
CT_INLINE vecf f32_add(vecf a, vecf b) { return f32_pair(a.low + b.low, a.high + b.high); }
CT_INLINE vecf f32_sub(vecf a, vecf b) { return f32_pair(a.low - b.low, a.high - b.high); }
CT_INLINE vecf f32_product(vecf a, vecf b)
{
    float low = a.low * b.low, high = a.high * b.high;
    ROUNDED(low);
    ROUNDED(high);
    return f32_pair(low, high);
}
CT_INLINE vecf f32_max(vecf a, vecf b)
{
    return f32_pair(a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
}
CT_INLINE vecf f32_div_where(vecf a, vecf b, mask32 m, vecf x)
{
    return f32_pair(m & 1 ? a.low / b.low : x.low, m >> 32 ? a.high / b.high : x.high);
}
CT_INLINE vecf f32_choose(mask32 m, vecf a, vecf b)
{
    return f32_pair(m & 1 ? a.low : b.low, m >> 32 ? a.high : b.high);
}
CT_INLINE float f32_top(vecf a) { return a.low > a.high ? a.low : a.high; }

#endif
