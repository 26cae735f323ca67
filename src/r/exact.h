/* The problem of a search as R gives it: columns, class codes from 1 and control, see
 * search_control() in R. Memory of the call. */
#ifndef CT_R_EXACT_H
#define CT_R_EXACT_H

#include "r/glue.h"
#include "exact/exact.h"

typedef struct {
    ct_data data;
    ct_exact_options options; /* but for roots, start and callbacks */
} r_problem;

/* A search in parts: what control$part asks for, which may be NULL, becomes options->part; what
 * comes back owns it, and belongs into r_part_answer() after the search. Protect both values. */
SEXP r_part_begin(SEXP part, ct_exact_options *options, uint32_t n_cols);
SEXP r_part_answer(SEXP owner, uint32_t n_cols);

/* A tree as the class codes, from 1, that its leaves give the rows, or the numbers of their leaves,
 * and the number of its splits; NULL for no codes. `tree` and memory of the call hold it. */
const ct_outcome *r_outcome_of(SEXP labels, SEXP n_splits, const ct_data *data, ct_outcome *tree);

r_problem r_problem_of(SEXP columns, SEXP y, SEXP n_classes, SEXP control);

/* Which columns the root may be split on, a logical a column; memory of the call. */
const uint8_t *r_roots_of(SEXP allowed, uint32_t n_cols);

/* An empty result that R owns; and a result as ffi_exact_solve() returns it. Protect both. */
SEXP r_exact_result(ct_exact_result **result);
SEXP r_result_list(const ct_exact_result *result, uint32_t n_cols, SEXP where, int interrupted,
                   SEXP part);

#endif
