#include "exact/rows/spans.h"

#include "base/bits.h"
#include "base/status.h"
#include "exact/rows/abreast.h"

/* Lower bounds are sums of numbers in single precision, less one of them; this is more than what
 * that is off by. */
static const double SLACK = 0x1p-20;

/* The smallest blocks. */
enum { LEAST = 4, LEAST_IN_BLOCK = CT_SPAN_ROWS / LEAST };

ct_spans *ct_spans_new(const ct_worker *worker, ct_arena *arena, const ct_node *node)
{
    const ct_exact_costs *costs = worker->search->costs;
    if (!costs->response || ct_response_weights(costs)) return NULL;
    ct_spans *spans = CT_ARENA_NEW(arena, ct_spans, 1);
    if (!spans) return NULL;
    spans->node = node;
    spans->n_blocks = (node->n_rows + CT_SPAN_ROWS - 1) / CT_SPAN_ROWS;
    spans->features = CT_ARENA_ZEROED(arena, ct_feature_spans, node->layout->n_cols);
    return spans->features ? spans : NULL;
}

/* The response of the node's rows in the order of f, with as many numbers more as fill a block;
 * NULL if memory ends. */
static const int32_t *list_rows(const ct_node *node, ct_arena *arena, uint32_t f, size_t room)
{
    const ct_layout *layout = node->layout;
    const int32_t *z = ct_layout_z(layout, f);
    if (node->n_rows == layout->n_rows) {
        CT_ASSERT(room <= layout->stride);
        return z;
    }
    int32_t *listed = CT_ARENA_ZEROED(arena, int32_t, room);
    uint32_t n = 0;
    for (size_t w = node->rows.begin[f]; listed && w < node->rows.end[f]; w++)
        for (uint64_t rest = ct_node_sets(node, f)[w]; rest; rest &= rest - 1)
            listed[n++] = z[w * 64 + ct_trailing_zeros(rest)];
    CT_ASSERT(!listed || n == node->n_rows);
    return listed;
}

static float cost_of(const ct_feature_spans *spans, uint32_t block, uint32_t node)
{
    size_t at = spans->first + (size_t) block * spans->step;
    return spans->groups[at / CT_SPAN_LANES].costs[node][at % CT_SPAN_LANES];
}

static float loss_of(const ct_feature_spans *spans, uint32_t block, uint32_t node)
{
    size_t at = spans->first + (size_t) block * spans->step;
    return spans->groups[at / CT_SPAN_LANES].losses[node][at % CT_SPAN_LANES];
}

/* Block n of f is lane `first + n * step` of groups[]. */
static void set_table(const ct_spans *spans, uint32_t f, const ct_span_group *groups,
                      uint32_t first, uint32_t step, double *before)
{
    ct_feature_spans *feature = &spans->features[f];
    *feature = (ct_feature_spans){groups, first, step, before};
    before[0] = 0;
    for (uint32_t block = 0; block < spans->n_blocks; block++)
        before[block + 1] = before[block] + cost_of(feature, block, 1);
}

/* Rows that lie side by side in the orders of 16 features: all features of f's block. */
static int make_abreast(ct_spans *spans, const ct_worker *worker, ct_arena *arena, uint32_t f)
{
    const ct_abreast *rows = ct_abreast_rows(spans->node->layout->abreast);
    const int32_t *z = rows->z + f / CT_BESIDE * rows->stride * CT_BESIDE;
    uint32_t first = f / CT_BESIDE * CT_BESIDE, n = spans->node->layout->n_cols - first;
    ct_span_group *groups = CT_ARENA_NEW(arena, ct_span_group, spans->n_blocks);
    if (n > CT_BESIDE) n = CT_BESIDE;
    double *before = CT_ARENA_NEW(arena, double, n * ((size_t) spans->n_blocks + 1));
    if (!groups || !before) return 0;
    for (uint32_t block = 0; block < spans->n_blocks; block++, z += CT_SPAN_ROWS * CT_BESIDE)
        worker->search->kernels->spans((const int32_t (*)[CT_BESIDE]) (const void *) z,
                                       worker->search->costs->response, groups + block);
    for (uint32_t i = 0; i < n; i++)
        set_table(spans, first + i, groups, i, CT_SPAN_LANES, before + i * (spans->n_blocks + 1));
    return 1;
}

/* One feature. */
static int make_alone(ct_spans *spans, const ct_worker *worker, ct_arena *arena, uint32_t f)
{
    size_t n_groups = ((size_t) spans->n_blocks + CT_SPAN_LANES - 1) / CT_SPAN_LANES;
    ct_span_group *groups = CT_ARENA_NEW(arena, ct_span_group, n_groups);
    double *before = CT_ARENA_NEW(arena, double, (size_t) spans->n_blocks + 1);
    const int32_t *z = list_rows(spans->node, arena, f,
                                 (size_t) spans->n_blocks * CT_SPAN_ROWS);
    if (!groups || !before || !z) return 0;
    for (size_t group = 0; group < n_groups; group++) {
        int32_t rows[CT_SPAN_ROWS][CT_SPAN_LANES] = {{0}};
        for (uint32_t lane = 0; lane < CT_SPAN_LANES; lane++) {
            size_t block = group * CT_SPAN_LANES + lane;
            for (uint32_t i = 0; i < CT_SPAN_ROWS && block < spans->n_blocks; i++)
                rows[i][lane] = z[block * CT_SPAN_ROWS + i];
        }
        worker->search->kernels->spans((const int32_t (*)[CT_SPAN_LANES]) rows,
                                       worker->search->costs->response, groups + group);
    }
    set_table(spans, f, groups, 0, 1, before);
    return 1;
}

static const ct_feature_spans *table_of(ct_spans *spans, const ct_worker *worker, ct_arena *arena,
                                        uint32_t f)
{
    const ct_abreast_layout *abreast = spans->node->layout->abreast;
    if (spans->features[f].groups) return &spans->features[f];
    int made = abreast && !abreast->rows.members ? make_abreast(spans, worker, arena, f)
                                                 : make_alone(spans, worker, arena, f);
    return made ? &spans->features[f] : NULL;
}

int64_t ct_spans_cost(ct_spans *spans, const ct_worker *worker, ct_arena *arena, uint32_t f,
                         uint32_t from, uint32_t to, int64_t wanted)
{
    uint32_t first = (from + LEAST - 1) / LEAST, last = to / LEAST, block, whole[2] = {0, 0};
    const ct_exact_response *response = worker->search->costs->response;
    const double scale = response->scale,
                 least = (double) ct_response_needed(response, wanted, to - from) / scale;
    double sum = 0;
    float loss = 0;
    CT_ASSERT(from < to && to <= spans->node->n_rows);
    if (first >= last) return 0;
    const ct_feature_spans *table = table_of(spans, worker, arena, f);
    if (!table) return 0;
    while (first < last) {
        uint32_t within = first % LEAST_IN_BLOCK, size = within ? within & -within : LEAST_IN_BLOCK;
        block = first / LEAST_IN_BLOCK;
        while (first + size > last) size /= 2;
        if (size == LEAST_IN_BLOCK) {
            whole[0] = block;
            whole[1] = last / LEAST_IN_BLOCK;
            sum += table->before[whole[1]] - table->before[block];
            first = whole[1] * LEAST_IN_BLOCK;
            continue;
        }
        uint32_t node = (LEAST_IN_BLOCK + within) / size;
        sum += cost_of(table, block, node);
        if (loss_of(table, block, node) > loss) loss = loss_of(table, block, node);
        first += size;
    }
    if (sum < least) return 0;
    for (block = whole[0]; block < whole[1]; block++)
        if (loss_of(table, block, 1) > loss) loss = loss_of(table, block, 1);
    double bound = sum - loss - sum * SLACK - 1;
    if (!(bound > 0 && bound >= least)) return 0;
    return ct_response_surely(response, (int64_t) (bound * scale), to - from);
}
