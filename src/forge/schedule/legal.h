/* Whether a schedule may run: the rules that hold for the whole nest, and those of a forest. */
#ifndef CT_FORGE_SCHEDULE_LEGAL_H
#define CT_FORGE_SCHEDULE_LEGAL_H

#include "forge/forged.h"
#include "forge/schedule/nest.h"

enum { CT_FORGE_MOST_PERFECT = 12, CT_FORGE_MOST_PADDED = 1 << 24,
       CT_FORGE_SHARED_BYTES = 48 * 1024 };

#define CT_FORGE_MANY_BYTES ((int64_t) 1 << 40)

/* What legality asks of a forest. */
typedef struct {
    uint32_t n_trees, n_used, n_outputs;
    uint32_t deepest;                /* splits above a leaf */
    const uint32_t *deep, *shallow;  /* [n_trees] splits above its deepest and its nearest leaf */
    const uint32_t *n_nodes;         /* [n_trees] */
    int has_planes, has_models;
    int any_order;                   /* sums are the same in any order of the trees */
} ct_forge_shape;

/* The shape of a forest, memory of the arena. NULL: no memory. */
ct_forge_shape *ct_forge_shape_of(const ct_forged *forged, int any_order, ct_arena *arena);

/* shape NULL: what can be said without a forest. CT_BAD_INPUT names statement, loop and rule. */
ct_status ct_forge_nest_check(const ct_forge_nest *nest, const ct_forge_shape *shape,
                              ct_error *error);

/* Bytes that what a loop caches takes at most, or CT_FORGE_MANY_BYTES. */
int64_t ct_forge_cache_bytes(const ct_forge_nest *nest, const ct_forge_shape *shape, int loop);

/* Bytes that the threads of a block share: caches, and sums of a sharedReduce. */
int64_t ct_forge_shared_bytes(const ct_forge_nest *nest, const ct_forge_shape *shape);

/* The loop whose sums are in shared memory, and the grid's loop over rows around it; -1: none. */
int ct_forge_shared_loop(const ct_forge_nest *nest, int *grid);

#endif
