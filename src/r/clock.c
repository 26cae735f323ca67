/* The clock that limits, progress and interrupts go by.
 *
 * ffi_seconds(): ct_seconds(). ffi_processor_seconds(): those of the processor, where the system
 * tells them, finer than proc.time() has them. ffi_count_time(step, rows): ct_clock_step() and
 * ct_exact_worker_poll_every(), for tests. */
#include <time.h>

#include "base/clock.h"
#include "exact/run/worker.h"
#include "r/glue.h"

SEXP ffi_seconds(void)
{
    return Rf_ScalarReal(ct_seconds());
}

SEXP ffi_processor_seconds(void)
{
    return Rf_ScalarReal((double) clock() / CLOCKS_PER_SEC);
}

SEXP ffi_count_time(SEXP step, SEXP rows)
{
    double seconds = Rf_asReal(step), every = Rf_asReal(rows);
    if (!(seconds >= 0 && seconds <= 1e6) || !(every >= 0 && every <= 1e12))
        Rf_error("the clock needs a step of 0 to 1e6 seconds, and 0 to 1e12 rows");
    ct_clock_step(seconds);
    ct_exact_worker_poll_every((uint64_t) every);
    return R_NilValue;
}
