/* Policy trees against all trees, and the search against itself: other instruction sets, threads,
 * shortcuts, orders of rows, columns and actions. */
#include "check.h"
#include "random.h"

#include "certify/rewards.h"
#include "policy/policy.h"
#include "policy/prove.h"

enum { MOST_ROWS = 48, MOST_COLS = 5, MOST_ACTIONS = 40, MOST_NODES = 31 };

typedef struct {
    uint32_t n, p, k;
    double x[MOST_COLS][MOST_ROWS];
    double rewards[MOST_ACTIONS * MOST_ROWS];
    unsigned depth;
    uint32_t min_bucket, max_leaves;
    double price;
} instance;

static uint32_t below(rng *r, uint32_t n) { return rng_next(r) % n; }

/* ---- all trees ---- */

/* In preorder: column (-1 in a leaf) and threshold. */
typedef struct {
    double cost;
    uint32_t splits, n_nodes;
    int column[MOST_NODES];
    double threshold[MOST_NODES];
} brute_tree;

static double leaf_cost(const instance *s, const uint32_t *rows, uint32_t n)
{
    double least = INFINITY;
    for (uint32_t a = 0; a < s->k; a++) {
        double sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            double best = -INFINITY;
            for (uint32_t b = 0; b < s->k; b++) best = fmax(best, s->rewards[b * s->n + rows[i]]);
            sum += best - s->rewards[a * s->n + rows[i]];
        }
        if (sum < least) least = sum;
    }
    return least;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return x < y ? -1 : x > y;
}

static void append(brute_tree *to, const brute_tree *from)
{
    for (uint32_t i = 0; i < from->n_nodes; i++) {
        to->column[to->n_nodes] = from->column[i];
        to->threshold[to->n_nodes++] = from->threshold[i];
    }
}

/* Of the trees of a side with at most so many splits. */
static brute_tree brute(const instance *s, const uint32_t *rows, uint32_t n, unsigned depth,
                        uint32_t most);

/* The best of both sides that share the splits. */
static double share(const instance *s, uint32_t sides[2][MOST_ROWS], const uint32_t size[2],
                    unsigned depth, uint32_t most, brute_tree trees[2])
{
    double least = INFINITY;
    const uint32_t full = (1U << depth) - 1, first = most > full ? most - full : 0;
    for (uint32_t own = first; own <= most && own <= full; own++) {
        const brute_tree left = brute(s, sides[0], size[0], depth, own),
                         right = brute(s, sides[1], size[1], depth, most - own);
        const double cost = left.cost + right.cost;
        if (cost > least || (cost == least && left.splits + right.splits >=
                                                  trees[0].splits + trees[1].splits))
            continue;
        least = cost;
        trees[0] = left, trees[1] = right;
        if (most >= 2 * full) break;
    }
    return least;
}

static brute_tree brute(const instance *s, const uint32_t *rows, uint32_t n, unsigned depth,
                        uint32_t most)
{
    brute_tree best = {leaf_cost(s, rows, n), 0, 1, {-1}, {0}};
    for (uint32_t col = 0; col < s->p && depth && most; col++) {
        double values[MOST_ROWS];
        for (uint32_t i = 0; i < n; i++) values[i] = s->x[col][rows[i]];
        qsort(values, n, sizeof *values, by_value);
        for (uint32_t i = 1; i < n; i++) {
            uint32_t sides[2][MOST_ROWS], size[2] = {0, 0};
            if (values[i] == values[i - 1]) continue;
            for (uint32_t j = 0; j < n; j++) {
                const int right = s->x[col][rows[j]] >= values[i];
                sides[right][size[right]++] = rows[j];
            }
            if (size[0] < s->min_bucket || size[1] < s->min_bucket) continue;
            brute_tree trees[2];
            const double cost = s->price + share(s, sides, size, depth - 1, most - 1, trees);
            const uint32_t splits = trees[0].splits + trees[1].splits + 1;
            if (cost > best.cost || (cost == best.cost && splits >= best.splits)) continue;
            best = (brute_tree){cost, splits, 1, {(int) col},
                                {ct_threshold_between(values[i - 1], values[i])}};
            append(&best, &trees[0]);
            append(&best, &trees[1]);
        }
    }
    return best;
}

static brute_tree brute_all(const instance *s)
{
    uint32_t rows[MOST_ROWS];
    for (uint32_t i = 0; i < s->n; i++) rows[i] = i;
    const uint32_t full = (1U << s->depth) - 1;
    return brute(s, rows, s->n, s->depth,
                 s->max_leaves && s->max_leaves <= full ? s->max_leaves - 1 : full);
}

/* ---- instances ---- */

/* Values of columns: few, two, one, or all different. */
static void draw_columns(instance *s, rng *r)
{
    for (uint32_t col = 0; col < s->p; col++) {
        const uint32_t kind = below(r, 8), values = kind == 0 ? 1 : kind == 1 ? 2
                                                    : kind < 5 ? 2 + below(r, 6) : 1000000;
        for (uint32_t i = 0; i < s->n; i++) s->x[col][i] = (double) below(r, values) - 3;
    }
}

/* Whole numbers: 0 and 1, a few, equal actions, or huge beside small. */
static void draw_rewards(instance *s, rng *r)
{
    const uint32_t kind = below(r, 7);
    for (uint32_t a = 0; a < s->k; a++)
        for (uint32_t i = 0; i < s->n; i++) {
            double *reward = &s->rewards[a * s->n + i];
            *reward = kind == 0   ? (double) below(r, 2)
                      : kind == 1 ? (double) below(r, 5) - 2
                      : kind == 2 ? (double) (a == below(r, s->k)) * 7
                      : kind == 3 ? (below(r, 9) ? (double) below(r, 3) : 1e12 + below(r, 3))
                      : kind == 4 ? (a && below(r, 4) ? s->rewards[i] : (double) below(r, 50))
                      : kind == 5 ? (double) below(r, 1000000) / 1024
                                  : (double) below(r, 100) - 1e6;
        }
}

static void draw(instance *s, rng *r, uint32_t most_rows, uint32_t most_actions)
{
    memset(s, 0, sizeof *s);
    s->depth = below(r, 8) ? 2 : 1 + 2 * below(r, 2);
    s->n = 1 + below(r, s->depth == 3 ? 12 : most_rows);
    s->p = 1 + below(r, s->depth == 3 ? 2 : 3);
    s->k = 1 + below(r, most_actions);
    s->min_bucket = below(r, 3) ? 1 : 1 + below(r, 5);
    s->price = below(r, 3) ? 0 : (double) below(r, 8);
    draw_columns(s, r);
    draw_rewards(s, r);
}

static ct_policy_options options_of(const instance *s)
{
    ct_policy_options o = {.depth = s->depth, .min_bucket = s->min_bucket, .price = s->price,
                           .time_limit = INFINITY, .memory_limit = SIZE_MAX / 4, .threads = 1,
                           .simd = ct_cpu_find("auto"), .max_leaves = s->max_leaves};
    return o;
}

static void release_result(void *of) { ct_policy_result_free((ct_policy_result *) of); }

static ct_status solve(const ct_policy_data *data, const ct_policy_options *o,
                       ct_policy_result *result, uint32_t *leaves)
{
    const ct_status status = ct_policy_solve(data, o, result, leaves, &reason);
    if (status == CT_OK) keep_parts(result, sizeof *result, release_result);
    return status;
}

/* The leaf of each row, of the instance that was solved last. */
static uint32_t where[MOST_ROWS];

static ct_status solve_instance(const instance *s, const ct_policy_options *o,
                                ct_policy_result *result)
{
    ct_column columns[MOST_COLS];
    for (uint32_t col = 0; col < s->p; col++) columns[col] = (ct_column){s->x[col], CT_DOUBLE};
    const ct_policy_data data = {columns, s->n, s->p, s->rewards, s->k};
    return solve(&data, o, result, where);
}

/* The tree, node by node. */
static int is_tree(const ct_policy_result *result, const brute_tree *tree)
{
    if (result->tree.n_nodes != tree->n_nodes) return 0;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        if (result->tree.feature[i] != tree->column[i] ||
            (tree->column[i] >= 0 && result->tree.threshold[i] != tree->threshold[i]))
            return 0;
    return 1;
}

static int same_result(const ct_policy_result *a, const ct_policy_result *b)
{
    if (a->tree.n_nodes != b->tree.n_nodes || a->cost != b->cost || a->bound != b->bound) return 0;
    for (uint32_t i = 0; i < a->tree.n_nodes; i++)
        if (a->tree.feature[i] != b->tree.feature[i] || a->action[i] != b->action[i] ||
            a->tree.threshold[i] != b->tree.threshold[i])
            return 0;
    return 1;
}

static void check_instance(const instance *s, const ct_policy_options *o)
{
    const brute_tree tree = brute_all(s);
    ct_policy_result result;
    REQUIRE_OK(solve_instance(s, o, &result));
    CHECK(result.cost == tree.cost && result.bound == tree.cost && result.rounding == 0);
    CHECK(is_tree(&result, &tree) && result.end == CT_POLICY_OPTIMAL);
}

/* ---- cases ---- */

static void all_trees(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 28, 8);
    const ct_policy_options o = options_of(&s);
    check_instance(&s, &o);
}

/* Columns of two values, some the same or nearly, whose nodes of depth three are added up; with one
 * level more the first has any values. */
static void all_trees_of_two_values(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 20, seed % 4 ? 6 : 12);
    s.depth = 3 + (seed % 8 == 0);
    s.n = 2 + below(r, s.depth == 3 ? 19 : 8);
    s.p = 1 + below(r, s.depth == 3 ? MOST_COLS : 3);
    for (uint32_t col = 0; col < s.p; col++) {
        if (s.depth == 4 && !col) continue;
        const double *like = s.x[col ? below(r, col) : 0];
        const uint32_t kind = col ? below(r, 4) : 0, ones = 1 + below(r, 3);
        for (uint32_t i = 0; i < s.n; i++)
            s.x[col][i] = kind == 1 && below(r, 9) ? like[i] : below(r, 4) < ones ? 2 : -1;
    }
    draw_rewards(&s, r);
    ct_policy_options o = options_of(&s);
    o.threads = 1 + seed % 2;
    check_instance(&s, &o);
}

static void all_trees_of_many_actions(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 24, MOST_ACTIONS);
    const ct_policy_options o = options_of(&s);
    check_instance(&s, &o);
}

/* With one shortcut off, or all; on every instruction set; by two threads. */
static void other_ways(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 26, 20);
    ct_policy_options o = options_of(&s);
    o.off = seed % 3 ? 1U << below(r, CT_POLICY_SHORTCUTS) : (1U << CT_POLICY_SHORTCUTS) - 1;
    o.threads = 1 + below(r, 2);
    const ct_simd level = (ct_simd) below(r, CT_N_SIMD);
    if (ct_cpu_has(level)) o.simd = level;
    check_instance(&s, &o);
}

static int stop_at_once(void *data) { return 1; }

/* Fewer leaves than levels allow. */
static void few_leaves(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 18, 6);
    s.max_leaves = 1 + below(r, 1U << s.depth);
    const ct_policy_options o = options_of(&s);
    check_instance(&s, &o);
}

static ct_policy_start start_of(const ct_policy_result *result)
{
    const ct_forest *tree = &result->tree;
    const ct_policy_start start = {tree->n_nodes, tree->feature, tree->threshold, tree->left,
                                   tree->right};
    return start;
}

/* Whatever tree a search begins with, of other rewards or a level more, it finds the same; stopped
 * at once it has what it began with, or better. */
static void begun_with(rng *r, uint32_t seed)
{
    instance s, other;
    ct_policy_result first, result;
    draw(&s, r, 24, 6);
    other = s;
    other.depth += below(r, 2);
    if (below(r, 2)) draw_rewards(&other, r);
    ct_policy_options o = options_of(&other);
    REQUIRE_OK(solve_instance(&other, &o, &first));
    const ct_policy_start start = start_of(&first);
    o = options_of(&s);
    o.start = &start;
    o.min_bucket = s.min_bucket = 1 + below(r, 3);
    check_instance(&s, &o);
    o.stop = stop_at_once;
    o.depth = other.depth;
    o.min_bucket = other.min_bucket;
    if (!memcmp(s.rewards, other.rewards, sizeof s.rewards)) {
        REQUIRE_OK(solve_instance(&s, &o, &result));
        CHECK(result.cost == first.cost);
    }
}

/* The best tree is that of the best root. */
static void roots(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 24, 6);
    const brute_tree tree = brute_all(&s);
    ct_policy_options o = options_of(&s);
    double least = INFINITY;
    for (uint32_t col = 0; col < s.p; col++) {
        uint8_t only[MOST_COLS] = {0};
        ct_policy_result result;
        only[col] = 1;
        o.roots = only;
        o.threads = 1 + col % 2;
        REQUIRE_OK(solve_instance(&s, &o, &result));
        CHECK(result.tree.feature[0] < 0 || result.tree.feature[0] == (int32_t) col);
        CHECK(result.bound == result.cost);
        least = fmin(least, result.cost);
    }
    CHECK(least == tree.cost);
}

/* ---- certificates ---- */

typedef struct {
    ct_column columns[MOST_COLS];
    ct_policy_data data;
    ct_certify_rewards same;
    ct_certify_policy claim;
    ct_bytes bytes;
} proof;

/* That no tree costs less than the one that is found, in so many bytes. */
static ct_policy_end prove(proof *p, const instance *s, const ct_policy_result *result,
                           uint32_t *actions, size_t limit)
{
    const ct_policy_start start = start_of(result);
    ct_policy_options o = options_of(s);
    ct_policy_end end;
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < s->p; i++) p->columns[i] = (ct_column){s->x[i], CT_DOUBLE};
    for (uint32_t i = 0; i < s->n; i++) actions[i] = result->action[where[i]];
    p->data = (ct_policy_data){p->columns, s->n, s->p, s->rewards, s->k};
    p->same = (ct_certify_rewards){p->columns, s->n, s->p, s->rewards, s->k};
    p->claim = (ct_certify_policy){s->depth, s->min_bucket, s->price, actions,
                                   (result->tree.n_nodes - 1) / 2, NULL, NULL};
    p->bytes.limit = limit;
    o.start = &start;
    ct_certify_policy_begin(&p->same, &p->claim, &p->bytes);
    CHECK_OK(ct_policy_prove(&p->data, &o, 0, 0, &p->bytes, &end, &reason));
    return end;
}

static ct_certify_result certify(const proof *p)
{
    ct_certify_result checked;
    CHECK_OK(ct_certify_policy_check(&p->same, &p->claim, p->bytes.bytes, p->bytes.n, &checked,
                                     &reason));
    return checked;
}

/* What was tampered with proves nothing that is untrue. */
static void tamper(proof *p, double least, rng *r)
{
    for (int i = 0; i < 12; i++) {
        const size_t at = below(r, (uint32_t) p->bytes.n), n = p->bytes.n;
        const uint8_t was = p->bytes.bytes[at];
        p->bytes.bytes[at] = (uint8_t) (was + 1 + below(r, 255));
        if (!below(r, 4)) p->bytes.n = at;
        const ct_certify_result checked = certify(p);
        if (!CHECK(checked.verdict != CT_CERTIFIED || checked.bound <= least))
            printf("    byte %zu of %zu: %d for %d, bound %.17g for %.17g, rounding %g\n", at, n,
                   p->bytes.bytes[at], was, checked.bound, least, checked.rounding);
        p->bytes.bytes[at] = was;
        p->bytes.n = n;
    }
}

static void certificates(rng *r, uint32_t seed)
{
    instance s;
    proof p;
    ct_policy_result result;
    uint32_t actions[MOST_ROWS];
    draw(&s, r, 26, 7);
    const brute_tree tree = brute_all(&s);
    const ct_policy_options o = options_of(&s);
    REQUIRE_OK(solve_instance(&s, &o, &result));
    REQUIRE(prove(&p, &s, &result, actions, SIZE_MAX) == CT_POLICY_OPTIMAL);
    const ct_certify_result checked = certify(&p);
    CHECK_INT(checked.verdict, CT_CERTIFIED);
    CHECK(checked.bound == tree.cost && checked.rounding == 0);
    CHECK(checked.attained && checked.smallest);
    tamper(&p, tree.cost, r);
    /* other rewards, and a tree that is worse */
    const double kept = s.rewards[0];
    s.rewards[0]++;
    CHECK(certify(&p).verdict == CT_OTHER_DATA);
    s.rewards[0] = kept;
    p.claim.n_splits++;
    CHECK(!certify(&p).smallest);
    const size_t size = p.bytes.n;
    ct_bytes_free(&p.bytes);
    CHECK(prove(&p, &s, &result, actions, size - 1) == CT_POLICY_MEMORY);
    ct_bytes_free(&p.bytes);
}

/* ---- larger tables ---- */

typedef struct {
    uint32_t n, p, k;
    double *x, *rewards;
    ct_column *columns;
} table;

static double normal(rng *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += rng_next(r) / 4294967296.0;
    return sum;
}

/* Scores as of an experiment: means that depend on two columns, and what was seen of one action. */
static table scores(uint32_t n, uint32_t p, uint32_t k, double strength, double step, uint64_t seed)
{
    rng r = {seed};
    table t = {n, p, k, (double *) keep_new(n * p, sizeof(double)),
               (double *) keep_new(n * k, sizeof(double)),
               (ct_column *) keep_new(p, sizeof(ct_column))};
    for (uint32_t i = 0; i < n * p; i++)
        t.x[i] = step > 0 ? floor(normal(&r) / step) * step : normal(&r);
    for (uint32_t col = 0; col < p; col++)
        t.columns[col] = (ct_column){t.x + (size_t) col * n, CT_DOUBLE};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t seen = below(&r, k);
        for (uint32_t a = 0; a < k; a++) {
            const double mean = strength * ((a % 3 == 1) * (t.x[i] > 0.3) * t.x[n + i] +
                                            (a % 3 == 2) * (t.x[i] < -0.2));
            t.rewards[a * n + i] = mean + (a == seen) * k * normal(&r);
        }
    }
    return t;
}

static ct_status solve_table(const table *t, const ct_policy_options *o, ct_policy_result *result)
{
    const ct_policy_data data = {t->columns, t->n, t->p, t->rewards, t->k};
    return solve(&data, o, result, (uint32_t *) keep_new(t->n, sizeof(uint32_t)));
}

static ct_policy_options plain(unsigned depth)
{
    ct_policy_options o = {.depth = depth, .min_bucket = 1, .time_limit = INFINITY,
                           .memory_limit = SIZE_MAX / 4, .threads = 1,
                           .simd = ct_cpu_find("auto")};
    return o;
}

/* Blocks and cells of many rows: all shortcuts off, other sets and threads say the same. */
static void same_on_larger_tables(rng *r, uint32_t i)
{
    const uint32_t sizes[] = {150, 700, 2300};
    const uint32_t k = 2 + i % 5 * (i % 7 + 1);
    table t = scores(sizes[i % 3], 4, k, i % 2 ? 1 : .2, i % 4 == 3 ? .5 : 0, i);
    ct_policy_options o = plain(i % 3 ? 2 : 3);
    ct_policy_result first, other;
    o.min_bucket = i % 5 ? 1 : 20;
    REQUIRE_OK(solve_table(&t, &o, &first));
    CHECK(first.cost == first.bound && first.end == CT_POLICY_OPTIMAL);
    CHECK(first.rounding < 1e-9);
    for (int level = 0; level <= CT_N_SIMD; level++) {
        o.off = level < CT_N_SIMD ? 0 : (1U << CT_POLICY_SHORTCUTS) - 1;
        o.threads = 1 + (unsigned) level % 2;
        if (level < CT_N_SIMD && !ct_cpu_has((ct_simd) level)) continue;
        o.simd = level < CT_N_SIMD ? (ct_simd) level : ct_cpu_find("auto");
        REQUIRE_OK(solve_table(&t, &o, &other));
        CHECK(same_result(&first, &other) && other.threads == o.threads);
        if (level < CT_N_SIMD && o.threads == 1)
            CHECK(!memcmp(&first.counts, &other.counts, sizeof first.counts));
    }
}

/* A gap between cuts of the root that has no better tree is left alone: else there are 493. */
static void few_leaves_of_larger_tables(void)
{
    table t = scores(60, 2, 3, 1, 0, 5);
    ct_policy_options o = plain(3);
    ct_policy_result result;
    o.max_leaves = 7;
    REQUIRE_OK(solve_table(&t, &o, &result));
    CHECK(result.counts.problems > 0 && result.counts.problems < 400);
}

/* Gaps between cuts are wide enough that their own rows close some: fewer problems, the same tree,
 * with prices, sizes of leaves, equal values and threads. */
static void rows_between_cuts(void)
{
    uint64_t problems[2] = {0, 0};
    for (int i = 0; i < (CHECK_SLOW() ? 1 : CHECK_QUICK() ? 2 : 12); i++) {
        table t = scores(1800 + 100 * ((uint32_t) i % 4), 3, 3 + (uint32_t) i % 3 / 2, 1,
                         i % 4 == 1 ? .05 : 0, 300 + (uint64_t) i);
        ct_policy_options o = plain(3);
        ct_policy_result with, without;
        o.min_bucket = i % 3 ? 1 : 30;
        o.price = i % 2 ? 0 : 3;
        o.threads = 1 + (unsigned) i / 2 % 2;
        REQUIRE_OK(solve_table(&t, &o, &with));
        o.off = 1U << CT_POLICY_BETWEEN;
        REQUIRE_OK(solve_table(&t, &o, &without));
        CHECK(same_result(&with, &without));
        CHECK(with.end == CT_POLICY_OPTIMAL);
        problems[0] += with.counts.problems, problems[1] += without.counts.problems;
    }
    CHECK(problems[0] != problems[1]);
}

/* In one eighth of the rows four actions are best by two columns, up to a cut other ones than
 * behind it: always near the cut, where rewards are large but of the row behind it, and but for
 * some rows elsewhere. If asked, some of all other rows have a best action as well. Returns the
 * cut. */
static uint32_t draw_eighth(table *t, rng *r, int everywhere)
{
    const uint32_t n = t->n, m = n / 8, first = (2 + below(r, 4)) * m,
                   cut = first + m / 3 + below(r, m / 10);
    memset(t->rewards, 0, sizeof(double) * 5 * n);
    for (uint32_t j = 0; j < n; j++) {
        const int inside = j >= first + 8 && j < first + m - 8,
                  near = j + 16 >= cut && j < cut + 16,
                  clear = near || (inside && below(r, 10) > 2);
        const uint32_t side = below(r, 4);
        t->x[j] = j, t->x[n + j] = side / 2, t->x[2 * n + j] = side % 2;
        if (!inside && !(everywhere && !below(r, 40))) continue;
        const uint32_t action = clear ? side + (j >= cut) : below(r, 4);
        t->rewards[(1 + action % 4) * n + j] = j == cut ? 1 : near ? 4 : 1 + below(r, 2);
    }
    return cut;
}

/* The only good cut lies in a gap that is bounded by its own rows, and the tree that is known, with
 * the next cut, costs little more: a bound that is too high leaves the good one out. */
static void best_tree_between_cuts(rng *r, uint32_t i)
{
    const int32_t feature[] = {0, 1, 1, 2, 2, 2, 2, -1, -1, -1, -1, -1, -1, -1, -1};
    const uint32_t left[] = {1, 3, 5, 7, 9, 11, 13, 0, 0, 0, 0, 0, 0, 0, 0},
                   right[] = {2, 4, 6, 8, 10, 12, 14, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t roots[] = {1, 0, 0};
    table t = scores(2048 + 8 * below(r, 40), 3, 5, 0, 0, 400 + i);
    const uint32_t cut = draw_eighth(&t, r, i % 3 == 1);
    const double threshold[15] = {cut + .5, .5, .5, .5, .5, .5, .5};
    const ct_policy_start start = {15, feature, threshold, left, right};
    ct_policy_options o = plain(3);
    ct_policy_result with, without;
    o.price = i % 2 ? 0 : 3;
    o.min_bucket = i % 5 ? 1 : 8;
    o.roots = roots;
    o.start = &start;
    REQUIRE_OK(solve_table(&t, &o, &with));
    o.off = 1U << CT_POLICY_BETWEEN;
    REQUIRE_OK(solve_table(&t, &o, &without));
    CHECK(same_result(&with, &without));
    CHECK(with.tree.threshold[0] == cut - .5);
    CHECK(with.counts.problems != without.counts.problems);
}

/* More columns than a group has, and rows than few; with and without. Halted, what is known holds.
 */
static void two_values_on_larger_tables(rng *r, uint32_t i)
{
    const uint32_t sizes[] = {90, 700, 4500};
    const uint32_t p = 5 + 4 * (i % 4), k = 2 + i % 5 * (i % 7 ? 1 : 6);
    table t = scores(sizes[i % 3], p, k, i % 2 ? 1 : .2, 0, 100 + i);
    for (size_t at = 0; at < (size_t) t.n * t.p; at++) t.x[at] = t.x[at] > .3;
    ct_policy_options o = plain(i % 6 == 1 ? 4 : 3);
    ct_policy_result added, searched;
    o.min_bucket = i % 5 ? 1 : 20;
    o.price = i % 4 ? 0 : 2;
    REQUIRE_OK(solve_table(&t, &o, &added));
    o.off = 1U << CT_POLICY_TWO_VALUED;
    o.threads = 2;
    REQUIRE_OK(solve_table(&t, &o, &searched));
    CHECK(same_result(&added, &searched) && added.end == CT_POLICY_OPTIMAL);
    CHECK(searched.counts.problems > added.counts.problems);
    o.off = 0;
    o.stop = stop_at_once;
    REQUIRE_OK(solve_table(&t, &o, &searched));
    CHECK(searched.bound <= added.cost && added.cost <= searched.cost);
    o.memory_limit = 1 << 20;
    if (solve_table(&t, &o, &searched) == CT_OK)
        CHECK(searched.bound <= added.cost && added.cost <= searched.cost);
}

/* Four actions for 48 of many rows, two on each side of a cut within a cell: no other cut of the
 * first column is as good, and no two actions serve the cell. */
static void cells(rng *r, uint32_t i)
{
    const uint32_t n = 1100 + below(r, 900), first = 64 * (2 + below(r, n / 64 - 4)) + 8;
    table t = scores(n, 2, 5, 0, 0, i);
    ct_policy_options o = plain(2);
    ct_policy_result result;
    memset(t.rewards, 0, sizeof(double) * 5 * n);
    for (uint32_t j = 0; j < n; j++) {
        t.x[j] = j;
        if (j < first || j >= first + 48) continue;
        const uint32_t action = 1 + (t.x[n + j] > 0 ? 1U : 0U) + (j >= first + 24 ? 2U : 0U);
        t.rewards[action * n + j] = 1 + below(r, 3);
    }
    o.off = i % 4 ? 0 : 1U << CT_POLICY_PAIRS;
    REQUIRE_OK(solve_table(&t, &o, &result));
    CHECK(result.cost == 0 && result.bound == 0);
    CHECK(result.tree.feature[0] == 0 && result.tree.threshold[0] == first + 23.5);
}

/* The beginning of a proof about trees of depth two. */
static proof proof_of(const table *t, uint64_t exponent)
{
    proof p = {.same = {t->columns, t->n, t->p, t->rewards, t->k},
               .claim = {2, 1, 0, NULL, 0, NULL, NULL}, .bytes = {.limit = SIZE_MAX}};
    ct_certify_policy_begin(&p.same, &p.claim, &p.bytes);
    ct_bytes_put(&p.bytes, exponent);
    ct_bytes_put(&p.bytes, 2);
    return p;
}

/* A proof without the only good cut, which lies within a cell that no two actions serve: actions of
 * the rows before it depend on one column, of those behind it on another. */
static void certified_cells(rng *r, uint32_t i)
{
    const uint32_t n = 400 + below(r, 900), first = 64 * (2 + below(r, n / 64 - 4)) + 8;
    table t = scores(n, 3, 5, 0, 0, i);
    memset(t.rewards, 0, sizeof(double) * 5 * n);
    for (uint32_t j = 0; j < n; j++) {
        t.x[j] = j;
        if (j < first || j >= first + 48) continue;
        const int left = j < first + 24;
        const uint32_t action = (left ? 1U : 3U) + (t.x[(left ? 1 : 2) * n + j] > 0 ? 1U : 0U);
        t.rewards[action * n + j] = 1 + below(r, 3);
    }
    proof p = proof_of(&t, CT_POLICY_EXPONENT);
    ct_bytes_put(&p.bytes, 1);
    for (uint32_t col = 0; col < 3; col++) {
        uint32_t last = 0;
        for (uint32_t cut = 1; cut < n; cut += 1 + below(r, 70)) {
            if (col == 0 && cut > first - 8 && cut < first + 56) continue;
            ct_bytes_put(&p.bytes, cut - last);
            last = cut;
        }
        ct_bytes_put(&p.bytes, 0);
    }
    const ct_certify_result checked = certify(&p);
    CHECK(checked.verdict == CT_CERTIFIED && checked.bound == 0);
    ct_bytes_free(&p.bytes);
}

/* Rewards of zero are whole numbers of any unit, but one that is infinite makes no bound. */
static void infinite_unit(void)
{
    for (uint64_t exponent = 0; exponent <= 1200; exponent += 1200) {
        table t = scores(20, 2, 2, 0, 0, 1);
        t.p = 1;
        memset(t.rewards, 0, sizeof(double) * 2 * 20);
        proof p = proof_of(&t, CT_POLICY_EXPONENT + exponent);
        ct_bytes_put(&p.bytes, 0);
        const ct_certify_result checked = certify(&p);
        CHECK(checked.verdict == (exponent ? CT_MALFORMED : CT_CERTIFIED));
        ct_bytes_free(&p.bytes);
    }
}

/* ---- limits ---- */

/* Where trees are told apart by more than their rewards, bound and cost of a stopped search may be
 * the same. */
static void check_stopped(const brute_tree *tree, const ct_policy_result *result)
{
    CHECK(result->bound <= tree->cost && tree->cost <= result->cost);
    CHECK(result->end != CT_POLICY_OPTIMAL ||
          (result->cost == tree->cost && result->bound == result->cost));
}

/* Without the memory of so many calls from `after` on. */
static void short_of_memory(const instance *s, const brute_tree *tree, long after, long calls)
{
    const ct_policy_options o = options_of(s);
    ct_policy_result result;
    ct_alloc_fail_for(after, calls);
    const ct_status status = solve_instance(s, &o, &result);
    ct_alloc_fail_for(-1, 0);
    if (status == CT_OK) check_stopped(tree, &result);
    else CHECK_INT(status, CT_NO_MEMORY);
}

/* A tree and a bound, however early the search ends; without memory to begin it, an error. */
static void stopped(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 28, 6);
    const brute_tree tree = brute_all(&s);
    ct_policy_options o = options_of(&s);
    ct_policy_result result;
    o.stop = stop_at_once;
    if (seed % 2 == 0) {
        const long after = below(r, 200);
        short_of_memory(&s, &tree, after, below(r, 2) ? 1 : 1000000);
    } else if (CHECK_OK(solve_instance(&s, &o, &result))) {
        check_stopped(&tree, &result);
    }
}

/* Each call for memory is refused in turn. */
static void stopped_by_any_call(rng *r, uint32_t seed)
{
    instance s;
    draw(&s, r, 12, 6);
    s.depth = 2 + seed % 2;
    const brute_tree tree = brute_all(&s);
    const long begin = ct_alloc_fail_for(-1, 0);
    short_of_memory(&s, &tree, -1, 0);
    const long calls = ct_alloc_fail_for(-1, 0) - begin;
    for (long after = 0; after < calls; after++) short_of_memory(&s, &tree, after, 1);
}

static void bad_input(void)
{
    rng r = {1};
    instance s;
    ct_policy_result result;
    draw(&s, &r, 20, 5);
    ct_policy_options o = options_of(&s);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e101};
    for (int i = 0; i < 4; i++) {
        const double kept = s.rewards[0];
        s.rewards[0] = bad[i];
        CHECK(solve_instance(&s, &o, &result) == CT_BAD_INPUT);
        s.rewards[0] = kept;
    }
    o.depth = CT_POLICY_DEPTH + 1;
    CHECK(solve_instance(&s, &o, &result) == CT_BAD_INPUT);
    o.depth = 2, o.price = -1;
    CHECK(solve_instance(&s, &o, &result) == CT_BAD_INPUT);
    o.price = 0, s.k = 0;
    CHECK(solve_instance(&s, &o, &result) == CT_BAD_INPUT);
    for (uint32_t more = 0; more < 2; more++) {
        table t = scores(3, 2, CT_POLICY_MOST_ACTIONS + more, 0, 0, 1);
        CHECK_INT(solve_table(&t, &o, &result), more ? CT_BAD_INPUT : CT_OK);
    }
}

static const check_case cases[] = {
    {"all trees", EACH(all_trees, 0, 12000, 1200, 120)},
    {"all trees of two values", EACH(all_trees_of_two_values, 7000000, 3000, 300, 30)},
    {"all trees of many actions", EACH(all_trees_of_many_actions, 1000000, 1500, 150, 15)},
    {"other ways", EACH(other_ways, 2000000, 3000, 300, 30)},
    {"few leaves", EACH(few_leaves, 5000000, 4000, 400, 40)},
    {"begun with", EACH(begun_with, 6000000, 2000, 200, 20)},
    {"roots", EACH(roots, 7000000, 2000, 200, 20)},
    {"certificates", EACH(certificates, 8000000, 3000, 300, 30)},
    {"same on larger tables", EACH(same_on_larger_tables, 0, 24, 3, 2)},
    {"few leaves of larger tables", few_leaves_of_larger_tables},
    {"rows between cuts", rows_between_cuts},
    {"best tree between cuts", EACH(best_tree_between_cuts, 6000000, 120, 12, 1)},
    {"two values on larger tables", EACH(two_values_on_larger_tables, 0, 24, 6, 6)},
    {"cells", EACH(cells, 4000000, 100, 10, 1)},
    {"certified cells", EACH(certified_cells, 9000000, 100, 10, 1)},
    {"infinite unit", infinite_unit},
    {"stopped", EACH(stopped, 3000000, 400, 40, 4)},
    {"stopped by any call", EACH(stopped_by_any_call, 6000000, 300, 30, 3)},
    {"bad input", bad_input},
};
CHECK_MAIN(cases)
