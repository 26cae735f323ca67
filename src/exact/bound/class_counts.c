#include "exact/bound/class_counts.h"

#include "exact/bound/interval.h"

/* What the rows of class c cost at least under another label; in rows where these cost all the same. */
static inline int64_t wrong_cost(const ct_costs *costs, const ct_totals *totals, uint32_t c)
{
    return costs->plain ? (int64_t) totals->rows[c] : ct_mass(totals, c) * costs->least[c];
}

/* The sum of the `count` largest of these. */
static int64_t largest_sum(const ct_costs *costs, const ct_totals *totals, uint32_t count)
{
    int64_t sum = 0, below = INT64_MAX; /* the last one taken */
    while (count) {
        CT_ASSERT(below > 0);
        int64_t largest = 0;
        uint32_t times = 0;
        for (uint32_t c = 0; c < costs->n_classes; c++) {
            int64_t cost = wrong_cost(costs, totals, c);
            if (cost >= below) continue;
            if (cost > largest) largest = cost, times = 0;
            if (cost == largest) times++;
        }
        if (!largest) break;
        if (times > count) times = count;
        sum += largest * times;
        count -= times;
        below = largest;
    }
    return sum;
}

int64_t ct_class_count_bound(const ct_worker *worker, const ct_totals *totals, uint32_t n_classes, unsigned depth)
{
    const ct_costs *costs = worker->search->costs;
    if (!ct_uses(worker, CT_SHORTCUT_CLASS_COUNTS) || (n_classes >> depth) == 0) return 0;
    if (ct_choices_known(costs, depth)) return ct_choices_least(costs, totals, depth);
    int64_t sum = 0, first = 0, second = 0;
    for (uint32_t c = 0; c < n_classes; c++) {
        int64_t cost = wrong_cost(costs, totals, c), lower = ct_smaller_cost(cost, first);
        first = ct_larger_cost(cost, first);
        second = ct_larger_cost(lower, second);
        sum += cost;
    }
    CT_ASSERT(first >= second && second >= 0 && sum >= first + second);
    sum -= depth == 1 ? first + second : largest_sum(costs, totals, UINT32_C(1) << depth);
    CT_ASSERT(sum >= 0 && sum * ((int64_t) 1 << ct_kernel_shift(worker)) <= ct_leaf_cost(costs, totals));
    return sum * ((int64_t) 1 << ct_kernel_shift(worker));
}
