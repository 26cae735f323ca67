#include "exact/rows/planes.h"
#include "exact/rows/ranks.h"

#include <string.h>

#include "base/status.h"

static size_t words_of(const ct_layout *layout, uint32_t f)
{
    return (size_t) layout->n_cols * layout->n_planes[f] * layout->words;
}

ct_status ct_planes_take_room(ct_worker *worker, ct_layout *layout)
{
    size_t all = 0, largest = 0, budget = worker->search->plane_budget / sizeof(uint64_t);
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        size_t words = words_of(layout, f);
        if (words > largest) largest = words;
        all = words > budget - (all < budget ? all : budget) ? budget + 1 : all + words;
    }
    ct_exact_planes *planes = &layout->planes;
    planes->of = CT_ARENA_NEW(&worker->arena, uint64_t *, layout->n_cols);
    planes->lowest = CT_ARENA_NEW(&worker->arena, unsigned, layout->n_cols);
    planes->one_at_a_time = all > budget;
    planes->together = planes->one_at_a_time &&
                       layout->n_rows / layout->n_cols < worker->search->options->wide_rows;
    CT_ASSERT(largest <= all || all > budget);
    if (planes->one_at_a_time) {
        planes->present = layout->n_cols;
        planes->lowest_of = CT_ARENA_NEW(&worker->arena, unsigned, layout->n_cols);
        planes->single = CT_ARENA_NEW(&worker->arena, uint64_t, layout->n_cols * layout->words);
        if (!planes->lowest_of || !planes->single) return ct_worker_no_memory(worker);
    }
    planes->only_single = planes->together || largest > budget;
    if (planes->only_single) return CT_OK;
    uint64_t *room = CT_ARENA_NEW(&worker->arena, uint64_t, planes->one_at_a_time ? largest : all);
    if (!planes->of || !planes->lowest || !room) return ct_worker_no_memory(worker);
    for (uint32_t f = 0; f < layout->n_cols; f++) {
        planes->of[f] = room;
        planes->lowest[f] = layout->n_planes[f];
        if (!planes->one_at_a_time) room += words_of(layout, f);
    }
    return CT_OK;
}

/* Eight bits of the ranks of f, from bit `low` on, by row. */
static void list_digits(const ct_layout *layout, uint32_t f, unsigned low, uint8_t *digits)
{
    uint32_t rank = 0;
    for (uint32_t start = 0; start < layout->n_rows; start += 64) {
        uint32_t end = layout->n_rows - start < 64 ? layout->n_rows : start + 64;
        uint64_t ties = layout->ties[f][start / 64];
        for (uint32_t j = start; j < end; j++, ties >>= 1) {
            CT_ASSERT(rank < layout->n_values[f] && layout->order[f][j] < layout->n_rows);
            digits[layout->order[f][j]] = (uint8_t) (rank >> low);
            rank += (uint32_t) (ties & 1);
        }
    }
}

/* The digit in the order of g: planes low .. high - 1 of f. */
static void place_digit(const ct_worker *worker, ct_layout *layout, uint32_t f, uint32_t g,
                        unsigned low, unsigned high, const uint8_t *digits)
{
    uint64_t *planes = layout->planes.of[f] +
                       ((size_t) g * layout->n_planes[f] + low) * layout->words;
    CT_ASSERT(low < high && high - low <= 8 && high <= layout->n_planes[f]);
    CT_ASSERT(layout->n_rows <= layout->words * 64 && planes);
    worker->search->kernels->planes(digits, layout->order[g], layout->n_rows, planes, layout->words,
                                    high - low);
}

static unsigned next_low(unsigned high) { return high > 8 ? high - 8 : 0; }

/* ---- all features' ---- */

static void planes_down_to(ct_worker *worker, ct_layout *layout, uint32_t f, unsigned last,
                           uint8_t *digits)
{
    if (layout->planes.lowest[f] == layout->n_planes[f]) worker->statistics.planes++;
    while (layout->planes.lowest[f] > last) {
        unsigned high = layout->planes.lowest[f], low = next_low(high);
        list_digits(layout, f, low, digits);
        for (uint32_t g = 0; g < layout->n_cols; g++)
            place_digit(worker, layout, f, g, low, high, digits);
        CT_ASSERT(low < layout->planes.lowest[f]);
        layout->planes.lowest[f] = low;
    }
}

void ct_planes_prepare(ct_worker *worker, ct_layout *layout, uint32_t first, uint32_t step)
{
    uint8_t *digits = CT_ARENA_NEW(&worker->arena, uint8_t, layout->n_rows);
    if (!digits) ct_worker_stop(worker, CT_END_MEMORY);
    for (uint32_t f = first; digits && f < layout->n_cols && !ct_is_halted(worker); f += step) {
        planes_down_to(worker, layout, f, 0, digits);
        ct_worker_poll(worker, (uint64_t) layout->n_cols * layout->n_rows * layout->n_planes[f]);
    }
}

/* ---- one feature's ---- */

static int is_wanted(const ct_children *children, uint32_t g)
{
    return !children || ct_child_wanted(children, 0, g) || ct_child_wanted(children, 1, g);
}

/* Whether one plane, of the threshold itself, is made sooner than the digits that are lacking:
 * where most child features lack more than one digit, or where nothing is known of what comes next.
 */
static int better_single(const ct_layout *layout, unsigned first, const ct_children *children)
{
    uint32_t n_wanted = 0, n_lacking = 0;
    for (uint32_t g = 0; g < layout->n_cols; g++) {
        if (!is_wanted(children, g)) continue;
        n_wanted++;
        if (layout->planes.lowest_of[g] > first)
            n_lacking += (layout->planes.lowest_of[g] - first + 7) / 8;
    }
    if (!children) return n_lacking > 0;
    return n_lacking > n_wanted && n_wanted > layout->n_cols / 2;
}

/* The ranks from the threshold on are 1, those below 0: one plane tells them apart. */
static const uint64_t *single_planes(const ct_worker *worker, ct_layout *layout, uint32_t f,
                                     ct_threshold *threshold, const ct_children *children)
{
    uint32_t t = 0;
    for (unsigned i = threshold->first; i < threshold->end; i++)
        t |= (uint32_t) (threshold->selector[i] & 1) << i;
    CT_ASSERT(t > 0);
    size_t start = t < layout->n_values[f] ? ct_layout_start(worker, layout, f, t) : layout->n_rows;
    CT_ASSERT(start > 0 && start <= layout->n_rows);
    memset(layout->digits, 0, layout->n_rows);
    for (size_t j = start; j < layout->n_rows; j++) layout->digits[layout->order[f][j]] = 1;
    for (uint32_t g = 0; g < layout->n_cols; g++)
        if (is_wanted(children, g))
            worker->search->kernels->planes(layout->digits, layout->order[g], layout->n_rows,
                                            layout->planes.single + g * layout->words,
                                            layout->words, 1);
    ct_threshold_set(threshold, 1, 1);
    return layout->planes.single;
}

/* Makes `f` the feature whose planes are here. */
static void make_present(ct_worker *worker, ct_layout *layout, uint32_t f)
{
    CT_ASSERT(layout->planes.one_at_a_time);
    if (layout->planes.present == f) return;
    layout->planes.present = f;
    for (uint32_t g = 0; g < layout->n_cols; g++) layout->planes.lowest_of[g] = layout->n_planes[f];
    worker->statistics.planes++;
}

static void some_planes_down_to(const ct_worker *worker, ct_layout *layout, uint32_t f,
                                unsigned last, const ct_children *children)
{
    for (unsigned high = layout->n_planes[f], low; high > last; high = low) {
        int listed = 0;
        low = next_low(high);
        for (uint32_t g = 0; g < layout->n_cols; g++) {
            if (layout->planes.lowest_of[g] <= low || !is_wanted(children, g)) continue;
            if (!listed++) list_digits(layout, f, low, layout->digits);
            place_digit(worker, layout, f, g, low, high, layout->digits);
            layout->planes.lowest_of[g] = low;
        }
    }
}

const uint64_t *ct_planes_of(ct_worker *worker, ct_layout *layout, uint32_t f,
                             ct_threshold *threshold, const ct_children *children)
{
    CT_ASSERT(f < layout->n_cols && threshold->first < threshold->end &&
              threshold->end == layout->n_planes[f]);
    if (!layout->planes.one_at_a_time) {
        if (layout->planes.lowest[f] > threshold->first)
            planes_down_to(worker, layout, f, threshold->first, layout->digits);
        return layout->planes.of[f];
    }
    if (layout->planes.only_single) return single_planes(worker, layout, f, threshold, children);
    make_present(worker, layout, f);
    if (better_single(layout, threshold->first, children))
        return single_planes(worker, layout, f, threshold, children);
    some_planes_down_to(worker, layout, f, threshold->first, children);
    return layout->planes.of[f];
}

/* ---- of several thresholds ---- */

ct_plane_group *ct_plane_group_new(ct_worker *worker, ct_arena *arena, const ct_layout *layout)
{
    size_t words = CT_PLANES_TOGETHER * layout->words;
    ct_plane_group *group = CT_ARENA_ZEROED(arena, ct_plane_group, 1);
    if (group) {
        group->digits = CT_ARENA_NEW(arena, uint8_t, layout->n_rows);
        group->wanted = CT_ARENA_NEW(arena, uint8_t, layout->n_cols);
        group->listed = CT_ARENA_NEW(arena, uint64_t, words);
        group->planes = CT_ARENA_NEW(arena, uint64_t, layout->n_cols * words);
    }
    if (group && group->digits && group->wanted && group->listed && group->planes) return group;
    ct_worker_stop(worker, CT_END_MEMORY);
    return NULL;
}

void ct_plane_group_clear(ct_plane_group *group, const ct_layout *layout)
{
    group->n = 0;
    memset(group->digits, 0, layout->n_rows);
    memset(group->wanted, 0, layout->n_cols);
}

void ct_plane_group_add(ct_plane_group *group, const ct_worker *worker, const ct_layout *layout,
                        uint32_t f, uint32_t threshold, const ct_children *children)
{
    uint8_t bit = (uint8_t) (1U << group->n++);
    CT_ASSERT(group->n <= CT_PLANES_TOGETHER && f < layout->n_cols && threshold > 0);
    for (size_t j = ct_layout_start(worker, layout, f, threshold); j < layout->n_rows; j++)
        group->digits[layout->order[f][j]] |= bit;
    for (uint32_t g = 0; children && g < layout->n_cols; g++)
        if (is_wanted(children, g)) group->wanted[g] |= bit;
}

void ct_plane_group_make(ct_plane_group *group, ct_worker *worker, const ct_layout *layout)
{
    size_t words = layout->words;
    worker->statistics.planes += group->n;
    for (uint32_t g = 0; g < layout->n_cols; g++) {
        if (!group->wanted[g]) continue;
        worker->search->kernels->planes(group->digits, layout->order[g], layout->n_rows,
                                        group->listed, words, group->n);
        for (unsigned k = 0; k < group->n; k++)
            memcpy(group->planes + ((size_t) k * layout->n_cols + g) * words,
                   group->listed + k * words, words * sizeof *group->listed);
    }
}
