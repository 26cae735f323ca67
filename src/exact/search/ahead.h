/* Several candidates of depth-two problems at a time, so that their bit planes are made together:
 * see ct_plane_group. The steps are those of a search one by one, but for what one of these
 * candidates could have said of the next. */
#ifndef CT_EXACT_SEARCH_AHEAD_H
#define CT_EXACT_SEARCH_AHEAD_H

#include "exact/search/roots.h"

/* Takes some intervals off and works on them, holding the team's lock before and after; 0 if none
 * is open. Where memory ends, a stop is asked for. */
int ct_ahead_step(ct_evaluator *evaluator);

#endif
