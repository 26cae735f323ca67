/* Depth-two problems on a device: many root thresholds at a time.
 *
 * The open intervals of all root features are cut at one threshold or several each, and all of
 * these candidates go to the device in one batch. While it is under way, what came back from the
 * one before is taken in and the next one is gathered, by the bounds that the CPU alone keeps:
 * intervals, caps, best tree are those of roots.c, and so is the proof. Batches know more
 * candidates and fewer bounds than the search one by one; the answer is the same.
 *
 * A problem that is searched by itself has batches of its own; in scheduler.c slices of many
 * problems make one batch. */
#ifndef CT_EXACT_OFFLOAD_BATCHES_H
#define CT_EXACT_OFFLOAD_BATCHES_H

#include "exact/offload/device.h"
#include "exact/search/depth2.h"

/* What is sent together. The part of the row set (see ct_offload_candidate) holds for candidates
 * from here on. */
typedef struct {
    uint32_t n_candidates, part_line, part_threshold;
    uint32_t *wanted; /* see ct_offload_submit */
    ct_offload_candidate candidates[CT_OFFLOAD_CANDIDATES];
} ct_exact_batch;

/* A candidate under evaluation. */
typedef struct {
    ct_candidate *m;
    int asked; /* it is in the batch */
    ct_depth2_question question;
} ct_slice_candidate;

/* An interval under evaluation, cut at n_candidates candidates. */
typedef struct {
    ct_interval *interval;
    uint32_t feature, n_candidates;
} ct_slice_interval;

/* Candidates of one problem in one batch. */
typedef struct {
    uint32_t n_intervals, n_candidates;
    uint32_t begin, n_asked; /* in the batch */
    ct_slice_interval *intervals;
    ct_slice_candidate *candidates;
} ct_slice;

/* Room for n candidates. CT_NO_MEMORY, and a stop is asked for, if memory ends. */
ct_status ct_slice_new(const ct_worker *worker, ct_arena *arena, ct_slice *slice, uint32_t n);
/* Takes intervals off until there are `room` candidates or none is open; returns how many intervals
 * are in the slice. */
uint32_t ct_slice_fill(ct_evaluator *evaluator, ct_slice *slice, ct_exact_batch *batch,
                       uint32_t room);
/* Takes in the errors of the whole batch, as ct_offload_wait returns them; not read if nothing was
 * asked. */
void ct_slice_take_in(ct_evaluator *evaluator, ct_slice *slice, const int32_t *errors);
/* Undoes ct_slice_fill: the intervals are open as they were. */
void ct_slice_put_back(ct_evaluator *evaluator, ct_slice *slice);

/* Makes the row set the queue's. CT_NO_DEVICE if the device is lost. */
ct_status ct_batches_begin_rows(ct_evaluator *evaluator);
/* Sends a batch, unless it is empty. CT_NO_DEVICE if the device is lost. */
ct_status ct_batches_submit(ct_worker *worker, const ct_exact_batch *batch, unsigned slot);
/* The device is lost, all is put back: the CPU goes on from here, unless the device was asked for.
 */
void ct_batches_lost(ct_worker *worker);

/* Whether the row set is for the worker's device, see placing.h. The worker has one. */
int ct_batches_wanted(const ct_evaluator *evaluator);

/* Searches until nothing is open. If the device is lost, or the search is stopped, what is open
 * stays so. */
void ct_batches_run(ct_evaluator *evaluator);

#endif
