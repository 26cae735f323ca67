/* The smallest tasks of the exact search, one implementation for each instruction set.
 *
 * Every implementation is made from the same text (scan_body.h, split_body.h, planes_body.h over vec_*.h) and returns
 * the same integers, so the whole search takes the same course on each of them.
 *
 * Words. A row set is kept once for each feature g, as a bit set over the rows *in the order of g*. Its lanes are the
 * 16 or 32 consecutive bits that one vector lane holds; a lane is also the block for which counts and bounds are kept.
 * A side is the part of a row set left or right of a threshold of the root feature f. */
#ifndef CT_KERNELS_KERNELS_H
#define CT_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* "Rank of f below t" over bit planes of that rank. The planes are stored complemented; from the lowest set bit of t
 * upwards, less = majority(less, plane, selector) with a selector of all ones where t has the bit: planes below the
 * lowest set bit are never read, so thresholds with many trailing zeros are cheap. */
typedef struct {
    unsigned first;         /* lowest set bit of t: the first plane that is read */
    unsigned count;         /* planes read */
    uint64_t selector[32];  /* of plane first + i, i < count; the first one is not used */
} ct_threshold;

static inline ct_threshold ct_threshold_make(uint32_t t, unsigned n_planes)
{
    ct_threshold threshold;
    threshold.first = 0;
    while (!(t >> threshold.first & 1)) threshold.first++;
    threshold.count = n_planes - threshold.first;
    for (unsigned i = 0; i < threshold.count; i++)
        threshold.selector[i] = t >> (threshold.first + i) & 1 ? ~UINT64_C(0) : 0;
    return threshold;
}

/* One root threshold against one child feature g: the least errors of a split on g in both sides.
 *
 * A side with need 0 is not wanted. Otherwise the answer is exact if below `need`, else it is a lower bound that is
 * not below `need`. Only splits with two different labels count; the leaf is the caller's. */
typedef struct {
    /* the same for all g */
    const ct_threshold *threshold;
    size_t words;                  /* distance between the planes, and between the class sets */
    uint32_t n_classes;
    const uint32_t *totals[2];     /* [n_classes] rows of each class in the left and the right side */
    uint32_t size[2];              /* rows in each side */
    const uint32_t *active;        /* classes that can take part in a split below `need`, ascending */
    uint32_t n_active;             /* at least 2 */
    int refine_all;                /* switch: no block is rejected by its bound */
    uint64_t *scratch;             /* ct_scan_scratch words */
    /* of this g */
    const uint64_t *planes;        /* planes of f in the order of g */
    const uint64_t *sets;          /* [n_classes][words] members of each class */
    const uint64_t *lanes;         /* [n_classes][words] see split */
    const uint64_t *ties;          /* where the value of g changes */
    size_t begin, end;             /* words that hold members, multiples of CT_WORD_STEP */
    int32_t need[2];
    int32_t error[2];              /* the answer */
    uint32_t refined;              /* blocks looked into, for the statistics */
} ct_scan;

static inline size_t ct_scan_scratch(size_t words, uint32_t n_classes)
{
    return (1 + (n_classes > 2 ? 2 * (size_t) n_classes : 3)) * words + (size_t) n_classes * 8;
}

/* Makes one side of a row set, in the order of one feature g. For every lane the child's `lanes` hold, with x_c the
 * members of class c up to the lane's end and y_c those up to its start: for two classes x_0 - y_1 and x_1 - y_0; for
 * more x_c. */
typedef struct {
    const ct_threshold *threshold; /* NULL: all rows (the whole set as its own side) */
    int right;                     /* the side: 0 left, 1 right */
    size_t words;
    uint32_t n_classes;
    const uint64_t *planes, *parent_sets;
    size_t begin, end;             /* in: words of the parent that hold members; out: of the child */
    uint64_t *sets, *lanes;        /* out */
    uint32_t *counts;              /* out: [words + 1][n_classes] members of each class before each word */
    uint32_t *members;             /* out: [words + 1] members before each word */
} ct_split;

typedef struct {
    const char *name;
    /* Writes the complemented bit planes of rank[order[j]], j < n, each `words` long. */
    void (*planes16)(const uint16_t *rank, const uint32_t *order, uint32_t n, uint64_t *planes, size_t words,
                     unsigned n_planes);
    void (*planes32)(const uint32_t *rank, const uint32_t *order, uint32_t n, uint64_t *planes, size_t words,
                     unsigned n_planes);
    /* By lane width: [0] 16 bits, for sets of at most ct_lane_limit rows; [1] 32 bits. */
    void (*split[2])(ct_split *split);
    void (*scan[2])(ct_scan *scan);
} ct_kernels;

/* Rows up to which 16-bit lanes hold every intermediate value of a scan. */
static inline uint32_t ct_lane_limit(uint32_t n_classes)
{
    return n_classes > 2 ? 16000 : 32000;
}

/* The kernels named "scalar", "avx2", "avx512" or "auto" (the best of this machine); NULL if this build or this machine
 * does not have them. */
const ct_kernels *ct_kernels_find(const char *name);

extern const ct_kernels ct_kernels_scalar;
#if defined(__x86_64__) && defined(__GNUC__)
#define CT_HAVE_X86 1
extern const ct_kernels ct_kernels_avx2, ct_kernels_avx512;
#endif

#endif
