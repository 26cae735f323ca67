/* A numeric response in full: integers as fine as sums of them in two words allow. Leaves cost what
 * these say; scans may go by rounded ones (exact/cost/response.h).
 *
 * With |z| <= 2^51 and weights below 2^63 of a sum W <= 2^71, W and T = sum w z of any rows are
 * exact in two words. Q = sum w z^2 is kept as 2^l high + low, where l is what the bits of W and
 * twice those of max z - min z are more than 126: each w z^2 is parted so, and both parts are added
 * up by themselves. A row set S costs as a leaf
 *
 *   c(S) = floor((Q - T^2 / W) / 2^down),
 *
 * which keeps c(A u B) >= c(A) + c(B): by Cauchy it holds without the floor, and floors of two
 * numbers are no more than the floor of their sum. With T = m W + r, 0 <= r < W,
 *
 *   Q - T^2 / W = Q - m (T + r) - r^2 / W. */
#ifndef CT_EXACT_COST_FULL_H
#define CT_EXACT_COST_FULL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

__extension__ typedef __int128 ct_wide;

typedef struct {
    const int64_t *z;       /* [row] */
    const int64_t *weights; /* [row]; NULL: 1 each */
    int down;               /* a unit of costs is 2^down; may be negative */
    unsigned low_bits;      /* l; no more than `down`, where that is not negative, else 0 */
} ct_full;

enum { CT_FULL_BITS = 126, CT_FULL_WEIGHT_BITS = 71 };

/* Over rows. */
typedef struct {
    ct_wide weight, low, sum, high;
} ct_full_sums;

/* x in doubles, to two roundings of itself; below 2^124. Quicker than a conversion. */
static inline double ct_full_number(ct_wide x)
{
    ct_wide upper = (x + (INT64_C(1) << 61)) >> 62, lower = x - upper * (INT64_C(1) << 62);
    return (double) (int64_t) upper * 0x1p62 + (double) (int64_t) lower;
}

/* floor(x / w), w > 0. */
static inline ct_wide ct_full_floor(ct_wide x, ct_wide w)
{
    CT_ASSERT(w > 0);
    ct_wide quotient = x / w;
    return quotient * w > x ? quotient - 1 : quotient;
}

static inline int64_t ct_full_weight(const ct_full *full, size_t row)
{
    return full->weights ? full->weights[row] : 1;
}

/* The last bits of x. */
static inline int64_t ct_full_low(ct_wide x, unsigned bits)
{
    return (int64_t) (x & (((ct_wide) 1 << bits) - 1));
}

static inline void ct_full_add_row(int64_t w, int64_t z, unsigned low_bits, ct_full_sums *sums)
{
    ct_wide wz = (ct_wide) w * z;
    sums->weight += w;
    sums->sum += wz;
    if (low_bits) {
        ct_wide low = (ct_wide) ct_full_low(wz, low_bits) * z;
        sums->high += (wz >> low_bits) * z + (low >> low_bits);
        sums->low += ct_full_low(low, low_bits);
    } else {
        sums->high += wz * z;
    }
}

static inline void ct_full_add(const ct_full *full, size_t row, ct_full_sums *sums)
{
    ct_full_add_row(ct_full_weight(full, row), full->z[row], full->low_bits, sums);
}

static inline void ct_full_sums_add(ct_full_sums *to, const ct_full_sums *sums)
{
    to->weight += sums->weight;
    to->low += sums->low;
    to->sum += sums->sum;
    to->high += sums->high;
}

/* The sums of z - centre. */
static inline ct_full_sums ct_full_beside(const ct_full_sums *sums, ct_wide centre,
                                          unsigned low_bits)
{
    ct_wide own = centre * sums->weight, more = 2 * sums->sum - own,
            low = sums->low - centre * ct_full_low(more, low_bits);
    return (ct_full_sums){sums->weight, ct_full_low(low, low_bits), sums->sum - own,
                          sums->high - centre * (more >> low_bits) + (low >> low_bits)};
}

/* sum w (z - centre)^2, to some roundings. */
static inline double ct_full_squares(const ct_full_sums *sums, ct_wide centre, unsigned low_bits)
{
    const ct_full_sums s = ct_full_beside(sums, centre, low_bits);
    return (double) s.high * (double) (INT64_C(1) << low_bits) + (double) s.low;
}

/* whole less part. */
static inline ct_full_sums ct_full_rest(const ct_full_sums *whole, const ct_full_sums *part)
{
    return (ct_full_sums){whole->weight - part->weight, whole->low - part->low,
                          whole->sum - part->sum, whole->high - part->high};
}

int64_t ct_full_cost(const ct_full *full, const ct_full_sums *sums);

/* Some rows in the order of a feature. */
typedef struct {
    const uint32_t *rows;  /* [n]; NULL: 0 .. n - 1 */
    const uint32_t *ranks; /* [n] they do not fall, and equal ones are not parted */
    uint32_t n;
} ct_full_list;

/* Parts a list, of which `all` are the sums, into two leaves of `least` rows or more each that cost
 * less than `below`, as little as can be: returns that and sets *place to the first place where it
 * is so, as the number of rows to the left. `below` and 0 if there is none. */
int64_t ct_full_split(const ct_full *full, const ct_full_list *list, const ct_full_sums *all,
                      uint32_t least, int64_t below, uint32_t *place);

#endif
