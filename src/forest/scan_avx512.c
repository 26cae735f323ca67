#include "forest/scan.h"

#ifdef CT_HAVE_X86
#include <math.h>
#include <string.h>

#include "base/simd/target.h"

CT_TARGET(CT_AVX512)
#include "forest/scan_wide.h"
#define VEC_BYTES 64
#include "forest/scan_body.h"

const ct_scan ct_scan_avx512 = {gini, variance, small_gini, above, range, spread, ranks, draws};
CT_TARGET_END
#endif
