#include "evolve/gram.h"

#define VEC_BYTES 16
#include "evolve/gram_body.h"

const ct_gram_kernels ct_gram_scalar = {add, sum, pivots, join, join_lanes};
