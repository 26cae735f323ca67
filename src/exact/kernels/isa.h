/* All kernels of one instruction set: included once by each isa_*.c, which defines which it is. */
#ifndef CT_EXACT_KERNELS_ISA_H
#define CT_EXACT_KERNELS_ISA_H

#include "exact/kernels/job.h"
#include "exact/kernels/losses.h"
#include "exact/kernels/response/pick.h"
#include "exact/kernels/response/spans.h"

#define CT_LANE 16
#define CT_QUANTISED 0
#define CT_KIND rows16
#include "exact/kernels/classes.h"

#define CT_LANE 32
#define CT_QUANTISED 0
#define CT_KIND rows32
#include "exact/kernels/classes.h"

#define CT_LANE 16
#define CT_QUANTISED 1
#define CT_KIND quantised16
#include "exact/kernels/classes.h"

#define CT_LANE 32
#define CT_QUANTISED 1
#define CT_KIND quantised32
#include "exact/kernels/classes.h"

#define CT_LANE 16
#define CT_KIND response
#include "exact/kernels/response/response.h"
#include "exact/kernels/children.h"
#include "exact/kernels/response/together.h"
#include "exact/kernels/response/wide.h"
#include "exact/kernels/response/tallies.h"
#undef CT_KIND
#undef CT_LANE

#include "exact/kernels/response/triples.h"
#include "exact/kernels/test_rows.h"

#define CT_LANE 8
#define CT_KIND tests8
#include "exact/kernels/triples.h"
#undef CT_KIND
#undef CT_LANE

#define CT_LANE 16
#define CT_KIND tests16
#include "exact/kernels/triples.h"
#undef CT_KIND
#undef CT_LANE

#define CT_LANE 32
#define CT_KIND tests32
#include "exact/kernels/triples.h"
#undef CT_KIND
#undef CT_LANE

#define CT_TRIPLE_KERNELS(kind) \
    {count_tests_##kind, pairs_##kind, stumps_##kind, root_##kind, sides_##kind}

#define CT_KERNELS(isa)                                                               \
    const ct_kernels ct_kernels_##isa = {                                             \
        #isa,                                                                         \
        planes8,                                                                      \
        look_up,                                                                      \
        spans,                                                                        \
        pick,                                                                         \
        moments_of,                                                                   \
        {[CT_ROWS16] = {split_rows16, children_rows16},                               \
         [CT_ROWS32] = {split_rows32, children_rows32},                               \
         [CT_QUANTISED16] = {split_quantised16, children_quantised16},                \
         [CT_QUANTISED32] = {split_quantised32, children_quantised32},                \
         [CT_LOSSES] = {split_losses, children_losses},                               \
         [CT_RESPONSE] = {split_response, children_of_response},                      \
         [CT_ABREAST] = {split_response, children_abreast}},                          \
        bound,                                                                        \
        find,                                                                         \
        count,                                                                        \
        gather_tests,                                                                 \
        scatter_tests,                                                                \
        {CT_TRIPLE_KERNELS(tests8), CT_TRIPLE_KERNELS(tests16),                       \
         CT_TRIPLE_KERNELS(tests32)},                                                 \
        {pair_sums, root_of_sums, sides_of_sums}}

#endif
