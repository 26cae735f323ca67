/* Doubles that stand for decimals: numbers of a few places, but for their last bits. */
#ifndef CT_EXACT_COST_DECIMALS_H
#define CT_EXACT_COST_DECIMALS_H

#include "data/data.h"

/* x * 10^decimals, at most a rounding away; decimals may be negative. */
double ct_decimals_shift(double x, int decimals);

/* How far x is from `whole` * 10^-decimals. */
double ct_decimals_off(double x, double whole, int decimals);

/* The fewest decimals, from `least` on, that all values of rows that count have, but for their last
 * bits and for `near`; `most` + 1 if they have more. */
int ct_decimals_of(const ct_data *data, const double *values, int least, int most, double near);

#endif
