/* The hot loops of the search over coarse costs, for each instruction set and for 4, 8, 16 and 32
 * lanes, from the text of kernels_body.h; and in portable C for any number of lanes.
 *
 * Rows lie in blocks in the order of a column. A side of a split is scanned over the blocks of a
 * child's column: each block has prefix sums up to its end, `lanes` of them, of which the last
 * lane is the sum of the spans. */
#ifndef CT_POLICY_KERNELS_H
#define CT_POLICY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/* Blocks that are scanned at a time: arrays by block are padded to a multiple, and have one
 * element in front, for the beginning of the first. */
enum { CT_POLICY_STEP = 16, CT_POLICY_MOST_LANES = 1024 };

typedef struct {
    uint32_t n_blocks, lanes;
    /* [padded][lanes] up to the end of each block, of the rows of the side, or, with `all`, of the
     * others of all */
    const int32_t *sums, *all;
    const int32_t *closed; /* [n_blocks] beyond any cost where a block has one value, else 0 */
    const int32_t *total; /* [lanes] */
    const int32_t *lift;  /* [lanes] 2^30 for the best action, 0 elsewhere; NULL: splits into twice
                             this action are not left out of the bounds. With four lanes splits
                             into twice any action are */
    int32_t *low, *high;  /* [1 + padded] least cost of the rows up to there, and behind */
    int32_t *low_other, *high_other; /* the same without the best action; with `lift` alone */
    int32_t *at_end;      /* [n_blocks] cost of the split at the end; by least_lanes() alone */
    int32_t *inside;      /* [n_blocks] no split inside costs less */
    int32_t *spans;       /* [n_blocks]; by least_lanes() alone */
    int32_t least_end, least_inside; /* of all blocks */
} ct_policy_side;

/* Splits inside of a block, row by row. */
typedef struct {
    const uint32_t *rows;  /* of the block, in the order of the column */
    const uint8_t *last;   /* [n] 1: the value changes behind it */
    uint32_t n, lanes;
    const int32_t *costs;  /* [row][lanes] */
    const uint32_t *place; /* [row] in the order of the column of the root */
    uint32_t cut;
    int left;              /* rows whose place is below the cut are on this side, or others */
    const int32_t *total;
    int32_t *sums;         /* [lanes] at the beginning of the block; changed */
    int32_t value;         /* of the split there */
    int32_t high_end;      /* least cost of the rows of the side behind the block */
    int32_t limit;         /* values from here on need not be known */
} ct_policy_walk;

typedef struct {
    const char *name;
    /* sums[block[rows[i]]] += costs[i] for i in begin .. end - 1 */
    void (*sweep)(int32_t *sums, const int32_t *costs, const uint32_t *rows, const uint16_t *block,
                  uint32_t begin, uint32_t end, uint32_t lanes);
    /* prefix sums of `sums` */
    void (*prefix)(const int32_t *sums, uint32_t n_blocks, uint32_t lanes, int32_t *upto);
    /* fills in the arrays of the side, and the least */
    void (*scan)(ct_policy_side *side);
    /* the least value of a split inside, or `limit` */
    int32_t (*walk)(const ct_policy_walk *walk);
    /* what n rows cost at least where each has the cheaper of two actions, the same for all */
    int32_t (*pairs)(const int32_t *costs, uint32_t n, uint32_t n_actions, uint32_t lanes);
} ct_policy_kernel;

/* By lanes: 4, 8, 16, 32. */
enum { CT_POLICY_WIDTHS = 4 };
typedef ct_policy_kernel ct_policy_kernels[CT_POLICY_WIDTHS];

extern const ct_policy_kernel ct_policy_scalar; /* for any number of lanes */
#ifdef CT_HAVE_X86
extern const ct_policy_kernels ct_policy_avx2, ct_policy_avx512;
#endif
#ifdef CT_HAVE_NEON
extern const ct_policy_kernels ct_policy_neon;
#endif

/* The kernels of a level that ct_cpu_has(); of many lanes the scalar ones. */
const ct_policy_kernel *ct_policy_kernels_at(ct_simd level, uint32_t lanes);

#endif
