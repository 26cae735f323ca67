#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/threads.h"
#include "evolve/line_scratch.h"
#include "evolve/open_bound.h"

/* Parts with fewer rows for each column are opened sooner than bounded. */
enum { BOUND_ROWS = 30 };
/* With fewer of the rows a splitter is not ruled out. */
enum { SOME_ROWS = 500 };

/* What is searched, read by all threads. */
typedef struct {
    const ct_model_tree *tree;
    const ct_model_table *table;
    const ct_line_options *options;
    const uint32_t *rows;   /* [n] of the node */
    uint32_t n;
    uint32_t n_leaves[2];   /* of the subtrees */
    uint32_t slot[2];       /* where the leaves of a side begin; both at 0 where each has one */
    uint32_t n_slots;
    const uint8_t *leaf[2]; /* by row */
    uint32_t first;         /* of the splitters that are searched */
    double limit, splits;   /* splits there would be, the node's too */
    ct_line_scratch *const *scratch;
    ct_line_best *best;     /* [n_splitters] */
    ct_line_best *kept;
} search;

/* One splitter at work. */
typedef struct {
    const search *of;
    ct_line_scratch *scratch;
    const ct_splitter *splitter;
    int32_t number;
    int missing_left;
    double least;           /* penalised cost to be beaten */
    ct_line_best best;
} line;

/* ---- matrices in lanes ---- */

/* The next matrices to be solved, and where their costs are to be added. */
typedef struct {
    line *l;
    ct_line_level *level;
    int side;
    unsigned n;
    uint32_t at[CT_GRAM_LANES];
} batch;

static void solve_batch(batch *b)
{
    double sse[CT_GRAM_LANES], terms[CT_GRAM_LANES];
    if (!b->n) return;
    b->l->of->tree->kernels->pivots(b->l->scratch->lanes, b->l->of->table->p, sse, terms);
    for (unsigned lane = 0; lane < b->n; lane++) {
        b->level->sse[b->side][b->at[lane]] += sse[lane];
        b->level->terms[b->side][b->at[lane]] += terms[lane];
    }
    b->n = 0;
}

/* A leaf has these rows at place `at`. */
static void put_matrix(batch *b, const double *gram, uint32_t count, uint32_t at)
{
    double *lanes = b->l->scratch->lanes + b->n;
    for (size_t i = 0; i < b->l->of->table->size; i++) lanes[i * CT_GRAM_LANES] = gram[i];
    if (count < b->l->of->options->minbucket) b->level->few[b->side][at] = 1;
    b->at[b->n++] = at;
    if (b->n == CT_GRAM_LANES) solve_batch(b);
}

static void add_to(double *sum, const double *more, size_t size)
{
    for (size_t i = 0; i < size; i++) sum[i] += more[i];
}

static void clear_costs(ct_line_level *level, uint32_t n)
{
    for (int side = 0; side < 2; side++) {
        memset(level->sse[side], 0, n * sizeof(double));
        memset(level->terms[side], 0, n * sizeof(double));
        memset(level->few[side], 0, n);
    }
}

/* Costs of a side for k = 0 .. n parts on the left: the left ones have the first k, the right ones
 * the others. */
static void scan_side(line *l, ct_line_level *level, uint32_t n, int side)
{
    const search *of = l->of;
    const size_t size = of->table->size;
    batch b = {l, level, side, 0, {0}};
    double *run = l->scratch->run;
    for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
        uint32_t slot = of->slot[side] + leaf, count = level->base_n[side][leaf];
        memcpy(run, level->base[side] + leaf * size, size * sizeof *run);
        put_matrix(&b, run, count, side ? n : 0);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t place = level->order[side ? n - 1 - i : i] * of->n_slots + slot;
            add_to(run, level->sums + place * size, size);
            count += level->counts[place];
            put_matrix(&b, run, count, side ? n - 1 - i : i + 1);
        }
    }
    solve_batch(&b);
}

static double cost_at(const line *l, const ct_line_level *level, uint32_t left, uint32_t right)
{
    double terms = level->terms[0][left] + level->terms[1][right] + l->of->splits;
    return level->sse[0][left] + level->sse[1][right] + l->of->options->lambda * terms;
}

/* Takes the split with costs at `k` if it is better; 1 if so. */
static int offer(line *l, const ct_line_level *level, uint32_t k)
{
    if (level->few[0][k] || level->few[1][k]) return 0;
    double cost = cost_at(l, level, k, k);
    if (!(cost < l->least - 1e-12 * l->of->table->total)) return 0;
    l->least = cost;
    l->best.sse = level->sse[0][k] + level->sse[1][k];
    l->best.terms = level->terms[0][k] + level->terms[1][k] + l->of->splits;
    memset(&l->best.test, 0, sizeof l->best.test);
    l->best.test.splitter = l->number;
    l->best.test.missing_left = l->missing_left;
    return 1;
}

/* ---- sums by part ---- */

static void clear_level(const line *l, ct_line_level *level, uint32_t n)
{
    memset(level->sums, 0, n * l->of->n_slots * l->of->table->size * sizeof(double));
    memset(level->counts, 0, n * l->of->n_slots * sizeof(uint32_t));
}

/* Adds rows of the node to their parts. */
static void add_rows(const line *l, ct_line_level *level, const uint32_t *rows,
                     const uint32_t *part, uint32_t n)
{
    const search *of = l->of;
    const uint32_t n_slots = of->n_slots;
    uint32_t bucket[CT_LINE_BLOCK];
    for (int side = 0; side < (n_slots > 1 ? 2 : 1); side++) {
        const uint32_t slot = of->slot[side];
        const uint8_t *leaf = of->leaf[side];
        uint32_t *counts = level->counts;
        for (uint32_t i = 0; i < n; i++) {
            bucket[i] = part[i] * n_slots + slot + (n_slots > 1 ? leaf[rows[i]] : 0);
            counts[bucket[i]]++;
        }
        of->tree->kernels->add(level->sums, bucket, of->table->z, rows, n, of->table->p);
    }
}

/* Of every `stride`-th row of the node. */
static void sum_bins(const line *l, ct_line_level *level, uint32_t stride)
{
    const search *of = l->of;
    const uint32_t all = of->n / stride;
    uint32_t part[CT_LINE_BLOCK], some[CT_LINE_BLOCK];
    clear_level(l, level, l->splitter->n_bins + 1);
    for (uint32_t begin = 0; begin < all; begin += CT_LINE_BLOCK) {
        uint32_t n = all - begin < CT_LINE_BLOCK ? all - begin : CT_LINE_BLOCK;
        const uint32_t *rows = of->rows + begin;
        if (stride > 1) {
            for (uint32_t i = 0; i < n; i++) some[i] = of->rows[(size_t) (begin + i) * stride];
            rows = some;
        }
        for (uint32_t i = 0; i < n; i++) part[i] = l->splitter->bin[rows[i]];
        add_rows(l, level, rows, part, n);
    }
}

static uint32_t rows_of_part(const line *l, const ct_line_level *level, uint32_t part)
{
    uint32_t n = 0, end = l->of->slot[0] + l->of->n_leaves[0];
    for (uint32_t slot = l->of->slot[0]; slot < end; slot++)
        n += level->counts[part * l->of->n_slots + slot];
    return n;
}

/* The sides before the parts `order[k]` of a level: what it has itself, and the parts on either
 * side. */
static void bases_within(const line *l, const ct_line_level *above, uint32_t n, uint32_t k,
                         ct_line_level *level)
{
    const search *of = l->of;
    const size_t size = of->table->size;
    for (int side = 0; side < 2; side++)
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            double *base = level->base[side] + leaf * size;
            uint32_t count = above->base_n[side][leaf];
            memcpy(base, above->base[side] + leaf * size, size * sizeof *base);
            for (uint32_t i = side ? k + 1 : 0; i < (side ? n : k); i++) {
                uint32_t place = above->order[i] * of->n_slots + of->slot[side] + leaf;
                add_to(base, above->sums + place * size, size);
                count += above->counts[place];
            }
            level->base_n[side][leaf] = count;
        }
}

/* ---- inside a bin ---- */

/* The rows of a bin as keys, by rank and then by number. Returns how many. */
static uint32_t sort_bin(line *l, uint32_t bin)
{
    const ct_splitter *splitter = l->splitter;
    const uint8_t *leaf = l->of->leaf[0];
    uint64_t *keys = l->scratch->keys;
    uint32_t n = 0, first = splitter->first_rank[bin], end = splitter->first_place[bin + 1];
    for (uint32_t i = splitter->first_place[bin]; i < end; i++) {
        uint32_t row = splitter->order[i];
        keys[n] = (uint64_t) (splitter->rank[row] - first) << 32 | row;
        n += leaf[row] != CT_LINE_OUTSIDE;
    }
    return n;
}

static uint32_t rank_of(uint64_t key) { return (uint32_t) (key >> 32); }

/* Cuts the sorted rows begin .. end - 1 where the value changes: a part has one value or at most a
 * 1 / CT_LINE_PARTS of the rows. Returns how many there are. */
static uint32_t cut_parts(const line *l, ct_line_level *level, uint32_t begin, uint32_t end)
{
    const uint64_t *keys = l->scratch->keys;
    uint32_t n = 0, step = (end - begin + CT_LINE_PARTS - 1) / CT_LINE_PARTS;
    for (uint32_t i = begin; i < end;) {
        level->first[n] = i;
        level->order[n] = n;
        uint32_t at = end - i <= step ? end : i + step;
        while (at < end && at > i && rank_of(keys[at]) == rank_of(keys[at - 1])) at--;
        if (at == i) /* one value */
            for (at = i + 1; at < end && rank_of(keys[at]) == rank_of(keys[i]);) at++;
        i = at;
        CT_ASSERT(n < level->room);
        n++;
    }
    level->first[n] = end;
    return n;
}

static void sum_parts(const line *l, ct_line_level *level, uint32_t n)
{
    uint32_t rows[CT_LINE_BLOCK], part[CT_LINE_BLOCK], filled = 0;
    clear_level(l, level, n);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = level->first[k]; i < level->first[k + 1]; i++) {
            rows[filled] = (uint32_t) l->scratch->keys[i];
            part[filled++] = k;
            if (filled == CT_LINE_BLOCK) {
                add_rows(l, level, rows, part, filled);
                filled = 0;
            }
        }
    add_rows(l, level, rows, part, filled);
}

static void open_parts(line *l, uint32_t depth, uint32_t n, uint32_t bin);

/* Tries the thresholds among sorted rows; the bases of level `depth` are set. */
static void search_rows(line *l, uint32_t depth, uint32_t begin, uint32_t end, uint32_t bin)
{
    ct_line_level *level = &l->scratch->levels[depth];
    uint32_t n = cut_parts(l, level, begin, end);
    if (n < 2) return;
    sum_parts(l, level, n);
    clear_costs(level, n + 1);
    scan_side(l, level, n, 0);
    scan_side(l, level, n, 1);
    for (uint32_t k = 1; k < n; k++)
        if (offer(l, level, k))
            l->best.test.cut =
                l->splitter->first_rank[bin] + rank_of(l->scratch->keys[level->first[k]]);
    open_parts(l, depth, n, bin);
}

static int may_open(const line *l, const ct_line_level *level, uint32_t depth, uint32_t k)
{
    const uint64_t *keys = l->scratch->keys;
    if (l->splitter->n_levels) return 0;
    if (depth) return rank_of(keys[level->first[k]]) != rank_of(keys[level->first[k + 1] - 1]);
    uint32_t bin = level->order[k];
    return l->splitter->first_rank[bin + 1] - l->splitter->first_rank[bin] > 1;
}

/* Whether the rows of a part cost so much, on whichever side, that nothing within is better. Asked
 * where every part that pays is to be opened, and both sides are leaves. */
static int is_ruled_out(const line *l, const ct_line_level *level, uint32_t k, double bound,
                        const ct_line_level *within)
{
    const search *of = l->of;
    const uint32_t p = of->table->p, part = level->order[k];
    if (of->options->without & CT_LINE_BOUND || of->n_slots > 1 ||
        of->options->open_max != UINT32_MAX ||
        level->counts[part] < BOUND_ROWS * p)
        return 0;
    double more = ct_open_bound(within->base[0], within->base[1],
                                level->sums + part * of->table->size, p, l->scratch->bound);
    return bound + more > l->least;
}

/* Opens parts in the order of their bounds, while these leave room below the best. `bin`: that of
 * all, inside of it. */
static void open_parts(line *l, uint32_t depth, uint32_t n, uint32_t bin)
{
    ct_line_level *level = &l->scratch->levels[depth];
    double last = -1;
    uint32_t last_k = 0;
    for (uint32_t opened = 0; opened < l->of->options->open_max; opened++) {
        double least = INFINITY;
        uint32_t chosen = n;
        for (uint32_t k = 0; k < n; k++) {
            double bound = cost_at(l, level, k, k + 1);
            int later = bound > last || (bound == last && k > last_k);
            if (later && bound < least && may_open(l, level, depth, k)) least = bound, chosen = k;
        }
        if (chosen == n || !(least < l->least - 1e-12 * l->of->table->total)) return;
        bases_within(l, level, n, chosen, &l->scratch->levels[depth + 1]);
        if (is_ruled_out(l, level, chosen, least, &l->scratch->levels[depth + 1])) {
            /* nothing within */
        } else if (depth) {
            search_rows(l, depth + 1, level->first[chosen], level->first[chosen + 1], bin);
        } else {
            uint32_t rows = sort_bin(l, level->order[chosen]);
            search_rows(l, 1, 0, rows, level->order[chosen]);
        }
        last = least;
        last_k = chosen;
    }
}

/* ---- a splitter ---- */

static void search_ordered(line *l, ct_line_level *level, uint32_t n, int missing)
{
    const uint32_t *first_rank = l->splitter->first_rank;
    clear_costs(level, n + 1);
    scan_side(l, level, n, 0);
    scan_side(l, level, n, 1);
    /* all values against none: missing ones on the right */
    uint32_t end = missing && !l->missing_left ? n + 1 : n;
    for (uint32_t k = 1; k < end; k++)
        if (offer(l, level, k))
            l->best.test.cut = k == n ? l->splitter->n_ranks : first_rank[level->order[k]];
    open_parts(l, 0, n, 0);
}

static void set_level(ct_test *test, uint32_t level)
{
    test->levels[level / 64] |= UINT64_C(1) << (level % 64);
}

/* Levels in the order of the mean response, then as if they were ordered. */
static void search_sorted_levels(line *l, ct_line_level *level, uint32_t n)
{
    const search *of = l->of;
    const size_t size = of->table->size, last = ct_gram_row(of->table->p - 1);
    double mean[CT_MODEL_BINS];
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0, weight = 0;
        for (uint32_t leaf = 0; leaf < of->n_leaves[0]; leaf++) {
            const double *gram =
                level->sums + (level->order[k] * of->n_slots + of->slot[0] + leaf) * size;
            weight += gram[0];
            sum += gram[last];
        }
        double x = sum / weight;
        uint32_t bin = level->order[k], i = k;
        for (; i > 0 && mean[i - 1] > x; i--)
            mean[i] = mean[i - 1], level->order[i] = level->order[i - 1];
        mean[i] = x;
        level->order[i] = bin;
    }
    clear_costs(level, n + 1);
    scan_side(l, level, n, 0);
    scan_side(l, level, n, 1);
    for (uint32_t k = 1; k < n; k++)
        if (offer(l, level, k))
            for (uint32_t i = 0; i < k; i++) set_level(&l->best.test, level->order[i]);
}

/* Every set of levels: the sum of each is that of the set without its lowest level, and this one.
 * Where both sides are leaves the first level stays on the left. */
static void search_subsets(line *l, ct_line_level *level, uint32_t n)
{
    const search *of = l->of;
    const size_t size = of->table->size;
    const uint32_t all = (1u << n) - 1;
    uint32_t count[CT_LINE_SUBSETS];
    double *sums = l->scratch->subsets;
    clear_costs(level, all + 1);
    for (int side = 0; side < 2; side++) {
        batch b = {l, level, side, 0, {0}};
        for (uint32_t leaf = 0; leaf < of->n_leaves[side]; leaf++) {
            memcpy(sums, level->base[side] + leaf * size, size * sizeof *sums);
            count[0] = level->base_n[side][leaf];
            for (uint32_t set = 1; set < all; set++) {
                uint32_t before = set & (set - 1), bit = ct_trailing_zeros(set),
                         place = level->order[bit] * of->n_slots + of->slot[side] + leaf;
                memcpy(sums + set * size, sums + before * size, size * sizeof *sums);
                add_to(sums + set * size, level->sums + place * size, size);
                count[set] = count[before] + level->counts[place];
                put_matrix(&b, sums + set * size, count[set], side ? all ^ set : set);
            }
        }
        solve_batch(&b);
    }
    for (uint32_t set = 1; set < all; set++) {
        if (of->n_slots == 1 && !l->missing_left && !(set & 1)) continue;
        if (!offer(l, level, set)) continue;
        for (uint32_t i = 0; i < n; i++)
            if (set >> i & 1) set_level(&l->best.test, level->order[i]);
    }
}

/* The rows without a value on one side, or there are none. */
static void set_bases(const line *l, ct_line_level *level, int missing)
{
    const search *of = l->of;
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
static void cost_subtrees(line *l, ct_line_level *level, uint32_t n, int missing)
{
    for (int side = 0; side < 2; side++) {
        ct_line_best *kept = &l->of->kept[side];
        uint32_t k = side ? 0 : n;
        l->missing_left = side == 0;
        set_bases(l, level, missing);
        clear_costs(level, n + 1);
        scan_side(l, level, n, side);
        kept->test.splitter = level->few[side][k] ? -1 : 0;
        kept->sse = level->sse[side][k];
        kept->terms = level->terms[side][k] + l->of->n_leaves[side] - 1;
    }
}

/* Bins that have rows, from left to right; whether there are rows without a value. */
static uint32_t order_bins(const line *l, ct_line_level *level, int *missing)
{
    uint32_t n = 0;
    for (uint32_t bin = 0; bin < l->splitter->n_bins; bin++)
        if (rows_of_part(l, level, bin)) level->order[n++] = bin;
    *missing = rows_of_part(l, level, l->splitter->n_bins) > 0;
    return n;
}

/* Whether some of the rows alone cost as much at every threshold, whichever bin it is in, as is to
 * be beaten. That is seen only where many leaves would get rows that are not theirs. */
static int rows_rule_out(line *l, ct_line_level *level, uint32_t stride)
{
    int missing, paid = 1;
    if (l->of->options->without & CT_LINE_SOME_ROWS || l->splitter->n_levels ||
        l->of->n_slots == 1 || l->of->n / stride < SOME_ROWS)
        return 0;
    sum_bins(l, level, stride);
    uint32_t n = order_bins(l, level, &missing);
    for (l->missing_left = 0; l->missing_left <= missing && paid; l->missing_left++) {
        set_bases(l, level, missing);
        clear_costs(level, n + 1);
        scan_side(l, level, n, 0);
        scan_side(l, level, n, 1);
        for (uint32_t k = 0; k < n && paid; k++) paid = cost_at(l, level, k, k + 1) > l->least;
    }
    return paid && n > 0;
}

static void search_splitter(const search *of, ct_line_scratch *scratch, uint32_t number)
{
    line l = {of, scratch, &of->table->splitters[number], (int32_t) number, 0, of->limit,
              {0, 0, {-1, 0, {0}, 0}}};
    ct_line_level *level = &scratch->levels[0];
    int missing;
    of->best[number] = l.best;
    if (number != of->first &&
        (rows_rule_out(&l, level, 64) || rows_rule_out(&l, level, 8)))
        return;
    sum_bins(&l, level, 1);
    uint32_t n = order_bins(&l, level, &missing);
    if (number == of->first && of->n_slots > 1) cost_subtrees(&l, level, n, missing);
    for (l.missing_left = 0; l.missing_left <= missing; l.missing_left++) {
        set_bases(&l, level, missing);
        if (!l.splitter->n_levels) search_ordered(&l, level, n, missing);
        else if (n > CT_SUBSET_LEVELS) search_sorted_levels(&l, level, n);
        else if (n > 1) search_subsets(&l, level, n);
    }
    of->best[number] = l.best;
}

static void search_splitters(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const search *of = (const search *) data;
    for (uint64_t i = begin; i < end; i++)
        search_splitter(of, of->scratch[worker], of->first + (uint32_t) i);
}

/* ---- a node ---- */

/* Leaves below a child, numbered from left to right, of all rows of the node: where `inside`, its
 * own rows are, these are known. */
static void send_rows(const search *of, int32_t child, uint8_t *leaf)
{
    const ct_model_tree *tree = of->tree;
    const uint32_t *end = of->rows + of->n, *inside = tree->rows + tree->nodes[child].begin,
                   *behind = tree->rows + tree->nodes[child].end;
    uint8_t number[2 * CT_TREE_LEAVES];
    int32_t leaves[CT_TREE_LEAVES];
    uint32_t n = ct_model_tree_leaves(tree, child, leaves);
    CT_ASSERT(tree->room <= sizeof number);
    for (uint32_t i = 0; i < n; i++) {
        const ct_model_node *at = &tree->nodes[leaves[i]];
        number[leaves[i]] = (uint8_t) i;
        for (uint32_t k = at->begin; k < at->end; k++) leaf[tree->rows[k]] = (uint8_t) i;
    }
    for (const uint32_t *row = of->rows; row < end; row++) {
        int32_t at = child;
        if (row == inside) row = behind;
        if (row == end) break;
        while (!ct_is_leaf(tree, at)) {
            const ct_model_node *node = &tree->nodes[at];
            at = ct_goes_left(of->table, &node->test, *row) ? node->left : node->right;
        }
        leaf[*row] = number[at];
    }
}

static void set_leaf(const search *of, uint8_t *leaf, int value)
{
    if (of->n == of->table->n_rows) memset(leaf, value, of->n);
    else
        for (uint32_t i = 0; i < of->n; i++) leaf[of->rows[i]] = (uint8_t) value;
}

ct_status ct_line_search(const ct_model_tree *tree, int32_t node, double limit,
                         const ct_line_options *options, ct_line_scratch *const *scratch,
                         unsigned threads, ct_line_answer *answer, ct_error *error)
{
    const ct_model_node *at = &tree->nodes[node];
    search of = {tree, tree->table, options, tree->rows + at->begin, at->end - at->begin, {1, 1},
                 {0, 0}, 1,
                 {scratch[0]->leaf[0], scratch[0]->leaf[1]}, 0, limit, 1, scratch, NULL,
                 answer->kept};
    uint32_t n_lines = tree->table->n_splitters;
    int32_t leaves[CT_TREE_LEAVES];
    for (int side = 0; side < 2; side++) {
        memset(&answer->kept[side], 0, sizeof answer->kept[side]);
        answer->kept[side].test.splitter = -1;
        if (ct_is_leaf(tree, node)) {
            set_leaf(&of, scratch[0]->leaf[side], 0);
            continue;
        }
        int32_t child = side ? at->right : at->left;
        of.n_leaves[side] = ct_model_tree_leaves(tree, child, leaves);
        send_rows(&of, child, scratch[0]->leaf[side]);
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
    ct_loop loop = {n_lines, 1, CT_DYNAMIC, threads, search_splitters, &of, NULL};
    ct_parallel_for(&loop);
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
