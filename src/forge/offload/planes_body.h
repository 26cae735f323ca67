/* Bodies: the tests of a forest as planes, and its trees as networks of them, for words of 32
 * rows. */
#ifndef CT_FORGE_OFFLOAD_PLANES_BODY_H
#define CT_FORGE_OFFLOAD_PLANES_BODY_H

#include <string.h>

#include "base/lanes.h"
#include "forge/offload/views.h"

/* ---- keys ---- */

CT_HD uint32_t ct_forge_narrow_key(float x)
{
    const uint32_t sign = (uint32_t) 1 << 31;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits == sign) bits = 0;
    return bits & sign ? ~bits : bits | sign;
}

CT_HD uint64_t ct_forge_wide_key(double x)
{
    const uint64_t sign = (uint64_t) 1 << 63;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits == sign) bits = 0;
    return bits & sign ? ~bits : bits | sign;
}

/* How many keys of a search are below one. */
#define CT_FORGE_KEYS_BELOW(name, type)                             \
    CT_HD uint32_t name(const type *keys, uint32_t bits, type key)  \
    {                                                               \
        uint32_t below = 0;                                         \
        for (uint32_t step = 1u << bits >> 1; step; step >>= 1)     \
            if (keys[below + step - 1] < key) below += step;        \
        return below;                                               \
    }
CT_FORGE_KEYS_BELOW(ct_narrow_below, uint32_t)
CT_FORGE_KEYS_BELOW(ct_wide_below, uint64_t)

/* ---- ranks ---- */

/* A value with its key; of NaN that is any. */
typedef struct {
    uint64_t key;
    int is_nan;
    const void *at;
} ct_forge_keyed;

CT_HD ct_forge_keyed ct_forge_keyed_of(const ct_forged_views *v, uint32_t column, uint32_t row)
{
    const size_t at = (size_t) column * v->rows.n_rows + row;
    ct_forge_keyed x;
    if (v->forest.wide) {
        const double *value = (const double *) v->rows.x + at;
        const uint64_t least = ((uint64_t) 1 << 52) - 1, most = ~least; /* of infinities */
        x.at = value;
        x.key = ct_forge_wide_key(*value);
        x.is_nan = x.key < least || x.key > most;
    } else {
        const float *value = (const float *) v->rows.x + at;
        x.at = value;
        x.key = ct_forge_narrow_key(*value);
        x.is_nan = *value != *value;
    }
    return x;
}

/* The number of a key, for tests that are rare. */
CT_HD double ct_forge_number_of(const ct_forged_views *v, ct_forge_keyed x)
{
    return v->forest.wide ? *(const double *) x.at : *(const float *) x.at;
}

/* Whether a value counts as zero: up to CT_FORGE_ZERO in size, and not NaN. */
CT_HD int ct_forge_is_zero(const ct_forged_views *v, ct_forge_keyed x)
{
    const uint64_t least = v->forest.wide ? ct_forge_wide_key(-CT_FORGE_ZERO)
                                          : ct_forge_narrow_key((float) -CT_FORGE_ZERO);
    const uint64_t most = v->forest.wide ? ct_forge_wide_key(CT_FORGE_ZERO)
                                         : ct_forge_narrow_key((float) CT_FORGE_ZERO);
    return x.key >= least && x.key <= most;
}

CT_HD uint32_t ct_forge_rank_of(const ct_forged_views *v, const ct_forge_key_search *s,
                                ct_forge_keyed x)
{
    if (x.is_nan) return (1u << s->bits) - 1;
    if (v->forest.wide)
        return ct_wide_below((const uint64_t *) v->forest.keys + s->keys, s->bits, x.key);
    return ct_narrow_below((const uint32_t *) v->forest.keys + s->keys, s->bits, (uint32_t) x.key);
}

/* The row of a word that a lane has now; behind the last one that one again. */
CT_HD uint32_t ct_forge_row_of(const ct_forged_views *v, uint32_t word, uint32_t bit)
{
    uint32_t row = 32 * word + bit;
    return row < v->rows.n_rows ? row : v->rows.n_rows - 1;
}

CT_HD void ct_forge_find_ranks(ct_lanes lanes, const ct_forged_views *v, size_t item)
{
    const uint32_t words = v->rows.words, w = (uint32_t) item % words;
    const uint32_t which = (uint32_t) item / words;
    const ct_forge_key_search s = v->forest.searches[which];
    uint32_t found[CT_FORGE_RANK_PLANES] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t start = 0; start < 32; start += lanes.width) {
        uint32_t row = ct_forge_row_of(v, w, start + lanes.lane);
        ct_forge_keyed x = ct_forge_keyed_of(v, s.column, row);
        uint32_t rank = ct_forge_rank_of(v, &s, x);
        for (uint32_t bit = 0; bit < 8; bit++)
            found[bit] |= ct_lanes_ballot(lanes, (int) (rank >> bit & 1)) << start;
        if (s.zero) found[8] |= ct_lanes_ballot(lanes, ct_forge_is_zero(v, x)) << start;
    }
    if (lanes.lane) return;
    uint32_t *out = v->rows.ranks + (size_t) which * CT_FORGE_RANK_PLANES * words + w;
    for (uint32_t bit = 0; bit < CT_FORGE_RANK_PLANES; bit++) out[bit * words] = found[bit];
}

/* ---- tests ---- */

/* Rows whose four bits are more than `k`, or `also` where they are just that. */
CT_HD uint32_t ct_forge_above(const uint32_t *bits, uint32_t k, uint32_t also)
{
    for (uint32_t bit = 0; bit < 4; bit++)
        also = k >> bit & 1 ? also & bits[bit] : also | bits[bit];
    return also;
}

/* Rows whose four bits are at least q. */
CT_HD uint32_t ct_forge_at_least(const uint32_t *b, uint32_t q)
{
    const uint32_t low[4] = {~0u, b[1] | b[0], b[1], b[1] & b[0]};
    const uint32_t high[5] = {~0u, b[3] | b[2], b[3], b[3] & b[2], 0};
    return high[q / 4 + 1] | (high[q / 4] & low[q % 4]);
}

/* A row goes right from a rank on; what NaN and zeros do instead is the same for all ranks. */
CT_HD void ct_forge_find_tests(const ct_forged_views *v, size_t item)
{
    const uint32_t words = v->rows.words, w = (uint32_t) item % words;
    const uint32_t which = (uint32_t) item / words;
    const ct_forge_test_group g = v->forest.groups[which];
    const uint32_t *planes = v->rows.ranks + (size_t) g.search * CT_FORGE_RANK_PLANES * words + w;
    const uint32_t bits = v->forest.searches[g.search].bits;
    uint32_t b[8], nan = ~0u, left = 0, right = 0;
    for (uint32_t i = 0; i < 8; i++) {
        b[i] = planes[i * words];
        if (i < bits) nan &= b[i];
    }
    if (g.kind != CT_FORGE_NAN_RIGHT && g.kind != CT_FORGE_ZERO_RIGHT) left = nan;
    if (g.kind == CT_FORGE_ZERO_LEFT) left |= planes[8 * words];
    if (g.kind == CT_FORGE_ZERO_RIGHT) right = planes[8 * words];
    const uint32_t above = (ct_forge_above(b + 4, g.high, 0) & ~left) | right,
                   from = ct_forge_above(b + 4, g.high, ~0u) & ~left;
    uint32_t *out = v->rows.tests + (size_t) g.first * words + w;
    for (uint32_t low = 0; low < 16; low++)
        if (g.ranks >> low & 1) {
            *out = above | (from & ct_forge_at_least(b, low));
            out += words;
        }
}

CT_HD void ct_forge_find_code(ct_lanes lanes, const ct_forged_views *v, size_t item)
{
    const uint32_t words = v->rows.words, w = (uint32_t) item % words;
    const uint32_t which = (uint32_t) item / words;
    const ct_forge_code_test test = v->forest.code_tests[which];
    uint32_t found = 0;
    for (uint32_t start = 0; start < 32; start += lanes.width) {
        uint32_t row = ct_forge_row_of(v, w, start + lanes.lane);
        ct_forge_keyed x = ct_forge_keyed_of(v, test.column, row);
        int left = x.is_nan ? (int) test.nan_left
                            : ct_forge_ensemble_in_set(&v->forest.sets, test.node,
                                                       ct_forge_number_of(v, x));
        found |= ct_lanes_ballot(lanes, !left) << start;
    }
    if (!lanes.lane) v->rows.tests[(size_t) test.plane * words + w] = found;
}

/* ---- networks ---- */

typedef uint32_t vec;
typedef struct {
    const uint32_t *planes;
    uint32_t words, w; /* of a plane, of which there are fewer than 2^32 in a pass; which */
} network_tests;

CT_HD uint32_t v_choose(uint32_t s, uint32_t a, uint32_t b)
{
    return (a & s) | (b & ~s);
}

CT_HD uint32_t pick_0(network_tests tests, const uint32_t *o, const uint32_t *b)
{
    (void) b;
    return tests.planes[*o * tests.words + tests.w];
}
#define NETWORK_INLINE CT_HD
#include "forge/network.h"

/* Eight planes to bytes: word i gets in byte g the bits of row 8 g + i. */
CT_HD void ct_forge_bytes_of_planes(uint32_t p[CT_FORGE_LEAF_WORDS])
{
    const uint32_t low[3] = {0x55555555u, 0x33333333u, 0x0f0f0f0fu};
    for (uint32_t level = 3; level-- > 0;)
        for (uint32_t i = 0; i < 8; i++) {
            const uint32_t step = 1u << level;
            if (i & step) continue;
            uint32_t swapped = ((p[i] >> step) ^ p[i + step]) & low[level];
            p[i + step] ^= swapped;
            p[i] ^= swapped << step;
        }
}

CT_HD void ct_forge_keep_leaves(uint32_t *out, uint32_t words, const uint32_t *b, uint32_t depth)
{
    uint32_t planes[CT_FORGE_LEAF_WORDS];
    for (uint32_t i = 0; i < 8; i++) planes[i] = i < depth ? b[depth - 1 - i] : 0;
    ct_forge_bytes_of_planes(planes);
    for (uint32_t i = 0; i < CT_FORGE_LEAF_WORDS; i++) out[i * words] = planes[i];
}

#define CT_FORGE_OF_DEPTH(depth)                             \
    case depth:                                              \
        network(tests, program, depth, b);                   \
        ct_forge_keep_leaves(out, words, b, depth);          \
        break;

/* An item is a tree, for a word of rows. */
CT_HD void ct_forge_find_leaves(const ct_forged_views *v, size_t item)
{
    const uint32_t words = v->rows.words, w = (uint32_t) item % words;
    const uint32_t which = (uint32_t) item / words;
    const ct_forge_device_network tree = v->forest.networks[which];
    const uint32_t *program = v->forest.programs + tree.program;
    uint32_t *out = v->rows.leaves + (size_t) which * CT_FORGE_LEAF_WORDS * words + w;
    uint32_t b[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    network_tests tests;
    tests.planes = v->rows.tests;
    tests.words = words;
    tests.w = w;
    switch (tree.bits) {
    CT_FORGE_OF_DEPTH(1)
    CT_FORGE_OF_DEPTH(2)
    CT_FORGE_OF_DEPTH(3)
    CT_FORGE_OF_DEPTH(4)
    CT_FORGE_OF_DEPTH(5)
    CT_FORGE_OF_DEPTH(6)
    CT_FORGE_OF_DEPTH(7)
    CT_FORGE_OF_DEPTH(8)
    default: ct_forge_keep_leaves(out, words, b, 0);
    }
}

#endif
