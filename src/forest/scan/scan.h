/* The hot loops of growth: scores of all cuts of some columns at a node.
 *
 * One table of functions an instruction set; all give the same results to the last bit. To this end
 * scores have one written form for each kind of node (weight is that of its rows, L and R those of
 * the two sides):
 *
 *   more than two classes, node small      float   (L sum(R_k^2) + R sum(L_k^2)) / (L R),
 *                                                  the numerator of at most 24 bits
 *   ... weight at most CT_LIGHT_WEIGHT     float   sum(L_k^2) / L + sum(R_k^2) / R
 *   ... else                               double  sum(L_k^2) / L + sum(R_k^2) / R
 *   two classes, at most CT_LIGHT_WEIGHT   float   off^2 / (L R), where off = L_0 N_1 - L_1 N_0 has
 *                                                  at most 24 bits, N the weights of the node
 *   ... at most CT_MIDDLE_WEIGHT           double  off^2 / (L R), off below 2^30
 *   ... else                               double  sum(L_k^2) / L + sum(R_k^2) / R
 *   numbers                                double  S^2 / L + T^2 / R, S and T sums of the sides,
 *                                                  whole numbers
 *
 * None has a product that is added to before it is rounded, which compilers might contract, unless
 * both are exact. Larger is better; the largest score wins, of equal ones the candidate drawn
 * first, for one candidate the cut with missing values right before that with them left, then the
 * lowest cut. */
#ifndef CT_FOREST_SCAN_SCAN_H
#define CT_FOREST_SCAN_SCAN_H

#include <stdint.h>

#include "base/cpu.h"
#include "forest/scan/medium_bins.h"
#include "forest/scan/rows.h"

enum {
    /* Small nodes, of at most that many rows and that weight, look at each row's code; medium ones
     * at histograms of bins of their own (medium_bins.h); larger ones at those of the table's bins.
     * The best border of two bins is the cut. All this is part of the specification. */
    CT_SMALL_ROWS = 64,
    CT_SMALL_WEIGHT = 255,
    CT_MEDIUM_ROWS = 512,
    /* Up to this weight scores of classes are floats; up to that, classes come in pairs, and two
     * have a score of their own. */
    CT_LIGHT_WEIGHT = 4095,
    CT_MIDDLE_WEIGHT = 32767,
    CT_SUBSET_ROWS = 16, /* rows of a subtree whose nodes are sets of them, see subtree.h */
    CT_LANES = 8,        /* candidates at a time */
    CT_HIST_BIN_ROWS = 256 /* of a histogram: bins, then that of missing values */
};

/* Histograms of classes have a slice for each pair of runs, where weights have 16 bits, or else for
 * each run. Slices are CT_HISTOGRAM_STRIDE apart, and bins as many counters as ct_bin_width() says.
 * The first run of a pair has the lower half of a counter, the second the upper one. */
enum { CT_HISTOGRAM_STRIDE = CT_HIST_BIN_ROWS * CT_LANES };

static inline int ct_has_pairs(uint32_t weight) { return weight <= CT_MIDDLE_WEIGHT; }

static inline unsigned ct_bin_width(uint32_t weight, unsigned lanes)
{
    return ct_has_pairs(weight) && lanes <= CT_LANES / 2 ? CT_LANES / 2 : CT_LANES;
}

typedef struct {
    double score; /* NaN: there is no cut */
    uint32_t bin; /* the lowest on the right is above it */
} ct_bin_cut;

/* Candidates at a small node. The highest bit of codes is flipped, so that they compare as signed
 * numbers. */
typedef struct {
    const int16_t *codes[CT_LANES]; /* [n] by run, then 32767 up to a multiple of 32 */
    const uint16_t *weights;        /* [n] */
    const uint16_t *pairs;          /* two runs: the same, by 256 in the second */
    const ct_hist_run *runs;
    uint32_t n_candidates, n_runs, n, weight;
} ct_small;

/* The cut between two codes that follow each other. */
typedef struct {
    float score;
    uint32_t candidate;
    int16_t code, next;
} ct_small_cut;

/* A candidate at a small node of numbers. A row has its weight, and 65536 times what its whole
 * number and weight make: sums of these are both sums. */
typedef struct {
    const int16_t *codes;  /* as in ct_small */
    const int64_t *packed; /* [n] */
    double sum;            /* of the node */
    uint32_t n, weight;
} ct_small_numbers;

/* Candidates at a node whose rows are some of a subtree's: bit i is row i. */
typedef struct {
    const int16_t *codes[2 * CT_LANES]; /* [CT_SUBSET_ROWS] as in ct_small; of other rows any */
    const uint16_t *weights;            /* [CT_SUBSET_ROWS] of all */
    const ct_hist_run *runs;
    const uint32_t *of_run; /* [n_runs] rows of each */
    uint32_t n_candidates, n_runs, rows, weight;
} ct_subset;

typedef struct {
    float score;
    uint32_t candidate;
    int16_t code, next;
    uint32_t left;  /* rows that go there */
    uint32_t right; /* two runs: weight that goes right, of the second one times 256 */
} ct_subset_cut;

typedef struct {
    /* Cuts of some candidates at a node of classes, of whose histograms see above; totals[run] are
     * the weights of the runs. Missing values are right of all cuts, or left of them. Rows of bins
     * that are not used may be read. */
    void (*gini)(const uint32_t *histograms, const uint32_t *totals, uint32_t n_runs,
                 uint32_t weight, uint32_t n_bins, int missing_left, unsigned lanes,
                 ct_bin_cut *cuts);
    /* Cuts of a node of numbers: sums[bin][lane], whole numbers below 2^53, and weights. */
    void (*variance)(const double *sums, const int32_t *weights, double sum, uint32_t weight,
                     uint32_t n_bins, int missing_left, unsigned lanes, ct_bin_cut *cuts);
    /* The best cut of a small node of classes, if its score is above that of `best`. 1 if there is
     * one. */
    int (*small_gini)(const ct_small *node, ct_small_cut *best);
    /* The best cut of one candidate of a small node of numbers. 1 if its score is above *score,
     * which it then is. */
    int (*small_variance)(const ct_small_numbers *node, double *score, int16_t *code);
    /* The best cut of a subset of rows with classes, with the scores of small_gini. NULL: subtrees
     * are not worth it. */
    int (*subset_gini)(const ct_subset *node, ct_subset_cut *best);
    /* The lowest code above another, 32767 if there is none; `codes` as in ct_small. */
    int16_t (*above)(const int16_t *codes, uint32_t n, int16_t code);
    /* The lowest and the highest of n codes. */
    void (*range)(const uint16_t *codes, uint32_t n, uint16_t *low, uint16_t *high);
    /* The bins of n codes; as many codes are read, and bins written, as fill a multiple of 32. */
    void (*spread)(const uint16_t *codes, uint32_t n, const ct_medium_bins *by, uint8_t *bins);
    /* The highest of n codes up to `most`, 0 if there is none, and the lowest above it, 65535 if
     * there is none. */
    void (*beside)(const uint16_t *codes, uint32_t n, uint16_t most, uint16_t *low,
                   uint16_t *high);
    /* How many rows have a lower code. */
    void (*ranks)(const int16_t *codes, uint32_t n, uint16_t *below);
    /* words[4 * n_blocks]: what ct_philox() makes of the counter and those after it. n_blocks is a
     * multiple of 8. */
    void (*draws)(const uint32_t counter[4], const uint32_t key[2], uint32_t n_blocks,
                  uint32_t *words);
    /* Of n words, a multiple of 32, each becomes what ct_rng_below(., bound) makes of it, if that
     * refuses none of them; else they stay, and it returns 0. */
    int (*below)(uint32_t *words, uint32_t n, uint32_t bound);
    /* Items of those of n rows whose count is not 0; returns how many, and their weight. Up to
     * CT_PARTITION_PAD more are written behind them. */
    uint32_t (*drawn)(const uint32_t *rows, const uint32_t *counts, uint32_t n, ct_item *items,
                      uint32_t *weight);
    /* Weights below 256 of up to CT_SMALL_ROWS items: as bytes, as words, and as words with those
     * from the item `first` on times 256. As many are read and written as fill a multiple of 8. */
    void (*weights)(const ct_item *items, uint32_t n, uint32_t first, uint8_t *bytes,
                    uint16_t *words, uint16_t *pairs);
    /* Items that go left and those that go right, in their order; returns how many go left, and
     * their weight. Up to CT_PARTITION_PAD more are written behind both. `left` may be `items`, or
     * before. */
    uint32_t (*part)(const ct_hist_test *test, const ct_item *items, uint32_t n, ct_item *left,
                     ct_item *right, uint32_t *weight);
    /* The same by codes of at most CT_MEDIUM_ROWS items with all runs of a node, none of them
     * empty: left_runs[run] is what of each goes left. Nothing is written behind the node's items;
     * as many are read as fill a multiple of 8. */
    void (*partition_own)(const ct_hist_own_test *test, const ct_item *items,
                          const ct_hist_run *runs, uint32_t n_runs, ct_item *left, ct_item *right,
                          ct_hist_run *left_runs);
    /* to[col][stride]: the columns of CT_TRANSPOSED_ROWS rows, of which as many are read as fill a
     * multiple of 8. */
    void (*transpose)(const uint16_t *const *rows, uint32_t n_cols, uint16_t *to, size_t stride);
} ct_scan;

CT_DECLARE_KERNELS(const ct_scan, ct_scan)

#endif
