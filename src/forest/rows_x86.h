/* Partitions rows and transposes columns with x86 vectors, for the files of these instruction sets.
 */
#include <immintrin.h>

/* Where the halves of four items go that stay: bit i of the index is item i's. */
static const uint8_t part_order[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7},
    {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7},
    {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {6, 7, 0, 1, 2, 3, 4, 5},
    {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1},
    {0, 1, 2, 3, 4, 5, 6, 7}};

static inline __m256i part_chosen(__m256i items, uint32_t which)
{
    __m128i order = _mm_loadl_epi64((const __m128i *) (const void *) part_order[which]);
    return _mm256_permutevar8x32_epi32(items, _mm256_cvtepu8_epi32(order));
}

/* Bit i: item i goes left. */
static inline uint32_t part_four_codes(const ct_question *q, const ct_item *items)
{
    const uint16_t *codes = q->codes;
    const uint32_t raise = q->raise, below = q->below;
    return (uint32_t) ((uint16_t) (codes[items[0].row] + raise) < below) |
           (uint32_t) ((uint16_t) (codes[items[1].row] + raise) < below) << 1 |
           (uint32_t) ((uint16_t) (codes[items[2].row] + raise) < below) << 2 |
           (uint32_t) ((uint16_t) (codes[items[3].row] + raise) < below) << 3;
}

static inline uint32_t part_four_bins(const ct_question *q, const ct_item *items)
{
    const uint8_t *bins = q->bins, *turns = q->turns;
    uint32_t turn = (uint32_t) turns[bins[items[0].row]] |
                    (uint32_t) turns[bins[items[1].row]] << 1 |
                    (uint32_t) turns[bins[items[2].row]] << 2 |
                    (uint32_t) turns[bins[items[3].row]] << 3;
    for (unsigned i = 0; turn >= CT_TURN_ASK && i < 4; i++)
        if (turn & (uint32_t) CT_TURN_ASK << i)
            turn = (turn & ~((uint32_t) CT_TURN_ASK << i)) |
                   ct_code_goes_left(q, items[i].row) << i;
    return turn;
}

static inline __attribute__((always_inline)) uint32_t part_fours(
    const ct_question *q, const ct_item *items, uint32_t n, ct_item *left, ct_item *right,
    uint32_t (*four)(const ct_question *, const ct_item *))
{
    uint32_t n_left = 0, i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256i all = _mm256_loadu_si256((const __m256i *) (const void *) (items + i));
        uint32_t which = four(q, items + i);
        _mm256_storeu_si256((__m256i *) (void *) (left + n_left), part_chosen(all, which));
        _mm256_storeu_si256((__m256i *) (void *) (right + (i - n_left)),
                            part_chosen(all, which ^ 15));
        n_left += (uint32_t) _mm_popcnt_u32(which);
    }
    return ct_part_from(q, items, i, n, n_left, left, right);
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

static uint32_t part(const ct_question *q, const ct_item *items, uint32_t n, ct_item *left,
                     ct_item *right, uint32_t *weight)
{
    uint32_t n_left;
    if (q->bins) n_left = part_fours(q, items, n, left, right, part_four_bins);
    else if (q->code_rows) n_left = ct_part_from(q, items, 0, n, 0, left, right);
    else n_left = part_fours(q, items, n, left, right, part_four_codes);
    *weight = part_weight(left, n_left);
    return n_left;
}

static uint32_t places(const uint8_t *bins, uint32_t n, uint8_t first, uint8_t width,
                       ct_item *items)
{
    const __m256i from = _mm256_set1_epi8((char) first), most = _mm256_set1_epi8((char) width);
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i += 32) {
        __m256i own = _mm256_loadu_si256((const __m256i *) (const void *) (bins + i));
        own = _mm256_sub_epi8(own, from);
        uint32_t which = (uint32_t) _mm256_movemask_epi8(
            _mm256_cmpeq_epi8(_mm256_min_epu8(own, most), own));
        if (n - i < 32) which &= (UINT32_C(1) << (n - i)) - 1;
        for (; which; which &= which - 1)
            items[found++].weight = i + (uint32_t) __builtin_ctz(which);
    }
    return found;
}

static inline __m128i turn_load(const uint16_t *from)
{
    return _mm_loadu_si128((const __m128i *) (const void *) from);
}

/* Pairs of rows become pairs of columns, these fours, and these eights. */
static void turn(const uint16_t *const *rows, uint32_t n_cols, uint16_t *to, size_t stride)
{
    for (uint32_t col = 0; col < n_cols; col += CT_TURN_ROWS) {
        __m128i a[CT_TURN_ROWS], b[CT_TURN_ROWS], c[CT_TURN_ROWS];
        for (unsigned i = 0; i < 4; i++) {
            __m128i upper = turn_load(rows[2 * i] + col), lower = turn_load(rows[2 * i + 1] + col);
            a[i] = _mm_unpacklo_epi16(upper, lower);
            a[i + 4] = _mm_unpackhi_epi16(upper, lower);
        }
        for (unsigned i = 0; i < 4; i++) {
            b[2 * i] = _mm_unpacklo_epi32(a[2 * i], a[2 * i + 1]);
            b[2 * i + 1] = _mm_unpackhi_epi32(a[2 * i], a[2 * i + 1]);
        }
        for (unsigned i = 0; i < 2; i++)
            for (unsigned k = 0; k < 2; k++) {
                c[4 * i + 2 * k] = _mm_unpacklo_epi64(b[4 * i + k], b[4 * i + k + 2]);
                c[4 * i + 2 * k + 1] = _mm_unpackhi_epi64(b[4 * i + k], b[4 * i + k + 2]);
            }
        for (unsigned i = 0; i < CT_TURN_ROWS && col + i < n_cols; i++)
            _mm_storeu_si128((__m128i *) (void *) (to + (col + i) * stride), c[i]);
    }
}
