/* The scans of each instruction set against those in portable C, to the last bit; and these against
 * sums by hand. */
#include <math.h>

#include "base/rng.h"
#include "check.h"
#include "forest/scan/scan.h"

enum { MOST_RUNS = 256 };

static uint32_t histograms[MOST_RUNS * CT_HIST_BIN_ROWS * CT_LANES], totals[MOST_RUNS + 1],
    cells[MOST_RUNS * CT_HIST_BIN_ROWS * CT_LANES];
static double sums[CT_HIST_BIN_ROWS * CT_LANES];
static int32_t weights[CT_HIST_BIN_ROWS * CT_LANES];

static int same_cuts(const ct_bin_cut *a, const ct_bin_cut *b, unsigned lanes)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        if (isnan(a[lane].score) && isnan(b[lane].score)) continue;
        if (memcmp(&a[lane].score, &b[lane].score, sizeof a->score) || a[lane].bin != b[lane].bin)
            return 0;
    }
    return 1;
}

/* `weight` rows of some classes in some bins of each lane; every lane has the same rows. */
static void fill(ct_rng *r, uint32_t n_runs, uint32_t weight, uint32_t n_bins, int missing)
{
    uint32_t used = 1 + ct_rng_below(r, n_bins), pieces = weight < 3000 ? weight : 3000;
    memset(histograms, 0, (size_t) n_runs * CT_HIST_BIN_ROWS * CT_LANES * sizeof *histograms);
    memset(totals, 0, sizeof totals);
    memset(sums, 0, sizeof sums);
    memset(weights, 0, sizeof weights);
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t k = ct_rng_below(r, n_runs), more = weight / pieces + (i < weight % pieces);
        double number = (double) ct_rng_below(r, 1 << 20) - (1 << 19);
        totals[k] += more;
        for (unsigned lane = 0; lane < CT_LANES; lane++) {
            uint32_t bin = lane == 3 ? n_bins / 2 : ct_rng_below(r, used);
            if (missing && ct_rng_below(r, 4) == 0) bin = CT_HIST_BIN_ROWS - 1;
            histograms[((size_t) k * CT_HIST_BIN_ROWS + bin) * CT_LANES + lane] += more;
            sums[bin * CT_LANES + lane] += number * more;
            weights[bin * CT_LANES + lane] += (int32_t) more;
        }
    }
}

static double sum_of_lane(void)
{
    double sum = 0;
    for (uint32_t bin = 0; bin < CT_HIST_BIN_ROWS; bin++) sum += sums[bin * CT_LANES];
    return sum;
}

/* The histograms as the scans want them; of bins and lanes that are not asked something else. */
static const uint32_t *cells_of(uint32_t n_runs, uint32_t weight, uint32_t n_bins, unsigned lanes)
{
    const unsigned width = ct_bin_width(weight, lanes), by = ct_has_pairs(weight) ? 2 : 1;
    memset(cells, 0x3c, (size_t) n_runs * CT_HISTOGRAM_STRIDE * sizeof *cells);
    for (uint32_t k = 0; k < n_runs; k++)
        for (uint32_t bin = 0; bin < CT_HIST_BIN_ROWS; bin++)
            for (unsigned lane = 0; lane < lanes; lane++) {
                if (bin >= n_bins && bin != CT_HIST_BIN_ROWS - 1) continue;
                uint32_t *cell = cells + k / by * CT_HISTOGRAM_STRIDE + bin * width + lane,
                         own = histograms[((size_t) k * CT_HIST_BIN_ROWS + bin) * CT_LANES + lane];
                *cell = k % by ? *cell | own << 16 : own;
            }
    return cells;
}

static void check_large(uint32_t n_runs, uint32_t weight, uint32_t n_bins, int missing)
{
    ct_rng r = ct_rng_of(n_runs, weight, n_bins * 2 + (uint32_t) missing);
    ct_bin_cut expected[CT_LANES], got[CT_LANES];
    fill(&r, n_runs, weight, n_bins, missing);
    double sum = sum_of_lane();
    for (int level = 0; level < CT_N_SIMD; level++)
        for (int left = 0; left <= missing; left++)
            for (unsigned lanes = 1; lanes <= CT_LANES; lanes += 1 + lanes / 3) {
                if (!ct_cpu_has((ct_simd) level)) continue;
                const ct_scan *scan = ct_scan_at((ct_simd) level);
                const uint32_t *own = cells_of(n_runs, weight, n_bins, lanes);
                ct_scan_scalar.gini(own, totals, n_runs, weight, n_bins, left, lanes, expected);
                scan->gini(own, totals, n_runs, weight, n_bins, left, lanes, got);
                CHECK(same_cuts(expected, got, lanes));
                if (lanes < CT_LANES) continue; /* all lanes have the same rows here */
                ct_scan_scalar.variance(sums, weights, sum, weight, n_bins, left, lanes, expected);
                scan->variance(sums, weights, sum, weight, n_bins, left, lanes, got);
                CHECK(same_cuts(expected, got, lanes));
            }
}

static void large_nodes(void)
{
    static const uint32_t runs[] = {1, 2, 3, 7, 26, 256}, bins[] = {1, 2, 31, 64, 254, 255};
    static const uint32_t sizes[] = {1, 2, 129, 255, 256, 4095, 4096, 32766, 32767, 32768, 65535,
                                     65536, 1 << 22};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int missing = 0; missing < (CHECK_QUICK() ? 1 : 2); missing++)
                    if (!CHECK_QUICK() || (k + b + s) % 7 == 0)
                        check_large(runs[k], sizes[s], bins[b], missing);
}

/* Two classes in four bins: 3 + 0, 2 + 2, 0 + 1, 1 + 4 rows, and 0 + 3 whose value is missing;
 * `first` is the class of the former. */
static void by_hand_from(uint32_t first)
{
    static const uint32_t rows[2][5] = {{3, 2, 0, 1, 0}, {0, 2, 1, 4, 3}};
    memset(histograms, 0, sizeof histograms);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t bin = 0; bin < 5; bin++)
            histograms[(k * CT_HIST_BIN_ROWS + (bin < 4 ? bin : CT_HIST_BIN_ROWS - 1)) * CT_LANES] =
                rows[k ^ first][bin];
    totals[first] = 6, totals[!first] = 10;
    for (int level = 0; level < CT_N_SIMD; level++) {
        ct_bin_cut cut;
        if (!ct_cpu_has((ct_simd) level)) continue;
        ct_scan_at((ct_simd) level)->gini(cells_of(2, 16, 4, 1), totals, 2, 16, 4, 0, 1, &cut);
        /* 3 + 0 | 3 + 10: 3 * 10 - 0 * 6 = 30; 5 + 2 | 1 + 8: 5 * 10 - 2 * 6 */
        CHECK(cut.bin == 0);
        CHECK(cut.score == (float) (30 * 30) / (3 * 13));
        ct_scan_at((ct_simd) level)->gini(cells_of(2, 16, 4, 1), totals, 2, 16, 4, 1, 1, &cut);
        CHECK(
            cut.bin ==
            1); /* 5 + 5 | 1 + 5: 5 + 26 / 6 is 9.33; 3 + 3 | 3 + 7 is 8.8, 5 + 6 | 1 + 4 is 8.95 */
    }
}

static void by_hand(void)
{
    for (uint32_t first = 0; first < 2; first++) by_hand_from(first);
}

enum { CANDIDATES = CT_LANES };

/* A small node, some of whose candidates are alike. */
typedef struct {
    int16_t codes[CANDIDATES][CT_SMALL_ROWS];
    uint16_t own[CT_SMALL_ROWS], pairs[CT_SMALL_ROWS];
    ct_hist_run runs[CT_SMALL_ROWS];
    ct_small node;
} small_case;

static void fill_small(small_case *c, uint32_t n, uint32_t n_runs, int kind)
{
    ct_rng r = ct_rng_of(n, n_runs, (uint32_t) kind);
    uint32_t weight = 0, row = 0, left = n;
    for (uint32_t k = 0; k < n_runs; k++) {
        ct_hist_run *run = &c->runs[k];
        uint32_t most = left - (n_runs - k - 1);
        *run = (ct_hist_run){k, k + 1 < n_runs ? 1 + ct_rng_below(&r, most) : left, 0};
        left -= run->n;
        for (uint32_t end = row + run->n; row < end; row++) {
            c->own[row] = (uint16_t) (1 + (kind == 1 ? 255 / n - 1 : 0));
            if (kind == 2 && row == 0) c->own[row] = (uint16_t) (256 - n);
            c->pairs[row] = (uint16_t) (c->own[row] << (k ? 8 : 0));
            run->weight += c->own[row];
        }
        weight += run->weight;
    }
    for (uint32_t j = 0; j < CANDIDATES; j++)
        for (uint32_t i = 0; i < CT_SMALL_ROWS; i++) {
            uint32_t levels = kind == 4 ? 3 : 65536;
            c->codes[j][i] = INT16_MAX;
            if (i < n) c->codes[j][i] = (int16_t) (ct_rng_below(&r, levels) - 32768);
            if (kind == 3 && i < n) c->codes[j][i] = 5;
            if (j % 3 == 2) c->codes[j][i] = c->codes[j - 1][i];
        }
    c->node = (ct_small){{NULL}, c->own, c->pairs, c->runs, 0, n_runs, n, weight};
    for (uint32_t j = 0; j < CANDIDATES; j++) c->node.codes[j] = c->codes[j];
}

static int same_small_cut(const ct_small_cut *a, const ct_small_cut *b)
{
    return a->score == b->score && a->candidate == b->candidate && a->code == b->code &&
           a->next == b->next;
}

/* The best cut of numbers by its definition: of equal scores the lowest code's. */
static int best_by_hand(const ct_small_numbers *node, const int32_t *numbers, const uint16_t *own,
                        double *best, int16_t *code)
{
    int found = 0;
    for (uint32_t k = 0; k < node->n; k++) {
        double sum = 0, size = 0;
        for (uint32_t i = 0; i < node->n; i++) {
            const int left = node->codes[i] <= node->codes[k];
            sum += left ? (double) numbers[i] * own[i] : 0;
            size += left ? own[i] : 0;
        }
        const double rest = node->sum - sum,
                     score = (sum * sum) / size + (rest * rest) / (node->weight - size);
        if (!(score > *best || (found && score == *best && node->codes[k] < *code))) continue;
        *best = score;
        *code = node->codes[k];
        found = 1;
    }
    return found;
}

/* Numbers of all sizes that a node may have. */
static void check_small_numbers(const small_case *c, int kind)
{
    int64_t packed[CT_SMALL_ROWS];
    int32_t numbers[CT_SMALL_ROWS];
    ct_rng r = ct_rng_of(c->node.n, (uint32_t) kind, 99);
    ct_small_numbers node = {c->codes[0], packed, 0, c->node.n, c->node.weight};
    for (uint32_t i = 0; i < node.n; i++) {
        numbers[i] = (int32_t) ct_rng_below(&r, kind == 4 ? 3 : UINT32_MAX);
        if (kind == 1) numbers[i] = i % 2 ? INT32_MAX : INT32_MIN;
        if (kind == 2) numbers[i] = INT32_MIN;
        packed[i] = (int64_t) numbers[i] * c->own[i] * 65536 + c->own[i];
        node.sum += (double) numbers[i] * c->own[i];
    }
    for (int level = 0; level < CT_N_SIMD; level++) {
        double score = -1, best = -1;
        int16_t code = 0, best_code = 0;
        if (!ct_cpu_has((ct_simd) level)) continue;
        const ct_scan *scan = ct_scan_at((ct_simd) level);
        const int found = best_by_hand(&node, numbers, c->own, &best, &best_code);
        CHECK_INT(scan->small_variance(&node, &score, &code), found);
        CHECK(score == best && code == best_code);
        CHECK_INT(scan->small_variance(&node, &score, &code), 0); /* nothing better than the best */
    }
}

static void check_small(uint32_t n, uint32_t n_runs, int kind)
{
    static small_case c;
    uint16_t below[CT_SMALL_ROWS], expected_below[CT_SMALL_ROWS];
    fill_small(&c, n, n_runs, kind);
    ct_scan_scalar.ranks(c.codes[0], n, expected_below);
    for (int level = 0; level < CT_N_SIMD; level++) {
        if (!ct_cpu_has((ct_simd) level)) continue;
        const ct_scan *scan = ct_scan_at((ct_simd) level);
        for (c.node.n_candidates = 1; c.node.n_candidates <= CANDIDATES; c.node.n_candidates++) {
            ct_small_cut best = {-1, 99, 0, 0}, own = best;
            int found = ct_scan_scalar.small_gini(&c.node, &best);
            CHECK_INT(scan->small_gini(&c.node, &own), found);
            CHECK(same_small_cut(&best, &own));
            CHECK_INT(scan->small_gini(&c.node, &own), 0); /* nothing better than the best */
            CHECK(same_small_cut(&best, &own));
        }
        scan->ranks(c.codes[0], n, below);
        CHECK(!memcmp(below, expected_below, n * sizeof *below));
    }
    if (n_runs == 1) check_small_numbers(&c, kind);
}

static void small_nodes(void)
{
    for (uint32_t n = 2; n <= CT_SMALL_ROWS; n += CHECK_QUICK() ? 9 : 1)
        for (uint32_t n_runs = 1; n_runs <= n; n_runs += 1 + n_runs * 2)
            for (int kind = 0; kind < 5; kind++) check_small(n, n_runs, kind);
}

/* The scalar scan of small nodes against the sums of the definition, in whole numbers. */
static void small_by_hand(void)
{
    int16_t codes[2][CT_SMALL_ROWS] = {{7, 7, 7, 7, 7, 7}, {10, 20, 30, 15, 40, 5}};
    uint16_t own[CT_SMALL_ROWS] = {1, 2, 1, 1, 3, 2},
             pairs[CT_SMALL_ROWS] = {1, 2, 1, 256, 3 * 256, 2 * 256};
    ct_hist_run runs[2] = {{0, 3, 4}, {4, 3, 6}};
    for (int i = 6; i < CT_SMALL_ROWS; i++) codes[0][i] = codes[1][i] = INT16_MAX;
    ct_small node = {{codes[0], codes[1]}, own, pairs, runs, 2, 2, 6, 10};
    for (int level = 0; level < CT_N_SIMD; level++) {
        ct_small_cut best = {-1, 0, 0, 0};
        if (!ct_cpu_has((ct_simd) level)) continue;
        CHECK(ct_scan_at((ct_simd) level)->small_gini(&node, &best));
        CHECK_INT(best.candidate, 1);
        CHECK(best.code == 30 && best.next == 40); /* 4 + 3 | 0 + 3: 25 / 7 + 3 */
        CHECK(best.score == (float) (12 * 12) / 21); /* 4 * 6 - 3 * 4 */
    }
}

/* ---- subsets ---- */

/* A node of some rows of a subtree, and the same rows side by side, as small nodes have them. */
typedef struct {
    small_case *all, own;
    uint32_t of_run[CT_SUBSET_ROWS];
    ct_hist_run runs[CT_SUBSET_ROWS];
    ct_subset node;
} subset_case;

static void add_to_subset(subset_case *c, uint32_t k, uint32_t row)
{
    const uint32_t to = c->own.node.n++;
    c->of_run[k] |= UINT32_C(1) << row;
    c->runs[k].n++;
    c->runs[k].weight += c->all->own[row];
    c->own.node.weight += c->all->own[row];
    c->own.own[to] = c->all->own[row];
    for (uint32_t j = 0; j < CANDIDATES; j++) c->own.codes[j][to] = c->all->codes[j][row];
}

/* Of each run the rows of a set, if there are any. */
static void fill_subset(subset_case *c, small_case *all, uint32_t rows)
{
    uint32_t row = 0, k = 0;
    memset(c, 0, sizeof *c);
    c->all = all;
    for (uint32_t j = 0; j < CANDIDATES; j++)
        for (uint32_t i = 0; i < CT_SMALL_ROWS; i++) c->own.codes[j][i] = INT16_MAX;
    for (uint32_t run = 0; run < all->node.n_runs; run++) {
        c->runs[k] = (ct_hist_run){all->runs[run].class_, 0, 0};
        for (uint32_t end = row + all->runs[run].n; row < end; row++)
            if (rows >> row & 1) add_to_subset(c, k, row);
        k += c->runs[k].n > 0;
    }
    for (uint32_t i = 0; i < c->own.node.n; i++)
        c->own.pairs[i] = (uint16_t) (c->own.own[i] << (i < c->runs[0].n ? 0 : 8));
    c->node = (ct_subset){{NULL}, all->own, c->runs, c->of_run, 0, k, rows, c->own.node.weight};
    c->own.node = (ct_small){{NULL}, c->own.own, c->own.pairs, c->runs, 0, k, c->own.node.n,
                             c->own.node.weight};
    for (uint32_t j = 0; j < CANDIDATES; j++) {
        c->node.codes[j] = all->codes[j];
        c->own.node.codes[j] = c->own.codes[j];
    }
}

/* What goes right of a cut: rows, and of two runs weights. */
static void check_sides(const subset_case *c, const ct_subset_cut *cut)
{
    uint32_t left = 0, right[CT_SUBSET_ROWS] = {0};
    for (uint32_t row = 0; row < CT_SUBSET_ROWS; row++) {
        if (!(c->node.rows >> row & 1)) continue;
        if (c->all->codes[cut->candidate][row] <= cut->code) left |= UINT32_C(1) << row;
        else for (uint32_t k = 0; k < c->node.n_runs; k++)
            right[k] += c->of_run[k] >> row & 1 ? c->all->own[row] : 0;
    }
    CHECK_INT(cut->left, left);
    if (c->node.n_runs == 2) CHECK_INT(cut->right, right[0] + 256 * right[1]);
}

/* Subsets have the cuts of small nodes of the same rows. */
static void check_subset(subset_case *c)
{
    for (int level = 0; level < CT_N_SIMD; level++) {
        if (!ct_cpu_has((ct_simd) level) || !ct_scan_at((ct_simd) level)->subset_gini) continue;
        const ct_scan *scan = ct_scan_at((ct_simd) level);
        for (uint32_t n = 1; n <= CANDIDATES; n++) {
            ct_small_cut expected = {-1, 99, 0, 0};
            ct_subset_cut best = {-1, 99, 0, 0, 0, 0};
            c->node.n_candidates = c->own.node.n_candidates = n;
            const int found = ct_scan_scalar.small_gini(&c->own.node, &expected);
            CHECK_INT(scan->subset_gini(&c->node, &best), found);
            CHECK(best.score == expected.score);
            if (!found) continue;
            CHECK_INT(best.candidate, expected.candidate);
            CHECK(best.code == expected.code && best.next == expected.next);
            check_sides(c, &best);
            CHECK_INT(scan->subset_gini(&c->node, &best), 0); /* nothing better than the best */
        }
    }
}

/* All sizes of subtrees; of each all of its rows, and some. Of kind 5 some codes are missing. */
static void subsets(void)
{
    static small_case all;
    static subset_case c;
    for (uint32_t n = 2; n <= CT_SUBSET_ROWS; n++)
        for (uint32_t n_runs = 1; n_runs <= n; n_runs += n_runs < 3 ? 1 : 4)
            for (int kind = 0; kind < 6; kind++) {
                ct_rng r = ct_rng_of(n, n_runs, 77 + (uint32_t) kind);
                fill_small(&all, n, n_runs, kind);
                for (uint32_t j = 0; kind == 5 && j < CANDIDATES; j++)
                    all.codes[j][ct_rng_below(&r, n)] = j % 2 ? INT16_MAX : INT16_MIN;
                for (int i = 0; i < (CHECK_QUICK() ? 3 : 20); i++) {
                    const uint32_t most = (UINT32_C(1) << n) - 1;
                    fill_subset(&c, &all, i ? 1 + ct_rng_below(&r, most) : most);
                    if (c.own.node.n > 1) check_subset(&c);
                }
            }
}

/* The bin of a code by its definition: of P positions, sixteen at each end are bins, others by
 * sixteens; where there are bins for all codes, these are bins. */
static uint32_t near_bin(uint32_t code, uint32_t low, uint32_t high, uint32_t n)
{
    const uint32_t P = n <= 128 ? 128 : n <= 256 ? 256 : 512, span = high - low + 1;
    if (span <= 30 + P / 16) return code - low;
    const uint64_t scale = P * 65536 / span;
    const uint32_t at = span <= P ? code - low : (uint32_t) ((code - low) * scale / 65536);
    CHECK(at < P);
    if (at < 16) return at;
    return at < P - 16 ? 15 + at / 16 : 14 + P / 16 + (at - (P - 16));
}

/* Bins do not turn back, their number is bounded, and the last code of each is known. */
static void bins_of_nodes(void)
{
    static const uint32_t spans[] = {1, 37, 38, 39, 46, 47, 62, 63, 127, 128, 129, 255, 257, 511,
                                     512, 513, 1000, 4099, 30000, 65535};
    for (size_t k = 0; k < sizeof spans / sizeof *spans; k++)
        for (uint32_t n = 65; n <= 512; n += CHECK_QUICK() ? 63 : 1) {
            const uint32_t low = spans[k] < 60000 ? 777 : 0, high = low + spans[k] - 1;
            const ct_medium_bins by = ct_medium_bins_of(low, high, n);
            uint32_t bin = 0;
            for (uint32_t code = low; code <= high; code++) {
                const uint32_t now = near_bin(code, low, high, n);
                CHECK(now >= bin && now < ct_medium_most(n));
                if (now != bin) CHECK(ct_medium_last(&by, bin) == code - 1);
                bin = now;
            }
            CHECK(ct_medium_last(&by, bin) >= high);
        }
}

/* Ranges, bins and the next code, at all lengths up to a little above those of vectors. */
static void codes_of_nodes(void)
{
    enum { MOST = 200, ROOM = 256 };
    uint16_t codes[ROOM], low, high, own_low, own_high, below, over;
    int16_t turned[ROOM];
    uint8_t bins[ROOM], own[ROOM];
    for (uint32_t n = 1; n <= MOST; n += CHECK_QUICK() ? 13 : 1)
        for (uint32_t width = 1; width <= 65535; width = width * 5 + 1) {
            ct_rng r = ct_rng_of(n, width, 7);
            uint32_t first = ct_rng_below(&r, 65536 - width);
            for (uint32_t i = 0; i < ROOM; i++) {
                codes[i] = (uint16_t) (i < n ? first + ct_rng_below(&r, width) : ct_rng_next(&r));
                turned[i] = (int16_t) (i < n ? codes[i] ^ 0x8000 : 32767);
            }
            ct_scan_scalar.range(codes, n, &low, &high);
            const ct_medium_bins by = ct_medium_bins_of(low, high, n);
            ct_scan_scalar.spread(codes, n, &by, bins);
            for (uint32_t i = 0; i < n; i++) CHECK_INT(bins[i], near_bin(codes[i], low, high, n));
            const uint16_t most = n % 3 ? codes[n / 2] : (uint16_t) ct_rng_next(&r);
            ct_scan_scalar.beside(codes, n, most, &below, &over);
            for (uint32_t i = 0; i < n; i++)
                CHECK(codes[i] > most ? codes[i] >= over : codes[i] <= below);
            CHECK((n % 3 == 0 || below == most) && (below == 0 || below <= most));
            int16_t next = ct_scan_scalar.above(turned, n, turned[n / 2]);
            for (uint32_t i = 0; i < n; i++) CHECK(codes[i] >= low && codes[i] <= high);
            for (int level = 0; level < CT_N_SIMD; level++) {
                if (!ct_cpu_has((ct_simd) level)) continue;
                const ct_scan *scan = ct_scan_at((ct_simd) level);
                scan->range(codes, n, &own_low, &own_high);
                CHECK(own_low == low && own_high == high);
                scan->beside(codes, n, most, &own_low, &own_high);
                CHECK(own_low == below && own_high == over);
                scan->spread(codes, n, &by, own);
                CHECK(!memcmp(own, bins, n));
                CHECK_INT(scan->above(turned, n, turned[n / 2]), next);
            }
        }
}

/* Draws by the block are those one after another, also where their number passes 2^32. */
static void draws_in_blocks(void)
{
    uint32_t words[4 * 16];
    for (int level = 0; level < CT_N_SIMD; level++)
        for (uint64_t seed = 1; seed < 5; seed++) {
            if (!ct_cpu_has((ct_simd) level)) continue;
            ct_rng rng = ct_rng_of(seed << 40 | 3, 5, seed << 33 | 9);
            rng.counter[0] = seed == 4 ? UINT32_MAX - 5 : (uint32_t) seed;
            ct_scan_at((ct_simd) level)->draws(rng.counter, rng.key, 16, words);
            for (uint32_t i = 0; i < 64; i++) CHECK(words[i] == ct_rng_next(&rng));
        }
}

/* Words below a bound that favours some of them, unless they are drawn again. */
static void draws_below(void)
{
    static const uint32_t bounds[] = {1, 2, 3, 1000, 65536, 10000019, 3u << 30, UINT32_MAX};
    uint32_t words[64], before[64];
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 20 : 200); seed++)
            for (int level = 0; level < CT_N_SIMD; level++) {
                ct_rng rng = ct_rng_of(seed, 5, 3), again = rng;
                const uint32_t n = seed % 2 ? 64 : 32, bound = bounds[b];
                if (!ct_cpu_has((ct_simd) level)) continue;
                for (uint32_t i = 0; i < n; i++) words[i] = before[i] = ct_rng_next(&rng);
                const int fine = ct_scan_at((ct_simd) level)->below(words, n, bound);
                for (uint32_t i = 0; fine && i < n; i++)
                    CHECK_INT(words[i], ct_rng_below(&again, bound));
                for (uint32_t i = 0; !fine && i < n; i++) (void) ct_rng_below(&again, bound);
                /* draws of `again` are as many as words if none was refused */
                CHECK((again.counter[0] == rng.counter[0] && again.next == rng.next) == fine);
                CHECK(fine || !memcmp(words, before, n * sizeof *words));
            }
}

/* Rows that were drawn, and the weights of few items. */
static void rows_drawn(void)
{
    enum { MOST = 70 };
    uint32_t rows[MOST], counts[MOST], weight;
    ct_item items[MOST + CT_PARTITION_PAD];
    for (uint32_t n = 0; n <= MOST; n++)
        for (int level = 0; level < CT_N_SIMD; level++) {
            uint8_t bytes[CT_SMALL_ROWS + 8];
            uint16_t words[CT_SMALL_ROWS + 8], pairs[CT_SMALL_ROWS + 8];
            uint32_t drawn = 0, sum = 0;
            ct_rng r = ct_rng_of(n, 3, 1);
            if (!ct_cpu_has((ct_simd) level)) continue;
            for (uint32_t i = 0; i < n; i++) {
                rows[i] = ct_rng_next(&r);
                counts[i] = n % 5 == 4 ? ct_rng_below(&r, 256) : ct_rng_below(&r, 3);
            }
            const uint32_t found = ct_scan_at((ct_simd) level)->drawn(rows, counts, n, items,
                                                                      &weight);
            for (uint32_t i = 0; i < n; i++) {
                if (!counts[i]) continue;
                CHECK(items[drawn].row == rows[i] && items[drawn].weight == counts[i]);
                drawn++;
                sum += counts[i];
            }
            CHECK(found == drawn && weight == sum);
            const uint32_t few = found < CT_SMALL_ROWS ? found : CT_SMALL_ROWS, first = few / 3;
            ct_scan_at((ct_simd) level)->weights(items, few, first, bytes, words, pairs);
            for (uint32_t i = 0; i < few; i++)
                CHECK(bytes[i] == items[i].weight && words[i] == items[i].weight &&
                      pairs[i] == items[i].weight * (i < first ? 1 : 256));
        }
}

enum { MOST_ITEMS = 70, CODES = 300 };

/* Codes of a column, some missing, their bins of three codes each, and where codes are. */
typedef struct {
    uint16_t codes[CODES];
    uint8_t bins[CODES], sides[CT_HIST_BIN_ROWS];
    uint32_t places[CODES];
} column;

static void fill_column(ct_rng *r, column *c, uint32_t cut, uint32_t raise)
{
    for (uint32_t i = 0; i < CODES; i++) c->places[i] = (i * 7) % CODES;
    for (uint32_t i = 0; i < CODES; i++) {
        uint32_t code = ct_rng_below(r, 31);
        c->codes[i] = (uint16_t) (code < 30 ? code : 65535);
    }
    for (uint32_t i = 0; i < CODES; i++)
        c->bins[i] = (uint8_t) (c->codes[c->places[i]] < 30 ? c->codes[c->places[i]] / 3 : 255);
    memset(c->sides, 0, sizeof c->sides);
    memset(c->sides, CT_TO_LEFT, cut / 3);
    if (cut % 3) c->sides[cut / 3] = CT_TO_CODE;
    if (raise) c->sides[255] = CT_TO_LEFT;
}

/* Items go where a comparison of their own codes sends them, each side in its order. */
static void check_part(const ct_scan *scan, const ct_hist_test *q, uint32_t n, uint32_t cut)
{
    ct_item items[MOST_ITEMS] = {{0, 0}};
    ct_item left[MOST_ITEMS + CT_PARTITION_PAD], right[MOST_ITEMS + CT_PARTITION_PAD];
    uint32_t weight, sum = 0, n_left = 0;
    ct_rng r = ct_rng_of(n, cut, 3);
    for (uint32_t i = 0; i < n; i++)
        items[i] = (ct_item){ct_rng_below(&r, CODES), 1 + ct_rng_below(&r, UINT32_C(1) << 24)};
    uint32_t found = scan->part(q, items, n, left, right, &weight);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = q->codes[q->code_rows ? q->code_rows[items[i].row] : items[i].row];
        uint32_t goes_left = code == 65535 ? q->raise : code < cut;
        const ct_item *to = goes_left ? left + n_left : right + (i - n_left);
        CHECK(to->row == items[i].row && to->weight == items[i].weight);
        sum += goes_left ? items[i].weight : 0;
        n_left += goes_left;
    }
    CHECK_INT(found, n_left);
    CHECK(weight == sum);
    CHECK_INT(scan->part(q, items, n, items, right, &weight), n_left); /* in place */
    CHECK(!memcmp(items, left, n_left * sizeof *items));
}

static void items_parted(void)
{
    static column c;
    for (uint32_t n = 0; n <= MOST_ITEMS; n += CHECK_QUICK() ? 9 : 1)
        for (uint32_t cut = 1; cut <= 30; cut += 1 + n % 3)
            for (uint32_t raise = 0; raise < 2; raise++) {
                ct_rng r = ct_rng_of(n, cut, raise);
                fill_column(&r, &c, cut, raise);
                for (int level = 0; level < CT_N_SIMD; level++) {
                    if (!ct_cpu_has((ct_simd) level)) continue;
                    const ct_scan *scan = ct_scan_at((ct_simd) level);
                    ct_hist_test q = {c.codes, c.places, c.bins, c.sides, raise, cut + raise};
                    check_part(scan, &q, n, cut);
                    q.bins = NULL;
                    check_part(scan, &q, n, cut);
                    q.code_rows = NULL;
                    check_part(scan, &q, n, cut);
                }
            }
}

enum { MOST_OWN = CT_MEDIUM_ROWS };

/* Items, codes of theirs and runs of all lengths. */
typedef struct {
    ct_item items[MOST_OWN + CT_PARTITION_PAD];
    uint16_t codes[MOST_OWN + CT_PARTITION_PAD];
    uint8_t weights[CT_SMALL_ROWS];
    ct_hist_run runs[MOST_RUNS];
} own_case;

static void fill_own(own_case *c, uint32_t n, uint32_t n_runs)
{
    ct_rng r = ct_rng_of(n, n_runs, 5);
    for (uint32_t i = 0; i < MOST_OWN + CT_PARTITION_PAD; i++) {
        c->items[i] = (ct_item){i, 1 + ct_rng_below(&r, n <= CT_SMALL_ROWS ? 3 : 1000)};
        c->codes[i] = (uint16_t) ct_rng_below(&r, 65536);
        if (i < CT_SMALL_ROWS) c->weights[i] = (uint8_t) c->items[i].weight;
    }
    for (uint32_t k = 0, left = n; k < n_runs; left -= c->runs[k].n, k++) {
        uint32_t most = left - (n_runs - k - 1);
        c->runs[k] = (ct_hist_run){k, k + 1 < n_runs ? 1 + ct_rng_below(&r, most) : left, 0};
    }
}

/* Each run's items left lie behind those of the runs before, and so do those on the right; what
 * follows the node's items stays as it is. */
static void check_own(const ct_scan *scan, const own_case *c, const ct_hist_own_test *q, uint32_t n,
                      uint32_t n_runs)
{
    static ct_item items[MOST_OWN + CT_PARTITION_PAD], right[MOST_OWN + CT_PARTITION_PAD];
    ct_hist_run left_runs[MOST_RUNS];
    uint32_t n_left = 0, n_right = 0, i = 0;
    memcpy(items, c->items, sizeof items);
    scan->partition_own(q, items, c->runs, n_runs, items, right, left_runs);
    for (uint32_t k = 0; k < n_runs; k++) {
        uint32_t begin = n_left, weight = 0;
        for (uint32_t end = i + c->runs[k].n; i < end; i++) {
            int goes_left = (uint16_t) (q->codes[i] + q->raise) <= q->most;
            const ct_item *to = goes_left ? &items[n_left++] : &right[n_right++];
            CHECK(to->row == c->items[i].row && to->weight == c->items[i].weight);
            weight += goes_left ? to->weight : 0;
        }
        CHECK(left_runs[k].class_ == k && left_runs[k].n == n_left - begin &&
              left_runs[k].weight == weight);
    }
    CHECK_INT(n_left + n_right, n);
    CHECK(!memcmp(items + n, c->items + n, CT_PARTITION_PAD * sizeof *items));
}

static void items_parted_by_own_codes(void)
{
    static own_case c;
    static const uint16_t mosts[] = {0, 1, 20000, 32767, 32768, 65534, 65535};
    for (uint32_t n = 1; n <= MOST_OWN; n += CHECK_QUICK() ? n : 1 + n / 70 * 37)
        for (uint32_t n_runs = 1; n_runs <= MOST_RUNS && n_runs <= n; n_runs *= 2) {
            fill_own(&c, n, n_runs);
            for (int level = 0; level < CT_N_SIMD; level++)
                for (size_t m = 0; m < sizeof mosts / sizeof *mosts; m++)
                    for (uint32_t raise = 0; raise < 3; raise++) {
                        if (!ct_cpu_has((ct_simd) level)) continue;
                        const ct_hist_own_test q = {c.codes, n <= CT_SMALL_ROWS ? c.weights : NULL,
                                                    (uint16_t) (raise < 2 ? raise : 32768),
                                                    mosts[m]};
                        check_own(ct_scan_at((ct_simd) level), &c, &q, n, n_runs);
                    }
        }
}

static void rows_turned(void)
{
    enum { MOST = 40, STRIDE = 24 };
    uint16_t table[CT_TRANSPOSED_ROWS][MOST], to[MOST * STRIDE];
    const uint16_t *rows[CT_TRANSPOSED_ROWS];
    for (uint32_t i = 0; i < CT_TRANSPOSED_ROWS; i++) {
        rows[i] = table[(i * 3) % CT_TRANSPOSED_ROWS];
        for (uint32_t col = 0; col < MOST; col++) table[i][col] = (uint16_t) (i * 1000 + col);
    }
    for (uint32_t n = 1; n <= MOST; n++)
        for (int level = 0; level < CT_N_SIMD; level++) {
            if (!ct_cpu_has((ct_simd) level)) continue;
            memset(to, 0xff, sizeof to);
            ct_scan_at((ct_simd) level)->transpose(rows, n, to, STRIDE);
            for (uint32_t i = 0; i < MOST * STRIDE; i++)
                CHECK_INT(to[i], i / STRIDE < n && i % STRIDE < CT_TRANSPOSED_ROWS
                                     ? rows[i % STRIDE][i / STRIDE] : 65535);
        }
}

static const check_case cases[] = {
    {"items parted", items_parted},
    {"items parted by codes of their own", items_parted_by_own_codes},
    {"rows turned", rows_turned},
    {"bins of nodes", bins_of_nodes},
    {"codes of nodes", codes_of_nodes},
    {"draws in blocks", draws_in_blocks},
    {"draws below a bound", draws_below},
    {"rows drawn", rows_drawn},
    {"large nodes by hand", by_hand},
    {"small nodes by hand", small_by_hand},
    {"large nodes on every instruction set", large_nodes},
    {"small nodes on every instruction set", small_nodes},
    {"subsets of the rows of a subtree", subsets},
};

CHECK_MAIN(cases)
