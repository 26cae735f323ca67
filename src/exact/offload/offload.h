/* The device's part in a search, as the threads' seats call it. */
#ifndef CT_EXACT_OFFLOAD_OFFLOAD_H
#define CT_EXACT_OFFLOAD_OFFLOAD_H

#include "exact/search/seats.h"

extern const ct_offload ct_offload_batches;

#endif
