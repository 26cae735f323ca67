#include "base/compact.h"

#include "forge/offload/passes.h"

#include <string.h>

#include "base/clock.h"
#include "forge/input.h"

enum { WORD = 32, MOST_BYTES = 1 << 29, READ_ROWS = 4096 };

/* ---- memory ---- */

static size_t number_size(const ct_forge_passes *p)
{
    return p->work.wide ? sizeof(double) : sizeof(float);
}

static size_t x_bytes(const ct_forge_passes *p, uint32_t n)
{
    return (size_t) n * p->forged->n_used * number_size(p);
}

static size_t out_bytes(const ct_forge_passes *p, uint32_t n)
{
    return (size_t) n * p->forged->ensemble->n_outputs * sizeof(double);
}

/* A pass of n rows. */
static size_t cut_device(const ct_forge_passes *p, ct_forge_pass *pass, char *memory, uint32_t n)
{
    ct_gpu_cutter c = {memory, 0};
    pass->x = ct_gpu_cut(&c, x_bytes(p, n));
    pass->out = (double *) ct_gpu_cut(&c, out_bytes(p, n));
    pass->scratch = (char *) ct_gpu_cut(&c, p->work.scratch(p->work.of, n));
    return c.used;
}

static size_t cut_host(const ct_forge_passes *p, ct_forge_pass *pass, char *memory, uint32_t n)
{
    ct_gpu_cutter c = {memory, 0};
    pass->host_x = ct_gpu_cut(&c, x_bytes(p, n));
    pass->host_out = (double *) ct_gpu_cut(&c, out_bytes(p, n));
    return c.used;
}

static uint32_t whole_words(uint32_t n)
{
    return n / WORD * WORD + (n % WORD ? WORD : 0);
}

static void close_pass(ct_forge_pass *pass)
{
    ct_gpu_stream_close(&pass->stream);
    ct_gpu_event_close(&pass->end);
    ct_gpu_give(&pass->on_device);
    ct_gpu_give(&pass->on_host);
    memset(pass, 0, sizeof *pass);
}

static ct_status open_pass(const ct_forge_passes *p, ct_forge_pass *pass, uint32_t rows)
{
    if (pass->capacity >= rows) return CT_OK;
    close_pass(pass);
    CT_TRY(ct_gpu_stream_open(p->gpu, &pass->stream));
    CT_TRY(ct_gpu_event_open(p->gpu, &pass->end));
    CT_TRY(ct_gpu_take(p->gpu, cut_device(p, pass, NULL, rows), &pass->on_device));
    CT_TRY(ct_gpu_take_host(p->gpu, cut_host(p, pass, NULL, rows), &pass->on_host));
    (void) cut_host(p, pass, (char *) pass->on_host.memory, rows);
    pass->capacity = rows;
    return CT_OK;
}

/* Rows of a pass: two passes fit into memory, and the host has rows of another one to read while
 * one runs. */
static ct_status plan(ct_forge_passes *p, uint32_t n_rows, uint32_t *rows, ct_error *error)
{
    ct_forge_pass planned;
    size_t room = 0, bytes;
    if (p->slots[0].capacity >= n_rows || p->slots[1].capacity) {
        *rows = p->slots[0].capacity;
        return CT_OK;
    }
    close_pass(&p->slots[0]);
    if (ct_gpu_room(p->gpu, &room) != CT_OK)
        return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(p->gpu));
    const size_t limit = room < MOST_BYTES ? room : MOST_BYTES;
    *rows = whole_words(n_rows < p->work.most_rows ? n_rows : p->work.most_rows);
    while ((bytes = CT_FORGE_PASSES * cut_device(p, &planned, NULL, *rows)) > limit && *rows > WORD)
        *rows = whole_words(*rows / 2);
    if (bytes <= room) return CT_OK;
    return ct_fail(error, CT_NO_MEMORY,
                   "%d rows take %.3g GB on the device, and %.3g GB are free", (int) WORD,
                   (double) bytes / 1e9, (double) room / 1e9);
}

/* ---- a pass ---- */

typedef struct {
    const ct_forge_passes *passes;
    const ct_forge_pass *pass;
    const ct_column *columns;
} reading;

/* Pieces are some rows of a column. */
static void read_piece(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const reading *r = (const reading *) data;
    const ct_forge_pass *pass = r->pass;
    const ct_forged *f = r->passes->forged;
    const uint32_t pieces = (pass->n + READ_ROWS - 1) / READ_ROWS;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) {
        const ct_column *column = &r->columns[f->used[i / pieces]];
        const uint32_t from = (uint32_t) (i % pieces) * READ_ROWS,
                       left = pass->n - from, n = left < READ_ROWS ? left : READ_ROWS;
        const size_t at = (size_t) (i / pieces) * pass->n + from;
        for (uint32_t k = 0; k < n; k++) {
            double x = ct_forge_input(column, pass->first + from + k, f->ensemble->number);
            if (r->passes->work.wide) ((double *) pass->host_x)[at + k] = x;
            else ((float *) pass->host_x)[at + k] = (float) x;
        }
    }
}

/* Sends the rows of a pass to the device. */
static ct_status send_rows(const ct_forge_passes *p, const ct_forge_pass *pass,
                           const ct_column *columns, const ct_forge_run *run)
{
    reading r = {p, pass, columns};
    const uint64_t pieces = (pass->n + READ_ROWS - 1) / READ_ROWS;
    ct_loop loop = {p->forged->n_used * pieces, 1, CT_DYNAMIC, run->threads, read_piece, &r, NULL};
    ct_parallel_for(&loop);
    size_t bytes = x_bytes(p, pass->n);
    return ct_gpu_send(&pass->stream, pass->x, pass->host_x, bytes);
}

static ct_status begin_pass(const ct_forge_passes *p, ct_forge_pass *pass, const ct_column *columns,
                            uint32_t first, uint32_t n, const ct_forge_run *run)
{
    pass->first = first;
    pass->n = n;
    (void) cut_device(p, pass, (char *) pass->on_device.memory, n);
    CT_TRY(send_rows(p, pass, columns, run));
    CT_TRY(p->work.predict(p->work.of, pass));
    CT_TRY(ct_gpu_fetch(&pass->stream, pass->host_out, pass->out, out_bytes(p, n)));
    return ct_gpu_mark(&pass->stream, &pass->end);
}

/* Waits for what is under way. */
static ct_status end_pass(const ct_forge_passes *p, ct_forge_pass *pass, double *out,
                          uint32_t n_rows)
{
    if (!pass->n) return CT_OK;
    CT_TRY(ct_gpu_wait(&pass->end));
    for (uint32_t k = 0; k < p->forged->ensemble->n_outputs; k++)
        memcpy(out + (size_t) k * n_rows + pass->first, pass->host_out + (size_t) k * pass->n,
               pass->n * sizeof *out);
    pass->n = 0;
    return CT_OK;
}

/* ---- all rows ---- */

static ct_status run_passes(ct_forge_passes *p, const ct_column *columns, uint32_t n_rows,
                            uint32_t rows, const ct_forge_run *run, double *out)
{
    unsigned next = 0;
    for (uint32_t first = 0, n; first < n_rows; first += n, next = (next + 1) % CT_FORGE_PASSES) {
        ct_forge_pass *pass = &p->slots[next];
        n = n_rows - first < rows ? n_rows - first : rows;
        CT_TRY(end_pass(p, pass, out, n_rows));
        if (run->stop && ct_halt_now(run->stop, 0)) break;
        CT_TRY(open_pass(p, pass, rows));
        CT_TRY(begin_pass(p, pass, columns, first, n, run));
    }
    for (unsigned i = 0; i < CT_FORGE_PASSES; i++)
        CT_TRY(end_pass(p, &p->slots[(next + i) % CT_FORGE_PASSES], out, n_rows));
    return CT_OK;
}

ct_status ct_forge_passes_run(ct_forge_passes *p, const ct_column *columns, uint32_t n_rows,
                              const ct_forge_run *run, double *out, ct_error *error)
{
    CT_ASSERT(p->work.most_rows >= 32 && p->work.predict && (out || !n_rows));
    uint32_t rows = 0;
    if (!n_rows) return CT_OK;
    CT_TRY(plan(p, n_rows, &rows, error));
    if (run_passes(p, columns, n_rows, rows, run, out) == CT_OK) return CT_OK;
    return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(p->gpu));
}

void ct_forge_passes_close(ct_forge_passes *p)
{
    for (unsigned i = 0; i < CT_FORGE_PASSES; i++) close_pass(&p->slots[i]);
}

/* ---- time ---- */

static ct_status predict_times(const ct_forge_passes *p, const ct_forge_pass *pass, uint32_t times,
                               double *taken)
{
    double from = ct_seconds();
    for (uint32_t i = 0; i < times; i++) CT_TRY(p->work.predict(p->work.of, pass));
    CT_TRY(ct_gpu_drain(&pass->stream));
    *taken = ct_seconds() - from;
    return CT_OK;
}

static ct_status time_pass(const ct_forge_passes *p, const ct_forge_pass *pass, double seconds,
                           double *least)
{
    enum { ROUNDS = 3, MOST_TIMES = 1 << 16 };
    uint32_t times = 1;
    double taken;
    CT_TRY(predict_times(p, pass, 1, &taken)); /* what the first one alone takes is not counted */
    for (int round = 0; round < ROUNDS;) {
        CT_TRY(predict_times(p, pass, times, &taken));
        if (taken < seconds && times < MOST_TIMES) {
            times *= 2;
            continue;
        }
        if (!round || taken / times < *least) *least = taken / times;
        round++;
    }
    return CT_OK;
}

ct_status ct_forge_passes_time(ct_forge_passes *p, const ct_column *columns, uint32_t n_rows,
                               const ct_forge_run *run, double seconds, double *taken,
                               ct_error *error)
{
    uint32_t rows = 0;
    ct_forge_pass *pass = &p->slots[0];
    CT_ASSERT(n_rows > 0);
    CT_TRY(plan(p, n_rows, &rows, error));
    if (n_rows > rows)
        return ct_fail(error, CT_BAD_INPUT, "the device takes %lu rows at a time",
                       (unsigned long) rows);
    ct_status status = open_pass(p, pass, rows);
    if (status == CT_OK) {
        pass->first = 0;
        pass->n = n_rows;
        (void) cut_device(p, pass, (char *) pass->on_device.memory, n_rows);
        status = send_rows(p, pass, columns, run);
    }
    if (status == CT_OK) status = time_pass(p, pass, seconds, taken);
    pass->n = 0;
    return status == CT_OK ? CT_OK : ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(p->gpu));
}
