#include "forest/codes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/threads.h"
#include "data/sort.h"
#include "tree/forest.h"

/* Bins follow codes in steps of 2^shift, so that a table of few entries gives them. */
enum { BIN_STEPS = 4096, ASK_EVERY = 1 << 20 };

/* What a thread needs to sort a column. */
typedef struct {
    void *scratch;
    uint32_t *order,
        *rows; /* [n_rows] rows without missing values, in order; which rows these are */
    uint64_t *ties;
    double *values;         /* [n_rows] of these */
} desk;

typedef struct {
    const ct_column *columns;
    ct_codes *codes;
    desk *desks;
    uint32_t most;
    ct_halt *stop;
    int64_t failed; /* atomic */
} plan;

static int desk_init(desk *d, uint32_t n)
{
    d->scratch = ct_alloc(ct_sort_scratch(n));
    d->order = (uint32_t *) ct_alloc(n * sizeof *d->order);
    d->rows = (uint32_t *) ct_alloc(n * sizeof *d->rows);
    d->ties = (uint64_t *) ct_alloc((n / 64 + 1) * sizeof *d->ties);
    d->values = (double *) ct_alloc(n * sizeof *d->values);
    return d->scratch && d->order && d->rows && d->ties && d->values;
}

static void desk_free(desk *d)
{
    ct_free(d->scratch);
    ct_free(d->order);
    ct_free(d->rows);
    ct_free(d->ties);
    ct_free(d->values);
}

/* The values that are there, as doubles, and their rows. */
static uint32_t gather(desk *d, const ct_column *column, uint32_t n_rows)
{
    uint32_t n = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        d->values[n] = ct_column_value(column, row);
        d->rows[n] = row;
        n += !ct_is_missing(column, row);
    }
    return n;
}

static int changes(const desk *d, uint32_t place)
{
    return (int) (d->ties[place / 64] >> (place % 64) & 1);
}

/* Codes of the sorted values, and the edges between them; returns how many codes there are. Where
 * values are too many, one begins a new code if the rows before it fill another of `most` equal
 * parts. */
static uint32_t number_values(const plan *p, unsigned worker, uint32_t n, uint32_t n_values,
                              double *edges, uint16_t *codes)
{
    const desk *d = &p->desks[worker];
    uint32_t code = 0, most = p->most;
    uint64_t part = 0;
    int many = n_values > most;
    for (uint32_t i = 0; i < n; i++) {
        if (i % ASK_EVERY == 0 && ct_halt_now(p->stop, worker)) return 0;
        if (i && changes(d, i - 1)) {
            uint64_t now = many ? (uint64_t) i * most / n : part + 1;
            if (now != part) {
                edges[++code] = ct_threshold_between(d->values[d->order[i - 1]],
                                                     d->values[d->order[i]]);
                part = now;
            }
        }
        codes[d->rows[d->order[i]]] = (uint16_t) code;
    }
    return n ? code + 1 : 0;
}

/* Bins of codes that are too many for them: of about equally many rows. */
static int make_bins(ct_code_column *column, const uint16_t *codes, uint32_t n_rows)
{
    column->shift = 0;
    while ((column->n_codes - 1) >> column->shift >= BIN_STEPS) column->shift++;
    uint32_t n_steps = ((column->n_codes - 1) >> column->shift) + 1,
             entries = (UINT32_C(65535) >> column->shift) + 1;
    uint32_t *rows = (uint32_t *) ct_alloc(entries * sizeof *rows);
    column->bin_of = (uint8_t *) ct_alloc(entries);
    if (!rows || !column->bin_of) {
        ct_free(rows);
        return 0;
    }
    memset(rows, 0, entries * sizeof *rows);
    memset(column->bin_of, CT_BIN_MISSING, entries);
    uint32_t n = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        if (codes[row] != CT_CODE_MISSING) rows[codes[row] >> column->shift]++, n++;
    CT_ASSERT(n > 0);
    uint64_t before = 0, part = 0;
    uint32_t bin = 0;
    column->first[0] = 0;
    for (uint32_t step = 0; step < n_steps; step++) {
        uint64_t now = before * CT_BINS / n;
        if (now != part) {
            column->first[++bin] = (uint16_t) (step << column->shift);
            part = now;
        }
        column->bin_of[step] = (uint8_t) bin;
        before += rows[step];
    }
    ct_free(rows);
    column->n_bins = bin + 1;
    column->first[bin + 1] = (uint16_t) column->n_codes;
    return 1;
}

static void bins_are_codes(ct_code_column *column)
{
    column->n_bins = column->n_codes;
    for (uint32_t bin = 0; bin <= column->n_bins; bin++) column->first[bin] = (uint16_t) bin;
}

/* Edges in memory of just their size. */
static int keep_edges(ct_code_column *column, const double *edges)
{
    size_t bytes = (column->n_codes ? column->n_codes : 1) * sizeof *edges;
    column->edges = (double *) ct_alloc(bytes);
    if (!column->edges) return 0;
    column->edges[0] = -INFINITY;
    if (column->n_codes > 1) memcpy(column->edges + 1, edges + 1, bytes - sizeof *edges);
    return 1;
}

/* 0 if memory ends. Once work is to end, the column has no codes. */
static int code_column(const plan *p, unsigned worker, uint32_t col)
{
    desk *d = &p->desks[worker];
    ct_codes *all = p->codes;
    ct_code_column *column = &all->columns[col];
    uint16_t *codes = all->codes + (size_t) col * all->n_rows;
    uint8_t *bins = all->bins + (size_t) col * all->n_rows;
    uint32_t n = gather(d, &p->columns[col], all->n_rows), n_values = 0;
    column->has_missing = n < all->n_rows;
    if (column->has_missing) memset(codes, 0xff, all->n_rows * sizeof *codes);
    memset(d->ties, 0, (all->n_rows / 64 + 1) * sizeof *d->ties);
    ct_column present = {d->values, CT_DOUBLE};
    if (n) n_values = ct_sort_column(&present, n, d->scratch, d->order, d->ties, p->stop, worker);
    if (ct_halt_now(p->stop, worker)) return 1;
    double *edges = (double *) d->scratch; /* of the sort, which is over; larger than the edges */
    column->n_codes = number_values(p, worker, n, n_values, edges, codes);
    if (ct_halt_now(p->stop, worker)) column->n_codes = 0;
    if (!column->n_codes && n) return 1;
    column->first = (uint16_t *) ct_alloc((CT_BINS + 1) * sizeof *column->first);
    if (!column->first || !keep_edges(column, edges)) return 0;
    if (column->n_codes <= CT_BINS) bins_are_codes(column);
    else if (!make_bins(column, codes, all->n_rows)) return 0;
    for (uint32_t row = 0; row < all->n_rows; row++) bins[row] = ct_bin_of(column, codes[row]);
    return 1;
}

static void code_columns(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    plan *p = (plan *) data;
    for (uint64_t col = begin; col < end; col++)
        if (!code_column(p, worker, (uint32_t) col)) ct_atomic_write(&p->failed, 1);
}

/* Tiles of rows, so that columns are read by lines of memory. */
enum { TILE = 64 };

static void turn_rows(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    ct_codes *codes = (ct_codes *) data;
    (void) worker;
    for (uint32_t col = 0; col < codes->n_cols; col++) {
        const uint16_t *from = codes->codes + (size_t) col * codes->n_rows;
        for (uint64_t row = begin; row < end; row++)
            codes->by_row[row * codes->stride + col] = from[row];
    }
}

static int make_plan(plan *p, ct_codes *codes, const ct_column *columns, uint32_t most,
                     unsigned threads, ct_halt *stop)
{
    size_t cells = (size_t) codes->n_cols * codes->n_rows;
    memset(p, 0, sizeof *p);
    p->columns = columns;
    p->codes = codes;
    p->most = most < CT_CODES ? most : CT_CODES;
    p->stop = stop;
    p->desks = (desk *) ct_alloc(threads * sizeof *p->desks);
    codes->columns = (ct_code_column *) ct_alloc((codes->n_cols ? codes->n_cols : 1) *
                                                 sizeof *codes->columns);
    if (codes->columns)
        memset(codes->columns, 0, (codes->n_cols ? codes->n_cols : 1) * sizeof *codes->columns);
    codes->codes = (uint16_t *) ct_alloc(cells * sizeof *codes->codes);
    codes->bins = (uint8_t *) ct_alloc(cells);
    if (codes->stride)
        codes->by_row = (uint16_t *) ct_alloc(codes->n_rows * codes->stride *
                                              sizeof *codes->by_row);
    if (!p->desks) return 0;
    memset(p->desks, 0, threads * sizeof *p->desks);
    int fine = codes->columns && codes->codes && codes->bins && (codes->by_row || !codes->stride);
    for (unsigned i = 0; fine && i < threads; i++) fine = desk_init(&p->desks[i], codes->n_rows);
    return fine;
}

static size_t row_stride(uint32_t n_cols) { return ((size_t) n_cols + 7) / 8 * 8; }

ct_status ct_codes_init(ct_codes *codes, const ct_column *columns, uint32_t n_cols, uint32_t n_rows,
                        uint32_t most, int by_row, unsigned threads, ct_halt *stop,
                        ct_error *error)
{
    plan p;
    if (threads > n_cols) threads = n_cols;
    if (!threads) threads = 1;
    memset(codes, 0, sizeof *codes);
    codes->n_rows = n_rows;
    codes->n_cols = n_cols;
    if (by_row) codes->stride = row_stride(n_cols);
    int fine = make_plan(&p, codes, columns, most, threads, stop);
    if (fine) {
        ct_loop loop = {n_cols, 1, CT_DYNAMIC, threads, code_columns, &p, stop};
        ct_parallel_for(&loop);
        fine = !p.failed;
    }
    for (unsigned i = 0; p.desks && i < threads; i++) desk_free(&p.desks[i]);
    ct_free(p.desks);
    if (!fine)
        return ct_fail(error, CT_NO_MEMORY, "no memory for the codes of %lu values",
                       (unsigned long) n_rows * n_cols);
    if (by_row) {
        ct_loop loop = {n_rows, TILE, CT_STATIC, threads, turn_rows, codes, stop};
        ct_parallel_for(&loop);
    }
    return CT_OK;
}

void ct_codes_free(ct_codes *codes)
{
    for (uint32_t col = 0; codes->columns && col < codes->n_cols; col++) {
        ct_free(codes->columns[col].edges);
        ct_free(codes->columns[col].bin_of);
        ct_free(codes->columns[col].first);
    }
    ct_free(codes->columns);
    ct_free(codes->codes);
    ct_free(codes->bins);
    ct_free(codes->by_row);
    memset(codes, 0, sizeof *codes);
}

double ct_codes_bytes(uint32_t n_cols, uint32_t n_rows, int by_row, unsigned threads)
{
    double cells = (double) n_cols * n_rows,
           turned = by_row ? 2.0 * (double) row_stride(n_cols) * n_rows : 0,
           sorting = (double) ct_sort_scratch(n_rows) + 17.0 * n_rows;
    return 3 * cells + turned + sorting * (threads < n_cols ? threads : n_cols) +
           8.0 * n_cols * 65536;
}

uint16_t ct_code_of(const double *edges, uint32_t n_codes, double value)
{
    uint32_t code = 0, n = n_codes;
    while (n > 1) {
        uint32_t half = n / 2;
        code += value >= edges[code + half] ? half : 0;
        n -= half;
    }
    return (uint16_t) code;
}
