#include "exact/offload/offload.h"

#include "exact/offload/pool.h"
#include "exact/offload/waves.h"

const ct_offload ct_offload_batches = {ct_waves_wanted, ct_waves_run, ct_pool_wanted, ct_pool_begin, ct_pool_step};
