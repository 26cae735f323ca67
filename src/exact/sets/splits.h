/* The root splits of a row set that lead to trees within a budget. */
#ifndef CT_EXACT_SETS_SPLITS_H
#define CT_EXACT_SETS_SPLITS_H

#include "exact/search/survivors.h"

/* Lists the root splits of task->depth >= 2 that cost at most `budget`, by feature and threshold;
 * `path`: how the row set lies in the table. is_table: the root is that of the whole tree. Returns
 * CT_NO_MEMORY, and a stop is asked for, where memory ends; if it is stopped, the list may lack
 * splits that cost survivors->open or more. The caller frees `of`. */
ct_status ct_set_splits(ct_worker *worker, const ct_node *node, unsigned depth, int64_t budget,
                        const ct_path *path, int is_table, ct_survivors *survivors);

#endif
