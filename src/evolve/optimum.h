/* The best tree of depth two or three of all whose thresholds are edges of bins, with a proof, or a
 * bound of what any such tree costs, if it is stopped before. The cost is that of depth_two.h.
 *
 * At depth three the candidate splits of the root are searched by halving, splitter by splitter:
 * with the best trees of depth two below the candidates a < b known, a candidate t between them
 * costs
 *
 *     sides     f(left of t) + f(right of t) >= f(left of a) + f(right of b),
 *     middle    ... and besides the SSE, without any price, of the best trees of depth two for the
 *               rows of single bins between a and b, added up: each bin is on one side of t, and a
 *               tree has, for two sets of rows together, at least the sum of what they leave by
 *               themselves.
 *
 * Where bins have few rows for a tree of depth two they are taken together for `middle`, and what
 * is largest among these is left out, since t may be within. Only what could be better than the
 * tree known is looked at (`known`). All f here are without minbucket and min_n, which a subset
 * of the rows may not keep to. What differs by less than a 1e-9th, or a 1e-11th of the squares of
 * the response, counts as equal; that the computed costs rise with the rows is certain but for
 * columns that are nearly aliased (gram.h). */
#ifndef CT_EVOLVE_OPTIMUM_H
#define CT_EVOLVE_OPTIMUM_H

#include "evolve/depth_two.h"

enum { CT_OPTIMUM_DEPTH = 3, CT_OPTIMUM_TESTS = 7 };

/* Rules that are left out, which changes no answer. */
enum { CT_OPTIMUM_SIDES = 1, CT_OPTIMUM_MIDDLE = 2, CT_OPTIMUM_KNOWN = 4 };

typedef struct {
    uint32_t depth; /* 2 or 3 */
    uint32_t minbucket, min_n;
    double lambda;
    double known;     /* what a tree costs that is there already; INFINITY: none */
    uint32_t without; /* CT_OPTIMUM_... */
    unsigned threads;
    ct_halt *halt; /* NULL: none */
} ct_optimum_options;

typedef struct {
    double cost;  /* of the best tree known in the end */
    double bound; /* no tree costs less */
    int better;   /* that tree is not the one that was there */
    int complete; /* no tree costs less than that, but for rounding */
    /* of it; below i are 2 i + 1 and 2 i + 2; splitter -1: leaf */
    ct_gmt_test tests[CT_OPTIMUM_TESTS];
    uint32_t solved; /* problems of depth two */
    int64_t touched; /* rows of these */
} ct_optimum;

/* Costs that differ by less count as equal. */
double ct_gmt_optimum_slack(const ct_model_table *table, double cost);

/* Factors have at most CT_CANDIDATE_LEVELS levels. Only CT_NO_MEMORY can go wrong. */
ct_status ct_gmt_optimum_search(const ct_model_table *table, const ct_gram_kernels *kernels,
                                const ct_optimum_options *options, ct_optimum *found,
                                ct_error *error);

#endif
