/* What a part of a search (run/part.h) answers besides its tree. */
#ifndef CT_EXACT_FINISH_PART_ANSWER_H
#define CT_EXACT_FINISH_PART_ANSWER_H

#include "exact/search/roots.h"

/* Fills in search->options->part, unless that is NULL, from the search's codes and bounds. Errors:
 * CT_BAD_INPUT where it was asked to go on with another search, CT_NO_MEMORY. */
ct_status ct_part_answer(const ct_exact_search *search, const ct_split_code *codes,
                         const ct_bounds *bounds, ct_error *error);

#endif
