/* The possible tests of a splitter on a set of rows. Its non-empty bins are called places, and the
 * tests that divide them options. Rows with a missing value have a place of their own, after the
 * others, and are tried on both sides.
 *
 * An ordered splitter divides its places at an edge, each option one place further than the one
 * before; for a factor every set of levels is an option. Plain data without pointers. */
#ifndef CT_EVOLVE_AXIS_H
#define CT_EVOLVE_AXIS_H

#include "evolve/model_tree.h"

enum {
    CT_AXIS_LEVELS = 8,   /* of a factor at most */
    CT_AXIS_PLACES = CT_MODEL_BINS + 1,
    CT_AXIS_OPTIONS = 2 * CT_MODEL_BINS,
    CT_AXIS_STEPS = (CT_AXIS_LEVELS + 1) << CT_AXIS_LEVELS, /* no less than an ordered one needs */
    CT_AXIS_NONE = 0xffff
};

/* One step on a walk over all options of a side: add what is at `place` to the running sum, which
 * begins again from nothing where `fresh`; then it is that of `option`, if that is not
 * CT_AXIS_NONE. */
typedef struct {
    uint16_t place, option;
    int fresh;
} ct_axis_step;

typedef struct {
    const ct_splitter *splitter;
    uint32_t n_values;     /* places of rows with a value; behind them that of the others */
    int missing;           /* there is such a place */
    uint32_t n_places, n_options;
    uint8_t bin[CT_AXIS_PLACES];      /* of the table, by place */
    uint8_t place[CT_AXIS_PLACES];    /* by bin of the table; of those without rows anything */
    uint32_t count[CT_AXIS_PLACES];   /* rows by place */
    uint32_t n_steps[2];
    ct_axis_step steps[2][CT_AXIS_STEPS]; /* of the left side and of the right one */
} ct_gmt_axis;

/* A factor has at most CT_AXIS_LEVELS levels. */
void ct_gmt_axis_init(ct_gmt_axis *axis, const ct_splitter *splitter, const uint32_t *rows,
                      uint32_t n);

/* Ordered: the options with rows without a value on the left begin here, after those with all of
 * these on the right. */
static inline uint32_t ct_axis_second(const ct_gmt_axis *axis)
{
    return axis->n_values ? axis->n_values - 1 + (axis->missing != 0) : 0;
}

/* Ordered: how many places an option has on the left, and whether rows without a value are. */
static inline uint32_t ct_axis_cut(const ct_gmt_axis *axis, uint32_t option, int *missing_left)
{
    uint32_t second = ct_axis_second(axis);
    *missing_left = option >= second;
    return (option >= second ? option - second : option) + 1;
}

int ct_gmt_axis_is_left(const ct_gmt_axis *axis, uint32_t option, uint32_t place);
/* The option as a test of the splitter `number`. */
ct_gmt_test ct_gmt_axis_test(const ct_gmt_axis *axis, int32_t number, uint32_t option);

#endif
