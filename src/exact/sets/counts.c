#include "base/compact.h"

#include "exact/sets/counts.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

void ct_set_count_add(uint64_t *sum, unsigned n, const uint64_t *x, unsigned n_x)
{
    CT_ASSERT(n >= n_x);
    for (unsigned i = 0; i < n_x; i++) ct_count_add_word(sum, n, i, x[i]);
}

void ct_set_count_take(uint64_t *from, unsigned n, const uint64_t *x, unsigned n_x)
{
    uint64_t borrowed = 0;
    CT_ASSERT(n >= n_x);
    for (unsigned i = 0; i < n; i++) {
        uint64_t less = i < n_x ? x[i] : 0, word = from[i];
        from[i] = word - less - borrowed;
        borrowed = word < less || (word == less && borrowed);
    }
    CT_ASSERT(!borrowed);
}

int ct_set_count_less(const uint64_t *a, const uint64_t *b, unsigned n)
{
    while (n-- > 0)
        if (a[n] != b[n]) return a[n] < b[n];
    return 0;
}

int ct_set_count_is_zero(const uint64_t *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (x[i]) return 0;
    return 1;
}

void ct_set_count_divide(const uint64_t *x, const uint64_t *by, unsigned n, uint64_t *quotient,
                         uint64_t *rest)
{
    memset(quotient, 0, n * sizeof *quotient);
    memset(rest, 0, n * sizeof *rest);
    CT_ASSERT(n <= CT_COUNT_WORDS && !ct_set_count_is_zero(by, n));
    for (unsigned bit = 64 * n; bit-- > 0;) {
        uint64_t carry = rest[n - 1] >> 63;
        for (unsigned i = n; i-- > 1;) rest[i] = rest[i] << 1 | rest[i - 1] >> 63;
        rest[0] = rest[0] << 1 | (x[bit / 64] >> bit % 64 & 1);
        if (!carry && ct_set_count_less(rest, by, n)) continue;
        for (unsigned i = 0, borrowed = 0; i < n; i++) { /* modulo 2^(64 n): the carry is in it */
            uint64_t word = rest[i];
            rest[i] = word - by[i] - borrowed;
            borrowed = word < by[i] || (word == by[i] && borrowed);
        }
        quotient[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

double ct_set_count_double(const uint64_t *x, unsigned n)
{
    double value = 0;
    while (n-- > 0) value = ldexp(value, 64) + (double) x[n];
    return value;
}

void ct_set_count_text(const uint64_t *x, unsigned n, char *text)
{
    uint64_t rest[CT_COUNT_WORDS];
    char digits[CT_COUNT_DIGITS];
    size_t length = 0;
    memcpy(rest, x, n * sizeof *rest);
    do {
        uint64_t left = 0;
        for (unsigned i = n; i-- > 0;) { /* by halves of words: the remainder fits beside one */
            uint64_t high = left << 32 | rest[i] >> 32,
                     low = (high % 10) << 32 | (uint32_t) rest[i];
            rest[i] = high / 10 << 32 | low / 10;
            left = low % 10;
        }
        digits[length++] = (char) ('0' + left);
    } while (!ct_set_count_is_zero(rest, n));
    for (size_t i = 0; i < length; i++) text[i] = digits[length - 1 - i];
    text[length] = 0;
}

int ct_set_count_read(const char *text, uint64_t *x, unsigned n)
{
    memset(x, 0, n * sizeof *x);
    if (!*text) return 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return 0;
        uint64_t carry = (uint64_t) (*text - '0');
        for (unsigned i = 0; i < n; i++) {
            uint64_t high, low = ct_count_times(x[i], 10, &high);
            x[i] = low + carry;
            carry = high + (x[i] < low);
        }
        if (carry) return 0;
    }
    return 1;
}
