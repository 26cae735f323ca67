/* To be included before all else, by files whose code is large and seldom runs: it gets half the
 * size. Only GCC can be told so for a file. */
#ifndef CT_BASE_COMPACT_H
#define CT_BASE_COMPACT_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("Os")
#endif

#endif
