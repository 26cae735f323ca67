/* What is checked: ranks of the columns, costs of the rows, and row sets of them in the order of
 * each column. */
#ifndef CT_CERTIFY_PROBLEM_H
#define CT_CERTIFY_PROBLEM_H

#include "certify/certify.h"
#include "exact/cost/costs.h"
#include "data/table.h"

/* With a numeric response; see response.h. */
typedef struct {
    const int32_t *z;      /* [row] the response on its grid; NULL: classes */
    double step;           /* of the grid */
    unsigned fine;         /* a mass of 1 at a distance of 1 costs 2^fine units */
    double error;          /* how far the response is from it, in square roots of the objective */
} ct_grid;

typedef struct {
    ct_arena *arena;
    const ct_data *data;
    /* with a response, one class */
    uint32_t n_rows, n_cols, n_classes;
    uint32_t n_sums; /* numbers that are added up over the rows of a set; see ct_sums_add */
    uint32_t **rank; /* [col][row] */
    int64_t *mass;   /* [row] */
    /* [class][label] of a mass of 1; NULL: that is max_cost of the class under each wrong label
     * (there may be very many classes) */
    int64_t *loss;
    int64_t *max_cost;  /* [class] the largest of these */
    int64_t *cheapest;  /* [class] the least of them under another label */
    int uniform;        /* most costly and cheapest are the same */
    int64_t split_cost; /* of these as well: 2^shift of them are a unit of exact/cost/ */
    unsigned shift;
    uint32_t min_bucket, min_split;
    double unit;           /* what a mass of 1 at a loss of 1 costs */
    /* all rows: by how much their costs may differ from what they are, under any labels */
    double rounding;
    int last_bits;        /* no row's cost does by more than its own last bits in doubles */
    double penalty;       /* of a split */
    double penalty_off;   /* by how much that may be wrong */
    uint32_t most_splits; /* of a tree */
    ct_grid grid;
    ct_table table;
} ct_problem;

/* A row set. Rows are those of the data, with CT_LAST added where the value (or, with fewer
 * thresholds, the group of values) is another one after it: there it can be parted. */
typedef struct {
    uint32_t n;
    uint32_t **order; /* [col][n] */
    int64_t *mass;    /* [n_sums]; see ct_sums_add */
    int64_t max_cost; /* what all rows cost at most */
} ct_row_set;

#define CT_LAST UINT32_C(0x80000000)
#define CT_ROW UINT32_C(0x7fffffff)

/* Ranks the columns and makes costs of integers, and looks both over. */
ct_status ct_certify_problem_init(ct_problem *problem, const ct_data *data,
                                  const ct_certify_claim *claim, ct_arena *arena, ct_error *error);

/* Ranks the columns of problem->table, which is begun, and looks them over. */
ct_status ct_certify_problem_rank(ct_problem *problem, uint32_t max_thresholds, ct_error *error);

/* All rows, in order alone. */
ct_status ct_certify_row_set_orders(const ct_problem *problem, ct_row_set *set);
/* All rows. */
ct_status ct_certify_row_set_whole(const ct_problem *problem, ct_row_set *set);
/* The rows of `set` for which side[row] is `wanted`: `n` of these masses. */
ct_status ct_certify_row_set_part(const ct_problem *problem, const ct_row_set *set,
                                  const uint8_t *side, uint8_t wanted, uint32_t n,
                                  const int64_t *mass, ct_row_set *part);

/* Adds a row to the sums of a set: its mass, by class; with a response its mass w, w z, w z^2. */
static inline void ct_sums_add(const ct_problem *problem, uint32_t row, int64_t *sums)
{
    int64_t w = problem->mass[row];
    if (!problem->grid.z) {
        sums[problem->data->classes[row]] += w;
        return;
    }
    int64_t z = problem->grid.z[row];
    sums[0] += w;
    sums[1] += w * z;
    sums[2] += w * z * z;
}

/* What a row costs at most. */
static inline int64_t ct_most_of_row(const ct_problem *problem, uint32_t row)
{
    uint32_t own = problem->grid.z ? 0 : (uint32_t) problem->data->classes[row];
    return problem->mass[row] * problem->max_cost[own];
}

/* Of a mass of 1. */
static inline int64_t ct_loss_of(const ct_problem *problem, size_t c, size_t label)
{
    if (problem->loss) return problem->loss[c * problem->n_classes + label];
    return c == label ? 0 : problem->max_cost[c];
}

/* What the rows of a tree cost, in units. Negative: memory ended. */
int64_t ct_certify_units_of_tree(const ct_problem *problem, const ct_outcome *tree);

/* What rows of these sums cost under the best label, or beside their mean. */
int64_t ct_certify_cost_as_leaf(const ct_problem *problem, const int64_t *mass);
/* ... and at most. */
int64_t ct_certify_cost_at_most(const ct_problem *problem, const int64_t *mass);

#endif
