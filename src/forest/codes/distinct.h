/* The distinct values of a column, where they are few: the column as codes into them, so that they
 * are sorted in place of the rows. */
#ifndef CT_FOREST_CODES_DISTINCT_H
#define CT_FOREST_CODES_DISTINCT_H

#include <stdint.h>

#include "data/data.h"

enum { CT_HIST_DISTINCT = 8192 }; /* levels at most, with that of the missing values */

/* A table of levels by value; owned by the caller, for any number of columns. */
typedef struct {
    double levels[CT_HIST_DISTINCT];
    int has_missing;
    uint16_t slots[2 * CT_HIST_DISTINCT]; /* number of a level, 0: none */
} ct_hist_distinct;

/* Codes of a column of doubles or integers: level 0 is NaN, for missing values, the others are its
 * distinct values, as first met (0 and -0 are one). Returns how many levels there are; 0 if there
 * are more than `most` values, or a sort of the rows is likely to be faster: `codes` [n_rows] is
 * then partly written. */
uint32_t ct_hist_distinct_values(ct_hist_distinct *distinct, const ct_column *column,
                                 uint32_t n_rows, uint32_t most, uint16_t *codes);

#endif
