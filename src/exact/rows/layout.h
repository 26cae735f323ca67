/* A row set laid out for the search: its own sorted orders, class sets, tie marks and, on demand,
 * bit planes.
 *
 * Rows are numbered 0 .. n_rows - 1 within the layout. For feature f, `order` lists them by
 * increasing value; its dense ranks count the tie marks before a position. Thresholds t in 1 ..
 * n_values - 1 send the ranks below t left; `global` translates ranks to those of the table, in
 * which candidates, hints and trees are kept between layouts.
 *
 * The bit planes of the ranks are made in planes.c.
 *
 * Everything lives in the worker's arena. Not safe for concurrent use (planes are made on demand).
 */
#ifndef CT_EXACT_ROWS_LAYOUT_H
#define CT_EXACT_ROWS_LAYOUT_H

#include "exact/run/worker.h"

/* Bit planes of the ranks. planes.c alone makes and changes them. */
typedef struct {
    uint64_t **of;      /* [f] -> [g][plane][words] */
    unsigned *lowest;   /* [f] the planes below are not made yet; n_planes[f]: none is */
    int one_at_a_time;  /* there is memory for the planes of one f only: all of `of` point to it */
    int together;       /* if so: the table is wide, and evaluators make groups of planes */
    uint32_t present;   /* if so: the f whose planes are in it; n_cols: none */
    unsigned *lowest_of; /* [g] if so: the planes of `present` below are not made yet */
    uint64_t *single;   /* [g][words] if so: room for one plane of each g */
    int only_single;    /* if so: there is no memory for more, or evaluators have it */
} ct_exact_planes;

typedef struct {
    uint32_t n_rows, n_cols, n_classes;
    size_t words;             /* of a bit set, a multiple of CT_WORD_STEP */
    uint32_t *n_values;       /* [f] */
    unsigned *n_planes;       /* [f] */
    uint32_t **order;         /* [f][n_rows] */
    uint64_t **ties;          /* [f][words], one after the other */
    uint32_t **marks;         /* [f][words + 1] tie marks before each word */
    uint32_t **global;        /* [f][n_values] rank in the table; NULL: the same */
    uint64_t *sets;           /* [f][class][words] */
    int64_t *weights; /* [f][64 words] of the rows in the order of f; NULL: rows have no weights */
    /* [f][64 words] rows' quantised costs (see ct_quantised) in the order of f; NULL: none by
     * row */
    uint8_t *quantised_bytes;
    uint64_t *quantised_planes;  /* [f][plane][words] their bits, complemented */
    unsigned n_quantised_planes;
    size_t stride;            /* rows of each f in the next two: n_rows and more */
    int32_t *z;               /* [f][stride] the response in the order of f; NULL: classes */
    uint32_t *ranks;          /* [f][stride] then, ranks of f in its order, */
    uint8_t *tied;            /* [f] and whether some rows have the same */
    ct_full full;             /* by row, of a response that scans have rounded; z NULL: none */
    int64_t *wide;            /* [f][stride] its z in the order of f; NULL: scans go by `z` */
    uint64_t *outer; /* [f][words] rows of no class set, see ct_outer in outer.h; NULL: none */
    ct_exact_planes planes;
    struct ct_abreast_layout *abreast; /* in place of planes, see abreast.h; NULL: planes */
    struct ct_tests *tests;   /* where features have few values, see tests.h; NULL: none */
    uint8_t *digits;          /* [n_rows] scratch: a number below 256 for each row */
} ct_layout;

/* The whole table; `abreast`: without room for planes. NULL, and a stop is asked for, if memory
 * ends. */
ct_layout *ct_layout_whole(ct_worker *worker, const ct_table *table, int abreast);

/* The `n_rows` rows of `sets`, which are laid out as the parent's and hold in words begin[f] ..
 * end[f], laid out anew; with those of `outer` [f][words], unless NULL; `abreast` as above. */
ct_layout *ct_layout_part(ct_worker *worker, const ct_layout *parent, const uint64_t *sets,
                          const uint64_t *outer, const size_t *begin, const size_t *end,
                          uint32_t n_rows, int abreast);

static inline uint64_t *ct_layout_sets(const ct_layout *layout, uint32_t f)
{
    return layout->sets + (size_t) f * layout->n_classes * layout->words;
}

static inline int64_t *ct_layout_weights(const ct_layout *layout, uint32_t f)
{
    return layout->weights ? layout->weights + (size_t) f * layout->words * 64 : NULL;
}

static inline int32_t *ct_layout_z(const ct_layout *layout, uint32_t f)
{
    return layout->z ? layout->z + f * layout->stride : NULL;
}

static inline int64_t *ct_layout_wide(const ct_layout *layout, uint32_t f)
{
    return layout->wide ? layout->wide + f * layout->stride : NULL;
}

static inline uint32_t *ct_layout_ranks(const ct_layout *layout, uint32_t f)
{
    return layout->ranks ? layout->ranks + f * layout->stride : NULL;
}

static inline uint8_t *ct_layout_quantised_bytes(const ct_layout *layout, uint32_t f)
{
    return layout->quantised_bytes ? layout->quantised_bytes + (size_t) f * layout->words * 64
                                   : NULL;
}

static inline uint64_t *ct_layout_quantised_planes(const ct_layout *layout, uint32_t f)
{
    return layout->quantised_planes
               ? layout->quantised_planes + f * (layout->n_quantised_planes * layout->words)
               : NULL;
}

#endif
