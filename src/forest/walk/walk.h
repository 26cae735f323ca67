/* Sends rows down trees: the leaf of each row, and the prediction of a leaf. */
#ifndef CT_FOREST_WALK_WALK_H
#define CT_FOREST_WALK_WALK_H

#include "base/hd.h"
#include "forest/hist_forest.h"

/* Where a row with these codes goes from a node that is no leaf. */
CT_HD uint32_t ct_hist_next(const ct_hist_node *node, uint16_t code)
{
    uint32_t missing_left = node->next >> 31;
    uint32_t right = (uint16_t) (code + missing_left) >= node->cut + missing_left;
    if (node->next & CT_HIST_SET)
        right = code == CT_CODE_MISSING ? !missing_left : ~((uint32_t) node->cut >> code % 16) & 1;
    return (node->next & CT_HIST_CHILD) + right;
}

/* The largest class of a leaf, the first of equal ones. */
uint32_t ct_hist_label(const ct_hist_tree *tree, uint32_t n_classes, const ct_hist_node *leaf);

/* Adds the shares of the classes in a leaf, in units of 2^-32. */
void ct_hist_add_shares(const ct_hist_tree *tree, uint32_t n_classes, const ct_hist_node *leaf,
                        int64_t *shares);

typedef enum {
    /* int64_t [row][class], summed over trees, in units of 2^-32; numbers: double [row], a sum */
    CT_HIST_SHARES,
    CT_HIST_VOTES,  /* uint32_t [row][class] trees */
    CT_HIST_LEAVES, /* int32_t [tree][row] the leaf's node, from 1 */
    CT_HIST_TREES,  /* double [tree][row] the class from 1, or the number */
    CT_HIST_LABELS  /* int32_t [row] the first of the classes with the largest shares, from 1 */
} ct_hist_output;

/* Bytes of such an output. */
size_t ct_hist_output_bytes(const ct_hist_forest *forest, uint32_t n_rows, ct_hist_output what);

/* Walks rows of new data, whose columns are those of the codes, down all trees.
 * `out` is as CT_HIST_... says. CT_NO_MEMORY. Once `stop` says so, rows may be missing. */
ct_status ct_hist_predict(const ct_hist_forest *forest, const ct_hist_code_column *codes,
                          const ct_column *columns, uint32_t n_rows, ct_hist_output what,
                          unsigned threads, ct_halt *stop, void *out, ct_error *error);

/* Who is told of the leaves of rows, some rows at a time: rows from .. from + n - 1 by each tree in
 * turn, then that this was the last one. No two threads have the same worker at a time. */
typedef struct {
    void *data;
    uint32_t most; /* rows at a time */
    /* leaves: the node of each row. 0: memory has ended */
    int (*tree)(void *data, unsigned worker, uint32_t tree, uint32_t from, uint32_t n,
                const uint32_t *leaves);
    int (*rows)(void *data, unsigned worker, uint32_t from, uint32_t n);
} ct_hist_visitor;

/* As ct_hist_predict(). */
ct_status ct_hist_visit(const ct_hist_forest *forest, const ct_hist_code_column *codes,
                        const ct_column *columns, uint32_t n_rows, const ct_hist_visitor *visitor,
                        unsigned threads, ct_halt *stop, ct_error *error);

#endif
