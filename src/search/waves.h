/* Depth-two problems on a device: many root thresholds at a time.
 *
 * The open intervals of all root features are cut at one threshold or several each, and all of these points go to the device
 * in one batch (a wave). While it is under way, what came back from the one before is taken in and the next one is
 * gathered, by the bounds that the CPU alone keeps: intervals, caps, best tree are those of roots.c, and so is the proof.
 * Waves know more points and fewer bounds than the search one by one; the answer is the same. */
#ifndef CT_SEARCH_WAVES_H
#define CT_SEARCH_WAVES_H

#include "search/roots.h"

/* Whether the row set is for the worker's device, see placing.h. The worker has one. */
int ct_waves_wanted(const ct_seat *seat);

/* Searches until nothing is open. If the device is lost, or the search is stopped, what is open stays so. */
void ct_waves_run(ct_seat *seat);

#endif
