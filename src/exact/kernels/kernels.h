/* The smallest tasks of the exact search, one implementation for each instruction set.
 *
 * Every implementation is made from the same text, over the words of base/simd/vec.h, and returns
 * the same integers, so the whole search takes the same course on each of them.
 *
 * Words. A row set is kept once for each feature g, as a bit set over the rows *in the order of g*.
 * Its lanes are the 16 or 32 consecutive bits that one vector lane holds; a lane is also the block
 * for which counts and bounds are kept. A side is the part of a row set left or right of a
 * threshold of the root feature f; the features that split a side are the children. */
#ifndef CT_EXACT_KERNELS_KERNELS_H
#define CT_EXACT_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "exact/cost/quantised.h"
#include "exact/kernels/response/rows.h"
#include "exact/kernels/sums.h"
#include "exact/kernels/tests.h"

/* "Rank of f below t" over bit planes of that rank. The planes are stored complemented; from the
 * lowest set bit of t upwards, less = majority(less, plane, selector) with a selector of all ones
 * where t has the bit: planes below the lowest set bit are never read, so thresholds with many
 * trailing zeros are cheap. */
typedef struct {
    unsigned first;        /* lowest set bit of t: the first plane that is read */
    unsigned end;          /* planes of f */
    uint64_t selector[32]; /* by plane, from first on */
} ct_threshold;

static inline void ct_threshold_set(ct_threshold *threshold, uint32_t t, unsigned n_planes)
{
    CT_ASSERT(t > 0 && n_planes <= 32 && ct_bit_width(t) <= n_planes);
    threshold->first = ct_trailing_zeros(t);
    threshold->end = n_planes;
    for (unsigned i = threshold->first; i < n_planes; i++)
        threshold->selector[i] = UINT64_C(0) - (t >> i & 1);
}

static inline ct_threshold ct_threshold_make(uint32_t t, unsigned n_planes)
{
    ct_threshold threshold;
    ct_threshold_set(&threshold, t, n_planes);
    return threshold;
}

/* What rows cost, and so which kernels count them. */
typedef enum {
    CT_ROWS16,      /* 1 each, in lanes of 16 bits: at most ct_lane_limit rows */
    CT_ROWS32,      /* 1 each, in lanes of 32 bits */
    CT_QUANTISED16, /* quantised costs (ct_quantised), exact and at most CT_COST_LIMIT together */
    CT_QUANTISED32, /* quantised costs */
    CT_LOSSES,      /* quantised costs that depend on the label */
    CT_RESPONSE,    /* what they lie from their leaf's mean, squared: see exact/cost/response.h */
    CT_ABREAST,     /* the same, of rows that lie by places as well: see ct_abreast */
    CT_N_KINDS
} ct_kind;

/* Rows up to which 16-bit lanes hold every intermediate value of a scan. */
static inline uint32_t ct_lane_limit(uint32_t n_classes)
{
    return n_classes > 2 ? 16000 : 32000;
}

/* What they may cost up to there. */
enum { CT_COST_LIMIT = 32000 };

/* The rows of a set in the order of each feature: what all kernels read. */
typedef struct {
    uint32_t n_cols, n_classes;
    size_t words;              /* of a bit set */
    const uint64_t *sets;      /* [g][class][words] members of each class */
    const uint64_t *lanes;     /* [g][class][words] see ct_exact_split */
    const uint64_t *ties;      /* [g][words] where the value of g changes */
    const size_t *begin, *end; /* [g] words that hold members, multiples of CT_WORD_STEP */
    const int64_t *most;       /* see ct_exact_costs; NULL: costs are numbers of rows */
    const int64_t *gains;      /* see ct_exact_costs; NULL: only a row's own label spares */
    const int64_t *weights;    /* [g][64 words] of the rows in the order of g; NULL: 1 each */
    const ct_quantised *quantised;   /* quantised costs; NULL: none, */
    const uint64_t *quantised_planes; /* [g][n_planes][words] those of the rows, complemented, */
    const uint8_t *quantised_bytes;   /* [g][64 words] and one by one */
    /* NULL: classes are predicted, and so are the two below; else the one class is that of all
     * rows. */
    const ct_exact_response *response;
    size_t stride;          /* rows for each g in the next three */
    const int32_t *z;       /* [g][stride] the response on its grid, in the order of g, */
    const int64_t *wide;    /* and in full; NULL: scans go by `z` */
    const uint32_t *ranks;  /* [g][stride] ranks of g */
    const uint8_t *tied;    /* [g] some rows have the same value */
    const ct_abreast *abreast; /* of CT_ABREAST, else NULL */
    /* [g][words] rows besides that count for the sizes of leaves and cost nothing, see
     * bound/interval.h; NULL: none */
    const uint64_t *outer;
} ct_rows;

/* One threshold of the root feature f against every child feature g: the least errors of a split on
 * g in each side. Errors are numbers of rows, or, with rows->most, costs.
 *
 * Lower bounds of the errors come in from two neighbouring thresholds, one whose side lies within
 * this one's and one whose side contains it with rows more whose errors are `far_rows` at most.
 * Children whose bounds reach `need` are skipped. A child's answer is exact if it is below `need`,
 * which then falls to it; else it is a lower bound not below `need`. (Of a child that does not
 * change its value anywhere it is any number: there is no split.) Only splits with two different
 * labels count; the leaf is the caller's.
 *
 * Where leaves must have `min_rows` rows, `need`, `best` and `least_allowed` go by splits that keep
 * to it; `errors` and `least` are those of splits of any size, or with outer_rows of those (and
 * maybe others) that leave that many rows on either side of the outer set: all rows, rows->outer
 * included, on the side's side of another threshold of f. */
typedef struct {
    const ct_rows *rows;
    const uint64_t *planes;     /* planes of f: [g][n_planes][words] */
    ct_threshold threshold;
    const uint32_t *totals[2];  /* [n_classes] rows of each class in the left and the right side */
    const int64_t *masses[2];   /* [n_classes] their weights; NULL: 1 each */
    const uint32_t *sums[2];    /* [n_classes] their quantised costs; NULL where these follow */
    const int64_t *moments[2];  /* [2] of the response, as in ct_totals; NULL: classes, or */
    const ct_full_sums *full[2]; /* of scans in full, these */
    uint32_t size[2];           /* rows in each side */
    const int64_t *near[2], *far[2]; /* [g] bounds at the neighbours: see ct_children_room */
    int64_t far_rows[2];
    int64_t floor[2];           /* a bound for every g */
    uint32_t min_rows[2];       /* of either part of a child's split; at most half of size, or 1 */
    int32_t first[4];           /* children to begin with; -1: none */
    int64_t *errors[2];         /* out: [g], see ct_children_room */
    int64_t need[2];            /* in and out; at most 0: the side is not wanted */
    int32_t best[2];            /* out: the last child that lowered need; -1: none */
    int64_t least[2];           /* out: the least of errors[side] */
    int64_t least_allowed[2];   /* out: the least over allowed splits; exact if it is `need` */
    int in_order;               /* of children as good the first is wanted: one by one from it on */
    int scan_all;               /* switch: no child is skipped */
    int in_full;                /* switch: no child is scanned in few bits first */
    int refine_all;             /* switch: no block is rejected by its bound */
    int count_all;              /* switch: all classes are counted */
    uint64_t *scratch;          /* ct_children_scratch words */
    uint32_t *active;           /* [n_classes] scratch */
    uint32_t *quantised;           /* [2 n_classes] scratch: totals in quantised costs */
    int32_t *labels;            /* ct_children_labels numbers, scratch: see losses.h */
    ct_list lists[2];           /* scratch, of either side; with a response alone, */
    /* and from that many rows on, words are bounded before they are listed; needs lists[].notes */
    uint32_t word_rows;
    uint8_t *done;              /* [n_cols] scratch, all 0 before and after */
    uint32_t outer_rows;        /* 0: splits of any size count; then the two below are not read */
    int outer_all[2];           /* 1: either threshold sends everything to its side */
    ct_threshold outer[2];      /* of the planes that `threshold` is of */
    /* of CT_ABREAST: what becomes the planes, see ct_children_abreast() */
    ct_cut cut, outer_cut[2];
    uint16_t *below[3];         /* then scratch, ct_abreast_stride() by block each, */
    uint64_t *cut_planes;       /* and the planes */
    ct_tallies tallies;         /* of CT_RESPONSE, in place of planes; first NULL: planes */
    uint64_t scans, skipped, dropped_classes, blocks, refined; /* statistics, added to */
} ct_children;

/* Numbers by child feature are worked on in whole vectors: their arrays have room for that, and
 * behind the last child those of `near` are CT_NO_CHILD at least. */
#define CT_NO_CHILD (INT64_MAX / 4)

static inline size_t ct_children_room(uint32_t n_cols)
{
    return ((size_t) n_cols + 7) / 8 * 8;
}

/* Whether a side can gain from child g, by the bounds in `errors`. */
static inline int ct_child_wanted(const ct_children *c, int side, uint32_t g)
{
    return c->scan_all ? c->need[side] > 0 : c->errors[side][g] < c->need[side];
}

/* Words of the scratch memory, and of those before its last part, where job.h keeps a leaf-size
 * window. */
static inline size_t ct_children_kept(size_t words, uint32_t n_classes)
{
    return (2 + 2 * (size_t) n_classes) * words + ((size_t) n_classes + 2) * 16;
}

static inline size_t ct_children_scratch(size_t words, uint32_t n_classes)
{
    return ct_children_kept(words, n_classes) + words;
}

/* With rows->abreast planes are made from the cuts, for each child when it is looked at: three of
 * them, of which scans see one each. `planes` is room for those of all children. */
enum { CT_CUT_PLANES = 3 };

static inline void ct_children_abreast(ct_children *c)
{
    c->threshold.first = CT_CUT_PLANES - 1;
    c->threshold.end = CT_CUT_PLANES;
    c->threshold.selector[c->threshold.first] = ~UINT64_C(0);
    for (unsigned side = 0; side < 2; side++) {
        c->outer[side] = c->threshold;
        c->outer[side].first = side;
        c->outer[side].end = side + 1;
    }
}

static inline size_t ct_children_labels(uint32_t n_classes)
{
    return ((size_t) n_classes + 2) * (3 * (size_t) n_classes + 4);
}

/* Makes one side of a row set, in the order of one feature g. For every lane the child's `lanes`
 * hold, with x_c the members of class c up to the lane's end and y_c those up to its start: for two
 * classes x_0 - y_1 and x_1 - y_0; for more x_c; with quantised costs, these in place of members;
 * where they depend on the label, what each label spares up to the lane's end. General costs have
 * none. */
typedef struct {
    const ct_threshold *threshold; /* NULL: all rows (the whole set as its own side) */
    int right;                     /* the side: 0 left, 1 right */
    size_t words;
    uint32_t n_classes;
    const uint64_t *planes, *parent_sets;
    size_t begin, end; /* in: words of the parent that hold members; out: of the child */
    const int64_t *weights; /* as in ct_rows, of feature g, */
    const ct_quantised *quantised;
    const uint64_t *quantised_planes;
    uint64_t *sets, *lanes;        /* out */
    uint32_t *counts; /* out: [words + 1][n_classes] members before each word, by class */
    uint32_t *members;             /* out: [words + 1] members before each word */
    int64_t *masses; /* out, with `weights`: [words + 1][n_classes] what `counts` weigh */
    const uint8_t *quantised_bytes;   /* as in ct_rows, of feature g */
    uint32_t *sums; /* out, if not NULL: [words + 1][n_classes] what they cost, quantised */
    const int32_t *z; /* as in ct_rows, of feature g */
    /* out, with `z`: [words + 1][2] as in ct_totals, of the members before each word */
    int64_t *moments;
} ct_exact_split;

typedef struct {
    const char *name;
    /* Writes the n_planes <= 8 lowest bit planes, complemented, of digits[order[j]], j < n, each
     * `words` long. */
    void (*planes)(const uint8_t *digits, const uint32_t *order, uint32_t n, uint64_t *planes,
                   size_t words, unsigned n_planes);
    /* found[i] = table[place] for n times CT_BESIDE places: places[i], with 256 more where the bit
     * of `beyond` is set (NULL: nowhere). n is a multiple of 4. */
    void (*look_up)(const uint8_t table[512], const uint8_t *places, const uint16_t *beyond,
                    size_t n, uint8_t *found);
    /* rows: the responses of CT_SPAN_ROWS rows of each lane; see response/spans.h. */
    void (*spans)(const int32_t rows[CT_SPAN_ROWS][CT_SPAN_LANES],
                  const ct_exact_response *response, ct_span_group *group);
    void (*pick)(ct_pick *pick);
    /* Adds the members of a word to moments as in ct_totals, of z[64] and weights[64]; NULL: 1
     * each. */
    void (*moments)(uint64_t members, const int32_t *z, const int64_t *weights,
                    int64_t moments[2]);
    struct {
        void (*split)(ct_exact_split *split);
        void (*children)(ct_children *children);
    } of[CT_N_KINDS];
    /* Fills in errors[][g] by what is known before any scan, the bounds at the neighbours and the
     * floor. */
    void (*bound)(ct_children *children);
    /* Position of the (k + 1)-th bit set among words begin .. end, where `before` counts the bits
     * before each word. */
    size_t (*find)(const uint64_t *sets, uint32_t n_sets, size_t words, const uint32_t *before,
                   size_t begin, size_t end, uint32_t k);
    /* Adds up `counts` and the bits below `position` in its word of each set; returns the sum. */
    uint32_t (*count)(const uint64_t *sets, uint32_t n_sets, size_t words, const uint32_t *counts,
                      size_t position, uint32_t *totals);
    /* Tests of up to 8 rows, records[row][words], as bytes of 8 rows; and back, of all 8. */
    void (*gather)(const uint64_t *records, size_t words, const uint32_t *rows, uint32_t n,
                   uint8_t *bytes);
    void (*scatter)(const uint8_t *bytes, size_t words, uint64_t *records);
    ct_triple_kernels triples[3]; /* lanes of 8, 16 and 32 bits */
    ct_sum_kernels sums;
} ct_kernels;

/* The kernels that this build and this machine have, the best first, "scalar" last; NULL behind
 * it. */
const ct_kernels *ct_kernels_at(size_t i);

/* The kernels of an instruction set by its name (base/cpu.h), or "auto" for those of the best one;
 * NULL if this build or machine has none. */
const ct_kernels *ct_kernels_find(const char *name);

extern const ct_kernels ct_kernels_scalar, ct_kernels_avx2, ct_kernels_avx512, ct_kernels_neon;

#endif
