/* Sums of tests by ones, twos and threes, one test a lane (sums.h): a part of isa.h.
 *
 * Of two tests i and j the rows in both are listed, and added up in the lanes of those tests k that
 * they are in. The other seven octants follow from that and the sums of pairs. Each triple is
 * counted once, as i < j < k; in the vector that has j the tests before it are met again, which
 * adds nothing to a maximum. */
#ifndef CT_EXACT_KERNELS_RESPONSE_TRIPLES_H
#define CT_EXACT_KERNELS_RESPONSE_TRIPLES_H

#include "exact/kernels/sums.h"
#include "exact/kernels/test_rows.h"

enum { SUM_TESTS = 2 * VEC_WORDS, SUM_VECTORS = 4 };

typedef struct {
    vec of[CT_N_SUMS][SUM_VECTORS];
} sum_group;

/* Sums of the listed rows in the tests of `n` vectors from k on, within a word of the records. */
CT_INLINE void add_rows(const ct_sums *s, uint32_t n_rows, uint32_t k, const uint32_t n,
                        const unsigned n_sums, sum_group *group)
{
    const uint64_t *records = s->records + k / 64;
    vec sums[CT_N_SUMS][SUM_VECTORS];
    for (unsigned m = 0; m < n_sums; m++)
        for (uint32_t v = 0; v < n; v++) sums[m][v] = v_fill(0);
    for (uint32_t r = 0; r < n_rows; r++) {
        const int32_t *values = s->values + (size_t) CT_N_SUMS * s->list[r];
        uint64_t bits = records[s->list[r] * s->words] >> k % 64;
#pragma GCC unroll 4
        for (uint32_t v = 0; v < n; v++) {
            mask32 in = l32_of_bits((uint32_t) (bits >> v * SUM_TESTS & ((1U << SUM_TESTS) - 1)));
#pragma GCC unroll 3
            for (unsigned m = 0; m < n_sums; m++)
                sums[m][v] = l32_add_where(sums[m][v], l32_set(values[m]), in);
        }
    }
#pragma GCC unroll 4
    for (uint32_t v = 0; v < n; v++)
        for (unsigned m = 0; m < n_sums; m++) group->of[m][v] = sums[m][v];
}

/* Calls add_rows() for n vectors, at most SUM_VECTORS, or for one where there are three sums. */
static void add_group(const ct_sums *s, uint32_t n_rows, uint32_t k, uint32_t n, sum_group *group)
{
    if (s->n_sums == 3) add_rows(s, n_rows, k, 1, 3, group);
    else if (n == 1) add_rows(s, n_rows, k, 1, 2, group);
    else if (n == 2) add_rows(s, n_rows, k, 2, 2, group);
    else if (n == 3) add_rows(s, n_rows, k, 3, 2, group);
    else add_rows(s, n_rows, k, 4, 2, group);
}

/* Vectors from k on that can be added up together. */
CT_INLINE uint32_t group_size(const ct_sums *s, uint32_t k)
{
    uint32_t whole = SUM_TESTS * SUM_VECTORS, end = k / whole * whole + whole;
    if (end > s->n_tests) end = s->n_tests;
    return s->n_sums == 3 ? 1 : (end - k + SUM_TESTS - 1) / SUM_TESTS;
}

/* Lists the rows that are in both tests. */
CT_INLINE uint32_t list_both(const ct_sums *s, uint32_t i, uint32_t j)
{
    const uint64_t *in_i = s->sets + i * s->set_words, *in_j = s->sets + j * s->set_words;
    uint32_t n = 0;
    for (size_t w = 0; w < s->set_words; w++)
        for (uint64_t rest = in_i[w] & in_j[w]; rest; rest &= rest - 1)
            s->list[n++] = (uint32_t) w * 64 + ct_trailing_zeros(rest);
    return n;
}

static void pair_sums(ct_sums *s)
{
    size_t step = s->n_tests * s->stride;
    for (uint32_t i = 0; i < s->n_tests; i++) {
        int32_t *row = s->pairs + i * s->stride;
        uint32_t n_rows = list_both(s, i, i), first = i / SUM_TESTS * SUM_TESTS;
        for (uint32_t k = first, n; k < s->n_tests; k += n * SUM_TESTS) {
            sum_group group;
            n = group_size(s, k);
            add_group(s, n_rows, k, n, &group);
            for (unsigned m = 0; m < s->n_sums; m++)
                for (uint32_t v = 0; v < n; v++)
                    lanes_store(row + m * step + k + v * SUM_TESTS, group.of[m][v]);
        }
        for (unsigned m = 0; m < s->n_sums; m++) {
            for (uint32_t j = 0; j < first; j++)
                row[m * step + j] = s->pairs[m * step + j * s->stride + i];
            s->singles[m * s->stride + i] = row[m * step + i];
        }
    }
}

/* What row sets with these sums are worth. */
CT_INLINE vecf worth(const vec sums[CT_N_SUMS], unsigned n_sums, vec too_few)
{
    vecf sum = f32_of(sums[CT_SUM]);
    vec weight = n_sums == 3 ? l32_max(sums[CT_WEIGHT], l32_set(1)) : sums[CT_WEIGHT];
    return f32_div_where(f32_product(sum, sum), f32_of(weight),
                         l32_above(sums[n_sums - 1], too_few), f32_set(CT_NO_LEAF));
}

CT_INLINE void raise_floats(float *x, vecf a) { f32_store(x, f32_max(f32_load(x), a)); }

/* Takes in the triples of i, j and the tests of `n` vectors from k on. */
CT_INLINE void score_group(ct_sums *s, uint32_t i, uint32_t j, uint32_t k, uint32_t n,
                           const unsigned n_sums, const sum_group *group, vecf tops[4])
{
    size_t step = s->n_tests * s->stride;
    vec too_few = l32_set(s->least_leaf - 1);
    for (uint32_t v = 0; v < n; v++, k += SUM_TESTS) {
        vec octant[8][CT_N_SUMS];
        vecf score[8];
#pragma GCC unroll 3
        for (unsigned m = 0; !m || m < n_sums; m++) { /* there is a sum */
            const int32_t *of_i = s->pairs + m * step + i * s->stride,
                          *of_j = s->pairs + m * step + j * s->stride;
            int32_t both = of_i[j], only_i = of_i[i] - both, only_j = of_j[j] - both;
            vec all = group->of[m][v], with_i = lanes_load(of_i + k),
                in_k = lanes_load(s->singles + m * s->stride + k);
            octant[7][m] = all;
            octant[6][m] = l32_sub(l32_set(both), all);
            octant[5][m] = l32_sub(with_i, all);
            octant[4][m] = l32_sub(l32_set(only_i), octant[5][m]);
            octant[3][m] = l32_sub(lanes_load(of_j + k), all);
            octant[2][m] = l32_sub(l32_set(only_j), octant[3][m]);
            octant[1][m] = l32_sub(l32_sub(in_k, with_i), octant[3][m]);
            octant[0][m] = l32_sub(l32_set(s->all[m] - both - only_i - only_j), octant[1][m]);
        }
#pragma GCC unroll 8
        for (int o = 0; o < 8; o++) score[o] = worth(octant[o], n_sums, too_few);
#pragma GCC unroll 4
        for (uint32_t q = 0; q < 4; q++) {
            uint32_t a = q / 2, b = q % 2;
            float *thirds = s->thirds + q * step + k;
            tops[q] = f32_max(tops[q], f32_add(score[2 * q], score[2 * q + 1]));
            raise_floats(thirds + i * s->stride, f32_add(score[4 * a + b], score[4 * a + 2 + b]));
            raise_floats(thirds + j * s->stride,
                         f32_add(score[2 * a + b], score[4 + 2 * a + b]));
        }
    }
}

static void root_of_sums(ct_sums *s, uint32_t i)
{
    size_t step = s->n_tests * s->stride;
    for (uint32_t j = i + 1; j < s->n_tests; j++) {
        uint32_t n_rows = list_both(s, i, j);
        vecf tops[4];
        for (int q = 0; q < 4; q++) tops[q] = f32_set(2 * CT_NO_LEAF);
        for (uint32_t k = j / SUM_TESTS * SUM_TESTS, n; k < s->n_tests; k += n * SUM_TESTS) {
            sum_group group;
            n = group_size(s, k);
            add_group(s, n_rows, k, n, &group);
            if (s->n_sums == 3) score_group(s, i, j, k, n, 3, &group, tops);
            else score_group(s, i, j, k, n, 2, &group, tops);
        }
        for (uint32_t q = 0; q < 4; q++) {
            float *third = s->thirds + q * step + i * s->stride + j, top = f32_top(tops[q]);
            if (top > *third) *third = top;
        }
    }
}

/* The best of the quadrants of i and the tests of a vector from k on. */
CT_INLINE void worth_of_quadrants(const ct_sums *s, uint32_t i, uint32_t k, int deep, vecf best[4])
{
    size_t step = s->n_tests * s->stride, row = i * s->stride;
    vec sums[4][CT_N_SUMS];
    for (unsigned m = 0; m < s->n_sums; m++) {
        const int32_t *of_i = s->pairs + m * step + row;
        vec both = lanes_load(of_i + k);
        sums[3][m] = both;
        sums[2][m] = l32_sub(l32_set(of_i[i]), both);
        sums[1][m] = l32_sub(lanes_load(s->singles + m * s->stride + k), both);
        sums[0][m] = l32_sub(l32_set(s->all[m] - of_i[i]), sums[1][m]);
    }
    for (uint32_t q = 0; q < 4; q++) {
        best[q] = worth(sums[q], s->n_sums, l32_set(s->least_leaf - 1));
        vecf two = f32_sub(f32_load(s->thirds + q * step + row + k), f32_set(s->split));
        mask32 may = l32_above(sums[q][s->n_sums - 1], l32_set(s->least_split - 1));
        if (deep) best[q] = f32_choose(may, f32_max(best[q], two), best[q]);
    }
}

static void sides_of_sums(const ct_sums *s, uint32_t i, int deep, float *best[2])
{
    vecf top[2] = {f32_set(2 * CT_NO_LEAF), f32_set(2 * CT_NO_LEAF)};
    for (uint32_t k = i / SUM_TESTS * SUM_TESTS; k < s->n_tests; k += SUM_TESTS) {
        vecf of[4];
        worth_of_quadrants(s, i, k, deep, of);
        for (int a = 0; a < 2; a++) {
            top[a] = f32_max(top[a], f32_add(of[2 * a], of[2 * a + 1]));
            raise_floats(best[a] + k, f32_add(of[a], of[2 + a]));
        }
    }
    for (int a = 0; a < 2; a++) {
        float x = f32_top(top[a]);
        if (x > best[a][i]) best[a][i] = x;
    }
}

#endif
