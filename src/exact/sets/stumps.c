#include "exact/sets/stumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exact/bound/interval.h"
#include "exact/cost/response.h"
#include "exact/rows/ranks.h"

ct_status ct_set_stumps_init(ct_set_stumps *stumps, ct_worker *worker)
{
    memset(stumps, 0, sizeof *stumps);
    if (ct_totals_new(&stumps->left, worker->search->costs, &worker->arena) != CT_OK ||
        ct_totals_new(&stumps->right, worker->search->costs, &worker->arena) != CT_OK)
        return ct_worker_no_memory(worker);
    return CT_OK;
}

void ct_set_stumps_free(ct_set_stumps *stumps)
{
    ct_free(stumps->of);
    stumps->of = NULL;
    stumps->n = stumps->room = 0;
}

ct_status ct_set_stumps_push(ct_set_stumps *stumps, ct_worker *worker, const ct_set_stump *stump)
{
    if (stumps->n == stumps->room) {
        const size_t more = stumps->n ? stumps->n : 256, size = sizeof *stumps->of;
        if (!ct_enlarge(&stumps->of, stumps->n * size, more * size))
            return ct_worker_no_memory(worker);
        stumps->room += more;
    }
    stumps->of[stumps->n++] = *stump;
    return CT_OK;
}

int64_t ct_side_cost(const ct_exact_costs *costs, const ct_totals *totals, uint32_t *label)
{
    if (!costs->plain || costs->n_classes != 2) return ct_best_label(costs, totals, label);
    *label = totals->rows[1] > totals->rows[0];
    return ct_cost_of_units(costs, totals->rows[!*label]);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

ct_leaf_value ct_leaf_value_of(const ct_exact_costs *costs, const ct_totals *totals,
                               uint32_t label)
{
    if (!costs->response) return (ct_leaf_value){label, 1};
    int64_t sum = totals->moments[0], weight = ct_mass(totals, 0);
    if (!weight) return (ct_leaf_value){0, 0};
    int64_t by = common_divisor(weight, sum < 0 ? -sum : sum);
    return (ct_leaf_value){sum / by, weight / by};
}

/* ---- one column ---- */

typedef struct {
    ct_set_stumps *stumps;
    ct_worker *worker;
    const ct_place *place;
    int64_t budget;
    uint32_t f, n_left;
    int grouped;      /* the key of the left side is wanted */
    size_t last;      /* the place of the last row on the left */
    ct_rows_key left;
    uint32_t *by_wrong; /* [wrong rows] how many splits have so many; NULL: they are listed */
} scanning;

static int64_t cost_of_sides(const scanning *s, uint32_t label[2])
{
    const ct_exact_costs *costs = s->worker->search->costs;
    return s->worker->search->split_cost + ct_side_cost(costs, &s->stumps->left, &label[0]) +
           ct_side_cost(costs, &s->stumps->right, &label[1]);
}

static const int64_t *moments_before(const scanning *s, size_t w)
{
    const ct_node *node = s->place->node;
    return node->moments + 2 * (s->f * (node->layout->words + 1) + w);
}

/* What is before a word of the column, and what is after one. */
static void set_left(const scanning *s, size_t w)
{
    const ct_node *node = s->place->node;
    uint32_t n_classes = node->layout->n_classes;
    size_t at = (s->f * (node->layout->words + 1) + w) * n_classes;
    memcpy(s->stumps->left.rows, node->counts + at, n_classes * sizeof *node->counts);
    if (node->masses)
        memcpy(s->stumps->left.masses, node->masses + at, n_classes * sizeof *node->masses);
    if (node->moments)
        memcpy(s->stumps->left.moments, moments_before(s, w), 2 * sizeof *node->moments);
}

static void set_right(const scanning *s, size_t w)
{
    const ct_node *node = s->place->node;
    ct_totals *right = &s->stumps->right;
    uint32_t n_classes = node->layout->n_classes;
    size_t at = (s->f * (node->layout->words + 1) + w) * n_classes;
    for (uint32_t c = 0; c < n_classes; c++) {
        right->rows[c] = node->totals.rows[c] - node->counts[at + c];
        if (node->masses) right->masses[c] = node->totals.masses[c] - node->masses[at + c];
    }
    for (int i = 0; node->moments && i < 2; i++)
        right->moments[i] = node->totals.moments[i] - moments_before(s, w)[i];
}

/* The split before the row at `position`, of another value than the row before. */
static ct_status look(scanning *s, size_t position)
{
    const ct_node *node = s->place->node;
    ct_set_stump stump = {0};
    if (!ct_may_split_at(s->worker, node->n_rows, s->n_left)) return CT_OK;
    stump.cost = cost_of_sides(s, stump.label);
    if (stump.cost > s->budget) return CT_OK;
    const ct_exact_costs *costs = s->worker->search->costs;
    stump.value[0] = ct_leaf_value_of(costs, &s->stumps->left, stump.label[0]);
    stump.value[1] = ct_leaf_value_of(costs, &s->stumps->right, stump.label[1]);
    if (ct_same_leaf(&stump.value[0], &stump.value[1])) return CT_OK;
    stump.feature = s->f;
    stump.threshold = ct_layout_to_global(node->layout, s->f,
                                          ct_layout_rank(node->layout, s->f, position));
    stump.around[0] = ct_place_row(s->place, s->f, s->last);
    stump.around[1] = ct_place_row(s->place, s->f, position);
    stump.n_left = s->n_left;
    if (s->grouped) stump.key = ct_rows_key_either(s->left, s->place->key);
    return ct_set_stumps_push(s->stumps, s->worker, &stump);
}

static void move_moments(scanning *s, uint32_t row)
{
    int64_t own[2] = {0, 0};
    ct_response_add(s->worker->search->costs, row, own);
    for (int i = 0; i < 2; i++) {
        s->stumps->left.moments[i] += own[i];
        s->stumps->right.moments[i] -= own[i];
    }
}

/* The row at `position` goes left. */
static void move(scanning *s, size_t position)
{
    const ct_node *node = s->place->node;
    const ct_layout *layout = node->layout;
    const uint64_t *sets = ct_node_sets(node, s->f) + position / 64;
    uint32_t c = 0;
    while (c + 1 < layout->n_classes && !(sets[c * layout->words] >> position % 64 & 1)) c++;
    s->stumps->left.rows[c]++;
    s->stumps->right.rows[c]--;
    if (node->masses) {
        int64_t weight = ct_layout_weights(layout, s->f)[position];
        s->stumps->left.masses[c] += weight;
        s->stumps->right.masses[c] -= weight;
    }
    if (node->moments) move_moments(s, ct_place_row(s->place, s->f, position));
    if (s->grouped)
        s->left = ct_rows_key_sum(s->left,
                                  s->place->words[ct_place_row(s->place, s->f, position)]);
    s->last = position;
    s->n_left++;
}

/* The members of word w, one by one; or none of them, if no split between them is within the
 * budget: fact M of bound/interval.h, of what is before all of them and what is after. */
static ct_status scan_word(scanning *s, size_t w, uint64_t members)
{
    const ct_layout *layout = s->place->node->layout;
    uint32_t label[2];
    if (!s->grouped) {
        set_left(s, w);
        set_right(s, w + 1);
        if (cost_of_sides(s, label) > s->budget) {
            s->n_left += ct_popcount(members);
            s->last = w * 64 + ct_bit_width(members) - 1;
            return CT_OK;
        }
        set_right(s, w);
    }
    uint32_t rank, last_rank = s->n_left ? ct_layout_rank(layout, s->f, s->last) : 0;
    for (; members; members &= members - 1, last_rank = rank) {
        size_t position = w * 64 + ct_trailing_zeros(members);
        rank = ct_layout_rank(layout, s->f, position);
        if (s->n_left && rank != last_rank) CT_TRY(look(s, position));
        move(s, position);
    }
    return CT_OK;
}

/* ---- one column of two classes whose wrong rows cost the same ---- */

/* Counts of both classes on the left, and of all rows. */
typedef struct {
    uint32_t left[2], all[2];
} pair;

static inline uint32_t fewer(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Wrong rows at least, between what is on the left now and once so many rows more are. */
static inline uint32_t wrong_between(const pair *p, uint32_t zeros, uint32_t ones)
{
    return fewer(p->left[0], p->left[1]) +
           fewer(p->all[0] - p->left[0] - zeros, p->all[1] - p->left[1] - ones);
}

/* Blocks of a word that are looked into one by one. */
enum { BLOCK_BITS = 16 };

/* Whether the value at `position`, in word w, is another than that of the last row on the left. */
static inline int is_cut(const scanning *s, size_t w, size_t position)
{
    const ct_layout *layout = s->place->node->layout;
    if (s->last / 64 == w)
        return (layout->ties[s->f][w] & ct_low_bits(position % 64) &
                ~ct_low_bits(s->last % 64)) != 0;
    return ct_layout_rank(layout, s->f, position) != ct_layout_rank(layout, s->f, s->last);
}

/* A split with few enough wrong rows: on the list, or counted. */
static ct_status take_two(scanning *s, const pair *p, size_t position)
{
    uint32_t label[2] = {p->left[1] > p->left[0],
                         p->all[1] - p->left[1] > p->all[0] - p->left[0]};
    if (label[0] == label[1]) return CT_OK;
    if (s->by_wrong) {
        if (ct_may_split_at(s->worker, s->place->node->n_rows, s->n_left))
            s->by_wrong[wrong_between(p, 0, 0)]++;
        return CT_OK;
    }
    for (int c = 0; c < 2; c++) {
        s->stumps->left.rows[c] = p->left[c];
        s->stumps->right.rows[c] = p->all[c] - p->left[c];
    }
    return look(s, position);
}

/* The members of a block of word w, one by one. */
static ct_status scan_block(scanning *s, pair *of, size_t w, uint64_t members, uint64_t ones,
                            uint32_t most)
{
    pair p = *of;
    for (; members; members &= members - 1) {
        unsigned bit = ct_trailing_zeros(members);
        if (wrong_between(&p, 0, 0) <= most && s->n_left && is_cut(s, w, w * 64 + bit))
            CT_TRY(take_two(s, &p, w * 64 + bit));
        uint32_t one = ones >> bit & 1;
        p.left[1] += one;
        p.left[0] += 1 - one;
        s->n_left++;
        s->last = w * 64 + bit;
    }
    *of = p;
    return CT_OK;
}

/* These members of word w go left, or are looked into: fact M of bound/interval.h. Returns whether
 * they went. */
static int pass_over(scanning *s, pair *p, size_t w, uint64_t zeros, uint64_t ones, uint32_t most)
{
    uint32_t n[2] = {ct_popcount(zeros), ct_popcount(ones)};
    if (!(n[0] + n[1])) return 1;
    if (wrong_between(p, n[0], n[1]) <= most) return 0;
    p->left[0] += n[0];
    p->left[1] += n[1];
    s->n_left += n[0] + n[1];
    s->last = w * 64 + ct_bit_width(zeros | ones) - 1;
    return 1;
}

/* Word w, block by block, with so many on its left. */
static ct_status scan_blocks(scanning *s, pair *p, size_t w, uint32_t most)
{
    const ct_node *node = s->place->node;
    const uint64_t *sets = ct_node_sets(node, s->f);
    uint64_t zeros = sets[w], ones = sets[node->layout->words + w];
    s->n_left = p->left[0] + p->left[1];
    for (size_t before = w; s->n_left && before-- > node->rows.begin[s->f];) {
        uint64_t members = sets[before] | sets[node->layout->words + before];
        s->last = before * 64 + ct_bit_width(members) - 1;
        if (members) break;
    }
    for (unsigned from = 0; from < 64; from += BLOCK_BITS) {
        uint64_t in = ct_low_bits(BLOCK_BITS) << from;
        if (!pass_over(s, p, w, zeros & in, ones & in, most))
            CT_TRY(scan_block(s, p, w, (zeros | ones) & in, ones, most));
    }
    return CT_OK;
}

/* scan_column() for two classes, with at most `most` wrong rows. */
static ct_status scan_two(scanning *s, uint32_t most)
{
    const ct_node *node = s->place->node;
    const uint32_t *all = node->totals.rows,
                   *counts = node->counts + 2 * (size_t) s->f * (node->layout->words + 1);
    for (size_t w = node->rows.begin[s->f]; w < node->rows.end[s->f]; w++) {
        const uint32_t *before = counts + 2 * w;
        pair p = {{before[0], before[1]}, {all[0], all[1]}};
        if (wrong_between(&p, before[2] - before[0], before[3] - before[1]) <= most)
            CT_TRY(scan_blocks(s, &p, w, most));
    }
    return CT_OK;
}

/* ---- all columns ---- */

static ct_status scan_column(scanning *s)
{
    const ct_node *node = s->place->node;
    const ct_layout *layout = node->layout;
    const uint64_t *sets = ct_node_sets(node, s->f);
    s->n_left = 0;
    s->left = (ct_rows_key){{0, 0}};
    set_left(s, node->rows.begin[s->f]);
    set_right(s, node->rows.begin[s->f]);
    for (size_t w = node->rows.begin[s->f]; w < node->rows.end[s->f]; w++) {
        uint64_t members = 0;
        for (uint32_t c = 0; c < layout->n_classes; c++) members |= sets[c * layout->words + w];
        if (members) CT_TRY(scan_word(s, w, members));
    }
    CT_ASSERT(s->n_left == node->n_rows);
    return CT_OK;
}

/* ---- columns of one group ---- */

static int by_key(const void *a, const void *b)
{
    const ct_set_stump *x = (const ct_set_stump *) a, *y = (const ct_set_stump *) b;
    for (int i = 0; i < 2; i++)
        if (x->key.of[i] != y->key.of[i]) return x->key.of[i] < y->key.of[i] ? -1 : 1;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return x->threshold < y->threshold ? -1 : x->threshold > y->threshold;
}

static int by_place(const void *a, const void *b)
{
    const ct_set_stump *x = (const ct_set_stump *) a, *y = (const ct_set_stump *) b;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return x->threshold < y->threshold ? -1 : x->threshold > y->threshold;
}

/* Keeps the first of stumps, from `first` on, that split alike. */
static void once_each(ct_set_stumps *stumps, size_t first)
{
    ct_set_stump *of = stumps->of + first;
    size_t n = stumps->n - first, kept = 0;
    if (!n) return;
    qsort(of, n, sizeof *of, by_key);
    for (size_t i = 0; i < n; i++)
        if (!kept || memcmp(&of[i].key, &of[kept - 1].key, sizeof of->key) != 0)
            of[kept++] = of[i];
    qsort(of, kept, sizeof *of, by_place);
    stumps->n = first + kept;
}

/* Whether rows are of two classes, and a wrong one costs the same whichever it is. */
static int of_two(const ct_exact_costs *costs) { return costs->plain && costs->n_classes == 2; }

int64_t ct_set_stumps_wrong(const ct_worker *worker, const ct_node *node, int64_t budget)
{
    int64_t room = budget - worker->search->split_cost;
    if (room < 0 || !ct_may_split(worker, node->n_rows)) return -1;
    return ct_smaller_cost(room >> worker->search->costs->shift, node->n_rows);
}

static ct_status scan(scanning *s, const uint32_t *groups, uint32_t most)
{
    ct_worker *worker = s->worker;
    uint32_t n_cols = s->place->node->layout->n_cols;
    size_t first = 0;
    int two = of_two(worker->search->costs);
    for (uint32_t f = 0; f < n_cols; f++) {
        s->f = f;
        s->grouped = ct_is_grouped(groups, n_cols, f);
        if (!f || groups[f] != groups[f - 1]) first = s->stumps->n;
        if (!s->place->is_table || ct_may_be_root(worker, f))
            CT_TRY(two && !s->grouped ? scan_two(s, most) : scan_column(s));
        if (s->grouped && (f + 1 == n_cols || groups[f + 1] != groups[f]))
            once_each(s->stumps, first);
    }
    ct_worker_poll(worker, (uint64_t) n_cols * s->place->node->n_rows);
    return CT_OK;
}

ct_status ct_set_stumps_list(ct_set_stumps *stumps, ct_worker *worker, const ct_place *place,
                             const uint32_t *groups, int64_t budget)
{
    int64_t most = ct_set_stumps_wrong(worker, place->node, budget);
    scanning s = {stumps, worker, place, budget, 0, 0, 0, 0, {{0, 0}}, NULL};
    stumps->n = 0;
    return most < 0 ? CT_OK : scan(&s, groups, (uint32_t) most);
}

ct_status ct_set_stumps_count(ct_set_stumps *stumps, ct_worker *worker, const ct_place *place,
                              const uint32_t *groups, int64_t budget)
{
    int64_t most = ct_set_stumps_wrong(worker, place->node, budget);
    scanning s = {stumps, worker, place, budget, 0, 0, 0, 0, {{0, 0}}, NULL};
    stumps->n = 0;
    if (most < 0) return CT_OK;
    if (of_two(worker->search->costs)) {
        s.by_wrong = CT_ARENA_ZEROED(&worker->arena, uint32_t, (size_t) most + 1);
        if (!s.by_wrong) return ct_worker_no_memory(worker);
    }
    CT_TRY(scan(&s, groups, (uint32_t) most));
    for (size_t i = 0; i < stumps->n; i++) stumps->of[i].n_left = 1;
    for (uint32_t wrong = 0; s.by_wrong && wrong <= most; wrong++) {
        ct_set_stump stump = {0};
        stump.cost = worker->search->split_cost +
                     ct_cost_of_units(worker->search->costs, wrong);
        stump.n_left = s.by_wrong[wrong];
        if (stump.n_left) CT_TRY(ct_set_stumps_push(stumps, worker, &stump));
    }
    return CT_OK;
}
