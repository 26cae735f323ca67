#include "policy/few.h"

#include <string.h>

#include "policy/conditions.h"
#include "policy/solve.h"

/* An evaluated cut. Of both sides, left first: costs that trees of at most s splits have at least;
 * they rise with the rows of a side, as those of any set of trees do. */
typedef struct few_cut {
    struct few_cut *next;
    uint32_t cut;
    int64_t *cost[2]; /* [most + 1] */
} few_cut;

/* What none costs, of which sums may be made. */
static const int64_t NO_TREE = INT64_MAX / 4;

typedef struct {
    ct_policy_worker *team;
    unsigned number;
    const ct_policy_rows *set;
    unsigned depth;
    uint32_t splits; /* of the tree, */
    uint32_t most;   /* and of a side */
    uint32_t column; /* of the root */
    uint32_t *place;
    ct_policy_best *best;
} few;

static uint32_t full_tree(unsigned depth) { return (UINT32_C(1) << depth) - 1; }
static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The splits that are left for the other side, as far as it can use them. */
static uint32_t others(const few *f, uint32_t s) { return smaller(f->splits - 1 - s, f->most); }

/* Cuts between two cost as much at least; both may be the same. */
static int64_t bound_of(const few *f, const few_cut *a, const few_cut *b)
{
    int64_t least = INT64_MAX;
    for (uint32_t s = 0; s <= f->most; s++) {
        const int64_t cost = a->cost[0][s] + b->cost[1][others(f, s)];
        if (cost < least) least = cost;
    }
    return least + f->set->costs->price;
}

static few_cut *new_cut(const few *f, uint32_t cut)
{
    ct_arena *arena = &f->team[f->number].arena;
    few_cut *c = CT_ARENA_ZEROED(arena, few_cut, 1);
    int64_t *costs = CT_ARENA_ZEROED(arena, int64_t, 2 * ((size_t) f->most + 1));
    if (!c || !costs) return NULL;
    c->cut = cut;
    c->cost[0] = costs, c->cost[1] = costs + f->most + 1;
    return c;
}

/* ---- a cut ---- */

/* One side with at most s splits, if it costs less than the cap. */
static ct_status solve_side(const few *f, const ct_policy_rows *side, uint32_t s, int64_t cap,
                            ct_policy_tree *tree, int64_t *low)
{
    ct_policy_best best;
    ct_policy_best_init(&best, cap);
    const ct_status status = ct_policy_solve_few(f->team, f->number, side, f->depth - 1, s, &best,
                                                 low);
    ct_lock_free(&best.lock);
    *tree = best.tree;
    if (tree->cost >= cap) tree->cost = NO_TREE;
    return status;
}

/* Solves both sides with each number of splits. */
static ct_status solve_sides(const few *f, few_cut *c, int64_t need, ct_policy_tree *trees[2])
{
    ct_policy_worker *worker = &f->team[f->number];
    for (int side = 0; side < 2; side++) {
        const ct_arena_mark mark = ct_arena_here(&worker->arena);
        ct_policy_rows rows;
        ct_status status = ct_policy_rows_part(&rows, f->set, f->place, side ? c->cut : 0,
                                               side ? f->set->n : c->cut, &worker->arena);
        for (uint32_t s = 0; s <= f->most && status == CT_OK; s++) {
            int64_t low = 0;
            const int64_t cap = need - f->set->costs->price - c->cost[1 - side][others(f, s)];
            status = solve_side(f, &rows, s, cap, &trees[side][s], &low);
            if (low > c->cost[side][s]) c->cost[side][s] = low;
        }
        ct_arena_release(&worker->arena, mark);
        CT_TRY(status);
    }
    return CT_OK;
}

static void offer(const few *f, const few_cut *c, ct_policy_tree *trees[2])
{
    const uint32_t *order = f->set->columns[f->column].order;
    const ct_policy_split root = {(int32_t) f->column, f->set->rows[order[c->cut - 1]],
                                  f->set->rows[order[c->cut]]};
    for (uint32_t s = 0; s <= f->most; s++) {
        const ct_policy_tree *left = &trees[0][s], *right = &trees[1][others(f, s)];
        const int64_t cost = left->cost + right->cost + f->set->costs->price;
        if (cost >= ct_policy_need(f->best, f->column, c->cut)) continue;
        const ct_policy_tree sides[2] = {*left, *right};
        ct_policy_offer(f->best, cost, root, c->cut, sides, f->depth - 1);
    }
}

/* First with leaves of any size, whose costs rise with the rows. */
static ct_status evaluate(const few *f, few_cut *a, uint32_t cut)
{
    ct_policy_worker *worker = &f->team[f->number];
    const ct_policy_search *search = worker->search;
    const int64_t need = ct_policy_need(f->best, f->column, cut);
    const size_t n = (size_t) f->most + 1;
    few_cut *c = new_cut(f, cut);
    const ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_policy_tree *room = CT_ARENA_NEW(&worker->arena, ct_policy_tree, 2 * n);
    if (!c || !room) return CT_NO_MEMORY;
    ct_policy_tree *trees[2] = {room, room + n};
    for (uint32_t s = 0; s < n; s++)
        c->cost[0][s] = a->cost[0][s], c->cost[1][s] = a->next->cost[1][s];
    if (search->relaxed) worker->search = search->relaxed;
    ct_status status = solve_sides(f, c, need, trees);
    worker->search = search;
    if (status == CT_OK && search->relaxed && bound_of(f, c, c) < need) {
        few_cut *sized = new_cut(f, cut);
        if (!sized) return CT_NO_MEMORY;
        memcpy(sized->cost[0], c->cost[0], 2 * n * sizeof *c->cost[0]);
        status = solve_sides(f, sized, need, trees);
    }
    if (status == CT_OK && bound_of(f, c, c) < need) offer(f, c, trees);
    ct_arena_release(&worker->arena, mark);
    if (status == CT_OK && !ct_policy_is_halted(worker)) c->next = a->next, a->next = c;
    return status;
}

/* ---- a column ---- */

/* The weakest gap with a cut that may be better; NULL: none. */
static few_cut *weakest_gap(const few *f, few_cut *first, uint32_t *cut, int64_t *bound)
{
    few_cut *found = NULL;
    *bound = INT64_MAX;
    for (few_cut *a = first; a->next; a = a->next) {
        const int64_t own = bound_of(f, a, a->next);
        if (own >= *bound || own >= ct_policy_need(f->best, f->column, a->cut + 1)) continue;
        const uint32_t middle =
            ct_policy_middle_cut(f->set, f->column, a->cut, a->next->cut,
                                 f->team[f->number].search->min_bucket);
        if (middle) *cut = middle, found = a, *bound = own;
    }
    return found;
}

/* Gaps whose cuts are all evaluated but for those of too few rows are done. */
static ct_status solve_column(const few *f, int64_t *bound)
{
    ct_policy_worker *worker = &f->team[f->number];
    few_cut *first = new_cut(f, 0), *end = new_cut(f, f->set->n);
    uint32_t cut = 0;
    if (!first || !end) return CT_NO_MEMORY;
    first->next = end;
    for (uint32_t i = 0; i < f->set->n; i++) f->place[f->set->columns[f->column].order[i]] = i;
    for (few_cut *a; (a = weakest_gap(f, first, &cut, bound)) != NULL;) {
        if (ct_policy_is_halted(worker)) return CT_OK;
        CT_TRY(evaluate(f, a, cut));
    }
    return CT_OK;
}

/* Sides need the order of this column; what they leave in the arena is given back. */
static ct_status solve_columns(few *f, int64_t *low)
{
    ct_policy_worker *worker = &f->team[f->number];
    const ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_status status = CT_OK;
    f->place = CT_ARENA_NEW(&worker->arena, uint32_t, f->set->n);
    if (!f->place) return CT_NO_MEMORY;
    for (f->column = 0; f->column < f->set->n_cols && status == CT_OK; f->column++) {
        int64_t bound = f->set->costs->price;
        if (!ct_policy_may_split(worker->search, f->set, f->column)) continue;
        status = solve_column(f, &bound);
        if (bound < *low) *low = bound;
    }
    ct_arena_release(&worker->arena, mark);
    return status;
}

ct_status ct_policy_solve_few(ct_policy_worker *team, unsigned number, const ct_policy_rows *set,
                              unsigned depth, uint32_t splits, ct_policy_best *best, int64_t *low)
{
    ct_policy_solve_begins(team[number].search, set, depth, best);
    if (depth > splits) depth = splits;
    if (splits >= full_tree(depth))
        return ct_policy_solve_rows(team, number, 1, set, depth, best, low);
    few f = {.team = team, .number = number, .set = set, .depth = depth, .splits = splits,
             .most = smaller(splits - 1, full_tree(depth - 1)), .best = best};
    const int64_t price = set->costs->price;
    int64_t fewer;
    /* also the leaf alone, and small sets */
    CT_TRY(ct_policy_solve_few(team, number, set, depth, splits - 1, best, &fewer));
    *low = best->tree.cost;
    if (set->n / 2 < team[number].search->min_bucket || best->tree.cost <= price) return CT_OK;
    *low = INT64_MAX;
    CT_TRY(solve_columns(&f, low));
    if (best->tree.cost < *low) *low = best->tree.cost;
    ct_policy_solve_ends(best, *low);
    return CT_OK;
}
