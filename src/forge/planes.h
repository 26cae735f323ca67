/* The hot loops of planes: one table of functions for each instruction set, all with the same
 * results bit for bit.
 *
 * `rows` are those of a block that are wanted, rounded up to whole words of 64; `words` the words
 * of a plane, rounded up to whole vectors (`vector` words). A plane is CT_FORGE_BLOCK_WORDS words
 * wherever it lies in a table of them. */
#ifndef CT_FORGE_PLANES_H
#define CT_FORGE_PLANES_H

#include "base/cpu.h"
#include "forge/deep.h"

typedef struct {
    unsigned vector;
    /* Ranks among the pivots, by floats alone; where search->exact is there, `same` are the rows
     * that are the same float as the threshold that their rank leads to. */
    void (*ranks)(const double *x, const ct_forge_search *search, unsigned rows, uint8_t *ranks,
                  uint64_t *same);
    /* All tests of a search into the table. zero: a plane of rows that are zero, or NULL. */
    void (*tests)(const ct_forge_search *search, const uint8_t *ranks, const uint64_t *zero,
                  unsigned words, uint64_t *table);
    /* The number of the leaf of each row in a tree. */
    void (*leaves)(const ct_forge_plane_tree *tree, const uint64_t *table, unsigned words,
                   uint8_t *leaf);
    /* sums[i] += terms[leaf[i]], of 2^bits terms; slices: of ct_forge_plane_tree. */
    void (*add32)(float *sums, const float *terms, unsigned bits, const uint8_t *leaf,
                  unsigned rows);
    void (*add64)(double *sums, const double *terms, const uint8_t *slices, unsigned bits,
                  const uint8_t *leaf, unsigned rows);
    ct_forge_deep_coder *codes;
    ct_forge_deep_walker *walk;
} ct_forge_planes;

CT_DECLARE_KERNELS(const ct_forge_planes, ct_forge_planes)

#endif
