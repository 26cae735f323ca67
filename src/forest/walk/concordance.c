#include "base/compact.h"

#include "forest/walk/concordance.h"

#include <string.h>

#include "base/memory.h"
#include "forest/hist_forest.h"

/* How many of the rows behind have a rank below that; sums[i] is that of the ranks from which the
 * lowest bit of i + 1 counts (Fenwick 1994). */
static int64_t count_below(const uint32_t *sums, uint32_t rank)
{
    int64_t count = 0;
    for (; rank; rank &= rank - 1) count += sums[rank - 1];
    return count;
}

static void add_rank(uint32_t *sums, uint32_t n, uint32_t rank)
{
    for (uint32_t i = rank + 1; i <= n; i += i & (~i + 1)) sums[i - 1]++;
}

ct_status ct_forest_concordance_of(const uint32_t *survival, const uint32_t *ranks, uint32_t n,
                                   ct_forest_concordance *answer)
{
    for (uint32_t i = 0; i < n; i++)
        CT_ASSERT(ranks[i] < n && (i == 0 || survival[i - 1] <= survival[i]));
    uint32_t *sums = (uint32_t *) ct_alloc_zeroed(n + (size_t) 1, sizeof *sums);
    memset(answer, 0, sizeof *answer);
    if (!sums) return CT_NO_MEMORY;
    for (uint32_t end = n, begin; end; end = begin) {
        for (begin = end - 1; begin && survival[begin - 1] == survival[end - 1];) begin--;
        for (uint32_t i = begin; i < end && !ct_survival_censored(survival[i]); i++) {
            const int64_t below = count_below(sums, ranks[i]);
            answer->pairs += n - end;
            answer->concordant += below;
            answer->tied += count_below(sums, ranks[i] + 1) - below;
        }
        for (uint32_t i = begin; i < end; i++) add_rank(sums, n, ranks[i]);
    }
    ct_free(sums);
    return CT_OK;
}
