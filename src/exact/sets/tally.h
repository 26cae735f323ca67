/* How many trees have which cost, while they are counted: an array over the costs where these lie
 * close together, else a hash table. */
#ifndef CT_EXACT_SETS_TALLY_H
#define CT_EXACT_SETS_TALLY_H

#include "base/bits.h"
#include "exact/sets/counts.h"
#include "exact/sets/graph.h"

typedef struct {
    int64_t least, most; /* costs */
    unsigned words;      /* of a count */
    int dense;
    size_t room;         /* dense: costs that there is room for; else places of the table, */
    size_t n;            /* and how many of them are taken */
    uint64_t *counts;    /* [room][words] */
    uint64_t *marks;     /* dense: which costs there are */
    int64_t *costs;      /* else: the cost of a place; INT64_MIN: it is free */
    size_t bytes;        /* held by the arrays, which are used again */
} ct_set_tally;

/* For costs from `least` to `most`; 0 if memory ends, here and below. */
int ct_set_tally_begin(ct_set_tally *tally, int64_t least, int64_t most, unsigned words);
void ct_set_tally_free(ct_set_tally *tally);

/* The count of a cost that may be new; NULL if memory ends. */
uint64_t *ct_set_tally_sparse(ct_set_tally *tally, int64_t cost);
static inline uint64_t *ct_set_tally_at(ct_set_tally *tally, int64_t cost)
{
    if (!tally->dense) return ct_set_tally_sparse(tally, cost);
    size_t at = (size_t) (cost - tally->least);
    CT_ASSERT(cost >= tally->least && cost <= tally->most);
    tally->marks[at / 64] |= UINT64_C(1) << at % 64;
    return tally->counts + at * tally->words;
}

/* Gives the node what was counted, but for counts of zero. */
int ct_set_tally_end(ct_set_tally *tally, ct_set_graph *graph, ct_set_node *node);

#endif
