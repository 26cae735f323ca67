/* Row sets laid out for scans of many child features at once (kernels/response/abreast.h): with a
 * response, in problems of depth two. In place of bit planes.
 *
 * For each root feature f the ranks of the rows at each place of all child features' orders, in
 * bytes. Ranks above 255 are told apart by a second array: max(rank, 255) - 255, for thresholds
 * from 256 on; and min(rank, 255) for those below. */
#ifndef CT_EXACT_ROWS_ABREAST_H
#define CT_EXACT_ROWS_ABREAST_H

#include "exact/rows/layout.h"

typedef struct ct_abreast_layout {
    ct_abreast rows;      /* what kernels read */
    uint8_t *places;      /* [block][place][CT_BESIDE] numbers of the rows there, low bytes, */
    uint16_t *beyond;     /* [block][place] and bits: 256 more; NULL: there are no more than 256 */
    uint8_t **ranks;      /* [2 f + upper] -> [block][place][CT_BESIDE], */
    uint8_t *made;        /* [2 f + upper] and whether they are made */
} ct_abreast_layout;

/* Whether that many rows may be laid out like this. */
int ct_abreast_fits(const ct_worker *worker, uint32_t n_rows, uint32_t n_cols);

/* Lays all rows of the layout out, in the worker's arena, those of its class sets as members. */
ct_status ct_abreast_make(ct_worker *worker, ct_layout *layout);

/* Makes the ranks of every step-th feature from `first` on; once all features have them, several
 * threads may use the layout. */
void ct_abreast_prepare(ct_worker *worker, ct_layout *layout, uint32_t first, uint32_t step);

/* Threshold t of f. */
ct_cut ct_abreast_cut(ct_worker *worker, ct_layout *layout, uint32_t f, uint32_t t);

static inline size_t ct_abreast_blocks(uint32_t n_cols)
{
    return ((size_t) n_cols + CT_BESIDE - 1) / CT_BESIDE;
}

static inline const ct_abreast *ct_abreast_rows(const ct_abreast_layout *abreast)
{
    return abreast ? &abreast->rows : NULL;
}

#endif
