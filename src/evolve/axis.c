#include "evolve/axis.h"

#include <string.h>

/* ---- options ---- */

/* Of a factor: the first place is always on the left, of the others those whose bit is set. */
static int in_set(uint32_t option, uint32_t place)
{
    return place == 0 || (option >> (place - 1) & 1);
}

int ct_gmt_axis_is_left(const ct_gmt_axis *axis, uint32_t option, uint32_t place)
{
    int missing_left;
    CT_ASSERT(option < axis->n_options && place <= axis->n_values);
    if (axis->splitter->n_levels) return in_set(option, place);
    uint32_t cut = ct_axis_cut(axis, option, &missing_left);
    return place == axis->n_values ? missing_left : place < cut;
}

ct_gmt_test ct_gmt_axis_test(const ct_gmt_axis *axis, int32_t number, uint32_t option)
{
    const ct_splitter *s = axis->splitter;
    ct_gmt_test test;
    CT_ASSERT(number >= 0 && option < axis->n_options);
    memset(&test, 0, sizeof test);
    test.splitter = number;
    test.missing_left = axis->missing && ct_gmt_axis_is_left(axis, option, axis->n_values);
    if (s->n_levels) {
        for (uint32_t place = 0; place < axis->n_values; place++)
            if (in_set(option, place))
                test.levels[axis->bin[place] / 64] |= UINT64_C(1) << (axis->bin[place] % 64);
        return test;
    }
    int missing_left;
    uint32_t cut = ct_axis_cut(axis, option, &missing_left);
    test.cut = cut == axis->n_values ? s->n_ranks : s->first_rank[axis->bin[cut]];
    return test;
}

/* ---- walks ---- */

static void step_to(ct_gmt_axis *axis, int side, uint32_t place, uint32_t option, int fresh)
{
    CT_ASSERT(axis->n_steps[side] < CT_AXIS_STEPS);
    ct_axis_step step = {(uint16_t) place, (uint16_t) option, fresh};
    axis->steps[side][axis->n_steps[side]++] = step;
}

/* Edges one by one, from either end. */
static void walk_edges(ct_gmt_axis *axis)
{
    const uint32_t n = axis->n_values, second = ct_axis_second(axis);
    for (uint32_t place = 0; place < second; place++) step_to(axis, 0, place, place, place == 0);
    for (uint32_t place = axis->n_places; place-- > 1;)
        step_to(axis, 1, place, place - 1, place + 1 == axis->n_places);
    if (!axis->missing || n < 2) return;
    step_to(axis, 0, n, CT_AXIS_NONE, 1);
    for (uint32_t place = 0; place + 1 < n; place++) step_to(axis, 0, place, second + place, 0);
    for (uint32_t place = n; place-- > 1;)
        step_to(axis, 1, place, second + place - 1, place + 1 == n);
}

/* Set after set. */
static void walk_sets(ct_gmt_axis *axis)
{
    for (uint32_t option = 0; option < axis->n_options; option++)
        for (int side = 0; side < 2; side++) {
            int fresh = 1;
            for (uint32_t place = 0; place < axis->n_places; place++) {
                if (in_set(option, place) == side) continue;
                step_to(axis, side, place, CT_AXIS_NONE, fresh);
                fresh = 0;
            }
            axis->steps[side][axis->n_steps[side] - 1].option = (uint16_t) option;
        }
}

void ct_gmt_axis_init(ct_gmt_axis *axis, const ct_splitter *splitter, const uint32_t *rows,
                      uint32_t n)
{
    uint32_t counts[CT_AXIS_PLACES] = {0};
    CT_ASSERT(n > 0 && splitter->n_bins + 1 <= CT_AXIS_PLACES);
    axis->splitter = splitter;
    axis->n_values = axis->n_steps[0] = axis->n_steps[1] = 0;
    for (uint32_t i = 0; i < n; i++) counts[splitter->bin[rows[i]]]++;
    for (uint32_t bin = 0; bin < splitter->n_bins; bin++) {
        if (!counts[bin]) continue;
        axis->place[bin] = (uint8_t) axis->n_values;
        axis->count[axis->n_values] = counts[bin];
        axis->bin[axis->n_values++] = (uint8_t) bin;
    }
    axis->missing = counts[splitter->n_bins] > 0;
    axis->n_places = axis->n_values + (axis->missing != 0);
    if (axis->missing) {
        axis->place[splitter->n_bins] = (uint8_t) axis->n_values;
        axis->count[axis->n_values] = counts[splitter->n_bins];
        axis->bin[axis->n_values] = (uint8_t) splitter->n_bins;
    }
    if (axis->n_places < 2) {
        axis->n_options = 0;
    } else if (splitter->n_levels) {
        axis->n_options = (1u << (axis->n_places - 1)) - 1;
        walk_sets(axis);
    } else {
        axis->n_options = ct_axis_second(axis) + (axis->missing ? axis->n_values - 1 : 0);
        walk_edges(axis);
    }
}
