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
typedef int32_t whole_i32 __attribute__((vector_size(VEC_BYTES), aligned(4)));
typedef float vec_f32 __attribute__((vector_size(VEC_BYTES), aligned(4)));

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

INLINE vec_f64 gini_score(vec_i32 size, vec_i32 rest, vec_i32 squares, vec_i32 others)
{
    vec_f64 a = TO_F64(size), b = TO_F64(rest);
    return (a * TO_F64(others) + b * TO_F64(squares)) / (a * b);
}

/* Two runs in registers. */
INLINE lanes_best gini_pair(const uint32_t *histograms, const uint32_t *totals, int32_t weight,
                            uint32_t n_bins, int missing_left)
{
    const uint32_t *second = histograms + CT_BIN_ROWS * CT_LANES;
    const size_t missing = (CT_BIN_ROWS - 1) * CT_LANES;
    vec_i32 a = {0}, b = {0};
    lanes_best best = no_best();
    if (missing_left) a += load_i32(histograms + missing), b += load_i32(second + missing);
    for (uint32_t bin = 0; bin < n_bins; bin++) {
        a += load_i32(histograms + (size_t) bin * CT_LANES);
        b += load_i32(second + (size_t) bin * CT_LANES);
        vec_i32 size = a + b, c = (int32_t) totals[0] - a, d = (int32_t) totals[1] - b;
        improve(&best, gini_score(size, weight - size, a * a + b * b, c * c + d * d), bin);
    }
    return best;
}

INLINE lanes_best gini_many(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                            int32_t weight, uint32_t n_bins, int missing_left)
{
    vec_i32 left[256];
    lanes_best best = no_best();
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
        improve(&best, gini_score(size, weight - size, squares, others), bin);
    }
    return best;
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
    for (unsigned lane = 0; lane < lanes; lane += N64) {
        lanes_best best = n_runs == 2
            ? gini_pair(histograms + lane, totals, (int32_t) weight, n_bins, missing_left)
            : gini_many(histograms + lane, totals, n_runs, (int32_t) weight, n_bins, missing_left);
        write_best(&best, lanes - lane < N64 ? lanes - lane : N64, cuts + lane);
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

/* What is summed of the cuts above a vector of codes. One variable each, so that all of up to four
 * vectors stay in registers; `n_vectors` is a constant where this is used. */
#define FOR_VECTORS(DO) DO(0) DO(1) DO(2) DO(3)
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

/* The largest lane; NaN is none. */
INLINE float top_of(vec_f32 a)
{
    float top = -1;
    for (unsigned i = 0; i < VEC_BYTES / 4; i++) top = a[i] > top ? a[i] : top;
    return top;
}

INLINE float small_scores(const uint16_t *sizes, const uint16_t *squares, const uint16_t *others,
                          uint32_t n, uint32_t weight, float *scores)
{
    vec_f32 top = (vec_f32) {0} - 1.0f;
    for (uint32_t i = 0; i < n; i += VEC_BYTES / 4) {
        vec_f32 a = floats_of(sizes + i), b = (float) weight - a;
        vec_f32 score = (a * floats_of(others + i) + b * floats_of(squares + i)) / (a * b);
        whole_i32 better = (whole_i32) (score > top);
        top = (vec_f32) (((whole_i32) score & better) | ((whole_i32) top & ~better));
        *(vec_f32 *) (void *) (scores + i) = score;
    }
    return top_of(top);
}

static int small_gini(const ct_small *node, float *best, int16_t *code)
{
    uint16_t sizes[CT_SMALL_ROWS + 32], squares[CT_SMALL_ROWS + 32], others[CT_SMALL_ROWS + 32];
    float scores[CT_SMALL_ROWS + 32];
    uint32_t from = 0;
    for (; from + 3 * N16 < node->n; from += 4 * N16)
        small_sides(node, from, 4, sizes, squares, others);
    if (from + N16 < node->n) small_sides(node, from, 2, sizes, squares, others), from += 2 * N16;
    if (from < node->n) small_sides(node, from, 1, sizes, squares, others);
    float top = small_scores(sizes, squares, others, node->n, node->weight, scores);
    if (!(top > *best)) return 0;
    int lowest = 32767;
    for (uint32_t i = 0; i < node->n; i++)
        if (scores[i] == top && node->codes[i] < lowest) lowest = node->codes[i];
    *best = top;
    *code = (int16_t) lowest;
    return 1;
}

static void ranks(const int16_t *codes, uint32_t n, uint16_t *below)
{
    for (uint32_t from = 0; from < n; from += N16) {
        vec_i16 own = *(const vec_i16 *) (const void *) (codes + from);
        vec_u16 lower = {0};
        for (uint32_t i = 0; i < n; i++) lower -= (vec_u16) ((vec_i16) {0} + codes[i] < own);
        *(vec_u16 *) (void *) (below + from) = lower;
    }
}
