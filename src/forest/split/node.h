/* A node that waits to be split, and the columns that it looks at. */
#ifndef CT_FOREST_SPLIT_NODE_H
#define CT_FOREST_SPLIT_NODE_H

#include "forest/grower.h"

/* Columns that nodes look at: those of the table, or copies of some rows that lie together. Large
 * nodes ask bins first; where there are none, codes are the view's own. */
typedef struct {
    const uint16_t *codes; /* [col][code_stride] */
    size_t code_stride;
    const uint32_t *code_rows; /* [row] where its codes are; NULL: as rows are */
    const uint8_t *bins;       /* [col][bin_stride], or NULL */
    size_t bin_stride;
    const int32_t *quantised; /* [row] quantised numbers */
    const int32_t *exposure; /* [row] as whole numbers; NULL: there are none */
    const uint32_t *rows; /* [row] of the table; NULL: as they are */
} ct_view;

static inline uint16_t ct_view_code(const ct_view *view, uint32_t column, uint32_t row)
{
    return view->codes[column * view->code_stride + (view->code_rows ? view->code_rows[row] : row)];
}

/* The table; a block of its bins that fits the nearer caches; a few rows with their codes. */
typedef enum { CT_IN_TABLE, CT_IN_BLOCK, CT_IN_PATCH, CT_VIEWS } ct_node_view;

typedef struct {
    uint64_t path;
    uint32_t begin, n;      /* its items */
    uint32_t out, n_out;    /* its rows left out */
    uint32_t n_runs, node, depth, weight;
    int exponent; /* numbers: exponent of their unit */
    ct_node_view place;
    /* the sum of squares divided by the weight: of classes, or of the sum of whole numbers */
    double purity;
    /* of monotone forests: what the mean of the whole numbers, or the share of the second class,
     * must be within in all nodes below */
    double low, high;
    ct_hist_run *runs;      /* [n_runs] of its items, in memory of whoever has the task */
} ct_hist_task;

#endif
