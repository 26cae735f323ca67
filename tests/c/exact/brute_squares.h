/* What rows of integers cost as a leaf, by other arithmetic than the library's. */
#ifndef CT_TEST_BRUTE_SQUARES_H
#define CT_TEST_BRUTE_SQUARES_H

#include <stdint.h>

__extension__ typedef __int128 brute_wide;

/* floor((squares - sum^2 / weight) / 2^down), |sum| < weight. */
static inline int64_t brute_floor(int down, brute_wide weight, brute_wide sum, brute_wide squares)
{
    brute_wide scale = (brute_wide) 1 << (down < 0 ? -down : 0), square = sum * sum * scale;
    if (!weight) return 0;
    squares = squares * scale - (square + weight - 1) / weight;
    return (int64_t) (squares / ((brute_wide) 1 << (down > 0 ? down : 0)));
}

/* floor(sum w (z - mean)^2 / 2^down), in two passes. */
static inline int64_t brute_cost(int down, const int64_t *z, const int64_t *w, const uint32_t *rows,
                                 uint32_t n)
{
    brute_wide weight = 0, sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        weight += w[rows[i]];
        sum += (brute_wide) w[rows[i]] * z[rows[i]];
    }
    int64_t near = weight ? (int64_t) (sum / weight) : 0;
    sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        brute_wide off = z[rows[i]] - near;
        sum += w[rows[i]] * off;
        squares += w[rows[i]] * off * off;
    }
    return brute_floor(down, weight, sum, squares);
}

#endif
