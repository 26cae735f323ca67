/* The kernel of shap_kernel.h in the vector types of GCC and Clang: included once by each shap_*.c,
 * which sets VEC_BYTES to the size of its vectors and NAME to that of the function. */
#include "base/simd/rounded.h"

typedef double vec_f64 __attribute__((vector_size(VEC_BYTES), aligned(8), may_alias));
typedef int64_t vec_i64 __attribute__((vector_size(VEC_BYTES), aligned(8), may_alias));
enum { N64 = VEC_BYTES / 8 };

#define AT(type, from) (*(type *) (void *) (from))
#define INLINE static inline __attribute__((always_inline))

INLINE vec_f64 choose(vec_i64 which, vec_f64 yes, vec_f64 no)
{
    return (vec_f64) (((vec_i64) yes & which) | ((vec_i64) no & ~which));
}

INLINE vec_f64 fill(double x) { return x - (vec_f64){0}; }

INLINE vec_i64 taken_of(const ct_forge_shap_edge *e, vec_f64 x, vec_i64 above)
{
    vec_i64 left = (vec_i64) (x <= fill(e->threshold));
    if (e->nan_left) left |= (vec_i64) (x != x);
    return above & (e->right ? ~left : left);
}

/* sums += x * y, rounded twice. */
INLINE vec_f64 add_product(vec_f64 sums, vec_f64 x, vec_f64 y)
{
    vec_f64 product = x * y;
    ROUNDED(product);
    return sums + product;
}

/* What the sums below an edge give its feature, and the sums above. `sum` is of depth e->depth. */
INLINE void close_edge(const ct_forge_shap_tree *t, const ct_forge_shap_edge *e, const double *sum,
                       uint32_t n_points, uint32_t first, uint32_t lane)
{
    const ct_forge_shap_factor *f = t->factors + (size_t) (e - t->edges) * n_points;
    vec_i64 taken = AT(const vec_i64, t->taken + e->depth * CT_FORGE_SHAP_LANES + lane);
    vec_i64 above = AT(const vec_i64, t->taken + e->above * CT_FORGE_SHAP_LANES + lane);
    double *parent = t->sums + (size_t) (e->depth - 1) * n_points * CT_FORGE_SHAP_LANES + lane;
    vec_f64 share = {0};
    for (uint32_t q = 0; q < n_points; q++) {
        vec_f64 s = AT(const vec_f64, sum + q * CT_FORGE_SHAP_LANES + lane);
        share = add_product(share, s, choose(taken, fill(f[q].share_taken), fill(f[q].share_left)));
        AT(vec_f64, parent + q * CT_FORGE_SHAP_LANES) += s;
    }
    double *out = t->out + (size_t) e->player * CT_FORGE_SHAP_ROWS + first + lane;
    AT(vec_f64, out) += (vec_f64) ((vec_i64) share & above);
}

/* The products of an edge, and sums of its leaf, or 0. */
INLINE void open_edge(const ct_forge_shap_tree *t, const ct_forge_shap_edge *e, uint32_t n_points,
                      uint32_t first, uint32_t lane)
{
    const ct_forge_shap_factor *f = t->factors + (size_t) (e - t->edges) * n_points;
    vec_f64 x = AT(const vec_f64, t->x + (size_t) e->column * CT_FORGE_SHAP_ROWS + first + lane);
    vec_i64 above = AT(const vec_i64, t->taken + e->above * CT_FORGE_SHAP_LANES + lane);
    vec_i64 taken = taken_of(e, x, above);
    AT(vec_i64, t->taken + e->depth * CT_FORGE_SHAP_LANES + lane) = taken;
    size_t at = (size_t) e->depth * n_points * CT_FORGE_SHAP_LANES + lane;
    const double *parent = t->products + at - (size_t) n_points * CT_FORGE_SHAP_LANES;
    for (uint32_t q = 0; q < n_points; q++) {
        vec_f64 times = choose(taken, fill(f[q].times_taken), fill(f[q].times_left));
        if (e->above) times = choose(above, times, fill(e->ratio));
        vec_f64 product = AT(const vec_f64, parent + q * CT_FORGE_SHAP_LANES) * times;
        if (!e->leaf) AT(vec_f64, t->products + at + q * CT_FORGE_SHAP_LANES) = product;
        AT(vec_f64, t->sums + at + q * CT_FORGE_SHAP_LANES) =
            product * fill(e->leaf ? e->term : 0.0);
    }
}

/* Closes the edges whose subtrees are done, from `deepest` up to `depth`. */
INLINE void close_edges(const ct_forge_shap_tree *t, uint32_t deepest, uint32_t depth,
                        uint32_t n_points, uint32_t first)
{
    for (; deepest >= depth && deepest > 0; deepest--)
        for (uint32_t lane = 0; lane < CT_FORGE_SHAP_LANES; lane += N64)
            close_edge(t, t->open[deepest],
                       t->sums + (size_t) deepest * n_points * CT_FORGE_SHAP_LANES, n_points, first,
                       lane);
}

INLINE void run_tree(const ct_forge_shap_tree *t, uint32_t n_points, uint32_t first)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < n_points * CT_FORGE_SHAP_LANES; i++) t->products[i] = 1;
    for (uint32_t i = 0; i < t->n_edges; i++) {
        const ct_forge_shap_edge *e = &t->edges[i];
        close_edges(t, deepest, e->depth, n_points, first);
        deepest = e->depth;
        t->open[deepest] = e;
        for (uint32_t lane = 0; lane < CT_FORGE_SHAP_LANES; lane += N64)
            open_edge(t, e, n_points, first, lane);
    }
    close_edges(t, deepest, 1, n_points, first);
}

/* A few points are known to the compiler, which then has no loop over them. */
void NAME(const ct_forge_shap_tree *tree, uint32_t first)
{
    switch (tree->n_points) {
    case 1: run_tree(tree, 1, first); return;
    case 2: run_tree(tree, 2, first); return;
    case 3: run_tree(tree, 3, first); return;
    case 4: run_tree(tree, 4, first); return;
    default: run_tree(tree, tree->n_points, first);
    }
}
