/* Rows with a response picked out of a feature's order: see ct_pick. */
#ifndef CT_EXACT_KERNELS_RESPONSE_PICK_H
#define CT_EXACT_KERNELS_RESPONSE_PICK_H

#include "exact/kernels/lane.h"
#include "exact/kernels/rows.h"

#ifdef VEC_LISTS

enum { PICK_LANES = 2 * VEC_WORDS };

/* The entries of the rows, side by side; returns how many there are. */
CT_INLINE uint32_t pick_rows(const ct_pick *p)
{
    const uint32_t whole = (UINT32_C(1) << PICK_LANES) - 1;
    const int32_t *order = (const int32_t *) (const void *) p->order,
                  *ranks = (const int32_t *) (const void *) p->ranks;
    uint32_t n = 0;
    for (size_t w = p->first; w < p->last; w++)
        for (size_t at = 0; at < 64 && p->members[w] >> at; at += PICK_LANES) {
            uint32_t bits = (uint32_t) (p->members[w] >> at) & whole;
            size_t from = w * 64 + at;
            l32_store(p->to_z + n, l32_front(l32_load(p->z + from), bits, p->places));
            l32_store((int32_t *) (void *) (p->to_order + n),
                      l32_front(l32_load(order + from), bits, p->places));
            l32_store((int32_t *) (void *) (p->to_ranks + n),
                      l32_front(l32_load(ranks + from), bits, p->places));
            n += word_count(bits);
        }
    return n;
}

/* Numbers the ranks of n rows anew. */
CT_INLINE void rank_rows(ct_pick *p, uint32_t n)
{
    const uint32_t whole = (UINT32_C(1) << PICK_LANES) - 1;
    const vec one = l32_set(1);
    vec last = v_fill(~UINT64_C(0)), rank = last; /* -1: of no row */
    p->n_values = 0;
    for (uint32_t j = 0; j < n; j += PICK_LANES) {
        int32_t *at = (int32_t *) (void *) (p->to_ranks + j);
        vec ranks = l32_load(at);
        uint32_t bits = ~l32_bits(l32_same(ranks, l32_after(ranks, last))) & whole;
        if (n - j < PICK_LANES) bits &= (UINT32_C(1) << (n - j)) - 1;
        l32_store((int32_t *) (void *) (p->to_values + p->n_values),
                  l32_front(ranks, bits, p->places));
        p->n_values += word_count(bits);
        p->starts[j / 64] |= (uint64_t) bits << j % 64;
        rank = l32_add(l32_last(rank), l32_scan(l32_where(one, l32_of_bits(bits))));
        l32_store(at, rank);
        last = ranks;
    }
}

#else

CT_INLINE uint32_t pick_rows(const ct_pick *p)
{
    uint32_t n = 0;
    for (size_t w = p->first; w < p->last; w++)
        for (uint64_t rest = p->members[w]; rest; rest &= rest - 1, n++) {
            size_t from = w * 64 + ct_trailing_zeros(rest);
            p->to_z[n] = p->z[from];
            p->to_order[n] = p->order[from];
            p->to_ranks[n] = p->ranks[from];
        }
    return n;
}

CT_INLINE void rank_rows(ct_pick *p, uint32_t n)
{
    uint32_t last = 0;
    p->n_values = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (!j || p->to_ranks[j] != last) {
            last = p->to_ranks[j];
            p->to_values[p->n_values++] = last;
            p->starts[j / 64] |= UINT64_C(1) << j % 64;
        }
        p->to_ranks[j] = p->n_values - 1;
    }
}

#endif

static void pick(ct_pick *p)
{
    p->n_rows = pick_rows(p);
    rank_rows(p, p->n_rows);
}

#endif
