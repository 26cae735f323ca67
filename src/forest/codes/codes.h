/* Columns as codes: what a forest grows from. A value's code is the number of distinct values below
 * it, so that `value < threshold` is `code < cut`, an integer compared with an integer.
 *
 * Codes have 16 bits. Columns of more than `most` values (at most CT_HIST_CODES) get codes of about
 * equally many rows. Large nodes look at 8 bits: the code itself where a column has at most CT_BINS
 * of them, else bins, each a range of codes, of few rows at both ends and of many between. A
 * missing value has a code above all others. */
#ifndef CT_FOREST_CODES_CODES_H
#define CT_FOREST_CODES_CODES_H

#include <stddef.h>
#include <stdint.h>

#include "base/parallel.h"
#include "base/status.h"
#include "data/data.h"

enum {
    CT_HIST_CODES = 65534,  /* codes of values are below */
    CT_CODE_MISSING = 65535,
    CT_BINS = 255,          /* bins of values are below */
    CT_BIN_MISSING = 255,
    CT_HIST_SET_LEVELS = 6, /* at most, of a column whose codes have no order */
    CT_HIST_SET_ALL = (1 << CT_HIST_SET_LEVELS) - 1
};

typedef struct {
    uint32_t n_codes, n_bins;
    int has_missing;
    /* codes are levels without an order, at most CT_HIST_SET_LEVELS: set by the caller */
    int is_set;
    /* [n_codes] owned; a value has at least code c where it is at least edges[c], c > 0 */
    double *edges;
    /* [65536 >> shift] of a code below n_codes or CT_CODE_MISSING, shifted; owned, NULL where codes
     * are bins */
    uint8_t *bin_of;
    uint16_t *first;    /* [n_bins + 1] the first code of each bin, then n_codes; owned */
    unsigned shift;
} ct_hist_code_column;

typedef struct {
    uint32_t n_rows, n_cols;
    ct_hist_code_column *columns; /* [n_cols] owned, as all below */
    uint16_t *codes;              /* [col][row] */
    uint8_t *bins;                /* [col][row] */
    uint16_t *by_row;             /* [row][stride]; NULL unless asked for */
    size_t stride;
} ct_hist_codes;

/* Codes of `columns`. NaN, and the smallest integer (R's NA), are missing.
 * `most` is 2 or more. Freed by ct_hist_codes_free, also after a failure. Once `stop` (NULL: none)
 * says so, columns may have no codes. */
ct_status ct_hist_codes_init(ct_hist_codes *codes, const ct_column *columns, uint32_t n_cols,
                             uint32_t n_rows, uint32_t most, int by_row, unsigned threads,
                             ct_halt *stop, ct_error *error);
void ct_hist_codes_free(ct_hist_codes *codes);

/* Bytes that ct_hist_codes_init takes at most. */
double ct_hist_codes_bytes(const ct_column *columns, uint32_t n_cols, uint32_t n_rows, int by_row,
                           unsigned threads);

static inline uint8_t ct_bin_of(const ct_hist_code_column *column, uint16_t code)
{
    return column->bin_of ? column->bin_of[code >> column->shift] : (uint8_t) code;
}

#endif
