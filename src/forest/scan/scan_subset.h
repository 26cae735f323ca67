/* The best cut of a subset of a subtree's rows, with the masks of AVX-512: codes of a candidate
 * fill a quarter of a vector, their scores a whole one. For what is used see scan_body.h. */

enum { FOUR = 4 }; /* candidates at a time */

typedef struct {
    __m512i bits;  /* scores, as in small_scores */
    __m256i right; /* two runs: weights right of the cuts */
} subset_scores;

/* Codes of other rows are the highest, above which nothing is. */
INLINE __m256i subset_cuts(const ct_subset *node, unsigned k)
{
    return _mm256_mask_loadu_epi16(_mm256_set1_epi16(INT16_MAX), (__mmask16) node->rows,
                                   node->codes[k]);
}

INLINE __m256i add_subset(__m256i right, int16_t code, __m256i cuts, __m256i weight)
{
    return _mm256_mask_add_epi16(right, _mm256_cmpgt_epi16_mask(_mm256_set1_epi16(code), cuts),
                                 right, weight);
}

INLINE __m512i score_bits(__m512 score)
{
    const __mmask16 real = _mm512_cmp_ps_mask(score, _mm512_setzero_ps(), _CMP_GE_OQ);
    return _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), real, _mm512_castps_si512(score));
}

#define SUBSET_FLOATS(x) _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(x))

/* As score_pair(). */
INLINE __m512i subset_pair_score(const ct_subset *node, __m256i right)
{
    const __m256i first_total = _mm256_set1_epi16((short) node->runs[0].weight),
                  second_total = _mm256_set1_epi16((short) node->runs[1].weight),
                  first = _mm256_and_si256(right, _mm256_set1_epi16(255)),
                  second = _mm256_srli_epi16(right, 8),
                  offs = _mm256_sub_epi16(_mm256_mullo_epi16(second, first_total),
                                          _mm256_mullo_epi16(first, second_total));
    const __m512 off = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(offs)),
                 b = SUBSET_FLOATS(_mm256_add_epi16(first, second)),
                 a = _mm512_sub_ps(_mm512_set1_ps((float) node->weight), b);
    return score_bits(_mm512_div_ps(_mm512_mul_ps(off, off), _mm512_mul_ps(a, b)));
}

/* Of rows in a set, the weights right of the cuts of n candidates, a constant, from that on. */
INLINE void add_rows(const ct_subset *node, uint32_t rows, const uint16_t *weights, unsigned from,
                     const unsigned n, const __m256i *cuts, __m256i *right)
{
    for (uint32_t rest = rows; rest; rest &= rest - 1) {
        const unsigned row = (unsigned) __builtin_ctz(rest);
        const __m256i weight = _mm256_set1_epi16((short) weights[row]);
        for (unsigned k = 0; k < n; k++)
            right[k] = add_subset(right[k], node->codes[from + k][row], cuts[k], weight);
    }
}

INLINE void subset_pair(const ct_subset *node, unsigned from, const unsigned n,
                        const __m256i *cuts, subset_scores *scores)
{
    uint16_t pairs[CT_SUBSET_ROWS];
    const __m256i weights = _mm256_loadu_si256((const __m256i *) (const void *) node->weights),
                  second = _mm256_slli_epi16(weights, 8);
    _mm256_storeu_si256((__m256i *) (void *) pairs,
                        _mm256_mask_mov_epi16(second, (__mmask16) node->of_run[0], weights));
    __m256i right[FOUR];
    for (unsigned k = 0; k < n; k++) right[k] = _mm256_setzero_si256();
    add_rows(node, node->rows, pairs, from, n, cuts, right);
    for (unsigned k = 0; k < n; k++)
        scores[k] = (subset_scores){subset_pair_score(node, right[k]), right[k]};
}

/* As score_many(). */
INLINE void subset_many(const ct_subset *node, unsigned from, const unsigned n,
                        const __m256i *cuts, subset_scores *scores)
{
    __m256i right[FOUR], sizes[FOUR], squares[FOUR], others[FOUR];
    for (unsigned k = 0; k < n; k++) sizes[k] = squares[k] = others[k] = _mm256_setzero_si256();
    for (uint32_t run = 0; run < node->n_runs; run++) {
        const __m256i all = _mm256_set1_epi16((short) node->runs[run].weight);
        for (unsigned k = 0; k < n; k++) right[k] = _mm256_setzero_si256();
        add_rows(node, node->of_run[run], node->weights, from, n, cuts, right);
        for (unsigned k = 0; k < n; k++) {
            const __m256i left = _mm256_sub_epi16(all, right[k]);
            sizes[k] = _mm256_add_epi16(sizes[k], left);
            squares[k] = _mm256_add_epi16(squares[k], _mm256_mullo_epi16(left, left));
            others[k] = _mm256_add_epi16(others[k], _mm256_mullo_epi16(right[k], right[k]));
        }
    }
    for (unsigned k = 0; k < n; k++) {
        const __m512 a = SUBSET_FLOATS(sizes[k]),
                     b = _mm512_sub_ps(_mm512_set1_ps((float) node->weight), a),
                     sum = _mm512_add_ps(_mm512_mul_ps(a, SUBSET_FLOATS(others[k])),
                                         _mm512_mul_ps(b, SUBSET_FLOATS(squares[k])));
        scores[k].bits = score_bits(_mm512_div_ps(sum, _mm512_mul_ps(a, b)));
        scores[k].right = _mm256_setzero_si256();
    }
}

/* The lowest code of some rows, of which there are some. */
INLINE int16_t lowest_of_rows(__m256i codes, __mmask16 rows)
{
    const __m256i turned = _mm256_xor_si256(codes, _mm256_set1_epi16(INT16_MIN)),
                  masked = _mm256_mask_mov_epi16(_mm256_set1_epi16(-1), rows, turned);
    const __m128i lower = _mm_min_epu16(_mm256_castsi256_si128(masked),
                                        _mm256_extracti128_si256(masked, 1));
    return (int16_t) (_mm_cvtsi128_si32(_mm_minpos_epu16(lower)) ^ INT16_MIN);
}

/* The cut of one of these lanes of a candidate, that with the lowest code. */
INLINE void take_lanes(const ct_subset *node, __m256i codes, __mmask16 lanes, __m256i right,
                       ct_subset_cut *best)
{
    uint16_t rights[CT_SUBSET_ROWS];
    best->code = lowest_of_rows(codes, lanes);
    const __m256i code = _mm256_set1_epi16(best->code);
    const __mmask16 above = _mm256_cmpgt_epi16_mask(codes, code);
    best->next = lowest_of_rows(codes, above);
    best->left = node->rows & ~(uint32_t) above;
    _mm256_storeu_si256((__m256i *) (void *) rights, right);
    best->right = rights[__builtin_ctz(_mm256_cmpeq_epi16_mask(codes, code))];
}

/* Of n candidates, a constant: without a branch on which of them is best. */
INLINE int better_of(const ct_subset *node, unsigned from, const unsigned n, ct_subset_cut *best)
{
    __m256i cuts[FOUR];
    subset_scores scores[FOUR];
    int32_t most, now;
    uint64_t lanes = 0;
    memcpy(&most, &best->score, sizeof most);
    if (most < 0) most = -1;
    for (unsigned k = 0; k < n; k++) cuts[k] = subset_cuts(node, from + k);
    if (node->n_runs == 2) subset_pair(node, from, n, cuts, scores);
    else subset_many(node, from, n, cuts, scores);
    __m512i highest = scores[0].bits;
    for (unsigned k = 1; k < n; k++) highest = _mm512_max_epi32(highest, scores[k].bits);
    now = _mm512_reduce_max_epi32(highest);
    if (now <= most) return 0;
    memcpy(&best->score, &now, sizeof now);
    for (unsigned k = 0; k < n; k++)
        lanes |= (uint64_t) _mm512_cmpeq_epi32_mask(scores[k].bits, _mm512_set1_epi32(now)) <<
                 CT_SUBSET_ROWS * k;
    const unsigned k = (unsigned) __builtin_ctzll(lanes) / CT_SUBSET_ROWS;
    best->candidate = from + k;
    take_lanes(node, cuts[k], (__mmask16) (lanes >> CT_SUBSET_ROWS * k), scores[k].right, best);
    return 1;
}

static int subset_gini(const ct_subset *node, ct_subset_cut *best)
{
    CT_ASSERT(node->n_runs > 0 && node->rows < 1u << CT_SUBSET_ROWS);
    int better = 0;
    for (unsigned from = 0; from < node->n_candidates; from += FOUR)
        switch (node->n_candidates - from) {
        case 1: better |= better_of(node, from, 1, best); break;
        case 2: better |= better_of(node, from, 2, best); break;
        case 3: better |= better_of(node, from, 3, best); break;
        default: better |= better_of(node, from, FOUR, best); break;
        }
    return better;
}
