/* Rows of a side listed in the order of a child, and what splits of them gain; for scans where
 * leaves predict the mean of a response.
 *
 * The rows of a side are listed in the child's order. With T and W the sums of w z and w over the
 * side, and T_k and W_k those up to a place, a split there costs as two leaves
 *
 *   Q - ceil(T_k^2 / W_k) - ceil((T - T_k)^2 / (W - W_k)),
 *
 * in units of the grid (in the finer ones of costs rounding takes off less), at least Q - gain - 2,
 * where the gain is the same without rounding. z is counted from the rounded mean of the side,
 * which changes no cost. Pass 1 computes gains in single precision and keeps the
 * largest of each block of 64 rows; without weights from exact sums, one rounding after another, so
 * that all instruction sets come to the same. With q = the side's Q, eps = 2^-24 and R the range of
 * z such a gain is off by no more than 54 eps q + 3 eps n R: T_k is a sum of two rounded numbers,
 * those before the block and those in it, of which either is at most sqrt(k q) or sqrt(64 q) in
 * size; the rest of the side may be one row, beside which the errors in T are n R eps. Pass 2
 * counts in integers wherever that leaves a chance. */
#ifndef CT_EXACT_KERNELS_RESPONSE_LISTS_H
#define CT_EXACT_KERNELS_RESPONSE_LISTS_H

#include "base/simd/rounded.h"
#include "exact/kernels/job.h"

/* A side in the order of a child. */
typedef struct listed {
    const ct_list *list;
    uint32_t n;                 /* rows */
    int64_t weight, sum, squares; /* of z - middle */
    int32_t middle;
    int tied;                   /* some of their values may be the same */
    double margin;              /* of gains */
    const ct_exact_response *response;
} listed;

static inline int64_t weight_of_side(const ct_children *all, int side)
{
    return all->masses[side] ? all->masses[side][0] : (int64_t) all->size[side];
}

static inline listed list_of_side(const scan_job *job, int side)
{
    const ct_children *all = job->all;
    listed s = {&all->lists[side], all->size[side], weight_of_side(all, side),
                all->moments[side][0], all->moments[side][1], 0, all->rows->tied[job->child], 0,
                all->rows->response};
    if (!s.weight) return s;
    int64_t twice = 2 * s.sum + s.weight, middle = twice / (2 * s.weight);
    if (twice % (2 * s.weight) < 0) middle--;
    s.middle = (int32_t) middle;
    s.squares += (middle * s.weight - 2 * s.sum) * middle;
    s.sum -= middle * s.weight;
    CT_ASSERT(s.squares >= 0 && s.sum <= s.weight / 2 && -s.sum <= s.weight / 2 + 1);
    s.margin = (double) s.squares * 0x1p-18 +
               (double) s.weight * (double) s.response->range * 0x1p-19 + 4;
    return s;
}

/* A cost from units of the grid, rounded down. */
static inline int64_t cost_of_units(const listed *s, double units)
{
    return units > 0 ? (int64_t) (units * s->response->scale) : 0;
}

/* A cost that no split with such a gain is below. */
static inline int64_t cost_of_gain(const listed *s, double gain)
{
    return cost_of_units(s, (double) s->squares - gain - s->margin);
}

/* What the rows cost as one leaf. */
static inline int64_t cost_of_leaf(const listed *s)
{
    return ct_response_cost(s->response->fine, s->weight, s->sum, s->squares);
}

/* What a split costs with rows of that weight and sum on its left. */
static inline int64_t cost_of_split(const listed *s, int64_t weight, int64_t sum)
{
    unsigned fine = s->response->fine;
    return s->squares * ((int64_t) 1 << fine) + ct_response_cost(fine, weight, sum, 0) +
           ct_response_cost(fine, s->weight - weight, s->sum - sum, 0);
}

/* Whether a split may come behind the row at `place` - 1. */
static inline int may_part(const listed *s, uint32_t place)
{
    if (place >= s->n) return 0;
    return !s->tied || s->list->ranks[place - 1] != s->list->ranks[place];
}

/* One child as it is listed. */
typedef struct {
    const int32_t *z;
    const uint32_t *ranks;  /* NULL: no two rows of the layout have the same value */
    const int64_t *weights; /* NULL: 1 each */
    const uint64_t *places; /* see ct_exact_response */
} child_rows;

#ifdef VEC_LISTS

enum { CHUNK = 2 * VEC_WORDS }; /* rows that are handled at once */
static const uint32_t WHOLE_CHUNK = (UINT32_C(1) << CHUNK) - 1;

/* Appends the rows of a chunk that `bits` names to a list of n; returns how many there are then.
 * Their places are looked up once: before anything is stored. */
CT_INLINE uint32_t append(const ct_list *list, uint32_t n, vec z, vec ranks, int tied,
                          uint32_t bits, const uint64_t *places)
{
    vec front = l32_front(z, bits, places), front_ranks = front;
    if (tied) front_ranks = l32_front(ranks, bits, places);
    l32_store(list->z + n, front);
    if (tied) l32_store((int32_t *) (void *) (list->ranks + n), front_ranks);
    return n + word_count(bits);
}

/* Appends the members of a word at `at`, which are no others than those of the two sides. The sides
 * are written out, here and below, so that their numbers stay in registers. */
CT_INLINE void list_word(const child_rows *rows, size_t at, const uint64_t members[2], int sides,
                         int tied, const ct_list lists[2], uint32_t n[2])
{
    const uint64_t all = members[0] | members[1];
    for (size_t first = 0; first < 64 && all >> first; first += CHUNK) {
        vec z = l32_load(rows->z + at + first), ranks = z;
        if (tied) ranks = l32_load((const int32_t *) (const void *) rows->ranks + at + first);
        if (sides != RIGHT)
            n[0] = append(&lists[0], n[0], z, ranks, tied,
                          (uint32_t) (members[0] >> first) & WHOLE_CHUNK, rows->places);
        if (sides != LEFT)
            n[1] = append(&lists[1], n[1], z, ranks, tied,
                          (uint32_t) (members[1] >> first) & WHOLE_CHUNK, rows->places);
    }
}

#else

CT_INLINE void list_word(const child_rows *rows, size_t at, const uint64_t members[2], int sides,
                         int tied, const ct_list lists[2], uint32_t n[2])
{
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        for (uint64_t rest = members[side]; rest; rest &= rest - 1, n[side]++) {
            size_t row = at + ct_trailing_zeros(rest);
            lists[side].z[n[side]] = rows->z[row];
            if (tied) lists[side].ranks[n[side]] = rows->ranks[row];
        }
    }
}

#endif

static inline void list_weights(const child_rows *rows, size_t at, uint64_t members, int64_t *to)
{
    for (; members; members &= members - 1) *to++ = rows->weights[at + ct_trailing_zeros(members)];
}

/* Lists the wanted sides of the child that the job is aimed at. */
CT_INLINE void list_sides_of(const scan_job *job, const child_rows *rows, int sides, int tied)
{
    const ct_children *all = job->all;
    less_than less = less_make(job->planes, job->words, &all->threshold);
    const ct_list lists[2] = {all->lists[0], all->lists[1]}; /* here: no store changes them */
    uint32_t n[2] = {0, 0};
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        uint64_t keep[VEC_WORDS];
        v_store(keep, v_less(less, w));
        for (size_t i = 0; i < VEC_WORDS; i++) {
            uint64_t set = job->sets[w + i], members[2] = {set & keep[i], set & ~keep[i]};
            if (!set) continue;
            if (rows->weights) {
                list_weights(rows, (w + i) * 64, members[0], lists[0].weights + n[0]);
                list_weights(rows, (w + i) * 64, members[1], lists[1].weights + n[1]);
            }
            list_word(rows, (w + i) * 64, members, rows->weights ? BOTH : sides, tied, lists, n);
        }
    }
    CT_ASSERT(sides == RIGHT || n[0] == all->size[0]);
    CT_ASSERT(sides == LEFT || n[1] == all->size[1]);
}

static inline child_rows rows_of_child(const scan_job *job)
{
    const ct_rows *all = job->all->rows;
    size_t start = job->child * all->stride;
    return (child_rows){all->z + start, all->tied[job->child] ? all->ranks + start : NULL,
                        job->weights, all->response->places};
}

static void list_sides(const scan_job *job, int sides)
{
    child_rows rows = rows_of_child(job);
    if (!rows.ranks && sides == BOTH) list_sides_of(job, &rows, BOTH, 0);
    else if (!rows.ranks) list_sides_of(job, &rows, sides, 0);
    else if (sides == BOTH) list_sides_of(job, &rows, BOTH, 1);
    else list_sides_of(job, &rows, sides, 1);
}

/* ---- pass 1 ---- */

/* The gain of a split with k rows and the sum t on its left. */
static inline float gain_at(const listed *s, uint32_t k, float t)
{
    float rest = (float) s->sum - t, left = t * t, right = rest * rest;
    ROUNDED(left);
    ROUNDED(right);
    left *= s->response->inverse[k];
    right *= s->response->falling[s->response->n_rows - s->n + k];
    ROUNDED(left);
    ROUNDED(right);
    return left + right;
}

/* Some rows of a side in the child's order, up to CT_LIST_BLOCK. */
typedef struct {
    const int32_t *z;
    const uint32_t *ranks;  /* and that of the row behind them; read if some are tied */
    const int64_t *weights; /* NULL: 1 each */
    uint32_t k, n, places;  /* rows before them; rows; behind the first `places` may be a split */
    int64_t before, weight_before; /* as in ct_list */
} run;

static inline run run_of(const listed *s, uint32_t start, uint32_t k, uint32_t n, int64_t before)
{
    CT_ASSERT(n && n <= CT_LIST_BLOCK && k + n <= s->n);
    uint32_t places = k + n < s->n ? n : n - 1; /* none behind the last row */
    return (run){s->list->z + start, s->list->ranks + start, NULL, k, n, places, before, k};
}

/* A block of a list that is complete. */
static inline run run_of_block(const listed *s, uint32_t block, int64_t before)
{
    uint32_t start = block * CT_LIST_BLOCK, rest = s->n - start;
    run r = run_of(s, start, start, rest < CT_LIST_BLOCK ? rest : CT_LIST_BLOCK, before);
    if (s->list->weights) {
        r.weights = s->list->weights + start;
        r.weight_before = s->list->weight_before[block];
    }
    return r;
}

#ifdef VEC_LISTS
/* The largest gain of a split behind one of the rows, many places at once, and the sum of the rows,
 * if there are CT_LIST_BLOCK. */
CT_INLINE float scan_run(const listed *s, const run *r, int tied, int32_t *sum)
{
    const float *inverse = s->response->inverse + r->k + 1,
                *falling = s->response->falling + (s->response->n_rows - s->n) + r->k + 1;
    const int32_t *ranks = (const int32_t *) (const void *) r->ranks;
    vec within = v_fill(0), middle = l32_set(s->middle);
    vecf base = f32_set((float) r->before), all = f32_set((float) s->sum), none = f32_set(-1),
         most = none;
    for (uint32_t i = 0; i < r->n; i += CHUNK) {
        vec z = l32_sub(l32_load(r->z + i), middle);
        within = l32_add(l32_last(within), l32_scan(z));
        vecf left = f32_add(base, f32_of(within)), right = f32_sub(all, left);
        left = f32_mul(f32_mul(left, left), f32_load(inverse + i));
        right = f32_mul(f32_mul(right, right), f32_load(falling + i));
        ROUNDED(left);
        ROUNDED(right);
        vecf gain = f32_add(left, right);
        if (tied)
            gain = f32_where_not(gain, l32_same(l32_load(ranks + i), l32_load(ranks + i + 1)),
                                 none);
        if (i + CHUNK > r->places) {
            uint32_t places = r->places > i ? r->places - i : 0;
            gain = f32_where_not(gain, l32_of_bits((WHOLE_CHUNK << places) & WHOLE_CHUNK), none);
        }
        most = f32_max(most, gain);
    }
    *sum = l32_top_lane(within);
    return f32_top(most);
}
#else
CT_INLINE float scan_run(const listed *s, const run *r, int tied, int32_t *sum)
{
    float most = -1;
    *sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        *sum += r->z[i] - s->middle;
        if (i >= r->places || (tied && r->ranks[i] == r->ranks[i + 1])) continue;
        float gain = gain_at(s, r->k + i + 1, (float) r->before + (float) *sum);
        if (gain > most) most = gain;
    }
    return most;
}
#endif

/* The largest gain; fills in the blocks. */
CT_INLINE float scan_blocks(const listed *s, int tied)
{
    float most = -1;
    int64_t before = 0;
    for (uint32_t start = 0, block = 0; start < s->n; start += CT_LIST_BLOCK, block++) {
        int32_t sum;
        run r = run_of_block(s, block, before);
        float gain = scan_run(s, &r, tied, &sum);
        s->list->before[block] = before;
        s->list->most[block] = gain;
        before += sum;
        if (gain > most) most = gain;
    }
    return most;
}

static float scan_list(const listed *s)
{
    return s->tied ? scan_blocks(s, 1) : scan_blocks(s, 0);
}

/* scan_list() for rows with weights, rounded once, at the end. */
static inline float scan_weighted(const listed *s)
{
    float most = -1;
    int64_t sum = 0, weight = 0;
    for (uint32_t start = 0, block = 0; start < s->n; start += CT_LIST_BLOCK, block++) {
        double most_here = -1;
        s->list->before[block] = sum;
        s->list->weight_before[block] = weight;
        for (uint32_t i = start; i < start + CT_LIST_BLOCK && i < s->n; i++) {
            sum += s->list->weights[i] * (s->list->z[i] - s->middle);
            weight += s->list->weights[i];
            if (!may_part(s, i + 1)) continue;
            double t = (double) sum, rest = (double) (s->sum - sum);
            double left = weight ? t * t / (double) weight : 0,
                   right = s->weight > weight ? rest * rest / (double) (s->weight - weight) : 0;
            ROUNDED(left);
            ROUNDED(right);
            if (left + right > most_here) most_here = left + right;
        }
        s->list->most[block] = (float) most_here;
        if (s->list->most[block] > most) most = s->list->most[block];
    }
    return most;
}

/* ---- pass 2 ---- */

/* A cost that the split behind row i of the run is not below, by its gain as in pass 1; `sum` and
 * `weight` are those of the rows on its left. */
static inline int64_t cost_at(const listed *s, const run *r, uint32_t i, int64_t sum,
                              int64_t weight)
{
    if (!r->weights) {
        float t = (float) r->before + (float) (int32_t) (sum - r->before);
        return cost_of_gain(s, (double) gain_at(s, r->k + i + 1, t));
    }
    double t = (double) sum, rest = (double) (s->sum - sum);
    double left = weight ? t * t / (double) weight : 0,
           right = s->weight > weight ? rest * rest / (double) (s->weight - weight) : 0;
    return cost_of_gain(s, left + right);
}

/* The least cost of a split behind the rows `first` to `last` of a run, and below `best`; else
 * `best`. */
static inline int64_t best_in_run(const listed *s, const run *r, uint32_t first, uint32_t last,
                                  int64_t best)
{
    int64_t sum = r->before, weight = r->weight_before;
    for (uint32_t i = 0; i <= last && i < r->places; i++) {
        int64_t w = r->weights ? r->weights[i] : 1;
        sum += w * (r->z[i] - s->middle);
        weight += w;
        if (i < first || (s->tied && r->ranks[i] == r->ranks[i + 1]) ||
            cost_at(s, r, i, sum, weight) >= best)
            continue;
        int64_t cost = cost_of_split(s, weight, sum);
        if (cost < best) best = cost;
    }
    return best;
}

#endif
