/* Planes in the words of base/simd/vec.h, included once by each planes_*.c. It asks for
 *
 *   leaf_bytes(planes, bytes)   planes[bit][word], CT_FORGE_BLOCK_WORDS apart, of one vector of
 * rows, to a byte a row
 */

/* ge[q] for q = 0 .. 16: rows whose four bits are at least q. */
CT_INLINE void thermometer(const vec *bit, vec *ge)
{
    vec low[4] = {v_fill(~UINT64_C(0)), v_or(bit[1], bit[0]), bit[1], v_and(bit[1], bit[0])};
    vec high[5] = {low[0], v_or(bit[3], bit[2]), bit[3], v_and(bit[3], bit[2]), v_fill(0)};
    for (unsigned h = 0; h < 4; h++)
        for (unsigned l = 0; l < 4; l++) ge[4 * h + l] = v_or(high[h + 1], v_and(high[h], low[l]));
    ge[16] = high[4];
}

CT_INLINE vec test_of(unsigned q, const vec *low, const vec *high)
{
    return v_or(high[q / 16 + 1], v_and(high[q / 16], low[q % 16]));
}

/* One vector of rows; what kind of test it is would be guessed wrong too often to branch on. */
CT_INLINE void tests_of(const ct_forge_search *search, const vec *bit, vec nan, vec zero,
                        int any_zero, uint64_t *out)
{
    const vec none = v_fill(0), to_left[] = {none, nan, v_or(nan, zero), none},
              to_right[] = {none, none, none, zero};
    vec low[17], high[17];
    thermometer(bit, low);
    thermometer(bit + 4, high);
    for (uint32_t i = 0; i < search->n_tests; i++, out += CT_FORGE_BLOCK_WORDS) {
        const ct_forge_test *test = &search->tests[i];
        vec right = v_and_not(test_of(test->rank, low, high), to_left[test->kind]);
        if (any_zero) right = v_or(right, to_right[test->kind]);
        v_store(out, right);
    }
}

static void tests(const ct_forge_search *search, const uint8_t *ranks, const uint64_t *zero,
                  unsigned words, uint64_t *table)
{
    uint64_t planes[8][CT_FORGE_BLOCK_WORDS]; /* complemented */
    for (unsigned w = 0; w < words; w++)
        transpose_bytes(ranks + 64 * w, &planes[0][w], CT_FORGE_BLOCK_WORDS, search->bits);
    for (unsigned w = 0; w < words; w += VEC_WORDS) {
        uint64_t *out = table + (size_t) search->first * CT_FORGE_BLOCK_WORDS + w;
        vec bit[8], nan = v_fill(~UINT64_C(0));
        for (unsigned i = 0; i < 8; i++) {
            bit[i] = i < search->bits ? v_not(v_load(&planes[i][w])) : v_fill(0);
            if (i < search->bits) nan = v_and(nan, bit[i]);
        }
        if (zero) tests_of(search, bit, nan, v_load(zero + w), 1, out);
        else tests_of(search, bit, nan, v_fill(0), 0, out);
    }
}

/* ---- networks ---- */

typedef const uint64_t *network_tests;

CT_INLINE vec pick_0(network_tests tests, const uint32_t *o, const vec *b)
{
    (void) b;
    return v_load(tests + (size_t) *o * CT_FORGE_BLOCK_WORDS);
}
#define NETWORK_INLINE CT_INLINE
#include "forge/network.h"

/* All vectors of a block through one network. */
#define NETWORK(depth)                                                                             \
    static void network_##depth(const ct_forge_plane_tree *tree, const uint64_t *table,            \
                                unsigned words, uint8_t *leaf)                                     \
    {                                                                                              \
        for (unsigned w = 0; w < words; w += VEC_WORDS) {                                          \
            vec b[8], planes[8];                                                                   \
            network(table + w, tree->program, depth, b);                                           \
            for (unsigned i = 0; i < 8; i++)                                                       \
                planes[i] = i < depth ? b[depth - 1 - i] : v_fill(0);                              \
            leaf_bytes(planes, leaf + 64 * w);                                                     \
        }                                                                                          \
    }
NETWORK(1)
NETWORK(2)
NETWORK(3)
NETWORK(4)
NETWORK(5)
NETWORK(6)
NETWORK(7)
NETWORK(8)

/* ---- one test a level ---- */

static void symmetric(const ct_forge_plane_tree *tree, const uint64_t *table, unsigned words,
                      uint8_t *leaf)
{
    for (unsigned w = 0; w < words; w += VEC_WORDS) {
        vec planes[8];
        for (unsigned bit = 0; bit < 8; bit++) planes[bit] = v_fill(0);
        for (unsigned bit = 0; bit < tree->bits; bit++) {
            uint32_t first = (1u << (tree->bits - 1 - bit)) - 1; /* of the level's tests */
            planes[bit] = v_load(table + w + (size_t) tree->program[first] * CT_FORGE_BLOCK_WORDS);
        }
        leaf_bytes(planes, leaf + 64 * w);
    }
}

/* ---- reach ---- */

static void reach(const ct_forge_plane_tree *tree, const uint64_t *table, unsigned words,
                  uint8_t *leaf)
{
    for (unsigned w = 0; w < words; w += VEC_WORDS) {
        vec sets[2 * CT_FORGE_PLANE_LEAVES], planes[8];
        const uint32_t *next = tree->program;
        sets[0] = v_fill(~UINT64_C(0));
        for (uint32_t i = 0; i < tree->n_inner; i++, next += 2) {
            vec test = v_load(table + w + (size_t) next[0] * CT_FORGE_BLOCK_WORDS);
            vec from = sets[next[1]];
            sets[2 * i + 1] = v_and_not(from, test);
            sets[2 * i + 2] = v_and(from, test);
        }
        for (unsigned bit = 0; bit < 8; bit++) {
            planes[bit] = v_fill(0);
            if (bit >= tree->bits) continue;
            for (uint32_t n = *next++; n; n--) planes[bit] = v_or(planes[bit], sets[*next++]);
        }
        leaf_bytes(planes, leaf + 64 * w);
    }
}

static void leaves(const ct_forge_plane_tree *tree, const uint64_t *table, unsigned words,
                   uint8_t *leaf)
{
    typedef void run(const ct_forge_plane_tree *, const uint64_t *, unsigned, uint8_t *);
    static run *const networks[] = {NULL,      network_1, network_2, network_3, network_4,
                                    network_5, network_6, network_7, network_8};
    if (tree->bits == 0) memset(leaf, 0, 64 * words);
    else if (tree->kind == CT_FORGE_REACH) reach(tree, table, words, leaf);
    else if (tree->kind == CT_FORGE_SYMMETRIC) symmetric(tree, table, words, leaf);
    else networks[tree->bits](tree, table, words, leaf);
}
