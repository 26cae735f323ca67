/* The Bodies in exact/kernels/ with any number of lanes, against the one lane of their host twin. */
#include "check.h"
#include "simulated_team.h"

#include "exact/kernels/block_count_body.h"

enum { MAX_WORDS = 40, MAX_BLOCKS = 4 * MAX_WORDS };

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state;
    return (x ^ x >> 33) * 0xff51afd7ed558ccdu;
}

typedef struct {
    const uint64_t *mask, *members;
    uint32_t n_blocks, n_lanes;
    uint32_t before[MAX_BLOCKS + 1];
    uint32_t total[SIMULATED_LANES_MAX]; /* what each lane returned */
} prefix_call;

static void call_prefix(ct_team team, void *argument)
{
    prefix_call *call = (prefix_call *) argument;
    if (team.lane == 0) call->n_lanes = team.width;
    call->total[team.lane] = ct_block_prefix(team, call->mask, call->members, call->n_blocks, call->before);
}

static void compare_with_one_lane(const uint64_t *mask, const uint64_t *members, uint32_t n_blocks, int width)
{
    prefix_call one = {mask, members, n_blocks, 0, {0}, {0}}, many = one;
    simulate_team(1, call_prefix, &one);
    simulate_team(width, call_prefix, &many);
    CHECK(memcmp(many.before, one.before, sizeof one.before) == 0); /* also what must stay untouched */
    for (uint32_t lane = 0; lane < many.n_lanes; lane++) CHECK_INT(many.total[lane], one.total[0]);
}

static void block_prefix_with_any_number_of_lanes(void)
{
    const int widths[] = {2, 3, 7, 16, 32};
    uint64_t state = 11, mask[MAX_WORDS], members[MAX_WORDS];
    for (int round = 0; round < (CHECK_QUICK() ? 2 : 20); round++) {
        for (int w = 0; w < MAX_WORDS; w++) {
            mask[w] = next(&state);
            members[w] = next(&state);
        }
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            compare_with_one_lane(mask, members, (uint32_t) (next(&state) >> 32) % (MAX_BLOCKS + 1), widths[i]);
    }
}

static void block_prefix_of_few_blocks(void)
{
    uint64_t all[MAX_WORDS];
    memset(all, 0xff, sizeof all);
    for (uint32_t n_blocks = 0; n_blocks <= 9; n_blocks++) compare_with_one_lane(all, all, n_blocks, 4);
}

static uint32_t matrix[32], transposed[32];

static void call_transpose(ct_team team, void *argument)
{
    (void) argument;
    if (team.width == 32) transposed[team.lane] = ct_team_transpose(team, matrix[team.lane]);
}

static void bits_are_transposed(void)
{
    uint64_t state = 5;
    for (int round = 0; round < 3; round++) {
        for (int lane = 0; lane < 32; lane++) {
            matrix[lane] = (uint32_t) (next(&state) >> 32);
            transposed[lane] = ~matrix[lane];
        }
        simulate_team(32, call_transpose, NULL);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 32; j++) CHECK_INT(transposed[i] >> j & 1, matrix[j] >> i & 1);
    }
}

static const check_case cases[] = {
    {"block prefix with any number of lanes", block_prefix_with_any_number_of_lanes},
    {"block prefix of few blocks", block_prefix_of_few_blocks},
    {"bits of 32 lanes are transposed", bits_are_transposed},
};
CHECK_MAIN(cases)
