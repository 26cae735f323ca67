/* What the rows between two thresholds of the root feature cost at least, where leaves predict the
 * mean of a response: see exact/rows/spans.h.
 *
 * However two leaves part the rows of a block, they cost no less than if their values were parted
 * at the best place of the sorted values. Blocks of 32 rows lie side by side, a lane each, and are
 * sorted by merging; at 4, 8, 16 and 32 rows the parts of them that are sorted are looked at.
 *
 * With y counted from the rounded mean of n rows and S_i the sum of the least i of them, a place
 * gains n S_i^2 / (i (n - i)), up to (n + 2) (n + 2 + R) as in response/abreast.h. In single
 * precision that, sums of up to 32 squares and the square of their sum are off by less than 2^-18
 * of the sum of the squares, which are counted from near the mean of all 32. */
#ifndef CT_EXACT_KERNELS_RESPONSE_SPANS_H
#define CT_EXACT_KERNELS_RESPONSE_SPANS_H

#include "exact/kernels/lane.h"
#include "exact/kernels/rows.h"

/* For loops that end where a constant says: gcc unrolls them if it is told to, clang by itself. */
#ifdef __clang__
#define SPAN_UNROLL
#else
#define SPAN_UNROLL _Pragma("GCC unroll 16")
#endif

enum { SPAN_LANES = 2 * VEC_WORDS };

CT_INLINE void exchange(vec *a, vec *b)
{
    vec low = l32_min(*a, *b);
    *b = l32_max(*a, *b);
    *a = low;
}

/* Merges two sorted halves of x[n] (Batcher's odd-even merge). Written for an n that compilers
 * know, who then go without loops. */
CT_INLINE void merge_halves(vec *x, unsigned n)
{
    SPAN_UNROLL for (unsigned i = 0; i < n / 2; i++) exchange(&x[i], &x[i + n / 2]);
    SPAN_UNROLL for (unsigned k = n / 4; k; k /= 2)
        SPAN_UNROLL for (unsigned j = k; j + k < n; j += 2 * k)
            SPAN_UNROLL for (unsigned i = j; i < j + k; i++) exchange(&x[i], &x[i + k]);
}

CT_INLINE void merge_all(vec *x, unsigned n)
{
    for (unsigned i = 0; i < CT_SPAN_ROWS; i += n) merge_halves(x + i, n);
}

/* Adds up four rows and their squares. */
CT_INLINE void sum_up_rows(const vec *x, vec *sum, vecf *squares)
{
    *sum = l32_add(l32_add(x[0], x[1]), l32_add(x[2], x[3]));
    vecf a = f32_of(x[0]), b = f32_of(x[1]), c = f32_of(x[2]), d = f32_of(x[3]);
    *squares = f32_add(f32_add(f32_product(a, a), f32_product(b, b)),
                       f32_add(f32_product(c, c), f32_product(d, d)));
}

/* What the sorted rows x[n] cost at least, n = 2^log, with the sums of them and of their
 * squares. */
CT_INLINE vecf cost_in_two(const vec *x, unsigned log, const ct_exact_response *response, vec sum,
                            vecf squares)
{
    const unsigned n = 1U << log;
    const float size = (float) n + 2, margin = size * (size + (float) response->range) + 4;
    const float *shares = response->shares + n + 1;
    vec mean = l32_add(sum, l32_set((int) n / 2)), before = v_fill(0);
    vecf most = f32_set(0), all = f32_of(sum);
    for (unsigned i = 0; i < log; i++) mean = l32_half(mean);
    for (unsigned i = 0; i + 1 < n; i++) {
        before = l32_add(before, l32_sub(x[i], mean));
        vecf s = f32_of(before);
        most = f32_max(most, f32_product(f32_product(s, s), f32_set(shares[i])));
    }
    all = f32_product(f32_product(all, all), f32_set(1 / (float) n));
    vecf slack = f32_add(f32_product(squares, f32_set(0x1p-14F)), f32_set(margin));
    return f32_max(f32_sub(f32_sub(f32_sub(squares, all), most), slack), f32_set(0));
}

/* The sums of the rows of each node, and of their squares. */
typedef struct {
    vec sum[CT_SPAN_NODES];
    vecf squares[CT_SPAN_NODES];
} node_sums;

/* Sets the nodes of blocks whose parts of n = 2^log rows are sorted. */
CT_INLINE void set_nodes(const vec *x, unsigned log, const ct_exact_response *response,
                         node_sums *sums, unsigned lane, ct_span_group *group)
{
    unsigned first = CT_SPAN_ROWS >> log; /* node 1 is the whole, 2 and 3 its halves, .. */
    for (unsigned node = first; node < 2 * first; node++, x += 1U << log) {
        unsigned left = 2 * node, right = left + 1;
        if (log == 2) {
            sum_up_rows(x, &sums->sum[node], &sums->squares[node]);
        } else {
            sums->sum[node] = l32_add(sums->sum[left], sums->sum[right]);
            sums->squares[node] = f32_add(sums->squares[left], sums->squares[right]);
        }
        vecf cost = cost_in_two(x, log, response, sums->sum[node], sums->squares[node]),
             loss = cost;
        if (log > 2) {
            vecf both = f32_add(f32_load(group->costs[left] + lane),
                                f32_load(group->costs[right] + lane)),
                 lost = f32_max(f32_load(group->losses[left] + lane),
                                f32_load(group->losses[right] + lane));
            cost = f32_max(cost, both);
            loss = f32_sub(cost, f32_sub(both, lost));
        }
        f32_store(group->costs[node] + lane, cost);
        f32_store(group->losses[node] + lane, loss);
    }
}

/* Counts the rows of a block from near their mean. */
CT_INLINE void centre(vec *x)
{
    vec sum = x[0];
    for (unsigned i = 1; i < CT_SPAN_ROWS; i++) sum = l32_add(sum, x[i]);
    for (unsigned i = 0; i < CT_SPAN_LOG; i++) sum = l32_half(sum);
    for (unsigned i = 0; i < CT_SPAN_ROWS; i++) x[i] = l32_sub(x[i], sum);
}

static void spans(const int32_t rows[CT_SPAN_ROWS][CT_SPAN_LANES],
                  const ct_exact_response *response, ct_span_group *group)
{
    for (unsigned lane = 0; lane < CT_SPAN_LANES; lane += SPAN_LANES) {
        vec x[CT_SPAN_ROWS];
        node_sums sums;
        for (unsigned i = 0; i < CT_SPAN_ROWS; i++) {
            uint64_t words[VEC_WORDS];
            memcpy(words, &rows[i][lane], sizeof words);
            x[i] = v_load(words);
        }
        centre(x);
        merge_all(x, 2);
        merge_all(x, 4);
        set_nodes(x, 2, response, &sums, lane, group);
        merge_all(x, 8);
        set_nodes(x, 3, response, &sums, lane, group);
        merge_all(x, 16);
        set_nodes(x, 4, response, &sums, lane, group);
        merge_all(x, 32);
        set_nodes(x, 5, response, &sums, lane, group);
    }
}

#endif
