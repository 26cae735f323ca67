#include "base/compact.h"

#include "exact/sets/graph.h"

#include <string.h>

#include "base/memory.h"

void ct_set_graph_free(ct_set_graph *graph)
{
    ct_free(graph->nodes);
    ct_free(graph->options);
    ct_free(graph->costs);
    ct_free(graph->counts);
    ct_free(graph->places);
    memset(graph, 0, sizeof *graph);
}

/* Makes room for n + more elements of `size` bytes in *of. */
static int make_room(ct_set_graph *graph, void **of, size_t *room, size_t n, size_t more,
                     size_t size)
{
    CT_ASSERT(n <= *room && graph->bytes <= graph->limit);
    if (n + more <= *room) return 1;
    size_t wanted = *room + *room / 2 > n + more ? *room + *room / 2 : n + more + 16;
    if ((wanted - *room) * size > graph->limit - graph->bytes) wanted = n + more;
    if ((wanted - *room) * size > graph->limit - graph->bytes) return 0;
    void *larger = ct_alloc(wanted * size);
    if (!larger) return 0;
    if (n) memcpy(larger, *of, n * size);
    ct_free(*of);
    graph->bytes += (wanted - *room) * size;
    *of = larger;
    *room = wanted;
    return 1;
}

static int room_for_nodes(ct_set_graph *graph, size_t more)
{
    void *of = graph->nodes;
    if (graph->n_nodes + more > graph->most_nodes) return 0;
    int made = make_room(graph, &of, &graph->room_nodes, graph->n_nodes, more,
                         sizeof *graph->nodes);
    graph->nodes = (ct_set_node *) of;
    return made;
}

int ct_set_graph_options(ct_set_graph *graph, size_t more)
{
    CT_ASSERT(graph->n_options <= graph->room_options);
    void *of = graph->options;
    int made = make_room(graph, &of, &graph->room_options, graph->n_options, more,
                         sizeof *graph->options);
    graph->options = (ct_set_option *) of;
    return made;
}

int ct_set_graph_costs(ct_set_graph *graph, size_t more, unsigned words)
{
    CT_ASSERT(words > 0 && graph->n_costs <= graph->room_costs);
    void *costs = graph->costs, *counts = graph->counts;
    int made = make_room(graph, &costs, &graph->room_costs, graph->n_costs, more,
                         sizeof *graph->costs) &&
               make_room(graph, &counts, &graph->room_counts, graph->n_counts, more * words,
                         sizeof *graph->counts);
    graph->costs = (int64_t *) costs;
    graph->counts = (uint64_t *) counts;
    return made;
}

/* ---- by key ---- */

static size_t place_of(const ct_set_graph *graph, const ct_rows_key *key, uint32_t level)
{
    CT_ASSERT(graph->n_places && !(graph->n_places & (graph->n_places - 1)));
    size_t at = (size_t) (key->of[0] + level * UINT64_C(0x9e3779b97f4a7c15)) &
                (graph->n_places - 1);
    for (;; at = (at + 1) & (graph->n_places - 1)) {
        if (!graph->places[at]) return at;
        const ct_set_node *node = &graph->nodes[graph->places[at] - 1];
        if (node->level == level && node->key.of[0] == key->of[0] && node->key.of[1] == key->of[1])
            return at;
    }
}

size_t ct_set_graph_find(const ct_set_graph *graph, const ct_rows_key *key, uint32_t level)
{
    if (!graph->n_places) return SIZE_MAX;
    uint32_t found = graph->places[place_of(graph, key, level)];
    return found ? found - 1 : SIZE_MAX;
}

static int more_places(ct_set_graph *graph)
{
    size_t n = graph->n_places ? 2 * graph->n_places : 1024, bytes = n * sizeof *graph->places;
    if (bytes > graph->limit - graph->bytes) return 0;
    uint32_t *places = (uint32_t *) ct_alloc(bytes);
    if (!places) return 0;
    memset(places, 0, bytes);
    graph->bytes += bytes - graph->n_places * sizeof *places;
    ct_free(graph->places);
    graph->places = places;
    graph->n_places = n;
    for (size_t i = 0; i < graph->n_nodes; i++)
        places[place_of(graph, &graph->nodes[i].key, graph->nodes[i].level)] = (uint32_t) i + 1;
    return 1;
}

size_t ct_set_graph_add(ct_set_graph *graph, const ct_rows_key *key, uint32_t level)
{
    CT_ASSERT(ct_set_graph_find(graph, key, level) == SIZE_MAX);
    if (2 * (graph->n_nodes + 1) > graph->n_places && !more_places(graph)) return SIZE_MAX;
    if (graph->n_nodes >= UINT32_MAX - 1 || !room_for_nodes(graph, 1)) return SIZE_MAX;
    size_t i = graph->n_nodes;
    graph->places[place_of(graph, key, level)] = (uint32_t) i + 1;
    memset(&graph->nodes[i], 0, sizeof graph->nodes[i]);
    graph->nodes[i].key = *key;
    graph->nodes[i].level = level;
    graph->n_nodes++;
    return i;
}

uint32_t ct_set_find_cost(const ct_set_graph *graph, const ct_set_node *node, int64_t cost)
{
    CT_ASSERT(node->first_cost + node->n_costs <= graph->n_costs);
    const int64_t *costs = ct_set_costs(graph, node);
    uint32_t low = 0, high = node->n_costs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (costs[middle] < cost) low = middle + 1;
        else high = middle;
    }
    return low < node->n_costs && costs[low] == cost ? low : node->n_costs;
}
