/* What the trees of a forest share while they grow. */
#ifndef CT_FOREST_GROWER_H
#define CT_FOREST_GROWER_H

#include "forest/hist_forest.h"
#include "forest/sample/sample.h"
#include "forest/scan/scan.h"
#include "forest/split/criteria.h"
#include "forest/words.h"

/* Nothing of it changes while trees grow. */
typedef struct {
    const ct_hist_data *data;
    const ct_hist_options *options;
    const ct_hist_codes *codes;
    const ct_scan *scan;
    const ct_criterion *criterion;
    uint32_t n_rows, n_cols, n_classes, block;
    uint32_t leaf_weight;    /* nodes of so little weight are leaves */
    ct_hist_sampler sampler; /* owned, as all below */
    uint32_t *order;         /* [n_rows] rows by class, then by number */
    uint32_t *places;        /* [n_rows] where rows are in it; NULL: numbers, which are in order */
    double *logs;            /* [sample + 1] of entropy; NULL: others */
    double lift;             /* what a score has more by weight of the node */
    uint32_t *column_upto;   /* [n_cols] weights of columns summed up; NULL: all alike */
    uint32_t *class_end;     /* [n_classes] in it; numbers: one for all */
    int32_t *quantised;          /* [n_rows] numbers, in units from the centre; NULL: classes */
    double centre, unit;     /* of these; with exposures the rate of which they are what is more */
    double rate;             /* of all rows, with exposures */
    int32_t *exposure;       /* [n_rows] as whole numbers above 0; NULL: there are none */
    double exposure_unit;
    int exponent, bits;      /* of the unit; of whole numbers, besides the sign */
    int is_wide;             /* nodes may have units of their own, see quantise.h */
    int has_own_quantised;       /* nodes may have whole numbers of their own */
    double gain_scale;           /* from gains to integer units, where these have one word */
    /* of sums over trees */
    ct_words out_words, gain_words, harm_words;
    int local_low;           /* exponent of the unit of local importance */
    int has_missing;         /* some column has */
    int has_subtrees;        /* small ones grow as subtree.h says */
    int need_out;            /* the leaves of out-of-bag rows are wanted */
} ct_grower;

ct_status ct_forest_grower_init(ct_grower *grower, const ct_hist_data *data,
                                const ct_hist_options *options, ct_error *error);
void ct_forest_grower_free(ct_grower *grower);

/* Whether sides of a cut must have more than one row. */
static inline int ct_has_buckets(const ct_grower *grower)
{
    return grower->options->min_bucket > 1;
}

/* Whether some cuts must not be made. */
static inline int ct_has_limits(const ct_grower *grower)
{
    return ct_has_buckets(grower) || grower->data->monotone;
}

/* Whether a side with some of a node's weight, or the other one, has less than it must. */
static inline int ct_is_scarce(const ct_grower *grower, uint32_t side, uint32_t weight)
{
    const uint32_t least = grower->options->min_bucket;
    return side < least || weight - side < least;
}

/* Runs of a node's items: one a class; numbers: one. */
static inline uint32_t ct_runs_of(const ct_grower *grower)
{
    return grower->n_classes ? grower->n_classes : 1;
}

#endif
