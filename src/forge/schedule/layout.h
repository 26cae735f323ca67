/* Representations of trees for walks. One is a file with three functions, and with three macros
 * that say where nodes lie: walk_body.h makes the walks of them, and texts for other compilers have
 * them as they are. */
#ifndef CT_FORGE_SCHEDULE_LAYOUT_H
#define CT_FORGE_SCHEDULE_LAYOUT_H

#include "forge/schedule/legal.h"

/* A forest in a representation. Texts have the same struct (emit.c): pointers, then numbers. */
typedef struct {
    const ct_forged_node *nodes;          /* `next` is the left child where children are said so */
    const uint32_t *origin;               /* of each node: which it is of the ensemble's */
    const uint32_t *roots;                /* [n_trees] first node of a tree */
    const uint32_t *used;                 /* [n_used] features that are asked for */
    const uint32_t *output;               /* [n_trees] */
    const double *terms;                  /* [the ensemble's nodes][leaf_width] what leaves add */
    const double *base;                   /* [n_outputs] */
    const uint32_t *set_first, *set_size; /* by the ensemble's node */
    const uint8_t *set_else, *sets;
    double divisor;
    uint32_t n_trees, n_used, n_outputs, leaf_width;
    uint32_t minus_fraction, plain, n_nodes;
    /* These are not in texts. */
    const ct_forge_ensemble *ensemble;
    ct_forge_nest_layout layout;
} ct_forge_model;

/* Iterations of an innermost loop. */
typedef struct {
    int64_t tree, row;       /* of the first */
    int64_t n, step;
    ct_forge_axis axis;      /* whether trees or rows go on */
    uint32_t lanes, hops, peel;
    const double *x;         /* [row - first_row][n_used], as the ensemble's numbers are */
    int64_t first_row;
    void *sums;              /* [row - first_sum][n_outputs], as its sums are */
    int64_t first_sum;
    int atomic;
} ct_forge_walk_call;

typedef struct {
    /* Why a forest of that shape cannot be represented so; NULL: it can. */
    const char *(*check)(const ct_forge_shape *shape);
    /* How many nodes a tree takes. */
    uint32_t (*n_nodes)(const ct_forge_shape *shape, uint32_t tree);
    /* Fills nodes and origin, of which all are leaves, and roots. */
    void (*pack)(const ct_forged *f, const ct_forge_shape *shape, ct_forged_node *nodes,
                 uint32_t *origin, uint32_t *roots);
    void (*walk)(const ct_forge_model *model, const ct_forge_walk_call *call);
    /* Expressions of m (the model), tree, i (where in it) and right (0, 1): the root, the place
     * among the nodes, a child. */
    const char *first, *place, *child;
} ct_forge_representation;

extern const ct_forge_representation ct_forge_sparse, ct_forge_array, ct_forge_reorg;

/* The representation of a layout; planes have that of `sparse`, which nobody walks. */
const ct_forge_representation *ct_forge_representation_of(ct_forge_nest_layout layout);

/* The forest in a representation: memory of the arena, or the ensemble's. NULL: no memory. */
ct_forge_model *ct_forge_model_new(const ct_forged *f, const ct_forge_shape *shape,
                                   ct_forge_nest_layout layout, ct_arena *arena);

#endif
