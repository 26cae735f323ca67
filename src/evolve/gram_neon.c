#include "evolve/gram.h"

#ifdef CT_HAVE_NEON
#define VEC_BYTES 16
#include "evolve/gram_body.h"

const ct_gram_kernels ct_gram_neon = {add, sum, pivots, join, join_lanes};
#endif
