#include "evolve/pairs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { AHEAD = 24 }; /* rows that are fetched before they are copied */

/* ---- memory ---- */

static void free_scratch(ct_pair_scratch *d)
{
    ct_free(d->z), ct_free(d->codes), ct_free(d->run), ct_free(d->lanes);
    ct_free(d->sum), ct_free(d->scratch), ct_free(d->run_count), ct_free(d->lane_count);
    for (int quarter = 0; quarter < 4; quarter++)
        ct_free(d->cost[quarter]), ct_free(d->too_few[quarter]);
}

static double *numbers(size_t n)
{
    return (double *) ct_alloc_zeroed(n + 1, sizeof(double));
}

static int new_scratch(ct_pair_scratch *d, const ct_pairs *pairs)
{
    const ct_model_table *table = pairs->table;
    const size_t groups = pairs->most_groups, lanes = CT_GRAM_LANES * table->size,
                 candidates = (size_t) pairs->most_candidates * pairs->most_candidates;
    memset(d, 0, sizeof *d);
    d->z = numbers(CT_PAIRS_BLOCK * table->width);
    d->codes = (uint8_t *) ct_alloc((size_t) CT_PAIRS_BLOCK * table->n_splitters + 1);
    d->run = numbers(groups * table->size);
    d->lanes = numbers(groups * lanes);
    d->sum = numbers(lanes);
    d->scratch = numbers(lanes);
    d->run_count = (uint32_t *) ct_alloc(groups * sizeof *d->run_count);
    d->lane_count = (uint32_t *) ct_alloc_zeroed(groups * CT_GRAM_LANES, sizeof *d->lane_count);
    int fine = d->z && d->codes && d->run && d->lanes && d->sum && d->scratch && d->run_count &&
               d->lane_count;
    for (int quarter = 0; quarter < 4; quarter++) {
        d->cost[quarter] = numbers(candidates);
        d->too_few[quarter] = (uint8_t *) ct_alloc(candidates + 1);
        fine = fine && d->cost[quarter] && d->too_few[quarter];
    }
    return fine;
}

static void set_sizes(ct_pairs *pairs, size_t most)
{
    const ct_model_table *table = pairs->table;
    pairs->most_groups = pairs->most_candidates = 1;
    for (uint32_t s = 0; s < table->n_splitters; s++) {
        const ct_splitter *splitter = &table->splitters[s];
        uint32_t groups = splitter->n_bins + 1,
                 candidates = splitter->n_levels ? 1u << splitter->n_levels : 2 * groups;
        CT_ASSERT(splitter->n_levels <= CT_CANDIDATE_LEVELS);
        if (groups > pairs->most_groups) pairs->most_groups = groups;
        if (candidates > pairs->most_candidates) pairs->most_candidates = candidates;
    }
    size_t pair = (size_t) pairs->most_groups * pairs->most_groups * table->size * sizeof(double);
    pairs->room = most / pair < table->n_splitters ? (uint32_t) (most / pair) : table->n_splitters;
    if (pairs->room < 1) pairs->room = 1;
}

ct_pairs *ct_gmt_pairs_new(const ct_model_table *table, const ct_gram_kernels *kernels,
                           unsigned threads, size_t most)
{
    ct_pairs *pairs = (ct_pairs *) ct_alloc_zeroed(1, sizeof *pairs);
    const uint32_t n_splitters = table->n_splitters;
    if (!pairs) return NULL;
    pairs->table = table;
    pairs->kernels = kernels;
    set_sizes(pairs, most);
    const size_t square = (size_t) pairs->most_groups * pairs->most_groups;
    pairs->codes = (uint8_t *) ct_alloc((size_t) table->n_rows * n_splitters + 1);
    pairs->splits = (ct_gmt_candidates *) ct_alloc((n_splitters + 1) * sizeof *pairs->splits);
    pairs->sorted = (uint32_t *) ct_alloc(table->n_rows * sizeof *pairs->sorted);
    pairs->cells = (double *) ct_alloc(pairs->room * square * table->size * sizeof(double));
    pairs->cell_count = (uint32_t *) ct_alloc(pairs->room * square * sizeof(uint32_t));
    pairs->margin = numbers(pairs->most_groups * table->size);
    pairs->intervals = numbers(2 * (size_t) (pairs->most_groups + 1) * (pairs->most_groups + 1));
    pairs->found = (ct_side_best *) ct_alloc((size_t) pairs->room * 4 * pairs->most_candidates *
                                             sizeof *pairs->found);
    pairs->best = (ct_side_best *) ct_alloc(((size_t) n_splitters + 1) * 2 *
                                            pairs->most_candidates * sizeof *pairs->best);
    pairs->scratches = (ct_pair_scratch *) ct_alloc(threads * sizeof *pairs->scratches);
    int fine = pairs->codes && pairs->splits && pairs->sorted && pairs->cells &&
               pairs->cell_count && pairs->margin && pairs->intervals && pairs->found &&
               pairs->best && pairs->scratches;
    for (; fine && pairs->threads < threads; pairs->threads++)
        fine = new_scratch(&pairs->scratches[pairs->threads], pairs);
    if (!fine) {
        ct_gmt_pairs_free(pairs);
        return NULL;
    }
    for (uint32_t row = 0; row < table->n_rows; row++)
        for (uint32_t s = 0; s < n_splitters; s++)
            pairs->codes[(size_t) row * n_splitters + s] = table->splitters[s].bin[row];
    return pairs;
}

void ct_gmt_pairs_free(ct_pairs *pairs)
{
    if (!pairs) return;
    for (unsigned i = 0; i < pairs->threads; i++) free_scratch(&pairs->scratches[i]);
    ct_free(pairs->codes), ct_free(pairs->splits), ct_free(pairs->sorted), ct_free(pairs->cells);
    ct_free(pairs->cell_count), ct_free(pairs->margin), ct_free(pairs->intervals);
    ct_free(pairs->found), ct_free(pairs->best), ct_free(pairs->scratches), ct_free(pairs);
}

/* ---- sums of rows ---- */

/* The cells of the second splitter `j` with the first one at `group`. */
static size_t cell_of(const ct_pairs *pairs, uint32_t j, uint32_t group)
{
    return ((size_t) (j - pairs->from) * pairs->most_groups + group) * pairs->most_groups;
}

static void copy_rows(const ct_pairs *pairs, ct_pair_scratch *work, const uint32_t *rows,
                      uint32_t n)
{
    const size_t width = pairs->table->width, q = pairs->table->n_splitters;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t later = rows[i + AHEAD < n ? i + AHEAD : i];
        for (size_t k = 0; k < width; k += 8)
            __builtin_prefetch(pairs->table->z + later * width + k);
        __builtin_prefetch(pairs->codes + later * q);
        memcpy(work->z + i * width, pairs->table->z + rows[i] * width, width * sizeof(double));
        memcpy(work->codes + i * q, pairs->codes + rows[i] * q, q);
    }
}

static void add_block(ct_pairs *pairs, ct_pair_scratch *work, uint32_t group, uint32_t n)
{
    uint32_t bucket[CT_PAIRS_BLOCK], all[CT_PAIRS_BLOCK];
    for (uint32_t i = 0; i < n; i++) all[i] = i;
    for (uint32_t j = pairs->from; j < pairs->to; j++) {
        const uint8_t *codes = work->codes + j, *groups = pairs->splits[j].group;
        const size_t cell = cell_of(pairs, j, group);
        for (uint32_t i = 0; i < n; i++) {
            bucket[i] = groups[codes[(size_t) i * pairs->table->n_splitters]];
            pairs->cell_count[cell + bucket[i]]++;
        }
        pairs->kernels->add(pairs->cells + cell * pairs->table->size, bucket, work->z, all, n,
                            pairs->table->p);
    }
}

void ct_gmt_pairs_add(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    ct_pairs *pairs = (ct_pairs *) data;
    ct_pair_scratch *work = &pairs->scratches[worker];
    const size_t size = pairs->table->size;
    for (uint32_t group = (uint32_t) begin; group < end; group++) {
        for (uint32_t j = pairs->from; j < pairs->to; j++) {
            size_t cell = cell_of(pairs, j, group), n = pairs->splits[j].n_groups;
            memset(pairs->cells + cell * size, 0, n * size * sizeof(double));
            memset(pairs->cell_count + cell, 0, n * sizeof(uint32_t));
        }
        for (uint32_t i = pairs->first[group]; i < pairs->first[group + 1]; i += CT_PAIRS_BLOCK) {
            uint32_t left = pairs->first[group + 1] - i,
                     n = left < CT_PAIRS_BLOCK ? left : CT_PAIRS_BLOCK;
            copy_rows(pairs, work, pairs->sorted + i, n);
            add_block(pairs, work, group, n);
        }
    }
}

/* ---- quarters ---- */

/* Both quarters on side `side2` of the second test, for all candidates of the first one and n of
 * the second one, in lanes. */
static void solve_lanes(const ct_pairs *pairs, ct_pair_scratch *work,
                        const ct_gmt_candidates *first, int side2, const uint32_t *candidates,
                        unsigned n, uint32_t n_candidates)
{
    const size_t lanes = CT_GRAM_LANES * pairs->table->size;
    for (int side = 0; side < 2; side++) {
        double *cost = work->cost[2 * side + side2];
        uint8_t *too_few = work->too_few[2 * side + side2];
        uint32_t count[CT_GRAM_LANES] = {0};
        for (uint32_t k = 0; k < first->n_steps[side]; k++) {
            const ct_candidate_step *step = &first->steps[side][k];
            double sse[CT_GRAM_LANES], terms[CT_GRAM_LANES];
            if (step->fresh) memset(work->sum, 0, lanes * sizeof(double));
            if (step->fresh) memset(count, 0, sizeof count);
            pairs->kernels->join_lanes(work->sum, work->lanes + step->group * lanes, work->scratch,
                                       pairs->table->p);
            for (unsigned i = 0; i < n; i++)
                count[i] += work->lane_count[step->group * CT_GRAM_LANES + i];
            if (step->candidate == CT_NO_CANDIDATE) continue;
            pairs->kernels->pivots(work->scratch, pairs->table->p, sse, terms);
            for (unsigned i = 0; i < n; i++) {
                size_t at = (size_t) step->candidate * n_candidates + candidates[i];
                cost[at] = sse[i] + pairs->lambda * terms[i];
                too_few[at] = count[i] < pairs->minbucket;
            }
        }
    }
}

/* One step over the candidates of the second test, in every group of the first one. */
static void walk_second(const ct_pairs *pairs, ct_pair_scratch *work, uint32_t n_groups,
                        size_t cell, const ct_candidate_step *step, unsigned lane)
{
    const size_t size = pairs->table->size;
    for (uint32_t group = 0; group < n_groups; group++) {
        double *run = work->run + group * size,
               *to = work->lanes + group * size * CT_GRAM_LANES + lane;
        const size_t at = cell + (size_t) group * pairs->most_groups + step->group;
        if (step->fresh) memset(run, 0, size * sizeof *run);
        if (step->fresh) work->run_count[group] = 0;
        pairs->kernels->join(run, pairs->cells + at * size, pairs->table->p);
        work->run_count[group] += pairs->cell_count[at];
        if (step->candidate == CT_NO_CANDIDATE) continue;
        for (size_t i = 0; i < size; i++) to[i * CT_GRAM_LANES] = run[i];
        work->lane_count[group * CT_GRAM_LANES + lane] = work->run_count[group];
    }
}

static void solve_quarters(const ct_pairs *pairs, ct_pair_scratch *work, uint32_t j)
{
    const ct_gmt_candidates *first = &pairs->splits[pairs->splitter], *second = &pairs->splits[j];
    for (int side = 0; side < 2; side++) {
        uint32_t candidates[CT_GRAM_LANES];
        unsigned n = 0;
        for (uint32_t k = 0; k < second->n_steps[side]; k++) {
            const ct_candidate_step *step = &second->steps[side][k];
            walk_second(pairs, work, first->n_groups, cell_of(pairs, j, 0), step, n);
            if (step->candidate == CT_NO_CANDIDATE) continue;
            candidates[n++] = step->candidate;
            if (n < CT_GRAM_LANES) continue;
            solve_lanes(pairs, work, first, side, candidates, n, second->n);
            n = 0;
        }
        if (n) solve_lanes(pairs, work, first, side, candidates, n, second->n);
    }
}

/* ---- the best below each side ---- */

static void take_best(ct_pairs *pairs, const ct_pair_scratch *work, uint32_t j)
{
    const uint32_t n1 = pairs->splits[pairs->splitter].n, n2 = pairs->splits[j].n;
    ct_side_best *found = pairs->found + (size_t) (j - pairs->from) * 4 * pairs->most_candidates;
    const ct_side_best none = {INFINITY, INFINITY, -1, 0};
    for (uint32_t i = 0; i < 4 * pairs->most_candidates; i++) found[i] = none;
    for (uint32_t a = 0; a < n1; a++)
        for (uint32_t b = 0; b < n2; b++) {
            const size_t at = (size_t) a * n2 + b;
            for (int side = 0; side < 2; side++) {
                int below = 2 * side, beside = side;
                ct_offer_below(&found[(size_t) side * pairs->most_candidates + a],
                               work->cost[below][at] + work->cost[below + 1][at] + pairs->lambda,
                               work->too_few[below][at] || work->too_few[below + 1][at],
                               (int32_t) j, b);
                ct_offer_below(&found[(size_t) (2 + side) * pairs->most_candidates + b],
                               work->cost[beside][at] + work->cost[beside + 2][at] + pairs->lambda,
                               work->too_few[beside][at] || work->too_few[beside + 2][at],
                               (int32_t) pairs->splitter, a);
            }
        }
    if (j != pairs->splitter) return;
    /* a factor and itself: the same set twice is one split, and leaves */
    for (uint32_t a = 0; a < n1; a++)
        for (int side = 0; side < 2; side++) {
            const size_t at = (size_t) a * n2 + a;
            ct_offer_below(&found[(size_t) side * pairs->most_candidates + a],
                           work->cost[3 * side][at], work->too_few[3 * side][at], -1, 0);
        }
}

void ct_gmt_pairs_solve(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    ct_pairs *pairs = (ct_pairs *) data;
    ct_pair_scratch *work = &pairs->scratches[worker];
    for (uint32_t j = pairs->from + (uint32_t) begin; j < pairs->from + end; j++) {
        if (!pairs->splits[pairs->splitter].n || !pairs->splits[j].n) continue;
        solve_quarters(pairs, work, j);
        take_best(pairs, work, j);
    }
}
