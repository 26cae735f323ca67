#include "base/compact.h"

#include "certify/recount.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "certify/near_stumps.h"
#include "certify/response.h"
#include "certify/stump.h"

/* A threshold that was looked at. */
typedef struct {
    uint32_t n_left;
    int64_t max_left; /* what the rows on its left cost at most */
    int64_t lower[2]; /* bounds of the sides, leaves of any size; below the target they are exact */
} place;

/* A split that fits into the budget. */
typedef struct survivor {
    struct survivor *next;
    uint32_t col, n_left;
    int64_t least[2]; /* of its sides, leaves of any size */
    ct_side_key key;  /* of columns of a group */
} survivor;

typedef struct {
    const ct_problem *problem;
    const ct_certify_claim *claim;
    const ct_certify_set_claim *set;
    ct_certify_recount_result *result;
    ct_stumps stumps;
    ct_near_stumps near;
    ct_status status;
} recount;

/* The thresholds of a row set are gone through. */
typedef struct {
    const ct_row_set *set;
    unsigned depth;
    int64_t target;   /* splits that cost less are sought */
    int falls;        /* ... and when one is found, those that cost less than it */
    survivor **found; /* else: the end of the list of them */
} sweep;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* The functions below tell whether it goes on. */
static int no_memory(recount *c)
{
    c->status = CT_NO_MEMORY;
    return 0;
}

/* ---- sides ---- */

/* Lays a side out, in the arena. */
static int lay_out(recount *c, const ct_row_set *set, uint32_t col, uint32_t n_left, int side,
                   ct_row_set *part)
{
    const ct_problem *p = c->problem;
    int64_t *masses = CT_ARENA_NEW(p->arena, int64_t, 2 * (size_t) p->n_sums);
    if (!masses) return no_memory(c);
    int64_t *const mass[2] = {masses, masses + p->n_sums};
    ct_certify_stumps_part(&c->stumps, set, col, n_left, mass);
    c->result->row_sets++;
    return ct_certify_row_set_part(p, set, c->stumps.side, (uint8_t) side,
                                   side ? set->n - n_left : n_left, mass[side], part) == CT_OK ||
           no_memory(c);
}

/* ---- thresholds ---- */

/* What a threshold between two that were looked at costs at least. */
static int64_t bound_between(const recount *c, const place *a, const place *b, int64_t max_left,
                             int64_t lower[2])
{
    lower[0] = larger(a->lower[0], b->lower[0] - (b->max_left - max_left));
    lower[1] = larger(b->lower[1], a->lower[1] - (max_left - a->max_left));
    return c->problem->split_cost + lower[0] + lower[1];
}

static int least_of(recount *c, const ct_row_set *set, unsigned depth, int64_t cap,
                    int64_t *least);

/* Raises the bounds of both sides: exactly, or to what leaves no room below the target. */
static int bound_sides(recount *c, const sweep *s, uint32_t col, place *m)
{
    const ct_problem *p = c->problem;
    for (int side = 0; side < 2; side++) {
        int64_t cap = s->target - p->split_cost - m->lower[!side], least = 0;
        ct_row_set part;
        if (m->lower[side] >= cap) return 1;
        ct_arena_mark mark = ct_arena_here(p->arena);
        int fine = lay_out(c, s->set, col, m->n_left, side, &part) &&
                   least_of(c, &part, s->depth - 1, cap, &least);
        ct_arena_release(p->arena, mark);
        if (!fine) return 0;
        m->lower[side] = larger(m->lower[side], least);
    }
    return 1;
}

/* Bounds the sides of a threshold where both may have one split, counted in one pass. */
static int bound_stumps(recount *c, const sweep *s, uint32_t col, place *m)
{
    const ct_problem *p = c->problem;
    const uint32_t n[2] = {m->n_left, s->set->n - m->n_left};
    ct_arena_mark mark = ct_arena_here(p->arena);
    int64_t *masses = CT_ARENA_NEW(p->arena, int64_t, 2 * (size_t) p->n_sums);
    if (!masses) return no_memory(c);
    int64_t *const mass[2] = {masses, masses + p->n_sums};
    ct_least least[2] = {{0, 0}, {0, 0}};
    ct_certify_stumps_part(&c->stumps, s->set, col, m->n_left, mass);
    ct_certify_stumps_count(&c->stumps, s->set, mass, n, least);
    for (int side = 0; side < 2; side++)
        m->lower[side] = larger(m->lower[side], least[side].relaxed);
    ct_arena_release(p->arena, mark);
    return 1;
}

/* What a split that costs less than the target means. */
static int keep(recount *c, sweep *s, uint32_t col, const place *m, int64_t cost)
{
    if (s->falls) {
        s->target = cost;
        return 1;
    }
    if (!ct_near_allowed(c->problem, s->set->n, m->n_left)) return 1;
    survivor *one = CT_ARENA_ZEROED(c->problem->arena, survivor, 1);
    if (!one) return no_memory(c);
    one->col = col;
    one->n_left = m->n_left;
    memcpy(one->least, m->lower, sizeof one->least);
    if (ct_near_grouped(c->set, c->problem->n_cols, col))
        one->key = ct_certify_near_key(&c->near, s->set, col, m->n_left);
    *s->found = one;
    s->found = &one->next;
    return 1;
}

/* The middle one of the thresholds between a and b that may cost less than the target; its place,
 * or n_left = 0. */
static void middle_open(const recount *c, const sweep *s, uint32_t col, const place *a,
                        const place *b, place *m)
{
    const uint32_t *order = s->set->order[col];
    uint32_t n_open = 0;
    m->n_left = 0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t max_left = a->max_left;
        uint32_t wanted = n_open / 2, at = 0;
        for (uint32_t j = a->n_left; j + 1 < b->n_left; j++) {
            int64_t lower[2];
            max_left += ct_most_of_row(c->problem, order[j] & CT_ROW);
            if (!(order[j] & CT_LAST) || bound_between(c, a, b, max_left, lower) >= s->target)
                continue;
            if (pass && at++ == wanted) {
                *m = (place){j + 1, max_left, {lower[0], lower[1]}};
                return;
            }
            n_open += !pass;
        }
    }
}

static int close_between(recount *c, sweep *s, uint32_t col, const place *a, const place *b)
{
    place m;
    middle_open(c, s, col, a, b, &m);
    if (!m.n_left) return 1;
    if (c->claim->stop && c->claim->stop(c->claim->stop_data)) {
        c->result->stopped = 1;
        return 0;
    }
    c->result->thresholds++;
    if (!(s->depth == 2 ? bound_stumps : bound_sides)(c, s, col, &m)) return 0;
    int64_t cost = c->problem->split_cost + m.lower[0] + m.lower[1];
    if (cost < s->target && !keep(c, s, col, &m, cost)) return 0;
    return close_between(c, s, col, a, &m) && close_between(c, s, col, &m, b);
}

static int sweep_column(recount *c, sweep *s, uint32_t col)
{
    const place begin = {0, 0, {0, 0}}, end = {s->set->n, s->set->max_cost, {0, 0}};
    return close_between(c, s, col, &begin, &end);
}

/* ---- the least cost ---- */

/* The least cost of trees of the depth with leaves of any size, if that is below the cap. */
static int least_of(recount *c, const ct_row_set *set, unsigned depth, int64_t cap, int64_t *least)
{
    sweep s = {set, depth, smaller(cap, ct_certify_cost_as_leaf(c->problem, set->mass)), 1, NULL};
    int fine = 1;
    CT_ASSERT(depth > 1);
    for (uint32_t col = 0; col < c->problem->n_cols && fine; col++)
        fine = sweep_column(c, &s, col);
    *least = s.target;
    return fine;
}

/* ---- all trees ---- */

static int count_trees(recount *c, const ct_row_set *set, unsigned depth, int64_t budget,
                       ct_cost_counts *counts);

/* Counts trees of both sides of a split, each within what the other leaves it. */
static int count_sides(recount *c, const ct_row_set *set, unsigned depth, int64_t budget,
                       const survivor *of, ct_cost_counts sides[2], int64_t leaf[2],
                       ct_near_told told[2])
{
    const ct_problem *p = c->problem;
    for (int side = 0; side < 2; side++) {
        ct_row_set part;
        ct_arena_mark mark = ct_arena_here(p->arena);
        int fine = lay_out(c, set, of->col, of->n_left, side, &part) &&
                   count_trees(c, &part, depth - 1, budget - p->split_cost - of->least[!side],
                               &sides[side]);
        if (fine) leaf[side] = ct_certify_near_leaf(p, part.mass, &told[side]);
        ct_arena_release(p->arena, mark);
        if (!fine) return 0;
        ct_certify_cost_counts_sort(&sides[side]);
    }
    return 1;
}

/* Adds the pairs of trees of both sides, but those of two leaves that predict the same. */
static int add_pairs(recount *c, int64_t budget, const ct_cost_counts sides[2],
                     const int64_t leaf[2], const ct_near_told told[2], ct_cost_counts *counts)
{
    int64_t split_cost = c->problem->split_cost, leaves = split_cost + leaf[0] + leaf[1];
    for (size_t i = 0; i < sides[0].n; i++) {
        for (size_t j = 0; j < sides[1].n; j++) {
            int64_t cost = split_cost + sides[0].of[i].cost + sides[1].of[j].cost;
            if (cost > budget) break;
            if (!ct_certify_cost_counts_add(counts, cost,
                                            ct_residues_product(sides[0].of[i].n,
                                                                sides[1].of[j].n)))
                return no_memory(c);
        }
    }
    return leaves > budget || !ct_certify_near_same(&told[0], &told[1]) ||
           ct_certify_cost_counts_add(counts, leaves, ct_residues_less_one()) || no_memory(c);
}

/* Whether a split before it, on a column of the same group, parts the rows in the same way. */
static int is_again(const recount *c, const survivor *first, const survivor *of)
{
    if (!ct_near_grouped(c->set, c->problem->n_cols, of->col)) return 0;
    for (; first != of; first = first->next)
        if (c->set->groups[first->col] == c->set->groups[of->col] &&
            !memcmp(&first->key, &of->key, sizeof of->key))
            return 1;
    return 0;
}

static int count_splits(recount *c, const ct_row_set *set, unsigned depth, int64_t budget,
                        int is_table, ct_cost_counts *counts)
{
    survivor *first = NULL;
    sweep s = {set, depth, budget + 1, 0, &first};
    int fine = 1;
    for (uint32_t col = 0; col < c->problem->n_cols && fine; col++)
        if (!is_table || !c->set->roots || c->set->roots[col]) fine = sweep_column(c, &s, col);
    for (const survivor *of = first; of && fine; of = of->next) {
        ct_cost_counts sides[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
        int64_t leaf[2];
        ct_near_told told[2];
        if (is_again(c, first, of)) continue;
        fine = count_sides(c, set, depth, budget, of, sides, leaf, told) &&
               add_pairs(c, budget, sides, leaf, told, counts);
        for (int side = 0; side < 2; side++) ct_certify_cost_counts_free(&sides[side]);
    }
    return fine;
}

static int count_trees(recount *c, const ct_row_set *set, unsigned depth, int64_t budget,
                       ct_cost_counts *counts)
{
    ct_near_told told;
    int64_t leaf = ct_certify_near_leaf(c->problem, set->mass, &told);
    int is_table = set->n == c->problem->n_rows;
    if (leaf <= budget && !ct_certify_cost_counts_add(counts, leaf, ct_residues_one()))
        return no_memory(c);
    if (!depth || budget < c->problem->split_cost) return 1;
    if (depth == 1)
        return ct_certify_near_stumps_count(&c->near, set, is_table, budget,
                                            counts) || no_memory(c);
    ct_arena_mark mark = ct_arena_here(c->problem->arena);
    int fine = count_splits(c, set, depth, budget, is_table, counts);
    ct_arena_release(c->problem->arena, mark);
    return fine;
}

/* ---- the claim ---- */

static void compare(const ct_certify_set_claim *claim, const ct_cost_counts *counts,
                    ct_certify_recount_result *result)
{
    size_t i = 0;
    while (i < counts->n && i < claim->n_counts && counts->of[i].cost == claim->counts[i].cost &&
           ct_residues_same(counts->of[i].n, claim->counts[i].n))
        i++;
    result->same = i == counts->n && i == claim->n_counts;
    result->differs = INT64_MAX;
    if (i < counts->n) result->differs = counts->of[i].cost;
    if (i < claim->n_counts) result->differs = smaller(result->differs, claim->counts[i].cost);
}

/* Whether the costs of trees that are within `within` of claim->best are within the budget: for
 * each number of splits the most units that a tree may have. What is not whole is rounded
 * downwards. */
static int covers(const recount *c, const ct_outcome *best)
{
    const ct_problem *p = c->problem;
    double unit = ldexp(p->unit, (int) p->shift), within = c->set->within;
    int64_t own = ct_certify_units_of_tree(p, best);
    int whole = unit == floor(unit) && p->penalty == floor(p->penalty) && within == floor(within) &&
                p->rounding == 0;
    double least = (double) own * unit + best->n_splits * p->penalty,
           off = whole ? 0 : p->rounding + 8 * DBL_EPSILON * (least + within);
    for (uint32_t splits = 0; splits <= p->most_splits; splits++) {
        double more = (within - off - ((double) splits - best->n_splits) * p->penalty) / unit;
        int64_t units = own + (int64_t) floor(fmin(more, 0x1p61));
        /* splits that cost too much alone have no tree */
        if (units < 0) break;
        if (units > (c->set->budget - splits * p->split_cost) >> p->shift) return 0;
    }
    return 1;
}

/* A lower bound, in the response itself, of trees that cost more than the budget on its grid. All
 * cost at most what a leaf does and their splits. */
static double bound_beyond(const recount *c, const ct_row_set *whole)
{
    const ct_problem *p = c->problem;
    ct_certify_result proven;
    memset(&proven, 0, sizeof proven);
    int64_t most = ct_certify_cost_as_leaf(p, whole->mass) + p->most_splits * p->split_cost;
    if (c->set->budget >= most) return INFINITY;
    ct_certify_grid_prove(p, c->set->budget + 1, NULL, &proven);
    return nextafter(proven.bound, -INFINITY);
}

static ct_status check(recount *c, ct_problem *problem, const ct_data *data, ct_arena *arena,
                       ct_error *error)
{
    ct_row_set whole;
    ct_cost_counts counts = {NULL, 0, 0};
    const ct_outcome *best = c->claim->best;
    CT_TRY(ct_certify_problem_init(problem, data, c->claim, arena, error));
    if (!data->response) c->result->covers = best && covers(c, best);
    c->status = ct_certify_stumps_init(&c->stumps, problem);
    if (c->status == CT_OK) c->status = ct_certify_near_stumps_init(&c->near, problem, c->set);
    if (c->status == CT_OK) c->status = ct_certify_row_set_whole(problem, &whole);
    if (c->status == CT_OK && data->response) c->result->bound = bound_beyond(c, &whole);
    if (c->status == CT_OK &&
        count_trees(c, &whole, c->claim->depth, c->set->budget, &counts)) {
        ct_certify_cost_counts_sort(&counts);
        compare(c->set, &counts, c->result);
    }
    ct_certify_near_stumps_free(&c->near);
    ct_certify_cost_counts_free(&counts);
    return c->status == CT_OK
               ? CT_OK
               : ct_fail(error, c->status, "not enough memory to count the trees again");
}

ct_status ct_certify_set(const ct_data *data, const ct_certify_claim *claim,
                         const ct_certify_set_claim *set, ct_certify_recount_result *result,
                         ct_error *error)
{
    CT_ASSERT(data->columns && set->groups && (set->counts || !set->n_counts));
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    ct_problem problem;
    ct_certify_claim in_one_word = *claim;
    in_one_word.one_word = 1; /* as sets are */
    recount c = {&problem, &in_one_word, set, result, {0}, {0}, CT_OK};
    memset(result, 0, sizeof *result);
    if (claim->depth > CT_CERTIFY_DEPTH || !(claim->complexity >= 0) ||
        !(claim->complexity <= 1e300))
        return ct_fail(error, CT_BAD_INPUT, "depth must be between 0 and %d, complexity at least 0",
                       CT_CERTIFY_DEPTH);
    ct_arena_init(&arena, &budget);
    ct_status status = check(&c, &problem, data, &arena, error);
    ct_arena_free(&arena);
    return status;
}
