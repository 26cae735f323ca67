#include "base/compact.h"

#include "exact/search/resume.h"

#include "exact/rows/ranks.h"
#include "exact/search/features.h"

/* No cost or bound is larger. */
static const int64_t MOST = INT64_MAX / 4;

/* What is being read. */
typedef struct {
    ct_roots *roots;
    ct_worker *worker;
    ct_bytes_reader ends;
    ct_totals totals; /* scratch */
} reading;

/* ---- numbers ---- */

static int64_t get_cost(reading *r)
{
    uint64_t cost = ct_bytes_get(&r->ends);
    if (cost > (uint64_t) MOST) r->ends.bad = 1;
    return r->ends.bad ? 0 : (int64_t) cost;
}

/* A number of at most `most`. */
static uint32_t get_up_to(reading *r, uint32_t most)
{
    uint64_t number = ct_bytes_get(&r->ends);
    if (number > most) r->ends.bad = 1;
    return r->ends.bad ? 0 : (uint32_t) number;
}

static ct_split_code get_code(reading *r)
{
    const ct_layout *layout = r->roots->node->layout;
    ct_split_code code = {(int32_t) get_up_to(r, layout->n_cols) - 1, 0};
    uint32_t values = code.feature < 0 ? 0 : layout->n_values[code.feature];
    code.threshold = get_up_to(r, UINT32_MAX);
    if (code.feature >= 0 && code.threshold >= values) r->ends.bad = 1;
    return code;
}

/* ---- ends of a range ---- */

/* Rows and their largest cost on the left of a candidate that has its threshold. */
static void count_left(reading *r, uint32_t feature, ct_candidate *m)
{
    m->n_left = ct_node_counts(r->worker, r->roots->node, feature, m->threshold, &r->totals);
    m->max_left = ct_maximum_cost(r->worker->search->costs, &r->totals, m->n_left);
}

static ct_candidate *new_candidate(reading *r, uint32_t feature, uint32_t threshold)
{
    ct_candidate *m = ct_features_take_candidate(r->roots);
    if (!m) return NULL;
    m->threshold = threshold;
    m->best_child[0] = m->best_child[1] = -1;
    count_left(r, feature, m);
    return m;
}

/* An end of the column, which all of its ranges share; the arrays are its own from here on. */
static ct_candidate *column_end(reading *r, int right)
{
    ct_candidate *end = &r->roots->ends[right];
    uint32_t n_cols = r->roots->node->layout->n_cols;
    for (int side = 0; side < 2; side++) {
        end->root_bounds[side] = CT_ARENA_ZEROED(r->roots->arena, int64_t, n_cols);
        if (!end->root_bounds[side]) return NULL;
    }
    return end;
}

/* NULL where memory ends, or with r->ends.bad. */
static ct_candidate *get_end(reading *r, uint32_t feature)
{
    const ct_layout *layout = r->roots->node->layout;
    uint32_t n_values = layout->n_values[feature], threshold = get_up_to(r, n_values);
    if (r->ends.bad) return NULL;
    ct_candidate *m = threshold && threshold < n_values ? new_candidate(r, feature, threshold)
                                                        : column_end(r, threshold > 0);
    for (int side = 0; m && side < 2; side++) {
        m->lower[side] = get_cost(r);
        for (uint32_t f = 0; f < layout->n_cols; f++) m->root_bounds[side][f] = get_cost(r);
    }
    size_t size = ct_heap_size(r->roots->task->depth - 1);
    if (!m || !get_up_to(r, 1)) return m;
    if (!m->trees[0]) r->ends.bad = 1; /* an end has none */
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < size && !r->ends.bad; i++) m->trees[side][i] = get_code(r);
    return m;
}

/* A threshold between a and b that nobody has looked at, with what follows of it from both. */
static ct_candidate *between(reading *r, uint32_t feature, uint32_t threshold,
                             const ct_candidate *a, const ct_candidate *b)
{
    ct_candidate *m = new_candidate(r, feature, threshold);
    if (!m) return NULL;
    const ct_candidate *near = a->trees[0] ? a : b;
    size_t size = ct_heap_size(r->roots->task->depth - 1);
    for (int side = 0; side < 2; side++) {
        m->lower[side] = ct_larger_cost(ct_between(a, b, m, side), 0);
        ct_root_bounds_between(a, b, m, side, r->roots->node->layout->n_cols,
                               m->root_bounds[side]);
        for (size_t i = 0; i < size; i++)
            m->trees[side][i] = near->trees[0] ? near->trees[side][i] : CT_LEAF_CODE;
    }
    return m;
}

/* ---- ranges ---- */

static uint32_t threshold_of(const ct_roots *roots, uint32_t feature, const ct_candidate *m)
{
    if (m == &roots->ends[0]) return 0;
    return m == &roots->ends[1] ? roots->node->layout->n_values[feature] : m->threshold;
}

static ct_status unless_memory(const reading *r, const void *made)
{
    return made || r->ends.bad ? CT_BAD_INPUT : CT_NO_MEMORY;
}

/* The feature's turn comes when it would have come in a search that was not left. */
static ct_status push_range(reading *r, uint32_t f, int64_t key, ct_candidate *a, ct_candidate *b)
{
    ct_roots *roots = r->roots;
    ct_features_push(r->worker, roots, f, a, b, ct_interval_bound(r->worker, a, b));
    roots->features[f].key = key;
    roots->features[f].begun = a != &roots->ends[0] || b != &roots->ends[1];
    return CT_OK;
}

/* CT_BAD_INPUT: it is unsound. */
static ct_status open_range(reading *r, const ct_exact_range *range)
{
    const ct_roots *roots = r->roots;
    uint32_t f = range->feature;
    r->ends.at = range->at;
    if (f >= roots->node->layout->n_cols || range->at > r->ends.n) return CT_BAD_INPUT;
    int64_t key = get_cost(r);
    ct_candidate *a = get_end(r, f), *b = a && !r->ends.bad ? get_end(r, f) : NULL;
    if (!b || r->ends.bad) return unless_memory(r, b);
    uint32_t low = threshold_of(roots, f, a), high = threshold_of(roots, f, b);
    if (range->first <= low || range->first > range->last || range->last >= high)
        return CT_BAD_INPUT;
    const ct_candidate *left = a;
    if (range->first - 1 > low) a = between(r, f, range->first - 1, left, b);
    if (a && range->last + 1 < high) b = between(r, f, range->last + 1, left, b);
    return a && b ? push_range(r, f, key, a, b) : CT_NO_MEMORY;
}

static void take_over(ct_roots *roots)
{
    const ct_exact_part *part = roots->part;
    uint32_t n_cols = roots->node->layout->n_cols;
    if (!part->done) return;
    for (uint32_t f = 0; f < n_cols; f++)
        roots->known.root_bounds[f] = ct_smaller_cost(roots->known.root_bounds[f], part->done[f]);
    roots->known.proven = ct_smaller_cost(roots->known.proven, part->done[n_cols]);
}

/* So that nothing is taken for searched. */
static ct_status fail(ct_roots *roots, const ct_worker *worker, ct_status status)
{
    for (uint32_t f = 0; f < roots->node->layout->n_cols; f++) roots->known.root_bounds[f] = 0;
    roots->known.proven = 0;
    roots->part->open.lost = 1;
    roots->part->unsound = status == CT_BAD_INPUT;
    return ct_worker_no_memory(worker);
}

ct_status ct_resume(ct_roots *roots, ct_worker *worker)
{
    const ct_exact_open *from = roots->part->from;
    reading r = {roots, worker, {from->ends.bytes, from->ends.n, 0, 0}, {0}};
    ct_status status = ct_totals_new(&r.totals, worker->search->costs, roots->arena);
    roots->know_ends = NULL; /* what they know, the ranges know */
    roots->hinted = -1;
    if (!ct_uses(worker, CT_SHORTCUT_MEDIANS)) roots->next_whole = roots->node->layout->n_cols;
    take_over(roots);
    for (uint32_t i = from->n; i > 0 && status == CT_OK; i--)
        status = open_range(&r, &from->ranges[i - 1]);
    return status == CT_OK ? CT_OK : fail(roots, worker, status);
}
