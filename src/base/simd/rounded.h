/* ROUNDED(x): x, a vector or a number, is rounded before anything else is done with it, whatever
 * the compiler may contract into one operation; the same bits then come from all instruction
 * sets. */
#ifndef CT_BASE_SIMD_ROUNDED_H
#define CT_BASE_SIMD_ROUNDED_H

#if defined(__aarch64__)
#define ROUNDED(x) __asm__("" : "+w"(x))
#elif defined(__x86_64__)
#define ROUNDED(x) __asm__("" : "+x"(x))
#else
#define ROUNDED(x)                       \
    do {                                 \
        volatile __typeof__(x) kept = x; \
        x = kept;                        \
    } while (0)
#endif

#endif
