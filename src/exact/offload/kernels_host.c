/* The kernels on the host twin, one lane after the other. */
#include "exact/offload/kernels.h"

#include <string.h>

#include "exact/offload/scan_body.h"

#define THREADS_ON_HOST(id, body, item) \
    CT_GPU_THREADS_ON_HOST(ct_offload_host_##id, ct_offload_views, body)
CT_OFFLOAD_THREAD_KERNELS(THREADS_ON_HOST)
#undef THREADS_ON_HOST

CT_GPU_WARPS_ON_HOST(ct_offload_host_STARTS, ct_offload_views, ct_offload_sum_members)

/* ct_lanes_transpose for all lanes at once. */
static void transpose(uint32_t words[CT_GPU_LANES])
{
    uint32_t low = 0x0000ffffu, before[CT_GPU_LANES];
    for (uint32_t step = 16; step; step /= 2) {
        memcpy(before, words, sizeof before);
        for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
            words[lane] = ct_transpose_step(before[lane], before[lane ^ step], lane, step, low);
        low ^= low << step / 2;
    }
}

/* The sides of each lane's candidate in a word. */
typedef struct {
    uint32_t left[CT_GPU_LANES], right[CT_GPU_LANES];
} sides_of_candidates;

static void find_sides(const ct_offload_views *v, uint32_t col, uint32_t group, uint32_t w,
                       sides_of_candidates *in)
{
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
        in->left[lane] = ct_scan_sides(v, col, group, w, lane, 0);
    transpose(in->left);
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
        in->right[lane] = v->batch.n_sides == 2 ? ct_scan_sides(v, col, group, w, lane, 1)
                                                : ct_scan_valid(v, w) & ~in->left[lane];
    if (v->batch.n_sides == 2) transpose(in->right);
}

static void count_part(const ct_offload_views *v, const ct_scan_block *block, uint32_t col,
                       uint32_t group, uint32_t warp)
{
    uint32_t n_classes = v->table.n_classes;
    uint32_t *counts = block->counts + warp * 2 * n_classes * CT_GPU_LANES;
    ct_scan_part part = ct_scan_part_of(v->rows.words, warp, block->n_warps);
    sides_of_candidates in;
    memset(counts, 0, 2 * n_classes * CT_GPU_LANES * sizeof *counts);
    for (uint32_t w = part.begin; w < part.end; w++) {
        const uint32_t *sets = v->rows.sets + ((size_t) col * v->rows.words + w) * n_classes;
        find_sides(v, col, group, w, &in);
        for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
            ct_scan_count(counts + lane, CT_GPU_LANES, sets, n_classes, in.left[lane],
                          in.right[lane]);
    }
}

static void scan_word(ct_scan_lane *lane, const ct_offload_views *v, uint32_t col, uint32_t w,
                      uint32_t left, uint32_t right)
{
    size_t at = (size_t) col * v->rows.words + w;
    uint32_t ties = v->rows.ties[at];
    const uint32_t *sets = v->rows.sets + at * lane->n_classes;
    if (ties && ct_scan_asks(lane, 0, sets, left)) ct_scan_look_into(lane, 0, sets, ties, left);
    if (ties && ct_scan_asks(lane, 1, sets, right)) ct_scan_look_into(lane, 1, sets, ties, right);
    ct_scan_count(lane->x, lane->stride, sets, lane->n_classes, left, right);
}

static void scan_part(const ct_offload_views *v, const ct_scan_block *block, uint32_t col,
                      uint32_t group, uint32_t warp)
{
    ct_scan_lane lanes[CT_GPU_LANES];
    uint32_t first = group * CT_GPU_LANES, step = 2 * v->table.n_classes * CT_GPU_LANES;
    sides_of_candidates in;
    uint32_t n =
        v->batch.n_candidates - first < CT_GPU_LANES ? v->batch.n_candidates - first : CT_GPU_LANES;
    ct_scan_part part = ct_scan_part_of(v->rows.words, warp, block->n_warps);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t wanted[2] = {ct_scan_wanted(v, col, group, 0) >> i & 1,
                                    ct_scan_wanted(v, col, group, 1) >> i & 1};
        lanes[i].n_classes = v->table.n_classes;
        lanes[i].stride = CT_GPU_LANES;
        lanes[i].x = block->counts + warp * step + i;
        lanes[i].totals = block->totals + i;
        ct_scan_begin(&lanes[i], v->batch.candidates + first + i, wanted);
    }
    for (uint32_t w = part.begin; w < part.end; w++) {
        find_sides(v, col, group, w, &in);
        for (uint32_t i = 0; i < n; i++)
            scan_word(&lanes[i], v, col, w, in.left[i], in.right[i]);
    }
    for (uint32_t i = 0; i < n; i++) block->found[warp * CT_GPU_LANES + i] = lanes[i].found;
}

static void count_and_scan(const ct_offload_views *v, const ct_scan_block *block, uint32_t col,
                           uint32_t group)
{
    for (uint32_t warp = 0; warp < block->n_warps; warp++) count_part(v, block, col, group, warp);
    for (uint32_t i = 0; i < 2 * v->table.n_classes * CT_GPU_LANES; i++)
        ct_scan_sum_warps(block, v->table.n_classes, i);
    for (uint32_t warp = 0; warp < block->n_warps; warp++) scan_part(v, block, col, group, warp);
}

static void scan_block(const ct_offload_views *v, size_t item, void *memory)
{
    uint32_t col = (uint32_t) (item % v->table.n_window),
             group = (uint32_t) (item / v->table.n_window);
    ct_scan_block block = ct_scan_block_at(memory, v->table.n_classes);
    if (ct_scan_wanted(v, col, group, 0) | ct_scan_wanted(v, col, group, 1))
        count_and_scan(v, &block, col, group);
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++) ct_scan_end(&block, v, col, group, lane);
}

void ct_offload_host_SCAN(const void *arguments, size_t items, void *shared)
{
    for (size_t item = 0; item < items; item++)
        scan_block((const ct_offload_views *) arguments, item, shared);
}
