#include "forge/shap.h"

#include <string.h>

#include "forge/shap_plan.h"

typedef struct {
    ct_forge_shap_common common;
    const ct_column *columns;
    uint32_t n_rows;
    ct_forge_shap_kernel *kernel;
    ct_forge_shap_scratch **scratches; /* [worker] */
    double *expected;                  /* [n_outputs] */
    double *out;
} job;

static ct_status check(const ct_forged *f, ct_error *error)
{
    const ct_forge_ensemble *e = f->ensemble;
    CT_TRY(ct_forge_shap_check(f, error));
    if (!e->cover)
        return ct_fail(error, CT_BAD_INPUT,
                       "how many training rows came to the nodes is not known");
    for (uint32_t i = 0; i < e->n_nodes; i++)
        if (e->feature[i] >= 0 && !(e->cover[i] > 0))
            return ct_fail(error, CT_BAD_INPUT, "no training row came to a node that splits");
    return CT_OK;
}

/* ---- two features ---- */

/* The deepest edge of each feature on the path down to `depth`, as depths. */
static uint32_t last_edges(const ct_forge_shap_tree *t, uint32_t depth, uint32_t *last)
{
    uint32_t n = 0;
    for (uint32_t d = depth; d > 0; d--) {
        uint32_t i = 0;
        while (i < n && t->open[last[i]]->player != t->open[d]->player) i++;
        if (i == n) last[n++] = d;
    }
    return n;
}

/* Adds the leaf at the end of the open path, for some rows of a block. products[i][lane]: what
 * feature i brings beside its factor in the product of all. */
static void add_leaf(const job *j, ct_forge_shap_scratch *scratch, uint32_t depth, uint32_t row,
                     uint32_t n, double *out)
{
    CT_ASSERT(depth > 0 && n <= CT_FORGE_SHAP_LANES && row + n <= j->n_rows);
    const ct_forged *f = j->common.forged;
    const ct_forge_shap_tree *t = &scratch->tree;
    uint32_t m = last_edges(t, depth, scratch->path), points = (m + 1) / 2;
    for (uint32_t q = 0; q < points; q++) {
        double at = j->common.points[points][q], all[CT_FORGE_SHAP_LANES];
        double term = t->open[depth]->term * j->common.weights[points][q];
        for (uint32_t lane = 0; lane < n; lane++) all[lane] = term;
        for (uint32_t i = 0; i < m; i++) {
            double z = t->open[scratch->path[i]]->z, known = at + z * (1 - at);
            for (uint32_t lane = 0; lane < n; lane++) {
                const int taken = t->taken[scratch->path[i] * CT_FORGE_SHAP_LANES + lane] != 0;
                double *product = &t->products[i * CT_FORGE_SHAP_LANES + lane];
                all[lane] *= taken ? known : z * (1 - at);
                *product = taken ? (1 - z) / known : -1 / (1 - at);
            }
        }
        for (uint32_t a = 0; a < m; a++)
            for (uint32_t b = 0; b < a; b++) {
                size_t i = f->used[t->open[scratch->path[a]]->player];
                size_t o = f->used[t->open[scratch->path[b]]->player];
                size_t pair = i < o ? i * f->ensemble->n_features + o
                                    : o * f->ensemble->n_features + i;
                for (uint32_t lane = 0; lane < n; lane++)
                    out[pair * j->n_rows + row + lane] +=
                        all[lane] * t->products[a * CT_FORGE_SHAP_LANES + lane] *
                        t->products[b * CT_FORGE_SHAP_LANES + lane];
            }
    }
}

static void add_pairs(const job *j, ct_forge_shap_scratch *scratch, uint32_t first, uint32_t row,
                      uint32_t n, double *out)
{
    const ct_forge_shap_tree *t = &scratch->tree;
    for (uint32_t i = 0; i < t->n_edges; i++) {
        const ct_forge_shap_edge *e = &t->edges[i];
        t->open[e->depth] = e;
        for (uint32_t lane = 0; lane < n; lane++) {
            double x = t->x[(size_t) e->column * CT_FORGE_SHAP_ROWS + row + lane];
            int left = x <= e->threshold || (e->nan_left && x != x);
            t->taken[e->depth * CT_FORGE_SHAP_LANES + lane] =
                t->taken[e->above * CT_FORGE_SHAP_LANES + lane] & -(int64_t) (left != e->right);
        }
        if (e->leaf) add_leaf(j, scratch, e->depth, first + row, n, out);
    }
}

/* ---- a block of rows ---- */

/* Adds what trees say of output k to the scratch's `out`, or of pairs to `pairs`. */
static void add_trees(const job *j, ct_forge_shap_scratch *scratch, uint32_t first, uint32_t n,
                      uint32_t k, double *pairs)
{
    const ct_forged *f = j->common.forged;
    const ct_forge_ensemble *e = f->ensemble;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        if ((e->leaf_width == 1 && e->output_of_tree[t] != k) || e->feature[e->roots[t]] < 0)
            continue;
        ct_forge_shap_plan(&j->common, scratch, t, e->leaf_width == 1 ? 0 : k);
        ct_forge_shap_answer(f, j->columns, scratch->special, scratch->n_special, first, n,
                             CT_FORGE_SHAP_ROWS, scratch->x);
        for (uint32_t row = 0; row < n; row += CT_FORGE_SHAP_LANES) {
            const uint32_t rest = n - row;
            if (!pairs) j->kernel(&scratch->tree, row);
            else add_pairs(j, scratch, first, row,
                           rest < CT_FORGE_SHAP_LANES ? rest : CT_FORGE_SHAP_LANES, pairs);
        }
    }
}

static void do_block(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const job *j = (const job *) data;
    const ct_forged *f = j->common.forged;
    const ct_forge_ensemble *e = f->ensemble;
    ct_forge_shap_scratch *scratch = j->scratches[worker];
    uint32_t first = (uint32_t) begin, n = (uint32_t) (end - begin);
    ct_forge_shap_load(f, j->columns, first, n, CT_FORGE_SHAP_ROWS, scratch->x);
    for (uint32_t k = 0; k < e->n_outputs; k++) {
        double *out = j->out + (size_t) k * (e->n_features + 1) * j->n_rows + first;
        memset(scratch->out, 0,
               ((size_t) f->n_used + 1) * CT_FORGE_SHAP_ROWS * sizeof *scratch->out);
        add_trees(j, scratch, first, n, k, NULL);
        for (uint32_t column = 0; column < f->n_used; column++)
            for (uint32_t row = 0; row < n; row++)
                out[(size_t) f->used[column] * j->n_rows + row] =
                    scratch->out[(size_t) column * CT_FORGE_SHAP_ROWS + row] / e->divisor;
        for (uint32_t row = 0; row < n; row++)
            out[(size_t) e->n_features * j->n_rows + row] = j->expected[k];
    }
}

static void do_pairs_block(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const job *j = (const job *) data;
    const ct_forged *f = j->common.forged;
    ct_forge_shap_scratch *scratch = j->scratches[worker];
    uint32_t first = (uint32_t) begin, n = (uint32_t) (end - begin);
    size_t width = (size_t) f->ensemble->n_features * f->ensemble->n_features * j->n_rows;
    ct_forge_shap_load(f, j->columns, first, n, CT_FORGE_SHAP_ROWS, scratch->x);
    for (uint32_t k = 0; k < f->ensemble->n_outputs; k++)
        add_trees(j, scratch, first, n, k, j->out + k * width);
}

/* ---- all of them ---- */

static void expect(const job *j)
{
    const ct_forge_ensemble *e = j->common.forged->ensemble;
    for (uint32_t k = 0; k < e->n_outputs; k++) {
        double sum = e->base[k];
        const uint32_t of_leaf = e->leaf_width > 1 ? k : 0;
        for (uint32_t t = 0; t < e->n_trees; t++)
            if (e->leaf_width > 1 || e->output_of_tree[t] == k)
                sum += ct_forge_shap_expected(&j->common, j->scratches[0], t, of_leaf);
        j->expected[k] = sum / e->divisor;
    }
}

static ct_status make_scratches(job *j, const ct_forged *f, unsigned threads, ct_arena *arena)
{
    j->expected = CT_ARENA_NEW(arena, double, f->ensemble->n_outputs);
    j->scratches = CT_ARENA_NEW(arena, ct_forge_shap_scratch *, threads);
    if (!j->expected || !j->scratches) return CT_NO_MEMORY;
    CT_TRY(ct_forge_shap_common_make(&j->common, f, arena));
    for (unsigned i = 0; i < threads; i++)
        if (!(j->scratches[i] = ct_forge_shap_scratch_new(&j->common, arena))) return CT_NO_MEMORY;
    return CT_OK;
}

ct_status ct_forged_shap(const ct_forged *f, const ct_column *columns, uint32_t n_rows,
                         int interactions, const ct_forge_run *run, double *out, ct_error *error)
{
    CT_ASSERT(run && (out || !n_rows));
    CT_TRY(check(f, error));
    if (!n_rows) return CT_OK;
    unsigned threads = run->threads ? run->threads : 1;
    uint32_t blocks = (n_rows - 1) / CT_FORGE_SHAP_ROWS + 1;
    if (threads > blocks) threads = blocks;
    const size_t p = f->ensemble->n_features,
                 n = f->ensemble->n_outputs * (interactions ? p * p : p + 1) * n_rows;
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    job j = {.columns = columns, .n_rows = n_rows, .kernel = ct_forge_shap_at(run->simd),
             .out = out};
    ct_arena_init(&arena, &budget);
    ct_status made = make_scratches(&j, f, threads, &arena);
    if (made == CT_OK) {
        memset(out, 0, n * sizeof *out);
        expect(&j);
        ct_loop loop = {n_rows, CT_FORGE_SHAP_ROWS, CT_DYNAMIC, threads,
                        interactions ? do_pairs_block : do_block, &j, run->stop};
        ct_parallel_for(&loop);
        for (size_t i = 0; interactions && i < n; i++) out[i] /= f->ensemble->divisor;
    }
    ct_arena_free(&arena);
    return made == CT_OK ? CT_OK : ct_fail(error, made, "not enough memory to explain rows");
}
