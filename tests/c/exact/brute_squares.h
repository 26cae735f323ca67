/* What rows of integers cost as a leaf, by other arithmetic than the library's. */
#ifndef CT_TEST_BRUTE_SQUARES_H
#define CT_TEST_BRUTE_SQUARES_H

#include <stdint.h>

__extension__ typedef __int128 brute_wide;

/* A sum of any products of the library's, to the base 2^32 and from its last digit on. */
typedef struct {
    uint32_t digit[8];
} brute_long;

static inline uint64_t brute_digit(brute_wide x, int i)
{
    return i < 4 ? (uint32_t) (x >> 32 * i) : 0;
}

static inline void brute_add_at(brute_long *to, int i, uint64_t x)
{
    for (; x && i < 8; i++, x >>= 32) {
        x += to->digit[i];
        to->digit[i] = (uint32_t) x;
    }
}

/* Adds x times y; neither is negative. */
static inline void brute_add(brute_long *to, brute_wide x, int64_t y)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            brute_add_at(to, i + j, brute_digit(x, i) * brute_digit(y, j));
}

/* floor((from - x) / 2^bits), which is no less than 0. */
static inline int64_t brute_rest(const brute_long *from, brute_wide x, int bits)
{
    int64_t borrowed = 0;
    uint64_t rest = 0;
    for (int i = 0; i < 8; i++) {
        int64_t digit = (int64_t) from->digit[i] - (int64_t) brute_digit(x, i) - borrowed;
        borrowed = digit < 0;
        uint64_t own = (uint32_t) digit;
        int up = 32 * i - bits;
        if (up > -32 && up < 64) rest |= up < 0 ? own >> -up : own << up;
    }
    return (int64_t) rest;
}

/* Adds 2^bits x, x >= 0. */
static inline void brute_add_shifted(brute_long *to, brute_wide x, int bits)
{
    for (int i = 0; i < 4; i++) brute_add_at(to, i + bits / 32, brute_digit(x, i) << bits % 32);
}

static inline int brute_is_above(const brute_long *a, const brute_long *b)
{
    int i = 7;
    while (i && a->digit[i] == b->digit[i]) i--;
    return a->digit[i] > b->digit[i];
}

/* The largest c with 2^down c weight <= squares weight - sum^2. */
static inline int64_t brute_quotient(int down, const brute_long *squares, brute_wide weight,
                                     brute_wide sum)
{
    brute_long all = {{0}};
    int64_t most = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; i + j < 8 && j < 4; j++)
            brute_add_at(&all, i + j, squares->digit[i] * brute_digit(weight, j));
    for (int bit = 61; bit >= 0; bit--) {
        brute_long cost = {{0}};
        int64_t more = most | INT64_C(1) << bit;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                brute_add_at(&cost, i + j, brute_digit(sum, i) * brute_digit(sum, j));
        for (int i = 0; i < 2; i++)
            brute_add_shifted(&cost, (brute_wide) brute_digit(more, i) * weight, down + 32 * i);
        if (!brute_is_above(&cost, &all)) most = more;
    }
    return most;
}

/* floor(sum w (z - mean)^2 / 2^down), in two passes. */
static inline int64_t brute_cost(int down, const int64_t *z, const int64_t *w, const uint32_t *rows,
                                 uint32_t n)
{
    brute_wide weight = 0, sum = 0, scale = (brute_wide) 1 << (down < 0 ? -down : 0);
    brute_long squares = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        weight += w[rows[i]];
        sum += (brute_wide) w[rows[i]] * z[rows[i]];
    }
    if (!weight) return 0;
    int64_t near = (int64_t) (sum / weight);
    sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t off = z[rows[i]] - near;
        sum += (brute_wide) w[rows[i]] * off;
        if (off < 0) off = -off;
        brute_add(&squares, (brute_wide) w[rows[i]] * off * scale, off);
    }
    if (down > 0 && weight >> 60)
        return brute_quotient(down, &squares, weight, sum < 0 ? -sum : sum);
    return brute_rest(&squares, (sum * sum * scale + weight - 1) / weight, down > 0 ? down : 0);
}

#endif
