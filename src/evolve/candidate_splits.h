/* The candidate splits of a splitter on a set of rows. The rows of a bin that is not empty are a
 * group, which no candidate divides. Rows with a missing value are a group of their own, after the
 * others, and are tried on both sides.
 *
 * An ordered splitter divides its groups at an edge, each candidate one group further than the one
 * before; for a factor every set of levels is a candidate. Plain data without pointers. */
#ifndef CT_EVOLVE_CANDIDATE_SPLITS_H
#define CT_EVOLVE_CANDIDATE_SPLITS_H

#include "evolve/model_tree.h"

enum {
    CT_CANDIDATE_LEVELS = 8, /* of a factor at most */
    CT_CANDIDATE_GROUPS = CT_MODEL_BINS + 1,
    /* of a factor, and no fewer than an ordered splitter needs */
    CT_CANDIDATE_STEPS = (CT_CANDIDATE_LEVELS + 1) << CT_CANDIDATE_LEVELS,
    CT_NO_CANDIDATE = 0xffff
};

/* One step on a walk over all candidates of a side: the group is added to the running sum, which
 * begins again from nothing where `fresh`; then it is the sum of `candidate`, if that is not
 * CT_NO_CANDIDATE. */
typedef struct {
    uint16_t group, candidate;
    int fresh;
} ct_candidate_step;

typedef struct {
    const ct_splitter *splitter;
    uint32_t n_values;                  /* groups of rows with a value */
    int missing;                        /* there is a group of rows without a value, behind these */
    uint32_t n_groups;                  /* with it */
    uint32_t n;                         /* candidates */
    uint8_t bin[CT_CANDIDATE_GROUPS];   /* of the table, by group */
    uint8_t group[CT_CANDIDATE_GROUPS]; /* by bin of the table; undefined for empty bins */
    uint32_t count[CT_CANDIDATE_GROUPS]; /* rows by group */
    uint32_t n_steps[2];
    ct_candidate_step steps[2][CT_CANDIDATE_STEPS]; /* of the left side and of the right one */
} ct_gmt_candidates;

/* A factor has at most CT_CANDIDATE_LEVELS levels. */
void ct_gmt_candidates_init(ct_gmt_candidates *splits, const ct_splitter *splitter,
                            const uint32_t *rows, uint32_t n);

/* Of an ordered splitter, the first candidate with the missing values on the left; candidates
 * before it have them on the right. */
static inline uint32_t ct_first_missing_left(const ct_gmt_candidates *splits)
{
    return splits->n_values ? splits->n_values - 1 + (splits->missing != 0) : 0;
}

/* Of an ordered splitter, how many groups a candidate has on the left, and whether missing values
 * are there. */
static inline uint32_t ct_candidate_cut(const ct_gmt_candidates *splits, uint32_t candidate,
                                        int *missing_left)
{
    uint32_t second = ct_first_missing_left(splits);
    *missing_left = candidate >= second;
    return (candidate >= second ? candidate - second : candidate) + 1;
}

int ct_gmt_candidate_is_left(const ct_gmt_candidates *splits, uint32_t candidate, uint32_t group);

/* The candidate as a test of the splitter `number`. */
ct_gmt_test ct_gmt_candidate_test(const ct_gmt_candidates *splits, int32_t number,
                                  uint32_t candidate);

#endif
