#include "forest/scan/scan.h"

#ifdef CT_HAVE_NEON
#include <arm_neon.h>
#include <math.h>
#include <string.h>

#include "forest/scan/scan_wide.h"
#define VEC_BYTES 16

static inline uint16x8_t multiply_high(uint16x8_t a, uint16x8_t b)
{
    return vcombine_u16(vshrn_n_u32(vmull_u16(vget_low_u16(a), vget_low_u16(b)), 16),
                        vshrn_n_u32(vmull_u16(vget_high_u16(a), vget_high_u16(b)), 16));
}

#define LOWER_OF(a, b) ((vec_u16) vminq_u16((uint16x8_t) (a), (uint16x8_t) (b)))
#define HIGHER_OF(a, b) ((vec_u16) vmaxq_u16((uint16x8_t) (a), (uint16x8_t) (b)))
#define MULTIPLY_HIGH(a, b) ((vec_u16) multiply_high((uint16x8_t) (a), (uint16x8_t) (b)))
#define MULTIPLY_LOW(a, b) \
    ((vec_u64) vmull_u32(vmovn_u64((uint64x2_t) (a)), vmovn_u64((uint64x2_t) (b))))

/* Lanes of both, one after the other: a[0], b[0], a[1], b[1]. */
static inline void store_interleaved(uint32_t *to, uint64x2_t a, uint64x2_t b)
{
    vst1q_u32(to, vreinterpretq_u32_u64(vzip1q_u64(a, b)));
    vst1q_u32(to + 4, vreinterpretq_u32_u64(vzip2q_u64(a, b)));
}

#define STORE_INTERLEAVED(to, a, b) store_interleaved(to, (uint64x2_t) (a), (uint64x2_t) (b))
#define LOWEST_OF_EIGHT(a) vminvq_u16((uint16x8_t) (a))
#define RUNNING(cells, width) ((void) (width), (cells)) /* of one bin */
#define LAST_BIN(cells, width) ((void) (width), (cells))
#include "forest/scan/scan_body.h"

const ct_scan ct_scan_neon = {gini,
                              variance,
                              small_gini,
                              small_variance,
                              NULL,
                              above,
                              range,
                              spread,
                              beside,
                              ranks,
                              draws,
                              below,
                              ct_drawn_plain,
                              ct_weights_plain,
                              ct_partition_plain,
                              ct_partition_own_plain,
                              ct_transpose_plain};
#endif
