#include "exact/search/sums.h"

#include <math.h>
#include <string.h>

/* ROUNDINGS: of scores, as a share of what can be saved and of prices. UNITS: what the floors of
 * the leaves of a tree take off its cost, and what doubles lose of that. */
static const double ROUNDINGS = 1e-6, UNITS = 16;

enum { SUM_BITS = 30, MOST_SPLITS = 7 };

/* What no leaves save, as one of them would be too small. */
static const int64_t NO_LEAF = INT64_MIN / 4;

/* A root that no tree may have. */
static const int64_t NO_TREE = INT64_MAX / 4;

/* The best tree of some rows: what it saves, and the tests at its root and at the roots of its two
 * sides; CT_NO_TEST: a leaf. */
typedef struct {
    int64_t saved;
    int32_t test, third[2];
} small_tree;

typedef struct ct_summing {
    ct_sums sums;
    int64_t (*rows)[CT_N_SUMS]; /* [row] those of the response itself, as in ct_sums */
    /* [row] of a response that scans round, else NULL: what leaves cost, and the same with weights
     * rounded down to multiples of 2^shift, so that they cost no more by these */
    ct_full_sums *full, *scaled;
    unsigned shift;
    ct_wide centre;             /* about which sums are rounded */
    int64_t (*tests)[CT_N_SUMS]; /* [test] scratch, */
    ct_full_sums *full_tests;    /* likewise */
    float *best[2];        /* [side][root] what it saves with splits, rounded */
    double scale;          /* a unit of rounded scores in costs */
    double unit;           /* the same of rounded sums: of the steps of z */
    double spread;         /* all that can be saved, in units of scores, */
    double margin;         /* and by how much these may be off */
    small_tree found[2];   /* of the root that was found */
} summing;

/* ---- the rows ---- */

/* Takes in a row with this record: finds its like among the n different ones, or adds it. */
static uint32_t find_row(const uint64_t *record, size_t words, uint64_t *records, uint32_t *slots,
                         uint32_t mask, uint32_t *n)
{
    uint64_t hash = 0;
    for (size_t w = 0; w < words; w++)
        hash = (hash ^ record[w]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    uint32_t slot = (uint32_t) (hash >> 16) & mask;
    for (; slots[slot]; slot = (slot + 1) & mask)
        if (!memcmp(records + (slots[slot] - 1) * words, record, words * sizeof *record))
            return slots[slot] - 1;
    memcpy(records + *n * words, record, words * sizeof *record);
    return (slots[slot] = ++*n) - 1;
}

/* The sums in full of rows that are in the same tests. */
static ct_status full_rows_new(summing *s, const ct_full_sums *all, size_t n_rows, size_t n_tests,
                               ct_arena *arena)
{
    if (!all) return CT_OK;
    while (all->weight >> s->shift > INT64_C(1) << SUM_BITS) s->shift++;
    s->full = CT_ARENA_ZEROED(arena, ct_full_sums, n_rows);
    s->scaled = s->shift ? CT_ARENA_ZEROED(arena, ct_full_sums, n_rows) : s->full;
    s->full_tests = CT_ARENA_NEW(arena, ct_full_sums, n_tests);
    return s->full && s->scaled && s->full_tests ? CT_OK : CT_NO_MEMORY;
}

/* Takes a row of the layout into those. */
static void add_full_row(summing *s, const ct_full *full, uint32_t row, int64_t weight, uint32_t to)
{
    ct_full_add(full, row, &s->full[to]);
    if (s->scaled == s->full) return;
    weight >>= s->shift;
    const ct_full scaled = {&full->z[row], &weight, 0, full->low_bits};
    ct_full_add(&scaled, 0, &s->scaled[to]);
}

/* Makes rows that are in the same tests one. tests.records has them in the order of their places in
 * the first feature. */
static ct_status merge_rows(ct_counting *x, ct_arena *arena)
{
    const ct_layout *layout = x->node->layout;
    ct_sums *s = &x->sums->sums;
    uint32_t mask = (UINT32_C(2) << ct_bit_width(x->node->n_rows)) - 1, n = 0, place = 0;
    uint64_t *records = CT_ARENA_NEW(arena, uint64_t, x->node->n_rows * s->words);
    x->sums->rows = (int64_t(*)[CT_N_SUMS]) ct_arena_zeroed(arena, x->node->n_rows,
                                                            sizeof *x->sums->rows);
    ct_arena_mark mark = ct_arena_here(arena);
    uint32_t *slots = CT_ARENA_ZEROED(arena, uint32_t, (size_t) mask + 1);
    if (!records || !x->sums->rows || !slots) return CT_NO_MEMORY;
    const int32_t *z = ct_layout_z(layout, 0);
    const int64_t *weights = ct_layout_weights(layout, 0);
    for (size_t w = x->node->rows.begin[0]; w < x->node->rows.end[0]; w++)
        for (uint64_t rest = ct_node_sets(x->node, 0)[w]; rest; rest &= rest - 1, place++) {
            size_t at = w * 64 + ct_trailing_zeros(rest);
            uint32_t to = find_row(x->tests.records + place * s->words, s->words, records, slots,
                                   mask, &n);
            int64_t *row = x->sums->rows[to], weight = weights ? weights[at] : 1;
            if (x->sums->full)
                add_full_row(x->sums, &layout->full, layout->order[0][at], weight, to);
            row[CT_SIZE]++;
            if (x->sums->full) continue;
            row[CT_SUM] += weight * z[at];
            row[CT_WEIGHT] += weight;
        }
    CT_ASSERT(place == x->node->n_rows);
    ct_arena_release(arena, mark);
    s->records = records;
    s->n_rows = n;
    return CT_OK;
}

/* The rows of each test, from the records. */
static ct_status make_sets(const ct_counting *x, ct_arena *arena)
{
    ct_sums *s = &x->sums->sums;
    s->set_words = ((size_t) s->n_rows + 63) / 64;
    uint64_t *sets = CT_ARENA_ZEROED(arena, uint64_t, s->n_tests * s->set_words);
    if (!sets) return CT_NO_MEMORY;
    s->sets = sets;
    for (uint32_t row = 0; row < s->n_rows; row += 8)
        for (uint32_t test = 0; test < s->n_tests; test += 8) {
            uint64_t block = 0;
            for (uint32_t i = 0; i < 8 && row + i < s->n_rows; i++)
                block |= (s->records[(row + i) * s->words + test / 64] >> test % 64 & 0xff)
                         << 8 * i;
            block = ct_transpose8(block);
            for (uint32_t i = 0; i < 8 && test + i < s->n_tests; i++)
                sets[(test + i) * s->set_words + row / 64] |= (block >> 8 * i & 0xff) << row % 64;
        }
    return CT_OK;
}

/* x / 2^bits, rounded. */
static ct_wide near_multiple(ct_wide x, unsigned bits)
{
    return bits ? (x + ((ct_wide) 1 << (bits - 1))) >> bits : x;
}

/* The sums that scores are of: of the response in full, where scans round it. */
static ct_full_sums sums_of_row(const summing *s, size_t row)
{
    if (s->scaled) return s->scaled[row];
    return (ct_full_sums){s->rows[row][CT_WEIGHT], 0, s->rows[row][CT_SUM], 0};
}

static ct_full_sums sums_of_all(const ct_counting *x)
{
    const summing *s = x->sums;
    const int64_t *moments = x->node->totals.moments;
    if (!s->scaled)
        return (ct_full_sums){ct_mass(&x->node->totals, 0), 0, moments[0], moments[1]};
    ct_full_sums all = {0, 0, 0, 0};
    for (uint32_t r = 0; r < s->sums.n_rows; r++) ct_full_sums_add(&all, &s->scaled[r]);
    return all;
}

/* How many bits of the sums are left out, so that all of them fit. */
static unsigned bits_left_out(const summing *s, ct_wide centre)
{
    double size = 0;
    for (uint32_t r = 0; r < s->sums.n_rows; r++) {
        ct_full_sums row = sums_of_row(s, r);
        size += fabs((double) (row.sum - centre * row.weight));
    }
    int width = size >= 1 ? ilogb(size) + 1 : 0;
    return width > SUM_BITS ? (unsigned) (width - SUM_BITS) : 0;
}

/* Rounds the sums of the rows, less a centre, to what fits; sets the units of scores, and by how
 * much these may be off. */
static void round_rows(ct_counting *x, int32_t *values)
{
    summing *s = x->sums;
    const ct_exact_response *response = x->worker->search->costs->response;
    const ct_full_sums all = sums_of_all(x);
    ct_wide centre = all.weight ? all.sum / all.weight : 0;
    unsigned bits = bits_left_out(s, centre);
    double off = 0;
    s->centre = centre = near_multiple(centre, bits) * ((ct_wide) 1 << bits);
    for (uint32_t r = 0; r < s->sums.n_rows; r++) {
        const ct_full_sums row = sums_of_row(s, r);
        ct_wide from = row.sum - centre * row.weight, near = near_multiple(from, bits);
        int32_t *value = values + (size_t) CT_N_SUMS * r;
        value[CT_SUM] = (int32_t) near;
        value[CT_WEIGHT] = (int32_t) row.weight;
        value[CT_SIZE] = (int32_t) s->rows[r][CT_SIZE];
        for (int m = 0; m < CT_N_SUMS; m++) s->sums.all[m] += value[m];
        double e = ldexp((double) (int64_t) (from - near * ((ct_wide) 1 << bits)), -(int) bits);
        if (row.weight) off += e * e / (double) row.weight;
    }
    s->unit = ldexp(1, -2 * (int) bits);
    s->scale = ldexp(1, 2 * (int) bits + (int) s->shift - response->full.down);
    s->spread = s->unit * ct_full_squares(&all, centre, response->full.low_bits);
    double split = (double) x->worker->search->split_cost / s->scale, root = sqrt(off);
    s->sums.split = (float) split;
    s->margin = ROUNDINGS * (s->spread + (MOST_SPLITS + 1) * split) +
                root * (2 * sqrt(s->spread) + root) + UNITS / s->scale;
}

static ct_status summing_new(ct_counting *x, ct_arena *arena)
{
    summing *s = x->sums = CT_ARENA_ZEROED(arena, summing, 1);
    uint32_t n = x->tests.counts.n_tests;
    if (!s) return CT_NO_MEMORY;
    s->sums.n_tests = n;
    s->sums.n_sums = ct_response_weights(x->worker->search->costs) ? 3 : 2;
    s->sums.least_leaf = (int32_t) x->worker->search->min_bucket;
    s->sums.least_split = (int32_t) x->worker->search->min_split;
    s->sums.words = x->tests.words;
    s->sums.stride = 64 * s->sums.words;
    CT_TRY(full_rows_new(s, x->node->totals.full, x->node->n_rows, n, arena));
    CT_TRY(merge_rows(x, arena));
    CT_TRY(make_sets(x, arena));
    size_t all = n * s->sums.stride;
    int32_t *values = CT_ARENA_NEW(arena, int32_t, (size_t) CT_N_SUMS * s->sums.n_rows);
    x->value = CT_ARENA_NEW(arena, int64_t, n);
    s->sums.singles = CT_ARENA_ZEROED(arena, int32_t, s->sums.n_sums * s->sums.stride);
    s->sums.pairs = CT_ARENA_NEW(arena, int32_t, s->sums.n_sums * all);
    s->sums.thirds = CT_ARENA_NEW(arena, float, 4 * all);
    s->sums.list = CT_ARENA_NEW(arena, uint32_t, s->sums.n_rows);
    s->best[0] = CT_ARENA_NEW(arena, float, 2 * s->sums.stride);
    s->tests = (int64_t(*)[CT_N_SUMS]) ct_arena_alloc(arena, n, sizeof *s->tests);
    if (!values || !x->value || !s->sums.singles || !s->sums.pairs || !s->sums.thirds ||
        !s->sums.list || !s->best[0] || !s->tests)
        return CT_NO_MEMORY;
    s->best[1] = s->best[0] + s->sums.stride;
    for (size_t i = 0; i < 4 * all; i++) s->sums.thirds[i] = 2 * CT_NO_LEAF;
    for (size_t i = 0; i < 2 * s->sums.stride; i++) s->best[0][i] = 2 * CT_NO_LEAF;
    s->sums.values = values;
    round_rows(x, values);
    return CT_OK;
}

/* ---- rounded scores ---- */

/* What a quadrant saves as a leaf, or with one split where `deep`. */
static double rounded_quadrant(const ct_sums *s, uint32_t i, uint32_t j, int a, int b, int deep)
{
    int64_t in[CT_N_SUMS] = {0, 0, 0};
    size_t step = s->n_tests * s->stride;
    CT_ASSERT(s->n_sums > 0 && s->n_sums <= CT_N_SUMS);
    for (unsigned m = 0; m < s->n_sums; m++) {
        int64_t both = s->pairs[m * step + i * s->stride + j], of_i = s->singles[m * s->stride + i],
                of_j = s->singles[m * s->stride + j];
        int64_t in_j = b ? of_j : s->all[m] - of_j, with_i = b ? both : of_i - both;
        in[m] = a ? with_i : in_j - with_i;
    }
    int64_t size = in[s->n_sums - 1];
    if (size < s->least_leaf) return CT_NO_LEAF;
    double saved = in[CT_WEIGHT] ? (double) in[CT_SUM] * (double) in[CT_SUM] /
                                       (double) in[CT_WEIGHT]
                                 : 0;
    if (!deep || size < s->least_split || i == j) return saved;
    size_t own = i < j ? (size_t) (2 * a + b) * step + i * s->stride + j
                       : (size_t) (2 * b + a) * step + j * s->stride + i;
    return fmax(saved, (double) s->thirds[own] - (double) s->split);
}

/* What a side of root i saves in all. */
static double rounded_side(const ct_counting *x, uint32_t i, int side)
{
    const ct_sums *s = &x->sums->sums;
    double leaf = rounded_quadrant(s, i, i, side, side, 0);
    int64_t in = s->singles[(s->n_sums - 1) * s->stride + i],
            size = side ? in : s->all[s->n_sums - 1] - in;
    if (size < s->least_split) return leaf;
    return fmax(leaf, (double) x->sums->best[side][i] - (double) s->split);
}

/* A lower bound of the trees with root i. */
static int64_t rounded_value(const ct_counting *x, uint32_t i)
{
    const summing *s = x->sums;
    double saved = rounded_side(x, i, 0) + rounded_side(x, i, 1),
           cost = floor((s->spread - saved - s->margin) * s->scale);
    int64_t split = x->worker->search->split_cost;
    if (saved < (double) CT_NO_LEAF / 2) return NO_TREE;
    return split + (cost > 0 ? (int64_t) cost : 0);
}

/* ---- added up again ---- */

/* Sums of some rows: `full` where scans round the response. */
typedef struct {
    int64_t of[CT_N_SUMS];
    ct_full_sums full, scaled;
} sums_of_set;

/* What a leaf of these sums saves; in full, less all that there is to save. */
static int64_t saved_by(const ct_counting *x, const int64_t sums[CT_N_SUMS],
                        const ct_full_sums *full)
{
    const ct_exact_response *response = x->worker->search->costs->response;
    if (sums[CT_SIZE] < x->sums->sums.least_leaf) return NO_LEAF;
    if (x->sums->full) return -ct_full_cost(&response->full, full);
    return -ct_response_cost(response->fine, sums[CT_WEIGHT], sums[CT_SUM], 0);
}

static void add_sums(int64_t *to, const int64_t *row)
{
    for (int m = 0; m < CT_N_SUMS; m++) to[m] += row[m];
}

/* Adds a row to those of the set and, where `tests`, to those of each test it is in. */
static void add_row(const summing *s, size_t row, int tests, sums_of_set *all)
{
    const uint64_t *record = s->sums.records + row * s->sums.words;
    add_sums(all->of, s->rows[row]);
    if (s->full) ct_full_sums_add(&all->full, &s->full[row]);
    if (s->full && !tests) ct_full_sums_add(&all->scaled, &s->scaled[row]);
    for (size_t v = 0; tests && v < s->sums.words; v++)
        for (uint64_t bits = record[v]; bits; bits &= bits - 1) {
            size_t test = 64 * v + ct_trailing_zeros(bits);
            add_sums(s->tests[test], s->rows[row]);
            if (s->full) ct_full_sums_add(&s->full_tests[test], &s->full[row]);
        }
}

/* The sums of a quadrant, and where `tests`, those of its rows in each test. */
static void add_quadrant(const ct_counting *x, uint32_t i, uint32_t j, int a, int b, int tests,
                         sums_of_set *all)
{
    const summing *s = x->sums;
    const uint64_t *in_i = s->sums.sets + i * s->sums.set_words,
                   *in_j = s->sums.sets + j * s->sums.set_words;
    uint64_t turn_i = a ? 0 : ~UINT64_C(0), turn_j = b ? 0 : ~UINT64_C(0);
    memset(all, 0, sizeof *all);
    if (tests) memset(s->tests, 0, s->sums.n_tests * sizeof *s->tests);
    if (tests && s->full) memset(s->full_tests, 0, s->sums.n_tests * sizeof *s->full_tests);
    for (size_t w = 0; w < s->sums.set_words; w++) {
        uint64_t rest = (in_i[w] ^ turn_i) & (in_j[w] ^ turn_j);
        if (64 * w + 64 > s->sums.n_rows && s->sums.n_rows % 64)
            rest &= ct_low_bits(s->sums.n_rows % 64);
        for (; rest; rest &= rest - 1) add_row(s, 64 * w + ct_trailing_zeros(rest), tests, all);
    }
}

/* Whether test i comes before the one that is chosen. */
static int is_before(const ct_counting *x, uint32_t i, int32_t chosen)
{
    return chosen < 0 || x->tests.test[i] < x->tests.test[chosen];
}

/* What two leaves of test k of a set save, less the split. */
static int64_t saved_by_test(const ct_counting *x, const sums_of_set *all, uint32_t k)
{
    const summing *s = x->sums;
    int64_t rest[CT_N_SUMS];
    ct_full_sums other = {0, 0, 0, 0};
    for (int m = 0; m < CT_N_SUMS; m++) rest[m] = all->of[m] - s->tests[k][m];
    if (!s->tests[k][CT_SIZE] || !rest[CT_SIZE]) return 2 * NO_LEAF;
    if (s->full) other = ct_full_rest(&all->full, &s->full_tests[k]);
    return saved_by(x, s->tests[k], s->full ? &s->full_tests[k] : NULL) +
           saved_by(x, rest, &other) - x->worker->search->split_cost;
}

/* The best tree of a quadrant with one split or none; of equal ones the leaf or the first. */
static small_tree best_stump(const ct_counting *x, uint32_t i, uint32_t j, int a, int b)
{
    const summing *s = x->sums;
    sums_of_set all;
    add_quadrant(x, i, j, a, b, 1, &all);
    small_tree best = {saved_by(x, all.of, &all.full), CT_NO_TEST, {CT_NO_TEST, CT_NO_TEST}};
    if (all.of[CT_SIZE] < s->sums.least_split) return best;
    for (uint32_t k = 0; k < s->sums.n_tests; k++) {
        int64_t saved = saved_by_test(x, &all, k);
        if (saved < best.saved) continue;
        if (saved == best.saved && (best.test < 0 || !is_before(x, k, best.test))) continue;
        best.saved = saved;
        best.test = (int32_t) k;
    }
    return best;
}

/* The best tree of a side of root i whose root is j. */
static small_tree best_below(const ct_counting *x, uint32_t i, int side, uint32_t j)
{
    small_tree part[2];
    for (int b = 0; b < 2; b++) part[b] = best_stump(x, i, j, side, b);
    small_tree tree = {part[0].saved + part[1].saved - x->worker->search->split_cost, (int32_t) j,
                       {part[0].test, part[1].test}};
    return tree;
}

/* What the trees of a side of root i with root j save, but for the price of that, rounded. */
static double rounded_below(const ct_counting *x, uint32_t i, int side, uint32_t j)
{
    const ct_sums *s = &x->sums->sums;
    return rounded_quadrant(s, i, j, side, 0, 1) + rounded_quadrant(s, i, j, side, 1, 1);
}

/* The test at the root of a side that promises most. */
static uint32_t most_below(const ct_counting *x, uint32_t i, int side)
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t j = 0; j < x->sums->sums.n_tests; j++) {
        double saved = rounded_below(x, i, side, j);
        if (saved <= most) continue;
        most = saved;
        best = j;
    }
    return best;
}

/* What a tree of these rows must save at least, rounded as scores are, to save `saved`. Of one word
 * savings are beside 0, and scores beside a centre. */
static double score_of(const ct_counting *x, const sums_of_set *all, int64_t saved)
{
    const summing *s = x->sums;
    const ct_exact_response *response = x->worker->search->costs->response;
    const ct_full_sums in_scans = {all->of[CT_WEIGHT], 0, all->of[CT_SUM], 0};
    if (s->full)
        return (double) saved / s->scale +
               s->unit * ct_full_squares(&all->scaled, s->centre, response->full.low_bits) -
               s->margin;
    ct_wide beside = ct_full_beside(&in_scans, s->centre, 0).high *
                     ((ct_wide) 1 << response->fine);
    return (double) (int64_t) (saved + beside) / s->scale - s->margin;
}

/* The best tree of a side of root i, of depth one or two; of equal ones the leaf, or that with the
 * first root. */
static small_tree best_side(const ct_counting *x, uint32_t i, int side)
{
    const summing *s = x->sums;
    sums_of_set all;
    if (x->task->depth == 2) return best_stump(x, i, i, side, side);
    add_quadrant(x, i, i, side, side, 0, &all);
    small_tree best = {saved_by(x, all.of, &all.full), CT_NO_TEST, {CT_NO_TEST, CT_NO_TEST}};
    if (all.of[CT_SIZE] < s->sums.least_split) return best;
    uint32_t first = most_below(x, i, side);
    for (uint32_t n = 0; n <= s->sums.n_tests; n++) {
        uint32_t j = n ? n - 1 : first;
        double saved = rounded_below(x, i, side, j);
        if ((n && j == first) || saved < (double) CT_NO_LEAF / 2 ||
            saved < score_of(x, &all, best.saved + x->worker->search->split_cost))
            continue;
        small_tree tree = best_below(x, i, side, j);
        if (tree.saved < best.saved) continue;
        if (tree.saved == best.saved && (best.test < 0 || !is_before(x, j, best.test))) continue;
        best = tree;
    }
    return best;
}

/* Adds up root i again. */
static void confirm_root(ct_counting *x, uint32_t i)
{
    small_tree tree[2] = {best_side(x, i, 0), best_side(x, i, 1)};
    const ct_exact_costs *costs = x->worker->search->costs;
    int64_t squares = x->sums->full ? 0
                                    : x->node->totals.moments[1] *
                                          ((int64_t) 1 << costs->response->fine),
            cost = costs->split + squares - tree[0].saved - tree[1].saved;
    CT_ASSERT(cost >= x->value[i]);
    x->value[i] = cost;
    ct_counting_take(x, i);
    if (x->found == (int32_t) i) memcpy(x->sums->found, tree, sizeof tree);
}

/* The root that promises most of those that may be the best and are not done; CT_NO_TEST: none. */
static int32_t next_root(const ct_counting *x, const uint8_t *done)
{
    int32_t next = CT_NO_TEST;
    for (uint32_t i = 0; i < x->sums->sums.n_tests; i++) {
        if (done[i] || x->value[i] >= x->best - x->task->gap + ct_counting_comes_first(x, i))
            continue;
        if (next < 0 || x->value[i] < x->value[next]) next = (int32_t) i;
    }
    return next;
}

static ct_status confirm_roots(ct_counting *x, ct_arena *arena)
{
    uint8_t *done = CT_ARENA_ZEROED(arena, uint8_t, x->sums->sums.n_tests);
    if (!done) return CT_NO_MEMORY;
    for (int32_t i; !ct_is_halted(x->worker) && (i = next_root(x, done)) >= 0; done[i] = 1)
        confirm_root(x, (uint32_t) i);
    return CT_OK;
}

/* ---- all of it ---- */

/* Adds up in twos and, at depth three, in threes. */
static void add_tests(ct_counting *x)
{
    const ct_sum_kernels *kernels = &x->worker->search->kernels->sums;
    ct_sums *s = &x->sums->sums;
    kernels->pairs(s);
    for (uint32_t i = 0; x->task->depth > 2 && i < s->n_tests && !ct_is_halted(x->worker); i++) {
        kernels->root(s, i);
        x->worker->statistics.counted++;
        ct_worker_poll(x->worker, (uint64_t) (s->n_tests - i) * (s->n_rows + s->n_tests));
    }
    for (uint32_t i = 0; i < s->n_tests; i++)
        kernels->sides(s, i, x->task->depth > 2, x->sums->best);
}

ct_status ct_sums_solve(ct_counting *x, ct_arena *arena)
{
    if (summing_new(x, arena) != CT_OK) return CT_NO_MEMORY;
    uint32_t n = x->sums->sums.n_tests;
    for (uint32_t i = 0; i < n; i++) x->value[i] = x->worker->search->split_cost;
    x->below = 0;
    add_tests(x);
    if (ct_is_halted(x->worker)) return CT_OK;
    x->below = x->leaf;
    for (uint32_t i = 0; i < n; i++) {
        x->value[i] = ct_may_split(x->worker, x->node->n_rows) ? rounded_value(x, i) : NO_TREE;
        x->below = ct_smaller_cost(x->below, x->value[i]); /* one level less costs no less */
    }
    return confirm_roots(x, arena);
}

void ct_sums_write_side(const ct_counting *x, int side, ct_split_code *tree)
{
    const small_tree *found = &x->sums->found[side];
    uint32_t at = ct_counting_place(x, (uint32_t) x->found, side);
    if (found->test < 0) return;
    uint32_t j = (uint32_t) found->test;
    tree[at] = x->task->depth > 2 ? ct_counting_code(x, j) : ct_counting_lowest_code(x, j);
    for (int b = 0; b < 2; b++)
        if (found->third[b] >= 0)
            tree[2 * at + ct_counting_place(x, j, b)] =
                ct_counting_lowest_code(x, (uint32_t) found->third[b]);
}
