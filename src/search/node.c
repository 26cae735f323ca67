#include "search/node.h"

#include <string.h>

#include "core/bits.h"

static int out_of_memory(ct_worker *worker)
{
    ct_worker_stop(worker, CT_END_MEMORY);
    return 0;
}

static int node_new(ct_worker *worker, ct_container *box, const uint32_t *totals, ct_node *node)
{
    ct_arena *arena = &worker->arena;
    size_t set_words = (size_t) box->n_cols * box->n_classes * box->words, slots = box->n_cols * (box->words + 1);
    node->box = box;
    node->totals = CT_ARENA_NEW(arena, uint32_t, box->n_classes);
    node->sets = CT_ARENA_NEW(arena, uint64_t, set_words);
    node->lanes = CT_ARENA_NEW(arena, uint64_t, set_words);
    node->counts = CT_ARENA_NEW(arena, uint32_t, slots * box->n_classes);
    node->members = CT_ARENA_NEW(arena, uint32_t, slots);
    node->begin = CT_ARENA_NEW(arena, size_t, 2 * (size_t) box->n_cols);
    if (!node->totals || !node->sets || !node->lanes || !node->counts || !node->members || !node->begin)
        return out_of_memory(worker);
    node->end = node->begin + box->n_cols;
    memcpy(node->totals, totals, box->n_classes * sizeof *totals);
    node->n_rows = 0;
    for (uint32_t c = 0; c < box->n_classes; c++) node->n_rows += totals[c];
    node->leaf_errors = ct_leaf_errors(totals, box->n_classes, node->n_rows);
    node->wide = node->n_rows > ct_lane_limit(box->n_classes);
    return 1;
}

/* Fills the sets of one feature from those in split->parent_sets. */
static void fill_feature(ct_worker *worker, ct_node *node, uint32_t f, ct_split *split)
{
    const ct_container *box = node->box;
    split->words = box->words;
    split->n_classes = box->n_classes;
    split->sets = node->sets + (size_t) f * box->n_classes * box->words;
    split->lanes = node->lanes + (size_t) f * box->n_classes * box->words;
    split->counts = node->counts + f * (box->words + 1) * box->n_classes;
    split->members = node->members + f * (box->words + 1);
    worker->search->kernels->split[node->wide](split);
    node->begin[f] = split->begin;
    node->end[f] = split->end;
}

int ct_node_whole(ct_worker *worker, ct_container *box, ct_node *node)
{
    uint32_t *totals = CT_ARENA_ZEROED(&worker->arena, uint32_t, box->n_classes);
    if (!totals) return out_of_memory(worker);
    for (uint32_t c = 0; c < box->n_classes; c++)
        for (size_t w = 0; w < box->words; w++) totals[c] += ct_popcount(box->sets[c * box->words + w]);
    if (!node_new(worker, box, totals, node)) return 0;
    for (uint32_t f = 0; f < box->n_cols; f++) {
        ct_split split = {0};
        split.parent_sets = ct_container_sets(box, f);
        split.end = box->words;
        fill_feature(worker, node, f, &split);
    }
    return 1;
}

int ct_node_side(ct_worker *worker, const ct_node *parent, uint32_t f, uint32_t t, int side, const uint32_t *totals,
                 ct_node *node)
{
    ct_container *box = parent->box;
    if (!node_new(worker, box, totals, node)) return 0;
    ct_threshold threshold = ct_threshold_make(t, box->n_planes[f]);
    for (uint32_t g = 0; g < box->n_cols; g++) {
        ct_split split = {0};
        split.threshold = &threshold;
        split.right = side;
        split.planes = ct_container_planes(worker, box, f, g);
        split.parent_sets = ct_node_sets(parent, g);
        split.begin = parent->begin[g];
        split.end = parent->end[g];
        fill_feature(worker, node, g, &split);
    }
    ct_worker_poll(worker, (uint64_t) box->n_cols * parent->n_rows);
    return 1;
}

uint32_t ct_node_counts(const ct_node *node, uint32_t f, uint32_t t, uint32_t *totals)
{
    const ct_container *box = node->box;
    uint32_t n_classes = box->n_classes, sum = 0;
    size_t position = ct_container_start(box, f, t), w = position / 64;
    if (w < node->begin[f]) {
        memset(totals, 0, n_classes * sizeof *totals);
        return 0;
    }
    if (w >= node->end[f]) {
        memcpy(totals, node->totals, n_classes * sizeof *totals);
        return node->n_rows;
    }
    const uint32_t *counts = node->counts + (f * (box->words + 1) + w) * n_classes;
    const uint64_t *sets = ct_node_sets(node, f) + w;
    uint64_t below = ct_low_bits(position % 64);
    for (uint32_t c = 0; c < n_classes; c++) {
        totals[c] = counts[c] + ct_popcount(sets[c * box->words] & below);
        sum += totals[c];
    }
    return sum;
}

/* Rank of the (k + 1)-th member in the order of f. */
static uint32_t member_rank(const ct_node *node, uint32_t f, uint32_t k)
{
    const ct_container *box = node->box;
    const uint32_t *members = node->members + f * (box->words + 1);
    const uint64_t *sets = ct_node_sets(node, f);
    size_t low = node->begin[f], high = node->end[f]; /* members[low] <= k < members[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (members[middle] <= k) low = middle;
        else high = middle;
    }
    uint64_t word = 0;
    for (uint32_t c = 0; c < box->n_classes; c++) word |= sets[c * box->words + low];
    return ct_container_rank(box, f, low * 64 + ct_select(word, k - members[low]));
}

/* A threshold leaves the first `low` members left iff it is above the rank of the last of them, and moves no more than
 * `high` members left iff it is not above the rank of the next one. */
void ct_node_window(const ct_node *node, uint32_t f, uint32_t low, uint32_t high, uint32_t *first, uint32_t *last)
{
    *first = member_rank(node, f, low - 1) + 1;
    *last = member_rank(node, f, high);
}

uint64_t ct_largest_sum(const uint32_t *totals, uint32_t n, uint32_t count)
{
    uint64_t sum = 0;
    if (count >= n) {
        for (uint32_t c = 0; c < n; c++) sum += totals[c];
        return sum;
    }
    uint32_t below = UINT32_MAX, equal_left = 0; /* the last one taken and how often it may still be */
    while (count) {
        uint32_t largest = 0, times = 0;
        for (uint32_t c = 0; c < n; c++) {
            if (totals[c] >= below) continue;
            if (totals[c] > largest) largest = totals[c], times = 0;
            if (totals[c] == largest) times++;
        }
        equal_left = times < count ? times : count;
        sum += (uint64_t) largest * equal_left;
        count -= equal_left;
        if (!largest) break;
        below = largest;
    }
    return sum;
}
