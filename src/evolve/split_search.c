#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/threads.h"
#include "evolve/open_bins.h"
#include "evolve/bin_sums.h"
#include "evolve/pieces.h"

/* A splitter is not ruled out by fewer rows than this. */
enum { SOME_ROWS = 500 };

/* ---- a splitter ---- */

static uint32_t rows_of_bin(const ct_splitter_search *s, const ct_bin_level *level, uint32_t bin)
{
    uint32_t n = 0, end = s->of->slot[0] + s->of->n_leaves[0];
    for (uint32_t slot = s->of->slot[0]; slot < end; slot++)
        n += level->counts[bin * s->of->n_slots + slot];
    return n;
}

static void search_ordered(ct_splitter_search *s, ct_bin_level *level, uint32_t n, int missing)
{
    const uint32_t *first_rank = s->splitter->first_rank;
    ct_gmt_scan_cuts(s, level, n);
    /* all values against none: missing ones on the right */
    uint32_t end = missing && !s->missing_left ? n + 1 : n;
    for (uint32_t k = level->cut > 1 ? level->cut : 1; k < end && k < level->cut_end; k++)
        if (ct_gmt_offer_cut(s, level, k))
            s->best.test.cut = k == n ? s->splitter->n_ranks : first_rank[level->order[k]];
    ct_gmt_open_bins(s, n);
}

static void set_level(ct_gmt_test *test, uint32_t level)
{
    test->levels[level / 64] |= UINT64_C(1) << (level % 64);
}

/* Levels in the order of the mean response, or without an intercept of the slopes on the first
 * regressor, then as if they were ordered. */
static void search_sorted_levels(ct_splitter_search *s, ct_bin_level *level, uint32_t n)
{
    const ct_node_search *of = s->of;
    const size_t size = of->table->size, first = of->table->first,
                 last = ct_gram_row(of->table->p - 1) + first;
    double mean[CT_MODEL_BINS];
    CT_ASSERT(first + 1 < of->table->p);
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0, weight = 0;
        for (uint32_t leaf = 0; leaf < of->n_leaves[0]; leaf++) {
            const double *gram = level->sums +
                                 (level->order[k] * of->n_slots + of->slot[0] + leaf) * size;
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
    ct_gmt_scan_cuts(s, level, n);
    for (uint32_t k = level->cut > 1 ? level->cut : 1; k < n && k < level->cut_end; k++)
        if (ct_gmt_offer_cut(s, level, k))
            for (uint32_t i = 0; i < k; i++) set_level(&s->best.test, level->order[i]);
}

/* Marks the sets of levels that leave a split below the node too few rows. */
static void mark_small_splits(const ct_splitter_search *s, ct_bin_level *level, uint32_t all,
                              int side)
{
    uint32_t count[CT_LEVEL_SUBSETS];
    for (uint32_t i = 0; i < s->of->n_splits[side]; i++) {
        const ct_leaf_range split = s->of->split[side][i];
        count[0] = ct_gmt_base_rows(level, side, split);
        for (uint32_t set = 1; set < all; set++) {
            uint32_t bin = level->order[ct_trailing_zeros(set)];
            count[set] = count[set & (set - 1)] + ct_gmt_bin_rows(s, level, side, bin, split);
            if (count[set] < s->of->options->min_n)
                level->too_few[side][side ? all ^ set : set] = 1;
        }
    }
}

/* Tries every set of levels; the sum of each is that of the set without its lowest level, plus that
 * level. Where both sides are leaves the first level stays on the left. */
static void search_subsets(ct_splitter_search *s, ct_bin_level *level, uint32_t n)
{
    const ct_node_search *of = s->of;
    const size_t size = of->table->size;
    const uint32_t all = (1u << n) - 1;
    uint32_t count[CT_LEVEL_SUBSETS];
    double *sums = s->scratch->subsets;
    ct_gmt_clear_costs(level, all + 1);
    for (int side = 0; side < 2; side++) {
        ct_leaf_batch b = {s, level, side, 0, {0}};
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            memcpy(sums, level->base[side] + leaf * size, size * sizeof *sums);
            count[0] = level->base_n[side][leaf];
            for (uint32_t set = 1; set < all; set++) {
                uint32_t before = set & (set - 1), bit = ct_trailing_zeros(set),
                         index = level->order[bit] * of->n_slots + of->slot[side] + leaf;
                memcpy(sums + set * size, sums + before * size, size * sizeof *sums);
                ct_gmt_add_gram(sums + set * size, level->sums + index * size, size);
                count[set] = count[before] + level->counts[index];
                ct_gmt_leaf_batch_add(&b, sums + set * size, count[set], side ? all ^ set : set);
            }
        }
        ct_gmt_leaf_batch_solve(&b);
        mark_small_splits(s, level, all, side);
    }
    for (uint32_t set = 1; set < all; set++) {
        if (of->n_slots == 1 && !s->missing_left && !(set & 1)) continue;
        if (!ct_gmt_offer_cut(s, level, set)) continue;
        for (uint32_t i = 0; i < n; i++)
            if (set >> i & 1) set_level(&s->best.test, level->order[i]);
    }
}

/* Sets the base of both sides: the rows without a value on the side where they go, and nothing on
 * the other. */
static void set_bases(const ct_splitter_search *s, ct_bin_level *level, int missing)
{
    const ct_node_search *of = s->of;
    const size_t size = of->table->size;
    for (int side = 0; side < 2; side++) {
        int here = missing && (side == 0) == s->missing_left;
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            uint32_t index = s->splitter->n_bins * of->n_slots + of->slot[side] + leaf;
            if (here)
                memcpy(level->base[side] + leaf * size, level->sums + index * size,
                       size * sizeof(double));
            else
                memset(level->base[side] + leaf * size, 0, size * sizeof(double));
            level->base_n[side][leaf] = here ? level->counts[index] : 0;
        }
    }
}

/* What either subtree would cost in the node's place: its leaves get all rows of the node. */
static void cost_subtrees(ct_splitter_search *s, ct_bin_level *level, uint32_t n, int missing)
{
    for (int side = 0; side < 2; side++) {
        ct_gmt_split *kept = &s->of->kept[side];
        uint32_t k = side ? 0 : n;
        s->missing_left = side == 0;
        set_bases(s, level, missing);
        ct_gmt_clear_costs(level, n + 1);
        ct_gmt_scan_side(s, level, n, side, k, k);
        kept->test.splitter = level->too_few[side][k] ? -1 : 0;
        kept->sse = level->sse[side][k];
        kept->terms = level->terms[side][k] + s->of->n_leaves[side] - 1;
    }
}

/* Lists the bins that have rows, from left to right. *missing: there are rows without a value. */
static uint32_t order_bins(const ct_splitter_search *s, ct_bin_level *level, int *missing)
{
    uint32_t n = 0;
    for (uint32_t bin = 0; bin < s->splitter->n_bins; bin++)
        if (rows_of_bin(s, level, bin)) level->order[n++] = bin;
    *missing = rows_of_bin(s, level, s->splitter->n_bins) > 0;
    return n;
}

/* Whether some of the rows alone cost more at every threshold than is to be beaten. That happens
 * only where there are many leaves, most of which would get rows that they do not fit. */
static int rows_rule_out(ct_splitter_search *s, ct_bin_level *level, uint32_t stride)
{
    int missing, paid = 1;
    if (s->of->options->without & CT_GMT_SOME_ROWS || s->splitter->n_levels ||
        s->of->n_slots == 1 || s->of->n / stride < SOME_ROWS)
        return 0;
    ct_gmt_sum_bins(s, level, stride);
    uint32_t n = order_bins(s, level, &missing);
    for (s->missing_left = 0; s->missing_left <= missing && paid; s->missing_left++) {
        set_bases(s, level, missing);
        ct_gmt_clear_costs(level, n + 1);
        ct_gmt_scan_side(s, level, n, 0, 0, n);
        ct_gmt_scan_side(s, level, n, 1, 0, n);
        for (uint32_t k = 0; k < n && paid; k++)
            paid = ct_gmt_cut_cost(s, level, k, k + 1) > s->least;
    }
    return paid && n > 0;
}

static ct_splitter_search search_of(const ct_node_search *of, ct_split_scratch *scratch,
                                    uint32_t number)
{
    return (ct_splitter_search){.of = of,
                                .scratch = scratch,
                                .splitter = &of->table->splitters[number],
                                .number = (int32_t) number,
                                .least = of->limit,
                                .best = {.test = {.splitter = -1}}};
}

/* Whether the splitter is ruled out. The first one is not: the costs of the subtrees are taken from
 * its sums. */
static int is_out(ct_splitter_search *s)
{
    ct_bin_level *level = &s->scratch->levels[0];
    s->of->best[s->number] = s->best;
    return s->number != (int32_t) s->of->first &&
           (rows_rule_out(s, level, 64) || rows_rule_out(s, level, 8));
}

/* Searches a splitter whose sums by bin are known. */
static void search_sums(ct_splitter_search *s)
{
    ct_bin_level *level = &s->scratch->levels[0];
    int missing;
    uint32_t n = order_bins(s, level, &missing);
    if (s->number == (int32_t) s->of->first && s->of->n_slots > 1)
        cost_subtrees(s, level, n, missing);
    for (s->missing_left = 0; s->missing_left <= missing; s->missing_left++) {
        set_bases(s, level, missing);
        if (!s->splitter->n_levels)
            search_ordered(s, level, n, missing);
        else if (n > CT_SUBSET_LEVELS)
            search_sorted_levels(s, level, n);
        else if (n > 1)
            search_subsets(s, level, n);
    }
    s->of->best[s->number] = s->best;
}

static void search_each(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const ct_node_search *of = (const ct_node_search *) data;
    for (uint64_t i = begin; i < end; i++) {
        ct_splitter_search s = search_of(of, of->scratch[worker], of->first + (uint32_t) i);
        if (is_out(&s)) continue;
        ct_gmt_sum_bins(&s, &s.scratch->levels[0], 1);
        search_sums(&s);
    }
}

/* ---- splitters whose rows are summed in pieces: as many at a time as there are threads ---- */

typedef struct {
    ct_splitter_search searches[CT_SPLITTERS_AT_A_TIME];
    uint8_t out[CT_SPLITTERS_AT_A_TIME];
} splitter_group;

static void rule_out_splitters(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    splitter_group *group = (splitter_group *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++) group->out[i] = (uint8_t) is_out(&group->searches[i]);
}

static void search_group(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    splitter_group *group = (splitter_group *) data;
    (void) worker;
    for (uint64_t i = begin; i < end; i++)
        if (!group->out[i]) search_sums(&group->searches[i]);
}

static void search_by_pieces(const ct_node_search *of, uint32_t n_splitters, unsigned threads)
{
    splitter_group group;
    unsigned most = threads < CT_SPLITTERS_AT_A_TIME ? threads : CT_SPLITTERS_AT_A_TIME;
    for (uint32_t done = 0, n; done < n_splitters; done += n) {
        n = n_splitters - done < most ? n_splitters - done : most;
        for (uint32_t i = 0; i < n; i++)
            group.searches[i] = search_of(of, of->scratch[i], of->first + done + i);
        ct_loop loop = {n, 1, CT_DYNAMIC, threads, rule_out_splitters, &group, NULL};
        ct_parallel_for(&loop);
        for (uint32_t i = 0; i < n; i++)
            if (!group.out[i])
                ct_gmt_sum_pieces(&group.searches[i], &of->scratch[i]->levels[0], of->scratch[0],
                                  threads);
        loop.work = search_group;
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

/* Sets the leaf of the rows begin .. end - 1 of a node of the tree. */
static void set_rows(const ct_model_tree *tree, uint32_t begin, uint32_t end, uint8_t *leaf,
                     uint8_t value)
{
    setting s = {tree->rows + begin, leaf, value};
    uint32_t n = end - begin;
    ct_loop loop = {n, n / ct_pieces(n) + 1, CT_STATIC, tree->threads, set_piece, &s, NULL};
    ct_parallel_for(&loop);
}

typedef struct {
    const ct_node_search *of;
    int32_t child;
    const uint8_t *number; /* [node] of the leaf */
    uint8_t *leaf;
    const uint32_t *inside; /* rows of the node that are skipped */
    uint32_t n_inside;
} sending;

/* Sends the rows begin .. end - 1 of those that are not `inside` down to a leaf. */
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

/* Finds for all rows of the node the leaf below a child that they would be in, numbered from left
 * to right. The child's own rows, `inside`, are known to be in its leaves. */
static void send_rows(const ct_node_search *of, int32_t child, uint8_t *leaf)
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

static void set_leaf(const ct_node_search *of, uint8_t *leaf, uint8_t value)
{
    uint32_t begin = (uint32_t) (of->rows - of->tree->rows);
    if (of->n == of->table->n_rows)
        memset(leaf, value, of->n);
    else
        set_rows(of->tree, begin, begin + of->n, leaf, value);
}

/* Lists the splits from `node` down, with the leaves below each, numbered from `first` on. Returns
 * how many leaves there are. */
static uint32_t note_splits(ct_node_search *of, int32_t node, int side, uint32_t first)
{
    const ct_model_node *at = &of->tree->nodes[node];
    if (ct_gmt_is_leaf(of->tree, node)) return 1;
    uint32_t left = note_splits(of, at->left, side, first),
             n = left + note_splits(of, at->right, side, first + left);
    of->split[side][of->n_splits[side]++] = (ct_leaf_range){first, first + n};
    return n;
}

ct_status ct_gmt_split_search(const ct_model_tree *tree, int32_t node, double limit,
                              const ct_gmt_split_options *options, ct_split_scratch *const *scratch,
                              unsigned threads, ct_gmt_split_result *result, ct_error *error)
{
    CT_ASSERT(node >= 0 && (uint32_t) node < tree->room && tree->nodes[node].used);
    CT_ASSERT(threads > 0);
    const ct_model_node *at = &tree->nodes[node];
    ct_node_search of = {.tree = tree,
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
                         .kept = result->kept};
    uint32_t n_splitters = tree->table->n_splitters;
    int32_t leaves[CT_TREE_LEAVES];
    for (int side = 0; side < 2; side++) {
        memset(&result->kept[side], 0, sizeof result->kept[side]);
        result->kept[side].test.splitter = -1;
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
    memset(&result->best, 0, sizeof result->best);
    result->best.test.splitter = -1;
    of.best = (ct_gmt_split *) ct_alloc((tree->table->n_splitters + 1) * sizeof *of.best);
    if (!of.best) {
        for (int side = 0; side < 2; side++) set_leaf(&of, scratch[0]->leaf[side], CT_NOT_IN_NODE);
        return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    }
    if (options->only >= 0) of.first = (uint32_t) options->only, n_splitters = 1;
    if (ct_gmt_search_pieces(&of, scratch[0]) > 1) {
        search_by_pieces(&of, n_splitters, threads);
    } else {
        ct_loop loop = {n_splitters, 1, CT_DYNAMIC, threads, search_each, &of, NULL};
        ct_parallel_for(&loop);
    }
    for (int side = 0; side < 2; side++) set_leaf(&of, scratch[0]->leaf[side], CT_NOT_IN_NODE);
    double least = limit;
    for (uint32_t i = of.first; i < of.first + n_splitters; i++) {
        const ct_gmt_split *best = &of.best[i];
        double cost = best->sse + options->lambda * best->terms;
        if (best->test.splitter < 0 || !(cost < least - 1e-12 * tree->table->total)) continue;
        least = cost;
        result->best = *best;
    }
    ct_free(of.best);
    return CT_OK;
}
