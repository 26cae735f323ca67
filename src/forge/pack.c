#include "base/compact.h"

#include "forge/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forge/pack_planes.h"

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory to make an ensemble ready");
}

/* The threshold u for which x <= u says what x < t says; NaN where no x is below t. */
static double highest_left(const ct_forge_ensemble *e, double threshold)
{
    if (e->less == CT_FORGE_LESS_EQUAL) return threshold;
    if (threshold == -INFINITY) return NAN;
    return e->number == CT_FORGE_F32 ? nextafterf((float) threshold, -INFINITY)
                               : nextafter(threshold, -INFINITY);
}

/* Whether NaN goes left at a node. */
static int nan_left(const ct_forge_ensemble *e, uint32_t node, double highest)
{
    if (e->missing[node] != CT_FORGE_MISSING_NONE) return e->default_left[node];
    return e->set_size[node] ? e->set_else[node] : 0 <= highest;
}

static ct_status find_used(ct_forged *f, ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t n = e->n_features ? e->n_features : 1;
    p->column_of = CT_ARENA_ZEROED(&p->arena, uint32_t, n);
    f->used = CT_ARENA_NEW(&f->arena, uint32_t, n);
    f->term_column = CT_ARENA_NEW(&f->arena, uint32_t, e->n_terms ? e->n_terms : 1);
    if (!p->column_of || !f->used || !f->term_column) return CT_NO_MEMORY;
    for (uint32_t i = 0; i < e->n_nodes; i++)
        if (e->feature[i] >= 0) p->column_of[e->feature[i]] = 1;
    for (uint32_t k = 0; k < e->n_terms; k++) p->column_of[e->term_feature[k]] = 1;
    for (uint32_t i = 0; i < e->n_features; i++)
        if (p->column_of[i]) {
            p->column_of[i] = f->n_used;
            f->used[f->n_used++] = i;
        }
    for (uint32_t k = 0; k < e->n_terms; k++)
        f->term_column[k] = p->column_of[e->term_feature[k]];
    return CT_OK;
}

/* Depths, thresholds as x <= t, and how many leaves trees have. */
static ct_status measure(ct_forged *f, ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    double sum = 0;
    uint32_t n_leaves = 0;
    p->depth = CT_ARENA_ZEROED(&p->arena, uint32_t, e->n_nodes);
    p->highest = CT_ARENA_NEW(&p->arena, double, e->n_nodes);
    p->nan_left = CT_ARENA_ZEROED(&p->arena, uint8_t, e->n_nodes);
    p->n_leaves = CT_ARENA_ZEROED(&p->arena, uint32_t, e->n_trees);
    if (!p->depth || !p->highest || !p->nan_left || !p->n_leaves) return CT_NO_MEMORY;
    for (uint32_t t = 0; t < e->n_trees; t++)
        for (uint32_t i = e->roots[t]; i < ct_forge_ensemble_end(e, t); i++) {
            if (e->feature[i] < 0) {
                p->n_leaves[t]++;
                sum += p->depth[i];
                if (p->depth[i] > f->deepest) f->deepest = p->depth[i];
                continue;
            }
            p->depth[e->left[i]] = p->depth[e->right[i]] = p->depth[i] + 1;
            p->highest[i] = e->set_size[i] ? 0 : highest_left(e, e->threshold[i]);
            p->nan_left[i] = (uint8_t) nan_left(e, i, p->highest[i]);
        }
    for (uint32_t t = 0; t < e->n_trees; t++) n_leaves += p->n_leaves[t];
    f->mean_depth = sum / n_leaves;
    return CT_OK;
}

static ct_forged_node walk_node(const ct_forged *f, const ct_forge_packing *p, uint32_t i)
{
    const ct_forge_ensemble *e = f->ensemble;
    ct_forged_node node = {p->highest[i], 0, p->column_of[e->feature[i]] | CT_FORGE_WALK_INNER};
    if (p->nan_left[i]) node.what |= CT_FORGE_WALK_NAN_LEFT;
    if (e->missing[i] == CT_FORGE_MISSING_ZERO) node.what |= CT_FORGE_WALK_ZERO;
    if (e->set_size[i]) node.what |= CT_FORGE_WALK_SET;
    return node;
}

/* The nodes of a tree by depth, so that children lie side by side: node_of is the queue. */
static void pack_walk(ct_forged *f, const ct_forge_packing *p, uint32_t tree)
{
    CT_ASSERT(tree < f->ensemble->n_trees);
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t at = e->roots[tree], end = at + 1;
    f->node_of[at] = at;
    for (; at < end; at++) {
        uint32_t i = f->node_of[at];
        if (e->feature[i] < 0) {
            double term = e->leaf_width == 1 ? ct_forge_ensemble_term(e, tree, i, 0) : 0;
            f->nodes[at] = (ct_forged_node){term, at, 0};
            continue;
        }
        f->nodes[at] = walk_node(f, p, i);
        f->nodes[at].next = end;
        if (f->nodes[at].what & (CT_FORGE_WALK_ZERO | CT_FORGE_WALK_SET)) f->plain = 0;
        f->node_of[end++] = e->left[i];
        f->node_of[end++] = e->right[i];
    }
}

static ct_status pack_walks(ct_forged *f, const ct_forge_packing *p)
{
    const ct_forge_ensemble *e = f->ensemble;
    f->nodes = CT_ARENA_NEW(&f->arena, ct_forged_node, e->n_nodes);
    f->node_of = CT_ARENA_NEW(&f->arena, uint32_t, e->n_nodes);
    if (!f->nodes || !f->node_of) return CT_NO_MEMORY;
    f->plain = 1;
    for (uint32_t t = 0; t < e->n_trees; t++) pack_walk(f, p, t);
    return CT_OK;
}

static ct_status pack_all(ct_forged *f, ct_forge_packing *p)
{
    CT_TRY(find_used(f, p));
    CT_TRY(measure(f, p));
    CT_TRY(pack_walks(f, p));
    f->has_planes = !f->ensemble->first_term;
    return f->has_planes ? ct_forge_pack_planes(f, p) : CT_OK;
}

ct_status ct_forge(const ct_forge_ensemble *ensemble, ct_forged *f, ct_error *error)
{
    memset(f, 0, sizeof *f);
    f->ensemble = ensemble;
    f->budget.limit = SIZE_MAX / 2;
    ct_arena_init(&f->arena, &f->budget);
    CT_TRY(ct_forge_ensemble_check(ensemble, error));
    ct_forge_packing packing = {0};
    ct_arena_init(&packing.arena, &f->budget);
    ct_status packed = pack_all(f, &packing);
    ct_arena_free(&packing.arena);
    if (packed == CT_OK) return CT_OK;
    ct_forged_free(f);
    return no_memory(error);
}

void ct_forged_free(ct_forged *f)
{
    if (f->arena.budget) ct_arena_free(&f->arena);
    memset(f, 0, sizeof *f);
}
