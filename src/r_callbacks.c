#include "r_callbacks.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "base/clock.h"

/* Seconds between two calls. A poll takes R some microseconds. */
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
    return R_tryCatch(calls->call, calls, calls->conditions, note_interrupt, calls, NULL, NULL);
}

/* Interrupts are noted, other jumps kept. */
static void call_guarded(SEXP (*call)(void *), r_callbacks *calls)
{
    jmp_buf home;
    calls->call = call;
    if (setjmp(home)) calls->jumped = 1;
    else R_UnwindProtect(call_caught, calls, leave, &home, calls->jump);
}

void r_callbacks_jump(r_callbacks *calls)
{
    R_ContinueUnwind(calls->jump);
}

/* ---- interrupts ---- */

static SEXP poll_interrupt(void *unused)
{
    (void) unused;
    R_CheckUserInterrupt();
    return R_NilValue;
}

static int stop(void *data)
{
    r_callbacks *calls = (r_callbacks *) data;
    if (!calls->jumped && !calls->interrupted && ct_seconds() >= calls->next_poll) {
        call_guarded(poll_interrupt, calls);
        calls->next_poll = ct_seconds() + POLL_STEP;
    }
    return calls->jumped || calls->interrupted;
}

/* ---- progress ---- */

static SEXP number_or_na(double value)
{
    return Rf_ScalarReal(isfinite(value) ? value : NA_REAL);
}

static SEXP tell(void *data)
{
    const r_callbacks *calls = (const r_callbacks *) data;
    SEXP elapsed = PROTECT(number_or_na(calls->moment->seconds)), cost = PROTECT(number_or_na(calls->moment->upper));
    SEXP bound = PROTECT(number_or_na(calls->moment->lower)), closed = PROTECT(number_or_na(calls->moment->closed));
    SEXP call = PROTECT(Rf_lang5(calls->report, elapsed, cost, bound, closed));
    Rf_eval(call, R_GlobalEnv);
    UNPROTECT(5);
    return R_NilValue;
}

/* The step counts from the end of a call, so that a slow function leaves time for the search. */
static void report(void *data, const ct_progress *moment)
{
    r_callbacks *calls = (r_callbacks *) data;
    if (calls->jumped || calls->interrupted || ct_seconds() < calls->next_report) return;
    calls->moment = moment;
    call_guarded(tell, calls);
    calls->next_report = ct_seconds() + REPORT_STEP;
}

SEXP r_callbacks_begin(r_callbacks *calls, SEXP function, ct_options *options)
{
    memset(calls, 0, sizeof *calls);
    SEXP kept = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(kept, 0, calls->conditions = Rf_mkString("interrupt"));
    SET_VECTOR_ELT(kept, 1, calls->jump = R_MakeUnwindCont());
    calls->report = function;
    calls->next_report = ct_seconds() + REPORT_STEP;
    options->stop = stop;
    options->stop_data = calls;
    if (function != R_NilValue) options->report = report;
    options->report_data = calls;
    UNPROTECT(1);
    return kept;
}
