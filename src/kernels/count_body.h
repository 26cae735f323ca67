/* All that is counted in lanes, in numbers of rows (unit_body.h before it) or in coarse costs (coarse_body.h). */
#include "kernels/block_body.h"
#include "kernels/split_body.h"
#include "kernels/pair_body.h"
#include "kernels/many_body.h"
#include "kernels/scan_body.h"
#include "kernels/classes_body.h"
#include "kernels/children_body.h"
