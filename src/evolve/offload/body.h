/* Bodies that answer queries about a k-d tree of rows: a group of lanes an item.
 *
 * The order of sums is that of kd_tree.h, so that the answers are those of the CPU to the last bit:
 * a lane has some entries of a matrix, and adds one row or cell after the other to each of them.
 * The lanes find these rows and cells together, each looking at one of its own. */
#ifndef CT_EVOLVE_OFFLOAD_BODY_H
#define CT_EVOLVE_OFFLOAD_BODY_H

#include "base/hd.h"
#include "base/lanes.h"
#include "evolve/offload/views.h"

/* ---- down a tree ---- */

CT_HD int ct_node_is_end(const ct_query_node *node) { return node->test.splitter < 0; }

/* Sends a cell down from a node to an end, or to a test that cuts it. */
CT_HD uint32_t ct_device_cell_descends(const ct_kd_view *v, const ct_query_node *nodes,
                                       uint32_t cell, uint32_t at)
{
    const ct_rank_range *ranges = v->ranges + (size_t) cell * v->n_splitters;
    while (!ct_node_is_end(&nodes[at])) {
        const ct_gmt_test *test = &nodes[at].test;
        const ct_kd_side side = ct_side_of_range(test, v->n_levels[test->splitter],
                                                 &ranges[test->splitter]);
        if (side == CT_SIDE_BOTH) break;
        at = side == CT_SIDE_LEFT ? nodes[at].left : nodes[at].right;
    }
    return at;
}

/* The leaf of a row, which goes down from a node to an end. */
CT_HD int32_t ct_device_row_descends(const ct_kd_view *v, const ct_query_node *nodes, uint32_t row,
                                     uint32_t at)
{
    CT_ASSERT(row < v->n_rows);
    while (!ct_node_is_end(&nodes[at])) {
        const ct_gmt_test *test = &nodes[at].test;
        const uint32_t rank = v->rank[(size_t) test->splitter * v->n_rows + row];
        at = ct_rank_goes_left(test, v->n_levels[test->splitter], rank) ? nodes[at].left
                                                                        : nodes[at].right;
    }
    return nodes[at].leaf;
}

/* Which of the rows from `first` on, one a lane, are in the piece's leaf; a bit each. */
CT_HD uint32_t ct_device_rows_in(ct_lanes lanes, const ct_kd_view *v, const ct_query_node *nodes,
                                 const ct_tile_piece *piece, uint32_t at, uint32_t first,
                                 uint32_t end)
{
    const uint32_t row = first + lanes.lane;
    return ct_lanes_ballot(lanes,
                           row < end && ct_device_row_descends(v, nodes, row, at) == piece->leaf);
}

/* ---- sums ---- */

enum { CT_DEVICE_ENTRIES = 6 }; /* of a lane, at a time */

/* Some entries of a matrix, those of a lane. */
typedef struct {
    double sum[CT_DEVICE_ENTRIES];
    uint32_t entry[CT_DEVICE_ENTRIES]; /* row * 65536 + column */
    uint32_t n;
} ct_lane_sums;

CT_HD size_t ct_entry_offset(uint32_t entry) { return ct_gram_row(entry >> 16) + (entry & 0xffff); }

/* The entries first + lane, first + lane + width, ...: up to `most` of them. */
CT_HD void ct_begin_sums(ct_lane_sums *sums, ct_lanes lanes, const ct_kd_view *v, uint32_t first,
                         uint32_t most)
{
    CT_ASSERT(most <= CT_DEVICE_ENTRIES && v->n_entries > 0);
    sums->n = 0;
    for (uint32_t k = 0; k < most; k++) {
        const uint32_t e = first + k * lanes.width + lanes.lane;
        sums->sum[k] = 0;
        sums->entry[k] = v->entries[e < v->n_entries ? e : 0];
        sums->n += e < v->n_entries;
    }
}

CT_HD void ct_add_cell(ct_lane_sums *sums, const double *gram, uint32_t most)
{
    for (uint32_t k = 0; k < most; k++)
        if (k < sums->n) sums->sum[k] += gram[ct_entry_offset(sums->entry[k])];
}

CT_HD void ct_add_row(ct_lane_sums *sums, const double *z, uint32_t most)
{
    for (uint32_t k = 0; k < most; k++)
        if (k < sums->n)
            sums->sum[k] += ct_hd_product(z[sums->entry[k] & 0xffff], z[sums->entry[k] >> 16]);
}

/* Adds the rows of a cell that are in the leaf; returns how many. */
CT_HD uint32_t ct_add_rows(ct_lanes lanes, ct_lane_sums *sums, const ct_kd_view *v,
                           const ct_query_node *nodes, const ct_tile_piece *piece, uint32_t cell,
                           uint32_t at, uint32_t most)
{
    CT_ASSERT(most <= CT_DEVICE_ENTRIES);
    const uint32_t end = v->cells[cell].end;
    uint32_t n = 0;
    for (uint32_t first = v->cells[cell].begin; first < end; first += lanes.width) {
        uint32_t in = ct_device_rows_in(lanes, v, nodes, piece, at, first, end);
        n += ct_hd_popcount(in);
        for (; in; in &= in - 1)
            ct_add_row(sums, v->z + (first + ct_hd_lowest(in)) * v->width, most);
    }
    return n;
}

/* What a cell is to a piece. */
typedef struct {
    uint32_t at;     /* where it ends, or is cut */
    uint32_t closed; /* the first cell behind it, if its halves are of no interest; else 0 */
    int is_inside;   /* it lies within the leaf */
    int has_rows;    /* its rows are looked at */
} ct_cell_found;

CT_HD ct_cell_found ct_find_cell(const ct_kd_view *v, const ct_query_node *nodes,
                                 const ct_tile_piece *piece, uint32_t cell)
{
    ct_cell_found found;
    found.at = ct_device_cell_descends(v, nodes, cell, piece->node);
    const ct_query_node *node = &nodes[found.at];
    const int has_halves = v->cells[cell].half != 0;
    const int is_end = ct_node_is_end(node);
    const int is_open = !is_end && has_halves && v->along[node->test.splitter];
    found.closed = is_open ? 0 : v->cells[cell].after;
    found.is_inside = is_end && node->leaf == piece->leaf;
    found.has_rows = !is_end && !is_open;
    return found;
}

/* Adds the cells of the tile in their order; returns how many rows of them are in the leaf. */
CT_HD uint32_t ct_add_tile(ct_lanes lanes, ct_lane_sums *sums, const ct_kd_view *v,
                           const ct_query_node *nodes, const ct_tile_piece *piece, uint32_t most)
{
    const uint32_t after = v->cells[piece->cell].after;
    uint32_t n = 0;
    for (uint32_t first = piece->cell; first < after;) {
        const uint32_t cell = first + lanes.lane;
        ct_cell_found found = {0, 0, 0, 0};
        if (cell < after) found = ct_find_cell(v, nodes, piece, cell);
        uint32_t closed, before = ct_lanes_max_before(lanes, found.closed, &closed);
        const int is_seen = before <= cell; /* it lies within none that is closed */
        const uint32_t cut = ct_lanes_ballot(lanes, found.has_rows && is_seen);
        uint32_t left = cut | ct_lanes_ballot(lanes, found.is_inside && is_seen);
        for (; left; left &= left - 1) {
            const uint32_t k = ct_hd_lowest(left), at = ct_lanes_read(lanes, found.at, k);
            if (cut >> k & 1) {
                n += ct_add_rows(lanes, sums, v, nodes, piece, first + k, at, most);
            } else {
                ct_add_cell(sums, v->grams + (first + k) * v->size, most);
                n += v->cells[first + k].end - v->cells[first + k].begin;
            }
        }
        first = closed > first + lanes.width ? closed : first + lanes.width;
    }
    return n;
}

/* Sums a piece, `most` entries of a lane at a time. */
CT_HD void ct_sum_piece(ct_lanes lanes, const ct_evolve_views *views, size_t item, uint32_t most)
{
    const ct_kd_view *v = &views->kd;
    const ct_tile_piece *piece = &views->batch.pieces[item];
    const ct_query_node *nodes = views->batch.nodes + piece->nodes;
    double *to = views->batch.sums + item * v->size;
    for (uint32_t first = 0; first < v->n_entries; first += most * lanes.width) {
        ct_lane_sums sums;
        ct_begin_sums(&sums, lanes, v, first, most);
        const uint32_t n = ct_add_tile(lanes, &sums, v, nodes, piece, most);
        for (uint32_t k = 0; k < most; k++)
            if (k < sums.n) to[ct_entry_offset(sums.entry[k])] = sums.sum[k];
        if (lanes.lane == 0) views->batch.counts[item] = n;
    }
}

/* ---- models ---- */

CT_HD uint32_t ct_rows_of_summand(const ct_evolve_views *views, uint32_t summand)
{
    if (summand & CT_PIECE_FLAG) return views->batch.counts[summand & ~(uint32_t) CT_PIECE_FLAG];
    const ct_cell *cell = &views->kd.cells[summand];
    return cell->end - cell->begin;
}

CT_HD const double *ct_gram_of_summand(const ct_evolve_views *views, uint32_t summand)
{
    const size_t size = views->kd.size;
    return summand & CT_PIECE_FLAG
               ? views->batch.sums + (summand & ~(uint32_t) CT_PIECE_FLAG) * size
               : views->kd.grams + summand * size;
}

/* Adds up the matrix of a leaf, with zeros in omitted columns, and the squares of its columns
 * behind it. */
CT_HD void ct_add_summands(ct_lanes lanes, const ct_evolve_views *views, const ct_summands *of,
                           const uint64_t *omitted, double *matrix)
{
    const ct_kd_view *v = &views->kd;
    const uint32_t *summands = views->batch.summands + of->first;
    for (uint32_t e = lanes.lane; e < v->n_entries; e += lanes.width) {
        const size_t at = ct_entry_offset(v->entries[e]);
        const uint32_t row = v->entries[e] >> 16, column = v->entries[e] & 0xffff;
        double sum = 0;
        if (!ct_is_omitted(omitted, row) && !ct_is_omitted(omitted, column))
            for (uint32_t i = 0; i < of->n; i++) sum += ct_gram_of_summand(views, summands[i])[at];
        matrix[at] = sum;
        if (row == column) matrix[v->size + row] = sum;
    }
}

/* Column `j` of the first p - 1, if it is no combination of those before, is subtracted from those
 * behind it: see ct_gram_kernels.pivots. Returns whether it was. */
CT_HD int ct_eliminate(ct_lanes lanes, const ct_kd_view *v, double *matrix, uint32_t j)
{
    CT_ASSERT(j + 1 < v->p);
    const double pivot = matrix[ct_gram_row(j) + j];
    const int is_used = pivot > matrix[v->size + j] * 1e-10;
    const uint32_t left = v->p - 1 - j, n_entries = left * (left + 1) / 2;
    const double inverse = is_used ? 1.0 / pivot : 0;
    for (uint32_t e = lanes.lane; e < n_entries; e += lanes.width) {
        const uint32_t i = j + 1 + (v->entries[e] >> 16), k = j + 1 + (v->entries[e] & 0xffff);
        double *row = matrix + ct_gram_row(i);
        row[k] -= ct_hd_product(row[j] * inverse, matrix[ct_gram_row(k) + j]);
    }
    ct_lanes_sync(lanes);
    return is_used;
}

/* Solves a leaf: its number of rows and its model. */
CT_HD void ct_solve_leaf(ct_lanes lanes, const ct_evolve_views *views, size_t item)
{
    CT_ASSERT(item < views->batch.n_leaves);
    const ct_kd_view *v = &views->kd;
    const ct_batch_view *batch = &views->batch;
    const ct_summands *of = &batch->leaves[item];
    double *matrix = batch->models + item * (v->size + v->p), terms = 0;
    uint32_t n = 0;
    ct_add_summands(lanes, views, of, batch->omitted + item * CT_OMITTED_WORDS, matrix);
    ct_lanes_sync(lanes);
    for (uint32_t j = 0; j + 1 < v->p; j++) terms += ct_eliminate(lanes, v, matrix, j);
    if (lanes.lane) return;
    for (uint32_t i = 0; i < of->n; i++)
        n += ct_rows_of_summand(views, batch->summands[of->first + i]);
    const double left = matrix[ct_gram_row(v->p - 1) + v->p - 1];
    batch->sse[item] = left > 0 ? left : 0;
    batch->terms[item] = terms;
    batch->n[item] = n;
}

/* ---- rows ---- */

/* Counts the rows of a piece. */
CT_HD void ct_count_piece(ct_lanes lanes, const ct_evolve_views *views, size_t item)
{
    const ct_kd_view *v = &views->kd;
    const ct_tile_piece *piece = &views->batch.pieces[item];
    const ct_query_node *nodes = views->batch.nodes + piece->nodes;
    const uint32_t end = v->cells[piece->cell].end;
    uint32_t n = 0;
    for (uint32_t first = v->cells[piece->cell].begin; first < end; first += lanes.width)
        n += ct_hd_popcount(
            ct_device_rows_in(lanes, v, nodes, piece, piece->node, first, end));
    if (lanes.lane == 0) views->batch.counts[item] = n;
}

/* The row with this number in the piece. */
CT_HD uint32_t ct_row_of_piece(ct_lanes lanes, const ct_evolve_views *views,
                               const ct_tile_piece *piece, uint32_t number)
{
    const ct_kd_view *v = &views->kd;
    const ct_query_node *nodes = views->batch.nodes + piece->nodes;
    const uint32_t end = v->cells[piece->cell].end;
    for (uint32_t first = v->cells[piece->cell].begin; first < end; first += lanes.width) {
        uint32_t in = ct_device_rows_in(lanes, v, nodes, piece, piece->node, first, end);
        const uint32_t n = ct_hd_popcount(in);
        if (number < n) {
            for (; number; number--) in &= in - 1;
            return first + ct_hd_lowest(in);
        }
        number -= n;
    }
    return 0; /* not reached: the rows were counted */
}

/* Finds the row with a number: the lanes look at as many summands together. */
CT_HD void ct_find_row(ct_lanes lanes, const ct_evolve_views *views, size_t item)
{
    const ct_nth_row *wanted = &views->batch.nth_rows[item];
    const uint32_t *summands = views->batch.summands + wanted->of.first;
    uint32_t number = wanted->number, row = 0;
    for (uint32_t first = 0; first < wanted->of.n; first += lanes.width) {
        const uint32_t i = first + lanes.lane,
                       n = i < wanted->of.n ? ct_rows_of_summand(views, summands[i]) : 0;
        uint32_t all, before = ct_lanes_scan(lanes, n, &all);
        const uint32_t here = ct_lanes_ballot(lanes, before <= number && number - before < n);
        if (!here) {
            number -= all;
            continue;
        }
        const uint32_t k = ct_hd_lowest(here);
        number -= ct_lanes_read(lanes, before, k);
        const uint32_t summand = summands[first + k];
        row = summand & CT_PIECE_FLAG
                  ? ct_row_of_piece(lanes, views,
                                    &views->batch.pieces[summand & ~(uint32_t) CT_PIECE_FLAG],
                                    number)
                  : views->kd.cells[summand].begin + number;
        break;
    }
    if (lanes.lane == 0) views->batch.rows[item] = row;
}

/* ---- what an item is ---- */

/* A piece, by the number of columns of its matrices: up to 7, up to 13, more. */
CT_HD void ct_piece_narrow(ct_lanes lanes, const ct_evolve_views *views, size_t item)
{
    if (item < views->batch.n_summed) ct_sum_piece(lanes, views, item, 1);
    else ct_count_piece(lanes, views, item);
}
CT_HD void ct_piece_middle(ct_lanes lanes, const ct_evolve_views *views, size_t item)
{
    if (item < views->batch.n_summed) ct_sum_piece(lanes, views, item, 3);
    else ct_count_piece(lanes, views, item);
}
CT_HD void ct_piece_wide(ct_lanes lanes, const ct_evolve_views *views, size_t item)
{
    if (item < views->batch.n_summed) ct_sum_piece(lanes, views, item, CT_DEVICE_ENTRIES);
    else ct_count_piece(lanes, views, item);
}

/* When the pieces are done: the leaves are the first items, followed by rows. */
CT_HD void ct_answer(ct_lanes lanes, const ct_evolve_views *views, size_t item)
{
    const uint32_t n_leaves = views->batch.n_leaves;
    if (item < n_leaves) ct_solve_leaf(lanes, views, item);
    else ct_find_row(lanes, views, item - n_leaves);
}

#endif
