/* Goes on with thresholds that another part of the search (run/part.h) has left open. */
#ifndef CT_EXACT_SEARCH_RESUME_H
#define CT_EXACT_SEARCH_RESUME_H

#include "exact/search/roots.h"

/* Opens the ranges of roots->part->from in place of all features, and takes over what is known of
 * those that are done with. If these are unsound (roots->part->unsound), or memory ends, a stop is
 * asked for and nothing counts as searched. */
ct_status ct_resume(ct_roots *roots, ct_worker *worker);

#endif
