#include "r/growth.h"

#include <string.h>

/* A call of the learner's R function, whose arguments are the histogram and the info. */
typedef struct {
    SEXP learner;
    const ct_learner_round *round;
    ct_learner_answer *answers;
} learner_call;

/* The histogram as an R array [bin, class, feature, leaf]. */
static SEXP histogram_of(const ct_learner_round *round)
{
    CT_ASSERT(round->n_classes > 0 && round->n_features > 0 && round->n_leaves > 0);
    R_xlen_t n = (R_xlen_t) CT_LEARNER_BINS * round->n_classes * round->n_features *
        round->n_leaves;
    SEXP out = PROTECT(Rf_allocVector(INTSXP, n)), dim = PROTECT(Rf_allocVector(INTSXP, 4));
    memcpy(INTEGER(out), round->histogram, (size_t) n * sizeof(int));
    INTEGER(dim)[0] = CT_LEARNER_BINS;
    INTEGER(dim)[1] = (int) round->n_classes;
    INTEGER(dim)[2] = (int) round->n_features;
    INTEGER(dim)[3] = (int) round->n_leaves;
    Rf_setAttrib(out, R_DimSymbol, dim);
    UNPROTECT(2);
    return out;
}

static SEXP info_of(const ct_learner_round *round)
{
    static const char *const names[] = {"tree", "depth", "features", "bins", "rows", "weight"};
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) round->tree + 1));
    SET_VECTOR_ELT(list, i++, Rf_ScalarInteger((int) round->depth));
    SET_VECTOR_ELT(list, i++, r_integers_from(round->features, round->n_features, 1));
    SET_VECTOR_ELT(list, i++, r_integers_from(round->n_bins, round->n_features, 0));
    SET_VECTOR_ELT(list, i++, r_integers_from(round->rows, round->n_leaves, 0));
    SET_VECTOR_ELT(list, i++, r_integers_from(round->weights, round->n_leaves, 0));
    UNPROTECT(1);
    return list;
}

/* The function gives three integers a leaf, of which R code has looked over the values: feature and
 * bin from 1 (NA: none), and 0 or 1. */
static SEXP call_learner(void *data)
{
    learner_call *a = (learner_call *) data;
    uint32_t n = a->round->n_leaves;
    SEXP histogram = PROTECT(histogram_of(a->round)), info = PROTECT(info_of(a->round));
    SEXP call = PROTECT(Rf_lang3(a->learner, histogram, info));
    SEXP answer = PROTECT(Rf_eval(call, R_GlobalEnv));
    const int *own = r_integers(answer, 3 * (R_xlen_t) n, "answers of the learner");
    for (uint32_t i = 0; i < n; i++, own += 3) {
        int none = own[0] == NA_INTEGER || own[1] == NA_INTEGER || own[0] < 1 || own[1] < 1;
        CT_ASSERT(none || (uint32_t) own[0] <= a->round->n_features);
        CT_ASSERT(none || own[1] < CT_LEARNER_BINS);
        a->answers[i].feature = none ? -1 : own[0] - 1;
        a->answers[i].bin = none ? 0 : (uint32_t) own[1] - 1;
        a->answers[i].missing_left = own[2] == 1;
    }
    UNPROTECT(4);
    return R_NilValue;
}

int r_growth_learn(void *data, const ct_learner_round *round, ct_learner_answer *answers)
{
    r_growth *calls = (r_growth *) data;
    CT_ASSERT(calls->learner != R_NilValue && answers);
    learner_call a = {calls->learner, round, answers};
    return r_callbacks_call(&calls->guard, call_learner, &a);
}

int r_growth_stop(void *data)
{
    return r_callbacks_stop(&((r_growth *) data)->guard);
}

void r_growth_report(void *data, uint32_t trees, double seconds)
{
    double numbers[2] = {seconds, trees};
    r_callbacks_report(&((r_growth *) data)->guard, numbers, 2);
}
