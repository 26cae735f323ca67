/* To be included before all else, by files whose loops are short and hot: R is mostly built with
 * -O2, of whose time GCC's -O3 takes 2% to 6% off. Only GCC can be told so for a file. */
#ifndef CT_BASE_OPTIMISED_H
#define CT_BASE_OPTIMISED_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

#endif
