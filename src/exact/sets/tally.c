#include "base/compact.h"

#include "exact/sets/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Costs of a range up to which they are counted in an array. */
enum { MOST_DENSE = 1 << 17 };

void ct_set_tally_free(ct_set_tally *tally)
{
    ct_free(tally->counts);
    ct_free(tally->marks);
    ct_free(tally->costs);
    memset(tally, 0, sizeof *tally);
}

static int begin_dense(ct_set_tally *tally, size_t range)
{
    CT_ASSERT(tally->words > 0 && range > 0);
    size_t words = range * tally->words, marks = range / 64 + 1;
    if (tally->room < words) { /* here: words */
        ct_free(tally->counts);
        ct_free(tally->marks);
        tally->counts = (uint64_t *) ct_alloc(words * sizeof *tally->counts);
        tally->marks = (uint64_t *) ct_alloc((words / 64 + 1) * sizeof *tally->marks);
        tally->room = tally->counts && tally->marks ? words : 0;
        if (!tally->room) return 0;
        memset(tally->counts, 0, words * sizeof *tally->counts);
    }
    memset(tally->marks, 0, marks * sizeof *tally->marks); /* counts are zero between uses */
    return 1;
}

static int begin_sparse(ct_set_tally *tally, size_t places)
{
    CT_ASSERT(tally->words > 0 && !(places & (places - 1)));
    uint64_t *counts = (uint64_t *) ct_alloc(places * tally->words * sizeof *counts);
    int64_t *costs = (int64_t *) ct_alloc(places * sizeof *costs);
    if (!counts || !costs) {
        ct_free(counts);
        ct_free(costs);
        return 0;
    }
    for (size_t i = 0; i < places; i++) costs[i] = INT64_MIN;
    tally->counts = counts;
    tally->costs = costs;
    tally->room = places;
    tally->n = 0;
    return 1;
}

int ct_set_tally_begin(ct_set_tally *tally, int64_t least, int64_t most, unsigned words)
{
    int dense = most - least < MOST_DENSE;
    if (dense != tally->dense || !dense) ct_set_tally_free(tally);
    tally->dense = dense;
    tally->words = words;
    tally->least = least;
    tally->most = most;
    if (most < least) tally->most = tally->least;
    return dense ? begin_dense(tally, (size_t) (tally->most - least) + 1) : begin_sparse(tally, 64);
}

static size_t place_of(const ct_set_tally *tally, int64_t cost)
{
    CT_ASSERT(tally->n < tally->room);
    size_t at = (size_t) ((uint64_t) cost * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
                (tally->room - 1);
    while (tally->costs[at] != INT64_MIN && tally->costs[at] != cost)
        at = (at + 1) & (tally->room - 1);
    return at;
}

static int widen(ct_set_tally *tally)
{
    ct_set_tally old = *tally;
    if (!begin_sparse(tally, 2 * old.room)) {
        *tally = old;
        return 0;
    }
    for (size_t i = 0; i < old.room; i++) {
        if (old.costs[i] == INT64_MIN) continue;
        size_t at = place_of(tally, old.costs[i]);
        tally->costs[at] = old.costs[i];
        memcpy(tally->counts + at * tally->words, old.counts + i * old.words,
               old.words * sizeof *old.counts);
    }
    tally->n = old.n;
    ct_free(old.counts);
    ct_free(old.costs);
    return 1;
}

uint64_t *ct_set_tally_sparse(ct_set_tally *tally, int64_t cost)
{
    CT_ASSERT(!tally->dense && cost >= tally->least);
    if (2 * tally->n >= tally->room && !widen(tally)) return NULL;
    size_t at = place_of(tally, cost);
    uint64_t *count = tally->counts + at * tally->words;
    if (tally->costs[at] == cost) return count;
    tally->costs[at] = cost;
    tally->n++;
    memset(count, 0, tally->words * sizeof *count);
    return count;
}

static void put(ct_set_tally *tally, ct_set_graph *graph, ct_set_node *node, int64_t cost,
                const uint64_t *count)
{
    if (ct_set_count_is_zero(count, tally->words)) return;
    graph->costs[graph->n_costs++] = cost;
    memcpy(graph->counts + graph->n_counts, count, tally->words * sizeof *count);
    graph->n_counts += tally->words;
    node->n_costs++;
}

static int end_dense(ct_set_tally *tally, ct_set_graph *graph, ct_set_node *node)
{
    size_t marks = (size_t) (tally->most - tally->least) / 64 + 1, n = 0;
    for (size_t w = 0; w < marks; w++) n += ct_popcount(tally->marks[w]);
    int room = ct_set_graph_costs(graph, n, tally->words);
    for (size_t w = 0; w < marks; w++) {
        for (uint64_t rest = tally->marks[w]; rest; rest &= rest - 1) {
            size_t at = w * 64 + ct_trailing_zeros(rest);
            uint64_t *count = tally->counts + at * tally->words;
            if (room) put(tally, graph, node, tally->least + (int64_t) at, count);
            memset(count, 0, tally->words * sizeof *count);
        }
    }
    return room;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return x < y ? -1 : x > y;
}

static int end_sparse(ct_set_tally *tally, ct_set_graph *graph, ct_set_node *node)
{
    int64_t *costs = (int64_t *) ct_alloc((tally->n + 1) * sizeof *costs);
    size_t n = 0;
    if (!costs || !ct_set_graph_costs(graph, tally->n, tally->words)) {
        ct_free(costs);
        return 0;
    }
    for (size_t i = 0; i < tally->room; i++)
        if (tally->costs[i] != INT64_MIN) costs[n++] = tally->costs[i];
    qsort(costs, n, sizeof *costs, ascending);
    for (size_t i = 0; i < n; i++)
        put(tally, graph, node, costs[i],
            tally->counts + place_of(tally, costs[i]) * tally->words);
    ct_free(costs);
    return 1;
}

int ct_set_tally_end(ct_set_tally *tally, ct_set_graph *graph, ct_set_node *node)
{
    node->first_cost = graph->n_costs;
    node->first_count = graph->n_counts;
    node->n_costs = 0;
    return tally->dense ? end_dense(tally, graph, node) : end_sparse(tally, graph, node);
}
