/* Rows with a response, as its kernels read and list them: what ct_rows and ct_children (kernels.h)
 * hold of them besides. All of it is the caller's. */
#ifndef CT_EXACT_KERNELS_RESPONSE_ROWS_H
#define CT_EXACT_KERNELS_RESPONSE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "exact/cost/response.h"

/* Rows with a response by their places in the orders of many child features at once, for scans of
 * all of these together: 16 features are a block, and lie side by side. See response/abreast.h. */
enum { CT_BESIDE = 16, CT_ABREAST_ROWS = 511 };
typedef struct {
    uint32_t n_rows;            /* no more than CT_ABREAST_ROWS */
    size_t stride;              /* places of a block in memory, from ct_abreast_stride() */
    const int32_t *z;           /* [block][place][CT_BESIDE] the response on its grid */
    /* [block][place] bits: the feature has not the value of the place before */
    const uint16_t *starts;
    const uint16_t *members;    /* [block][place] bits: the row is of the set; NULL: all are */
    int tied;                   /* some features have equal values */
} ct_abreast;

static inline size_t ct_abreast_stride(uint32_t n_rows) { return ((size_t) n_rows + 63) / 64 * 64; }

/* A threshold of the root feature: the rows whose byte is below the limit go left. */
typedef struct {
    const uint8_t *ranks; /* [block][place][CT_BESIDE] */
    uint8_t limit;
} ct_cut;

/* What is noted of one side's rows in some words of the layout before they are listed, if there are
 * many; see response/words.h. Sums are of the response less the side's middle. */
enum { CT_WORD_NOTES = 16 };
typedef struct {
    uint64_t members[CT_WORD_NOTES];     /* rows of the side in each word */
    int64_t sum_before[CT_WORD_NOTES];   /* over the rows before it, */
    float base[CT_WORD_NOTES];           /* the same */
    int32_t below[CT_WORD_NOTES], above[CT_WORD_NOTES]; /* over those in it below and above 0 */
    /* as in ct_exact_response, of the rows to the left of its first place and to the right of its
     * last; 0 if it has none */
    float inverse[CT_WORD_NOTES], falling[CT_WORD_NOTES];
    float most[CT_WORD_NOTES];           /* what a split there gains at most */
    float top;                           /* the largest of these, and for good */
    uint32_t rows_before[CT_WORD_NOTES];
} ct_word_notes;

static inline size_t ct_word_notes_room(size_t words) { return words / CT_WORD_NOTES + 1; }

/* The rows of one side in the order of a child, for scans of a response: scratch memory. A block is
 * CT_LIST_BLOCK rows; where there are many rows, first those of one word of the layout, see
 * response/words.h. */
typedef struct {
    int32_t *z;          /* [ct_list_room] */
    uint32_t *ranks;     /* [ct_list_room] */
    int64_t *weights;    /* [ct_list_room] NULL: 1 each */
    /* [block] what a split behind one of its rows gains at most, but for rounding; negative: there
     * is no place for one */
    float *most;
    int64_t *before;     /* [block] sum of the response before it, see response.h */
    int64_t *weight_before; /* [block] what the rows before it weigh; NULL: 1 each */
    ct_word_notes *notes;   /* [ct_word_notes_room]; NULL: rows are listed at once */
} ct_list;

enum { CT_LIST_BLOCK = 64, CT_LIST_PAD = 32 };

static inline size_t ct_list_room(uint32_t n_rows) { return (size_t) n_rows + CT_LIST_PAD; }

/* Lower bounds for 16 blocks of rows in a lane each: what a block costs in two leaves, and how much
 * less the rows of it cost in four, of which two have those before some place in it and two the
 * others. Node 1 is the whole block, 2 i and 2 i + 1 are the halves of node i, down to parts of 4
 * rows. */
enum { CT_SPAN_LOG = 5, CT_SPAN_ROWS = 32, CT_SPAN_LANES = 16, CT_SPAN_NODES = 16 };
typedef struct {
    float costs[CT_SPAN_NODES][CT_SPAN_LANES], losses[CT_SPAN_NODES][CT_SPAN_LANES];
} ct_span_group;

/* The rows left of a threshold of the root feature by the values that they have of the child
 * features, where these are few. A cell is a value of a feature, in order: the number of its rows
 * << shift, and the sum of their response, each + bias. See rows/tallies.h, response/tallies.h. */
typedef struct {
    const uint32_t *first;         /* [n_cols + 1] the first cell of each feature; NULL: none */
    const uint64_t *all, *left;    /* [cell] of all rows, and of those below the threshold */
    const uint64_t *outer;         /* with outer_rows: of all rows, rows->outer included, and of */
    const uint64_t *outer_left[2]; /* those below outer[side]; NULL with outer_all[side] */
    uint32_t outer_size[2];        /* rows of either side's outer set */
    unsigned shift;
    int64_t bias;
} ct_tallies;

/* Rows with a response that are picked out of the order of a feature, and their values numbered
 * anew. */
typedef struct {
    const uint64_t *members;     /* bits: the rows, in the words first .. last */
    size_t first, last;
    const int32_t *z;            /* of the order: the response, */
    const uint32_t *order, *ranks; /* numbers of rows, and ranks of their values */
    const uint64_t *places;      /* see ct_exact_response */
    int32_t *to_z;               /* out: the same, side by side, room for CT_LIST_PAD more each; */
    uint32_t *to_order, *to_ranks; /* ranks from 0 on, without gaps, */
    uint32_t *to_values;         /* and of each the rank that it was; */
    uint64_t *starts;            /* bits: the row is the first of its value; 0 before */
    uint32_t n_rows, n_values;   /* out */
} ct_pick;

#endif
