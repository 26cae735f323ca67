/* The problem of a search as R gives it: columns, class codes from 1 and control, see
 * search_control() in R. Memory of the call. */
#ifndef CT_R_EXACT_H
#define CT_R_EXACT_H

#include "r_glue.h"
#include "exact/exact.h"

typedef struct {
    ct_data data;
    ct_options options; /* but for roots, start and callbacks */
} r_problem;

r_problem r_problem_of(SEXP columns, SEXP y, SEXP n_classes, SEXP control);

#endif
