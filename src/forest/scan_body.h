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

/* Lanes of candidates as floats. */
enum { LIGHT_BYTES = VEC_BYTES < 4 * CT_LANES ? VEC_BYTES : 4 * CT_LANES,
       N_LIGHT = LIGHT_BYTES / 4 };
typedef int32_t light_i32 __attribute__((vector_size(LIGHT_BYTES), aligned(4)));
typedef float light_f32 __attribute__((vector_size(LIGHT_BYTES), aligned(4)));
#define LOAD_LIGHT(from) \
    __builtin_convertvector(*(const light_i32 *) (const void *) (from), light_f32)

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

INLINE void improve(lanes_best *best, vec_f64 score, uint32_t bin)
{
    vec_i64 better = (vec_i64) (score >
                                best->score); /* never so where it is NaN: a side is empty */
    best->score = pick(better, score, best->score);
    best->bin = (((vec_i64) {0} + (int64_t) bin) & better) | (best->bin & ~better);
}

INLINE void write_best(const lanes_best *best, unsigned lanes, ct_bin_cut *cuts)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        cuts[lane].score = best->score[lane] < 0 ? NAN : best->score[lane];
        cuts[lane].bin = (uint32_t) best->bin[lane];
    }
}

INLINE vec_i32 load_i32(const uint32_t *from)
{
    return *(const vec_i32 *) (const void *) from;
}

/* The best fraction, found without dividing. */
typedef struct {
    vec_f64 num, den;
    vec_i64 bin;
} best_fraction;

INLINE best_fraction no_fraction(void)
{
    vec_f64 zero = {0};
    vec_i64 none = {0};
    best_fraction best = {zero - 1.0, zero + 1.0, none};
    return best;
}

/* A side that is empty makes both products 0. */
INLINE void improve_fraction(best_fraction *best, vec_f64 num, vec_f64 den, uint32_t bin)
{
    vec_i64 better = (vec_i64) (num * best->den > best->num * den);
    best->num = pick(better, num, best->num);
    best->den = pick(better, den, best->den);
    best->bin = (((vec_i64) {0} + (int64_t) bin) & better) | (best->bin & ~better);
}

INLINE void write_fraction(const best_fraction *best, unsigned lanes, ct_bin_cut *cuts)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        cuts[lane].score = best->num[lane] < 0 ? NAN : best->num[lane] / best->den[lane];
        cuts[lane].bin = (uint32_t) best->bin[lane];
    }
}

/* Two runs in registers. */
INLINE best_fraction gini_pair(const uint32_t *histograms, const uint32_t *totals, double weight,
                               uint32_t n_bins, int missing_left)
{
    const uint32_t *second = histograms + CT_BIN_ROWS * CT_LANES;
    const size_t missing = (CT_BIN_ROWS - 1) * CT_LANES;
    const double first_total = totals[0], second_total = totals[1];
    vec_f64 a = {0}, b = {0};
    best_fraction best = no_fraction();
    if (missing_left)
        a += TO_F64(load_i32(histograms + missing)), b += TO_F64(load_i32(second + missing));
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        a += TO_F64(load_i32(histograms + (size_t) bin * CT_LANES));
        b += TO_F64(load_i32(second + (size_t) bin * CT_LANES));
        vec_f64 size = a + b, off = a * second_total - b * first_total;
        improve_fraction(&best, off * off, size * (weight - size), bin);
    }
    return best;
}

INLINE best_fraction gini_many(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                               double weight, uint32_t n_bins, int missing_left)
{
    vec_i32 left[256];
    best_fraction best = no_fraction();
    for (uint32_t k = 0; k < n_runs; k++) {
        vec_i32 none = {0};
        left[k] = missing_left ? load_i32(histograms +
                                          ((size_t) k * CT_BIN_ROWS + CT_BIN_ROWS - 1) * CT_LANES)
                               : none;
    }
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        vec_i32 size = {0}, squares = {0}, others = {0};
        for (uint32_t k = 0; k < n_runs; k++) {
            vec_i32 a = left[k] +
                        load_i32(histograms + ((size_t) k * CT_BIN_ROWS + bin) * CT_LANES);
            vec_i32 b = (int32_t) totals[k] - a;
            left[k] = a;
            size += a;
            squares += a * a;
            others += b * b;
        }
        vec_f64 a = TO_F64(size), b = weight - a;
        improve_fraction(&best, a * TO_F64(others) + b * TO_F64(squares), a * b, bin);
    }
    return best;
}

/* Two runs of little weight: as gini_pair with floats, of which twice as many fit. */
INLINE void gini_light(const uint32_t *histograms, const uint32_t *totals, float weight,
                       uint32_t n_bins, int missing_left, unsigned lanes, ct_bin_cut *cuts)
{
    const uint32_t *second = histograms + CT_BIN_ROWS * CT_LANES;
    const size_t missing = (CT_BIN_ROWS - 1) * CT_LANES;
    const float first_total = (float) totals[0], second_total = (float) totals[1];
    light_f32 a = {0}, b = {0}, num = {0}, den = {0};
    light_i32 at = {0};
    num -= 1.0f, den += 1.0f;
    if (missing_left) a += LOAD_LIGHT(histograms + missing), b += LOAD_LIGHT(second + missing);
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        a += LOAD_LIGHT(histograms + (size_t) bin * CT_LANES);
        b += LOAD_LIGHT(second + (size_t) bin * CT_LANES);
        light_f32 size = a + b, off = a * second_total - b * first_total;
        light_f32 own_num = off * off, own_den = size * (weight - size);
        light_i32 better = (light_i32) (own_num * den > num * own_den);
        num = (light_f32) (((light_i32) own_num & better) | ((light_i32) num & ~better));
        den = (light_f32) (((light_i32) own_den & better) | ((light_i32) den & ~better));
        at = (((light_i32) {0} + (int32_t) bin) & better) | (at & ~better);
    }
    for (unsigned lane = 0; lane < lanes; lane++) {
        cuts[lane].score = num[lane] < 0 ? NAN : (double) (num[lane] / den[lane]);
        cuts[lane].bin = (uint32_t) at[lane];
    }
}

static void gini(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                 uint32_t weight, uint32_t n_bins, int missing_left, unsigned lanes,
                 ct_bin_cut *cuts)
{
    if (weight > CT_MIDDLE_WEIGHT) {
        for (unsigned lane = 0; lane < lanes; lane++)
            ct_gini_wide(histograms, totals, n_runs, weight, n_bins, missing_left, lane,
                         &cuts[lane]);
        return;
    }
    if (n_runs == 2 && weight <= CT_LIGHT_WEIGHT) {
        for (unsigned lane = 0; lane < lanes; lane += N_LIGHT)
            gini_light(histograms + lane, totals, (float) weight, n_bins, missing_left,
                       lanes - lane < N_LIGHT ? lanes - lane : N_LIGHT, cuts + lane);
        return;
    }
    for (unsigned lane = 0; lane < lanes; lane += N64) {
        best_fraction best = n_runs == 2
            ? gini_pair(histograms + lane, totals, weight, n_bins, missing_left)
            : gini_many(histograms + lane, totals, n_runs, weight, n_bins, missing_left);
        write_fraction(&best, lanes - lane < N64 ? lanes - lane : N64, cuts + lane);
    }
}

static void variance(const double *sums, const int32_t *weights, double sum, uint32_t weight,
                     uint32_t n_bins, int missing_left, unsigned lanes, ct_bin_cut *cuts)
{
    for (unsigned lane = 0; lane < lanes; lane += N64) {
        vec_f64 s = {0};
        vec_i32 size = {0};
        lanes_best best = no_best();
        for (uint32_t step = missing_left ? 0 : 1; step <= n_bins; step++) {
            uint32_t bin = step ? step - 1 : CT_BIN_ROWS - 1;
            s += *(const vec_f64 *) (const void *) (sums + bin * CT_LANES + lane);
            size += *(const vec_i32 *) (const void *) (weights + bin * CT_LANES + lane);
            vec_f64 t = sum - s;
            vec_f64 score = s * s / TO_F64(size) + t * t / TO_F64((int32_t) weight - size);
            if (step) improve(&best, score, bin);
        }
        write_best(&best, lanes - lane < N64 ? lanes - lane : N64, cuts + lane);
    }
}

/* ---- small nodes ---- */

/* What is summed of the cuts above a vector of codes. One variable each, so that both
 * vectors stay in registers; `n_vectors` is a constant where this is used. */
#define FOR_VECTORS(DO) DO(0) DO(1)
#define BEGIN_VECTOR(v)                                                                            \
    vec_i16 cut##v = *(const vec_i16 *) (const void *) (node->codes + from +                       \
                                                        (n_vectors > v ? v * N16 : 0));            \
    vec_u16 size##v = {0}, square##v = {0}, other##v = {0};
#define BEGIN_RUN(v) vec_u16 right##v = {0};
#define ADD_ROW(v) \
    if (n_vectors > v) right##v += (vec_u16) (code > cut##v) & weight;
#define END_RUN(v)                         \
    if (n_vectors > v) {                   \
        vec_u16 left = all - right##v;     \
        size##v += left;                   \
        square##v += left * left;          \
        other##v += right##v * right##v;   \
    }
#define STORE_VECTOR(v)                                                  \
    if (n_vectors > v) {                                                 \
        *(vec_u16 *) (void *) (sizes + from + v * N16) = size##v;        \
        *(vec_u16 *) (void *) (squares + from + v * N16) = square##v;    \
        *(vec_u16 *) (void *) (others + from + v * N16) = other##v;      \
    }

/* Sides of the cuts above `n_vectors` vectors of codes: weights left of them (below 2^8), and both
 * sums of squares. */
INLINE void small_sides(const ct_small *node, uint32_t from, const int n_vectors, uint16_t *sizes,
                        uint16_t *squares, uint16_t *others)
{
    const int16_t *codes = node->codes;
    const uint16_t *weights = node->weights;
    FOR_VECTORS(BEGIN_VECTOR)
    for (uint32_t k = 0; k < node->n_runs; k++) {
        const int16_t *end = codes + node->runs[k].n;
        uint16_t all = (uint16_t) node->runs[k].weight;
        FOR_VECTORS(BEGIN_RUN)
        for (; codes < end; codes++, weights++) {
            vec_i16 code = (vec_i16) {0} + *codes;
            vec_u16 weight = (vec_u16) {0} + *weights;
            FOR_VECTORS(ADD_ROW)
        }
        FOR_VECTORS(END_RUN)
    }
    FOR_VECTORS(STORE_VECTOR)
}

INLINE vec_f32 floats_of(const uint16_t *from)
{
    return __builtin_convertvector(
        __builtin_convertvector(*(const half_u16 *) (const void *) from, whole_i32), vec_f32);
}

/* Of the best cuts, the one above the lowest code; in lanes. */
typedef struct {
    vec_f32 score;
    whole_i32 code;
} small_best;

INLINE void improve_small(small_best *best, vec_f32 score, const int16_t *codes)
{
    whole_i32 code = __builtin_convertvector(*(const half_i16 *) (const void *) codes, whole_i32);
    whole_i32 better = (whole_i32) (score > best->score) |
                       ((whole_i32) (score == best->score) & (whole_i32) (code < best->code));
    best->score = (vec_f32) (((whole_i32) score & better) | ((whole_i32) best->score & ~better));
    best->code = (code & better) | (best->code & ~better);
}

/* Scores of at least 0 are in the order of their bits. */
INLINE int end_small(const small_best *best, float *score, int16_t *code)
{
    int32_t scores[VEC_BYTES / 4], codes[VEC_BYTES / 4];
    int64_t top = -1;
    *(whole_i32 *) (void *) scores = (whole_i32) best->score;
    *(whole_i32 *) (void *) codes = best->code;
    for (unsigned i = 0; i < VEC_BYTES / 4; i++) {
        int64_t own = (int64_t) scores[i] * 65536 + (32767 - codes[i]);
        top = own > top ? own : top;
    }
    if (top < 0) return 0;
    int32_t bits = (int32_t) (top >> 16);
    float now;
    memcpy(&now, &bits, sizeof now);
    if (!(now > *score)) return 0;
    *score = now;
    *code = (int16_t) (32767 - (top & 65535));
    return 1;
}

INLINE small_best no_small(void)
{
    small_best none = {(vec_f32) {0} - 1.0f, (whole_i32) {0} + 32767};
    return none;
}

/* Two runs: weights right of the cuts, in both bytes of a lane, and how far the first class is off
 * its proportion there. Codes and pairs reach up to a multiple of 4. */
#define BEGIN_PAIR(v)                                                                              \
    vec_i16 cut##v = *(const vec_i16 *) (const void *) (node->codes + from +                       \
                                                        (n_vectors > v ? v * N16 : 0));            \
    vec_u16 right##v = {0};
#define ADD_FOURTH(i)                                      \
    {                                                      \
        vec_i16 code = (vec_i16) {0} + codes[i];           \
        vec_u16 weight = (vec_u16) {0} + pairs[i];         \
        FOR_VECTORS(ADD_ROW)                               \
    }
#define STORE_PAIR(v)                                                                    \
    if (n_vectors > v) {                                                                 \
        vec_u16 first = right##v & 255, second = right##v >> 8;                          \
        *(vec_i16 *) (void *) (offs + from + v * N16) =                                  \
            (vec_i16) (second * first_total - first * second_total);                     \
        *(vec_u16 *) (void *) (rests + from + v * N16) = first + second;                 \
    }

INLINE void pair_sides(const ct_small *node, uint32_t from, const int n_vectors, int16_t *offs,
                       uint16_t *rests)
{
    const int16_t *codes = node->codes, *end = codes + node->n;
    const uint16_t *pairs = node->pairs;
    const uint16_t first_total = (uint16_t) node->runs[0].weight,
                   second_total = (uint16_t) node->runs[1].weight;
    FOR_VECTORS(BEGIN_PAIR)
    for (; codes < end; codes += 4, pairs += 4) {
        ADD_FOURTH(0)
        ADD_FOURTH(1)
        ADD_FOURTH(2)
        ADD_FOURTH(3)
    }
    FOR_VECTORS(STORE_PAIR)
}

static int small_pair(const ct_small *node, float *score, int16_t *code)
{
    int16_t offs[CT_SMALL_ROWS + 64];
    uint16_t rests[CT_SMALL_ROWS + 64];
    uint32_t from = 0;
    for (; from + N16 < node->n; from += 2 * N16) pair_sides(node, from, 2, offs, rests);
    if (from < node->n) pair_sides(node, from, 1, offs, rests);
    small_best best = no_small();
    for (uint32_t i = 0; i < node->n; i += VEC_BYTES / 4) {
        vec_f32 off = __builtin_convertvector(
            __builtin_convertvector(*(const half_i16 *) (const void *) (offs + i), whole_i32),
            vec_f32);
        vec_f32 b = floats_of(rests + i), a = (float) node->weight - b;
        improve_small(&best, (off * off) / (a * b), node->codes + i);
    }
    return end_small(&best, score, code);
}

static int small_gini(const ct_small *node, float *score, int16_t *code)
{
    uint16_t sizes[CT_SMALL_ROWS + 64], squares[CT_SMALL_ROWS + 64], others[CT_SMALL_ROWS + 64];
    uint32_t from = 0;
    if (node->n_runs == 2) return small_pair(node, score, code);
    for (; from + N16 < node->n; from += 2 * N16)
        small_sides(node, from, 2, sizes, squares, others);
    if (from < node->n) small_sides(node, from, 1, sizes, squares, others);
    small_best best = no_small();
    for (uint32_t i = 0; i < node->n; i += VEC_BYTES / 4) {
        vec_f32 a = floats_of(sizes + i), b = (float) node->weight - a;
        vec_f32 own = (a * floats_of(others + i) + b * floats_of(squares + i)) / (a * b);
        improve_small(&best, own, node->codes + i);
    }
    return end_small(&best, score, code);
}

/* Lanes in the order of signed numbers, as those of unsigned ones. */
INLINE vec_u16 unsigned_of(vec_i16 lanes) { return (vec_u16) lanes ^ 0x8000; }

INLINE vec_u16 choose(vec_u16 mask, vec_u16 a, vec_u16 b) { return (a & mask) | (b & ~mask); }

typedef uint16_t eight_u16 __attribute__((vector_size(16), aligned(2)));

/* The lowest lane. */
INLINE uint16_t lowest_of(vec_u16 lanes)
{
    uint16_t all[N16], eight[8];
    *(vec_u16 *) (void *) all = lanes;
    eight_u16 lowest = *(const eight_u16 *) (const void *) all;
    for (unsigned i = 8; i < N16; i += 8) {
        eight_u16 own = *(const eight_u16 *) (const void *) (all + i),
                  lower = (eight_u16) (own < lowest);
        lowest = (own & lower) | (lowest & ~lower);
    }
    *(eight_u16 *) (void *) eight = lowest;
    for (unsigned i = 1; i < 8; i++) eight[0] = eight[i] < eight[0] ? eight[i] : eight[0];
    return eight[0];
}

static int16_t above(const int16_t *codes, uint32_t n, int16_t code)
{
    const vec_u16 least = (vec_u16) {0} + (uint16_t) (code ^ 0x8000);
    vec_u16 lowest = (vec_u16) {0} + UINT16_MAX;
    for (uint32_t i = 0; i < n; i += N16) {
        vec_u16 own = unsigned_of(*(const vec_i16 *) (const void *) (codes + i));
        lowest = choose((vec_u16) (own > least) & (vec_u16) (own < lowest), own, lowest);
    }
    return (int16_t) (lowest_of(lowest) ^ 0x8000);
}

static void range(const uint16_t *codes, uint32_t n, uint16_t *low, uint16_t *high)
{
    vec_u16 least = (vec_u16) {0} + codes[0], most = least;
    for (uint32_t i = 0; i < n; i += N16) {
        vec_u16 code = *(const vec_u16 *) (const void *) (codes + i);
        least = LOWER_OF(code, least);
        most = HIGHER_OF(code, most);
    }
    *low = lowest_of(least);
    *high = (uint16_t) ~lowest_of(~most);
}

static void spread(const uint16_t *codes, uint32_t n, uint16_t low, uint32_t scale, uint8_t *bins)
{
    const vec_u16 least = (vec_u16) {0} + low, part = (vec_u16) {0} + (uint16_t) scale;
    for (uint32_t i = 0; i < n; i += N16) {
        vec_u16 bin = *(const vec_u16 *) (const void *) (codes + i) - least;
        if (scale < 65536) bin = MULTIPLY_HIGH(bin, part);
        *(half_u8 *) (void *) (bins + i) = __builtin_convertvector(bin, half_u8);
    }
}

/* ---- random numbers ---- */

typedef uint64_t vec_u64 __attribute__((vector_size(VEC_BYTES)));

static void draws(const uint32_t counter[4], const uint32_t key[2], uint32_t n_blocks,
                  uint32_t *words)
{
    const vec_u64 low = (vec_u64) {0} + UINT32_MAX, first = (vec_u64) {0} + UINT64_C(0xd2511f53),
                  second = (vec_u64) {0} + UINT64_C(0xcd9e8d57);
    for (uint32_t block = 0; block < n_blocks; block += N64) {
        vec_u64 a, b = (vec_u64) {0} + counter[1], c = (vec_u64) {0} + counter[2],
                   d = (vec_u64) {0} + counter[3];
        uint32_t k0 = key[0], k1 = key[1];
        for (unsigned lane = 0; lane < N64; lane++)
            a[lane] = (uint32_t) (counter[0] + block + lane);
        /* upper halves are rests that no product looks at */
        for (int round = 0; round < 10; round++) {
            vec_u64 x = MULTIPLY_LOW(a, first), y = MULTIPLY_LOW(c, second);
            a = (y >> 32) ^ b ^ (uint64_t) k0;
            b = y;
            c = (x >> 32) ^ d ^ (uint64_t) k1;
            d = x;
            k0 += UINT32_C(0x9e3779b9);
            k1 += UINT32_C(0xbb67ae85);
        }
        const vec_u64 halves[2] = {(a & low) | b << 32, (c & low) | d << 32};
        for (unsigned lane = 0; lane < N64; lane++, words += 4) {
            memcpy(words, (const uint64_t *) (const void *) &halves[0] + lane, sizeof(uint64_t));
            memcpy(words + 2, (const uint64_t *) (const void *) &halves[1] + lane,
                   sizeof(uint64_t));
        }
    }
}

/* ---- ranks ---- */

static void ranks(const int16_t *codes, uint32_t n, uint16_t *below)
{
    for (uint32_t from = 0; from < n; from += N16) {
        vec_i16 own = *(const vec_i16 *) (const void *) (codes + from);
        vec_u16 lower = {0};
        for (uint32_t i = 0; i < n; i++) lower -= (vec_u16) ((vec_i16) {0} + codes[i] < own);
        *(vec_u16 *) (void *) (below + from) = lower;
    }
}
