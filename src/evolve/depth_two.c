#include "evolve/depth_two.h"

#include <math.h>
#include <string.h>

/* ---- rows by group ---- */

static void sort_rows(ct_pairs *pairs)
{
    const ct_gmt_candidates *splits = &pairs->splits[pairs->splitter];
    uint32_t next[CT_CANDIDATE_GROUPS], group = 0;
    pairs->first[0] = 0;
    for (; group < splits->n_groups; group++) {
        next[group] = pairs->first[group];
        pairs->first[group + 1] = pairs->first[group] + splits->count[group];
    }
    const uint8_t *bin = splits->splitter->bin;
    for (uint32_t i = 0; i < pairs->n; i++)
        pairs->sorted[next[splits->group[bin[pairs->rows[i]]]]++] = pairs->rows[i];
}

/* The sums by group of the first splitter, from cells where they are known. */
static void sum_margin(ct_pairs *pairs)
{
    const ct_gmt_candidates *splits = &pairs->splits[pairs->splitter];
    const size_t size = pairs->table->size;
    memset(pairs->margin, 0, splits->n_groups * size * sizeof(double));
    for (uint32_t group = 0; group < splits->n_groups; group++) {
        double *to = pairs->margin + group * size;
        if (pairs->to == pairs->from) {
            pairs->kernels->sum(to, pairs->table->z, pairs->sorted + pairs->first[group],
                                splits->count[group], pairs->table->p);
            continue;
        }
        const double *cells = pairs->cells + (size_t) group * pairs->most_groups * size;
        for (uint32_t k = 0; k < pairs->splits[pairs->from].n_groups; k++)
            pairs->kernels->join(to, cells + k * size, pairs->table->p);
    }
}

/* ---- a splitter with order, and itself ---- */

/* The cost of one model for groups a .. b - 1, with the rows without a value or not. */
static double *interval_of(const ct_pairs *pairs, int missing, uint32_t a, uint32_t b)
{
    const size_t side = pairs->most_groups + 1;
    return &pairs->intervals[((size_t) (missing != 0) * side + a) * side + b];
}

static void solve_intervals(const ct_pairs *pairs, ct_pair_scratch *work, double *const *to,
                            unsigned n)
{
    double sse[CT_GRAM_LANES], terms[CT_GRAM_LANES];
    pairs->kernels->pivots(work->scratch, pairs->table->p, sse, terms);
    for (unsigned i = 0; i < n; i++) *to[i] = sse[i] + pairs->lambda * terms[i];
}

/* Costs of all intervals that begin at groups begin .. end - 1. */
static void cost_intervals(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    const ct_pairs *pairs = (const ct_pairs *) data;
    const ct_gmt_candidates *splits = &pairs->splits[pairs->splitter];
    const size_t size = pairs->table->size;
    ct_pair_scratch *work = &pairs->scratches[worker];
    double *to[CT_GRAM_LANES];
    unsigned n = 0;
    const int sides = splits->missing ? 2 : 1; /* of the rows without a value */
    for (uint32_t a = (uint32_t) begin; a < end; a++)
        for (int missing = 0; missing < sides; missing++) {
            memset(work->run, 0, size * sizeof(double));
            if (missing)
                memcpy(work->run, pairs->margin + splits->n_values * size, size * sizeof(double));
            for (uint32_t b = a; b <= splits->n_values; b++) {
                if (b > a)
                    pairs->kernels->join(work->run, pairs->margin + (b - 1) * size,
                                         pairs->table->p);
                for (size_t i = 0; i < size; i++)
                    work->scratch[i * CT_GRAM_LANES + n] = work->run[i];
                to[n++] = interval_of(pairs, missing, a, b);
                if (n < CT_GRAM_LANES) continue;
                solve_intervals(pairs, work, to, n);
                n = 0;
            }
        }
    if (n) solve_intervals(pairs, work, to, n);
}

/* Offers an interval as a leaf, and its splits by its own splitter. `before`: rows before each
 * group. */
static void best_within(const ct_pairs *pairs, uint32_t a, uint32_t b, int missing,
                        const uint32_t *before, ct_side_best *best)
{
    const ct_gmt_candidates *splits = &pairs->splits[pairs->splitter];
    const uint32_t absent = missing ? splits->count[splits->n_values] : 0,
                   all = before[b] - before[a] + absent;
    ct_offer_below(best, *interval_of(pairs, missing, a, b), all < pairs->minbucket, -1, 0);
    for (int on_left = 0; on_left <= missing; on_left++)
        for (uint32_t s = a + 1; s < b + (missing && !on_left); s++) {
            const uint32_t left = before[s] - before[a] + (on_left ? absent : 0),
                           right = before[b] - before[s] + (on_left ? 0 : absent);
            const int too_few = left < pairs->minbucket || right < pairs->minbucket ||
                                all < pairs->min_n;
            ct_offer_below(best,
                           *interval_of(pairs, on_left, a, s) +
                               *interval_of(pairs, missing && !on_left, s, b) + pairs->lambda,
                           too_few, (int32_t) pairs->splitter,
                           s - 1 + (on_left ? ct_first_missing_left(splits) : 0));
        }
}

static void split_twice(ct_pairs *pairs, ct_side_best *best)
{
    const ct_gmt_candidates *splits = &pairs->splits[pairs->splitter];
    uint32_t before[CT_CANDIDATE_GROUPS + 1] = {0};
    ct_loop loop = {splits->n_values + 1, 1, CT_DYNAMIC, pairs->threads, cost_intervals, pairs,
                    NULL};
    ct_parallel_for(&loop);
    for (uint32_t group = 0; group < splits->n_values; group++)
        before[group + 1] = before[group] + splits->count[group];
    for (uint32_t candidate = 0; candidate < splits->n; candidate++) {
        int missing_left;
        uint32_t cut = ct_candidate_cut(splits, candidate, &missing_left);
        best_within(pairs, 0, cut, splits->missing && missing_left, before, &best[2 * candidate]);
        best_within(pairs, cut, splits->n_values, splits->missing && !missing_left, before,
                    &best[2 * candidate + 1]);
    }
}

/* ---- all ---- */

static ct_side_best *best_of(const ct_pairs *pairs, uint32_t splitter)
{
    return pairs->best + (size_t) splitter * 2 * pairs->most_candidates;
}

/* `split`: the side has enough rows for a split. */
static void take(ct_side_best *best, const ct_side_best *found, int split)
{
    if (found->bound < best->bound) best->bound = found->bound;
    if ((found->splitter >= 0 && !split) || !(found->cost < best->cost)) return;
    best->cost = found->cost;
    best->splitter = found->splitter;
    best->candidate = found->candidate;
}

/* Whether a side of a candidate has enough rows for a split. */
static int may_split(const ct_pairs *pairs, const ct_gmt_candidates *splits, uint32_t candidate,
                     size_t side)
{
    uint32_t n = 0;
    if (pairs->min_n <= 2 * (uint64_t) pairs->minbucket) return 1;
    for (uint32_t group = 0; group < splits->n_groups; group++)
        if (ct_gmt_candidate_is_left(splits, candidate, group) == (side == 0))
            n += splits->count[group];
    return n >= pairs->min_n;
}

/* What the pairs have found goes to both their splitters. */
static void take_pairs(ct_pairs *pairs)
{
    const size_t n = pairs->most_candidates;
    for (uint32_t j = pairs->from; j < pairs->to; j++) {
        const ct_side_best *found = pairs->found + (j - pairs->from) * 4 * n;
        const ct_gmt_candidates *first = &pairs->splits[pairs->splitter],
                                *second = &pairs->splits[j];
        if (!first->n || !second->n) continue;
        for (size_t side = 0; side < 2; side++) {
            for (uint32_t i = 0; i < first->n; i++)
                take(&best_of(pairs, pairs->splitter)[2 * i + side], &found[side * n + i],
                     may_split(pairs, first, i, side));
            for (uint32_t i = 0; i < second->n && j != pairs->splitter; i++)
                take(&best_of(pairs, j)[2 * i + side], &found[(2 + side) * n + i],
                     may_split(pairs, second, i, side));
        }
    }
}

/* Goes through the pairs of the splitter with itself and with all behind it. */
static int solve_splitter(ct_pairs *pairs, uint32_t splitter, ct_halt *halt)
{
    const ct_gmt_candidates *splits = &pairs->splits[splitter];
    const uint32_t q = pairs->table->n_splitters;
    const int by_level = splits->splitter->n_levels > 0;
    uint32_t from = splitter + !by_level;
    pairs->splitter = splitter;
    sort_rows(pairs);
    do {
        pairs->from = from;
        pairs->to = q - from < pairs->room ? q : from + pairs->room;
        ct_loop add = {splits->n_groups, 1, CT_DYNAMIC, pairs->threads, ct_gmt_pairs_add, pairs,
                       halt};
        if (pairs->to > from) ct_parallel_for(&add);
        if (halt && ct_halt_now(halt, 0)) return 0;
        if (from == splitter + 1 && !by_level) {
            sum_margin(pairs);
            split_twice(pairs, best_of(pairs, splitter));
        }
        ct_loop solve = {pairs->to - from, 1, CT_DYNAMIC, pairs->threads, ct_gmt_pairs_solve, pairs,
                         halt};
        ct_parallel_for(&solve);
        if (halt && ct_halt_now(halt, 0)) return 0;
        take_pairs(pairs);
        from = pairs->to;
    } while (from < q);
    return 1;
}

/* A model of all rows. */
static void solve_leaf(ct_pairs *pairs, ct_depth_two *answer)
{
    const size_t size = pairs->table->size;
    ct_pair_scratch *work = &pairs->scratches[0];
    double cost = INFINITY, *to[1] = {&cost};
    memset(work->run, 0, size * sizeof(double));
    pairs->kernels->sum(work->run, pairs->table->z, pairs->rows, pairs->n, pairs->table->p);
    for (size_t i = 0; i < size; i++) work->scratch[i * CT_GRAM_LANES] = work->run[i];
    solve_intervals(pairs, work, to, 1);
    memset(answer, 0, sizeof *answer);
    for (int i = 0; i < 3; i++) answer->tests[i].splitter = -1;
    answer->bound = cost;
    answer->cost = pairs->n < pairs->minbucket ? INFINITY : cost;
}

static void choose_root(const ct_pairs *pairs, ct_depth_two *answer)
{
    for (uint32_t s = 0; s < pairs->table->n_splitters; s++)
        for (uint32_t candidate = 0; candidate < pairs->splits[s].n; candidate++) {
            const ct_side_best *side = &best_of(pairs, s)[2 * candidate];
            const double bound = side[0].bound + side[1].bound + pairs->lambda,
                         cost = side[0].cost + side[1].cost + pairs->lambda;
            if (bound < answer->bound) answer->bound = bound;
            if (pairs->n < pairs->min_n || !(cost < answer->cost)) continue;
            answer->cost = cost;
            answer->tests[0] = ct_gmt_candidate_test(&pairs->splits[s], (int32_t) s, candidate);
            for (int i = 0; i < 2; i++) {
                const int32_t child = side[i].splitter;
                if (child >= 0)
                    answer->tests[1 + i] = ct_gmt_candidate_test(&pairs->splits[child], child,
                                                                 side[i].candidate);
                else answer->tests[1 + i].splitter = -1;
            }
        }
}

void ct_gmt_depth_two_solve(ct_pairs *pairs, const uint32_t *rows, uint32_t n, double lambda,
                            uint32_t minbucket, uint32_t min_n, ct_halt *halt, ct_depth_two *answer,
                            int *done)
{
    const ct_side_best none = {INFINITY, INFINITY, -1, 0};
    CT_ASSERT(n > 0 && n <= pairs->table->n_rows && lambda >= 0);
    pairs->rows = rows;
    pairs->n = n;
    pairs->lambda = lambda;
    pairs->minbucket = minbucket;
    pairs->min_n = min_n;
    solve_leaf(pairs, answer);
    for (uint32_t s = 0; s < pairs->table->n_splitters; s++) {
        ct_gmt_candidates_init(&pairs->splits[s], &pairs->table->splitters[s], rows, n);
        for (uint32_t i = 0; i < 2 * pairs->splits[s].n; i++) best_of(pairs, s)[i] = none;
    }
    *done = 1;
    for (uint32_t s = 0; s < pairs->table->n_splitters && *done; s++)
        if (pairs->splits[s].n) *done = solve_splitter(pairs, s, halt);
    if (*done) choose_root(pairs, answer);
}
