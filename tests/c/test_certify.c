/* Certificates: what the search proves is proven again; what was tampered with proves nothing that is untrue. The least
 * costs come from brute.h, which shares nothing with either. */
#include "certify/certify.h"
#include "brute.h"
#include "instance_random.h"
#include "exact/prove.h"
#include "solve.h"

static brute second_opinion;

static ct_claim claim_of(const ct_options *options)
{
    ct_claim claim = {options->depth, options->complexity, options->min_bucket, options->min_split, options->max_thresholds,
                      NULL, NULL};
    return claim;
}

/* A certificate for the bound; freed by ct_bytes_free. */
static ct_bytes certificate_for(const ct_data *data, const ct_options *options, double bound)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_claim claim = claim_of(options);
    ct_end end;
    ct_error error;
    ct_certificate_begin(data, &claim, &bytes);
    CHECK_INT(ct_prove(data, options, bound, &bytes, &end, &error), CT_OK);
    CHECK_INT(end, CT_END_OPTIMAL);
    return bytes;
}

static ct_certified check(const ct_data *data, const ct_options *options, const uint8_t *bytes, size_t n)
{
    ct_claim claim = claim_of(options);
    ct_certified checked;
    ct_error error = {CT_OK, ""};
    ct_status status = ct_certify(data, &claim, bytes, n, &checked, &error);
    if (!CHECK_INT(status, CT_OK)) printf("    %s\n", error.message);
    return checked;
}

/* Solves, certifies, checks; returns the bound that is proven again, or -1. */
static double proven_again(const ct_data *data, const ct_options *options, double *cost)
{
    ct_result result;
    if (!solve(data, options, &result)) return -1;
    ct_bytes bytes = certificate_for(data, options, result.bound);
    ct_certified checked = check(data, options, bytes.bytes, bytes.n);
    CHECK_INT(checked.verdict, CT_CERTIFIED);
    double slack = checked.slack + 1e-9;
    if (!CHECK(checked.bound >= result.bound - slack && checked.bound <= result.cost + slack))
        printf("    bound %.12g, checked %.12g, cost %.12g\n", result.bound, checked.bound, result.cost);
    *cost = result.cost;
    ct_result_free(&result);
    ct_bytes_free(&bytes);
    return checked.verdict == CT_CERTIFIED ? checked.bound : -1;
}

/* A small table and options of all kinds. */
static ct_options small_problem(rng *r, random_table *t)
{
    ct_options options = ct_options_default();
    uint32_t n_rows = 2 + rng_below(r, 11), n_classes = 1 + rng_below(r, 4);
    options.depth = rng_below(r, 5);
    *t = table_random(r, n_rows, 1 + rng_below(r, 3), n_classes, 1);
    if (rng_below(r, 3) == 0) options.complexity = rng_below(r, 8) / 8.0 / n_rows;
    if (rng_below(r, 3) == 0) options.min_bucket = 1 + rng_below(r, 4);
    if (rng_below(r, 4) == 0) options.min_split = 1 + rng_below(r, n_rows);
    if (rng_below(r, 3) == 0) table_add_weights(t, r);
    if (n_classes > 1 && rng_below(r, 3) == 0) table_add_loss(t, r);
    return options;
}

static void least_costs_are_proven_again(void)
{
    int n = CHECK_QUICK() ? 100 : 4000;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed};
        random_table t;
        ct_options options = small_problem(&r, &t);
        double cost = 0, least = brute_optimum(&second_opinion, &t.data, &options), scale = 1e-9 * (1 + fabs(least));
        double bound = proven_again(&t.data, &options, &cost);
        if (!CHECK(fabs(cost - least) <= 1e4 * scale && fabs(bound - least) <= 1e4 * scale + rounded_off(&t.data)))
            printf("    seed %d: least %.12g, cost %.12g, bound %.12g\n", seed, least, cost, bound);
        table_free(&t);
    }
}

/* Some more rows, with a gap, fewer thresholds and all shortcuts on and off. */
static void bounds_of_any_search_are_proven_again(void)
{
    int n = CHECK_QUICK() ? 5 : 100;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed + 500};
        static const unsigned depths[] = {2, 2, 3, 3, 4};
        unsigned depth = depths[rng_below(&r, CHECK_QUICK() ? 3 : 5)];
        random_table t = random_shape(&r, 4);
        ct_options options = random_options(&r, depth, t.data.n_rows);
        options.memory_limit = SIZE_MAX;
        /* without others it takes long */
        if (depth > 2) options.off &= UINT32_C(1) << CT_SHORTCUT_HINTS | UINT32_C(1) << CT_SHORTCUT_MEDIANS;
        double cost;
        if (proven_again(&t.data, &options, &cost) < 0) printf("    seed %d\n", seed);
        table_free(&t);
    }
}

/* What is proven must never be above the least cost, whatever the bytes. */
static void check_never_above(const random_table *t, const ct_options *options, const uint8_t *bytes, size_t n, double least)
{
    ct_certified checked = check(&t->data, options, bytes, n);
    if (checked.verdict != CT_CERTIFIED) CHECK(checked.bound == 0);
    else CHECK(checked.bound <= least + checked.slack + 1e-9 * fabs(least));
}

static void tampered_bytes_prove_nothing_untrue(void)
{
    int n = CHECK_QUICK() ? 20 : 1000;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed + 9000};
        random_table t;
        ct_options options = small_problem(&r, &t);
        options.depth = 2 + rng_below(&r, 2);
        double least = brute_optimum(&second_opinion, &t.data, &options);
        ct_bytes whole = certificate_for(&t.data, &options, least);
        uint8_t *bytes = (uint8_t *) malloc(whole.n + 8);
        for (int i = 0; i < 100; i++) {
            memcpy(bytes, whole.bytes, whole.n);
            /* mostly behind the hash, which would end the check */
            size_t from = rng_below(&r, 10) && whole.n > 18 ? 18 : 0, size = whole.n;
            for (uint32_t flips = rng_below(&r, 3) + 1; flips; flips--)
                bytes[from + rng_below(&r, (uint32_t) (whole.n - from))] ^= (uint8_t) (1 << rng_below(&r, 8));
            if (rng_below(&r, 5) == 0) size = rng_below(&r, (uint32_t) whole.n + 1);
            if (rng_below(&r, 5) == 0) bytes[size++] = (uint8_t) rng_next(&r);
            check_never_above(&t, &options, bytes, size, least);
        }
        free(bytes);
        ct_bytes_free(&whole);
        table_free(&t);
    }
}

/* A certificate that is cut off anywhere, or goes on, is refused. */
static void ends_matter(void)
{
    rng r = {42};
    random_table t = table_random(&r, 60, 3, 2, 0);
    ct_options options = ct_options_default();
    ct_bytes whole = certificate_for(&t.data, &options, solved_cost(&t.data, &options));
    for (size_t n = 0; n < whole.n; n++) CHECK(check(&t.data, &options, whole.bytes, n).verdict != CT_CERTIFIED);
    ct_bytes_put(&whole, 0);
    CHECK_INT(check(&t.data, &options, whole.bytes, whole.n).verdict, CT_MALFORMED);
    CHECK_INT(check(&t.data, &options, (const uint8_t *) "nothing of the kind", 19).verdict, CT_NO_CERTIFICATE);
    ct_bytes_free(&whole);
    table_free(&t);
}

/* The bytes of the evidence alone, under a beginning made for these data. */
static ct_bytes with_other_beginning(const ct_bytes *from, const ct_data *data, const ct_options *options, size_t begin)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_claim claim = claim_of(options);
    ct_certificate_begin(data, &claim, &bytes);
    for (size_t i = begin; i < from->n; i++) {
        ct_bytes_put(&bytes, 0);
        bytes.bytes[bytes.n - 1] = from->bytes[i];
    }
    return bytes;
}

static size_t beginning(const ct_data *data, const ct_options *options)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_claim claim = claim_of(options);
    ct_certificate_begin(data, &claim, &bytes);
    size_t n = bytes.n;
    ct_bytes_free(&bytes);
    return n;
}

/* One datum changed: noticed by the hash; and where the hash is forged, only what is true of the new data is proven. */
static void tampered_data_are_noticed(void)
{
    int n = CHECK_QUICK() ? 20 : 200, weaker = 0;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed + 4000};
        random_table t;
        ct_options options = small_problem(&r, &t);
        options.depth = 2 + rng_below(&r, 2);
        double before = brute_optimum(&second_opinion, &t.data, &options);
        ct_bytes bytes = certificate_for(&t.data, &options, before);
        size_t begin = beginning(&t.data, &options);
        uint32_t row = rng_below(&r, t.data.n_rows);
        double *x = &table_column(&t, 0)[row];
        if (t.data.n_classes > 1 && rng_below(&r, 2)) t.classes[row] = (t.classes[row] + 1) % (int32_t) t.data.n_classes;
        else *x = *x < 0.5 ? 0.75 : 0.25;
        CHECK_INT(check(&t.data, &options, bytes.bytes, bytes.n).verdict, CT_OTHER_DATA);
        double after = brute_optimum(&second_opinion, &t.data, &options);
        ct_bytes forged = with_other_beginning(&bytes, &t.data, &options, begin);
        check_never_above(&t, &options, forged.bytes, forged.n, after);
        weaker += after < before;
        ct_bytes_free(&forged);
        ct_bytes_free(&bytes);
        table_free(&t);
    }
    CHECK(weaker > 0);
}

/* Evidence that is left out is missed: the next larger bound is not proven, nor the bound without most of the thresholds. */
static void evidence_is_needed(void)
{
    rng r = {6};
    random_table t = table_random(&r, 200, 4, 2, 0);
    ct_options options = ct_options_default();
    for (options.depth = 2; options.depth < 4; options.depth++) {
        double cost = solved_cost(&t.data, &options);
        ct_bytes whole = certificate_for(&t.data, &options, cost), none = {NULL, 0, 0, SIZE_MAX, 0};
        ct_certified checked = check(&t.data, &options, whole.bytes, whole.n);
        CHECK(checked.verdict == CT_CERTIFIED && checked.bound == cost && checked.points > 0);
        ct_claim claim = claim_of(&options);
        ct_certificate_begin(&t.data, &claim, &none);
        ct_bytes_put(&none, 0);
        checked = check(&t.data, &options, none.bytes, none.n);
        CHECK(checked.verdict == CT_CERTIFIED && checked.bound < cost && checked.points == 0);
        /* a certificate of less proves less, or at most the cost */
        ct_bytes half = certificate_for(&t.data, &options, cost / 2);
        checked = check(&t.data, &options, half.bytes, half.n);
        CHECK(half.n < whole.n && checked.bound >= floor(cost / 2) && checked.bound <= cost);
        ct_bytes_free(&whole);
        ct_bytes_free(&none);
        ct_bytes_free(&half);
    }
    table_free(&t);
}

/* Other rules than those it was made for are refused. */
static void rules_matter(void)
{
    rng r = {8};
    random_table t = table_random(&r, 50, 3, 3, 0);
    ct_options options = ct_options_default(), other;
    ct_bytes bytes = certificate_for(&t.data, &options, solved_cost(&t.data, &options));
    for (int i = 0; i < 5; i++) {
        other = options;
        if (i == 0) other.depth = 2;
        if (i == 1) other.complexity = 0.01;
        if (i == 2) other.min_bucket = 3;
        if (i == 3) other.min_split = 9;
        if (i == 4) other.max_thresholds = 10;
        CHECK_INT(check(&t.data, &other, bytes.bytes, bytes.n).verdict, CT_OTHER_DATA);
    }
    CHECK_INT(check(&t.data, &options, bytes.bytes, bytes.n).verdict, CT_CERTIFIED);
    ct_bytes_free(&bytes);
    table_free(&t);
}

static int at_once(void *unused)
{
    (void) unused;
    return 1;
}

static void it_ends_when_asked_to(void)
{
    rng r = {9};
    random_table t = table_random(&r, 200, 4, 2, 0);
    ct_options options = ct_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_bytes bytes = certificate_for(&t.data, &options, cost), small = {NULL, 0, 0, 50, 0};
    ct_claim claim = claim_of(&options);
    ct_certified checked;
    ct_error error;
    ct_end end;
    claim.stop = at_once;
    CHECK_INT(ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &error), CT_OK);
    CHECK_INT(checked.verdict, CT_CHECK_STOPPED);
    CHECK_INT(ct_prove(&t.data, &options, cost, &small, &end, &error), CT_OK);
    CHECK(end == CT_END_MEMORY && small.n <= 60);
    ct_bytes_free(&bytes);
    ct_bytes_free(&small);
    table_free(&t);
}

static void too_little_memory_is_an_error(void)
{
    rng r = {10};
    random_table t = table_random(&r, 80, 3, 3, 0);
    ct_options options = ct_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_bytes bytes = certificate_for(&t.data, &options, cost);
    ct_claim claim = claim_of(&options);
    for (int after = 0; after < 20; after++) {
        ct_certified checked;
        ct_error error;
        ct_alloc_fail_after(after);
        ct_status status = ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &error);
        ct_alloc_fail_after(-1);
        if (status == CT_OK) CHECK(checked.verdict == CT_CERTIFIED && checked.bound == cost);
        else CHECK_INT(status, CT_NO_MEMORY);
    }
    ct_bytes_free(&bytes);
    table_free(&t);
}

static void numbers_survive_bytes(void)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    for (int shift = 0; shift < 64; shift++) ct_bytes_put(&bytes, (UINT64_C(1) << shift) - (shift & 1));
    ct_bytes_put(&bytes, UINT64_MAX);
    ct_bytes_reader reader = {bytes.bytes, bytes.n, 0, 0};
    for (int shift = 0; shift < 64; shift++) CHECK(ct_bytes_get(&reader) == (UINT64_C(1) << shift) - (shift & 1));
    CHECK(ct_bytes_get(&reader) == UINT64_MAX && !reader.bad && reader.at == reader.n);
    CHECK(ct_bytes_get(&reader) == 0 && reader.bad);
    const uint8_t endless[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 127};
    ct_bytes_reader bad = {endless, sizeof endless, 0, 0};
    CHECK(ct_bytes_get(&bad) == 0 && bad.bad);
    ct_bytes_free(&bytes);
}

static const check_case cases[] = {
    {"numbers survive bytes", numbers_survive_bytes},
    {"least costs are proven again", least_costs_are_proven_again},
    {"bounds of any search are proven again", bounds_of_any_search_are_proven_again},
    {"evidence is needed", evidence_is_needed},
    {"rules matter", rules_matter},
    {"ends matter", ends_matter},
    {"tampered bytes prove nothing untrue", tampered_bytes_prove_nothing_untrue},
    {"tampered data are noticed", tampered_data_are_noticed},
    {"it ends when asked to", it_ends_when_asked_to},
    {"too little memory is an error", too_little_memory_is_an_error},
};

CHECK_MAIN(cases)
