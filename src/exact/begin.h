/* What a search begins with: its options, what rows and splits cost, ranked columns. */
#ifndef CT_EXACT_BEGIN_H
#define CT_EXACT_BEGIN_H

#include "exact/exact.h"
#include "exact/search/roots.h"

/* CT_BAD_INPUT where an option is out of range. */
ct_status ct_search_check(const ct_exact_options *options, ct_error *error);
/* Options of a search that began at `start`, in ct_seconds(). */
void ct_search_set_options(ct_exact_search *search, const ct_data *data,
                           const ct_exact_options *options, double start);
/* Costs, from the arena, and what trees must keep to. */
ct_status ct_search_set_rules(ct_exact_search *search, ct_exact_costs *costs, const ct_data *data,
                              const ct_exact_options *options, ct_arena *arena, ct_error *error);
/* What all rows are: of each class, or with a response; from the arena. */
ct_status ct_search_totals(const ct_data *data, const ct_exact_costs *costs, ct_arena *arena,
                           ct_totals *totals, ct_error *error);
/* Ranks the columns, with the worker's team if it has one. If that is stopped, not all are. */
ct_status ct_search_rank(ct_worker *workers, ct_table *table, ct_error *error);

/* The finished tree of `codes`, counted again, and what is proven of it and of each root
 * feature. */
ct_status ct_exact_conclude(ct_worker *worker, const ct_data *data, const ct_split_code *codes,
                            const ct_bounds *bounds, const int64_t *root_bounds,
                            ct_exact_result *result, uint32_t *leaf_of_row, ct_error *error);

#endif
