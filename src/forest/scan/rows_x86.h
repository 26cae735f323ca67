/* Partitions rows and transposes columns with x86 vectors, for the files of these instruction sets.
 */
#include <immintrin.h>

/* Where the halves of four items go that stay: bit i of the index is item i's. */
static const uint8_t partition_order[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7},
    {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7},
    {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {6, 7, 0, 1, 2, 3, 4, 5},
    {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1},
    {0, 1, 2, 3, 4, 5, 6, 7}};

static inline __m256i partition_chosen(__m256i items, uint32_t which)
{
    __m128i order = _mm_loadl_epi64((const __m128i *) (const void *) partition_order[which]);
    return _mm256_permutevar8x32_epi32(items, _mm256_cvtepu8_epi32(order));
}

/* Bit i: item i goes left. */
static inline uint32_t part_four_codes(const ct_hist_test *q, const ct_item *items)
{
    const uint16_t *codes = q->codes;
    const uint32_t raise = q->raise, below = q->below;
    return (uint32_t) ((uint16_t) (codes[items[0].row] + raise) < below) |
           (uint32_t) ((uint16_t) (codes[items[1].row] + raise) < below) << 1 |
           (uint32_t) ((uint16_t) (codes[items[2].row] + raise) < below) << 2 |
           (uint32_t) ((uint16_t) (codes[items[3].row] + raise) < below) << 3;
}

static inline uint32_t part_four_bins(const ct_hist_test *q, const ct_item *items)
{
    const uint8_t *bins = q->bins, *sides = q->sides;
    uint32_t codes_left =
        (uint32_t) sides[bins[items[0].row]] + (uint32_t) sides[bins[items[1].row]] * 2 +
        ((uint32_t) sides[bins[items[2].row]] + (uint32_t) sides[bins[items[3].row]] * 2) * 4;
    for (unsigned i = 0; codes_left >= CT_TO_CODE && i < 4; i++)
        if (codes_left & (uint32_t) CT_TO_CODE << i)
            codes_left = (codes_left & ~((uint32_t) CT_TO_CODE << i)) |
                         ct_code_goes_left(q, items[i].row) << i;
    return codes_left;
}

/* Partitions eight items; both sides are stored as full vectors. */
static inline void partition_eight(const ct_item *items, uint32_t which, ct_item *left,
                                   ct_item *right)
{
#if VEC_BYTES == 64
    __m512i all = _mm512_loadu_si512(items);
    _mm512_storeu_si512(left, _mm512_maskz_compress_epi64((__mmask8) which, all));
    _mm512_storeu_si512(right, _mm512_maskz_compress_epi64((__mmask8) ~which, all));
#else
    __m256i lower = _mm256_loadu_si256((const __m256i *) (const void *) items),
            upper = _mm256_loadu_si256((const __m256i *) (const void *) (items + 4));
    uint32_t n_left = (uint32_t) _mm_popcnt_u32(which & 15);
    _mm256_storeu_si256((__m256i *) (void *) left, partition_chosen(lower, which & 15));
    _mm256_storeu_si256((__m256i *) (void *) (left + n_left), partition_chosen(upper, which >> 4));
    _mm256_storeu_si256((__m256i *) (void *) right, partition_chosen(lower, (which & 15) ^ 15));
    _mm256_storeu_si256((__m256i *) (void *) (right + 4 - n_left),
                        partition_chosen(upper, (which >> 4) ^ 15));
#endif
}

/* Weights are the upper halves of items. */
static inline uint32_t part_weight(const ct_item *items, uint32_t n)
{
    __m256i sum = _mm256_setzero_si256();
    uint64_t sums[4];
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256i four = _mm256_loadu_si256((const __m256i *) (const void *) (items + i));
        sum = _mm256_add_epi64(sum, _mm256_srli_epi64(four, 32));
    }
    _mm256_storeu_si256((__m256i *) (void *) sums, sum);
    return (uint32_t) (sums[0] + sums[1] + sums[2] + sums[3]) + ct_weight_of(items + i, n - i);
}

static inline __attribute__((always_inline)) uint32_t
partition_eights(const ct_hist_test *q, const ct_item *items, uint32_t n, ct_item *left,
                 ct_item *right, uint32_t *weight,
                 uint32_t (*four)(const ct_hist_test *, const ct_item *))
{
    uint32_t n_left = 0, i = 0;
#if VEC_BYTES == 64
    __m512i sum = _mm512_setzero_si512();
#endif
    for (; i + 8 <= n; i += 8) {
        uint32_t which = four(q, items + i) | four(q, items + i + 4) << 4;
#if VEC_BYTES == 64
        const __m512i all = _mm512_loadu_si512(items + i);
        sum = _mm512_add_epi64(sum, _mm512_maskz_srli_epi64((__mmask8) which, all, 32));
#endif
        partition_eight(items + i, which, left + n_left, right + (i - n_left));
        n_left += (uint32_t) _mm_popcnt_u32(which);
    }
    const uint32_t all_left = ct_partition_from(q, items, i, n, n_left, left, right);
#if VEC_BYTES == 64
    *weight = (uint32_t) _mm512_reduce_add_epi64(sum) +
              ct_weight_of(left + n_left, all_left - n_left);
#else
    *weight = part_weight(left, all_left);
#endif
    return all_left;
}

static uint32_t part(const ct_hist_test *q, const ct_item *items, uint32_t n, ct_item *left,
                     ct_item *right, uint32_t *weight)
{
    if (q->bins) return partition_eights(q, items, n, left, right, weight, part_four_bins);
    if (!q->code_rows) return partition_eights(q, items, n, left, right, weight, part_four_codes);
    return ct_partition_plain(q, items, n, left, right, weight);
}

/* Bits [begin, begin + n) of bytes, of which some more are read: how many are set. */
static inline uint32_t part_count(const uint8_t *bits, uint32_t begin, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t at = begin, end = begin + n; at < end;) {
        uint64_t word;
        const uint32_t more = end - at < 56 ? end - at : 56;
        memcpy(&word, bits + at / 8, sizeof word);
        count += (uint32_t) _mm_popcnt_u64(_bzhi_u64(word >> at % 8, more));
        at += more;
    }
    return count;
}

#if VEC_BYTES == 64
static inline __mmask8 first_of_eight(uint32_t n)
{
    return (__mmask8) _bzhi_u32(255, n < 8 ? n : 8);
}

/* Which of 32 items go left. */
static inline uint64_t part_codes(const ct_hist_own_test *q, uint32_t place)
{
    __m512i own = _mm512_add_epi16(_mm512_loadu_si512(q->codes + place),
                                   _mm512_set1_epi16((short) q->raise));
    return _mm512_cmple_epu16_mask(own, _mm512_set1_epi16((short) q->most));
}

/* Items of which these go left; nothing is written behind those on the left. */
static inline void partition_items(const ct_item *items, uint32_t n, const uint8_t *which,
                                   ct_item *left, ct_item *right)
{
    for (uint32_t i = 0; i < n; i += 8) {
        const __mmask8 to_left = (__mmask8) (which[i / 8] & first_of_eight(n - i));
        const uint32_t n_left = (uint32_t) _mm_popcnt_u32(to_left);
        const __m512i all = _mm512_loadu_si512(items + i);
        _mm512_mask_storeu_epi64(left, first_of_eight(n_left),
                                 _mm512_maskz_compress_epi64(to_left, all));
        _mm512_storeu_si512(right, _mm512_maskz_compress_epi64((__mmask8) ~to_left, all));
        left += n_left;
        right += 8 - n_left;
    }
}

static inline uint32_t weight_of_items(const ct_item *items, uint32_t n)
{
    __m512i sum = _mm512_setzero_si512();
    for (uint32_t i = 0; i < n; i += 8) {
        const __m512i own = _mm512_maskz_loadu_epi64(first_of_eight(n - i), items + i);
        sum = _mm512_add_epi64(sum, _mm512_srli_epi64(own, 32));
    }
    return (uint32_t) _mm512_reduce_add_epi64(sum);
}

/* What goes left of a run of a small node, whose first item is `begin`. */
static inline ct_hist_run small_left_run(const uint8_t *weights, uint64_t which, uint32_t begin,
                                         ct_hist_run run)
{
    const uint64_t own = _bzhi_u64(which >> begin, run.n);
    const __m512i sums = _mm512_sad_epu8(_mm512_maskz_loadu_epi8(own << begin, weights),
                                         _mm512_setzero_si512());
    return (ct_hist_run){run.class_, (uint32_t) _mm_popcnt_u64(own),
                         (uint32_t) _mm512_reduce_add_epi64(sums)};
}

/* All runs at once: what is left of each lies together, in their order. No branch but those of the
 * loops. */
static void partition_own(const ct_hist_own_test *q, const ct_item *items, const ct_hist_run *runs,
                          uint32_t n_runs, ct_item *left, ct_item *right, ct_hist_run *left_runs)
{
    uint64_t which[CT_MEDIUM_ROWS / 64 + 1]; /* one more is read */
    const uint8_t *bits = (const uint8_t *) which;
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_runs; k++) n += runs[k].n;
    for (uint32_t i = 0; i < n; i += 64)
        which[i / 64] = part_codes(q, i) | part_codes(q, i + 32) << 32;
    partition_items(items, n, bits, left, right);
    for (uint32_t k = 0, begin = 0; k < n_runs; begin += runs[k].n, k++) {
        if (q->weights) {
            left_runs[k] = small_left_run(q->weights, which[0], begin, runs[k]);
            continue;
        }
        const uint32_t own = part_count(bits, begin, runs[k].n);
        left_runs[k] = (ct_hist_run){runs[k].class_, own, weight_of_items(left, own)};
        left += own;
    }
}
#else
/* Bit i: the i-th of eight items goes left. */
static inline uint32_t partition_eight_own(const ct_hist_own_test *q, uint32_t place)
{
    __m128i own = _mm_loadu_si128((const __m128i *) (const void *) (q->codes + place));
    own = _mm_add_epi16(own, _mm_set1_epi16((short) q->raise));
    own = _mm_cmpeq_epi16(_mm_min_epu16(own, _mm_set1_epi16((short) q->most)), own);
    return (uint32_t) _mm_movemask_epi8(_mm_packs_epi16(own, own)) & 255;
}

/* All runs at once: what is left of each lies together, in their order. */
static void partition_own(const ct_hist_own_test *q, const ct_item *items, const ct_hist_run *runs,
                          uint32_t n_runs, ct_item *left, ct_item *right, ct_hist_run *left_runs)
{
    uint8_t eights[CT_MEDIUM_ROWS / 8 + 8];
    uint32_t n = 0, n_left = 0, i = 0, begin = 0;
    for (uint32_t k = 0; k < n_runs; k++) n += runs[k].n;
    for (; i + 8 <= n; i += 8) {
        uint32_t which = partition_eight_own(q, i);
        eights[i / 8] = (uint8_t) which;
        partition_eight(items + i, which, left + n_left, right + (i - n_left));
        n_left += (uint32_t) _mm_popcnt_u32(which);
    }
    eights[i / 8] = (uint8_t) partition_eight_own(q, i);
    memset(eights + i / 8 + 1, 0, 7); /* words are read of these */
    (void) ct_partition_own_from(q, items, i, n, n_left, left, right);
    for (uint32_t k = 0; k < n_runs; begin += runs[k].n, k++) {
        const uint32_t own = part_count(eights, begin, runs[k].n);
        left_runs[k] = (ct_hist_run){runs[k].class_, own, part_weight(left, own)};
        left += own;
    }
}
#endif

#if VEC_BYTES == 64
static inline __m512i drawn_eight(const uint32_t *from)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *) (const void *) from));
}

static uint32_t drawn(const uint32_t *rows, const uint32_t *counts, uint32_t n, ct_item *items,
                      uint32_t *weight)
{
    uint32_t n_items = 0, i = 0, rest;
    __m512i sum = _mm512_setzero_si512();
    for (; i + 8 <= n; i += 8) {
        const __m512i row = drawn_eight(rows + i), count = drawn_eight(counts + i);
        const __mmask8 own = _mm512_test_epi64_mask(count, count);
        _mm512_storeu_si512(items + n_items,
                            _mm512_maskz_compress_epi64(
                                own, _mm512_or_si512(row, _mm512_slli_epi64(count, 32))));
        n_items += (uint32_t) _mm_popcnt_u32(own);
        sum = _mm512_add_epi64(sum, count);
    }
    n_items += ct_drawn_plain(rows + i, counts + i, n - i, items + n_items, &rest);
    *weight = (uint32_t) _mm512_reduce_add_epi64(sum) + rest;
    return n_items;
}

static void small_weights(const ct_item *items, uint32_t n, uint32_t first, uint8_t *bytes,
                          uint16_t *words, uint16_t *pairs)
{
    for (uint32_t i = 0; i < n; i += 8) {
        const __m512i own = _mm512_srli_epi64(_mm512_loadu_si512(items + i), 32);
        const __m128i eight = _mm512_cvtepi64_epi16(own);
        const __mmask8 second = (__mmask8) ~_bzhi_u32(255, first < i ? 0 : first - i);
        _mm_storel_epi64((__m128i *) (void *) (bytes + i), _mm512_cvtepi64_epi8(own));
        _mm_storeu_si128((__m128i *) (void *) (words + i), eight);
        _mm_storeu_si128((__m128i *) (void *) (pairs + i),
                         _mm_mask_slli_epi16(eight, second, eight, 8));
    }
}
#endif

static inline __m256i load_tail(const uint16_t *from, uint32_t more)
{
    if (more > 8) return _mm256_loadu_si256((const __m256i *) (const void *) from);
    return _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *) (const void *) from));
}

/* Sixteen columns, or eight, in halves of vectors: pairs of rows become pairs of columns, these
 * fours, and these eights. */
static void transpose(const uint16_t *const *rows, uint32_t n_cols, uint16_t *to, size_t stride)
{
    for (uint32_t col = 0; col < n_cols; col += 16) {
        const uint32_t more = n_cols - col;
        __m256i a[CT_TRANSPOSED_ROWS], b[CT_TRANSPOSED_ROWS], c[CT_TRANSPOSED_ROWS];
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++) {
            __m256i upper = load_tail(rows[2 * i] + col, more),
                    lower = load_tail(rows[2 * i + 1] + col, more);
            a[i] = _mm256_unpacklo_epi16(upper, lower);
            a[i + 4] = _mm256_unpackhi_epi16(upper, lower);
        }
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++) {
            b[2 * i] = _mm256_unpacklo_epi32(a[2 * i], a[2 * i + 1]);
            b[2 * i + 1] = _mm256_unpackhi_epi32(a[2 * i], a[2 * i + 1]);
        }
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++) {
            const unsigned from = i / 2 * 4 + i % 2;
            c[2 * i] = _mm256_unpacklo_epi64(b[from], b[from + 2]);
            c[2 * i + 1] = _mm256_unpackhi_epi64(b[from], b[from + 2]);
        }
#pragma GCC unroll 8
        for (unsigned i = 0; i < CT_TRANSPOSED_ROWS; i++) {
            uint16_t *own = to + (col + i) * stride;
            if (i < more)
                _mm_storeu_si128((__m128i *) (void *) own, _mm256_castsi256_si128(c[i]));
            if (i + 8 < more)
                _mm_storeu_si128((__m128i *) (void *) (own + 8 * stride),
                                 _mm256_extracti128_si256(c[i], 1));
        }
    }
}
