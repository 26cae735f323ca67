/* All kernels of one instruction set: included once by each of kernels_*.c, which defines which it
 * is. */
#ifndef CT_POLICY_KERNELS_ISA_H
#define CT_POLICY_KERNELS_ISA_H

#include "policy/least.h"
#include "policy/scan_pairs.h"

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

/* What the rows of each block of the side have in spans. */
CT_ALWAYS void find_spans(const ct_policy_side *s, size_t width)
{
    int32_t before = 0;
    for (size_t i = 0; i < s->n_blocks; i++) {
        const size_t at = (i + 1) * width - 1;
        const int32_t upto = s->all ? s->all[at] - s->sums[at] : s->sums[at];
        s->spans[i] = upto - before;
        before = upto;
    }
}

static void bound_without(const ct_policy_side *s, int32_t *restrict inside)
{
    const int32_t *low = s->low, *high = s->high, *low_other = s->low_other,
                  *high_other = s->high_other, *spans = s->spans;
    const size_t n = s->n_blocks;
    for (size_t i = 0; i < n; i++) {
        const int32_t outer = smaller(low_other[i] + high[i + 1], low[i] + high_other[i + 1]),
                      inner = smaller(low_other[i + 1] + high[i], low[i + 1] + high_other[i]);
        inside[i] = larger(inside[i], larger(outer, inner - spans[i]));
    }
}

/* Before the first block, and the bounds of all; low, high and the spans are there. */
static void bound_blocks(ct_policy_side *s)
{
    const size_t n = s->n_blocks;
    const int32_t *low = s->low, *high = s->high, *closed = s->closed, *spans = s->spans;
    int32_t *restrict at_end = s->at_end, *restrict inside = s->inside;
    int32_t least_end = INT32_MAX, least_inside = INT32_MAX;
    s->low[0] = 0, s->high[0] = s->low[n];
    for (size_t i = 0; i < n; i++) {
        at_end[i] = low[i + 1] + high[i + 1];
        least_end = smaller(least_end, at_end[i]);
    }
    for (size_t i = 0; i < n; i++)
        inside[i] = larger(closed[i], inside_of(low[i], low[i + 1], high[i], high[i + 1],
                                                spans[i]));
    if (s->lift) {
        s->low_other[0] = 0, s->high_other[0] = s->low_other[n];
        bound_without(s, inside);
    }
    for (size_t i = 0; i < n; i++) least_inside = smaller(least_inside, inside[i]);
    s->least_end = least_end, s->least_inside = least_inside;
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
#include "policy/kernels_body.h"
#define CT_WIDTH 8
#include "policy/kernels_body.h"
#define CT_WIDTH 16
#include "policy/kernels_body.h"
#define CT_WIDTH 32
#include "policy/kernels_body.h"
#else
#define CT_WIDTH lanes
#include "policy/kernels_body.h"
#endif

#define CT_POLICY_SET(isa)                                                      \
    const ct_policy_kernels ct_policy_##isa = {                                 \
        {#isa, sweep_4, prefix_4, scan_4, walk_4, pairs_4},                     \
        {#isa, sweep_8, prefix_8, scan_8, walk_8, pairs_8},                     \
        {#isa, sweep_16, prefix_16, scan_16, walk_16, pairs_16},                \
        {#isa, sweep_32, prefix_32, scan_32, walk_32, pairs_32}}

#endif
