/* What a search in parts (run/part.h) leaves open, written down for whoever goes on: resume.c. */
#ifndef CT_EXACT_SEARCH_LEFT_OPEN_H
#define CT_EXACT_SEARCH_LEFT_OPEN_H

#include "exact/search/roots.h"

/* Whether a part of a search ends here and leaves the rest to others. */
int ct_left_open_pauses(const ct_roots *roots);

/* The thresholds between a and b are left open, and no tree there costs less than `bound`. Holding
 * the team's lock. */
void ct_left_open_add(ct_roots *roots, uint32_t feature, const ct_candidate *a,
                      const ct_candidate *b, int64_t bound);

/* At the end of a search: what is known of all other thresholds goes into the part, and what is
 * known of those left open into the bounds of this call. */
void ct_left_open_end(ct_roots *roots);

#endif
