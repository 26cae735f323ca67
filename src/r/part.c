/* A search in parts (exact/run/part.h) between R and C.
 *
 * control$part: NULL, or a list of
 *   from            NULL: all thresholds; or what is open, as below
 *   done            NULL, or the `known` of all parts before
 *   pause, most     seconds and thresholds after which no further one is begun
 *   one_of_several  1: other parts follow; else 0
 *   kept            NULL, or what ffi_part_keep() has made, for parts of one search alone
 *   wanted          NULL, or the name of a file: the part pauses once it was there and is not
 * and what comes back:
 *   open       list, one element a range: feature (from 1), first, last (ranks of thresholds),
 *              rows, proven (no tree there costs less), ends (a raw vector each)
 *   known      of all other thresholds: integers of 64 bits as the columns of a matrix of two rows,
 *              the upper and the lower 31 bits
 *   evaluated  thresholds
 *   tree       cost (as in `known`), feature and threshold of the root: of two trees the one with
 *              the first of these in order is better
 *   searched   FALSE: the search had no part in it, and the rest is void */
#include "base/compact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exact/bound/kept.h"
#include "r/exact.h"

enum { LOW_BITS = 31 };

/* Seconds between two looks at a file. */
static const double LOOK_EVERY = 0.02;

/* ---- integers of 64 bits ---- */

static void put_cost(double *pair, int64_t cost)
{
    CT_ASSERT(cost >= 0);
    pair[0] = (double) (cost >> LOW_BITS);
    pair[1] = (double) (cost & (((int64_t) 1 << LOW_BITS) - 1));
}

static int64_t cost_of(const double *pair)
{
    double most = (double) (UINT32_MAX >> 1);
    if (!(pair[0] >= 0 && pair[0] <= most && pair[1] >= 0 && pair[1] <= most))
        r_fail("what is known of the search is damaged");
    return (int64_t) pair[0] * ((int64_t) 1 << LOW_BITS) + (int64_t) pair[1];
}

/* ---- what a process keeps ---- */

static void free_kept(void *kept) { ct_exact_kept_free((ct_exact_kept *) kept); }

SEXP ffi_part_keep(void)
{
    return r_owner(sizeof(ct_exact_kept), Rf_install("contree_kept"), free_kept);
}

/* Frees what ffi_part_keep() made at once, without waiting for the garbage collector. */
SEXP ffi_part_forget(SEXP owner)
{
    if (TYPEOF(owner) == EXTPTRSXP && R_ExternalPtrTag(owner) == Rf_install("contree_kept"))
        r_release(owner);
    return R_NilValue;
}

static ct_exact_kept *kept_of(SEXP owner)
{
    if (owner == R_NilValue) return NULL;
    if (TYPEOF(owner) != EXTPTRSXP || R_ExternalPtrTag(owner) != Rf_install("contree_kept") ||
        !R_ExternalPtrAddr(owner))
        r_fail("what is kept of the search is not there");
    return (ct_exact_kept *) R_ExternalPtrAddr(owner);
}

/* ---- what is asked for ---- */

/* A part, and the file that is there as long as it is wanted. */
typedef struct {
    ct_exact_part part;
    const char *file; /* borrowed from R */
    double look_at;
} request;

static int is_there(const char *file)
{
    FILE *f = fopen(file, "rb");
    if (f) fclose(f);
    return f != NULL;
}

static int is_wanted(void *data)
{
    request *a = (request *) data;
    double now = ct_seconds();
    if (now < a->look_at) return 1;
    a->look_at = now + LOOK_EVERY;
    return is_there(a->file);
}

static void set_wanted(request *a, SEXP file)
{
    if (file == R_NilValue) return;
    if (TYPEOF(file) != STRSXP || Rf_xlength(file) != 1) r_fail("a file has a name");
    a->file = R_ExpandFileName(CHAR(STRING_ELT(file, 0)));
    if (!is_there(a->file)) return; /* this machine cannot see it */
    size_t size = strlen(a->file) + 1;
    a->file = (const char *) memcpy(R_alloc(size, 1), a->file, size);
    a->part.wanted = is_wanted;
    a->part.wanted_data = a;
}

static void free_part(void *memory) { ct_exact_part_free(&((request *) memory)->part); }

/* The bytes of all ranges, one after the other; memory of the call. */
static void join_ends(SEXP ends, ct_exact_open *open)
{
    size_t n = 0;
    for (uint32_t i = 0; i < open->n; i++) {
        if (TYPEOF(VECTOR_ELT(ends, i)) != RAWSXP) r_fail("open ranges have raw vectors as ends");
        open->ranges[i].at = n;
        n += (size_t) Rf_xlength(VECTOR_ELT(ends, i));
    }
    open->ends.bytes = (uint8_t *) R_alloc(n + 1, 1);
    open->ends.n = n;
    for (uint32_t i = 0; i < open->n; i++) {
        SEXP raw = VECTOR_ELT(ends, i);
        memcpy(open->ends.bytes + open->ranges[i].at, RAW_RO(raw), (size_t) Rf_xlength(raw));
    }
}

/* Open ranges from R, in memory of the call: ct_exact_part_free() must not free them. */
static const ct_exact_open *open_of(SEXP list)
{
    SEXP feature = r_element(list, "feature"), first = r_element(list, "first"),
         last = r_element(list, "last"), ends = r_element(list, "ends");
    R_xlen_t n = Rf_xlength(feature);
    if (TYPEOF(feature) != INTSXP || TYPEOF(first) != INTSXP || TYPEOF(last) != INTSXP ||
        TYPEOF(ends) != VECSXP || Rf_xlength(first) != n || Rf_xlength(last) != n ||
        Rf_xlength(ends) != n)
        r_fail("open ranges must be a list of integers, and of raw vectors, of the same length");
    ct_exact_open *open = (ct_exact_open *) R_alloc(1, sizeof *open);
    memset(open, 0, sizeof *open);
    open->n = (uint32_t) n;
    open->ranges = (ct_exact_range *) R_alloc((size_t) n + 1, sizeof *open->ranges);
    memset(open->ranges, 0, (size_t) n * sizeof *open->ranges);
    for (R_xlen_t i = 0; i < n; i++) {
        open->ranges[i].feature = (uint32_t) (INTEGER_RO(feature)[i] - 1);
        open->ranges[i].first = (uint32_t) INTEGER_RO(first)[i];
        open->ranges[i].last = (uint32_t) INTEGER_RO(last)[i];
    }
    join_ends(ends, open);
    return open;
}

static const int64_t *done_of(SEXP known, uint32_t n_cols)
{
    if (known == R_NilValue) return NULL;
    const double *pairs = r_doubles(known, 2 * ((R_xlen_t) n_cols + 1), "done");
    int64_t *done = (int64_t *) R_alloc((size_t) n_cols + 1, sizeof *done);
    for (uint32_t i = 0; i <= n_cols; i++) done[i] = cost_of(pairs + 2 * (size_t) i);
    return done;
}

SEXP r_part_begin(SEXP list, ct_exact_options *options, uint32_t n_cols)
{
    if (list == R_NilValue) return R_NilValue;
    SEXP from = r_element(list, "from");
    double most = r_number(list, "most");
    SEXP owner = PROTECT(r_owner(sizeof(request), R_NilValue, free_part));
    request *a = (request *) R_ExternalPtrAddr(owner);
    ct_exact_part *part = &a->part;
    part->from = from == R_NilValue ? NULL : open_of(from);
    part->done = done_of(r_element(list, "done"), n_cols);
    part->pause = r_number(list, "pause");
    part->most = most < 1e15 ? (uint64_t) most : UINT64_MAX;
    part->one_of_several = r_number(list, "one_of_several") != 0;
    part->kept = kept_of(r_element(list, "kept"));
    set_wanted(a, r_element(list, "wanted"));
    options->part = part;
    UNPROTECT(1);
    return owner;
}

/* ---- what is answered ---- */

static SEXP raw_of(const ct_exact_open *open, uint32_t i)
{
    size_t at = open->ranges[i].at,
           end = i + 1 < open->n ? open->ranges[i + 1].at : open->ends.n;
    CT_ASSERT(i < open->n && at <= end && end <= open->ends.n);
    SEXP raw = Rf_allocVector(RAWSXP, (R_xlen_t) (end - at));
    if (end > at) memcpy(RAW(raw), open->ends.bytes + at, end - at);
    return raw;
}

static SEXP open_list(const ct_exact_open *open)
{
    static const char *const names[] = {"feature", "first", "last", "rows", "proven", "ends"};
    static const SEXPTYPE types[] = {INTSXP, INTSXP, INTSXP, REALSXP, REALSXP, VECSXP};
    SEXP list = PROTECT(r_named_list(names, 6));
    for (int i = 0; i < 6; i++) SET_VECTOR_ELT(list, i, Rf_allocVector(types[i], open->n));
    for (uint32_t i = 0; i < open->n; i++) {
        const ct_exact_range *range = &open->ranges[i];
        INTEGER(VECTOR_ELT(list, 0))[i] = (int) range->feature + 1;
        INTEGER(VECTOR_ELT(list, 1))[i] = (int) range->first;
        INTEGER(VECTOR_ELT(list, 2))[i] = (int) range->last;
        REAL(VECTOR_ELT(list, 3))[i] = range->rows;
        REAL(VECTOR_ELT(list, 4))[i] = range->proven;
        SET_VECTOR_ELT(VECTOR_ELT(list, 5), i, raw_of(open, i));
    }
    UNPROTECT(1);
    return list;
}

static SEXP tree_of(const ct_exact_part *part)
{
    SEXP tree = Rf_allocVector(REALSXP, 4);
    put_cost(REAL(tree), part->cost);
    REAL(tree)[2] = part->feature + 1;
    REAL(tree)[3] = part->threshold;
    return tree;
}

SEXP r_part_answer(SEXP owner, uint32_t n_cols)
{
    static const char *const names[] = {"open", "known", "evaluated", "tree", "searched"};
    if (owner == R_NilValue) return R_NilValue;
    const ct_exact_part *part = &((const request *) R_ExternalPtrAddr(owner))->part;
    CT_ASSERT(part->known && (part->open.ranges || !part->open.n));
    SEXP list = PROTECT(r_named_list(names, 5));
    SET_VECTOR_ELT(list, 0, open_list(&part->open));
    SET_VECTOR_ELT(list, 1, Rf_allocMatrix(REALSXP, 2, (int) n_cols + 1));
    for (uint32_t i = 0; i <= n_cols; i++)
        put_cost(REAL(VECTOR_ELT(list, 1)) + 2 * (size_t) i, part->known[i]);
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double) part->evaluated));
    SET_VECTOR_ELT(list, 3, tree_of(part));
    SET_VECTOR_ELT(list, 4, Rf_ScalarLogical(part->searched));
    r_release(owner);
    UNPROTECT(1);
    return list;
}
