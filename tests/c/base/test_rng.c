#include "base/rng.h"
#include "check.h"

/* The known answers of Random123 1.14 (kat_vectors, philox4x32 10). */
static void known_answers(void)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } answers[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        uint32_t out[4];
        ct_philox(answers[i].counter, answers[i].key, out);
        for (int k = 0; k < 4; k++) CHECK_INT(out[k], answers[i].out[k]);
    }
}

/* Draw d of (seed, stream, path) is word d % 4 of the block with the counter (d / 4, stream, path).
 */
static void keyed(void)
{
    uint64_t seed = UINT64_C(0x299f31d0a4093822), path = UINT64_C(0x0370734413198a2e);
    uint32_t stream = 0x85a308d3, out[4];
    ct_rng rng = ct_rng_of(seed, stream, path);
    for (uint32_t draw = 0; draw < 40; draw++) {
        uint32_t counter[4] = {draw / 4, stream, (uint32_t) path, (uint32_t) (path >> 32)};
        uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
        ct_philox(counter, key, out);
        CHECK_INT(ct_rng_next(&rng), out[draw % 4]);
    }
}

/* A table of counts against the uniform law; chi-squared with n - 1 degrees is below n + 6 sqrt(2
 * n) but once in a million times. */
static double chi_squared(const uint32_t *counts, uint32_t n, double expected)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

static void below_is_uniform(void)
{
    enum { MOST = 7, DRAWS = 70000 };
    for (uint32_t n = 1; n <= MOST; n++) {
        uint32_t counts[MOST] = {0};
        ct_rng rng = ct_rng_of(1, n, 0);
        for (int i = 0; i < DRAWS; i++) {
            uint32_t x = ct_rng_below(&rng, n);
            REQUIRE(x < n);
            counts[x]++;
        }
        CHECK(chi_squared(counts, n, (double) DRAWS / n) < n + 17);
    }
}

/* With n = 3 * 2^30 a plain multiplication gives one in three numbers twice as often as the others.
 */
static void below_is_unbiased(void)
{
    enum { DRAWS = 30000 };
    uint32_t counts[3] = {0}, n = UINT32_C(3) << 30;
    ct_rng rng = ct_rng_of(7, 0, 0);
    for (int i = 0; i < DRAWS; i++) counts[ct_rng_below(&rng, n) % 3]++;
    CHECK(chi_squared(counts, 3, DRAWS / 3.0) < 20);
}

static void paths_differ(void)
{
    enum { N = 4096 };
    static uint64_t seen[N];
    for (uint32_t i = 0; i < N; i++) {
        seen[i] = 0;
        for (uint32_t bit = 12; bit-- > 0;) seen[i] = ct_rng_path(seen[i], i >> bit & 1);
    }
    int same = 0;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < i; k++) same += seen[i] == seen[k];
    CHECK_INT(same, 0);
}

static const check_case cases[] = {
    {"known answers of Random123", known_answers},
    {"draws by key", keyed},
    {"bounded draws are uniform", below_is_uniform},
    {"bounded draws are unbiased", below_is_unbiased},
    {"paths differ", paths_differ},
};

CHECK_MAIN(cases)
