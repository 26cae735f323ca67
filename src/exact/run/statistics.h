/* Counters of one search: X(field, "name", "meaning"). */
#ifndef CT_EXACT_RUN_STATISTICS_H
#define CT_EXACT_RUN_STATISTICS_H

#include <stdint.h>

#define CT_STATISTICS(X)                                                                           \
    X(nodes, "nodes", "row sets whose root split was searched, depth three and more")              \
    X(counted, "roots counted", "root thresholds whose triples were counted")                      \
    X(depth2, "depth two", "depth-two problems solved")                                            \
    X(thresholds, "thresholds", "root thresholds evaluated")                                       \
    X(thresholds2, "thresholds at depth two", "of these, in depth-two problems")                   \
    X(closed_counts, "closed by class counts", "thresholds closed by class counts alone")          \
    X(scans, "scans", "child features scanned for a threshold")                                    \
    X(skipped_children, "child features skipped",                                                  \
      "scans avoided by bounds from neighbouring thresholds")                                      \
    X(dropped_classes, "classes dropped", "classes not counted, summed over the scans")            \
    X(blocks, "blocks", "blocks of rows in the sides that were scanned")                           \
    X(refined, "blocks refined", "of these, blocks looked into")                                   \
    X(planes_spared, "planes spared", "bit planes not read for thresholds at depth two")           \
    X(intervals, "intervals closed", "intervals of thresholds closed by the bounds of their ends") \
    X(crossed, "intervals closed crossed", "intervals closed with the ends' sides exchanged")      \
    X(skipped_thresholds, "thresholds skipped", "rows by which windows were narrowed")             \
    X(capped_sides, "sides capped", "sides searched only as far as they can matter")               \
    X(skipped_roots, "root features skipped", "root features closed by a neighbouring row set")    \
    X(cache_hits, "cache hits", "row sets closed by remembered bounds")                            \
    X(ends, "ends", "row sets whose ends were solved one level less deep")                         \
    X(hints, "hints", "searches begun with the tree of a neighbouring row set")                    \
    X(medians, "medians", "medians of root features tried first")                                  \
    X(put_off, "put off",                                                                          \
      "intervals of thresholds put off that could hold equally good trees alone")                  \
    X(layouts, "layouts", "row sets laid out anew")                                                \
    X(planes, "planes built", "bit planes built, in features")                                     \
    X(some_rows, "some rows", "searches of some of the rows for trees without errors")             \
    X(lower_price, "lower price", "searches for large trees at a lower price of splits")           \
    X(early, "early bounds", "lower bounds proven apart")                                          \
    X(shared, "row sets shared", "row sets below the root where idle threads were let in")         \
    X(batches, "device batches", "batches of thresholds sent to a device")                         \
    X(device_thresholds, "device thresholds", "thresholds in these")

typedef struct {
#define CT_STATISTIC_FIELD(field, name, text) uint64_t field;
    CT_STATISTICS(CT_STATISTIC_FIELD)
#undef CT_STATISTIC_FIELD
} ct_exact_statistics;

#endif
