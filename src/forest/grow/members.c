#include "base/compact.h"

#include "forest/grow/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FEW = 32 }; /* are sorted in place */

static int compare(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *) a, other = *(const uint32_t *) b;
    return (one > other) - (one < other);
}

static void sort(uint32_t *members, uint32_t n)
{
    if (n > FEW) {
        qsort(members, n, sizeof *members, compare);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t own = members[i];
        uint32_t k = i;
        for (; k && members[k - 1] > own; k--) members[k] = members[k - 1];
        members[k] = own;
    }
}

/* A row that was drawn more often than a member can tell has several. */
static uint32_t entries_of(const ct_item *items, uint32_t n)
{
    uint32_t all = n;
    for (uint32_t i = 0; i < n; i++) all += (items[i].weight - 1) / CT_HIST_MOST_DRAWN;
    return all;
}

static int room_for(ct_new_tree *tree, uint32_t n)
{
    if (tree->n_members + n <= tree->room_members) return 1;
    const size_t room = 2 * ((size_t) tree->n_members + n);
    if (room > UINT32_MAX ||
        !ct_enlarge(&tree->members, tree->n_members * sizeof *tree->members,
                    (room - tree->n_members) * sizeof *tree->members))
        return 0;
    tree->room_members = (uint32_t) room;
    return 1;
}

int ct_forest_keep_members(ct_hist_scratch *scratch, const ct_hist_task *task)
{
    ct_new_tree *tree = &scratch->tree;
    const ct_view *view = ct_view_of(scratch, task);
    const ct_item *items = scratch->rows.items + task->begin;
    const uint32_t *ranks = scratch->grower->data->ranks, n = entries_of(items, task->n);
    if (!room_for(tree, n)) return 0;
    uint32_t *to = tree->members + tree->n_members, k = 0;
    for (uint32_t i = 0; i < task->n; i++) {
        const uint32_t rank = ranks[ct_table_row(view, items[i].row)];
        uint32_t rest = items[i].weight;
        for (; rest > CT_HIST_MOST_DRAWN; rest -= CT_HIST_MOST_DRAWN)
            to[k++] = ct_hist_member(rank, CT_HIST_MOST_DRAWN);
        to[k++] = ct_hist_member(rank, rest);
    }
    CT_ASSERT(k == n);
    sort(to, n);
    tree->n_members += n;
    tree->ends[tree->n_leaves] = tree->n_members;
    return 1;
}

void ct_forest_move_members(const ct_new_tree *from, uint32_t old, ct_hist_tree *tree,
                            uint32_t place)
{
    CT_ASSERT(from->ends && tree->ends && tree->members);
    CT_ASSERT(old < from->n_leaves && from->ends[old] >= (old ? from->ends[old - 1] : 0));
    const uint32_t begin = old ? from->ends[old - 1] : 0, n = from->ends[old] - begin,
                   to = place ? tree->ends[place - 1] : 0;
    memcpy(tree->members + to, from->members + begin, n * sizeof *from->members);
    tree->ends[place] = to + n;
}
