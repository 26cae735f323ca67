/* In `ends` a range has the key of its feature; for its left end and then for its right one: the
 * threshold (0 and n_values are the ends of the column); for both sides the lower bound, then
 * [n_cols] those by root feature; and 1 with the best trees of both sides, as heaps of
 * (feature + 1, threshold), or 0. */
#include "exact/search/left_open.h"

#include "base/clock.h"

int ct_left_open_pauses(const ct_roots *roots)
{
    const ct_exact_part *part = roots->part;
    if (!part) return 0;
    if (part->evaluated >= part->most) return 1;
    if (!part->evaluated) return 0;
    return ct_seconds() >= roots->pause_at ||
           (part->one_of_several && roots->known.best < roots->best_before) ||
           (part->wanted && !part->wanted(part->wanted_data));
}

static void put_trees(ct_bytes *ends, const ct_candidate *m, size_t size)
{
    ct_bytes_put(ends, m->trees[0] != NULL);
    for (int side = 0; m->trees[0] && side < 2; side++)
        for (size_t i = 0; i < size; i++) {
            ct_bytes_put(ends, (uint64_t) ((int64_t) m->trees[side][i].feature + 1));
            ct_bytes_put(ends, m->trees[side][i].threshold);
        }
}

static void put_end(const ct_roots *roots, ct_bytes *ends, const ct_candidate *m,
                    uint32_t threshold)
{
    ct_bytes_put(ends, threshold);
    for (int side = 0; side < 2; side++) {
        ct_bytes_put(ends, (uint64_t) m->lower[side]);
        for (uint32_t f = 0; f < roots->node->layout->n_cols; f++)
            ct_bytes_put(ends, (uint64_t) m->root_bounds[side][f]);
    }
    put_trees(ends, m, ct_heap_size(roots->task->depth - 1));
}

void ct_left_open_add(ct_roots *roots, uint32_t feature, const ct_candidate *a,
                      const ct_candidate *b, int64_t bound)
{
    ct_exact_open *open = &roots->part->open;
    uint32_t n_values = roots->node->layout->n_values[feature];
    uint32_t low = a == &roots->ends[0] ? 0 : a->threshold;
    uint32_t high = b == &roots->ends[1] ? n_values : b->threshold;
    CT_ASSERT(low < high && a->n_left < b->n_left && bound >= 0);
    if (low + 1 == high) return; /* there are none: the rows between have the same value */
    ct_exact_range *range = ct_open_add(open);
    if (!range) return;
    range->feature = feature;
    range->first = low + 1;
    range->last = high - 1;
    range->rows = b->n_left - a->n_left;
    range->bound = bound;
    ct_bytes_put(&open->ends, (uint64_t) roots->features[feature].key);
    put_end(roots, &open->ends, a, low);
    put_end(roots, &open->ends, b, high);
    if (open->ends.lost) open->lost = 1;
}

void ct_left_open_end(ct_roots *roots)
{
    ct_exact_part *part = roots->part;
    uint32_t n_cols = roots->node->layout->n_cols;
    part->searched = 1;
    for (uint32_t f = 0; f < n_cols; f++) part->known[f] = roots->known.root_bounds[f];
    part->known[n_cols] = roots->known.proven;
    for (uint32_t i = 0; i < part->open.n; i++) {
        const ct_exact_range *range = &part->open.ranges[i];
        int64_t *known = &roots->known.root_bounds[range->feature];
        *known = ct_smaller_cost(*known, range->bound);
        roots->known.proven = ct_smaller_cost(roots->known.proven, range->bound);
    }
}
