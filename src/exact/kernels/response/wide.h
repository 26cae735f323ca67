/* Part of the template children.h for a response: scans that go by it in full, where its numbers in
 * few bits would leave too much to be counted. See exact/cost/full.h.
 *
 * With W and T the sums of w and w z over a side, z less the side's rounded mean so that T is at
 * least 0 and below W, and V and t those up to a place, a split there leaves of the leaf's squares
 * E = Q - T^2 / W
 *
 *   E - W u^2 / (V (W - V)),  u = t - V T / W.
 *
 * t and V are exact, in two words; without its last s bits t is one of 63. (Where W is more than a
 * word, s is 0, and t is rounded as doubles are, by 2^-52 |t|.) Rounded, u is off by less than
 * d = 2^s + 2^-50 W, and 2^-51 of itself; W |u| / (V (W - V)), the distance between the means of
 * both parts, is no more than the range R of z; so what is saved is off by 2 d R + 2^(2s + 1), and
 * by some roundings of itself, which is no more than E. Costs are thus lower bounds, less by next
 * to nothing; those that decide are counted (exact/search/in_full.h). */

#ifndef CT_KIND
#define CT_LANE 16
#define CT_KIND response
#include "exact/kernels/response/response.h"
#include "exact/kernels/children.h"
#endif

#ifndef CT_EXACT_KERNELS_RESPONSE_WIDE_H
#define CT_EXACT_KERNELS_RESPONSE_WIDE_H

/* Places behind `first` rows and more, up to `more` more. */
typedef struct {
    uint32_t first, more;
} wide_places;

static const wide_places NO_PLACES = {UINT32_MAX, 0};

CT_INLINE int is_place(wide_places p, uint32_t k) { return k - p.first <= p.more; }

/* One side, as it is gone through. */
typedef struct {
    wide_places any, kept;      /* those that count; and those of them that leaves allow */
    int64_t mean;
    ct_wide weight;             /* W */
    unsigned shift;             /* s */
    double share;               /* 2^-s T / W */
    /* up to here */
    uint32_t k, rank;
    int64_t part;               /* V, where a word holds it, else */
    ct_wide wide_part, sum;     /* this; t */
    double most, most_kept;     /* out: u^2 / (V (W - V)), in 2^2s; < 0: no place */
} wide_side;

/* The rows of a child. */
typedef struct {
    const int64_t *z, *weights; /* weights NULL: 1 each */
    const uint32_t *ranks;      /* NULL: no two are the same */
} wide_rows;

/* What rows weigh: 1 each, numbers of which a word holds all sums, or others. */
typedef enum { WEIGH_ONE, WEIGH_WORD, WEIGH_WIDE } weighing;

/* V (W - V) */
CT_INLINE double product_of_parts(const wide_side *s, weighing kind, double *part)
{
    if (kind == WEIGH_WIDE) {
        *part = ct_full_number(s->wide_part);
        return *part * ct_full_number(s->weight - s->wide_part);
    }
    *part = (double) s->part;
    return *part * (double) ((int64_t) s->weight - s->part);
}

/* Takes a place behind the rows so far into account. */
CT_INLINE void look_at_place(wide_side *s, weighing kind)
{
    if (!is_place(s->any, s->k) && !is_place(s->kept, s->k)) return;
    double t = kind == WEIGH_WIDE ? ct_full_number(s->sum)
                                  : (double) (int64_t) (kind == WEIGH_ONE ? s->sum
                                                                          : s->sum >> s->shift),
           v, both = product_of_parts(s, kind, &v), in_mean = v * s->share, quotient = 0;
    ROUNDED(in_mean);
    t -= in_mean;
    if (both > 0) quotient = t * t / both;
    if (is_place(s->any, s->k) && quotient > s->most) s->most = quotient;
    if (is_place(s->kept, s->k) && quotient > s->most_kept) s->most_kept = quotient;
}

/* Goes through the rows of a side in the word at `at`. */
CT_INLINE void pass_word(const wide_rows *rows, size_t at, uint64_t members, weighing kind,
                         wide_side *side)
{
    wide_side s = *side;
    for (; members; members &= members - 1) {
        size_t j = at + ct_trailing_zeros(members);
        if (!rows->ranks || rows->ranks[j] != s.rank) look_at_place(&s, kind);
        if (rows->ranks) s.rank = rows->ranks[j];
        int64_t z = rows->z[j] - s.mean, w = kind == WEIGH_ONE ? 1 : rows->weights[j];
        s.sum += kind == WEIGH_ONE ? (ct_wide) z : (ct_wide) w * z;
        if (kind == WEIGH_WIDE) s.wide_part += w;
        else s.part += w;
        s.k++;
    }
    *side = s;
}

static void pass_plain(const wide_rows *rows, size_t at, uint64_t members, wide_side *side)
{
    pass_word(rows, at, members, WEIGH_ONE, side);
}

static void pass_weighted(const wide_rows *rows, size_t at, uint64_t members, wide_side *side)
{
    if (side->weight >> 63) pass_word(rows, at, members, WEIGH_WIDE, side);
    else pass_word(rows, at, members, WEIGH_WORD, side);
}

static void pass_child(const scan_job *job, const wide_rows *rows, int sides, wide_side of[2])
{
    void (*pass)(const wide_rows *, size_t, uint64_t, wide_side *) =
        rows->weights ? pass_weighted : pass_plain;
    less_than less = less_make(job->planes, job->words, &job->all->threshold);
    for (size_t w = job->begin; w < job->end; w += VEC_WORDS) {
        uint64_t keep[VEC_WORDS];
        v_store(keep, v_less(less, w));
        for (size_t i = 0; i < VEC_WORDS; i++) {
            uint64_t set = job->sets[w + i];
            if (!set) continue;
            size_t at = (w + i) * 64;
            if (sides != RIGHT) pass(rows, at, set & keep[i], &of[0]);
            if (sides != LEFT) pass(rows, at, set & ~keep[i], &of[1]);
        }
    }
}

/* A side and its sums; nothing of it is passed yet. */
static inline wide_side side_in_full(const ct_exact_response *response, const ct_full_sums *all)
{
    wide_side s = {NO_PLACES, NO_PLACES, 0, all->weight, 0, 0, 0, 0, 0, 0, 0, -1, -1};
    if (!all->weight) return s;
    double weight = ct_full_number(all->weight);
    unsigned width = (unsigned) ilogb(weight) + 1 + ct_bit_width((uint64_t) response->reach + 1);
    s.mean = (int64_t) ct_full_floor(all->sum, all->weight);
    s.shift = width > 62 && all->weight >> 63 == 0 ? width - 62 : 0;
    s.share = ldexp(ct_full_number(all->sum - s.mean * all->weight) / weight, -(int) s.shift);
    return s;
}

/* A cost that no split is below of which the quotient is no larger. */
static inline int64_t cost_of_most_in_full(const ct_exact_response *response,
                                           const ct_full_sums *all, const wide_side *s, double most)
{
    if (most < 0 || !s->weight) return ct_full_cost(&response->full, all);
    double unit = ldexp(1, -response->full.down), weight = ct_full_number(s->weight),
           last = ldexp(1, (int) s->shift), rest = s->share * last,
           squares = ct_full_squares(all, s->mean, response->full.low_bits),
           own = squares - rest * rest * weight,
           off = 2 * (double) (response->reach + 1) * (last + weight * 0x1p-50) + 2 * last * last,
           saved = most * weight * last * last,
           least = (own - saved - squares * 0x1p-46 - 2 * off) * unit - 4;
    return least > 0 ? (int64_t) least : 0;
}

#endif

/* Which places count: with an outer set, those that its window leaves. */
static void choose_places(scan_job *job, int side, wide_side *s)
{
    const ct_children *c = job->all;
    uint32_t n = c->size[side], least = c->min_rows[side];
    places p;
    s->any = (wide_places){1, n - 2};
    if (n < 2) s->any = NO_PLACES;
    if (c->outer_rows) {
        keep_window(job, side, 1);
        job->narrowed |= 1U << side;
        s->any = n > 1 && places_of(job, side, n, &p) ? (wide_places){p.first + 1, p.last - p.first}
                                                      : NO_PLACES;
    }
    s->kept = least > 1 ? (wide_places){least, n - 2 * least} : s->any;
}

/* Without weights a scan in few bits is quicker: takes in what is settled by it. Returns the sides
 * that are not. */
static int scan_in_few_bits(ct_children *c, scan_job *job, uint32_t g, int sides, int64_t error[2],
                            int64_t allowed[2])
{
    int open = NONE;
    scan_response(c, job, g, sides, error, allowed);
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        if (error[side] < c->need[side]) open += side + 1;
        else take_response(c, g, side, error[side], allowed[side]);
    }
    return open;
}

/* One child in the wanted sides. */
static void child_in_full(ct_children *c, scan_job *job, uint32_t g, int sides)
{
    const ct_exact_response *response = c->rows->response;
    const size_t start = g * c->rows->stride;
    int64_t error[2] = {0, 0}, allowed[2] = {0, 0};
    c->scans++;
    if (c->rows->weights || c->in_full) aim_response(job, g);
    else sides = scan_in_few_bits(c, job, g, sides, error, allowed);
    if (sides == NONE) return;
    const wide_rows rows = {c->rows->wide + start, job->weights,
                            c->rows->tied[g] ? c->rows->ranks + start : NULL};
    wide_side of[2];
    job->narrowed = 0;
    for (int side = 0; side < 2; side++) {
        of[side] = side_in_full(response, c->full[side]);
        if (side == 0 ? sides != RIGHT : sides != LEFT) choose_places(job, side, &of[side]);
    }
    pass_child(job, &rows, sides, of);
    for (int side = 0; side < 2; side++) {
        const wide_side *s = &of[side];
        if (side == 0 ? sides == RIGHT : sides == LEFT) continue;
        int64_t any = cost_of_most_in_full(response, c->full[side], s, s->most),
                kept = cost_of_most_in_full(response, c->full[side], s, s->most_kept);
        any = ct_larger64(any, error[side]);
        take_response(c, g, side, any, ct_larger64(any, ct_larger64(kept, allowed[side])));
    }
}
