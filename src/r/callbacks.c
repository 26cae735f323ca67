#include "r/callbacks.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "base/clock.h"

/* Seconds between two calls. A poll takes R more than ten microseconds. */
static const double POLL_STEP = 0.02, REPORT_STEP = 0.2;

/* ---- no jump passes ---- */

static void leave(void *home, Rboolean jump)
{
    if (jump) longjmp(*(jmp_buf *) home, 1);
}

static SEXP note_interrupt(SEXP condition, void *data)
{
    (void) condition;
    ((r_callbacks *) data)->interrupted = 1;
    return R_NilValue;
}

static SEXP call_caught(void *data)
{
    r_callbacks *calls = (r_callbacks *) data;
    return R_tryCatch(calls->call, calls->argument, calls->conditions, note_interrupt, calls, NULL,
                      NULL);
}

/* Interrupts are noted, other jumps kept. */
static void call_guarded(SEXP (*call)(void *), void *argument, r_callbacks *calls)
{
    jmp_buf home;
    CT_ASSERT(call && calls->jump && !calls->jumped);
    calls->call = call;
    calls->argument = argument;
    if (setjmp(home)) calls->jumped = 1;
    else R_UnwindProtect(call_caught, calls, leave, &home, calls->jump);
}

int r_callbacks_call(r_callbacks *calls, SEXP (*call)(void *), void *argument)
{
    if (!calls->jumped && !calls->interrupted) call_guarded(call, argument, calls);
    return !calls->jumped && !calls->interrupted;
}

void r_callbacks_jump_if(r_callbacks *calls, SEXP owner)
{
    CT_ASSERT(calls->jump);
    if (!calls->jumped) return;
    if (owner) r_release(owner);
    R_ContinueUnwind(calls->jump);
}

void r_callbacks_end(r_callbacks *calls, ct_status status, const ct_error *error)
{
    r_callbacks_jump_if(calls, NULL);
    r_check(status, error);
    if (calls->interrupted) r_interrupted();
}

/* ---- interrupts ---- */

static SEXP poll_interrupt(void *unused)
{
    (void) unused;
    R_CheckUserInterrupt();
    return R_NilValue;
}

int r_callbacks_stop(void *data)
{
    r_callbacks *calls = (r_callbacks *) data;
    if (!calls->jumped && !calls->interrupted && ct_seconds() >= calls->next_poll) {
        call_guarded(poll_interrupt, NULL, calls);
        calls->next_poll = ct_seconds() + POLL_STEP;
    }
    return calls->jumped || calls->interrupted;
}

/* ---- progress ---- */

static SEXP call_report(void *data)
{
    const r_callbacks *calls = (const r_callbacks *) data;
    SEXP arguments = PROTECT(Rf_allocList(calls->n_reported)), at = arguments;
    for (int i = 0; i < calls->n_reported; i++, at = CDR(at))
        SETCAR(at, Rf_ScalarReal(isfinite(calls->reported[i]) ? calls->reported[i] : NA_REAL));
    SEXP call = PROTECT(Rf_lcons(calls->report, arguments));
    Rf_eval(call, R_GlobalEnv);
    UNPROTECT(2);
    return R_NilValue;
}

/* The step counts from the end of a call, so that a slow function leaves time for the work. */
void r_callbacks_report(r_callbacks *calls, const double *numbers, int n)
{
    CT_ASSERT(n > 0 && (size_t) n <= sizeof calls->reported / sizeof *calls->reported);
    if (calls->report == R_NilValue || calls->jumped || calls->interrupted ||
        ct_seconds() < calls->next_report)
        return;
    for (int i = 0; i < n; i++) calls->reported[i] = numbers[i];
    calls->n_reported = n;
    call_guarded(call_report, calls, calls);
    calls->next_report = ct_seconds() + REPORT_STEP;
}

static void report(void *data, const ct_exact_progress *moment)
{
    double numbers[4] = {moment->seconds, moment->upper, moment->lower, moment->closed};
    r_callbacks_report((r_callbacks *) data, numbers, 4);
}

SEXP r_callbacks_init(r_callbacks *calls, SEXP function)
{
    memset(calls, 0, sizeof *calls);
    SEXP kept = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(kept, 0, calls->conditions = Rf_mkString("interrupt"));
    SET_VECTOR_ELT(kept, 1, calls->jump = R_MakeUnwindCont());
    calls->report = function;
    double now = ct_seconds();
    calls->next_poll = now + POLL_STEP; /* a call that is over before need not ask */
    calls->next_report = now + REPORT_STEP;
    UNPROTECT(1);
    return kept;
}

SEXP r_callbacks_begin(r_callbacks *calls, SEXP function, ct_exact_options *options)
{
    SEXP kept = r_callbacks_init(calls, function);
    options->stop = r_callbacks_stop;
    options->stop_data = calls;
    if (function != R_NilValue) options->report = report;
    options->report_data = calls;
    return kept;
}
