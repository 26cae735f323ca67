/* All kernels of one instruction set: included once by each isa_*.c after its vec_*.h. */
enum { CT_STEP = 8 }; /* words are handled in multiples of this: CT_WORD_STEP of core/table.h */

CT_INLINE int ct_larger(int a, int b) { return a > b ? a : b; }

#include "kernels/less_body.h"
#include "kernels/planes_body.h"

#define CT_LANE 16
#define CT_LOWEST (-32768)
#include "kernels/lane_names.h"
#include "kernels/block_body.h"
#include "kernels/split_body.h"
#include "kernels/scan_body.h"
#undef CT_LANE
#undef CT_LOWEST

#define CT_LANE 32
#define CT_LOWEST (-2147483647 - 1)
#include "kernels/lane_names.h"
#include "kernels/block_body.h"
#include "kernels/split_body.h"
#include "kernels/scan_body.h"
#undef CT_LANE
#undef CT_LOWEST

#define CT_KERNELS(isa, text) \
    const ct_kernels ct_kernels_##isa = {text, planes16, planes32, {split16, split32}, {scan16, scan32}}
