/* The clock that limits, progress and interrupts go by.
 *
 * ffi_seconds(): ct_seconds(). ffi_count_time(step, rows): ct_clock_step() and
 * ct_worker_poll_every(), for tests. */
#include "base/clock.h"
#include "exact/run/worker.h"
#include "r/glue.h"

SEXP ffi_seconds(void)
{
    return Rf_ScalarReal(ct_seconds());
}

SEXP ffi_count_time(SEXP step, SEXP rows)
{
    double seconds = Rf_asReal(step), every = Rf_asReal(rows);
    if (!(seconds >= 0 && seconds <= 1e6) || !(every >= 0 && every <= 1e12))
        Rf_error("the clock needs a step of 0 to 1e6 seconds, and 0 to 1e12 rows");
    ct_clock_step(seconds);
    ct_worker_poll_every((uint64_t) every);
    return R_NilValue;
}
