/* A tree as the kernel of shap_kernel.h takes it, in memory that is used again for the next. */
#ifndef CT_FORGE_SHAP_PLAN_H
#define CT_FORGE_SHAP_PLAN_H

#include "base/arena.h"
#include "data/data.h"
#include "forge/forged.h"
#include "forge/shap_kernel.h"

/* What all trees share. */
typedef struct {
    const ct_forged *forged;
    uint32_t most_edges, most_points; /* of a tree */
    uint32_t n_columns;               /* of x: n_used, and special tests of a tree */
    double **points, **weights;       /* [1 .. most_points][n] Gauss-Legendre on 0 .. 1 */
} ct_forge_shap_common;

/* A node of a walk that waits, with the edge to it. */
typedef struct {
    uint32_t node;
    ct_forge_shap_edge edge;
} ct_forge_shap_pending;

/* Memory of a worker. */
typedef struct {
    ct_forge_shap_tree tree;
    ct_forge_shap_edge *edges;
    ct_forge_shap_factor *factors;
    ct_forge_shap_pending *stack;
    uint32_t *path;          /* [depth] the columns of the edges above */
    double *path_z;          /* [depth] */
    uint32_t *path_features; /* [depth] distinct ones */
    double *reached;         /* [depth] the proportion of cover that comes so far */
    double *inverse;         /* [depth][n_points] */
    uint32_t *open;          /* [depth] edges */
    uint32_t *special;       /* [n_special] nodes with tests that are no threshold */
    uint32_t n_special;
    double *x, *out;
} ct_forge_shap_scratch;

/* What all trees share, made; and the memory of a worker. CT_NO_MEMORY without a message. */
ct_status ct_forge_shap_common_make(ct_forge_shap_common *common, const ct_forged *forged,
                                    ct_arena *arena);
ct_forge_shap_scratch *ct_forge_shap_scratch_new(const ct_forge_shap_common *common,
                                                 ct_arena *arena);

/* The tree's plan for output k, into scratch->tree. The answers of special test i belong into the
 * column n_used + i of scratch->x: 0 left, 1 right. */
void ct_forge_shap_plan(const ct_forge_shap_common *common, ct_forge_shap_scratch *scratch,
                        uint32_t tree, uint32_t k);

/* The edges of a tree's plan alone, for which covers need not be known. */
void ct_forge_shap_edges(const ct_forge_shap_common *common, ct_forge_shap_scratch *scratch,
                         uint32_t tree, uint32_t k);

/* CT_BAD_INPUT where a forest has no contributions: its leaves are linear models, or a path asks
 * for too much. */
ct_status ct_forge_shap_check(const ct_forged *forged, ct_error *error);

/* Rows first .. first + n - 1 of the used columns, x[column][stride]; and behind these columns the
 * answers to special tests: 0 left, 1 right. */
void ct_forge_shap_load(const ct_forged *forged, const ct_column *columns, uint32_t first,
                        uint32_t n, size_t stride, double *x);
void ct_forge_shap_answer(const ct_forged *forged, const ct_column *columns,
                          const uint32_t *special, uint32_t n_special, uint32_t first, uint32_t n,
                          size_t stride, double *x);

/* What a tree adds to output k of a row of which nothing is known. */
double ct_forge_shap_expected(const ct_forge_shap_common *common, ct_forge_shap_scratch *scratch,
                              uint32_t tree, uint32_t k);

#endif
