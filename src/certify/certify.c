#include "certify/certify.h"

#include <string.h>

#include "certify/objective.h"
#include "certify/proof.h"
#include "data/hash.h"

/* A certificate of a numeric response has a version of its own: its thresholds go with its grid. */
enum { VERSION = 1, RESPONSE_VERSION = 2 };
static const uint64_t MAGIC = 0x6572746e6f63; /* "contre" */

static uint64_t version_of(const ct_data *data)
{
    return data->response ? RESPONSE_VERSION : VERSION;
}

/* ---- the hash ---- */

/* Tells apart what happens to be other data or rules. Who wants to can make two of the same hash,
 * and proves nothing by it. */
static uint64_t hash_of(const ct_data *data, const ct_certify_claim *claim)
{
    uint64_t hash = ct_data_hash(data, MAGIC);
    hash = ct_hash_double(ct_hash(hash, claim->depth), claim->complexity);
    hash = ct_hash(ct_hash(hash, claim->min_bucket), claim->min_split);
    hash = ct_hash(hash, claim->max_thresholds);
    return claim->any_size ? ct_hash(hash, 1) : hash;
}

void ct_certify_begin(const ct_data *data, const ct_certify_claim *claim, ct_bytes *certificate)
{
    CT_ASSERT(data->columns && claim->depth <= CT_CERTIFY_DEPTH && certificate->n == 0);
    ct_bytes_put(certificate, MAGIC);
    ct_bytes_put(certificate, version_of(data));
    ct_bytes_put(certificate, hash_of(data, claim));
}

/* ---- the check ---- */

/* Labels that there are, or as many leaves as splits make, and splits that a tree may have. */
static ct_status look_at(const ct_outcome *tree, const ct_data *data, ct_error *error)
{
    int fine = !tree || tree->n_splits < data->n_rows;
    for (uint32_t row = 0; fine && tree && row < data->n_rows; row++)
        fine = tree->labels[row] >= 0 &&
               (uint32_t) tree->labels[row] < (data->response ? tree->n_splits + 1
                                                              : data->n_classes);
    return fine ? CT_OK
                : ct_fail(error, CT_BAD_INPUT,
                          "a tree must have fewer splits than rows, and labels that there are");
}

static ct_status check(const ct_data *data, const ct_certify_claim *claim, ct_bytes_reader *reader,
                       ct_arena *arena, ct_certify_result *result, ct_error *error)
{
    ct_problem problem;
    CT_TRY(look_at(claim->best, data, error));
    CT_TRY(ct_certify_problem_init(&problem, data, claim, arena, error));
    if (ct_bytes_get(reader) != MAGIC || ct_bytes_get(reader) != version_of(data)) {
        result->verdict = CT_NO_CERTIFICATE;
        return CT_OK;
    }
    uint64_t hash = ct_bytes_get(reader);
    if (reader->bad || hash != hash_of(data, claim)) {
        result->verdict = reader->bad ? CT_NO_CERTIFICATE : CT_OTHER_DATA;
        return CT_OK;
    }
    int64_t bound;
    CT_TRY(ct_certify_prove_again(&problem, claim, reader, result, &bound, error));
    if (result->verdict == CT_CERTIFIED)
        ct_certify_objective_prove(&problem, bound, claim->best, result);
    return CT_OK;
}

ct_status ct_certify(const ct_data *data, const ct_certify_claim *claim, const uint8_t *bytes,
                     size_t n_bytes, ct_certify_result *result, ct_error *error)
{
    ct_bytes_reader reader = {bytes, n_bytes, 0, 0};
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    CT_ASSERT(data->columns && (bytes || !n_bytes));
    memset(result, 0, sizeof *result);
    if (claim->depth > CT_CERTIFY_DEPTH || !(claim->complexity >= 0) ||
        !(claim->complexity <= 1e300))
        return ct_fail(error, CT_BAD_INPUT, "depth must be between 0 and %d, complexity at least 0",
                       CT_CERTIFY_DEPTH);
    ct_arena_init(&arena, &budget);
    ct_status status = check(data, claim, &reader, &arena, result, error);
    ct_arena_free(&arena);
    return status;
}
