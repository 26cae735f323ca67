/* The sums by bin and leaf that the search of a splitter begins with, of all rows of the node or of
 * some. Many rows are summed in pieces (pieces.h), into memory of their own. */
#ifndef CT_EVOLVE_BIN_SUMS_H
#define CT_EVOLVE_BIN_SUMS_H

#include "evolve/splitter_search.h"

/* Sums every `stride`-th row of the node into `level`. */
void ct_gmt_sum_bins(const ct_splitter_search *s, ct_bin_level *level, uint32_t stride);

/* In how many pieces the rows of the node are summed: as many as `scratch` has memory for. */
uint32_t ct_gmt_search_pieces(const ct_node_search *of, const ct_split_scratch *scratch);

/* Sums all rows into `level`, the pieces shared by `threads`; `scratch` has the pieces' memory. */
void ct_gmt_sum_pieces(const ct_splitter_search *s, ct_bin_level *level, ct_split_scratch *scratch,
                       unsigned threads);

#endif
