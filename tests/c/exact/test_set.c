/* Sets of near-optimal trees against all trees, written out: their costs, the trees themselves by
 * the rows that each node has, what each row can get, what is left without a column; limits; how
 * many the checker of sets counts. */
#include "brute_sets.h"
#include "solve.h"

#include "base/memory.h"
#include "exact/run/worker.h"
#include "certify/recount.h"
#include "exact/sets/counts.h"
#include "exact/sets/set.h"
#include "exact/sets/values.h"

enum { ROWS = 12, COLS = 4, CLASSES = 4, TEXT = 256, MOST_TREES = 60000 };

typedef struct {
    uint32_t n, p, k;
    unsigned depth;
    double x[COLS][ROWS];
    int32_t y[ROWS];
    double numbers[ROWS], weights[ROWS], loss[CLASSES * CLASSES];
    int weighted, with_loss, grouped, numeric; /* numeric: y is a number */
    uint32_t groups[COLS], min_bucket, min_split;
    double price, slack; /* of a split, beyond the least cost */
    uint32_t off, test_rows, stop_after; /* stop_after: looks at the clock; 0: never */
} instance;

static uint32_t below(rng *r, uint32_t n) { return rng_next(r) % n; }

/* ---- all trees ---- */

/* Costs nearer to each other are the same: squared errors are rounded down, see cost/response.h. */
static double near_by;

typedef struct {
    double cost;
    uint32_t splits;
    char text[TEXT];     /* columns and rows, the side of the first row first */
    char labels[ROWS];   /* of the rows that are its */
    uint32_t columns;    /* bit a column that is split on */
    double gain[COLS];   /* [column] what its splits spare */
} tree;

typedef struct {
    tree *of;
    size_t n;
} trees;

/* Of y, weighted. */
static double mean_of(const instance *s, uint32_t rows)
{
    double sum = 0, weight = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!(rows >> i & 1)) continue;
        double w = s->weighted ? s->weights[i] : 1;
        sum += w * s->y[i];
        weight += w;
    }
    return sum / weight;
}

static double squares_of(const instance *s, uint32_t rows)
{
    double mean = mean_of(s, rows), sum = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (rows >> i & 1)
            sum += (s->weighted ? s->weights[i] : 1) * (s->y[i] - mean) * (s->y[i] - mean);
    return sum;
}

/* What leaves are told apart by. */
static void name_leaf(const instance *s, uint32_t rows, int32_t label, char *text, size_t room)
{
    if (s->numeric) snprintf(text, room, "(%.6f)", mean_of(s, rows) + 0.0);
    else snprintf(text, room, "%d", label);
}

static double cost_under(const instance *s, uint32_t rows, uint32_t label)
{
    double cost = 0;
    if (s->numeric) return squares_of(s, rows);
    for (uint32_t i = 0; i < s->n; i++) {
        if (!(rows >> i & 1)) continue;
        uint32_t own = (uint32_t) s->y[i];
        double loss = s->with_loss ? s->loss[own * s->k + label] : own != label;
        cost += loss * (s->weighted ? s->weights[i] : 1);
    }
    return cost;
}

static double least_under(const instance *s, uint32_t rows)
{
    double least = HUGE_VAL;
    for (uint32_t label = 0; label < s->k; label++) least = fmin(least, cost_under(s, rows, label));
    return least;
}

static void push(trees *list, const tree *one)
{
    if (list->n < MOST_TREES) list->of[list->n] = *one;
    list->n++;
}

static trees list_new(void) { return (trees){(tree *) malloc(MOST_TREES * sizeof(tree)), 0}; }

/* The columns of the table that is looked at. */
static ct_column x_columns[COLS];

static uint32_t sent_left(const instance *s, uint32_t rows, uint32_t col, double cut)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (rows >> i & 1 && s->x[col][i] < cut) left |= UINT32_C(1) << i;
    return left;
}

static void all_trees(const instance *s, uint32_t rows, unsigned depth, trees *out);

/* All pairs of trees of both sides but two leaves of one label. */
static void join(const instance *s, uint32_t col, uint32_t first, uint32_t second, unsigned depth,
                 trees *out)
{
    trees a = list_new(), b = list_new();
    all_trees(s, first, depth - 1, &a);
    all_trees(s, second, depth - 1, &b);
    double spared = least_under(s, first | second) - a.of[0].cost - b.of[0].cost; /* leaves first */
    if (a.n > MOST_TREES || b.n > MOST_TREES) out->n = MOST_TREES + 1;
    for (size_t i = 0; i < a.n && out->n <= MOST_TREES; i++) {
        for (size_t j = 0; j < b.n && out->n <= MOST_TREES; j++) {
            const tree *l = &a.of[i], *r = &b.of[j];
            if (!l->splits && !r->splits && !strcmp(l->text, r->text)) continue;
            tree both = {l->cost + r->cost + s->price, l->splits + r->splits + 1, "", "",
                         l->columns | r->columns | UINT32_C(1) << col, {0}};
            int length = snprintf(both.text, TEXT, "[%u:%x %s%s]", s->groups[col], first, l->text,
                                  r->text);
            if (length >= TEXT) abort();
            for (uint32_t of = 0; of < s->p; of++) both.gain[of] = l->gain[of] + r->gain[of];
            both.gain[col] += spared;
            for (uint32_t row = 0; row < s->n; row++)
                both.labels[row] = first >> row & 1 ? l->labels[row] : r->labels[row];
            push(out, &both);
        }
    }
    free(a.of);
    free(b.of);
}

static void all_trees(const instance *s, uint32_t rows, unsigned depth, trees *out)
{
    tree leaf = {HUGE_VAL, 0, "", "", 0, {0}};
    uint32_t best = 0, n = brute_count(rows), seen[COLS * ROWS], groups[COLS * ROWS], n_seen = 0;
    for (uint32_t label = s->k; label-- > 0;)
        if (cost_under(s, rows, label) <= leaf.cost)
            leaf.cost = cost_under(s, rows, label), best = label;
    name_leaf(s, rows, (int32_t) best, leaf.text, TEXT);
    memset(leaf.labels, (char) best, sizeof leaf.labels);
    push(out, &leaf);
    for (uint32_t col = 0; depth && col < s->p && n >= s->min_split; col++) {
        for (uint32_t at = 0; at < s->n; at++) {
            uint32_t left = rows >> at & 1 ? sent_left(s, rows, col, s->x[col][at]) : 0,
                     n_left = brute_count(left), lowest = rows & (~rows + 1), again = 0;
            if (!left || n_left < s->min_bucket || n - n_left < s->min_bucket) continue;
            uint32_t first = left & lowest ? left : rows & ~left;
            for (uint32_t i = 0; i < n_seen; i++)
                again |= seen[i] == first && groups[i] == s->groups[col];
            if (again) continue;
            seen[n_seen] = first;
            groups[n_seen++] = s->groups[col];
            join(s, col, first, rows & ~first, depth, out);
            if (out->n > MOST_TREES) return;
        }
    }
}

static int by_cost(const void *a, const void *b)
{
    const tree *x = (const tree *) a, *y = (const tree *) b;
    if (fabs(x->cost - y->cost) > near_by) return x->cost < y->cost ? -1 : 1;
    if (x->splits != y->splits) return x->splits < y->splits ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Those within the budget, in order; n is larger than MOST_TREES if there are too many. */
static trees within(const instance *s, double *budget)
{
    trees all = list_new();
    all_trees(s, (UINT32_C(1) << s->n) - 1, s->depth, &all);
    if (all.n > MOST_TREES) return all;
    qsort(all.of, all.n, sizeof *all.of, by_cost);
    *budget = all.of[0].cost + s->slack;
    while (all.of[all.n - 1].cost > *budget + near_by) all.n--;
    return all;
}

/* ---- the library ---- */

static int is_over(void *left) { return !--*(uint32_t *) left; }
static ct_data data_of(const instance *s)
{
    for (uint32_t col = 0; col < s->p; col++) x_columns[col] = (ct_column){s->x[col], CT_DOUBLE};
    return (ct_data){s->n, s->p, s->k, x_columns, s->numeric ? NULL : s->y,
                     s->weighted ? s->weights : NULL, s->with_loss ? s->loss : NULL,
                     s->numeric ? s->numbers : NULL};
}

static double complexity_of(const instance *s)
{
    double total = 0;
    for (uint32_t i = 0; i < s->n; i++) total += s->weighted ? s->weights[i] : 1;
    if (s->numeric) total = squares_of(s, (UINT32_C(1) << s->n) - 1);
    return total > 0 ? s->price / total : 0;
}

static ct_status set_of(const instance *s, double budget, double time_limit, size_t memory,
                        size_t most_nodes, ct_set **set, ct_error *error)
{
    ct_data data = data_of(s);
    ct_exact_options options = ct_exact_options_default();
    options.depth = s->depth;
    options.complexity = complexity_of(s);
    options.min_bucket = s->min_bucket;
    options.min_split = s->min_split;
    options.max_cost = budget + near_by;
    options.time_limit = time_limit;
    options.memory_limit = memory;
    options.off = s->off;
    options.test_rows = s->test_rows;
    uint32_t left = s->stop_after;
    if (left) options.stop = is_over, options.stop_data = &left;
    return ct_set_new(&data, &options, s->grouped ? s->groups : NULL, most_nodes, set, error);
}

/* What comes below a node of a tree of the library, as in `tree`. */
static void text_of(const instance *s, const ct_forest *t, uint32_t node, uint32_t rows, char *text)
{
    char *end = text + strlen(text);
    if (t->feature[node] < 0) {
        name_leaf(s, rows, s->numeric ? 0 : t->label[node], end, (size_t) (TEXT - (end - text)));
        return;
    }
    uint32_t col = (uint32_t) t->feature[node], lowest = rows & (~rows + 1),
             left = sent_left(s, rows, col, t->threshold[node]);
    int turned = !(left & lowest);
    uint32_t first = turned ? rows & ~left : left;
    snprintf(end, (size_t) (TEXT - (end - text)), "[%u:%x ", s->groups[col], first);
    text_of(s, t, turned ? t->right[node] : t->left[node], first, text);
    text_of(s, t, turned ? t->left[node] : t->right[node], rows & ~first, text);
    strcat(text, "]");
}

/* The k-th tree of the set, and the leaf of each row. */
static int tree_of(ct_set *set, uint64_t k, ct_exact_result *result, uint32_t *where)
{
    uint64_t number[CT_COUNT_WORDS] = {k};
    if (!CHECK_OK(ct_set_tree(set, number, result, where, &reason))) return 0;
    keep_result(result);
    return 1;
}

/* What is known of a tree of the library, as in `tree`. */
static tree known_of(const instance *s, const ct_exact_result *result)
{
    tree one = {result->cost, 0, "", "", 0, {0}};
    for (uint32_t node = 0; node < result->tree.n_nodes; node++) {
        if (result->tree.feature[node] < 0) continue;
        one.columns |= UINT32_C(1) << result->tree.feature[node];
        one.splits++;
    }
    text_of(s, &result->tree, result->tree.roots[0], (UINT32_C(1) << s->n) - 1, one.text);
    return one;
}

/* The first trees, each with its cost, are those of the list. */
static int same_trees(const instance *s, ct_set *set, const trees *list)
{
    trees own = list_new();
    double last = -1;
    int same = 1;
    for (size_t i = 0; i < list->n && same; i++) {
        ct_exact_result result;
        uint32_t where[ROWS];
        if (!tree_of(set, i, &result, where)) return 0;
        own.of[own.n++] = known_of(s, &result);
        same &= result.cost >= last - near_by;
        last = result.cost;
    }
    qsort(own.of, own.n, sizeof *own.of, by_cost);
    for (size_t i = 0; i < list->n && same; i++)
        same = !by_cost(&own.of[i], &list->of[i]);
    free(own.of);
    return CHECK(same);
}

/* How many trees there are of each cost and of fewer splits first; the price of a split of numbers
 * is a double, so that these may tie. */
static int same_counts(const instance *s, const ct_set *set, const trees *list)
{
    size_t at = 0;
    ct_set_facts facts = ct_set_about(set);
    for (uint32_t i = 0; i < facts.n_costs; i++) {
        const uint64_t *count;
        double cost = ct_set_cost(set, i, &count);
        for (unsigned w = 1; w < ct_set_words(set); w++)
            if (!CHECK(!count[w])) return 0;
        if (!CHECK(at + count[0] <= list->n)) return 0;
        for (uint64_t j = 0; j < count[0]; j++, at++)
            if (!CHECK(fabs(list->of[at].cost - cost) < near_by &&
                       (list->of[at].splits == list->of[at - j].splits || s->numeric)))
                return 0;
    }
    return CHECK_INT(at, list->n);
}

/* What each row can get, and what is left without each group. */
static int same_ranges(const instance *s, ct_set *set, const trees *list)
{
    double least[ROWS * CLASSES], expected[ROWS * CLASSES];
    for (uint32_t i = 0; i < s->n * s->k; i++) expected[i] = INFINITY;
    if (!CHECK_OK(ct_set_ranges(set, x_columns, s->n, least, &reason))) return 0;
    for (size_t i = list->n; i-- > 0;)
        for (uint32_t row = 0; row < s->n; row++)
            expected[row * s->k + (uint8_t) list->of[i].labels[row]] = list->of[i].cost;
    for (uint32_t i = 0; i < s->n * s->k; i++)
        if (!CHECK(least[i] == expected[i] || fabs(least[i] - expected[i]) < near_by)) return 0;
    return 1;
}

/* The lowest and the highest mean that each row gets: of the trees' own predictions. */
static int same_numbers(const instance *s, ct_set *set, size_t n_trees)
{
    double least[ROWS * 2], expected[ROWS * 2];
    for (uint32_t i = 0; i < s->n; i++) expected[2 * i] = INFINITY, expected[2 * i + 1] = -INFINITY;
    for (size_t i = 0; i < n_trees; i++) {
        ct_exact_result result;
        uint32_t where[ROWS];
        if (!tree_of(set, i, &result, where)) return 0;
        for (uint32_t row = 0; row < s->n; row++) {
            double told = result.tree.values[where[row]];
            expected[2 * row] = fmin(expected[2 * row], told);
            expected[2 * row + 1] = fmax(expected[2 * row + 1], told);
        }
    }
    if (!CHECK_OK(ct_set_ranges(set, x_columns, s->n, least, &reason))) return 0;
    for (uint32_t i = 0; i < 2 * s->n; i++)
        if (!CHECK(fabs(least[i] - expected[i]) < near_by)) return 0;
    return 1;
}

static int same_without(const instance *s, ct_set *set, const trees *list)
{
    uint64_t counts[COLS * CT_COUNT_WORDS];
    double least[COLS];
    uint32_t group = 0;
    if (!CHECK_OK(ct_set_without(set, counts, least, &reason))) return 0;
    for (uint32_t col = 0; col < s->p; group++) {
        uint32_t columns = 0;
        uint64_t n = 0;
        double first = INFINITY;
        for (uint32_t of = s->groups[col]; col < s->p && s->groups[col] == of; col++)
            columns |= UINT32_C(1) << col;
        for (size_t i = list->n; i-- > 0;)
            if (!(list->of[i].columns & columns)) n++, first = list->of[i].cost;
        if (!CHECK_INT(counts[group * ct_set_words(set)], n)) return 0;
        if (!CHECK(least[group] == first || fabs(least[group] - first) < near_by)) return 0;
    }
    return 1;
}

/* ---- the best by some value ---- */

static uint32_t n_groups_of(const instance *s, uint32_t columns)
{
    uint32_t n = 0, last = COLS;
    for (uint32_t col = 0; col < s->p; col++) {
        if (!(columns >> col & 1) || s->groups[col] == last) continue;
        last = s->groups[col];
        n++;
    }
    return n;
}

static int64_t value_of(const instance *s, const ct_set_question *q, const tree *t)
{
    if (q->goal == CT_VALUE_PREDICTORS) return n_groups_of(s, t->columns);
    int64_t value = q->per_leaf * (t->splits + 1);
    for (uint32_t row = 0; row < q->n_rows; row++)
        value += (int64_t) q->gain[row * s->k + (uint8_t) t->labels[row]];
    return q->goal == CT_VALUE_NEAREST && value < 0 ? -value : value;
}

/* The best tree has the least value of all, costs the least of those, and is in the list. */
static int same_best(const instance *s, ct_set *set, const trees *list, rng *r)
{
    double gain[ROWS * CLASSES];
    for (uint32_t i = 0; i < s->n * s->k; i++) gain[i] = (double) below(r, 5) - 2;
    ct_set_question q = {(ct_set_value_goal) below(r, 3), x_columns, s->n, gain, below(r, 3),
                         UINT32_MAX, UINT32_MAX, 1};
    ct_exact_result result;
    uint32_t where[ROWS];
    int64_t value;
    size_t best = 0;
    for (size_t i = 1; i < list->n; i++) /* by cost */
        if (value_of(s, &q, &list->of[i]) < value_of(s, &q, &list->of[best])) best = i;
    if (!CHECK_OK(ct_set_best(set, &q, &value, &result, where, &reason))) return 0;
    keep_result(&result);
    const tree one = known_of(s, &result);
    int right = CHECK(fabs(one.cost - list->of[best].cost) < near_by);
    if (q.goal == CT_VALUE_PREDICTORS) value = n_groups_of(s, one.columns);
    if (value < 0 && q.goal == CT_VALUE_NEAREST) value = -value;
    right &= CHECK_INT(value, value_of(s, &q, &list->of[best]));
    for (size_t i = 0; i < list->n; i++)
        if (!by_cost(&list->of[i], &one))
            return right & CHECK_INT(value_of(s, &q, &list->of[i]), value);
    return CHECK(!"the best tree is in the set");
}

/* What a tree tells of a row that has its value of column `from` from another row. */
static uint32_t told(const instance *s, const ct_forest *t, uint32_t row, uint32_t from,
                     uint32_t other)
{
    uint32_t node = t->roots[0];
    while (t->feature[node] >= 0) {
        uint32_t col = (uint32_t) t->feature[node];
        double x = s->x[col][col == from ? other : row];
        node = x < t->threshold[node] ? t->left[node] : t->right[node];
    }
    return (uint32_t) t->label[node];
}

/* The least value of a tree once the values of a column are exchanged, pair by pair of rows: of the
 * set's trees one by one. */
static int same_exchanged(const instance *s, ct_set *set, size_t n_trees, rng *r)
{
    double gain[ROWS * CLASSES];
    int64_t value, expected = INT64_MAX;
    for (uint32_t i = 0; i < s->n * s->k; i++) gain[i] = (double) below(r, 5) - 2;
    ct_set_question q = {CT_VALUE_LEAST, x_columns, s->n, gain, below(r, 3), below(r, s->p),
                         UINT32_MAX, 1};
    for (size_t i = 0; i < n_trees; i++) {
        ct_exact_result result;
        uint32_t where[ROWS];
        if (!tree_of(set, i, &result, where)) return 0;
        int64_t own = q.per_leaf * (result.tree.n_nodes + 1) / 2;
        for (uint32_t row = 0; row < s->n; row++)
            for (uint32_t other = 0; other < s->n; other++)
                own += (int64_t) gain[row * s->k + told(s, &result.tree, row, q.exchanged, other)];
        if (own < expected) expected = own;
    }
    if (!CHECK_OK(ct_set_best(set, &q, &value, NULL, NULL, &reason))) return 0;
    return CHECK_INT(value, expected);
}

/* What splits on a group of columns spare, the least and the greatest. */
static int same_gains(const instance *s, ct_set *set, const trees *list)
{
    for (uint32_t col = 0, group = 0; col < s->p; col++) {
        if (col && s->groups[col] != s->groups[col - 1]) group++;
        if (col + 1 < s->p && s->groups[col + 1] == s->groups[col]) continue;
        for (int sign = -1; sign < 2; sign += 2) {
            ct_set_question q = {CT_VALUE_LEAST, x_columns, 0, NULL, 0, UINT32_MAX, group, sign};
            double expected = HUGE_VAL;
            int64_t value;
            for (size_t i = 0; i < list->n; i++) {
                double gain = 0;
                for (uint32_t of = 0; of <= col; of++)
                    if (s->groups[of] == s->groups[col]) gain += list->of[i].gain[of];
                expected = fmin(expected, sign * gain);
            }
            if (!CHECK_OK(ct_set_best(set, &q, &value, NULL, NULL, &reason))) return 0;
            if (!CHECK(fabs((double) value * ct_set_unit(set) - expected) < near_by)) return 0;
        }
    }
    return 1;
}

/* ---- counted again ---- */

static ct_certify_recount_result recount(const instance *s, const ct_certify_set_claim *of)
{
    ct_data data = data_of(s);
    ct_certify_claim claim = {s->depth, complexity_of(s), s->min_bucket, s->min_split, 0, NULL,
                              NULL, NULL, 0, 0};
    ct_certify_recount_result result;
    CHECK_OK(ct_certify_set(&data, &claim, of, &result, &reason));
    return result;
}

/* The checker finds as many trees of each cost, and sees a tree too few, or one too many. */
static int same_again(const instance *s, const ct_set *set, uint32_t wrong)
{
    ct_certify_cost_count counts[600];
    ct_set_facts facts = ct_set_about(set);
    if (s->numeric && facts.n_costs >= 600) return 1; /* nearly each tree has a cost of its own */
    if (!CHECK(facts.n_costs && facts.n_costs < 600)) return 0;
    for (uint32_t i = 0; i < facts.n_costs; i++) {
        const uint64_t *count;
        char text[CT_COUNT_DIGITS];
        counts[i].cost = ct_set_cost_count(set, i, &count);
        ct_set_count_text(count, ct_set_words(set), text);
        counts[i].n = ct_certify_residues_of(text);
    }
    ct_certify_set_claim claim = {facts.budget, counts, facts.n_costs, s->groups, NULL, 0};
    ct_certify_recount_result again = recount(s, &claim);
    if (!CHECK_INT(again.same, 1)) return 0;
    double budget = ct_set_objective(set, facts.least) + s->slack;
    if (s->numeric && !CHECK(again.bound >= budget - near_by)) return 0;
    wrong %= 2 * facts.n_costs;
    ct_certify_cost_count *of = &counts[wrong / 2];
    of->n = ct_residues_sum(of->n, wrong % 2 ? ct_residues_one() : ct_residues_less_one());
    ct_certify_recount_result result = recount(s, &claim);
    return CHECK_INT(result.same, 0) & CHECK(result.differs == of->cost);
}

/* ---- random tables ---- */

static void draw(instance *s, rng *r, unsigned depth)
{
    memset(s, 0, sizeof *s);
    s->depth = depth;
    s->n = 2 + below(r, depth == 4 ? 5 : depth == 3 ? 6 : 9);
    s->p = 1 + below(r, depth == 4 ? 2 : 3);
    s->k = 2 + below(r, 3);
    s->min_bucket = below(r, 3) ? 1 : 1 + below(r, 3);
    s->min_split = below(r, 4) ? 2 : 2 + below(r, 4);
    s->price = below(r, 3) ? (double) below(r, 5) / 2 : 0;
    s->slack = (double) below(r, 9) / 2;
    s->grouped = !below(r, 3);
    for (uint32_t col = 0; col < s->p; col++) {
        uint32_t values = below(r, 4) ? 2 + below(r, 8) : 2;
        s->groups[col] = s->grouped && col && below(r, 2) ? s->groups[col - 1] : col;
        for (uint32_t i = 0; i < s->n; i++) s->x[col][i] = (double) below(r, values);
        int turned = below(r, 3) == 0;
        for (uint32_t i = 0; col && s->groups[col] == s->groups[col - 1] && i < s->n; i++)
            if (below(r, 8)) s->x[col][i] = turned ? -s->x[col - 1][i] : s->x[col - 1][i];
    }
    for (uint32_t i = 0; i < s->n; i++) s->y[i] = (int32_t) below(r, s->k);
    s->weighted = !below(r, 3);
    s->with_loss = !below(r, 4);
    for (uint32_t i = 0; i < s->n; i++) s->weights[i] = (double) (1 + below(r, 3));
    for (uint32_t i = 0; i < s->k * s->k; i++)
        s->loss[i] = i / s->k == i % s->k ? 0 : (double) (1 + below(r, 3));
    if (!below(r, 4)) s->off = rng_next(r) & ((UINT32_C(1) << CT_EXACT_N_SHORTCUTS) - 1);
    s->test_rows = below(r, 2) ? 8 : below(r, 3); /* counted by tests hardly, or where it fits */
}

/* Squared errors of small whole numbers. */
static void draw_numbers(instance *s, rng *r, unsigned depth)
{
    draw(s, r, depth);
    s->numeric = 1;
    s->with_loss = 0;
    s->k = 1;
    uint32_t values = 2 + below(r, 9);
    for (uint32_t i = 0; i < s->n; i++) s->numbers[i] = s->y[i] = (int32_t) below(r, values);
    s->price = fmin(s->price, squares_of(s, (UINT32_C(1) << s->n) - 1) / 2);
}

/* A column like another one, turned over or not, and in most cases a row of it changed. */
static void draw_alike(instance *s, rng *r, uint32_t col)
{
    uint32_t from = below(r, col), turned = below(r, 2), changed = below(r, 3);
    for (uint32_t i = 0; i < s->n; i++)
        s->x[col][i] = turned ? -s->x[from][i] : s->x[from][i];
    if (changed) s->x[col][below(r, s->n)] = s->x[from][below(r, s->n)];
}

/* Columns of few values, with copies and complements among them, whose rows are counted by tests.
 */
static void draw_few(instance *s, rng *r, unsigned depth)
{
    memset(s, 0, sizeof *s);
    s->depth = depth;
    s->n = 4 + below(r, ROWS - 3);
    s->p = depth == 4 ? 1 + below(r, 3) : 2 + below(r, COLS - 1);
    s->k = 2 + below(r, 3);
    s->min_bucket = 1;
    s->min_split = 2;
    s->price = below(r, 3) ? (double) below(r, 5) / 2 : 0;
    s->slack = (double) below(r, 13) / 2;
    s->grouped = !below(r, 3);
    for (uint32_t col = 0; col < s->p; col++) {
        uint32_t values = below(r, 4) ? 2 : 2 + below(r, 2);
        s->groups[col] = s->grouped && col && below(r, 2) ? s->groups[col - 1] : col;
        for (uint32_t i = 0; i < s->n; i++) s->x[col][i] = (double) below(r, values);
        if (col && below(r, 2)) draw_alike(s, r, col);
    }
    for (uint32_t i = 0; i < s->n; i++) s->y[i] = (int32_t) below(r, s->k);
    if (!below(r, 3)) /* classes that some row sets lack */
        for (uint32_t i = 0; i < s->n; i++)
            if (s->x[0][i] > 0 && below(r, 4)) s->y[i] = (int32_t) s->k - 1;
    if (!below(r, 6)) s->off = UINT32_C(1) << below(r, CT_EXACT_N_SHORTCUTS);
}

static int same_set(const instance *s, ct_set *set, const trees *list, rng *r, uint32_t wrong)
{
    ct_set_facts facts = ct_set_about(set);
    int few = list->n <= 100;
    return CHECK_INT(facts.end, CT_END_OPTIMAL) && CHECK(facts.complete == facts.budget) &&
           same_counts(s, set, list) && (list->n >= 400 || same_trees(s, set, list)) &&
           same_without(s, set, list) && same_best(s, set, list, r) && same_gains(s, set, list) &&
           (s->numeric ? !few || same_numbers(s, set, list->n)
                       : same_ranges(s, set, list) &&
                             (!few || same_exchanged(s, set, list->n, r))) &&
           same_again(s, set, wrong);
}

static int check_instance(const instance *s, rng *r, uint64_t *counted)
{
    double budget;
    ct_set *set;
    near_by = s->numeric ? 3e-7 : 1e-9;
    trees list = within(s, &budget);
    int right = 1;
    if (list.n <= MOST_TREES) {
        right = CHECK_OK(set_of(s, budget, INFINITY, SIZE_MAX / 4, 0, &set, &reason));
        if (right) {
            right = same_set(s, set, &list, r, (uint32_t) *counted);
            ct_set_free(set);
        }
        *counted += list.n;
    }
    free(list.of);
    check_release(0);
    return right;
}

static void random_tables(void (*draw_one)(instance *, rng *, unsigned), unsigned depth,
                          uint32_t most)
{
    rng r = {depth};
    uint64_t counted = 0;
    const uint32_t n = check_seeds(most, 1 + most / 200, 1 + most / 400);
    for (uint32_t i = 0; i < n; i++) {
        instance s;
        draw_one(&s, &r, depth);
        if (check_instance(&s, &r, &counted)) continue;
        printf("    table %u of depth %u\n", i, depth);
        return;
    }
    CHECK(CHECK_QUICK() || counted > n);
}

static void depth_one(void) { random_tables(draw, 1, 500); }
static void depth_two(void) { random_tables(draw, 2, 3000); }
static void depth_three(void) { random_tables(draw, 3, 1200); }
static void depth_four(void) { random_tables(draw, 4, 600); }
static void numbers_one(void) { random_tables(draw_numbers, 1, 500); }
static void numbers_two(void) { random_tables(draw_numbers, 2, 3000); }
static void numbers_three(void) { random_tables(draw_numbers, 3, 1200); }
static void numbers_four(void) { random_tables(draw_numbers, 4, 600); }
static void few_values_two(void) { random_tables(draw_few, 2, 4000); }
static void few_values_three(void) { random_tables(draw_few, 3, 4000); }
static void few_values_four(void) { random_tables(draw_few, 4, 1000); }

/* Splits that cost much of what all rows do, and budgets that allow for some of them. */
static void dear_splits(void)
{
    rng r = {19};
    uint64_t counted = 0;
    for (uint32_t i = 0; i < check_seeds(400, 3, 2); i++) {
        instance s;
        draw_numbers(&s, &r, 2 + i % 2);
        double total = squares_of(&s, (UINT32_C(1) << s.n) - 1);
        s.price = total / (1 + below(&r, 3));
        s.slack = total * below(&r, 8) / 2;
        if (!check_instance(&s, &r, &counted)) return;
    }
}

/* ---- larger tables: the trees of depth two, pair by pair ---- */

enum { MORE_ROWS = 260, MORE_COLS = 3, MOST_COSTS = MORE_ROWS * MORE_COLS + 1 };

typedef struct {
    uint32_t n, k;
    double x[MORE_COLS][MORE_ROWS];
    int32_t y[MORE_ROWS];
} large;

static uint32_t wrong_rows(const large *s, const uint8_t *in, uint32_t *label)
{
    uint32_t n[CLASSES] = {0}, all = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (in[i]) n[s->y[i]]++, all++;
    *label = 0;
    for (uint32_t c = 1; c < s->k; c++)
        if (n[c] > n[*label]) *label = c;
    return all - n[*label];
}

/* The costs of the trees of depth one of the rows `in`, the leaf first; returns how many. */
static size_t stump_costs(const large *s, const uint8_t *in, uint32_t price, uint32_t *costs)
{
    uint32_t label[2];
    size_t n = 0;
    costs[n++] = wrong_rows(s, in, &label[0]);
    for (uint32_t col = 0; col < MORE_COLS; col++) {
        for (uint32_t at = 0; at < s->n; at++) {
            uint8_t side[2][MORE_ROWS];
            uint32_t first = 1, n_left = 0;
            for (uint32_t i = 0; i < s->n; i++) {
                int left = s->x[col][i] < s->x[col][at];
                side[0][i] = in[i] && left;
                side[1][i] = in[i] && !left;
                n_left += side[0][i];
                first &= !(in[i] && i < at && s->x[col][i] == s->x[col][at]);
            }
            if (!in[at] || !first || !n_left) continue;
            uint32_t wrong = wrong_rows(s, side[0], &label[0]) + wrong_rows(s, side[1], &label[1]);
            if (label[0] != label[1]) costs[n++] = wrong + price;
        }
    }
    return n;
}

/* Of trees with the root split on each column: adds how many pairs have which cost. */
static void add_roots(const large *s, uint32_t price, uint64_t *count, uint32_t most)
{
    static uint32_t costs[2][MOST_COSTS];
    for (uint32_t col = 0; col < MORE_COLS; col++) {
        for (uint32_t at = 0; at < s->n; at++) {
            uint8_t side[2][MORE_ROWS];
            uint32_t label[2], n_left = 0, first = 1;
            size_t n[2];
            for (uint32_t i = 0; i < s->n; i++) {
                side[0][i] = s->x[col][i] < s->x[col][at];
                side[1][i] = !side[0][i];
                n_left += side[0][i];
                first &= i >= at || s->x[col][i] != s->x[col][at];
            }
            if (!first || !n_left) continue;
            for (int i = 0; i < 2; i++) n[i] = stump_costs(s, side[i], price, costs[i]);
            uint32_t leaves = wrong_rows(s, side[0], &label[0]) + wrong_rows(s, side[1], &label[1]);
            for (size_t i = 0; i < n[0]; i++)
                for (size_t j = 0; j < n[1]; j++)
                    if (costs[0][i] + costs[1][j] + price <= most)
                        count[costs[0][i] + costs[1][j] + price]++;
            if (label[0] == label[1] && leaves + price <= most) count[leaves + price]--;
        }
    }
}

static void draw_large(large *s, rng *r, uint32_t k)
{
    s->n = 150 + below(r, MORE_ROWS - 150);
    s->k = k;
    for (uint32_t col = 0; col < MORE_COLS; col++) {
        uint32_t values = col ? 1000000 : 12;
        for (uint32_t i = 0; i < s->n; i++) s->x[col][i] = (double) below(r, values);
    }
    for (uint32_t i = 0; i < s->n; i++)
        s->y[i] = (int32_t) (below(r, 4) ? (uint32_t) (s->x[1][i] / 1000000 * k) : below(r, k));
}

static void check_large(const large *s, uint32_t price, uint32_t slack)
{
    ct_column columns[MORE_COLS];
    ct_set *set;
    uint64_t expected[3 * MORE_ROWS] = {0};
    uint8_t all[MORE_ROWS];
    uint32_t label, least = 0;
    for (uint32_t col = 0; col < MORE_COLS; col++)
        columns[col] = (ct_column){s->x[col], CT_DOUBLE};
    memset(all, 1, sizeof all);
    uint32_t leaf = wrong_rows(s, all, &label);
    expected[leaf]++;
    add_roots(s, price, expected, leaf);
    while (!expected[least]) least++;
    ct_data data = {s->n, MORE_COLS, s->k, columns, s->y, NULL, NULL, NULL};
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2;
    options.complexity = price / (double) s->n;
    options.max_cost = least + slack;
    REQUIRE_OK(ct_set_new(&data, &options, NULL, 0, &set, &reason));
    ct_set_facts facts = ct_set_about(set);
    for (uint32_t i = 0; i < facts.n_costs; i++) {
        const uint64_t *count;
        double cost = ct_set_cost(set, i, &count);
        expected[(uint32_t) (cost + 0.5)] -= count[0];
    }
    for (uint32_t cost = 0; cost <= least + slack && cost <= leaf; cost++)
        CHECK_INT(expected[cost], 0);
    ct_set_free(set);
}

static void larger_tables(void)
{
    rng r = {7};
    for (int i = 0; i < (CHECK_QUICK() ? 1 : 12); i++) {
        large s;
        draw_large(&s, &r, 2 + (uint32_t) i % 3 / 2);
        check_large(&s, (uint32_t) i % 4, 1 + (uint32_t) i);
    }
}

/* ---- limits ---- */

/* Whether the set was stopped, which has no tree that costs more than the budget, and lacks none up
 * to what it says. */
static int is_stopped(const instance *s, size_t most_nodes)
{
    double budget;
    ct_set *set;
    trees list = within(s, &budget);
    size_t at = 0;
    int stopped = 0;
    if (list.n <= MOST_TREES &&
        set_of(s, budget, INFINITY, SIZE_MAX / 4, most_nodes, &set, &reason) == CT_OK) {
        ct_set_facts facts = ct_set_about(set);
        stopped = facts.complete < facts.budget;
        for (uint32_t j = 0; j < facts.n_costs && facts.complete >= facts.least; j++) {
            const uint64_t *count;
            double cost = ct_set_cost(set, j, &count);
            if (cost > ct_set_objective(set, facts.complete) - 1e-9) break;
            for (uint64_t one = 0; one < count[0]; one++, at++)
                CHECK(at < list.n && fabs(list.of[at].cost - cost) < 1e-9);
            CHECK(at == list.n || list.of[at].cost > cost - 1e-9);
        }
        ct_set_free(set);
    }
    free(list.of);
    return stopped;
}

static void stopped_sets(void)
{
    rng r = {11};
    const int n = CHECK_QUICK() ? 20 : 150;
    int n_stopped = 0;
    for (int i = 0; i < n; i++) {
        instance s;
        draw(&s, &r, 3);
        s.slack += 2;
        n_stopped += is_stopped(&s, 1 + below(&r, 30));
    }
    CHECK(n_stopped > n / 16);
}

/* By the clock too, which is looked at all the time. */
static void stopped_counts(void)
{
    rng r = {13};
    const int n = CHECK_QUICK() ? 20 : 600;
    int n_stopped = 0;
    for (int i = 0; i < n; i++) {
        instance s;
        draw_few(&s, &r, 3);
        s.slack += 2;
        s.stop_after = i % 2 ? 1 + below(&r, 40) : 0;
        ct_exact_worker_poll_every((uint64_t) i % 2);
        n_stopped += is_stopped(&s, i % 2 ? 0 : 1 + below(&r, 30));
    }
    ct_exact_worker_poll_every(0);
    CHECK(n_stopped > n / 16);
}

/* ---- counts ---- */

static void counts_of_many_words(void)
{
    rng r = {5};
    for (int i = 0; i < 2000; i++) {
        uint64_t a[4], b[4] = {0}, product[8] = {0}, by[8] = {0}, quotient[8], rest[8], back[8];
        char text[CT_COUNT_DIGITS];
        for (int w = 0; w < 4; w++) {
            a[w] = (uint64_t) rng_next(&r) << 32 | rng_next(&r);
            if (w <= i % 4) by[w] = b[w] = (uint64_t) rng_next(&r) << (i % 33) | 1;
        }
        ct_count_add_product(product, 8, a, 4, b, 4);
        ct_set_count_divide(product, by, 8, quotient, rest);
        CHECK(ct_set_count_is_zero(rest, 8) && !memcmp(quotient, a, sizeof a));
        CHECK(ct_set_count_is_zero(quotient + 4, 4));
        ct_set_count_text(product, 8, text);
        CHECK(ct_set_count_read(text, back, 8) && !memcmp(back, product, sizeof back));
        ct_set_count_add(product, 8, a, 4);
        ct_set_count_take(product, 8, by, 8);
        ct_set_count_add(product, 8, by, 8);
        ct_set_count_take(product, 8, a, 4);
        CHECK(!memcmp(back, product, sizeof back));
    }
    uint64_t one[2] = {UINT64_C(12446744073709551615), 5};
    char text[CT_COUNT_DIGITS];
    ct_set_count_text(one, 2, text);
    CHECK(!strcmp(text, "104680464442257309695"));
}

static const check_case cases[] = {{"depth one", depth_one},
                                   {"depth two", depth_two},
                                   {"depth three", depth_three},
                                   {"depth four", depth_four},
                                   {"numbers, depth one", numbers_one},
                                   {"numbers, depth two", numbers_two},
                                   {"numbers, depth three", numbers_three},
                                   {"numbers, depth four", numbers_four},
                                   {"dear splits", dear_splits},
                                   {"few values at depth two", few_values_two},
                                   {"few values at depth three", few_values_three},
                                   {"few values at depth four", few_values_four},
                                   {"larger tables", larger_tables},
                                   {"stopped sets", stopped_sets},
                                   {"stopped counts", stopped_counts},
                                   {"counts of many words", counts_of_many_words}};
CHECK_MAIN(cases)
