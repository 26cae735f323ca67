/* Lower bounds of what trees cost on a row set, from the thresholds that a certificate names.
 *
 * For a row set S and a depth k let opt(S) be the least cost of a tree of depth k with leaves of
 * any size, D(A) what the rows of A cost at most. A tree for some rows can be used for fewer, or
 * for more:
 *
 *     A in B:  opt(A) <= opt(B),  opt(B) <= opt(A) + D(B \ A)
 *
 * Sort the rows by a column. Let a < p < b be thresholds and l(.), r(.) lower bounds of opt on
 * their left and right sides, one level down. Then
 *
 *     left side of p:    max(l(a), l(b) - D(p .. b))
 *     right side of p:   max(r(b), r(a) - D(a .. p))
 *
 * are lower bounds, and so is their sum with the cost of a split for all trees with this root. So
 * each threshold is bounded by the nearest ones that the certificate names, on either side (or by
 * the ends of the column, where l and r are 0); and S by the least of all thresholds and of the
 * leaf. The sides of a threshold that is named are bounded by the same rule from its neighbours, by
 * the class counts, by the cost of a leaf or a split, and by what is found out about them in turn:
 * by counting where they may have one split, from the thresholds named for them where they may have
 * more.
 *
 * Where leaves must have some size, the cost of allowed trees is at least opt; what is named is
 * bounded by the allowed trees of its sides as well, and thresholds that are not allowed do not
 * count. */
#ifndef CT_CERTIFY_PROOF_H
#define CT_CERTIFY_PROOF_H

#include "certify/problem.h"

/* Sets result->verdict and the counts and, if the verdict is CT_CERTIFIED, *bound, a lower bound of
 * the cost of every allowed tree. */
ct_status ct_certify_prove_again(const ct_problem *problem, const ct_certify_claim *claim,
                                 ct_bytes_reader *reader,
                                 ct_certify_result *result, int64_t *bound, ct_error *error);

#endif
