/* Forests against plain counts over raw values. */
#include "check.h"
#include "base/clock.h"
#include "base/rng.h"
#include "forest/codes/distinct.h"
#include "forest/grow/grow.h"
#include "forest/split/split.h"
#include "forest/walk/walk.h"
#include "forest_data.h"

/* ---- codes ---- */

static void codes_keep_order(void)
{
    static const uint32_t levels[] = {1, 2, 200, 255, 256, 300, 0};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        for (int few = 0; few < 2; few++) {
            forest_table t = forest_table_new(i, few ? 700 : 6000, 2, 2, levels[i], 0.1,
                                              few ? 37 : CT_HIST_CODES);
            for (uint32_t col = 0; col < 2; col++) {
                const ct_hist_code_column *column = &t.codes->columns[col];
                const double *x = t.values + (size_t) col * t.n_rows;
                const uint16_t *codes = t.codes->codes + (size_t) col * t.n_rows;
                const uint8_t *bins = t.codes->bins + (size_t) col * t.n_rows;
                int wrong = 0;
                CHECK(column->n_codes <= (few ? 37 : CT_HIST_CODES) && column->n_bins <= CT_BINS);
                for (uint32_t row = 0; row < t.n_rows; row++) {
                    CHECK_INT(t.codes->by_row[row * t.codes->stride + col], codes[row]);
                    if (x[row] != x[row]) {
                        wrong += codes[row] != CT_CODE_MISSING || bins[row] != CT_BIN_MISSING;
                        continue;
                    }
                    uint16_t code = codes[row];
                    wrong += code >= column->n_codes || (code && !(x[row] >= column->edges[code]));
                    wrong += code + 1 < (int) column->n_codes &&
                             !(x[row] < column->edges[code + 1]);
                    wrong += code_of(column->edges, column->n_codes, x[row]) != code;
                    wrong += code < column->first[bins[row]] ||
                             code >= column->first[bins[row] + 1];
                }
                CHECK_INT(wrong, 0);
                if (!few && levels[i] && levels[i] <= CT_BINS)
                    CHECK(column->n_bins == column->n_codes);
            }
            forest_table_free(&t);
        }
}

/* Levels in any order, some equal, some missing, some without rows: the codes of their values. */
static void codes_of_levels(void)
{
    static double levels[65536];
    for (uint32_t seed = 0; seed < 60; seed++) {
        rng r = {seed};
        ct_error error;
        uint32_t n = 1 + rng_below(&r, 5000), n_levels = seed % 20 ? 1 + rng_below(&r, 900) : 65536,
                 most = seed % 3 ? CT_HIST_CODES : 2 + rng_below(&r, 90);
        uint16_t *numbers = (uint16_t *) malloc(n * sizeof *numbers);
        double *values = (double *) malloc(n * sizeof *values);
        for (uint32_t i = 0; i < n_levels; i++) {
            levels[i] = (double) rng_below(&r, seed % 2 ? 300 : 1000000) - 100;
            if (seed % 4 && rng_below(&r, 10) == 0) levels[i] = NAN;
        }
        for (uint32_t row = 0; row < n; row++) {
            numbers[row] = (uint16_t) rng_below(&r, n_levels);
            values[row] = levels[numbers[row]];
        }
        ct_coded_column coded = {numbers, levels, n_levels};
        ct_column both[2] = {{&coded, CT_CODED}, {values, CT_DOUBLE}};
        ct_hist_codes codes;
        REQUIRE(ct_hist_codes_init(&codes, both, 2, n, most, 0, 1, NULL, &error) == CT_OK);
        const ct_hist_code_column *a = &codes.columns[0], *b = &codes.columns[1];
        CHECK(memcmp(codes.codes, codes.codes + n, n * sizeof *codes.codes) == 0);
        CHECK(memcmp(codes.bins, codes.bins + n, n) == 0);
        CHECK_INT(a->n_codes, b->n_codes);
        CHECK_INT(a->n_bins, b->n_bins);
        CHECK_INT(a->has_missing, b->has_missing);
        if (b->n_codes) CHECK(memcmp(a->edges, b->edges, b->n_codes * sizeof *b->edges) == 0);
        CHECK(memcmp(a->first, b->first, (b->n_bins + 1) * sizeof *b->first) == 0);
        ct_hist_codes_free(&codes);
        free(numbers), free(values);
    }
}

static uint32_t few_of(const ct_column *column, uint32_t n, uint32_t most)
{
    ct_hist_distinct *few = (ct_hist_distinct *) malloc(sizeof *few);
    uint16_t *codes = (uint16_t *) malloc(n * sizeof *codes);
    uint32_t n_levels = ct_hist_distinct_values(few, column, n, most, codes), met = 0, missing = 0,
        wrong = 0;
    for (uint32_t row = 0; n_levels && row < n; row++) {
        double x = ct_column_value(column, row), level = few->levels[codes[row]];
        if (ct_column_missing(column, row)) {
            missing++;
            wrong += codes[row] != 0;
            continue;
        }
        wrong += level != x || codes[row] == 0 || codes[row] > met + 1;
        if (codes[row] > met) {
            met++;
            wrong += signbit(level) != signbit(x);
        }
    }
    CHECK_INT(wrong, 0);
    if (n_levels) {
        CHECK_INT(n_levels, met + 1);
        CHECK_INT(few->has_missing, missing > 0);
    }
    free(few), free(codes);
    return n_levels;
}

/* n rows of k values, each `times` times in a row. */
static uint32_t few_in_runs(uint32_t n, uint32_t k, uint32_t times, uint32_t most)
{
    double *x = (double *) malloc(n * sizeof *x);
    for (uint32_t row = 0; row < n; row++) x[row] = (row / times % k) * 0.37 - 5;
    ct_column column = {x, CT_DOUBLE};
    uint32_t n_levels = few_of(&column, n, most);
    free(x);
    return n_levels;
}

static void few_values(void)
{
    CHECK_INT(few_in_runs(600, 1, 1, CT_HIST_CODES), 2);
    CHECK_INT(few_in_runs(511, 1, 1, CT_HIST_CODES), 0);
    CHECK_INT(few_in_runs(512, 1, 1, CT_HIST_CODES), 2);
    CHECK_INT(few_in_runs(4000, 256, 1, CT_HIST_CODES), 257);
    CHECK_INT(few_in_runs(4000, 257, 1, CT_HIST_CODES), 0);
    CHECK_INT(few_in_runs(4000, 4000, 1, CT_HIST_CODES), 0);
    CHECK_INT(few_in_runs(600, 50, 1, 50), 51);
    CHECK_INT(few_in_runs(600, 50, 1, 49), 0);
    CHECK_INT(few_in_runs(2 * CT_HIST_DISTINCT, CT_HIST_DISTINCT - 1, 2, CT_HIST_CODES),
              CT_HIST_DISTINCT);
    CHECK_INT(few_in_runs(2 * CT_HIST_DISTINCT, CT_HIST_DISTINCT, 2, CT_HIST_CODES), 0);
    CHECK_INT(few_in_runs(2 * CT_HIST_DISTINCT, CT_HIST_DISTINCT - 2, 2, CT_HIST_DISTINCT - 2),
              CT_HIST_DISTINCT - 1);
}

static void few_special_values(void)
{
    static const double some[] = {0, -0.0, 1, NAN, -INFINITY, INFINITY, 4.9e-324, -4.9e-324};
    static const int32_t whole[] = {0, INT32_MIN, INT32_MAX, INT32_MIN + 1, -1};
    double x[600];
    int32_t k[600];
    ct_column doubles = {x, CT_DOUBLE}, integers = {k, CT_INT32};
    for (int kind = 0; kind < 3; kind++) { /* the zero of either sign first; no value */
        for (int i = 0; i < 600; i++) x[i] = kind == 2 ? NAN : some[(i + kind) % 8];
        CHECK_INT(few_of(&doubles, 600, CT_HIST_CODES), kind == 2 ? 1 : 7);
    }
    for (int i = 0; i < 600; i++) k[i] = whole[i % 5];
    CHECK_INT(few_of(&integers, 600, CT_HIST_CODES), 5);
}

/* Values of one slot: as distinct.c has it. */
static void few_crowded(void)
{
    double x[600];
    ct_column column = {x, CT_DOUBLE};
    uint32_t n = 0;
    for (double value = 0; n < 65; value++) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits = (bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15);
        if ((bits >> 32) % (2 * CT_HIST_DISTINCT) == 0) x[n++] = value;
    }
    for (uint32_t i = 65; i < 600; i++) x[i] = x[i % 64];
    CHECK_INT(few_of(&column, 600, CT_HIST_CODES), 0);
    x[64] = x[0];
    CHECK_INT(few_of(&column, 600, CT_HIST_CODES), 65);
}

/* A code is the number of distinct values below, whether they are few or nearly as many as rows. */
static void codes_are_ranks(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        double x[600];
        int32_t k[600];
        rng r = {kind};
        for (int i = 0; i < 600; i++) {
            k[i] = (int32_t) rng_below(&r, kind % 2 ? 40 : 1000000) - 20;
            x[i] = k[i] ? k[i] : rng_below(&r, 2) ? 0.0 : -0.0;
            if (kind > 1 && rng_below(&r, 9) == 0) x[i] = NAN, k[i] = INT32_MIN;
        }
        ct_column columns[2] = {{x, CT_DOUBLE}, {k, CT_INT32}};
        ct_hist_codes codes;
        ct_error error;
        REQUIRE(ct_hist_codes_init(&codes, columns, 2, 600, CT_HIST_CODES, 0, 1, NULL,
                                   &error) == CT_OK);
        CHECK(memcmp(codes.codes, codes.codes + 600, 600 * sizeof *codes.codes) == 0);
        CHECK_INT(codes.columns[0].has_missing, kind > 1);
        for (int i = 0; i < 600; i++) {
            uint32_t rank = 0;
            for (int j = 0; j < 600; j++) {
                int first = x[j] < x[i];
                for (int before = 0; first && before < j; before++) first = x[before] != x[j];
                rank += (uint32_t) first;
            }
            CHECK_INT(codes.codes[i], x[i] == x[i] ? rank : CT_CODE_MISSING);
        }
        ct_hist_codes_free(&codes);
    }
}

/* Of rows that all differ, so many of the first are the first code of a bin: where 4 (i / 255)^3 of
 * them lie below, and as many of the last above. */
static void bins_grow_from_ends(void)
{
    static const uint32_t sizes[] = {300, 5000, 16384};
    for (int k = 0; k < 3; k++) {
        const uint32_t n = sizes[k];
        forest_table t = forest_table_new(5, n, 1, 2, 0, 0, CT_HIST_CODES);
        const ct_hist_code_column *column = &t.codes->columns[0];
        const uint64_t whole = 255 * 255 * 255;
        uint32_t bin = 0, part = 0;
        CHECK(n < 5000 || column->n_bins > 230);
        for (uint64_t code = 0; code < n; code++) {
            uint32_t now = 0;
            for (uint32_t i = 1; i < 255; i++) {
                const uint64_t nearer = i < 128 ? i : 255 - i,
                               rows = 4 * nearer * nearer * nearer * n;
                now += i < 128 ? code * whole >= rows : (n - code) * whole <= rows;
            }
            bin += now != part;
            part = now;
            CHECK_INT(ct_bin_of(column, (uint16_t) code), bin);
        }
        forest_table_free(&t);
    }
}

/* ---- samples ---- */

static void samples(void)
{
    forest_table t = forest_table_new(3, 1000, 1, 2, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 1);
    double weights[1000];
    for (int kind = 0; kind < 3; kind++) {
        uint32_t drawn = 0, most = 0, times[2] = {0, 0}, sum;
        o.replace = kind != 1;
        o.sample = kind == 1 ? 632 : 1000;
        for (uint32_t i = 0; i < 1000; i++) weights[i] = i < 500 ? 3 : i < 900 ? 1 : 0;
        t.data.sampling = kind == 2 ? weights : NULL;
        for (uint32_t tree = 0; tree < 40; tree++) {
            uint32_t *counts = forest_sample(&t.data, &o, tree);
            sum = 0;
            for (uint32_t i = 0; i < 1000; i++) {
                sum += counts[i];
                drawn += counts[i] > 0;
                if (counts[i] > most) most = counts[i];
                if (i < 900) times[i >= 500] += counts[i];
                else if (kind == 2) CHECK_INT(counts[i], 0);
            }
            CHECK_INT(sum, o.sample);
            free(counts);
        }
        if (kind == 0)
            CHECK(drawn > 40 * 632 - 400 &&
                  drawn < 40 * 632 + 400); /* 1 - 1/e of them; 4 sd are 390 */
        if (kind == 1) CHECK(most == 1);
        if (kind == 2) CHECK(times[0] > 30900 && times[0] < 32300); /* 15/19 of 40,000 */
    }
    forest_table_free(&t);
}

static double weight_of(int kind, uint32_t row)
{
    return kind == 0 ? 1 : kind == 1 ? 1 + row % 7 : row % 150 == 9;
}

/* A sample does not depend on the unit of the weights, not even at the ends of the doubles, where
 * their sum is not one. */
static void units_of_weights(void)
{
    enum { ROWS = 300 };
    static const double units[] = {0x1p1020, 0x1p500, 0x1p-1074};
    forest_table t = forest_table_new(5, ROWS, 1, 2, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 1);
    double weights[ROWS];
    for (int kind = 0; kind < 3; kind++) {
        for (uint32_t i = 0; i < ROWS; i++) weights[i] = weight_of(kind, i);
        t.data.sampling = kind ? weights : NULL; /* all alike are none */
        uint32_t *wanted = forest_sample(&t.data, &o, 3);
        t.data.sampling = weights;
        for (size_t unit = 0; unit < sizeof units / sizeof *units; unit++) {
            for (uint32_t i = 0; i < ROWS; i++) weights[i] = weight_of(kind, i) * units[unit];
            uint32_t *counts = forest_sample(&t.data, &o, 3);
            for (uint32_t i = 0; i < ROWS; i++) CHECK_INT(counts[i], wanted[i]);
            free(counts);
        }
        free(wanted);
    }
    forest_table_free(&t);
}

/* Without replacement every row is drawn as often as any other, the first and the last too: of 10
 * rows, each sample of 3 has one in 0.3 of 3,000 trees, of which 5 sd are 125. */
static void all_rows_are_drawn(void)
{
    forest_table t = forest_table_new(4, 10, 1, 2, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 1);
    uint32_t times[10] = {0};
    o.replace = 0;
    for (o.sample = 3; o.sample <= 10; o.sample += 7) {
        for (uint32_t tree = 0; tree < 3000; tree++) {
            uint32_t *counts = forest_sample(&t.data, &o, tree), sum = 0;
            for (uint32_t i = 0; i < 10; i++) {
                CHECK(counts[i] <= 1);
                sum += counts[i];
                times[i] += o.sample == 3 && counts[i];
            }
            CHECK_INT(sum, o.sample);
            free(counts);
        }
    }
    for (uint32_t i = 0; i < 10; i++) CHECK(times[i] > 775 && times[i] < 1025);
    forest_table_free(&t);
}

/* ---- splits ---- */

/* Rows of a node, by brute force: each sampled row is sent down from the root. */
typedef struct {
    const forest_table *t;
    const ct_hist_options *o;
    const ct_hist_tree *tree;
    const uint32_t *counts;
    uint32_t *node_of; /* [row] where it is now */
    uint32_t checked;
} recount;

/* Minus the entropy of both sides by weight, and 6 by weight. */
static long double entropy_score(const forest_sides *s, const forest_table *t)
{
    long double score = 6 * (s->size[0] + s->size[1]);
    for (int side = 0; side < 2; side++)
        for (uint32_t k = 0; k < t->n_classes; k++)
            if (s->sum[side][k] > 0)
                score += s->sum[side][k] * logl(s->sum[side][k] / s->size[side]);
    return score;
}

/* How good it is to part the rows of `node` at `x < threshold`; below 0 if a side is empty. */
static long double score_of(const recount *r, uint32_t node, uint32_t col, double threshold,
                            int missing_left)
{
    forest_sides sides;
    memset(&sides, 0, sizeof sides);
    for (uint32_t row = 0; row < r->t->n_rows; row++) {
        if (!r->counts[row] || r->node_of[row] != node) continue;
        double x = r->t->values[(size_t) col * r->t->n_rows + row];
        int side = x != x ? !missing_left : !(x < threshold);
        forest_sides_add(&sides, r->t, row, r->counts[row], (uint32_t) side);
    }
    if (sides.size[0] < r->o->min_bucket || sides.size[1] < r->o->min_bucket) return -1;
    if (r->o->rule == CT_SPLIT_ENTROPY && sides.size[0] > 0 && sides.size[1] > 0)
        return entropy_score(&sides, r->t);
    return forest_sides_score(&sides, r->t);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

/* Distinct values of the node's rows, in order. */
static uint32_t values_of(const recount *r, uint32_t node, uint32_t col, double *values,
                          int *missing)
{
    uint32_t n = 0, m = 0;
    *missing = 0;
    for (uint32_t row = 0; row < r->t->n_rows; row++) {
        if (!r->counts[row] || r->node_of[row] != node) continue;
        double x = r->t->values[(size_t) col * r->t->n_rows + row];
        if (x != x) *missing = 1;
        else values[n++] = x;
    }
    qsort(values, n, sizeof *values, compare_doubles);
    for (uint32_t i = 0; i < n; i++)
        if (!m || values[i] != values[m - 1]) values[m++] = values[i];
    return m;
}

/* Where nodes always try the same columns, and no others, whether it is one of them. */
static int is_tried(const recount *r, uint32_t col)
{
    for (uint32_t i = 0; i < r->t->data.n_always; i++)
        if (r->t->data.always[i] == col) return 1;
    return r->t->data.n_always == 0;
}

static long double best_of(const recount *r, uint32_t node, double *values)
{
    long double best = -1;
    for (uint32_t col = 0; col < r->t->n_cols; col++) {
        if (!is_tried(r, col)) continue;
        int missing;
        uint32_t n = values_of(r, node, col, values, &missing);
        for (int left = 0; left <= missing; left++)
            for (uint32_t i = 1; i <= n; i++) {
                long double score = score_of(r, node, col, i < n ? values[i] : INFINITY, left);
                if (score > best) best = score;
            }
    }
    return best;
}

/* ---- nodes that look at bins ---- */

/* Distinct rows of a node, and whether it looks at all codes. */
static uint32_t rows_of(const recount *r, uint32_t node, int *small)
{
    uint32_t n = 0, weight = 0;
    for (uint32_t row = 0; row < r->t->n_rows; row++)
        if (r->counts[row] && r->node_of[row] == node) n++, weight += r->counts[row];
    *small = n <= 64 && weight <= 255;
    return n;
}

/* Of so many positions the first and last sixteen are bins, those between by sixteens. */
static int bin_at(long at, long positions)
{
    if (at < 16) return (int) at;
    return (int) (at < positions - 16 ? 15 + at / 16 : 14 + positions / 16 + at - (positions - 16));
}

/* Bins of the node's rows in a column: of the table, or, up to 512 rows, of positions in the range
 * of their codes; -1: not there. Returns how many bins there may be. */
static int bins_of(const recount *r, uint32_t node, uint32_t n, uint32_t col, int *bins)
{
    const uint16_t *codes = r->t->codes->codes + (size_t) col * r->t->n_rows;
    const long positions = n <= 128 ? 128 : n <= 256 ? 256 : 512;
    int low = 65535, high = 0, n_bins = (int) (30 + positions / 16);
    for (uint32_t row = 0; row < r->t->n_rows; row++) {
        bins[row] = -1;
        if (!r->counts[row] || r->node_of[row] != node || codes[row] == CT_CODE_MISSING) continue;
        bins[row] = r->t->codes->bins[(size_t) col * r->t->n_rows + row];
        if (codes[row] < low) low = codes[row];
        if (codes[row] > high) high = codes[row];
    }
    if (n > 512) return (int) r->t->codes->columns[col].n_bins;
    long span = high - low + 1;
    for (uint32_t row = 0; row < r->t->n_rows; row++)
        if (bins[row] >= 0)
            bins[row] = span <= n_bins
                            ? codes[row] - low
                        : span <= positions
                            ? bin_at(codes[row] - low, positions)
                            : bin_at((codes[row] - low) * (positions * 65536L / span) / 65536,
                                     positions);
    return n_bins;
}

/* The threshold above all codes of the node's rows in bins up to this one. */
static double border_above(const recount *r, uint32_t col, const int *bins, int bin)
{
    const uint16_t *codes = r->t->codes->codes + (size_t) col * r->t->n_rows;
    uint32_t next = 0;
    for (uint32_t row = 0; row < r->t->n_rows; row++)
        if (bins[row] >= 0 && bins[row] <= bin && codes[row] >= next) next = codes[row] + 1u;
    return next < r->t->codes->columns[col].n_codes ? r->t->codes->columns[col].edges[next]
                                                    : INFINITY;
}

static long double best_border(const recount *r, uint32_t node, uint32_t n, int *bins)
{
    long double best = -1;
    for (uint32_t col = 0; col < r->t->n_cols; col++) {
        if (!is_tried(r, col)) continue;
        int n_bins = bins_of(r, node, n, col, bins);
        for (int left = 0; left <= (col % 2 == 0); left++)
            for (int bin = 0; bin < n_bins; bin++) {
                long double score = score_of(r, node, col, border_above(r, col, bins, bin), left);
                if (score > best) best = score;
            }
    }
    return best;
}

/* The best that the node was to find. */
static long double best_to_find(const recount *r, uint32_t node, double *values)
{
    int small;
    uint32_t n = rows_of(r, node, &small);
    if (small) return best_of(r, node, values);
    int *bins = (int *) malloc(r->t->n_rows * sizeof *bins);
    long double best = best_border(r, node, n, bins);
    free(bins);
    return best;
}

/* The split is as good as any, up to the rounding that its written form has, and lies between
 * values of its rows. */
static void check_inner(recount *r, uint32_t node, double *values)
{
    const ct_hist_node *it = &r->tree->nodes[node];
    double threshold = raw_threshold(r->t->codes, it);
    long double best = best_to_find(r, node, values);
    long double own = score_of(r, node, it->feature, threshold, (it->next & CT_HIST_FLAG) != 0);
    /* three roundings of 24 bits in each of two scores; whole numbers have errors of their own */
    long double scale = r->o->rule == CT_SPLIT_ENTROPY ? 1e-5L : r->t->n_classes ? 2 : 100;
    CHECK(is_tried(r, it->feature));
    CHECK(own >= 0 && own >= best - scale * fabsl(best) * 1.3e-7L);
    r->checked++;
    int missing, small;
    uint32_t n = values_of(r, node, it->feature, values, &missing), i = 0;
    while (i < n && values[i] < threshold) i++;
    CHECK(i > 0 || missing);
    if (i > 0 && i < n) {
        uint16_t low = code_of(r->t->codes->columns[it->feature].edges,
                                  r->t->codes->columns[it->feature].n_codes, values[i - 1]);
        uint16_t high = code_of(r->t->codes->columns[it->feature].edges,
                                   r->t->codes->columns[it->feature].n_codes, values[i]);
        if (r->t->codes->columns[it->feature].n_codes <= CT_BINS || rows_of(r, node, &small) <= 512)
            CHECK_INT(it->cut, (low + high + 1) / 2);
    }
}

static void check_leaf(recount *r, uint32_t node, uint32_t depth, double *values)
{
    const ct_hist_node *leaf = &r->tree->nodes[node];
    uint32_t counts[FOREST_CLASSES] = {0}, weight = 0, rows = 0, kinds = 0;
    const uint32_t n_classes = r->t->n_classes;
    double sum = 0;
    for (uint32_t row = 0; row < r->t->n_rows; row++) {
        if (!r->counts[row] || r->node_of[row] != node) continue;
        counts[r->t->classes[row]] += r->counts[row];
        weight += r->counts[row];
        sum += r->t->numbers[row] * r->counts[row];
        rows++;
    }
    CHECK(weight > 0);
    for (uint32_t k = 0; k < FOREST_CLASSES; k++) kinds += counts[k] > 0;
    if (!r->t->n_classes) {
        CHECK_INT(r->tree->counts[leaf->next], weight);
        CHECK(fabs(r->tree->means[leaf->next] - sum / weight) <= 1e-12 * (1 + fabs(sum / weight)));
    } else if ((leaf->next & CT_HIST_MIXED) && ct_hist_is_many(n_classes)) {
        const uint32_t *list = r->tree->counts + (leaf->next & ~CT_HIST_MIXED);
        CHECK_INT(list[0], kinds);
        for (uint32_t k = 0; k < list[0]; k++) CHECK_INT(list[2 + 2 * k], counts[list[1 + 2 * k]]);
    } else if (leaf->next & CT_HIST_MIXED) {
        for (uint32_t k = 0; k < r->t->n_classes; k++)
            CHECK_INT(r->tree->counts[(size_t) (leaf->next & ~CT_HIST_MIXED) * r->t->n_classes + k],
                      counts[k]);
    } else {
        CHECK_INT(ct_forest_pure_weight(leaf->next, n_classes), weight);
        CHECK_INT(counts[ct_forest_pure_class(leaf->next, n_classes)], weight);
    }
    /* there was a reason to stop */
    const int may_miss = r->o->min_bucket && r->o->rule == CT_SPLIT_RANDOM;
    if (r->t->n_classes && rows > 1 && kinds > 1 && weight > r->o->min_n && depth < r->o->depth &&
        !may_miss)
        CHECK((r->o->min_bucket ? best_to_find : best_of)(r, node, values) < 0);
    CHECK(weight >= r->o->min_bucket);
    if (depth > r->tree->depth) CHECK(0);
}

static void recount_tree(recount *r, double *values)
{
    uint32_t *depth = (uint32_t *) calloc(r->tree->n_nodes, sizeof *depth);
    for (uint32_t row = 0; row < r->t->n_rows; row++) r->node_of[row] = 0;
    for (uint32_t node = 0; node < r->tree->n_nodes; node++) {
        const ct_hist_node *it = &r->tree->nodes[node];
        if (it->feature == CT_HIST_LEAF) {
            check_leaf(r, node, depth[node], values);
            continue;
        }
        if (r->o->rule == CT_SPLIT_RANDOM) r->checked++;
        else check_inner(r, node, values);
        uint32_t left = it->next & ~CT_HIST_FLAG;
        REQUIRE(left > node && left + 1 < r->tree->n_nodes);
        depth[left] = depth[left + 1] = depth[node] + 1;
        double threshold = raw_threshold(r->t->codes, it);
        for (uint32_t row = 0; row < r->t->n_rows; row++) {
            if (r->node_of[row] != node) continue;
            double x = r->t->values[(size_t) it->feature * r->t->n_rows + row];
            int to_left = x != x ? (it->next & CT_HIST_FLAG) != 0 : x < threshold;
            r->node_of[row] = left + (uint32_t) !to_left;
        }
    }
    free(depth);
}

static void recount_grown(const forest_table *t, const ct_hist_options *o)
{
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    CHECK_INT(ct_hist_grow(&t->data, o, &forest, &extra, &error), CT_OK);
    double *values = (double *) malloc(t->n_rows * sizeof *values);
    uint32_t *node_of = (uint32_t *) malloc(t->n_rows * sizeof *node_of);
    for (uint32_t i = 0; i < forest.n_trees; i++) {
        uint32_t *counts = forest_sample(&t->data, o, forest.trees[i].number);
        recount r = {t, o, &forest.trees[i], counts, node_of, 0};
        recount_tree(&r, values);
        CHECK(r.checked > 0);
        free(counts);
    }
    free(values);
    free(node_of);
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
}

static void recount_rule(ct_forest_split_rule rule, uint64_t seed, uint32_t n_rows,
                         uint32_t n_classes, uint32_t levels, double missing, uint32_t min_n,
                         uint32_t depth)
{
    forest_table t = forest_table_new(seed, n_rows, 3, n_classes, levels, missing, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 2);
    o.rule = rule;
    o.min_n = min_n;
    o.depth = depth;
    o.first_tree = (uint32_t) seed;
    o.replace = seed % 3 != 0;
    recount_grown(&t, &o);
    forest_table_free(&t);
}

/* Small nodes, those with bins of their own, and of the table; weights of 16 bits, and more. */
static void entropy_is_least(void)
{
    for (uint32_t kind = 0; kind < 6; kind++)
        recount_rule(CT_SPLIT_ENTROPY, kind, kind < 4 ? 200 : 900, 2 + kind % 3,
                     kind % 2 ? 0 : 30, kind % 4 ? 0.2 : 0, 1 + kind, kind == 2 ? 3 : 1000);
    if (CHECK_QUICK()) return;
    recount_rule(CT_SPLIT_ENTROPY, 40, 34000, 3, 300, 0.1, 8000, 2);
}

/* Sides have so much weight, and only some columns are tried. */
static void sides_are_not_small(void)
{
    static const uint32_t always[] = {2, 0};
    for (uint32_t kind = 0; kind < 8; kind++) {
        forest_table t = forest_table_new(kind, kind < 6 ? 150 : 900, 3,
                                          kind % 3 ? 1 + kind % 3 : 0,
                                          kind % 2 ? 0 : 30, kind % 4 ? 0.2 : 0, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 2);
        o.min_bucket = 2 + 3 * (kind % 4);
        o.rule = kind == 5 ? CT_SPLIT_RANDOM : kind == 4 ? CT_SPLIT_ENTROPY : CT_SPLIT_GINI;
        if (kind % 2) t.data.always = always, t.data.n_always = o.mtry = 2;
        recount_grown(&t, &o);
        forest_table_free(&t);
    }
}

/* Rows in the order of the node's bins, and of the table's; sides that must not be small. */
static void many_classes(void)
{
    for (uint32_t kind = 0; kind < (CHECK_QUICK() ? 4 : 6); kind++)
        recount_rule(kind % 2 ? CT_SPLIT_ENTROPY : CT_SPLIT_GINI, kind, kind < 4 ? 800 : 2000, 1100,
                     kind % 3 ? 0 : 40, kind % 2 ? 0.2 : 0, 1 + kind, 3);
    forest_table t = forest_table_new(9, 800, 3, 1100, 0, 0.1, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 2);
    o.min_bucket = 150;
    recount_grown(&t, &o);
    forest_table_free(&t);
}

static void recount_forest(uint64_t seed, uint32_t n_rows, uint32_t n_classes, uint32_t levels,
                           double missing, uint32_t min_n, uint32_t depth)
{
    recount_rule(CT_SPLIT_GINI, seed, n_rows, n_classes, levels, missing, min_n, depth);
}

/* Rows go where the cut says, also within a bin of the table. */
static void cuts_at_random_part_rows(void)
{
    for (uint64_t seed = 30; seed < 33; seed++)
        recount_rule(CT_SPLIT_RANDOM, seed, CHECK_QUICK() ? 900 : 2600, seed == 32 ? 0 : 3, 0,
                     seed % 2 ? 0.1 : 0, 5, 1000);
}

/* Small nodes look at all cuts; others at borders of bins. */
static void splits_are_best(void)
{
    uint32_t n = CHECK_QUICK() ? 150 : 500;
    for (uint64_t seed = 0; seed < (CHECK_QUICK() ? 3 : 8); seed++) {
        uint32_t levels = seed % 2 ? 40 : 6,
                 n_classes = seed % 4 == 3 ? 0 : 2 + (uint32_t) seed % 4;
        recount_forest(seed, n, n_classes, levels, seed % 3 ? 0.2 : 0, 1 + (uint32_t) seed % 5,
                       seed % 4 == 1 ? 4 : 1000);
    }
    recount_forest(20, 100, 2, 0, 0.1, 1, 1000); /* small nodes look at all values of any column */
    recount_forest(21, 100, 0, 0, 0.1, 5, 1000);
    recount_forest(22, 120, 30, 50, 0, 1, 1000);
    recount_forest(23, 400, 2, 0, 0.1, 1, 1000);
    recount_forest(24, 300, 3, 0, 0.1, 1, 1000);
    recount_forest(25, 400, 0, 0, 0.1, 5, 1000);
    if (CHECK_QUICK()) return;
    recount_forest(26, 2600, 2, 0, 0.1, 50, 6); /* and bins of the table */
    recount_forest(27, 4600, 3, 0, 0, 50, 3);
    recount_forest(28, 1800, 0, 0, 0, 50, 4);
}

/* Puts these values into a column, and makes codes of all columns anew. */
static void set_values(forest_table *t, uint32_t col, uint32_t (*value)(uint32_t))
{
    ct_error error;
    for (uint32_t i = 0; i < t->n_rows; i++) t->values[col * t->n_rows + i] = value(i);
    ct_hist_codes_free(t->codes);
    CHECK_INT(ct_hist_codes_init(t->codes, t->columns, t->n_cols, t->n_rows, CT_HIST_CODES, 0, 1,
                                 NULL, &error),
              CT_OK);
}

static uint32_t half(uint32_t row) { return row % 2; }
static uint32_t gap_in_one_half(uint32_t row)
{
    return row % 2 ? row / 2 % 20 : row / 2 % 4 < 2 ? row / 2 % 2 : 16 + row / 2 % 4;
}

/* A node of half the rows, which have 0, 1, 18 and 19 of the 20 values that there are. */
static void cut_is_in_the_middle(uint32_t n_rows)
{
    forest_table t = forest_table_new(5, n_rows, 2, 3, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 1);
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    set_values(&t, 0, half);
    set_values(&t, 1, gap_in_one_half);
    for (uint32_t i = 0; i < n_rows; i++)
        t.classes[i] = i % 2 ? 2 : t.values[n_rows + i] > 10;
    o.replace = 0;
    REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
    const ct_hist_node *nodes = forest.trees[0].nodes;
    CHECK_INT(forest.trees[0].n_nodes, 5);
    CHECK_INT(nodes[0].feature, 0);
    const ct_hist_node *inner = &nodes[nodes[0].next & ~CT_HIST_FLAG];
    CHECK_INT(inner->feature, 1);
    CHECK_INT(inner->cut, 10); /* between 1 and 18 */
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
    forest_table_free(&t);
}

/* Small nodes, those with bins of their own, larger ones. */
static void cuts_are_in_the_middle(void)
{
    static const uint32_t n_rows[] = {100, 2 * CT_MEDIUM_ROWS - 40, 2 * CT_MEDIUM_ROWS + 160, 5000};
    for (size_t i = 0; i < sizeof n_rows / sizeof *n_rows; i++) cut_is_in_the_middle(n_rows[i]);
}

/* ---- the same forest ---- */

static uint64_t hash_of(const forest_table *t, const ct_hist_options *o, uint64_t *sum)
{
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    CHECK_INT(ct_hist_grow(&t->data, o, &forest, &extra, &error), CT_OK);
    uint64_t hash = hist_hash(&forest);
    size_t width = t->n_classes ? t->n_classes : 1;
    *sum = 0;
    for (size_t i = 0; i < t->n_rows * width; i++) *sum = *sum * 31 + (uint64_t) extra.oob_sums[i];
    for (uint32_t i = 0; i < t->n_cols; i++) *sum = *sum * 31 + (uint64_t) extra.gains[i];
    for (uint32_t i = 0; extra.harm && i < t->n_cols; i++)
        *sum = *sum * 31 + (uint64_t) extra.harm[i];
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
    return hash;
}

static void same_forest(void)
{
    static const ct_forest_split_rule rules[] = {CT_SPLIT_GINI, CT_SPLIT_ENTROPY, CT_SPLIT_ERROR,
                                                 CT_SPLIT_RANDOM};
    for (uint32_t kind = 0; kind < 12; kind++) {
        const uint32_t n_classes = kind < 6 ? 2 + 3 * (kind % 3) : kind < 8 ? 0 : 1500;
        forest_table t = forest_table_new(kind, CHECK_QUICK() ? 900 : 3000, 5, n_classes,
                                          kind % 2 ? 0 : 100, kind % 3 ? 0.1 : 0, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 4);
        o.mtry = 2;
        o.oob = 1;
        o.permutation = 1;
        o.rule = kind < 4 || kind > 7 ? rules[kind % 4]
                 : kind == 7          ? CT_SPLIT_RANDOM
                                      : CT_SPLIT_GINI;
        o.simd = CT_SIMD_SCALAR;
        o.block = 1000000;
        uint64_t sums, now, hash = hash_of(&t, &o, &sums);
        for (int simd = 0; simd < CT_N_SIMD; simd++)
            for (uint32_t block = 100; block <= 1600; block *= 4)
                for (unsigned threads = 1; threads <= 3; threads += 2) {
                    if (!ct_cpu_has((ct_simd) simd) || (threads == 3 && block != 400)) continue;
                    o.simd = (ct_simd) simd, o.block = block, o.threads = threads;
                    CHECK(hash_of(&t, &o, &now) == hash);
                    CHECK(now == sums);
                }
        o.seed++;
        CHECK(hash_of(&t, &o, &now) != hash);
        forest_table_free(&t);
    }
}

/* Trees grown apart are those grown at once. */
static void parts_make_the_whole(void)
{
    forest_table t = forest_table_new(9, 600, 4, 3, 0, 0.1, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 6);
    ct_hist_forest whole, half;
    ct_hist_extra extra;
    ct_error error;
    REQUIRE(ct_hist_grow(&t.data, &o, &whole, &extra, &error) == CT_OK);
    ct_hist_extra_free(&extra);
    o.n_trees = 3, o.first_tree = 3;
    REQUIRE(ct_hist_grow(&t.data, &o, &half, &extra, &error) == CT_OK);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(half.trees[i].n_nodes, whole.trees[3 + i].n_nodes);
        CHECK(!memcmp(half.trees[i].nodes, whole.trees[3 + i].nodes,
                      half.trees[i].n_nodes * sizeof(ct_hist_node)));
    }
    ct_hist_forest_free(&whole);
    ct_hist_forest_free(&half);
    ct_hist_extra_free(&extra);
    forest_table_free(&t);
}

/* How often each of 6 columns is a candidate: a tree of one split on one candidate of 3 that all
 * separate as well. */
static void candidates_are_even(void)
{
    enum { COLS = 6, TREES = 3000 };
    forest_table t = forest_table_new(4, 40, COLS, 2, 0, 0, CT_HIST_CODES);
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t col = 0; col < COLS; col++) t.values[col * 40 + i] = i < 20;
        t.classes[i] = i < 20;
    }
    ct_hist_codes_free(t.codes);
    ct_error error;
    REQUIRE(ct_hist_codes_init(t.codes, t.columns, COLS, 40, CT_HIST_CODES, 0, 1, NULL,
                               &error) == CT_OK);
    ct_hist_options o = forest_options(&t, TREES);
    ct_hist_forest forest;
    ct_hist_extra extra;
    o.mtry = 3;
    REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
    uint32_t first[COLS] = {0};
    for (uint32_t i = 0; i < TREES; i++) first[forest.trees[i].nodes[0].feature]++;
    for (uint32_t col = 0; col < COLS; col++)
        CHECK(first[col] > 400 && first[col] < 600); /* 500, sd 20 */
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
    forest_table_free(&t);
}

/* Ordered pairs of columns come as often as their weights say, also where the second one has to be
 * found among light ones. */
static void weighted_columns(void)
{
    static const double weights[3][4] = {{8, 4, 0, 1}, {1e6, 1, 3, 0}, {0, 5e-300, 5e-300, 1e-299}};
    enum { DRAWS = 200000 };
    for (int kind = 0; kind < 3; kind++) {
        forest_table t = forest_table_new(4, 40, 4, 2, 0, 0, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 1);
        ct_grower grower;
        ct_hist_scratch scratch;
        ct_error error;
        double pairs[4][4] = {{0}}, sum = 0;
        t.data.column_weights = weights[kind];
        REQUIRE(ct_forest_grower_init(&grower, &t.data, &o, &error) == CT_OK &&
                ct_hist_scratch_init(&scratch, &grower, 0, NULL) == CT_OK);
        ct_rng draws = ct_rng_of(5, 0, 0);
        for (int i = 0; i < DRAWS; i++) {
            uint32_t first = ct_forest_draw_next(&scratch.search, &draws, 0),
                     second = ct_forest_draw_next(&scratch.search, &draws, 1);
            REQUIRE(first < 4 && second < 4);
            pairs[first][second] += 1.0 / DRAWS;
            ct_forest_put_back(&scratch.search, 2);
        }
        for (int i = 0; i < 4; i++) sum += weights[kind][i];
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++) {
                double first = weights[kind][i] / sum, rest = sum - weights[kind][i],
                       p = i == k || first == 0 ? 0 : first * weights[kind][k] / rest;
                CHECK(fabs(pairs[i][k] - p) <= 5 * sqrt(p * (1 - p) / DRAWS) + 1e-5);
                CHECK(p > 0 || pairs[i][k] == 0);
            }
        ct_hist_scratch_free(&scratch);
        ct_forest_grower_free(&grower);
        forest_table_free(&t);
    }
}

/* With a holdout only rows of weight 0 are out of bag, of all trees; samples that are given are
 * those of the trees. */
static void held_out(void)
{
    enum { ROWS = 60, TREES = 7 };
    forest_table t = forest_table_new(4, ROWS, 3, 2, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, TREES);
    ct_hist_forest forest, again;
    ct_hist_extra extra, other;
    ct_error error;
    double weights[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) weights[i] = i % 3;
    t.data.sampling = weights;
    o.oob = o.holdout = 1;
    o.first_tree = 3;
    REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
    for (uint32_t i = 0; i < ROWS; i++) CHECK_INT(extra.oob_trees[i], i % 3 ? 0 : TREES);
    const int32_t *drawn[TREES];
    for (uint32_t i = 0; i < TREES; i++)
        drawn[i] = (const int32_t *) forest_sample(&t.data, &o, 3 + i);
    t.data.sampling = NULL;
    t.data.drawn = drawn;
    CHECK_INT(ct_hist_grow(&t.data, &o, &again, &other, &error), CT_BAD_INPUT);
    o.holdout = 0;
    REQUIRE(ct_hist_grow(&t.data, &o, &again, &other, &error) == CT_OK);
    for (uint32_t i = 0; i < TREES; i++) {
        CHECK(hash_tree(0, &again.trees[i], 2) == hash_tree(0, &forest.trees[i], 2));
        for (uint32_t row = 0; row < ROWS; row++) other.oob_trees[row] -= drawn[i][row] == 0;
        free((void *) drawn[i]);
    }
    for (uint32_t row = 0; row < ROWS; row++) CHECK_INT(other.oob_trees[row], 0);
    ct_hist_forest_free(&forest);
    ct_hist_forest_free(&again);
    ct_hist_extra_free(&extra);
    ct_hist_extra_free(&other);
    forest_table_free(&t);
}

/* Both children of a root draw a candidate each: among 16 alike they agree now and then. */
static void siblings_draw_apart(void)
{
    enum { COLS = 16, ROWS = 64, TREES = 400 };
    forest_table t = forest_table_new(6, ROWS, COLS, 2, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, TREES);
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    o.mtry = 1;
    o.depth = 2;
    for (uint32_t i = 0; i < ROWS; i++) t.classes[i] = i % 2;
    REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
    uint32_t pairs = 0, same = 0;
    for (uint32_t i = 0; i < TREES; i++) {
        const ct_hist_node *nodes = forest.trees[i].nodes;
        const ct_hist_node *left = &nodes[nodes[0].next & ~CT_HIST_FLAG], *right = left + 1;
        if (left->feature == CT_HIST_LEAF || right->feature == CT_HIST_LEAF) continue;
        pairs++;
        same += left->feature == right->feature;
    }
    CHECK(pairs > TREES / 2);
    CHECK(same < pairs / 6); /* a sixteenth, sd 1.2 hundredths */
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
    forest_table_free(&t);
}

/* ---- rows left out ---- */

static void left_out(void)
{
    enum { ROWS = 3000 };
    for (int numbers = 0; numbers < 2; numbers++) {
        forest_table t = forest_table_new(11, ROWS, 4, numbers ? 0 : 3, 0, 0.1, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 5);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        o.mtry = 2;
        o.min_n = 4;
        o.oob = 1;
        REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
        int64_t *sums = (int64_t *) calloc(ROWS * 3, sizeof *sums);
        double *means = (double *) calloc(ROWS, sizeof *means);
        uint32_t *trees = (uint32_t *) calloc(ROWS, sizeof *trees);
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t *counts = forest_sample(&t.data, &o, i);
            for (uint32_t row = 0; row < ROWS; row++) {
                if (counts[row]) continue;
                const ct_hist_node *leaf =
                    &forest.trees[i].nodes[raw_leaf(&t, &forest.trees[i], row)];
                trees[row]++;
                if (numbers) means[row] += forest.trees[i].means[leaf->next];
                else ct_hist_add_shares(&forest.trees[i], 3, leaf, sums + row * 3);
            }
            free(counts);
        }
        for (uint32_t row = 0; row < ROWS; row++) {
            CHECK_INT(extra.oob_trees[row], trees[row]);
            for (uint32_t k = 0; !numbers && k < 3; k++)
                CHECK_INT(extra.oob_sums[row * 3 + k], sums[row * 3 + k]);
            double sum = extra.centre * trees[row] + extra.unit * (double) extra.oob_sums[row];
            if (numbers) CHECK(fabs(sum - means[row]) < 1e-9);
        }
        free(sums), free(means), free(trees);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
        forest_table_free(&t);
    }
}

/* Shuffled columns, row by row down the whole tree; with missing values, and without, few levels
 * with an order and two columns without, and leaves of many rows. */
static void shuffled_columns(void)
{
    enum { ROWS = 3000 };
    static int64_t local[ROWS * 4], own_local[ROWS * 4];
    for (int kind = 0; kind < 8; kind++) {
        memset(local, 0, sizeof local);
        memset(own_local, 0, sizeof own_local);
        const int numbers = kind % 2, levels = kind / 4;
        forest_table t = forest_table_new(12, ROWS, 4, numbers ? 0 : 3, levels ? 6 : 0,
                                          kind % 4 < 2 ? 0.1 : 0, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 1);
        ct_grower grower;
        ct_hist_scratch scratch;
        ct_hist_tree tree;
        ct_error error;
        int64_t harm[4] = {0}, own[4] = {0}, by_column[4] = {0};
        t.codes->columns[0].is_set = t.codes->columns[1].is_set = levels;
        o.permutation = 1;
        o.depth = kind == 3 ? 2 : 1000;
        REQUIRE(ct_forest_grower_init(&grower, &t.data, &o, &error) == CT_OK &&
                ct_hist_scratch_init(&scratch, &grower, 0, NULL) == CT_OK);
        REQUIRE(ct_forest_grow_tree(&scratch, 0) &&
                ct_hist_scratch_tree(&scratch, &tree) == CT_OK &&
                ct_forest_permute(&grower, &scratch.left_out, &tree, harm, local, NULL, 0));
        uint16_t *by_row = t.codes->by_row;
        t.codes->by_row = NULL;
        CHECK(ct_forest_permute(&grower, &scratch.left_out, &tree, by_column, NULL, NULL, 0));
        t.codes->by_row = by_row;
        uint32_t n = scratch.left_out.n, shuffled[ROWS];
        ct_rng draws = ct_rng_of(o.seed, 0, 2);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t place = ct_rng_below(&draws, i + 1);
            shuffled[i] = shuffled[place];
            shuffled[place] = i;
        }
        for (uint32_t col = 0; col < 4; col++)
            for (uint32_t i = 0; i < n; i++) {
                uint32_t row = scratch.left_out.row[i], other = scratch.left_out.row[shuffled[i]];
                double *cell = &t.values[col * ROWS + row], kept = *cell, loss[2];
                for (int now = 0; now < 2; now++) {
                    *cell = now ? t.values[col * ROWS + other] : kept;
                    const ct_hist_node *leaf = &tree.nodes[raw_leaf(&t, &tree, row)];
                    double off = numbers ? tree.means[leaf->next] - t.numbers[row] : 0;
                    loss[now] = numbers
                                    ? (double) llround(off * off / ct_forest_permute_unit(&grower))
                                    : ct_hist_label(&tree, 3, leaf) != (uint32_t) t.classes[row];
                }
                *cell = kept;
                own[col] += (int64_t) (loss[1] - loss[0]);
                own_local[row * 4 + col] += (int64_t) (loss[1] - loss[0]);
            }
        for (uint32_t col = 0; col < 4; col++) {
            CHECK_INT(harm[col], own[col]);
            CHECK_INT(by_column[col], own[col]);
        }
        for (uint32_t i = 0; i < ROWS * 4; i++) CHECK_INT(local[i], own_local[i]);
        CHECK(levels ? harm[0] > 0 : harm[0] > 3 * llabs(harm[3]));
        ct_hist_tree_free(&tree);
        ct_hist_scratch_free(&scratch);
        ct_forest_grower_free(&grower);
        forest_table_free(&t);
    }
}

/* Labels that have nothing to do with the columns are guessed at chance. */
static void labels_at_random(void)
{
    forest_table t = forest_table_new(13, 2000, 4, 2, 0, 0, CT_HIST_CODES);
    ct_hist_options o = forest_options(&t, 40);
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    rng r = {5};
    for (uint32_t i = 0; i < 2000; i++) t.classes[i] = (int32_t) rng_below(&r, 2);
    o.oob = 1;
    o.mtry = 2;
    REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 2000; i++)
        wrong += (extra.oob_sums[2 * i + 1] > extra.oob_sums[2 * i]) != t.classes[i];
    CHECK(wrong > 890 && wrong < 1110); /* 1,000, sd 22 */
    ct_hist_forest_free(&forest);
    ct_hist_extra_free(&extra);
    forest_table_free(&t);
}

/* ---- prediction ---- */

static void predictions(void)
{
    enum { N = 700 };
    for (int numbers = 0; numbers < 2; numbers++) {
        uint32_t width = numbers ? 1 : 3;
        forest_table t = forest_table_new(14, N, 4, numbers ? 0 : 3, 0, 0.1, CT_HIST_CODES);
        ct_hist_options o = forest_options(&t, 7);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        o.mtry = 2;
        o.min_n = 6;
        REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
        rng r = {99};
        for (uint32_t i = 0; i < 4 * N; i++)
            /* new ones; of 512 rows walked together none has a missing value */
            t.values[i] = i % N < 512 || rng_below(&r, 20) ? 1.2 * rng_unit(&r) : NAN;
        int32_t *leaves = (int32_t *) malloc(N * 7 * sizeof *leaves);
        double *each = (double *) malloc(N * 7 * sizeof *each);
        int64_t *shares = (int64_t *) malloc(N * 3 * sizeof *shares);
        uint32_t *votes = (uint32_t *) malloc(N * 3 * sizeof *votes);
        int32_t *labels = (int32_t *) malloc(N * sizeof *labels);
        ct_hist_output all[] = {CT_HIST_LEAVES, CT_HIST_TREES, CT_HIST_SHARES, CT_HIST_VOTES,
                                CT_HIST_LABELS};
        void *out[] = {leaves, each, shares, votes, labels};
        for (int i = 0; i < (numbers ? 3 : 5); i++)
            REQUIRE(ct_hist_predict(&forest, t.codes->columns, t.columns, N, all[i], 2, NULL,
                                    out[i], &error) == CT_OK);
        for (uint32_t row = 0; row < N; row++) {
            int64_t own[3] = {0};
            uint32_t own_votes[3] = {0};
            double sum = 0;
            for (uint32_t i = 0; i < 7; i++) {
                const ct_hist_tree *tree = &forest.trees[i];
                uint32_t leaf = raw_leaf(&t, tree, row);
                CHECK_INT(leaves[i * N + row], leaf + 1);
                if (numbers) sum += tree->means[tree->nodes[leaf].next];
                else ct_hist_add_shares(tree, 3, &tree->nodes[leaf], own);
                if (!numbers) own_votes[ct_hist_label(tree, 3, &tree->nodes[leaf])]++;
                double said = numbers ? tree->means[tree->nodes[leaf].next]
                                      : ct_hist_label(tree, 3, &tree->nodes[leaf]) + 1;
                CHECK(each[i * N + row] == said);
            }
            for (uint32_t k = 0; !numbers && k < width; k++) {
                CHECK_INT(shares[row * 3 + k], own[k]);
                CHECK_INT(votes[row * 3 + k], own_votes[k]);
                int64_t most = own[labels[row] - 1];
                CHECK((int) k + 1 < labels[row] ? own[k] < most : own[k] <= most);
            }
            if (numbers) CHECK(((double *) shares)[row] == sum);
        }
        free(leaves), free(each), free(shares), free(votes), free(labels);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
        forest_table_free(&t);
    }
}

/* ---- what goes wrong ---- */

static void refusals(void)
{
    forest_table t = forest_table_new(15, 50, 2, 2, 0, 0, CT_HIST_CODES);
    ct_hist_forest forest;
    ct_hist_extra extra;
    ct_error error;
    for (int kind = 0; kind < 5; kind++) {
        ct_hist_options o = forest_options(&t, 3);
        ct_hist_data data = t.data;
        if (kind == 0) data.n_classes = CT_HIST_MOST_CLASSES + 1;
        if (kind == 1) o.mtry = 3;
        if (kind == 2) o.replace = 0, o.sample = 51;
        if (kind == 3) o.n_trees = 0;
        if (kind == 4) o.memory_limit = 1000;
        CHECK_INT(ct_hist_grow(&data, &o, &forest, &extra, &error),
                  kind == 4 ? CT_NO_MEMORY : CT_BAD_INPUT);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
    }
    forest_table_free(&t);
}

static int stop_now(void *calls) { return ++*(int *) calls > 1; }

static void stops(void)
{
    forest_table t = forest_table_new(16, 3000, 6, 3, 0, 0, CT_HIST_CODES);
    for (int kind = 0; kind < 3; kind++) {
        ct_hist_options o = forest_options(&t, 100000);
        ct_hist_forest forest;
        ct_hist_extra extra;
        ct_error error;
        int asked = 0;
        o.oob = 1;
        if (kind == 0) ct_clock_step(0.001), o.time_limit = 0.05;
        if (kind == 1) o.stop = stop_now, o.calls = &asked;
        if (kind == 2) o.memory_limit = (size_t) 3 << 20;
        REQUIRE(ct_hist_grow(&t.data, &o, &forest, &extra, &error) == CT_OK);
        ct_clock_step(0);
        CHECK_INT(extra.end, kind == 0   ? CT_HIST_TIME
                             : kind == 1 ? CT_HIST_INTERRUPTED
                                         : CT_HIST_MEMORY);
        CHECK(forest.n_trees < 100000);
        uint32_t most = 0;
        for (uint32_t i = 0; i < 3000; i++)
            most = extra.oob_trees[i] > most ? extra.oob_trees[i] : most;
        CHECK(most <= forest.n_trees);
        ct_hist_forest_free(&forest);
        ct_hist_extra_free(&extra);
    }
    forest_table_free(&t);
}

static int stop_at_once(void *calls) { return ++*(int *) calls; }

static void coding_stops(void)
{
    forest_table t = forest_table_new(18, 500, 50, 2, 0, 0, CT_HIST_CODES);
    for (unsigned threads = 1; threads < 3; threads++) {
        int asked = 0;
        uint32_t coded = 0;
        ct_halt stop = {stop_at_once, &asked, 0, threads == 2};
        ct_hist_codes codes;
        ct_error error;
        CHECK_INT(ct_hist_codes_init(&codes, t.columns, 50, 500, CT_HIST_CODES, 1, threads, &stop,
                                     &error),
                  CT_OK);
        for (uint32_t col = 0; col < 50; col++) coded += codes.columns[col].n_codes > 0;
        CHECK_INT(coded, 0);
        CHECK(asked > 0);
        ct_hist_codes_free(&codes);
    }
    forest_table_free(&t);
}

static void memory_ends(void)
{
    for (int numbers = 0; numbers < 3; numbers++) {
        forest_table t = forest_table_new(17, 300, 3, numbers ? 0 : 2, 0, 0, CT_HIST_CODES);
        if (numbers == 2) t.numbers[3] = 1e30;
        int fine = 0;
        for (long after = 0; !fine && after < 300; after++) {
            ct_hist_options o = forest_options(&t, 2);
            ct_hist_forest forest;
            ct_hist_extra extra;
            ct_error error;
            o.oob = o.permutation = 1;
            o.block = 100;
            ct_status status = MEMORY_FOR(after,
                                          ct_hist_grow(&t.data, &o, &forest, &extra, &error));
            CHECK(status == CT_NO_MEMORY || status == CT_OK);
            fine = status == CT_OK && forest.n_trees == 2;
            CHECK(fine || status == CT_NO_MEMORY || extra.end == CT_HIST_MEMORY);
            ct_hist_forest_free(&forest);
            ct_hist_extra_free(&extra);
        }
        CHECK(fine);
        for (long after = 0; after < 12; after++) {
            ct_hist_codes codes;
            ct_error error;
            ct_status status = MEMORY_FOR(after,
                                          ct_hist_codes_init(&codes, t.columns, 3, 300,
                                                             CT_HIST_CODES, 1, 1, NULL, &error));
            CHECK_INT(status, CT_NO_MEMORY);
            ct_hist_codes_free(&codes);
        }
        forest_table_free(&t);
    }
}

static const check_case cases[] = {
    {"codes keep the order", codes_keep_order},
    {"codes of levels", codes_of_levels},
    {"codes are ranks", codes_are_ranks},
    {"few values", few_values},
    {"few special values", few_special_values},
    {"few values share a slot", few_crowded},
    {"bins grow from ends", bins_grow_from_ends},
    {"samples", samples},
    {"the unit of weights is no matter", units_of_weights},
    {"all rows are drawn", all_rows_are_drawn},
    {"splits are the best", splits_are_best},
    {"entropy is least", entropy_is_least},
    {"sides are not small", sides_are_not_small},
    {"many classes", many_classes},
    {"columns are drawn by weight", weighted_columns},
    {"rows are held out", held_out},
    {"cuts at random part rows", cuts_at_random_part_rows},
    {"cuts are in the middle", cuts_are_in_the_middle},
    {"the same forest", same_forest},
    {"parts make the whole", parts_make_the_whole},
    {"candidates are even", candidates_are_even},
    {"siblings draw apart", siblings_draw_apart},
    {"rows left out", left_out},
    {"shuffled columns", shuffled_columns},
    {"labels at random", labels_at_random},
    {"predictions", predictions},
    {"refusals", refusals},
    {"stops", stops},
    {"coding columns ends when it is told to", coding_stops},
    {"memory ends", memory_ends},
};

CHECK_MAIN(cases)
