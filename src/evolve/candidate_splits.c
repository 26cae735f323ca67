#include "evolve/candidate_splits.h"

#include <string.h>

/* ---- candidates ---- */

/* Whether a set of levels has a group: the first is always on the left, others if their bit is
 * set. */
static int in_set(uint32_t candidate, uint32_t group)
{
    return group == 0 || (candidate >> (group - 1) & 1);
}

int ct_gmt_candidate_is_left(const ct_gmt_candidates *splits, uint32_t candidate, uint32_t group)
{
    int missing_left;
    CT_ASSERT(candidate < splits->n && group <= splits->n_values);
    if (splits->splitter->n_levels) return in_set(candidate, group);
    uint32_t cut = ct_candidate_cut(splits, candidate, &missing_left);
    return group == splits->n_values ? missing_left : group < cut;
}

ct_gmt_test ct_gmt_candidate_test(const ct_gmt_candidates *splits, int32_t number,
                                  uint32_t candidate)
{
    const ct_splitter *s = splits->splitter;
    ct_gmt_test test;
    CT_ASSERT(number >= 0 && candidate < splits->n);
    memset(&test, 0, sizeof test);
    test.splitter = number;
    test.missing_left = splits->missing &&
                        ct_gmt_candidate_is_left(splits, candidate, splits->n_values);
    if (s->n_levels) {
        for (uint32_t group = 0; group < splits->n_values; group++)
            if (in_set(candidate, group))
                test.levels[splits->bin[group] / 64] |= UINT64_C(1) << (splits->bin[group] % 64);
        return test;
    }
    int missing_left;
    uint32_t cut = ct_candidate_cut(splits, candidate, &missing_left);
    test.cut = cut == splits->n_values ? s->n_ranks : s->first_rank[splits->bin[cut]];
    return test;
}

/* ---- walks ---- */

static void step_to(ct_gmt_candidates *splits, int side, uint32_t group, uint32_t candidate,
                    int fresh)
{
    CT_ASSERT(splits->n_steps[side] < CT_CANDIDATE_STEPS);
    ct_candidate_step step = {(uint16_t) group, (uint16_t) candidate, fresh};
    splits->steps[side][splits->n_steps[side]++] = step;
}

/* The edges of an ordered splitter one by one, from either end. */
static void walk_edges(ct_gmt_candidates *splits)
{
    const uint32_t n = splits->n_values, second = ct_first_missing_left(splits);
    for (uint32_t group = 0; group < second; group++) step_to(splits, 0, group, group, group == 0);
    for (uint32_t group = splits->n_groups; group-- > 1;)
        step_to(splits, 1, group, group - 1, group + 1 == splits->n_groups);
    if (!splits->missing || n < 2) return;
    step_to(splits, 0, n, CT_NO_CANDIDATE, 1);
    for (uint32_t group = 0; group + 1 < n; group++) step_to(splits, 0, group, second + group, 0);
    for (uint32_t group = n; group-- > 1;)
        step_to(splits, 1, group, second + group - 1, group + 1 == n);
}

/* The sets of a factor one after the other. */
static void walk_sets(ct_gmt_candidates *splits)
{
    for (uint32_t candidate = 0; candidate < splits->n; candidate++)
        for (int side = 0; side < 2; side++) {
            int fresh = 1;
            for (uint32_t group = 0; group < splits->n_groups; group++) {
                if (in_set(candidate, group) == side) continue;
                step_to(splits, side, group, CT_NO_CANDIDATE, fresh);
                fresh = 0;
            }
            splits->steps[side][splits->n_steps[side] - 1].candidate = (uint16_t) candidate;
        }
}

void ct_gmt_candidates_init(ct_gmt_candidates *splits, const ct_splitter *splitter,
                            const uint32_t *rows, uint32_t n)
{
    uint32_t counts[CT_CANDIDATE_GROUPS] = {0};
    CT_ASSERT(n > 0 && splitter->n_bins + 1 <= CT_CANDIDATE_GROUPS);
    splits->splitter = splitter;
    splits->n_values = splits->n_steps[0] = splits->n_steps[1] = 0;
    for (uint32_t i = 0; i < n; i++) counts[splitter->bin[rows[i]]]++;
    for (uint32_t bin = 0; bin < splitter->n_bins; bin++) {
        if (!counts[bin]) continue;
        splits->group[bin] = (uint8_t) splits->n_values;
        splits->count[splits->n_values] = counts[bin];
        splits->bin[splits->n_values++] = (uint8_t) bin;
    }
    splits->missing = counts[splitter->n_bins] > 0;
    splits->n_groups = splits->n_values + (splits->missing != 0);
    if (splits->missing) {
        splits->group[splitter->n_bins] = (uint8_t) splits->n_values;
        splits->count[splits->n_values] = counts[splitter->n_bins];
        splits->bin[splits->n_values] = (uint8_t) splitter->n_bins;
    }
    if (splits->n_groups < 2) {
        splits->n = 0;
    } else if (splitter->n_levels) {
        splits->n = (1u << (splits->n_groups - 1)) - 1;
        walk_sets(splits);
    } else {
        splits->n = ct_first_missing_left(splits) + (splits->missing ? splits->n_values - 1 : 0);
        walk_edges(splits);
    }
}
