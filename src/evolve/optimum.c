#include "evolve/optimum.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Bytes for the cross tables of pairs; rows of a bin for each coefficient of a tree of depth two
 * that make it worth a bound. */
enum { CELLS = 1 << 27, MIDDLE_ROWS = 3 };

/* Candidates of a root splitter, each with a larger left side than the one before: 1 .. n, and the
 * ends 0 and n + 1. */
typedef struct {
    uint32_t splitter, first, n;
    double *left, *right; /* [n + 2] bounds of the sides, where they are known */
} chain;

/* The candidates between a and b. */
typedef struct {
    uint32_t chain, a, b;
    int has_middle;
    double bound;
} interval;

typedef struct {
    const ct_model_table *table;
    const ct_optimum_options *options;
    ct_pairs *pairs;
    ct_optimum *found;
    ct_gmt_candidates *splits; /* [n_splitters] of all rows */
    chain *chains;
    double *bounds; /* the bounds of all chains */
    interval *open;
    uint32_t n_chains, n_open;
    uint32_t *width; /* [n_splitters] groups taken together for the middle; 0: too many */
    double *middle;  /* [n_splitters][CT_CANDIDATE_GROUPS] by the first of them; -1: not known */
    uint32_t *rows;  /* [n_rows] */
    int stopped;
} proving;

/* ---- costs ---- */

double ct_gmt_optimum_slack(const ct_model_table *table, double cost)
{
    return 1e-9 * cost + 1e-11 * table->total;
}

/* The cost that a tree must be below to be better. */
static double to_beat(const proving *all)
{
    double cost = all->found->cost;
    return isinf(cost) ? cost : cost - ct_gmt_optimum_slack(all->table, cost);
}

static int solve(proving *all, uint32_t n, double lambda, ct_depth_two *answer)
{
    int done;
    all->found->solved++;
    all->found->touched += n;
    ct_gmt_depth_two_solve(all->pairs, all->rows, n, lambda, all->options->minbucket,
                           all->options->min_n, all->options->halt, answer, &done);
    if (!done) all->stopped = 1;
    return done;
}

/* ---- sets of rows ---- */

static uint32_t rows_of_side(proving *all, const chain *c, uint32_t k, int right)
{
    const ct_gmt_candidates *splits = &all->splits[c->splitter];
    const uint8_t *bin = splits->splitter->bin;
    uint8_t here[CT_CANDIDATE_GROUPS] = {0};
    uint32_t n = 0;
    for (uint32_t group = 0; group < splits->n_groups; group++)
        here[splits->bin[group]] = ct_gmt_candidate_is_left(splits, c->first + k - 1, group) !=
                                   right;
    for (uint32_t row = 0; row < all->table->n_rows; row++) {
        all->rows[n] = row;
        n += here[bin[row]];
    }
    return n;
}

static uint32_t rows_of_groups(proving *all, uint32_t splitter, uint32_t begin, uint32_t end)
{
    const ct_gmt_candidates *splits = &all->splits[splitter];
    const uint8_t *bin = splits->splitter->bin;
    const uint32_t first = splits->bin[begin], last = splits->bin[end - 1];
    uint32_t n = 0;
    for (uint32_t row = 0; row < all->table->n_rows; row++) {
        all->rows[n] = row;
        n += bin[row] >= first && bin[row] <= last;
    }
    return n;
}

/* ---- bounds ---- */

/* The least SSE of trees of depth two for some groups; -1 if it was stopped. */
static double sse_of_groups(proving *all, uint32_t splitter, uint32_t begin, uint32_t end)
{
    double *known = &all->middle[(size_t) splitter * CT_CANDIDATE_GROUPS + begin];
    ct_depth_two answer;
    if (*known >= 0) return *known;
    uint32_t n = rows_of_groups(all, splitter, begin, end);
    if (!solve(all, n, 0, &answer)) return -1;
    *known = answer.bound;
    return *known;
}

static double middle_bound(proving *all, const interval *open)
{
    const chain *c = &all->chains[open->chain];
    const ct_gmt_candidates *splits = &all->splits[c->splitter];
    const uint32_t width = all->width[c->splitter],
                   end = open->b < splits->n_values ? open->b : splits->n_values;
    double sum = 0, largest = 0;
    for (uint32_t begin = (open->a + width - 1) / width * width; begin + width <= end;
         begin += width) {
        double sse = sse_of_groups(all, c->splitter, begin, begin + width);
        if (sse < 0) return 0;
        sum += sse;
        largest = fmax(largest, sse);
    }
    return width > 1 ? sum - largest : sum;
}

static void push(proving *all, uint32_t number, uint32_t a, uint32_t b)
{
    const chain *c = &all->chains[number];
    double bound = all->options->lambda;
    if (b - a < 2) return;
    if (!(all->options->without & CT_OPTIMUM_SIDES)) bound += c->left[a] + c->right[b];
    interval open = {number, a, b,
                     (all->options->without & CT_OPTIMUM_MIDDLE) || !all->width[c->splitter],
                     bound};
    all->open[all->n_open++] = open;
}

/* ---- the search ---- */

/* The tree of a root and what is below its sides is the best, if it is better. */
static void take_tree(proving *all, double cost, const ct_gmt_test *root, const ct_depth_two *left,
                      const ct_depth_two *right)
{
    ct_optimum *found = all->found;
    if (!(cost < to_beat(all))) return;
    found->cost = cost;
    found->better = 1;
    found->tests[0] = *root;
    for (int i = 0; i < 3; i++) {
        /* the roots of both sides are nodes 1 and 2, their children nodes 3 to 6 */
        found->tests[i ? 2 + i : 1] = left->tests[i];
        found->tests[i ? 4 + i : 2] = right->tests[i];
    }
}

/* Solves a candidate, and opens what is on either side of it. */
static void halve(proving *all, interval open)
{
    chain *c = &all->chains[open.chain];
    const uint32_t middle = open.a + (open.b - open.a) / 2;
    ct_depth_two sides[2];
    double cost = all->options->lambda;
    for (int right = 0; right < 2; right++) {
        uint32_t n = rows_of_side(all, c, middle, right);
        if (!solve(all, n, all->options->lambda, &sides[right])) return;
        cost += sides[right].cost;
    }
    ct_gmt_test root = ct_gmt_candidate_test(&all->splits[c->splitter], (int32_t) c->splitter,
                                             c->first + middle - 1);
    c->left[middle] = sides[0].bound;
    c->right[middle] = sides[1].bound;
    take_tree(all, cost, &root, &sides[0], &sides[1]);
    push(all, open.chain, open.a, middle);
    push(all, open.chain, middle, open.b);
}

/* Always halves the interval of the least bound, which is then a bound of the whole problem. */
static void search_roots(proving *all)
{
    const int all_looked_at = (all->options->without & CT_OPTIMUM_KNOWN) != 0;
    while (all->n_open) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < all->n_open; i++)
            if (all->open[i].bound < all->open[least].bound) least = i;
        interval open = all->open[least];
        all->found->bound = fmin(open.bound, to_beat(all));
        if (open.bound >= to_beat(all) && !all_looked_at) break;
        if (!open.has_middle && open.a > 0) {
            all->open[least].has_middle = 1;
            all->open[least].bound += middle_bound(all, &open);
        } else {
            all->open[least] = all->open[--all->n_open];
            halve(all, open);
        }
        if (all->stopped) return;
    }
    all->found->bound = to_beat(all);
    all->found->complete = 1;
}

static void set_chains(proving *all)
{
    double *bounds = all->bounds;
    const double coefficients = 4.0 * (all->table->p - 1);
    for (uint32_t s = 0; s < all->table->n_splitters; s++) {
        const ct_gmt_candidates *splits = &all->splits[s];
        uint32_t n_runs = splits->splitter->n_levels ? splits->n : splits->missing ? 2 : 1;
        for (uint32_t run = 0; run < n_runs && splits->n; run++) {
            uint32_t second = ct_first_missing_left(splits);
            chain c = {s, run, 1, bounds, bounds};
            if (!splits->splitter->n_levels) {
                c.first = run ? second : 0;
                c.n = run ? splits->n - second : second;
            }
            if (!c.n) continue;
            c.right += c.n + 2;
            bounds = c.right + c.n + 2;
            c.left[0] = c.right[c.n + 1] = 0;
            all->chains[all->n_chains++] = c;
        }
        uint32_t width = 1, n_values = splits->n_values;
        while (width < n_values && all->table->n_rows / (double) n_values * width <
                                       MIDDLE_ROWS * coefficients)
            width *= 2;
        all->width[s] = splits->splitter->n_levels || 4 * width > n_values ? 0 : width;
    }
    for (uint32_t i = 0; i < all->n_chains; i++) push(all, i, 0, all->chains[i].n + 1);
}

static void prove(proving *all)
{
    ct_depth_two best;
    const ct_model_table *table = all->table;
    for (uint32_t row = 0; row < table->n_rows; row++) all->rows[row] = row;
    for (uint32_t s = 0; s < table->n_splitters; s++)
        ct_gmt_candidates_init(&all->splits[s], &table->splitters[s], all->rows, table->n_rows);
    if (!solve(all, table->n_rows, all->options->lambda, &best)) return;
    if (best.cost < to_beat(all)) {
        all->found->cost = best.cost;
        all->found->better = 1;
        memcpy(all->found->tests, best.tests, sizeof best.tests);
    }
    if (all->options->depth == 2) {
        all->found->bound = best.cost;
        all->found->complete = 1;
        return;
    }
    if (table->n_rows >= all->options->min_n) set_chains(all);
    search_roots(all);
}

/* ---- memory ---- */

static int get_memory(proving *all, const ct_gram_kernels *kernels)
{
    const ct_model_table *table = all->table;
    const size_t q = table->n_splitters + 1;
    size_t n_candidates = 1;
    for (uint32_t s = 0; s < table->n_splitters; s++)
        n_candidates += table->splitters[s].n_levels ? 1u << table->splitters[s].n_levels
                                                     : 2 * (table->splitters[s].n_bins + 1);
    all->pairs = ct_gmt_pairs_new(table, kernels, all->options->threads, CELLS);
    all->splits = (ct_gmt_candidates *) ct_alloc(q * sizeof *all->splits);
    all->chains = (chain *) ct_alloc(n_candidates * sizeof *all->chains);
    all->bounds = (double *) ct_alloc(6 * n_candidates * sizeof *all->bounds);
    all->open = (interval *) ct_alloc(2 * n_candidates * sizeof *all->open);
    all->width = (uint32_t *) ct_alloc(q * sizeof *all->width);
    all->middle = (double *) ct_alloc(q * CT_CANDIDATE_GROUPS * sizeof *all->middle);
    all->rows = (uint32_t *) ct_alloc(table->n_rows * sizeof *all->rows);
    if (!all->pairs || !all->splits || !all->chains || !all->bounds || !all->open || !all->width ||
        !all->middle || !all->rows)
        return 0;
    for (size_t i = 0; i < q * CT_CANDIDATE_GROUPS; i++) all->middle[i] = -1;
    return 1;
}

ct_status ct_gmt_optimum_search(const ct_model_table *table, const ct_gram_kernels *kernels,
                                const ct_optimum_options *options, ct_optimum *found,
                                ct_error *error)
{
    CT_ASSERT(options->known >= 0 && table->n_rows > 0 && table->n_splitters > 0);
    proving all = {.table = table, .options = options, .found = found};
    *found = (ct_optimum){.cost = options->known};
    for (int i = 0; i < CT_OPTIMUM_TESTS; i++) found->tests[i].splitter = -1;
    int fine = get_memory(&all, kernels);
    if (fine) prove(&all);
    ct_gmt_pairs_free(all.pairs);
    ct_free(all.splits), ct_free(all.chains), ct_free(all.bounds), ct_free(all.open);
    ct_free(all.width), ct_free(all.middle), ct_free(all.rows);
    return fine ? CT_OK : ct_fail(error, CT_NO_MEMORY, "not enough memory");
}
