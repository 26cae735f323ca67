#include "certify/stump.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "certify/response.h"

ct_status ct_certify_stumps_init(ct_stumps *stumps, const ct_problem *problem)
{
    size_t n = problem->n_classes;
    CT_ASSERT(n > 0 && problem->n_rows > 0);
    stumps->problem = problem;
    stumps->side = CT_ARENA_NEW(problem->arena, uint8_t, problem->n_rows);
    stumps->lean = (ct_lean *) ct_arena_alloc(problem->arena, problem->n_rows,
                                              sizeof *stumps->lean);
    int64_t *costs = CT_ARENA_NEW(problem->arena, int64_t, 4 * n);
    if (!stumps->side || !stumps->lean || !costs) return CT_NO_MEMORY;
    stumps->left = costs;
    for (int side = 0; side < 2; side++) stumps->all[side] = costs + (2 + (size_t) side) * n;
    return CT_OK;
}

void ct_certify_stumps_part(ct_stumps *stumps, const ct_row_set *set, uint32_t col, uint32_t n_left,
                            int64_t *const mass[2])
{
    const ct_problem *p = stumps->problem;
    CT_ASSERT(col < p->n_cols && n_left <= set->n);
    memset(mass[0], 0, p->n_sums * sizeof *mass[0]);
    for (uint32_t j = 0; j < set->n; j++) {
        uint32_t row = set->order[col][j] & CT_ROW;
        CT_ASSERT(row < p->n_rows);
        stumps->side[row] = j >= n_left;
        if (j < n_left) ct_sums_add(p, row, mass[0]);
    }
    for (uint32_t k = 0; k < p->n_sums; k++) mass[1][k] = set->mass[k] - mass[0][k];
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t size(int64_t a) { return a < 0 ? -a : a; }

/* ---- two classes, leaves of any size ---- */

/* What a row adds to cost under label 1 less cost under label 0. */
static int64_t lean_of(const ct_problem *p, uint32_t row)
{
    return p->data->classes[row] ? -p->mass[row] * ct_loss_of(p, 1, 0)
                                 : p->mass[row] * ct_loss_of(p, 0, 1);
}

/* For both sides, the largest |2 d - D| over the splits of one column, where d is the difference of
 * the costs of both labels on the left of the split and D that of the whole side. */
static void widen(const ct_stumps *s, const uint32_t *order, uint32_t n, const int64_t whole[2],
                  int64_t widest[2])
{
    int64_t d[2] = {0, 0}, most[2] = {0, 0}, least[2] = {0, 0};
    CT_ASSERT(n > 0);
    for (uint32_t j = 0; j < n; j++) {
        const ct_lean *lean = &s->lean[order[j] & CT_ROW];
        d[0] += lean->part[0];
        d[1] += lean->part[1];
        if (!(order[j] & CT_LAST)) continue;
        for (int side = 0; side < 2; side++) {
            most[side] = larger(most[side], d[side]);
            least[side] = smaller(least[side], d[side]);
        }
    }
    for (int side = 0; side < 2; side++)
        widest[side] = larger(widest[side],
                              larger(2 * most[side] - whole[side], whole[side] - 2 * least[side]));
}

/* A part costs, under the better label, (sum under both - |difference|) / 2; and over the two
 * parts of a split the differences d and D - d add up to max(|D|, |2 d - D|). */
static void count_two(ct_stumps *s, const ct_row_set *set, int64_t *const mass[2],
                      ct_least least[2])
{
    const ct_problem *p = s->problem;
    int64_t sum[2], whole[2], widest[2];
    for (uint32_t j = 0; j < set->n; j++) {
        uint32_t row = set->order[0][j] & CT_ROW;
        s->lean[row].part[s->side[row]] = lean_of(p, row);
        s->lean[row].part[!s->side[row]] = 0;
    }
    for (int side = 0; side < 2; side++) {
        int64_t under_1 = mass[side][0] * ct_loss_of(p, 0, 1),
                under_0 = mass[side][1] * ct_loss_of(p, 1, 0);
        sum[side] = under_0 + under_1;
        whole[side] = under_1 - under_0;
        widest[side] = size(whole[side]);
    }
    for (uint32_t col = 0; col < p->n_cols; col++) widen(s, set->order[col], set->n, whole, widest);
    for (int side = 0; side < 2; side++) {
        int64_t leaf = (sum[side] - size(whole[side])) / 2,
                split = p->split_cost + (sum[side] - widest[side]) / 2;
        CT_ASSERT(leaf >= 0 && widest[side] >= size(whole[side]) && widest[side] <= sum[side]);
        least[side].relaxed = least[side].allowed = smaller(leaf, split);
    }
}

/* ---- any ---- */

/* Takes the splits at one place of a side into account, whose parts cost so much; `before` of its
 * rows are left of it. */
static void note(const ct_problem *p, int64_t parts, uint32_t before, uint32_t size,
                 ct_least *least)
{
    int64_t cost = p->split_cost + parts;
    CT_ASSERT(parts >= 0 && before <= size);
    least->relaxed = smaller(least->relaxed, cost);
    if (before >= p->min_bucket && size - before >= p->min_bucket)
        least->allowed = smaller(least->allowed, cost);
}

/* Costs of both parts under their best labels. */
static int64_t parts_cost(const int64_t *left, const int64_t *all, uint32_t n_labels)
{
    int64_t best[2] = {INT64_MAX, INT64_MAX};
    for (uint32_t k = 0; k < n_labels; k++) {
        best[0] = smaller(best[0], left[k]);
        best[1] = smaller(best[1], all[k] - left[k]);
    }
    return best[0] + best[1];
}

/* The splits of one column of both sides. */
static void look_at(ct_stumps *s, const uint32_t *order, uint32_t n, const uint32_t sizes[2],
                    ct_least least[2])
{
    const ct_problem *p = s->problem;
    uint32_t n_labels = p->n_classes, before[2] = {0, 0}, changed = 0;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t row = order[j] & CT_ROW, side = s->side[row];
        const int64_t *loss = p->loss + (size_t) p->data->classes[row] * n_labels;
        int64_t *left = s->left + side * n_labels;
        for (uint32_t k = 0; k < n_labels; k++) left[k] += p->mass[row] * loss[k];
        before[side]++;
        changed |= UINT32_C(1) << side;
        if (!(order[j] & CT_LAST)) continue;
        for (side = 0; side < 2; side++) {
            if (!(changed >> side & 1)) continue;
            int64_t parts = parts_cost(s->left + side * n_labels, s->all[side], n_labels);
            note(p, parts, before[side], sizes[side], &least[side]);
        }
        changed = 0;
    }
}

static int64_t largest_rest(const int64_t *left, const int64_t *all, uint32_t n)
{
    int64_t largest = 0;
    for (uint32_t c = 0; c < n; c++) largest = larger(largest, all[c] - left[c]);
    return largest;
}

/* Best cuts where each wrong label costs a class the same: a part costs what all of it costs under
 * wrong labels, less that of its largest class. s->left and s->all are these sums by class. */
static void look_at_largest(ct_stumps *s, const uint32_t *order, uint32_t n,
                            const uint32_t sizes[2], ct_least least[2])
{
    const ct_problem *p = s->problem;
    uint32_t n_classes = p->n_classes, before[2] = {0, 0}, stale = 3;
    int64_t most_left[2] = {0, 0}, most_right[2] = {0, 0};
    for (uint32_t j = 0; j < n; j++) {
        uint32_t row = order[j] & CT_ROW, side = s->side[row], c = (uint32_t) p->data->classes[row];
        int64_t *left = s->left + side * n_classes;
        if (s->all[side][c] - left[c] == most_right[side]) stale |= UINT32_C(1) << side;
        left[c] += p->mass[row] * p->max_cost[c];
        CT_ASSERT(left[c] <= s->all[side][c] && before[side] < sizes[side]);
        most_left[side] = larger(most_left[side], left[c]);
        before[side]++;
        if (!(order[j] & CT_LAST)) continue;
        for (side = 0; side < 2; side++) {
            if (stale >> side & 1)
                most_right[side] = largest_rest(s->left + side * n_classes, s->all[side],
                                                n_classes);
            note(p, s->sum[side] - most_left[side] - most_right[side], before[side], sizes[side],
                 &least[side]);
        }
        stale = 0;
    }
}

static void count_any(ct_stumps *s, const ct_row_set *set, int64_t *const mass[2],
                      const uint32_t n[2], ct_least least[2])
{
    const ct_problem *p = s->problem;
    uint32_t n_classes = p->n_classes;
    for (int side = 0; side < 2; side++) {
        s->sum[side] = ct_certify_cost_at_most(p, mass[side]);
        for (uint32_t k = 0; k < n_classes; k++) {
            int64_t sum = p->uniform ? mass[side][k] * p->max_cost[k] : 0;
            for (uint32_t c = 0; !p->uniform && c < n_classes; c++)
                sum += mass[side][c] * p->loss[c * n_classes + k];
            s->all[side][k] = sum;
        }
        least[side].relaxed = least[side].allowed = ct_certify_cost_as_leaf(p, mass[side]);
    }
    for (uint32_t col = 0; col < p->n_cols; col++) {
        for (size_t i = 0; i < 2 * (size_t) n_classes; i++) s->left[i] = 0;
        (p->uniform ? look_at_largest : look_at)(s, set->order[col], set->n, n, least);
    }
}

/* ---- a response ---- */

/* x, of less than 125 bits, to two roundings; quick where a word holds it. */
static inline double double_of(ct_grid_sum x)
{
    if (x == (int64_t) x) return (double) (int64_t) x;
    return (double) (int64_t) (x >> 62) * 0x1p62 + (double) ((int64_t) x & (INT64_MAX >> 1));
}

static double double_of_long(ct_grid_long x) { return (double) x.high * 0x1p64 + (double) x.low; }

/* Adds up w z^2 of the rows of a side at these places of a column. */
static ct_grid_long squares_at(const ct_stumps *s, const uint32_t *order, uint32_t from,
                               uint32_t to, int side)
{
    const ct_problem *p = s->problem;
    ct_grid_long sum = {0, 0};
    for (uint32_t j = from; j < to; j++) {
        uint32_t row = order[j] & CT_ROW;
        int64_t z = p->grid.z[row];
        if (s->side[row] != side) continue;
        sum = ct_grid_long_plus(sum, ct_grid_times((ct_grid_sum) p->mass[row] * z, z));
    }
    return sum;
}

/* Takes the splits of one column of a side into account, of which `all` are the sums. Doubles tell
 * of most that they cannot be better than one that is known: T^2 / W is off by nine roundings.
 * word: masses are words, added up. */
CT_HOT void look_at_response(const ct_stumps *s, const uint32_t *order, uint32_t n,
                             const int64_t *all, uint32_t size, int side, int word,
                             ct_least *least)
{
    static const double SURELY = 1 + 0x1p-48;
    const ct_problem *p = s->problem;
    const int down = p->grid.down;
    const ct_grid_sum in_all = ct_grid_z(p, all), all_mass = ct_grid_mass(p, all);
    const ct_grid_long whole = ct_grid_squares(p, all);
    const double scale = ldexp(1, -down), most = double_of_long(whole) * scale;
    int64_t mass = 0;
    ct_grid_sum wide_mass = 0, sum = 0;
    ct_grid_long squares = {0, 0};
    uint32_t before = 0, changed = 0, squared = 0;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t row = order[j] & CT_ROW;
        if (s->side[row] == side) {
            if (word) mass += p->mass[row];
            else wide_mass += p->mass[row];
            sum += (ct_grid_sum) p->mass[row] * p->grid.z[row];
            changed = ++before;
        }
        ct_grid_sum w = word ? mass : wide_mass, rest = all_mass - w;
        if (!(order[j] & CT_LAST) || !changed || !w || !rest) continue;
        changed = 0;
        double t = double_of(sum), other = double_of(in_all - sum),
               left = word ? (double) mass : double_of(w),
               right = word ? (double) (int64_t) rest : double_of(rest),
               known = (double) larger(least->allowed, least->relaxed);
        if ((t * t / left + other * other / right) * scale * SURELY <
            ((double) p->split_cost + most - known) * (2 - SURELY) - 4 - most * 0x1p-48)
            continue;
        squares = ct_grid_long_plus(squares, squares_at(s, order, squared, j + 1, side));
        squared = j + 1;
        int64_t parts = ct_certify_grid_cost(down, w, sum, squares) +
                        ct_certify_grid_cost(down, rest, in_all - sum,
                                             ct_grid_long_less(whole, squares));
        note(p, parts, before, size, least);
    }
}

/* Empty parts, and those of no weight, cost what the leaf does. */
static void count_response(const ct_stumps *s, const ct_row_set *set, int64_t *const mass[2],
                           const uint32_t n[2], ct_least least[2])
{
    int word = ct_grid_mass(s->problem, set->mass) >> 63 == 0;
    for (int side = 0; side < 2; side++) {
        least[side].relaxed = least[side].allowed = ct_certify_cost_as_leaf(s->problem, mass[side]);
        for (uint32_t col = 0; col < s->problem->n_cols; col++)
            if (word) look_at_response(s, set->order[col], set->n, mass[side], n[side], side, 1,
                                       &least[side]);
            else look_at_response(s, set->order[col], set->n, mass[side], n[side], side, 0,
                                  &least[side]);
    }
}

void ct_certify_stumps_count(ct_stumps *s, const ct_row_set *set, int64_t *const mass[2],
                             const uint32_t n[2], ct_least least[2])
{
    const ct_problem *p = s->problem;
    CT_ASSERT(n[0] + n[1] == set->n);
    if (p->grid.z) count_response(s, set, mass, n, least);
    else if (p->n_classes == 2 && p->min_bucket == 1) count_two(s, set, mass, least);
    else count_any(s, set, mass, n, least);
    for (int side = 0; side < 2; side++)
        if (n[side] < p->min_split) least[side].allowed = ct_certify_cost_as_leaf(p, mass[side]);
}
