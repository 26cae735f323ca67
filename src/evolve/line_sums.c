#include "evolve/line_sums.h"

#include <string.h>

#include "evolve/pieces.h"

/* Of the rows begin .. end - 1 of those that are taken, every `stride`-th of the node. */
static void sum_rows(const ct_line *l, ct_line_level *level, uint32_t stride, uint32_t begin,
                     uint32_t end)
{
    const ct_line_node *of = l->of;
    uint32_t part[CT_LINE_BLOCK], some[CT_LINE_BLOCK];
    ct_gmt_line_clear(l, level, l->splitter->n_bins + 1);
    for (; begin < end; begin += CT_LINE_BLOCK) {
        uint32_t n = end - begin < CT_LINE_BLOCK ? end - begin : CT_LINE_BLOCK;
        const uint32_t *rows = of->rows + begin;
        if (stride > 1) {
            for (uint32_t i = 0; i < n; i++) some[i] = of->rows[(size_t) (begin + i) * stride];
            rows = some;
        }
        for (uint32_t i = 0; i < n; i++) part[i] = l->splitter->bin[rows[i]];
        ct_gmt_line_add_rows(l, level, rows, part, n);
    }
}

void ct_gmt_line_sum_bins(const ct_line *l, ct_line_level *level, uint32_t stride)
{
    sum_rows(l, level, stride, 0, l->of->n / stride);
}

/* ---- pieces ---- */

static size_t sums_of(const ct_line_node *of)
{
    return (size_t) CT_LINE_ALL_BINS * of->n_slots * of->table->size;
}

uint32_t ct_gmt_line_pieces(const ct_line_node *of, const ct_line_scratch *scratch)
{
    uint32_t pieces = ct_pieces(of->n);
    size_t room = scratch->piece_room / sums_of(of);
    return pieces < room ? pieces : room < 2 ? 1 : (uint32_t) room;
}

typedef struct {
    const ct_line *l;
    ct_line_scratch *scratch;
    uint32_t pieces;
} summing;

/* The memory of a piece. */
static ct_line_level piece_level(const summing *s, uint64_t piece)
{
    ct_line_level level;
    memset(&level, 0, sizeof level);
    level.room = CT_LINE_ALL_BINS;
    level.sums = s->scratch->piece_sums + piece * sums_of(s->l->of);
    level.counts = s->scratch->piece_counts + piece * CT_LINE_ALL_BINS * s->l->of->n_slots;
    return level;
}

static void sum_pieces(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const summing *s = (const summing *) data;
    uint32_t n = s->l->of->n;
    (void) worker;
    for (uint64_t piece = begin; piece < end; piece++) {
        ct_line_level level = piece_level(s, piece);
        sum_rows(s->l, &level, 1, ct_piece_begin(n, s->pieces, (uint32_t) piece),
                 ct_piece_begin(n, s->pieces, (uint32_t) piece + 1));
    }
}

void ct_gmt_line_sum_pieces(const ct_line *l, ct_line_level *level, ct_line_scratch *scratch,
                            unsigned threads)
{
    const ct_line_node *of = l->of;
    summing s = {l, scratch, ct_gmt_line_pieces(of, scratch)};
    const size_t places = (size_t) (l->splitter->n_bins + 1) * of->n_slots;
    CT_ASSERT(s.pieces > 1 && l->splitter->n_bins < CT_LINE_ALL_BINS);
    ct_loop loop = {s.pieces, 1, CT_DYNAMIC, threads, sum_pieces, &s, NULL};
    ct_parallel_for(&loop);
    ct_gmt_line_clear(l, level, l->splitter->n_bins + 1);
    for (uint32_t piece = 0; piece < s.pieces; piece++) {
        ct_line_level more = piece_level(&s, piece);
        ct_gmt_line_add(level->sums, more.sums, places * of->table->size);
        for (size_t i = 0; i < places; i++) level->counts[i] += more.counts[i];
    }
}
