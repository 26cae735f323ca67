/* Counts of tests by ones, twos and threes: what the kernels of triples.h read and write.
 *
 * A test is a threshold that rows are below or not, and a bit of each row. Rows are in class order,
 * those of each class in words of 8: byte t of a word says which of its 8 rows are in test t. The
 * last word of a class may have places without a row, which are in no test.
 *
 * Counts are in lanes of 8, 16 or 32 bits, by the number of rows (ct_triples_lane()); a row of them
 * is as long as one of bytes, and all beyond the tests are 0. Quadrant 2 a + b of tests i and j are
 * the rows that are in i (a = 1) or not (a = 0), and in j (b = 1) or not. */
#ifndef CT_EXACT_KERNELS_TESTS_H
#define CT_EXACT_KERNELS_TESTS_H

#include <stddef.h>
#include <stdint.h>

enum { CT_TEST_BLOCK = 64 }; /* tests in the widest vector */

typedef struct {
    uint32_t n_words;
    uint32_t *ends; /* [class] words up to the end of the class */
    uint8_t *bytes; /* [word][stride] */
} ct_test_rows;

typedef struct {
    uint32_t n_tests, n_classes, n_rows;
    size_t stride;            /* n_tests and at least CT_TEST_BLOCK more, a multiple of 8 */
    ct_test_rows rows;
    const uint32_t *of_class; /* [class] rows */
    void *singles;            /* [class][stride] rows in a test, */
    void *pairs;              /* [class][test][stride] in two tests */
    /* [quadrant][i][stride] the most rows that two leaves are right on which any third test makes
     * of the quadrant of i and j. Of a root that has been counted the larger of this and of the
     * same with i and j exchanged; of others a part of the third tests are missing */
    void *hits;
    /* of the root that is counted: its number; the tests before `from`, a multiple of 8, are
     * `done`, which have been roots; the rows that are in it */
    uint32_t root, from;
    uint8_t *done;
    ct_test_rows side;
    /* scratch: [CT_TEST_BLOCK][class][4] rows of quadrants, in all lanes of a word */
    uint32_t *parts;
    void *most;               /* [CT_TEST_BLOCK][4] vectors */
    void *counts;             /* [class] vectors of the widest cells */
    void *columns;            /* [4][stride] */
} ct_triples;

/* Kernels for one width of lanes. */
typedef struct {
    /* counts[class][step] of the rows in each of n_tests tests and in mask[word][every]. */
    void (*count)(const ct_test_rows *rows, uint32_t n_classes, size_t stride, uint32_t n_tests,
                  const uint8_t *mask, size_t every, void *counts, size_t step);
    /* Counts by ones and twos. */
    void (*pairs)(ct_triples *t);
    /* On how many rows the leaves of the best test are right, of those not in test i and of those
     * in it. */
    void (*stumps)(const ct_triples *t, uint32_t i, int64_t hits[2]);
    /* Takes all triples of t->root and two tests that are not done into `hits`. */
    void (*root)(ct_triples *t);
    /* Then of the rows not in the root and of those in it: on how many a tree of depth two is right
     * whose two sides are leaves, a leaf and a split, or splits, for the best test at its root. */
    void (*sides)(const ct_triples *t, int64_t hits[2][3]);
} ct_triple_kernels;

/* Bits of a lane that counts up to n_rows. */
static inline unsigned ct_triples_lane(uint32_t n_rows)
{
    return n_rows <= UINT8_MAX ? 8 : n_rows <= INT16_MAX ? 16 : 32;
}

/* Number i of an array of lanes. */
static inline int64_t ct_triples_at(const void *lanes, unsigned lane, size_t i)
{
    if (lane == 8) return ((const uint8_t *) lanes)[i];
    return lane == 16 ? ((const int16_t *) lanes)[i] : ((const int32_t *) lanes)[i];
}

#endif
