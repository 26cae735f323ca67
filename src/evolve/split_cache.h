/* A cache of split searches. After a kick most searches of a tree are repeated unchanged. Their
 * result is a function of the tests above a node, which determine its rows, of the tests below it
 * and of the options: these are the key, stored completely, so that a hit is always correct. */
#ifndef CT_EVOLVE_SPLIT_CACHE_H
#define CT_EVOLVE_SPLIT_CACHE_H

#include "evolve/split_search.h"

/* For one thread and one table. */
typedef struct ct_split_cache ct_split_cache;
ct_split_cache *ct_gmt_split_cache_new(void);
void ct_gmt_split_cache_free(ct_split_cache *cache);

/* The result of this search, or NULL; valid until the next call. */
const ct_gmt_split_result *ct_gmt_split_cache_find(ct_split_cache *cache, const ct_model_tree *tree,
                                                   int32_t node, double limit,
                                                   const ct_gmt_split_options *options);
/* Stores the result of the search that was looked up last. */
void ct_gmt_split_cache_store(ct_split_cache *cache, const ct_gmt_split_result *result);

#endif
