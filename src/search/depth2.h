/* Depth-two problems: the root split is searched by intervals, and one root threshold is evaluated by scanning every
 * child feature that can still matter, both sides at once (kernels.h). Nearly all the time of a search is spent here. */
#ifndef CT_SEARCH_DEPTH2_H
#define CT_SEARCH_DEPTH2_H

#include "search/roots.h"

/* Makes *roots a search of depth two, after ct_roots_init: 0 if memory ends. */
int ct_depth2_init(ct_roots *roots, ct_worker *worker);

#endif
