#include "base/optimised.h"

#include "certify/regret.h"

#include <string.h>

#include "certify/stump.h"

enum { CELL = 64 };

/* An evaluated cut of a column, in a list by its rows on the left. */
typedef struct place {
    struct place *next, *before;
    uint32_t n_left;
    int64_t lower[2]; /* of both sides, leaves of any size */
    int64_t allowed;  /* of the allowed trees with this root */
} place;

typedef struct {
    const ct_regrets *r;
    const ct_certify_policy *claim;
    ct_bytes_reader *reader;
    ct_certify_result *result;
    uint8_t *side;     /* [row] 0 left, 1 right of the cut that is looked at */
    int64_t *sums[2];  /* [n_actions] of a side, up to a row, */
    int64_t *whole[2]; /* [n_actions] and of all its rows */
    ct_status status;
} check;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int fail(check *c, ct_certify_verdict verdict)
{
    if (c->result->verdict == CT_CERTIFIED) c->result->verdict = verdict;
    return 0;
}

static int no_memory(check *c)
{
    c->status = CT_NO_MEMORY;
    return fail(c, CT_CHECK_STOPPED);
}

/* ---- one split ---- */

static void add_row(const ct_regrets *r, uint32_t row, int64_t *restrict sums)
{
    const int64_t *restrict cost = r->cost + (size_t) row * r->n_actions;
    for (uint32_t a = 0; a < r->n_actions; a++) sums[a] += cost[a];
}

static int64_t least_of(const int64_t *sums, uint32_t n)
{
    int64_t least = sums[0];
    for (uint32_t a = 1; a < n; a++) least = smaller(least, sums[a]);
    return least;
}

static int64_t least_rest(const int64_t *all, const int64_t *sums, uint32_t n)
{
    int64_t least = all[0] - sums[0];
    for (uint32_t a = 1; a < n; a++) least = smaller(least, all[a] - sums[a]);
    return least;
}

/* The leaves of both sides, and how many rows they have. */
static void count_leaves(const check *c, const ct_row_set *set, uint32_t n[2], ct_least least[2])
{
    const uint32_t k = c->r->n_actions;
    n[0] = n[1] = 0;
    for (int s = 0; s < 2; s++) memset(c->whole[s], 0, k * sizeof *c->whole[s]);
    for (uint32_t j = 0; j < set->n; j++) {
        const uint32_t row = set->order[0][j] & CT_ROW, s = c->side[row];
        add_row(c->r, row, c->whole[s]);
        n[s]++;
    }
    for (int s = 0; s < 2; s++)
        least[s].relaxed = least[s].allowed = n[s] ? least_of(c->whole[s], k) : 0;
}

/* The splits of one column of both sides. */
static void count_splits(const check *c, const uint32_t *order, uint32_t rows, const uint32_t n[2],
                         ct_least least[2])
{
    const ct_regrets *r = c->r;
    uint32_t before[2] = {0, 0}, changed = 0;
    for (int s = 0; s < 2; s++) memset(c->sums[s], 0, r->n_actions * sizeof *c->sums[s]);
    for (uint32_t j = 0; j < rows; j++) {
        const uint32_t row = order[j] & CT_ROW, own = c->side[row];
        add_row(r, row, c->sums[own]);
        before[own]++;
        changed |= UINT32_C(1) << own;
        if (!(order[j] & CT_LAST)) continue;
        for (uint32_t s = 0; s < 2; s++) {
            if (!(changed >> s & 1) || before[s] == n[s]) continue;
            const int64_t cost = r->price + least_of(c->sums[s], r->n_actions) +
                                 least_rest(c->whole[s], c->sums[s], r->n_actions);
            least[s].relaxed = smaller(least[s].relaxed, cost);
            if (before[s] >= r->min_bucket && n[s] - before[s] >= r->min_bucket)
                least[s].allowed = smaller(least[s].allowed, cost);
        }
        changed = 0;
    }
}

static void count_stumps(const check *c, const ct_row_set *set, ct_least least[2])
{
    uint32_t n[2];
    count_leaves(c, set, n, least);
    for (uint32_t col = 0; col < c->r->rows.n_cols; col++)
        count_splits(c, set->order[col], set->n, n, least);
}

/* ---- cells ---- */

/* What the rows of a cell cost by any two actions at least. */
static int64_t cost_of_pairs(const ct_regrets *r, const uint32_t *order)
{
    int64_t least = INT64_MAX;
    for (uint32_t a = 0; a < r->n_actions; a++)
        for (uint32_t b = a + 1; b < r->n_actions; b++) {
            int64_t sum = 0;
            for (uint32_t j = 0; j < CELL; j++) {
                const int64_t *cost = r->cost + (size_t) (order[j] & CT_ROW) * r->n_actions;
                sum += smaller(cost[a], cost[b]);
            }
            least = smaller(least, sum);
        }
    return least == INT64_MAX ? 0 : least;
}

/* Sums over all cells up to each; NULL without memory. */
static int64_t *add_cells(const check *c, const uint32_t *order, uint32_t n)
{
    int64_t *upto = CT_ARENA_ZEROED(c->r->rows.arena, int64_t, n / CELL + 1);
    for (uint32_t cell = 0; upto && cell < n / CELL; cell++)
        upto[cell + 1] = upto[cell] + cost_of_pairs(c->r, order + (size_t) cell * CELL);
    return upto;
}

/* The cells between two cuts that do not hold the cut p. */
static int64_t cells_beside(const int64_t *upto, uint32_t a, uint32_t b, uint32_t p)
{
    const uint32_t first = (a + CELL - 1) / CELL, last = b / CELL, own = p / CELL;
    if (first >= last) return 0;
    const int64_t all = upto[last] - upto[first];
    return own >= first && own < last ? all - (upto[own + 1] - upto[own]) : all;
}

/* ---- all cuts of a column ---- */

/* Costs of a side rise with its rows. */
static void spread(place *first)
{
    place *p = first;
    for (; p->next; p = p->next) p->next->lower[0] = larger(p->next->lower[0], p->lower[0]);
    for (; p != first; p = p->before)
        p->before->lower[1] = larger(p->before->lower[1], p->lower[1]);
}

/* Lowers the bounds to those of all cuts; `upto`: of cells, or NULL. */
static void bound_column(const check *c, const ct_row_set *set, uint32_t col, place *a,
                         const int64_t *upto, ct_least *least)
{
    const ct_regrets *r = c->r;
    spread(a);
    for (uint32_t p = 1; p < set->n; p++) {
        if (!(set->order[col][p - 1] & CT_LAST)) continue;
        while (a->next->n_left <= p && a->next->next) a = a->next;
        const int named = a->n_left == p;
        const place *b = named ? a : a->next;
        int64_t cost = r->price + a->lower[0] + b->lower[1];
        if (upto && !named) cost += cells_beside(upto, a->n_left, b->n_left, p);
        least->relaxed = smaller(least->relaxed, cost);
        if (p < r->min_bucket || set->n - p < r->min_bucket) continue;
        least->allowed = smaller(least->allowed, named ? larger(cost, a->allowed) : cost);
    }
}

/* ---- cuts that are named ---- */

static void part_at(check *c, const ct_row_set *set, uint32_t col, uint32_t n_left)
{
    for (uint32_t j = 0; j < set->n; j++) c->side[set->order[col][j] & CT_ROW] = j >= n_left;
}

static int is_cut(const ct_row_set *set, uint32_t col, uint64_t cut)
{
    return cut > 0 && cut < set->n && set->order[col][cut - 1] & CT_LAST;
}

static place *add_place(const check *c, place *before, uint32_t n_left)
{
    place *p = CT_ARENA_ZEROED(c->r->rows.arena, place, 1);
    if (!p) return NULL;
    p->n_left = n_left;
    p->next = before->next;
    p->before = before;
    p->next->before = p;
    before->next = p;
    return p;
}

static int stopped(check *c)
{
    c->result->thresholds++;
    return c->claim->stop && c->claim->stop(c->claim->stop_data) && !fail(c, CT_CHECK_STOPPED);
}

/* Reads the cuts of one column that a proof of two levels names. */
static int read_column(check *c, const ct_row_set *set, uint32_t col, ct_least *least)
{
    const ct_arena_mark mark = ct_arena_here(c->r->rows.arena);
    place first = {NULL, NULL, 0, {0, 0}, 0}, end = {NULL, &first, set->n, {0, 0}, 0},
          *last = &first;
    const int64_t *upto = add_cells(c, set->order[col], set->n);
    first.next = &end;
    if (!upto) return no_memory(c);
    for (uint64_t cut = 0, step; (step = ct_bytes_get(c->reader)) != 0;) {
        ct_least sides[2];
        cut += step;
        if (step > set->n || !is_cut(set, col, cut)) return fail(c, CT_MALFORMED);
        if (stopped(c)) return 0;
        if (!(last = add_place(c, last, (uint32_t) cut))) return no_memory(c);
        part_at(c, set, col, (uint32_t) cut);
        count_stumps(c, set, sides);
        last->lower[0] = sides[0].relaxed, last->lower[1] = sides[1].relaxed;
        last->allowed = c->r->price + sides[0].allowed + sides[1].allowed;
    }
    bound_column(c, set, col, &first, upto, least);
    ct_arena_release(c->r->rows.arena, mark);
    return !c->reader->bad || fail(c, CT_MALFORMED);
}

static int bound_set(check *c, const ct_row_set *set, unsigned depth, ct_least *least);

/* What the evidence says of both sides of a cut. */
static int read_sides(check *c, const ct_row_set *set, unsigned depth, uint32_t col,
                      uint32_t n_left, ct_least sides[2])
{
    for (int s = 0; s < 2; s++) {
        const ct_arena_mark mark = ct_arena_here(c->r->rows.arena);
        ct_row_set part;
        ct_least own;
        part_at(c, set, col, n_left);
        if (ct_certify_row_set_part(&c->r->rows, set, c->side, (uint8_t) s,
                                    s ? set->n - n_left : n_left, set->mass, &part) != CT_OK)
            return no_memory(c);
        if (!bound_set(c, &part, depth - 1, &own)) return 0;
        sides[s].relaxed = larger(sides[s].relaxed, own.relaxed);
        sides[s].allowed = larger(sides[s].allowed, own.allowed);
        ct_arena_release(c->r->rows.arena, mark);
    }
    return 1;
}

/* Reads a cut of a known column in a proof of more than two levels. */
static int read_place(check *c, const ct_row_set *set, unsigned depth, uint64_t col, place *columns)
{
    const uint64_t cut = ct_bytes_get(c->reader);
    if (col >= c->r->rows.n_cols || c->reader->bad || !is_cut(set, (uint32_t) col, cut))
        return fail(c, CT_MALFORMED);
    if (stopped(c)) return 0;
    place *before = &columns[col];
    while (before->next->n_left < cut) before = before->next;
    if (before->next->n_left == cut) return fail(c, CT_MALFORMED);
    ct_least sides[2] = {{0, 0}, {0, 0}};
    if (!read_sides(c, set, depth, (uint32_t) col, (uint32_t) cut, sides)) return 0;
    const uint64_t again = c->r->min_bucket > 1 ? ct_bytes_get(c->reader) : 0;
    if (again > 1) return fail(c, CT_MALFORMED);
    if (again && !read_sides(c, set, depth, (uint32_t) col, (uint32_t) cut, sides)) return 0;
    place *p = add_place(c, before, (uint32_t) cut);
    if (!p) return no_memory(c);
    p->lower[0] = sides[0].relaxed, p->lower[1] = sides[1].relaxed;
    p->allowed = c->r->price + sides[0].allowed + sides[1].allowed;
    return 1;
}

static int read_places(check *c, const ct_row_set *set, unsigned depth, ct_least *least)
{
    const uint32_t n_cols = c->r->rows.n_cols;
    place *columns = CT_ARENA_ZEROED(c->r->rows.arena, place, n_cols),
          *ends = CT_ARENA_ZEROED(c->r->rows.arena, place, n_cols);
    if (!columns || !ends) return no_memory(c);
    for (uint32_t col = 0; col < n_cols; col++) {
        columns[col].next = &ends[col];
        ends[col].before = &columns[col];
        ends[col].n_left = set->n;
    }
    for (uint64_t kind; (kind = ct_bytes_get(c->reader)) != 0;)
        if (!read_place(c, set, depth, kind - 1, columns)) return 0;
    for (uint32_t col = 0; col < n_cols; col++)
        bound_column(c, set, col, &columns[col], NULL, least);
    return !c->reader->bad || fail(c, CT_MALFORMED);
}

/* ---- row sets ---- */

/* Bounds trees of at least two levels on a row set. */
static int bound_set(check *c, const ct_row_set *set, unsigned depth, ct_least *least)
{
    const uint64_t looked_at = ct_bytes_get(c->reader);
    const ct_arena_mark mark = ct_arena_here(c->r->rows.arena);
    uint32_t n[2];
    ct_least both[2];
    int fine = 1;
    if (c->reader->bad || looked_at > 1) return fail(c, CT_MALFORMED);
    c->result->row_sets++;
    for (uint32_t j = 0; j < set->n; j++) c->side[set->order[0][j] & CT_ROW] = 0;
    count_leaves(c, set, n, both);
    *least = both[0];
    if (!looked_at) { /* any split costs at least its price */
        least->relaxed = smaller(least->relaxed, c->r->price);
        if (set->n / 2 >= c->r->min_bucket) least->allowed = least->relaxed;
        return 1;
    }
    for (uint32_t col = 0; depth == 2 && col < c->r->rows.n_cols && fine; col++)
        fine = read_column(c, set, col, least);
    if (depth > 2) fine = read_places(c, set, depth, least);
    ct_arena_release(c->r->rows.arena, mark);
    return fine;
}

static int bound_whole(check *c, const ct_row_set *set, ct_least *least)
{
    ct_least both[2];
    uint32_t n[2];
    if (c->claim->depth > 1) return bound_set(c, set, c->claim->depth, least);
    memset(c->side, 0, c->r->rows.n_rows);
    if (c->claim->depth == 1) count_stumps(c, set, both);
    else count_leaves(c, set, n, both);
    *least = both[0];
    return 1;
}

ct_status ct_certify_regrets_prove(const ct_regrets *r, const ct_certify_policy *claim,
                                   ct_bytes_reader *reader, ct_certify_result *result,
                                   int64_t *bound, ct_error *error)
{
    CT_ASSERT(r->cost && r->n_actions > 0 && r->min_bucket > 0 && r->price >= 1 &&
              reader->at <= reader->n);
    check c = {r, claim, reader, result, NULL, {NULL, NULL}, {NULL, NULL}, CT_OK};
    ct_row_set whole;
    ct_least least = {0, 0};
    int64_t *sums = CT_ARENA_NEW(r->rows.arena, int64_t, 4 * (size_t) r->n_actions);
    c.side = CT_ARENA_NEW(r->rows.arena, uint8_t, r->rows.n_rows);
    result->verdict = CT_CERTIFIED;
    if (sums && c.side && ct_certify_row_set_orders(&r->rows, &whole) == CT_OK) {
        for (int s = 0; s < 2; s++) {
            c.sums[s] = sums + (size_t) s * r->n_actions;
            c.whole[s] = sums + (size_t) (2 + s) * r->n_actions;
        }
        if (bound_whole(&c, &whole, &least) && reader->at != reader->n) fail(&c, CT_MALFORMED);
    } else {
        no_memory(&c);
    }
    *bound = least.allowed;
    return c.status == CT_OK
               ? CT_OK
               : ct_fail(error, c.status, "not enough memory to check a certificate");
}
