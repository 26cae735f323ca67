#include "exact/rows/ranks.h"

#include "base/bits.h"

uint32_t ct_container_rank(const ct_container *box, uint32_t f, size_t position)
{
    CT_ASSERT(f < box->n_cols && position < box->n_rows);
    size_t w = position / 64;
    return box->marks[f][w] + ct_popcount(box->ties[f][w] & ct_low_bits(position % 64));
}

size_t ct_container_start(const ct_worker *worker, const ct_container *box, uint32_t f, uint32_t t)
{
    CT_ASSERT(f < box->n_cols && t > 0 && t < box->n_values[f]);
    return worker->search->kernels->find(box->ties[f], 1, box->words, box->marks[f], 0, box->words, t - 1) + 1;
}

uint32_t ct_container_to_global(const ct_container *box, uint32_t f, uint32_t t)
{
    CT_ASSERT(f < box->n_cols && t < box->n_values[f]);
    return box->global ? box->global[f][t] : t;
}

uint32_t ct_container_from_global(const ct_container *box, uint32_t f, uint32_t global)
{
    CT_ASSERT(f < box->n_cols && global > 0);
    if (!box->global) return global;
    uint32_t low = 0, high = box->n_values[f]; /* the answer is in low .. high */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (box->global[f][middle] < global) low = middle + 1;
        else high = middle;
    }
    return low;
}
