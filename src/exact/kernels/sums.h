/* Sums over ones, twos and threes of tests (tests.h): what the kernels of response/triples.h read
 * and write.
 *
 * Rows that are in the same tests are one. Each has a few whole numbers, whose sums over any of the
 * rows fit into 32 bits: the response, less a centre and perhaps rounded; the weight; and where
 * leaves have a least size and weights are not numbers of rows, how many rows it stands for. A row
 * set is worth its sum of the first, squared, by that of the second: what a leaf of its mean saves.
 * One that has fewer rows than a leaf needs is worth CT_NO_LEAF. Quadrants are as in tests.h. */
#ifndef CT_EXACT_KERNELS_SUMS_H
#define CT_EXACT_KERNELS_SUMS_H

#include <stddef.h>
#include <stdint.h>

enum { CT_SUM, CT_WEIGHT, CT_SIZE, CT_N_SUMS };

/* Less than any leaves are worth, also beside a few others. */
#define CT_NO_LEAF (-1e30F)

typedef struct {
    uint32_t n_tests, n_rows;
    unsigned n_sums;         /* 3, or 2: weights are numbers of rows */
    int32_t least_leaf, least_split; /* rows of a leaf, and of what is split */
    float split;             /* what a split takes off */
    size_t words;            /* of a record */
    const uint64_t *records; /* [row][words] a bit for each test */
    size_t set_words;
    const uint64_t *sets;    /* [test][set_words] a bit for each row */
    const int32_t *values;   /* [row][CT_N_SUMS] */
    int32_t all[CT_N_SUMS];  /* of all rows */
    size_t stride;           /* 64 words: tests, and those beyond, which no row is in */
    int32_t *singles;        /* [sum][stride] of the rows in a test, */
    int32_t *pairs;          /* [sum][test][stride] in two tests */
    /* [quadrant][i][stride] for i < j the most that two leaves are worth which any third test makes
     * of the quadrant of i and j */
    float *thirds;
    uint32_t *list;          /* [n_rows] scratch */
} ct_sums;

typedef struct {
    void (*pairs)(ct_sums *s);
    /* Takes all triples of i and two tests behind it into `thirds`. */
    void (*root)(ct_sums *s, uint32_t i);
    /* Raises best[side][j] to what the rows of test j's sides are worth when a second test splits
     * them, of i and j > i with the other as the second; each part once more where `deep`. */
    void (*sides)(const ct_sums *s, uint32_t i, int deep, float *best[2]);
} ct_sum_kernels;

#endif
