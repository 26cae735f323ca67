/* The root splits of a row set that lead to trees within a budget. */
#ifndef CT_EXACT_SETS_SPLITS_H
#define CT_EXACT_SETS_SPLITS_H

#include "exact/search/survivors.h"
#include "exact/sets/graph.h"

/* A split of a node while its sides are sought. */
typedef struct {
    ct_survivor of;
    int64_t total;
    ct_rows_key left;
    uint32_t sides[2]; /* nodes of the graph, */
    int done;          /* once both are there */
    /* where the node's place is counted: its test there, and whether the rows in that go left */
    uint32_t test;
    uint8_t left_in;
} ct_set_split;

/* Lists the root splits of task->depth >= 2 that cost at most `budget`, by feature and threshold;
 * `path`: how the row set lies in the table. is_table: the root is that of the whole tree. Returns
 * CT_NO_MEMORY, and a stop is asked for, where memory ends; if it is stopped, the list may lack
 * splits that cost survivors->open or more. The caller frees `of`. */
ct_status ct_set_splits(ct_worker *worker, const ct_node *node, unsigned depth, int64_t budget,
                        const ct_path *path, int is_table, ct_survivors *survivors);

#endif
