/* Who works at a row set: one worker, the crew that it calls, and those who have nothing to do elsewhere. */
#ifndef CT_EXACT_SEARCH_SEATS_H
#define CT_EXACT_SEARCH_SEATS_H

#include "exact/search/roots.h"

/* Works until nothing is open, or the search is stopped. Where roots->reserve may be called, that is done after
 * roots->call_at. */
void ct_seats_work(ct_roots *roots, ct_worker *worker);

#endif
