#include "base/optimised.h"
#include "base/unguarded.h"

#include "forest/grow.h"

#include <string.h>

#include "base/memory.h"
#include "forest/ask.h"
#include "forest/nodes.h"
#include "forest/paths.h"
#include "forest/subtree.h"
#include "forest/whole.h"

enum { ASK_EVERY = 32768 }; /* cells that nodes look at, whether work is to end */

/* ---- a tree ---- */

/* The task in a place of the desk's order, and its runs. */
static ct_task *task_at(ct_desk *desk, uint32_t place) { return &desk->tasks[desk->order[place]]; }

static ct_run *runs_at(const ct_desk *desk, uint32_t place)
{
    return desk->runs + (size_t) desk->order[place] * ct_runs_of(desk->grower);
}

/* The first task that waits no more, and two free ones for its children. */
static void begin_runs(ct_desk *desk)
{
    CT_ASSERT(desk->n_tasks + 3 <= CT_TASKS);
    desk->now = runs_at(desk, desk->n_tasks);
    desk->left = runs_at(desk, desk->n_tasks + 1);
    desk->right = runs_at(desk, desk->n_tasks + 2);
}

/* A child becomes a leaf, or waits in the place of the first task that does not. */
static int settle(ct_desk *desk, uint32_t place)
{
    const ct_task *task = task_at(desk, place);
    if (ct_is_leaf(desk, task)) return ct_make_leaf(desk, task, runs_at(desk, place));
    const uint8_t own = desk->order[place];
    desk->order[place] = desk->order[desk->n_tasks];
    desk->order[desk->n_tasks++] = own;
    return 1;
}

/* The node of the task, whose runs are in desk->now, becomes one of two children, whose runs are in
 * desk->left and desk->right. 0 if memory ends. */
static int divide(ct_desk *desk, const ct_task *task, ct_split *split, ct_task *left,
                  ct_task *right)
{
    if (!ct_begin_children(desk, task, left, right)) return 0;
    ct_part(desk, task, split, left, right);
    ct_end_children(desk, task, split, (ct_side){left, desk->left}, (ct_side){right, desk->right});
    return 1;
}

/* Splits the last task that waits. */
static int grow_node(ct_desk *desk, uint32_t tree)
{
    const uint32_t place = --desk->n_tasks;
    ct_task *task = task_at(desk, place), *left = task_at(desk, place + 1),
            *right = task_at(desk, place + 2);
    ct_split split;
    begin_runs(desk);
    if (ct_is_subtree(desk, task)) return ct_grow_subtree(desk, task, tree);
    ct_enter_copy(desk, task);
    if (desk->grower->is_wide) ct_make_whole_anew(desk, task);
    if (!ct_find_split(desk, ct_view_of(desk, task), task, tree, &split))
        return ct_make_leaf(desk, task, desk->now);
    if (!divide(desk, task, &split, left, right)) return 0;
    /* the larger one waits */
    if (left->n >= right->n) return settle(desk, place + 1) && settle(desk, place + 2);
    return settle(desk, place + 2) && settle(desk, place + 1);
}

/* The sample's rows by class, and those left out. */
static void make_root(ct_desk *desk, ct_task *root)
{
    const ct_grower *g = desk->grower;
    ct_runs all = {desk->now, 0, 0, 0};
    memset(root, 0, sizeof *root);
    root->path = CT_ROOT_PATH;
    root->exponent = g->exponent;
    uint32_t begin = 0, weight;
    for (uint32_t c = 0; c < ct_runs_of(g); begin = g->class_end[c], c++) {
        const uint32_t n = g->scan->drawn(g->order + begin, desk->counts + begin,
                                          g->class_end[c] - begin, desk->items + all.n, &weight);
        ct_add_run(&all, c, n, weight);
    }
    ct_put_runs(&all, root);
    for (uint32_t i = 0; g->need_out && i < g->n_rows; i++) {
        desk->out[root->n_out] = i;
        root->n_out += desk->counts[g->places ? g->places[i] : i] == 0;
    }
}

/* ---- level by level, with a learner ---- */

/* Nodes of one depth that are to be split. */
typedef struct {
    ct_task *tasks;  /* [n] owned */
    ct_run *runs;    /* [n][classes] owned */
    uint32_t n, room;
} level;

static void level_free(level *l)
{
    ct_free(l->tasks);
    ct_free(l->runs);
}

static int level_add(ct_desk *desk, level *l, const ct_task *task, const ct_run *runs)
{
    size_t width = ct_runs_of(desk->grower), more = l->room ? l->room : 64;
    if (ct_is_leaf(desk, task)) return ct_make_leaf(desk, task, runs);
    if (l->n == l->room) {
        if (!ct_enlarge(&l->tasks, l->n * sizeof *l->tasks, more * sizeof *l->tasks) ||
            !ct_enlarge(&l->runs, l->n * width * sizeof *l->runs, more * width * sizeof *l->runs))
            return 0;
        l->room += (uint32_t) more;
    }
    memcpy(l->runs + l->n * width, runs, task->n_runs * sizeof *runs);
    l->tasks[l->n++] = *task;
    return 1;
}

static int divide_level(ct_desk *desk, const level *now, ct_split *splits, const uint8_t *found,
                        level *next)
{
    size_t width = ct_runs_of(desk->grower);
    for (uint32_t i = 0; i < now->n; i++) {
        const ct_task *task = &now->tasks[i];
        ct_task left, right;
        memcpy(desk->now, now->runs + i * width, task->n_runs * sizeof *desk->now);
        if (!found[i]) {
            if (!ct_make_leaf(desk, task, desk->now)) return 0;
        } else if (!divide(desk, task, &splits[i], &left, &right) ||
                   !level_add(desk, next, &left, desk->left) ||
                   !level_add(desk, next, &right, desk->right)) {
            return 0;
        }
    }
    return 1;
}

/* The level below; 0 if memory ends or the learner wants no more. */
static int grow_level(ct_desk *desk, const level *now, level *next, uint32_t tree)
{
    uint32_t width = ct_runs_of(desk->grower);
    ct_split *splits = (ct_split *) ct_alloc(now->n * sizeof *splits);
    uint8_t *found = (uint8_t *) ct_alloc(now->n);
    ct_asked asked = CT_ASK_NO_MEMORY;
    if (splits && found)
        asked = ct_ask_learner(desk, now->tasks, now->runs, width, now->n, tree, splits, found);
    if (asked == CT_ASK_STOPPED) ct_halt_set(desk->stop);
    int fine = asked == CT_ASK_DONE && divide_level(desk, now, splits, found, next);
    ct_free(splits);
    ct_free(found);
    return fine;
}

static int grow_levels(ct_desk *desk, const ct_task *root, uint32_t tree)
{
    level now, next;
    memset(&now, 0, sizeof now);
    int fine = level_add(desk, &now, root, desk->now);
    while (fine && now.n) {
        memset(&next, 0, sizeof next);
        fine = !ct_halt_now(desk->stop, desk->number) && grow_level(desk, &now, &next, tree);
        level_free(&now);
        now = next;
    }
    level_free(&now);
    return fine;
}

/* ---- the whole ---- */

int ct_grow_tree(ct_desk *desk, uint32_t number)
{
    desk->n_nodes = desk->n_leaves = desk->n_tasks = desk->depth = desk->n_settled = 0;
    for (unsigned i = 0; i < CT_TASKS; i++) desk->order[i] = (uint8_t) i;
    const ct_grower *g = desk->grower;
    const ct_hist_options *options = g->options;
    memset(desk->gains, 0, (size_t) g->n_cols * g->gain_words.n * sizeof *desk->gains);
    if (g->is_wide) memcpy(desk->table_whole, g->whole, g->n_rows * sizeof *g->whole);
    ct_sample(&g->sampler, options->seed, number, options->sample, options->replace,
              g->places, desk->counts);
    if (ct_halt_now(desk->stop, desk->number)) return 0;
    ct_task *root = task_at(desk, 0);
    begin_runs(desk);
    make_root(desk, root);
    if (options->gains) root->purity = ct_purity(desk, root, desk->now);
    if (!ct_room_for_nodes(desk, 1)) return 0;
    desk->n_nodes = 1;
    if (options->learn) return grow_levels(desk, root, number);
    if (!settle(desk, 0)) return 0;
    for (uint64_t cells = ASK_EVERY; desk->n_tasks;) {
        cells += (uint64_t) task_at(desk, desk->n_tasks - 1)->n * options->mtry;
        if (cells > ASK_EVERY) {
            if (ct_halt_now(desk->stop, desk->number)) return 0;
            cells = 0;
        }
        if (!grow_node(desk, number)) return 0;
    }
    return 1;
}

/* ---- breadth first ---- */

static int new_tree(const ct_desk *desk, ct_hist_tree *tree)
{
    size_t width = ct_runs_of(desk->grower), n = desk->n_leaves ? desk->n_leaves : 1;
    tree->n_nodes = desk->n_nodes;
    tree->n_leaves = desk->n_leaves;
    tree->depth = desk->depth;
    tree->nodes = (ct_hist_node *) ct_alloc(desk->n_nodes * sizeof *tree->nodes);
    tree->counts = (uint32_t *) ct_alloc(n * width * sizeof *tree->counts);
    tree->means = desk->grower->n_classes ? NULL : (double *) ct_alloc(n * sizeof *tree->means);
    return tree->nodes && tree->counts && (tree->means || desk->grower->n_classes);
}

/* Leaves that have a place get it in the order of the nodes. */
static uint32_t move_leaf(const ct_desk *desk, ct_hist_tree *tree, uint32_t next, uint32_t place)
{
    size_t width = ct_runs_of(desk->grower), old = next & ~CT_HIST_MIXED;
    memcpy(tree->counts + place * width, desk->leaf_counts + old * width,
           width * sizeof *tree->counts);
    if (tree->means) tree->means[place] = desk->means[old];
    return place | (next & CT_HIST_MIXED);
}

ct_status ct_desk_tree(ct_desk *desk, ct_hist_tree *tree)
{
    const ct_grower *g = desk->grower;
    const size_t room = (size_t) desk->n_nodes + 2; /* two are written for leaves as well */
    uint32_t *old_of = (uint32_t *) ct_alloc(2 * room * sizeof *old_of), n = 1, place = 0;
    memset(tree, 0, sizeof *tree);
    if (!old_of || !new_tree(desk, tree)) {
        ct_free(old_of);
        return CT_NO_MEMORY;
    }
    uint32_t *new_of = old_of + room;
    old_of[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        ct_hist_node node = desk->nodes[old_of[i]];
        const uint32_t is_leaf = node.feature == CT_HIST_LEAF, left = node.next & CT_HIST_CHILD,
                       inner = is_leaf - 1; /* all bits, or none */
        new_of[old_of[i]] = i;
        if (is_leaf & (!g->n_classes | ((node.next & CT_HIST_MIXED) != 0)))
            node.next = move_leaf(desk, tree, node.next, place++);
        /* without a branch that cannot be foreseen */
        old_of[n] = left;
        old_of[n + 1] = left + 1;
        node.next = (node.next & ~(inner & CT_HIST_CHILD)) | (inner & n);
        n += inner & 2;
        tree->nodes[i] = node;
    }
    for (uint32_t i = 0; i < desk->n_settled; i++) desk->out_leaf[i] = new_of[desk->out_leaf[i]];
    ct_free(old_of);
    return CT_OK;
}

void ct_hist_tree_free(ct_hist_tree *tree)
{
    ct_free(tree->nodes);
    ct_free(tree->counts);
    ct_free(tree->means);
    memset(tree, 0, sizeof *tree);
}
