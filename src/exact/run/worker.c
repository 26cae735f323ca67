#include "exact/run/worker.h"

#include "base/clock.h"
#include "exact/run/history.h"

/* Rows, columns and classes scanned between two looks at the clock: some milliseconds on the
 * slowest kernels. */
enum { POLL_ROWS = 1 << 25 };

static int64_t poll_rows = POLL_ROWS; /* atomic */

void ct_exact_worker_poll_every(uint64_t rows)
{
    ct_atomic_write(&poll_rows, rows ? (int64_t) rows : POLL_ROWS);
}

void ct_worker_poll(ct_worker *worker, uint64_t rows)
{
    worker->work += rows + 1024;
    if (worker->work < (uint64_t) ct_atomic_read(&poll_rows)) return;
    worker->done += (double) worker->work;
    worker->work = 0;
    const ct_exact_options *options = worker->search->options;
    if (ct_is_halted(worker)) return;
    if (worker->aside &&
        (worker->done >= worker->aside_until || ct_stop_is_asked(worker->aside)))
        ct_worker_stop(worker, CT_END_MEMORY); /* any reason that is not handed on */
    double now = ct_seconds();
    if (now >= worker->search->deadline) ct_worker_stop(worker, CT_END_TIME);
    if (worker->number) return;
    ct_history_poll(worker->search->history, now);
    if (options->stop && options->stop(options->stop_data))
        ct_worker_stop(worker, CT_END_INTERRUPT);
}
