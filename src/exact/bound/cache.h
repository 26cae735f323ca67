/* What has been proven about row sets that lie behind two splits or more.
 *
 * The rows with x_f < s and x_g >= t arise from a split on f and then one on g, and the other way
 * round; so does every row set behind several splits. A row set is known by its conditions, at most
 * one for each (feature, side): the tightest. Sets with conditions on the same (feature, side)
 * pairs and the same remaining depth share a list of (thresholds, rows, lower bound). If one is
 * contained in another, facts M and Lip of interval.h carry its bound over: a subset's bound holds
 * as it is, a superset's less what its further rows cost at most. */
#ifndef CT_EXACT_BOUND_CACHE_H
#define CT_EXACT_BOUND_CACHE_H

#include "exact/run/worker.h"

/* The conditions on the way from the table to a row set, thresholds in the table's ranks. */
typedef struct {
    uint32_t n;                         /* conditions */
    uint32_t line[CT_MAX_DEPTH];        /* 2 * feature + side, ascending */
    uint32_t threshold[CT_MAX_DEPTH];
} ct_path;

/* `path` with one more split; replaces a looser condition on the same feature and side. */
ct_path ct_path_extend(const ct_path *path, uint32_t feature, int side, uint32_t threshold);

typedef struct ct_bound_cache ct_bound_cache;

/* NULL if memory ends. Freed by ct_bound_cache_free, which takes NULL. Takes at most `limit` bytes;
 * when they are used up nothing new is remembered. Safe for concurrent use. */
ct_bound_cache *ct_bound_cache_new(size_t limit);
void ct_bound_cache_free(ct_bound_cache *cache);

/* The best lower bound that the remembered sets give for this one, whose rows cost `most costly` at
 * most; 0 if none. */
int64_t ct_bound_cache_find(ct_bound_cache *cache, const ct_path *path, unsigned depth,
                            int64_t max_cost);
void ct_bound_cache_add(ct_bound_cache *cache, const ct_path *path, unsigned depth,
                        int64_t max_cost, int64_t lower);

#endif
