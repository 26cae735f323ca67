/* Tests: the thresholds of a layout's features as bits of its rows, where features have few values,
 * each different one once. A test and its complement are one.
 *
 * Tests are numbered by the first split that makes them, feature by feature, and a feature's from
 * the lowest threshold on. ct_tests_node() gives a node of the layout its rows in the form that
 * kernels count (kernels/tests.h), with the tests that separate them; where two do the same of its
 * rows, the first alone. Those that promise most come first. */
#ifndef CT_EXACT_ROWS_TESTS_H
#define CT_EXACT_ROWS_TESTS_H

#include "exact/rows/node.h"

typedef struct ct_tests {
    uint32_t n_tests;
    size_t words;        /* of a record */
    uint64_t *records;   /* [place][words] of a row in the order of the first feature: its tests */
    size_t set_words;
    uint64_t *sets;      /* [test][set_words] the places of its rows */
    uint32_t *feature;   /* [test] of the first split that makes it, */
    uint32_t *threshold; /* [test] in the layout's ranks, */
    uint8_t *left;       /* [test] and which rows that sends left: those in it, or the others */
    uint32_t *first;     /* [n_cols + 1] splits before those of a feature */
    uint32_t *test_of;   /* [split] */
    uint8_t *left_is_in; /* [split] whether the rows that it sends left are those in its test */
} ct_tests;

/* Makes the tests of a layout, in the worker's arena, where they may be of use: else it has none.
 * CT_NO_MEMORY, and a stop is asked for, if memory ends. */
ct_status ct_tests_make(ct_worker *worker, ct_layout *layout);

/* Tests that a node may have: with more the counts of pairs do not fit into caches. */
enum { CT_MOST_TESTS = 512, CT_NO_TEST = -1 };

/* Whether the rows left of threshold t of f are those in its test. */
static inline int ct_tests_left_is_in(const ct_layout *layout, uint32_t f, uint32_t t)
{
    return layout->tests->left_is_in[layout->tests->first[f] + t - 1];
}

/* The rows of the parent left (side 0) or right (side 1) of threshold t of f, as a node of which
 * only the sets in the order of the first feature are there, which is enough for ct_tests_node().
 * CT_NO_MEMORY, and a stop is asked for, if memory ends. */
ct_status ct_tests_side(ct_worker *worker, ct_arena *arena, const ct_node *parent, uint32_t f,
                        uint32_t t, int side, const ct_totals *totals, ct_node *node);

typedef struct {
    ct_triples counts;
    unsigned lane;     /* bits of a count */
    int32_t *own;      /* [test of the layout] its number here; CT_NO_TEST: it separates nothing */
    uint32_t *test;    /* [own number] that of the layout, */
    uint8_t *turned;   /* [test of the layout] whether the rows in that are not in this */
    size_t words;      /* of the records */
    uint64_t *records; /* [place][words] of the rows, 8 places a word */
} ct_test_node;

/* In the arena. Their number alone where more than CT_MOST_TESTS are left. */
ct_status ct_tests_node(ct_worker *worker, ct_arena *arena, const ct_node *node,
                        ct_test_node *tests);

static inline const ct_triple_kernels *ct_tests_kernels(const ct_worker *worker,
                                                        const ct_test_node *tests)
{
    return &worker->search->kernels->triples[tests->lane / 16];
}

/* A count of rows in test i, of class c, and in tests i and j. */
static inline uint32_t ct_tests_single(const ct_test_node *tests, uint32_t c, uint32_t i)
{
    const ct_triples *t = &tests->counts;
    return (uint32_t) ct_triples_at(t->singles, tests->lane, c * t->stride + i);
}

static inline uint32_t ct_tests_pair(const ct_test_node *tests, uint32_t c, uint32_t i, uint32_t j)
{
    const ct_triples *t = &tests->counts;
    size_t at = ((size_t) c * t->n_tests + i) * t->stride + j;
    return (uint32_t) ct_triples_at(t->pairs, tests->lane, at);
}

#endif
