/* What vec_sse4.h and vec_avx2.h share beyond vec_x86.h: one text for both widths, since their masks are vectors. They
 * define the vector and its bit operations; MM(f), the intrinsic f of their width; MM_BITS(f), the same for whole vectors;
 * v_repeat(), the same 16 bytes in every part of 16 bytes. */
#ifndef CT_KERNELS_VEC_X86_LANES_H
#define CT_KERNELS_VEC_X86_LANES_H

typedef vec mask16;
typedef vec mask32;
typedef vec mask64;

CT_INLINE vec v_load(const uint64_t *words) { return MM_BITS(loadu)((const vec *) words); }
CT_INLINE void v_store(uint64_t *words, vec a) { MM_BITS(storeu)((vec *) words, a); }
CT_INLINE vec v_not(vec a) { return v_xor(a, MM(set1_epi32)(-1)); }
CT_INLINE vec v_fill(uint64_t word) { return MM(set1_epi64x)((long long) word); }
CT_INLINE vec v_majority(vec a, vec b, vec s) { return v_or(v_and(a, b), v_and(s, v_or(a, b))); }
CT_INLINE int v_any(vec a) { return !MM_BITS(testz)(a, a); }

CT_INLINE vec v_bytes_count(vec a)
{
    const vec table = v_repeat(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const vec low = MM(set1_epi8)(15);
    return MM(add_epi8)(MM(shuffle_epi8)(table, v_and(a, low)),
                        MM(shuffle_epi8)(table, v_and(MM(srli_epi16)(a, 4), low)));
}
CT_INLINE vec l16_count(vec a) { return MM(maddubs_epi16)(v_bytes_count(a), MM(set1_epi8)(1)); }
CT_INLINE vec l32_count(vec a) { return MM(madd_epi16)(l16_count(a), MM(set1_epi16)(1)); }

#define LANE_OPS(L)                                                                                               \
    CT_INLINE vec l##L##_add(vec a, vec b) { return MM(add_epi##L)(a, b); }                                       \
    CT_INLINE vec l##L##_sub(vec a, vec b) { return MM(sub_epi##L)(a, b); }                                       \
    CT_INLINE vec l##L##_max(vec a, vec b) { return MM(max_epi##L)(a, b); }                                       \
    CT_INLINE vec l##L##_min(vec a, vec b) { return MM(min_epi##L)(a, b); }                                       \
    CT_INLINE vec l##L##_half(vec a) { return MM(srai_epi##L)(a, 1); }                                            \
    CT_INLINE mask##L l##L##_above(vec a, vec b) { return MM(cmpgt_epi##L)(a, b); }                               \
    CT_INLINE mask##L l##L##_negative(vec a) { return MM(cmpgt_epi##L)(v_fill(0), a); }                           \
    CT_INLINE mask##L l##L##_occupied(vec a) { return v_not(MM(cmpeq_epi##L)(a, v_fill(0))); }                    \
    CT_INLINE mask##L l##L##_both(mask##L a, mask##L b) { return v_and(a, b); }                                   \
    CT_INLINE mask##L l##L##_except(mask##L a, mask##L b) { return v_and_not(a, b); }                             \
    CT_INLINE vec l##L##_max_where(vec a, vec x, mask##L m) { return l##L##_max(a, MM(blendv_epi8)(a, x, m)); }

LANE_OPS(16)
LANE_OPS(32)

CT_INLINE vec l16_set(int x) { return MM(set1_epi16)((short) x); }
CT_INLINE vec l32_set(int x) { return MM(set1_epi32)(x); }

CT_INLINE vec l32_times(vec counts, vec x) { return MM(mullo_epi32)(counts, x); }
CT_INLINE vec l32_times_short(vec counts, vec x) { return MM(madd_epi16)(counts, x); }
CT_INLINE vec l16_times(vec counts, vec x) { return MM(mullo_epi16)(counts, x); }
CT_INLINE vec l16_times_short(vec counts, vec x) { return l16_times(counts, x); }

CT_INLINE vec l16_pair(vec a, vec b) { return v_or(a, MM(slli_epi16)(b, 8)); }
CT_INLINE vec l32_pair(vec a, vec b) { return v_or(a, MM(slli_epi32)(b, 16)); }
CT_INLINE vec l16_dot(vec pairs, vec prices) { return MM(maddubs_epi16)(pairs, prices); }
CT_INLINE vec l32_dot(vec pairs, vec prices) { return MM(madd_epi16)(pairs, prices); }

CT_INLINE vec l64_set(int64_t x) { return MM(set1_epi64x)(x); }
CT_INLINE vec l64_add(vec a, vec b) { return MM(add_epi64)(a, b); }
CT_INLINE vec l64_sub(vec a, vec b) { return MM(sub_epi64)(a, b); }
CT_INLINE vec l64_max(vec a, vec b) { return MM(blendv_epi8)(b, a, MM(cmpgt_epi64)(a, b)); }
CT_INLINE mask64 l64_of_bits(uint64_t bits)
{
    vec lanes = l64_bits_of_lanes();
    return MM(cmpeq_epi64)(v_and(l64_set((int64_t) bits), lanes), lanes);
}
CT_INLINE vec l64_where(vec a, mask64 m) { return v_and(a, m); }
CT_INLINE vec l64_max_where(vec a, vec x, mask64 m) { return MM(blendv_epi8)(a, l64_max(a, x), m); }
CT_INLINE int64_t l64_top(vec a)
{
    uint64_t words[VEC_WORDS];
    v_store(words, a);
    int64_t top = (int64_t) words[0];
    for (size_t i = 1; i < VEC_WORDS; i++) top = (int64_t) words[i] > top ? (int64_t) words[i] : top;
    return top;
}

/* In every 16 bytes: the sum of the lanes up to each, the last lane in all lanes. */
CT_INLINE vec l16_scan_part(vec a)
{
    a = MM(add_epi16)(a, MM_BITS(slli)(a, 2));
    a = MM(add_epi16)(a, MM_BITS(slli)(a, 4));
    return MM(add_epi16)(a, MM_BITS(slli)(a, 8));
}
CT_INLINE vec l32_scan_part(vec a)
{
    a = MM(add_epi32)(a, MM_BITS(slli)(a, 4));
    return MM(add_epi32)(a, MM_BITS(slli)(a, 8));
}
CT_INLINE vec l16_last_part(vec a) { return MM(shuffle_epi8)(a, MM(set1_epi16)(0x0f0e)); }
CT_INLINE vec l32_last_part(vec a) { return MM(shuffle_epi32)(a, 0xff); }

/* One bit of each byte; the bit is moved to the top of its byte first. */
CT_INLINE uint32_t gather_bit(vec bytes, unsigned bit)
{
    return (uint32_t) MM(movemask_epi8)(MM(sll_epi16)(bytes, _mm_cvtsi32_si128((int) (7 - bit))));
}

CT_INLINE void transpose_bytes(const uint8_t *bytes, uint64_t *planes, size_t stride, unsigned n_planes)
{
    enum { PARTS = 8 / VEC_WORDS, PART_BITS = 8 * VEC_WORDS };
    vec parts[PARTS];
    for (unsigned i = 0; i < PARTS; i++) parts[i] = MM_BITS(loadu)((const vec *) (const void *) (bytes + PART_BITS * i));
    for (unsigned bit = 0; bit < n_planes; bit++) {
        uint64_t plane = 0;
        for (unsigned i = 0; i < PARTS; i++) plane |= (uint64_t) gather_bit(parts[i], bit) << (PART_BITS * i);
        planes[bit * stride] = ~plane;
    }
}

CT_INLINE __m128i bytes_of(uint32_t bits)
{
    const __m128i which = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m128i bit = _mm_set1_epi64x((long long) 0x8040201008040201);
    return _mm_cmpeq_epi8(_mm_and_si128(_mm_shuffle_epi8(_mm_cvtsi32_si128((int) bits), which), bit), bit);
}

#undef LANE_OPS
#endif
