/* What trees need below their tops: codes of columns, and walks of a block of rows by lists. */
#ifndef CT_FORGE_DEEP_H
#define CT_FORGE_DEEP_H

#include "base/cpu.h"
#include "forge/forged.h"

/* Rows under way and arrived, with room for the rest of a vector; codes have as much around. */
enum { CT_FORGE_LIST_PADDING = 16 };

typedef struct {
    uint32_t open[2][CT_FORGE_BLOCK + CT_FORGE_LIST_PADDING];
    uint32_t ends[CT_FORGE_BLOCK + CT_FORGE_LIST_PADDING];
} ct_forge_walk_lists;

/* Codes of a column of numbers, cast to float before if `narrow`; `rows` is a multiple of 64. */
typedef void ct_forge_deep_coder(const double *x, const ct_forge_ranked_column *column, int narrow,
                                 unsigned rows, uint16_t *codes);

/* From the exits of n rows down to leaves, by codes[column][CT_FORGE_BLOCK]: ends[n] has, in any
 * order, the place of the leaf times CT_FORGE_BLOCK, and the row. All rows under way go down one
 * node; those that have arrived leave the list. So none waits for the deepest of some rows, and no
 * branch depends on data. */
typedef void ct_forge_deep_walker(const ct_forge_plane_tree *tree, const uint16_t *codes,
                                  const uint8_t *exits, uint32_t n, ct_forge_walk_lists *lists);

ct_forge_deep_coder ct_forge_deep_codes;
ct_forge_deep_walker ct_forge_deep_walk;
#ifdef CT_HAVE_X86
ct_forge_deep_coder ct_forge_deep_codes_avx512;
ct_forge_deep_walker ct_forge_deep_walk_avx512;
#endif

#endif
