/* A second search that writes down why no tree costs less than one that is known. */
#ifndef CT_EXACT_PROVE_H
#define CT_EXACT_PROVE_H

#include "exact/exact.h"

/* Appends to `evidence` what shows that no tree costs less than `bound`, which a search with these
 * options has proven: see evidence.h. `best`, if not NULL, is a tree that is known to be the best
 * one: then it is its cost that is meant, which the integers of the search have exactly, number of
 * splits and all, and `bound` has but for rounding. One thread; limits and callbacks are those of
 * the options. *end is CT_END_OPTIMAL if all of it is written; CT_END_MEMORY if there was no room;
 * else the reason why the search was stopped. Errors: as ct_exact_solve. */
ct_status ct_exact_prove(const ct_data *data, const ct_exact_options *options, double bound,
                         const ct_outcome *best, ct_bytes *evidence, ct_exact_end *end,
                             ct_error *error);

#endif
