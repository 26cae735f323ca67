#include "policy/two.h"

#include <string.h>

#include "policy/conditions.h"

/* Rows of a cell, in the order of the root's column. */
enum { CELL = 64 };

/* Cuts of a column, first and last, between two that are evaluated, that may be better; and what
 * they cost at least. */
typedef struct {
    uint32_t first, last;
    int32_t bound;
} gap;

/* ---- bounds ---- */

static ct_status make_cells(ct_policy_worker *worker, const ct_policy_scratch *scratch,
                            const ct_policy_rows *set, ct_policy_root *root)
{
    const uint32_t n_cells = set->n / CELL, n_actions = set->costs->n_actions;
    root->cells = CT_ARENA_ZEROED(&worker->arena, int32_t, n_cells + 1);
    root->cells_upto = CT_ARENA_ZEROED(&worker->arena, int32_t, n_cells + 1);
    if (!root->cells || !root->cells_upto) return CT_NO_MEMORY;
    if (n_actions < 3 || !ct_policy_uses(worker, CT_POLICY_PAIRS)) return CT_OK;
    for (uint32_t c = 0; c < n_cells; c++) {
        const int32_t *costs = scratch->costs + (size_t) c * CELL * scratch->lanes;
        root->cells[c] = worker->search->kernel->pairs(costs, CELL, n_actions, scratch->lanes);
        root->cells_upto[c + 1] = root->cells_upto[c] + root->cells[c];
    }
    return CT_OK;
}

/* What the cells within some rows cost at least. */
static int32_t cells_within(const ct_policy_root *root, uint32_t begin, uint32_t end)
{
    const uint32_t first = (begin + CELL - 1) / CELL, last = end / CELL;
    return first < last ? root->cells_upto[last] - root->cells_upto[first] : 0;
}

static int32_t coarse_need(const ct_policy_worker *worker, ct_policy_best *best, uint32_t column,
                           uint32_t cut)
{
    const ct_policy_costs *costs = worker->search->costs;
    return ct_policy_coarse_cap(costs, ct_policy_need(best, column, cut) - costs->price);
}

/* Cuts within a cell are bounded by the cells beside it. */
static int find_gap(const ct_policy_root *root, uint32_t i, uint32_t min_bucket, uint32_t n,
                    int32_t need, gap *between)
{
    const ct_policy_cut *a = &root->cuts[i], *b = &root->cuts[i + 1];
    const int32_t ends = a->cost[0] + b->cost[1], all = cells_within(root, a->cut, b->cut);
    const uint32_t first = a->cut + 1 > min_bucket ? a->cut + 1 : min_bucket,
                   last = b->cut - 1 < n - min_bucket ? b->cut - 1 : n - min_bucket;
    *between = (gap){0, 0, INT32_MAX};
    for (uint32_t c = first / CELL; c <= last / CELL && first <= last; c++) {
        const int inside = c * CELL >= a->cut && (c + 1) * CELL <= b->cut;
        const int32_t bound = ends + all - (inside ? root->cells[c] : 0);
        if (bound >= need) continue;
        const uint32_t begin = c * CELL, end = begin + CELL - 1;
        if (!between->first) between->first = begin > first ? begin : first;
        between->last = end < last ? end : last;
        if (bound < between->bound) between->bound = bound;
    }
    return between->first > 0;
}

/* ---- which cuts ---- */

/* The cut nearest to `wanted` between two others at which the value changes; 0: none. */
static uint32_t legal_cut(const uint8_t *last, uint32_t from, uint32_t to, uint32_t wanted)
{
    for (uint32_t cut = wanted; cut <= to; cut++)
        if (last[cut - 1]) return cut;
    for (uint32_t cut = wanted - 1; cut >= from && cut; cut--)
        if (last[cut - 1]) return cut;
    return 0;
}

static int32_t cost_at(const ct_policy_root *root, uint32_t i, int32_t leaf)
{
    const ct_policy_cut *cut = &root->cuts[i];
    return i == 0 || i + 1 == root->n ? leaf : cut->cost[0] + cut->cost[1];
}

/* How many cuts would close a gap if the costs of both sides were linear in between. */
static uint32_t how_many(const ct_policy_root *root, uint32_t i, const gap *between, int32_t need,
                         int32_t leaf)
{
    const int64_t middle = ((int64_t) cost_at(root, i, leaf) + cost_at(root, i + 1, leaf)) / 2,
                  margin = middle - need, depth = middle - between->bound;
    if (margin <= 0 || depth <= margin) return margin <= 0 ? 3 : 1;
    const int64_t wanted = (depth + margin - 1) / margin - 1;
    return wanted < 1 ? 1 : wanted > 15 ? 15 : (uint32_t) wanted;
}

static ct_status add_trial(ct_policy_worker *worker, ct_policy_scratch *scratch,
                           const ct_policy_root *root, uint32_t i, uint32_t cut, int32_t need)
{
    const ct_policy_cut *a = &root->cuts[i], *b = &root->cuts[i + 1];
    ct_policy_trial *trial = &scratch->trials[scratch->n_trials];
    trial->by_child = CT_ARENA_NEW(&worker->arena, int32_t, 2 * (size_t) scratch->n_cols);
    if (!trial->by_child) return CT_NO_MEMORY;
    trial->cut = cut;
    trial->is_confirmed = 0;
    trial->floor[0] = a->cost[0] + cells_within(root, a->cut, cut);
    trial->floor[1] = b->cost[1] + cells_within(root, cut, b->cut);
    /* not by what is between: a cell that a cut divides does not count */
    trial->cap[0] = need - b->cost[1], trial->cap[1] = need - a->cost[0];
    trial->of_subset[0] = a->by_child, trial->of_subset[1] = b->by_child;
    scratch->n_trials++;
    return CT_OK;
}

static ct_status add_trials(ct_policy_worker *worker, ct_policy_scratch *scratch,
                            const ct_policy_rows *set, const ct_policy_root *root, uint32_t i,
                            const gap *between, uint32_t n, int32_t need)
{
    const uint8_t *last = set->columns[scratch->column].last;
    uint32_t before = between->first - 1;
    for (uint32_t k = 1; k <= n; k++) {
        if (before >= between->last || scratch->n_trials == CT_POLICY_WAVE) break;
        const uint64_t size = between->last - between->first + 1;
        const uint32_t wanted = between->first + (uint32_t) (size * k / (n + 1));
        if (wanted > between->last) break;
        const uint32_t cut = legal_cut(last, before + 1, between->last,
                                       wanted > before ? wanted : before + 1);
        if (!cut) break;
        CT_TRY(add_trial(worker, scratch, root, i, cut, need));
        before = cut;
    }
    return CT_OK;
}

/* The cuts of the next wave, none if no other cut may be better; `n_first` of
 * them, if that is not 0. */
static ct_status choose(ct_policy_worker *worker, ct_policy_scratch *scratch,
                        const ct_policy_rows *set, ct_policy_best *best, ct_policy_root *root,
                        uint32_t n_first)
{
    const uint32_t min_bucket = worker->search->min_bucket;
    const int32_t leaf = ct_policy_coarse_cap(set->costs, set->leaf);
    scratch->n_trials = 0;
    if (set->n < 2 * min_bucket) return CT_OK;
    for (uint32_t i = 0; i + 1 < root->n && scratch->n_trials < CT_POLICY_WAVE; i++) {
        const int32_t need = coarse_need(worker, best, scratch->column, root->cuts[i].cut + 1);
        gap between;
        if (!find_gap(root, i, min_bucket, set->n, need, &between)) continue;
        CT_TRY(add_trials(worker, scratch, set, root, i, &between,
                          n_first ? n_first : how_many(root, i, &between, need, leaf), need));
    }
    return CT_OK;
}

/* What trees with this root cost at least if no other cut is computed in exact costs; and, where
 * gaps may still have cuts, none evaluated. */
static void bound_root(ct_policy_worker *worker, const ct_policy_scratch *scratch,
                       const ct_policy_rows *set, ct_policy_best *best, ct_policy_root *root,
                       int with_gaps)
{
    const uint32_t min_bucket = worker->search->min_bucket;
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i + 1 < root->n && set->n >= 2 * min_bucket; i++) {
        const ct_policy_cut *cut = &root->cuts[i];
        const int32_t need = coarse_need(worker, best, scratch->column, cut->cut),
                      own = cut->cost[0] + cut->cost[1];
        gap between;
        if (!cut->is_confirmed && own < need && own < least) least = own;
        if (with_gaps && find_gap(root, i, min_bucket, set->n, need, &between) &&
            between.bound < least)
            least = between.bound;
    }
    root->bound = least == INT32_MAX
                      ? INT64_MAX
                      : ((int64_t) least << set->costs->shift) + set->costs->price;
}

/* ---- what a wave has shown ---- */

/* Costs of a side rise with its rows. */
static void spread_bounds(ct_policy_root *root)
{
    for (uint32_t i = 1; i < root->n; i++)
        if (root->cuts[i].cost[0] < root->cuts[i - 1].cost[0])
            root->cuts[i].cost[0] = root->cuts[i - 1].cost[0];
    for (uint32_t i = root->n - 1; i > 0; i--)
        if (root->cuts[i - 1].cost[1] < root->cuts[i].cost[1])
            root->cuts[i - 1].cost[1] = root->cuts[i].cost[1];
}

static ct_status make_room(ct_policy_root *root, uint32_t more, ct_arena *arena)
{
    if (root->n + more <= root->room) return CT_OK;
    root->room = 2 * (root->n + more);
    ct_policy_cut *cuts = CT_ARENA_NEW(arena, ct_policy_cut, root->room);
    if (!cuts) return CT_NO_MEMORY;
    if (root->n) memcpy(cuts, root->cuts, root->n * sizeof *cuts);
    root->cuts = cuts;
    return CT_OK;
}

static ct_status keep_trials(ct_policy_worker *worker, const ct_policy_scratch *scratch,
                             ct_policy_root *root)
{
    CT_TRY(make_room(root, scratch->n_trials, &worker->arena));
    uint32_t to = root->n + scratch->n_trials, from = root->n, t = scratch->n_trials;
    root->n = to;
    while (t) {
        const ct_policy_trial *trial = &scratch->trials[t - 1];
        if (root->cuts[from - 1].cut > trial->cut) {
            root->cuts[--to] = root->cuts[--from];
            continue;
        }
        ct_policy_cut *cut = &root->cuts[--to];
        *cut = (ct_policy_cut){trial->cut, {0, 0}, {trial->winner[0], trial->winner[1]},
                               trial->by_child, trial->is_confirmed};
        for (int s = 0; s < 2; s++)
            cut->cost[s] = trial->best[s] > trial->floor[s] ? trial->best[s] : trial->floor[s];
        t--;
    }
    spread_bounds(root);
    return CT_OK;
}

/* ---- in exact costs ---- */

/* The best tree of a side of a cut, if it is below `need`, by the columns that may be its root. */
static void confirm_side(const ct_policy_worker *worker, ct_policy_scratch *scratch,
                         const ct_policy_rows *set, const ct_policy_cut *cut, int s, int64_t need,
                         ct_policy_tree *tree)
{
    ct_policy_part part = {.set = set, .place = scratch->place, .cut = cut->cut, .left = !s,
                           .total = scratch->exact[0], .sums = scratch->exact[1]};
    const uint32_t min_bucket = worker->search->min_bucket;
    const int32_t winner = cut->winner[s], *by_child = cut->by_child + (size_t) s * set->n_cols;
    ct_policy_part_sum(&part);
    tree->cost = part.leaf;
    tree->splits[0].column = -1;
    if (winner >= 0) ct_policy_stump(&part, (uint32_t) winner, min_bucket, tree);
    const int64_t known = tree->cost < need ? tree->cost + 1 : need;
    const int32_t cap = ct_policy_coarse_cap(set->costs, known);
    for (uint32_t child = 0; child < set->n_cols; child++)
        if (by_child[child] < cap && (int32_t) child != winner)
            ct_policy_stump(&part, child, min_bucket, tree);
}

/* The side with more rows first: it loses more to rounding, which mostly rules the cut out. */
static void confirm(ct_policy_worker *worker, ct_policy_scratch *scratch, const ct_policy_rows *set,
                    const ct_policy_cut *cut, ct_policy_best *best)
{
    ct_policy_cut_is_sound(set, scratch->column, cut->cut);
    const int first = cut->cut < set->n - cut->cut;
    const int64_t need = ct_policy_need(best, scratch->column, cut->cut) - set->costs->price,
                  other = (int64_t) cut->cost[1 - first] << set->costs->shift;
    ct_policy_tree sides[2];
    worker->counts.confirmed++;
    confirm_side(worker, scratch, set, cut, first, need - other, &sides[first]);
    if (sides[first].cost + other >= need) return;
    confirm_side(worker, scratch, set, cut, 1 - first, need - sides[first].cost, &sides[1 - first]);
    const uint32_t *order = set->columns[scratch->column].order;
    const ct_policy_split root = {(int32_t) scratch->column, set->rows[order[cut->cut - 1]],
                                  set->rows[order[cut->cut]]};
    ct_policy_offer(best, sides[0].cost + sides[1].cost + set->costs->price, root, cut->cut,
                    sides, 1);
}

/* ---- a column ---- */

/* Of the cuts that may be better by more than `margin`, the one with the least coarse costs, once;
 * NULL: none. The others may then no longer be. */
static ct_policy_cut *most_promising(const ct_policy_worker *worker,
                                     const ct_policy_scratch *scratch, ct_policy_best *best,
                                     ct_policy_root *root, uint32_t margin)
{
    ct_policy_cut *found = NULL;
    for (uint32_t i = 0; i < root->n; i++) {
        ct_policy_cut *cut = &root->cuts[i];
        const int32_t cost = cut->cost[0] + cut->cost[1];
        if (cut->is_confirmed || (found && cost >= found->cost[0] + found->cost[1])) continue;
        if ((int64_t) cost + margin < coarse_need(worker, best, scratch->column, cut->cut))
            found = cut;
    }
    if (found) found->is_confirmed = 1;
    return found;
}

static ct_status run_wave(ct_policy_worker *worker, ct_policy_scratch *scratch,
                          const ct_policy_rows *set, ct_policy_best *best, ct_policy_root *root)
{
    if (!ct_policy_wave_run(worker, scratch, set, scratch->trials, scratch->n_trials)) return CT_OK;
    CT_TRY(keep_trials(worker, scratch, root));
    /* a row loses half a unit to rounding, trees of about the same cost much the same */
    const ct_policy_cut *cut;
    while ((cut = most_promising(worker, scratch, best, root, set->n / 4)) != NULL)
        confirm(worker, scratch, set, cut, best);
    return CT_OK;
}

static int32_t least_cost(const ct_policy_root *root)
{
    int32_t least = INT32_MAX;
    for (uint32_t i = 1; i + 1 < root->n; i++) {
        const int32_t cost = root->cuts[i].cost[0] + root->cuts[i].cost[1];
        if (cost < least) least = cost;
    }
    return least;
}

ct_status ct_policy_two_start(ct_policy_worker *worker, ct_policy_scratch *scratch,
                              const ct_policy_rows *set, uint32_t column, ct_policy_best *best,
                              ct_policy_root *root)
{
    const uint32_t n_first = set->n < 500 ? 3 : set->n < 5000 ? 7 : 15;
    memset(root, 0, sizeof *root);
    ct_policy_scratch_sort(scratch, set, column);
    CT_TRY(make_room(root, 2, &worker->arena));
    root->n = 2;
    root->cuts[0] = (ct_policy_cut){0, {0, 0}, {-1, -1}, NULL, 1};
    root->cuts[1] = (ct_policy_cut){set->n, {0, 0}, {-1, -1}, NULL, 1};
    CT_TRY(make_cells(worker, scratch, set, root));
    CT_TRY(choose(worker, scratch, set, best, root, n_first));
    if (scratch->n_trials) CT_TRY(run_wave(worker, scratch, set, best, root));
    root->least = least_cost(root);
    return CT_OK;
}

ct_status ct_policy_two_finish(ct_policy_worker *worker, ct_policy_scratch *scratch,
                               const ct_policy_rows *set, uint32_t column, ct_policy_best *best,
                               ct_policy_root *root)
{
    ct_status status = CT_OK;
    int is_open = 1;
    ct_policy_root_is_sound(set, column, root);
    scratch->column = column;
    while (status == CT_OK && !ct_policy_is_halted(worker)) {
        status = choose(worker, scratch, set, best, root, 0);
        if (status != CT_OK) break;
        is_open = scratch->n_trials > 0;
        if (!is_open) break;
        ct_policy_scratch_sort(scratch, set, column);
        status = run_wave(worker, scratch, set, best, root);
    }
    bound_root(worker, scratch, set, best, root, is_open);
    return status;
}

ct_status ct_policy_two_confirm(ct_policy_worker *worker, ct_policy_scratch *scratch,
                               const ct_policy_rows *set, uint32_t column, ct_policy_best *best,
                               ct_policy_root *root)
{
    ct_policy_root_is_sound(set, column, root);
    scratch->column = column;
    while (!ct_policy_is_halted(worker)) {
        const ct_policy_cut *cut = most_promising(worker, scratch, best, root, 0);
        if (!cut) {
            root->bound = INT64_MAX;
            return CT_OK;
        }
        ct_policy_scratch_sort(scratch, set, column);
        confirm(worker, scratch, set, cut, best);
    }
    return CT_OK;
}
