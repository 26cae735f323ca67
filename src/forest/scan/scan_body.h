/* The scans in vectors, with the vector types of GCC and Clang: included once by each scan_*.c,
 * which sets VEC_BYTES to the size of its vectors and brings the functions below for its
 * instruction set. See scan.h for what they do. */
enum { N16 = VEC_BYTES / 2, N64 = VEC_BYTES / 8 };

/* Lanes of candidates: as many as fit as doubles. Weights and squares of middle nodes have 31 bits.
 */
typedef int32_t vec_i32 __attribute__((vector_size(VEC_BYTES / 2), aligned(4)));
typedef int64_t vec_i64 __attribute__((vector_size(VEC_BYTES)));
typedef double vec_f64 __attribute__((vector_size(VEC_BYTES), aligned(8)));
/* Lanes of rows. */
typedef int16_t vec_i16 __attribute__((vector_size(VEC_BYTES), aligned(2)));
typedef uint16_t vec_u16 __attribute__((vector_size(VEC_BYTES), aligned(2)));
/* As many floats, from half as many bits of rows. */
typedef uint16_t half_u16 __attribute__((vector_size(VEC_BYTES / 2), aligned(2)));
typedef int16_t half_i16 __attribute__((vector_size(VEC_BYTES / 2), aligned(2)));
typedef int32_t whole_i32 __attribute__((vector_size(VEC_BYTES), aligned(4)));
typedef uint32_t whole_u32 __attribute__((vector_size(VEC_BYTES), aligned(4)));
typedef uint8_t half_u8 __attribute__((vector_size(VEC_BYTES / 2), aligned(1)));
typedef float vec_f32 __attribute__((vector_size(VEC_BYTES), aligned(4)));

/* Half a vector of 16 bits in memory, widened. */
#ifndef WIDEN
#define WIDEN(from) \
    __builtin_convertvector(*(const half_u16 *) (const void *) (from), whole_i32)
#define WIDEN_SIGNED(from) \
    __builtin_convertvector(*(const half_i16 *) (const void *) (from), whole_i32)
#endif

/* sum + x in lanes where a is above b. */
#ifndef ADD_ABOVE
#define ADD_ABOVE(sum, a, b, x) ((sum) + ((vec_u16) ((a) > (b)) & (x)))
#endif

#define TO_F64(x) __builtin_convertvector((x), vec_f64)
#define INLINE static inline __attribute__((always_inline))

/* a where the mask is, else b. */
INLINE vec_f64 pick(vec_i64 mask, vec_f64 a, vec_f64 b)
{
    return (vec_f64) (((vec_i64) a & mask) | ((vec_i64) b & ~mask));
}

typedef struct {
    vec_f64 score;
    vec_i64 bin;
} lanes_best;

INLINE lanes_best no_best(void)
{
    vec_f64 nothing = {0};
    vec_i64 zero = {0};
    lanes_best best = {nothing - 1.0, zero}; /* no score is negative */
    return best;
}

/* In the lanes of the mask. */
INLINE void improve(lanes_best *best, vec_f64 score, vec_i64 bin, vec_i64 mask)
{
    vec_i64 better = (vec_i64) (score > best->score) &
                     mask; /* never so where it is NaN: a side is empty */
    best->score = pick(better, score, best->score);
    best->bin = (bin & better) | (best->bin & ~better);
}

INLINE void write_best(const lanes_best *best, unsigned lanes, ct_bin_cut *cuts)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        cuts[lane].score = best->score[lane] < 0 ? NAN : best->score[lane];
        cuts[lane].bin = (uint32_t) best->bin[lane];
    }
}

#include "forest/scan/scan_gini.h"
#include "forest/scan/small_sums.h"

static void variance(const double *sums, const int32_t *weights, double sum, uint32_t weight,
                     uint32_t n_bins, int missing_left, unsigned lanes, ct_bin_cut *cuts)
{
    CT_ASSERT(lanes > 0 && lanes <= CT_LANES && n_bins < CT_HIST_BIN_ROWS);
    for (unsigned lane = 0; lane < lanes; lane += N64) {
        vec_f64 s = {0};
        vec_i32 size = {0};
        lanes_best best = no_best();
        const vec_i64 all = (vec_i64){0} - 1;
        for (uint32_t step = missing_left ? 0 : 1; step <= n_bins; step++) {
            uint32_t bin = step ? step - 1 : CT_HIST_BIN_ROWS - 1;
            s += *(const vec_f64 *) (const void *) (sums + bin * CT_LANES + lane);
            size += *(const vec_i32 *) (const void *) (weights + bin * CT_LANES + lane);
            vec_f64 t = sum - s;
            vec_f64 score = s * s / TO_F64(size) + t * t / TO_F64((int32_t) weight - size);
            if (step) improve(&best, score, (vec_i64){0} + (int64_t) bin, all);
        }
        write_best(&best, lanes - lane < N64 ? lanes - lane : N64, cuts + lane);
    }
}

/* ---- small nodes ---- */

INLINE vec_f32 floats_of(const uint16_t *from)
{
    return __builtin_convertvector((whole_i32) WIDEN(from), vec_f32);
}

INLINE vec_f32 signed_floats_of(const uint16_t *from)
{
    return __builtin_convertvector((whole_i32) WIDEN_SIGNED(from), vec_f32);
}

/* Scores of the cuts above the codes of one candidate, as the bits of floats, which are in their
 * order from 0 on; -1 where a side is empty. */
typedef struct {
    int32_t scores[CT_SMALL_ROWS];
    whole_i32 highest; /* in lanes */
} small_scores;

INLINE void add_scores(small_scores *all, uint32_t at, vec_f32 score)
{
    whole_i32 none = (whole_i32){0} - 1, real = (whole_i32) (score >= 0.0f),
              bits = ((whole_i32) score & real) | (none & ~real),
              higher = (whole_i32) (bits > all->highest);
    *(whole_i32 *) (void *) (all->scores + at) = bits;
    all->highest = (bits & higher) | (all->highest & ~higher);
}

/* Vectors of codes whose cuts are scored together; each has some of a candidate's, of which all
 * rows are scored. */
enum { SLOTS = 6 };

typedef struct {
    const int16_t *codes[SLOTS];
    uint32_t from[SLOTS];
    small_scores *scores[SLOTS];
} small_slots;

/* One variable for each slot, so that they stay in registers; `n_slots` is a constant where this is
 * used. */
#define FOR_SLOTS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define BEGIN_SLOT(v)                                                                  \
    const int16_t *row##v = slots->codes[n_slots > v ? v : 0];                         \
    const vec_i16 cut##v = *(const vec_i16 *) (const void *) (row##v + slots->from[v]);
#define ADD_ROW(v) \
    if (n_slots > v) right##v = ADD_ABOVE(right##v, (vec_i16){0} + row##v[i], cut##v, weight);

/* Of the cuts: weights left of them (below 2^8), and both sums of squares. */
#define BEGIN_MANY(v) vec_u16 size##v = {0}, square##v = {0}, other##v = {0};
#define BEGIN_RUN(v) vec_u16 right##v = {0};
#define END_RUN(v)                         \
    if (n_slots > v) {                     \
        vec_u16 left = all - right##v;     \
        size##v += left;                   \
        square##v += left * left;          \
        other##v += right##v * right##v;   \
    }
#define SCORE_MANY(v) \
    if (n_slots > v) score_many(node, slots, v, size##v, square##v, other##v);

INLINE void score_many(const ct_small *node, const small_slots *slots, unsigned slot, vec_u16 size,
                       vec_u16 square, vec_u16 other)
{
    uint16_t sizes[N16], squares[N16], others[N16];
    *(vec_u16 *) (void *) sizes = size;
    *(vec_u16 *) (void *) squares = square;
    *(vec_u16 *) (void *) others = other;
    for (uint32_t i = 0; i < N16 && slots->from[slot] + i < node->n; i += N16 / 2) {
        vec_f32 a = floats_of(sizes + i), b = (float) node->weight - a;
        add_scores(slots->scores[slot], slots->from[slot] + i,
                   (a * floats_of(others + i) + b * floats_of(squares + i)) / (a * b));
    }
}

INLINE void small_many(const ct_small *node, const small_slots *slots, const unsigned n_slots)
{
    FOR_SLOTS(BEGIN_SLOT)
    FOR_SLOTS(BEGIN_MANY)
    for (uint32_t k = 0, i = 0; k < node->n_runs; k++) {
        const uint32_t end = i + node->runs[k].n;
        const uint16_t all = (uint16_t) node->runs[k].weight;
        FOR_SLOTS(BEGIN_RUN)
        for (; i < end; i++) {
            vec_u16 weight = (vec_u16){0} + node->weights[i];
            FOR_SLOTS(ADD_ROW)
        }
        FOR_SLOTS(END_RUN)
    }
    FOR_SLOTS(SCORE_MANY)
}

/* Two runs: weights right of the cuts, in both bytes of a lane, and how far the first class is off
 * its proportion there. */
#define SCORE_PAIR(v) if (n_slots > v) score_pair(node, slots, v, right##v);

INLINE void score_pair(const ct_small *node, const small_slots *slots, unsigned slot, vec_u16 right)
{
    const uint16_t first_total = (uint16_t) node->runs[0].weight,
                   second_total = (uint16_t) node->runs[1].weight;
    uint16_t offs[N16], rests[N16];
    vec_u16 first = right & 255, second = right >> 8;
    *(vec_u16 *) (void *) offs = second * first_total - first * second_total;
    *(vec_u16 *) (void *) rests = first + second;
    for (uint32_t i = 0; i < N16 && slots->from[slot] + i < node->n; i += N16 / 2) {
        vec_f32 off = signed_floats_of(offs + i), b = floats_of(rests + i),
                a = (float) node->weight - b;
        add_scores(slots->scores[slot], slots->from[slot] + i, (off * off) / (a * b));
    }
}

INLINE void small_pair(const ct_small *node, const small_slots *slots, const unsigned n_slots)
{
    FOR_SLOTS(BEGIN_SLOT)
    FOR_SLOTS(BEGIN_RUN)
    for (uint32_t i = 0; i < node->n; i++) {
        vec_u16 weight = (vec_u16){0} + node->pairs[i];
        FOR_SLOTS(ADD_ROW)
    }
    FOR_SLOTS(SCORE_PAIR)
}

static void score_slots(const ct_small *node, const small_slots *slots, unsigned n_slots)
{
    if (node->n_runs == 2) switch (n_slots) {
    case 1: small_pair(node, slots, 1); break;
    case 2: small_pair(node, slots, 2); break;
    case 3: small_pair(node, slots, 3); break;
    case 4: small_pair(node, slots, 4); break;
    case 5: small_pair(node, slots, 5); break;
    default: small_pair(node, slots, 6); break;
    } else switch (n_slots) {
    case 1: small_many(node, slots, 1); break;
    case 2: small_many(node, slots, 2); break;
    case 3: small_many(node, slots, 3); break;
    case 4: small_many(node, slots, 4); break;
    case 5: small_many(node, slots, 5); break;
    default: small_many(node, slots, 6); break;
    }
}

static void score_candidates(const ct_small *node, small_scores *scores)
{
    small_slots slots;
    unsigned n = 0;
    for (unsigned v = 0; v < SLOTS; v++) slots.from[v] = 0;
    for (uint32_t k = 0; k < node->n_candidates; k++) {
        scores[k].highest = (whole_i32){0} - 1;
        for (uint32_t from = 0; from < node->n; from += N16) {
            slots.codes[n] = node->codes[k];
            slots.from[n] = from;
            slots.scores[n] = &scores[k];
            if (++n < SLOTS) continue;
            score_slots(node, &slots, n);
            n = 0;
        }
    }
    if (n) score_slots(node, &slots, n);
}

INLINE int32_t highest_of(const small_scores *scores)
{
    int32_t lanes[VEC_BYTES / 4], highest = -1;
    *(whole_i32 *) (void *) lanes = scores->highest;
    for (unsigned i = 0; i < VEC_BYTES / 4; i++) highest = lanes[i] > highest ? lanes[i] : highest;
    return highest;
}

/* Lanes in the order of signed numbers, as those of unsigned ones. */
INLINE vec_u16 unsigned_of(vec_i16 lanes) { return (vec_u16) lanes ^ 0x8000; }

INLINE vec_u16 choose(vec_u16 mask, vec_u16 a, vec_u16 b) { return (a & mask) | (b & ~mask); }

typedef uint16_t eight_u16 __attribute__((vector_size(16), aligned(2)));

/* The lowest lane. */
INLINE uint16_t lowest_of(vec_u16 lanes)
{
    uint16_t all[N16];
    *(vec_u16 *) (void *) all = lanes;
    eight_u16 lowest = *(const eight_u16 *) (const void *) all;
    for (unsigned i = 8; i < N16; i += 8) {
        eight_u16 own = *(const eight_u16 *) (const void *) (all + i),
                  lower = (eight_u16) (own < lowest);
        lowest = (own & lower) | (lowest & ~lower);
    }
    return LOWEST_OF_EIGHT(lowest);
}

static int16_t above(const int16_t *codes, uint32_t n, int16_t code)
{
    const vec_u16 least = (vec_u16){0} + (uint16_t) (code ^ 0x8000);
    vec_u16 lowest = (vec_u16){0} + UINT16_MAX;
    for (uint32_t i = 0; i < n; i += N16) {
        vec_u16 own = unsigned_of(*(const vec_i16 *) (const void *) (codes + i));
        lowest = choose((vec_u16) (own > least) & (vec_u16) (own < lowest), own, lowest);
    }
    return (int16_t) (lowest_of(lowest) ^ 0x8000);
}

/* The lowest code whose cut has that score. */
INLINE int16_t lowest_code(const int16_t *codes, uint32_t n, const int32_t *scores, int32_t score)
{
    whole_i32 lowest = (whole_i32){0} + 32767;
    int32_t lanes[VEC_BYTES / 4], code = 32767;
    for (uint32_t i = 0; i < n; i += N16 / 2) {
        whole_i32 own = (whole_i32) WIDEN_SIGNED(codes + i),
                  lower = (whole_i32) (*(const whole_i32 *) (const void *) (scores + i) == score) &
                          (whole_i32) (own < lowest);
        lowest = (own & lower) | (lowest & ~lower);
    }
    *(whole_i32 *) (void *) lanes = lowest;
    for (unsigned i = 0; i < VEC_BYTES / 4; i++) code = lanes[i] < code ? lanes[i] : code;
    return (int16_t) code;
}

static int small_gini(const ct_small *node, ct_small_cut *best)
{
    CT_ASSERT(node->n > 0 && node->n <= CT_SMALL_ROWS && node->n_candidates <= CT_LANES);
    small_scores scores[CT_LANES];
    int32_t most;
    int found = 0;
    memcpy(&most, &best->score, sizeof most);
    if (most < 0) most = -1;
    score_candidates(node, scores);
    for (uint32_t k = 0; k < node->n_candidates; k++) {
        int32_t highest = highest_of(&scores[k]);
        if (highest <= most) continue;
        most = highest;
        best->candidate = k;
        found = 1;
    }
    if (!found) return 0;
    const int16_t *codes = node->codes[best->candidate];
    memcpy(&best->score, &most, sizeof most);
    best->code = lowest_code(codes, node->n, scores[best->candidate].scores, most);
    best->next = above(codes, node->n, best->code);
    return 1;
}

/* The last vector of n codes, at least as many as it has, may have some of the one before. */
static void range(const uint16_t *codes, uint32_t n, uint16_t *low, uint16_t *high)
{
    CT_ASSERT(codes && n > 0);
    if (n < N16) {
        ct_range_plain(codes, n, low, high);
        return;
    }
    vec_u16 least = *(const vec_u16 *) (const void *) codes, most = least;
    for (uint32_t i = N16; i < n; i += N16) {
        vec_u16 code = *(const vec_u16 *) (const void *) (codes + (i + N16 <= n ? i : n - N16));
        least = LOWER_OF(code, least);
        most = HIGHER_OF(code, most);
    }
    *low = lowest_of(least);
    *high = (uint16_t) ~lowest_of(~most);
}

static void beside(const uint16_t *codes, uint32_t n, uint16_t most, uint16_t *low, uint16_t *high)
{
    CT_ASSERT(codes && n > 0);
    const vec_u16 bound = (vec_u16){0} + most;
    vec_u16 highest = {0}, lowest = (vec_u16){0} + UINT16_MAX;
    if (n < N16) {
        ct_beside_plain(codes, n, most, low, high);
        return;
    }
    for (uint32_t i = 0; i < n; i += N16) {
        vec_u16 code = *(const vec_u16 *) (const void *) (codes + (i + N16 <= n ? i : n - N16)),
                is_above = (vec_u16) (code > bound);
        lowest = LOWER_OF(lowest, code | ~is_above);
        highest = HIGHER_OF(highest, code & ~is_above);
    }
    *low = (uint16_t) ~lowest_of(~highest);
    *high = lowest_of(lowest);
}

static void spread(const uint16_t *codes, uint32_t n, const ct_medium_bins *by, uint8_t *bins)
{
    CT_ASSERT(codes && bins && n <= CT_MEDIUM_ROWS);
    const vec_u16 least = (vec_u16){0} + (uint16_t) by->low,
                  part = (vec_u16){0} + (uint16_t) by->scale,
                  first = (vec_u16){0} + (uint16_t) by->first,
                  last = (vec_u16){0} + (uint16_t) by->last;
    for (uint32_t i = 0; i < n; i += N16) {
        vec_u16 bin = *(const vec_u16 *) (const void *) (codes + i) - least;
        if (by->scale < 65536) bin = MULTIPLY_HIGH(bin, part);
        const vec_u16 shared = LOWER_OF(bin, last) - LOWER_OF(bin, first);
        bin = bin - shared + (shared >> CT_MEDIUM_SHIFT);
        *(half_u8 *) (void *) (bins + i) = __builtin_convertvector(bin, half_u8);
    }
}

/* ---- random numbers ---- */

typedef uint64_t vec_u64 __attribute__((vector_size(VEC_BYTES)));

enum { ROUNDS = 10 };

static void draws(const uint32_t counter[4], const uint32_t key[2], uint32_t n_blocks,
                  uint32_t *words)
{
    CT_ASSERT(n_blocks % 8 == 0);
    const vec_u64 low = (vec_u64){0} + UINT32_MAX, first = (vec_u64){0} + UINT64_C(0xd2511f53),
                  second = (vec_u64){0} + UINT64_C(0xcd9e8d57);
    vec_u64 lanes, keys[2][ROUNDS];
    for (unsigned lane = 0; lane < N64; lane++) lanes[lane] = lane;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        keys[0][round] = (vec_u64){0} + (key[0] + round * UINT32_C(0x9e3779b9));
        keys[1][round] = (vec_u64){0} + (key[1] + round * UINT32_C(0xbb67ae85));
    }
    for (uint32_t block = 0; block < n_blocks; block += N64, words += 4 * N64) {
        vec_u64 a = (lanes + counter[0] + block) & low, b = (vec_u64){0} + counter[1],
                c = (vec_u64){0} + counter[2], d = (vec_u64){0} + counter[3];
        /* upper halves are rests that no product looks at */
        for (unsigned round = 0; round < ROUNDS; round++) {
            vec_u64 x = MULTIPLY_LOW(a, first), y = MULTIPLY_LOW(c, second);
            a = (y >> 32) ^ b ^ keys[0][round];
            b = y;
            c = (x >> 32) ^ d ^ keys[1][round];
            d = x;
        }
        STORE_INTERLEAVED(words, (a & low) | b << 32, (c & low) | d << 32);
    }
}

static int below(uint32_t *words, uint32_t n, uint32_t bound)
{
    CT_ASSERT(n % 32 == 0 && bound > 0);
    const vec_u64 low = (vec_u64){0} + UINT32_MAX, by = (vec_u64){0} + bound;
    const whole_u32 rest = (whole_u32){0} + (uint32_t) -bound % bound;
    whole_u32 refused = {0};
    for (uint32_t i = 0; i < n; i += N32) {
        const vec_u64 own = (vec_u64) *(const whole_u32 *) (const void *) (words + i),
                      even = MULTIPLY_LOW(own, by), odd = MULTIPLY_LOW(own >> 32, by);
        refused |= (whole_u32) ((whole_u32) ((even & low) | odd << 32) < rest);
    }
    for (unsigned i = 0; i < N32; i++)
        if (refused[i]) return 0;
    for (uint32_t i = 0; i < n; i += N32) {
        whole_u32 *at = (whole_u32 *) (void *) (words + i);
        const vec_u64 own = (vec_u64) *at;
        *at = (whole_u32) (MULTIPLY_LOW(own, by) >> 32 | (MULTIPLY_LOW(own >> 32, by) & ~low));
    }
    return 1;
}

/* ---- ranks ---- */

static void ranks(const int16_t *codes, uint32_t n, uint16_t *below)
{
    CT_ASSERT(n <= CT_SMALL_ROWS);
    for (uint32_t from = 0; from < n; from += N16) {
        vec_i16 own = *(const vec_i16 *) (const void *) (codes + from);
        vec_u16 lower = {0};
        for (uint32_t i = 0; i < n; i++) lower -= (vec_u16) ((vec_i16){0} + codes[i] < own);
        *(vec_u16 *) (void *) (below + from) = lower;
    }
}

/* ---- small nodes of numbers ---- */

/* Integers of up to 52 bits, as the lower bits of doubles. */
INLINE vec_f64 doubles_of(vec_i64 x, double least)
{
    const vec_f64 unit = (vec_f64){0} + 4503599627370496.0; /* 2^52 */
    return (vec_f64) (x | (vec_i64) unit) - (4503599627370496.0 + least);
}

/* The best of all lanes, of equal ones that at the lowest place. */
INLINE int best_lane(const lanes_best *best, double *score, uint32_t *place)
{
    int found = 0;
    *place = UINT32_MAX;
    for (unsigned lane = 0; lane < N64; lane++) {
        const double own = best->score[lane];
        const uint32_t at = (uint32_t) best->bin[lane];
        if (!(own > *score || (found && own == *score && at < *place))) continue;
        *score = own;
        *place = at;
        found = 1;
    }
    return found;
}

static int small_variance(const ct_small_numbers *node, double *score, int16_t *code)
{
    CT_ASSERT(node->n > 0 && node->n <= CT_SMALL_ROWS);
    uint16_t lower[CT_SMALL_ROWS];
    ct_small_sums sums;
    lanes_best best = no_best();
    vec_i64 places;
    uint32_t place;
    const vec_u64 offset = (vec_u64){0} + (UINT64_C(1) << 62); /* no sum is below it */
    ranks(node->codes, node->n, lower);
    ct_add_small(node, lower, &sums);
    for (unsigned lane = 0; lane < N64; lane++) places[lane] = lane;
    for (uint32_t from = 0; from < node->n; from += N64, places += N64) {
        vec_u64 upto;
        memcpy(&upto, sums.upto + from, sizeof upto); /* of any alignment */
        const vec_f64 left = doubles_of((vec_i64) (upto & 65535), 0),
                      right = (double) node->weight - left,
                      sum = doubles_of((vec_i64) ((upto + offset) >> 16), 70368744177664.0),
                      rest = node->sum - sum;
        improve(&best, (sum * sum) / left + (rest * rest) / right, places, (vec_i64){0} - 1);
    }
    if (!best_lane(&best, score, &place)) return 0;
    *code = node->codes[sums.row[place]];
    return 1;
}
