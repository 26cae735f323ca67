#include "base/compact.h"

#include "forest/offload/result.h"

#include <string.h>

#include "base/memory.h"

static int is_leaf(const ct_grow_node *node) { return node->feature == CT_HIST_LEAF; }

/* ---- breadth first ---- */

static int new_tree(const ct_hist_result *r, ct_hist_tree *tree)
{
    size_t width = r->n_classes ? r->n_classes : 1, n = r->n_leaves ? r->n_leaves : 1;
    *tree = (ct_hist_tree){.n_nodes = r->n_nodes, .n_leaves = r->n_leaves, .depth = r->depth};
    tree->nodes = (ct_hist_node *) ct_alloc(r->n_nodes * sizeof *tree->nodes);
    tree->counts = (uint32_t *) ct_alloc(n * width * sizeof *tree->counts);
    tree->means = r->n_classes ? NULL : (double *) ct_alloc(n * sizeof *tree->means);
    return tree->nodes && tree->counts && (tree->means || r->n_classes);
}

/* Leaves that have a place get it in the order of the nodes. */
static uint32_t move_leaf(const ct_hist_result *r, ct_hist_tree *tree, uint32_t next,
                          uint32_t place)
{
    size_t width = r->n_classes ? r->n_classes : 1, old = next & ~CT_HIST_MIXED;
    CT_ASSERT(old < r->n_leaves && place < r->n_leaves);
    memcpy(tree->counts + place * width, r->counts + old * width, width * sizeof *tree->counts);
    if (tree->means) tree->means[place] = r->means[old];
    return place | (next & CT_HIST_MIXED);
}

ct_status ct_forest_result_tree(const ct_hist_result *r, uint32_t *order, ct_hist_tree *tree)
{
    uint32_t *new_of = order + r->n_nodes, n = 1, place = 0;
    if (!new_tree(r, tree)) return CT_NO_MEMORY;
    order[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ct_grow_node *old = &r->nodes[order[i]];
        ct_hist_node node = {old->next, old->feature, is_leaf(old) ? 0 : old->cut};
        new_of[order[i]] = i;
        if (!is_leaf(old)) {
            uint32_t left = old->next & CT_HIST_CHILD;
            CT_ASSERT(left + 1 < r->n_nodes && n + 2 <= r->n_nodes);
            node.next = n | (old->next & ~CT_HIST_CHILD);
            order[n++] = left;
            order[n++] = left + 1;
        } else if (!r->n_classes || (old->next & CT_HIST_MIXED)) {
            node.next = move_leaf(r, tree, old->next, place++);
        }
        tree->nodes[i] = node;
    }
    CT_ASSERT(n == r->n_nodes && place == r->n_leaves);
    return CT_OK;
}

/* ---- rows left out ---- */

/* The leaves in the order in which the CPU makes them: of two children the one of fewer rows is
 * grown first, after leaves that need no search were made at once. */
typedef struct {
    const ct_hist_result *r;
    uint32_t *leaves, n;  /* leaves, in order */
    uint32_t *waiting, n_waiting;
} finishing;

static void finish(finishing *s, uint32_t node)
{
    const ct_grow_node *it = &s->r->nodes[node];
    int searched = it->cut != 0; /* of a leaf */
    if (is_leaf(it) && !searched) s->leaves[s->n++] = node;
    else s->waiting[s->n_waiting++] = node;
}

static void finish_all(finishing *s)
{
    finish(s, 0);
    while (s->n_waiting) {
        uint32_t node = s->waiting[--s->n_waiting];
        const ct_grow_node *it = &s->r->nodes[node];
        if (is_leaf(it)) {
            s->leaves[s->n++] = node;
            continue;
        }
        uint32_t left = it->next & CT_HIST_CHILD, right = left + 1;
        int left_waits = s->r->nodes[left].n >= s->r->nodes[right].n;
        finish(s, left_waits ? left : right);
        finish(s, left_waits ? right : left);
    }
}

void ct_forest_result_finish(const ct_hist_result *r, const uint32_t *leaf_of, uint32_t n_rows,
                             const uint32_t *new_of, uint32_t *scratch, ct_left_out *out)
{
    CT_ASSERT(r->n_nodes > 0 && leaf_of && new_of && scratch && out->row && out->leaf);
    uint32_t *leaves = scratch, *begin = scratch + r->n_nodes, n = 0;
    finishing s = {r, leaves, 0, begin, 0};
    finish_all(&s);
    memset(begin, 0, r->n_nodes * sizeof *begin);
    for (uint32_t row = 0; row < n_rows; row++)
        if (leaf_of[row] != UINT32_MAX) begin[leaf_of[row]]++;
    for (uint32_t i = 0; i < s.n; i++) {
        uint32_t own = begin[leaves[i]];
        begin[leaves[i]] = n;
        n += own;
    }
    for (uint32_t row = 0; row < n_rows; row++) {
        if (leaf_of[row] == UINT32_MAX) continue;
        uint32_t place = begin[leaf_of[row]]++;
        out->row[place] = row;
        out->leaf[place] = new_of[leaf_of[row]];
    }
    out->n = n;
}
