/* The best cuts by entropy. Sums of logs[k] = k log(k) are exact (criteria.h), so that rows, runs
 * and lanes may come in any order. */
#ifndef CT_FOREST_SPLIT_ENTROPY_H
#define CT_FOREST_SPLIT_ENTROPY_H

#include "forest/split/search.h"

/* Of bins in histograms of classes, as the scan's gini(). */
void ct_forest_scan_entropy(const ct_hist_search *s, uint32_t n_bins, int missing_left,
                            unsigned lanes, unsigned width, ct_bin_cut *cuts);

/* Of a small node whose rows are in order of the codes of one candidate, order[n]; run_of[row] is
 * the run of each. 1 if a score is above *best. */
int ct_forest_small_entropy(const ct_hist_search *s, const int16_t *codes, const uint8_t *order,
                            const uint8_t *run_of, double *best, int16_t *code);

#endif
