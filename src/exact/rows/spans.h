/* What the rows between two thresholds of a root feature cost at least in problems of depth two,
 * with a response: facts S and I of bound/interval.h.
 *
 * Either side of a threshold has two leaves. For rows that lie side by side in the order of the
 * feature, in blocks of 4, 8, 16 and 32, `spans` of ct_kernels finds what they cost at least in any
 * two leaves; what several blocks do adds up. A threshold between two others parts the blocks
 * between these; that in which it lies counts with its parts.
 *
 * Tables are made when they are first asked for, of some features at a time. One thread at a time
 * may ask. */
#ifndef CT_EXACT_ROWS_SPANS_H
#define CT_EXACT_ROWS_SPANS_H

#include "exact/rows/node.h"

typedef struct {
    /* block b of the feature is lane i % CT_SPAN_LANES of group i / CT_SPAN_LANES, with i = first +
     * b * step */
    const ct_span_group *groups;
    uint32_t first, step;
    double *before;              /* [n_blocks + 1] what the blocks before each cost */
} ct_feature_spans;

typedef struct {
    const ct_node *node;         /* borrowed */
    uint32_t n_blocks;           /* of CT_SPAN_ROWS rows, the last of which may have fewer */
    ct_feature_spans *features;  /* [f] groups NULL: not made */
} ct_spans;

/* From the arena; NULL if memory ends or the node has none: it has weights, or no response. */
ct_spans *ct_spans_new(const ct_worker *worker, ct_arena *arena, const ct_node *node);

/* What the rows from place `from` of f's order on and before place `to` cost at least in four
 * leaves, of which two have those before any place in between, and two the others. 0 if that is
 * below `wanted`, and if memory ends. */
int64_t ct_spans_cost(ct_spans *spans, const ct_worker *worker, ct_arena *arena, uint32_t f,
                         uint32_t from, uint32_t to, int64_t wanted);

#endif
