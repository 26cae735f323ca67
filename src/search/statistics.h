/* Counters of one search: X(field, "name", "meaning"). */
#ifndef CT_SEARCH_STATISTICS_H
#define CT_SEARCH_STATISTICS_H

#include <stdint.h>

#define CT_STATISTICS(X)                                                                                 \
    X(nodes, "nodes", "row sets whose root split was searched, depth three and more")                    \
    X(depth2, "depth two", "depth-two problems solved")                                                  \
    X(thresholds, "thresholds", "root thresholds evaluated")                                             \
    X(thresholds2, "thresholds at depth two", "of these, in depth-two problems")                         \
    X(closed_counts, "closed by class counts", "thresholds closed by class counts alone")                \
    X(scans, "scans", "child features scanned for a threshold")                                          \
    X(skipped_children, "child features skipped", "scans avoided by bounds from neighbouring thresholds") \
    X(refined, "blocks refined", "blocks of rows looked into")                                           \
    X(intervals, "intervals closed", "intervals of thresholds closed by their bounds")                   \
    X(skipped_thresholds, "thresholds skipped", "rows by which windows were narrowed")                   \
    X(skipped_roots, "root features skipped", "root features closed by a neighbouring row set")          \
    X(quadrant_hits, "quadrant hits", "row sets closed by remembered bounds")                            \
    X(containers, "containers", "row sets laid out anew")                                                \
    X(planes, "planes built", "bit planes built, in features")

typedef struct {
#define CT_STATISTIC_FIELD(field, name, text) uint64_t field;
    CT_STATISTICS(CT_STATISTIC_FIELD)
#undef CT_STATISTIC_FIELD
} ct_statistics;

#endif
