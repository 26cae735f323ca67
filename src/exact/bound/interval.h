/* Points and intervals of one root feature, and the three facts that every bound between them rests
 * on.
 *
 * For a row set S and a depth k let opt(S) be the least cost of a tree of depth k. Sort the rows by
 * the root feature; a candidate is a threshold with some rows on its left, l and r are opt of its
 * two sides one level down, and tot = split cost + l + r. D(A) is what the rows of A cost at most,
 * each under its worst label.
 *
 *   M    A in B implies opt(A) <= opt(B): restrict B's best tree to A.
 *   Lip  A in B implies opt(B) <= opt(A) + D(B \ A): use A's best tree on B.
 *   I    for candidates a < p < b:
 *          tot(p) >= split cost + l(a) + r(b)                      M on both sides
 *          tot(p) >= split cost + l(b) + r(a) - D(a .. b)          Lip on both sides
 *          tot(p) >= tot(a) - D(a .. p),  tot(b) - D(p .. b)       Lip and M
 *
 * All of them hold with lower bounds in place of l and r; so the ends of the feature are candidates
 * too, with bounds 0.
 *
 * With a least leaf size s (or a least size of nodes that are split) the restricted tree in M may
 * no longer be allowed. So opt is always that of a *relaxed* problem, for which all of the above
 * holds; only trees that are allowed become the best known one. A threshold is then done with in
 * one of two ways: it was evaluated, and its allowed optimum compared with the best; or its relaxed
 * bound reached the best, and so does its allowed optimum. (ConTree, AAAI-25: neighbourhood
 * pruning, interval shrinking, sub-interval pruning.)
 *
 * Relaxed are either trees of any leaf size, or, where an *outer set* X of A is known
 * (rows/outer.h, shortcut "leaf sizes"), those whose leaves all have s rows of X, A in X, while
 * rows of A alone cost anything: opt(A | X). For A in P in X a tree that is allowed on P is among
 * them, and costs no less on P than on A. So opt(A | X) bounds the allowed trees of every P in
 * between, and
 *
 *   M    A in A', X' in X implies opt(A | X) <= opt(A' | X'): fewer trees, more rows.
 *   Lip  opt(A' | X) <= opt(A | X) + D(A' \ A): the same tree.
 *
 * A candidate m that is evaluated between a and b takes as outer set of its left side all rows of
 * X that b sends left, and of its right side those that a sends right. Thresholds that are bounded
 * by m from then on lie between a and b: their sides are in these sets, and so are the outer sets
 * of candidates there. Below m the same holds of the sides' own searches, with A and X in place of
 * one row set. Thresholds that leave less than s rows of X on a side have no trees there, which no
 * bound and no floor of a root feature need cover. A restricted tree may lose rows of X, however:
 * the bounds of both sides of a threshold say nothing of a tree on all rows. */
#ifndef CT_EXACT_BOUND_INTERVAL_H
#define CT_EXACT_BOUND_INTERVAL_H

#include "exact/run/worker.h"

/* A node of a tree in the search: a threshold in the table's ranks; feature < 0: a leaf. Trees are
 * kept as heaps: the root at 0, the children of i at 2 i + 1 and 2 i + 2. In the lowest level the
 * threshold is left open. */
typedef struct {
    int32_t feature;
    uint32_t threshold;
} ct_split_code;

#define CT_LEAF_CODE ((ct_split_code){-1, 0})

typedef struct ct_candidate {
    uint32_t n_left, threshold;
    int64_t max_left;          /* D of the rows on the left */
    int64_t lower[2];           /* proven lower bounds of l and r, relaxed */
    int64_t both;               /* the same of l + r, where that is more than their sum */
    int64_t proven; /* a lower bound of tot over allowed trees; at least the relaxed one */
    uint32_t open;              /* intervals on the stack that end here */
    int of_team;                 /* it belongs to the team: see features.h */
    struct ct_candidate *next_free;
    int32_t best_child[2];      /* the root feature of each side's best known tree, -1: a leaf */
    /* depth two: [g] lower bounds of the errors of a split on g in each side: see ct_children */
    int64_t *errors[2];
    int64_t *root_bounds[2];         /* deeper: [f] lower bounds of each side with root feature f */
    /* deeper: heaps of each side's best known tree (a hint if a leaf is); NULL at the ends */
    ct_split_code *trees[2];
} ct_candidate;

static inline int64_t ct_larger_cost(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t ct_smaller_cost(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t ct_candidate_total(const ct_worker *worker, const ct_candidate *p)
{
    CT_ASSERT(p->lower[0] >= 0 && p->lower[1] >= 0);
    return worker->search->split_cost + ct_larger_cost(p->both, p->lower[0] + p->lower[1]);
}

/* A lower bound of tot(p) for all p strictly between a and b: fact I, first two lines. */
static inline int64_t ct_interval_bound(const ct_worker *worker, const ct_candidate *a,
                                        const ct_candidate *b)
{
    CT_ASSERT(a->n_left < b->n_left && a->max_left <= b->max_left);
    int64_t bound = 0;
    if (ct_uses(worker, CT_SHORTCUT_INTERVAL)) bound = a->lower[0] + b->lower[1];
    if (ct_uses(worker, CT_SHORTCUT_CROSSED)) {
        bound = ct_larger_cost(bound, b->lower[0] + a->lower[1] - (b->max_left - a->max_left));
    }
    return worker->search->split_cost + bound;
}

/* Thresholds of a total below `target` are away from p by rows of a larger D than this: fact I,
 * last line. Negative: that says nothing. */
static inline int64_t ct_candidate_surplus(const ct_worker *worker, const ct_candidate *p,
                                           int64_t target)
{
    return ct_uses(worker, CT_SHORTCUT_NEIGHBOUR) ? ct_candidate_total(worker, p) - target : -1;
}

/* A lower bound of side `side` at a candidate m between a and b from the neighbours: M from the
 * smaller set, Lip from the larger one. */
static inline int64_t ct_between(const ct_candidate *a, const ct_candidate *b,
                                 const ct_candidate *m, int side)
{
    CT_ASSERT(a->n_left < m->n_left && m->n_left < b->n_left);
    CT_ASSERT(a->max_left <= m->max_left && m->max_left <= b->max_left);
    if (side == 0) return ct_larger_cost(a->lower[0], b->lower[0] - (b->max_left - m->max_left));
    return ct_larger_cost(b->lower[1], a->lower[1] - (m->max_left - a->max_left));
}

/* Bounds of a side between two candidates for trees with each root feature: bounds[n_cols]. */
static inline void ct_root_bounds_between(const ct_candidate *a, const ct_candidate *b,
                                          const ct_candidate *m, int side, uint32_t n_cols,
                                          int64_t *bounds)
{
    const ct_candidate *smaller = side ? b : a, *larger = side ? a : b;
    int64_t moved = side ? m->max_left - a->max_left : b->max_left - m->max_left;
    for (uint32_t f = 0; f < n_cols; f++)
        bounds[f] = ct_larger_cost(smaller->root_bounds[side][f],
                                   larger->root_bounds[side][f] - moved);
}

#endif
