#include "base/unguarded.h"

#include "forest/grow.h"

#include <math.h>
#include <string.h>

#include "base/hd.h"
#include "base/memory.h"
#include "forest/ask.h"
#include "forest/paths.h"
#include "forest/split.h"

enum { ASK_EVERY = 32768 }; /* cells that nodes look at, whether work is to end */

/* ---- nodes and leaves ---- */

/* An array of twice the room with what was in it; 0 if memory ends. */
static int enlarge(void *place, size_t bytes, size_t more)
{
    void *old, *memory = ct_alloc(bytes + more);
    if (!memory) return 0;
    memcpy(&old, place, sizeof old);
    if (bytes) memcpy(memory, old, bytes);
    ct_free(old);
    memcpy(place, &memory, sizeof memory);
    return 1;
}

static int room_for_nodes(ct_desk *desk)
{
    if (desk->n_nodes + 2 <= desk->room_nodes) return 1;
    uint32_t room = desk->room_nodes ? 2 * desk->room_nodes : 1024;
    if (!enlarge(&desk->nodes, desk->n_nodes * sizeof *desk->nodes,
                 (room - desk->n_nodes) * sizeof *desk->nodes))
        return 0;
    desk->room_nodes = room;
    return 1;
}

static int room_for_leaf(ct_desk *desk)
{
    if (desk->n_leaves < desk->room_leaves) return 1;
    size_t width = ct_runs_of(desk->grower), n = desk->n_leaves, room = n ? 2 * n : 256,
           more = room - n;
    if (!enlarge(&desk->leaf_counts, n * width * sizeof *desk->leaf_counts,
                 more * width * sizeof *desk->leaf_counts) ||
        (!desk->grower->n_classes &&
         !enlarge(&desk->means, n * sizeof *desk->means, more * sizeof *desk->means)))
        return 0;
    desk->room_leaves = (uint32_t) room;
    return 1;
}

static const ct_view *view_of(const ct_desk *desk, const ct_task *task)
{
    return &desk->views[task->place];
}

static uint32_t table_row(const ct_view *view, uint32_t row)
{
    return view->rows ? view->rows[row] : row;
}

static double mean_of(const ct_desk *desk, const ct_task *task)
{
    const ct_view *view = view_of(desk, task);
    double sum = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++)
        sum += ct_hd_product(desk->grower->data->numbers[table_row(view, desk->items[i].row)],
                             desk->items[i].weight);
    return sum / task->weight;
}

/* A leaf with the rows of the task, whose runs are these. 0 if memory ends. */
static int make_leaf(ct_desk *desk, const ct_task *task, const ct_run *runs)
{
    ct_hist_node *node = &desk->nodes[task->node];
    const ct_view *view = view_of(desk, task);
    uint32_t width = ct_runs_of(desk->grower);
    for (uint32_t i = task->out; i < task->out + task->n_out; i++) {
        desk->out_row[desk->n_settled] = table_row(view, desk->out[i]);
        desk->out_leaf[desk->n_settled++] = task->node;
    }
    node->feature = CT_HIST_LEAF;
    node->cut = 0;
    if (task->depth > desk->depth) desk->depth = task->depth;
    if (desk->grower->n_classes && task->n_runs == 1 && task->weight < CT_HIST_PURE_WEIGHT) {
        node->next = runs[0].class_ + CT_HIST_CLASSES * task->weight;
        return 1;
    }
    if (!room_for_leaf(desk)) return 0;
    uint32_t *counts = desk->leaf_counts + (size_t) desk->n_leaves * width;
    memset(counts, 0, width * sizeof *counts);
    for (uint32_t k = 0; k < task->n_runs; k++) counts[runs[k].class_] = runs[k].weight;
    if (!desk->grower->n_classes) desk->means[desk->n_leaves] = mean_of(desk, task);
    node->next = desk->n_leaves++ | (desk->grower->n_classes ? CT_HIST_MIXED : 0);
    return 1;
}

static int all_equal(const ct_desk *desk, const ct_task *task)
{
    const ct_view *view = view_of(desk, task);
    const ct_item *items = desk->items + task->begin;
    uint32_t i = 1;
    while (i < task->n && view->whole[items[i].row] == view->whole[items[0].row]) i++;
    return i == task->n;
}

static int is_leaf(const ct_desk *desk, const ct_task *task)
{
    const ct_hist_options *options = desk->grower->options;
    if (task->n < 2 || task->weight <= options->min_n || task->depth >= options->depth) return 1;
    return desk->grower->n_classes ? task->n_runs == 1 : all_equal(desk, task);
}

/* ---- partition ---- */

/* Levels as bins of the task's rows, where the view has none. */
static const uint8_t *bins_of_levels(ct_desk *desk, const ct_view *view, const ct_task *task,
                                     uint32_t column)
{
    uint8_t *bins = desk->level_bins;
    if (view->bins) return view->bins + column * view->bin_stride;
    for (uint32_t i = 0; i < task->n + task->n_out; i++) {
        uint32_t row = i < task->n ? desk->items[task->begin + i].row
                                   : desk->out[task->out + i - task->n];
        bins[row] = (uint8_t) ct_view_code(view, column, row);
    }
    return bins;
}

/* Which levels go left. */
static ct_question set_question(ct_desk *desk, const ct_task *task, const ct_split *split)
{
    const ct_view *view = view_of(desk, task);
    const uint8_t *bins = bins_of_levels(desk, view, task, split->column);
    ct_question q = {NULL, NULL, bins, desk->turns, 0, 0};
    memset(desk->turns, 0, sizeof desk->turns);
    for (uint32_t code = 0; code < CT_SET_LEVELS; code++)
        desk->turns[code] = split->cut >> code & 1 ? CT_TURN_LEFT : 0;
    desk->turns[CT_BIN_MISSING] = split->missing_left ? CT_TURN_LEFT : 0;
    return q;
}

static ct_question question_of(ct_desk *desk, const ct_task *task, const ct_split *split)
{
    const ct_view *view = view_of(desk, task);
    if (split->is_set) return set_question(desk, task, split);
    const ct_code_column *column = &desk->grower->codes->columns[split->column];
    uint32_t missing_left = (uint32_t) split->missing_left;
    ct_question q = {view->codes + split->column * view->code_stride, view->code_rows, NULL,
                     desk->turns, missing_left, split->cut + missing_left};
    if (!view->bins) return q;
    uint32_t bin = split->cut < column->n_codes ? ct_bin_of(column, (uint16_t) split->cut)
                                                : column->n_bins;
    q.bins = view->bins + split->column * view->bin_stride;
    memset(desk->turns, 0, sizeof desk->turns);
    memset(desk->turns, CT_TURN_LEFT, bin);
    if (split->cut > column->first[bin]) desk->turns[bin] = CT_TURN_ASK;
    if (missing_left) desk->turns[CT_BIN_MISSING] = CT_TURN_LEFT;
    return q;
}

/* Rows left out, as ct_part_from() does it with items. */
static uint32_t part_out(const ct_question *q, uint32_t *rows, uint32_t *spare, uint32_t n)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = rows[i], left = ct_goes_left(q, row);
        rows[n_left] = row;
        spare[i - n_left] = row;
        n_left += left;
    }
    memcpy(rows + n_left, spare, (n - n_left) * sizeof *rows);
    return n_left;
}

/* Without a branch that cannot be foreseen: a run without rows is written over by the next. */
static void add_run(ct_run *runs, ct_task *task, uint32_t class_, uint32_t n, uint32_t weight)
{
    runs[task->n_runs] = (ct_run){class_, n, weight};
    task->n_runs += n > 0;
    task->n += n;
    task->weight += weight;
}

/* Items of the task part into those at its begin and spare ones; desk->went has what of each run
 * went left. */
static void part_items(ct_desk *desk, const ct_task *task, const ct_split *split)
{
    const ct_scan *scan = desk->grower->scan;
    ct_item *from = desk->items + task->begin, *left = from, *right = desk->spare_items;
    if (split->codes) {
        CT_ASSERT(split->cut + (uint32_t) split->missing_left > 0);
        int small = task->n <= CT_SMALL_ROWS && task->weight <= CT_SMALL_WEIGHT;
        ct_own_question own = {split->codes, small ? desk->small_weights : NULL, split->raise,
                               (uint16_t) (split->cut + (uint32_t) split->missing_left - 1)};
        scan->part_own(&own, from, desk->now, task->n_runs, left, right, desk->went);
        return;
    }
    ct_question q = question_of(desk, task, split);
    for (uint32_t k = 0; k < task->n_runs; k++) {
        ct_run run = desk->now[k], *went = &desk->went[k];
        went->n = scan->part(&q, from, run.n, left, right, &went->weight);
        from += run.n;
        left += went->n;
        right += run.n - went->n;
    }
}

/* The rows of the task as those of two, run by run, so that each has runs again. */
static void part(ct_desk *desk, const ct_task *task, ct_split *split, ct_task *left, ct_task *right)
{
    part_items(desk, task, split);
    for (uint32_t k = 0; k < task->n_runs; k++) {
        const ct_run run = desk->now[k], went = desk->went[k],
                     rest = {run.class_, run.n - went.n, run.weight - went.weight};
        add_run(desk->left, left, run.class_, went.n, went.weight);
        add_run(desk->right, right, run.class_, rest.n, rest.weight);
    }
    memcpy(desk->items + task->begin + left->n, desk->spare_items, right->n * sizeof *desk->items);
    left->begin = task->begin;
    right->begin = task->begin + left->n;
    /* values that were never missing here go to the larger side where they are */
    if (!split->knows_missing) split->missing_left = left->weight >= right->weight;
    if (split->is_set && left->weight >= right->weight) split->cut |= split->absent;
    left->out = task->out;
    if (task->n_out) {
        ct_question q = question_of(desk, task, split);
        left->n_out = part_out(&q, desk->out + task->out, desk->spare_out, task->n_out);
    }
    right->out = task->out + left->n_out;
    right->n_out = task->n_out - left->n_out;
}

/* ---- gains ---- */

static double sum_of(const ct_desk *desk, const ct_task *task)
{
    const int32_t *whole = view_of(desk, task)->whole;
    double sum = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++)
        sum += (double) whole[desk->items[i].row] * desk->items[i].weight;
    return sum;
}

static double purity_of(const ct_desk *desk, const ct_task *task, const ct_run *runs)
{
    double squares = 0;
    if (!desk->grower->n_classes) {
        const double sum = sum_of(desk, task);
        return sum * sum / task->weight;
    }
    for (uint32_t k = 0; k < task->n_runs; k++)
        squares += (double) runs[k].weight * runs[k].weight;
    return squares / task->weight;
}

static void note_gain(ct_desk *desk, const ct_task *task, ct_task *left, ct_task *right,
                      uint32_t column)
{
    left->purity = purity_of(desk, left, desk->left);
    right->purity = purity_of(desk, right, desk->right);
    double gain = left->purity + right->purity - task->purity;
    desk->gains[column] += ct_rounded(gain * desk->grower->gain_scale);
}

/* ---- a tree ---- */

static void begin_child(ct_task *child, const ct_task *task, uint32_t node, uint32_t side)
{
    memset(child, 0, sizeof *child);
    child->path = ct_rng_path(task->path, side);
    child->node = node;
    child->depth = task->depth + 1;
    child->place = task->place;
}

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
    if (is_leaf(desk, task)) return make_leaf(desk, task, runs_at(desk, place));
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
    if (!room_for_nodes(desk)) return 0;
    begin_child(left, task, desk->n_nodes, 0);
    begin_child(right, task, desk->n_nodes + 1, 1);
    desk->n_nodes += 2;
    part(desk, task, split, left, right);
    if (desk->grower->options->gains) note_gain(desk, task, left, right, split->column);
    uint32_t next = left->node | (split->missing_left ? CT_HIST_FLAG : 0) |
                    (split->is_set ? CT_HIST_SET : 0);
    desk->nodes[task->node] = (ct_hist_node){next, (uint16_t) split->column,
                                             (uint16_t) split->cut};
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
    ct_enter_copy(desk, task);
    if (!ct_find_split(desk, view_of(desk, task), task, tree, &split))
        return make_leaf(desk, task, desk->now);
    if (!divide(desk, task, &split, left, right)) return 0;
    /* the larger one waits */
    if (left->n >= right->n) return settle(desk, place + 1) && settle(desk, place + 2);
    return settle(desk, place + 2) && settle(desk, place + 1);
}

/* The sample's rows by class, and those left out. */
static void make_root(ct_desk *desk, ct_task *root)
{
    const ct_grower *g = desk->grower;
    memset(root, 0, sizeof *root);
    root->path = CT_ROOT_PATH;
    uint32_t begin = 0, weight;
    for (uint32_t c = 0; c < ct_runs_of(g); begin = g->class_end[c], c++) {
        const uint32_t n = g->scan->drawn(g->order + begin, desk->counts + begin,
                                          g->class_end[c] - begin, desk->items + root->n, &weight);
        add_run(desk->now, root, c, n, weight);
    }
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
    if (is_leaf(desk, task)) return make_leaf(desk, task, runs);
    if (l->n == l->room) {
        if (!enlarge(&l->tasks, l->n * sizeof *l->tasks, more * sizeof *l->tasks) ||
            !enlarge(&l->runs, l->n * width * sizeof *l->runs, more * width * sizeof *l->runs))
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
            if (!make_leaf(desk, task, desk->now)) return 0;
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
    memset(desk->gains, 0, desk->grower->n_cols * sizeof *desk->gains);
    const ct_hist_options *options = desk->grower->options;
    ct_sample(&desk->grower->sampler, options->seed, number, options->sample, options->replace,
              desk->grower->places, desk->counts);
    if (ct_halt_now(desk->stop, desk->number)) return 0;
    ct_task *root = task_at(desk, 0);
    begin_runs(desk);
    make_root(desk, root);
    if (options->gains) root->purity = purity_of(desk, root, desk->now);
    if (!room_for_nodes(desk)) return 0;
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
