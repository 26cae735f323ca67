/* Codes of new data, computed in blocks of rows. */
#ifndef CT_FOREST_CODES_ENCODE_H
#define CT_FOREST_CODES_ENCODE_H

#include "forest/codes/codes.h"

/* Where to begin the search for a value's code: its range is divided into intervals of one width,
 * and few codes begin in each. */
typedef struct {
    /* [intervals] owned: codes that begin in the intervals below; NULL: the range is not divided */
    uint16_t *start;
    double *edges;           /* [n_codes + most] owned: those of the column, then infinite ones */
    double low, scale, last; /* where it begins; intervals per unit; the last one */
    uint32_t most;           /* codes that begin in one interval */
} ct_coder;

/* Coders of n_cols columns, which are borrowed, for about n_rows rows; NULL if there is not enough
 * memory. */
ct_coder *ct_forest_coders_new(const ct_hist_code_column *columns, uint32_t n_cols,
                               uint32_t n_rows);
void ct_forest_coders_free(ct_coder *coders, uint32_t n_cols);

/* Writes the codes of n rows of a column from a row on to to[i * stride]. Returns whether one is
 * missing. */
int ct_forest_encode(const ct_hist_code_column *codes, const ct_coder *coder,
                     const ct_column *column, uint32_t from, uint32_t n, uint16_t *to,
                     size_t stride);

#endif
