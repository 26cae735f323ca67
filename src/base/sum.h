/* Sums of doubles that lose nothing but the last bit of the result (Neumaier's), where numbers of
 * one sign are added up: plain sums of a million may lose five digits. */
#ifndef CT_BASE_SUM_H
#define CT_BASE_SUM_H

#include <math.h>

typedef struct {
    double high, low;
} ct_sum;

static inline void ct_sum_add(ct_sum *sum, double x)
{
    double all = sum->high + x, added = all - sum->high;
    sum->low += (sum->high - (all - added)) + (x - added);
    sum->high = all;
}

static inline double ct_sum_value(const ct_sum *sum) { return sum->high + sum->low; }

static inline void ct_sum_join(ct_sum *sum, const ct_sum *more)
{
    ct_sum_add(sum, more->high);
    ct_sum_add(sum, more->low);
}

/* a / b, b > 0, as the double next to it unless two are equally near but for the last digits that
 * the sums have. */
static inline double ct_sum_ratio(ct_sum a, ct_sum b)
{
    double high = a.high + a.low, low = a.low - (high - a.high), below = b.high + b.low,
           rest = b.low - (below - b.high), quotient = high / below;
    return quotient + (fma(-quotient, below, high) + (low - quotient * rest)) / below;
}

/* A sum times a number. */
static inline ct_sum ct_sum_times(ct_sum a, double by)
{
    double high = a.high * by;
    return (ct_sum){high, fma(a.high, by, -high) + a.low * by};
}

#endif
