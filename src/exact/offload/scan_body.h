/* A batch of candidates against every column: the least errors of a split on the column in each
 * side of each candidate.
 *
 * A column's order is cut into parts. A warp takes a column, a part and a group of candidates, a
 * lane one of these. Per word of the order each lane reads the sides of one row for all candidates
 * of the group; a transposition of 32 by 32 bits hands each lane the sides of 32 rows for its own
 * candidate. First all parts are counted; then a warp goes through its part from the counts of
 * those before it. From there on a lane goes by itself: counts per class, and a bound for the word
 * (exact/kernels/classes.h has the bounds; here a block is 32 rows). Where that may beat what is
 * known, it looks into the word; if few of the lanes want to, all do it for one of these after the
 * other, each at one position.
 *
 * With two classes a warp on a device takes a quad of groups, since reading would take longer than
 * counting otherwise; scan_two.cuh has that text, whose answers are these.
 *
 * A column is scanned for the candidates that want it; a warp that none of its group wants does
 * nothing.
 *
 * With x_c the rows of class c up to a candidate and T_c those of the side, a split there gets
 * max_i x_i + max_j (T_j - x_j) right, its score. */
#ifndef CT_EXACT_OFFLOAD_SCAN_BODY_H
#define CT_EXACT_OFFLOAD_SCAN_BODY_H

#include "exact/offload/rows_body.h"
#include "gpu/kernel.h"

enum { CT_ANY, CT_ALLOWED }; /* splits of any size, and those that keep to min_rows */

enum {
    CT_SCAN_QUAD = 4,  /* groups whose sides lie together */
    CT_SCAN_PARTS_OF_TWO = 16,
    CT_SCAN_PARTS = 8 /* of an order, with more classes */
};

/* The parts of an order: a warp of two classes does more at a time, so it takes more of them to
 * fill a device. Bounds that are answered depend on it, so it does not depend on the device. */
CT_HD uint32_t ct_scan_parts(uint32_t n_classes)
{
    return n_classes == 2 ? CT_SCAN_PARTS_OF_TWO : CT_SCAN_PARTS;
}

/* The groups of a warp. */
CT_HD uint32_t ct_scan_groups(uint32_t n_classes)
{
    return n_classes == 2 ? CT_SCAN_QUAD : 1;
}

/* Numbers of a group: [side][class][candidate]. */
CT_HD size_t ct_scan_numbers(uint32_t n_classes)
{
    return (size_t) 2 * n_classes * CT_GPU_LANES;
}

/* Memory of a warp, which is a block: counts, in registers where there are two classes. */
CT_HD size_t ct_scan_bytes(uint32_t n_classes)
{
    return n_classes == 2 ? 0 : ct_scan_numbers(n_classes) * sizeof(uint32_t);
}

/* What a warp takes: groups from `group` on; words begin .. end of the order. */
typedef struct {
    uint32_t col, group, part, begin, end;
} ct_scan_item;

CT_HD size_t ct_scan_items(const ct_offload_views *v)
{
    uint32_t n_classes = v->table.n_classes;
    return (size_t) ct_scan_parts(n_classes) * v->table.n_window * v->batch.n_quads *
           (CT_SCAN_QUAD / ct_scan_groups(n_classes));
}

CT_HD ct_scan_item ct_scan_item_at(const ct_offload_views *v, size_t number)
{
    CT_ASSERT(number < ct_scan_items(v));
    uint32_t n_parts = ct_scan_parts(v->table.n_classes), words = v->rows.words;
    uint32_t each = (words + n_parts - 1) / n_parts, pair = (uint32_t) (number / n_parts);
    ct_scan_item item;
    item.part = (uint32_t) (number % n_parts);
    item.col = pair % v->table.n_window;
    item.group = pair / v->table.n_window * ct_scan_groups(v->table.n_classes);
    item.begin = item.part * each < words ? item.part * each : words;
    item.end = item.begin + each < words ? item.begin + each : words;
    return item;
}

/* ---- one row for all candidates, all rows for one candidate ---- */

/* Where the word of the first side of a row of the row set lies; the second side's is a quad
 * further. */
CT_HD size_t ct_scan_sides_at(const ct_offload_batch_view *batch, uint32_t row, uint32_t group)
{
    size_t quad = (size_t) row * batch->n_quads + group / CT_SCAN_QUAD;
    return quad * batch->n_sides * CT_SCAN_QUAD + group % CT_SCAN_QUAD;
}

/* Numbers of a group's totals. */
CT_HD uint32_t *ct_scan_totals_at(const ct_offload_views *v, uint32_t group)
{
    return v->batch.totals + group * ct_scan_numbers(v->table.n_classes);
}

/* Which candidates of a group have a row on their left side, and if there are two sides right, a
 * bit each: the lanes have a candidate each, and vote. Past the last candidate it is that again; a
 * candidate of the whole row set has a part without a threshold. */
CT_HD void ct_scan_vote(ct_lanes lanes, const ct_offload_views *v, uint32_t group, uint32_t row,
                        uint32_t votes[2])
{
    CT_ASSERT(v->batch.n_candidates > 0 && row < v->table.n_rows);
    const uint32_t last = v->batch.n_candidates - 1;
    votes[0] = votes[1] = 0;
    for (uint32_t bit = 0; bit < CT_GPU_LANES; bit += lanes.width) {
        const uint32_t p = group * CT_GPU_LANES + bit + lanes.lane;
        const ct_offload_candidate *c = v->batch.candidates + (p < last ? p : last);
        const int left = ct_offload_holds(&v->table, 2 * c->feature, c->threshold, row);
        if (v->batch.n_sides == 1) {
            votes[0] |= ct_lanes_ballot(lanes, left) << bit;
            continue;
        }
        const int in = ct_offload_holds(&v->table, c->part_line, c->part_threshold, row);
        votes[0] |= ct_lanes_ballot(lanes, in && left) << bit;
        votes[1] |= ct_lanes_ballot(lanes, in && !left) << bit;
    }
}

/* Item: a word of rows of the row set, for one group; without candidates it has no bits, but it is
 * read with the others of its quad. The totals begin as zeros. */
CT_HD void ct_offload_make_sides(ct_lanes lanes, const ct_offload_views *v, size_t item)
{
    const uint32_t group = (uint32_t) (item / v->rows.words),
                   w = (uint32_t) (item % v->rows.words),
                   n = ct_offload_in_word(v->rows.n_rows, w),
                   n_asked = group < v->batch.n_groups ? n : 0;
    for (uint32_t i = 0; i < n; i += lanes.width) {
        const uint32_t mine = w * 32 + i + lanes.lane, there = i + lanes.lane < n,
                       row = there ? v->rows.rows[mine] : 0;
        uint32_t own[2] = {0, 0}, votes[2];
        for (uint32_t k = 0; k < lanes.width && i + k < n_asked; k++) {
            ct_scan_vote(lanes, v, group, ct_lanes_read(lanes, row, k), votes);
            if (k == lanes.lane) own[0] = votes[0], own[1] = votes[1];
        }
        uint32_t *sides = v->batch.sides + ct_scan_sides_at(&v->batch, mine, group);
        if (there) sides[0] = own[0];
        if (there && v->batch.n_sides == 2) sides[CT_SCAN_QUAD] = own[1];
    }
    for (uint32_t i = lanes.lane; w == 0 && i < ct_scan_numbers(v->table.n_classes);
         i += lanes.width)
        ct_scan_totals_at(v, group)[i] = 0;
}

/* Which candidates of the group have the row at position 32 w + lane of the column's order on that
 * side; none past the end. */
CT_HD uint32_t ct_scan_sides(const ct_offload_views *v, uint32_t col, uint32_t group, uint32_t w,
                             uint32_t lane, uint32_t side)
{
    CT_ASSERT(col < v->table.n_window && side < 2);
    if (w * 32 + lane >= v->rows.n_rows) return 0;
    uint32_t row = v->rows.order[(size_t) col * v->rows.n_rows + (size_t) w * 32 + lane];
    return v->batch.sides[ct_scan_sides_at(&v->batch, row, group) + (size_t) side * CT_SCAN_QUAD];
}

/* The rows of a word. */
CT_HD uint32_t ct_scan_valid(const ct_offload_views *v, uint32_t w)
{
    uint32_t n = ct_offload_in_word(v->rows.n_rows, w);
    return n == 32 ? 0xffffffffu : ct_offload_low_bits(n);
}

/* ---- what is wanted ---- */

/* The candidates of the group that want the column for that side, a bit each. */
CT_HD uint32_t ct_scan_wanted(const ct_offload_views *v, uint32_t col, uint32_t group,
                              uint32_t side)
{
    CT_ASSERT(col < v->table.n_window && side < 2);
    size_t at = ((size_t) group * 2 + side) * v->table.n_cols;
    return group < v->batch.n_groups ? v->batch.wanted[at + v->table.first_col + col] : 0;
}

CT_HD int ct_scan_is_scanned(const ct_offload_views *v, uint32_t col, uint32_t group)
{
    return (ct_scan_wanted(v, col, group, 0) | ct_scan_wanted(v, col, group, 1)) != 0;
}

/* One column is counted for the totals, whoever wants it. */
CT_HD int ct_scan_makes_totals(const ct_offload_views *v, uint32_t col)
{
    return v->table.first_col + col == v->batch.totals_col;
}

CT_HD int ct_scan_is_counted(const ct_offload_views *v, uint32_t col, uint32_t group)
{
    return group < v->batch.n_groups &&
           (ct_scan_makes_totals(v, col) || ct_scan_is_scanned(v, col, group));
}

/* Where the errors of a candidate are; those of CT_ALLOWED are n_cols further. */
CT_HD int32_t *ct_scan_errors_at(const ct_offload_views *v, uint32_t col, uint32_t p, uint32_t side)
{
    CT_ASSERT(col < v->table.n_window && p < v->batch.n_candidates && side < 2);
    return v->batch.errors + ((size_t) p * 2 + side) * 2 * v->table.n_cols + v->table.first_col +
           col;
}

/* Before any part is scanned: 0 where nothing is wanted, else more than any part will say. */
CT_HD void ct_scan_begin_errors(const ct_offload_views *v, uint32_t col, uint32_t group,
                                uint32_t lane)
{
    uint32_t p = group * CT_GPU_LANES + lane;
    if (p >= v->batch.n_candidates) return;
    for (uint32_t side = 0; side < 2; side++) {
        int wanted = v->batch.candidates[p].need[side] > 0 &&
                     ct_scan_wanted(v, col, group, side) >> lane & 1;
        int32_t *errors = ct_scan_errors_at(v, col, p, side);
        errors[0] = errors[v->table.n_cols] = wanted ? INT32_MAX : 0;
    }
}

/* ---- counting ---- */

CT_HD uint32_t *ct_scan_counts_at(const ct_offload_views *v, uint32_t col, uint32_t group,
                                  uint32_t part)
{
    CT_ASSERT(col < v->table.n_window && part < ct_scan_parts(v->table.n_classes));
    size_t group_of_all = (size_t) col * v->batch.n_quads * CT_SCAN_QUAD + group;
    return v->batch.counts + (group_of_all * ct_scan_parts(v->table.n_classes) + part) *
                                 ct_scan_numbers(v->table.n_classes);
}

/* Adds the members of a word on either side of the lane's candidate. */
CT_HD void ct_scan_count(uint32_t *x, const uint32_t *sets, uint32_t n_classes, uint32_t left,
                         uint32_t right)
{
    for (uint32_t c = 0; c < n_classes; c++) {
        x[c * CT_GPU_LANES] += ct_hd_popcount(sets[c] & left);
        x[(n_classes + c) * CT_GPU_LANES] += ct_hd_popcount(sets[c] & right);
    }
}

/* A part has been counted: number i of the lane's candidate is `x`. */
CT_HD void ct_scan_counted(const ct_offload_views *v, const ct_scan_item *item, uint32_t group,
                           uint32_t lane, uint32_t i, uint32_t x)
{
    ct_scan_counts_at(v, item->col, group, item->part)[i * CT_GPU_LANES + lane] = x;
    if (ct_scan_makes_totals(v, item->col))
        ct_hd_add(&ct_scan_totals_at(v, group)[i * CT_GPU_LANES + lane], x);
}

/* Number i of the lane's candidate in the parts before. */
CT_HD uint32_t ct_scan_counted_before(const ct_offload_views *v, const ct_scan_item *item,
                                      uint32_t group, uint32_t lane, uint32_t i)
{
    const uint32_t *counts = ct_scan_counts_at(v, item->col, group, 0) + i * CT_GPU_LANES + lane;
    uint32_t sum = 0;
    for (uint32_t part = 0; part < item->part; part++)
        sum += counts[part * ct_scan_numbers(v->table.n_classes)];
    return sum;
}

/* ---- scanning ---- */

/* One lane under way; the numbers of a class are CT_GPU_LANES apart. */
typedef struct {
    uint32_t n_classes;
    uint32_t *x;             /* [side][class] up to the word */
    const uint32_t *totals;  /* [side][class] of the candidate */
    uint32_t all[2];         /* rows of each side */
    int32_t floor[2];        /* scores up to here are not wanted; -1: all are */
    uint32_t min_rows[2];
    /* [side][any, allowed] The best score, or bound of what was passed over. Nothing is passed over
     * that is above the floor and the best score. */
    int32_t found[2][2];
} ct_scan_lane;

/* Sets up what stays the same along the order; the lane's memory and totals are in place. wanted:
 * by side, whether the column is. */
CT_HD void ct_scan_begin(ct_scan_lane *lane, const ct_offload_candidate *candidate,
                         const uint32_t wanted[2])
{
    for (uint32_t side = 0; side < 2; side++) {
        lane->all[side] = 0;
        for (uint32_t c = 0; c < lane->n_classes; c++)
            lane->all[side] += lane->totals[(side * lane->n_classes + c) * CT_GPU_LANES];
        lane->floor[side] = (int32_t) lane->all[side] - (wanted[side] ? candidate->need[side] : 0);
        lane->min_rows[side] = candidate->min_rows[side];
        lane->found[side][CT_ANY] = lane->found[side][CT_ALLOWED] = 0;
    }
}

CT_HD int32_t ct_scan_larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* T_c of a side, and x_c. */
CT_HD int32_t ct_scan_total(const ct_scan_lane *lane, uint32_t side, uint32_t c)
{
    return (int32_t) lane->totals[(side * lane->n_classes + c) * CT_GPU_LANES];
}

CT_HD uint32_t ct_scan_before(const ct_scan_lane *lane, uint32_t side, uint32_t c)
{
    return lane->x[(side * lane->n_classes + c) * CT_GPU_LANES];
}

/* Members of a set among the rows `in` of a word, up to position j. */
CT_HD uint32_t ct_scan_up_to(uint32_t set, uint32_t in, uint32_t j)
{
    return ct_hd_popcount(set & in & 0xffffffffu >> (31 - j));
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

/* Whether a word is to be looked into for one side of a candidate, whose splits there score at most
 * `limit`; what is passed over is noted. n, in: rows of the side before the word and within. */
CT_HD int ct_scan_beats(int32_t found[2], int32_t floor, int32_t limit, uint32_t n, uint32_t in,
                        uint32_t all, uint32_t least)
{
    /* An allowed split may be inside. */
    const int reach = n + in >= least && all - n >= least;
    const int32_t known = reach ? found[CT_ALLOWED] : found[CT_ANY];
    if (limit > ct_scan_larger(known, floor)) return 1;
    found[CT_ANY] = ct_scan_larger(found[CT_ANY], limit);
    if (reach) found[CT_ALLOWED] = ct_scan_larger(found[CT_ALLOWED], limit);
    return 0;
}

/* The same for the lane's candidate. sets: of the word, one a class. */
CT_HD int ct_scan_asks(ct_scan_lane *lane, uint32_t side, const uint32_t *sets, uint32_t in)
{
    if (lane->floor[side] >= (int32_t) lane->all[side]) return 0;
    uint32_t n;
    int32_t limit = ct_scan_bound(lane, side, sets, in, &n);
    return ct_scan_beats(lane->found[side], lane->floor[side], limit, n, ct_hd_popcount(in),
                         lane->all[side], lane->min_rows[side]);
}

/* Takes in the best scores within a word. */
CT_HD void ct_scan_take(int32_t found[2], int32_t any, int32_t allowed)
{
    found[CT_ANY] = ct_scan_larger(found[CT_ANY], any);
    found[CT_ALLOWED] = ct_scan_larger(found[CT_ALLOWED], allowed);
}

/* Looks into a word, position by position. */
CT_HD void ct_scan_look_into(ct_scan_lane *lane, uint32_t side, const uint32_t *sets,
                             uint32_t ties, uint32_t in)
{
    for (uint32_t left = ties; left; left &= left - 1) {
        uint32_t j = ct_scan_first(left);
        ct_scan_split split = {0, 0, 0};
        for (uint32_t c = 0; c < lane->n_classes; c++)
            ct_scan_add_class(&split,
                              ct_scan_before(lane, side, c) + ct_scan_up_to(sets[c], in, j),
                              (uint32_t) ct_scan_total(lane, side, c));
        int32_t score = split.most + split.rest;
        int allowed = ct_scan_allowed(split.n, lane->all[side], lane->min_rows[side]);
        ct_scan_take(lane->found[side], score, allowed ? score : 0);
    }
}

/* ---- the answer ---- */

/* What a part has found for one side of a candidate: exact if below the candidate's need, else a
 * lower bound not below it. The least that any part says is the answer; a 0 stays. */
CT_HD void ct_scan_end(const ct_offload_views *v, uint32_t col, uint32_t p, uint32_t side,
                       uint32_t all, const int32_t found[2])
{
    int32_t *errors = ct_scan_errors_at(v, col, p, side);
    ct_hd_min(&errors[0], (int32_t) all - found[CT_ANY]);
    ct_hd_min(&errors[v->table.n_cols], (int32_t) all - found[CT_ALLOWED]);
}

#endif
