#include "exact/offload/offload.h"

#include "exact/offload/scheduler.h"
#include "exact/offload/batches.h"

const ct_offload ct_offload_batches = {ct_batches_wanted, ct_batches_run, ct_scheduler_wanted,
                                       ct_scheduler_begin, ct_scheduler_step};
