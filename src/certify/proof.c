#include "base/compact.h"

#include "certify/proof.h"

#include <string.h>

#include "certify/stump.h"
#include "exact/cost/choices.h"

/* A threshold that was named. */
typedef struct place {
    struct place *next;
    uint32_t n_left;
    int64_t max_left; /* what the rows on its left cost at most */
    int64_t lower[2]; /* bounds of the sides, any leaf size */
    int64_t allowed;  /* ... of the allowed trees with this split */
} place;

typedef struct {
    const ct_problem *problem;
    const ct_certify_claim *claim;
    ct_bytes_reader *reader;
    ct_certify_result *result;
    ct_stumps stumps;
    int64_t *costs;    /* [9][n_classes] scratch */
    ct_status status;  /* CT_NO_MEMORY once memory ended */
} check;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Ends the check: the functions below tell whether it goes on. */
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

/* ---- class counts ---- */

/* The least that rows of these masses cost with `left` more labels, from `first` on; under[]: what
 * a mass of 1 of each class costs under the best label so far. Room for n_classes numbers a label
 * lies behind it. */
static int64_t least_with(const ct_problem *p, const int64_t *mass, uint32_t first, uint32_t left,
                          int64_t *under)
{
    uint32_t n = p->n_classes;
    int64_t least = INT64_MAX, sum = 0;
    for (uint32_t k = 0; left == 0 && k < n; k++) sum += mass[k] * under[k];
    if (left == 0) return sum;
    for (uint32_t label = first; label + left <= n; label++) {
        for (uint32_t k = 0; k < n; k++) under[n + k] = smaller(under[k], p->loss[k * n + label]);
        least = smaller(least, least_with(p, mass, label + 1, left - 1, under + n));
    }
    return least;
}

/* A tree of depth k has at most 2^k leaves, each with one label: the rows of all other classes are
 * wrong. */
static int64_t bound_by_classes(check *c, const int64_t *mass, unsigned depth)
{
    const ct_problem *p = c->problem;
    uint32_t n = p->n_classes;
    int64_t sum = 0;
    if (n >> depth == 0) return 0;
    if (!p->uniform && ct_exact_choices_sets(n, depth)) {
        memcpy(c->costs, p->max_cost, n * sizeof *c->costs);
        return least_with(p, mass, 0, UINT32_C(1) << depth, c->costs);
    }
    for (uint32_t k = 0; k < n; k++) {
        c->costs[k] = mass[k] * p->cheapest[k];
        sum += c->costs[k];
    }
    for (uint32_t leaf = 0; leaf < UINT32_C(1) << depth && leaf < n; leaf++) {
        uint32_t largest = 0;
        for (uint32_t k = 1; k < n; k++)
            if (c->costs[k] > c->costs[largest]) largest = k;
        CT_ASSERT(c->costs[largest] >= 0 && sum >= c->costs[largest]);
        sum -= c->costs[largest];
        c->costs[largest] = 0;
    }
    return sum;
}

/* ---- thresholds that are not named ---- */

static void bound_between(const place *a, const place *b, int64_t max_left, int64_t lower[2])
{
    CT_ASSERT(a->n_left <= b->n_left && a->max_left <= max_left && max_left <= b->max_left);
    lower[0] = larger(a->lower[0], b->lower[0] - (b->max_left - max_left));
    lower[1] = larger(b->lower[1], a->lower[1] - (max_left - a->max_left));
}

static int is_allowed(const ct_problem *p, uint32_t n, uint32_t n_left)
{
    return n >= p->min_split && n_left >= p->min_bucket && n - n_left >= p->min_bucket;
}

/* Lowers the bounds to those of all thresholds of a column, between the first and the last of the
 * places. */
static void bound_column(const ct_problem *p, const ct_row_set *set, uint32_t col, const place *a,
                         ct_least *least)
{
    int64_t max_left = 0, lower[2];
    for (uint32_t j = 0; j + 1 < set->n; j++) {
        uint32_t row = set->order[col][j] & CT_ROW;
        max_left += ct_most_of_row(p, row);
        if (!(set->order[col][j] & CT_LAST)) continue;
        CT_ASSERT(a->n_left <= j && a->next->n_left > j);
        int named = a->next->n_left == j + 1;
        if (named) a = a->next;
        bound_between(a, named ? a : a->next, max_left, lower);
        int64_t cost = p->split_cost + lower[0] + lower[1];
        least->relaxed = smaller(least->relaxed, cost);
        if (is_allowed(p, set->n, j + 1))
            least->allowed = smaller(least->allowed, named ? larger(cost, a->allowed) : cost);
    }
}

/* ---- thresholds that are named ---- */

/* The rows of a set whose rank is below t. */
static uint32_t rows_below(const ct_problem *p, const ct_row_set *set, uint32_t col, uint64_t t)
{
    uint32_t low = 0, high = set->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->rank[col][set->order[col][middle] & CT_ROW] < t) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int bound_set(check *c, const ct_row_set *set, unsigned depth, ct_least *least);

/* What the certificate says of one side, if it says anything. */
static int bound_side(check *c, const ct_row_set *set, uint32_t col, uint32_t n_left,
                      unsigned depth, int64_t *const mass[2], int side, ct_least *least)
{
    const ct_problem *p = c->problem;
    uint64_t searched = ct_bytes_get(c->reader);
    if (searched > 1 || c->reader->bad) return fail(c, CT_MALFORMED);
    if (!searched) return 1;
    ct_arena_mark mark = ct_arena_here(p->arena);
    ct_row_set part;
    /* the other side may have overwritten it */
    ct_certify_stumps_part(&c->stumps, set, col, n_left, mass);
    ct_status status = ct_certify_row_set_part(p, set, c->stumps.side, (uint8_t) side,
                                               side ? set->n - n_left : n_left, mass[side], &part);
    int fine = status == CT_OK ? bound_set(c, &part, depth, least) : no_memory(c);
    ct_arena_release(p->arena, mark);
    return fine;
}

/* Bounds the sides of a threshold; trees below it have the depth given. */
static int bound_place(check *c, const ct_row_set *set, unsigned depth, uint32_t col, int by_counts,
                       const place *a, place *m)
{
    const ct_problem *p = c->problem;
    uint32_t n[2] = {m->n_left, set->n - m->n_left};
    ct_arena_mark mark = ct_arena_here(p->arena);
    int64_t *masses = CT_ARENA_NEW(p->arena, int64_t, 2 * (size_t) p->n_sums);
    if (!masses) return no_memory(c);
    int64_t *const mass[2] = {masses, masses + p->n_sums};
    ct_least least[2] = {{0, 0}, {0, 0}};
    ct_certify_stumps_part(&c->stumps, set, col, m->n_left, mass);
    CT_ASSERT(m->n_left > 0 && m->n_left < set->n);
    m->max_left = ct_certify_cost_at_most(p, mass[0]);
    bound_between(a, a->next, m->max_left, m->lower);
    if (!by_counts && depth == 1) ct_certify_stumps_count(&c->stumps, set, mass, n, least);
    m->allowed = p->split_cost;
    for (int side = 0; side < 2; side++) {
        if (!by_counts && depth > 1 &&
            !bound_side(c, set, col, m->n_left, depth, mass, side, &least[side]))
            return 0;
        int64_t leaf = ct_certify_cost_as_leaf(p, mass[side]),
                known = larger(smaller(leaf, p->split_cost), least[side].relaxed);
        CT_ASSERT(known >= 0 && n[side] > 0);
        m->lower[side] = larger(m->lower[side],
                                larger(known, bound_by_classes(c, mass[side], depth)));
        m->allowed += n[side] < p->min_split ? leaf : larger(m->lower[side], least[side].allowed);
    }
    ct_arena_release(p->arena, mark);
    return 1;
}

/* Reads a threshold of the kind given, finds its place among those of its column and bounds it. */
static int read_place(check *c, const ct_row_set *set, unsigned depth, uint64_t kind,
                      place *columns)
{
    const ct_problem *p = c->problem;
    uint64_t t = ct_bytes_get(c->reader), col = kind / 2 - 1;
    if (kind < 2 || col >= p->n_cols || c->reader->bad) return fail(c, CT_MALFORMED);
    if (c->claim->stop && c->claim->stop(c->claim->stop_data)) return fail(c, CT_CHECK_STOPPED);
    uint32_t n_left = rows_below(p, set, (uint32_t) col, t);
    place *a = &columns[col];
    while (a->next->n_left < n_left) a = a->next;
    if (n_left == 0 || a->next->n_left == n_left)
        return fail(c, CT_MALFORMED); /* it parts nothing, or is there already */
    place *m = CT_ARENA_NEW(p->arena, place, 1);
    if (!m) return no_memory(c);
    m->n_left = n_left;
    c->result->thresholds++;
    if (!bound_place(c, set, depth - 1, (uint32_t) col, kind & 1, a, m)) return 0;
    m->next = a->next;
    CT_ASSERT(a->n_left < m->n_left && m->n_left < m->next->n_left);
    a->next = m;
    return 1;
}

/* ---- row sets ---- */

/* The least over all thresholds, once all that are named are read. */
static int bound_thresholds(check *c, const ct_row_set *set, unsigned depth, ct_least *least)
{
    const ct_problem *p = c->problem;
    place *columns = CT_ARENA_ZEROED(p->arena, place, p->n_cols),
          *end = CT_ARENA_ZEROED(p->arena, place, 1);
    if (!columns || !end) return no_memory(c);
    end->n_left = set->n;
    end->max_left = set->max_cost;
    for (uint32_t col = 0; col < p->n_cols; col++) columns[col].next = end;
    for (uint64_t kind; (kind = ct_bytes_get(c->reader)) != 0;)
        if (!read_place(c, set, depth, kind, columns)) return 0;
    if (c->reader->bad) return fail(c, CT_MALFORMED);
    for (uint32_t col = 0; col < p->n_cols; col++) bound_column(p, set, col, &columns[col], least);
    return 1;
}

/* All trees of a depth of at least 2, from the thresholds named next. */
static int bound_set(check *c, const ct_row_set *set, unsigned depth, ct_least *least)
{
    int64_t leaf = ct_certify_cost_as_leaf(c->problem, set->mass);
    ct_arena_mark mark = ct_arena_here(c->problem->arena);
    c->result->row_sets++;
    least->relaxed = least->allowed = leaf;
    int fine = bound_thresholds(c, set, depth, least);
    least->relaxed = larger(least->relaxed, bound_by_classes(c, set->mass, depth));
    CT_ASSERT(least->relaxed <= leaf);
    least->allowed = set->n < c->problem->min_split ? leaf : larger(least->allowed, least->relaxed);
    ct_arena_release(c->problem->arena, mark);
    return fine;
}

/* Depth one needs no thresholds to be named. */
static int bound_stump(check *c, const ct_row_set *set, ct_least *least)
{
    int64_t *none = CT_ARENA_ZEROED(c->problem->arena, int64_t, c->problem->n_sums);
    if (!none) return no_memory(c);
    int64_t *const mass[2] = {set->mass, none};
    const uint32_t n[2] = {set->n, 0};
    ct_least both[2];
    memset(c->stumps.side, 0, c->problem->n_rows);
    ct_certify_stumps_count(&c->stumps, set, mass, n, both);
    *least = both[0];
    return ct_bytes_get(c->reader) != 0 || c->reader->bad ? fail(c, CT_MALFORMED) : 1;
}

static int bound_whole(check *c, const ct_row_set *set, ct_least *least)
{
    if (c->claim->depth > 1) return bound_set(c, set, c->claim->depth, least);
    if (c->claim->depth == 1) return bound_stump(c, set, least);
    least->relaxed = least->allowed = ct_certify_cost_as_leaf(c->problem, set->mass);
    return ct_bytes_get(c->reader) != 0 || c->reader->bad ? fail(c, CT_MALFORMED) : 1;
}

ct_status ct_certify_prove_again(const ct_problem *p, const ct_certify_claim *claim,
                                 ct_bytes_reader *reader,
                                 ct_certify_result *result, int64_t *bound, ct_error *error)
{
    CT_ASSERT(p->n_sums > 0 && claim->depth <= CT_CERTIFY_DEPTH && reader->at <= reader->n);
    check c = {p, claim, reader, result, {0}, NULL, CT_OK};
    ct_row_set whole;
    ct_least least = {0, 0};
    c.costs = CT_ARENA_NEW(p->arena, int64_t,
                           (1 + (1 << CT_CHOICE_DEPTHS) / 2) * (size_t) p->n_classes);
    if (!c.costs || ct_certify_stumps_init(&c.stumps, p) != CT_OK ||
        ct_certify_row_set_whole(p, &whole) != CT_OK)
        no_memory(&c);
    else if (bound_whole(&c, &whole, &least) && reader->at != reader->n) fail(&c, CT_MALFORMED);
    *bound = least.allowed;
    return c.status == CT_OK
               ? CT_OK
               : ct_fail(error, c.status, "not enough memory to check a certificate");
}
