/* The Bodies in exact/kernels/ with any number of lanes, against the one lane of their host twin.
 */
#include "check.h"
#include "simulated_lanes.h"

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state;
    return (x ^ x >> 33) * 0xff51afd7ed558ccdu;
}

/* What each lane gives and gets. */
static uint32_t n_lanes, values[SIMULATED_LANES_MAX], lower[SIMULATED_LANES_MAX],
    totals[SIMULATED_LANES_MAX];

static void call_scan(ct_lanes lanes, void *argument)
{
    (void) argument;
    if (lanes.lane == 0) n_lanes = lanes.width;
    lower[lanes.lane] = ct_lanes_scan(lanes, values[lanes.lane], &totals[lanes.lane]);
}

static void values_are_summed_over_lanes(void)
{
    const int widths[] = {1, 2, 3, 7, 16, 32};
    uint64_t state = 11;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint32_t sum = 0;
        for (int lane = 0; lane < widths[i]; lane++) values[lane] = (uint32_t) (next(&state) >> 40);
        simulate_team(widths[i], call_scan, NULL);
        for (uint32_t lane = 0; lane < n_lanes; lane++) {
            CHECK_INT(lower[lane], sum);
            sum += values[lane];
        }
        for (uint32_t lane = 0; lane < n_lanes; lane++) CHECK_INT(totals[lane], sum);
    }
}

static uint32_t bits[SIMULATED_LANES_MAX], largest[SIMULATED_LANES_MAX];

static void call_ballot(ct_lanes lanes, void *argument)
{
    (void) argument;
    if (lanes.lane == 0) n_lanes = lanes.width;
    bits[lanes.lane] = ct_lanes_ballot(lanes, values[lanes.lane] % 3 == 0);
    largest[lanes.lane] = lanes.width == 32 ? ct_lanes_max(lanes, values[lanes.lane]) : 0;
}

static void lanes_vote_and_compare(void)
{
    const int widths[] = {1, 5, 32, 32, 32};
    uint64_t state = 3;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint32_t expected = 0, most = 0;
        for (int lane = 0; lane < widths[i]; lane++) values[lane] = (uint32_t) (next(&state) >> 35);
        simulate_team(widths[i], call_ballot, NULL);
        for (uint32_t lane = 0; lane < n_lanes; lane++) {
            expected |= (uint32_t) (values[lane] % 3 == 0) << lane;
            if (n_lanes == 32 && values[lane] > most) most = values[lane];
        }
        for (uint32_t lane = 0; lane < n_lanes; lane++) {
            CHECK_INT(bits[lane], expected);
            CHECK_INT(largest[lane], most);
        }
    }
}

static uint32_t before[SIMULATED_LANES_MAX], shared[SIMULATED_LANES_MAX];

/* After it, each lane reads what the next one has written. */
static void call_max_before(ct_lanes lanes, void *argument)
{
    (void) argument;
    if (lanes.lane == 0) n_lanes = lanes.width;
    before[lanes.lane] = ct_lanes_max_before(lanes, values[lanes.lane], &largest[lanes.lane]);
    shared[lanes.lane] = values[lanes.lane];
    ct_lanes_sync(lanes);
    totals[lanes.lane] = shared[(lanes.lane + 1) % lanes.width];
}

static void the_largest_before_is_found(void)
{
    const int widths[] = {1, 2, 3, 7, 32};
    uint64_t state = 4;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint32_t most = 0;
        for (int lane = 0; lane < widths[i]; lane++) values[lane] = (uint32_t) (next(&state) >> 33);
        simulate_team(widths[i], call_max_before, NULL);
        for (uint32_t lane = 0; lane < n_lanes; lane++) {
            CHECK_INT(before[lane], most);
            if (values[lane] > most) most = values[lane];
            CHECK_INT(totals[lane], values[(lane + 1) % n_lanes]);
        }
        for (uint32_t lane = 0; lane < n_lanes; lane++) CHECK_INT(largest[lane], most);
    }
}

static uint32_t matrix[32], transposed[32];

static void call_transpose(ct_lanes lanes, void *argument)
{
    (void) argument;
    const ct_transposition t = ct_transposition_of(lanes.lane);
    if (lanes.width == 32)
        transposed[lanes.lane] = ct_lanes_transpose(lanes, &t, matrix[lanes.lane]);
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
    {"values are summed over lanes", values_are_summed_over_lanes},
    {"lanes vote and compare", lanes_vote_and_compare},
    {"the largest before is found", the_largest_before_is_found},
    {"bits of 32 lanes are transposed", bits_are_transposed},
};
CHECK_MAIN(cases)
