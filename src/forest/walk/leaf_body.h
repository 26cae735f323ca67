/* What leaves of forests of classes say, for host and device. */
#ifndef CT_FOREST_WALK_LEAF_BODY_H
#define CT_FOREST_WALK_LEAF_BODY_H

#include "base/hd.h"
#include "forest/hist_forest.h"

/* `next` is that of a leaf, `counts` those of all leaves of its tree. */

/* The largest class, the first of equal ones. */
CT_HD uint32_t ct_leaf_label(uint32_t next, const uint32_t *counts, uint32_t n_classes)
{
    uint32_t label = 0;
    if (!(next & CT_HIST_MIXED)) return next % CT_HIST_CLASSES;
    counts += (size_t) (next & ~CT_HIST_MIXED) * n_classes;
    for (uint32_t c = 1; c < n_classes; c++)
        if (counts[c] > counts[label]) label = c;
    return label;
}

/* Adds the shares of the classes, in units of 2^-32. */
CT_HD void ct_leaf_add_shares(uint32_t next, const uint32_t *counts, uint32_t n_classes,
                              int64_t *shares)
{
    uint64_t sum = 0;
    if (!(next & CT_HIST_MIXED)) {
        shares[next % CT_HIST_CLASSES] += (int64_t) 1 << 32;
        return;
    }
    counts += (size_t) (next & ~CT_HIST_MIXED) * n_classes;
    for (uint32_t c = 0; c < n_classes; c++) sum += counts[c];
    for (uint32_t c = 0; c < n_classes; c++)
        if (counts[c]) shares[c] += (int64_t) (((uint64_t) counts[c] << 32) / sum);
}

/* The first of the largest sums. */
CT_HD uint32_t ct_leaf_most(const int64_t *sums, uint32_t n_classes)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < n_classes; c++)
        if (sums[c] > sums[best]) best = c;
    return best;
}

#endif
