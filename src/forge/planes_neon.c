#include "forge/planes.h"

#ifdef CT_HAVE_NEON
#include <string.h>

#define CT_VEC_NEON
#include "base/simd/vec.h"
#include "forge/planes_plain.h"

CT_INLINE void leaf_bytes(const vec *planes, uint8_t *bytes)
{
    uint64_t words[8][VEC_WORDS];
    for (unsigned bit = 0; bit < 8; bit++) v_store(words[bit], planes[bit]);
    for (unsigned w = 0; w < VEC_WORDS; w++)
        plain_leaf_bytes(&words[0][w], VEC_WORDS, bytes + 64 * w);
}

#include "forge/planes_body.h"

PLAIN_LOOPS

const ct_forge_planes ct_forge_planes_neon = {VEC_WORDS, ranks, tests, leaves, add32, add64,
                                              ct_forge_deep_codes, ct_forge_deep_walk};
#endif
