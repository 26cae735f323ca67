#include "base/compact.h"

#include "forge/shap_plan.h"

#include <math.h>
#include <string.h>

#include "forge/input.h"
#include "forge/shap.h"

/* ---- quadrature ---- */

/* The Legendre polynomial of degree n at x, and its derivative. */
static double legendre(uint32_t n, double x, double *slope)
{
    double p = 1, before = 0;
    for (uint32_t k = 1; k <= n; k++) {
        double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
    }
    *slope = n * (x * p - before) / (x * x - 1);
    return p;
}

/* Roots by Newton's method, from where they nearly are. */
static void gauss_legendre(uint32_t n, double *points, double *weights)
{
    for (uint32_t i = 0; i < n; i++) {
        double x = cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int step = 0; step < 8; step++) {
            double p = legendre(n, x, &slope);
            x -= p / slope;
        }
        legendre(n, x, &slope);
        points[i] = (1 + x) / 2;
        weights[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

static ct_status make_points(ct_forge_shap_common *c, ct_arena *arena)
{
    c->points = CT_ARENA_NEW(arena, double *, c->most_points + 1);
    c->weights = CT_ARENA_NEW(arena, double *, c->most_points + 1);
    if (!c->points || !c->weights) return CT_NO_MEMORY;
    for (uint32_t n = 1; n <= c->most_points; n++) {
        c->points[n] = CT_ARENA_NEW(arena, double, n);
        c->weights[n] = CT_ARENA_NEW(arena, double, n);
        if (!c->points[n] || !c->weights[n]) return CT_NO_MEMORY;
        gauss_legendre(n, c->points[n], c->weights[n]);
    }
    return CT_OK;
}

/* ---- memory ---- */

/* Nodes whose tests are no thresholds, of the tree that has most of them. */
static uint32_t most_special(const ct_forged *f)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t most = 0;
    for (uint32_t t = 0; t < e->n_trees && !f->plain; t++) {
        uint32_t n = 0;
        for (uint32_t i = e->roots[t]; i < ct_forge_ensemble_end(e, t); i++)
            n += e->feature[i] >= 0 && (e->set_size[i] || e->missing[i] == CT_FORGE_MISSING_ZERO);
        if (n > most) most = n;
    }
    return most;
}

ct_status ct_forge_shap_common_make(ct_forge_shap_common *c, const ct_forged *f, ct_arena *arena)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t features = f->deepest < f->n_used ? f->deepest : f->n_used;
    memset(c, 0, sizeof *c);
    c->forged = f;
    c->n_columns = f->n_used + most_special(f);
    c->most_points = (features + 1) / 2;
    if (!c->most_points) c->most_points = 1;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t n = ct_forge_ensemble_end(e, t) - e->roots[t];
        if (n > c->most_edges) c->most_edges = n;
    }
    return make_points(c, arena);
}

ct_forge_shap_scratch *ct_forge_shap_scratch_new(const ct_forge_shap_common *c, ct_arena *arena)
{
    CT_ASSERT(c->most_edges > 0 && c->most_points > 0 && c->n_columns >= c->forged->n_used);
    ct_forge_shap_scratch *scratch = CT_ARENA_ZEROED(arena, ct_forge_shap_scratch, 1);
    if (!scratch) return NULL;
    size_t depths = (size_t) c->forged->deepest + 1, points = depths * c->most_points;
    size_t columns = c->n_columns, special = columns - c->forged->n_used;
    ct_forge_shap_tree *t = &scratch->tree;
    t->edges = scratch->edges = CT_ARENA_NEW(arena, ct_forge_shap_edge, c->most_edges);
    t->factors = scratch->factors =
        CT_ARENA_NEW(arena, ct_forge_shap_factor, (size_t) c->most_edges * c->most_points);
    t->x = scratch->x = CT_ARENA_ZEROED(arena, double,
                                        (columns ? columns : 1) * CT_FORGE_SHAP_ROWS);
    t->products = CT_ARENA_NEW(arena, double, points * CT_FORGE_SHAP_LANES);
    t->sums = CT_ARENA_ZEROED(arena, double, points * CT_FORGE_SHAP_LANES);
    t->taken = CT_ARENA_NEW(arena, int64_t, depths * CT_FORGE_SHAP_LANES);
    t->open = CT_ARENA_NEW(arena, const ct_forge_shap_edge *, depths);
    t->out = scratch->out =
        CT_ARENA_NEW(arena, double, ((size_t) c->forged->n_used + 1) * CT_FORGE_SHAP_ROWS);
    scratch->stack = CT_ARENA_NEW(arena, ct_forge_shap_pending, c->most_edges + 1);
    scratch->path = CT_ARENA_ZEROED(arena, uint32_t, depths);
    scratch->path_z = CT_ARENA_NEW(arena, double, depths);
    scratch->path_features = CT_ARENA_ZEROED(arena, uint32_t, depths);
    scratch->inverse = CT_ARENA_NEW(arena, double, points);
    scratch->open = CT_ARENA_NEW(arena, uint32_t, depths);
    scratch->reached = CT_ARENA_NEW(arena, double, depths);
    scratch->special = CT_ARENA_NEW(arena, uint32_t, special + 1);
    if (!scratch->edges || !scratch->factors || !scratch->x || !t->products || !t->sums ||
        !t->taken || !t->open || !scratch->out || !scratch->stack || !scratch->path ||
        !scratch->path_z || !scratch->path_features || !scratch->inverse || !scratch->open ||
        !scratch->reached || !scratch->special)
        return NULL;
    for (uint32_t lane = 0; lane < CT_FORGE_SHAP_LANES; lane++) t->taken[lane] = -1;
    return scratch;
}

/* ---- rows ---- */

ct_status ct_forge_shap_check(const ct_forged *f, ct_error *error)
{
    const uint32_t features = f->deepest < f->n_used ? f->deepest : f->n_used;
    if (f->ensemble->first_term) return ct_fail(error, CT_BAD_INPUT, "leaves are linear models");
    if (features > CT_FORGE_SHAP_FEATURES)
        return ct_fail(error, CT_BAD_INPUT, "a path may ask for more than %d features",
                       CT_FORGE_SHAP_FEATURES);
    return CT_OK;
}

void ct_forge_shap_load(const ct_forged *f, const ct_column *columns, uint32_t first, uint32_t n,
                        size_t stride, double *x)
{
    CT_ASSERT(n <= stride && columns);
    for (uint32_t column = 0; column < f->n_used; column++, x += stride)
        for (uint32_t row = 0; row < n; row++)
            x[row] = ct_forge_input(&columns[f->used[column]], first + row, f->ensemble->number);
}

void ct_forge_shap_answer(const ct_forged *f, const ct_column *columns, const uint32_t *special,
                          uint32_t n_special, uint32_t first, uint32_t n, size_t stride, double *x)
{
    CT_ASSERT(n <= stride && (special || !n_special));
    x += f->n_used * stride;
    for (uint32_t i = 0; i < n_special; i++, x += stride) {
        const ct_column *from = &columns[f->ensemble->feature[special[i]]];
        for (uint32_t row = 0; row < n; row++)
            x[row] = !ct_forge_ensemble_left(f->ensemble, special[i],
                                              ct_forge_input(from, first + row, CT_FORGE_F64));
    }
}

/* ---- plans ---- */

static uint32_t same_above(const ct_forge_shap_scratch *scratch, uint32_t depth, uint32_t player)
{
    uint32_t above = depth - 1;
    while (above && scratch->path[above] != player) above--;
    return above;
}

/* What both edges of a node have in common. */
static ct_forge_shap_edge test_of(const ct_forged *f, ct_forge_shap_scratch *scratch,
                                  const ct_forged_node *node, uint32_t depth)
{
    const uint32_t player = node->what & CT_FORGE_WALK_COLUMN;
    ct_forge_shap_edge edge = {.player = player, .column = player, .depth = depth,
                               .threshold = node->threshold,
                               .nan_left = (node->what & CT_FORGE_WALK_NAN_LEFT) != 0,
                               .above = same_above(scratch, depth, player)};
    if (node->what & (CT_FORGE_WALK_SET | CT_FORGE_WALK_ZERO)) {
        edge.column = f->n_used + scratch->n_special;
        edge.threshold = 0.5;
        scratch->special[scratch->n_special++] = f->node_of[node - f->nodes];
    }
    return edge;
}

/* Appends the edge, and notes it on the path to what is below. */
static void add_edge(ct_forge_shap_scratch *scratch, const ct_forge_shap_edge *edge)
{
    uint32_t d = edge->depth;
    scratch->edges[scratch->tree.n_edges++] = *edge;
    scratch->path[d] = edge->player;
    scratch->path_z[d] = edge->z;
    scratch->path_features[d] = scratch->path_features[d - 1] + (edge->above == 0);
    uint32_t points = (scratch->path_features[d] + 1) / 2;
    if (points > scratch->tree.n_points) scratch->tree.n_points = points;
}

/* Edges, each behind the one above it; a node waits on the stack with its edge. */
static void add_edges(const ct_forged *f, ct_forge_shap_scratch *scratch, uint32_t tree, uint32_t k)
{
    const ct_forge_ensemble *e = f->ensemble;
    uint32_t n = 0, root = e->roots[tree];
    for (uint32_t at = root, depth = 1;;) {
        const ct_forged_node *node = &f->nodes[at];
        if (node->what & CT_FORGE_WALK_INNER) {
            ct_forge_shap_edge edge = test_of(f, scratch, node, depth);
            for (uint32_t side = 2; side-- > 0;) {
                uint32_t child = node->next + side, i = f->node_of[child];
                edge.right = (uint8_t) side;
                edge.ratio = e->cover ? e->cover[i] / e->cover[f->node_of[at]] : 1;
                edge.z = edge.ratio * (edge.above ? scratch->path_z[edge.above] : 1);
                edge.leaf = e->feature[i] < 0;
                edge.term = edge.leaf ? ct_forge_ensemble_term(e, tree, i, k) : 0;
                scratch->stack[n++] = (ct_forge_shap_pending){child, edge};
            }
        }
        if (!n) return;
        const ct_forge_shap_pending *top = &scratch->stack[--n];
        add_edge(scratch, &top->edge);
        at = top->node;
        depth = top->edge.depth + 1;
    }
}

/* At point t of the quadrature the factor of a feature is t + z (1 - t) where o is 1, else
 * z (1 - t); before its first edge it is 1. */
static void set_factors(const ct_forge_shap_common *c, ct_forge_shap_scratch *scratch)
{
    uint32_t n = scratch->tree.n_points;
    const double *t = c->points[n], *w = c->weights[n];
    for (uint32_t i = 0; i < scratch->tree.n_edges; i++) {
        const ct_forge_shap_edge *edge = &scratch->edges[i];
        double z = edge->z;
        double above_z = edge->above ? scratch->edges[scratch->open[edge->above]].z : 1;
        ct_forge_shap_factor *f = scratch->factors + (size_t) i * n;
        double *inverse = scratch->inverse + (size_t) edge->depth * n;
        const double *above = scratch->inverse + (size_t) edge->above * n;
        scratch->open[edge->depth] = i;
        for (uint32_t q = 0; q < n; q++) {
            double taken = t[q] + z * (1 - t[q]), before = edge->above ? above[q] : 1;
            double of_above = (1 - above_z) * before;
            inverse[q] = 1 / taken;
            f[q].times_taken = taken * before;
            f[q].times_left = z * (1 - t[q]) * before;
            f[q].share_taken = w[q] * ((1 - z) * inverse[q] - of_above);
            f[q].share_left = w[q] * (-1 / (1 - t[q]) - of_above);
        }
    }
}

void ct_forge_shap_edges(const ct_forge_shap_common *c, ct_forge_shap_scratch *scratch,
                         uint32_t tree, uint32_t k)
{
    CT_ASSERT(tree < c->forged->ensemble->n_trees);
    scratch->n_special = 0;
    scratch->tree.n_edges = 0;
    scratch->tree.n_points = 1;
    add_edges(c->forged, scratch, tree, k);
}

void ct_forge_shap_plan(const ct_forge_shap_common *c, ct_forge_shap_scratch *scratch,
                        uint32_t tree, uint32_t k)
{
    CT_ASSERT(tree < c->forged->ensemble->n_trees && k < c->forged->ensemble->n_outputs);
    ct_forge_shap_edges(c, scratch, tree, k);
    set_factors(c, scratch);
}

double ct_forge_shap_expected(const ct_forge_shap_common *c, ct_forge_shap_scratch *scratch,
                              uint32_t tree, uint32_t k)
{
    const ct_forge_ensemble *e = c->forged->ensemble;
    CT_ASSERT(tree < e->n_trees && k < e->n_outputs);
    uint32_t root = e->roots[tree];
    if (e->feature[root] < 0) return ct_forge_ensemble_term(e, tree, root, k);
    double sum = 0;
    ct_forge_shap_edges(c, scratch, tree, k);
    for (uint32_t i = 0; i < scratch->tree.n_edges; i++) {
        const ct_forge_shap_edge *edge = &scratch->edges[i];
        double before = edge->depth > 1 ? scratch->reached[edge->depth - 1] : 1;
        scratch->reached[edge->depth] = before * edge->ratio;
        sum += scratch->reached[edge->depth] * edge->term;
    }
    return sum;
}
