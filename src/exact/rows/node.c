#include "exact/rows/node.h"
#include "exact/rows/ranks.h"

#include <string.h>

#include "base/bits.h"
#include "exact/kernels/conditions.h"
#include "exact/rows/abreast.h"
#include "exact/rows/planes.h"

/* The arrays that making a node writes; ct_rows shows them read-only. */
typedef struct {
    uint64_t *sets, *lanes;
    size_t *begin, *end;
} parts;

static ct_kind kind_of(const ct_exact_costs *costs, const ct_node *node)
{
    if (costs->plain) return node->n_rows > ct_lane_limit(costs->n_classes) ? CT_ROWS32 : CT_ROWS16;
    if (costs->response) return node->layout->abreast ? CT_ABREAST : CT_RESPONSE;
    if (costs->quantised->by_label) return CT_LOSSES;
    int64_t max_cost = node->max_cost >> costs->shift >> costs->quantised->shift;
    return costs->quantised->exact && max_cost <= CT_COST_LIMIT ? CT_QUANTISED16 : CT_QUANTISED32;
}

/* `sets`: where the bit sets go; NULL: memory of their own. */
static ct_status node_new(ct_worker *worker, ct_arena *arena, ct_layout *layout,
                          const ct_totals *totals, uint64_t *sets, ct_node *node, parts *p)
{
    const ct_exact_costs *costs = worker->search->costs;
    size_t set_words = (size_t) layout->n_cols * layout->n_classes * layout->words,
           slots = layout->n_cols * (layout->words + 1);
    node->layout = layout;
    node->counts = CT_ARENA_NEW(arena, uint32_t, slots * layout->n_classes);
    node->members = CT_ARENA_NEW(arena, uint32_t, slots);
    p->sets = sets ? sets : CT_ARENA_NEW(arena, uint64_t, set_words);
    p->lanes = CT_ARENA_NEW(arena, uint64_t, set_words);
    p->begin = CT_ARENA_NEW(arena, size_t, 2 * (size_t) layout->n_cols);
    node->masses = costs->weights ? CT_ARENA_NEW(arena, int64_t, slots * layout->n_classes) : NULL;
    int uses_max = !costs->plain && ct_uses(worker, CT_SHORTCUT_NEIGHBOUR);
    node->max_before = uses_max ? CT_ARENA_NEW(arena, int64_t, slots) : NULL;
    ct_status status = ct_totals_new(&node->totals, costs, arena);
    node->sums = node->totals.quantised ? CT_ARENA_NEW(arena, uint32_t, slots * layout->n_classes)
                                        : NULL;
    node->moments = node->totals.moments ? CT_ARENA_NEW(arena, int64_t, 2 * slots) : NULL;
    node->full = layout->wide ? CT_ARENA_NEW(arena, ct_full_sums, slots) : NULL;
    if (status != CT_OK || !node->counts || !node->members || !p->sets || !p->lanes || !p->begin ||
        (costs->weights && !node->masses) || (node->totals.quantised && !node->sums) ||
        (node->totals.moments && !node->moments) || (layout->wide && !node->full) ||
        (uses_max && !node->max_before))
        return ct_worker_no_memory(worker);
    p->end = p->begin + layout->n_cols;
    node->rows = (ct_rows){
        .n_cols = layout->n_cols,
        .n_classes = layout->n_classes,
        .words = layout->words,
        .sets = p->sets,
        .lanes = p->lanes,
        .ties = layout->ties[0],
        .begin = p->begin,
        .end = p->end,
        .most = costs->most,
        .gains = costs->gains,
        .weights = layout->weights,
        .quantised = costs->quantised,
        .quantised_planes = layout->quantised_planes,
        .quantised_bytes = layout->quantised_bytes,
        .response = costs->response,
        .stride = layout->stride,
        .z = layout->z,
        .wide = layout->wide,
        .ranks = layout->ranks,
        .tied = layout->tied,
        .abreast = ct_abreast_rows(layout->abreast)};
    node->sized = 0;
    node->n_outer = 0;
    ct_totals_copy(&node->totals, totals, layout->n_classes);
    node->n_rows = 0;
    for (uint32_t c = 0; c < layout->n_classes; c++) node->n_rows += totals->rows[c];
    node->leaf_cost = ct_leaf_cost(costs, totals);
    node->max_cost = ct_maximum_cost(costs, totals, node->n_rows);
    CT_ASSERT(node->n_rows <= layout->n_rows);
    CT_ASSERT(node->leaf_cost >= 0 && node->leaf_cost <= node->max_cost);
    node->kind = kind_of(costs, node);
    return CT_OK;
}

static int64_t weight_of(uint64_t members, const int64_t *weights)
{
    int64_t sum = 0;
    for (; members; members &= members - 1) sum += weights[ct_trailing_zeros(members)];
    return sum;
}

static uint32_t quantised_of(uint64_t members, const uint8_t *bytes)
{
    uint32_t sum = 0;
    for (; members; members &= members - 1) sum += bytes[ct_trailing_zeros(members)];
    return sum;
}

/* Weights of the rows of word w in the order of f; NULL: they have none. */
static const int64_t *weights_at(const ct_layout *layout, uint32_t f, size_t w)
{
    return layout->weights ? ct_layout_weights(layout, f) + w * 64 : NULL;
}

/* Adds the members of a word, at which `rows` are listed. */
static void add_in_full(const ct_full *full, uint64_t members, const uint32_t *rows,
                        ct_full_sums *sums)
{
    for (; members; members &= members - 1)
        ct_full_add(full, rows[ct_trailing_zeros(members)], sums);
}

/* Adds the members of word w in the order of f. */
static void add_wide(const ct_layout *layout, uint32_t f, size_t w, uint64_t members,
                     ct_full_sums *sums)
{
    CT_ASSERT(layout->wide);
    const ct_full rows = {ct_layout_wide(layout, f) + w * 64, weights_at(layout, f, w),
                          layout->full.down, layout->full.low_bits};
    for (; members; members &= members - 1) ct_full_add(&rows, ct_trailing_zeros(members), sums);
}

/* The sums in full before each word of f. */
static void sum_up_full(ct_node *node, uint32_t f)
{
    ct_full_sums sums = {0, 0, 0, 0}, *before = node->full + f * (node->layout->words + 1);
    for (size_t w = node->rows.begin[f]; w < node->rows.end[f]; w++) {
        before[w] = sums;
        add_wide(node->layout, f, w, ct_node_sets(node, f)[w], &sums);
    }
    before[node->rows.end[f]] = sums;
}

/* What the members before each word of f cost at most; their counts and masses are in place. */
static void sum_up_max(const ct_exact_costs *costs, ct_node *node, uint32_t f)
{
    uint32_t n_classes = costs->n_classes;
    CT_ASSERT(node->rows.begin[f] <= node->rows.end[f] && node->rows.end[f] <= node->layout->words);
    size_t slots = node->layout->words + 1;
    for (size_t w = node->rows.begin[f]; w <= node->rows.end[f]; w++) {
        const uint32_t *counts = node->counts + (f * slots + w) * n_classes;
        const int64_t *masses = node->masses ? node->masses + (f * slots + w) * n_classes : NULL;
        int64_t sum = 0;
        for (uint32_t c = 0; c < n_classes; c++)
            sum += (masses ? masses[c] : (int64_t) counts[c]) * costs->most[c];
        CT_ASSERT(sum >= 0 &&
                  (w == node->rows.begin[f] || sum >= node->max_before[f * slots + w - 1]));
        node->max_before[f * slots + w] = sum;
    }
}

/* Fills in one feature from split->parent_sets. */
static void fill_feature(ct_worker *worker, ct_node *node, const parts *p, uint32_t f,
                         ct_exact_split *split)
{
    const ct_layout *layout = node->layout;
    split->words = layout->words;
    split->n_classes = layout->n_classes;
    split->sets = p->sets + (size_t) f * layout->n_classes * layout->words;
    split->lanes = p->lanes + (size_t) f * layout->n_classes * layout->words;
    split->counts = node->counts + f * (layout->words + 1) * layout->n_classes;
    split->members = node->members + f * (layout->words + 1);
    split->weights = node->masses ? ct_layout_weights(layout, f) : NULL;
    split->quantised = node->rows.quantised;
    split->quantised_planes = ct_layout_quantised_planes(layout, f);
    split->masses = node->masses ? node->masses + f * (layout->words + 1) * layout->n_classes
                                 : NULL;
    split->quantised_bytes = ct_layout_quantised_bytes(layout, f);
    split->z = ct_layout_z(layout, f);
    split->moments = node->moments ? node->moments + 2 * f * (layout->words + 1) : NULL;
    split->sums = node->sums ? node->sums + f * (layout->words + 1) * layout->n_classes : NULL;
    CT_ASSERT(split->begin <= split->end && split->end <= layout->words);
    ct_split_begins(split);
    worker->search->kernels->of[node->kind].split(split);
    ct_split_ends(split);
    CT_ASSERT(split->begin <= split->end && split->end <= layout->words);
    CT_ASSERT(split->members[split->begin] == 0 &&
              split->members[split->end] == node->n_rows /* sizes add up */);
    p->begin[f] = split->begin;
    p->end[f] = split->end;
    if (node->full) sum_up_full(node, f);
    if (node->max_before) sum_up_max(worker->search->costs, node, f);
    CT_ASSERT(!node->max_before ||
              ct_cost_of_units(worker->search->costs,
                               node->max_before[f * (layout->words + 1) + split->end]) ==
                  node->max_cost);
}

ct_status ct_node_whole(ct_worker *worker, ct_arena *arena, ct_layout *layout, ct_node *node)
{
    parts p;
    ct_totals totals;
    if (ct_totals_new(&totals, worker->search->costs, arena) != CT_OK)
        return ct_worker_no_memory(worker);
    for (uint32_t c = 0; c < layout->n_classes; c++) {
        const uint64_t *members = layout->sets + c * layout->words;
        for (size_t w = 0; w < layout->words; w++) {
            totals.rows[c] += ct_popcount(members[w]);
            if (totals.masses)
                totals.masses[c] += weight_of(members[w], layout->weights + w * 64);
            if (totals.quantised)
                totals.quantised[c] += quantised_of(members[w], layout->quantised_bytes + w * 64);
            if (totals.moments)
                worker->search->kernels->moments(members[w], layout->z + w * 64,
                                                 weights_at(layout, 0, w), totals.moments);
            if (totals.full)
                add_in_full(&layout->full, members[w], layout->order[0] + w * 64, totals.full);
        }
    }
    CT_TRY(node_new(worker, arena, layout, &totals, layout->sets, node, &p));
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        ct_exact_split split = {0};
        split.parent_sets = ct_layout_sets(layout, f);
        split.end = layout->words;
        fill_feature(worker, node, &p, f, &split);
    }
    return CT_OK;
}

ct_status ct_node_side(ct_worker *worker, ct_arena *arena, const ct_node *parent, uint32_t f,
                       uint32_t t, int side, const ct_totals *totals, ct_node *node)
{
    parts p;
    ct_layout *layout = parent->layout;
    CT_TRY(node_new(worker, arena, layout, totals, NULL, node, &p));
    CT_ASSERT(f < layout->n_cols && t > 0 && t < layout->n_values[f] && (side == 0 || side == 1));
    CT_ASSERT(node->n_rows > 0 &&
              node->n_rows <= parent->n_rows /* never empty: no bound would hold */);
    ct_threshold threshold = ct_threshold_make(t, layout->n_planes[f]);
    const uint64_t *planes = ct_planes_of(worker, layout, f, &threshold, NULL);
    for (uint32_t g = 0; g < layout->n_cols; g++) {
        ct_exact_split split = {0};
        split.threshold = &threshold;
        split.right = side;
        split.planes = planes + (size_t) g * threshold.end * layout->words;
        split.parent_sets = ct_node_sets(parent, g);
        split.begin = parent->rows.begin[g];
        split.end = parent->rows.end[g];
        fill_feature(worker, node, &p, g, &split);
    }
    ct_worker_poll(worker, (uint64_t) layout->n_cols * layout->n_classes * parent->n_rows);
    return CT_OK;
}

/* The counts before word w of f, and the weights; NULL if rows have none. */
static const uint32_t *counts_before(const ct_node *node, uint32_t f, size_t w)
{
    return node->counts + (f * (node->layout->words + 1) + w) * node->layout->n_classes;
}

static const int64_t *masses_before(const ct_node *node, uint32_t f, size_t w)
{
    return node->masses
               ? node->masses + (f * (node->layout->words + 1) + w) * node->layout->n_classes
               : NULL;
}

static const uint32_t *sums_before(const ct_node *node, uint32_t f, size_t w)
{
    return node->sums ? node->sums + (f * (node->layout->words + 1) + w) * node->layout->n_classes
                      : NULL;
}

uint32_t ct_node_counts(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t t,
                        ct_totals *totals)
{
    const ct_layout *layout = node->layout;
    uint32_t n_classes = layout->n_classes;
    size_t position = ct_layout_start(worker, layout, f, t), w = position / 64;
    CT_ASSERT(position > 0 && position < layout->n_rows);
    if (w < node->rows.begin[f]) {
        memset(totals->rows, 0, n_classes * sizeof *totals->rows);
        if (totals->masses) memset(totals->masses, 0, n_classes * sizeof *totals->masses);
        if (totals->quantised) memset(totals->quantised, 0, n_classes * sizeof *totals->quantised);
        if (totals->moments) totals->moments[0] = totals->moments[1] = 0;
        if (node->full) *totals->full = (ct_full_sums){0, 0, 0, 0};
        return 0;
    }
    CT_ASSERT(w >= node->rows.begin[f]);
    if (w >= node->rows.end[f]) {
        ct_totals_copy(totals, &node->totals, n_classes);
        return node->n_rows;
    }
    const uint64_t *sets = ct_node_sets(node, f);
    const uint32_t *sums = sums_before(node, f, w);
    for (uint32_t c = 0; node->masses && c < n_classes; c++) {
        uint64_t below = sets[c * layout->words + w] & ct_low_bits(position % 64);
        totals->masses[c] = masses_before(node, f, w)[c] +
                            weight_of(below, ct_layout_weights(layout, f) + w * 64);
        if (sums)
            totals->quantised[c] =
                sums[c] + quantised_of(below, ct_layout_quantised_bytes(layout, f) + w * 64);
    }
    if (node->full) *totals->full = ct_node_full(worker, node, f, t);
    if (node->moments) {
        const int64_t *before = node->moments + 2 * (f * (layout->words + 1) + w);
        memcpy(totals->moments, before, 2 * sizeof *before);
        worker->search->kernels->moments(sets[w] & ct_low_bits(position % 64),
                                         ct_layout_z(layout, f) + w * 64,
                                         weights_at(layout, f, w), totals->moments);
    }
    CT_ASSERT(position / 64 < layout->words && counts_before(node, f, w));
    return worker->search->kernels->count(sets, n_classes, layout->words, counts_before(node, f, w),
                                          position, totals->rows);
}

ct_full_sums ct_node_full(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t t)
{
    const ct_layout *layout = node->layout;
    const uint64_t *sets = ct_node_sets(node, f);
    size_t position = ct_layout_start(worker, layout, f, t), last = position / 64;
    ct_full_sums sums = {0, 0, 0, 0};
    CT_ASSERT(layout->full.z && layout->n_classes == 1);
    if (node->full && last >= node->rows.end[f]) return *node->totals.full;
    if (node->full && last >= node->rows.begin[f]) {
        sums = node->full[f * (layout->words + 1) + last];
        add_wide(layout, f, last, sets[last] & ct_low_bits(position % 64), &sums);
        return sums;
    }
    for (size_t w = node->rows.begin[f]; w <= last && w < node->rows.end[f]; w++) {
        uint64_t members = w < last ? sets[w] : sets[w] & ct_low_bits(position % 64);
        add_in_full(&layout->full, members, layout->order[f] + w * 64, &sums);
    }
    return sums;
}

/* The word in which the rows come to cost more than `cost`; max_before[]: what those before each
 * word do. */
static size_t word_above(const int64_t *max_before, size_t begin, size_t end, int64_t cost)
{
    /* max_before[begin] <= cost < max_before[end]; the step that halves has no branch to guess
     * wrong */
    CT_ASSERT(begin < end && max_before[begin] <= cost && cost < max_before[end]);
    for (size_t n = end - begin; n > 1;) {
        size_t half = n / 2;
        begin += max_before[begin + half] <= cost ? half : 0;
        n -= half;
    }
    return begin;
}

/* How many of the members of a word, from the lowest on, cost no more than `cost` together; not all
 * do. */
static uint32_t rows_for(const ct_exact_costs *costs, const uint64_t *sets, size_t words,
                         const int64_t *weights, int64_t cost)
{
    int64_t each[64];
    uint64_t all = 0;
    for (uint32_t c = 0; c < costs->n_classes; c++) {
        all |= sets[c * words];
        for (uint64_t members = sets[c * words]; members; members &= members - 1)
            each[ct_trailing_zeros(members)] = costs->most[c];
    }
    for (uint32_t n = 0;; n++, all &= all - 1) {
        CT_ASSERT(all);
        unsigned row = ct_trailing_zeros(all);
        cost -= each[row] * (weights ? weights[row] : 1);
        if (cost < 0) return n;
    }
}

int64_t ct_node_rows_above(const ct_worker *worker, const ct_node *node, uint32_t f, int64_t cost)
{
    const ct_exact_costs *costs = worker->search->costs;
    const ct_layout *layout = node->layout;
    if (cost < 0) return 0;
    if (cost >= node->max_cost) return (int64_t) node->n_rows + 1;
    cost >>= costs->shift;
    if (costs->plain) return cost + 1;
    const int64_t *max_before = node->max_before + f * (layout->words + 1);
    size_t w = word_above(max_before, node->rows.begin[f], node->rows.end[f], cost);
    const int64_t *weights = costs->weights ? ct_layout_weights(layout, f) + w * 64 : NULL;
    CT_ASSERT(max_before[w] <= cost && cost < max_before[w + 1] /* not all of the word */);
    uint32_t within = rows_for(costs, ct_node_sets(node, f) + w, layout->words, weights,
                               cost - max_before[w]);
    CT_ASSERT(node->members[f * (layout->words + 1) + w] + within < node->n_rows);
    return (int64_t) node->members[f * (layout->words + 1) + w] + within + 1;
}

uint32_t ct_node_leaf_rows(const ct_worker *worker, const ct_node *node, uint32_t f, int side,
                           int64_t cost, uint32_t *counts)
{
    const ct_layout *layout = node->layout;
    const uint64_t *sets = ct_node_sets(node, f);
    size_t position = 64 * node->rows.begin[f], n = 64 * node->rows.end[f] - position;
    uint32_t n_left = 0, most = (uint32_t) ((cost - 1) >> worker->search->costs->shift);
    CT_ASSERT(worker->search->costs->plain && cost > 0);
    while (n > 1) { /* the last position where the side of fewer rows is the one asked for */
        size_t half = n > 64 ? n / 128 * 64 : n / 2, p = position + half;
        uint32_t largest = 0, sum = 0;
        uint32_t before = worker->search->kernels->count(sets, layout->n_classes, layout->words,
                                                         counts_before(node, f, p / 64), p, counts);
        for (uint32_t c = 0; c < layout->n_classes; c++) {
            uint32_t count = side ? node->totals.rows[c] - counts[c] : counts[c];
            sum += count;
            if (count > largest) largest = count;
        }
        if ((sum - largest <= most) != side) position = p, n_left = before;
        n -= half;
    }
    return n_left + (uint32_t) side;
}

/* Rank of the (k + 1)-th member in the order of f. */
static uint32_t member_rank(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t k)
{
    const ct_layout *layout = node->layout;
    const uint32_t *members = node->members + f * (layout->words + 1);
    CT_ASSERT(k < node->n_rows);
    if (node->n_rows == layout->n_rows) return ct_layout_rank(layout, f, k);
    return ct_layout_rank(layout, f,
                          worker->search->kernels->find(ct_node_sets(node, f), layout->n_classes,
                                                        layout->words, members, node->rows.begin[f],
                                                        node->rows.end[f], k));
}

/* A threshold leaves the first `low` members left iff it is above the rank of the last of them, and
 * moves no more than `high` members left iff it is not above the rank of the next one. */
void ct_node_window(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t low,
                    uint32_t high, uint32_t *first, uint32_t *last)
{
    CT_ASSERT(low > 0 && low <= high && high < node->n_rows);
    *first = member_rank(worker, node, f, low - 1) + 1;
    *last = member_rank(worker, node, f, high);
    CT_ASSERT(*first > 0 && *last < node->layout->n_values[f]);
}
