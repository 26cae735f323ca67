/* .Call entries of certificates. */
#include "base/compact.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "r/callbacks.h"
#include "r/certify.h"
#include "r/exact.h"
#include "exact/prove.h"

static ct_certify_claim claim_of(const ct_exact_options *options)
{
    ct_certify_claim claim = {.depth = options->depth, .complexity = options->complexity,
                              .min_bucket = options->min_bucket, .min_split = options->min_split,
                              .max_thresholds = options->max_thresholds, .stop = options->stop,
                              .stop_data = options->stop_data, .any_size = options->any_size};
    return claim;
}

static void free_bytes(void *bytes) { ct_bytes_free((ct_bytes *) bytes); }

SEXP r_bytes_handle(ct_bytes **bytes, double limit)
{
    CT_ASSERT(limit >= 0);
    SEXP pointer = r_owner(sizeof **bytes, R_NilValue, free_bytes);
    *bytes = (ct_bytes *) R_ExternalPtrAddr(pointer);
    (*bytes)->limit = limit < (double) (SIZE_MAX / 4) ? (size_t) limit : SIZE_MAX / 4;
    return pointer;
}

static SEXP raw_of(const ct_bytes *bytes)
{
    CT_ASSERT(bytes->bytes || !bytes->n);
    SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t) bytes->n);
    if (bytes->n) memcpy(RAW(out), bytes->bytes, bytes->n);
    return out;
}

SEXP r_certificate_of(const ct_bytes *bytes, const char *end, double seconds)
{
    static const char *const names[] = {"log", "status", "elapsed"};
    SEXP list = PROTECT(r_named_list(names, 3));
    SET_VECTOR_ELT(list, 0, raw_of(bytes));
    SET_VECTOR_ELT(list, 1, Rf_mkString(end));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal(seconds));
    UNPROTECT(1);
    return list;
}

/* list(log, status, elapsed): the bytes, of the proof that no tree costs less than `bound` or, with
 * labels, than that tree; how it ended; see ct_exact_end_name(). They are whole if that is
 * "optimal". */
SEXP ffi_certificate(SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP bound, SEXP labels,
                     SEXP n_splits, SEXP limit)
{
    r_problem problem = r_problem_of(columns, y, n_classes, control);
    r_callbacks calls;
    ct_bytes *bytes;
    ct_error error;
    ct_exact_end end;
    double start = ct_seconds();
    ct_outcome tree;
    const ct_outcome *best = r_outcome_of(labels, n_splits, &problem.data, &tree);
    SEXP handle = PROTECT(r_bytes_handle(&bytes, Rf_asReal(limit)));
    PROTECT(r_callbacks_begin(&calls, R_NilValue, &problem.options));
    ct_certify_claim claim = claim_of(&problem.options);
    ct_certify_begin(&problem.data, &claim, bytes);
    ct_status status = ct_exact_prove(&problem.data, &problem.options, Rf_asReal(bound), best,
                                      bytes, &end, &error);
    r_callbacks_jump_if(&calls, handle);
    r_check(status, &error);
    SEXP list = PROTECT(r_certificate_of(bytes, ct_exact_end_name(end), ct_seconds() - start));
    r_release(handle);
    UNPROTECT(3);
    return list;
}

static const char *verdict_name(ct_certify_verdict verdict)
{
    static const char *const names[] = {"certified", "no certificate", "other data", "malformed",
                                        "stopped"};
    CT_ASSERT((size_t) verdict < sizeof names / sizeof *names);
    return names[verdict];
}

SEXP r_checked(const ct_certify_result *checked, double seconds)
{
    static const char *const names[] = {"verdict",  "bound",  "rounding", "attained",
                                        "smallest", "thresholds", "row_sets", "elapsed",
                                        "last_bits"};
    SEXP list = PROTECT(r_named_list(names, 9));
    SET_VECTOR_ELT(list, 0, Rf_mkString(verdict_name(checked->verdict)));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal(checked->bound));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal(checked->rounding));
    SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(checked->attained));
    SET_VECTOR_ELT(list, 4, Rf_ScalarLogical(checked->smallest));
    SET_VECTOR_ELT(list, 5, Rf_ScalarReal((double) checked->thresholds));
    SET_VECTOR_ELT(list, 6, Rf_ScalarReal((double) checked->row_sets));
    SET_VECTOR_ELT(list, 7, Rf_ScalarReal(seconds));
    SET_VECTOR_ELT(list, 8, Rf_ScalarReal(checked->last_bits));
    UNPROTECT(1);
    return list;
}

/* What the certificate (a raw vector) proves, and whether a tree (see r_outcome_of) attains it. */
SEXP ffi_certify(SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP labels, SEXP n_splits,
                 SEXP certificate)
{
    if (TYPEOF(certificate) != RAWSXP) Rf_error("a certificate must be a raw vector");
    r_problem problem = r_problem_of(columns, y, n_classes, control);
    r_callbacks calls;
    ct_certify_result checked;
    ct_error error;
    double start = ct_seconds();
    ct_outcome tree;
    const ct_outcome *best = r_outcome_of(labels, n_splits, &problem.data, &tree);
    PROTECT(r_callbacks_begin(&calls, R_NilValue, &problem.options));
    ct_certify_claim claim = claim_of(&problem.options);
    claim.best = best;
    size_t n = (size_t) Rf_xlength(certificate);
    ct_status status = ct_certify(&problem.data, &claim, RAW_RO(certificate), n, &checked, &error);
    r_callbacks_jump_if(&calls, NULL);
    r_check(status, &error);
    SEXP list = r_checked(&checked, ct_seconds() - start);
    UNPROTECT(1);
    return list;
}
