/* The kernels with CUDA. */
#include "exact/offload/kernels.h"

#include "exact/offload/scan_body.h"
#include "exact/offload/scan_two.cuh"
#include "gpu/kernel.cuh"

namespace {

#define THREADS_ON_CUDA(id, body, item) CT_GPU_THREADS_ON_CUDA(kernel_##id, ct_offload_views, body)
CT_OFFLOAD_THREAD_KERNELS(THREADS_ON_CUDA)
#undef THREADS_ON_CUDA

#define WARPS_ON_CUDA(id, body, item) CT_GPU_WARPS_ON_CUDA(kernel_##id, ct_offload_views, body)
CT_OFFLOAD_WARP_KERNELS(WARPS_ON_CUDA)
#undef WARPS_ON_CUDA

/* ct_offload_sum_members by a block, four words a thread at a time. The sums of warps go to and fro
 * between two places, so that one barrier will do. */
__global__ void __launch_bounds__(CT_OFFLOAD_SUMMERS)
kernel_STARTS(CT_GPU_CONSTANT const ct_offload_views v, size_t)
{
    extern __shared__ __align__(16) uint32_t memory[];
    enum { EACH = 4, WARPS = CT_OFFLOAD_SUMMERS / CT_GPU_LANES };
    const uint32_t words = v.table.words, warp = threadIdx.x / CT_GPU_LANES;
    const uint32_t *members = v.scratch.members + (size_t) blockIdx.x * words;
    uint32_t *starts = v.scratch.starts + (size_t) blockIdx.x * words, sum = 0, turn = 0;
    const ct_lanes lanes = ct_lanes_warp();
    for (uint32_t start = 0; start < words; start += EACH * CT_OFFLOAD_SUMMERS, turn ^= WARPS) {
        const uint32_t first = start + EACH * threadIdx.x;
        uint32_t n[EACH], own = 0, total;
        for (uint32_t k = 0; k < EACH; k++) {
            n[k] = first + k < words ? ct_hd_popcount(members[first + k]) : 0;
            own += n[k];
        }
        uint32_t before = sum + ct_lanes_scan(lanes, own, &total);
        if (lanes.lane == 0) memory[turn + warp] = total;
        __syncthreads();
        for (uint32_t k = 0; k < WARPS; k++) {
            before += k < warp ? memory[turn + k] : 0;
            sum += memory[turn + k];
        }
        for (uint32_t k = 0; k < EACH && first + k < words; k++) {
            starts[first + k] = before;
            before += n[k];
        }
    }
}

/* ---- the scan of any number of classes ---- */

/* The sides of the lane's candidate in a word. */
struct sides_of_candidate {
    uint32_t left, right;
};

__device__ sides_of_candidate find_sides(const ct_offload_views &v, const ct_scan_item &item,
                                         uint32_t w, ct_lanes lanes, const ct_transposition &t)
{
    const uint32_t left = ct_scan_sides(&v, item.col, item.group, w, lanes.lane, 0);
    sides_of_candidate in;
    in.left = ct_lanes_transpose(lanes, &t, left);
    if (v.batch.n_sides == 2) {
        const uint32_t right = ct_scan_sides(&v, item.col, item.group, w, lanes.lane, 1);
        in.right = ct_lanes_transpose(lanes, &t, right);
    } else {
        in.right = ct_scan_valid(&v, w) & ~in.left;
    }
    return in;
}

__device__ const uint32_t *sets_of(const ct_offload_views &v, const ct_scan_item &item, uint32_t w)
{
    return v.rows.sets + ((size_t) item.col * v.rows.words + w) * v.table.n_classes;
}

/* Counts a part. x: the warp's memory. */
__device__ void count_part(const ct_offload_views &v, const ct_scan_item &item, ct_lanes lanes,
                           uint32_t *x)
{
    const uint32_t n_classes = v.table.n_classes;
    const ct_transposition t = ct_transposition_of(lanes.lane);
    x += lanes.lane;
    for (uint32_t i = 0; i < 2 * n_classes; i++) x[i * CT_GPU_LANES] = 0;
    for (uint32_t w = item.begin; w < item.end; w++) {
        const sides_of_candidate in = find_sides(v, item, w, lanes, t);
        ct_scan_count(x, sets_of(v, item, w), n_classes, in.left, in.right);
    }
    for (uint32_t i = 0; i < 2 * n_classes; i++)
        ct_scan_counted(&v, &item, item.group, lanes.lane, i, x[i * CT_GPU_LANES]);
}

/* A word of the column's order. */
struct word {
    const uint32_t *sets;
    uint32_t ties;
};

/* Looks into a word for each lane of `asking`, all lanes at one candidate, each at a position. What
 * changes along the order is read from that lane, totals from where they are. */
__device__ void look_together(ct_lanes lanes, ct_scan_lane *lane, uint32_t side, word w,
                              uint32_t in, uint32_t asking)
{
    const uint32_t n_classes = lane->n_classes, j = lanes.lane;
    for (; asking; asking &= asking - 1) {
        const uint32_t from = ct_scan_first(asking);
        const uint32_t its = ct_lanes_read(lanes, in, from),
                       least = ct_lanes_read(lanes, lane->min_rows[side], from);
        const uint32_t *totals = lane->totals - j + from + side * n_classes * CT_GPU_LANES;
        ct_scan_split split = {0, 0, 0};
        uint32_t all = 0;
        for (uint32_t c = 0; c < n_classes; c++) {
            const uint32_t before = ct_lanes_read(lanes, ct_scan_before(lane, side, c), from),
                           total = totals[c * CT_GPU_LANES];
            ct_scan_add_class(&split, before + ct_scan_up_to(w.sets[c], its, j), total);
            all += total;
        }
        const uint32_t score = w.ties >> j & 1 ? (uint32_t) (split.most + split.rest) : 0;
        const uint32_t any = ct_lanes_max(lanes, score),
                       allowed = ct_lanes_max(
                           lanes, ct_scan_allowed(split.n, all, least) ? score : 0);
        if (j == from) ct_scan_take(lane->found[side], (int32_t) any, (int32_t) allowed);
    }
}

/* A candidate takes about as many instructions of all lanes together as this many positions take of
 * a lane. */
enum { TOGETHER = 4 };

/* A word for one side, in the way that takes fewer instructions. */
__device__ void scan_side(ct_lanes lanes, ct_scan_lane *lane, uint32_t side, word w, uint32_t in)
{
    const int asks = ct_scan_asks(lane, side, w.sets, in);
    const uint32_t asking = ct_lanes_ballot(lanes, asks);
    if (!asking) return;
    if (TOGETHER * ct_hd_popcount(asking) <= ct_hd_popcount(w.ties))
        look_together(lanes, lane, side, w, in, asking);
    else if (asks) ct_scan_look_into(lane, side, w.sets, w.ties, in);
}

/* Scans a part. x: the warp's memory. */
__device__ void scan_part(const ct_offload_views &v, const ct_scan_item &item, ct_lanes lanes,
                          uint32_t *x)
{
    const uint32_t p = item.group * CT_GPU_LANES + lanes.lane, last = v.batch.n_candidates - 1;
    const uint32_t there = p <= last;
    const uint32_t wanted[2] = {
        ct_scan_wanted(&v, item.col, item.group, 0) >> lanes.lane & there,
        ct_scan_wanted(&v, item.col, item.group, 1) >> lanes.lane & there};
    const ct_transposition t = ct_transposition_of(lanes.lane);
    ct_scan_lane lane;
    lane.n_classes = v.table.n_classes;
    lane.x = x + lanes.lane;
    lane.totals = ct_scan_totals_at(&v, item.group) + lanes.lane;
    for (uint32_t i = 0; i < 2 * lane.n_classes; i++)
        lane.x[i * CT_GPU_LANES] = ct_scan_counted_before(&v, &item, item.group, lanes.lane, i);
    ct_scan_begin(&lane, v.batch.candidates + (there ? p : last), wanted);
    for (uint32_t w = item.begin; w < item.end; w++) {
        const word here = {sets_of(v, item, w), v.rows.ties[(size_t) item.col * v.rows.words + w]};
        const sides_of_candidate in = find_sides(v, item, w, lanes, t);
        if (here.ties) {
            scan_side(lanes, &lane, 0, here, in.left);
            scan_side(lanes, &lane, 1, here, in.right);
        }
        ct_scan_count(lane.x, here.sets, lane.n_classes, in.left, in.right);
    }
    for (uint32_t side = 0; side < 2 && there; side++)
        ct_scan_end(&v, item.col, p, side, lane.all[side], lane.found[side]);
}

/* ---- both steps of a batch, a warp a block. SIDES: of two classes; 0: of any number ---- */

/* The groups of the item that are to be counted, or scanned, a bit each. */
__device__ uint32_t groups_of(const ct_offload_views &v, const ct_scan_item &item, int counted)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < ct_scan_groups(v.table.n_classes); i++)
        groups |= (uint32_t) (counted ? ct_scan_is_counted(&v, item.col, item.group + i)
                                      : ct_scan_is_scanned(&v, item.col, item.group + i))
                  << i;
    return item.begin < item.end ? groups : 0;
}

template <int SIDES>
__global__ void __launch_bounds__(CT_GPU_LANES)
kernel_count(CT_GPU_CONSTANT const ct_offload_views v, size_t)
{
    extern __shared__ __align__(16) uint32_t memory[];
    const ct_lanes lanes = ct_lanes_warp();
    const ct_scan_item item = ct_scan_item_at(&v, blockIdx.x);
    const uint32_t groups = groups_of(v, item, 1);
    if (item.part == 0)
        for (uint32_t i = 0; i < ct_scan_groups(v.table.n_classes); i++)
            ct_scan_begin_errors(&v, item.col, item.group + i, lanes.lane);
    if (!groups) return;
    if (SIDES) two_count<SIDES>(v, item, groups, lanes);
    else count_part(v, item, lanes, memory);
}

/* Registers for at least 12 warps a multiprocessor, of four candidates a lane. */
template <int SIDES>
__global__ void __launch_bounds__(CT_GPU_LANES, 12)
kernel_scan(CT_GPU_CONSTANT const ct_offload_views v, size_t)
{
    extern __shared__ __align__(16) uint32_t memory[];
    const ct_lanes lanes = ct_lanes_warp();
    const ct_scan_item item = ct_scan_item_at(&v, blockIdx.x);
    const uint32_t groups = groups_of(v, item, 0);
    if (!groups) return;
    if (SIDES) two_scan_part<SIDES>(v, item, groups, lanes);
    else scan_part(v, item, lanes, memory);
}

#define START(name, kernel)                                                      \
    int name(const ct_gpu_grid *grid, void *stream, const void *arguments)       \
    {                                                                            \
        const ct_offload_views *v = (const ct_offload_views *) arguments;        \
        return (v->table.n_classes != 2 ? ct_gpu_start<ct_offload_views, kernel<0> > \
                : v->batch.n_sides == 1 ? ct_gpu_start<ct_offload_views, kernel<1> > \
                                        : ct_gpu_start<ct_offload_views, kernel<2> >)( \
            grid, stream, arguments);                                            \
    }
START(start_count, kernel_count)
START(start_scan, kernel_scan)
#undef START

} /* namespace */

#define ON_BOTH(id, body, item) {ct_offload_host_##id, ct_gpu_start<ct_offload_views, kernel_##id>},
const ct_gpu_kernel ct_offload_kernels[CT_OFFLOAD_N_KERNELS] = {
    CT_OFFLOAD_THREAD_KERNELS(ON_BOTH)
    CT_OFFLOAD_WARP_KERNELS(ON_BOTH)
    ON_BOTH(STARTS, , )
    {ct_offload_host_COUNT, start_count},
    {ct_offload_host_SCAN, start_scan}};
