#include "base/optimised.h"

#include "policy/two_valued.h"

#include <string.h>

#include "base/bits.h"
#include "policy/conditions.h"

/* The cost of leaves that are too small: above all costs that matter, and two of it add up. */
static const int64_t NO_LEAF = INT64_MAX / 4;

enum { MOST_COLUMNS = 1024, LANES = 4, MOST_SUMS = 1 << 17 };

/* More additions than this take above some tenths of a second. */
static const double QUICK = 3e8;

/* What a thread adds up. A row set counts rows in the lane behind the actions. */
typedef struct {
    int64_t *sums[4]; /* by codes of three groups; with the first of them folded, with two, three */
    int64_t *stumps;  /* [x][y][4] least cost of quadrants of columns x < y in two leaves, */
    int64_t *leaves;  /* [x][y][4] and in one; x = y: of both sides of x, in 0 and 3 */
} adding;

typedef struct {
    ct_policy_worker *team;
    const ct_policy_rows *set;
    uint32_t n, n_groups, n_actions, lanes;
    unsigned width;     /* columns of a group */
    uint32_t min_bucket;
    uint32_t *list;     /* [row] scratch */
    uint32_t *columns;  /* [n] those with two values, */
    uint32_t *cuts;     /* [n] and how many rows have the lower one */
    uint8_t *codes;     /* [group][row] bit i: the row has the higher value of column i */
    int64_t *costs;     /* [row][lanes] */
    adding **parts;     /* [worker] NULL until it is needed */
    const adding *all;  /* of all workers */
    int64_t failed;     /* atomic: a worker has no memory */
} adder;

/* ---- the columns ---- */

/* The rows before the only change of value; 0: there is none, n: there are several. */
static uint32_t only_cut(const ct_policy_rows *set, uint32_t column)
{
    const uint8_t *last = set->columns[column].last;
    const uint8_t *first = (const uint8_t *) memchr(last, 1, set->n - 1);
    if (!first) return 0;
    const uint32_t cut = (uint32_t) (first - last) + 1;
    return cut < set->n - 1 && memchr(last + cut, 1, set->n - 1 - cut) ? set->n : cut;
}

int ct_policy_two_valued(const ct_policy_worker *worker, const ct_policy_rows *set)
{
    if (!ct_policy_uses(worker, CT_POLICY_TWO_VALUED) || worker->search->evidence ||
        set->n_cols > MOST_COLUMNS)
        return 0;
    for (uint32_t col = 0; col < set->n_cols; col++)
        if (only_cut(set, col) == set->n) return 0;
    return 1;
}

static uint32_t lanes_of(const ct_policy_rows *set)
{
    return (set->costs->n_actions + LANES) / LANES * LANES;
}

/* The larger groups are, the fewer there are, and the more codes. */
static unsigned width_of(const ct_policy_rows *set)
{
    unsigned width = set->n < 4000 ? 3 : 4;
    while (width > 1 && ((size_t) lanes_of(set) << 3 * width) > MOST_SUMS) width--;
    return width;
}

static uint32_t groups_of(uint32_t n, unsigned width) { return (n + width - 1) / width; }

int ct_policy_two_valued_quick(const ct_policy_rows *set)
{
    const unsigned width = width_of(set);
    const double n = groups_of(set->n_cols, width), rows = set->n + (double) (1U << 3 * width);
    return n * n * n / 6 * rows * lanes_of(set) < QUICK;
}

static ct_status adder_new(adder *x, const ct_policy_rows *set, ct_arena *arena, unsigned n_workers)
{
    x->set = set;
    x->n_actions = set->costs->n_actions;
    x->lanes = lanes_of(set);
    x->width = width_of(set);
    x->list = CT_ARENA_NEW(arena, uint32_t, set->n);
    x->columns = CT_ARENA_NEW(arena, uint32_t, 2 * (size_t) set->n_cols);
    x->codes = CT_ARENA_ZEROED(arena, uint8_t,
                               (size_t) groups_of(set->n_cols, x->width) * set->n);
    x->costs = CT_ARENA_ZEROED(arena, int64_t, (size_t) set->n * x->lanes);
    x->parts = CT_ARENA_ZEROED(arena, adding *, n_workers);
    if (!x->list || !x->columns || !x->codes || !x->costs || !x->parts) return CT_NO_MEMORY;
    x->cuts = x->columns + set->n_cols;
    for (uint32_t col = 0; col < set->n_cols; col++) {
        const uint32_t cut = only_cut(set, col);
        uint8_t *codes = x->codes + (size_t) (x->n / x->width) * set->n;
        if (!cut) continue;
        for (uint32_t i = cut; i < set->n; i++)
            codes[set->columns[col].order[i]] |= (uint8_t) (1U << x->n % x->width);
        x->columns[x->n] = col;
        x->cuts[x->n++] = cut;
    }
    x->n_groups = groups_of(x->n, x->width);
    for (uint32_t row = 0; row < set->n; row++) {
        int64_t *costs = x->costs + (size_t) row * x->lanes;
        memcpy(costs, set->costs->exact + (size_t) set->rows[row] * x->n_actions,
               x->n_actions * sizeof *costs);
        costs[x->n_actions] = 1;
    }
    return CT_OK;
}

/* How many sums there are once `folded` of the three groups are folded. */
static size_t sums_room(const adder *x, unsigned folded)
{
    size_t n = x->lanes;
    for (unsigned i = 0; i < 3; i++) n *= i < folded ? 1 + x->width : (size_t) 1 << x->width;
    return n;
}

static adding *adding_new(const adder *x, ct_arena *arena)
{
    adding *a = CT_ARENA_NEW(arena, adding, 1);
    const size_t n = 4 * (size_t) x->n * x->n;
    if (!a) return NULL;
    for (unsigned i = 0; i < 4; i++) {
        a->sums[i] = CT_ARENA_NEW(arena, int64_t, sums_room(x, i));
        if (!a->sums[i]) return NULL;
    }
    a->stumps = CT_ARENA_NEW(arena, int64_t, 2 * n);
    if (!a->stumps) return NULL;
    a->leaves = a->stumps + n;
    for (size_t i = 0; i < 2 * n; i++) a->stumps[i] = NO_LEAF;
    return a;
}

/* ---- adding up ---- */

CT_HOT void add(int64_t *restrict to, const int64_t *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

/* Adds up sums by the code of a group, `run` numbers each: to[0] all of them, to[1 + i] those of
 * column i. Makes use of the memory of `from`. */
static void fold(int64_t *restrict from, unsigned width, size_t run, int64_t *restrict to)
{
    for (unsigned i = width; i-- > 0;) {
        const size_t half = run << i;
        int64_t *in = to + (1 + i) * run;
        memcpy(in, from + half, run * sizeof *in);
        for (size_t at = run; at < half; at += run) add(in, from + half + at, run);
        add(from, from + half, half);
    }
    memcpy(to, from, run * sizeof *to);
}

CT_HOT void add_rows(const adder *x, const uint32_t groups[3], int64_t *sums, size_t lanes)
{
    const uint32_t n = x->set->n;
    const uint8_t *a = x->codes + (size_t) groups[0] * n, *b = x->codes + (size_t) groups[1] * n,
                  *c = x->codes + (size_t) groups[2] * n;
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t code = (((uint32_t) a[row] << x->width | b[row]) << x->width) | c[row];
        add(sums + code * lanes, x->costs + row * lanes, lanes);
    }
}

/* Sums over all rows, those of one column of a group, of two and of three:
 * a->sums[3][of the first][of the second][of the third]. */
static void add_groups(const adder *x, const uint32_t groups[3], const adding *a)
{
    memset(a->sums[0], 0, sums_room(x, 0) * sizeof *a->sums[0]);
    if (x->lanes == LANES) add_rows(x, groups, a->sums[0], LANES);
    else if (x->lanes == 2 * LANES) add_rows(x, groups, a->sums[0], 2 * LANES);
    else add_rows(x, groups, a->sums[0], x->lanes);
    for (unsigned folded = 0, n = 1; folded < 3; folded++, n *= 1 + x->width) {
        const size_t run = (size_t) x->lanes << (2 - folded) * x->width;
        for (unsigned i = 0; i < n; i++)
            fold(a->sums[folded] + (size_t) i * (run << x->width), x->width, run,
                 a->sums[folded + 1] + (size_t) i * (1 + x->width) * run);
    }
}

CT_HOT int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

CT_HOT void lower(int64_t *to, int64_t cost) { *to = smaller(*to, cost); }

/* What the eight sets of rows cost as leaves: octant 4 a + 2 b + c. */
static void cost_octants(const adder *x, const int64_t *const s[8], int64_t octants[8])
{
    int64_t in[8];
    const int64_t least = x->min_bucket;
    for (int o = 0; o < 8; o++) octants[o] = NO_LEAF;
    for (uint32_t lane = 0; lane <= x->n_actions; lane++) {
        in[7] = s[7][lane];
        in[6] = s[6][lane] - in[7];
        in[5] = s[5][lane] - in[7];
        in[3] = s[3][lane] - in[7];
        in[4] = s[4][lane] - s[6][lane] - in[5];
        in[2] = s[2][lane] - s[6][lane] - in[3];
        in[1] = s[1][lane] - s[5][lane] - in[3];
        in[0] = s[0][lane] - s[4][lane] - in[2] - in[1] - in[3];
        if (lane < x->n_actions)
            for (int o = 0; o < 8; o++) lower(&octants[o], in[o]);
        else
            for (int o = 0; o < 8; o++) octants[o] = in[o] < least ? NO_LEAF : octants[o];
    }
}

static int64_t *quadrants_of(const adder *x, int64_t *table, uint32_t i, uint32_t j)
{
    return table + 4 * ((size_t) i * x->n + j);
}

/* Takes in columns i <= j <= k; equal ones are one, which has no more than it. */
static void take_triple(const adder *x, const adding *a, const uint32_t columns[3],
                        const int64_t *const sums[8])
{
    const uint32_t i = columns[0], j = columns[1], k = columns[2];
    int64_t o[8], *ij = quadrants_of(x, a->stumps, i, j), *ik = quadrants_of(x, a->stumps, i, k),
                  *jk = quadrants_of(x, a->stumps, j, k);
    cost_octants(x, sums, o);
    if (j == k) { /* the octants with values apart are empty */
        int64_t *leaves = quadrants_of(x, a->leaves, i, j);
        for (int q = 0; q < 4; q++) leaves[q] = o[q / 2 * 4 + q % 2 * 3];
        return;
    }
    for (int q = 0; q < 4; q++) {
        const int high = q / 2, low = q % 2;
        lower(&ij[q], o[2 * q] + o[2 * q + 1]);
        lower(&ik[q], o[4 * high + low] + o[4 * high + 2 + low]);
        lower(&jk[q], o[q] + o[4 + q]);
    }
}

/* All i < j < k of three groups, and i <= j = k. */
static void take_groups(const adder *x, const adding *a, const uint32_t groups[3])
{
    const uint32_t w = x->width, side = 1 + w;
    for (uint32_t t = 0; t < w * w * w; t++) {
        const uint32_t in[3] = {1 + t / (w * w), 1 + t / w % w, 1 + t % w};
        uint32_t columns[3];
        const int64_t *sums[8];
        for (int g = 0; g < 3; g++) columns[g] = groups[g] * w + in[g] - 1;
        if (columns[2] >= x->n || columns[0] > columns[1] || columns[1] > columns[2] ||
            (columns[0] == columns[1] && columns[1] < columns[2]))
            continue;
        for (uint32_t s = 0; s < 8; s++)
            sums[s] = a->sums[3] + (((s / 4 ? in[0] : 0) * side + (s / 2 % 2 ? in[1] : 0)) * side +
                                    (s % 2 ? in[2] : 0)) * x->lanes;
        take_triple(x, a, columns, sums);
    }
}

static void do_groups(void *data, unsigned number, uint64_t begin, uint64_t end)
{
    adder *x = (adder *) data;
    ct_policy_worker *worker = &x->team[number];
    if (!x->parts[number]) x->parts[number] = adding_new(x, &worker->arena);
    if (!x->parts[number]) {
        ct_atomic_write(&x->failed, 1);
        ct_halt_set(worker->search->halt);
        return;
    }
    for (uint64_t i = begin; i < end; i++) {
        CT_ASSERT(x->n_groups > 0);
        uint32_t groups[3] = {(uint32_t) (i / x->n_groups), (uint32_t) (i % x->n_groups), 0};
        if (groups[0] > groups[1]) continue;
        for (groups[2] = groups[1]; groups[2] < x->n_groups; groups[2]++) {
            if (ct_policy_is_halted(worker)) return;
            add_groups(x, groups, x->parts[number]);
            take_groups(x, x->parts[number], groups);
        }
    }
}

/* The least of all workers. */
static void merge(adder *x, unsigned n_workers)
{
    adding *all = NULL;
    for (unsigned i = 0; i < n_workers; i++) {
        const adding *part = x->parts[i];
        if (all && part)
            for (size_t at = 0; at < 8 * (size_t) x->n * x->n; at++)
                lower(&all->stumps[at], part->stumps[at]);
        else if (part) all = x->parts[i];
    }
    x->all = all;
}

/* ---- the tree ---- */

/* The least cost of a quadrant with at most one split; *leaf: with none. */
static int64_t cost_quadrant(const adder *x, uint32_t i, uint32_t j, int a, int b, int64_t *leaf)
{
    const int q = i < j ? 2 * a + b : 2 * b + a;
    const size_t at = 4 * ((size_t) (i < j ? i : j) * x->n + (i < j ? j : i)) + (size_t) q;
    *leaf = x->all->leaves[at];
    return smaller(*leaf, x->set->costs->price + x->all->stumps[at]);
}

/* The least cost of a side of column i, and the first column that it is split on; -1: none. */
static int64_t cost_side(const adder *x, uint32_t i, int side, int32_t *second)
{
    int64_t leaf, least = x->all->leaves[4 * ((size_t) i * x->n + i) + 3 * (size_t) side];
    *second = -1;
    for (uint32_t j = 0; j < x->n; j++) {
        const int64_t cost = i == j ? NO_LEAF
                                    : x->set->costs->price +
                                          cost_quadrant(x, i, j, side, 0, &leaf) +
                                          cost_quadrant(x, i, j, side, 1, &leaf);
        if (cost < least) least = cost, *second = (int32_t) j;
    }
    return least;
}

static ct_policy_split split_on(const adder *x, uint32_t i)
{
    const uint32_t *order = x->set->columns[x->columns[i]].order;
    return (ct_policy_split){(int32_t) x->columns[i], x->set->rows[order[x->cuts[i] - 1]],
                             x->set->rows[order[x->cuts[i]]]};
}

static int value_of(const adder *x, uint32_t row, uint32_t i)
{
    return x->codes[(size_t) (i / x->width) * x->set->n + row] >> i % x->width & 1;
}

/* What some rows cost in the two leaves of column k. */
static int64_t cost_stump(const adder *x, const uint32_t *rows, uint32_t n, uint32_t k)
{
    int64_t *sums = x->all->sums[0], leaf[2] = {NO_LEAF, NO_LEAF};
    memset(sums, 0, 2 * x->lanes * sizeof *sums);
    for (uint32_t i = 0; i < n; i++)
        add(sums + (size_t) value_of(x, rows[i], k) * x->lanes,
            x->costs + (size_t) rows[i] * x->lanes, x->lanes);
    for (uint32_t side = 0; side < 2; side++, sums += x->lanes)
        for (uint32_t action = 0; action < x->n_actions && sums[x->n_actions] >= x->min_bucket;
             action++)
            lower(&leaf[side], sums[action]);
    return leaf[0] + leaf[1];
}

/* The first column that splits a quadrant into two leaves of that cost. */
static uint32_t third_column(const adder *x, uint32_t i, uint32_t j, int a, int b, int64_t cost)
{
    uint32_t n = 0, k = 0;
    for (uint32_t row = 0; row < x->set->n; row++)
        if (value_of(x, row, i) == a && value_of(x, row, j) == b) x->list[n++] = row;
    while (k + 1 < x->n && cost_stump(x, x->list, n, k) != cost) k++;
    CT_ASSERT(cost_stump(x, x->list, n, k) == cost);
    return k;
}

static void write_side(const adder *x, uint32_t i, int side, ct_policy_tree *tree)
{
    int32_t second;
    tree->cost = cost_side(x, i, side, &second);
    tree->splits[0].column = -1;
    if (second < 0) return;
    const uint32_t j = (uint32_t) second;
    tree->splits[0] = split_on(x, j);
    for (int b = 0; b < 2; b++) {
        ct_policy_split *split = &tree->splits[1 + b];
        int64_t leaf, cost = cost_quadrant(x, i, j, side, b, &leaf);
        split->column = -1;
        if (cost == leaf) continue;
        *split = split_on(x, third_column(x, i, j, side, b, cost - x->set->costs->price));
    }
}

/* Offers the first root of the least cost, of all that the set may have. */
static void offer_best(const adder *x, const ct_policy_search *search, ct_policy_best *best)
{
    int64_t least = INT64_MAX, *bounds = x->set == search->whole && search->depth == 3
                                             ? search->bounds : NULL;
    uint32_t found = 0;
    int32_t second;
    for (uint32_t col = 0; bounds && col < x->set->n_cols; col++)
        ct_atomic_write(&bounds[col], INT64_MAX);
    for (uint32_t i = 0; i < x->n; i++) {
        if (!ct_policy_may_split(search, x->set, x->columns[i])) continue;
        const int64_t cost = x->set->costs->price + cost_side(x, i, 0, &second) +
                             cost_side(x, i, 1, &second);
        if (bounds) ct_atomic_write(&bounds[x->columns[i]], cost);
        if (cost < least) least = cost, found = i;
    }
    if (least >= NO_LEAF || least >= ct_policy_need(best, x->columns[found], x->cuts[found]))
        return;
    ct_policy_tree sides[2];
    for (int side = 0; side < 2; side++) write_side(x, found, side, &sides[side]);
    ct_policy_offer(best, least, split_on(x, found), x->cuts[found], sides, 2);
}

ct_status ct_policy_two_valued_solve(ct_policy_worker *team, unsigned number, unsigned threads,
                                     const ct_policy_rows *set, ct_policy_best *best, int64_t *low)
{
    ct_policy_worker *worker = &team[number];
    const unsigned n_workers = threads > number ? threads : number + 1;
    ct_policy_solve_begins(worker->search, set, 3, best);
    CT_ASSERT(!worker->search->evidence && set->n_cols <= MOST_COLUMNS);
    adder x = {0};
    x.team = team;
    x.min_bucket = worker->search->min_bucket;
    if (adder_new(&x, set, &worker->arena, n_workers) != CT_OK) return CT_NO_MEMORY;
    const uint64_t n = (uint64_t) x.n_groups * x.n_groups;
    const ct_loop loop = {n, 1, CT_DYNAMIC, threads, do_groups, &x, NULL};
    if (threads < 2) do_groups(&x, number, 0, n);
    else ct_parallel_for(&loop);
    if (ct_atomic_read(&x.failed)) return CT_NO_MEMORY;
    if (ct_policy_is_halted(worker)) return CT_OK;
    merge(&x, n_workers);
    offer_best(&x, worker->search, best);
    *low = best->tree.cost;
    return CT_OK;
}
