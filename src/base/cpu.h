/* Instruction sets for hot loops: which of them this build knows, and which this machine has.
 *
 * A room with hot loops compiles them once for each level, from one text in the vocabulary of
 * base/simd/vec.h, and asks here which of the results to run. */
#ifndef CT_BASE_CPU_H
#define CT_BASE_CPU_H

/* With -DCT_SCALAR portable C alone, which compiles several times as fast. */
#if !defined(CT_SCALAR) && defined(__x86_64__) && defined(__GNUC__)
#define CT_HAVE_X86 1
#endif
#if !defined(CT_SCALAR) && defined(__aarch64__) && defined(__ARM_NEON) && defined(__GNUC__) &&     \
    !defined(__AARCH64EB__)
#define CT_HAVE_NEON 1
#endif

/* The best first; CT_SIMD_SCALAR is portable C. */
typedef enum { CT_SIMD_AVX512, CT_SIMD_AVX2, CT_SIMD_NEON, CT_SIMD_SCALAR, CT_N_SIMD } ct_simd;

/* The address of name_avx512, name_avx2, name_neon or name_scalar, whichever this build has. */
#if defined(CT_HAVE_X86)
#define CT_OF_LEVEL(level, name)                                                                   \
    ((level) == CT_SIMD_AVX512 ? &name##_avx512                                                    \
     : (level) == CT_SIMD_AVX2 ? &name##_avx2                                                      \
                               : &name##_scalar)
#define CT_LEVELS(name) name##_scalar, name##_avx2, name##_avx512
#elif defined(CT_HAVE_NEON)
#define CT_OF_LEVEL(level, name) ((level) == CT_SIMD_NEON ? &name##_neon : &name##_scalar)
#define CT_LEVELS(name) name##_scalar, name##_neon
#else
#define CT_OF_LEVEL(level, name) ((void) (level), &name##_scalar)
#define CT_LEVELS(name) name##_scalar
#endif

/* Declares these, of that type, and name_at(level), which is the address. */
#define CT_DECLARE_KERNELS(type, name)                                                             \
    extern type CT_LEVELS(name);                                                                   \
    static inline type *name##_at(ct_simd level) { return CT_OF_LEVEL(level, name); }

/* "avx512", "avx2", "neon" or "scalar": static text. */
const char *ct_simd_name(ct_simd level);

/* Whether this build has code for the level and this machine runs it. */
int ct_cpu_has(ct_simd level);

/* The level of that name, or the best one for "auto"; CT_N_SIMD if it is not to be had here. */
ct_simd ct_cpu_find(const char *name);

#endif
