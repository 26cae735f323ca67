/* Counts of trees, which may have hundreds of bits, as what is left of them by division: by 2^64
 * and by two primes. Two counts that agree in all three are the same, or differ by a multiple of
 * about 2^128. */
#ifndef CT_CERTIFY_RESIDUES_H
#define CT_CERTIFY_RESIDUES_H

#include <stdint.h>

typedef struct {
    uint64_t low;
    uint32_t of[2];
} ct_residues;

enum { CT_N_PRIMES = 2 };

static inline uint64_t ct_prime(int i) { return i ? UINT64_C(4294967279) : UINT64_C(4294967291); }

static inline ct_residues ct_residues_sum(ct_residues a, ct_residues b)
{
    a.low += b.low;
    for (int i = 0; i < CT_N_PRIMES; i++)
        a.of[i] = (uint32_t) (((uint64_t) a.of[i] + b.of[i]) % ct_prime(i));
    return a;
}

static inline ct_residues ct_residues_product(ct_residues a, ct_residues b)
{
    a.low *= b.low;
    for (int i = 0; i < CT_N_PRIMES; i++)
        a.of[i] = (uint32_t) ((uint64_t) a.of[i] * b.of[i] % ct_prime(i));
    return a;
}

/* The residues of 1, and of -1. */
static inline ct_residues ct_residues_one(void) { return (ct_residues){1, {1, 1}}; }
static inline ct_residues ct_residues_less_one(void)
{
    return (ct_residues){UINT64_MAX, {(uint32_t) ct_prime(0) - 1, (uint32_t) ct_prime(1) - 1}};
}

static inline int ct_residues_same(ct_residues a, ct_residues b)
{
    return a.low == b.low && a.of[0] == b.of[0] && a.of[1] == b.of[1];
}

/* The residues of a number in decimal digits. */
static inline ct_residues ct_certify_residues_of(const char *digits)
{
    const ct_residues ten = {10, {10, 10}};
    ct_residues x = {0, {0, 0}};
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        uint32_t digit = (uint32_t) (*digits - '0');
        x = ct_residues_sum(ct_residues_product(x, ten), (ct_residues){digit, {digit, digit}});
    }
    return x;
}

#endif
