/* What a search of a small instance remembers on its way must be true: each lower bound of the
 * cache, of an interval, of a root feature and of a side, against brute force. A bound that is not
 * one seldom makes a tree wrong, so answers alone do not tell. */
#ifndef CT_TEST_INSTANCE_BOUNDS_H
#define CT_TEST_INSTANCE_BOUNDS_H

#include "base/threads.h"
#include "brute_bounds.h"
#include "check.h"
#include "instance.h"
#include "reference.h"

static struct {
    bound_brute brute;
    ct_lock lock;
    uint64_t seen; /* in all searches so far */
    int wrong;     /* in this one */
    ct_observed worst;
    int64_t truth;
} bounds_state;

static inline void compare_bound(const ct_observed *seen)
{
    ct_lock_take(&bounds_state.lock);
    int64_t truth = bounds_truth(&bounds_state.brute, seen);
    bounds_state.seen++;
    if (seen->lower > truth && !bounds_state.wrong++) {
        bounds_state.worst = *seen;
        bounds_state.truth = truth;
    }
    ct_lock_leave(&bounds_state.lock);
}

static inline void print_bound(const ct_observed *seen, int64_t truth)
{
    printf("    depth %u%s, feature %d, rows left %u .. %u%s, behind %u conditions: %lld, not "
           "%lld%s\n",
           seen->depth, seen->allowed ? ", allowed" : "", (int) seen->feature, seen->more,
           seen->fewer, seen->empty_sides ? ", empty sides" : "", seen->path.n, (long long) truth,
           (long long) seen->lower, seen->within ? ", a child" : "");
}

/* Of the table as it is; 0 if it is too large, or the search ends without an answer. */
static inline int bounds_hold(const random_table *table, const ct_exact_options *options)
{
    random_table capped = *table;
    if (options->max_thresholds) capped = table_capped(table, options->max_thresholds);
    if (!bounds_begin(&bounds_state.brute, &capped.data, options)) return 0;
    ct_exact_result result;
    ct_lock_init(&bounds_state.lock);
    bounds_state.wrong = 0;
    ct_observe(compare_bound);
    ct_status status = ct_exact_solve(&table->data, options, &result, NULL, &reason);
    ct_observe(NULL);
    ct_lock_free(&bounds_state.lock);
    if (!CHECK_INT(bounds_state.wrong, 0)) print_bound(&bounds_state.worst, bounds_state.truth);
    if (status == CT_OK) ct_exact_result_free(&result);
    return status == CT_OK;
}

#endif
