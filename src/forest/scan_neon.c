#include "forest/scan.h"

#ifdef CT_HAVE_NEON
#include <math.h>
#include <string.h>

#include "forest/scan_wide.h"
#define VEC_BYTES 16
#include "forest/scan_body.h"

const ct_scan ct_scan_neon = {gini, variance, small_gini, above, range, spread, ranks, draws};
#endif
