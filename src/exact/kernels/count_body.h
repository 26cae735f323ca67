/* All that is counted in lanes, in numbers of rows (unit_body.h before it) or in coarse costs (coarse_body.h). */
#include "exact/kernels/block_body.h"
#include "exact/kernels/split_body.h"
#include "exact/kernels/pair_body.h"
#include "exact/kernels/many_body.h"
#include "exact/kernels/scan_body.h"
#include "exact/kernels/classes_body.h"
#include "exact/kernels/children_body.h"
