/* The root features of a search: their candidates, their open intervals, and what is known of the
 * closed thresholds. If a team searches, all of these functions are called while holding its lock.
 */
#ifndef CT_EXACT_SEARCH_FEATURES_H
#define CT_EXACT_SEARCH_FEATURES_H

#include "exact/search/roots.h"

/* A point to fill in, of the roots until its last interval is closed; NULL if memory ends. */
ct_candidate *ct_features_take_candidate(ct_roots *roots);
void ct_features_release_candidate(ct_roots *roots, ct_candidate *candidate);

/* Lowers the feature's bounds to those of thresholds that are done with. */
void ct_features_note_both(ct_roots *roots, uint32_t feature, int64_t relaxed, int64_t proven);
void ct_features_note(ct_roots *roots, uint32_t feature, int64_t bound);

/* The thresholds between a and b are not searched: they are known by a bound, or left to other
 * parts of the search. */
void ct_features_leave(ct_roots *roots, uint32_t feature, const ct_candidate *a,
                       const ct_candidate *b, int64_t bound);

/* Puts an interval on its feature's stack, unless it is empty. If memory ends, its bound is noted
 * and a stop asked for. */
void ct_features_push(const ct_worker *worker, ct_roots *roots, uint32_t feature, ct_candidate *a,
                      ct_candidate *b, int64_t bound);

/* The feature to go on with: the hint's; or one without a candidate; or up to depth three the one
 * under search; or the one that comes before all others. -1: none. */
int32_t ct_features_choose(ct_roots *roots);

/* An interval that came off its stack is put off, until all that are taken up: 0 if none is, and
 * from then on. */
void ct_features_put_off(ct_roots *roots, uint32_t feature, ct_interval *i);
int ct_features_take_up(ct_roots *roots);

int ct_features_any_open(const ct_roots *roots);

/* An interval that came off its stack is either worked on, or closed and given back. */
void ct_features_begin_work(ct_roots *roots, ct_interval *i);
void ct_features_end_work(ct_roots *roots, const ct_interval *i);
void ct_features_give_back(ct_roots *roots, ct_interval *i);

/* While a row set is shared its candidates and intervals come from the team's arena (`of_team`);
 * here they go back to the team, once nothing is open. */
void ct_features_return_spares(ct_roots *roots);

/* What nobody came to is known by its bounds. */
void ct_features_note_open(ct_roots *roots);

#endif
