#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/grow/grow.h"

#include <string.h>

#include "base/memory.h"
#include "forest/split/call_learner.h"
#include "forest/grow/copy.h"
#include "forest/grow/members.h"
#include "forest/grow/honest.h"
#include "forest/grow/nodes.h"
#include "forest/grow/root.h"
#include "forest/grow/subtree.h"
#include "forest/grow/survival.h"
#include "forest/grow/quantise.h"

enum { CHECK_EVERY = 32768 }; /* cells that nodes look at, whether work is to end */

/* ---- a tree ---- */

/* Makes a child a leaf, or lets it wait as the task that is split next. */
static int grow_from(ct_hist_scratch *scratch, uint32_t place)
{
    const ct_hist_task *task = ct_task_at(scratch, place);
    if (ct_hist_is_leaf(scratch, task)) return ct_forest_make_leaf(scratch, task);
    ct_wait(scratch, place);
    return 1;
}

/* Splits the node of the task into two children. 0 if memory ends. */
static int divide(ct_hist_scratch *scratch, const ct_hist_task *task, ct_hist_split *split,
                  ct_hist_task *left, ct_hist_task *right)
{
    if (!ct_begin_children(scratch, task, left, right)) return 0;
    ct_hist_partition(scratch, task, split, left, right);
    ct_end_children(scratch, task, split, left, right);
    if (scratch->grower->data->monotone)
        ct_forest_bound_children(scratch, split->column, left, right);
    return 1;
}

/* Quantises the numbers of the node anew; returns whether there is anything to split by. */
static int quantise(ct_hist_scratch *scratch, ct_hist_task *task)
{
    if (scratch->grower->is_wide) {
        ct_forest_quantise_node(scratch, task);
        return 1;
    }
    const int differ = ct_forest_score_survival(scratch, task);
    if (scratch->grower->options->gains) task->purity = ct_forest_purity(scratch, task);
    return differ;
}

/* Splits the last task that waits. */
static int grow_node(ct_hist_scratch *scratch, uint32_t tree)
{
    const uint32_t place = --scratch->waiting.n;
    ct_hist_task *task = ct_task_at(scratch, place), *left = ct_task_at(scratch, place + 1),
                 *right = ct_task_at(scratch, place + 2);
    ct_hist_split split;
    if (ct_is_subtree(scratch, task)) return ct_forest_grow_subtree(scratch, task, tree);
    ct_forest_enter_copy(scratch, task);
    if (scratch->grower->has_own_quantised && !quantise(scratch, task))
        return ct_forest_make_leaf(scratch, task);
    const ct_split_node node = {task, ct_view_of(scratch, task), scratch->rows.items + task->begin,
                                tree};
    if (!ct_forest_find_split(scratch->grower, &scratch->search, &node, &split))
        return ct_forest_make_leaf(scratch, task);
    if (!divide(scratch, task, &split, left, right)) return 0;
    /* the larger one waits */
    if (left->n >= right->n) return grow_from(scratch, place + 1) && grow_from(scratch, place + 2);
    return grow_from(scratch, place + 2) && grow_from(scratch, place + 1);
}

/* ---- level by level, with a learner ---- */

/* Nodes of one depth that are to be split. */
typedef struct {
    ct_hist_task *tasks; /* [n] owned */
    ct_hist_run *runs;   /* [n][classes] owned */
    uint32_t n, room;
} level;

static void level_free(level *l)
{
    ct_free(l->tasks);
    ct_free(l->runs);
}

static int level_add(ct_hist_scratch *scratch, level *l, const ct_hist_task *task)
{
    size_t width = ct_runs_of(scratch->grower), more = l->room ? l->room : 64;
    if (ct_hist_is_leaf(scratch, task)) return ct_forest_make_leaf(scratch, task);
    if (l->n == l->room) {
        if (!ct_enlarge(&l->tasks, l->n * sizeof *l->tasks, more * sizeof *l->tasks) ||
            !ct_enlarge(&l->runs, l->n * width * sizeof *l->runs, more * width * sizeof *l->runs))
            return 0;
        l->room += (uint32_t) more;
    }
    memcpy(l->runs + l->n * width, task->runs, task->n_runs * sizeof *task->runs);
    l->tasks[l->n++] = *task;
    return 1;
}

static int divide_level(ct_hist_scratch *scratch, const level *now, ct_hist_split *splits,
                        const uint8_t *found, level *next)
{
    ct_hist_task *left = ct_task_at(scratch, 0), *right = ct_task_at(scratch, 1);
    for (uint32_t i = 0; i < now->n; i++) {
        const ct_hist_task *task = &now->tasks[i];
        if (!found[i]) {
            if (!ct_forest_make_leaf(scratch, task)) return 0;
        } else if (!divide(scratch, task, &splits[i], left, right) ||
                   !level_add(scratch, next, left) || !level_add(scratch, next, right)) {
            return 0;
        }
    }
    return 1;
}

/* Grows the level below; 0 if memory ends or the learner stops the forest. */
static int grow_level(ct_hist_scratch *scratch, const level *now, level *next, uint32_t tree)
{
    const size_t width = ct_runs_of(scratch->grower);
    const ct_split_level nodes = {now->tasks, now->n, tree, &scratch->copies.views[CT_IN_TABLE],
                                  scratch->rows.items};
    ct_hist_split *splits = (ct_hist_split *) ct_alloc(now->n * sizeof *splits);
    uint8_t *found = (uint8_t *) ct_alloc(now->n);
    ct_learner_end end = CT_LEARNER_NO_MEMORY;
    for (uint32_t i = 0; i < now->n; i++) now->tasks[i].runs = now->runs + i * width;
    if (splits && found)
        end = ct_forest_call_learner(scratch->grower, &scratch->search, &nodes, splits, found);
    if (end == CT_LEARNER_STOPPED) ct_halt_set(scratch->stop);
    int fine = end == CT_LEARNER_DONE && divide_level(scratch, now, splits, found, next);
    ct_free(splits);
    ct_free(found);
    return fine;
}

static int grow_levels(ct_hist_scratch *scratch, const ct_hist_task *root, uint32_t tree)
{
    level now = {0};
    int fine = level_add(scratch, &now, root);
    while (fine && now.n) {
        level next = {0};
        fine = !ct_halt_now(scratch->stop, scratch->number) &&
            grow_level(scratch, &now, &next, tree);
        level_free(&now);
        now = next;
    }
    level_free(&now);
    return fine;
}

/* ---- all of a tree ---- */

static void begin_tree(ct_hist_scratch *scratch)
{
    const ct_grower *g = scratch->grower;
    ct_new_tree *tree = &scratch->tree;
    tree->n_nodes = tree->n_leaves = tree->n_members = tree->depth = 0;
    memset(tree->gains, 0, (size_t) g->n_cols * g->gain_words.n * sizeof *tree->gains);
    scratch->left_out.n = scratch->waiting.n = 0;
    for (unsigned i = 0; i < CT_TASKS; i++) scratch->waiting.order[i] = (uint8_t) i;
}

static int grow_splits(ct_hist_scratch *scratch, uint32_t number)
{
    const ct_hist_options *options = scratch->grower->options;
    ct_hist_task *root = ct_task_at(scratch, 0);
    /* rows left out of an honest tree go to the leaves that it has in the end */
    const int with_out = scratch->grower->need_out && !scratch->rows.fills;
    ct_forest_make_root(scratch, scratch->rows.counts, with_out, root);
    if (options->gains) root->purity = ct_forest_purity(scratch, root);
    if (!ct_room_for_nodes(&scratch->tree, 1)) return 0;
    scratch->tree.n_nodes = 1;
    if (options->learn) return grow_levels(scratch, root, number);
    if (!grow_from(scratch, 0)) return 0;
    for (uint64_t cells = CHECK_EVERY; scratch->waiting.n;) {
        cells += (uint64_t) ct_task_at(scratch, scratch->waiting.n - 1)->n * options->mtry;
        if (cells > CHECK_EVERY) {
            if (ct_halt_now(scratch->stop, scratch->number)) return 0;
            cells = 0;
        }
        if (!grow_node(scratch, number)) return 0;
    }
    return 1;
}

int ct_forest_grow_tree(ct_hist_scratch *scratch, uint32_t number)
{
    const ct_grower *g = scratch->grower;
    CT_ASSERT(number >= g->options->first_tree &&
              number - g->options->first_tree < g->options->n_trees);
    begin_tree(scratch);
    if (g->has_own_quantised)
        memcpy(scratch->copies.table_quantised, g->quantised, g->n_rows * sizeof *g->quantised);
    ct_forest_draw_rows(scratch, number);
    if (ct_halt_now(scratch->stop, scratch->number) || !grow_splits(scratch, number)) return 0;
    return !scratch->rows.fills || ct_forest_refill_leaves(scratch);
}

/* ---- breadth first ---- */

static int new_tree(const ct_hist_scratch *scratch, ct_hist_tree *tree)
{
    const ct_new_tree *grown = &scratch->tree;
    size_t width = ct_forest_leaf_width(scratch->grower->n_classes),
           n = grown->n_leaves ? grown->n_leaves : 1;
    tree->n_nodes = grown->n_nodes;
    tree->n_leaves = grown->n_leaves;
    tree->depth = grown->depth;
    tree->nodes = (ct_hist_node *) ct_alloc(grown->n_nodes * sizeof *tree->nodes);
    tree->counts = (uint32_t *) ct_alloc(n * width * sizeof *tree->counts);
    tree->means = scratch->grower->n_classes ? NULL : (double *) ct_alloc(n * sizeof *tree->means);
    if (scratch->grower->data->ranks) {
        tree->ends = (uint32_t *) ct_alloc(n * sizeof *tree->ends);
        tree->members = (uint32_t *) ct_alloc(grown->n_members * sizeof *tree->members);
        if (!tree->ends || !tree->members) return 0;
    }
    return tree->nodes && tree->counts && (tree->means || scratch->grower->n_classes);
}

/* Leaves that have a place get it in the order of the nodes: the next one, which moves on. */
static uint32_t move_leaf(const ct_hist_scratch *scratch, ct_hist_tree *tree, uint32_t next,
                          uint32_t *places)
{
    const uint32_t n_classes = scratch->grower->n_classes, place = *places;
    const size_t width = ct_forest_leaf_width(n_classes), old = next & ~CT_HIST_MIXED;
    const uint32_t *from = scratch->tree.leaf_counts + old * width,
                   own = ct_hist_is_many(n_classes) ? 1 + 2 * *from : 1;
    memcpy(tree->counts + place * width, from, own * width * sizeof *tree->counts);
    if (tree->means) tree->means[place] = scratch->tree.means[old];
    if (tree->ends) ct_forest_move_members(&scratch->tree, (uint32_t) old, tree, place);
    *places = place + own;
    return place | (next & CT_HIST_MIXED);
}

ct_status ct_hist_scratch_tree(ct_hist_scratch *scratch, ct_hist_tree *tree)
{
    CT_ASSERT(scratch->tree.n_nodes % 2 == 1 && !scratch->waiting.n);
    const ct_grower *g = scratch->grower;
    const size_t room = (size_t) scratch->tree.n_nodes + 2; /* two are written for leaves as well */
    uint32_t *old_of = (uint32_t *) ct_alloc(2 * room * sizeof *old_of), n = 1, place = 0;
    memset(tree, 0, sizeof *tree);
    if (!old_of || !new_tree(scratch, tree)) {
        ct_free(old_of);
        return CT_NO_MEMORY;
    }
    uint32_t *new_of = old_of + room;
    old_of[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        ct_hist_node node = scratch->tree.nodes[old_of[i]];
        const uint32_t is_leaf = node.feature == CT_HIST_LEAF, left = node.next & CT_HIST_CHILD,
                       inner = is_leaf - 1; /* all bits, or none */
        new_of[old_of[i]] = i;
        if (is_leaf & (!g->n_classes | ((node.next & CT_HIST_MIXED) != 0)))
            node.next = move_leaf(scratch, tree, node.next, &place);
        /* without a branch that cannot be foreseen */
        old_of[n] = left;
        old_of[n + 1] = left + 1;
        node.next = (node.next & ~(inner & CT_HIST_CHILD)) | (inner & n);
        n += inner & 2;
        tree->nodes[i] = node;
    }
    ct_left_out *out = &scratch->left_out;
    for (uint32_t i = 0; i < out->n; i++) out->leaf[i] = new_of[out->leaf[i]];
    ct_free(old_of);
    return CT_OK;
}
