/* What must hold of one small instance exactly, however its search is begun, bounded and stopped:
 * starts, limits of time and memory, caps, gaps, threads and a device that may fail, together,
 * against brute force in whole numbers.
 *
 * Nothing is allowed for where the costs are whole multiples of a power of two and few enough bits
 * for the search to keep them as they are. Beyond, what is allowed is what exact/cost/costs.h
 * promises, by its own formula from the data: the search rounds there. */
#ifndef CT_TEST_INSTANCE_UNITS_H
#define CT_TEST_INSTANCE_UNITS_H

#include "base/clock.h"
#include "brute_units.h"
#include "check.h"
#include "exact/run/worker.h"
#include "gpu/twin.h"
#include "instance.h"
#include "reference.h"

enum { UNIT_FITS = 8, UNIT_NODES = 15, EXACT_BITS = 44 };

/* ---- how a search is begun and stopped ---- */

typedef struct {
    int32_t feature[UNIT_NODES];
    double threshold[UNIT_NODES];
    uint32_t left[UNIT_NODES], right[UNIT_NODES];
    ct_exact_start start;
} random_start;

/* Splits on values of the data, between them and beyond; of any column. */
static inline void draw_start(rng *r, const ct_data *data, random_start *s)
{
    for (uint32_t i = 0; i < UNIT_NODES; i++) {
        uint32_t col = rng_below(r, data->n_cols), row = rng_below(r, data->n_rows),
                 other = rng_below(r, data->n_rows);
        double x = ct_column_value(&data->columns[col], row),
               y = ct_column_value(&data->columns[col], other);
        s->feature[i] = 2 * i + 2 < UNIT_NODES && rng_below(r, 5) ? (int32_t) col : -1;
        s->threshold[i] = rng_below(r, 2) ? x : x / 2 + y / 2;
        s->left[i] = 2 * i + 1;
        s->right[i] = 2 * i + 2;
    }
    s->start = (ct_exact_start){UNIT_NODES, s->feature, s->threshold, s->left, s->right};
}

static inline int stop_after_polls(void *left) { return --*(int *) left < 0; }

/* Any of the limits, with what the instance has of its own. */
static inline ct_exact_options draw_limits(rng *r, const instance *in,
                                           const ct_exact_options *rules, double all)
{
    ct_exact_options o = rng_below(r, 2) ? in->options : *rules;
    o.depth = rules->depth;
    o.complexity = rules->complexity;
    o.any_size = rules->any_size;
    o.min_bucket = rules->min_bucket;
    o.min_split = rules->min_split;
    o.max_thresholds = rules->max_thresholds;
    o.roots = rules->roots;
    o.team_after = 0;
    if (rng_below(r, 2)) o.max_gap = rng_below(r, 3) ? all * rng_unit(r) * rng_unit(r) : 0;
    if (rng_below(r, 3)) o.max_cost = HUGE_VAL;
    if (rng_below(r, 4) == 0) o.time_limit = rng_below(r, 2) ? 0 : rng_unit(r) * 1e-3; /* counted */
    if (rng_below(r, 3)) o.memory_limit = SIZE_MAX;
    if (rng_below(r, 2)) o.device = CT_EXACT_DEVICE_TWIN;
    o.threads = 1 + rng_below(r, 3);
    return o;
}

/* ---- what must hold ---- */

typedef struct {
    unit_brute *b;
    const ct_data *data;
    units optimum;
    units allowed;     /* for what the search may round */
    const units *rooted; /* [col] */
} unit_truth;

/* The cost of the best tree falls to that of the answer, and what is proven rises to its bound. */
static inline void check_history(const unit_truth *truth, const ct_exact_result *result)
{
    const ct_exact_progress *last = &result->history[result->n_history - 1];
    CHECK(last->upper == result->cost && last->lower == result->bound);
    for (uint32_t i = 1; i < result->n_history; i++) {
        const ct_exact_progress *a = &result->history[i - 1], *b = &result->history[i];
        if (!CHECK(a->upper >= b->upper && a->lower <= b->lower && a->lower <= a->upper))
            printf("    moment %u: %.17g .. %.17g, then %.17g .. %.17g\n", i, a->lower, a->upper,
                   b->lower, b->upper);
        CHECK(in_units(truth->b, a->lower) <=
              (long double) truth->optimum + (long double) truth->allowed);
    }
}

static inline void check_in_units(const unit_truth *truth, const ct_exact_options *o,
                                  const ct_exact_result *result)
{
    const unit_brute *b = truth->b;
    units cost = units_of_tree(b, truth->data, &result->tree);
    long double optimum = (long double) truth->optimum, allowed = (long double) truth->allowed;
    long double bound = in_units(b, result->bound), said = in_units(b, result->cost);
    CHECK(cost >= truth->optimum);
    CHECK(fabsl(said - (long double) cost) <=
          allowed + ldexpl((long double) cost, 3 - DBL_MANT_DIG));
    CHECK(bound <= optimum + allowed && bound <= said);
    if (result->end == CT_END_OPTIMAL) CHECK((long double) cost <= optimum + allowed);
    if (result->end == CT_END_GAP)
        CHECK((long double) cost - optimum <= in_units(b, o->max_gap) + allowed &&
              result->cost - result->bound <= o->max_gap);
    if (result->end == CT_END_COST)
        CHECK(optimum + allowed >= in_units(b, o->max_cost) - in_units(b, o->max_gap));
    CHECK(result->end != CT_END_TIME || o->time_limit < HUGE_VAL);
    CHECK(result->end != CT_END_INTERRUPT || o->stop);
    CHECK(result->end != CT_END_MEMORY || o->memory_limit < SIZE_MAX);
    for (uint32_t col = 0; col < truth->data->n_cols; col++)
        if (truth->rooted[col] >= 0)
            CHECK(in_units(b, result->root_bounds[col]) <=
                  (long double) truth->rooted[col] + allowed);
}

static inline void fit_in_units(rng *r, const instance *in, const ct_exact_options *rules,
                                const unit_truth *truth)
{
    random_start start;
    int polls = (int) (rng_next(r) >> (20 + rng_below(r, 12)));
    ct_exact_options o = draw_limits(r, in, rules, dearest_of(truth->data));
    draw_start(r, truth->data, &start);
    if (rng_below(r, 3)) o.start = &start.start;
    if (rng_below(r, 3) == 0) o.stop = stop_after_polls, o.stop_data = &polls;
    if (o.device == CT_EXACT_DEVICE_TWIN && rng_below(r, 2))
        ct_gpu_twin_fail_at(1 + (long) rng_below(r, 40));
    if (o.device == CT_EXACT_DEVICE_TWIN && rng_below(r, 4) == 0)
        ct_gpu_twin_memory(1000 + rng_below(r, 200000));
    if (rng_below(r, 2)) ct_exact_worker_poll_every(1 + (rng_next(r) >> (12 + rng_below(r, 20))));
    ct_alloc_fill((int) rng_below(r, 256));
    ct_clock_step(1e-5);
    ct_exact_result result;
    ct_error error = {CT_OK, ""};
    ct_status status = ct_exact_solve(truth->data, &o, &result, NULL, &error);
    ct_clock_step(0);
    ct_alloc_fill(-1);
    ct_exact_worker_poll_every(0);
    ct_gpu_twin_fail_at(0);
    ct_gpu_twin_memory(SIZE_MAX);
    if (status == CT_NO_MEMORY && o.memory_limit < SIZE_MAX) return;
    int failed = check_state.failed;
    if (CHECK_INT(status, CT_OK)) {
        check_in_units(truth, &o, &result);
        check_history(truth, &result);
        ct_exact_result_free(&result);
    } else {
        printf("    %s\n", error.message);
    }
    if (check_state.failed > failed)
        printf("    %s, threads %u, device %d, gap %g, start %d, cap %u; %d bits\n",
               ct_exact_end_name(result.end), o.threads, (int) o.device, o.max_gap, o.start != NULL,
               o.max_thresholds, truth->b->bits);
}

/* How far the true cost of a tree that is best by rounded costs, or what is said of it, may be from
 * the optimum: of both trees half a unit a row and split, see exact/cost/costs.h. Nothing where all
 * costs together have so few bits that none is rounded. */
static inline units allowed_rounding(const unit_brute *b, const ct_data *data)
{
    int by_label = data->loss && data->weights && data->n_classes > 2;
    if (b->bits <= EXACT_BITS) return 0;
    long double all = in_units(b, dearest_of(data)), each = ldexpl(1, (int) b->options->depth - 58);
    each += ldexpl(1, -50); /* numbers so near to whole ones are taken for these */
    if (by_label) each += ldexpl(1, -21);
    return (units) (all * each * (data->n_rows + 16)) + 1;
}

/* The hash makes the same draws whenever the instance is the same. */
static inline uint64_t hash_of_data(const ct_data *data)
{
    uint64_t hash = data->n_rows * 31 + data->n_cols;
    for (uint32_t row = 0; row < data->n_rows; row++)
        hash = hash * 31 + (uint64_t) data->classes[row];
    return hash * UINT64_C(0x9e3779b97f4a7c15);
}

static inline void check_units(const instance *in, const ct_exact_options *rules)
{
    static unit_brute b;
    random_table capped = table_capped(&in->table, rules->max_thresholds);
    if (in->table.data.n_rows <= UNIT_ROWS && units_begin(&b, &capped.data, rules)) {
        units *rooted = (units *) calloc(capped.data.n_cols, sizeof *rooted);
        unit_truth truth = {&b, &in->table.data, units_optimum(&b, rooted),
                            allowed_rounding(&b, &capped.data), rooted};
        rng r = {hash_of_data(&in->table.data)};
        for (int i = 0; i < UNIT_FITS; i++) fit_in_units(&r, in, rules, &truth);
        free(rooted);
    }
    table_free(&capped);
}

#endif
