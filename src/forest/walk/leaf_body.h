/* What leaves of forests of classes say, for host and device. */
#ifndef CT_FOREST_WALK_LEAF_BODY_H
#define CT_FOREST_WALK_LEAF_BODY_H

#include "base/hd.h"
#include "forest/hist_forest.h"

/* `next` is that of a leaf, `counts` those of all leaves of its tree. */

/* Of lists, see ct_hist_tree. */
CT_HD uint32_t ct_list_label(const uint32_t *list)
{
    const uint32_t *best = list + 1;
    for (const uint32_t *at = list + 3; at < list + 1 + 2 * (size_t) list[0]; at += 2)
        if (at[1] > best[1]) best = at;
    return best[0];
}

CT_HD void ct_list_add_shares(const uint32_t *list, int64_t *shares)
{
    uint64_t sum = 0;
    const uint32_t *end = list + 1 + 2 * (size_t) list[0];
    for (const uint32_t *at = list + 1; at < end; at += 2) sum += at[1];
    for (const uint32_t *at = list + 1; at < end; at += 2)
        shares[at[0]] += (int64_t) (((uint64_t) at[1] << 32) / sum);
}

/* The largest class, the first of equal ones. */
CT_HD uint32_t ct_leaf_label(uint32_t next, const uint32_t *counts, uint32_t n_classes)
{
    uint32_t label = 0;
    if (!(next & CT_HIST_MIXED)) return ct_forest_pure_class(next, n_classes);
    counts += (size_t) (next & ~CT_HIST_MIXED) * ct_forest_leaf_width(n_classes);
    if (ct_hist_is_many(n_classes)) return ct_list_label(counts);
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
        shares[ct_forest_pure_class(next, n_classes)] += (int64_t) 1 << 32;
        return;
    }
    counts += (size_t) (next & ~CT_HIST_MIXED) * ct_forest_leaf_width(n_classes);
    if (ct_hist_is_many(n_classes)) {
        ct_list_add_shares(counts, shares);
        return;
    }
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
