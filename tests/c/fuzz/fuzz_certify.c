/* libFuzzer: ct_certify with any bytes. It never proves more than is true. */
#include <float.h>

#include "absolute.h"
#include "certify/certify.h"
#include "fuzz_api.h"

enum { PROBLEMS = 256 };

/* Problem `number`, from a seed: few rows of all kinds. */
static ct_exact_options small_problem(uint32_t number, random_table *t)
{
    rng r = {number};
    ct_exact_options options = ct_exact_options_default();
    *t = table_random(&r, 2 + rng_below(&r, 8), 1 + rng_below(&r, 3), 1 + rng_below(&r, 3), 1);
    options.depth = rng_below(&r, 4);
    if (rng_below(&r, 3) == 0) options.complexity = rng_below(&r, 8) / 8.0 / t->data.n_rows;
    if (rng_below(&r, 3) == 0) options.min_bucket = 1 + rng_below(&r, 3);
    if (rng_below(&r, 3) == 0) table_add_weights(t, &r);
    if (t->data.n_classes > 1 && rng_below(&r, 3) == 0) table_add_loss(t, &r);
    return options;
}

/* What the best tree costs, found once for each problem. */
static long double least_cost(uint32_t number, const random_table *t,
                              const ct_exact_options *options)
{
    static absolute second_opinion;
    static long double known[PROBLEMS];
    static uint8_t is_known[PROBLEMS];
    if (!is_known[number])
        known[number] = absolute_optimum(&second_opinion, &t->data, options).cost;
    is_known[number] = 1;
    return known[number];
}

/* Three times of four the fuzzer's bytes follow a beginning that fits the problem; else they are
 * all there is. In memory of their length, so that reading on is seen; the caller frees it. */
static uint8_t *certificate_of(fuzz_bytes *b, const ct_data *data, const ct_certify_claim *claim,
                               size_t *n)
{
    ct_bytes begin = {NULL, 0, 0, SIZE_MAX, 0};
    if (!fuzz_rarely(b, 4)) ct_certify_begin(data, claim, &begin);
    size_t rest = (size_t) (b->end - b->at);
    uint8_t *whole = (uint8_t *) malloc(begin.n + rest);
    *n = begin.n + rest;
    if (begin.n) memcpy(whole, begin.bytes, begin.n);
    if (rest) memcpy(whole + begin.n, b->at, rest);
    ct_bytes_free(&begin);
    return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    fuzz_bytes b = {input, input + size};
    uint32_t number = fuzz_byte(&b) % PROBLEMS;
    random_table t;
    ct_exact_options options = small_problem(number, &t);
    ct_certify_claim claim = {options.depth,
                              options.complexity,
                              options.min_bucket,
                              options.min_split,
                              options.max_thresholds,
                              NULL,
                              NULL,
                              NULL,
                              options.any_size,
                              0};
    long double least = least_cost(number, &t, &options);
    ct_certify_result checked;
    ct_error error = {CT_OK, ""};
    size_t n;
    uint8_t *whole = certificate_of(&b, &t.data, &claim, &n);
    FUZZ_REQUIRE(ct_certify(&t.data, &claim, whole, n, &checked, &error) == CT_OK);
    FUZZ_REQUIRE(checked.verdict == CT_CERTIFIED || checked.bound == 0);
    FUZZ_REQUIRE(checked.bound <= least * (1 + 64 * (long double) LDBL_EPSILON));
    free(whole);
    table_free(&t);
    return 0;
}
