/* The sums by bin and leaf that a line search at a splitter begins with, of all rows of the node or
 * of some. Those of many rows are summed in pieces (pieces.h), into memory of their own. */
#ifndef CT_EVOLVE_LINE_SUMS_H
#define CT_EVOLVE_LINE_SUMS_H

#include "evolve/line_parts.h"

/* Of every `stride`-th row of the node, into `level`. */
void ct_gmt_line_sum_bins(const ct_line *l, ct_line_level *level, uint32_t stride);

/* In how many pieces the rows of the node are summed: as many as `scratch` has memory for. */
uint32_t ct_gmt_line_pieces(const ct_line_node *of, const ct_line_scratch *scratch);

/* Sums all rows into `level`, the pieces shared by `threads`; `scratch` has the pieces' memory. */
void ct_gmt_line_sum_pieces(const ct_line *l, ct_line_level *level, ct_line_scratch *scratch,
                            unsigned threads);

#endif
