/* A forest under way: what growing on the CPU and on a device have in common. */
#ifndef CT_FOREST_GROW_GROWTH_H
#define CT_FOREST_GROW_GROWTH_H

#include "base/threads.h"
#include "forest/grower.h"

typedef struct {
    ct_grower grower;
    const ct_hist_options *options;
    ct_hist_forest *forest; /* the caller's, as `extra` */
    ct_hist_extra *extra;
    ct_halt stop;
    ct_lock lock;         /* of `extra` */
    double start;
    int64_t n_done, bytes, end; /* atomic; end: a ct_hist_end */
    int64_t no_memory;          /* atomic: an allocation failed */
} ct_growth;

/* Empties *forest and *extra; ct_forest_growth_free() frees what else it makes, also after a
 * failure. */
ct_status ct_forest_growth_begin(ct_growth *g, const ct_hist_data *data,
                                 const ct_hist_options *options, ct_hist_forest *forest,
                                 ct_hist_extra *extra, ct_error *error);
void ct_forest_growth_free(ct_growth *g);

/* Makes room for the trees and for `extra`, besides `bytes` that will be taken otherwise. */
ct_status ct_forest_growth_prepare(ct_growth *g, double bytes, ct_error *error);

/* A number in the units of out-of-bag sums. */
int64_t ct_forest_growth_quantise(const ct_growth *g, double number);

/* Adds what a tree has of each column to what there is of all trees. */
void ct_forest_growth_add_words(const ct_words *words, uint32_t n_cols, int64_t *tree,
                                int64_t *all);

/* Counts the memory of a tree that will be put. 0: it has reached the limit, and no more are to
 * come. */
int ct_forest_growth_reserve(ct_growth *g, uint32_t n_nodes, uint32_t n_leaves, uint32_t n_members);
/* Tree number `place` of the forest, which owns it, is there. */
void ct_forest_growth_put(ct_growth *g, uint32_t place, const ct_hist_tree *tree);

/* Trees that were complete move together, and *extra tells why it ended. */
ct_status ct_forest_growth_end(ct_growth *g, ct_error *error);

#endif
