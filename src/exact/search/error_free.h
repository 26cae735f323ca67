/* A search for trees without errors, before that for any tree.
 *
 * Where all splits of a tree cost less than a unit, every tree without errors costs less than every
 * other. A search for those alone has to tell costs apart only up to a unit: a side is solved no
 * further than to whether it can be without errors, a fraction of solving it. If there is such a
 * tree, this search finds and proves the one that the search for any tree would. If not, its work
 * is lost; so it is given up once the first threshold of a feature has errors on both sides. Where
 * there is no such tree that comes soon; where there is one it may come too, and the search for any
 * tree finds it. */
#ifndef CT_EXACT_SEARCH_ERROR_FREE_H
#define CT_EXACT_SEARCH_ERROR_FREE_H

#include "exact/search/roots.h"

/* Whether to begin `task`, of the whole table, with that; *first is then the task of doing so. It
 * has succeeded if it finds a tree below its cap. */
int ct_error_free_first(const ct_worker *worker, const ct_exact_task *task, ct_exact_task *first);

/* Gives up if m, the first threshold of a feature, says so. Holding the team's lock. */
void ct_error_free_look(ct_roots *roots, const ct_candidate *m);

#endif
