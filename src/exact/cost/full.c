#include "exact/cost/full.h"

#include <math.h>

#include "base/bits.h"

/* floor(x / w). */
static ct_wide floor_of(ct_wide x, int64_t w)
{
    ct_wide quotient = x / w;
    return quotient * w > x ? quotient - 1 : quotient;
}

int64_t ct_full_cost(const ct_full *full, const ct_full_sums *s)
{
    if (!s->weight) return 0;
    CT_ASSERT(s->weight > 0 && s->squares >= 0);
    ct_wide mean = floor_of(s->sum, s->weight), r = s->sum - mean * s->weight, rest = r * r,
            whole = s->squares - mean * (s->sum + r);
    if (full->down < 0) {
        whole *= (ct_wide) 1 << -full->down;
        rest *= (ct_wide) 1 << -full->down;
    }
    whole -= (rest + s->weight - 1) / s->weight;
    CT_ASSERT(whole >= 0);
    return (int64_t) (full->down > 0 ? whole >> full->down : whole);
}

/* A conversion that is quick where one word holds x. */
static double double_of(ct_wide x)
{
    int64_t low = (int64_t) x;
    return low == x ? (double) low : (double) x;
}

/* A list as it is gone through; z less the rounded mean of all, which changes no cost. */
typedef struct {
    const ct_full *full;
    const ct_full_list *list;
    ct_full_sums all;
    int64_t mean;
    double squares, scale; /* of all, in units; of a unit */
    double slack;          /* by what doubles may be off, in units */
} parting;

static parting parting_of(const ct_full *full, const ct_full_list *list, const ct_full_sums *all)
{
    parting p = {full, list, *all, 0, 0, ldexp(1, -full->down), 0};
    ct_wide mean = floor_of(all->sum, all->weight);
    p.mean = (int64_t) mean;
    p.all.squares -= mean * (2 * all->sum - mean * all->weight);
    p.all.sum -= mean * all->weight;
    p.squares = double_of(p.all.squares) * p.scale;
    p.slack = ldexp(p.squares, -48) + 4;
    return p;
}

/* Adds rows first .. last - 1 of the list. */
static void add_rows(const parting *p, uint32_t first, uint32_t last, ct_full_sums *sums)
{
    for (uint32_t i = first; i < last; i++) {
        uint32_t row = p->list->rows[i];
        int64_t w = ct_full_weight(p->full, row), z = p->full->z[row] - p->mean;
        ct_wide wz = (ct_wide) w * z;
        sums->weight += w;
        sums->sum += wz;
        sums->squares += wz * z;
    }
}

/* What two leaves cost, in doubles: T^2 / W is off by six roundings of it, and so, as it is no more
 * than Q, the difference by less than p->slack; floors take off less than 2 more. */
static double about(const parting *p, int64_t weight, double sum)
{
    double rest = double_of(p->all.sum) - sum, gain = 0;
    int64_t other = p->all.weight - weight;
    if (weight) gain += sum * sum / (double) weight;
    if (other) gain += rest * rest / (double) other;
    return p->squares - gain * p->scale;
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
    const parting p = parting_of(full, list, all);
    ct_full_sums left = {0, 0, 0}; /* up to the last place that was counted */
    uint32_t counted = 0;
    int64_t weight = 0;
    ct_wide sum = 0;
    for (uint32_t k = 1; k < list->n && k + least <= list->n; k++) {
        uint32_t row = list->rows[k - 1];
        int64_t w = ct_full_weight(full, row);
        weight += w;
        sum += (ct_wide) w * (full->z[row] - p.mean);
        if (k < least || list->ranks[k - 1] == list->ranks[k] ||
            about(&p, weight, double_of(sum)) - p.slack >= (double) below)
            continue;
        add_rows(&p, counted, k, &left);
        counted = k;
        ct_full_sums right = ct_full_rest(&p.all, &left);
        int64_t cost = ct_full_cost(full, &left) + ct_full_cost(full, &right);
        if (cost >= below) continue;
        below = cost;
        *place = k;
    }
    return below;
}
