#include "certify/cost_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_cost(const void *a, const void *b)
{
    int64_t x = ((const ct_certify_cost_count *) a)->cost,
 y = ((const ct_certify_cost_count *) b)->cost;
    return x < y ? -1 : x > y;
}

void ct_certify_cost_counts_sort(ct_cost_counts *counts)
{
    const ct_residues none = {0, {0, 0}};
    ct_certify_cost_count *of = counts->of;
    size_t n = 0;
    CT_ASSERT(counts->n <= counts->room && (of || !counts->room));
    if (counts->n) qsort(of, counts->n, sizeof *of, by_cost);
    for (size_t i = 0, end; i < counts->n; i = end) {
        ct_certify_cost_count sum = of[i];
        for (end = i + 1; end < counts->n && of[end].cost == sum.cost; end++)
            sum.n = ct_residues_sum(sum.n, of[end].n);
        if (!ct_residues_same(sum.n, none)) of[n++] = sum;
    }
    counts->n = n;
}

int ct_certify_cost_counts_add(ct_cost_counts *counts, int64_t cost, ct_residues n)
{
    CT_ASSERT(counts->n <= counts->room && (counts->of || !counts->room));
    if (counts->n == counts->room) ct_certify_cost_counts_sort(counts);
    if (2 * counts->n >= counts->room) { /* sorting did not make it half as long */
        const size_t room = counts->room ? 2 * counts->room : 64, size = sizeof *counts->of;
        if (!ct_enlarge(&counts->of, counts->n * size, (room - counts->n) * size)) return 0;
        counts->room = room;
    }
    counts->of[counts->n++] = (ct_certify_cost_count){cost, n};
    return 1;
}

void ct_certify_cost_counts_free(ct_cost_counts *counts)
{
    ct_free(counts->of);
    memset(counts, 0, sizeof *counts);
}
