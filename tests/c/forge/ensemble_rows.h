/* Tables of rows for random ensembles, in columns as callers have them, and what the interpreter
 * says of them. */
#ifndef CT_TEST_ENSEMBLE_ROWS_H
#define CT_TEST_ENSEMBLE_ROWS_H

#include "ensemble_random.h"
#include "interpret_rows.h"

/* One of all that there are. */
static inline any_shape any_shape_of(ct_rng *r)
{
    static const uint32_t levels[] = {0, 1, 2, 3, 14, 15, 16, 254, 255, 511};
    any_shape s;
    s.n_trees = 1 + ct_rng_below(r, 12);
    s.most_depth = ct_rng_below(r, 17);
    s.leaf_chance = ct_rng_below(r, 8);
    s.most_leaves = ct_rng_below(r, 3) ? 256 : 1 + ct_rng_below(r, 700);
    s.levels = levels[ct_rng_below(r, sizeof levels / sizeof *levels)];
    s.n_features = 1 + ct_rng_below(r, s.levels > 100 ? 3 : 8);
    s.n_outputs = 1 + ct_rng_below(r, 3);
    s.wide = s.n_outputs > 1 && ct_rng_below(r, 2);
    s.sets = ct_rng_below(r, 3) ? 0 : 1 + ct_rng_below(r, 16);
    s.rules = ct_rng_below(r, 2);
    s.less = ct_rng_below(r, 2) ? CT_FORGE_LESS : CT_FORGE_LESS_EQUAL;
    s.number = ct_rng_below(r, 2) ? CT_FORGE_F32 : CT_FORGE_F64;
    s.sum = ct_rng_below(r, 2) ? CT_FORGE_F32 : CT_FORGE_F64;
    s.linear = s.number == CT_FORGE_F64 && s.sum == CT_FORGE_F64 && !s.wide && ct_rng_below(r, 2);
    return s;
}

/* Columns, one after another; some of integers. */
typedef struct {
    uint32_t n_rows, n_cols;
    double *values, *row;
    int32_t *integers;
    ct_column columns[ANY_FEATURES];
} any_table;

static inline any_table new_table(ct_rng *r, const any_ensemble *a, uint32_t n_rows, int integers)
{
    any_table t;
    t.n_rows = n_rows;
    t.n_cols = a->ensemble.n_features;
    size_t n = (size_t) n_rows * t.n_cols;
    t.values = (double *) malloc(n * sizeof *t.values);
    t.integers = (int32_t *) malloc(n * sizeof *t.integers);
    t.row = (double *) malloc(t.n_cols * sizeof *t.row);
    for (uint32_t col = 0; col < t.n_cols; col++) {
        double *x = t.values + (size_t) col * n_rows;
        int32_t *codes = t.integers + (size_t) col * n_rows;
        int as_codes = integers && col % 2;
        for (uint32_t i = 0; i < n_rows; i++) {
            x[i] = any_value(r, a);
            codes[i] = ct_rng_below(r, 10) ? (int32_t) ct_rng_below(r, 80) - 3 : INT32_MIN;
            if (as_codes) x[i] = codes[i] == INT32_MIN ? (double) NAN : codes[i];
        }
        t.columns[col] = as_codes ? (ct_column){codes, CT_INT32} : (ct_column){x, CT_DOUBLE};
    }
    return t;
}

static inline void free_table(any_table *t)
{
    free(t->values);
    free(t->integers);
    free(t->row);
}

static inline const double *row_of(any_table *t, uint32_t row)
{
    for (uint32_t col = 0; col < t->n_cols; col++)
        t->row[col] = t->values[(size_t) col * t->n_rows + row];
    return t->row;
}

static inline void interpret_table(any_table *t, const any_ensemble *a, double *sums,
                                   int32_t *leaves)
{
    const ct_forge_ensemble *e = &a->ensemble;
    double out[ANY_OUTPUTS];
    for (uint32_t row = 0; row < t->n_rows; row++) {
        const double *x = row_of(t, row);
        interpret_row(e, x, out);
        for (uint32_t k = 0; k < e->n_outputs; k++) sums[(size_t) k * t->n_rows + row] = out[k];
        for (uint32_t tree = 0; leaves && tree < e->n_trees; tree++)
            leaves[(size_t) tree * t->n_rows + row] =
                a->leaf_id[interpret_leaf(e, tree, x)];
    }
}

/* Numbers, or the bits of them: both zeros differ. */
static inline int same_bits(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* The columns without their first rows. */
static inline void columns_from(const any_table *t, uint32_t first, ct_column *columns)
{
    for (uint32_t col = 0; col < t->n_cols; col++) {
        const ct_column *whole = &t->columns[col];
        columns[col] = *whole;
        if (whole->type == CT_DOUBLE) columns[col].values = (const double *) whole->values + first;
        else columns[col].values = (const int32_t *) whole->values + first;
    }
}

#endif
