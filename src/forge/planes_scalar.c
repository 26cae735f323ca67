#include "base/compact.h"

#include "forge/planes.h"

#include "base/simd/vec_scalar.h"
#include "forge/planes_plain.h"

CT_INLINE void leaf_bytes(const vec *planes, uint8_t *bytes)
{
    plain_leaf_bytes(planes, 1, bytes);
}

#include "forge/planes_body.h"

PLAIN_LOOPS

const ct_forge_planes ct_forge_planes_scalar = {VEC_WORDS, ranks, tests, leaves, add32, add64,
                                                ct_forge_deep_codes, ct_forge_deep_walk};
