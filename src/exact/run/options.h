/* Options of the exact search, and the names of all its bounds and shortcuts, which affect only the
 * time it takes. */
#ifndef CT_EXACT_RUN_OPTIONS_H
#define CT_EXACT_RUN_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "data/data.h"
#include "exact/run/part.h"

enum { CT_MAX_DEPTH = 16 };

/* Bounds and shortcuts: X(identifier, "name", "what it does"). The answer is the same with any of
 * them off; the proofs stand where each is used. */
#define CT_SHORTCUTS(X)                                                                            \
    X(INTERVAL, "interval", "close an interval by the bounds of its two ends")                     \
    X(CROSSED, "crossed", "the same with the ends' sides exchanged")                               \
    X(NEIGHBOUR, "neighbour", "skip thresholds too near to one that is known to be bad")           \
    X(ENDS, "ends", "skip thresholds near the ends by what all rows cost one level less deep")     \
    X(CAPS, "caps", "solve a side only as far as it can matter")                                   \
    X(CHILD_FEATURES, "child features",                                                            \
      "skip child features by their errors at neighbouring thresholds")                            \
    X(BLOCKS, "blocks", "skip blocks of rows by the counts at their ends")                         \
    X(ACTIVE_CLASSES, "active classes", "count only classes that can be a label")                  \
    X(CLASS_COUNTS, "class counts", "few leaves can be right on few classes only")                 \
    X(ROOT_FEATURES, "root features",                                                              \
      "skip root features by what a neighbouring row set has proven")                              \
    X(BOUND_CACHE, "bound cache",                                                                  \
      "remember row sets that arise from more than one order of splits")                           \
    X(HINTS, "hints", "begin with the tree of a neighbouring row set")                             \
    X(MEDIANS, "medians", "try the median of every feature before searching any")                  \
    X(TIES_LAST, "ties", "search last what can hold equally good trees alone")                     \
    X(DYADIC, "dyadic", "prefer thresholds whose masks take few planes")                           \
    X(COMPACTION, "compaction", "lay out small row sets anew")                                     \
    X(LEAF_RUNS, "leaf runs", "where a side must be a leaf, look only where it can be one")        \
    X(ERROR_FREE, "error free", "look for trees without errors before any others")                 \
    X(SOME_ROWS, "some rows", "look for trees without errors among some of the rows first")        \
    X(LEAF_SIZES, "leaf sizes", "count the rows of leaves in a larger row set")                    \
    X(FEW_BITS, "few bits", "scan a rounded response without weights in few bits first")           \
    X(BETWEEN, "between", "count what the rows between two thresholds cost at least")              \
    X(TRIPLES, "triples", "count triples of thresholds where features have few values")            \
    X(PRICE, "price", "no more levels than splits that the price affords")                         \
    X(LOWER_PRICE, "lower price",                                                                  \
      "trees of few splits by themselves, larger ones at a lower price")                           \
    X(EARLY, "early bounds", "prove low bounds apart where a search has none for long")            \
    X(HALVES, "halves", "solve both sides of a lone threshold up to half of what they may cost")

typedef enum {
#define CT_SHORTCUT_ID(id, name, text) CT_SHORTCUT_##id,
    CT_SHORTCUTS(CT_SHORTCUT_ID)
#undef CT_SHORTCUT_ID
    CT_EXACT_N_SHORTCUTS
} ct_exact_shortcut;

/* What is known at one moment of a search. Costs are in rows. */
typedef struct {
    double seconds;      /* since its start */
    double upper, lower; /* the cost of the best known tree; a proven bound of every tree's */
    double closed;       /* share of the root thresholds that are done with */
} ct_exact_progress;

/* A tree to begin with: node i splits if feature[i] >= 0, into left[i] (value < threshold[i]) and
 * right[i]; the root is node 0, and children come after their parents, or the tree is refused.
 * Borrowed for the call. */
typedef struct {
    uint32_t n_nodes;
    const int32_t *feature;
    const double *threshold;
    const uint32_t *left, *right;
} ct_exact_start;

/* Where depth-two work may be done. AUTO: on the first CUDA device if that pays and as long as it
 * works, without a word where there is none. For tests, all of it, as long as that works: TWIN on
 * the host twin, ALL on the CUDA device. */
typedef enum {
    CT_EXACT_DEVICE_CPU,
    CT_EXACT_DEVICE_AUTO,
    CT_EXACT_DEVICE_CUDA,
    CT_EXACT_DEVICE_TWIN,
    CT_DEVICE_ALL
} ct_exact_device_wish;

typedef struct {
    unsigned depth;      /* 0 .. CT_MAX_DEPTH */
    double complexity;   /* cost of a split as a share of the rows, >= 0 */
    /* where costs are counted in units that all of them have, this is what a split costs in place
     * of complexity, which must be about the same: that many units over so many splits. 0 splits:
     * complexity says */
    int64_t price_units;
    uint32_t price_splits;
    uint32_t min_bucket; /* least rows of a leaf; 0 and 1: any */
    uint32_t min_split;  /* least rows of a node that is split */
    uint32_t max_leaves; /* of the tree; 0: as many as the depth allows */
    double max_gap;      /* accepted distance of the cost to the optimum, in rows, >= 0 */
    double max_cost;     /* in rows; trees that cost more need not be found. Infinite: any may be */
    /* where costs are counted in units that all of them have, this decides in place of max_cost:
     * trees that cost more than this one by more than `within` need not be found. NULL: any may
     * be */
    const ct_outcome *beside;
    double within;       /* >= 0 */
    /* 1: a response is rounded to what scans count, as for sets; see exact/cost/response.h */
    int one_word;
    /* trees that cost as much as this one need not be found either. With a response its labels are
     * numbers of its leaves, up to n_splits. NULL: any may be */
    const ct_outcome *cheaper_than;
    /* [n_cols] 1: the root may be split on this column; NULL: on any. Borrowed */
    const uint8_t *roots;
    /* per column; 0: all */
    uint32_t max_thresholds;
    double time_limit;   /* seconds; infinite: none */
    unsigned threads;    /* 0 and 1: the calling thread alone */
    /* work that the calling thread does alone, unless the search is clearly a long one: rows times
     * columns times classes scanned, the same on every machine */
    double team_after;
    /* work without a bound after which one is looked for apart, see search/early.h */
    double early_after;
    /* of equally good trees return any, whichever is found; see first_of_ties in roots.h */
    int any_of_ties;
    /* of equally good trees the smallest need not be found, which saves the time of ruling smaller
     * ones out: a split costs nothing. With a complexity of 0. See exact.h */
    int any_size;
    ct_exact_device_wish device;
    int device_number;   /* of the CUDA device, from 0; -1: the twin in its place */
    size_t memory_limit; /* bytes for the search's own memory */
    /* bytes for the bit planes of the whole table; above it they are made feature by feature */
    size_t plane_budget;
    /* then, in tables of fewer rows for each column, by several thresholds at a time: see
     * rows/planes.h */
    uint32_t wide_rows;
    /* row sets of a response from which on words are bounded before they are listed: see
     * kernels/response/words.h */
    uint32_t word_rows;
    /* row sets of a response in which child features have this many rows for each value, or more,
     * are scanned by tallies: see rows/tallies.h */
    uint32_t tally_rows;
    /* columns of few values are counted test by test in row sets that have this many rows, or more,
     * for each split of a column: see rows/tests.h */
    uint32_t test_rows;
    /* trees without errors are looked for among no more rows than this first, in tables of several
     * times as many: see finish/some_rows.h */
    uint32_t some_rows;
    /* tables of so many rows or more are searched at a lower price where that pays: see
     * search/lower_price.h */
    uint32_t price_rows;
    uint32_t off;        /* bit i: shortcut i is not used */
    const char *simd;    /* see ct_kernels_find */
    int (*stop)(void *); /* asked now and then from the calling thread; not 0: stop. May be NULL */
    void *stop_data;
    /* may be NULL. What of it does not fit the depth, the leaf sizes or the data is left out */
    const ct_exact_start *start;
    /* of a search in parts: see partition.h. From depth 3 on, on the CPU. May be NULL */
    ct_exact_part *part;
    ct_bytes *evidence;  /* what the proof rests on is written here; see evidence.h. May be NULL */
    /* called now and then from the calling thread. May be NULL */
    void (*report)( void *, const ct_exact_progress *);
    void *report_data;
} ct_exact_options;

/* Depth 3, no limits, everything on. */
ct_exact_options ct_exact_options_default(void);

/* The shortcut of that name, or CT_EXACT_N_SHORTCUTS. */
ct_exact_shortcut ct_exact_shortcut_find(const char *name);
const char *ct_shortcut_name(ct_exact_shortcut shortcut);

#endif
