#include "forge/schedule/layout.h"

const ct_forge_representation *ct_forge_representation_of(ct_forge_nest_layout layout)
{
    CT_ASSERT(layout < CT_FORGE_N_LAYOUTS);
    return layout == CT_FORGE_ARRAY   ? &ct_forge_array
           : layout == CT_FORGE_REORG ? &ct_forge_reorg
                                : &ct_forge_sparse;
}

static const double *terms_of(const ct_forge_ensemble *e, ct_arena *arena)
{
    double *terms = CT_ARENA_ZEROED(arena, double, (size_t) e->n_nodes * e->leaf_width);
    for (uint32_t t = 0; terms && t < e->n_trees; t++)
        for (uint32_t i = e->roots[t]; i < ct_forge_ensemble_end(e, t); i++)
            for (uint32_t k = 0; e->feature[i] < 0 && k < e->leaf_width; k++)
                terms[(size_t) i * e->leaf_width + k] = ct_forge_ensemble_term(e, t, i, k);
    return terms;
}

ct_forge_model *ct_forge_model_new(const ct_forged *f, const ct_forge_shape *shape,
                                   ct_forge_nest_layout layout, ct_arena *arena)
{
    CT_ASSERT(shape->n_trees == f->ensemble->n_trees);
    const ct_forge_ensemble *e = f->ensemble;
    const ct_forge_representation *as = ct_forge_representation_of(layout);
    size_t n = 0;
    for (uint32_t t = 0; t < e->n_trees; t++) n += as->n_nodes(shape, t);
    ct_forge_model *model = CT_ARENA_ZEROED(arena, ct_forge_model, 1);
    ct_forged_node *nodes = CT_ARENA_ZEROED(arena, ct_forged_node, n);
    uint32_t *origin = CT_ARENA_ZEROED(arena, uint32_t, n);
    uint32_t *roots = CT_ARENA_ZEROED(arena, uint32_t, e->n_trees);
    const double *terms = terms_of(e, arena);
    if (!model || !nodes || !origin || !roots || !terms) return NULL;
    as->pack(f, shape, nodes, origin, roots);
    *model = (ct_forge_model){
        .nodes = nodes,
        .origin = origin,
        .roots = roots,
        .used = f->used,
        .output = e->output_of_tree,
        .terms = terms,
        .base = e->base,
        .set_first = e->set_first,
        .set_size = e->set_size,
        .set_else = e->set_else,
        .sets = e->sets,
        .divisor = e->divisor,
        .n_trees = e->n_trees,
        .n_used = f->n_used,
        .n_outputs = e->n_outputs,
        .leaf_width = e->leaf_width,
        .minus_fraction = (uint32_t) e->minus_fraction,
        .plain = (uint32_t) f->plain,
        .n_nodes = (uint32_t) n,
        .ensemble = e,
        .layout = layout};
    return model;
}
