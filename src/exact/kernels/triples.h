/* A template, see lane.h: counts of tests by ones, twos and threes, one test a lane (tests.h).
 *
 * Of a root i and a test j the rows in both and in a third test k are counted for all k of a vector
 * at once, by the bits set in bytes of 8 rows. The other seven octants follow from that and the
 * counts of pairs. An octant is part of three quadrants, those of i and j, i and k, j and k; so a
 * triple is counted once, with whichever of the three is the first to be a root. Blocks of tests
 * are taken two at a time; in a block by itself each pair is met from both sides, and what a
 * repetition adds to a maximum is nothing. */
#ifndef CT_KIND
#include "exact/kernels/isa.h" /* this file among its parts */
#else

#define LANE CT_PASTE(lane, CT_LANE)
#define PARTS (CT_LANE / 8U) /* vectors of lanes for one of bytes */
#define PART_TESTS ((uint32_t) VEC_TESTS / PARTS)

/* Adds lanes of bytes. */
CT_INLINE void FN(add_bytes)(vec bytes, vec counts[PARTS])
{
#if CT_LANE == 8
    counts[0] = l8_add(counts[0], bytes);
#elif CT_LANE == 16
    counts[0] = l16_add(counts[0], l16_wide(bytes, 0));
    counts[1] = l16_add(counts[1], l16_wide(bytes, 1));
#else
    for (int half = 0; half < 2; half++) {
        vec wide = half ? l16_wide(bytes, 1) : l16_wide(bytes, 0);
        counts[2 * half] = l32_add(counts[2 * half], l32_wide(wide, 0));
        counts[2 * half + 1] = l32_add(counts[2 * half + 1], l32_wide(wide, 1));
    }
#endif
}

/* Rows of some words in the tests of a vector and in the mask, a byte every `every`. A byte holds
 * the counts of 31 words. */
CT_INLINE void FN(count)(const uint8_t *bytes, size_t stride, const uint8_t *mask, size_t every,
                         uint32_t begin, uint32_t end, vec counts[PARTS])
{
    for (uint32_t p = 0; p < PARTS; p++) counts[p] = v_fill(0);
    while (begin < end) {
        uint32_t stop = CT_LANE > 8 && end - begin > 31 ? begin + 31 : end;
        vec sum = v_fill(0);
#pragma GCC unroll 4
        for (; begin < stop; begin++) {
            vec both = v_and(lanes_load(bytes + begin * stride), l8_set(mask[begin * every]));
            sum = l8_add(sum, l8_count(both));
        }
        FN(add_bytes)(sum, counts);
    }
}

static void FN(count_tests)(const ct_test_rows *rows, uint32_t n_classes, size_t stride,
                            uint32_t n_tests, const uint8_t *mask, size_t every, void *counts,
                            size_t step)
{
    for (uint32_t k = 0; k < n_tests; k += VEC_TESTS) {
        uint32_t begin = 0;
        for (uint32_t c = 0; c < n_classes; begin = rows->ends[c++]) {
            vec some[PARTS];
            LANE *out = (LANE *) counts + c * step + k;
            FN(count)(rows->bytes + k, stride, mask, every, begin, rows->ends[c], some);
            for (uint32_t p = 0; p < PARTS; p++) lanes_store(out + p * PART_TESTS, some[p]);
        }
    }
}

/* Counts each two tests of different vectors once. */
static void FN(pairs)(ct_triples *t)
{
    const uint8_t all = 0xff;
    size_t step = t->n_tests * t->stride;
    LANE *pairs = (LANE *) t->pairs;
    FN(count_tests)(&t->rows, t->n_classes, t->stride, t->n_tests, &all, 0, t->singles, t->stride);
    for (uint32_t i = 0; i < t->n_tests; i++) {
        uint32_t from = i / VEC_TESTS * VEC_TESTS;
        ct_test_rows rows = t->rows;
        rows.bytes += from;
        FN(count_tests)(&rows, t->n_classes, t->stride, t->n_tests - from, t->rows.bytes + i,
                        t->stride, pairs + i * t->stride + from, step);
        for (uint32_t c = 0; c < t->n_classes; c++)
            for (uint32_t j = 0; j < from; j++)
                pairs[c * step + i * t->stride + j] = pairs[c * step + j * t->stride + i];
    }
}

/* A number in all lanes. */
CT_INLINE uint32_t FN(spread)(uint32_t x)
{
    return CT_LANE == 8 ? x * 0x01010101 : CT_LANE == 16 ? x * 0x00010001 : x;
}
CT_INLINE vec FN(set)(uint32_t x) { return l32_set((int) FN(spread)(x)); }

/* The largest class of each quadrant of i and the tests of a part of a vector from k on. */
CT_INLINE void FN(quadrants)(const ct_triples *t, uint32_t i, uint32_t k, vec most[4])
{
    const LANE *pairs = (const LANE *) t->pairs + i * t->stride,
               *singles = (const LANE *) t->singles;
    for (int q = 0; q < 4; q++) most[q] = v_fill(0);
    for (uint32_t c = 0; c < t->n_classes; c++, pairs += t->n_tests * t->stride) {
        uint32_t in_i = (uint32_t) pairs[i], all = t->of_class[c];
        vec both = lanes_load(pairs + k), in_k = lanes_load(singles + c * t->stride + k);
        vec only_k = L(sub)(in_k, both);
        most[3] = L(max)(most[3], both);
        most[2] = L(max)(most[2], L(sub)(FN(set)(in_i), both));
        most[1] = L(max)(most[1], only_k);
        most[0] = L(max)(most[0], L(sub)(FN(set)(all - in_i), only_k));
    }
}

static void FN(stumps)(const ct_triples *t, uint32_t i, int64_t hits[2])
{
    vec best[2] = {v_fill(0), v_fill(0)};
    for (uint32_t k = 0; k < t->n_tests; k += PART_TESTS) {
        vec most[4];
        FN(quadrants)(t, i, k, most);
        for (int a = 0; a < 2; a++)
            best[a] = L(max)(best[a], L(add)(most[2 * a], most[2 * a + 1]));
    }
    for (int a = 0; a < 2; a++) hits[a] = L(top)(best[a]);
}

/* ---- triples ---- */

/* The larger of lanes in memory and of others. */
CT_INLINE void FN(raise)(LANE *lanes, vec x)
{
    lanes_store(lanes, L(max)(lanes_load(lanes), x));
}

/* Rows of class c in each octant 4 a + 2 b + c of i, j and the tests of a part from k on, of which
 * `both` are in all three. parts[4]: its rows in the quadrants of i and j. */
CT_INLINE void FN(octants)(const ct_triples *t, uint32_t c, vec all, uint32_t j, uint32_t k,
                           const uint32_t *parts, vec part[8])
{
    const LANE *pairs = (const LANE *) t->pairs + c * (t->n_tests * t->stride) + k;
    vec with_i = lanes_load(pairs + t->root * t->stride);
    vec of_k = lanes_load((const LANE *) t->singles + c * t->stride + k);
    part[7] = all;
    part[6] = L(sub)(l32_set((int) parts[3]), all);
    part[5] = L(sub)(with_i, all);
    part[4] = L(sub)(l32_set((int) parts[2]), part[5]);
    part[3] = L(sub)(lanes_load(pairs + j * t->stride), all);
    part[2] = L(sub)(l32_set((int) parts[1]), part[3]);
    part[1] = L(sub)(L(sub)(of_k, with_i), part[3]);
    part[0] = L(sub)(l32_set((int) parts[0]), part[1]);
}

/* The tests of a vector from k on, with the n tests js[]. `apart`: these are in another block. */
CT_INLINE void FN(block)(ct_triples *t, uint32_t n_classes, const uint32_t *js, uint32_t n,
                         uint32_t k, int apart)
{
    size_t step = t->n_tests * t->stride;
    LANE *hits = (LANE *) t->hits + k;
    vec two[2 * PARTS], *counts = n_classes == 2 ? two : (vec *) t->counts, *tops = (vec *) t->most;
    vec of_root[4 * PARTS];
    for (uint32_t q = 0; q < 4 * PARTS; q++) of_root[q] = v_fill(0);
    for (uint32_t m = 0; m < n; m++) {
        uint32_t begin = 0;
        const uint32_t *parts = t->parts + (size_t) 4 * n_classes * m;
#pragma GCC unroll 2
        for (uint32_t c = 0; c < n_classes; c++) {
            FN(count)(t->side.bytes + k, t->stride, t->side.bytes + js[m], t->stride, begin,
                      t->side.ends[c], counts + c * PARTS);
            begin = t->side.ends[c];
        }
#pragma GCC unroll 4
        for (uint32_t p = 0; p < PARTS; p++) {
            uint32_t at = p * PART_TESTS;
            vec most[8], part[8];
            FN(octants)(t, 0, counts[p], js[m], k + at, parts, most);
            for (uint32_t c = 1; c < n_classes; c++) {
                FN(octants)(t, c, counts[c * PARTS + p], js[m], k + at, parts + 4 * c, part);
#pragma GCC unroll 8
                for (int o = 0; o < 8; o++) most[o] = L(max)(most[o], part[o]);
            }
#pragma GCC unroll 4
            for (uint32_t q = 0; q < 4; q++) {
                uint32_t a = q / 2, b = q % 2;
                LANE *row = hits + q * step + at;
                of_root[4 * p + q] = L(max)(of_root[4 * p + q],
                                            L(add)(most[4 * a + b], most[4 * a + 2 + b]));
                FN(raise)(row + js[m] * t->stride, L(add)(most[2 * a + b], most[4 + 2 * a + b]));
                if (apart)
                    tops[4 * m + q] = L(max)(tops[4 * m + q], L(add)(most[2 * q], most[2 * q + 1]));
            }
        }
    }
    for (uint32_t p = 0; p < PARTS; p++)
        for (uint32_t q = 0; q < 4; q++)
            FN(raise)(hits + q * step + t->root * t->stride + p * PART_TESTS, of_root[4 * p + q]);
}

/* Lists the tests from `first` on that are not done, with their parts; returns how many. */
static uint32_t FN(list)(ct_triples *t, uint32_t first, uint32_t *js)
{
    uint32_t n = 0;
    for (uint32_t j = first; j < first + VEC_TESTS && j < t->n_tests; j++) {
        if (t->done[j] || j == t->root) continue;
        uint32_t *parts = t->parts + (size_t) 4 * t->n_classes * n;
        const LANE *of_i = (const LANE *) t->pairs + t->root * t->stride,
                   *of_j = (const LANE *) t->singles + j;
        for (uint32_t c = 0; c < t->n_classes; c++, parts += 4) {
            uint32_t both = (uint32_t) of_i[j], only_i = (uint32_t) of_i[t->root] - both,
                     only_j = (uint32_t) *of_j - both;
            parts[3] = FN(spread)(both);
            parts[2] = FN(spread)(only_i);
            parts[1] = FN(spread)(only_j);
            parts[0] = FN(spread)(t->of_class[c] - both - only_i - only_j);
            of_i += t->n_tests * t->stride;
            of_j += t->stride;
        }
        js[n++] = j;
    }
    return n;
}

/* How many tests of a block are not done. */
static uint32_t FN(left)(const ct_triples *t, uint32_t first)
{
    uint32_t n = 0;
    for (uint32_t j = first; j < first + VEC_TESTS && j < t->n_tests; j++) n += !t->done[j];
    return n;
}

/* One block of tests with itself, and with the others that have more tests left. */
CT_INLINE void FN(from_block)(ct_triples *t, uint32_t n_classes, uint32_t first)
{
    uint32_t js[CT_TEST_BLOCK], n = FN(list)(t, first, js), own = FN(left)(t, first);
    int others = 0;
    vec *tops = (vec *) t->most;
    for (uint32_t m = 0; m < 4 * n; m++) tops[m] = v_fill(0);
    for (uint32_t k = t->from; k < t->n_tests; k += VEC_TESTS) {
        int apart = k != first;
        if (apart && FN(left)(t, k) + (k > first) <= own) continue;
        FN(block)(t, n_classes, js, n, k, apart);
        others |= apart;
    }
    if (!others) return;
    for (uint32_t m = 0; m < n; m++)
        for (uint32_t q = 0; q < 4; q++) {
            LANE *hits = (LANE *) t->hits + (q * (size_t) t->n_tests + t->root) * t->stride + js[m];
            int top = L(top)(tops[4 * m + q]);
            if (top > *hits) *hits = (LANE) top;
        }
}

static void FN(root)(ct_triples *t)
{
    for (uint32_t first = t->from; first < t->n_tests; first += VEC_TESTS) {
        if (CT_LANE < 32 && t->n_classes == 2) FN(from_block)(t, 2, first);
        else FN(from_block)(t, t->n_classes, first);
    }
}

static void FN(sides)(const ct_triples *t, int64_t hits[2][3])
{
    size_t step = t->n_tests * t->stride;
    const LANE *row = (const LANE *) t->hits + t->root * t->stride;
    LANE *column = (LANE *) t->columns; /* with the tests exchanged */
    for (uint32_t q = 0; q < 4; q++) {
        const LANE *from = (const LANE *) t->hits + (2 * (q % 2) + q / 2) * step + t->root;
        for (uint32_t j = 0; j < t->n_tests; j++) column[q * t->stride + j] = from[j * t->stride];
    }
    vec best[2][3] = {{v_fill(0), v_fill(0), v_fill(0)}, {v_fill(0), v_fill(0), v_fill(0)}};
    for (uint32_t k = 0; k < t->n_tests; k += PART_TESTS) {
        vec leaf[4], split[4];
        FN(quadrants)(t, t->root, k, leaf);
        for (uint32_t q = 0; q < 4; q++)
            split[q] = L(max)(lanes_load(row + q * step + k),
                              lanes_load(column + q * t->stride + k));
        for (int a = 0; a < 2; a++) {
            const vec *l = leaf + 2 * a, *s = split + 2 * a;
            best[a][0] = L(max)(best[a][0], L(add)(l[0], l[1]));
            best[a][1] = L(max)(best[a][1], L(max)(L(add)(l[0], s[1]), L(add)(s[0], l[1])));
            best[a][2] = L(max)(best[a][2], L(add)(s[0], s[1]));
        }
    }
    for (int a = 0; a < 2; a++)
        for (int n = 0; n < 3; n++) hits[a][n] = L(top)(best[a][n]);
}

#undef PART_TESTS
#undef PARTS
#undef LANE
#endif
