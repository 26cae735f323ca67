#include "base/compact.h"

#include "exact/cost/decimals.h"

#include <math.h>
#include <stdlib.h>

double ct_decimals_shift(double x, int decimals)
{
    return decimals < 0 ? x / pow(10, -decimals) : x * pow(10, decimals);
}

/* How far x is from a multiple of a power of ten, or of one over it. */
static double off_multiple(double x, double whole, double power, int of_power)
{
    return fabs(of_power ? fma(whole, -power, x) : fma(x, power, -whole) / power);
}

double ct_decimals_off(double x, double whole, int decimals)
{
    return off_multiple(x, whole, pow(10, abs(decimals)), decimals < 0);
}

/* Whether all values, of rows that count, are multiples of 10^-decimals, but for the last bits of
 * doubles and for `near`. Far from zero the last bits of x * 10^decimals, which a rounded product
 * has lost, may be all that there is. */
static int all_multiples(const ct_data *data, const double *values, int decimals, double near)
{
    double power = pow(10, abs(decimals));
    for (uint32_t row = 0; row < data->n_rows; row++) {
        double y = values[row], x = decimals < 0 ? y / power : y * power, whole = nearbyint(x);
        if (!ct_data_counts(data, row)) continue;
        if (!(fabs(x) < 0x1p53) || fabs(x - whole) > ldexp(fabs(x), -50) ||
            off_multiple(y, whole, power, decimals < 0) > near)
            return 0;
    }
    return 1;
}

int ct_decimals_of(const ct_data *data, const double *values, int least, int most, double near)
{
    int decimals = least;
    while (decimals <= most && !all_multiples(data, values, decimals, near)) decimals++;
    return decimals;
}
