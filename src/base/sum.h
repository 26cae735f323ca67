/* Sums of doubles that lose nothing but the last bit of the result (Neumaier's), where numbers of
 * one sign are added up: plain sums of a million may lose five digits. */
#ifndef CT_BASE_SUM_H
#define CT_BASE_SUM_H

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

#endif
