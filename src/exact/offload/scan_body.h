/* A batch of candidates against every column: the least errors of a split on the column in each
 * side of each candidate.
 *
 * A block takes one column and one group of candidates, a lane one candidate. Per word of the
 * column's order each lane reads the sides of one row for all candidates of the group; a
 * transposition of 32 by 32 bits hands each lane the sides of 32 rows for its own candidate. From
 * there on a lane goes along the order by itself: counts per class, and a bound for the word
 * (exact/kernels/classes.h has the bounds; here a block is 32 rows). Where that may beat what is
 * known, it looks into the word; if few of the lanes want to, all do it for one of these after the
 * other, each at one position. The warps of a block share the order: each first counts its part,
 * then starts its scan from the counts before it.
 *
 * A column is scanned for the candidates that want it, and a block that none of its group wants
 * does nothing.
 *
 * With x_c the rows of class c up to a candidate and T_c those of the side, a split there gets
 * max_i x_i + max_j (T_j - x_j) right, its score. */
#ifndef CT_EXACT_OFFLOAD_SCAN_BODY_H
#define CT_EXACT_OFFLOAD_SCAN_BODY_H

#include "exact/offload/rows_body.h"
#include "gpu/kernel.h"

enum { CT_ANY, CT_ALLOWED }; /* splits of any size, and those that keep to min_rows */

/* What a lane has found: the best score known exactly, and the best bound of what was passed
 * over. */
typedef struct {
    int32_t best[2][2], passed[2][2]; /* [side][any, allowed] */
} ct_scan_found;

/* What a block shares: [warp][side][class][lane] counts, [side][class][lane] totals, and
 * [warp][lane] what it finds. */
typedef struct {
    uint32_t n_warps;
    uint32_t *counts, *totals;
    ct_scan_found *found;
} ct_scan_block;

CT_HD size_t ct_scan_bytes_with(uint32_t n_classes, size_t warps)
{
    return ((2 * warps + 2) * n_classes * sizeof(uint32_t) + warps * sizeof(ct_scan_found)) *
           CT_GPU_LANES;
}

/* Warps of a block: for up to CT_OFFLOAD_CLASSES classes its memory is at most what every device
 * grants. */
CT_HD uint32_t ct_scan_warps(uint32_t n_classes)
{
    uint32_t warps = CT_GPU_BLOCK / CT_GPU_LANES;
    while (warps > 1 && ct_scan_bytes_with(n_classes, warps) > CT_GPU_SHARED) warps /= 2;
    return warps;
}

CT_HD size_t ct_scan_bytes(uint32_t n_classes)
{
    return ct_scan_bytes_with(n_classes, ct_scan_warps(n_classes));
}

CT_HD ct_scan_block ct_scan_block_at(void *memory, uint32_t n_classes)
{
    ct_scan_block block;
    size_t part = (size_t) 2 * n_classes * CT_GPU_LANES;
    block.n_warps = ct_scan_warps(n_classes);
    block.counts = (uint32_t *) memory;
    block.totals = block.counts + block.n_warps * part;
    block.found = (ct_scan_found *) (void *) (block.totals + part);
    return block;
}

/* The words of warp `warp`. */
typedef struct {
    uint32_t begin, end;
} ct_scan_part;

CT_HD ct_scan_part ct_scan_part_of(uint32_t words, uint32_t warp, uint32_t n_warps)
{
    uint32_t each = (words + n_warps - 1) / n_warps;
    ct_scan_part part;
    part.begin = warp * each < words ? warp * each : words;
    part.end = part.begin + each < words ? part.begin + each : words;
    return part;
}

/* ---- one row for all candidates, all rows for one candidate ---- */

/* 1 if the row is on that side of the candidate and in its part. */
CT_HD uint32_t ct_scan_is_on(const ct_offload_views *v, const ct_offload_candidate *candidate,
                             uint32_t row, uint32_t side)
{
    uint32_t left = ct_offload_rank(&v->table, candidate->feature, row) < candidate->threshold;
    if (candidate->part_threshold == CT_OFFLOAD_ALL) return left != side;
    uint32_t below = ct_offload_rank(&v->table, candidate->part_line / 2, row) <
                     candidate->part_threshold;
    return (left != side) & (below != candidate->part_line % 2);
}

CT_HD void ct_offload_make_sides(const ct_offload_views *v, size_t item)
{
    uint32_t row = v->rows.rows[item % v->rows.n_rows], word = (uint32_t) (item / v->rows.n_rows),
             sides = 0;
    uint32_t group = word / v->batch.n_sides, side = word % v->batch.n_sides;
    for (uint32_t p = 0; p < CT_GPU_LANES && group * CT_GPU_LANES + p < v->batch.n_candidates; p++)
        sides |= ct_scan_is_on(v, v->batch.candidates + group * CT_GPU_LANES + p, row, side) << p;
    v->batch.sides[item] = sides;
}

/* Which candidates of the group have the row at position 32 w + lane of the column's order on that
 * side; none past the end. */
CT_HD uint32_t ct_scan_sides(const ct_offload_views *v, uint32_t col, uint32_t group, uint32_t w,
                             uint32_t lane, uint32_t side)
{
    if (w * 32 + lane >= v->rows.n_rows) return 0;
    uint32_t row = v->rows.order[(size_t) col * v->rows.n_rows + (size_t) w * 32 + lane];
    return v->batch.sides[((size_t) group * v->batch.n_sides + side) * v->rows.n_rows + row];
}

/* The rows of a word. */
CT_HD uint32_t ct_scan_valid(const ct_offload_views *v, uint32_t w)
{
    uint32_t n = ct_offload_in_word(v->rows.n_rows, w);
    return n == 32 ? 0xffffffffu : ct_offload_low_bits(n);
}

/* ---- counting ---- */

/* Adds the members of a word on either side of the lane's candidate. x has one number a side and
 * class, `stride` apart. */
CT_HD void ct_scan_count(uint32_t *x, uint32_t stride, const uint32_t *sets, uint32_t n_classes,
                         uint32_t left, uint32_t right)
{
    for (uint32_t c = 0; c < n_classes; c++) {
        x[c * stride] += ct_hd_popcount(sets[c] & left);
        x[(n_classes + c) * stride] += ct_hd_popcount(sets[c] & right);
    }
}

/* Turns the counts of the warps into the counts before each; item: side, class and lane. */
CT_HD void ct_scan_sum_warps(const ct_scan_block *block, uint32_t n_classes, uint32_t item)
{
    uint32_t sum = 0, step = 2 * n_classes * CT_GPU_LANES;
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        uint32_t *counts = block->counts + warp * step + item, own = *counts;
        *counts = sum;
        sum += own;
    }
    block->totals[item] = sum;
}

/* ---- scanning ---- */

/* The candidates of the group that want the column for that side, a bit each. */
CT_HD uint32_t ct_scan_wanted(const ct_offload_views *v, uint32_t col, uint32_t group,
                              uint32_t side)
{
    size_t at = ((size_t) group * 2 + side) * v->table.n_cols;
    return v->batch.wanted[at + v->table.first_col + col];
}

/* One lane under way. The numbers of a class are `stride` apart. */
typedef struct {
    uint32_t n_classes, stride;
    uint32_t *x;             /* [side][class] up to the word */
    const uint32_t *totals;  /* [side][class] of the candidate */
    uint32_t all[2];         /* rows of each side */
    int32_t floor[2];        /* scores up to here are not wanted; -1: all are */
    uint32_t min_rows[2];
    ct_scan_found found;
} ct_scan_lane;

/* Sets up what stays the same along the order; the lane's memory and totals are in place. wanted:
 * by side, whether the column is. */
CT_HD void ct_scan_begin(ct_scan_lane *lane, const ct_offload_candidate *candidate,
                         const uint32_t wanted[2])
{
    for (uint32_t side = 0; side < 2; side++) {
        lane->all[side] = 0;
        for (uint32_t c = 0; c < lane->n_classes; c++)
            lane->all[side] += lane->totals[(side * lane->n_classes + c) * lane->stride];
        lane->floor[side] = (int32_t) lane->all[side] - (wanted[side] ? candidate->need[side] : 0);
        lane->min_rows[side] = candidate->min_rows[side];
        for (int kind = 0; kind < 2; kind++)
            lane->found.best[side][kind] = lane->found.passed[side][kind] = 0;
    }
}

CT_HD int32_t ct_scan_larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* T_c of a side, and x_c. */
CT_HD int32_t ct_scan_total(const ct_scan_lane *lane, uint32_t side, uint32_t c)
{
    return (int32_t) lane->totals[(side * lane->n_classes + c) * lane->stride];
}

CT_HD uint32_t ct_scan_before(const ct_scan_lane *lane, uint32_t side, uint32_t c)
{
    return lane->x[(side * lane->n_classes + c) * lane->stride];
}

/* x_c at position j of the word, from that before the word. */
CT_HD uint32_t ct_scan_up_to(uint32_t before, uint32_t set, uint32_t in, uint32_t j)
{
    return before + ct_hd_popcount(set & in & 0xffffffffu >> (31 - j));
}

/* The position of the lowest bit that is set. */
CT_HD uint32_t ct_scan_first(uint32_t bits)
{
    return ct_hd_popcount((bits & (0u - bits)) - 1);
}

/* A split under way: classes are added one by one. */
typedef struct {
    int32_t most, rest; /* max_i x_i, max_j (T_j - x_j) */
    uint32_t n;         /* rows of the side up to there */
} ct_scan_split;

CT_HD void ct_scan_add_class(ct_scan_split *split, uint32_t x, uint32_t total)
{
    split->most = ct_scan_larger(split->most, (int32_t) x);
    split->rest = ct_scan_larger(split->rest, (int32_t) (total - x));
    split->n += x;
}

/* Whether a split with n of `all` rows before it is allowed. */
CT_HD int ct_scan_allowed(uint32_t n, uint32_t all, uint32_t least)
{
    return n >= least && all - n >= least;
}

/* No split within the word has a larger score. *n becomes the rows of the side before it. */
CT_HD int32_t ct_scan_bound(const ct_scan_lane *lane, uint32_t side, const uint32_t *sets,
                            uint32_t in, uint32_t *n)
{
    const int32_t lowest = -0x20000000;
    int32_t x_end = lowest, x_start = lowest, rest_end = lowest, rest_start = lowest,
            pairs = lowest;
    uint32_t rows = 0;
    for (uint32_t c = 0; c < lane->n_classes; c++) {
        uint32_t x = ct_scan_before(lane, side, c);
        int32_t total = ct_scan_total(lane, side, c),
                end = (int32_t) (x + ct_hd_popcount(sets[c] & in));
        int32_t start_rest = total - (int32_t) x;
        pairs = ct_scan_larger(pairs, ct_scan_larger(end + rest_start, start_rest + x_end));
        x_end = ct_scan_larger(x_end, end);
        x_start = ct_scan_larger(x_start, (int32_t) x);
        rest_end = ct_scan_larger(rest_end, total - end);
        rest_start = ct_scan_larger(rest_start, start_rest);
        rows += x;
    }
    *n = rows;
    /* A row moves the score by at most one. */
    int32_t start = x_start + rest_start, end = x_end + rest_end;
    int32_t middle = start + (end - start + (int32_t) ct_hd_popcount(in)) / 2;
    return pairs < middle ? pairs : middle;
}

/* Whether the word is to be looked into for one side of the lane's candidate; what is passed over
 * is noted. sets: of the word, one a class. */
CT_HD int ct_scan_asks(ct_scan_lane *lane, uint32_t side, const uint32_t *sets, uint32_t in)
{
    if (lane->floor[side] >= (int32_t) lane->all[side]) return 0;
    uint32_t n, least = lane->min_rows[side];
    int32_t limit = ct_scan_bound(lane, side, sets, in, &n), *best = lane->found.best[side];
    /* An allowed split may be inside. */
    int reach = n + ct_hd_popcount(in) >= least && lane->all[side] - n >= least;
    int32_t known = reach && best[CT_ALLOWED] < best[CT_ANY] ? best[CT_ALLOWED] : best[CT_ANY];
    if (limit > ct_scan_larger(known, lane->floor[side])) return 1;
    int32_t *passed = lane->found.passed[side];
    passed[CT_ANY] = ct_scan_larger(passed[CT_ANY], limit);
    if (reach) passed[CT_ALLOWED] = ct_scan_larger(passed[CT_ALLOWED], limit);
    return 0;
}

/* Takes in the best scores within a word. */
CT_HD void ct_scan_take(ct_scan_lane *lane, uint32_t side, int32_t any, int32_t allowed)
{
    int32_t *best = lane->found.best[side];
    best[CT_ANY] = ct_scan_larger(best[CT_ANY], any);
    best[CT_ALLOWED] = ct_scan_larger(best[CT_ALLOWED], allowed);
}

/* Looks into a word, position by position. */
CT_HD void ct_scan_look_into(ct_scan_lane *lane, uint32_t side, const uint32_t *sets,
                             uint32_t ties, uint32_t in)
{
    const uint32_t *x = lane->x + side * lane->n_classes * lane->stride,
                   *totals = lane->totals + side * lane->n_classes * lane->stride;
    for (uint32_t left = ties; left; left &= left - 1) {
        uint32_t j = ct_scan_first(left);
        ct_scan_split split = {0, 0, 0};
        for (uint32_t c = 0; c < lane->n_classes; c++)
            ct_scan_add_class(&split, ct_scan_up_to(x[c * lane->stride], sets[c], in, j),
                              totals[c * lane->stride]);
        int32_t score = split.most + split.rest;
        int allowed = ct_scan_allowed(split.n, lane->all[side], lane->min_rows[side]);
        ct_scan_take(lane, side, score, allowed ? score : 0);
    }
}

/* ---- the answer ---- */

/* What the warps have found: exact if below the candidate's need, else a lower bound not below
 * it. */
CT_HD int32_t ct_scan_errors(const ct_scan_block *block, uint32_t n_classes, uint32_t lane,
                             uint32_t side, int kind, int32_t need)
{
    int32_t size = 0, best = 0, passed = 0;
    for (uint32_t c = 0; c < n_classes; c++)
        size += (int32_t) block->totals[(side * n_classes + c) * CT_GPU_LANES + lane];
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        const ct_scan_found *found = block->found + warp * CT_GPU_LANES + lane;
        best = ct_scan_larger(best, found->best[side][kind]);
        passed = ct_scan_larger(passed, found->passed[side][kind]);
    }
    return size - (best > size - need ? best : ct_scan_larger(best, passed));
}

/* Writes the answer for one candidate; the block is not read where nothing is wanted. */
CT_HD void ct_scan_end(const ct_scan_block *block, const ct_offload_views *v, uint32_t col,
                       uint32_t group, uint32_t lane)
{
    uint32_t p = group * CT_GPU_LANES + lane, n_classes = v->table.n_classes;
    if (p >= v->batch.n_candidates) return;
    const ct_offload_candidate *candidate = v->batch.candidates + p;
    for (uint32_t side = 0; side < 2; side++) {
        int wanted = candidate->need[side] > 0 && ct_scan_wanted(v, col, group, side) >> lane & 1;
        for (int kind = 0; kind < 2; kind++) {
            size_t at = (((size_t) p * 2 + (size_t) side) * 2 + (size_t) kind) * v->table.n_cols;
            v->batch.errors[at + v->table.first_col + col] =
                wanted ? ct_scan_errors(block, n_classes, lane, side, kind, candidate->need[side])
                       : 0;
        }
    }
}

#endif
