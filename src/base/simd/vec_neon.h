/* The vocabulary of vec.h on the 128-bit vectors of AArch64. */
#ifndef CT_BASE_SIMD_VEC_NEON_H
#define CT_BASE_SIMD_VEC_NEON_H

#include <arm_neon.h>

#include "base/bits.h"
#include "base/simd/rounded.h"

#define CT_INLINE static inline __attribute__((always_inline))

enum { VEC_WORDS = 2 };
typedef uint64x2_t vec;
typedef uint64x2_t mask16;
typedef uint64x2_t mask32;
typedef uint64x2_t mask64;

CT_INLINE unsigned word_count(uint64_t word) { return (unsigned) __builtin_popcountll(word); }
CT_INLINE unsigned word_select(uint64_t word, unsigned k) { return ct_select(word, k); }
CT_INLINE uint64_t word_pack(uint64_t word, uint64_t where) { return ct_pack(word, where); }

CT_INLINE vec v_load(const uint64_t *words) { return vld1q_u64(words); }
CT_INLINE void v_store(uint64_t *words, vec a) { vst1q_u64(words, a); }
CT_INLINE vec v_and(vec a, vec b) { return vandq_u64(a, b); }
CT_INLINE vec v_and_not(vec a, vec b) { return vbicq_u64(a, b); }
CT_INLINE vec v_or(vec a, vec b) { return vorrq_u64(a, b); }
CT_INLINE vec v_xor(vec a, vec b) { return veorq_u64(a, b); }
CT_INLINE vec v_choose(vec s, vec a, vec b) { return vbslq_u64(s, a, b); }
CT_INLINE vec v_not(vec a) { return vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(a))); }
CT_INLINE vec v_fill(uint64_t word) { return vdupq_n_u64(word); }
CT_INLINE vec v_majority(vec a, vec b, vec s) { return vbslq_u64(v_xor(a, b), s, a); }
CT_INLINE int v_any(vec a) { return vmaxvq_u32(vreinterpretq_u32_u64(a)) != 0; }

CT_INLINE uint16x8_t count_in_16(vec a) { return vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(a))); }
CT_INLINE vec l16_count(vec a) { return vreinterpretq_u64_u16(count_in_16(a)); }
CT_INLINE vec l32_count(vec a) { return vreinterpretq_u64_u32(vpaddlq_u16(count_in_16(a))); }

CT_INLINE uint8x16_t l8_in(vec a) { return vreinterpretq_u8_u64(a); }
CT_INLINE vec l8_out(uint8x16_t a) { return vreinterpretq_u64_u8(a); }
CT_INLINE vec l8_add(vec a, vec b) { return l8_out(vaddq_u8(l8_in(a), l8_in(b))); }
CT_INLINE vec l8_sub(vec a, vec b) { return l8_out(vsubq_u8(l8_in(a), l8_in(b))); }
CT_INLINE vec l8_max(vec a, vec b) { return l8_out(vmaxq_u8(l8_in(a), l8_in(b))); }
CT_INLINE vec l8_set(uint8_t x) { return l8_out(vdupq_n_u8(x)); }
CT_INLINE vec l8_count(vec a) { return l8_out(vcntq_u8(l8_in(a))); }
CT_INLINE int l8_top(vec a) { return vmaxvq_u8(l8_in(a)); }
CT_INLINE vec l16_wide(vec a, int upper)
{
    uint8x8_t half = upper ? vget_high_u8(l8_in(a)) : vget_low_u8(l8_in(a));
    return vreinterpretq_u64_u16(vmovl_u8(half));
}
CT_INLINE vec l32_wide(vec a, int upper)
{
    uint16x8_t lanes = vreinterpretq_u16_u64(a);
    return vreinterpretq_u64_u32(vmovl_u16(upper ? vget_high_u16(lanes) : vget_low_u16(lanes)));
}
CT_INLINE void words_across(const uint64_t in[8], uint64_t out[8])
{
    ct_transpose_bytes(in, out);
}

CT_INLINE void blocks_across(uint64_t words[8])
{
    for (int i = 0; i < 8; i++) words[i] = ct_transpose8(words[i]);
}

/* N lanes of L bits; PLACES: a bit of its own for each lane. */
#define LANE_OPS(L, N, PLACES)                                                                     \
    CT_INLINE int##L##x##N##_t l##L##_in(vec a) { return vreinterpretq_s##L##_u64(a); }            \
    CT_INLINE vec l##L##_out(int##L##x##N##_t a) { return vreinterpretq_u64_s##L(a); }             \
    CT_INLINE mask##L l##L##_mask(uint##L##x##N##_t a) { return vreinterpretq_u64_u##L(a); }       \
    CT_INLINE vec l##L##_add(vec a, vec b) \
    { \
        return l##L##_out(vaddq_s##L(l##L##_in(a), l##L##_in(b))); \
    } \
    CT_INLINE vec l##L##_sub(vec a, vec b) \
    { \
        return l##L##_out(vsubq_s##L(l##L##_in(a), l##L##_in(b))); \
    } \
    CT_INLINE vec l##L##_max(vec a, vec b) \
    { \
        return l##L##_out(vmaxq_s##L(l##L##_in(a), l##L##_in(b))); \
    } \
    CT_INLINE vec l##L##_min(vec a, vec b) \
    { \
        return l##L##_out(vminq_s##L(l##L##_in(a), l##L##_in(b))); \
    } \
    CT_INLINE vec l##L##_half(vec a) { return l##L##_out(vshrq_n_s##L(l##L##_in(a), 1)); }         \
    CT_INLINE mask##L l##L##_above(vec a, vec b) \
    { \
        return l##L##_mask(vcgtq_s##L(l##L##_in(a), l##L##_in(b))); \
    } \
    CT_INLINE mask##L l##L##_negative(vec a) { return l##L##_mask(vcltzq_s##L(l##L##_in(a))); }    \
    CT_INLINE mask##L l##L##_occupied(vec a) \
    { \
        return l##L##_mask(vtstq_s##L(l##L##_in(a), l##L##_in(a))); \
    } \
    CT_INLINE mask##L l##L##_both(mask##L a, mask##L b) { return v_and(a, b); }                    \
    CT_INLINE mask##L l##L##_except(mask##L a, mask##L b) { return v_and_not(a, b); }              \
    CT_INLINE vec l##L##_max_where(vec a, vec x, mask##L m) \
    { \
        return l##L##_max(a, vbslq_u64(m, x, a)); \
    } \
    CT_INLINE vec l##L##_set(int x) { return l##L##_out(vdupq_n_s##L((int##L##_t) x)); }           \
    CT_INLINE vec l##L##_last(vec a) { return l##L##_out(vdupq_laneq_s##L(l##L##_in(a), N - 1)); } \
    CT_INLINE int l##L##_top(vec a) { return vmaxvq_s##L(l##L##_in(a)); }                          \
    CT_INLINE uint32_t l##L##_bits(mask##L m)                                                      \
    {                                                                                              \
        static const uint##L##_t places[N] = PLACES;                                               \
        return vaddvq_u##L(vandq_u##L(vreinterpretq_u##L##_u64(m), vld1q_u##L(places)));           \
    }

#define PLACES(...) {__VA_ARGS__}
LANE_OPS(16, 8, PLACES(1, 2, 4, 8, 16, 32, 64, 128))
LANE_OPS(32, 4, PLACES(1, 2, 4, 8))

CT_INLINE vec l16_scan(vec a)
{
    const int16x8_t zero = vdupq_n_s16(0);
    int16x8_t sum = l16_in(a);
    sum = vaddq_s16(sum, vextq_s16(zero, sum, 7));
    sum = vaddq_s16(sum, vextq_s16(zero, sum, 6));
    return l16_out(vaddq_s16(sum, vextq_s16(zero, sum, 4)));
}
CT_INLINE vec l32_scan(vec a)
{
    const int32x4_t zero = vdupq_n_s32(0);
    int32x4_t sum = l32_in(a);
    sum = vaddq_s32(sum, vextq_s32(zero, sum, 3));
    return l32_out(vaddq_s32(sum, vextq_s32(zero, sum, 2)));
}

CT_INLINE vec l32_times(vec counts, vec x)
{
    return vreinterpretq_u64_s32(
        vmulq_s32(vreinterpretq_s32_u64(counts), vreinterpretq_s32_u64(x)));
}
CT_INLINE vec l16_times(vec counts, vec x)
{
    return vreinterpretq_u64_s16(
        vmulq_s16(vreinterpretq_s16_u64(counts), vreinterpretq_s16_u64(x)));
}

CT_INLINE vec l32_pair(vec a, vec b) { return v_or(a, l32_out(vshlq_n_s32(l32_in(b), 16))); }
CT_INLINE vec l32_dot(vec pairs, vec costs)
{
    const vec low = v_fill(UINT64_C(0x0000ffff0000ffff));
    int32x4_t first = vmulq_s32(l32_in(v_and(pairs, low)), l32_in(v_and(costs, low)));
    return l32_out(
        vmlaq_s32(first, vshrq_n_s32(l32_in(pairs), 16), vshrq_n_s32(l32_in(costs), 16)));
}
CT_INLINE vec l32_after(vec a, vec b) { return l32_out(vextq_s32(l32_in(b), l32_in(a), 3)); }

CT_INLINE vec l64_set(int64_t x) { return vdupq_n_u64((uint64_t) x); }
CT_INLINE vec l64_add(vec a, vec b) { return vaddq_u64(a, b); }
CT_INLINE vec l64_sub(vec a, vec b) { return vsubq_u64(a, b); }
CT_INLINE vec l64_max(vec a, vec b)
{
    return vbslq_u64(vcgtq_s64(vreinterpretq_s64_u64(a), vreinterpretq_s64_u64(b)), a, b);
}
CT_INLINE vec l64_scan(vec a) { return vaddq_u64(a, vextq_u64(vdupq_n_u64(0), a, 1)); }
CT_INLINE vec l64_last(vec a) { return vdupq_laneq_u64(a, 1); }
CT_INLINE int64_t l64_top(vec a)
{
    int64_t low = (int64_t) vgetq_lane_u64(a, 0), high = (int64_t) vgetq_lane_u64(a, 1);
    return low > high ? low : high;
}
CT_INLINE mask64 l64_of_bits(uint64_t bits)
{
    const uint64_t lane[2] = {1, 2};
    vec lanes = vld1q_u64(lane);
    return vtstq_u64(vdupq_n_u64(bits), lanes);
}
CT_INLINE vec l64_where(vec a, mask64 m) { return vandq_u64(a, m); }
CT_INLINE vec l64_max_where(vec a, vec x, mask64 m) { return vbslq_u64(m, l64_max(a, x), a); }

/* In every 8 bytes, a bit of its own for each. */
CT_INLINE uint8x16_t byte_places(void)
{
    return vreinterpretq_u8_u64(v_fill(UINT64_C(0x8040201008040201)));
}

/* 64 bits, one for each byte: those that have none of the bits of `probe`. */
CT_INLINE uint64_t bytes_without(const uint8x16_t bytes[4], uint8x16_t probe)
{
    uint8x16_t bits[4];
    for (int i = 0; i < 4; i++) bits[i] = vbicq_u8(byte_places(), vtstq_u8(bytes[i], probe));
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

CT_INLINE void transpose_bytes(const uint8_t *bytes, uint64_t *planes, size_t stride,
                               unsigned n_planes)
{
    uint8x16_t parts[4];
    for (int i = 0; i < 4; i++) parts[i] = vld1q_u8(bytes + 16 * i);
    for (unsigned bit = 0; bit < n_planes; bit++)
        planes[bit * stride] = bytes_without(parts, vdupq_n_u8((uint8_t) (1u << bit)));
}

/* Bytes of all ones where the 16 bits are set. */
CT_INLINE uint8x16_t bytes_of(uint32_t bits)
{
    uint8x16_t both = vcombine_u8(vdup_n_u8((uint8_t) bits), vdup_n_u8((uint8_t) (bits >> 8)));
    return vtstq_u8(both, byte_places());
}

/* The largest of the bytes that are marked; -128 without any. */
CT_INLINE int top_byte(int8x16_t bytes, uint8x16_t marked)
{
    return vmaxvq_s8(vbslq_s8(marked, bytes, vdupq_n_s8(-128)));
}

CT_INLINE void extremes16(uint32_t a, uint32_t b, uint32_t ties, int *high, int *low)
{
    const int8x16_t zero = vdupq_n_s8(0);
    uint8x16_t legal = bytes_of(ties);
    int8x16_t net = vreinterpretq_s8_u8(vsubq_u8(bytes_of(b), bytes_of(a)));
    net = vaddq_s8(net, vextq_s8(zero, net, 15));
    net = vaddq_s8(net, vextq_s8(zero, net, 14));
    net = vaddq_s8(net, vextq_s8(zero, net, 12));
    net = vaddq_s8(net, vextq_s8(zero, net, 8));
    *high = top_byte(net, legal);
    *low = -top_byte(vnegq_s8(net), legal);
}

#undef PLACES
/* ---- single precision ---- */

typedef float32x4_t vecf;

CT_INLINE vecf f32_of(vec a) { return vcvtq_f32_s32(l32_in(a)); }
CT_INLINE vecf f32_set(float x) { return vdupq_n_f32(x); }
CT_INLINE vecf f32_load(const float *x) { return vld1q_f32(x); }
CT_INLINE void f32_store(float *x, vecf a) { vst1q_f32(x, a); }
CT_INLINE vecf f32_add(vecf a, vecf b) { return vaddq_f32(a, b); }
CT_INLINE vecf f32_sub(vecf a, vecf b) { return vsubq_f32(a, b); }
CT_INLINE vecf f32_mul(vecf a, vecf b) { return vmulq_f32(a, b); }
CT_INLINE vecf f32_product(vecf a, vecf b)
{
    a = vmulq_f32(a, b);
    ROUNDED(a);
    return a;
}
CT_INLINE vecf f32_max(vecf a, vecf b) { return vmaxq_f32(a, b); }
CT_INLINE vecf f32_choose(mask32 m, vecf a, vecf b)
{
    return vbslq_f32(vreinterpretq_u32_u64(m), a, b);
}
CT_INLINE vecf f32_div_where(vecf a, vecf b, mask32 m, vecf x)
{
    return f32_choose(m, vdivq_f32(a, b), x);
}
CT_INLINE float f32_top(vecf a) { return vmaxvq_f32(a); }
CT_INLINE mask32 l32_of_bits(uint32_t bits)
{
    const uint32_t places[4] = {1, 2, 4, 8};
    return vreinterpretq_u64_u32(vtstq_u32(vdupq_n_u32(bits), vld1q_u32(places)));
}
CT_INLINE vec l32_add_where(vec a, vec x, mask32 m) { return l32_add(a, v_and(x, m)); }

#undef LANE_OPS
#endif
