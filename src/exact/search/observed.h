/* A hook for tests: each lower bound that a search caches, receives or takes over from a neighbour
 * is reported here, so that it can be compared with brute force. Only with -DCT_DEBUG; otherwise it
 * does nothing. */
#ifndef CT_EXACT_SEARCH_OBSERVED_H
#define CT_EXACT_SEARCH_OBSERVED_H

#include "exact/search/roots.h"

#ifdef CT_DEBUG

/* No tree costs less than `lower` among those of `depth` on the rows that `path` leads to, with
 * what else is said of them. */
typedef struct {
    const ct_exact_search *search;
    ct_path path;
    unsigned depth;
    int allowed;       /* trees that the options allow; 0: with leaves of any size */
    int32_t feature;   /* of the root; -1: any, or a leaf */
    uint32_t more, fewer; /* rows on its left: more than, fewer than these */
    int empty_sides;   /* its threshold may also leave a side without rows */
    /* of depth one, with two different labels, and a threshold that parts these rows, though maybe
     * not those of `path`; NULL: others */
    const ct_path *within;
    int64_t lower;
} ct_observed;

/* From here on `told` is called, from any thread, maybe from several; NULL: nobody is. Not while a
 * search is under way. */
void ct_observe(void (*told)(const ct_observed *));

/* What was remembered of a row set, or is looked up. */
void ct_observe_cached(const ct_worker *worker, const ct_path *path, unsigned depth, int64_t lower);
/* What a solve is handed, as it begins; and what it knows when it ends, before the floors of
 * features are made to cover thresholds that separate nothing, and after. */
void ct_observe_given(const ct_worker *worker, const ct_roots *roots);
void ct_observe_searched(const ct_worker *worker, const ct_roots *roots);
void ct_observe_solved(const ct_worker *worker, const ct_roots *roots, const ct_bounds *bounds);
/* What a solve by counts knows when it ends. */
void ct_observe_counted(const ct_worker *worker, const ct_exact_task *task, const ct_node *node,
                        const int64_t *root_bounds, const ct_bounds *bounds);
/* What all rows cost one level less deep. */
void ct_observe_ends(const ct_worker *worker, const ct_roots *roots);
/* A candidate that is evaluated, and thresholds with more rows on the left than `more` and fewer
 * than `fewer`. */
void ct_observe_candidate(const ct_worker *worker, const ct_roots *roots, uint32_t feature,
                          const ct_candidate *m);
void ct_observe_interval(const ct_worker *worker, const ct_roots *roots, uint32_t feature,
                         uint32_t more, uint32_t fewer, int64_t lower);

#else

#define ct_observe_cached(worker, path, depth, lower) ((void) 0)
#define ct_observe_given(worker, roots) ((void) 0)
#define ct_observe_searched(worker, roots) ((void) 0)
#define ct_observe_solved(worker, roots, bounds) ((void) 0)
#define ct_observe_counted(worker, task, node, root_bounds, bounds) ((void) 0)
#define ct_observe_ends(worker, roots) ((void) 0)
#define ct_observe_candidate(worker, roots, feature, m) ((void) 0)
#define ct_observe_interval(worker, roots, feature, more, fewer, lower) ((void) 0)

#endif

#endif
