/* Numbers of a response as whole ones, so that sums over rows are exact.
 *
 * Units are powers of two, so that sums of forests grown apart are exact as well. Whole numbers
 * have 24 bits with their sign, and up to 31 where units would otherwise be coarser than a
 * millionth of what numbers typically deviate: the median distance from their median, of those not
 * equal to it. Where not even these are enough, since some numbers are very far out, the forest is
 * wide: nodes whose numbers lie close together have units of their own. Sums over nodes and trees
 * then have several words (words.h). */
#ifndef CT_FOREST_GROW_QUANTISE_H
#define CT_FOREST_GROW_QUANTISE_H

#include "forest/grow/scratch.h"

/* Whole numbers, centre, units and words of the grower. 0 if memory ends. */
int ct_forest_quantise(ct_grower *grower);

/* Wide: numbers of a node that span so few units that rounding them could matter are made whole
 * anew, from the middle of the lowest and the highest. A matter of the node's rows alone. */
void ct_forest_quantise_node(ct_hist_scratch *scratch, ct_hist_task *task);

#endif
