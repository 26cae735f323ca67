/* The best split of one node. */
#ifndef CT_FOREST_SPLIT_SPLIT_H
#define CT_FOREST_SPLIT_SPLIT_H

#include "base/rng.h"
#include "forest/split/memory.h"
#include "forest/split/node.h"

typedef struct {
    uint32_t column;
    uint32_t cut;                    /* the first code on the right */
    int missing_left, knows_missing; /* rows of the node have missing values there */
    int is_set;                      /* the cut has a bit for each code, those set go left */
    uint32_t absent;                 /* of such a cut: codes that no row of the node has */
    /* Until the next search, by item: codes of the column, to which `raise` is added, so that
     * missing values are on their side; NULL: as in the view; then also weights, or NULL. */
    const uint16_t *codes;
    const uint8_t *weights;
    uint16_t raise;
} ct_hist_split;

/* Columns are drawn without repetition, one after another, from a permutation that
 * ct_forest_put_back restores once `n_drawn` were drawn: a node's draws must not depend on those of
 * others. */
uint32_t ct_forest_draw_next(ct_split_memory *memory, ct_rng *rng, uint32_t n_drawn);
void ct_forest_put_back(ct_split_memory *memory, uint32_t n_drawn);

/* All columns, before any is drawn. */
void ct_forest_begin_columns(ct_split_memory *memory, const ct_grower *grower);

/* The draws of the candidates that all nodes of one depth have in common. */
ct_rng ct_forest_pool_rng(const ct_grower *grower, uint32_t tree, uint32_t depth);

/* A node as its search sees it. */
typedef struct {
    const ct_hist_task *task;
    const ct_view *view;
    const ct_item *items; /* [task->n] */
    uint32_t tree;
} ct_split_node;

/* 0 if no candidate has a cut. */
int ct_forest_find_split(const ct_grower *grower, ct_split_memory *memory,
                         const ct_split_node *node, ct_hist_split *split);

#endif
