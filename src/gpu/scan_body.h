/* A batch of points against every column: the least errors of a split on the column in each side of each point.
 *
 * A block takes one column and one group of points, a lane one point. Per word of the column's order each lane reads the
 * sides of one row for all points of the group; a transposition of 32 by 32 bits hands each lane the sides of 32 rows for
 * its own point. From there on a lane goes along the order by itself: counts per class, a bound for the word, and, where
 * that may beat what is known, every position inside (kernels/many_body.h has the bounds; here a block is 32 rows).
 * The warps of a block share the order: each first counts its part, then starts its scan from the counts before it.
 *
 * With x_c the rows of class c up to a point and T_c those of the side, a split there gets max_i x_i + max_j (T_j - x_j)
 * right, its score. */
#ifndef CT_GPU_SCAN_BODY_H
#define CT_GPU_SCAN_BODY_H

#include "gpu/rows_body.h"

enum { CT_ANY, CT_ALLOWED }; /* splits of any size, and those that keep to min_rows */

/* Warps of a block: its memory below is at most 48 KB for up to CT_GPU_CLASSES classes. */
CT_HD uint32_t ct_scan_warps(uint32_t n_classes)
{
    return n_classes <= 16 ? 8 : n_classes <= 32 ? 4 : 2;
}

/* What a lane has found: the best score known exactly, and the best bound of what was passed over. */
typedef struct {
    int32_t best[2][2], passed[2][2]; /* [side][any, allowed] */
} ct_scan_found;

/* What a block shares: [warp][class][lane] counts and scratch, [class][lane] totals, [warp][lane] what it finds. */
typedef struct {
    uint32_t n_warps;
    uint32_t *counts, *scratch, *totals;
    ct_scan_found *found;
} ct_scan_block;

CT_HD size_t ct_scan_bytes(uint32_t n_classes)
{
    size_t warps = ct_scan_warps(n_classes);
    return ((2 * warps + 1) * n_classes * sizeof(uint32_t) + warps * sizeof(ct_scan_found)) * CT_GPU_LANES;
}

CT_HD ct_scan_block ct_scan_block_at(void *memory, uint32_t n_classes)
{
    ct_scan_block block;
    size_t part;
    block.n_warps = ct_scan_warps(n_classes);
    part = (size_t) block.n_warps * n_classes * CT_GPU_LANES;
    block.counts = (uint32_t *) memory;
    block.scratch = block.counts + part;
    block.totals = block.scratch + part;
    block.found = (ct_scan_found *) (void *) (block.totals + (size_t) n_classes * CT_GPU_LANES);
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

/* ---- one row for all points, all rows for one point ---- */

CT_HD void ct_gpu_make_sides(const ct_gpu_views *v, size_t item)
{
    uint32_t group = (uint32_t) (item / v->rows.n_rows), row = v->rows.rows[item % v->rows.n_rows], sides = 0;
    for (uint32_t p = 0; p < CT_GPU_LANES && group * CT_GPU_LANES + p < v->batch.n_points; p++) {
        const ct_gpu_point *point = v->batch.points + group * CT_GPU_LANES + p;
        sides |= (uint32_t) (ct_gpu_rank(&v->table, point->feature, row) < point->threshold) << p;
    }
    v->batch.sides[item] = sides;
}

/* The sides of the row at position 32 w + lane of the column's order; 0 beyond the last. */
CT_HD uint32_t ct_scan_sides(const ct_gpu_views *v, uint32_t col, uint32_t group, uint32_t w, uint32_t lane)
{
    if (w * 32 + lane >= v->rows.n_rows) return 0;
    uint32_t row = v->rows.order[(size_t) col * v->rows.n_rows + (size_t) w * 32 + lane];
    return v->batch.sides[(size_t) group * v->rows.n_rows + row];
}

/* ---- counting ---- */

/* Adds the members of a word that are left of the lane's point. x has one number a class, `stride` apart. */
CT_HD void ct_scan_count(uint32_t *x, uint32_t stride, const uint32_t *sets, uint32_t n_classes, uint32_t left)
{
    for (uint32_t c = 0; c < n_classes; c++) x[c * stride] += ct_hd_popcount(sets[c] & left);
}

/* Turns the counts of the warps into the counts before each; item: class and lane. */
CT_HD void ct_scan_sum_warps(const ct_scan_block *block, uint32_t n_classes, uint32_t item)
{
    uint32_t sum = 0, step = n_classes * CT_GPU_LANES;
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        uint32_t *counts = block->counts + warp * step + item, own = *counts;
        *counts = sum;
        sum += own;
    }
    block->totals[item] = sum;
}

/* ---- scanning ---- */

/* One lane under way. The numbers of a class are `stride` apart; those of the right side follow from the row set's own. */
typedef struct {
    uint32_t n_classes, stride;
    uint32_t *x;             /* left of the point, up to the word */
    uint32_t *y;             /* scratch, one number a class */
    const uint32_t *totals;  /* left of the point */
    const uint32_t *sets, *before; /* of the word, one number a class */
    const uint8_t *codes;    /* of the word, one a row */
    uint32_t all[2];         /* rows of each side */
    int32_t floor[2];        /* scores up to here are not wanted; -1: all are */
    uint32_t min_rows[2];
    ct_scan_found found;
} ct_scan_lane;

/* Sets up what stays the same along the order; the lane's memory and totals are in place. */
CT_HD void ct_scan_begin(ct_scan_lane *lane, const ct_gpu_point *point, uint32_t n_rows)
{
    uint32_t left = 0;
    for (uint32_t c = 0; c < lane->n_classes; c++) left += lane->totals[c * lane->stride];
    lane->all[0] = left;
    lane->all[1] = n_rows - left;
    for (int side = 0; side < 2; side++) {
        lane->floor[side] = (int32_t) lane->all[side] - point->need[side];
        lane->min_rows[side] = point->min_rows[side];
        for (int kind = 0; kind < 2; kind++) lane->found.best[side][kind] = lane->found.passed[side][kind] = 0;
    }
}

CT_HD int32_t ct_scan_larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* T_c of a side; `whole` are the members of the class in the row set. */
CT_HD int32_t ct_scan_total(const ct_scan_lane *lane, int side, uint32_t c, const uint32_t *whole)
{
    uint32_t left = lane->totals[c * lane->stride];
    return (int32_t) (side ? whole[c] - left : left);
}

/* Takes in the score of a split with n rows of the side before it. */
CT_HD void ct_scan_take(ct_scan_lane *lane, int side, int32_t score, uint32_t n)
{
    int32_t *best = lane->found.best[side];
    uint32_t least = lane->min_rows[side];
    best[CT_ANY] = ct_scan_larger(best[CT_ANY], score);
    if (n >= least && lane->all[side] - n >= least) best[CT_ALLOWED] = ct_scan_larger(best[CT_ALLOWED], score);
}

/* Looks into a word: the largest x grows along it, the largest T - x against it. n: rows of the side before it. */
CT_HD void ct_scan_refine(ct_scan_lane *lane, int side, const uint32_t *whole, uint32_t ties, uint32_t members, uint32_t n)
{
    int32_t largest[32], best_x = 0, best_rest = 0;
    uint32_t stride = lane->stride;
    for (uint32_t c = 0; c < lane->n_classes; c++) {
        lane->y[c * stride] = side ? lane->before[c] - lane->x[c * stride] : lane->x[c * stride];
        best_x = ct_scan_larger(best_x, (int32_t) lane->y[c * stride]);
    }
    for (uint32_t j = 0; j < 32; j++) {
        if (members >> j & 1) best_x = ct_scan_larger(best_x, (int32_t) ++lane->y[lane->codes[j] * stride]);
        largest[j] = best_x;
    }
    n += ct_hd_popcount(members);
    for (uint32_t c = 0; c < lane->n_classes; c++)
        best_rest = ct_scan_larger(best_rest, ct_scan_total(lane, side, c, whole) - (int32_t) lane->y[c * stride]);
    for (uint32_t j = 32; j-- > 0;) {
        if (ties >> j & 1) ct_scan_take(lane, side, largest[j] + best_rest, n);
        if (!(members >> j & 1)) continue;
        uint32_t c = lane->codes[j];
        best_rest = ct_scan_larger(best_rest, ct_scan_total(lane, side, c, whole) - (int32_t) --lane->y[c * stride]);
        n--;
    }
}

/* No split within the word has a larger score. *n becomes the rows of the side before it. */
CT_HD int32_t ct_scan_bound(const ct_scan_lane *lane, int side, const uint32_t *whole, uint32_t in, uint32_t *n)
{
    const int32_t lowest = -0x20000000;
    int32_t x_end = lowest, x_start = lowest, rest_end = lowest, rest_start = lowest, pairs = lowest;
    uint32_t rows = 0;
    for (uint32_t c = 0; c < lane->n_classes; c++) {
        uint32_t left = lane->x[c * lane->stride], x = side ? lane->before[c] - left : left;
        int32_t total = ct_scan_total(lane, side, c, whole), end = (int32_t) (x + ct_hd_popcount(lane->sets[c] & in));
        int32_t start_rest = total - (int32_t) x;
        pairs = ct_scan_larger(pairs, ct_scan_larger(end + rest_start, start_rest + x_end));
        x_end = ct_scan_larger(x_end, end);
        x_start = ct_scan_larger(x_start, (int32_t) x);
        rest_end = ct_scan_larger(rest_end, total - end);
        rest_start = ct_scan_larger(rest_start, start_rest);
        rows += x;
    }
    *n = rows;
    int32_t start = x_start + rest_start, end = x_end + rest_end; /* a row moves the score by at most one */
    int32_t middle = start + (end - start + (int32_t) ct_hd_popcount(in)) / 2;
    return pairs < middle ? pairs : middle;
}

/* The word for one side of the lane's point. */
CT_HD void ct_scan_side(ct_scan_lane *lane, int side, const uint32_t *whole, uint32_t ties, uint32_t in)
{
    uint32_t n, least = lane->min_rows[side];
    int32_t limit = ct_scan_bound(lane, side, whole, in, &n), *best = lane->found.best[side];
    int reach = n + ct_hd_popcount(in) >= least && lane->all[side] - n >= least; /* an allowed split may be inside */
    int32_t known = reach && best[CT_ALLOWED] < best[CT_ANY] ? best[CT_ALLOWED] : best[CT_ANY];
    if (limit > ct_scan_larger(known, lane->floor[side])) {
        ct_scan_refine(lane, side, whole, ties, in, n);
        return;
    }
    int32_t *passed = lane->found.passed[side];
    passed[CT_ANY] = ct_scan_larger(passed[CT_ANY], limit);
    if (reach) passed[CT_ALLOWED] = ct_scan_larger(passed[CT_ALLOWED], limit);
}

/* Word w of the column's order; `left`: the rows left of the lane's point. */
CT_HD void ct_scan_word(ct_scan_lane *lane, const ct_gpu_views *v, uint32_t col, uint32_t w, uint32_t left)
{
    size_t at = (size_t) col * v->rows.words + w;
    uint32_t ties = v->rows.ties[at], n = ct_gpu_in_word(v->rows.n_rows, w);
    uint32_t valid = n == 32 ? 0xffffffffu : ct_gpu_low_bits(n);
    lane->sets = v->rows.sets + at * lane->n_classes;
    lane->before = v->rows.before + at * lane->n_classes;
    lane->codes = v->rows.codes + (size_t) col * v->rows.n_rows + (size_t) w * 32;
    if (ties) {
        if (lane->floor[0] < (int32_t) lane->all[0]) ct_scan_side(lane, 0, v->rows.whole, ties, left);
        if (lane->floor[1] < (int32_t) lane->all[1]) ct_scan_side(lane, 1, v->rows.whole, ties, valid & ~left);
    }
    ct_scan_count(lane->x, lane->stride, lane->sets, lane->n_classes, left);
}

/* ---- the answer ---- */

/* Writes what the warps have found for one point: exact if below the point's need, else a lower bound not below it. */
CT_HD void ct_scan_end(const ct_scan_block *block, const ct_gpu_views *v, uint32_t col, uint32_t group, uint32_t lane)
{
    uint32_t p = group * CT_GPU_LANES + lane, left = 0;
    if (p >= v->batch.n_points) return;
    const ct_gpu_point *point = v->batch.points + p;
    for (uint32_t c = 0; c < v->table.n_classes; c++) left += block->totals[c * CT_GPU_LANES + lane];
    for (int side = 0; side < 2; side++) {
        int32_t size = (int32_t) (side ? v->rows.n_rows - left : left), floor = size - point->need[side];
        for (int kind = 0; kind < 2; kind++) {
            int32_t best = 0, passed = 0;
            for (uint32_t warp = 0; warp < block->n_warps; warp++) {
                const ct_scan_found *found = block->found + warp * CT_GPU_LANES + lane;
                best = ct_scan_larger(best, found->best[side][kind]);
                passed = ct_scan_larger(passed, found->passed[side][kind]);
            }
            int32_t errors = size - (best > floor ? best : ct_scan_larger(best, passed));
            v->batch.errors[(((size_t) p * 2 + (size_t) side) * 2 + (size_t) kind) * v->table.n_cols + col] =
                point->need[side] > 0 ? errors : 0;
        }
    }
}

#endif
