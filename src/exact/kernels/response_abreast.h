/* Scans of many children at once, where leaves predict the mean of a response.
 *
 * A scan of one child goes through the rows in its order. Here the rows at one place of 16 orders
 * lie side by side, and a scan goes from place to place, in all of these orders at once: each lane
 * adds its row to the sum of the side that the row is on, and looks what splitting that side there
 * would gain. Row sets of CT_ABREAST_ROWS or less alone are laid out like this, without weights.
 *
 * With z counted from the rounded mean of the side, n rows on the side and the sum T of all of them,
 * and k rows with the sum t before a place, splitting there gains
 *
 *   t^2 / k + (T - t)^2 / (n - k) = n t^2 / (k (n - k)) + (T^2 - 2 T t) / (n - k),
 *
 * where the last term is no more than (n + 2) (n + 2 + R) in size, since |T| <= n / 2 + 1 and
 * |t| <= |T| + (n - k) R with R the range of z. A scan takes the largest t^2 / (k (n - k)). Sums are
 * exact: |t| is at most n R / 4 + |T|, below 2^31, as are the products k (n - k) in single
 * precision; t, its square and the quotient are rounded, which is off by no more than 5 eps q of the
 * gain, with q the side's sum of squares. So lower bounds of costs follow; second_pass_response()
 * makes those exact that leave a chance, from lists.
 *
 * A split parts two values: a place is looked at before the first row of the side that has its
 * value. */
#ifndef CT_EXACT_KERNELS_RESPONSE_ABREAST_H
#define CT_EXACT_KERNELS_RESPONSE_ABREAST_H

#include <math.h>

#include "exact/kernels/response_lists.h"

#ifndef VEC_BYTES16
static inline void bytes_below(const uint8_t *bytes, size_t n, uint8_t limit, uint16_t *bits)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t below = 0;
        for (unsigned lane = 0; lane < CT_BESIDE; lane++)
            below |= (uint32_t) (bytes[i * CT_BESIDE + lane] < limit) << lane;
        bits[i] = (uint16_t) below;
    }
}

static inline uint64_t bit_of_each(const uint16_t *bits, unsigned bit)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 64; i++) word |= (uint64_t) (bits[i] >> bit & 1) << i;
    return word;
}
#endif

static inline size_t blocks_of(const ct_rows *rows)
{
    return (rows->n_cols + (size_t) CT_BESIDE - 1) / CT_BESIDE;
}

/* Which rows are below the thresholds: those of children->below[]. */
static inline void mark_cuts(const ct_children *c)
{
    size_t n = blocks_of(c->rows) * c->rows->abreast->stride;
    bytes_below(c->cut.ranks, n, c->cut.limit, c->below[2]);
    for (int side = 0; c->outer_rows && side < 2; side++)
        if (!c->outer_all[side])
            bytes_below(c->outer_cut[side].ranks, n, c->outer_cut[side].limit, c->below[side]);
}

/* The same as planes of child g, in its order, at job->planes. */
static inline void make_cut_planes(const scan_job *job, uint32_t g)
{
    const ct_children *c = job->all;
    size_t start = g / CT_BESIDE * c->rows->abreast->stride;
    uint64_t *planes = c->cut_planes + (size_t) g * CT_CUT_PLANES * job->words;
    CT_ASSERT(planes == job->planes);
    for (int i = 0; i < CT_CUT_PLANES; i++) {
        if (i < 2 && (!c->outer_rows || c->outer_all[i])) continue;
        for (size_t w = 0; w * 64 < c->rows->abreast->stride; w++)
            planes[(size_t) i * job->words + w] =
                bit_of_each(c->below[i] + start + w * 64, g % CT_BESIDE);
    }
}

/* How far a cost may be from what a quotient t^2 / (k (n - k)) says; see above. All products are
 * exact, so that compilers may contract them into sums. */
static inline double margin_of_quotients(const listed *s)
{
    double n = (double) s->n, range = (double) s->response->range;
    return (double) s->squares * 0x1p-20 + (n + 2) * (n + 2 + range) + 4;
}

/* A lower bound of the cost of a split of the side, of the largest quotient. */
static inline int64_t cost_of_quotient(const listed *s, double margin, float most)
{
    double cost = (double) s->squares - (double) s->n * (double) most - margin;
    return cost > 0 ? (int64_t) cost : 0;
}

/* Splits of a lower quotient cost more than one of the largest. */
static inline float quotients_of_note(const listed *s, double margin, float most)
{
    double least = (double) most - 2 * margin / (double) s->n;
    return (float) (least - fabs(least) * 0x1p-22);
}

/* The largest quotients of both sides in each lane from `lane` on; -1 where there is no place. */
#ifdef VEC_LISTS
CT_INLINE void scan_beside(const ct_abreast *rows, size_t start, unsigned lane,
                           const uint16_t *below, const listed s[2], int tied, int partial,
                           float most[2][CT_BESIDE])
{
    const int32_t *z = rows->z + start * CT_BESIDE + lane;
    const vec middle[2] = {l32_set(s[0].middle), l32_set(s[1].middle)};
    const vecf size[2] = {f32_set((float) s[0].n), f32_set((float) s[1].n)}, one = f32_set(1),
               none = f32_set(-1);
    vec sum0 = v_fill(0), sum1 = v_fill(0);
    vecf n0 = f32_set(0), n1 = f32_set(0), most0 = none, most1 = none;
    uint32_t open0 = 0, open1 = 0; /* no row of that side has had the value yet */
    for (uint32_t i = 0; i < rows->n_rows; i++) {
        uint32_t bits = below[start + i], own = partial ? rows->members[start + i] : UINT32_MAX;
        mask32 left = l32_of_bits((bits & own) >> lane & WHOLE_CHUNK),
               right = partial ? l32_of_bits((~bits & own) >> lane & WHOLE_CHUNK)
                               : l32_others(left);
        vecf t = f32_of(l32_choose(left, sum0, sum1)), n = f32_choose(left, n0, n1),
             rest = f32_sub(f32_choose(left, size[0], size[1]), n), square = f32_mul(t, t),
             quotient;
        if (tied) {
            open0 |= rows->starts[start + i];
            open1 |= rows->starts[start + i];
            uint32_t first = (bits & open0) | (~bits & open1);
            open0 &= ~(bits & own);
            open1 &= bits | ~own;
            quotient = f32_div_where(square, f32_mul(n, rest),
                                     l32_of_bits(first >> lane & WHOLE_CHUNK), none);
        } else {
            quotient = f32_div(square, f32_mul(n, rest));
        }
        most0 = f32_max_where(most0, quotient, left);
        most1 = f32_max_where(most1, quotient, right);
        vec x = l32_sub(l32_load(z + (size_t) i * CT_BESIDE),
                        l32_choose(left, middle[0], middle[1]));
        sum0 = l32_add_where(sum0, x, left);
        sum1 = l32_add_where(sum1, x, right);
        n0 = f32_add_where(n0, one, left);
        n1 = f32_add_where(n1, one, right);
    }
    f32_store(most[0] + lane, most0);
    f32_store(most[1] + lane, most1);
}
#else
enum { CHUNK = 1 };
CT_INLINE void scan_beside(const ct_abreast *rows, size_t start, unsigned lane,
                           const uint16_t *below, const listed s[2], int tied, int partial,
                           float most[2][CT_BESIDE])
{
    int32_t sum[2] = {0, 0};
    uint32_t n[2] = {0, 0};
    int open[2] = {0, 0};
    most[0][lane] = most[1][lane] = -1;
    for (uint32_t i = 0; i < rows->n_rows; i++) {
        int side = !(below[start + i] >> lane & 1);
        if (tied && rows->starts[start + i] >> lane & 1) open[0] = open[1] = 1;
        if (partial && !(rows->members[start + i] >> lane & 1)) continue;
        if (n[side] && (!tied || open[side])) {
            float t = (float) sum[side], k = (float) n[side], rest = (float) s[side].n - k,
                  quotient = t * t / (k * rest);
            if (quotient > most[side][lane]) most[side][lane] = quotient;
        }
        open[side] = 0;
        sum[side] += rows->z[(start + i) * CT_BESIDE + lane] - s[side].middle;
        n[side]++;
    }
}
#endif

CT_INLINE void scan_lanes(const ct_rows *all, size_t block, const uint16_t *below,
                          const listed s[2], int tied, int partial, float most[2][CT_BESIDE])
{
    uint32_t n = all->n_cols - (uint32_t) block * CT_BESIDE;
    for (unsigned lane = 0; lane < CT_BESIDE && lane < n; lane += CHUNK)
        scan_beside(all->abreast, block * all->abreast->stride, lane, below, s, tied, partial, most);
}

/* What a split costs with k rows and the sum t on its left. */
static inline int64_t cost_of_split(const listed *s, uint32_t k, int64_t t)
{
    return s->squares + ct_response_cost(k, t, 0) + ct_response_cost(s->n - k, s->sum - t, 0);
}

/* The rows of a side in the order of a child, word by word. */
typedef struct {
    uint64_t own;   /* its rows, */
    uint64_t first; /* and those before which a split may come */
} side_word;

/* Of word w. A start is carried up to the first row of the side that has its value: in a sum, over
 * rows that are not of the side, and no further than the last row of the value. */
CT_INLINE side_word side_word_at(const scan_job *job, const uint64_t *below, int side, size_t w,
                                 uint64_t *carry)
{
    const ct_abreast *rows = job->all->rows->abreast;
    unsigned lane = job->child % CT_BESIDE;
    uint64_t own = job->sets[w] & (side ? ~below[w] : below[w]), sum;
    if (!job->all->rows->tied[job->child]) return (side_word){own, own};
    const uint16_t *from = rows->starts + job->child / CT_BESIDE * rows->stride + w * 64;
    uint64_t starts = bit_of_each(from, lane), last = starts >> 1;
    if ((w + 1) * 64 < rows->stride) last |= (uint64_t) (from[64] >> lane & 1) << 63;
    uint64_t over = ~own & ~last;
    int carries = __builtin_add_overflow(over, starts, &sum);
    carries |= __builtin_add_overflow(sum, *carry, &sum);
    *carry = (uint64_t) carries;
    return (side_word){own, sum & own};
}

/* The least cost of a split of the side on the child that the job is aimed at, whose largest
 * quotient is `most`. */
#ifdef VEC_LISTS

enum { FIRST_WORDS = CT_ABREAST_ROWS / 64 + 2 };

/* Lists the rows; bits of `first` by place in the list. */
CT_INLINE void list_side(const scan_job *job, int side, uint64_t first[FIRST_WORDS])
{
    const ct_rows *rows = job->all->rows;
    const ct_list *list = &job->all->lists[side];
    const int32_t *z = rows->z + job->child * rows->stride;
    const uint64_t *below = job->planes + (size_t) (CT_CUT_PLANES - 1) * job->words;
    uint64_t carry = 0;
    uint32_t n = 0;
    memset(first, 0, FIRST_WORDS * sizeof *first);
    for (size_t w = 0; w * 64 < rows->abreast->n_rows; w++) {
        side_word word = side_word_at(job, below, side, w, &carry);
        uint64_t firsts = word_pack(word.first, word.own);
        first[n / 64] |= firsts << n % 64;
        if (n % 64) first[n / 64 + 1] |= firsts >> (64 - n % 64);
        for (size_t at = 0; at < 64 && word.own >> at; at += CHUNK) {
            vec rows_here = l32_load(z + w * 64 + at);
            n = append(list, n, rows_here, rows_here, 0,
                       (uint32_t) (word.own >> at) & WHOLE_CHUNK, job->all->rows->response->places);
        }
    }
    CT_ASSERT(n == job->all->size[side]);
}

CT_INLINE int64_t best_beside(const scan_job *job, int side, const listed *s, float most,
                              double margin)
{
    const vecf size = f32_set((float) s->n), limit = f32_set(quotients_of_note(s, margin, most));
    const vec middle = l32_set(s->middle);
    uint64_t first[FIRST_WORDS];
    int64_t best = INT64_MAX;
    vec before = v_fill(0);
    list_side(job, side, first);
    for (uint32_t i = 0; i < s->n; i += CHUNK) {
        vec x = l32_sub(l32_load(s->list->z + i), middle), sums = l32_add(before, l32_scan(x));
        vec t = l32_sub(sums, x);
        vecf k = f32_add(f32_set((float) i), f32_lanes()), rest = f32_sub(size, k), square = f32_of(t);
        square = f32_div(f32_mul(square, square), f32_mul(k, rest));
        uint32_t bits = l32_bits(f32_reaches(square, limit)) &
                        (uint32_t) (first[i / 64] >> i % 64) & WHOLE_CHUNK;
        before = l32_last(sums);
        if (i + CHUNK > s->n) bits &= (UINT32_C(1) << (s->n - i)) - 1;
        if (!bits) continue;
        int32_t listed_sums[CHUNK];
        l32_store(listed_sums, t);
        for (; bits; bits &= bits - 1) {
            unsigned at = ct_trailing_zeros(bits);
            int64_t cost = cost_of_split(s, i + at, listed_sums[at]);
            if (cost < best) best = cost;
        }
    }
    return best;
}

#else

CT_INLINE int64_t best_beside(const scan_job *job, int side, const listed *s, float most,
                              double margin)
{
    const int32_t *z = job->all->rows->z + job->child * job->all->rows->stride;
    const uint64_t *below = job->planes + (size_t) (CT_CUT_PLANES - 1) * job->words;
    const float limit = quotients_of_note(s, margin, most);
    int64_t best = INT64_MAX;
    int32_t sum = 0;
    uint32_t n = 0;
    uint64_t carry = 0;
    for (size_t w = 0; w * 64 < job->all->rows->abreast->n_rows; w++) {
        side_word word = side_word_at(job, below, side, w, &carry);
        for (uint64_t rest = word.own; rest; rest &= rest - 1) {
            unsigned row = ct_trailing_zeros(rest);
            if (n && word.first >> row & 1) {
                float t = (float) sum, k = (float) n;
                if (t * t / (k * ((float) s->n - k)) >= limit) {
                    int64_t cost = cost_of_split(s, n, sum);
                    if (cost < best) best = cost;
                }
            }
            sum += z[w * 64 + row] - s->middle;
            n++;
        }
    }
    return best;
}

#endif

/* All children of a block. */
static void scan_block(const ct_children *c, size_t block, const listed s[2],
                       float most[2][CT_BESIDE])
{
    const ct_abreast *rows = c->rows->abreast;
    if (rows->members) scan_lanes(c->rows, block, c->below[2], s, 1, 1, most);
    else if (rows->tied) scan_lanes(c->rows, block, c->below[2], s, 1, 0, most);
    else scan_lanes(c->rows, block, c->below[2], s, 0, 0, most);
}

#endif
