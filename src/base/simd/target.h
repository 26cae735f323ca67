/* From CT_TARGET_AVX2 or CT_TARGET_AVX512 to CT_TARGET_END all functions of a file are compiled for
 * that instruction set: at the top of the file behind all headers but those of base/simd/. Such a
 * file is of x86-64 alone (CT_HAVE_X86), and what it defines runs where ct_cpu_has() the level.
 *
 * Where variables are at each instruction is left out of gcc's debugging information: of functions
 * inlined so deeply that is several times the code. */
#ifndef CT_BASE_SIMD_TARGET_H
#define CT_BASE_SIMD_TARGET_H

#define CT_PRAGMA(text) _Pragma(#text)
#define CT_AVX2 "avx2,bmi,bmi2,popcnt,lzcnt"
#define CT_AVX512                                                                                  \
    "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512bitalg,avx512vpopcntdq,gfni," CT_AVX2

#if defined(__clang__)
#define CT_TARGET(sets)                                                                            \
    CT_PRAGMA(clang attribute push(__attribute__((target(sets))), apply_to = function))
#define CT_TARGET_END CT_PRAGMA(clang attribute pop)
#define CT_TARGET_ANY
#else
#define CT_TARGET_ANY CT_PRAGMA(GCC optimize("no-var-tracking", "no-var-tracking-assignments"))
#define CT_TARGET(sets) CT_PRAGMA(GCC push_options) CT_TARGET_ANY CT_PRAGMA(GCC target(sets))
#define CT_TARGET_END CT_PRAGMA(GCC pop_options)
#endif

#endif
