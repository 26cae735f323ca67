#include "exact/offload/waves.h"

#include "exact/search/features.h"
#include "exact/search/thresholds.h"
#include "exact/offload/placing.h"
#include "exact/rows/ranks.h"

enum {
    WAVE_POINTS = 512, /* of a batch: 16 groups of 32; with 20 columns 320 blocks, more than a
                          device has multiprocessors */
    WAVE_CUTS = 15     /* candidates in one interval at most; 7 take more batches for as many
                          candidates, 31 take more candidates */
};

int ct_waves_wanted(const ct_evaluator *evaluator)
{
    const ct_roots *roots = evaluator->roots;
    return roots->task->depth == 2 && !roots->work.team &&
           ct_pays_on_device(evaluator->worker, roots->node);
}

ct_status ct_wave_new(const ct_worker *worker, ct_arena *arena, ct_wave *w, uint32_t n)
{
    *w = (ct_wave){0, 0, 0, 0, NULL, NULL};
    w->parts = CT_ARENA_NEW(arena, ct_wave_part, n);
    w->candidates = CT_ARENA_NEW(arena, ct_wave_point, n);
    return w->parts && w->candidates ? CT_OK : ct_worker_no_memory(worker);
}

ct_status ct_waves_begin_rows(ct_evaluator *evaluator)
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

/* Puts m, a candidate of the interval, into the wave. */
static void add_point(ct_evaluator *evaluator, ct_wave *w, ct_batch *batch, uint32_t feature,
                      const ct_interval *i, ct_candidate *m)
{
    CT_ASSERT(m->n_left > i->a->n_left && m->n_left < i->b->n_left);
    ct_wave_point *candidate = &w->candidates[w->n_points++];
    candidate->m = m;
    evaluator->target = ct_thresholds_target(evaluator->roots, feature, m->threshold);
    candidate->asked = ct_depth2_ask(evaluator, i->a, i->b, m, &candidate->question);
    evaluator->worker->statistics.thresholds++;
    if (!candidate->asked) return;
    w->n_asked++;
    CT_ASSERT(batch->n_points < CT_OFFLOAD_POINTS);
    ct_offload_point *asked = &batch->candidates[batch->n_points++];
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
static int add_interval(ct_evaluator *evaluator, ct_wave *w, ct_batch *batch, uint32_t feature,
                        ct_interval *i, uint32_t first, uint32_t last, uint32_t cuts)
{
    ct_wave_part *part = &w->parts[w->n_parts];
    uint32_t n = last - first + 1, before = i->a->n_left;
    CT_ASSERT(cuts > 0 && first > 0 && first <= last);
    if (cuts > n) cuts = n;
    *part = (ct_wave_part){i, feature, 0};
    for (uint32_t k = 0; k < cuts; k++) {
        ct_candidate *m = ct_features_take_candidate(evaluator->roots);
        if (!m) break;
        m->threshold = first + (uint32_t) ((uint64_t) n * (2 * k + 1) / (2 * cuts));
        CT_ASSERT(m->threshold >= first && m->threshold <= last);
        m->open = 1; /* it is held by the wave */
        ct_thresholds_count_sides(evaluator, feature, m);
        if (m->n_left == before ||
            m->n_left == i->b->n_left) { /* parts no rows from the last one */
            ct_features_release_candidate(evaluator->roots, m);
            continue;
        }
        before = m->n_left;
        add_point(evaluator, w, batch, feature, i, m);
        part->n_points++;
    }
    if (!part->n_points) return 0;
    w->n_parts++;
    ct_features_begin_work(evaluator->roots, i);
    return 1;
}

uint32_t ct_wave_fill(ct_evaluator *evaluator, ct_wave *w, ct_batch *batch, uint32_t room)
{
    ct_roots *roots = evaluator->roots;
    uint32_t open = count_open(roots), cuts = open ? room / open : 1, first, last;
    if (cuts > WAVE_CUTS) cuts = WAVE_CUTS;
    if (cuts < 1) cuts = 1;
    CT_ASSERT(room > 0 && cuts <= WAVE_CUTS);
    w->n_parts = w->n_points = w->n_asked = 0;
    w->begin = batch->n_points;
    for (int32_t f;
         w->n_points + cuts <= room && (f = ct_features_choose(roots)) >= 0;) {
        ct_interval *i = roots->features[f].open;
        roots->features[f].open = i->next;
        roots->features[f].begun = 1;
        if (!ct_thresholds_close(evaluator, (uint32_t) f, i) &&
            ct_thresholds_window(evaluator, (uint32_t) f, i, &first, &last)) {
            if (add_interval(evaluator, w, batch, (uint32_t) f, i, first, last, cuts)) continue;
            ct_features_note(roots, (uint32_t) f, i->bound);
            ct_worker_stop(evaluator->worker, CT_END_MEMORY);
        }
        ct_features_give_back(roots, i);
    }
    CT_ASSERT(w->n_points <= room && w->n_asked <= w->n_points);
    return w->n_parts;
}

/* ---- taking in ---- */

/* The interval's parts between its candidates are open from here on. */
static void open_parts(ct_evaluator *evaluator, const ct_wave_part *part,
                       const ct_wave_point *candidates)
{
    ct_roots *roots = evaluator->roots;
    ct_interval *i = part->interval;
    ct_candidate *end = i->b;
    for (uint32_t k = part->n_points; k-- > 0; end = candidates[k].m)
        ct_features_push(evaluator->worker, roots, part->feature, candidates[k].m, end);
    ct_features_push(evaluator->worker, roots, part->feature, i->a, end);
    ct_features_end_work(roots, i);
    for (uint32_t k = 0; k < part->n_points; k++)
        ct_features_release_candidate(roots, candidates[k].m);
    ct_features_give_back(roots, i);
}

void ct_wave_take_in(ct_evaluator *evaluator, ct_wave *w, const int32_t *errors)
{
    ct_roots *roots = evaluator->roots;
    const ct_wave_point *candidate = w->candidates;
    size_t step = 4 * (size_t) roots->node->layout->n_cols;
    CT_ASSERT(!w->n_asked || errors);
    if (w->n_asked) errors += step * w->begin;
    for (uint32_t p = 0; p < w->n_parts; p++) {
        const ct_wave_part *part = &w->parts[p];
        const ct_interval *i = part->interval;
        int64_t least = INT64_MAX;
        for (uint32_t k = 0; k < part->n_points; k++) {
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
        open_parts(evaluator, part, candidate);
        candidate += part->n_points;
    }
    CT_ASSERT(candidate == w->candidates + w->n_points);
    w->n_parts = 0;
}

void ct_wave_put_back(ct_evaluator *evaluator, ct_wave *w)
{
    ct_roots *roots = evaluator->roots;
    if (!w->n_parts) return;
    for (uint32_t k = 0; k < w->n_points; k++)
        ct_features_release_candidate(roots, w->candidates[k].m);
    for (uint32_t p = 0; p < w->n_parts; p++) {
        ct_interval *i = w->parts[p].interval;
        ct_features_end_work(roots, i);
        i->next = roots->features[w->parts[p].feature].open;
        roots->features[w->parts[p].feature].open = i;
    }
    w->n_parts = 0;
}

/* ---- batches ---- */

ct_status ct_waves_submit(ct_worker *worker, const ct_batch *batch, unsigned slot)
{
    if (!batch->n_points) return CT_OK;
    CT_ASSERT(worker->queue && slot < CT_OFFLOAD_SLOTS);
    worker->statistics.waves++;
    worker->statistics.device_points += batch->n_points;
    return ct_offload_submit(worker->queue, slot, batch->candidates, batch->n_points);
}

void ct_waves_lost(ct_worker *worker)
{
    worker->queue = NULL;
    if (worker->search->options->device == CT_DEVICE_CUDA) ct_worker_stop(worker, CT_END_DEVICE);
}

/* ---- one problem by itself ---- */

/* Waits for a wave and takes it in. CT_NO_DEVICE if the device is lost. */
static ct_status collect(ct_evaluator *evaluator, ct_wave *w, unsigned slot)
{
    const ct_node *node = evaluator->roots->node;
    const int32_t *errors = NULL;
    if (w->n_asked) CT_TRY(ct_offload_wait(evaluator->worker->queue, slot, &errors));
    ct_worker_poll(evaluator->worker, (uint64_t) w->n_points * node->layout->n_cols * node->n_rows);
    ct_wave_take_in(evaluator, w, errors);
    return CT_OK;
}

/* Two waves in turn. CT_NO_DEVICE if the device is lost; what is left in the waves is then put
 * back. */
static ct_status run(ct_evaluator *evaluator, ct_wave waves[CT_OFFLOAD_SLOTS], ct_batch *batch)
{
    uint32_t room = ct_offload_room(evaluator->worker->queue);
    if (room > WAVE_POINTS) room = WAVE_POINTS;
    for (unsigned slot = 0;; slot = !slot) {
        ct_wave *next = &waves[slot], *other = &waves[!slot];
        batch->n_points = 0; /* what was sent has been copied */
        if (ct_wave_fill(evaluator, next, batch, room)) {
            CT_TRY(ct_waves_submit(evaluator->worker, batch, slot));
        } else if (!other->n_parts) {
            return CT_OK;
        }
        if (other->n_parts) CT_TRY(collect(evaluator, other, !slot));
    }
}

void ct_waves_run(ct_evaluator *evaluator)
{
    ct_worker *worker = evaluator->worker;
    ct_wave waves[CT_OFFLOAD_SLOTS];
    ct_batch *batch = CT_ARENA_NEW(&worker->arena, ct_batch, 1);
    if (!batch) {
        ct_worker_stop(worker, CT_END_MEMORY);
        return;
    }
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++)
        if (ct_wave_new(worker, &worker->arena, &waves[slot], WAVE_POINTS) != CT_OK) return;
    batch->part_line = 0;
    batch->part_threshold = CT_OFFLOAD_ALL;
    if (ct_waves_begin_rows(evaluator) == CT_OK && run(evaluator, waves, batch) == CT_OK) return;
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++)
        ct_wave_put_back(evaluator, &waves[slot]);
    ct_waves_lost(worker);
}
