/* The interface between R and the C library: types are checked, memory is borrowed, results are
 * copied into lists. It contains no algorithms and is the only place that raises R errors. Whatever
 * the library allocates is owned by an external pointer before any R function that can fail is
 * called. */
#ifndef CT_R_GLUE_H
#define CT_R_GLUE_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "data/data.h"
#include "tree/forest.h"
#include "base/cpu.h"
#include "base/status.h"
#include "gpu/choice.h"

/* A process cannot have many more, and OpenMP would end it. */
enum { R_MOST_THREADS = 4096 };

/* The columns of a matrix, or of a list of vectors of the same length; memory of the call. */
typedef struct {
    ct_column *columns;
    uint32_t n_rows, n_cols;
} r_columns;

r_columns r_columns_of(SEXP x);

/* Columns to learn from: an element of the list may also be a coded column, a list of two: the
 * codes of the rows (a raw vector, two bytes each) and a double for each level. */
r_columns r_training_columns_of(SEXP x);

/* A forest of one from the vectors of a tree, one value a node, indices from 1; memory of the call.
 * It may be unsound: see ct_forest_check. levels_left: NULL, or a list with NULL or a logical
 * vector for each node. */
ct_forest r_tree_of(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left,
                    SEXP levels_left);

/* A forest from `nodes`, a list of what r_tree_of takes and of `roots` (indices from 1), and
 * `leaf`: a list of `values` (a double matrix, a row a node) and, for linear models, of
 * `first_term` (from 0, one more than nodes), `column` (from 1) and `coefficient`. Memory of the
 * call; it may be unsound. */
ct_forest r_forest_of(SEXP nodes, SEXP leaf);

/* R errors of class contree_core_error, which call_core() (R/util-conditions.R) turns into one for
 * the user by `status`: of what the caller gave; of a status of the library, if it is none of
 * success; of an interrupt. */
void r_fail(const char *format, ...) CT_PRINTF(1, 2);
void r_check(ct_status status, const ct_error *error);
void r_interrupted(void);

/* The conditions that r_check() and r_interrupted() raise, to be returned; not protected. */
SEXP r_failure(ct_status status, const ct_error *error);
SEXP r_interruption(void);

/* An argument of that name, or an element, that is TRUE or FALSE. */
int r_flag(SEXP value, const char *name);

/* An element of a named list, which must be there. */
SEXP r_element(SEXP list, const char *name);

/* Elements of a control list. Numbers are at least 0, counts end at UINT32_MAX, seeds have up to 53
 * bits. */
double r_number(SEXP control, const char *name);
uint32_t r_count(SEXP control, const char *name);
uint64_t r_seed(SEXP control);
unsigned r_threads(SEXP control);
/* An argument of that name, at least 1. */
unsigned r_threads_of(SEXP threads);
ct_simd r_simd(SEXP control);

/* Which device is asked for: "cpu", "auto", "twin" or "cuda:" and its number. */
ct_gpu_choice r_device(SEXP name);

/* The n integers, or doubles, of a vector of that name, borrowed. */
const int *r_integers(SEXP value, R_xlen_t n, const char *name);
const double *r_doubles(SEXP value, R_xlen_t n, const char *name);
/* NULL for R's NULL. */
const double *r_doubles_if(SEXP value, R_xlen_t n, const char *name);

/* An element of a control list with numbers of columns from 1, as numbers from 0: memory of the
 * call, NULL where there are none. */
uint32_t *r_column_numbers(SEXP control, const char *name, uint32_t n_cols, uint32_t *n);

/* Zeroed memory of `bytes`, the address of an external pointer with that tag. When R is done with
 * the pointer, or r_release() comes before, `release` frees what the memory owns. Protect it. */
SEXP r_owner(size_t bytes, SEXP tag, void (*release)(void *memory));
void r_release(SEXP owner);

/* A list of `n` elements, or a vector of `n` numbers, with these names; protect it. */
SEXP r_named_list(const char *const *names, int n);
SEXP r_named_numbers(const char *const *names, const double *values, int n);

/* Vectors with n numbers, `plus` added to each integer; not protected. */
SEXP r_integers_from(const uint32_t *values, R_xlen_t n, int plus);
SEXP r_doubles_from(const double *values, R_xlen_t n);

/* Puts feature, threshold, left, right (from 1) and default_left of a tree's nodes into a list,
 * from element i on; returns the number of the element behind them. */
int r_put_nodes(SEXP list, int i, const ct_forest *tree);

#endif
