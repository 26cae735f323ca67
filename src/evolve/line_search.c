#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/threads.h"
#include "evolve/line_bins.h"
#include "evolve/line_sums.h"
#include "evolve/pieces.h"

/* With fewer of the rows a splitter is not ruled out. */
enum { SOME_ROWS = 500 };

/* ---- a splitter ---- */

static uint32_t rows_of_part(const ct_line *l, const ct_line_level *level, uint32_t part)
{
    uint32_t n = 0, end = l->of->slot[0] + l->of->n_leaves[0];
    for (uint32_t slot = l->of->slot[0]; slot < end; slot++)
        n += level->counts[part * l->of->n_slots + slot];
    return n;
}

static void search_ordered(ct_line *l, ct_line_level *level, uint32_t n, int missing)
{
    const uint32_t *first_rank = l->splitter->first_rank;
    ct_gmt_line_scan_cuts(l, level, n);
    /* all values against none: missing ones on the right */
    uint32_t end = missing && !l->missing_left ? n + 1 : n;
    for (uint32_t k = level->cut > 1 ? level->cut : 1; k < end && k < level->cut_end; k++)
        if (ct_gmt_line_offer(l, level, k))
            l->best.test.cut = k == n ? l->splitter->n_ranks : first_rank[level->order[k]];
    ct_gmt_line_open_bins(l, n);
}

static void set_level(ct_gmt_test *test, uint32_t level)
{
    test->levels[level / 64] |= UINT64_C(1) << (level % 64);
}

/* Levels in the order of the mean response, or without an intercept of the slopes on the first
 * regressor, then as if they were ordered. */
static void search_sorted_levels(ct_line *l, ct_line_level *level, uint32_t n)
{
    const ct_line_node *of = l->of;
    const size_t size = of->table->size, first = of->table->first,
                 last = ct_gram_row(of->table->p - 1) + first;
    double mean[CT_MODEL_BINS];
    CT_ASSERT(first + 1 < of->table->p);
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0, weight = 0;
        for (uint32_t leaf = 0; leaf < of->n_leaves[0]; leaf++) {
            const double *gram =
                level->sums + (level->order[k] * of->n_slots + of->slot[0] + leaf) * size;
            weight += gram[ct_gram_row(first) + first];
            sum += gram[last];
        }
        double x = weight > 0 ? sum / weight : 0;
        uint32_t bin = level->order[k], i = k;
        for (; i > 0 && mean[i - 1] > x; i--)
            mean[i] = mean[i - 1], level->order[i] = level->order[i - 1];
        mean[i] = x;
        level->order[i] = bin;
    }
    ct_gmt_line_scan_cuts(l, level, n);
    for (uint32_t k = level->cut > 1 ? level->cut : 1; k < n && k < level->cut_end; k++)
        if (ct_gmt_line_offer(l, level, k))
            for (uint32_t i = 0; i < k; i++) set_level(&l->best.test, level->order[i]);
}

/* Of every set of levels: whether the splits below have enough rows. */
static void mark_small_splits(const ct_line *l, ct_line_level *level, uint32_t all, int side)
{
    uint32_t count[CT_LINE_SUBSETS];
    for (uint32_t i = 0; i < l->of->n_splits[side]; i++) {
        const ct_line_split split = l->of->split[side][i];
        count[0] = ct_gmt_line_base_rows(level, side, split);
        for (uint32_t set = 1; set < all; set++) {
            uint32_t part = level->order[ct_trailing_zeros(set)];
            count[set] = count[set & (set - 1)] +
                         ct_gmt_line_part_rows(l, level, side, part, split);
            if (count[set] < l->of->options->min_n) level->few[side][side ? all ^ set : set] = 1;
        }
    }
}

/* Every set of levels: the sum of each is that of the set without its lowest level, and this one.
 * Where both sides are leaves the first level stays on the left. */
static void search_subsets(ct_line *l, ct_line_level *level, uint32_t n)
{
    const ct_line_node *of = l->of;
    const size_t size = of->table->size;
    const uint32_t all = (1u << n) - 1;
    uint32_t count[CT_LINE_SUBSETS];
    double *sums = l->scratch->subsets;
    ct_gmt_line_clear_costs(level, all + 1);
    for (int side = 0; side < 2; side++) {
        ct_line_batch b = {l, level, side, 0, {0}};
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            memcpy(sums, level->base[side] + leaf * size, size * sizeof *sums);
            count[0] = level->base_n[side][leaf];
            for (uint32_t set = 1; set < all; set++) {
                uint32_t before = set & (set - 1), bit = ct_trailing_zeros(set),
                         place = level->order[bit] * of->n_slots + of->slot[side] + leaf;
                memcpy(sums + set * size, sums + before * size, size * sizeof *sums);
                ct_gmt_line_add(sums + set * size, level->sums + place * size, size);
                count[set] = count[before] + level->counts[place];
                ct_gmt_line_put(&b, sums + set * size, count[set], side ? all ^ set : set);
            }
        }
        ct_gmt_line_solve(&b);
        mark_small_splits(l, level, all, side);
    }
    for (uint32_t set = 1; set < all; set++) {
        if (of->n_slots == 1 && !l->missing_left && !(set & 1)) continue;
        if (!ct_gmt_line_offer(l, level, set)) continue;
        for (uint32_t i = 0; i < n; i++)
            if (set >> i & 1) set_level(&l->best.test, level->order[i]);
    }
}

/* The rows without a value on one side, or there are none. */
static void set_bases(const ct_line *l, ct_line_level *level, int missing)
{
    const ct_line_node *of = l->of;
    const size_t size = of->table->size;
    for (int side = 0; side < 2; side++) {
        int here = missing && (side == 0) == l->missing_left;
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            uint32_t place = l->splitter->n_bins * of->n_slots + of->slot[side] + leaf;
            if (here)
                memcpy(level->base[side] + leaf * size, level->sums + place * size,
                       size * sizeof(double));
            else memset(level->base[side] + leaf * size, 0, size * sizeof(double));
            level->base_n[side][leaf] = here ? level->counts[place] : 0;
        }
    }
}

/* What either subtree alone would cost: its leaves with all rows of the node. */
static void cost_subtrees(ct_line *l, ct_line_level *level, uint32_t n, int missing)
{
    for (int side = 0; side < 2; side++) {
        ct_line_best *kept = &l->of->kept[side];
        uint32_t k = side ? 0 : n;
        l->missing_left = side == 0;
        set_bases(l, level, missing);
        ct_gmt_line_clear_costs(level, n + 1);
        ct_gmt_line_scan(l, level, n, side, k, k);
        kept->test.splitter = level->few[side][k] ? -1 : 0;
        kept->sse = level->sse[side][k];
        kept->terms = level->terms[side][k] + l->of->n_leaves[side] - 1;
    }
}

/* Bins that have rows, from left to right; whether there are rows without a value. */
static uint32_t order_bins(const ct_line *l, ct_line_level *level, int *missing)
{
    uint32_t n = 0;
    for (uint32_t bin = 0; bin < l->splitter->n_bins; bin++)
        if (rows_of_part(l, level, bin)) level->order[n++] = bin;
    *missing = rows_of_part(l, level, l->splitter->n_bins) > 0;
    return n;
}

/* Whether some of the rows alone cost as much at every threshold, whichever bin it is in, as is to
 * be beaten. That is seen only where many leaves would get rows that are not theirs. */
static int rows_rule_out(ct_line *l, ct_line_level *level, uint32_t stride)
{
    int missing, paid = 1;
    if (l->of->options->without & CT_LINE_SOME_ROWS || l->splitter->n_levels ||
        l->of->n_slots == 1 || l->of->n / stride < SOME_ROWS)
        return 0;
    ct_gmt_line_sum_bins(l, level, stride);
    uint32_t n = order_bins(l, level, &missing);
    for (l->missing_left = 0; l->missing_left <= missing && paid; l->missing_left++) {
        set_bases(l, level, missing);
        ct_gmt_line_clear_costs(level, n + 1);
        ct_gmt_line_scan(l, level, n, 0, 0, n);
        ct_gmt_line_scan(l, level, n, 1, 0, n);
        for (uint32_t k = 0; k < n && paid; k++)
            paid = ct_gmt_line_cost(l, level, k, k + 1) > l->least;
    }
    return paid && n > 0;
}

static ct_line line_of(const ct_line_node *of, ct_line_scratch *scratch, uint32_t number)
{
    return (ct_line){.of = of,
                     .scratch = scratch,
                     .splitter = &of->table->splitters[number],
                     .number = (int32_t) number,
                     .least = of->limit,
                     .best = {.test = {.splitter = -1}}};
}

/* The first splitter is not ruled out: the costs of the subtrees are taken from its sums. */
static int is_out(ct_line *l)
{
    ct_line_level *level = &l->scratch->levels[0];
    l->of->best[l->number] = l->best;
    return l->number != (int32_t) l->of->first &&
           (rows_rule_out(l, level, 64) || rows_rule_out(l, level, 8));
}

/* The rows are summed. */
static void search_sums(ct_line *l)
{
    ct_line_level *level = &l->scratch->levels[0];
    int missing;
    uint32_t n = order_bins(l, level, &missing);
    if (l->number == (int32_t) l->of->first && l->of->n_slots > 1)
        cost_subtrees(l, level, n, missing);
    for (l->missing_left = 0; l->missing_left <= missing; l->missing_left++) {
        set_bases(l, level, missing);
        if (!l->splitter->n_levels) search_ordered(l, level, n, missing);
        else if (n > CT_SUBSET_LEVELS) search_sorted_levels(l, level, n);
        else if (n > 1) search_subsets(l, level, n);
    }
    l->of->best[l->number] = l->best;
}

static void search_splitters(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const ct_line_node *of = (const ct_line_node *) data;
    for (uint64_t i = begin; i < end; i++) {
        ct_line l = line_of(of, of->scratch[worker], of->first + (uint32_t) i);
        if (is_out(&l)) continue;
        ct_gmt_line_sum_bins(&l, &l.scratch->levels[0], 1);
        search_sums(&l);
    }
}

/* ---- splitters whose rows are summed in pieces: as many at a time as there are threads ---- */

typedef struct {
    ct_line lines[CT_LINE_AT_A_TIME];
    uint8_t out[CT_LINE_AT_A_TIME];
} line_group;

static void rule_out_lines(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    line_group *group = (line_group *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) group->out[i] = (uint8_t) is_out(&group->lines[i]);
}

static void search_lines(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    line_group *group = (line_group *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        if (!group->out[i]) search_sums(&group->lines[i]);
}

static void search_by_pieces(const ct_line_node *of, uint32_t n_lines, unsigned threads)
{
    line_group group;
    unsigned most = threads < CT_LINE_AT_A_TIME ? threads : CT_LINE_AT_A_TIME;
    for (uint32_t done = 0, n; done < n_lines; done += n) {
        n = n_lines - done < most ? n_lines - done : most;
        for (uint32_t i = 0; i < n; i++)
            group.lines[i] = line_of(of, of->scratch[i], of->first + done + i);
        ct_loop loop = {n, 1, CT_DYNAMIC, threads, rule_out_lines, &group, NULL};
        ct_parallel_for(&loop);
        for (uint32_t i = 0; i < n; i++)
            if (!group.out[i])
                ct_gmt_line_sum_pieces(&group.lines[i], &of->scratch[i]->levels[0], of->scratch[0],
                                       threads);
        loop.work = search_lines;
        ct_parallel_for(&loop);
    }
}

/* ---- a node ---- */

typedef struct {
    const uint32_t *rows;
    uint8_t *leaf;
    uint8_t value;
} setting;

static void set_piece(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const setting *s = (const setting *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) s->leaf[s->rows[i]] = s->value;
}

/* Leaf `value` for the rows begin .. end - 1 of a node of the tree. */
static void set_rows(const ct_model_tree *tree, uint32_t begin, uint32_t end, uint8_t *leaf,
                     uint8_t value)
{
    setting s = {tree->rows + begin, leaf, value};
    uint32_t n = end - begin;
    ct_loop loop = {n, n / ct_pieces(n) + 1, CT_STATIC, tree->threads, set_piece, &s, NULL};
    ct_parallel_for(&loop);
}

typedef struct {
    const ct_line_node *of;
    int32_t child;
    const uint8_t *number; /* of the leaf, by node */
    uint8_t *leaf;
    const uint32_t *inside; /* rows of the node that are passed over */
    uint32_t n_inside;
} sending;

/* Rows begin .. end - 1 of those that are not `inside`. */
static void send_piece(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const sending *s = (const sending *) data;
    const ct_model_tree *tree = s->of->tree;
    const uint64_t before = (uint64_t) (s->inside - s->of->rows);
    (void) worker;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t row = s->of->rows[i < before ? i : i + s->n_inside];
        int32_t at = s->child;
        while (!ct_gmt_is_leaf(tree, at)) {
            const ct_model_node *node = &tree->nodes[at];
            at = ct_gmt_goes_left(s->of->table, &node->test, row) ? node->left : node->right;
        }
        s->leaf[row] = s->number[at];
    }
}

/* Leaves below a child, numbered from left to right, of all rows of the node: where `inside`, its
 * own rows are, these are known. */
static void send_rows(const ct_line_node *of, int32_t child, uint8_t *leaf)
{
    const ct_model_tree *tree = of->tree;
    const uint32_t *inside = tree->rows + tree->nodes[child].begin,
                   *behind = tree->rows + tree->nodes[child].end;
    uint8_t number[2 * CT_TREE_LEAVES];
    int32_t leaves[CT_TREE_LEAVES];
    uint32_t n_leaves = ct_gmt_model_tree_leaves(tree, child, leaves);
    CT_ASSERT(tree->room <= sizeof number);
    for (uint32_t i = 0; i < n_leaves; i++) {
        const ct_model_node *at = &tree->nodes[leaves[i]];
        number[leaves[i]] = (uint8_t) i;
        set_rows(tree, at->begin, at->end, leaf, (uint8_t) i);
    }
    sending s = {of, child, number, leaf, inside, (uint32_t) (behind - inside)};
    uint32_t n = of->n - s.n_inside;
    ct_loop loop = {n, n / ct_pieces(n) + 1, CT_STATIC, tree->threads, send_piece, &s, NULL};
    ct_parallel_for(&loop);
}

static void set_leaf(const ct_line_node *of, uint8_t *leaf, uint8_t value)
{
    uint32_t begin = (uint32_t) (of->rows - of->tree->rows);
    if (of->n == of->table->n_rows) memset(leaf, value, of->n);
    else set_rows(of->tree, begin, begin + of->n, leaf, value);
}

/* The splits from `node` down, whose leaves are numbered from `first` on; returns how many leaves
 * there are. */
static uint32_t note_splits(ct_line_node *of, int32_t node, int side, uint32_t first)
{
    const ct_model_node *at = &of->tree->nodes[node];
    if (ct_gmt_is_leaf(of->tree, node)) return 1;
    uint32_t left = note_splits(of, at->left, side, first),
             n = left + note_splits(of, at->right, side, first + left);
    of->split[side][of->n_splits[side]++] = (ct_line_split){first, first + n};
    return n;
}

ct_status ct_gmt_line_search(const ct_model_tree *tree, int32_t node, double limit,
                             const ct_line_options *options, ct_line_scratch *const *scratch,
                             unsigned threads, ct_line_answer *answer, ct_error *error)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    CT_ASSERT(threads > 0);
    const ct_model_node *at = &tree->nodes[node];
    ct_line_node of = {.tree = tree,
                       .table = tree->table,
                       .options = options,
                       .rows = tree->rows + at->begin,
                       .n = at->end - at->begin,
                       .n_leaves = {1, 1},
                       .n_slots = 1,
                       .leaf = {scratch[0]->leaf[0], scratch[0]->leaf[1]},
                       .limit = limit,
                       .splits = 1,
                       .scratch = scratch,
                       .kept = answer->kept};
    uint32_t n_lines = tree->table->n_splitters;
    int32_t leaves[CT_TREE_LEAVES];
    for (int side = 0; side < 2; side++) {
        memset(&answer->kept[side], 0, sizeof answer->kept[side]);
        answer->kept[side].test.splitter = -1;
        if (ct_gmt_is_leaf(tree, node)) {
            set_leaf(&of, scratch[0]->leaf[side], 0);
            continue;
        }
        int32_t child = side ? at->right : at->left;
        of.n_leaves[side] = ct_gmt_model_tree_leaves(tree, child, leaves);
        send_rows(&of, child, scratch[0]->leaf[side]);
        if (options->min_n > 2 * (uint64_t) options->minbucket) note_splits(&of, child, side, 0);
    }
    if (of.n_leaves[0] + of.n_leaves[1] > 2) {
        of.slot[1] = of.n_leaves[0];
        of.n_slots = of.n_leaves[0] + of.n_leaves[1];
    }
    of.splits = of.n_leaves[0] + of.n_leaves[1] - 1;
    memset(&answer->best, 0, sizeof answer->best);
    answer->best.test.splitter = -1;
    of.best = (ct_line_best *) ct_alloc((tree->table->n_splitters + 1) * sizeof *of.best);
    if (!of.best) {
        for (int side = 0; side < 2; side++) set_leaf(&of, scratch[0]->leaf[side], CT_LINE_OUTSIDE);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    }
    if (options->only >= 0) of.first = (uint32_t) options->only, n_lines = 1;
    if (ct_gmt_line_pieces(&of, scratch[0]) > 1) {
        search_by_pieces(&of, n_lines, threads);
    } else {
        ct_loop loop = {n_lines, 1, CT_DYNAMIC, threads, search_splitters, &of, NULL};
        ct_parallel_for(&loop);
    }
    for (int side = 0; side < 2; side++) set_leaf(&of, scratch[0]->leaf[side], CT_LINE_OUTSIDE);
    double least = limit;
    for (uint32_t i = of.first; i < of.first + n_lines; i++) {
        const ct_line_best *best = &of.best[i];
        double cost = best->sse + options->lambda * best->terms;
        if (best->test.splitter < 0 || !(cost < least - 1e-12 * tree->table->total)) continue;
        least = cost;
        answer->best = *best;
    }
    ct_free(of.best);
    return CT_OK;
}
