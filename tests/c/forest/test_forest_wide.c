/* Forests of numbers of which some are far from the others: nothing is lost to these. */
#include "check.h"
#include "base/rng.h"
#include "forest/grow/grow.h"
#include "forest/grow/quantise.h"
#include "forest_data.h"

/* ---- sums of several words ---- */

/* Of the first four words, modulo 2^128. */
static unsigned __int128 modulo(const int64_t *words)
{
    unsigned __int128 sum = 0;
    for (uint32_t k = 4; k--;) sum = (sum << CT_WORD_BITS) + (unsigned __int128) words[k];
    return sum;
}

/* Whole numbers times powers of two, whose sums are known word by word. */
static void words_are_exact(void)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        rng r = {seed};
        const ct_words w = ct_words_between(-100, 200);
        int64_t words[10] = {0}, apart[10] = {0}, known[10] = {0};
        CHECK_INT(w.n, 10);
        double terms[300];
        for (int i = 0; i < 300; i++) {
            const uint32_t k = rng_below(&r, 9);
            const int64_t whole = (int64_t) rng_below(&r, 1u << 31) - (1 << 30);
            terms[i] = ldexp((double) whole, 32 * (int) k - 100);
            known[k] += whole;
        }
        for (int i = 0; i < 300; i++) ct_words_add(&w, words, terms[i]);
        for (int i = 299; i >= 0; i--) ct_words_add(&w, apart, terms[i]);
        CHECK(!memcmp(words, apart, sizeof words));
        for (int i = 0; i < 300; i++) ct_words_add(&w, words, -terms[i]);
        for (uint32_t k = 0; k < w.n; k++) CHECK_INT(words[k], 0);
        ct_words_carry(&w, apart);
        CHECK(modulo(apart) == modulo(known));
        ct_words_carry(&w, known);
        for (uint32_t k = 0; k < w.n; k++) {
            CHECK_INT(apart[k], known[k]);
            CHECK(k + 1 == w.n || (apart[k] >= 0 && apart[k] <= UINT32_MAX));
        }
    }
}

/* Terms of 53 bits at any place, and what is below the first word. */
static void words_round_below(void)
{
    const ct_words w = ct_words_between(0, 100);
    for (int exponent = -60; exponent < 47; exponent++) {
        int64_t words[4] = {0};
        const double x = ldexp(6004799503160661.0, exponent); /* 0x15555555555555 */
        ct_words_add(&w, words, x);
        ct_words_carry(&w, words);
        __int128 whole = 0;
        for (uint32_t k = w.n; k--;) whole = whole * ((__int128) 1 << 32) + words[k];
        const double wanted = exponent < 0 ? round(x) : x;
        CHECK((double) whole == wanted);
    }
    int64_t none[4] = {0};
    ct_words_add(&w, none, 0);
    ct_words_add(&w, none, 0.49);
    ct_words_add(&w, none, -1e-300);
    CHECK_INT(none[0], 0);
    ct_words_add(&w, none, -0.5);
    CHECK_INT(none[0], -1);
}

/* ---- which forests are wide ---- */

/* The bits of whole numbers; 0: wide. */
static int bits_of(double *numbers, uint32_t n)
{
    forest_table t = forest_table_new(1, n, 1, 0, 0, 0, CT_HIST_CODES);
    const ct_hist_options o = forest_options(&t, 1);
    ct_grower grower;
    ct_error error;
    t.data.numbers = numbers;
    CHECK_INT(ct_forest_grower_init(&grower, &t.data, &o, &error), CT_OK);
    const int bits = grower.is_wide ? 0 : grower.bits;
    for (uint32_t i = 0; i < n; i++) {
        const double said = grower.centre + grower.unit * grower.quantised[i];
        CHECK(fabs(said - numbers[i]) <= 0.5000001 * grower.unit + 1e-15 * fabs(numbers[i]));
        CHECK(abs(grower.quantised[i]) <= 1 << grower.bits);
    }
    ct_forest_grower_free(&grower);
    forest_table_free(&t);
    return bits;
}

static void which_are_wide(void)
{
    enum { N = 1000 };
    double y[N];
    rng r = {3};
    for (int i = 0; i < N; i++) y[i] = rng_unit(&r) + rng_unit(&r) - rng_unit(&r);
    CHECK_INT(bits_of(y, N), 23);
    for (int i = 0; i < N; i++) y[i] = 1e20 + 1e6 * y[i];
    CHECK_INT(bits_of(y, N), 23);
    for (int i = 0; i < N; i++) y[i] = -log(1 - rng_unit(&r)) * (i % 2 ? 1 : -1);
    y[5] = 100; /* 150 times what numbers deviate: so many units to a millionth */
    CHECK_INT(bits_of(y, N), 27);
    y[5] = 400;
    CHECK_INT(bits_of(y, N), 29);
    y[5] = -1e12;
    CHECK_INT(bits_of(y, N), 0);
    for (int i = 0; i < N; i++) y[i] = i % 10 ? 0 : i;
    CHECK_INT(bits_of(y, N), 23);
    y[4] = 1e8;
    CHECK_INT(bits_of(y, N), 0);
    for (int i = 0; i < N; i++) y[i] = 1e20 / 3; /* the mean is not quite that */
    CHECK_INT(bits_of(y, N), 23);
    y[N - 1] = -1e33;
    CHECK_INT(bits_of(y, N), 23);
    y[0] = 1;
    CHECK_INT(bits_of(y, N), 0);
    for (uint32_t n = 1; n < 4; n++) CHECK_INT(bits_of(y, n), 23);
    double few[3] = {1, 2, 1e9};
    CHECK_INT(bits_of(few, 3), 0);
}

/* ---- brute force ---- */

/* Whole numbers, so that scores are exact in 128 bits: some hundreds apart, a few far from these.
 */
enum { ROWS = 60, COLS = 3 };

static int is_far(double number) { return fabs(number) > 65536; }

static void put_numbers(forest_table *t, int kind, uint64_t seed)
{
    rng r = {seed};
    for (uint32_t i = 0; i < t->n_rows; i++) {
        t->numbers[i] = floor(t->numbers[i] * 300);
        if (kind == 1 && i % 5) t->numbers[i] = 0;
        if (kind == 3) t->numbers[i] = t->numbers[i] * 30 + i % 29;
    }
    const int n_far = kind == 2 ? 6 : 1;
    for (int i = 0; i < n_far; i++)
        t->numbers[rng_below(&r, t->n_rows)] = (i % 2 ? -1 : 1) * (kind == 3 ? 0x1p33 : 0x1p36) + i;
}

typedef struct {
    __int128 sum[2];
    int64_t size[2];
} sides;

/* Off^2 / (L R), in a fraction: what a split gains, times the node's weight. */
typedef struct {
    __int128 above;
    int64_t below;
} gain;

static gain gain_of(const sides *s)
{
    const __int128 off = s->sum[0] * s->size[1] - s->sum[1] * s->size[0];
    return (gain){off * off, s->size[0] * s->size[1]};
}

static long double as_number(const gain *g) { return (long double) g->above / g->below; }

typedef struct {
    const forest_table *t;
    const ct_hist_tree *tree;
    const uint32_t *counts;
    uint32_t at[ROWS];
} walk;

static sides sides_of(const walk *w, uint32_t node, uint32_t col, double threshold)
{
    sides s = {{0, 0}, {0, 0}};
    for (uint32_t row = 0; row < ROWS; row++) {
        if (!w->counts[row] || w->at[row] != node) continue;
        const int right = !(w->t->values[col * ROWS + row] < threshold);
        s.sum[right] += (__int128) w->t->numbers[row] * w->counts[row];
        s.size[right] += w->counts[row];
    }
    return s;
}

static long double best_gain(const walk *w, uint32_t node)
{
    long double best = 0;
    for (uint32_t col = 0; col < COLS; col++)
        for (uint32_t row = 0; row < ROWS; row++) {
            const sides s = sides_of(w, node, col, w->t->values[col * ROWS + row]);
            if (!s.size[0] || !s.size[1]) continue;
            const gain g = gain_of(&s);
            if (as_number(&g) > best) best = as_number(&g);
        }
    return best;
}

/* Lowest and highest of the node's rows, and whether some are far. */
static int span_of(const walk *w, uint32_t node, double *low, double *high)
{
    int far = 0;
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t row = 0; row < ROWS; row++) {
        if (!w->counts[row] || w->at[row] != node) continue;
        *low = fmin(*low, w->t->numbers[row]);
        *high = fmax(*high, w->t->numbers[row]);
        far |= is_far(w->t->numbers[row]);
    }
    return far;
}

/* Without far numbers whole ones are exact, and so is the choice, but for the rounding of scores to
 * doubles. With them 30 bits are left of what these add. */
static void check_split(const walk *w, uint32_t node, long double *gains)
{
    const ct_hist_node *it = &w->tree->nodes[node];
    double low, high;
    const int far = span_of(w, node, &low, &high);
    const sides s = sides_of(w, node, it->feature, raw_threshold(w->t->codes, it));
    const gain own = gain_of(&s);
    const long double best = best_gain(w, node);
    CHECK(s.size[0] > 0 && s.size[1] > 0 && low < high);
    CHECK(as_number(&own) >= best - best * (far ? 1e-5L : 1e-9L));
    gains[it->feature] += as_number(&own) / (s.size[0] + s.size[1]);
}

static void check_leaf(const walk *w, uint32_t node)
{
    double low, high;
    long double sum = 0, weight = 0;
    (void) span_of(w, node, &low, &high);
    for (uint32_t row = 0; row < ROWS; row++) {
        if (!w->counts[row] || w->at[row] != node) continue;
        sum += w->t->numbers[row] * w->counts[row];
        weight += w->counts[row];
    }
    CHECK(low == high || best_gain(w, node) == 0);
    CHECK(w->tree->means[w->tree->nodes[node].next] == (double) (sum / weight));
}

static void go_down(walk *w, uint32_t node)
{
    const ct_hist_node *it = &w->tree->nodes[node];
    for (uint32_t row = 0; row < ROWS; row++)
        if (w->at[row] == node)
            w->at[row] = (it->next & CT_HIST_CHILD) +
                         !(w->t->values[it->feature * ROWS + row] <
                           raw_threshold(w->t->codes, it));
}

static long double number_of(const int64_t *words, uint32_t n, double unit)
{
    long double sum = 0;
    for (uint32_t k = n; k--;) sum = sum * 0x1p32L + words[k];
    return sum * unit;
}

static void check_tree(const forest_table *t, uint64_t seed)
{
    ct_hist_options o = forest_options(t, 1);
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    long double gains[COLS] = {0};
    o.seed = seed;
    REQUIRE(ct_hist_grow(&t->data, &o, &forest, &extra, &error) == CT_OK);
    uint32_t *counts = forest_sample(&t->data, &o, 0);
    walk w = {t, &forest.trees[0], counts, {0}};
    for (uint32_t node = 0; node < w.tree->n_nodes; node++) {
        if (w.tree->nodes[node].feature == CT_HIST_LEAF) {
            check_leaf(&w, node);
        } else {
            check_split(&w, node, gains);
            go_down(&w, node);
        }
    }
    for (uint32_t col = 0; col < COLS; col++) {
        const long double said = number_of(extra.gains + (size_t) col * extra.gain_words,
                                           extra.gain_words, extra.gain_unit);
        CHECK(fabsl(said - gains[col]) <= 1e-6L * gains[col]);
    }
    free(counts);
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
}

/* All cuts of all columns, node by node: one number far from the others; most of them equal; six
 * far; others that span 2,000 units of all. */
static void splits_are_best(void)
{
    for (int kind = 0; kind < 4; kind++)
        for (uint64_t seed = 0; seed < (CHECK_QUICK() ? 3 : 12); seed++) {
            forest_table t = forest_table_new(seed, ROWS, COLS, 0, seed % 2 ? 0 : 9, 0,
                                              CT_HIST_CODES);
            put_numbers(&t, kind, seed);
            check_tree(&t, seed);
            forest_table_free(&t);
        }
}

/* ---- the same forest ---- */

/* Numbers at several distances: a node of a node has units of its own again. */
static void spread_numbers(forest_table *t, double far)
{
    for (uint32_t i = 0; i < t->n_rows; i += 97) t->numbers[i] *= far;
    for (uint32_t i = 5; i < t->n_rows; i += 61) t->numbers[i] *= sqrt(far);
    t->numbers[11] = far * far;
}

static uint64_t hashed(uint64_t hash, const int64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = hash * 31 + (uint64_t) values[i];
    return hash;
}

static uint64_t hash_of(const forest_table *t, const ct_hist_options *o)
{
    ct_hist_forest forest;
    ct_hist_extra e;
    ct_error error;
    CHECK_INT(ct_hist_grow(&t->data, o, &forest, &e, &error), CT_OK);
    uint64_t hash = hist_hash(&forest);
    hash = hashed(hash, e.oob_sums, (size_t) t->n_rows * e.out_words);
    hash = hashed(hash, e.gains, (size_t) t->n_cols * e.gain_words);
    hash = hashed(hash, e.harm, (size_t) t->n_cols * e.harm_words);
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&e);
    return hash;
}

/* For any number of threads, size of blocks and instruction set; numbers that are rather far, and
 * such as make the forest wide. */
static void same_forest(void)
{
    for (int kind = 0; kind < 6; kind++) {
        forest_table t = forest_table_new((uint64_t) kind, CHECK_QUICK() ? 900 : 3000, 5, 0,
                                          kind % 2 ? 0 : 6, kind % 3 ? 0.1 : 0, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 4);
        spread_numbers(&t, kind < 2 ? 12 : kind < 4 ? 1e5 : 1e40);
        for (uint32_t col = 0; col < 5; col++) t.codes->columns[col].is_set = kind == 4 && col % 2;
        o.mtry = 2;
        o.oob = o.permutation = 1;
        o.rule = kind == 5 ? CT_SPLIT_RANDOM : CT_SPLIT_GINI;
        o.simd = CT_SIMD_SCALAR;
        o.block = 1000000;
        const uint64_t hash = hash_of(&t, &o);
        for (int simd = 0; simd < CT_N_SIMD; simd++)
            for (uint32_t block = 100; block <= 1600; block *= 4)
                for (unsigned threads = 1; threads <= 3; threads += 2) {
                    if (!ct_cpu_has((ct_simd) simd) || (threads == 3 && block != 400)) continue;
                    o.simd = (ct_simd) simd, o.block = block, o.threads = threads;
                    CHECK(hash_of(&t, &o) == hash);
                }
        forest_table_free(&t);
    }
}

/* Numbers in other units: the same trees with means in these, and the same whole numbers. */
static void unit_is_no_matter(void)
{
    static const double far[] = {1, 12, 1e5, 1e20};
    static const int powers[] = {-150, -7, 60, 160};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        forest_table t = forest_table_new(i, 700, 4, 0, 0, 0.1, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 2);
        ct_hist_forest a, b;
        ct_hist_extra x, y;
        ct_error error;
        o.mtry = 2, o.oob = o.permutation = 1;
        if (i) spread_numbers(&t, far[i]);
        CHECK_INT(ct_hist_grow(&t.data, &o, &a, &x, &error), CT_OK);
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
            for (uint32_t row = 0; row < 700; row++)
                t.numbers[row] = ldexp(t.numbers[row], powers[p]);
            CHECK_INT(ct_hist_grow(&t.data, &o, &b, &y, &error), CT_OK);
            for (uint32_t k = 0; k < 2; k++)
                for (uint32_t leaf = 0; leaf < b.trees[k].n_leaves; leaf++)
                    b.trees[k].means[leaf] = ldexp(b.trees[k].means[leaf], -powers[p]);
            CHECK(hist_hash(&a) == hist_hash(&b));
            CHECK(!memcmp(x.oob_sums, y.oob_sums, 700 * x.out_words * sizeof *x.oob_sums));
            CHECK(!memcmp(x.gains, y.gains, 4 * x.gain_words * sizeof *x.gains));
            CHECK(!memcmp(x.harm, y.harm, 4 * x.harm_words * sizeof *x.harm));
            for (uint32_t row = 0; row < 700; row++)
                t.numbers[row] = ldexp(t.numbers[row], -powers[p]);
            ct_hist_forest_free(&b);
            ct_hist_extra_free(&y);
        }
        ct_hist_forest_free(&a);
        ct_hist_extra_free(&x);
        forest_table_free(&t);
    }
}

/* ---- rows left out ---- */

/* Sums of means, and how much worse it is that a column is shuffled, row by row: in the mean of
 * what is summed up no more than rounding is lost, row by row and column by column. */
static void left_out(void)
{
    enum { N = 900, TREES = 5 };
    for (int kind = 0; kind < 2; kind++) {
        forest_table t = forest_table_new(11, N, 4, 0, 0, 0.1, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, TREES);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        o.mtry = 2, o.min_n = 4, o.oob = 1;
        t.numbers[7] = 1e12;
        if (kind) t.numbers[400] = -1e40;
        REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
        long double sums[N] = {0}, sizes[N] = {0};
        uint32_t trees[N] = {0}, small = 0;
        for (uint32_t i = 0; i < TREES; i++) {
            const ct_hist_tree *tree = &forest.trees[i];
            uint32_t *counts = forest_sample(&t.data, &o, i);
            for (uint32_t row = 0; row < N; row++) {
                if (counts[row]) continue;
                const double mean = tree->means[tree->nodes[raw_leaf(&t, tree, row)].next];
                sums[row] += mean - extra.centre;
                sizes[row] += fabsl(mean - extra.centre);
                trees[row]++;
            }
            free(counts);
        }
        for (uint32_t row = 0; row < N; row++) {
            const long double said = number_of(extra.oob_sums + (size_t) row * extra.out_words,
                                               extra.out_words, extra.unit);
            CHECK_INT(extra.oob_trees[row], trees[row]);
            CHECK(fabsl(said - sums[row]) <= 1e-9L * sizes[row]);
            small += sizes[row] < 100;
        }
        CHECK(small > 800);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
        forest_table_free(&t);
    }
}

static void shuffled_columns(void)
{
    enum { N = 900 };
    for (int kind = 0; kind < 3; kind++) {
        forest_table t = forest_table_new(12, N, 4, 0, 0, 0.1, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 1);
        ct_grower grower;
        ct_hist_scratch scratch;
        ct_hist_tree tree;
        ct_error error;
        int64_t harm[4 * 32] = {0};
        o.permutation = 1, o.seed = 5;
        t.numbers[7] = kind ? 1e12 : 200;
        if (kind == 2) t.numbers[400] = -1e40;
        REQUIRE(ct_forest_grower_init(&grower, &t.data, &o, &error) == CT_OK &&
                ct_hist_scratch_init(&scratch, &grower, 0, NULL) == CT_OK);
        const uint32_t n_words = grower.harm_words.n;
        CHECK_INT(grower.is_wide, kind > 0);
        REQUIRE(n_words > 1 && n_words <= 32);
        REQUIRE(ct_forest_grow_tree(&scratch, 0) &&
                ct_hist_scratch_tree(&scratch, &tree) == CT_OK &&
                ct_forest_permute(&grower, &scratch.left_out, &tree, harm, NULL, NULL, 0));
        uint32_t n = scratch.left_out.n, shuffled[N];
        ct_rng draws = ct_rng_of(o.seed, 0, 2);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t place = ct_rng_below(&draws, i + 1);
            shuffled[i] = shuffled[place];
            shuffled[place] = i;
        }
        for (uint32_t col = 0; col < 4; col++) {
            long double own = 0, size = 0;
            for (uint32_t i = 0; i < n; i++) {
                uint32_t row = scratch.left_out.row[i], other = scratch.left_out.row[shuffled[i]];
                double *cell = &t.values[col * N + row], kept = *cell, mean[2];
                for (int now = 0; now < 2; now++) {
                    *cell = now ? t.values[col * N + other] : kept;
                    mean[now] = tree.means[tree.nodes[raw_leaf(&t, &tree, row)].next];
                }
                *cell = kept;
                const long double worse = ((long double) mean[1] - mean[0]) *
                                          ((long double) mean[1] - t.numbers[row] + mean[0] -
                                           t.numbers[row]);
                own += worse;
                size += fabsl(worse);
            }
            const long double said = number_of(harm + (size_t) col * n_words, n_words,
                                               ct_forest_permute_unit(&grower));
            CHECK(size > 0 && fabsl(said - own) <= 1e-9L * size);
        }
        ct_hist_tree_free(&tree);
        ct_hist_scratch_free(&scratch);
        ct_forest_grower_free(&grower);
        forest_table_free(&t);
    }
}

static const check_case cases[] = {
    {"sums of words are exact", words_are_exact},
    {"words round what is below", words_round_below},
    {"which forests are wide", which_are_wide},
    {"splits are the best", splits_are_best},
    {"the same forest", same_forest},
    {"the unit is no matter", unit_is_no_matter},
    {"rows left out", left_out},
    {"shuffled columns", shuffled_columns},
};

CHECK_MAIN(cases)
