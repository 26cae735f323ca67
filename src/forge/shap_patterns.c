#include "forge/shap_patterns.h"

#include <string.h>

ct_status ct_forge_pattern_path_make(ct_forge_pattern_path *path, uint32_t deepest, ct_arena *arena)
{
    path->count = CT_ARENA_ZEROED(arena, uint32_t, (size_t) deepest + 1);
    path->bit = CT_ARENA_ZEROED(arena, uint32_t, (size_t) deepest + 1);
    path->test = CT_ARENA_ZEROED(arena, uint32_t, (size_t) deepest + 1);
    path->players = CT_ARENA_ZEROED(arena, uint32_t, (size_t) deepest + 1);
    return path->count && path->bit && path->test && path->players ? CT_OK : CT_NO_MEMORY;
}

/* The bit of the edge's feature; the path then goes to the edge. */
static uint32_t follow(ct_forge_pattern_path *path, const ct_forge_shap_edge *edge)
{
    uint32_t d = edge->depth, before = path->count[d - 1];
    path->count[d] = before + (edge->above == 0);
    path->bit[d] = edge->above ? path->bit[edge->above] : before;
    path->players[path->bit[d]] = edge->player;
    return path->bit[d];
}

/* The edges below that of number i end before this one. */
static uint32_t subtree_end(const ct_forge_patterns *p, uint32_t i)
{
    uint32_t end = i + 1;
    while (end < p->n_edges && p->edges[end].depth > p->edges[i].depth) end++;
    return end;
}

static void add_step(ct_forge_patterns *p, uint32_t edge, uint32_t from, uint32_t to, uint32_t bit)
{
    const ct_forge_shap_edge *e = &p->edges[edge];
    p->steps[p->n_steps++] = (ct_forge_pattern_step){
        e->threshold, e->column, from, to, bit, CT_FORGE_NO_UNIT, e->right, e->nan_left, 0};
}

static void add_player(ct_forge_pattern_unit *unit, uint32_t player)
{
    for (uint32_t i = 0; i < unit->n_players; i++)
        if (unit->players[i] == player) return;
    unit->players[unit->n_players++] = player;
}

/* The node that the path is at, of this depth, with its tests below as steps. */
static ct_status add_unit(ct_forge_patterns *p, uint32_t first, uint32_t end, uint32_t depth,
                          ct_forge_pattern_path *path, ct_arena *arena)
{
    ct_forge_pattern_unit *unit = &p->units[p->n_units];
    memset(unit, 0, sizeof *unit);
    unit->first = first, unit->end = end;
    unit->bits = unit->n_features = unit->n_players = path->count[depth];
    unit->players = CT_ARENA_NEW(arena, uint32_t, unit->bits + (end - first) / 2 + 1);
    if (!unit->players) return CT_NO_MEMORY;
    memcpy(unit->players, path->players, unit->bits * sizeof *unit->players);
    if (first == end) unit->leaf = p->edges[first - 1].term;
    for (uint32_t i = first; i < end; i++) {
        const ct_forge_shap_edge *edge = &p->edges[i];
        if (!edge->right) {
            add_step(p, i, depth, depth, unit->bits);
            path->test[edge->depth] = unit->bits++;
        }
        p->test_bit[i] = path->test[edge->depth];
        p->feature_bit[i] = follow(path, edge);
        add_player(unit, edge->player);
    }
    p->steps[p->n_steps - 1].unit = p->n_units++;
    return CT_OK;
}

static ct_status divide(ct_forge_patterns *p, ct_forge_pattern_path *path, ct_arena *arena,
                        int *fits)
{
    *fits = 1;
    if (p->n_edges / 2 <= CT_FORGE_MERGED_BITS) return add_unit(p, 0, p->n_edges, 0, path, arena);
    for (uint32_t i = 0; i < p->n_edges;) {
        const ct_forge_shap_edge *edge = &p->edges[i];
        uint32_t d = edge->depth, end = subtree_end(p, i), tests = (end - i - 1) / 2;
        p->feature_bit[i] = follow(path, edge);
        if (path->count[d] > CT_FORGE_PATTERN_BITS) {
            *fits = 0;
            return CT_OK;
        }
        add_step(p, i, d - 1, d, p->feature_bit[i]);
        p->steps[p->n_steps - 1].again = edge->above != 0;
        if (!tests || path->count[d] + tests <= CT_FORGE_MERGED_BITS) {
            CT_TRY(add_unit(p, i + 1, end, d, path, arena));
            i = end;
        } else {
            i++;
        }
    }
    return CT_OK;
}

ct_status ct_forge_patterns_make(ct_forge_patterns *p, const ct_forge_shap_scratch *scratch,
                                 ct_forge_pattern_path *path, ct_arena *arena, int *fits)
{
    size_t n = scratch->tree.n_edges;
    CT_ASSERT(n > 0 && fits);
    memset(p, 0, sizeof *p);
    p->n_edges = (uint32_t) n;
    p->n_special = scratch->n_special;
    p->edges = CT_ARENA_NEW(arena, ct_forge_shap_edge, n);
    p->feature_bit = CT_ARENA_ZEROED(arena, uint32_t, n);
    p->test_bit = CT_ARENA_ZEROED(arena, uint32_t, n);
    p->steps = CT_ARENA_NEW(arena, ct_forge_pattern_step, n);
    p->units = CT_ARENA_NEW(arena, ct_forge_pattern_unit, n);
    p->special = CT_ARENA_NEW(arena, uint32_t, (size_t) p->n_special + 1);
    if (!p->edges || !p->feature_bit || !p->test_bit || !p->steps || !p->units || !p->special)
        return CT_NO_MEMORY;
    memcpy(p->edges, scratch->edges, n * sizeof *p->edges);
    if (p->n_special) memcpy(p->special, scratch->special, p->n_special * sizeof *p->special);
    return divide(p, path, arena, fits);
}
