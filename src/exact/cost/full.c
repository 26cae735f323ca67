#include "exact/cost/full.h"

#include <math.h>

#include "base/bits.h"

/* 2^up r^2 / w, rounded up. */
static ct_wide square_over(ct_wide r, ct_wide w, unsigned up)
{
    CT_ASSERT(r >= 0 && r < w && w >> CT_FULL_WEIGHT_BITS <= 1 && (!up || r >> 48 == 0));
    ct_wide square = r, last = 0;
    unsigned more = r >> 63 ? 32 : 0; /* r^2 might not fit: r is multiplied by its parts */
    square *= r >> more;
    if (more) {
        last = square / w << more;
        square = (square % w << more) + r * ct_full_low(r, more);
    }
    square <<= up;
    return last + square / w + (square % w > 0);
}

int64_t ct_full_cost(const ct_full *full, const ct_full_sums *s)
{
    const unsigned low_bits = full->low_bits, up = full->down < 0 ? (unsigned) -full->down : 0;
    if (!s->weight) return 0;
    CT_ASSERT(s->weight > 0 && s->high >= 0 && (int) low_bits <= (full->down > 0 ? full->down : 0));
    ct_wide mean = ct_full_floor(s->sum, s->weight), r = s->sum - mean * s->weight,
            both = s->sum + r, high = s->high - mean * (both >> low_bits),
            low = s->low - mean * ct_full_low(both, low_bits);
    low -= square_over(r, s->weight, up);
    high = high * ((ct_wide) 1 << up) + (low >> low_bits);
    CT_ASSERT(high >= 0);
    return (int64_t) (full->down > 0 ? high >> (full->down - (int) low_bits) : high);
}

/* A list as it is gone through; z less the rounded mean of all, which changes no cost. */
typedef struct {
    const ct_full *full;
    const ct_full_list *list;
    uint32_t least;        /* rows on either side */
    ct_full_sums all;
    int64_t mean;
    double squares, scale; /* of all, in units; of a unit */
    double slack;          /* by what doubles may be off, in units */
} parting;

static parting parting_of(const ct_full *full, const ct_full_list *list, const ct_full_sums *all,
                          uint32_t least)
{
    parting p = {full, list, least, *all, 0, 0, ldexp(1, -full->down), 0};
    p.mean = (int64_t) ct_full_floor(all->sum, all->weight);
    p.all = ct_full_beside(all, p.mean, full->low_bits);
    p.squares = ct_full_squares(&p.all, 0, full->low_bits) * p.scale;
    p.slack = ldexp(p.squares, -48) + 4;
    return p;
}

static inline uint32_t row_at(const ct_full_list *list, uint32_t i)
{
    return list->rows ? list->rows[i] : i;
}

/* Adds rows first .. last - 1 of the list. */
static void add_rows(const parting *p, uint32_t first, uint32_t last, ct_full_sums *sums)
{
    for (uint32_t i = first; i < last; i++) {
        uint32_t row = row_at(p->list, i);
        ct_full_add_row(ct_full_weight(p->full, row), p->full->z[row] - p->mean,
                        p->full->low_bits, sums);
    }
}

/* What two leaves cost, in doubles: T^2 / W is off by ten roundings of it, and so, as it is no more
 * than Q, the difference by less than p->slack; floors take off less than 2 more. */
static inline double about(const parting *p, double weight, double other, double sum, double rest)
{
    double gain = 0;
    if (weight > 0) gain += sum * sum / weight;
    if (other > 0) gain += rest * rest / other;
    return p->squares - gain * p->scale;
}

static inline int may_part(const parting *p, uint32_t k)
{
    const uint32_t *ranks = p->list->ranks;
    return k >= p->least && p->list->n - k >= p->least && ranks[k - 1] != ranks[k];
}

/* The least cost of a place from *place on, in doubles, or the first that is no more than `limit`;
 * sets *place to that. Where rows have no weights, sums are words. */
static inline double next_about(const parting *p, int word, ct_full_sums *left, double limit,
                                uint32_t *place)
{
    double least = INFINITY;
    const ct_full_sums *all = &p->all;
    int64_t n_left = (int64_t) left->weight, sum = (int64_t) left->sum;
    ct_wide weight = left->weight, wide = left->sum;
    uint32_t k = *place, n = p->list->n;
    for (*place = n; k + 1 < n;) {
        uint32_t row = row_at(p->list, k++);
        int64_t z = p->full->z[row] - p->mean, w = word ? 1 : p->full->weights[row];
        if (word) {
            n_left++;
            sum += z;
        } else {
            weight += w;
            wide += (ct_wide) w * z;
        }
        if (!may_part(p, k)) continue;
        double cost = word ? about(p, (double) n_left, (double) ((int64_t) all->weight - n_left),
                                   (double) sum, (double) ((int64_t) all->sum - sum))
                           : about(p, ct_full_number(weight), ct_full_number(all->weight - weight),
                                   ct_full_number(wide), ct_full_number(all->sum - wide));
        if (cost >= least) continue;
        least = cost;
        *place = k;
        if (cost <= limit) break;
    }
    left->weight = word ? n_left : weight;
    left->sum = word ? sum : wide;
    return least;
}

static double next_place(const parting *p, ct_full_sums *left, double limit, uint32_t *place)
{
    return p->full->weights ? next_about(p, 0, left, limit, place)
                            : next_about(p, 1, left, limit, place);
}

int64_t ct_full_split(const ct_full *full, const ct_full_list *list, const ct_full_sums *all,
                      uint32_t least, int64_t below, uint32_t *place)
{
    *place = 0;
    if (!all->weight) {
        for (uint32_t k = least; below > 0 && k + least <= list->n && !*place; k++)
            if (list->ranks[k - 1] != list->ranks[k]) *place = k;
        return *place ? 0 : below;
    }
    const parting p = parting_of(full, list, all, least);
    /* up to the place, and to the last that was counted */
    ct_full_sums to = {0, 0, 0, 0}, left = to;
    uint32_t at = 0, counted = 0;
    double limit = next_place(&p, &to, -INFINITY, &at) + 2 * p.slack;
    if (limit - p.slack * 3 >= (double) below) return below;
    for (at = 0, to = left; next_place(&p, &to, limit, &at) <= limit; counted = at) {
        add_rows(&p, counted, at, &left);
        ct_full_sums right = ct_full_rest(&p.all, &left);
        int64_t cost = ct_full_cost(full, &left) + ct_full_cost(full, &right);
        if (cost >= below) continue;
        below = cost;
        *place = at;
    }
    return below;
}
