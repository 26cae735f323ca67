#include "exact/offload/offload.h"

#include "exact/offload/scheduler.h"
#include "exact/offload/waves.h"

const ct_offload ct_offload_batches = {ct_waves_wanted, ct_waves_run, ct_scheduler_wanted,
                                       ct_scheduler_begin, ct_scheduler_step};
