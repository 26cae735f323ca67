#include "base/compact.h"

#include "evolve/shrinkage.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static size_t square_of(const ct_gmt_shrink_nodes *nodes)
{
    return ((size_t) nodes->p + 1) * (nodes->p + 1);
}

ct_status ct_gmt_shrinkage_init(ct_shrinkage *s, const ct_gmt_shrink_nodes *nodes, ct_error *error)
{
    const size_t square = square_of(nodes), n = nodes->n_nodes;
    CT_ASSERT(n > 0 && nodes->p > 0 && nodes->parent[0] < 0);
    for (uint32_t node = 1; node < n; node++)
        CT_ASSERT(nodes->parent[node] >= 0 && (uint32_t) nodes->parent[node] < node);
    memset(s, 0, sizeof *s);
    s->nodes = nodes;
    s->penalty = (double *) ct_alloc_zeroed(square, sizeof(double));
    s->factors = (double *) ct_alloc(n * square * sizeof(double));
    s->counts = (double *) ct_alloc(n * sizeof(double));
    s->block = (double *) ct_alloc(2 * square * sizeof(double));
    if (!s->penalty || !s->factors || !s->counts || !s->block)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to shrink models");
    for (uint32_t k = 0; k < nodes->p; k++)
        s->penalty[(size_t) k * (nodes->p + 1) + k] = nodes->penalty[k];
    return ct_gmt_qr_make(&s->q, nodes->p, error);
}

void ct_gmt_shrinkage_free(ct_shrinkage *s)
{
    ct_free(s->penalty), ct_free(s->factors), ct_free(s->counts), ct_free(s->block);
    ct_gmt_qr_free(&s->q);
    memset(s, 0, sizeof *s);
}

/* ---- factors ---- */

/* The triangle of the rows of one factor and `times` those of another. */
static void stack(ct_shrinkage *s, const double *above, const double *below, double times,
                  double *to)
{
    const uint32_t columns = s->nodes->p + 1, m = 2 * columns;
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < columns; i++) {
            s->block[(size_t) j * m + i] = above[j * columns + i];
            s->block[(size_t) j * m + columns + i] = times * below[j * columns + i];
        }
    ct_gmt_triangle_fold(s->block, m, columns, to);
}

void ct_gmt_shrink_root(ct_shrinkage *s, double ridge)
{
    stack(s, s->nodes->factors, s->penalty, sqrt(ridge), s->factors);
    s->counts[0] = 1;
}

void ct_gmt_shrink_others(ct_shrinkage *s, double smoothing)
{
    const ct_gmt_shrink_nodes *nodes = s->nodes;
    const size_t square = square_of(nodes);
    for (uint32_t node = 1; node < nodes->n_nodes; node++) {
        size_t above = (size_t) nodes->parent[node];
        double share = smoothing / (nodes->n[above] + (above ? smoothing : 0));
        stack(s, nodes->factors + node * square, s->factors + above * square, sqrt(share),
              s->factors + node * square);
        s->counts[node] = 1 + share * s->counts[above];
    }
}

/* ---- models ---- */

uint32_t ct_gmt_shrink_solve(ct_shrinkage *s, uint32_t node, double *b)
{
    const size_t p = s->nodes->p, columns = p + 1, square = columns * columns;
    CT_ASSERT(s->q.x && node < s->nodes->n_nodes);
    memcpy(s->q.x, s->factors + node * square, square * sizeof *s->q.x);
    for (size_t k = 0; k < p; k++)
        if (s->nodes->dropped[node * p + k])
            memset(s->q.x + k * columns, 0, columns * sizeof *s->q.x);
    uint32_t rank = ct_gmt_qr_decompose(&s->q);
    ct_gmt_qr_solve(&s->q, rank, b);
    return rank;
}

static void add_models(ct_shrinkage *s, double weight, double *b, double *coefficients,
                       uint8_t *aliased)
{
    const uint32_t p = s->nodes->p;
    for (uint32_t node = 0; node < s->nodes->n_nodes; node++) {
        uint32_t rank = ct_gmt_shrink_solve(s, node, b);
        for (uint32_t k = 0; k < p; k++) coefficients[(size_t) node * p + k] += weight * b[k];
        for (uint32_t j = 0; j < rank; j++) aliased[(size_t) node * p + s->q.column[j]] = 0;
    }
}

/* |F (b, -1)|^2 */
static double deviance_of(const ct_gmt_shrink_nodes *nodes, uint32_t node, const double *b)
{
    const size_t columns = (size_t) nodes->p + 1;
    const double *factor = nodes->factors + node * columns * columns;
    double deviance = 0;
    for (size_t i = 0; i < columns; i++) {
        double sum = -factor[nodes->p * columns + i];
        for (size_t k = 0; k < nodes->p; k++) sum += factor[k * columns + i] * b[k];
        deviance += sum * sum;
    }
    return deviance;
}

ct_status ct_gmt_shrink_models(const ct_gmt_shrink_nodes *nodes, const ct_gmt_shrink_mean *mean,
                               double *coefficients, uint8_t *aliased, double *deviance,
                               ct_error *error)
{
    const size_t all = (size_t) nodes->n_nodes * nodes->p;
    ct_shrinkage s;
    ct_status status = ct_gmt_shrinkage_init(&s, nodes, error);
    double *b = (double *) ct_alloc(nodes->p * sizeof *b);
    if (status == CT_OK && !b) status = ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (size_t i = 0; i < all; i++) coefficients[i] = 0, aliased[i] = 1;
    for (uint32_t i = 0; status == CT_OK && i < mean->n; i++) {
        if (i == 0 || mean->ridge[i] != mean->ridge[i - 1]) ct_gmt_shrink_root(&s, mean->ridge[i]);
        ct_gmt_shrink_others(&s, mean->smoothing[i]);
        add_models(&s, mean->weight[i], b, coefficients, aliased);
    }
    for (uint32_t node = 0; node < nodes->n_nodes; node++)
        deviance[node] = deviance_of(nodes, node, coefficients + (size_t) node * nodes->p);
    ct_free(b);
    ct_gmt_shrinkage_free(&s);
    return status;
}
