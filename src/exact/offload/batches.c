#include "base/compact.h"

#include "exact/offload/batches.h"

#include <string.h>

#include "exact/search/features.h"
#include "exact/search/thresholds.h"
#include "exact/offload/placing.h"
#include "exact/rows/ranks.h"
#include "gpu/kernel.h"

enum {
    /* of a batch: 16 groups of 32; with 20 columns 320 blocks, more than a device has
     * multiprocessors */
    BATCH_CANDIDATES = 512,
    /* candidates in one interval at most; 7 take more batches for as many candidates, 31 take more
     * candidates */
    INTERVAL_CUTS = 15
};

int ct_batches_wanted(const ct_evaluator *evaluator)
{
    const ct_roots *roots = evaluator->roots;
    return roots->task->depth == 2 && !roots->work.team &&
           ct_pays_on_device(evaluator->worker, roots->node);
}

ct_status ct_slice_new(const ct_worker *worker, ct_arena *arena, ct_slice *slice, uint32_t n)
{
    *slice = (ct_slice){0, 0, 0, 0, NULL, NULL};
    slice->intervals = CT_ARENA_NEW(arena, ct_slice_interval, n);
    slice->candidates = CT_ARENA_NEW(arena, ct_slice_candidate, n);
    return slice->intervals && slice->candidates ? CT_OK : ct_worker_no_memory(worker);
}

ct_status ct_batches_begin_rows(ct_evaluator *evaluator)
{
    const ct_path *path = evaluator->roots->task->path;
    ct_offload_conditions conditions = {path->n, {0}, {0}};
    for (uint32_t i = 0; i < path->n; i++) {
        conditions.line[i] = path->line[i];
        conditions.threshold[i] = path->threshold[i];
    }
    return ct_offload_begin_rows(evaluator->worker->queue, &conditions,
                                 evaluator->roots->node->n_rows);
}

/* ---- gathering ---- */

static uint32_t count_open(const ct_roots *roots)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < roots->node->layout->n_cols; f++)
        for (const ct_interval *i = roots->features[f].open; i; i = i->next) n++;
    return n;
}

/* Marks the child features that may beat what the sides of candidate p need; as on the CPU, those
 * that the candidate's neighbours rule out are not looked at. */
static void want_features(ct_evaluator *evaluator, const ct_exact_batch *batch, uint32_t p,
                          const ct_slice_candidate *candidate)
{
    ct_worker *worker = evaluator->worker;
    uint32_t n_cols = evaluator->roots->node->layout->n_cols;
    int all = !ct_uses(worker, CT_SHORTCUT_CHILD_FEATURES);
    uint32_t *wanted = batch->wanted + (size_t) p / CT_GPU_LANES * 2 * n_cols,
             bit = 1u << p % CT_GPU_LANES;
    if (bit == 1) memset(wanted, 0, (size_t) 2 * n_cols * sizeof *wanted);
    for (uint32_t g = 0; g < n_cols; g++) {
        int wants[2];
        for (int side = 0; side < 2; side++) {
            wants[side] = all || candidate->m->errors[side][g] < candidate->question.need[side];
            if (wants[side]) wanted[(uint32_t) side * n_cols + g] |= bit;
        }
        worker->statistics.skipped_children += !wants[0] && !wants[1];
    }
}

/* Puts m, a candidate of the interval, into the slice. */
static void add_candidate(ct_evaluator *evaluator, ct_slice *slice, ct_exact_batch *batch,
                          uint32_t feature, const ct_interval *i, ct_candidate *m)
{
    CT_ASSERT(m->n_left > i->a->n_left && m->n_left < i->b->n_left);
    ct_slice_candidate *candidate = &slice->candidates[slice->n_candidates++];
    candidate->m = m;
    evaluator->target = ct_thresholds_target(evaluator->roots, feature, m->threshold);
    candidate->asked = ct_depth2_ask(evaluator, i->a, i->b, m, &candidate->question);
    evaluator->worker->statistics.thresholds++;
    if (!candidate->asked) return;
    slice->n_asked++;
    CT_ASSERT(batch->n_candidates < CT_OFFLOAD_CANDIDATES);
    want_features(evaluator, batch, batch->n_candidates, candidate);
    ct_offload_candidate *asked = &batch->candidates[batch->n_candidates++];
    asked->part_line = batch->part_line;
    asked->part_threshold = batch->part_threshold;
    asked->feature = feature;
    asked->threshold = ct_layout_to_global(evaluator->roots->node->layout, feature, m->threshold);
    CT_ASSERT(asked->threshold > 0);
    for (int side = 0; side < 2; side++) {
        CT_ASSERT(candidate->question.need[side] >= 0 &&
                  candidate->question.need[side] <= INT32_MAX);
        asked->need[side] = (int32_t) candidate->question.need[side];
        asked->min_rows[side] = candidate->question.min_rows[side];
    }
}

/* Cuts the interval at up to `cuts` of the thresholds first .. last, evenly; 0 if memory ends
 * before the first. */
static int add_interval(ct_evaluator *evaluator, ct_slice *slice, ct_exact_batch *batch,
                        uint32_t feature,
                        ct_interval *i, uint32_t first, uint32_t last, uint32_t cuts)
{
    ct_slice_interval *part = &slice->intervals[slice->n_intervals];
    uint32_t n = last - first + 1, before = i->a->n_left;
    CT_ASSERT(cuts > 0 && first > 0 && first <= last);
    if (cuts > n) cuts = n;
    *part = (ct_slice_interval){i, feature, 0};
    for (uint32_t k = 0; k < cuts; k++) {
        ct_candidate *m = ct_features_take_candidate(evaluator->roots);
        if (!m) break;
        m->threshold = first + (uint32_t) ((uint64_t) n * (2 * k + 1) / (2 * cuts));
        CT_ASSERT(m->threshold >= first && m->threshold <= last);
        m->open = 1; /* it is held by the slice */
        ct_thresholds_count_sides(evaluator, feature, m);
        if (m->n_left == before ||
            m->n_left == i->b->n_left) { /* parts no rows from the last one */
            ct_features_release_candidate(evaluator->roots, m);
            continue;
        }
        before = m->n_left;
        add_candidate(evaluator, slice, batch, feature, i, m);
        part->n_candidates++;
    }
    if (!part->n_candidates) return 0;
    slice->n_intervals++;
    ct_features_begin_work(evaluator->roots, i);
    return 1;
}

uint32_t ct_slice_fill(ct_evaluator *evaluator, ct_slice *slice, ct_exact_batch *batch,
                       uint32_t room)
{
    ct_roots *roots = evaluator->roots;
    uint32_t open = count_open(roots), cuts = open ? room / open : 1, first, last;
    if (cuts > INTERVAL_CUTS) cuts = INTERVAL_CUTS;
    if (cuts < 1) cuts = 1;
    CT_ASSERT(room > 0 && cuts <= INTERVAL_CUTS);
    slice->n_intervals = slice->n_candidates = slice->n_asked = 0;
    slice->begin = batch->n_candidates;
    for (int32_t f;
         slice->n_candidates + cuts <= room && (f = ct_features_choose(roots)) >= 0;) {
        ct_interval *i = roots->features[f].open;
        roots->features[f].open = i->next;
        roots->features[f].begun = 1;
        if (!ct_thresholds_close(evaluator, (uint32_t) f, i) &&
            ct_thresholds_window(evaluator, (uint32_t) f, i, &first, &last)) {
            if (add_interval(evaluator, slice, batch, (uint32_t) f, i, first, last, cuts)) continue;
            ct_features_note(roots, (uint32_t) f, i->bound);
            ct_worker_stop(evaluator->worker, CT_END_MEMORY);
        }
        ct_features_give_back(roots, i);
    }
    CT_ASSERT(slice->n_candidates <= room && slice->n_asked <= slice->n_candidates);
    return slice->n_intervals;
}

/* ---- taking in ---- */

/* The interval's parts between its candidates are open from here on. */
static void open_intervals(ct_evaluator *evaluator, const ct_slice_interval *part,
                       const ct_slice_candidate *candidates)
{
    ct_roots *roots = evaluator->roots;
    ct_interval *i = part->interval;
    ct_candidate *end = i->b;
    for (uint32_t k = part->n_candidates; k-- > 0; end = candidates[k].m)
        ct_features_push(evaluator->worker, roots, part->feature, candidates[k].m, end,
                         ct_interval_bound(evaluator->worker, candidates[k].m, end));
    ct_features_push(evaluator->worker, roots, part->feature, i->a, end,
                     ct_interval_bound(evaluator->worker, i->a, end));
    ct_features_end_work(roots, i);
    for (uint32_t k = 0; k < part->n_candidates; k++)
        ct_features_release_candidate(roots, candidates[k].m);
    ct_features_give_back(roots, i);
}

void ct_slice_take_in(ct_evaluator *evaluator, ct_slice *slice, const int32_t *errors)
{
    ct_roots *roots = evaluator->roots;
    const ct_slice_candidate *candidate = slice->candidates;
    size_t step = 4 * (size_t) roots->node->layout->n_cols;
    CT_ASSERT(!slice->n_asked || errors);
    if (slice->n_asked) errors += step * slice->begin;
    for (uint32_t p = 0; p < slice->n_intervals; p++) {
        const ct_slice_interval *part = &slice->intervals[p];
        const ct_interval *i = part->interval;
        int64_t least = INT64_MAX;
        for (uint32_t k = 0; k < part->n_candidates; k++) {
            ct_candidate *m = candidate[k].m;
            int64_t upper = INT64_MAX;
            if (candidate[k].asked) {
                upper = ct_depth2_answer(evaluator, m, &candidate[k].question, errors);
                errors += step;
            }
            ct_thresholds_settle(evaluator, part->feature, m, upper);
            least = ct_smaller_cost(least, ct_candidate_total(evaluator->worker, m));
        }
        if (i->a == &roots->ends[0] && i->b == &roots->ends[1])
            roots->features[part->feature].key = least;
        open_intervals(evaluator, part, candidate);
        candidate += part->n_candidates;
    }
    CT_ASSERT(candidate == slice->candidates + slice->n_candidates);
    slice->n_intervals = 0;
}

void ct_slice_put_back(ct_evaluator *evaluator, ct_slice *slice)
{
    ct_roots *roots = evaluator->roots;
    if (!slice->n_intervals) return;
    for (uint32_t k = 0; k < slice->n_candidates; k++)
        ct_features_release_candidate(roots, slice->candidates[k].m);
    for (uint32_t p = 0; p < slice->n_intervals; p++) {
        ct_interval *i = slice->intervals[p].interval;
        ct_features_end_work(roots, i);
        i->next = roots->features[slice->intervals[p].feature].open;
        roots->features[slice->intervals[p].feature].open = i;
    }
    slice->n_intervals = 0;
}

/* ---- batches ---- */

ct_status ct_batches_submit(ct_worker *worker, const ct_exact_batch *batch, unsigned slot)
{
    if (!batch->n_candidates) return CT_OK;
    CT_ASSERT(worker->queue && slot < CT_OFFLOAD_SLOTS);
    worker->statistics.batches++;
    worker->statistics.device_thresholds += batch->n_candidates;
    return ct_offload_submit(worker->queue, slot, batch->candidates, batch->n_candidates,
                             batch->wanted);
}

void ct_batches_lost(ct_worker *worker)
{
    worker->queue = NULL;
    if (worker->search->options->device == CT_EXACT_DEVICE_CUDA) ct_worker_stop(worker,
                                                                                CT_END_DEVICE);
}

/* ---- one problem by itself ---- */

/* Waits for a slice and takes it in. CT_NO_DEVICE if the device is lost. */
static ct_status collect(ct_evaluator *evaluator, ct_slice *slice, unsigned slot)
{
    const ct_node *node = evaluator->roots->node;
    const int32_t *errors = NULL;
    if (slice->n_asked) CT_TRY(ct_offload_wait(evaluator->worker->queue, slot, &errors));
    ct_worker_poll(evaluator->worker,
                   (uint64_t) slice->n_candidates * node->layout->n_cols * node->n_rows);
    ct_slice_take_in(evaluator, slice, errors);
    return CT_OK;
}

/* Two slices in turn. CT_NO_DEVICE if the device is lost; what is left in the slices is then put
 * back. */
static ct_status run(ct_evaluator *evaluator, ct_slice slices[CT_OFFLOAD_SLOTS],
                     ct_exact_batch *batch)
{
    uint32_t room = ct_offload_room(evaluator->worker->queue);
    if (room > BATCH_CANDIDATES) room = BATCH_CANDIDATES;
    for (unsigned slot = 0;; slot = !slot) {
        ct_slice *next = &slices[slot], *other = &slices[!slot];
        batch->n_candidates = 0; /* what was sent has been copied */
        if (ct_slice_fill(evaluator, next, batch, room)) {
            CT_TRY(ct_batches_submit(evaluator->worker, batch, slot));
        } else if (!other->n_intervals) {
            return CT_OK;
        }
        if (other->n_intervals) CT_TRY(collect(evaluator, other, !slot));
    }
}

void ct_batches_run(ct_evaluator *evaluator)
{
    ct_worker *worker = evaluator->worker;
    ct_slice slices[CT_OFFLOAD_SLOTS];
    uint32_t n_cols = evaluator->roots->node->layout->n_cols;
    ct_exact_batch *batch = CT_ARENA_NEW(&worker->arena, ct_exact_batch, 1);
    uint32_t *wanted = CT_ARENA_NEW(&worker->arena, uint32_t,
                                    ct_offload_wanted_words(n_cols, BATCH_CANDIDATES));
    if (!batch || !wanted) {
        ct_worker_stop(worker, CT_END_MEMORY);
        return;
    }
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++)
        if (ct_slice_new(worker, &worker->arena, &slices[slot], BATCH_CANDIDATES) != CT_OK) return;
    batch->wanted = wanted;
    batch->part_line = 0;
    batch->part_threshold = CT_OFFLOAD_ALL;
    if (ct_batches_begin_rows(evaluator) == CT_OK && run(evaluator, slices, batch) == CT_OK) return;
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++)
        ct_slice_put_back(evaluator, &slices[slot]);
    ct_batches_lost(worker);
}
