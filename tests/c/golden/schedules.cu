/* Made by the R package contree. */
#define CT_FN static __device__ inline
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

extern "C" __global__ void direct_begin(const struct ct_model model, i64 n_rows,
    double *sums, double *slots)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        sums[k] = (double) m->base[k % m->n_outputs];
        for (i64 slot = 0; slot < 0; slot++) slots[slot * n + k] = -0.0;
    }
}

extern "C" __global__ void direct_nest(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, const double *x, i64 row_step, i64 column_step)
{
    const struct ct_model *m = &model;
    extern __shared__ __align__(16) unsigned char shared[];
    const u32 n_threads = blockDim.x * blockDim.y * blockDim.z;
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    (void) shared, (void) thread, (void) n_threads, (void) slots, (void) x;
    (void) row_step, (void) column_step, (void) sums;
    {
        {
        const i64 b0_2 = n_rows;
        const i64 s0_2 = b0_2;
        const i64 stop2 = s0_2;
        /* b0 */
        for (i64 v2 = 0 + (i64) blockIdx.x * 64; v2 < stop2; v2 += (i64) gridDim.x * 64) {
            {
            const i64 b0_3 = 64;
            const i64 s0_3 = b0_3;
            const i64 b1_3 = n_rows - v2;
            const i64 s1_3 = b1_3 < s0_3 ? b1_3 : s0_3;
            const i64 stop3 = s1_3;
            /* b1 */
            for (i64 v3 = 0 + (i64) threadIdx.x * 1, once3 = 1; once3; once3 = 0) {
                {
                const i64 b0_1 = 7;
                const i64 s0_1 = b0_1;
                const i64 stop1 = s0_1;
                /* tree */
                for (i64 v1 = 0; v1 < stop1; v1 += 1) {
                    if (1 && v3 < stop3 && v2 < stop2) {
                        const i64 left = (stop1 - v1 - 1) / 1 + 1;
                        const int n_lanes = left < 1 ? (int) left : 1;
                        u32 at[1], trees[1];
                        i64 rows[1];
                        const double *at_row[1];
                        for (int lane = 0; lane < 1; lane++) {
                            const i64 w = v1 + (lane < n_lanes ? lane : n_lanes - 1) * (i64) 1;
                            const u32 tree = (u32) (w);
                            rows[lane] = v2 + v3;
                            (void) w;
                            trees[lane] = tree;
                            at[lane] = ((m)->roots[tree]);
                            at_row[lane] = x + rows[lane] * row_step;
                        }
                        for (int moved = 1; moved;) {
                            moved = 0;
                            for (int lane = 0; lane < 1; lane++) {
                                const u32 tree = trees[lane], i = at[lane], place = ((void) (m), (void) (tree), i);
                                const struct ct_node *node = &m->nodes[place];
                                if (node->what >> 24 & 1u) {
                                    const double value = (double) (float) at_row[lane][(i64) m->used[node->what & 0xffffffu] * column_step];
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
        }
        }
    }
}

extern "C" __global__ void direct_end(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, double *out)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        double sum = sums[k];
        for (i64 slot = 0; slot < 0; slot++) sum += (double) slots[slot * n + k];
        const double margin = (double) sum / m->divisor;
        out[k % m->n_outputs * n_rows + k / m->n_outputs] = (double) margin;
    }
}

extern "C" __global__ void atomic_begin(const struct ct_model model, i64 n_rows,
    double *sums, double *slots)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        sums[k] = (double) m->base[k % m->n_outputs];
        for (i64 slot = 0; slot < 0; slot++) slots[slot * n + k] = -0.0;
    }
}

extern "C" __global__ void atomic_nest(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, const double *x, i64 row_step, i64 column_step)
{
    const struct ct_model *m = &model;
    extern __shared__ __align__(16) unsigned char shared[];
    const u32 n_threads = blockDim.x * blockDim.y * blockDim.z;
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    (void) shared, (void) thread, (void) n_threads, (void) slots, (void) x;
    (void) row_step, (void) column_step, (void) sums;
    {
        {
        const i64 b0_0 = n_rows;
        const i64 s0_0 = b0_0;
        const i64 stop0 = s0_0;
        /* batch */
        for (i64 v0 = 0 + (i64) blockIdx.x * 1; v0 < stop0; v0 += (i64) gridDim.x * 1) {
            __syncthreads();
            const i64 cache_first0 = v0, cache_left0 = n_rows > cache_first0 ? n_rows - cache_first0 : 0;
            const i64 cache_rows0 = cache_left0 < 1 ? cache_left0 : 1;
            double *const cache0 = (double *) (shared + 0);
            for (i64 k = thread; k < cache_rows0 * m->n_used; k += n_threads)
                cache0[k] = (double) (float) x[(cache_first0 + k / m->n_used) * row_step + (i64) m->used[k % m->n_used] * column_step];
            __syncthreads();
            {
            const i64 b0_1 = 7;
            const i64 s0_1 = b0_1;
            const i64 stop1 = s0_1;
            /* tree */
            for (i64 v1 = 0 + (i64) threadIdx.x * 1, once1 = 1; once1; once1 = 0) {
                if (1 && v1 < stop1 && v0 < stop0) {
                    const i64 left = (stop1 - v1 - 1) / 1 + 1;
                    const int n_lanes = left < 1 ? (int) left : 1;
                    u32 at[1], trees[1];
                    i64 rows[1];
                    const double *at_row[1];
                    for (int lane = 0; lane < 1; lane++) {
                        const i64 w = v1 + (lane < n_lanes ? lane : n_lanes - 1) * (i64) 1;
                        const u32 tree = (u32) (w);
                        rows[lane] = v0;
                        (void) w;
                        trees[lane] = tree;
                        at[lane] = ((m)->roots[tree]);
                        at_row[lane] = cache0 + (rows[lane] - cache_first0) * m->n_used;
                    }
                    for (int moved = 1; moved;) {
                        moved = 0;
                        for (int lane = 0; lane < 1; lane++) {
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
                            atomicAdd(&sums[row * m->n_outputs + m->output[tree] + k], (double) term[k]);
                    }
                }
            }
            }
        }
        }
    }
}

extern "C" __global__ void atomic_end(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, double *out)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        double sum = sums[k];
        for (i64 slot = 0; slot < 0; slot++) sum += (double) slots[slot * n + k];
        const double margin = (double) sum / m->divisor;
        out[k % m->n_outputs * n_rows + k / m->n_outputs] = (double) margin;
    }
}

extern "C" __global__ void cached_begin(const struct ct_model model, i64 n_rows,
    double *sums, double *slots)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        sums[k] = (double) m->base[k % m->n_outputs];
        for (i64 slot = 0; slot < 0; slot++) slots[slot * n + k] = -0.0;
    }
}

extern "C" __global__ void cached_nest(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, const double *x, i64 row_step, i64 column_step)
{
    const struct ct_model *m = &model;
    extern __shared__ __align__(16) unsigned char shared[];
    const u32 n_threads = blockDim.x * blockDim.y * blockDim.z;
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    (void) shared, (void) thread, (void) n_threads, (void) slots, (void) x;
    (void) row_step, (void) column_step, (void) sums;
    {
        {
        const i64 b0_2 = n_rows;
        const i64 s0_2 = b0_2;
        const i64 stop2 = s0_2;
        /* b0 */
        for (i64 v2 = 0 + (i64) blockIdx.x * 64; v2 < stop2; v2 += (i64) gridDim.x * 64) {
            {
            const i64 b0_3 = 64;
            const i64 s0_3 = b0_3;
            const i64 b1_3 = n_rows - v2;
            const i64 s1_3 = b1_3 < s0_3 ? b1_3 : s0_3;
            const i64 stop3 = s1_3;
            /* b1 */
            for (i64 v3 = 0 + (i64) threadIdx.x * 1, once3 = 1; once3; once3 = 0) {
                {
                const i64 b0_4 = 7;
                const i64 s0_4 = b0_4;
                const i64 stop4 = s0_4;
                /* t0 */
                for (i64 v4 = 0; v4 < stop4; v4 += 2) {
                    __syncthreads();
                    const u32 low4 = (u32) (v4), left4 = m->n_trees > low4 ? m->n_trees - low4 : 0u;
                    const u32 trees4 = left4 < 2u ? left4 : 2u;
                    struct ct_node *const nodes4 = (struct ct_node *) (shared + 0);
                    for (u32 k = thread; k < m->n_nodes / m->n_trees * trees4; k += n_threads)
                        nodes4[k] = m->nodes[k / trees4 * m->n_trees + low4 + k % trees4];
                    __syncthreads();
                    {
                    const i64 b0_5 = 2;
                    const i64 s0_5 = b0_5;
                    const i64 b1_5 = 7 - v4;
                    const i64 s1_5 = b1_5 < s0_5 ? b1_5 : s0_5;
                    const i64 stop5 = s1_5;
                    /* t1 */
                    for (i64 v5 = 0; v5 < stop5; v5 += 1) {
                        if (1 && v3 < stop3 && v2 < stop2) {
                            const i64 left = (stop5 - v5 - 1) / 1 + 1;
                            const int n_lanes = left < 1 ? (int) left : 1;
                            u32 at[1], trees[1];
                            i64 rows[1];
                            const double *at_row[1];
                            for (int lane = 0; lane < 1; lane++) {
                                const i64 w = v5 + (lane < n_lanes ? lane : n_lanes - 1) * (i64) 1;
                                const u32 tree = (u32) (v4 + w);
                                rows[lane] = v2 + v3;
                                (void) w;
                                trees[lane] = tree;
                                at[lane] = ((void) (m), (void) (tree), 0u);
                                at_row[lane] = x + rows[lane] * row_step;
                            }
                            for (int moved = 1; moved;) {
                                moved = 0;
                                for (int lane = 0; lane < 1; lane++) {
                                    const u32 tree = trees[lane], i = at[lane], place = ((i) * (m)->n_trees + (tree));
                                    const struct ct_node *node = &nodes4[i * trees4 + (tree - low4)];
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
                                const double *term = m->terms + (i64) m->origin[((i) * (m)->n_trees + (tree))] * m->leaf_width;
                                for (u32 k = 0; k < m->leaf_width; k++)
                                    sums[row * m->n_outputs + m->output[tree] + k] += (double) term[k];
                            }
                        }
                    }
                    }
                }
                }
            }
            }
        }
        }
    }
}

extern "C" __global__ void cached_end(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, double *out)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        double sum = sums[k];
        for (i64 slot = 0; slot < 0; slot++) sum += (double) slots[slot * n + k];
        const double margin = (double) sum / m->divisor;
        out[k % m->n_outputs * n_rows + k / m->n_outputs] = (double) margin;
    }
}

extern "C" __global__ void slots_begin(const struct ct_model model, i64 n_rows,
    double *sums, double *slots)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        sums[k] = (double) m->base[k % m->n_outputs];
        for (i64 slot = 0; slot < 2; slot++) slots[slot * n + k] = -0.0;
    }
}

extern "C" __global__ void slots_nest(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, const double *x, i64 row_step, i64 column_step)
{
    const struct ct_model *m = &model;
    extern __shared__ __align__(16) unsigned char shared[];
    const u32 n_threads = blockDim.x * blockDim.y * blockDim.z;
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    (void) shared, (void) thread, (void) n_threads, (void) slots, (void) x;
    (void) row_step, (void) column_step, (void) sums;
    {
        {
        const i64 b0_2 = n_rows;
        const i64 s0_2 = b0_2;
        const i64 stop2 = s0_2;
        /* b0 */
        for (i64 v2 = 0 + (i64) blockIdx.x * 64; v2 < stop2; v2 += (i64) gridDim.x * 64) {
            {
            const i64 b0_4 = 7;
            const i64 s0_4 = b0_4;
            const i64 stop4 = s0_4;
            /* t0 */
            for (i64 v4 = 0 + (i64) blockIdx.y * 4; v4 < stop4; v4 += (i64) gridDim.y * 4) {
                {
                const i64 b0_3 = 64;
                const i64 s0_3 = b0_3;
                const i64 b1_3 = n_rows - v2;
                const i64 s1_3 = b1_3 < s0_3 ? b1_3 : s0_3;
                const i64 stop3 = s1_3;
                /* b1 */
                for (i64 v3 = 0 + (i64) threadIdx.x * 1, once3 = 1; once3; once3 = 0) {
                    {
                    const i64 b0_6 = 4;
                    const i64 s0_6 = b0_6;
                    const i64 b1_6 = 7 - v4;
                    const i64 s1_6 = b1_6 < s0_6 ? b1_6 : s0_6;
                    const i64 stop6 = s1_6;
                    /* t1 */
                    for (i64 v6 = 0; v6 < stop6; v6 += 2) {
                        __syncthreads();
                        const u32 low6 = (u32) (v4 + v6), left6 = m->n_trees > low6 ? m->n_trees - low6 : 0u;
                        const u32 trees6 = left6 < 2u ? left6 : 2u;
                        struct ct_node *const nodes6 = (struct ct_node *) (shared + 0);
                        const u32 begin6 = trees6 ? m->roots[low6] : 0u;
                        const u32 end6 = low6 + trees6 < m->n_trees ? m->roots[low6 + trees6] : m->n_nodes;
                        for (u32 k = thread; trees6 && k < end6 - begin6; k += n_threads)
                            nodes6[k] = m->nodes[begin6 + k];
                        __syncthreads();
                        {
                        const i64 b0_7 = 2;
                        const i64 s0_7 = b0_7;
                        const i64 b1_7 = 7 - v6 - v4;
                        const i64 s1_7 = b1_7 < s0_7 ? b1_7 : s0_7;
                        const i64 stop7 = s1_7;
                        /* t2 */
                        for (i64 v7 = 0; v7 < stop7; v7 += 1) {
                            if (1 && v3 < stop3 && v4 < stop4 && v2 < stop2) {
                                const i64 left = (stop7 - v7 - 1) / 1 + 1;
                                const int n_lanes = left < 1 ? (int) left : 1;
                                u32 at[1], trees[1];
                                i64 rows[1];
                                const double *at_row[1];
                                for (int lane = 0; lane < 1; lane++) {
                                    const i64 w = v7 + (lane < n_lanes ? lane : n_lanes - 1) * (i64) 1;
                                    const u32 tree = (u32) (v4 + v6 + w);
                                    rows[lane] = v2 + v3;
                                    (void) w;
                                    trees[lane] = tree;
                                    at[lane] = ((m)->roots[tree]);
                                    at_row[lane] = x + rows[lane] * row_step;
                                }
                                for (int moved = 1; moved;) {
                                    moved = 0;
                                    for (int lane = 0; lane < 1; lane++) {
                                        const u32 tree = trees[lane], i = at[lane], place = ((void) (m), (void) (tree), i);
                                        const struct ct_node *node = &nodes6[place - begin6];
                                        if (node->what >> 24 & 1u) {
                                            const double value = (double) (float) at_row[lane][(i64) m->used[node->what & 0xffffffu] * column_step];
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
                                        slots[((0 * 2 + (v4 - 0) / 4) * n_rows + row) * m->n_outputs + m->output[tree] + k] += (double) term[k];
                                }
                            }
                        }
                        }
                    }
                    }
                }
                }
            }
            }
        }
        }
    }
}

extern "C" __global__ void slots_end(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, double *out)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        double sum = sums[k];
        for (i64 slot = 0; slot < 2; slot++) sum += (double) slots[slot * n + k];
        const double margin = (double) sum / m->divisor;
        out[k % m->n_outputs * n_rows + k / m->n_outputs] = (double) margin;
    }
}

extern "C" __global__ void shared_begin(const struct ct_model model, i64 n_rows,
    double *sums, double *slots)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        sums[k] = (double) m->base[k % m->n_outputs];
        for (i64 slot = 0; slot < 0; slot++) slots[slot * n + k] = -0.0;
    }
}

extern "C" __global__ void shared_nest(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, const double *x, i64 row_step, i64 column_step)
{
    const struct ct_model *m = &model;
    extern __shared__ __align__(16) unsigned char shared[];
    const u32 n_threads = blockDim.x * blockDim.y * blockDim.z;
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    (void) shared, (void) thread, (void) n_threads, (void) slots, (void) x;
    (void) row_step, (void) column_step, (void) sums;
    {
        {
        const i64 b0_2 = n_rows;
        const i64 s0_2 = b0_2;
        const i64 stop2 = s0_2;
        /* b0 */
        for (i64 v2 = 0 + (i64) blockIdx.x * 64; v2 < stop2; v2 += (i64) gridDim.x * 64) {
            const i64 own_first5 = v2, own_left5 = n_rows > own_first5 ? n_rows - own_first5 : 0;
            const i64 own_rows5 = own_left5 < 64 ? own_left5 : 64;
            double *const own5 = (double *) (shared + 0);
            for (i64 k = thread; k < 4 * own_rows5 * m->n_outputs; k += n_threads)
                own5[k] = -0.0;
            __syncthreads();
            __syncthreads();
            const i64 cache_first2 = v2, cache_left2 = n_rows > cache_first2 ? n_rows - cache_first2 : 0;
            const i64 cache_rows2 = cache_left2 < 64 ? cache_left2 : 64;
            double *const cache2 = (double *) (shared + 4096);
            for (i64 k = thread; k < cache_rows2 * m->n_used; k += n_threads)
                cache2[k] = (double) (float) x[(cache_first2 + k / m->n_used) * row_step + (i64) m->used[k % m->n_used] * column_step];
            __syncthreads();
            {
            const i64 b0_3 = 64;
            const i64 s0_3 = b0_3;
            const i64 b1_3 = n_rows - v2;
            const i64 s1_3 = b1_3 < s0_3 ? b1_3 : s0_3;
            const i64 stop3 = s1_3;
            /* b1 */
            for (i64 v3 = 0 + (i64) threadIdx.x * 1, once3 = 1; once3; once3 = 0) {
                {
                const i64 b0_5 = 4;
                const i64 s0_5 = b0_5;
                const i64 stop5 = s0_5;
                /* t1 */
                for (i64 v5 = 0 + (i64) threadIdx.y * 1, once5 = 1; once5; once5 = 0) {
                    {
                    const i64 b0_4 = 7;
                    const i64 s0_4 = b0_4;
                    const i64 b1_4 = 7 - v5;
                    const i64 s1_4 = b1_4 < s0_4 ? b1_4 : s0_4;
                    const i64 stop4 = s1_4;
                    /* t0 */
                    for (i64 v4 = 0; v4 < stop4; v4 += 4) {
                        if (1 && v5 < stop5 && v3 < stop3 && v2 < stop2) {
                            const i64 left = (stop4 - v4 - 1) / 4 + 1;
                            const int n_lanes = left < 1 ? (int) left : 1;
                            u32 at[1], trees[1];
                            i64 rows[1];
                            const double *at_row[1];
                            for (int lane = 0; lane < 1; lane++) {
                                const i64 w = v4 + (lane < n_lanes ? lane : n_lanes - 1) * (i64) 4;
                                const u32 tree = (u32) (v5 + w);
                                rows[lane] = v2 + v3;
                                (void) w;
                                trees[lane] = tree;
                                at[lane] = ((m)->roots[tree]);
                                at_row[lane] = cache2 + (rows[lane] - cache_first2) * m->n_used;
                            }
#pragma unroll
                            for (int hop = 0; hop < 3; hop++)
                                for (int lane = 0; lane < 1; lane++) {
                                    const u32 tree = trees[lane], i = at[lane], place = ((void) (m), (void) (tree), i);
                                    const struct ct_node *node = &m->nodes[place];
                                    if (node->what >> 24 & 1u) {
                                        const double value = at_row[lane][node->what & 0xffffffu];
                                        const u32 right = ct_right(m, node, m->origin[place], value);
                                        at[lane] = ((node)->next + (right));
                                    }
                                }
                            for (int lane = 0; lane < n_lanes; lane++) {
                                const i64 row = rows[lane];
                                const u32 tree = trees[lane], i = at[lane];
                                const double *term = m->terms + (i64) m->origin[((void) (m), (void) (tree), i)] * m->leaf_width;
                                for (u32 k = 0; k < m->leaf_width; k++)
                                    own5[((v5 - 0) / 1 * own_rows5 + row - own_first5) * m->n_outputs + m->output[tree] + k] += (double) term[k];
                            }
                        }
                    }
                    }
                }
                }
            }
            }
            __syncthreads();
            for (i64 part = 0; part < 4; part++) {
                for (i64 k = thread; k < own_rows5 * m->n_outputs; k += n_threads) {
                    const i64 row = own_first5 + k / m->n_outputs;
                    sums[row * m->n_outputs + k % m->n_outputs] += own5[part * own_rows5 * m->n_outputs + k];
                }
            }
            __syncthreads();
        }
        }
    }
}

extern "C" __global__ void shared_end(const struct ct_model model, i64 n_rows,
    double *sums, double *slots, double *out)
{
    const struct ct_model *m = &model;
    const i64 n = n_rows * m->n_outputs, step = (i64) gridDim.x * blockDim.x;
    for (i64 k = (i64) blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        double sum = sums[k];
        for (i64 slot = 0; slot < 0; slot++) sum += (double) slots[slot * n + k];
        const double margin = (double) sum / m->divisor;
        out[k % m->n_outputs * n_rows + k / m->n_outputs] = (double) margin;
    }
}

