/* Scans of many children at once, where leaves predict the mean of a response.
 *
 * A scan of one child goes through the rows in its order. Here the rows at one place of 16 orders
 * lie side by side, and a scan goes from place to place, in all of these orders at once: each lane
 * adds its row to the sum of the side that the row is on, and looks what splitting that side there
 * would gain. Row sets of CT_ABREAST_ROWS or less alone are laid out like this, without weights.
 *
 * With z counted from the rounded mean of the side, n rows on the side and the sum T of all of
 * them, and k rows with the sum t before a place, splitting there gains
 *
 *   t^2 / k + (T - t)^2 / (n - k) = n t^2 / (k (n - k)) + (T^2 - 2 T t) / (n - k),
 *
 * where the last term is no more than (n + 2) (n + 2 + R) in size, since |T| <= n / 2 + 1 and
 * |t| <= |T| + (n - k) R with R the range of z. A scan takes the largest t^2 / (k (n - k)). Sums
 * are exact: |t| is at most n R / 4 + |T|, below 2^31, as are the products k (n - k) in single
 * precision; t, its square and the quotient are rounded, which is off by no more than 5 eps q of
 * the gain, with q the side's sum of squares. So lower bounds of costs follow;
 * second_pass_response() makes those exact that leave a chance, from lists.
 *
 * A split parts two values: a place is looked at before the first row of the side that has its
 * value. */
#ifndef CT_EXACT_KERNELS_RESPONSE_ABREAST_H
#define CT_EXACT_KERNELS_RESPONSE_ABREAST_H

#include <math.h>

#include "exact/kernels/response/lists.h"

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

/* Writes the rows below the cuts as planes of child g, in its order, at job->planes. */
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

/* A side, with the margin of costs by quotients t^2 / (k (n - k)); see above. All products are
 * exact, so that compilers may contract them into sums. */
static inline listed side_by_quotients(const scan_job *job, int side)
{
    listed s = list_of_side(job, side);
    double n = (double) s.n, range = (double) s.response->range;
    s.margin = (double) s.squares * 0x1p-20 + (n + 2) * (n + 2 + range) + 4;
    return s;
}

/* A lower bound of the cost of a split of the side, of the largest quotient. */
static inline int64_t cost_of_quotient(const listed *s, float most)
{
    return cost_of_units(s, (double) s->squares - (double) s->n * (double) most - s->margin);
}

/* Splits of a lower quotient cost more than one of the largest. */
static inline float quotients_of_note(const listed *s, float most)
{
    double least = (double) most - 2 * s->margin / (double) s->n;
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
        scan_beside(all->abreast, block * all->abreast->stride, lane, below, s, tied, partial,
                    most);
}

/* The rows of a side in the order of a child, word by word. */
typedef struct {
    uint64_t own;   /* its rows, */
    uint64_t first; /* and those before which a split may come */
} side_word;

/* The side's rows in word w. A start is carried up to the first row of the side that has its value:
 * in a sum, over rows that are not of the side, and no further than the last row of the value. */
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

/* A side of the child that the job is aimed at, in its order. */
typedef struct {
    const int32_t *z;
    uint64_t first[CT_ABREAST_ROWS / 64 + 2]; /* bits: a split may come before the row */
} side_rows;

#ifdef VEC_LISTS

/* Appends the members of a word to a list of n rows; returns how many there are then. */
CT_INLINE uint32_t list_members(const ct_list *list, uint32_t n, const int32_t *z,
                                uint64_t members, const uint64_t *places)
{
    for (size_t at = 0; at < 64 && members >> at; at += CHUNK) {
        vec rows = l32_load(z + at);
        n = append(list, n, rows, rows, 0, (uint32_t) (members >> at) & WHOLE_CHUNK, places);
    }
    return n;
}

/* The places before a chunk of rows. */
typedef struct {
    vec sums;      /* of the rows before each, */
    vecf quotient; /* and what splitting there gains; any number where there is no place: */
    uint32_t first; /* bits where there is */
} quotients;

/* From row i on, with the sum of those before in all lanes of *before. */
CT_INLINE quotients quotients_at(const side_rows *rows, uint32_t i, vec middle, vecf size,
                                 vec *before)
{
    vec x = l32_sub(l32_load(rows->z + i), middle), sums = l32_add(*before, l32_scan(x));
    quotients q = {l32_sub(sums, x), f32_set(0), 0};
    vecf n = f32_add(f32_set((float) i), f32_lanes()), t = f32_of(q.sums);
    q.quotient = f32_div(f32_mul(t, t), f32_mul(n, f32_sub(size, n)));
    q.first = (uint32_t) (rows->first[i / 64] >> i % 64) & WHOLE_CHUNK;
    *before = l32_last(sums);
    return q;
}

#else

CT_INLINE uint32_t list_members(const ct_list *list, uint32_t n, const int32_t *z,
                                uint64_t members, const uint64_t *places)
{
    (void) places;
    for (; members; members &= members - 1) list->z[n++] = z[ct_trailing_zeros(members)];
    return n;
}

/* What a split before row k, which is not the first, gains; `sum` is that of the rows before it. */
CT_INLINE float quotient_at(const listed *s, uint32_t k, int32_t sum)
{
    float t = (float) sum, n = (float) k;
    return t * t / (n * ((float) s->n - n));
}

#endif

CT_INLINE void list_side(const scan_job *job, int side, side_rows *to)
{
    const ct_rows *rows = job->all->rows;
    const ct_list *list = &job->all->lists[side];
    const int32_t *z = rows->z + job->child * rows->stride;
    const uint64_t *below = job->planes + (size_t) (CT_CUT_PLANES - 1) * job->words;
    uint64_t carry = 0;
    uint32_t n = 0;
    to->z = list->z;
    memset(to->first, 0, sizeof to->first);
    for (size_t w = 0; w * 64 < rows->abreast->n_rows; w++) {
        side_word word = side_word_at(job, below, side, w, &carry);
        uint64_t first = word_pack(word.first, word.own);
        to->first[n / 64] |= first << n % 64;
        if (n % 64) to->first[n / 64 + 1] |= first >> (64 - n % 64);
        n = list_members(list, n, z + w * 64, word.own, rows->response->places);
    }
    CT_ASSERT(n == job->all->size[side]);
    to->first[0] &= ~UINT64_C(1); /* there is no split before the first row */
}

/* The largest quotient of a side; -1 where there is no place. */
static float most_of_side(const listed *s, const side_rows *rows)
{
#ifdef VEC_LISTS
    const vecf size = f32_set((float) s->n), none = f32_set(-1);
    const vec middle = l32_set(s->middle);
    vec before = v_fill(0);
    vecf most = none;
    for (uint32_t i = 0; i < s->n; i += CHUNK) {
        quotients q = quotients_at(rows, i, middle, size, &before);
        most = f32_max_where(most, q.quotient, l32_of_bits(q.first));
    }
    return f32_top(most);
#else
    float most = -1;
    int32_t sum = 0;
    for (uint32_t i = 0; i < s->n; sum += rows->z[i++] - s->middle) {
        if (!(rows->first[i / 64] >> i % 64 & 1)) continue;
        float quotient = quotient_at(s, i, sum);
        if (quotient > most) most = quotient;
    }
    return most;
#endif
}

/* The least cost of a split of a side whose largest quotient is `most`. */
static int64_t best_of_side(const listed *s, const side_rows *rows, float most)
{
    float limit = quotients_of_note(s, most);
    int64_t best = INT64_MAX;
#ifdef VEC_LISTS
    const vecf size = f32_set((float) s->n), limits = f32_set(limit);
    const vec middle = l32_set(s->middle);
    vec before = v_fill(0);
    for (uint32_t i = 0; i < s->n; i += CHUNK) {
        quotients q = quotients_at(rows, i, middle, size, &before);
        uint32_t bits = l32_bits(f32_reaches(q.quotient, limits)) & q.first;
        if (!bits) continue;
        int32_t sums[CHUNK];
        for (l32_store(sums, q.sums); bits; bits &= bits - 1) {
            unsigned at = ct_trailing_zeros(bits);
            int64_t cost = cost_of_split(s, i + at, sums[at]);
            if (cost < best) best = cost;
        }
    }
#else
    int32_t sum = 0;
    for (uint32_t i = 0; i < s->n; sum += rows->z[i++] - s->middle) {
        if (!(rows->first[i / 64] >> i % 64 & 1) || !(quotient_at(s, i, sum) >= limit)) continue;
        int64_t cost = cost_of_split(s, i, sum);
        if (cost < best) best = cost;
    }
#endif
    return best;
}

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
