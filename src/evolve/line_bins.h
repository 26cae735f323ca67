/* The thresholds inside the bins of an ordered splitter. */
#ifndef CT_EVOLVE_LINE_BINS_H
#define CT_EVOLVE_LINE_BINS_H

#include "evolve/line_parts.h"

/* Opens those of the n bins of level 0 that may hold something better, and parts of these, down to
 * single rows. Bases, sums and costs of the level are set. */
void ct_gmt_line_open_bins(ct_line *l, uint32_t n);

#endif
