/* The scan of two classes on a device, a quad of groups a warp: a lane has a candidate of each, and
 * their counts in registers. SIDES: words of sides a row and group. A read of a row brings those of
 * all four groups, half of the 32 bytes that memory moves for it, or all.
 *
 * With two classes scan_body.h's bound is a matter of one number a side, e = x_0 - x_1: a split
 * whose labels differ has T_1 + e or T_0 - e right, and within a word that has a rows of class 0
 * and b of class 1, e is at most a more and b less. The bound by what a row may change is never
 * below that, so the answers are those of scan_body.h. */
#ifndef CT_EXACT_OFFLOAD_SCAN_TWO_CUH
#define CT_EXACT_OFFLOAD_SCAN_TWO_CUH

#include "exact/offload/scan_body.h"
#include "gpu/kernel.cuh"

namespace {

/* Where a warp reads: its column, and the sides of its quad, `step` apart from row to row. */
struct two_source {
    const uint32_t *order, *ties;
    const uint2 *sets;
    const uint4 *sides;
    uint32_t step, last; /* last: position in the order */
};

__device__ inline two_source two_source_of(const ct_offload_views &v, const ct_scan_item &item)
{
    const size_t words = (size_t) item.col * v.rows.words;
    two_source source;
    source.order = v.rows.order + (size_t) item.col * v.rows.n_rows;
    source.ties = v.rows.ties + words;
    source.sets = (const uint2 *) (const void *) v.rows.sets + words;
    source.sides = (const uint4 *) (const void *) (v.batch.sides +
                                                   ct_scan_sides_at(&v.batch, 0, item.group));
    source.step = v.batch.n_quads * v.batch.n_sides;
    source.last = v.rows.n_rows - 1;
    return source;
}

/* What a lane reads of a word: the sides of its row, and what all lanes share. */
struct two_word {
    uint4 left, right;
    uint2 sets;
    uint32_t ties;
};

/* The row in the lane's place of a word; the last one again beyond. The sets have no such place, so
 * that it does not count. */
__device__ inline uint32_t two_row(const two_source &source, uint32_t w, uint32_t lane)
{
    const uint32_t position = w * 32 + lane;
    return source.order[position < source.last ? position : source.last];
}

template <int SIDES>
__device__ inline two_word two_read(const two_source &source, uint32_t w, uint32_t row)
{
    const uint4 *sides = source.sides + (size_t) row * source.step;
    two_word word;
    word.left = sides[0];
    if (SIDES == 2) word.right = sides[1];
    word.sets = source.sets[w];
    word.ties = source.ties[w];
    return word;
}

/* Rows of either class. */
struct two_rows {
    uint32_t n0, n1;
};

__device__ inline two_rows two_members(const uint2 &sets, uint32_t in)
{
    const two_rows n = {(uint32_t) __popc(sets.x & in), (uint32_t) __popc(sets.y & in)};
    return n;
}

/* The row in the lane's place of a word; the last one again beyond. The sets have no such place, so
 * that it does not count. */
__device__ inline uint32_t two_row(const ct_offload_views &v, uint32_t col, uint32_t w,
                                   uint32_t lane)
{
    const uint32_t position = w * 32 + lane, last = v.rows.n_rows - 1;
    return v.rows.order[(size_t) col * v.rows.n_rows + (position < last ? position : last)];
}

template <int SIDES>
__device__ inline two_word two_read(const ct_offload_views &v, uint32_t col, uint32_t group,
                                    uint32_t w, uint32_t row)
{
    const size_t at = (size_t) col * v.rows.words + w;
    const uint4 *sides = (const uint4 *) (const void *) (v.batch.sides +
                                                         ct_scan_sides_at(&v.batch, row, group));
    two_word word;
    word.left = sides[0];
    if (SIDES == 2) word.right = sides[1];
    word.sets = ((const uint2 *) (const void *) v.rows.sets)[at];
    word.ties = v.rows.ties[at];
    return word;
}

__device__ inline uint32_t two_part(const uint4 &quad, int i)
{
    return i == 0 ? quad.x : i == 1 ? quad.y : i == 2 ? quad.z : quad.w;
}

/* The rows of a word on either side of the lane's candidate. */
struct two_sides {
    uint32_t in[2];
    two_rows n[2];
};

/* all: rows of the word. */
template <int SIDES>
__device__ inline two_sides two_find(ct_lanes lanes, const ct_transposition &t,
                                     const two_word &word, const two_rows &all, int i)
{
    two_sides s;
    s.in[0] = ct_lanes_transpose(lanes, &t, two_part(word.left, i));
    s.n[0] = two_members(word.sets, s.in[0]);
    if (SIDES == 2) {
        s.in[1] = ct_lanes_transpose(lanes, &t, two_part(word.right, i));
        s.n[1] = two_members(word.sets, s.in[1]);
    } else {
        s.in[1] = ~s.in[0];
        s.n[1].n0 = all.n0 - s.n[0].n0;
        s.n[1].n1 = all.n1 - s.n[0].n1;
    }
    return s;
}

/* ---- counting ---- */

__device__ inline void two_add(two_rows &to, const two_rows &n)
{
    to.n0 += n.n0;
    to.n1 += n.n1;
}

/* Counts a part for the groups of the quad that are to be counted, a bit each. */
template <int SIDES>
__device__ void two_count(const ct_offload_views &v, const ct_scan_item &item, uint32_t groups,
                          ct_lanes lanes)
{
    const ct_transposition t = ct_transposition_of(lanes.lane);
    const two_source source = two_source_of(v, item);
    two_rows x[CT_SCAN_QUAD][2] = {}, all = {};
    for (uint32_t w = item.begin; w < item.end; w++) {
        const two_word word = two_read<SIDES>(source, w, two_row(source, w, lanes.lane));
        two_add(all, two_members(word.sets, 0xffffffffu));
#pragma unroll
        for (int i = 0; i < CT_SCAN_QUAD; i++) {
            if (!(groups >> i & 1)) continue;
            const two_sides s = two_find<SIDES>(lanes, t, word, two_rows(), i);
            for (int side = 0; side < SIDES; side++) two_add(x[i][side], s.n[side]);
        }
    }
#pragma unroll
    for (int i = 0; i < CT_SCAN_QUAD; i++) {
        const uint32_t group = item.group + (uint32_t) i;
        if (!(groups >> i & 1)) continue;
        if (SIDES == 1) x[i][1] = {all.n0 - x[i][0].n0, all.n1 - x[i][0].n1};
        for (uint32_t side = 0; side < 2; side++) {
            ct_scan_counted(&v, &item, group, lanes.lane, 2 * side, x[i][side].n0);
            ct_scan_counted(&v, &item, group, lanes.lane, 2 * side + 1, x[i][side].n1);
        }
    }
}

/* ---- scanning ---- */

/* One side of the lane's candidate under way. */
struct two_scan {
    int32_t lead; /* T_1 + x_0 - x_1 */
    uint32_t n, all, least;
    int32_t floor, found[2];
};

__device__ inline two_scan two_begin(const ct_offload_views &v, const ct_scan_item &item,
                                     uint32_t group, uint32_t side, uint32_t lane)
{
    const uint32_t p = group * CT_GPU_LANES + lane, last = v.batch.n_candidates - 1;
    const ct_offload_candidate *candidate = v.batch.candidates + (p < last ? p : last);
    const uint32_t *totals = ct_scan_totals_at(&v, group) + side * 2 * CT_GPU_LANES + lane;
    const uint32_t x0 = ct_scan_counted_before(&v, &item, group, lane, side * 2),
                   x1 = ct_scan_counted_before(&v, &item, group, lane, side * 2 + 1);
    const uint32_t wanted = p <= last && ct_scan_wanted(&v, item.col, group, side) >> lane & 1;
    two_scan scan;
    scan.lead = (int32_t) (totals[CT_GPU_LANES] + x0 - x1);
    scan.n = x0 + x1;
    scan.all = totals[0] + totals[CT_GPU_LANES];
    scan.least = candidate->min_rows[side];
    scan.floor = (int32_t) scan.all - (wanted ? candidate->need[side] : 0);
    scan.found[CT_ANY] = scan.found[CT_ALLOWED] = 0;
    return scan;
}

__device__ inline int two_asks(two_scan &scan, const two_rows &n)
{
    const int32_t limit = ct_scan_larger(scan.lead + (int32_t) n.n0,
                                         (int32_t) scan.all - scan.lead + (int32_t) n.n1);
    return ct_scan_beats(scan.found, scan.floor, limit, scan.n, n.n0 + n.n1, scan.all, scan.least);
}

/* Looks into a word for each lane of `asking`, all lanes at one candidate, each at a position.
 * totals: [class][candidate] of the side. */
__device__ void two_look(ct_lanes lanes, two_scan &scan, const two_word &word, uint32_t in,
                         uint32_t asking, const uint32_t *totals)
{
    const uint32_t j = lanes.lane;
    for (; asking; asking &= asking - 1) {
        const uint32_t from = ct_scan_first(asking);
        const uint32_t its = ct_lanes_read(lanes, in, from),
                       lead = ct_lanes_read(lanes, (uint32_t) scan.lead, from),
                       before = ct_lanes_read(lanes, scan.n, from),
                       least = ct_lanes_read(lanes, scan.least, from);
        const int32_t total0 = (int32_t) totals[from],
                      total1 = (int32_t) totals[CT_GPU_LANES + from], all = total0 + total1;
        const uint32_t n0 = ct_scan_up_to(word.sets.x, its, j),
                       n1 = ct_scan_up_to(word.sets.y, its, j);
        const int32_t e = (int32_t) (lead + n0 - n1);
        const int32_t best = ct_scan_larger(ct_scan_larger(e, all - e),
                                            ct_scan_larger(total0, total1));
        const uint32_t score = word.ties >> j & 1 ? (uint32_t) best : 0;
        const int allowed = ct_scan_allowed(before + n0 + n1, (uint32_t) all, least);
        const uint32_t of_any = ct_lanes_max(lanes, score),
                       of_allowed = ct_lanes_max(lanes, allowed ? score : 0);
        if (j == from) ct_scan_take(scan.found, (int32_t) of_any, (int32_t) of_allowed);
    }
}

/* A word for one group. all: rows of the word. */
template <int SIDES>
__device__ inline void two_scan_word(const ct_offload_views &v, const two_word &word,
                                     const two_rows &all, int i, uint32_t group, ct_lanes lanes,
                                     const ct_transposition &t, two_scan scans[2])
{
    const two_sides s = two_find<SIDES>(lanes, t, word, all, i);
    if (word.ties) {
        const int asks[2] = {two_asks(scans[0], s.n[0]), two_asks(scans[1], s.n[1])};
        if (ct_lanes_ballot(lanes, asks[0] | asks[1]))
            for (int side = 0; side < 2; side++)
                two_look(lanes, scans[side], word, s.in[side],
                         ct_lanes_ballot(lanes, asks[side]),
                         ct_scan_totals_at(&v, group) + side * 2 * CT_GPU_LANES);
    }
    for (int side = 0; side < 2; side++) {
        scans[side].lead += (int32_t) (s.n[side].n0 - s.n[side].n1);
        scans[side].n += s.n[side].n0 + s.n[side].n1;
    }
}

/* Scans a part for the groups of the quad that want the column, a bit each. The next word is under
 * way while one is looked at, and so is the row after it. */
template <int SIDES>
__device__ void two_scan_part(const ct_offload_views &v, const ct_scan_item &item, uint32_t groups,
                              ct_lanes lanes)
{
    const uint32_t last = item.end - 1;
    const ct_transposition t = ct_transposition_of(lanes.lane);
    const two_source source = two_source_of(v, item);
    two_scan scans[CT_SCAN_QUAD][2];
#pragma unroll
    for (int i = 0; i < CT_SCAN_QUAD; i++) {
        if (!(groups >> i & 1)) continue;
        for (uint32_t side = 0; side < 2; side++)
            scans[i][side] = two_begin(v, item, item.group + (uint32_t) i, side, lanes.lane);
    }

    two_word next = two_read<SIDES>(source, item.begin, two_row(source, item.begin, lanes.lane));
    uint32_t row = two_row(source, item.begin < last ? item.begin + 1 : last, lanes.lane);
    for (uint32_t w = item.begin; w < item.end; w++) {
        const two_word word = next;
        const two_rows all = two_members(word.sets, 0xffffffffu);
        next = two_read<SIDES>(source, w < last ? w + 1 : last, row);
        row = two_row(source, w + 2 < last ? w + 2 : last, lanes.lane);
#pragma unroll
        for (int i = 0; i < CT_SCAN_QUAD; i++)
            if (groups >> i & 1)
                two_scan_word<SIDES>(v, word, all, i, item.group + (uint32_t) i, lanes, t,
                                     scans[i]);
    }
#pragma unroll
    for (int i = 0; i < CT_SCAN_QUAD; i++) {
        const uint32_t p = (item.group + (uint32_t) i) * CT_GPU_LANES + lanes.lane;
        if (!(groups >> i & 1) || p >= v.batch.n_candidates) continue;
        for (uint32_t side = 0; side < 2; side++)
            ct_scan_end(&v, item.col, p, side, scans[i][side].all, scans[i][side].found);
    }
}

} /* namespace */

#endif
