/* Nodes of more classes than CT_HIST_CLASSES: rows come in the order of their bins, and what each
 * side of a border is worth is kept up row by row. Work is in proportion to the rows and memory to
 * the rows and classes, where histograms would take bins times classes. */
#ifndef CT_FOREST_SPLIT_MANY_H
#define CT_FOREST_SPLIT_MANY_H

#include "forest/split/search.h"

static inline int ct_has_many_runs(const ct_hist_search *s)
{
    return s->task->n_runs > CT_HIST_CLASSES;
}

/* The bins of a candidate: of items, in their order, or of the view's rows. */
typedef struct {
    const uint8_t *bins;
    int by_place;
    uint32_t n_bins;
} ct_many_bins;

/* Which run each item is of: before the borders of any candidate are looked at. */
void ct_forest_begin_many(const ct_hist_search *s);

/* Items in the order of their bins; the weights of these become those of the lane. */
void ct_forest_sort_many(const ct_hist_search *s, const ct_many_bins *b, unsigned lane);

/* The best border of those sorted last, as the scan's gini(). */
void ct_forest_scan_many(const ct_hist_search *s, const ct_many_bins *b, int missing_left,
                         ct_bin_cut *cut);

#endif
