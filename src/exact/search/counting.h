/* A solve by counts (triples.h) or sums (sums.h) of tests: what both of them share. */
#ifndef CT_EXACT_SEARCH_COUNTING_H
#define CT_EXACT_SEARCH_COUNTING_H

#include "exact/rows/ranks.h"
#include "exact/rows/tests.h"
#include "exact/search/roots.h"
#include "exact/search/triples.h"

/* The best tree of a side of a root whose leaves and nodes have their least sizes: what it costs,
 * the tests at its root and at the roots of its sides; CT_NO_TEST: a leaf. */
typedef struct {
    int64_t cost;
    int32_t test, third[2];
} ct_sized_side;

/* Roots are the node's own tests; side 1 of a root are the rows in it, side 0 the others. */
struct ct_counting {
    ct_worker *worker;
    const ct_node *node;
    const ct_exact_task *task;
    int every;         /* all roots below `best` are wanted, which stays where it is */
    ct_test_node tests;
    int64_t *value;    /* [root] a lower bound of its trees, their least cost once it is counted */
    int64_t leaf;
    int64_t below;     /* the least cost of all rows one level less deep, or a lower bound of it */
    int64_t best;      /* what a tree must stay below */
    int32_t found;     /* the root of the best tree; CT_NO_TEST: none is below */
    int64_t *sized;    /* [root] as `value`, of trees with leaves of the least size; NULL: any */
    ct_sized_side found_sides[2]; /* then those of the root that is found */
    struct ct_summing *sums; /* with a response; then the following are not there */
    int64_t *sides[2]; /* [side][root] as `value`, of either side */
    uint32_t *rows;    /* [root] rows in it */
    uint32_t *shared;  /* [root] rows in both it and the root that is counted */
    uint8_t *mask;     /* scratch: [word], */
    void *counts;      /* [class][stride], */
    uint32_t *of_class; /* and [class] rows of a quadrant */
};

/* Whether root i is wanted rather than the one that is found, if it costs as much. */
static inline int ct_counting_comes_first(const ct_counting *x, uint32_t i)
{
    return x->task->first_of_ties && x->found >= 0 && x->tests.test[i] < x->tests.test[x->found];
}

static inline void ct_counting_take(ct_counting *x, uint32_t i)
{
    if (x->every || x->value[i] >= x->best + ct_counting_comes_first(x, i)) return;
    x->best = x->value[i];
    x->found = (int32_t) i;
}

static inline ct_split_code ct_counting_code(const ct_counting *x, uint32_t i)
{
    const ct_layout *layout = x->node->layout;
    uint32_t test = x->tests.test[i], f = layout->tests->feature[test];
    return (ct_split_code){(int32_t) f,
                           ct_layout_to_global(layout, f, layout->tests->threshold[test])};
}

/* In the lowest level the threshold is left open. */
static inline ct_split_code ct_counting_lowest_code(const ct_counting *x, uint32_t i)
{
    return (ct_split_code){ct_counting_code(x, i).feature, 0};
}

/* The side of test i that goes left. */
static inline int ct_counting_left_side(const ct_counting *x, uint32_t i)
{
    return x->node->layout->tests->left[x->tests.test[i]] == !x->tests.turned[x->tests.test[i]];
}

/* The place in a tree of a side of its root i. */
static inline uint32_t ct_counting_place(const ct_counting *x, uint32_t i, int side)
{
    return 1 + (uint32_t) (side != ct_counting_left_side(x, i));
}

/* What a side costs as a leaf or with one split that is right on `hits` rows. */
static inline int64_t ct_counting_leaf_or_stump(const ct_counting *x, uint32_t rows,
                                                uint32_t largest, int64_t hits)
{
    const ct_exact_search *search = x->worker->search;
    return ct_smaller_cost(ct_cost_of_units(search->costs, (int64_t) rows - largest),
                           search->split_cost + ct_cost_of_units(search->costs, rows - hits));
}

/* ---- counts of quadrants ---- */

/* The rows in quadrant (a, b) of tests i and j, and in its largest class; (a, a) of i and i is a
 * side of i. */
uint32_t ct_counting_quadrant(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                              uint32_t *largest);
/* What a quadrant of root i, which is counted, costs as a leaf or with one split, of any sizes. */
int64_t ct_counting_quadrant_cost(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                                  int64_t *leaf);
/* The test that splits a quadrant best into leaves of the least size, of equal ones the first;
 * *wrong are then the rows that these are wrong on. CT_NO_TEST if there is none. */
int32_t ct_counting_third(const ct_counting *x, uint32_t i, uint32_t j, int a, int b,
                          int64_t *wrong);

#endif
