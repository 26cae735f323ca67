#include "forest/codes/codes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/threads.h"
#include "data/sort.h"
#include "forest/codes/distinct.h"
#include "tree/forest.h"

/* Bins follow codes in steps of 2^shift, so that a table of few entries gives them. */
enum { BIN_STEPS = 16384, CHECK_EVERY = 1 << 20 };

enum { LEVELS = 65536 };

/* What a thread needs to code a column. */
typedef struct {
    void *scratch;
    uint32_t *order, *from; /* [n] the values in order; of which row or level each is */
    uint64_t *ties;
    double *values; /* [n] */
    ct_hist_distinct *distinct;
    uint32_t *rows_of; /* rows of each level that a column may have */
    uint16_t *code_of; /* the same for its code */
} scratch;

/* The values of a column that are not missing, in a scratch, to sort: those of its rows or, of
 * coded columns and where few differ, of its levels. */
typedef struct {
    uint32_t n, n_from;      /* how many there are; rows, or levels, that they are of */
    const uint16_t *levels;  /* of each row; NULL: values are of rows */
    const uint32_t *rows_of; /* each level; NULL: each value counts as one row */
    uint32_t present;        /* rows that they are of, so counted */
    int has_missing;
} gathered;

typedef struct {
    const ct_column *columns;
    ct_hist_codes *codes;
    scratch *scratches;
    uint32_t most;
    ct_halt *stop;
    int64_t failed; /* atomic */
} plan;

/* The most values that a column may have to sort, and levels that one may have. */
static uint32_t most_to_sort(const ct_column *columns, uint32_t n_cols, uint32_t n_rows,
                             uint32_t *most_levels)
{
    uint32_t most = 1;
    *most_levels = CT_HIST_DISTINCT;
    for (uint32_t col = 0; col < n_cols; col++) {
        int is_coded = columns[col].type == CT_CODED;
        const ct_coded_column *levels = (const ct_coded_column *) columns[col].values;
        uint32_t n = is_coded ? levels->n_levels : n_rows;
        if (is_coded) *most_levels = LEVELS;
        if (n > most) most = n;
    }
    return most;
}

static int scratch_init(scratch *d, uint32_t n, uint32_t n_levels)
{
    d->scratch = ct_alloc(ct_sort_scratch(n));
    d->order = (uint32_t *) ct_alloc(n * sizeof *d->order);
    d->from = (uint32_t *) ct_alloc(n * sizeof *d->from);
    d->ties = (uint64_t *) ct_alloc((n / 64 + 1) * sizeof *d->ties);
    d->values = (double *) ct_alloc(n * sizeof *d->values);
    d->distinct = (ct_hist_distinct *) ct_alloc(sizeof *d->distinct);
    d->rows_of = (uint32_t *) ct_alloc(n_levels * sizeof *d->rows_of);
    d->code_of = (uint16_t *) ct_alloc(n_levels * sizeof *d->code_of);
    return d->scratch && d->order && d->from && d->ties && d->values && d->distinct && d->rows_of &&
           d->code_of;
}

static void scratch_free(scratch *d)
{
    ct_free(d->scratch);
    ct_free(d->order);
    ct_free(d->from);
    ct_free(d->ties);
    ct_free(d->values);
    ct_free(d->distinct);
    ct_free(d->rows_of);
    ct_free(d->code_of);
}

static gathered gather_rows(scratch *d, const ct_column *column, uint32_t n_rows)
{
    uint32_t n = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        d->values[n] = ct_column_value(column, row);
        d->from[n] = row;
        n += !ct_column_missing(column, row);
    }
    return (gathered){n, n_rows, NULL, NULL, n, n < n_rows};
}

static gathered gather_levels(scratch *d, const ct_coded_column *column, uint32_t n_rows)
{
    uint32_t n = 0, present = 0;
    memset(d->rows_of, 0, column->n_levels * sizeof *d->rows_of);
    for (uint32_t row = 0; row < n_rows; row++) {
        CT_ASSERT(column->codes[row] < column->n_levels);
        d->rows_of[column->codes[row]]++;
    }
    for (uint32_t level = 0; level < column->n_levels; level++) {
        double value = column->levels[level];
        if (!d->rows_of[level] || value != value) continue;
        d->values[n] = value;
        d->from[n++] = level;
        present += d->rows_of[level];
    }
    return (gathered){n, column->n_levels, column->codes, d->rows_of, present, present < n_rows};
}

/* The distinct values of a column of few: each is a code, so no counts are needed. */
static gathered gather_distinct(scratch *d, uint32_t n_levels, const uint16_t *levels)
{
    uint32_t n = n_levels - 1;
    memcpy(d->values, d->distinct->levels + 1, n * sizeof *d->values);
    for (uint32_t i = 0; i < n; i++) d->from[i] = i + 1;
    return (gathered){n, n_levels, levels, NULL, n, d->distinct->has_missing};
}

/* `codes` [n_rows] is scratch, to which the result may refer. */
static gathered gather(scratch *d, const ct_column *column, uint32_t n_rows, uint32_t most,
                       uint16_t *codes)
{
    if (column->type == CT_CODED)
        return gather_levels(d, (const ct_coded_column *) column->values, n_rows);
    uint32_t n_levels = ct_hist_distinct_values(d->distinct, column, n_rows, most, codes);
    return n_levels ? gather_distinct(d, n_levels, codes) : gather_rows(d, column, n_rows);
}

static int changes(const scratch *d, uint32_t place)
{
    return (int) (d->ties[place / 64] >> (place % 64) & 1);
}

/* Codes of the sorted values, by row or level, and the edges between them; returns how many codes
 * there are. Where different values are too many, one begins a new code if the rows before it, of
 * all that are present, fill another of `most` equal parts. */
static uint32_t number_values(const plan *p, unsigned worker, const gathered *g, uint32_t n_values,
                              double *edges, uint16_t *codes)
{
    const scratch *d = &p->scratches[worker];
    uint32_t code = 0, most = p->most;
    uint64_t part = 0, before = 0;
    int many = n_values > most;
    double last = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t at = d->order[i], from = d->from[at];
        const double value = d->values[at];
        if (i % CHECK_EVERY == 0 && ct_halt_now(p->stop, worker)) return 0;
        if (i && changes(d, i - 1)) {
            uint64_t now = many ? before * most / g->present : part + 1;
            if (now != part) {
                edges[++code] = ct_threshold_between(last, value);
                part = now;
            }
        }
        last = value;
        codes[from] = (uint16_t) code;
        before += g->rows_of ? g->rows_of[from] : 1;
    }
    CT_ASSERT(before == g->present);
    return g->n ? code + 1 : 0;
}

/* Bins grow with the distance from the nearer end, for the reason that scan/medium_bins.h has: the
 * share of n rows in the first i of CT_BINS is 4 (i / CT_BINS)^3, up to a half. The bin, at least
 * `bin`, of a row that has `before` others below it. */
static uint32_t bin_at(uint64_t before, uint64_t n, uint32_t bin)
{
    const uint64_t all = (uint64_t) CT_BINS * CT_BINS * CT_BINS;
    CT_ASSERT(before < n && n <= UINT32_MAX);
    for (;; bin++) { /* as long as the next one begins with a row below, or with this one */
        const uint64_t next = bin + 1, rest = CT_BINS - next;
        if (2 * next <= CT_BINS ? 4 * next * next * next * n > before * all
                                : 4 * rest * rest * rest * n < (n - before) * all)
            return bin;
    }
}

/* Bins of codes that are too many for them. */
static int make_bins(ct_hist_code_column *column, const uint16_t *codes, uint32_t n_rows)
{
    column->shift = 0;
    while ((column->n_codes - 1) >> column->shift >= BIN_STEPS) column->shift++;
    uint32_t n_steps = ((column->n_codes - 1) >> column->shift) + 1,
             entries = (UINT32_C(65535) >> column->shift) + 1;
    uint32_t *rows = (uint32_t *) ct_alloc_zeroed(n_steps, sizeof *rows);
    column->bin_of = (uint8_t *) ct_alloc(entries);
    if (!rows || !column->bin_of) {
        ct_free(rows);
        return 0;
    }
    column->bin_of[entries - 1] = CT_BIN_MISSING;
    uint32_t n = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        if (codes[row] != CT_CODE_MISSING) rows[codes[row] >> column->shift]++, n++;
    CT_ASSERT(n > 0);
    uint64_t before = 0;
    uint32_t bin = 0, part = 0;
    column->first[0] = 0;
    for (uint32_t step = 0; step < n_steps; step++) {
        uint32_t now = before < n ? bin_at(before, n, part) : part;
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

static void bins_are_codes(ct_hist_code_column *column)
{
    column->n_bins = column->n_codes;
    for (uint32_t bin = 0; bin <= column->n_bins; bin++) column->first[bin] = (uint16_t) bin;
}

/* Edges in memory of just their size. */
static int keep_edges(ct_hist_code_column *column, const double *edges)
{
    size_t bytes = (column->n_codes ? column->n_codes : 1) * sizeof *edges;
    column->edges = (double *) ct_alloc(bytes);
    if (!column->edges) return 0;
    column->edges[0] = -INFINITY;
    if (column->n_codes > 1) memcpy(column->edges + 1, edges + 1, bytes - sizeof *edges);
    return 1;
}

static void fill_bins(const ct_hist_code_column *column, const uint16_t *codes, uint32_t n,
                      uint8_t *bins)
{
    const uint8_t *bin_of = column->bin_of;
    const unsigned shift = column->shift;
    if (bin_of)
        for (uint32_t row = 0; row < n; row++) bins[row] = bin_of[codes[row] >> shift];
    else
        for (uint32_t row = 0; row < n; row++) bins[row] = (uint8_t) codes[row];
}

/* What follows from the codes of values: those of rows, the edges and bins. 0 if memory ends. */
static int fill_column(ct_hist_codes *all, uint32_t col, const uint16_t *levels,
                       const uint16_t *code_of, const double *edges)
{
    ct_hist_code_column *column = &all->columns[col];
    uint16_t *codes = all->codes + (size_t) col * all->n_rows;
    uint8_t *bins = all->bins + (size_t) col * all->n_rows;
    for (uint32_t row = 0; levels && row < all->n_rows; row++) codes[row] = code_of[levels[row]];
    column->first = (uint16_t *) ct_alloc((CT_BINS + 1) * sizeof *column->first);
    if (!column->first || !keep_edges(column, edges)) return 0;
    if (column->n_codes <= CT_BINS) bins_are_codes(column);
    else if (!make_bins(column, codes, all->n_rows)) return 0;
    fill_bins(column, codes, all->n_rows, bins);
    return 1;
}

/* 0 if memory ends. Once work is to end, the column has no codes. */
static int code_column(const plan *p, unsigned worker, uint32_t col)
{
    scratch *d = &p->scratches[worker];
    ct_hist_codes *all = p->codes;
    ct_hist_code_column *column = &all->columns[col];
    uint16_t *codes = all->codes + (size_t) col * all->n_rows;
    CT_ASSERT(p->columns[col].values && codes && d->code_of);
    gathered g = gather(d, &p->columns[col], all->n_rows, p->most, codes);
    uint16_t *by_value = g.levels ? d->code_of : codes;
    column->has_missing = g.has_missing;
    if (g.has_missing) memset(by_value, 0xff, g.n_from * sizeof *by_value);
    memset(d->ties, 0, (g.n_from / 64 + 1) * sizeof *d->ties);
    ct_column values = {d->values, CT_DOUBLE};
    uint32_t n_values = g.n ? ct_sort_column(&values, g.n, d->scratch, d->order, d->ties, p->stop,
                                             worker)
                            : 0;
    if (ct_halt_now(p->stop, worker)) return 1;
    double *edges = (double *) d->scratch; /* of the sort, which is over; larger than the edges */
    column->n_codes = number_values(p, worker, &g, n_values, edges, by_value);
    if (ct_halt_now(p->stop, worker)) column->n_codes = 0;
    if (!column->n_codes && g.n) return 1;
    return fill_column(all, col, g.levels, d->code_of, edges);
}

static void code_columns(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    plan *p = (plan *) data;
    for (uint64_t col = begin; col < end; col++)
        if (!code_column(p, worker, (uint32_t) col)) ct_atomic_write(&p->failed, 1);
}

/* Tiles of rows, so that columns are read by lines of memory. */
enum { TILE = 64 };

static void transpose_rows(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    ct_hist_codes *codes = (ct_hist_codes *) data;
    (void) worker;
    for (uint32_t col = 0; col < codes->n_cols; col++) {
        const uint16_t *from = codes->codes + (size_t) col * codes->n_rows;
        for (uint64_t row = begin; row < end; row++)
            codes->by_row[row * codes->stride + col] = from[row];
    }
}

static int make_plan(plan *p, ct_hist_codes *codes, const ct_column *columns, uint32_t most,
                     unsigned threads, ct_halt *stop)
{
    size_t values = (size_t) codes->n_cols * codes->n_rows;
    memset(p, 0, sizeof *p);
    p->columns = columns;
    p->codes = codes;
    p->most = most < CT_HIST_CODES ? most : CT_HIST_CODES;
    p->stop = stop;
    p->scratches = (scratch *) ct_alloc_zeroed(threads, sizeof *p->scratches);
    codes->columns = (ct_hist_code_column *) ct_alloc_zeroed(codes->n_cols,
                                                             sizeof *codes->columns);
    codes->codes = (uint16_t *) ct_alloc(values * sizeof *codes->codes);
    codes->bins = (uint8_t *) ct_alloc(values);
    if (codes->stride)
        codes->by_row = (uint16_t *) ct_alloc(codes->n_rows * codes->stride *
                                              sizeof *codes->by_row);
    if (!p->scratches) return 0;
    int fine = codes->columns && codes->codes && codes->bins && (codes->by_row || !codes->stride);
    uint32_t n_levels, n = most_to_sort(columns, codes->n_cols, codes->n_rows, &n_levels);
    for (unsigned i = 0; fine && i < threads; i++)
        fine = scratch_init(&p->scratches[i], n, n_levels);
    return fine;
}

static size_t row_stride(uint32_t n_cols) { return ((size_t) n_cols + 7) / 8 * 8; }

ct_status ct_hist_codes_init(ct_hist_codes *codes, const ct_column *columns, uint32_t n_cols,
                             uint32_t n_rows, uint32_t most, int by_row, unsigned threads,
                             ct_halt *stop, ct_error *error)
{
    CT_ASSERT(n_cols > 0 && n_rows > 0 && most >= 2);
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
    for (unsigned i = 0; p.scratches && i < threads; i++) scratch_free(&p.scratches[i]);
    ct_free(p.scratches);
    if (!fine)
        return ct_fail(error, CT_NO_MEMORY, "no memory for the codes of %lu values",
                       (unsigned long) n_rows * n_cols);
    if (by_row) {
        ct_loop loop = {n_rows, TILE, CT_STATIC, threads, transpose_rows, codes, stop};
        ct_parallel_for(&loop);
    }
    return CT_OK;
}

void ct_hist_codes_free(ct_hist_codes *codes)
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

double ct_hist_codes_bytes(const ct_column *columns, uint32_t n_cols, uint32_t n_rows, int by_row,
                           unsigned threads)
{
    CT_ASSERT(columns || !n_cols);
    uint32_t n_levels, n = most_to_sort(columns, n_cols, n_rows, &n_levels);
    double values = (double) n_cols * n_rows,
           transposed = by_row ? 2.0 * (double) row_stride(n_cols) * n_rows : 0,
           sorting = (double) ct_sort_scratch(n) + 17.0 * n + sizeof(ct_hist_distinct) +
                     6.0 * n_levels;
    return 3 * values + transposed + sorting * (threads < n_cols ? threads : n_cols) +
           8.0 * n_cols * 65536;
}
