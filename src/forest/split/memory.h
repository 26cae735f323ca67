/* What the searches of a thread write to: nothing that one node leaves in it is read by the next,
 * but the split that was found may point into it until then. */
#ifndef CT_FOREST_SPLIT_MEMORY_H
#define CT_FOREST_SPLIT_MEMORY_H

#include "forest/scan/scan.h"

enum { CT_MEDIUM_PAD = 64 };

/* All arrays are owned by the thread. */
typedef struct {
    /* of all n_cols columns a permutation, from which candidates are drawn, and where those that
     * were drawn had been; with weights the first are those drawn, the others any */
    uint32_t *columns, *places;
    uint32_t n_cols, n_always; /* the first n_always are not drawn, but taken */
    const uint32_t *upto;      /* [n_cols] weights summed up, lent; NULL: all alike */
    /* small nodes: weights of the items */
    uint8_t small_weights[CT_SMALL_ROWS];
    /* medium ones: of candidates, by item, the codes of two groups,
     * [2][CT_LANES][CT_MEDIUM_ROWS + CT_MEDIUM_PAD], and the bins of one */
    uint16_t *medium_codes;
    uint8_t *medium_bins;
    /* classes: [n_classes][CT_HISTOGRAM_STRIDE], see scan.h */
    uint32_t *histograms;
    /* nodes of many classes: by item its run, and items by bin; [CT_HIST_BIN_ROWS] where bins end
     * in these; [n_classes] weights of runs on one side, twice, and of [CT_HIST_SET_LEVELS + 1]
     * levels */
    uint32_t *run_of, *sorted, *bin_ends, *others, *sides, *of_levels;
    /* numbers: [CT_HIST_BIN_ROWS][CT_LANES], sums and weights in one word, or apart */
    int64_t *packed;
    double *sums, *exposures; /* the latter where rows have some */
    int32_t *weights; /* of many classes, too */
} ct_split_memory;

#endif
