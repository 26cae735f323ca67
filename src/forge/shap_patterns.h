/* Trees as tables of patterns. The pattern of a row at a node has a bit for each feature of the
 * path to it: 1 where the row meets all of the path's tests of that feature. Where the rest of a
 * tree below a node has few tests, their answers are further bits, and all that its leaves say of a
 * row hangs on one number: such a node is a unit. */
#ifndef CT_FORGE_SHAP_PATTERNS_H
#define CT_FORGE_SHAP_PATTERNS_H

#include "forge/shap_plan.h"

enum { CT_FORGE_PATTERN_BITS = 12, CT_FORGE_MERGED_BITS = 8 };

#define CT_FORGE_NO_UNIT UINT32_MAX

/* A bit is put into patterns, or, of a feature that was asked before, kept only where the row goes
 * this way again. */
typedef struct {
    double threshold;
    uint32_t column;   /* as in ct_forge_shap_edge */
    uint32_t from, to; /* depths of the patterns read and written */
    uint32_t bit;
    uint32_t unit;     /* whose patterns are then complete, or CT_FORGE_NO_UNIT */
    uint8_t right, nan_left, again;
} ct_forge_pattern_step;

typedef struct {
    uint32_t first, end;  /* the edges below its node */
    uint32_t n_features;  /* of the path: as many low bits */
    uint32_t bits;
    uint32_t n_players;
    uint32_t *players;    /* [n_players] those of the path first */
    uint32_t width;       /* of the table: an entry a player, or a pair of players */
    double leaf;          /* what a leaf that is a unit adds */
    double expected;      /* the mean over the background */
    size_t counts, table; /* where they are: [2^bits], [2^bits][width] */
} ct_forge_pattern_unit;

typedef struct {
    uint32_t n_edges, n_steps, n_units, n_special;
    ct_forge_shap_edge *edges;
    uint32_t *feature_bit, *test_bit; /* [n_edges] */
    ct_forge_pattern_step *steps;
    ct_forge_pattern_unit *units;
    uint32_t *special;                /* as in ct_forge_shap_scratch */
} ct_forge_patterns;

/* What follows from the path to the edges of a tree, one after the other. */
typedef struct {
    uint32_t *count;   /* [depth] features */
    uint32_t *bit;     /* [depth] of the feature of the edge there */
    uint32_t *test;    /* [depth] */
    uint32_t *players; /* [features] by bit */
} ct_forge_pattern_path;

ct_status ct_forge_pattern_path_make(ct_forge_pattern_path *path, uint32_t deepest,
                                     ct_arena *arena);

/* Makes the patterns of the edges of `scratch`. *fits: 0 where some path has more than
 * CT_FORGE_PATTERN_BITS features. */
ct_status ct_forge_patterns_make(ct_forge_patterns *patterns, const ct_forge_shap_scratch *scratch,
                                 ct_forge_pattern_path *path, ct_arena *arena, int *fits);

/* The pattern at a leaf of a row with this pattern of the unit; path[n_path] are the edges below
 * the unit's node. */
static inline uint32_t ct_forge_pattern_at_leaf(const ct_forge_patterns *p,
                                                const ct_forge_pattern_unit *unit,
                                                const uint32_t *path, uint32_t n_path,
                                                uint32_t of_unit)
{
    CT_ASSERT(unit->bits < 32 && unit->n_features <= unit->bits);
    uint32_t pattern = of_unit & ((UINT32_C(1) << unit->n_features) - 1);
    for (uint32_t i = 0; i < n_path; i++) {
        const ct_forge_shap_edge *edge = &p->edges[path[i]];
        uint32_t left = of_unit >> p->test_bit[path[i]] & 1;
        uint32_t taken = (left ^ edge->right) << p->feature_bit[path[i]];
        if (edge->above) pattern &= taken | ~(UINT32_C(1) << p->feature_bit[path[i]]);
        else pattern |= taken;
    }
    return pattern;
}

#endif
