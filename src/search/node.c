#include "search/node.h"

#include <string.h>

#include "core/bits.h"

static int out_of_memory(ct_worker *worker)
{
    ct_worker_stop(worker, CT_END_MEMORY);
    return 0;
}

/* The arrays that making a node writes; ct_rows shows them read-only. */
typedef struct {
    uint64_t *sets, *lanes;
    size_t *begin, *end;
} parts;

/* `sets`: where the bit sets go; NULL: memory of their own. */
static int node_new(ct_worker *worker, ct_container *box, const uint32_t *totals, uint64_t *sets, ct_node *node, parts *p)
{
    ct_arena *arena = &worker->arena;
    size_t set_words = (size_t) box->n_cols * box->n_classes * box->words, slots = box->n_cols * (box->words + 1);
    node->box = box;
    node->totals = CT_ARENA_NEW(arena, uint32_t, box->n_classes);
    node->counts = CT_ARENA_NEW(arena, uint32_t, slots * box->n_classes);
    node->members = CT_ARENA_NEW(arena, uint32_t, slots);
    p->sets = sets ? sets : CT_ARENA_NEW(arena, uint64_t, set_words);
    p->lanes = CT_ARENA_NEW(arena, uint64_t, set_words);
    p->begin = CT_ARENA_NEW(arena, size_t, 2 * (size_t) box->n_cols);
    if (!node->totals || !node->counts || !node->members || !p->sets || !p->lanes || !p->begin)
        return out_of_memory(worker);
    p->end = p->begin + box->n_cols;
    node->rows = (ct_rows){box->n_cols, box->n_classes, box->words, p->sets, p->lanes, box->ties[0], p->begin, p->end};
    memcpy(node->totals, totals, box->n_classes * sizeof *totals);
    node->n_rows = 0;
    for (uint32_t c = 0; c < box->n_classes; c++) node->n_rows += totals[c];
    node->leaf_errors = ct_leaf_errors(totals, box->n_classes, node->n_rows);
    node->wide = node->n_rows > ct_lane_limit(box->n_classes);
    return 1;
}

/* Fills in one feature from split->parent_sets. */
static void fill_feature(ct_worker *worker, ct_node *node, const parts *p, uint32_t f, ct_split *split)
{
    const ct_container *box = node->box;
    split->words = box->words;
    split->n_classes = box->n_classes;
    split->sets = p->sets + (size_t) f * box->n_classes * box->words;
    split->lanes = p->lanes + (size_t) f * box->n_classes * box->words;
    split->counts = node->counts + f * (box->words + 1) * box->n_classes;
    split->members = node->members + f * (box->words + 1);
    worker->search->kernels->split[node->wide](split);
    p->begin[f] = split->begin;
    p->end[f] = split->end;
}

int ct_node_whole(ct_worker *worker, ct_container *box, ct_node *node)
{
    parts p;
    uint32_t *totals = CT_ARENA_ZEROED(&worker->arena, uint32_t, box->n_classes);
    if (!totals) return out_of_memory(worker);
    for (uint32_t c = 0; c < box->n_classes; c++)
        for (size_t w = 0; w < box->words; w++) totals[c] += ct_popcount(box->sets[c * box->words + w]);
    if (!node_new(worker, box, totals, box->sets, node, &p)) return 0;
    for (uint32_t f = 0; f < box->n_cols; f++) {
        ct_split split = {0};
        split.parent_sets = ct_container_sets(box, f);
        split.end = box->words;
        fill_feature(worker, node, &p, f, &split);
    }
    return 1;
}

int ct_node_side(ct_worker *worker, const ct_node *parent, uint32_t f, uint32_t t, int side, const uint32_t *totals,
                 ct_node *node)
{
    parts p;
    ct_container *box = parent->box;
    if (!node_new(worker, box, totals, NULL, node, &p)) return 0;
    ct_threshold threshold = ct_threshold_make(t, box->n_planes[f]);
    const uint64_t *planes = ct_container_planes(worker, box, f, &threshold);
    for (uint32_t g = 0; g < box->n_cols; g++) {
        ct_split split = {0};
        split.threshold = &threshold;
        split.right = side;
        split.planes = planes + (size_t) g * box->n_planes[f] * box->words;
        split.parent_sets = ct_node_sets(parent, g);
        split.begin = parent->rows.begin[g];
        split.end = parent->rows.end[g];
        fill_feature(worker, node, &p, g, &split);
    }
    ct_worker_poll(worker, (uint64_t) box->n_cols * box->n_classes * parent->n_rows);
    return 1;
}

uint32_t ct_node_counts(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t t, uint32_t *totals)
{
    const ct_container *box = node->box;
    uint32_t n_classes = box->n_classes;
    size_t position = ct_container_start(worker, box, f, t), w = position / 64;
    if (w < node->rows.begin[f]) {
        memset(totals, 0, n_classes * sizeof *totals);
        return 0;
    }
    if (w >= node->rows.end[f]) {
        memcpy(totals, node->totals, n_classes * sizeof *totals);
        return node->n_rows;
    }
    const uint32_t *counts = node->counts + (f * (box->words + 1) + w) * n_classes;
    return worker->search->kernels->count(ct_node_sets(node, f), n_classes, box->words, counts, position, totals);
}

/* Rank of the (k + 1)-th member in the order of f. */
static uint32_t member_rank(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t k)
{
    const ct_container *box = node->box;
    const uint32_t *members = node->members + f * (box->words + 1);
    return ct_container_rank(box, f, worker->search->kernels->find(ct_node_sets(node, f), box->n_classes, box->words,
                                                                   members, node->rows.begin[f], node->rows.end[f], k));
}

/* A threshold leaves the first `low` members left iff it is above the rank of the last of them, and moves no more than
 * `high` members left iff it is not above the rank of the next one. */
void ct_node_window(const ct_worker *worker, const ct_node *node, uint32_t f, uint32_t low, uint32_t high,
                    uint32_t *first, uint32_t *last)
{
    *first = member_rank(worker, node, f, low - 1) + 1;
    *last = member_rank(worker, node, f, high);
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
