#include "base/compact.h"

#include "certify/rewards.h"

#include <math.h>
#include <string.h>

#include "certify/regret.h"
#include "data/hash.h"

/* Exponents are written with 2000 added; of larger ones than this the unit is no number. */
enum { VERSION = 1, MOST_TIE_BITS = 8, MOST_EXPONENT = 2900 };
static const uint64_t MAGIC = 0x796c6f70; /* "poly" */

static uint64_t hash_of(const ct_certify_rewards *data, const ct_certify_policy *claim)
{
    uint64_t hash = MAGIC;
    for (uint32_t col = 0; col < data->n_cols; col++)
        for (uint32_t row = 0; row < data->n_rows; row++)
            hash = ct_hash_double(hash, ct_column_value(&data->columns[col], row));
    for (size_t i = 0; i < (size_t) data->n_rows * data->n_actions; i++)
        hash = ct_hash_double(hash, data->rewards[i]);
    hash = ct_hash(ct_hash(hash, data->n_cols), data->n_actions);
    return ct_hash_double(ct_hash(ct_hash(hash, claim->depth), claim->min_bucket), claim->price);
}

void ct_certify_policy_begin(const ct_certify_rewards *data, const ct_certify_policy *claim,
                             ct_bytes *certificate)
{
    CT_ASSERT(data->columns && data->rewards && certificate->n == 0);
    ct_bytes_put(certificate, MAGIC);
    ct_bytes_put(certificate, VERSION);
    ct_bytes_put(certificate, hash_of(data, claim));
}

/* ---- integers ---- */

/* Regrets of a row, its best reward less each other one, in the unit, with room for the number of
 * splits below it. 0 if sums of them do not fit into 64 bits. */
static int count_row(ct_regrets *r, const ct_certify_rewards *data, uint32_t row, double *off,
                     double *all)
{
    int64_t *cost = r->cost + (size_t) row * r->n_actions, best = INT64_MIN, worst = 0;
    double most = 0;
    for (uint32_t a = 0; a < r->n_actions; a++) {
        const double reward = data->rewards[(size_t) a * data->n_rows + row],
                     steps = nearbyint(ldexp(reward, -r->exponent));
        if (!(fabs(steps) < 0x1p62)) return 0;
        cost[a] = (int64_t) steps;
        most = fmax(most, fabs(reward - ldexp(steps, r->exponent)));
        if (cost[a] > best) best = cost[a];
    }
    *off += 2 * most;
    for (uint32_t a = 0; a < r->n_actions; a++) {
        const double span = ldexp((double) best - (double) cost[a], (int) r->tie_bits);
        if (!(span < 0x1p61)) return 0;
        cost[a] = (best - cost[a]) << r->tie_bits;
        if (cost[a] > worst) worst = cost[a];
    }
    *all += (double) worst;
    return *all < 0x1p61;
}

static int count_rewards(ct_regrets *r, const ct_certify_rewards *data,
                         const ct_certify_policy *claim)
{
    double off = 0, all = 0;
    for (uint32_t row = 0; row < data->n_rows; row++)
        if (!count_row(r, data, row, &off, &all)) return 0;
    const double most = ldexp(0x1p61, -(int) r->tie_bits),
                 steps = fmin(floor(ldexp(claim->price, -r->exponent)),
                              floor(ldexp(all, -(int) r->tie_bits)) + 1);
    if (!(steps < most)) return 0;
    r->price = ((int64_t) steps << r->tie_bits) + 1;
    r->rounding = off * (1 + data->n_rows * 0x1p-52);
    /* a price that no split is worth may be taken for less */
    r->price_off = ldexp(claim->price, -r->exponent) - steps > 1
                       ? 0
                       : claim->price - ldexp(steps, r->exponent);
    return 1;
}

static ct_status take_rewards(ct_regrets *r, const ct_certify_rewards *data,
                              const ct_certify_policy *claim, ct_error *error)
{
    const ct_data all = {data->n_rows, data->n_cols, 0, data->columns, NULL, NULL, NULL,
                         data->rewards};
    r->cost = CT_ARENA_NEW(r->rows.arena, int64_t, (size_t) data->n_rows * data->n_actions);
    if (!r->cost) return ct_fail(error, CT_NO_MEMORY, "not enough memory to check a certificate");
    CT_TRY(ct_table_init(&r->rows.table, &all, r->rows.arena, error));
    r->rows.data = &all;
    const ct_status status = ct_certify_problem_rank(&r->rows, 0, error);
    r->rows.data = NULL;
    CT_TRY(status);
    r->counts = count_rewards(r, data, claim);
    return CT_OK;
}

/* ---- what follows ---- */

static void conclude(const ct_regrets *r, const ct_certify_rewards *data,
                     const ct_certify_policy *claim, int64_t least, ct_certify_result *result)
{
    const double unit = ldexp(1, r->exponent);
    const int64_t units = least >> r->tie_bits;
    double near = (double) units;
    if (near > 0x1p53 && (int64_t) near > units) near = nextafter(near, 0);
    int64_t own = claim->n_splits * r->price;
    result->rounding = r->rounding;
    result->bound = near * unit;
    if (r->rounding > 0) result->bound = fmax(0, nextafter(near * unit - r->rounding, -INFINITY));
    if (!claim->actions) return;
    for (uint32_t row = 0; row < data->n_rows; row++)
        own += r->cost[(size_t) row * r->n_actions + claim->actions[row]];
    const double prices = ((1 << claim->depth) - 1) * r->price_off,
                 slack = 2 * (r->rounding + prices) / unit;
    const int64_t above = (own - least) >> r->tie_bits;
    result->attained = own <= least || (double) above <= slack;
    result->smallest = own <= least && r->rounding == 0 && r->price_off == 0;
}

static ct_status check(ct_regrets *r, const ct_certify_rewards *data,
                       const ct_certify_policy *claim, ct_bytes_reader *reader,
                       ct_certify_result *result, ct_error *error)
{
    int64_t least;
    if (ct_bytes_get(reader) != MAGIC || ct_bytes_get(reader) != VERSION) {
        result->verdict = CT_NO_CERTIFICATE;
        return CT_OK;
    }
    if (ct_bytes_get(reader) != hash_of(data, claim) || reader->bad) {
        result->verdict = reader->bad ? CT_NO_CERTIFICATE : CT_OTHER_DATA;
        return CT_OK;
    }
    const uint64_t exponent = ct_bytes_get(reader), ties = ct_bytes_get(reader);
    result->verdict = CT_MALFORMED;
    if (reader->bad || exponent > MOST_EXPONENT || ties < claim->depth || ties > MOST_TIE_BITS)
        return CT_OK;
    r->exponent = (int) exponent - 2000;
    r->tie_bits = (unsigned) ties;
    CT_TRY(take_rewards(r, data, claim, error));
    if (!r->counts) return CT_OK;
    CT_TRY(ct_certify_regrets_prove(r, claim, reader, result, &least, error));
    if (result->verdict == CT_CERTIFIED) conclude(r, data, claim, least, result);
    return CT_OK;
}

ct_status ct_certify_policy_check(const ct_certify_rewards *data, const ct_certify_policy *claim,
                                  const uint8_t *bytes, size_t n_bytes, ct_certify_result *result,
                                  ct_error *error)
{
    ct_bytes_reader reader = {bytes, n_bytes, 0, 0};
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    ct_regrets r;
    CT_ASSERT(data->columns && data->rewards && (bytes || !n_bytes));
    memset(result, 0, sizeof *result);
    memset(&r, 0, sizeof r);
    for (uint32_t row = 0; claim->actions && row < data->n_rows; row++)
        if (claim->actions[row] >= data->n_actions)
            return ct_fail(error, CT_BAD_INPUT, "a tree must give actions that there are");
    if (claim->depth > MOST_TIE_BITS || !(claim->price >= 0))
        return ct_fail(error, CT_BAD_INPUT, "depth must be at most %d, a price at least 0",
                       MOST_TIE_BITS);
    ct_arena_init(&arena, &budget);
    r.rows.arena = &arena;
    r.rows.n_rows = data->n_rows;
    r.rows.n_cols = data->n_cols;
    r.n_actions = data->n_actions;
    r.min_bucket = claim->min_bucket ? claim->min_bucket : 1;
    const ct_status status = check(&r, data, claim, &reader, result, error);
    ct_arena_free(&arena);
    return status;
}
