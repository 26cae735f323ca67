/* Squared errors of depth two and three on features of few values, solved by sums: those of the
 * response over the rows in every two and every three tests, each triple once
 * (kernels/response/triples.h). A part of triples.h for a numeric response.
 *
 * Sums are of rounded responses, and scores of them in single precision. They are off by no more
 * than a margin, within which every root, and of a root every second test, is added up again in
 * 64-bit integers. So what is found is what the search over root splits finds, and a bound of a
 * root that was not added up again is off by the margin.
 *
 * With h bits left out, rows r of weight w_r off by e_r, and G what the leaves of a tree save in
 * all: sqrt(G) is the length of a projection of the response, so rounding moves it by no more than
 * E = sqrt(sum e_r^2 / w_r), and G by E (2 sqrt(Q) + E), where Q is all that can be saved. Floats
 * are rounded ten times on the way to a total, each time by 2^-24 of Q and the prices of the splits
 * at most. */
#ifndef CT_EXACT_SEARCH_SUMS_H
#define CT_EXACT_SEARCH_SUMS_H

#include "exact/search/counting.h"

/* Fills in x->value, x->best, x->found and x->below. */
ct_status ct_sums_solve(ct_counting *x, ct_arena *arena);

/* Writes a side of the root that was found. */
void ct_sums_write_side(const ct_counting *x, int side, ct_split_code *tree);

#endif
