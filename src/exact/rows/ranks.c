#include "exact/rows/ranks.h"

#include "base/bits.h"

uint32_t ct_layout_rank(const ct_layout *layout, uint32_t f, size_t position)
{
    CT_ASSERT(f < layout->n_cols && position < layout->n_rows);
    size_t w = position / 64;
    const uint32_t *ranks = ct_layout_ranks(layout, f);
    if (ranks) return ranks[position];
    return layout->marks[f][w] + ct_popcount(layout->ties[f][w] & ct_low_bits(position % 64));
}

size_t ct_layout_start(const ct_worker *worker, const ct_layout *layout, uint32_t f, uint32_t t)
{
    CT_ASSERT(f < layout->n_cols && t > 0 && t < layout->n_values[f]);
    return worker->search->kernels->find(layout->ties[f], 1, layout->words, layout->marks[f], 0,
                                         layout->words, t - 1) +
           1;
}

uint32_t ct_layout_to_global(const ct_layout *layout, uint32_t f, uint32_t t)
{
    CT_ASSERT(f < layout->n_cols && t < layout->n_values[f]);
    return layout->global ? layout->global[f][t] : t;
}

uint32_t ct_layout_from_global(const ct_layout *layout, uint32_t f, uint32_t global)
{
    CT_ASSERT(f < layout->n_cols && global > 0);
    if (!layout->global) return global;
    uint32_t low = 0, high = layout->n_values[f]; /* the answer is in low .. high */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (layout->global[f][middle] < global) low = middle + 1;
        else high = middle;
    }
    return low;
}
