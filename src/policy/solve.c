#include "policy/solve.h"

#include <math.h>
#include <string.h>

#include "policy/conditions.h"
#include "policy/two.h"
#include "policy/two_valued.h"

/* Of is_promising(), for three actions and ten columns. */
#define NOISE 8

/* An evaluated cut of a tree of depth three or more. */
typedef struct {
    uint32_t cut;
    int64_t cost[2]; /* of both sides, at least; left first */
    int64_t between; /* what rows from here to the next cut add to that, on both sides of any cut;
                        -1: not looked for */
} deep_cut;

typedef struct {
    uint32_t n, room;
    deep_cut *cuts;  /* by cut; the first has no rows on the left, the last all */
    int64_t bound;   /* as of ct_policy_root */
    double noise;    /* see is_promising() */
} deep_root;

typedef enum { START, FINISH, CONFIRM } stage;

/* The columns of the root of one row set. */
typedef struct {
    ct_policy_worker *team;
    const ct_policy_rows *set;
    unsigned depth;
    ct_policy_best *best;
    stage now;
    uint32_t n;             /* columns that the root may be split on, */
    uint32_t *order;        /* [n] the most promising first */
    ct_policy_root *two;    /* [n_cols] at depth two, */
    deep_root *deep;        /* or above */
    ct_policy_scratch **scratches; /* [worker] NULL until it is needed */
    uint32_t **places;      /* [worker] NULL until they are needed */
    int64_t *bounds;        /* as of ct_policy_search, or NULL */
    int64_t failed;         /* atomic: a worker has no memory */
    int only_bounds;        /* a tree that costs less than the best is not looked for further */
} problem;

/* ---- depth one ---- */

static ct_status solve_one(ct_policy_worker *worker, const ct_policy_rows *set,
                           ct_policy_best *best)
{
    ct_policy_part part = {.set = set};
    part.total = CT_ARENA_NEW(&worker->arena, int64_t, 2 * (size_t) set->costs->n_actions);
    if (!part.total) return CT_NO_MEMORY;
    part.sums = part.total + set->costs->n_actions;
    ct_policy_part_sum(&part);
    for (uint32_t col = 0; col < set->n_cols && !ct_policy_is_halted(worker); col++)
        if (ct_policy_may_split(worker->search, set, col))
            ct_policy_stump(&part, col, worker->search->min_bucket, &best->tree);
    return CT_OK;
}

/* ---- depth three and more ---- */

static int64_t gap_bound(const deep_root *root, uint32_t i, int64_t price)
{
    const deep_cut *cut = &root->cuts[i];
    return cut->cost[0] + cut[1].cost[1] + price + (cut->between > 0 ? cut->between : 0);
}

/* The weakest gap that has a cut which may be better; 0: none. */
static uint32_t weakest_gap(ct_policy_worker *worker, const problem *p, uint32_t column,
                            const deep_root *root, uint32_t *gap)
{
    const int64_t price = p->set->costs->price;
    int64_t least = INT64_MAX;
    uint32_t found = 0;
    for (uint32_t i = 0; i + 1 < root->n; i++) {
        const int64_t bound = gap_bound(root, i, price);
        if (bound >= least || bound >= ct_policy_need(p->best, column, root->cuts[i].cut + 1))
            continue;
        const uint32_t cut =
            ct_policy_middle_cut(p->set, column, root->cuts[i].cut, root->cuts[i + 1].cut,
                                 worker->search->min_bucket);
        if (cut) found = cut, least = bound, *gap = i;
    }
    return found;
}

static ct_status keep_cut(deep_root *root, uint32_t gap, const deep_cut *cut, ct_arena *arena)
{
    if (root->n == root->room) {
        root->room = 2 * root->room + 6;
        deep_cut *cuts = CT_ARENA_NEW(arena, deep_cut, root->room);
        if (!cuts) return CT_NO_MEMORY;
        if (root->n) memcpy(cuts, root->cuts, root->n * sizeof *cuts);
        root->cuts = cuts;
    }
    memmove(root->cuts + gap + 2, root->cuts + gap + 1,
            (root->n - gap - 1) * sizeof *root->cuts);
    root->cuts[gap].between = -1;
    root->cuts[gap + 1] = *cut;
    root->n++;
    for (uint32_t i = gap + 2; i < root->n && root->cuts[i].cost[0] < cut->cost[0]; i++)
        root->cuts[i].cost[0] = cut->cost[0];
    for (uint32_t i = gap + 1; i-- > 0 && root->cuts[i].cost[1] < cut->cost[1];)
        root->cuts[i].cost[1] = cut->cost[1];
    return CT_OK;
}

/* A side of a cut; *found: its tree costs less than the cap. */
static ct_status solve_side(ct_policy_worker *worker, const problem *p, uint32_t cut, int left,
                            int64_t cap, ct_policy_tree *tree, int *found, int64_t *low)
{
    ct_policy_rows side;
    ct_policy_best best;
    const ct_arena_mark mark = ct_arena_here(&worker->arena);
    ct_status status = ct_policy_rows_part(&side, p->set, p->places[worker->number], left ? 0 : cut,
                                           left ? cut : p->set->n, &worker->arena);
    *low = 0, *found = 0;
    if (status == CT_OK) {
        ct_policy_best_init(&best, cap);
        status = ct_policy_solve_rows(p->team, worker->number, 1, &side, p->depth - 1, &best, low);
        ct_lock_free(&best.lock);
        *found = best.tree.cost < cap;
        *tree = best.tree;
    }
    ct_arena_release(&worker->arena, mark);
    return status;
}

static ct_status solve_sides(ct_policy_worker *worker, const problem *p, uint32_t at,
                             int64_t need, deep_cut *cut, ct_policy_tree sides[2], int found[2])
{
    const int64_t floor[2] = {cut->cost[0], cut->cost[1]};
    for (int s = 0; s < 2; s++) {
        int64_t low;
        CT_TRY(solve_side(worker, p, at, !s, need - p->set->costs->price - floor[1 - s], &sides[s],
                          &found[s], &low));
        if (low > cut->cost[s]) cut->cost[s] = low;
    }
    return CT_OK;
}

static void offer(const problem *p, uint32_t column, uint32_t at, const ct_policy_tree sides[2])
{
    const uint32_t *order = p->set->columns[column].order;
    const ct_policy_split split = {(int32_t) column, p->set->rows[order[at - 1]],
                                   p->set->rows[order[at]]};
    ct_policy_offer(p->best, sides[0].cost + sides[1].cost + p->set->costs->price, split, at, sides,
                    p->depth - 1);
}

/* What one side costs helps with cuts beyond the other, so both are computed; where leaves have a
 * least size, first without it. */
static ct_status evaluate(ct_policy_worker *worker, const problem *p, uint32_t column,
                          deep_root *root, uint32_t gap, uint32_t at)
{
    const ct_policy_search *search = worker->search;
    ct_bytes *evidence = search->evidence;
    const int64_t need = ct_policy_need(p->best, column, at);
    ct_policy_tree sides[2];
    deep_cut cut = {at, {root->cuts[gap].cost[0], root->cuts[gap + 1].cost[1]}, -1};
    int found[2];
    if (evidence) ct_bytes_put(evidence, column + UINT64_C(1)), ct_bytes_put(evidence, at);
    if (search->relaxed) worker->search = search->relaxed;
    ct_status status = solve_sides(worker, p, at, need, &cut, sides, found);
    worker->search = search;
    CT_TRY(status);
    const int again = search->relaxed && found[0] && found[1];
    if (evidence && search->relaxed) ct_bytes_put(evidence, (uint64_t) again);
    if (again) {
        deep_cut sized = cut;
        CT_TRY(solve_sides(worker, p, at, need, &sized, sides, found));
    }
    if (found[0] && found[1]) offer(p, column, at, sides);
    if (ct_policy_is_halted(worker)) return CT_OK;
    return keep_cut(root, gap, &cut, &worker->arena);
}

static ct_status invert_order(ct_policy_worker *worker, problem *p, uint32_t column)
{
    uint32_t **place = &p->places[worker->number];
    if (!*place) *place = CT_ARENA_NEW(&worker->arena, uint32_t, p->set->n);
    if (!*place) return CT_NO_MEMORY;
    for (uint32_t i = 0; i < p->set->n; i++) (*place)[p->set->columns[column].order[i]] = i;
    return CT_OK;
}

static ct_status start_deep(ct_policy_worker *worker, problem *p, uint32_t column)
{
    static const deep_cut none = {0, {0, 0}, -1};
    deep_root *root = &p->deep[column];
    deep_cut all = {p->set->n, {0, 0}, -1};
    *root = (deep_root){0, 6, CT_ARENA_NEW(&worker->arena, deep_cut, 6), 0, NOISE};
    if (!root->cuts) return CT_NO_MEMORY;
    root->cuts[root->n++] = none, root->cuts[root->n++] = all;
    uint32_t gap, cut = weakest_gap(worker, p, column, root, &gap);
    if (!cut || ct_policy_is_halted(worker)) return CT_OK;
    CT_TRY(invert_order(worker, p, column));
    return evaluate(worker, p, column, root, gap, cut);
}

/* ---- rows between two cuts ---- */

/* Any tree costs with all rows what it costs with some of them and with the others. So a cut
 * between two evaluated ones, a and b, costs as much as the left side of a, the right side of b,
 * and the best tree whose root is a cut of the rows between, less the prices of its splits, which
 * the two others have. */

static int64_t leaf_between(const ct_policy_rows *set, uint32_t column, uint32_t begin,
                            uint32_t end)
{
    const ct_policy_costs *costs = set->costs;
    const uint32_t *order = set->columns[column].order;
    int64_t sums[CT_POLICY_MOST_ACTIONS] = {0}, least = INT64_MAX;
    for (uint32_t i = begin; i < end; i++)
        for (size_t a = 0; a < costs->n_actions; a++)
            sums[a] += costs->exact[(size_t) set->rows[order[i]] * costs->n_actions + a];
    for (uint32_t a = 0; a < costs->n_actions; a++) least = sums[a] < least ? sums[a] : least;
    return least;
}

/* What the rows of a gap must cost for it to be of no more use. */
static int64_t cost_to_close(const problem *p, uint32_t column, const deep_root *root, uint32_t gap)
{
    return ct_policy_need(p->best, column, root->cuts[gap].cut + 1) -
           gap_bound(root, gap, p->set->costs->price);
}

/* Whether a gap is likely to be closed by what its rows cost, and this is less work than another
 * cut. The fewer rows, the closer trees fit them: of what m rows cost as a leaf they cost the share
 * of 1 - noise / sqrt(m). */
static int is_promising(const ct_policy_worker *worker, const problem *p, uint32_t column,
                        const deep_root *root, uint32_t gap)
{
    enum { LEAST_CUTS = 8 };
    const uint32_t begin = root->cuts[gap].cut, end = root->cuts[gap + 1].cut, m = end - begin;
    const double share = 1 - root->noise / sqrt(m);
    if (root->cuts[gap].between >= 0 || share <= 0 || m > p->set->n / LEAST_CUTS ||
        worker->search->evidence || !ct_policy_uses(worker, CT_POLICY_BETWEEN))
        return 0;
    return (double) cost_to_close(p, column, root, gap) <=
           share * (double) leaf_between(p->set, column, begin, end);
}

static ct_status finish_deep(ct_policy_worker *worker, problem *p, uint32_t column);

/* finish_deep() for the rows between two cuts, with leaves of any size, up to a cap; in *low,
 * what trees whose root splits on the column cost at least. */
static ct_status bound_between(ct_policy_worker *worker, const problem *p, uint32_t column,
                               const deep_cut *cut, int64_t cap, int64_t *low)
{
    ct_policy_rows set;
    ct_policy_best best;
    ct_arena *arena = &worker->arena;
    problem q = {.team = p->team, .set = &set, .depth = p->depth, .best = &best, .only_bounds = 1};
    q.deep = CT_ARENA_ZEROED(arena, deep_root, p->set->n_cols);
    q.places = CT_ARENA_ZEROED(arena, uint32_t *, worker->number + 1);
    if (!q.deep || !q.places) return CT_NO_MEMORY;
    CT_TRY(ct_policy_rows_part(&set, p->set, p->places[worker->number], cut->cut, cut[1].cut,
                               arena));
    ct_policy_best_init(&best, cap);
    ct_status status = start_deep(worker, &q, column);
    if (status == CT_OK) status = finish_deep(worker, &q, column);
    *low = q.deep[column].bound < best.tree.cost ? q.deep[column].bound : best.tree.cost;
    ct_lock_free(&best.lock);
    return status;
}

static ct_status solve_between(ct_policy_worker *worker, const problem *p, uint32_t column,
                               deep_root *root, uint32_t gap)
{
    const ct_policy_search *search = worker->search;
    const int64_t wanted = cost_to_close(p, column, root, gap),
                  prices = p->set->costs->price * ((INT64_C(1) << p->depth) - 1);
    const ct_arena_mark mark = ct_arena_here(&worker->arena);
    int64_t low = 0;
    worker->search = search->relaxed ? search->relaxed : search;
    const ct_status status =
        bound_between(worker, p, column, &root->cuts[gap], wanted + prices, &low);
    worker->search = search;
    ct_arena_release(&worker->arena, mark);
    root->cuts[gap].between = low > prices ? low - prices : 0;
    if (low < wanted + prices) root->noise *= 1.1;
    return status;
}

/* ---- a column of depth three and more ---- */

static ct_status finish_deep(ct_policy_worker *worker, problem *p, uint32_t column)
{
    deep_root *root = &p->deep[column];
    ct_status status = ct_policy_is_halted(worker) ? CT_OK : invert_order(worker, p, column);
    uint32_t gap = 0, cut = 0;
    while (status == CT_OK && (cut = weakest_gap(worker, p, column, root, &gap)) != 0) {
        if (p->bounds)
            ct_atomic_write(&p->bounds[column], gap_bound(root, gap, p->set->costs->price));
        if (ct_policy_is_halted(worker) || (p->only_bounds && p->best->tree.splits[0].column >= 0))
            break;
        status = is_promising(worker, p, column, root, gap)
                     ? solve_between(worker, p, column, root, gap)
                     : evaluate(worker, p, column, root, gap, cut);
    }
    root->bound = cut || status != CT_OK ? gap_bound(root, gap, p->set->costs->price) : INT64_MAX;
    if (p->bounds) ct_atomic_write(&p->bounds[column], root->bound);
    return status;
}

/* ---- all columns ---- */

static ct_status do_two(ct_policy_worker *worker, problem *p, uint32_t column)
{
    ct_policy_scratch **scratch = &p->scratches[worker->number];
    if (!*scratch) *scratch = ct_policy_scratch_new(p->set, &worker->arena);
    if (!*scratch) return CT_NO_MEMORY;
    ct_policy_root *root = &p->two[column];
    if (p->now == START)
        return ct_policy_two_start(worker, *scratch, p->set, column, p->best, root);
    const ct_status status =
        p->now == FINISH
            ? ct_policy_two_finish(worker, *scratch, p->set, column, p->best, root)
            : ct_policy_two_confirm(worker, *scratch, p->set, column, p->best, root);
    if (p->bounds) ct_atomic_write(&p->bounds[column], root->bound);
    return status;
}

static void do_columns(void *data, unsigned number, uint64_t begin, uint64_t end)
{
    problem *p = (problem *) data;
    ct_policy_worker *worker = &p->team[number];
    for (uint64_t i = begin; i < end && !ct_atomic_read(&p->failed); i++) {
        const uint32_t col = p->order[i];
        const ct_status status = p->depth == 2     ? do_two(worker, p, col)
                                 : p->now == START ? start_deep(worker, p, col)
                                                   : finish_deep(worker, p, col);
        if (status == CT_OK) continue;
        ct_atomic_write(&p->failed, 1);
        ct_halt_set(worker->search->halt);
    }
}

static void run_columns(problem *p, unsigned number, unsigned threads, stage now)
{
    p->now = now;
    if (threads < 2) {
        do_columns(p, number, 0, p->n);
        return;
    }
    const ct_loop loop = {p->n, 1, CT_DYNAMIC, threads, do_columns, p, NULL};
    ct_parallel_for(&loop);
}

static int make_problem(problem *p, ct_policy_worker *worker, unsigned n_workers)
{
    ct_arena *arena = &worker->arena;
    const size_t n_cols = p->set->n_cols;
    if (p->depth == 2) p->two = CT_ARENA_ZEROED(arena, ct_policy_root, n_cols);
    else p->deep = CT_ARENA_ZEROED(arena, deep_root, n_cols);
    p->scratches = CT_ARENA_ZEROED(arena, ct_policy_scratch *, n_workers);
    p->places = CT_ARENA_ZEROED(arena, uint32_t *, n_workers);
    p->order = CT_ARENA_NEW(arena, uint32_t, n_cols);
    if (!(p->two || p->deep) || !p->scratches || !p->places || !p->order) return 0;
    for (uint32_t col = 0; col < n_cols; col++)
        if (ct_policy_may_split(worker->search, p->set, col)) p->order[p->n++] = col;
    return 1;
}

/* Columns with good cuts first, as what they find makes short work of the others. */
static void order_columns(problem *p)
{
    for (uint32_t i = 1; i < p->n; i++) {
        const uint32_t col = p->order[i];
        uint32_t to = i;
        for (; to > 0 && p->two[p->order[to - 1]].least > p->two[col].least; to--)
            p->order[to] = p->order[to - 1];
        p->order[to] = col;
    }
}

/* Columns of which nothing is known after a halt may have any tree. */
static int64_t least_bound(const problem *p, int64_t low)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t col = p->order[i];
        const int64_t bound = p->depth == 2 ? p->two[col].bound : p->deep[col].bound;
        const int started = p->depth == 2 ? p->two[col].n > 0 : p->deep[col].n > 0;
        if (!started) return p->set->costs->price < low ? p->set->costs->price : low;
        if (bound < low) low = bound;
    }
    return low;
}

/* Writes which thresholds of each column were evaluated at depth two, as steps from one to the
 * next. */
static void write_cuts(const problem *p, ct_bytes *evidence)
{
    for (uint32_t col = 0; col < p->set->n_cols; col++) {
        const ct_policy_root *root = &p->two[col];
        for (uint32_t i = 1; i + 1 < root->n; i++)
            ct_bytes_put(evidence, root->cuts[i].cut - root->cuts[i - 1].cut);
        ct_bytes_put(evidence, 0);
    }
}

static ct_status solve_many(ct_policy_worker *team, unsigned number, unsigned threads,
                            const ct_policy_rows *set, unsigned depth, ct_policy_best *best,
                            int64_t *low)
{
    const ct_policy_search *search = team[number].search;
    const int is_top = set == search->whole && depth == search->depth;
    problem p = {.team = team,
                 .set = set,
                 .depth = depth,
                 .best = best,
                 .now = START,
                 .bounds = is_top ? search->bounds : NULL};
    const unsigned n_workers = threads > number ? threads : number + 1;
    if (!make_problem(&p, &team[number], n_workers)) return CT_NO_MEMORY;
    if (depth == 2) team[number].counts.problems++;
    run_columns(&p, number, threads, START);
    if (depth == 2) order_columns(&p);
    run_columns(&p, number, threads, FINISH);
    if (depth == 2) run_columns(&p, number, threads, CONFIRM);
    if (search->evidence && depth == 2) write_cuts(&p, search->evidence);
    else if (search->evidence) ct_bytes_put(search->evidence, 0);
    *low = least_bound(&p, best->tree.cost);
    return ct_atomic_read(&p.failed) ? CT_NO_MEMORY : CT_OK;
}

/* Whether a tree of `depth` levels, which has as many splits, may be as good as the best; all
 * others are searched by then. */
static int can_afford(const ct_policy_worker *worker, unsigned depth, const ct_policy_best *best,
                      int64_t price)
{
    return !ct_policy_uses(worker, CT_POLICY_PRICE) || best->tree.cost / price >= (int64_t) depth;
}

/* Knowing the best tree of fewer levels. A side that costs as much with as many splits may have
 * more levels, and come first: so a tree that is no better is looked for as well. */
static ct_status solve_deeper(ct_policy_worker *team, unsigned number, unsigned threads,
                              const ct_policy_rows *set, unsigned depth, ct_policy_best *best,
                              int64_t *low)
{
    const ct_policy_tree known = best->tree;
    const uint32_t cut = best->cut;
    if (known.splits[0].column >= 0) best->tree.cost++;
    const ct_status status = solve_many(team, number, threads, set, depth, best, low);
    if (best->tree.cost > known.cost) best->tree = known, best->cut = cut; /* it was halted */
    return status;
}

/* With splits: of depth one, or the trees of fewer levels first, or all. A proof knows the best
 * tree, and goes without. */
static ct_status solve_splits(ct_policy_worker *team, unsigned number, unsigned threads,
                              const ct_policy_rows *set, unsigned depth, ct_policy_best *best,
                              int64_t *low)
{
    ct_policy_worker *worker = &team[number];
    if (depth == 1) {
        CT_TRY(solve_one(worker, set, best));
        if (!ct_policy_is_halted(worker)) *low = best->tree.cost;
        return CT_OK;
    }
    const int added_up = depth == 3 && ct_policy_two_valued(worker, set);
    if (depth > 2 && !worker->search->evidence && !(added_up && ct_policy_two_valued_quick(set))) {
        int64_t shallow;
        CT_TRY(ct_policy_solve_rows(team, number, threads, set, depth - 1, best, &shallow));
        if (!can_afford(worker, depth, best, set->costs->price)) {
            *low = shallow;
            return CT_OK;
        }
    }
    if (added_up) return ct_policy_two_valued_solve(team, number, threads, set, best, low);
    return (depth > 3 ? solve_deeper : solve_many)(team, number, threads, set, depth, best, low);
}

ct_status ct_policy_solve_rows(ct_policy_worker *team, unsigned number, unsigned threads,
                               const ct_policy_rows *set, unsigned depth, ct_policy_best *best,
                               int64_t *low)
{
    const ct_policy_search *search = team[number].search;
    const int64_t price = set->costs->price;
    ct_policy_solve_begins(search, set, depth, best);
    if (set->leaf < best->tree.cost) {
        best->tree.cost = set->leaf;
        best->tree.splits[0].column = -1;
    }
    *low = best->tree.cost;
    const int is_leaf = !depth || set->n / 2 < search->min_bucket || best->tree.cost <= price;
    if (search->evidence && depth > 1) ct_bytes_put(search->evidence, (uint64_t) !is_leaf);
    if (is_leaf) return CT_OK;
    *low = price; /* of any split, if no more comes to be known */
    const ct_status status = solve_splits(team, number, threads, set, depth, best, low);
    if (status == CT_OK) ct_policy_solve_ends(best, *low);
    return status;
}
