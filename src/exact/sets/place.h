/* Where in the table one is: a row set on the way down a tree, in the worker's arena. */
#ifndef CT_EXACT_SETS_PLACE_H
#define CT_EXACT_SETS_PLACE_H

#include "exact/bound/cache.h"
#include "exact/rows/tests.h"
#include "exact/sets/graph.h"

struct ct_few_valued;

typedef struct {
    const ct_node *node;
    const ct_rows_key *words; /* [row of the table] */
    const uint32_t *rows;     /* [row of the layout] in the table; NULL: the same */
    ct_path path;             /* how it lies in the table */
    ct_rows_key key;          /* of the row set */
    int is_table;
    /* NULL, or it is within a row set that is counted (few_valued.h): the rows in the first
     * n_tests of these tests of it, or not in them. Its node then has totals alone. */
    struct ct_few_valued *few;
    uint32_t n_tests, tests[2];
    uint8_t in[2];
} ct_place;

static inline ct_rows_key ct_rows_key_sum(ct_rows_key a, ct_rows_key b)
{
    return (ct_rows_key){{a.of[0] + b.of[0], a.of[1] + b.of[1]}};
}

static inline ct_rows_key ct_rows_key_rest(ct_rows_key a, ct_rows_key b)
{
    return (ct_rows_key){{a.of[0] - b.of[0], a.of[1] - b.of[1]}};
}

/* The lower of the keys of both sides: a split and its reverse have the same. */
static inline ct_rows_key ct_rows_key_either(ct_rows_key left, ct_rows_key all)
{
    ct_rows_key right = ct_rows_key_rest(all, left);
    int less = left.of[0] != right.of[0] ? left.of[0] < right.of[0] : left.of[1] < right.of[1];
    return less ? left : right;
}

/* The row of the table at a position of f's order. */
static inline uint32_t ct_place_row(const ct_place *place, uint32_t f, size_t position)
{
    uint32_t row = place->node->layout->order[f][position];
    return place->rows ? place->rows[row] : row;
}

/* All rows. CT_NO_MEMORY, and a stop is asked for, if memory ends, here and below. */
ct_status ct_place_table(ct_worker *worker, ct_place *place);
/* Whether its layout has tests, and few enough that each of its row sets can be counted. */
static inline int ct_place_has_tests(const ct_place *place)
{
    const struct ct_tests *tests = place->node->layout->tests;
    return tests && tests->n_tests <= CT_MOST_TESTS;
}

/* The rows of a side of threshold t of f, in the layout's ranks, for trees of `level`. to_count: it
 * has tests, and the child is to be counted; else it may be walked. */
ct_status ct_place_side(ct_worker *worker, const ct_place *place, uint32_t f, uint32_t t, int side,
                        uint32_t level, int to_count, ct_place *child);

/* The rows of the table next to that threshold among those of the place, on its left and right;
 * returns how many are on the left. */
uint32_t ct_place_around(const ct_worker *worker, const ct_place *place, uint32_t f, uint32_t t,
                         uint32_t around[2]);

#endif
