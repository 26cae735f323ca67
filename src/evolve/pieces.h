/* Many rows are summed in pieces, which threads share. How many pieces there are depends on the
 * rows alone, and their sums are added in the order of the rows: the same bits for any number of
 * threads. */
#ifndef CT_EVOLVE_PIECES_H
#define CT_EVOLVE_PIECES_H

#include <stdint.h>

#include "base/status.h"

enum { CT_PIECES = 8, CT_PIECE_ROWS = 1 << 16 }; /* pieces at most, and rows of each at least */

static inline uint32_t ct_pieces(uint32_t n)
{
    uint32_t pieces = n / CT_PIECE_ROWS;
    return pieces < 1 ? 1 : pieces < CT_PIECES ? pieces : CT_PIECES;
}

/* Where piece i of n rows begins, or, for i = pieces, the last one ends. */
static inline uint32_t ct_piece_begin(uint32_t n, uint32_t pieces, uint32_t i)
{
    CT_ASSERT(pieces > 0 && i <= pieces);
    return (uint32_t) ((uint64_t) n * i / pieces);
}

#endif
