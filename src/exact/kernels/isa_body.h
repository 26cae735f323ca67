/* All kernels of one instruction set: included once by each isa_*.c. */
#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/simd/vec.h"
#include "exact/kernels/kernels.h"

enum { CT_STEP = 8 }; /* words are handled in multiples of this: CT_WORD_STEP of data/table.h */

CT_INLINE int ct_larger(int a, int b) { return a > b ? a : b; }
CT_INLINE int64_t ct_larger64(int64_t a, int64_t b) { return a > b ? a : b; }

/* One child feature of a ct_children under scan. */
typedef struct {
    const ct_children *all;
    /* Of the child, see ct_rows. Those that each child sets lie apart from one another, or gcc makes vectors of their
     * addresses, with multiplications of 64 bits. */
    const uint64_t *planes;
    const int64_t *weights;
    const uint64_t *sets;
    const uint64_t *coarse_planes;
    const uint64_t *lanes;
    const uint8_t *coarse_bytes;
    const uint64_t *ties;
    size_t words, begin, end;
    const uint32_t *totals[2]; /* of the classes in either side: rows, or what they cost coarsely */
    uint32_t size[2];          /* the sums of these */
    uint32_t n_active, largest[2][2];
    int64_t need[2], dropped[2];
    int64_t dearest[2]; /* with gains: cost of the sides under each row's dearest label */
    unsigned confined;  /* 1 << side: refine_allowed() looked into it */
    size_t reached;     /* see confirm_body.h, */
    int64_t found[2][2]; /* and what was found there: [over splits that keep to min_rows][side] */
    uint32_t n_present, n_prices, wanted; /* see labels_body.h, */
    int best_end[2];                      /* and loss_body.h: the best score at a block's end, by side */
    uint32_t refined;
    uint64_t scanned; /* words */
} scan_job;

enum { NONE = -1, LEFT, RIGHT, BOTH };

#include "exact/kernels/less_body.h"
#include "exact/kernels/line_body.h"
#include "exact/kernels/planes_body.h"
#include "exact/kernels/active_body.h"
#include "exact/kernels/bound_body.h"
#include "exact/kernels/confine_body.h"
#include "exact/kernels/split_sets_body.h"

#define CT_LANE 16
#define CT_KIND 16
#define CT_LOWEST (-32768)
#include "exact/kernels/lane_names.h"
#include "exact/kernels/unit_body.h"
#include "exact/kernels/exact_body.h"
#include "exact/kernels/count_body.h"
#undef CT_LANE
#undef CT_KIND
#undef CT_LOWEST

#define CT_LANE 32
#define CT_KIND 32
#define CT_LOWEST (-2147483647 - 1)
#include "exact/kernels/lane_names.h"
#include "exact/kernels/unit_body.h"
#include "exact/kernels/exact_body.h"
#include "exact/kernels/count_body.h"
#undef CT_KIND

#define CT_KIND 64
#include "exact/kernels/lane_names.h"
#include "exact/kernels/heavy_body.h"
#include "exact/kernels/classes_body.h"
#include "exact/kernels/children_body.h"
#undef CT_KIND

#include "exact/kernels/row_costs_body.h"
#include "exact/kernels/labels_body.h"

#define CT_KIND 32c
#include "exact/kernels/lane_names.h"
#include "exact/kernels/coarse_body.h"
#include "exact/kernels/confirm_body.h"
#include "exact/kernels/count_body.h"
#undef CT_KIND

#define CT_KIND 32l
#include "exact/kernels/lane_names.h"
#include "exact/kernels/loss_kind_body.h"
#undef CT_LANE
#undef CT_KIND
#undef CT_LOWEST

#define CT_LANE 16
#define CT_KIND 16c
#define CT_LOWEST (-32768)
#include "exact/kernels/lane_names.h"
#include "exact/kernels/coarse_body.h"
#include "exact/kernels/exact_body.h"
#include "exact/kernels/count_body.h"
#undef CT_KIND

#define CT_KIND 16l
#include "exact/kernels/lane_names.h"
#include "exact/kernels/loss_kind_body.h"
#undef CT_KIND
#undef CT_LANE
#undef CT_LOWEST

#define CT_KERNELS(isa)                                                                                                \
    const ct_kernels ct_kernels_##isa = {                                                                              \
        #isa,                                                                                                          \
        planes8,                                                                                                       \
        {split16, split32, split64, split32c, split16c, split32l, split16l},                                           \
        {children16, children32, children64, children32c, children16c, children32l, children16l},                      \
        bound,                                                                                                         \
        find,                                                                                                          \
        count,                                                                                                         \
        afford}
