/* Bins of the codes that the rows of a node have in a column: narrow at both ends, wide between.
 *
 * Where a column says little, the best cut by chance is most often near an end (Ishwaran, "The
 * effect of splitting on random forests", Machine Learning 99, 2015), and leaves the node almost as
 * it was; bins of one width would put such cuts farther in, and part rows in vain.
 *
 * The range of the codes has equally wide positions, at least as many as rows. A few at both ends
 * are bins; those between are, by sixteens. */
#ifndef CT_FOREST_SCAN_MEDIUM_BINS_H
#define CT_FOREST_SCAN_MEDIUM_BINS_H

#include <stdint.h>

#include "base/hd.h"

enum {
    CT_MEDIUM_POSITIONS = 128, /* at least */
    CT_MEDIUM_ENDS = 16,       /* bins of one position, at each end */
    CT_MEDIUM_SHIFT = 4      /* bins between have 2^4 */
};

typedef struct {
    uint32_t low, scale;   /* a code is at position (code - low) * scale / 2^16 */
    uint32_t first, last;  /* positions from `first` to before `last` share bins */
} ct_medium_bins;

/* As many positions as a node of n rows has. */
CT_HD uint32_t ct_medium_positions(uint32_t n)
{
    uint32_t positions = CT_MEDIUM_POSITIONS;
    while (positions < n) positions *= 2;
    return positions;
}

/* A number that all bins of a node of n rows are below. */
CT_HD uint32_t ct_medium_most(uint32_t n)
{
    return 2 * CT_MEDIUM_ENDS + ((ct_medium_positions(n) - 2 * CT_MEDIUM_ENDS) >> CT_MEDIUM_SHIFT);
}

/* Of codes from `low` to `high`. Where there are bins for all of these, codes are bins. */
CT_HD ct_medium_bins ct_medium_bins_of(uint32_t low, uint32_t high, uint32_t n)
{
    const uint32_t positions = ct_medium_positions(n), span = high - low + 1;
    ct_medium_bins bins = {low, 65536, 0, 0};
    if (span <= ct_medium_most(n)) return bins;
    if (span > positions) bins.scale = positions * 65536 / span;
    bins.first = CT_MEDIUM_ENDS;
    bins.last = positions - CT_MEDIUM_ENDS;
    return bins;
}

/* The highest code that a bin can have. */
CT_HD uint32_t ct_medium_last(const ct_medium_bins *bins, uint32_t bin)
{
    const uint32_t shared = bins->last - bins->first, between = shared >> CT_MEDIUM_SHIFT;
    uint32_t position = bin;
    if (bin >= bins->first + between) position = bin + shared - between;
    else if (bin >= bins->first)
        position = bins->first + ((bin - bins->first + 1) << CT_MEDIUM_SHIFT) - 1;
    return bins->low + ((position + 1) * 65536 - 1) / bins->scale;
}

#endif
