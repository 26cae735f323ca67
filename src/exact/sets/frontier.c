#include "exact/sets/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_value(const void *a, const void *b)
{
    const ct_valued *x = (const ct_valued *) a, *y = (const ct_valued *) b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->cost < y->cost ? -1 : x->cost > y->cost;
}

static int by_cost(const void *a, const void *b)
{
    const ct_valued *x = (const ct_valued *) a, *y = (const ct_valued *) b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

void ct_frontier_sort(ct_frontier *frontier)
{
    ct_valued *of = frontier->of;
    size_t n = 0;
    if (!frontier->n) return;
    qsort(of, frontier->n, sizeof *of, frontier->lowest ? by_cost : by_value);
    for (size_t i = 0; i < frontier->n; i++)
        if (!n || (frontier->lowest ? of[i].value < of[n - 1].value
                                    : of[i].value != of[n - 1].value))
            of[n++] = of[i];
    frontier->n = n;
    if (!frontier->lowest) qsort(of, n, sizeof *of, by_cost);
}

static int widen(ct_frontier *frontier)
{
    const size_t room = frontier->room ? 2 * frontier->room : 64, n = frontier->n,
                 size = sizeof *frontier->of;
    if (room > CT_FRONTIER_MOST || !ct_enlarge(&frontier->of, n * size, (room - n) * size))
        return 0;
    frontier->room = room;
    return 1;
}

void ct_frontier_add(ct_frontier *frontier, int64_t value, int64_t cost)
{
    if (frontier->n == frontier->room) {
        ct_frontier_sort(frontier);
        if (2 * frontier->n >= frontier->room && !widen(frontier)) frontier->failed = 1;
    }
    if (!frontier->failed) frontier->of[frontier->n++] = (ct_valued){value, cost};
}

void ct_frontier_free(ct_frontier *frontier)
{
    ct_free(frontier->of);
    memset(frontier, 0, sizeof *frontier);
}
