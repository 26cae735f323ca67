/* Shrunk models and their leave-one-out errors: against models fitted anew, without each row, by
 * normal equations. */
#include "check.h"
#include "random.h"

#include "evolve/leave_one_out.h"

enum { ROWS = 60, P = 4, COLUMNS = P + 1, NODES = 5, GRID = 3 };
static const double ridges[GRID] = {0, 0.5, 20}, smoothings[GRID] = {0, 2, 50};

/* Root 0, with children 1 and 4; 1 has 2 and 3. */
static const int32_t parents[NODES] = {-1, 0, 1, 1, 0};

typedef struct {
    double x[P][ROWS], y[ROWS], weights[ROWS], n[NODES], factors[NODES][COLUMNS][COLUMNS],
        penalty[P];
    uint8_t dropped[NODES][P], counted[ROWS];
    int32_t where[ROWS];
    ct_gmt_loo_data data;
} problem;

static int is_below(int32_t node, int32_t above)
{
    while (node >= 0 && node != above) node = parents[node];
    return node == above;
}

static double value_at(const problem *t, int k, int row)
{
    return k < P ? t->x[k][row] : t->y[row];
}

/* The upper triangle by Cholesky of the sums of a node, times a reflection, so that it is none. */
static void factor_node(problem *t, int32_t node)
{
    double g[COLUMNS][COLUMNS] = {{0}};
    for (int row = 0; row < ROWS; row++)
        for (int j = 0; j < COLUMNS && is_below(t->where[row], node); j++)
            for (int k = 0; k < COLUMNS; k++)
                g[j][k] += t->weights[row] * value_at(t, j, row) * value_at(t, k, row);
    double(*r)[COLUMNS] = t->factors[node]; /* r[column][row] */
    memset(r, 0, sizeof t->factors[node]);
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i <= j; i++) {
            double sum = g[i][j];
            for (int k = 0; k < i; k++) sum -= r[i][k] * r[j][k];
            r[j][i] = i == j ? sqrt(sum) : sum / r[i][i];
        }
    for (int j = 0; j < COLUMNS; j++) {
        double a = r[j][0], b = r[j][2];
        r[j][0] = 0.6 * a + 0.8 * b, r[j][2] = 0.8 * a - 0.6 * b;
    }
}

static problem *new_problem(uint64_t seed)
{
    problem *t = (problem *) keep_new(1, sizeof *t);
    rng random = {seed};
    for (int row = 0; row < ROWS; row++) {
        t->where[row] = row < 20 ? 2 : row < 35 ? 3 : 4;
        t->x[0][row] = 1;
        t->x[1][row] = rng_unit(&random);
        t->x[2][row] = rng_below(&random, 4); /* with ties at the ends */
        t->x[3][row] = 5 * rng_unit(&random);
        t->y[row] = t->x[1][row] * (t->where[row] == 3 ? 3 : -2) + rng_unit(&random);
        t->weights[row] = 0.5 + rng_unit(&random);
        t->counted[row] = rng_below(&random, 4) > 0;
        for (int32_t node = 0; node < NODES; node++) t->n[node] += is_below(t->where[row], node);
    }
    for (int k = 1; k < P; k++) t->penalty[k] = 0.5 + k;
    t->dropped[3][2] = 1;
    for (int32_t node = 0; node < NODES; node++) factor_node(t, node);
    const ct_gmt_loo_data data = {{NODES, P, parents, t->n, t->factors[0][0], t->penalty,
                                   t->dropped[0]},
                                  ROWS, t->x[0], t->y, t->weights, t->where, t->counted};
    t->data = data;
    return t;
}

/* ---- without the row ---- */

/* What a row counts for in a node, and the share of the root's penalty that the node has. */
static double counts_in(const problem *t, int32_t node, int32_t leaf, double smoothing,
                        double *penalty)
{
    double own = leaf < 0 ? 0 : is_below(leaf, node);
    *penalty = 1;
    if (node == 0) return own;
    double share = smoothing / (t->n[parents[node]] + (parents[node] ? smoothing : 0));
    double count = own + share * counts_in(t, parents[node], leaf, smoothing, penalty);
    *penalty *= share;
    return count;
}

static void eliminate(double a[P][COLUMNS], double *b)
{
    for (int i = 0; i < P; i++)
        for (int k = 0; k < P; k++) {
            if (k == i || !(a[i][i] > 0)) continue;
            double times = a[k][i] / a[i][i];
            for (int j = 0; j < COLUMNS; j++) a[k][j] -= times * a[i][j];
        }
    for (int i = 0; i < P; i++) b[i] = a[i][i] > 0 ? a[i][P] / a[i][i] : 0;
}

/* row -1: with all. */
static void model_without(const problem *t, int32_t leaf, int row, double ridge, double smoothing,
                          double *b)
{
    double a[P][COLUMNS] = {{0}}, penalty;
    for (int i = 0; i < ROWS; i++) {
        double count = counts_in(t, leaf, t->where[i], smoothing, &penalty) * t->weights[i];
        for (int j = 0; j < P && i != row; j++)
            for (int k = 0; k < COLUMNS; k++)
                a[j][k] += count * t->x[j][i] * value_at(t, k, i);
    }
    (void) counts_in(t, leaf, -1, smoothing, &penalty);
    for (int j = 0; j < P; j++) a[j][j] += penalty * ridge * t->penalty[j] * t->penalty[j];
    for (int j = 0; j < P; j++)
        for (int k = 0; k < P; k++)
            if (t->dropped[leaf][j] || t->dropped[leaf][k]) a[j][k] = 0;
    for (int j = 0; j < P; j++)
        if (t->dropped[leaf][j]) a[j][P] = 0;
    eliminate(a, b);
}

static double limited(const problem *t, int k, int row, double x, double share)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < ROWS; i++) {
        if (i == row || t->where[i] != t->where[row]) continue;
        low = fmin(low, value_at(t, k, i)), high = fmax(high, value_at(t, k, i));
    }
    return fmin(fmax(x, low - share * (high - low)), high + share * (high - low));
}

static void expected_errors(const problem *t, double ridge, double smoothing, double *sums)
{
    sums[CT_LOO_WITHIN] = sums[CT_LOO_FREE] = 0;
    for (int row = 0; row < ROWS; row++) {
        double b[P], free = 0, within = 0;
        if (!t->counted[row]) continue;
        model_without(t, t->where[row], row, ridge, smoothing, b);
        for (int k = 0; k < P; k++) {
            free += b[k] * t->x[k][row];
            within += b[k] * (k ? limited(t, k, row, t->x[k][row], 0) : 1);
        }
        within = limited(t, P, row, within, 0.05);
        sums[CT_LOO_FREE] += t->weights[row] * (t->y[row] - free) * (t->y[row] - free);
        sums[CT_LOO_WITHIN] += t->weights[row] * (t->y[row] - within) * (t->y[row] - within);
    }
}

/* ---- cases ---- */

static void errors_are_exact(check_rng *r, uint32_t seed)
{
    problem *t = new_problem(seed + 1);
    double got[GRID][GRID][CT_LOO_LIMITS], expected[CT_LOO_LIMITS];
    CHECK_OK(ct_gmt_loo_errors(&t->data, ridges, GRID, smoothings, GRID, got[0][0], &reason));
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            expected_errors(t, ridges[i], smoothings[j], expected);
            for (int limit = 0; limit < CT_LOO_LIMITS; limit++)
                CHECK(fabs(got[i][j][limit] - expected[limit]) <= 1e-8 * expected[limit]);
        }
}

/* A leaf of one row: its model without it is what it borrows, and it has no limits. */
static void lone_rows(void)
{
    problem *t = new_problem(3);
    double got[CT_LOO_LIMITS], expected[CT_LOO_LIMITS];
    for (int row = 0; row < ROWS; row++) {
        t->where[row] = row == 7 ? 2 : row < 35 ? 3 : 4;
        t->counted[row] = row == 7;
    }
    memset(t->n, 0, sizeof t->n);
    for (int row = 0; row < ROWS; row++)
        for (int32_t node = 0; node < NODES; node++) t->n[node] += is_below(t->where[row], node);
    for (int32_t node = 0; node < NODES; node++)
        if (node != 2) factor_node(t, node);
    memset(t->factors[2], 0, sizeof t->factors[2]);
    for (int k = 0; k < COLUMNS; k++)
        t->factors[2][k][1] = sqrt(t->weights[7]) * value_at(t, k, 7);
    CHECK_OK(ct_gmt_loo_errors(&t->data, ridges + 1, 1, smoothings + 1, 1, got, &reason));
    expected_errors(t, ridges[1], smoothings[1], expected);
    CHECK(fabs(got[CT_LOO_FREE] - expected[CT_LOO_FREE]) <= 1e-8 * expected[CT_LOO_FREE]);
    CHECK(got[CT_LOO_WITHIN] == got[CT_LOO_FREE]);
    /* with nothing borrowed it has no error of its own, which is a large one */
    CHECK_OK(ct_gmt_loo_errors(&t->data, ridges, 1, smoothings, 1, got, &reason));
    CHECK(isfinite(got[CT_LOO_FREE]));
}

static double deviance_of(const problem *t, int32_t node, const double *b)
{
    double sum = 0;
    for (int row = 0; row < ROWS; row++) {
        double e = t->y[row];
        for (int k = 0; k < P; k++) e -= b[k] * t->x[k][row];
        if (is_below(t->where[row], node)) sum += t->weights[row] * e * e;
    }
    return sum;
}

/* Each alone, and their mean by weights. */
static void models_are_exact(check_rng *r, uint32_t seed)
{
    static const double ridge[4] = {0, 0.5, 0.5, 20}, smoothing[4] = {2, 2, 50, 0},
                        weight[4] = {0.4, 0.3, 0.2, 0.1}, one = 1;
    problem *t = new_problem(seed + 1);
    double expected[NODES][P] = {{0}}, b[P], got[NODES][P], deviance[NODES];
    uint8_t aliased[NODES][P];
    for (int i = 0; i < 4; i++) {
        const ct_gmt_shrink_mean mean = {&ridge[i], &smoothing[i], &one, 1};
        CHECK_OK(ct_gmt_shrink_models(&t->data.nodes, &mean, got[0], aliased[0], deviance,
                                      &reason));
        for (int32_t node = 0; node < NODES; node++) {
            model_without(t, node, -1, ridge[i], smoothing[i], b);
            for (int k = 0; k < P; k++) {
                CHECK(fabs(got[node][k] - b[k]) <= 1e-8 * (1 + fabs(b[k])));
                CHECK_INT(aliased[node][k], t->dropped[node][k]);
                expected[node][k] += weight[i] * b[k];
            }
            double own = deviance_of(t, node, b);
            CHECK(fabs(deviance[node] - own) <= 1e-8 * own);
        }
    }
    const ct_gmt_shrink_mean all = {ridge, smoothing, weight, 4};
    CHECK_OK(ct_gmt_shrink_models(&t->data.nodes, &all, got[0], aliased[0], deviance, &reason));
    for (int32_t node = 0; node < NODES; node++) {
        for (int k = 0; k < P; k++)
            CHECK(fabs(got[node][k] - expected[node][k]) <=
                  1e-8 * (1 + fabs(expected[node][k])));
        double own = deviance_of(t, node, expected[node]);
        CHECK(fabs(deviance[node] - own) <= 1e-8 * own);
    }
}

/* Of columns that are equal the second is aliased, but not with a ridge. */
static void aliased_once(void)
{
    static const double ridge[2] = {0, 5}, smoothing[2] = {0, 0}, weights[2][2] = {{1}, {0.5, 0.5}};
    problem *t = new_problem(7);
    double got[NODES][P], deviance[NODES];
    uint8_t aliased[NODES][P];
    memcpy(t->x[3], t->x[1], sizeof t->x[3]);
    memset(t->dropped, 0, sizeof t->dropped);
    /* Cholesky of a singular matrix would not do: the rows of the root are its factor */
    static double rows[COLUMNS][ROWS + COLUMNS], factors[NODES][COLUMNS][COLUMNS];
    memset(factors, 0, sizeof factors);
    for (int32_t node = 0; node < NODES; node++) {
        memset(rows, 0, sizeof rows);
        for (int row = 0; row < ROWS; row++)
            for (int k = 0; k < COLUMNS && is_below(t->where[row], node); k++)
                rows[k][row] = sqrt(t->weights[row]) * value_at(t, k, row);
        ct_gmt_triangle_fold(rows[0], ROWS + COLUMNS, COLUMNS, factors[node][0]);
    }
    memcpy(t->factors, factors, sizeof factors);
    for (uint32_t n = 1; n <= 2; n++) {
        const ct_gmt_shrink_mean mean = {ridge, smoothing, weights[n - 1], n};
        CHECK_OK(ct_gmt_shrink_models(&t->data.nodes, &mean, got[0], aliased[0], deviance,
                                      &reason));
        CHECK_INT(aliased[0][3], n == 1);
        CHECK_INT(aliased[0][1], 0);
        CHECK_INT(aliased[4][3], 1); /* nothing is borrowed */
        CHECK((got[0][3] != 0) == (n == 2));
    }
}

static void memory_ends(void)
{
    static const double one = 1;
    const ct_gmt_shrink_mean mean = {&one, &one, &one, 1};
    problem *t = new_problem(5);
    double got[GRID][GRID][CT_LOO_LIMITS], b[NODES][P], deviance[NODES];
    uint8_t aliased[NODES][P];
    for (int shrink = 0; shrink < 2; shrink++) {
        ct_status status = CT_NO_MEMORY;
        for (long after = 0; status != CT_OK && after < 100; after++) {
            ct_alloc_fail_after(after);
            status = shrink ? ct_gmt_shrink_models(&t->data.nodes, &mean, b[0], aliased[0],
                                                   deviance, &reason)
                            : ct_gmt_loo_errors(&t->data, ridges, GRID, smoothings, GRID,
                                                got[0][0], &reason);
            ct_alloc_fail_after(-1);
            CHECK(status == CT_OK || status == CT_NO_MEMORY);
        }
        CHECK_OK(status);
    }
}

static const check_case cases[] = {
    {"errors are exact", EACH(errors_are_exact, 1, 20, 20, 20)},
    {"lone rows", lone_rows},
    {"models are exact", EACH(models_are_exact, 1, 20, 20, 20)},
    {"aliased once", aliased_once},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
