#include "forge/planes.h"

#ifdef CT_HAVE_X86
#include <string.h>

#include "base/bits.h"
#include "base/simd/target.h"

CT_TARGET(CT_AVX2)
#define CT_VEC_AVX2
#include "base/simd/vec.h"
#include "forge/planes_x86.h"

CT_INLINE void leaf_bytes(const vec *planes, uint8_t *bytes) { bytes_of_planes(planes, bytes); }

#include "forge/planes_body.h"

const ct_planes ct_planes_avx2 = {VEC_WORDS, load, ranks, same, tests, leaves, add32, add64};
CT_TARGET_END
#endif
