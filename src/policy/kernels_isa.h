/* All kernels of one instruction set: included once by each of kernels_*.c, which defines which it
 * is. */
#ifndef CT_POLICY_KERNELS_ISA_H
#define CT_POLICY_KERNELS_ISA_H

#include "policy/least.h"

CT_ALWAYS int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }
CT_ALWAYS int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

/* What a split inside of the block between two ends costs at least, where the rows of the block
 * have so much span: the rows before and behind it are a part of its sides; and moved from the
 * nearer end, both sides together lose no more than the span. `other` without the best action:
 * whoever takes it on both sides has made no split. */
CT_ALWAYS int32_t inside_of(int32_t low, int32_t low_end, int32_t high, int32_t high_end,
                            int32_t span)
{
    const int32_t outer = low + high_end, inner = low_end + high - span,
                  ends = low + high + (low_end + high_end - span), half = (ends >> 1) + (ends & 1);
    return larger(larger(outer, inner), half);
}

CT_ALWAYS int32_t inside_without(const ct_policy_side *s, size_t i, int32_t span)
{
    const int32_t *low = s->low + i, *high = s->high + i, *low_other = s->low_other + i,
                  *high_other = s->high_other + i;
    const int32_t outer = smaller(low_other[0] + high[1], low[0] + high_other[1]),
                  inner = smaller(low_other[1] + high[0], low[1] + high_other[0]) - span;
    return larger(outer, inner);
}

/* Before the first block, and the bounds of all; low and high are there. */
static void bound_blocks(const ct_policy_side *s, size_t width)
{
    const int32_t most = INT32_MAX / 2;
    s->low[0] = 0, s->high[0] = s->low[s->n_blocks];
    if (s->lift) s->low_other[0] = 0, s->high_other[0] = s->low_other[s->n_blocks];
    for (size_t i = 0; i < s->n_blocks; i++) {
        const int32_t before = i ? s->sums[i * width - 1] : 0,
                      span = s->sums[(i + 1) * width - 1] - before;
        s->at_end[i] = s->low[i + 1] + s->high[i + 1];
        s->inside[i] = inside_of(s->low[i], s->low[i + 1], s->high[i], s->high[i + 1], span);
        if (s->lift) s->inside[i] = larger(s->inside[i], inside_without(s, i, span));
    }
    for (size_t i = s->n_blocks; i % CT_POLICY_STEP; i++) s->at_end[i] = s->inside[i] = most;
}

/* Of up to 64 rows of a block: which are on the side, and behind which the value changes. */
CT_ALWAYS void walk_masks(const ct_policy_walk *w, uint32_t begin, uint64_t *members,
                          uint64_t *changes)
{
    const uint32_t n = w->n - begin < 64 ? w->n - begin : 64;
    *members = *changes = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = w->rows[begin + i];
        const uint64_t is_member = (w->place[row] < w->cut) == w->left;
        *members |= is_member << i;
        *changes |= (uint64_t) w->last[begin + i] << i;
        __builtin_prefetch(w->costs + row * (size_t) w->lanes);
    }
    if (begin + n == w->n) *changes &= ~(UINT64_C(1) << (n - 1));
}

#ifndef CT_POLICY_ANY_WIDTH
#define CT_WIDTH 4
#define CT_WIDTH_MOST 4
#define CT_KIND 4
#include "policy/kernels_body.h"
#undef CT_WIDTH
#undef CT_WIDTH_MOST
#undef CT_KIND

#define CT_WIDTH 8
#define CT_WIDTH_MOST 8
#define CT_KIND 8
#include "policy/kernels_body.h"
#undef CT_WIDTH
#undef CT_WIDTH_MOST
#undef CT_KIND

#define CT_WIDTH 16
#define CT_WIDTH_MOST 16
#define CT_KIND 16
#include "policy/kernels_body.h"
#undef CT_WIDTH
#undef CT_WIDTH_MOST
#undef CT_KIND

#define CT_WIDTH 32
#define CT_WIDTH_MOST 32
#define CT_KIND 32
#include "policy/kernels_body.h"
#undef CT_WIDTH
#undef CT_WIDTH_MOST
#undef CT_KIND
#else
#define CT_WIDTH lanes
#define CT_WIDTH_MOST CT_POLICY_MOST_LANES
#define CT_KIND any
#include "policy/kernels_body.h"
#undef CT_WIDTH
#undef CT_WIDTH_MOST
#undef CT_KIND
#endif

#define CT_POLICY_SET(isa)                                                      \
    const ct_policy_kernels ct_policy_##isa = {                                 \
        {#isa, sweep_4, prefix_4, scan_4, walk_4, pairs_4},                     \
        {#isa, sweep_8, prefix_8, scan_8, walk_8, pairs_8},                     \
        {#isa, sweep_16, prefix_16, scan_16, walk_16, pairs_16},                \
        {#isa, sweep_32, prefix_32, scan_32, walk_32, pairs_32}}

#endif
