/* Line searches remembered. After a kick most of a tree is searched as it was before, and its
 * answers are a function of the tests above a node, which say what rows it has, of those below it
 * and of the options: these are the key, kept whole, so that an answer is never that of another
 * question. */
#ifndef CT_EVOLVE_LINE_MEMORY_H
#define CT_EVOLVE_LINE_MEMORY_H

#include "evolve/line_search.h"

/* Of one thread and one table; NULL if memory ends. */
typedef struct ct_line_memory ct_line_memory;
ct_line_memory *ct_line_memory_new(void);
void ct_line_memory_free(ct_line_memory *memory);

/* The answer to this line search, or NULL; good until the next call. */
const ct_line_answer *ct_line_memory_find(ct_line_memory *memory, const ct_model_tree *tree,
                                          int32_t node, double limit,
                                          const ct_line_options *options);
/* Keeps the answer to the search asked for last. */
void ct_line_memory_keep(ct_line_memory *memory, const ct_line_answer *answer);

#endif
