#include "exact/bound/class_counts.h"

#include "exact/bound/interval.h"

/* What the rows of class c cost at least under another label, in units. */
static inline int64_t wrong_units(const ct_exact_costs *costs, const ct_totals *totals, uint32_t c)
{
    return costs->plain ? (int64_t) totals->rows[c] : ct_mass(totals, c) * costs->least[c];
}

/* A label more is right on the rows of one class more, and takes a split. */
static inline int64_t saved_by(const ct_exact_costs *costs, int64_t units, int64_t split)
{
    return ct_larger_cost(0, ct_cost_of_units(costs, units) - split);
}

/* What `count` labels save beside none, for the classes where that is most. */
static int64_t most_saved(const ct_exact_costs *costs, const ct_totals *totals, uint32_t count,
                          int64_t split)
{
    int64_t saved = 0, below = INT64_MAX; /* the last one taken */
    for (int first = 1; count; first = 0) {
        CT_ASSERT(below > 0);
        int64_t largest = 0;
        uint32_t times = 0;
        for (uint32_t c = 0; c < costs->n_classes; c++) {
            int64_t units = wrong_units(costs, totals, c);
            if (units >= below) continue;
            if (units > largest) largest = units, times = 0;
            if (units == largest) times++;
        }
        if (!largest) break;
        if (times > count) times = count;
        if (first) saved += ct_cost_of_units(costs, largest); /* a leaf takes no split */
        saved += saved_by(costs, largest, split) * ((int64_t) times - first);
        count -= times;
        below = largest;
    }
    return saved;
}

/* A tree with splits has a label or more on either side of the root. */
static int64_t least_of_choices(const ct_exact_costs *costs, const ct_totals *totals,
                                unsigned depth, int64_t split)
{
    int64_t with_splits = split + ct_cost_of_units(costs, ct_choices_least(costs, totals, depth));
    return ct_smaller_cost(with_splits, ct_leaf_cost(costs, totals));
}

int64_t ct_class_count_bound(const ct_worker *worker, const ct_totals *totals, uint32_t n_classes,
                             unsigned depth)
{
    const ct_exact_costs *costs = worker->search->costs;
    /* src/certify does without */
    int64_t split = worker->evidence ? 0 : worker->search->split_cost;
    if (costs->response || !ct_uses(worker, CT_SHORTCUT_CLASS_COUNTS)) return 0;
    if (ct_choices_known(costs, depth)) return least_of_choices(costs, totals, depth, split);
    int64_t sum = 0, first = 0, second = 0;
    for (uint32_t c = 0; c < n_classes; c++) {
        int64_t units = wrong_units(costs, totals, c), lower = ct_smaller_cost(units, first);
        first = ct_larger_cost(units, first);
        second = ct_larger_cost(lower, second);
        sum += units;
    }
    CT_ASSERT(first >= second && second >= 0 && sum >= first + second);
    int two = depth == 1 || n_classes == 2;
    int64_t least = ct_cost_of_units(costs, sum);
    if (two) least -= ct_cost_of_units(costs, first) + saved_by(costs, second, split);
    else least -= most_saved(costs, totals, UINT32_C(1) << depth, split);
    CT_ASSERT(least >= 0 && least <= ct_leaf_cost(costs, totals));
    return least;
}
