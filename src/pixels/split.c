/* Scores of the tests of one leaf, see pixels/forest.h. */
#include <math.h>
#include <string.h>

#include "pixels/conditions.h"

/* ---- tests as nodes ---- */

/* The test whether a value is at least `low`. */
static ct_pixel_node from(int32_t low)
{
    return (ct_pixel_node){0, low, UINT32_C(0x80000000) - (uint32_t) low, 0};
}

/* The lowest value whose bin is at least `bin`. */
static int32_t border(const ct_even_bins *bins, uint32_t bin)
{
    uint32_t step = ((bin << 16) + bins->times - 1) / bins->times;
    return (int32_t) ((uint32_t) bins->low + (step << bins->shift));
}

enum { WITHIN, FROM_FIRST, FROM_SECOND, TESTS };

ct_pixel_node ct_pixel_test(const ct_pixel_candidate *c, ct_pixel_policy policy, uint32_t test)
{
    if (policy == CT_PIXEL_BEST) return from(border(&c->even, test));
    if (test != WITHIN) return from(test == FROM_FIRST ? c->first : c->second);
    return (ct_pixel_node){0, c->first, (uint32_t) c->second - (uint32_t) c->first, 0};
}

/* ---- scores ---- */

/* Sums over classes, a test in each place. */
typedef struct {
    ct_pixel_rule rule;
    uint64_t right[CT_PIXEL_BINS]; /* pixels */
    /* of the pixels of a class that go right, and left: squares, or the most of a class */
    uint64_t in[CT_PIXEL_BINS], out[CT_PIXEL_BINS];
    double logs[CT_PIXEL_BINS];    /* k log k of both */
} sums;

static double k_log_k(uint64_t k) { return k ? (double) k * log((double) k) : 0; }

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void add_class(sums *s, uint32_t test, uint64_t right, uint64_t total)
{
    const uint64_t left = total - right;
    s->right[test] += right;
    switch (s->rule) {
    case CT_PIXEL_GINI:
        s->in[test] += right * right;
        s->out[test] += left * left;
        break;
    case CT_PIXEL_ENTROPY: s->logs[test] += k_log_k(right) + k_log_k(left); break;
    case CT_PIXEL_ERROR:
        s->in[test] = larger(s->in[test], right);
        s->out[test] = larger(s->out[test], left);
        break;
    }
}

static void begin_sums(sums *s, ct_pixel_rule rule, uint32_t n)
{
    s->rule = rule;
    memset(s->right, 0, n * sizeof *s->right);
    memset(s->in, 0, n * sizeof *s->in);
    memset(s->out, 0, n * sizeof *s->out);
    for (uint32_t i = 0; i < n; i++) s->logs[i] = 0;
}

/* Of both children, n pixels in all; neither is empty. */
static double worth(const sums *s, uint64_t n, uint32_t place)
{
    const uint64_t right = s->right[place];
    switch (s->rule) {
    case CT_PIXEL_ENTROPY: return s->logs[place] - k_log_k(right) - k_log_k(n - right);
    case CT_PIXEL_ERROR: return (double) (s->in[place] + s->out[place]);
    default:
        return (double) s->out[place] / (double) (n - right) +
               (double) s->in[place] / (double) right;
    }
}

double ct_pixel_worth_of_leaf(const ct_pixel_level *level, uint32_t leaf)
{
    const uint32_t *totals = level->totals + (size_t) leaf * level->n_classes;
    uint64_t n = 0, squares = 0, most = 0;
    double logs = 0;
    for (uint32_t k = 0; k < level->n_classes; k++) {
        n += totals[k];
        squares += (uint64_t) totals[k] * totals[k];
        most = larger(most, totals[k]);
        logs += k_log_k(totals[k]);
    }
    switch (level->options->rule) {
    case CT_PIXEL_ENTROPY: return logs - k_log_k(n) + 1e-9 * (double) n;
    case CT_PIXEL_ERROR: return (double) most;
    default: return (double) squares / (double) n;
    }
}

static void improve(ct_pixel_split *best, const sums *s, uint64_t n, uint32_t place,
                    uint32_t candidate, uint32_t test)
{
    if (!s->right[place] || s->right[place] == n) return;
    double score = worth(s, n, place);
    if (score > best->score) *best = (ct_pixel_split){score, candidate, test};
}

/* Test `bin` sends that bin and those above it right. */
static void search_bins(const ct_pixel_level *level, const uint32_t *cells, const uint32_t *totals,
                        uint64_t n, uint32_t candidate, ct_pixel_split *best)
{
    uint32_t n_bins = level->options->bins;
    sums s;
    begin_sums(&s, level->options->rule, n_bins);
    for (uint32_t k = 0; k < level->n_classes; k++, cells += n_bins) {
        uint64_t left = 0;
        for (uint32_t bin = 1; totals[k] && bin < n_bins; bin++) {
            left += cells[bin - 1];
            add_class(&s, bin, totals[k] - left, totals[k]);
        }
    }
    for (uint32_t bin = 1; bin < n_bins; bin++) improve(best, &s, n, bin, candidate, bin);
}

/* From counts of joint codes to those of each feature's three: of the highest digit, which is then
 * summed over. */
static void marginals(const uint32_t *joint, uint32_t counts[CT_PIXEL_JOINT][3])
{
    uint32_t folded[CT_PIXEL_JOINT_BINS], size = CT_PIXEL_JOINT_BINS / 3;
    memcpy(folded, joint, sizeof folded);
    for (unsigned feature = CT_PIXEL_JOINT; feature-- > 0; size /= 3) {
        uint32_t *own = counts[feature];
        own[0] = own[1] = own[2] = 0;
        for (uint32_t i = 0; i < size; i++) {
            uint32_t middle = folded[size + i], high = folded[2 * size + i];
            own[0] += folded[i];
            own[1] += middle;
            own[2] += high;
            folded[i] += middle + high;
        }
    }
}

static uint32_t pixels_right(const uint32_t codes[3], uint32_t test)
{
    return (test != FROM_SECOND ? codes[1] : 0) + (test != WITHIN ? codes[2] : 0);
}

static void search_joint(const ct_pixel_level *level, const uint32_t *cells,
                         const uint32_t *totals, uint64_t n, uint32_t first, ct_pixel_split *best)
{
    uint32_t end = level->options->features - first;
    sums s;
    if (end > CT_PIXEL_JOINT) end = CT_PIXEL_JOINT;
    begin_sums(&s, level->options->rule, CT_PIXEL_JOINT * TESTS);
    for (uint32_t k = 0; k < level->n_classes; k++, cells += CT_PIXEL_JOINT_BINS) {
        uint32_t counts[CT_PIXEL_JOINT][3];
        if (!totals[k]) continue;
        marginals(cells, counts);
        for (uint32_t i = 0; i < end * TESTS; i++)
            add_class(&s, i, pixels_right(counts[i / TESTS], i % TESTS), totals[k]);
    }
    for (uint32_t i = 0; i < end * TESTS; i++)
        improve(best, &s, n, i, first + i / TESTS, i % TESTS);
}

void ct_pixel_fill_inside(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                          const uint32_t *cells, uint32_t leaf)
{
    const ct_pixel_split *best = &level->splits[leaf];
    uint32_t *inside = level->inside + (size_t) leaf * level->n_classes;
    CT_ASSERT(best->candidate / chunk->per - chunk->first < chunk->n);
    cells += (best->candidate / chunk->per - chunk->first) * chunk->size;
    for (uint32_t k = 0; k < level->n_classes; k++, cells += chunk->bins) {
        uint32_t counts[CT_PIXEL_JOINT][3];
        inside[k] = 0;
        if (chunk->per > 1) {
            marginals(cells, counts);
            inside[k] = pixels_right(counts[best->candidate % chunk->per], best->test);
        } else {
            for (uint32_t bin = best->test; bin < chunk->bins; bin++) inside[k] += cells[bin];
        }
    }
}

void ct_pixel_search_leaf(const ct_pixel_level *level, const ct_pixel_chunk *chunk,
                          const uint32_t *cells, uint32_t leaf)
{
    const uint32_t *totals = level->totals + (size_t) leaf * level->n_classes;
    ct_pixel_split *best = &level->splits[leaf], before = *best;
    uint64_t n = 0;
    if (!level->stop->stopped) ct_pixel_cells_are_sound(level, chunk, cells, leaf);
    for (uint32_t k = 0; k < level->n_classes; k++) n += totals[k];
    for (uint32_t i = 0; i < chunk->n; i++) {
        uint32_t feature = (chunk->first + i) * chunk->per;
        if (feature >= level->options->features) break;
        const uint32_t *own = cells + i * chunk->size;
        if (chunk->per > 1) search_joint(level, own, totals, n, feature, best);
        else search_bins(level, own, totals, n, feature, best);
    }
    if (best->candidate != before.candidate) ct_pixel_fill_inside(level, chunk, cells, leaf);
}
