/* How many trees have which cost, by cost. */
#ifndef CT_CERTIFY_COST_COUNTS_H
#define CT_CERTIFY_COST_COUNTS_H

#include "certify/recount.h"

typedef struct {
    /* [n] owned: ct_alloc; sorted by cost by ct_certify_cost_counts_sort() */
    ct_certify_cost_count *of;
    size_t n, room;
} ct_cost_counts;

/* Adds n trees of a cost; 0 if memory ends. */
int ct_certify_cost_counts_add(ct_cost_counts *counts, int64_t cost, ct_residues n);
/* Sorts them; costs without a tree are left out. */
void ct_certify_cost_counts_sort(ct_cost_counts *counts);
void ct_certify_cost_counts_free(ct_cost_counts *counts);

#endif
