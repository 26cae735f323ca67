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

/* The second half of a scan: each warp through its part. The numbers of a class are `stride`
 * apart. */
__device__ void scan_part(const ct_offload_views &v, ct_scan_part part, uint32_t col,
                          uint32_t group, ct_lanes lanes, ct_scan_lane *lane)
{
    ct_offload_candidate nothing = {0, 0, 0, 0, {0, 0}, {1, 1}};
    uint32_t p = group * CT_GPU_LANES + lanes.lane;
    ct_scan_begin(lane, p < v.batch.n_candidates ? v.batch.candidates + p : &nothing);
    for (uint32_t w = part.begin; w < part.end; w++) {
        sides_of_candidate in = find_sides(v, col, group, w, lanes);
        ct_scan_word(lane, &v, col, w, in.left, in.right);
    }
}

/* CLASSES 2: a lane's numbers are its own registers from the second half on. 0: any number, in the
 * block's memory. */
template <int CLASSES> __global__ void kernel_scan(const ct_offload_views v, size_t)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const uint32_t n_classes = CLASSES ? CLASSES : v.table.n_classes,
                   step = n_classes * CT_GPU_LANES;
    const uint32_t col = blockIdx.x % v.table.n_window, group = blockIdx.x / v.table.n_window,
                   warp = threadIdx.x / 32;
    const ct_lanes lanes = ct_lanes_warp();
    const ct_scan_block block = ct_scan_block_at(memory, n_classes);
    const ct_scan_part part = ct_scan_part_of(v.rows.words, warp, block.n_warps);
    uint32_t *x = block.counts + warp * 2 * step + lanes.lane;

    for (uint32_t c = 0; c < 2 * n_classes; c++) x[c * CT_GPU_LANES] = 0;
    for (uint32_t w = part.begin; w < part.end; w++) {
        const uint32_t *sets = v.rows.sets + ((size_t) col * v.rows.words + w) * n_classes;
        sides_of_candidate in = find_sides(v, col, group, w, lanes);
        ct_scan_count(x, CT_GPU_LANES, sets, n_classes, in.left, in.right);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 2 * step; i += blockDim.x)
        ct_scan_sum_warps(&block, n_classes, i);
    __syncthreads();

    ct_scan_lane lane;
    lane.n_classes = n_classes;
    if (CLASSES) {
        uint32_t own_x[CLASSES ? 2 * CLASSES : 1], own_y[CLASSES ? CLASSES : 1],
            own_totals[CLASSES ? 2 * CLASSES : 1];
        for (uint32_t c = 0; c < 2 * n_classes; c++) {
            own_x[c] = x[c * CT_GPU_LANES];
            own_totals[c] = block.totals[c * CT_GPU_LANES + lanes.lane];
        }
        lane.stride = 1;
        lane.x = own_x;
        lane.y = own_y;
        lane.totals = own_totals;
        scan_part(v, part, col, group, lanes, &lane);
    } else {
        lane.stride = CT_GPU_LANES;
        lane.x = x;
        lane.y = block.scratch + warp * step + lanes.lane;
        lane.totals = block.totals + lanes.lane;
        scan_part(v, part, col, group, lanes, &lane);
    }
    block.found[warp * CT_GPU_LANES + lanes.lane] = lane.found;
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
