/* Values that trees have, and what the cheapest tree of each costs. */
#ifndef CT_EXACT_SETS_FRONTIER_H
#define CT_EXACT_SETS_FRONTIER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t value, cost;
} ct_valued;

typedef struct {
    ct_valued *of; /* [n] owned: ct_alloc; by cost, then value, after ct_frontier_sort() */
    size_t n, room;
    int lowest;    /* only those whose value is less than that of all that cost no more */
    int failed;    /* memory ended, or there are more than CT_FRONTIER_MOST */
} ct_frontier;

enum { CT_FRONTIER_MOST = 1 << 22 };

void ct_frontier_add(ct_frontier *frontier, int64_t value, int64_t cost);
/* Leaves out what need not be known. */
void ct_frontier_sort(ct_frontier *frontier);
void ct_frontier_free(ct_frontier *frontier);

#endif
