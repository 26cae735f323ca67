#include "evolve/bin_sums.h"

#include "evolve/pieces.h"

/* Sums the rows begin .. end - 1 of every `stride`-th row of the node. */
static void sum_rows(const ct_splitter_search *s, ct_bin_level *level, uint32_t stride,
                     uint32_t begin, uint32_t end)
{
    const ct_node_search *of = s->of;
    uint32_t bin[CT_SPLIT_BLOCK], some[CT_SPLIT_BLOCK];
    ct_gmt_clear_sums(s, level, s->splitter->n_bins + 1);
    for (; begin < end; begin += CT_SPLIT_BLOCK) {
        uint32_t n = end - begin < CT_SPLIT_BLOCK ? end - begin : CT_SPLIT_BLOCK;
        const uint32_t *rows = of->rows + begin;
        if (stride > 1) {
            for (uint32_t i = 0; i < n; i++) some[i] = of->rows[(size_t) (begin + i) * stride];
            rows = some;
        }
        for (uint32_t i = 0; i < n; i++) bin[i] = s->splitter->bin[rows[i]];
        ct_gmt_add_rows(s, level, rows, bin, n);
    }
}

void ct_gmt_sum_bins(const ct_splitter_search *s, ct_bin_level *level, uint32_t stride)
{
    sum_rows(s, level, stride, 0, s->of->n / stride);
}

/* ---- pieces ---- */

static size_t sums_of(const ct_node_search *of)
{
    return (size_t) CT_ALL_BINS * of->n_slots * of->table->size;
}

uint32_t ct_gmt_search_pieces(const ct_node_search *of, const ct_split_scratch *scratch)
{
    uint32_t pieces = ct_pieces(of->n);
    size_t room = scratch->piece_room / sums_of(of);
    return pieces < room ? pieces : room < 2 ? 1 : (uint32_t) room;
}

typedef struct {
    const ct_splitter_search *search;
    ct_split_scratch *scratch;
    uint32_t pieces;
} summing;

/* The memory of a piece. */
static ct_bin_level piece_level(const summing *all, uint64_t piece)
{
    const ct_split_scratch *scratch = all->scratch;
    return (ct_bin_level){
        .room = CT_ALL_BINS,
        .sums = scratch->piece_sums + piece * sums_of(all->search->of),
        .counts = scratch->piece_counts + piece * CT_ALL_BINS * all->search->of->n_slots};
}

static void sum_pieces(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const summing *all = (const summing *) data;
    uint32_t n = all->search->of->n;
    (void) worker;
    for (uint64_t piece = begin; piece < end; piece++) {
        ct_bin_level level = piece_level(all, piece);
        sum_rows(all->search, &level, 1, ct_piece_begin(n, all->pieces, (uint32_t) piece),
                 ct_piece_begin(n, all->pieces, (uint32_t) piece + 1));
    }
}

void ct_gmt_sum_pieces(const ct_splitter_search *s, ct_bin_level *level, ct_split_scratch *scratch,
                       unsigned threads)
{
    const ct_node_search *of = s->of;
    summing all = {s, scratch, ct_gmt_search_pieces(of, scratch)};
    const size_t n_sums = (size_t) (s->splitter->n_bins + 1) * of->n_slots;
    CT_ASSERT(all.pieces > 1 && s->splitter->n_bins < CT_ALL_BINS);
    ct_loop loop = {all.pieces, 1, CT_DYNAMIC, threads, sum_pieces, &all, NULL};
    ct_parallel_for(&loop);
    ct_gmt_clear_sums(s, level, s->splitter->n_bins + 1);
    for (uint32_t piece = 0; piece < all.pieces; piece++) {
        ct_bin_level more = piece_level(&all, piece);
        ct_gmt_add_gram(level->sums, more.sums, n_sums * of->table->size);
        for (size_t i = 0; i < n_sums; i++) level->counts[i] += more.counts[i];
    }
}
