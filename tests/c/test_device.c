/* The door to the GPU, and the bodies that both sides share, against naive counts. */
#include "check.h"

#include "gpu/device.h"
#include "exact/kernels/block_count_body.h"

enum { MAX_WORDS = 100 };

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state;
    return (x ^ x >> 33) * 0xff51afd7ed558ccdu;
}

static int bit(const uint64_t *set, size_t i)
{
    return (int) (set[i / 64] >> (i % 64) & 1);
}

static void popcount_of_every_16_bits(void)
{
    for (uint32_t x = 0; x < 0x10000u; x++) {
        uint32_t naive = 0;
        for (int b = 0; b < 16; b++) naive += x >> b & 1;
        CHECK_INT(ct_hd_popcount(x), naive);
        CHECK_INT(ct_hd_popcount(x << 16 | x), 2 * naive);
    }
}

/* Bit by bit, as the definition reads. */
static uint32_t naive_before(const uint64_t *mask, const uint64_t *members, uint32_t block)
{
    uint32_t count = 0;
    for (size_t i = 0; i < 16 * (size_t) block; i++) count += (uint32_t) (bit(mask, i) & bit(members, i));
    return count;
}

static void compare_with_naive(const uint64_t *mask, const uint64_t *members, uint32_t n_blocks)
{
    const uint32_t untouched = 0xffffffffu;
    uint32_t before[4 * MAX_WORDS + 1];
    for (uint32_t b = 0; b <= n_blocks; b++) before[b] = untouched;
    uint32_t total = ct_block_prefix(ct_team_alone(), mask, members, n_blocks, before);
    CHECK_INT(total, naive_before(mask, members, n_blocks));
    for (uint32_t b = 0; b < n_blocks; b++) CHECK_INT(before[b], naive_before(mask, members, b));
    CHECK_INT(before[n_blocks], untouched);
}

static void block_prefix_of_random_sets(void)
{
    uint64_t state = 7, mask[MAX_WORDS], members[MAX_WORDS];
    for (int round = 0; round < (CHECK_QUICK() ? 5 : 50); round++) {
        for (int w = 0; w < MAX_WORDS; w++) {
            mask[w] = next(&state);
            members[w] = next(&state);
            if (round % 2) members[w] &= next(&state) & next(&state); /* a rare class */
        }
        compare_with_naive(mask, members, (uint32_t) (next(&state) >> 32) % (4 * MAX_WORDS + 1));
    }
}

static void block_prefix_of_extreme_sets(void)
{
    uint64_t none[MAX_WORDS], all[MAX_WORDS];
    memset(none, 0, sizeof none);
    memset(all, 0xff, sizeof all);
    for (uint32_t n_blocks = 0; n_blocks <= 9; n_blocks++) {
        compare_with_naive(all, all, n_blocks);
        compare_with_naive(all, none, n_blocks);
        compare_with_naive(none, all, n_blocks);
    }
}

static void query_says_why_or_what(void)
{
    ct_device_list list;
    memset(&list, 0xff, sizeof list);
    ct_device_query(&list);
    CHECK(list.compiled == 0 || list.compiled == 1);
    CHECK(list.n_devices >= 0 && list.n_devices <= CT_DEVICE_MAX);
    CHECK((list.n_devices == 0) == (list.reason[0] != '\0'));
    CHECK(list.compiled || list.n_devices == 0);
    for (int i = 0; i < list.n_devices; i++) {
        CHECK(list.device[i].name[0] != '\0');
        CHECK(list.device[i].memory > 0);
        CHECK(list.device[i].major > 0);
    }
    if (list.n_devices == 0) printf("  no device: %s\n", list.reason);
}

static void self_test_of_every_device(void)
{
    ct_device_list list;
    ct_device_query(&list);
    if (list.n_devices == 0) SKIP("no device");
    for (int i = 0; i < list.n_devices; i++) {
        ct_error error = {CT_OK, ""};
        CHECK_INT(ct_device_self_test(i, &error), CT_OK);
        if (error.status != CT_OK) printf("    %s\n", error.message);
    }
}

static void self_test_of_no_such_device(void)
{
    const int numbers[] = {-1, CT_DEVICE_MAX, 0x7fffffff};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ct_error error = {CT_OK, ""};
        CHECK_INT(ct_device_self_test(numbers[i], &error), CT_NO_DEVICE);
        CHECK_INT(error.status, CT_NO_DEVICE);
        CHECK(error.message[0] != '\0');
    }
    CHECK_INT(ct_device_self_test(-1, NULL), CT_NO_DEVICE); /* a caller who wants no message */
}

static const check_case cases[] = {
    {"popcount of every 16 bits", popcount_of_every_16_bits},
    {"block prefix of random sets", block_prefix_of_random_sets},
    {"block prefix of extreme sets", block_prefix_of_extreme_sets},
    {"device query says why or what", query_says_why_or_what},
    {"self test of every CUDA device", self_test_of_every_device},
    {"self test of no such CUDA device", self_test_of_no_such_device},
};
CHECK_MAIN(cases)
