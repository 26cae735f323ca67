/* The device's part in a search, as the threads' evaluators call it. */
#ifndef CT_EXACT_OFFLOAD_OFFLOAD_H
#define CT_EXACT_OFFLOAD_OFFLOAD_H

#include "exact/search/evaluators.h"

extern const ct_offload ct_offload_batches;

#endif
