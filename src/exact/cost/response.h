/* A numeric response as integers, and what leaves cost then.
 *
 * The response y is put on a grid: y = centre + step * z, nearly, with integers z. Rows have
 * integer weights w, 1 each where the data have none. Leaves cost what exact/cost/full.h says of
 * these, in units of 2^down step^2 (times the unit of weights).
 *
 * Scans want small integers: |z| <= 2^b, weights of the sum W, with 2 b + log2 W at most 59, so
 * that sums T = sum w z and Q = sum w z^2 are exact in 64 bits. By these a row set S costs
 *
 *   2^f Q - ceil(2^f T^2 / W) = floor(2^f sum w (z - mean)^2),
 *
 * with f the bits that W (max z - min z)^2 leaves of 61. Where that grid rounds no weight, and y by
 * next to nothing (whole numbers, cents), it is the only one, and this is the cost c(S), with
 * down = -f. Else there is a finer grid of up to 51 bits beside weights of a sum of 63 bits, or of
 * 71 where 63 would round too much, and costs have a unit of which n times what a row costs at most
 * has 61 bits. Scans of rows with weights go by that (kernels/response/wide.h). Without weights
 * they go by a z that is *rounded* from it, and costs in scans are bounds. For a partition of n
 * rows, let F be the sum of squares in full, x the z in full in steps of scans, and d the largest
 * |x - z|. Then
 *
 *   sqrt(F) >= sqrt(C) - d sqrt(n),
 *
 * where C is the partition's sum of squares in scans: the least over all constants, which are a
 * linear space, and sum (x - z)^2 <= d^2 n; nor is it above what it is of all rows. So
 * ct_response_surely() makes of a cost in scans a lower bound of the cost, and what may be best is
 * counted in full (exact/search/in_full.h). Where that would be too much, scans in full come
 * between.
 *
 * Floors keep c(A u B) >= c(A) + c(B), so that all facts of bound/interval.h hold. A row of weight
 * 1 costs no more than D = (max z - min z)^2 beside what the others do: a row more lies no further
 * than that from any mean. On the finer grid any row, whatever its weight, counts as the dearest,
 * and that as no more than all rows cost.
 *
 * A tree of the costs c and s splits costs c + s * split. `split` holds the price of a split,
 * complexity * c(all rows) rounded down, and so many units more that of trees that are as good in
 * real numbers the smaller one costs less, whatever their floors take off: one for each leaf that
 * there may be.
 *
 * Rows without weight cost nothing, and the grid is chosen without them; there they are at 0.
 *
 * What is left out: sqrt(SSE) of a partition of the rows is the distance of y from a linear space,
 * so those of y and of the grid differ by no more than error = ||y - centre - step * z||, weighted.
 * Where y has decimals of which none is lost the step is a part of them and the error 0. Weights
 * that are no multiples of one number are rounded; that changes an SSE by no more than
 * costs->rounding. */
#ifndef CT_EXACT_COST_RESPONSE_H
#define CT_EXACT_COST_RESPONSE_H

#include "exact/cost/costs.h"

struct ct_exact_response {
    ct_full full;           /* what leaves cost */
    int rounded;            /* 1: z of scans is, */
    int overlaps;           /* and leaves too many trees to be counted: see overlaps() */
    int64_t reach;          /* max z - min z, in full */
    double ratio;           /* a unit of costs in scans, in those of costs; */
    double off, off_all;    /* likewise d^2 for a weight of 1, and sum w (x - z)^2 of all rows */
    const int32_t *z;       /* [row] of scans */
    double centre, step;    /* of the grid, in full */
    double error;           /* see above; in square roots of the objective */
    double blur;            /* the same of decimals, error or not; else 0 */
    double excess;          /* of `split` over the penalty, at least 0, in the objective */
    double total;           /* c(all rows), in the objective */
    int32_t range;          /* max z - min z, of scans */
    unsigned fine;          /* f: see above */
    double scale;           /* 2^f */
    const float *inverse;   /* [n_rows + CT_INVERSE_PAD] 1 / k; 0 at 0 */
    const float *falling;   /* [n_rows + CT_INVERSE_PAD] 1 / (n_rows - k), 0 from n_rows on */
    uint32_t n_rows;
    const float *shares;    /* [64] at n + i, for n = 4, 8, 16, 32: n / (i (n - i)) */
    /* [256] the places of the bits set in a byte, a byte each, from the lowest on */
    const uint64_t *places;
};

enum { CT_INVERSE_PAD = 32 }; /* beyond what is needed: blocks of rows are read whole */

enum { CT_FINE_BITS = 30 }; /* f is no larger */

/* What rows weigh in scans; NULL: 1 each. */
static inline const int64_t *ct_response_weights(const ct_exact_costs *costs)
{
    return costs->response ? costs->response->full.weights : costs->weights;
}

/* What rows with these sums cost in scans; see above. */
static inline int64_t ct_response_cost(unsigned fine, int64_t weight, int64_t sum,
                                       int64_t squares)
{
    if (!weight) return 0;
    /* T^2 / W of T = q W + r is q^2 W + 2 q r + r^2 / W */
    uint64_t w = (uint64_t) weight, t = (uint64_t) (sum < 0 ? -sum : sum), q = t / w, r = t % w,
             whole = q * q * w + 2 * q * r, rest = r * r;
    CT_ASSERT(weight > 0 && w < UINT64_C(1) << 32 && fine <= CT_FINE_BITS);
    if (fine && r >> 16) { /* r^2 2^f might not fit */
        whole += rest / w;
        rest %= w;
    }
    return (squares - (int64_t) whole) * ((int64_t) 1 << fine) -
           (int64_t) (((rest << fine) + w - 1) / w);
}

/* Adds a row to moments as in ct_totals. */
static inline void ct_response_add(const ct_exact_costs *costs, uint32_t row, int64_t moments[2])
{
    int64_t z = costs->response->z[row], wz = (costs->weights ? costs->weights[row] : 1) * z;
    moments[0] += wz;
    moments[1] += wz * z;
}

/* A lower bound of the cost of rows that weigh so much and cost no less than `cost` in scans, in up
 * to four leaves; and the least cost in scans, or a little more, for which that is `cost`. */
int64_t ct_response_surely(const ct_exact_response *response, int64_t cost, int64_t weight);
int64_t ct_response_needed(const ct_exact_response *response, int64_t cost, int64_t weight);

/* The other end: what a leaf, or two, of so many rows cost at most of which the first says
 * `least`. Of scans that go by `z`. */
int64_t ct_response_at_most(const ct_exact_response *response, int64_t least, int64_t n_rows);

/* Sets *costs for data with a response, as ct_exact_costs_init does for classes. From the arena. */
ct_status ct_response_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                           double complexity, int one_word, ct_arena *arena, ct_error *error);

/* As ct_objective_bound, ct_exact_cost_hidden, ct_objective_above and ct_objective_gap: of y
 * itself, not of the grid. */
double ct_response_bound(const ct_exact_costs *costs, int64_t cost);
double ct_response_hidden(const ct_exact_costs *costs);
int64_t ct_response_above(const ct_exact_costs *costs, double most);
int64_t ct_response_gap(const ct_exact_costs *costs, double gap);

/* By how much rounding may change the sum of squares of a tree. */
double ct_response_rounding(const ct_exact_costs *costs);

/* The least cost that is a proof of `bound` or more: see ct_response_bound. */
int64_t ct_response_proving(const ct_exact_costs *costs, double bound);

/* What a tree costs, with its splits, by the leaves of the rows. INT64_MAX if memory ends. */
int64_t ct_response_of_tree(const ct_exact_costs *costs, uint32_t n_rows, const ct_outcome *tree,
                            ct_arena *arena);

#endif
