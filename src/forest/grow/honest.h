/* Honest trees (Wager, Athey: Estimation and inference of heterogeneous treatment effects using
 * random forests, 2018): one part of a tree's sample chooses the splits, the other is what its
 * leaves say. */
#ifndef CT_FOREST_GROW_HONEST_H
#define CT_FOREST_GROW_HONEST_H

#include "forest/grow/scratch.h"

/* The tree just grown, with leaves of the rows that it was not grown from. A split that has none of
 * them on a side is taken out, as grf does it: the other side takes its place. Rows left out arrive
 * at their leaves. 0 if memory ends. */
int ct_forest_refill_leaves(ct_hist_scratch *scratch);

#endif
