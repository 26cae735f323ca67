/* Made by the R package contree. */
typedef unsigned int u32;
typedef unsigned char u8;
typedef long long i64;

/* `what`: the column (of those used), and 1 << 24: no leaf, 1 << 25: missing goes left,
 * 1 << 26: zeros are missing, 1 << 27: a set of codes goes left. */
struct ct_node {
    double threshold;
    u32 next, what;
};

struct ct_model {
    const struct ct_node *nodes;
    const u32 *origin, *roots, *used, *output;
    const double *terms, *base;
    const u32 *set_first, *set_size;
    const u8 *set_else, *sets;
    double divisor;
    u32 n_trees, n_used, n_outputs, leaf_width, minus_fraction, plain, n_nodes;
};

#include <stdlib.h>

#if defined(__GNUC__)
#define CT_FN static inline __attribute__((unused))
#define CT_PREFETCH(x) __builtin_prefetch(x)
#else
#define CT_FN static inline
#define CT_PREFETCH(x) ((void) (x))
#endif

/* Sums begin at -0: -0 + x is x, whatever x is. */
CT_FN double *ct_sums(i64 n)
{
    double *sums = (double *) malloc((size_t) (n > 0 ? n : 1) * sizeof *sums);
    for (i64 i = 0; sums && i < n; i++) sums[i] = -0.0;
    return sums;
}

/* Whether a code goes left. */
CT_FN u32 ct_in_set(const struct ct_model *m, u32 node, double x)
{
    const u32 bit = m->set_first[node] + (x > 0 && x < 4294967295.0 ? (u32) x : 0u);
    if (m->minus_fraction ? x <= -1.0 : x < 0.0) return m->set_else[node];
    if (x >= (double) m->set_size[node]) return m->set_else[node];
    return (u32) m->sets[bit / 8] >> bit % 8 & 1u;
}

/* 1: to the right. */
CT_FN u32 ct_right(const struct ct_model *m, const struct ct_node *node, u32 origin,
    double x)
{
    const u32 missing_right = !(node->what & 1u << 25);
    if (x != x) return missing_right;
    if (node->what & 1u << 27) return !ct_in_set(m, origin, x);
    if (node->what & 1u << 26 && x <= (double) 1e-35f && x >= -(double) 1e-35f)
        return missing_right;
    return !(x <= node->threshold);
}

int rows(const struct ct_model *m, const double *x, i64 n_rows, i64 row_step,
    i64 column_step, double *out);
int rows(const struct ct_model *m, const double *x, i64 n_rows, i64 row_step,
    i64 column_step, double *out)
{
    const i64 n = n_rows * m->n_outputs;
    int failed = 0;
    double *sums = (double *) malloc((size_t) (n > 0 ? n : 1) * sizeof *sums);
    if (!sums) return 1;
    for (i64 k = 0; k < n; k++) sums[k] = (double) m->base[k % m->n_outputs];
    {
    const i64 b0_2 = n_rows;
    const i64 s0_2 = b0_2;
    const i64 stop2 = s0_2;
    /* b0 */
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (i64 v2 = 0; v2 < stop2; v2 += 64) {
        const i64 cache_first2 = v2, cache_left2 = n_rows > cache_first2 ? n_rows - cache_first2 : 0;
        const i64 cache_rows2 = cache_left2 < 64 ? cache_left2 : 64;
        double *const cache2 = ct_sums(cache_rows2 * m->n_used);
        if (cache2) {
        for (i64 k = 0; k < cache_rows2 * m->n_used; k++)
            cache2[k] = (double) (float) x[(cache_first2 + k / m->n_used) * row_step + (i64) m->used[k % m->n_used] * column_step];
        {
        const i64 b0_1 = 7;
        const i64 s0_1 = b0_1;
        const i64 stop1 = s0_1;
        /* tree */
        for (i64 v1 = 0; v1 < stop1; v1 += 1) {
            {
            const i64 b0_3 = 64;
            const i64 s0_3 = b0_3;
            const i64 b1_3 = n_rows - v2;
            const i64 s1_3 = b1_3 < s0_3 ? b1_3 : s0_3;
            const i64 stop3 = s1_3;
            /* b1 */
            for (i64 v3 = 0; v3 < stop3; v3 += 4) {
                {
                    const i64 left = (stop3 - v3 - 1) / 1 + 1;
                    const int n_lanes = left < 4 ? (int) left : 4;
                    u32 at[4], trees[4];
                    i64 rows[4];
                    const double *at_row[4];
                    for (int lane = 0; lane < 4; lane++) {
                        const i64 w = v3 + (lane < n_lanes ? lane : n_lanes - 1) * (i64) 1;
                        const u32 tree = (u32) (v1);
                        rows[lane] = v2 + w;
                        (void) w;
                        trees[lane] = tree;
                        at[lane] = ((m)->roots[tree]);
                        at_row[lane] = cache2 + (rows[lane] - cache_first2) * m->n_used;
                    }
                    for (int moved = 1; moved;) {
                        moved = 0;
                        for (int lane = 0; lane < 4; lane++) {
                            const u32 tree = trees[lane], i = at[lane], place = ((void) (m), (void) (tree), i);
                            const struct ct_node *node = &m->nodes[place];
                            if (node->what >> 24 & 1u) {
                                const double value = at_row[lane][node->what & 0xffffffu];
                                const u32 right = ct_right(m, node, m->origin[place], value);
                                at[lane] = ((node)->next + (right));
                                moved = 1;
                            }
                        }
                    }
                    for (int lane = 0; lane < n_lanes; lane++) {
                        const i64 row = rows[lane];
                        const u32 tree = trees[lane], i = at[lane];
                        const double *term = m->terms + (i64) m->origin[((void) (m), (void) (tree), i)] * m->leaf_width;
                        for (u32 k = 0; k < m->leaf_width; k++)
                            sums[row * m->n_outputs + m->output[tree] + k] += (double) term[k];
                    }
                }
            }
            }
        }
        }
        free(cache2);
        } else {
#ifdef _OPENMP
#pragma omp atomic write
#endif
            failed = 1;
        }
    }
    }
    for (i64 k = 0; k < n; k++) {
        const double margin = (double) sums[k] / m->divisor;
        out[k % m->n_outputs * n_rows + k / m->n_outputs] = (double) margin;
    }
    free(sums);
    (void) x, (void) row_step, (void) column_step;
    return failed;
}

int trees(const struct ct_model *m, const double *x, i64 n_rows, i64 row_step,
    i64 column_step, double *out);
int trees(const struct ct_model *m, const double *x, i64 n_rows, i64 row_step,
    i64 column_step, double *out)
{
    const i64 n = n_rows * m->n_outputs;
    int failed = 0;
    double *sums = (double *) malloc((size_t) (n > 0 ? n : 1) * sizeof *sums);
    if (!sums) return 1;
    for (i64 k = 0; k < n; k++) sums[k] = (double) m->base[k % m->n_outputs];
    const i64 own_first2 = 0, own_left2 = n_rows > own_first2 ? n_rows - own_first2 : 0;
    const i64 own_rows2 = own_left2;
    double *const own2 = ct_sums(4 * own_rows2 * m->n_outputs);
    if (own2) {
    {
    const i64 b0_2 = 7;
    const i64 s0_2 = b0_2;
    const i64 stop2 = s0_2;
    /* t0 */
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (i64 v2 = 0; v2 < stop2; v2 += 2) {
        {
        const i64 b0_0 = n_rows;
        const i64 s0_0 = b0_0;
        const i64 stop0 = s0_0;
        /* batch */
        for (i64 v0 = 0; v0 < stop0; v0 += 1) {
            {
            const i64 b0_3 = 2;
            const i64 s0_3 = b0_3;
            const i64 b1_3 = 7 - v2;
            const i64 s1_3 = b1_3 < s0_3 ? b1_3 : s0_3;
            const i64 stop3 = s1_3;
            /* t1 */
            for (i64 v3 = 0; v3 < stop3; v3 += 1) {
                {
                    const i64 left = (stop3 - v3 - 1) / 1 + 1;
                    const int n_lanes = left < 1 ? (int) left : 1;
                    u32 at[1], trees[1];
                    i64 rows[1];
                    const double *at_row[1];
                    for (int lane = 0; lane < 1; lane++) {
                        const i64 w = v3 + (lane < n_lanes ? lane : n_lanes - 1) * (i64) 1;
                        const u32 tree = (u32) (v2 + w);
                        rows[lane] = v0;
                        (void) w;
                        trees[lane] = tree;
                        at[lane] = ((void) (m), (void) (tree), 0u);
                        at_row[lane] = x + rows[lane] * row_step;
                    }
                    for (int moved = 1; moved;) {
                        moved = 0;
                        for (int lane = 0; lane < 1; lane++) {
                            const u32 tree = trees[lane], i = at[lane], place = ((m)->roots[tree] + (i));
                            const struct ct_node *node = &m->nodes[place];
                            if (node->what >> 24 & 1u) {
                                const double value = (double) (float) at_row[lane][(i64) m->used[node->what & 0xffffffu] * column_step];
                                const u32 right = ct_right(m, node, m->origin[place], value);
                                at[lane] = (2 * (i) + 1 + (right));
                                moved = 1;
                            }
                        }
                    }
                    for (int lane = 0; lane < n_lanes; lane++) {
                        const i64 row = rows[lane];
                        const u32 tree = trees[lane], i = at[lane];
                        const double *term = m->terms + (i64) m->origin[((m)->roots[tree] + (i))] * m->leaf_width;
                        for (u32 k = 0; k < m->leaf_width; k++)
                            own2[((v2 - 0) / 2 * own_rows2 + row - own_first2) * m->n_outputs + m->output[tree] + k] += (double) term[k];
                    }
                }
            }
            }
        }
        }
    }
    }
    for (i64 part = 0; part < 4; part++) {
        for (i64 k = 0; k < own_rows2 * m->n_outputs; k += 1) {
            const i64 row = own_first2 + k / m->n_outputs;
            sums[row * m->n_outputs + k % m->n_outputs] += own2[part * own_rows2 * m->n_outputs + k];
        }
    }
    free(own2);
    } else {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        failed = 1;
    }
    for (i64 k = 0; k < n; k++) {
        const double margin = (double) sums[k] / m->divisor;
        out[k % m->n_outputs * n_rows + k / m->n_outputs] = (double) margin;
    }
    free(sums);
    (void) x, (void) row_step, (void) column_step;
    return failed;
}

