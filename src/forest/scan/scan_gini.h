/* The best border of bins at nodes of classes, in the vectors of scan_body.h, which includes this.
 * A vector has the cells of one bin or of several, whose sums over the bins below it is made of
 * those before. Instruction sets bring RUNNING(cells, width), the sums over the bins of a vector,
 * and LAST_BIN(cells, width), the cells of the last one for all. */

enum { N32 = VEC_BYTES / 4, MOST_PARTS = 128 };

/* Where a is above b, of the first n lanes, as what picks; sets with masks of their own bring both.
 */
#ifndef ABOVE_F32
typedef whole_i32 mask_f32;
INLINE whole_i32 first_lanes(uint32_t n)
{
    int32_t lanes[N32];
    for (int32_t i = 0; i < N32; i++) lanes[i] = i;
    return (whole_i32) (*(const whole_i32 *) (const void *) lanes < (int32_t) n);
}
#define ABOVE_F32(a, b, n) ((whole_i32) ((a) > (b)) & first_lanes(n))
#define PICK_32(mask, a, b) (((whole_i32) (a) & (mask)) | ((whole_i32) (b) & ~(mask)))
#endif

/* What all vectors of bins have in common. `totals` has one more, 0, where runs have no second of
 * their pair. */
typedef struct {
    const uint32_t *histograms, *totals;
    uint32_t n_runs, weight, n_bins;
    int missing_left;
} gini_node;

/* Of the cuts above some bins: weight on the left; of two runs, how far the first is off its
 * proportion, of others, squares of the weights on both sides. Unsigned, since cells that are not
 * used have any sums. */
typedef struct {
    whole_u32 size, off, squares, others;
} gini_sides;

/* The last bin is that of missing values. */
INLINE void begin_sums(const gini_node *node, unsigned from, const unsigned width,
                       whole_u32 *before)
{
    uint32_t all[N32];
    for (uint32_t part = 0; 2 * part < node->n_runs; part++) {
        const uint32_t *missing = node->histograms + part * CT_HISTOGRAM_STRIDE + from +
                                  (CT_HIST_BIN_ROWS - 1) * (size_t) width;
        for (unsigned i = 0; i < N32; i++) all[i] = node->missing_left ? missing[i % width] : 0;
        before[part] = *(const whole_u32 *) (const void *) all;
    }
}

INLINE whole_u32 next_sums(const gini_node *node, size_t at, const unsigned width,
                           whole_u32 *before)
{
    const whole_u32 own = *(const whole_u32 *) (const void *) (node->histograms + at),
                    sums = RUNNING(own, width) + *before;
    *before = LAST_BIN(sums, width);
    return sums;
}

INLINE gini_sides next_pair(const gini_node *node, size_t at, const unsigned width,
                            whole_u32 *before)
{
    const whole_u32 sums = next_sums(node, at, width, before), first = sums & 65535,
                    second = sums >> 16;
    gini_sides s;
    s.size = first + second;
    s.off = first * node->totals[1] - second * node->totals[0];
    s.squares = s.others = s.off;
    return s;
}

INLINE gini_sides next_many(const gini_node *node, size_t at, const unsigned width,
                            whole_u32 *before)
{
    gini_sides s = {{0}, {0}, {0}, {0}};
    for (uint32_t part = 0; 2 * part < node->n_runs; part++, at += CT_HISTOGRAM_STRIDE) {
        const whole_u32 sums = next_sums(node, at, width, before + part), first = sums & 65535,
                        second = sums >> 16, first_rest = node->totals[2 * part] - first,
                        second_rest = node->totals[2 * part + 1] - second;
        s.size += first + second;
        s.squares += first * first + second * second;
        s.others += first_rest * first_rest + second_rest * second_rest;
    }
    return s;
}

/* ---- floats ---- */

#define TO_F32(x) __builtin_convertvector((whole_i32) (x), vec_f32)

INLINE vec_f32 light_score(const gini_node *node, const gini_sides *s, const int is_pair)
{
    const vec_f32 size = TO_F32(s->size), rest = TO_F32(node->weight - s->size);
    if (is_pair) return TO_F32(s->off) * TO_F32(s->off) / (size * rest);
    return TO_F32(s->squares) / size + TO_F32(s->others) / rest;
}

/* Halves of lanes become one: of equal scores that of the lower bin stays. */
#define FOLD(n)                                                                        \
    {                                                                                  \
        typedef float fold_f32 __attribute__((vector_size(4 * (n)), aligned(4)));      \
        typedef int32_t fold_i32 __attribute__((vector_size(4 * (n)), aligned(4)));    \
        fold_f32 *s = (fold_f32 *) (void *) scores;                                    \
        fold_i32 *at = (fold_i32 *) (void *) bins;                                     \
        const fold_i32 better = (fold_i32) (s[1] > s[0]) |                             \
                                ((fold_i32) (s[1] == s[0]) & (fold_i32) (at[1] < at[0])); \
        s[0] = (fold_f32) (((fold_i32) s[1] & better) | ((fold_i32) s[0] & ~better));  \
        at[0] = (at[1] & better) | (at[0] & ~better);                                  \
    }

INLINE void light_gini(const gini_node *node, const unsigned from, const unsigned width,
                       const int is_pair, unsigned lanes, ct_bin_cut *cuts)
{
    const unsigned at_once = width < N32 ? N32 / width : 1;
    whole_u32 before[MOST_PARTS];
    vec_f32 best = (vec_f32){0} - 1.0f; /* no score is negative */
    whole_i32 best_bin = {0}, bin;
    float scores[N32];
    int32_t bins[N32];
    for (unsigned i = 0; i < N32; i++) bins[i] = (int32_t) (i / width);
    bin = *(const whole_i32 *) (const void *) bins;
    begin_sums(node, from, width, before);
    for (uint32_t b = 0; b < node->n_bins; b += at_once, bin += (int32_t) at_once) {
        const size_t at = (size_t) b * width + from;
        const gini_sides s = (is_pair ? next_pair : next_many)(node, at, width, before);
        const vec_f32 score = light_score(node, &s, is_pair);
        const mask_f32 better = ABOVE_F32(score, best, (node->n_bins - b) * width);
        best = (vec_f32) PICK_32(better, score, best);
        best_bin = (whole_i32) PICK_32(better, bin, best_bin);
    }
    *(vec_f32 *) (void *) scores = best;
    *(whole_i32 *) (void *) bins = best_bin;
    if (N32 == 16) FOLD(N32 / 2)
    if (N32 >= 8 && width == 4) FOLD(4)
    for (unsigned lane = 0; lane < lanes; lane++) {
        cuts[lane].score = scores[lane] < 0 ? NAN : (double) scores[lane];
        cuts[lane].bin = (uint32_t) bins[lane];
    }
}

/* ---- doubles ---- */

INLINE vec_f64 heavy_score(const gini_node *node, const gini_sides *s, const int is_pair,
                           unsigned half)
{
    const size_t at = half * sizeof(vec_i32);
#define HALF(x) TO_F64(*(const vec_i32 *) (const void *) ((const char *) &(x) + at))
    const vec_f64 size = HALF(s->size), rest = node->weight - size;
    if (is_pair) return HALF(s->off) * HALF(s->off) / (size * rest);
    return HALF(s->squares) / size + HALF(s->others) / rest;
#undef HALF
}

INLINE void heavy_gini(const gini_node *node, const unsigned from, const unsigned width,
                       const int is_pair, unsigned lanes, ct_bin_cut *cuts)
{
    const unsigned at_once = width < N32 ? N32 / width : 1;
    whole_u32 before[MOST_PARTS];
    lanes_best best[2] = {no_best(), no_best()};
    vec_i64 lane_bin[2];
    for (unsigned i = 0; i < N32; i++) lane_bin[i / N64][i % N64] = i / width;
    begin_sums(node, from, width, before);
    for (uint32_t b = 0; b < node->n_bins; b += at_once) {
        const size_t at = (size_t) b * width + from;
        const gini_sides s = (is_pair ? next_pair : next_many)(node, at, width, before);
        for (unsigned half = 0; half < 2; half++) {
            const vec_i64 bin = lane_bin[half] + (int64_t) b;
            improve(&best[half], heavy_score(node, &s, is_pair, half), bin,
                    bin < (int64_t) node->n_bins);
        }
    }
    for (unsigned lane = 0; lane < lanes; lane++) {
        ct_bin_cut own = {-1, 0};
        for (unsigned i = lane; i < N32; i += width) {
            const double score = best[i / N64].score[i % N64];
            const uint32_t bin = (uint32_t) best[i / N64].bin[i % N64];
            if (score > own.score || (score == own.score && bin < own.bin))
                own = (ct_bin_cut){score, bin};
        }
        cuts[lane] = (ct_bin_cut){own.score < 0 ? NAN : own.score, own.bin};
    }
}

/* ---- all ---- */

INLINE void gini_of_width(const gini_node *node, const unsigned width, unsigned lanes,
                          ct_bin_cut *cuts)
{
    const unsigned step = width < N32 ? width : N32;
    for (unsigned from = 0; from < lanes; from += step) {
        const unsigned n = lanes - from < step ? lanes - from : step;
        const int is_light = node->weight <= CT_LIGHT_WEIGHT, is_pair = node->n_runs == 2;
        if (is_light && is_pair) light_gini(node, from, width, 1, n, cuts + from);
        else if (is_light) light_gini(node, from, width, 0, n, cuts + from);
        else if (is_pair) heavy_gini(node, from, width, 1, n, cuts + from);
        else heavy_gini(node, from, width, 0, n, cuts + from);
    }
}

static void gini(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                 uint32_t weight, uint32_t n_bins, int missing_left, unsigned lanes,
                 ct_bin_cut *cuts)
{
    CT_ASSERT(n_runs > 0 && lanes <= CT_LANES && n_bins < CT_HIST_BIN_ROWS);
    const gini_node node = {histograms, totals, n_runs, weight, n_bins, missing_left};
    if (!ct_has_pairs(weight))
        for (unsigned lane = 0; lane < lanes; lane++)
            ct_gini_wide(histograms, totals, n_runs, weight, n_bins, missing_left, lane,
                         &cuts[lane]);
    else if (lanes <= CT_LANES / 2) gini_of_width(&node, CT_LANES / 2, lanes, cuts);
    else gini_of_width(&node, CT_LANES, lanes, cuts);
}
