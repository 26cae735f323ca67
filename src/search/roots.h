/* The search over root splits of one row set, the same at every depth from two up.
 *
 * Every root feature is a line of thresholds. Evaluating one gives a point; the open intervals between points are
 * closed by bounds or split at another point until none is left. What an evaluation is depends on the depth: a scan
 * over child features at depth two (depth2.c), the solution of two smaller problems above it (branch.c). */
#ifndef CT_SEARCH_ROOTS_H
#define CT_SEARCH_ROOTS_H

#include "search/interval.h"
#include "search/node.h"
#include "search/quadrants.h"

/* The answer for one row set: relaxed <= the relaxed optimum (see interval.h), proven <= the allowed optimum <= upper,
 * where upper is the cost of a known allowed tree. A finished solve with a cap has either proven == upper < cap, or
 * proven >= min(cap, leaf). Where trees of any leaf size are allowed, relaxed == proven. */
typedef struct {
    int64_t relaxed, proven, upper;
} ct_bounds;

/* What is asked of a solve. */
typedef struct {
    unsigned depth;
    const ct_path *path;         /* how the row set lies in the table */
    int64_t cap;                 /* costs from here on need not be told apart */
    int64_t gap;                 /* trees better by no more than this need not be found */
    const int64_t *floors;       /* [f] proven lower bounds with root feature f; may be NULL */
    const ct_split_code *hint;   /* a tree of a similar row set, as a heap; may be NULL */
    uint32_t hint_at;            /* its root in that heap */
    uint32_t hint_size;          /* entries of that heap */
} ct_task;

typedef struct ct_roots ct_roots;

struct ct_roots {
    ct_worker *worker;
    const ct_node *node;
    const ct_task *task;
    int64_t best;            /* the least cost known, or the cap if that is less: what a split must stay below */
    int64_t *floors;         /* [f] proven lower bound of all trees with root feature f, relaxed */
    int64_t proven;          /* a lower bound of the allowed trees at all thresholds that are done with */
    uint32_t edge;           /* thresholds with fewer rows than this on a side need not be looked at */
    int64_t leaf;            /* cost of the leaf */
    ct_split_code *tree;     /* heap of the best tree once `improved`; before that, of a promising one */
    int improved;            /* a tree below the leaf and the cap is known; its cost is `best` */
    int64_t promising;       /* the least total among the points */
    int64_t separate;        /* the largest sum of the two sides' bounds: see search_features */
    int64_t least;           /* a lower bound of every tree, from the class counts */
    ct_point ends[2];        /* before the first row and after the last */
    ct_point *free_points;
    /* Point m lies between a and b; its sides' class counts are in `totals`. Sets m->lower and m->proven, and
     * m->best_child of either side to -1 where the best known tree is the leaf. Returns the cost of the best allowed tree
     * found there, INT64_MAX if none. */
    int64_t (*evaluate)(ct_roots *roots, uint32_t f, const ct_point *a, const ct_point *b, ct_point *m);
    ct_point *(*new_point)(ct_roots *roots);
    void *extra;             /* of the evaluations */
    uint32_t *totals[2];     /* [class] of both sides of the threshold under evaluation */
    ct_point **first;        /* [f] scratch: the first point of a feature */
    uint32_t *order;         /* [f] scratch */
};

/* Fills in what every depth needs and takes the scratch memory from the worker's arena. The caller adds evaluate,
 * new_point, extra and what its points hold at the two ends. On failure: 0, worker->stopped, and *tree a leaf. */
int ct_roots_init(ct_roots *roots, ct_worker *worker, const ct_node *node, const ct_task *task, int64_t *floors,
                  ct_split_code *tree);

/* Searches all root features. Leaves the floors of all features in roots->floors. The tree is that of the upper bound if
 * this is below the cap; else the upper bound is the leaf's and the tree only a hint for similar row sets. */
ct_bounds ct_roots_search(ct_roots *roots);

/* What is looked at before a row set is even laid out: 1 if *bounds are the answer to the task, since the leaf is best
 * or nothing can stay below the cap. */
int ct_solve_at_once(const ct_worker *worker, const uint32_t *totals, uint32_t n_classes, uint32_t n_rows,
                     const ct_task *task, ct_bounds *bounds);

static inline size_t ct_heap_size(unsigned depth) { return ((size_t) 1 << depth) - 1; }

/* A lower bound from the class counts alone: a tree of depth k has at most 2^k leaves, each right on the rows of one
 * class only, so it is wrong on all but the 2^k largest classes. (Weaker than, but unlike, equivalent points.) */
int64_t ct_class_count_bound(const ct_worker *worker, const uint32_t *totals, uint32_t n_classes, uint32_t n_rows,
                             unsigned depth);

#endif
