/* The thresholds inside the bins of an ordered splitter. */
#ifndef CT_EVOLVE_OPEN_BINS_H
#define CT_EVOLVE_OPEN_BINS_H

#include "evolve/splitter_search.h"

/* Opens those of the n bins of level 0 that may hold something better, and smaller bins within
 * these, down to single rows. Bases, sums and costs of the level are set. */
void ct_gmt_open_bins(ct_splitter_search *s, uint32_t n);

#endif
