/* Calls from the search back into R while it runs, to check for interrupts and to report progress.
 * R may leave any such call by a longjmp (an error, a restart, a time limit of its own), which must
 * not pass through the search, since that owns memory and threads: it is caught here, the search is
 * stopped, and the jump continues once everything is freed. */
#ifndef CT_R_CALLBACKS_H
#define CT_R_CALLBACKS_H

#include "r/glue.h"
#include "exact/run/options.h"

typedef struct {
    SEXP report;     /* function of a few numbers, borrowed; R_NilValue: none */
    SEXP conditions; /* "interrupt" */
    SEXP jump;       /* where R was going when a call was left */
    int interrupted, jumped;
    SEXP (*call)(void *);          /* the call under way */
    void *argument;                /* of that call */
    double reported[4];            /* the numbers of the report under way */
    int n_reported;
    double next_poll, next_report; /* in ct_seconds() */
} r_callbacks;

/* Protect the result as long as the work runs. */
SEXP r_callbacks_init(r_callbacks *calls, SEXP report);
/* Also sets the callbacks of a search, which calls `report` with elapsed, cost, bound and closed.
 * Protect the result. */
SEXP r_callbacks_begin(r_callbacks *calls, SEXP report, ct_exact_options *options);

/* 1 once work is to end: the user has interrupted, or R jumped. Often called; R is asked now and
 * then. */
int r_callbacks_stop(void *calls);
/* Calls `report` with up to four numbers, NA for those that are not finite, unless it was called a
 * moment ago. */
void r_callbacks_report(r_callbacks *calls, const double *numbers, int n);

/* Calls `call(argument)`, which may call R in any way. 0 if R was left by a jump, which is kept, or
 * interrupted; work is then to end. */
int r_callbacks_call(r_callbacks *calls, SEXP (*call)(void *), void *argument);

/* Goes on with a jump that was caught, once the owner (r_owner(), or NULL) is released; returns if
 * there was none. */
void r_callbacks_jump_if(r_callbacks *calls, SEXP owner);

/* After a call that returned `status`: a jump goes on; an error if it failed or was stopped. */
void r_callbacks_end(r_callbacks *calls, ct_status status, const ct_error *error);

#endif
