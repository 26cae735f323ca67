/* The mark that lets one text run on host and device, and the few words that each side spells
 * differently.
 *
 * A body marked CT_HD is plain C for the C compiler and a __host__ __device__ function for nvcc; it
 * stays in the common part of C and C++ (no designated initialisers, no implicit cast from void *,
 * no restrict). Differences between the two sides belong here or in base/lanes.h, so that bodies
 * carry no preprocessor branch. */
#ifndef CT_BASE_HD_H
#define CT_BASE_HD_H

#include <stdint.h>

#ifdef __CUDACC__
#define CT_HD __host__ __device__ static inline
#else
#define CT_HD static inline
#endif

/* A product that is rounded before it is added to: compilers contract the two where they can, and
 * the sides would differ. */
CT_HD double ct_hd_product(double a, double b)
{
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    volatile double product = a * b;
    return product;
#endif
}

/* Number of set bits. The host spells it out: baseline x86-64 has no such instruction, and the C
 * library no such function. Host code that counts in bulk belongs in kernels that are chosen at run
 * time. */
CT_HD uint32_t ct_hd_popcount(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t) __popc(x);
#else
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (x * 0x01010101u) >> 24;
#endif
}

/* The bits turned left by `turn`, 1 .. 31. */
CT_HD uint32_t ct_hd_rotate(uint32_t x, uint32_t turn)
{
#ifdef __CUDA_ARCH__
    return __funnelshift_l(x, x, turn);
#else
    return x << turn | x >> (32 - turn);
#endif
}

/* What many threads of a device may do to one number; on the host one does at a time. */
CT_HD void ct_hd_add(uint32_t *to, uint32_t value)
{
#ifdef __CUDA_ARCH__
    (void) atomicAdd(to, value);
#else
    *to += value;
#endif
}

CT_HD void ct_hd_min(int32_t *of, int32_t value)
{
#ifdef __CUDA_ARCH__
    (void) atomicMin(of, value);
#else
    if (value < *of) *of = value;
#endif
}

/* The number of the lowest bit that is set; x is not 0. */
CT_HD uint32_t ct_hd_lowest(uint32_t x)
{
    return ct_hd_popcount((x & (0u - x)) - 1);
}

#endif
