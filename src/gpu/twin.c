/* The host twin of a device: the bodies of the kernels, one lane after the other. Calls are done when they return. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "gpu/backend.h"
#include "gpu/scan_body.h"

/* For tests, see device.h. Atomic: queues of several threads use the twin at the same time. */
static int64_t calls, fail_at, blocks, limit = INT64_MAX, used;

enum { TOLD_TO_FAIL = 1, NO_MEMORY };

long ct_gpu_twin_fail_at(long k)
{
    long before = (long) ct_atomic_read(&calls);
    ct_atomic_write(&calls, 0);
    ct_atomic_write(&fail_at, k);
    return before;
}

long ct_gpu_twin_blocks(void)
{
    return (long) ct_atomic_read(&blocks);
}

void ct_gpu_twin_memory(size_t bytes)
{
    ct_atomic_write(&limit, bytes < INT64_MAX ? (int64_t) bytes : INT64_MAX);
}

static int fails(void)
{
    int64_t k = ct_atomic_add(&calls, 1), at = ct_atomic_read(&fail_at);
    return at && k >= at ? TOLD_TO_FAIL : 0;
}

static int twin_open(int number, void **device)
{
    (void) number;
    *device = NULL;
    return fails();
}

static void twin_close(void *device)
{
    (void) device;
}

static int twin_take_host(void *device, size_t bytes, void **out)
{
    (void) device;
    if (fails()) return TOLD_TO_FAIL;
    *out = ct_alloc(bytes);
    if (!*out) return NO_MEMORY;
    ct_atomic_add(&blocks, 1);
    return 0;
}

static void twin_give_host(void *device, void *block)
{
    (void) device;
    if (block) ct_atomic_add(&blocks, -1);
    ct_free(block);
}

/* Memory "on the device" is counted: its size stands before it. */
enum { SIZE_BEFORE = 256 };

static int twin_take(void *device, size_t bytes, void **out)
{
    char *block;
    int64_t now = ct_atomic_add(&used, (int64_t) bytes);
    int code = now > ct_atomic_read(&limit) ? NO_MEMORY : twin_take_host(device, SIZE_BEFORE + bytes, (void **) &block);
    if (code) {
        ct_atomic_add(&used, -(int64_t) bytes);
        return code;
    }
    memcpy(block, &bytes, sizeof bytes);
    *out = block + SIZE_BEFORE;
    return 0;
}

static void twin_give(void *device, void *out)
{
    size_t bytes;
    if (!out) return;
    char *block = (char *) out - SIZE_BEFORE;
    memcpy(&bytes, block, sizeof bytes);
    ct_atomic_add(&used, -(int64_t) bytes);
    twin_give_host(device, block);
}

static int twin_room(void *device, size_t *bytes)
{
    (void) device;
    *bytes = (size_t) (ct_atomic_read(&limit) - ct_atomic_read(&used));
    return fails();
}

static int twin_stream_new(void *device, void **stream)
{
    return twin_take_host(device, 1, stream);
}

static int twin_copy(void *device, void *stream, void *to, const void *from, size_t bytes)
{
    (void) device, (void) stream;
    if (fails()) return TOLD_TO_FAIL;
    memcpy(to, from, bytes);
    return 0;
}

/* ---- kernels ---- */

/* ct_team_transpose for all lanes at once. */
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

/* The sides of each lane's point in a word. */
typedef struct {
    uint32_t left[CT_GPU_LANES], right[CT_GPU_LANES];
} sides_of_points;

static void find_sides(const ct_gpu_views *v, uint32_t col, uint32_t group, uint32_t w, sides_of_points *in)
{
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++) in->left[lane] = ct_scan_sides(v, col, group, w, lane, 0);
    transpose(in->left);
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
        in->right[lane] = v->batch.n_sides == 2 ? ct_scan_sides(v, col, group, w, lane, 1)
                                                : ct_scan_valid(v, w) & ~in->left[lane];
    if (v->batch.n_sides == 2) transpose(in->right);
}

static void count_part(const ct_gpu_views *v, const ct_scan_block *block, uint32_t col, uint32_t group, uint32_t warp)
{
    uint32_t n_classes = v->table.n_classes;
    uint32_t *counts = block->counts + warp * 2 * n_classes * CT_GPU_LANES;
    ct_scan_part part = ct_scan_part_of(v->rows.words, warp, block->n_warps);
    sides_of_points in;
    memset(counts, 0, 2 * n_classes * CT_GPU_LANES * sizeof *counts);
    for (uint32_t w = part.begin; w < part.end; w++) {
        const uint32_t *sets = v->rows.sets + ((size_t) col * v->rows.words + w) * n_classes;
        find_sides(v, col, group, w, &in);
        for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++)
            ct_scan_count(counts + lane, CT_GPU_LANES, sets, n_classes, in.left[lane], in.right[lane]);
    }
}

static void scan_part(const ct_gpu_views *v, const ct_scan_block *block, uint32_t col, uint32_t group, uint32_t warp)
{
    ct_scan_lane lanes[CT_GPU_LANES];
    uint32_t first = group * CT_GPU_LANES, step = v->table.n_classes * CT_GPU_LANES;
    sides_of_points in;
    uint32_t n = v->batch.n_points - first < CT_GPU_LANES ? v->batch.n_points - first : CT_GPU_LANES;
    ct_scan_part part = ct_scan_part_of(v->rows.words, warp, block->n_warps);
    for (uint32_t i = 0; i < n; i++) {
        lanes[i].n_classes = v->table.n_classes;
        lanes[i].stride = CT_GPU_LANES;
        lanes[i].x = block->counts + warp * 2 * step + i;
        lanes[i].y = block->scratch + warp * step + i;
        lanes[i].totals = block->totals + i;
        ct_scan_begin(&lanes[i], v->batch.points + first + i);
    }
    for (uint32_t w = part.begin; w < part.end; w++) {
        find_sides(v, col, group, w, &in);
        for (uint32_t i = 0; i < n; i++) ct_scan_word(&lanes[i], v, col, w, in.left[i], in.right[i]);
    }
    for (uint32_t i = 0; i < n; i++) block->found[warp * CT_GPU_LANES + i] = lanes[i].found;
}

static void scan_block(const ct_gpu_views *v, size_t item, void *memory)
{
    uint32_t col = (uint32_t) (item % v->table.n_window), group = (uint32_t) (item / v->table.n_window);
    ct_scan_block block = ct_scan_block_at(memory, v->table.n_classes);
    for (uint32_t warp = 0; warp < block.n_warps; warp++) count_part(v, &block, col, group, warp);
    for (uint32_t i = 0; i < 2 * v->table.n_classes * CT_GPU_LANES; i++) ct_scan_sum_warps(&block, v->table.n_classes, i);
    for (uint32_t warp = 0; warp < block.n_warps; warp++) scan_part(v, &block, col, group, warp);
    for (uint32_t lane = 0; lane < CT_GPU_LANES; lane++) ct_scan_end(&block, v, col, group, lane);
}

static int twin_launch(void *device, void *stream, ct_gpu_kernel kernel, const ct_gpu_views *v, size_t items)
{
    (void) device, (void) stream;
    if (fails()) return TOLD_TO_FAIL;
    void *memory = kernel == CT_GPU_SCAN ? ct_alloc(ct_scan_bytes(v->table.n_classes)) : NULL;
    if (kernel == CT_GPU_SCAN && !memory) return NO_MEMORY;
    for (size_t item = 0; item < items; item++) {
        switch (kernel) {
#define RUN(id, body, text) case CT_GPU_##id: body(v, item); break;
            CT_GPU_ITEM_KERNELS(RUN)
#undef RUN
        case CT_GPU_STARTS: ct_gpu_sum_members(ct_team_alone(), v, item); break;
        case CT_GPU_SCAN: scan_block(v, item, memory); break;
        }
    }
    ct_free(memory);
    return 0;
}

static int twin_event(void *device, void *stream, unsigned slot)
{
    (void) device, (void) stream, (void) slot;
    return fails();
}

static void twin_why(int code, char *text, size_t size)
{
    snprintf(text, size, "%s", code == NO_MEMORY ? "the twin has no memory" : "the twin was told to fail");
}

const ct_backend ct_backend_twin = {twin_open,      twin_close,      twin_room,      twin_take, twin_give, twin_take_host,
                                    twin_give_host, twin_stream_new, twin_give_host, twin_copy, twin_copy, twin_launch,
                                    twin_event,     twin_event,      twin_why};
