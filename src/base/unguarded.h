/* To be included before all else, by files whose functions are called every few hundred nanoseconds
 * and have arrays on the stack: where a distribution has compilers guard the stack (Debian's builds
 * of R do), a look at the guard in each call takes up to an eighth of the time. Their arrays have
 * sizes that assertions hold. Only GCC can be told so for a file. */
#ifndef CT_BASE_UNGUARDED_H
#define CT_BASE_UNGUARDED_H

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC optimize("no-stack-protector")
#endif

#endif
