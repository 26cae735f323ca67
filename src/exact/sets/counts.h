/* Counts of trees, which may have hundreds of bits: words of 64 bits, the lowest first. How many
 * words a count has is known from what it counts, so that none overflows. */
#ifndef CT_EXACT_SETS_COUNTS_H
#define CT_EXACT_SETS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

enum { CT_COUNT_WORDS = 8 }; /* at most */

/* The low word of a product. */
static inline uint64_t ct_count_times(uint64_t a, uint64_t b, uint64_t *high)
{
    *high = 0;
    if ((a | b) >> 32 == 0) return a * b;
    uint64_t a0 = (uint32_t) a, a1 = a >> 32, b0 = (uint32_t) b, b1 = b >> 32,
             middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t) middle;
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    return a * b;
}

/* sum += x << (64 * at); what is carried beyond the last word of the sum is lost. */
static inline void ct_count_add_word(uint64_t *sum, unsigned n, unsigned at, uint64_t x)
{
    for (; x && at < n; at++) {
        sum[at] += x;
        x = sum[at] < x;
    }
}

/* sum += a * b. */
static inline void ct_count_add_product(uint64_t *sum, unsigned n, const uint64_t *a, unsigned n_a,
                                        const uint64_t *b, unsigned n_b)
{
    for (unsigned i = 0; i < n_a; i++) {
        for (unsigned j = 0; a[i] && j < n_b; j++) {
            uint64_t high, low = ct_count_times(a[i], b[j], &high);
            ct_count_add_word(sum, n, i + j, low);
            ct_count_add_word(sum, n, i + j + 1, high);
        }
    }
}

/* sum += x; n >= n_x. */
void ct_set_count_add(uint64_t *sum, unsigned n, const uint64_t *x, unsigned n_x);
/* from -= x <= from. */
void ct_set_count_take(uint64_t *from, unsigned n, const uint64_t *x, unsigned n_x);
/* Whether a < b, of the same number of words. */
int ct_set_count_less(const uint64_t *a, const uint64_t *b, unsigned n);
int ct_set_count_is_zero(const uint64_t *x, unsigned n);
/* x = quotient * by + rest, all of n words; by > 0. */
void ct_set_count_divide(const uint64_t *x, const uint64_t *by, unsigned n, uint64_t *quotient,
                         uint64_t *rest);
double ct_set_count_double(const uint64_t *x, unsigned n);
/* All digits, into text[CT_COUNT_DIGITS]. */
enum { CT_COUNT_DIGITS = CT_COUNT_WORDS * 20 + 1 };
void ct_set_count_text(const uint64_t *x, unsigned n, char *text);
/* Back from digits; 0 if they are none, or more than n words hold. */
int ct_set_count_read(const char *text, uint64_t *x, unsigned n);

#endif
