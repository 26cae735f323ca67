/* An independent check of a proof: verifies, from the data and a certificate, that no tree costs
 * less than some number.
 *
 * A certificate is bytes: a version, a hash of data and rules, and which thresholds the search
 * evaluated in which row set, one after the other (written by src/exact/search/evidence.c, which
 * says how). Nothing in it is trusted. The least cost at depth one is counted here at each
 * threshold named, deeper row sets are examined in the same way, and all other thresholds are
 * bounded by these (see proof.h). So a certificate that was tampered with proves less than the
 * original, or nothing, but never anything untrue. No code of the search is used. Orders come from
 * data/ and are checked first; integer costs come from exact/cost/, and how far these are from the
 * data is counted here, row by row. With a response the same holds for the grid that it is rounded
 * to; squares are added up here. */
#ifndef CT_CERTIFY_CERTIFY_H
#define CT_CERTIFY_CERTIFY_H

#include "base/bytes.h"
#include "data/data.h"

/* The trees that the claim is about, as in ct_exact_options, and the one that is said to be the
 * best of
 * them. */
typedef struct {
    unsigned depth;          /* 0 .. CT_CERTIFY_DEPTH */
    double complexity;
    uint32_t min_bucket, min_split, max_thresholds;
    const ct_outcome *best; /* NULL: none is */
    /* asked now and then from the calling thread; not 0: stop. May be NULL */
    int (*stop)(void *);
    void *stop_data;
    int any_size; /* as there: smaller trees of the same cost are not ruled out */
    int one_word; /* as for ct_exact_costs_init() */
} ct_certify_claim;

enum { CT_CERTIFY_DEPTH = 16 };

/* What became of a check. */
typedef enum {
    CT_CERTIFIED,       /* `bound` is proven */
    CT_NO_CERTIFICATE,  /* the bytes do not begin as they must */
    CT_OTHER_DATA,      /* it was made for other data or rules */
    CT_MALFORMED,       /* it names what there is not, or ends too soon or too late */
    CT_CHECK_STOPPED
} ct_certify_verdict;

typedef struct {
    ct_certify_verdict verdict;
    double bound;    /* proven: no tree costs less, in units of the objective; 0 unless certified */
    /* what of it was taken off: by how much the cost of a tree, counted in integers, may differ
     * from what it is. 0 where those are exact. */
    double rounding;
    double last_bits;   /* of that, what is of the last bits of doubles alone */
    int attained;       /* claim->best costs no more than any tree, but for twice the rounding */
    int smallest;       /* ... and no tree of its cost has fewer leaves */
    uint64_t thresholds;/* thresholds evaluated */
    uint64_t row_sets;  /* laid out */
} ct_certify_result;

/* Writes the beginning of a certificate for these data and rules; the evidence follows. */
void ct_certify_begin(const ct_data *data, const ct_certify_claim *claim, ct_bytes *certificate);

/* What the certificate proves. Each byte of it leads to work of at most O(rows columns classes).
 * Errors: CT_BAD_INPUT (data or claim), CT_NO_MEMORY, CT_INTERNAL (an order that came from data/ is
 * not right, or costs that do not fit into 64 bits). */
ct_status ct_certify(const ct_data *data, const ct_certify_claim *claim, const uint8_t *bytes,
                     size_t n_bytes, ct_certify_result *result, ct_error *error);

#endif
