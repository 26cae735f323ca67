/* The kernels with CUDA. */
#include "exact/offload/kernels.h"

#include "exact/offload/scan_body.h"
#include "gpu/kernel.cuh"

namespace {

#define THREADS_ON_CUDA(id, body, item) CT_GPU_THREADS_ON_CUDA(kernel_##id, ct_offload_views, body)
CT_OFFLOAD_THREAD_KERNELS(THREADS_ON_CUDA)
#undef THREADS_ON_CUDA

CT_GPU_WARPS_ON_CUDA(kernel_STARTS, ct_offload_views, ct_offload_sum_members)

/* The sides of the lane's candidate in a word. */
struct sides_of_candidate {
    uint32_t left, right;
};

__device__ sides_of_candidate find_sides(const ct_offload_views &v, uint32_t col, uint32_t group,
                                     uint32_t w, ct_lanes lanes)
{
    sides_of_candidate in;
    in.left = ct_lanes_transpose(lanes, ct_scan_sides(&v, col, group, w, lanes.lane, 0));
    in.right = v.batch.n_sides == 2
                   ? ct_lanes_transpose(lanes, ct_scan_sides(&v, col, group, w, lanes.lane, 1))
                   : ct_scan_valid(&v, w) & ~in.left;
    return in;
}

/* A word of the column's order. */
struct word {
    const uint32_t *sets;
    uint32_t ties;
};

/* Looks into a word for each lane of `asking`, all lanes at one candidate, each at a position. What
 * changes along the order is read from that lane, totals from the block. */
template <int CLASSES>
__device__ void look_together(const ct_scan_block &block, ct_lanes lanes, ct_scan_lane *lane,
                              uint32_t side, word w, uint32_t in, uint32_t asking)
{
    const uint32_t n_classes = CLASSES ? CLASSES : lane->n_classes, j = lanes.lane;
    for (; asking; asking &= asking - 1) {
        const uint32_t from = ct_scan_first(asking);
        const uint32_t its = ct_lanes_read(lanes, in, from),
                       least = ct_lanes_read(lanes, lane->min_rows[side], from);
        const uint32_t *totals = block.totals + side * n_classes * CT_GPU_LANES + from;
        ct_scan_split split = {0, 0, 0};
        uint32_t all = 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            const uint32_t before =
                ct_lanes_read(lanes, lane->x[(side * n_classes + c) * lane->stride], from);
            const uint32_t total = totals[c * CT_GPU_LANES];
            ct_scan_add_class(&split, ct_scan_up_to(before, w.sets[c], its, j), total);
            all += total;
        }
        const uint32_t score = w.ties >> j & 1 ? (uint32_t) (split.most + split.rest) : 0;
        const uint32_t any = ct_lanes_max(lanes, score),
                       allowed = ct_lanes_max(
                           lanes, ct_scan_allowed(split.n, all, least) ? score : 0);
        if (j == from) ct_scan_take(lane, side, (int32_t) any, (int32_t) allowed);
    }
}

/* A candidate takes about as many instructions of all lanes together as this many positions take of
 * a lane. */
enum { TOGETHER = 4 };

/* A word for one side, in the way that takes fewer instructions. */
template <int CLASSES>
__device__ void scan_side(const ct_scan_block &block, ct_lanes lanes, ct_scan_lane *lane,
                          uint32_t side, word w, uint32_t in)
{
    const int asks = ct_scan_asks(lane, side, w.sets, in);
    const uint32_t asking = ct_lanes_ballot(lanes, asks);
    if (TOGETHER * ct_hd_popcount(asking) <= ct_hd_popcount(w.ties))
        look_together<CLASSES>(block, lanes, lane, side, w, in, asking);
    else if (asks) ct_scan_look_into(lane, side, w.sets, w.ties, in);
}

/* The second half of a scan: each warp through its part. */
template <int CLASSES>
__device__ void scan_part(const ct_offload_views &v, const ct_scan_block &block,
                          ct_scan_part part, uint32_t col, uint32_t group, ct_lanes lanes,
                          const uint32_t wanted[2], ct_scan_lane *lane)
{
    const uint32_t p = group * CT_GPU_LANES + lanes.lane, last = v.batch.n_candidates - 1;
    const uint32_t there = p <= last, n_classes = CLASSES ? CLASSES : lane->n_classes;
    const uint32_t its[2] = {wanted[0] >> lanes.lane & there, wanted[1] >> lanes.lane & there};
    ct_scan_begin(lane, v.batch.candidates + (there ? p : last), its);
    for (uint32_t w = part.begin; w < part.end; w++) {
        const size_t at = (size_t) col * v.rows.words + w;
        const word here = {v.rows.sets + at * n_classes, v.rows.ties[at]};
        const sides_of_candidate in = find_sides(v, col, group, w, lanes);
        if (here.ties) {
            scan_side<CLASSES>(block, lanes, lane, 0, here, in.left);
            scan_side<CLASSES>(block, lanes, lane, 1, here, in.right);
        }
        ct_scan_count(lane->x, lane->stride, here.sets, n_classes, in.left, in.right);
    }
}

/* Counts each warp's part, then sums over those before it. */
__device__ void count_parts(const ct_offload_views &v, const ct_scan_block &block,
                            ct_scan_part part, uint32_t col, uint32_t group, ct_lanes lanes,
                            uint32_t n_classes, uint32_t *x)
{
    const uint32_t n_counts = 2 * n_classes * CT_GPU_LANES;
    for (uint32_t c = 0; c < 2 * n_classes; c++) x[c * CT_GPU_LANES] = 0;
    for (uint32_t w = part.begin; w < part.end; w++) {
        const uint32_t *sets = v.rows.sets + ((size_t) col * v.rows.words + w) * n_classes;
        sides_of_candidate in = find_sides(v, col, group, w, lanes);
        ct_scan_count(x, CT_GPU_LANES, sets, n_classes, in.left, in.right);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n_counts; i += blockDim.x)
        ct_scan_sum_warps(&block, n_classes, i);
    __syncthreads();
}

/* CLASSES 2: a lane's numbers are its own registers from the second half on. 0: any number, in the
 * block's memory. The bound on registers lets four blocks share a multiprocessor. */
template <int CLASSES>
__global__ void __launch_bounds__(CT_GPU_BLOCK, 4)
kernel_scan(CT_GPU_CONSTANT const ct_offload_views v, size_t)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const uint32_t n_classes = CLASSES ? CLASSES : v.table.n_classes;
    const uint32_t col = blockIdx.x % v.table.n_window, group = blockIdx.x / v.table.n_window,
                   warp = threadIdx.x / 32;
    const ct_lanes lanes = ct_lanes_warp();
    const ct_scan_block block = ct_scan_block_at(memory, n_classes);
    const uint32_t wanted[2] = {ct_scan_wanted(&v, col, group, 0),
                                ct_scan_wanted(&v, col, group, 1)};

    if (wanted[0] | wanted[1]) {
        const ct_scan_part part = ct_scan_part_of(v.rows.words, warp, block.n_warps);
        uint32_t *x = block.counts + warp * 2 * n_classes * CT_GPU_LANES + lanes.lane;
        ct_scan_lane lane;
        count_parts(v, block, part, col, group, lanes, n_classes, x);
        lane.n_classes = n_classes;
        if (CLASSES) {
            uint32_t own_x[CLASSES ? 2 * CLASSES : 1], own_totals[CLASSES ? 2 * CLASSES : 1];
            for (uint32_t c = 0; c < 2 * n_classes; c++) {
                own_x[c] = x[c * CT_GPU_LANES];
                own_totals[c] = block.totals[c * CT_GPU_LANES + lanes.lane];
            }
            lane.stride = 1;
            lane.x = own_x;
            lane.totals = own_totals;
            scan_part<CLASSES>(v, block, part, col, group, lanes, wanted, &lane);
        } else {
            lane.stride = CT_GPU_LANES;
            lane.x = x;
            lane.totals = block.totals + lanes.lane;
            scan_part<CLASSES>(v, block, part, col, group, lanes, wanted, &lane);
        }
        block.found[warp * CT_GPU_LANES + lanes.lane] = lane.found;
    }
    __syncthreads();
    if (warp == 0) ct_scan_end(&block, &v, col, group, lanes.lane);
}

/* Two classes have a text of their own. */
int start_scan(const ct_gpu_grid *grid, void *stream, const void *arguments)
{
    return (((const ct_offload_views *) arguments)->table.n_classes == 2
                ? ct_gpu_start<ct_offload_views, kernel_scan<2> >
                : ct_gpu_start<ct_offload_views, kernel_scan<0> >)(grid, stream, arguments);
}

} /* namespace */

#define ON_BOTH(id, body, item) {ct_offload_host_##id, ct_gpu_start<ct_offload_views, kernel_##id>},
const ct_gpu_kernel ct_offload_kernels[CT_OFFLOAD_N_KERNELS] = {
    CT_OFFLOAD_THREAD_KERNELS(ON_BOTH)
    ON_BOTH(STARTS, , )
    {ct_offload_host_SCAN, start_scan}};
