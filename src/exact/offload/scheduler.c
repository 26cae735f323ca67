#include "base/compact.h"

#include "exact/offload/scheduler.h"

#include <string.h>

#include "base/memory.h"
#include "exact/search/branch.h"
#include "exact/search/features.h"
#include "exact/search/thresholds.h"
#include "exact/offload/placing.h"
#include "exact/offload/batches.h"
#include "exact/rows/ranks.h"

enum {
    SCHEDULER_PLACES = 64, /* thresholds under evaluation in each half */
    SLICE_CANDIDATES = 32   /* candidates of one problem in a batch */
};

/* One side of a threshold: a depth-two problem, in memory of its own. */
typedef struct {
    int open;
    ct_arena arena;
    ct_node node;
    ct_roots roots;
    ct_evaluator evaluator;
    ct_slice slice;
} problem;

/* A threshold under evaluation. */
typedef struct {
    ct_evaluator evaluator;
    ct_candidate *m; /* NULL: nobody is here */
    ct_interval *interval;
    uint32_t feature;
    int begun, closed; /* its sides are known to the scheduler; without them it is done with */
    ct_bounds bounds[2];
    problem sides[2];
} place;

struct ct_scheduler {
    ct_worker *worker;
    ct_roots *roots;
    unsigned slot;               /* whose turn it is */
    int under_way[CT_OFFLOAD_SLOTS]; /* its batch is */
    uint32_t n_places, n_taken;  /* in each half; in both */
    place places[CT_OFFLOAD_SLOTS][SCHEDULER_PLACES];
    ct_exact_batch batch;
};

int ct_scheduler_wanted(const ct_evaluator *evaluator)
{
    const ct_roots *roots = evaluator->roots;
    return roots->task->depth == 3 &&
           ct_pays_in_pool(evaluator->worker, roots->node, roots->node->n_rows / 2);
}

/* ---- memory ---- */

static ct_scheduler *scheduler_new(ct_worker *worker)
{
    size_t wanted = ct_offload_wanted_words(worker->search->table->n_cols, CT_OFFLOAD_CANDIDATES);
    ct_scheduler *scheduler = (ct_scheduler *) ct_alloc(sizeof *scheduler +
                                                        wanted * sizeof(uint32_t));
    if (!scheduler) return NULL;
    memset(scheduler, 0, sizeof *scheduler);
    scheduler->worker = worker;
    scheduler->batch.wanted = (uint32_t *) (void *) (scheduler + 1);
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++)
        for (uint32_t k = 0; k < SCHEDULER_PLACES; k++)
            for (int side = 0; side < 2; side++)
                ct_arena_init(&scheduler->places[slot][k].sides[side].arena, worker->arena.budget);
    return scheduler;
}

void ct_scheduler_free(ct_scheduler *scheduler)
{
    if (!scheduler) return;
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++)
        for (uint32_t k = 0; k < SCHEDULER_PLACES; k++)
            for (int side = 0; side < 2; side++)
                ct_arena_free(&scheduler->places[slot][k].sides[side].arena);
    ct_free(scheduler);
}

/* Places in each half: an eighth of the memory is for the schedulers of all workers, and those who
 * search the same row set share its thresholds. */
static uint32_t places_for(const ct_roots *roots, const ct_worker *worker)
{
    const ct_layout *layout = roots->node->layout;
    const ct_team *team = roots->work.team ? roots->work.team : roots->work.reserve;
    unsigned n_workers = worker->team ? worker->team->n_workers : 1,
             n_here = team ? team->n_workers : 1;
    double words = (double) layout->n_cols * layout->n_classes * (double) layout->words;
    double bytes = 24 * words + (1 << 18); /* of a problem: node.c, base/arena.c */
    double most = (double) worker->search->options->memory_limit / 8 / n_workers /
                  (2 * CT_OFFLOAD_SLOTS * bytes);
    uint32_t n = n_here < SCHEDULER_PLACES / 4 ? SCHEDULER_PLACES / n_here : 4;
    if (most < n) n = (uint32_t) most;
    return n ? n : 1;
}

ct_scheduler *ct_scheduler_begin(ct_evaluator *evaluator)
{
    ct_worker *worker = evaluator->worker;
    if (!worker->scheduler) worker->scheduler = scheduler_new(worker);
    ct_scheduler *scheduler = worker->scheduler;
    if (!scheduler || scheduler->n_taken) return NULL;
    scheduler->roots = evaluator->roots;
    scheduler->slot = 0;
    scheduler->n_places = places_for(evaluator->roots, worker);
    CT_ASSERT(scheduler->n_places > 0 && scheduler->n_places <= SCHEDULER_PLACES);
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++)
        for (uint32_t k = 0; k < scheduler->n_places; k++)
            if (ct_roots_join(&scheduler->places[slot][k].evaluator, evaluator->roots, worker,
                              &worker->arena) != CT_OK)
                return NULL;
    if (ct_batches_begin_rows(evaluator) == CT_OK) return scheduler;
    ct_batches_lost(worker);
    return NULL;
}

/* ---- depth-two problems ---- */

/* From the problem's own memory. */
static ct_status set_up(ct_worker *worker, const place *at, int side, problem *p)
{
    const ct_node *node = at->evaluator.roots->node;
    const ct_candidate *m = at->m;
    const ct_exact_task *task = &((const ct_branching *) at->evaluator.extra)->task[side];
    CT_TRY(ct_node_side(worker, &p->arena, node, at->feature, m->threshold, side,
                        &at->evaluator.totals[side], &p->node));
    CT_TRY(ct_roots_init(&p->roots, worker, &p->arena, &p->node, task, m->root_bounds[side],
                         m->trees[side]));
    CT_TRY(ct_depth2_init(&p->roots, worker));
    CT_TRY(ct_slice_new(worker, &p->arena, &p->slice, SLICE_CANDIDATES));
    return ct_roots_begin(&p->evaluator, &p->roots, worker);
}

static void begin_problem(ct_worker *worker, place *at, int side)
{
    problem *p = &at->sides[side];
    ct_candidate *m = at->m;
    p->slice.n_intervals = 0;
    p->open = set_up(worker, at, side, p) == CT_OK;
    if (!p->open) { /* the search is over: see ct_worker_no_memory */
        memset(m->root_bounds[side], 0,
               at->evaluator.roots->node->layout->n_cols * sizeof *m->root_bounds[side]);
        for (size_t i = 0; i < ct_heap_size(2); i++) m->trees[side][i] = CT_LEAF_CODE;
        ct_arena_release(&p->arena, (ct_arena_mark){NULL, 0});
    } else if (p->roots.hinted >= 0) {
        if (p->node.layout->planes.one_at_a_time)
            p->roots.hinted = -1; /* its planes would be made for this candidate alone */
        else ct_roots_step(&p->evaluator);
    }
}

/* Nothing is open in it any more. */
static void end_problem(place *at, int side)
{
    problem *p = &at->sides[side];
    at->bounds[side] = ct_roots_end(&p->evaluator);
    ct_branch_answer(&at->evaluator, at->m, side, &at->bounds[side]);
    ct_arena_release(&p->arena, (ct_arena_mark){NULL, 0});
    p->open = 0;
}

/* Puts a slice of up to `room` candidates into the batch, or ends the problem. Candidates without a
 * question are taken in at once. */
static void fill(ct_scheduler *scheduler, place *at, int side, uint32_t room)
{
    ct_worker *worker = scheduler->worker;
    problem *p = &at->sides[side];
    scheduler->batch.part_line = 2 * at->feature + (uint32_t) side;
    scheduler->batch.part_threshold = ct_layout_to_global(scheduler->roots->node->layout,
                                                          at->feature, at->m->threshold);
    while (ct_slice_fill(&p->evaluator, &p->slice, &scheduler->batch, room) && !p->slice.n_asked) {
        ct_worker_poll(worker, (uint64_t) p->slice.n_candidates * p->node.n_rows);
        ct_slice_take_in(&p->evaluator, &p->slice, NULL);
    }
    CT_ASSERT(p->open && p->slice.n_asked <= p->slice.n_candidates);
    if (!p->slice.n_intervals) end_problem(at, side);
}

static void finish_on_cpu(place *at, int side)
{
    problem *p = &at->sides[side];
    ct_slice_put_back(&p->evaluator, &p->slice);
    while (ct_roots_step(&p->evaluator)) continue;
    end_problem(at, side);
}

/* ---- thresholds ---- */

/* Takes intervals off for the free places of the half. */
static void take(ct_scheduler *scheduler, unsigned slot)
{
    ct_roots *roots = scheduler->roots;
    int32_t f = 0;
    for (uint32_t k = 0; k < scheduler->n_places && f >= 0; k++) {
        place *at = &scheduler->places[slot][k];
        while (!at->m && (f = ct_features_choose(roots)) >= 0) {
            ct_interval *i = roots->features[f].open;
            roots->features[f].open = i->next;
            roots->features[f].begun = 1;
            at->feature = (uint32_t) f;
            at->interval = i;
            at->begun = 0;
            at->m = ct_thresholds_begin(&at->evaluator, at->feature, i);
            at->evaluator.seen = INT64_MAX; /* follow() does it */
            scheduler->n_taken += at->m != NULL;
            if (!at->m) ct_features_give_back(roots, i);
        }
    }
}

/* What is too small for the device is solved here, while that is at work. */
static void begin_side(ct_scheduler *scheduler, place *at, int side)
{
    ct_worker *worker = scheduler->worker;
    uint32_t size = side ? scheduler->roots->node->n_rows - at->m->n_left : at->m->n_left;
    if (!ct_branch_ask(&at->evaluator, at->m, side, &at->bounds[side])) return;
    if (ct_pays_in_pool(worker, scheduler->roots->node, size)) {
        begin_problem(worker, at, side);
        return;
    }
    ((ct_branching *) at->evaluator.extra)->task[side].on_cpu =
        1; /* the queue has the row set of the scheduler */
    at->bounds[side] = ct_branch_solve(&at->evaluator, at->feature, at->m, side);
    ct_branch_answer(&at->evaluator, at->m, side, &at->bounds[side]);
}

static void begin_places(ct_scheduler *scheduler, unsigned slot)
{
    for (uint32_t k = 0; k < scheduler->n_places; k++) {
        place *at = &scheduler->places[slot][k];
        if (!at->m || at->begun) continue;
        at->begun = 1;
        scheduler->worker->statistics.thresholds++;
        ct_thresholds_count_sides(&at->evaluator, at->feature, at->m);
        at->closed = !ct_branch_begin(&at->evaluator, at->feature, at->interval->a, at->interval->b,
                                      at->m);
        for (int side = 0; side < 2; side++) {
            at->sides[side].open = 0;
            if (!at->closed) begin_side(scheduler, at, side);
        }
    }
}

/* A better tree of the row set lowers the caps of all problems below it. One whose bound reaches
 * the cap is over. */
static void follow(ct_scheduler *scheduler, unsigned slot)
{
    const ct_worker *worker = scheduler->worker;
    ct_thresholds_refresh(worker, scheduler->roots);
    for (uint32_t k = 0; k < scheduler->n_places; k++) {
        place *at = &scheduler->places[slot][k];
        if (!at->m) continue;
        int64_t target = ct_thresholds_target(scheduler->roots, at->feature, at->m->threshold);
        int64_t fallen = ct_larger_cost(0, at->evaluator.target - target);
        at->evaluator.target -= fallen;
        CT_ASSERT(at->evaluator.target >= target || !fallen);
        for (int side = 0; side < 2; side++) {
            ct_roots *below = &at->sides[side].roots;
            if (!at->sides[side].open) continue;
            ct_thresholds_lower_cap(worker, below, fallen);
            if (below->cap > 0 && at->m->lower[side] >= below->cap)
                ct_thresholds_lower_cap(worker, below, below->cap);
        }
    }
}

/* Ends those that are done with; returns how many. */
static uint32_t settle(ct_scheduler *scheduler)
{
    uint32_t before = scheduler->n_taken;
    for (unsigned slot = 0; slot < CT_OFFLOAD_SLOTS; slot++) {
        for (uint32_t k = 0; k < scheduler->n_places; k++) {
            place *at = &scheduler->places[slot][k];
            if (!at->m || at->sides[0].open || at->sides[1].open) continue;
            int64_t upper = at->closed ? INT64_MAX
                                       : ct_branch_end(&at->evaluator, at->m, at->bounds);
            ct_thresholds_end(&at->evaluator, at->feature, at->interval, at->m, upper);
            ct_features_give_back(scheduler->roots, at->interval);
            at->m = NULL;
            CT_ASSERT(scheduler->n_taken > 0);
            scheduler->n_taken--;
        }
    }
    return before - scheduler->n_taken;
}

/* ---- batches ---- */

/* Calls for every open problem of one half. */
#define FOR_OPEN(scheduler, slot, at, side)                                                        \
    for (place *at = (scheduler)->places[slot];                                                    \
         at < (scheduler)->places[slot] + (scheduler)->n_places; at++)                             \
        for (int side = 0; side < 2; side++)                                                       \
            if (at->m && at->sides[side].open)

/* Shares the room in the batch out to the half's problems that are not in it. */
static void gather(ct_scheduler *scheduler, unsigned slot, uint32_t room)
{
    uint32_t n = 0;
    FOR_OPEN(scheduler, slot, at, side) n += !at->sides[side].slice.n_intervals;
    FOR_OPEN(scheduler, slot, at, side)
    {
        if (at->sides[side].slice.n_intervals) continue;
        CT_ASSERT(n > 0 && scheduler->batch.n_candidates <= room);
        uint32_t share = (room - scheduler->batch.n_candidates) / n--;
        if (share) fill(scheduler, at, side, share < SLICE_CANDIDATES ? share : SLICE_CANDIDATES);
    }
}

/* Makes a batch of the half's problems. What is done with at once makes room for others. */
static void prepare(ct_scheduler *scheduler, unsigned slot, int admit)
{
    ct_team *team = scheduler->roots->work.team;
    uint32_t room = ct_offload_room(scheduler->worker->queue);
    scheduler->batch.n_candidates = 0; /* what was sent has been copied */
    do {
        if (admit) take(scheduler, slot);
        follow(scheduler, slot);
        ct_team_unlock(team);
        begin_places(scheduler, slot);
        gather(scheduler, slot, room);
        ct_team_lock(team);
    } while (settle(scheduler) && admit);
}

/* Waits for the half's batch and takes it in. CT_NO_DEVICE if the device is lost. */
static ct_status collect(ct_scheduler *scheduler, unsigned slot)
{
    const ct_node *node = scheduler->roots->node;
    const int32_t *errors;
    if (!scheduler->under_way[slot]) return CT_OK;
    scheduler->under_way[slot] = 0;
    CT_TRY(ct_offload_wait(scheduler->worker->queue, slot, &errors));
    FOR_OPEN(scheduler, slot, at, side)
    {
        problem *p = &at->sides[side];
        if (!p->slice.n_intervals) continue;
        ct_worker_poll(scheduler->worker,
                       (uint64_t) p->slice.n_candidates * node->layout->n_cols * node->n_rows);
        ct_slice_take_in(&p->evaluator, &p->slice, errors);
    }
    return CT_OK;
}

int ct_scheduler_step(ct_scheduler *scheduler, int admit)
{
    ct_team *team = scheduler->roots->work.team;
    unsigned slot = scheduler->slot;
    if (!admit && !scheduler->n_taken) return 0; /* the device may be lost by now */
    prepare(scheduler, slot, admit);
    if (!scheduler->n_taken) return 0;
    ct_team_unlock(team);
    scheduler->under_way[slot] = scheduler->batch.n_candidates > 0;
    if (ct_batches_submit(scheduler->worker, &scheduler->batch, slot) != CT_OK ||
        collect(scheduler, !slot) != CT_OK) {
        ct_batches_lost(scheduler->worker);
        for (unsigned half = 0; half < CT_OFFLOAD_SLOTS; half++)
            FOR_OPEN(scheduler, half, at, side) finish_on_cpu(at, side);
    }
    ct_team_lock(team);
    (void) settle(scheduler);
    scheduler->slot = !slot;
    return 1;
}
