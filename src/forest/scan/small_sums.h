/* Rows of a small node of numbers added up in the order of a candidate's codes. */
#ifndef CT_FOREST_SCAN_SMALL_SUMS_H
#define CT_FOREST_SCAN_SMALL_SUMS_H

#include <string.h>

#include "forest/scan/scan.h"

/* By place in the order of codes: what rows up to there add up to, those of equal codes all at the
 * first place of these, and a row of the place, if it is such a first one. From the n-th place on,
 * up to a multiple of 8, as at the one before. */
typedef struct {
    int64_t upto[CT_SMALL_ROWS];
    uint8_t row[CT_SMALL_ROWS];
} ct_small_sums;

/* below[row]: how many rows have a lower code. */
static inline void ct_add_small(const ct_small_numbers *node, const uint16_t *below,
                                ct_small_sums *sums)
{
    static const int64_t none[8] = {0};
    const uint32_t end = (node->n + 7) / 8 * 8;
    int64_t upto = 0;
    for (uint32_t place = 0; place < end; place += 8) memcpy(sums->upto + place, none, sizeof none);
    for (uint32_t i = 0; i < node->n; i++) {
        sums->upto[below[i]] += node->packed[i];
        sums->row[below[i]] = (uint8_t) i;
    }
    for (uint32_t place = 0; place < end; place++)
        sums->upto[place] = upto += sums->upto[place];
}

#endif
