/* What is checked: ranks of the columns, costs of the rows, and row sets of them in the order of
 * each column. */
#ifndef CT_CERTIFY_PROBLEM_H
#define CT_CERTIFY_PROBLEM_H

#include "certify/certify.h"
#include "exact/cost/costs.h"
#include "data/table.h"

__extension__ typedef __int128 ct_grid_sum;

/* 2^64 high + low, with 0 <= low < 2^64. */
typedef struct {
    ct_grid_sum high, low;
} ct_grid_long;

/* With a numeric response; see response.h. */
typedef struct {
    const int64_t *z;      /* [row] the response on its grid; NULL: classes */
    double step;           /* of the grid */
    int down;              /* 2^down masses of 1 at a distance of 1 cost a unit; may be negative */
    int wide;              /* sums may need more than a word */
    double error;          /* how far the response is from it, in square roots of the objective */
    int last_bits;         /* that, and what weights were rounded by, is of last bits alone */
    /* what a mass of 1 costs at most is square / 2^rest, and any rows cost no more than `total` */
    int64_t square, total;
    int rest;
} ct_grid;

/* Places in the sums of a set: its mass w, what it costs at most, w z and w z^2. Wide sums are kept
 * as numbers of 32 bits, added up one by one, so that all sums are added and subtracted alike; the
 * upper ones of the mass come last. */
enum {
    CT_SUM_MASS,
    CT_SUM_MOST,
    CT_SUM_Z,
    CT_SUM_SQUARES,
    CT_N_NARROW_SUMS,
    CT_WIDE_Z = 4, /* numbers */
    CT_WIDE_SQUARES = 6,
    CT_SUM_UPPER_MASS = CT_SUM_Z + CT_WIDE_Z + CT_WIDE_SQUARES,
    CT_N_WIDE_SUMS
};

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
    double last_bits;     /* of that, what is no more than a row's own last bits in doubles */
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

/* What a row costs at most. */
static inline int64_t ct_most_of_row(const ct_problem *problem, uint32_t row)
{
    const ct_grid *grid = &problem->grid;
    int64_t w = problem->mass[row];
    if (!grid->z) return w * problem->max_cost[problem->data->classes[row]];
    ct_grid_sum up = ((ct_grid_sum) 1 << grid->rest) - 1,
                most = ((ct_grid_sum) w * grid->square + up) >> grid->rest;
    return most < grid->total ? (int64_t) most : grid->total;
}

static inline ct_grid_long ct_grid_long_of(ct_grid_sum high, ct_grid_sum low)
{
    return (ct_grid_long){high + (low >> 64), low & UINT64_MAX};
}

static inline ct_grid_long ct_grid_long_plus(ct_grid_long x, ct_grid_long y)
{
    return ct_grid_long_of(x.high + y.high, x.low + y.low);
}

static inline ct_grid_long ct_grid_long_less(ct_grid_long x, ct_grid_long y)
{
    return ct_grid_long_of(x.high - y.high, x.low - y.low);
}

/* x y, of which the upper half has a bit to spare. */
static inline ct_grid_long ct_grid_times(ct_grid_sum x, int64_t y)
{
    return ct_grid_long_of((x >> 64) * y, (x & UINT64_MAX) * y);
}

/* Adds x as so many numbers, of which the last has all that is left. */
static inline void ct_wide_add(int64_t *sums, int n, ct_grid_sum x)
{
    for (int i = 0; i + 1 < n; i++, x >>= 32) sums[i] += (int64_t) (uint32_t) x;
    sums[n - 1] += (int64_t) x;
}

static inline ct_grid_sum ct_wide_sum(const int64_t *sums, int n)
{
    ct_grid_sum x = 0;
    while (n--) x = x * ((ct_grid_sum) 1 << 32) + sums[n];
    return x;
}

/* Adds a row to the sums of a set: its mass, by class; with a response see above. */
static inline void ct_sums_add(const ct_problem *problem, uint32_t row, int64_t *sums)
{
    int64_t w = problem->mass[row];
    if (!problem->grid.z) {
        sums[problem->data->classes[row]] += w;
        return;
    }
    int64_t z = problem->grid.z[row];
    sums[CT_SUM_MASS] += problem->grid.wide ? (int64_t) (uint32_t) w : w;
    sums[CT_SUM_MOST] += ct_most_of_row(problem, row);
    if (problem->grid.wide) {
        ct_grid_sum wz = (ct_grid_sum) w * z;
        const ct_grid_long square = ct_grid_times(wz, z);
        sums[CT_SUM_UPPER_MASS] += w >> 32;
        ct_wide_add(sums + CT_SUM_Z, CT_WIDE_Z, wz);
        ct_wide_add(sums + CT_SUM_Z + CT_WIDE_Z, 3, square.low);
        ct_wide_add(sums + CT_SUM_Z + CT_WIDE_Z + 2, CT_WIDE_SQUARES - 2, square.high);
    } else {
        sums[CT_SUM_Z] += w * z;
        sums[CT_SUM_SQUARES] += w * z * z;
    }
}

/* What a mass of 1 of class c costs under a label. */
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
