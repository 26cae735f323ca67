/* What the search of all row sets shares, and what each thread owns. */
#ifndef CT_POLICY_SEARCH_H
#define CT_POLICY_SEARCH_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/parallel.h"
#include "policy/best.h"
#include "policy/costs.h"
#include "policy/kernels.h"

/* Shortcuts that may be switched off; the tree is the same without them. */
typedef enum {
    CT_POLICY_PAIRS,    /* bounds of rows between two cuts by pairs of actions */
    CT_POLICY_CHILDREN, /* a child's column is passed over by what it costs at a neighbouring cut */
    CT_POLICY_INSIDE,   /* splits inside of a block are bounded by its ends */
    CT_POLICY_SAME,     /* splits into the best action on both sides are left out of the bounds */
    CT_POLICY_PRICE,    /* no more levels than splits that the price affords */
    CT_POLICY_TWO_VALUED, /* columns of two values go to two_valued.h */
    CT_POLICY_BETWEEN, /* bounds of rows between two cuts by their own tree, from depth three on */
    CT_POLICY_SHORTCUTS
} ct_policy_shortcut;

typedef struct {
    uint64_t cuts;     /* of roots of depth two, evaluated */
    uint64_t sweeps;   /* of the rows of a set, for a column of the root and one of the children */
    uint64_t walks;    /* of blocks, row by row */
    uint64_t confirmed; /* cuts computed in exact costs */
    uint64_t problems; /* row sets whose best tree of depth two was looked for */
} ct_policy_counts;

typedef struct ct_policy_search {
    const ct_policy_costs *costs;
    const ct_policy_kernel *kernel;
    uint32_t min_bucket; /* at least 1 */
    /* the same with leaves of any size, whose trees cost no more for fewer rows, while leaves that
     * are large enough in all rows may be too small in some; NULL: they may have any size */
    const struct ct_policy_search *relaxed;
    uint32_t off;        /* bit i: shortcut i is not used */
    ct_halt *halt;
    const struct ct_policy_rows *whole; /* all rows; of these: */
    const uint8_t *roots; /* [n_cols] whether the root may be split on it; NULL: on any */
    unsigned depth;       /* of the tree */
    int64_t *bounds;      /* [n_cols] atomic: what trees with such a root cost at least so far */
    ct_bytes *evidence;   /* receives a proof, see prove.h; NULL: none */
} ct_policy_search;

typedef struct {
    const ct_policy_search *search;
    unsigned number;
    ct_arena arena;
    ct_policy_counts counts;
} ct_policy_worker;

static inline int ct_policy_may_split(const ct_policy_search *search,
                                      const struct ct_policy_rows *set, uint32_t column)
{
    return !search->roots || set != search->whole || search->roots[column];
}

static inline int ct_policy_uses(const ct_policy_worker *worker, ct_policy_shortcut shortcut)
{
    return !(worker->search->off >> shortcut & 1);
}

static inline int ct_policy_is_halted(const ct_policy_worker *worker)
{
    return ct_halt_now(worker->search->halt, worker->number);
}

#endif
