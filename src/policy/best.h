/* The best tree of a row set that is known, which threads share. Of trees of the same cost, a whole
 * number, the one whose root splits on the first column is better, there at the lowest threshold;
 * so what is found does not depend on the order of the search. */
#ifndef CT_POLICY_BEST_H
#define CT_POLICY_BEST_H

#include <string.h>

#include "base/status.h"
#include "base/threads.h"

enum { CT_POLICY_DEPTH = 8, CT_POLICY_SPLITS = (1 << CT_POLICY_DEPTH) - 1 };

/* Rows of the table on both sides of a threshold, neighbours in their node; column -1 is a leaf. */
typedef struct {
    int32_t column;
    uint32_t below, above;
} ct_policy_split;

/* A heap: the children of i are 2 i + 1 and 2 i + 2. Below leaves anything may be. */
typedef struct {
    int64_t cost;
    ct_policy_split splits[CT_POLICY_SPLITS];
} ct_policy_tree;

typedef struct {
    ct_lock lock;
    uint32_t cut;        /* rows on the left of its root */
    ct_policy_tree tree; /* its cost is that of a leaf at most, or of what need not be found */
} ct_policy_best;

static inline void ct_policy_best_init(ct_policy_best *best, int64_t cost)
{
    ct_lock_init(&best->lock);
    best->cut = 0;
    best->tree.cost = cost;
    best->tree.splits[0] = (ct_policy_split){-1, 0, 0};
}

static inline int ct_policy_is_before(const ct_policy_best *best, int32_t column, uint32_t cut)
{
    const int32_t other = best->tree.splits[0].column;
    return column < other || (column == other && cut < best->cut);
}

/* Trees with this root that cost less are better; those that cost as much need not be found. */
static inline int64_t ct_policy_need(ct_policy_best *best, uint32_t column, uint32_t cut)
{
    ct_lock_take(&best->lock);
    const int64_t need = best->tree.cost + ct_policy_is_before(best, (int32_t) column, cut);
    ct_lock_leave(&best->lock);
    return need;
}

/* Copies a tree of a depth to below a node of another. */
static inline void ct_policy_graft(ct_policy_tree *to, uint32_t at, const ct_policy_tree *from,
                                   uint32_t node, unsigned depth)
{
    if (at >= CT_POLICY_SPLITS) return;
    to->splits[at] = depth ? from->splits[node] : (ct_policy_split){-1, 0, 0};
    if (to->splits[at].column < 0) return;
    ct_policy_graft(to, 2 * at + 1, from, 2 * node + 1, depth - 1);
    ct_policy_graft(to, 2 * at + 2, from, 2 * node + 2, depth - 1);
}

/* A tree of that root, whose sides have at most so much depth. */
static inline void ct_policy_offer(ct_policy_best *best, int64_t cost, ct_policy_split root,
                                   uint32_t cut, const ct_policy_tree sides[2], unsigned depth)
{
    CT_ASSERT(root.column >= 0 && cut > 0 && cost > 0 && depth < CT_POLICY_DEPTH);
    ct_lock_take(&best->lock);
    if (cost < best->tree.cost + ct_policy_is_before(best, root.column, cut)) {
        best->tree.cost = cost;
        best->cut = cut;
        best->tree.splits[0] = root;
        ct_policy_graft(&best->tree, 1, &sides[0], 0, depth);
        ct_policy_graft(&best->tree, 2, &sides[1], 0, depth);
    }
    ct_lock_leave(&best->lock);
}

#endif
