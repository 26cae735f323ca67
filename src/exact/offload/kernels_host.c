/* The kernels on the host twin, one lane after the other. */
#include "base/compact.h"

#include "exact/offload/kernels.h"

#include <string.h>

#include "exact/offload/scan_body.h"

#define THREADS_ON_HOST(id, body, item) \
    CT_GPU_THREADS_ON_HOST(ct_offload_host_##id, ct_offload_views, body)
CT_OFFLOAD_THREAD_KERNELS(THREADS_ON_HOST)
#undef THREADS_ON_HOST

#define WARPS_ON_HOST(id, body, item) \
    CT_GPU_WARPS_ON_HOST(ct_offload_host_##id, ct_offload_views, body)
CT_OFFLOAD_WARP_KERNELS(WARPS_ON_HOST)
#undef WARPS_ON_HOST

CT_GPU_THREADS_ON_HOST(ct_offload_host_STARTS, ct_offload_views, ct_offload_sum_members)

/* What the lanes of a warp know, and where they have their numbers: ct_scan_numbers() of them. */
typedef struct {
    ct_transposition of_lane[CT_GPU_LANES];
    uint32_t x[2 * CT_OFFLOAD_CLASSES * CT_GPU_LANES];
} warp;

/* ct_lanes_transpose for all lanes at once. */
static void transpose(const warp *own, uint32_t words[CT_GPU_LANES])
{
    uint32_t before[CT_GPU_LANES];
    for (uint32_t k = 0; k < 5; k++) {
        memcpy(before, words, sizeof before);
        for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
            words[lane] = ct_transpose_step(&own->of_lane[lane], k, before[lane],
                                            before[lane ^ 16u >> k]);
    }
}

/* The sides of each lane's candidate in a word. */
typedef struct {
    uint32_t left[CT_GPU_LANES], right[CT_GPU_LANES];
} sides_of_candidates;

static void find_sides(const ct_offload_views *v, uint32_t col, uint32_t group, uint32_t w,
                       const warp *own, sides_of_candidates *in)
{
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
        in->left[lane] = ct_scan_sides(v, col, group, w, lane, 0);
    transpose(own, in->left);
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
        in->right[lane] = v->batch.n_sides == 2 ? ct_scan_sides(v, col, group, w, lane, 1)
                                                : ct_scan_valid(v, w) & ~in->left[lane];
    if (v->batch.n_sides == 2) transpose(own, in->right);
}

static void count_part(const ct_offload_views *v, const ct_scan_item *item, uint32_t group,
                       warp *own)
{
    uint32_t n_classes = v->table.n_classes, *x = own->x;
    sides_of_candidates in;
    memset(x, 0, ct_scan_numbers(n_classes) * sizeof *x);
    for (uint32_t w = item->begin; w < item->end; w++) {
        const uint32_t *sets = v->rows.sets + ((size_t) item->col * v->rows.words + w) * n_classes;
        find_sides(v, item->col, group, w, own, &in);
        for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
            ct_scan_count(x + lane, sets, n_classes, in.left[lane], in.right[lane]);
    }
    for (uint32_t i = 0; i < 2 * n_classes; i++)
        for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
            ct_scan_counted(v, item, group, lane, i, x[i * CT_GPU_LANES + lane]);
}

static void scan_word(ct_scan_lane *lane, const ct_offload_views *v, uint32_t col, uint32_t w,
                      uint32_t left, uint32_t right)
{
    size_t at = (size_t) col * v->rows.words + w;
    uint32_t ties = v->rows.ties[at];
    const uint32_t *sets = v->rows.sets + at * lane->n_classes;
    if (ties && ct_scan_asks(lane, 0, sets, left)) ct_scan_look_into(lane, 0, sets, ties, left);
    if (ties && ct_scan_asks(lane, 1, sets, right)) ct_scan_look_into(lane, 1, sets, ties, right);
    ct_scan_count(lane->x, sets, lane->n_classes, left, right);
}

static void begin_lane(const ct_offload_views *v, const ct_scan_item *item, uint32_t group,
                       uint32_t number, uint32_t *x, ct_scan_lane *lane)
{
    const uint32_t wanted[2] = {ct_scan_wanted(v, item->col, group, 0) >> number & 1,
                                ct_scan_wanted(v, item->col, group, 1) >> number & 1};
    lane->n_classes = v->table.n_classes;
    lane->x = x + number;
    lane->totals = ct_scan_totals_at(v, group) + number;
    for (uint32_t i = 0; i < 2 * lane->n_classes; i++)
        lane->x[i * CT_GPU_LANES] = ct_scan_counted_before(v, item, group, number, i);
    ct_scan_begin(lane, v->batch.candidates + group * CT_GPU_LANES + number, wanted);
}

static void scan_part(const ct_offload_views *v, const ct_scan_item *item, uint32_t group,
                      warp *own)
{
    ct_scan_lane lanes[CT_GPU_LANES];
    sides_of_candidates in;
    uint32_t first = group * CT_GPU_LANES, n = v->batch.n_candidates - first;
    if (n > CT_GPU_LANES) n = CT_GPU_LANES;
    for (uint32_t i = 0; i < n; i++) begin_lane(v, item, group, i, own->x, &lanes[i]);
    for (uint32_t w = item->begin; w < item->end; w++) {
        find_sides(v, item->col, group, w, own, &in);
        for (uint32_t i = 0; i < n; i++)
            scan_word(&lanes[i], v, item->col, w, in.left[i], in.right[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t side = 0; side < 2; side++)
            ct_scan_end(v, item->col, first + i, side, lanes[i].all[side], lanes[i].found[side]);
}

/* Calls for each group of the item that is to be counted, or scanned. */
static void for_groups(const ct_offload_views *v, size_t number, warp *own,
                       int (*is_wanted)(const ct_offload_views *, uint32_t, uint32_t),
                       void (*work)(const ct_offload_views *, const ct_scan_item *, uint32_t,
                                    warp *))
{
    const ct_scan_item item = ct_scan_item_at(v, number);
    for (uint32_t i = 0; i < ct_scan_groups(v->table.n_classes); i++)
        if (item.begin < item.end && is_wanted(v, item.col, item.group + i))
            work(v, &item, item.group + i, own);
}

static void begin_errors(const ct_offload_views *v, size_t number)
{
    const ct_scan_item item = ct_scan_item_at(v, number);
    for (uint32_t i = 0; item.part == 0 && i < ct_scan_groups(v->table.n_classes); i++)
        for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
            ct_scan_begin_errors(v, item.col, item.group + i, lane);
}

static void begin_warp(warp *own)
{
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
        own->of_lane[lane] = ct_transposition_of(lane);
}

void ct_offload_host_COUNT(const void *arguments, size_t items, void *shared)
{
    const ct_offload_views *v = (const ct_offload_views *) arguments;
    warp own;
    (void) shared;
    begin_warp(&own);
    for (size_t item = 0; item < items; item++) {
        begin_errors(v, item);
        for_groups(v, item, &own, ct_scan_is_counted, count_part);
    }
}

void ct_offload_host_SCAN(const void *arguments, size_t items, void *shared)
{
    const ct_offload_views *v = (const ct_offload_views *) arguments;
    warp own;
    (void) shared;
    begin_warp(&own);
    for (size_t item = 0; item < items; item++)
        for_groups(v, item, &own, ct_scan_is_scanned, scan_part);
}
