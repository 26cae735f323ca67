#include "exact/search/features.h"

#include "exact/search/left_open.h"
#include "exact/search/observed.h"
#include "exact/search/survivors.h"

ct_candidate *ct_features_take_candidate(ct_roots *roots)
{
    ct_candidate *candidate = roots->free_candidates,
                 **spare = roots->work.team
                               ? &roots->work.team->spare_candidates[roots->task->depth]
                               : NULL;
    if (candidate) {
        roots->free_candidates = candidate->next_free;
    } else if (spare && *spare) {
        candidate = *spare;
        *spare = candidate->next_free;
    } else {
        candidate = roots->new_candidate(roots);
        if (candidate) candidate->of_team = roots->work.team != NULL;
    }
    if (candidate) candidate->open = 0, candidate->both = 0;
    return candidate;
}

static ct_interval *take_interval(ct_roots *roots)
{
    ct_interval **spare = roots->work.team ? &roots->work.team->spare_intervals : NULL, *i;
    if (spare && !roots->free_intervals && *spare) {
        i = *spare;
        *spare = i->next;
    } else if (roots->free_intervals) {
        i = roots->free_intervals;
        roots->free_intervals = i->next;
    } else {
        i = CT_ARENA_NEW(roots->arena, ct_interval, 1);
        if (i) i->of_team = roots->work.team != NULL;
    }
    return i;
}

void ct_features_return_spares(ct_roots *roots)
{
    for (ct_candidate *candidate = roots->free_candidates, *next; candidate; candidate = next) {
        next = candidate->next_free;
        if (!candidate->of_team) continue;
        candidate->next_free = roots->work.team->spare_candidates[roots->task->depth];
        roots->work.team->spare_candidates[roots->task->depth] = candidate;
    }
    for (ct_interval *i = roots->free_intervals, *next; i; i = next) {
        next = i->next;
        if (!i->of_team) continue;
        i->next = roots->work.team->spare_intervals;
        roots->work.team->spare_intervals = i;
    }
    CT_ASSERT(roots->work.team);
    CT_ASSERT(!ct_features_any_open(roots) || ct_is_halted(roots->worker));
    roots->free_candidates = NULL;
    roots->free_intervals = NULL;
}

void ct_features_release_candidate(ct_roots *roots, ct_candidate *candidate)
{
    CT_ASSERT(candidate->open > 0);
    if (--candidate->open || candidate == &roots->ends[0] || candidate == &roots->ends[1]) return;
    candidate->next_free = roots->free_candidates;
    roots->free_candidates = candidate;
}

void ct_features_note_both(ct_roots *roots, uint32_t feature, int64_t relaxed, int64_t proven)
{
    CT_ASSERT(feature < roots->node->layout->n_cols && relaxed <= proven);
    roots->known.root_bounds[feature] = ct_smaller_cost(roots->known.root_bounds[feature], relaxed);
    roots->known.proven = ct_smaller_cost(roots->known.proven, proven);
}

void ct_features_note(ct_roots *roots, uint32_t feature, int64_t bound)
{
    ct_features_note_both(roots, feature, bound, bound);
}

void ct_features_leave(ct_roots *roots, uint32_t feature, const ct_candidate *a,
                       const ct_candidate *b, int64_t bound)
{
    if (roots->part) ct_left_open_add(roots, feature, a, b, bound);
    else ct_features_note(roots, feature, bound);
    if (roots->survivors) ct_survivors_leave(roots->survivors, bound);
}

void ct_features_push(const ct_worker *worker, ct_roots *roots, uint32_t feature, ct_candidate *a,
                      ct_candidate *b, int64_t bound)
{
    CT_ASSERT(feature < roots->node->layout->n_cols && a->n_left < b->n_left &&
              b->n_left <= roots->node->n_rows);
    CT_ASSERT(a->max_left <= b->max_left && b->max_left <= roots->node->max_cost);
    if (b->n_left - a->n_left < 2) return; /* no rows to separate */
    ct_interval *i = take_interval(roots);
    ct_observe_interval(worker, roots, feature, a->n_left, b->n_left, bound);
    if (!i) {
        ct_features_leave(roots, feature, a, b, bound);
        ct_worker_stop(worker, CT_END_MEMORY);
        return;
    }
    a->open++;
    b->open++;
    i->a = a;
    i->b = b;
    i->bound = bound;
    i->next = roots->features[feature].open;
    roots->features[feature].open = i;
}

void ct_features_give_back(ct_roots *roots, ct_interval *i)
{
    CT_ASSERT(i->a->n_left < i->b->n_left);
    ct_features_release_candidate(roots, i->a);
    ct_features_release_candidate(roots, i->b);
    i->next = roots->free_intervals;
    roots->free_intervals = i;
}

/* Whether a candidate takes so long that features take turns. */
static int takes_long(const ct_roots *roots)
{
    unsigned depth = roots->worker->search->costs->response ? 2 : 3;
    return roots->task->depth > depth;
}

/* Whether feature f is to be searched before feature `other`. Where a candidate takes long, the one
 * whose next interval and whose median promise most together; of equal ones the first, whose trees
 * are wanted where they are as good as others'. */
static int comes_before(const ct_roots *roots, uint32_t f, int32_t other)
{
    const ct_exact_feature *a = &roots->features[f], *b = &roots->features[other];
    return takes_long(roots) ? a->open->bound + a->key < b->open->bound + b->key : a->key < b->key;
}

/* A feature without a candidate: the first, or that of the least key; -1: none. */
static int32_t choose_whole(ct_roots *roots)
{
    uint32_t n_cols = roots->node->layout->n_cols;
    int32_t chosen = -1;
    for (uint32_t f = roots->next_whole; f < n_cols; f++) {
        if (!roots->features[f].open || roots->features[f].begun) continue;
        if (chosen >= 0 && roots->features[f].key >= roots->features[chosen].key) continue;
        chosen = (int32_t) f;
        if (!roots->by_key) break;
    }
    if (chosen < 0) roots->next_whole = n_cols;
    else if (!roots->by_key) roots->next_whole = (uint32_t) chosen + 1;
    return chosen;
}

int32_t ct_features_choose(ct_roots *roots)
{
    uint32_t n_cols = roots->node->layout->n_cols;
    if (roots->hinted >= 0 && roots->features[roots->hinted].open) return roots->hinted;
    int32_t whole = choose_whole(roots);
    if (whole >= 0) return whole;
    if (roots->current >= 0 && roots->features[roots->current].open && !takes_long(roots))
        return roots->current;
    roots->current = -1;
    for (uint32_t f = 0; f < n_cols; f++)
        if (roots->features[f].open &&
            (roots->current < 0 || comes_before(roots, f, roots->current)))
            roots->current = (int32_t) f;
    return roots->current;
}

void ct_features_put_off(ct_roots *roots, uint32_t feature, ct_interval *i)
{
    CT_ASSERT(feature < roots->node->layout->n_cols && !roots->ties_now);
    i->next = roots->features[feature].later;
    roots->features[feature].later = i;
}

int ct_features_take_up(ct_roots *roots)
{
    int any = 0;
    roots->ties_now = 1;
    for (uint32_t f = 0; f < roots->node->layout->n_cols; f++) {
        for (ct_interval *i = roots->features[f].later, *next; i; i = next) {
            next = i->next;
            i->next = roots->features[f].open;
            roots->features[f].open = i;
            any = 1;
        }
        roots->features[f].later = NULL;
    }
    return any;
}

void ct_features_begin_work(ct_roots *roots, ct_interval *i)
{
    i->next = roots->working;
    roots->working = i;
}

void ct_features_end_work(ct_roots *roots, const ct_interval *i)
{
    ct_interval **list = &roots->working;
    CT_ASSERT(*list); /* it is among them */
    while (*list != i) list = &(*list)->next;
    *list = i->next;
}

void ct_features_note_open(ct_roots *roots)
{
    for (uint32_t f = 0; f < roots->node->layout->n_cols; f++) {
        for (const ct_interval *i = roots->features[f].open; i; i = i->next)
            ct_features_leave(roots, f, i->a, i->b, i->bound);
        for (const ct_interval *i = roots->features[f].later; i; i = i->next)
            ct_features_leave(roots, f, i->a, i->b, i->bound);
    }
}

int ct_features_any_open(const ct_roots *roots)
{
    for (uint32_t f = 0; f < roots->node->layout->n_cols; f++)
        if (roots->features[f].open || roots->features[f].later) return 1;
    return 0;
}
