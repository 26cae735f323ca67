#include "exact/cost/choices.h"

enum { MOST_SETS = 600, MOST_LABELS = 35 }; /* all pairs of 35 labels, all fours of 12 */

uint32_t ct_exact_choices_sets(uint32_t n, unsigned depth)
{
    uint64_t sets = 1;
    uint32_t size = UINT32_C(1) << depth;
    if (depth == 0 || depth >= CT_CHOICE_DEPTHS || size >= n) return 0;
    if (size > n - size) size = n - size;
    for (uint32_t i = 0; i < size; i++) {
        sets = sets * (n - i) / (i + 1);
        if (sets > MOST_SETS) return 0;
    }
    return (uint32_t) sets;
}

/* The next set after labels[0] < labels[1] < ...; 0 if that was the last one. */
static int next_set(uint32_t *labels, uint32_t size, uint32_t n)
{
    CT_ASSERT(size > 0 && size <= n);
    uint32_t i = size;
    while (i > 0 && labels[i - 1] == n - size + i - 1) i--;
    if (i == 0) return 0;
    uint32_t label = ++labels[i - 1];
    for (; i < size; i++) labels[i] = ++label;
    CT_ASSERT(labels[size - 1] < n && labels[0] <= labels[size - 1]);
    return 1;
}

/* out[set][class], the sets in order. */
static void fill(const ct_exact_costs *costs, uint32_t size, int64_t *out)
{
    uint32_t n = costs->n_classes, labels[1 << (CT_CHOICE_DEPTHS - 1)];
    CT_ASSERT(size <= sizeof labels / sizeof *labels && size < n);
    for (uint32_t i = 0; i < size; i++) labels[i] = i;
    do {
        for (uint32_t c = 0; c < n; c++) {
            int64_t best = costs->loss[c * n + labels[0]];
            for (uint32_t i = 1; i < size; i++)
                if (costs->loss[c * n + labels[i]] < best) best = costs->loss[c * n + labels[i]];
            CT_ASSERT(best >= 0);
            *out++ = best;
        }
    } while (next_set(labels, size, n));
}

static ct_status no_memory(ct_error *error)
{
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the choices of labels");
}

ct_status ct_choices_init(ct_exact_costs *costs, ct_arena *arena, ct_error *error)
{
    uint32_t n = costs->n_classes;
    costs->choices = NULL;
    if (!ct_costs_by_label(costs)) return CT_OK;
    ct_choices *choices = CT_ARENA_ZEROED(arena, ct_choices, 1);
    if (!choices) return no_memory(error);
    for (unsigned depth = 1; depth < CT_CHOICE_DEPTHS; depth++) {
        uint32_t sets = ct_exact_choices_sets(n, depth);
        int64_t *least = sets ? CT_ARENA_NEW(arena, int64_t, (size_t) sets * n) : NULL;
        if (!sets) continue;
        if (!least) return no_memory(error);
        fill(costs, UINT32_C(1) << depth, least);
        choices->n[depth] = sets;
        choices->costs[depth] = least;
    }
    costs->choices = choices;
    return CT_OK;
}

int64_t ct_choices_least(const ct_exact_costs *costs, const ct_totals *totals, unsigned depth)
{
    CT_ASSERT(ct_choices_known(costs, depth));
    uint32_t n = costs->n_classes;
    const int64_t *of_set = costs->choices->costs[depth];
    int64_t least = INT64_MAX, mass[MOST_LABELS];
    CT_ASSERT(n <= MOST_LABELS && of_set && costs->choices->n[depth] > 0);
    for (uint32_t c = 0; c < n; c++) mass[c] = ct_mass(totals, c);
    for (uint32_t i = 0; i < costs->choices->n[depth]; i++, of_set += n) {
        int64_t sum = 0;
        for (uint32_t c = 0; c < n; c++) sum += mass[c] * of_set[c];
        CT_ASSERT(sum >= 0);
        if (sum < least) least = sum;
    }
    return least;
}
