/* A cache of line searches. After a kick most line searches of a tree are repeated unchanged. Their
 * result is a function of the tests above a node, which determine its rows, of the tests below it
 * and of the options: these are the key, stored completely, so that a hit is always correct. */
#ifndef CT_EVOLVE_LINE_MEMORY_H
#define CT_EVOLVE_LINE_MEMORY_H

#include "evolve/line_search.h"

/* Of one thread and one table; NULL if memory ends. */
typedef struct ct_line_memory ct_line_memory;
ct_line_memory *ct_gmt_line_memory_new(void);
void ct_gmt_line_memory_free(ct_line_memory *memory);

/* The answer to this line search, or NULL; good until the next call. */
const ct_line_answer *ct_gmt_line_memory_find(ct_line_memory *memory, const ct_model_tree *tree,
                                              int32_t node, double limit,
                                              const ct_line_options *options);
/* Keeps the answer to the search asked for last. */
void ct_gmt_line_memory_keep(ct_line_memory *memory, const ct_line_answer *answer);

#endif
