/* Rows in the order of one feature: ranks bit by bit, members of sides, places, weights. */
#ifndef CT_EXACT_KERNELS_ROWS_H
#define CT_EXACT_KERNELS_ROWS_H

#include <string.h>

#include "base/simd/vec.h"
#include "exact/kernels/kernels.h"

/* ---- ranks below a threshold ---- */

/* "Rank below t", a vector at a time. Kept by value, so that compilers see that no store changes
 * it. */
typedef struct {
    const uint64_t *planes, *selector; /* from the first plane that is read */
    size_t stride;
    unsigned n; /* planes that are read, at least one */
} less_than;

CT_INLINE less_than less_make(const uint64_t *planes, size_t words, const ct_threshold *threshold)
{
    unsigned first = threshold->first;
    less_than l = {planes + first * words, threshold->selector + first, words,
                   threshold->end - first};
    return l;
}

/* The mask for the vector at word w. */
CT_INLINE vec v_less(less_than l, size_t w)
{
    const uint64_t *plane = l.planes + w;
    vec less = v_load(plane);
    for (unsigned i = 1; i < l.n; i++) {
        plane += l.stride;
        less = v_majority(less, v_load(plane), v_fill(l.selector[i]));
    }
    return less;
}

/* Bit planes of 8-bit digits listed in a feature's order: see ct_kernels. The digits of padding
 * positions are 0. */
static inline void planes8(const uint8_t *digits, const uint32_t *order, uint32_t n,
                           uint64_t *planes, size_t words, unsigned n_planes)
{
    uint8_t listed[64];
    size_t w = 0;
    for (; w < n / 64; w++, order += 64) {
        for (unsigned j = 0; j < 64; j += 4) { /* by hand: compilers leave it rolled */
            listed[j] = digits[order[j]];
            listed[j + 1] = digits[order[j + 1]];
            listed[j + 2] = digits[order[j + 2]];
            listed[j + 3] = digits[order[j + 3]];
        }
        transpose_bytes(listed, planes + w, words, n_planes);
    }
    for (uint32_t left = n % 64; w < words; w++, left = 0) {
        memset(listed, 0, sizeof listed);
        for (uint32_t j = 0; j < left; j++) listed[j] = digits[order[j]];
        transpose_bytes(listed, planes + w, words, n_planes);
    }
}

#ifndef VEC_LOOK_UP
static inline void look_up(const uint8_t table[512], const uint8_t *places, const uint16_t *beyond,
                           size_t n, uint8_t *found)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned lane = 0; lane < CT_BESIDE; lane++) {
            unsigned upper = beyond ? (unsigned) beyond[i] >> lane & 1 : 0;
            found[i * CT_BESIDE + lane] = table[256 * upper + places[i * CT_BESIDE + lane]];
        }
}
#endif

/* ---- places in an order: see ct_kernels ---- */

static inline size_t find(const uint64_t *sets, uint32_t n_sets, size_t words,
                          const uint32_t *before, size_t begin, size_t end, uint32_t k)
{
    /* before[begin] <= k < before[end]; the step that halves has no branch to guess wrong */
    for (size_t n = end - begin; n > 1;) {
        size_t half = n / 2;
        begin += before[begin + half] <= k ? half : 0;
        n -= half;
    }
    uint64_t word = 0;
    for (uint32_t i = 0; i < n_sets; i++) word |= sets[i * words + begin];
    return begin * 64 + word_select(word, k - before[begin]);
}

static inline uint32_t count(const uint64_t *sets, uint32_t n_sets, size_t words,
                             const uint32_t *counts, size_t position, uint32_t *totals)
{
    uint64_t below = ct_low_bits(position % 64);
    uint32_t sum = 0;
    sets += position / 64;
    for (uint32_t i = 0; i < n_sets; i++) {
        totals[i] = counts[i] + word_count(sets[i * words] & below);
        sum += totals[i];
    }
    return sum;
}

/* ---- a side: see ct_exact_split. All but its lanes ---- */

static inline void split_sets(ct_exact_split *s)
{
    enum { STEP = 8 }; /* words are handled in multiples of CT_WORD_STEP of data/table.h */
    size_t words = s->words, first = s->end, last = s->begin;
    uint32_t n_classes = s->n_classes, total = 0;
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        vec keep = v_fill(~UINT64_C(0)), seen = v_fill(0);
        if (s->threshold) {
            keep = v_less(less_make(s->planes, words, s->threshold), w);
            if (s->right) keep = v_not(keep);
        }
        for (uint32_t c = 0; c < n_classes; c++) {
            vec members = v_and(keep, v_load(s->parent_sets + c * words + w));
            v_store(s->sets + c * words + w, members);
            seen = v_or(seen, members);
        }
        if (!v_any(seen)) continue;
        if (first == s->end) first = w;
        last = w + VEC_WORDS;
    }
    if (first > last) first = last;
    s->begin = first / STEP * STEP;
    s->end = (last + STEP - 1) / STEP * STEP;

    uint32_t *counts = s->counts + s->begin * n_classes;
    memset(counts, 0, n_classes * sizeof *counts);
    for (size_t w = s->begin; w < s->end; w++, counts += n_classes) {
        s->members[w] = total;
        for (uint32_t c = 0; c < n_classes; c++) {
            uint32_t members = word_count(s->sets[c * words + w]);
            counts[n_classes + c] = counts[c] + members;
            total += members;
        }
    }
    s->members[s->end] = total;
}

/* ---- weights ---- */

#ifndef CT_WEIGHT_SUM
typedef int64_t weight_sum;
CT_INLINE weight_sum weight_sum_of(int64_t x) { return x; }
CT_INLINE int64_t weight_sum_total(weight_sum sum) { return sum; }
CT_INLINE weight_sum weight_sum_add(weight_sum sum, uint64_t members, const int64_t *weights)
{
    for (; members; members &= members - 1) sum += weights[ct_trailing_zeros(members)];
    return sum;
}
#endif

/* The weights of the rows among words from .. to - 1 that are in `members`; NULL: 1 each. */
CT_INLINE int64_t mass_between(const uint64_t *members, const int64_t *weights, size_t from,
                               size_t to)
{
    weight_sum sum = weight_sum_of(0);
    int64_t n = 0;
    for (size_t w = from; w < to; w++) {
        if (weights) sum = weight_sum_add(sum, members[w], weights + 64 * w);
        else n += (int64_t) word_count(members[w]);
    }
    return n + weight_sum_total(sum);
}

CT_INLINE int64_t mass_of(uint64_t members, const int64_t *weights)
{
    return mass_between(&members, weights, 0, 1);
}

CT_INLINE const int64_t *weights_at(const int64_t *weights, size_t word)
{
    return weights ? weights + word * 64 : NULL;
}

/* What the members of each class before each word weigh. */
static inline void split_masses(const ct_exact_split *s)
{
    uint32_t n_classes = s->n_classes;
    if (!s->weights) return;
    int64_t *masses = s->masses + s->begin * n_classes;
    for (uint32_t c = 0; c < n_classes; c++) masses[c] = 0;
    for (size_t w = s->begin; w < s->end; w++, masses += n_classes)
        for (uint32_t c = 0; c < n_classes; c++)
            masses[n_classes + c] = masses[c] +
                                    mass_of(s->sets[c * s->words + w], s->weights + w * 64);
}

#endif
