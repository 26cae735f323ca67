#include "base/compact.h"

#include "evolve/gmt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evolve/gmt_result.h"
#include "evolve/offload/cost.h"

enum { STREAM_SAMPLE = 0x73616d70, STREAM_LAST = 0x6c617374, ROUNDS = 50, PROOFS = 10, EVERY = 8 };

/* Relative differences of lambda that count as none. */
static const double SAME_PRICE = 1e-3;

typedef struct {
    const ct_gmt_model_data *data;
    const ct_gmt_options *options;
    ct_gmt *gmt;
    ct_model_table table, sample, binned;
    ct_kd_tree kd;
    ct_kd_device *device;               /* has the k-d tree; NULL: the CPU alone */
    ct_model_tree tree, small, evolved; /* of all rows, of the sample, of the k-d tree */
    ct_local local;
    ct_kick_history history;
    ct_halt halt;
    double start;
    int out_of_time;
    uint32_t kicks; /* last reported */
    double bic;
    ct_status status; /* of the whole search */
    ct_error *error;
} running;

/* ---- stops ---- */

static int check_end(void *data)
{
    running *run = (running *) data;
    const ct_gmt_options *o = run->options;
    if (o->report) o->report(o->calls, ct_seconds() - run->start, run->kicks, run->bic);
    if (ct_seconds() - run->start >= o->time_limit) run->out_of_time = 1;
    return run->out_of_time || (o->stop && o->stop(o->calls));
}

static void note_kicks(void *data, uint32_t kicks, double bic)
{
    running *run = (running *) data;
    run->kicks = kicks;
    run->bic = bic;
}

/* ---- the search ---- */

/* Draws one row of each of `sample` ranges of equal length: spread over the data, whatever their
 * order. */
static ct_status draw_sample(running *run, ct_error *error)
{
    CT_ASSERT(run->options->sample > 0 && run->options->sample <= run->data->n_rows);
    uint32_t n = run->data->n_rows, size = run->options->sample;
    uint32_t *rows = (uint32_t *) ct_alloc(size * sizeof *rows);
    ct_rng rng = ct_rng_of(run->options->seed, STREAM_SAMPLE, 0);
    if (!rows) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (uint32_t i = 0; i < size; i++) {
        uint32_t begin = (uint32_t) ((uint64_t) n * i / size),
                 end = (uint32_t) ((uint64_t) n * (i + 1) / size);
        rows[i] = begin + ct_rng_below(&rng, end - begin);
    }
    ct_status status = ct_gmt_model_table_take(&run->sample, &run->table, rows, size,
                                               run->options->bins, error);
    ct_free(rows);
    return status;
}

static ct_kick_options search_options(running *run)
{
    const ct_gmt_options *o = run->options;
    ct_kick_options options = {.effort = o->effort, .patience = o->patience,
                               .population = o->mode == CT_GMT_LOCAL ? 1 : o->population,
                               .max_rows = o->max_rows < 9e18 ? (int64_t) o->max_rows : INT64_MAX,
                               .open_max = o->open_max, .seed = o->seed, .threads = o->threads,
                               .without = o->without, .halt = &run->halt, .report = note_kicks,
                               .calls = run};
    return options;
}

static ct_status search(running *run, ct_model_tree *tree, ct_error *error)
{
    ct_kick_options options = search_options(run);
    return ct_gmt_search_tree(tree, &run->options->limits, &options, &run->history, error);
}

static ct_status polish(running *run, int *clean, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    ct_rng rng = ct_rng_of(o->seed, STREAM_LAST, run->local.shift_only != 0);
    for (int round = 0; round < ROUNDS; round++) {
        double before = ct_gmt_tree_bic(&run->tree, o->limits.complexity),
               lambda = ct_gmt_tree_lambda(&run->tree, o->limits.complexity);
        ct_gmt_mark_all(&run->tree);
        CT_TRY(ct_gmt_local_search(&run->local, &run->tree, lambda, UINT32_MAX, UINT32_MAX, &rng,
                                   clean, error));
        run->gmt->lambda = lambda;
        run->history.touched += run->local.touched;
        run->local.touched = 0;
        if (!*clean || !(ct_gmt_tree_bic(&run->tree, o->limits.complexity) < before) ||
            ct_gmt_tree_lambda(&run->tree, o->limits.complexity) > (1 - SAME_PRICE) * lambda)
            break;
    }
    return CT_OK;
}

/* Takes over the tree that was found on other rows. */
static void use_tree(running *run, const ct_model_tree *found)
{
    const ct_tree_limits *limits = &run->options->limits;
    ct_gmt_model_tree_graft(&run->tree, 0, found, 0);
    ct_gmt_model_tree_refresh(&run->tree, 0, limits);
}

static ct_status search_sample(running *run, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    CT_TRY(draw_sample(run, error));
    CT_TRY(ct_gmt_model_tree_init(&run->small, &run->sample, ct_gram_at(o->simd),
                                  o->limits.leaves_max, 1, error));
    CT_TRY(search(run, &run->small, error));
    use_tree(run, &run->small);
    return CT_OK;
}

/* Marks the splitters of a local optimum on a sample, which evolution is likely to use. */
static ct_status expect_splitters(running *run, uint8_t *along, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    uint32_t n_splits = 0;
    if (run->data->n_rows > o->sample) {
        ct_kick_options options = search_options(run);
        ct_kick_history history = {.start = run->start};
        options.effort = 0;
        options.population = 1;
        CT_TRY(draw_sample(run, error));
        CT_TRY(ct_gmt_model_tree_init(&run->small, &run->sample, ct_gram_at(o->simd),
                                      o->limits.leaves_max, 1, error));
        CT_TRY(ct_gmt_search_tree(&run->small, &o->limits, &options, &history, error));
        for (uint32_t i = 0; i < run->small.room; i++) {
            const ct_model_node *node = &run->small.nodes[i];
            if (!node->used || node->test.splitter < 0) continue;
            along[node->test.splitter] = 1;
            n_splits++;
        }
    }
    if (!n_splits) memset(along, 1, run->data->n_splitters);
    return CT_OK;
}

/* ---- the device ---- */

static ct_status open_device(running *run, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    /* patience may run twice before the search ends */
    const double generations = fmin(o->effort, 2.0 * o->patience);
    const ct_gpu_cost cost = ct_evolve_cost_of(&run->kd, o->population, generations, o->threads);
    ct_error why = {CT_OK, ""};
    if (!ct_gpu_wants(&o->device, &cost, &run->gmt->device)) return CT_OK;
    if (ct_gmt_kd_device_open(ct_gpu_number(&o->device), &run->kd, o->threads, &run->device,
                              &why) != CT_OK)
        return ct_gpu_without(&o->device, &why, &run->gmt->device, error);
    ct_gpu_done(&o->device, &run->gmt->device);
    return CT_OK;
}

/* Closes the device, and notes what it did and whether it failed. */
static ct_status close_device(running *run, ct_error *error)
{
    ct_gmt *gmt = run->gmt;
    ct_status status = CT_OK;
    if (!run->device) return CT_OK;
    gmt->device_answers = ct_gmt_kd_device_answers(run->device);
    gmt->device_batches = ct_gmt_kd_device_batches(run->device);
    if (ct_gmt_kd_device_is_lost(run->device)) {
        ct_gpu_used *used = &gmt->device;
        snprintf(used->note, sizeof used->note, "the device failed: %.200s",
                 ct_gmt_kd_device_why(run->device));
        if (run->options->device.wish == CT_ON_CUDA)
            status = ct_fail(error, CT_NO_DEVICE, "%s: %s", used->name, used->note);
    }
    ct_gmt_kd_device_close(run->device);
    run->device = NULL;
    return status;
}

/* ---- all of the search ---- */

static ct_status evolve_trees(running *run, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    ct_kick_options options = search_options(run);
    ct_paper_options paper = o->paper;
    CT_TRY(open_device(run, error));
    paper.device = run->device;
    paper.needs_device = o->device.wish == CT_ON_CUDA;
    ct_status status = ct_evolve_tree(&run->kd, &run->evolved, &o->limits, &options, &paper,
                                      &run->history, error);
    ct_status after = close_device(run, status == CT_OK ? error : NULL);
    return status == CT_OK ? after : status;
}

static ct_status evolve_all(running *run, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    uint8_t *along = (uint8_t *) ct_alloc_zeroed(run->data->n_splitters + 1, 1);
    if (!along) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    ct_status status = expect_splitters(run, along, error);
    if (status == CT_OK)
        status = ct_gmt_kd_init(&run->kd, &run->table, ct_gram_at(o->simd), along, error);
    ct_free(along);
    if (status != CT_OK) return status;
    CT_TRY(ct_gmt_kd_model_tree(&run->kd, &run->evolved, o->limits.leaves_max, error));
    CT_TRY(evolve_trees(run, error));
    use_tree(run, &run->evolved);
    run->gmt->certified = 0;
    run->gmt->lambda = ct_gmt_tree_lambda(&run->tree, o->limits.complexity);
    return CT_OK;
}

static ct_status search_all(running *run, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    int clean;
    /* with many rows more bins pay, since fewer of them are opened */
    CT_TRY(ct_gmt_model_table_init(&run->table, run->data,
                                   run->data->n_rows > o->sample ? CT_MODEL_BINS : o->bins,
                                   o->threads, error));
    CT_TRY(ct_gmt_model_tree_init(&run->tree, &run->table, ct_gram_at(o->simd),
                                  o->limits.leaves_max, o->threads ? o->threads : 1, error));
    if (o->mode == CT_GMT_PAPER) return evolve_all(run, error);
    CT_TRY(run->data->n_rows > o->sample ? search_sample(run, error)
                                         : search(run, &run->tree, error));
    CT_TRY(ct_gmt_local_init(&run->local, &run->tree, &o->limits, o->threads ? o->threads : 1,
                             error));
    run->local.halt = &run->halt;
    run->local.without = o->without;
    run->local.undo.threads = run->local.trial.threads = run->local.threads;
    if (run->data->n_rows > o->sample) {
        /* first the thresholds that the sample has found, so that rows close to these are not split
         * off */
        run->local.shift_only = 1;
        CT_TRY(polish(run, &clean, error));
        run->local.shift_only = 0;
    }
    CT_TRY(polish(run, &run->gmt->certified, error));
    return CT_OK;
}

/* ---- the proof ---- */

/* Grows the tests of an optimum below a leaf, from number `at` on. */
static void plant(ct_model_tree *tree, int32_t leaf, const ct_gmt_test *tests, uint32_t at)
{
    if (at >= CT_OPTIMUM_TESTS || tests[at].splitter < 0) return;
    if (!ct_gmt_model_tree_expand(tree, leaf, &tests[at])) return;
    plant(tree, tree->nodes[leaf].left, tests, 2 * at + 1);
    plant(tree, tree->nodes[leaf].right, tests, 2 * at + 2);
}

static double cost_at(const ct_model_tree *tree, double lambda)
{
    return ct_penalised(tree->sse, tree->terms, tree->n_leaves, lambda);
}

/* Proves the tree optimal at one lambda. *better: a better tree was found, which replaces it. */
static ct_status prove_once(running *run, const ct_model_table *binned, int *better,
                            ct_error *error)
{
    const ct_gmt_options *o = run->options;
    ct_gmt_proof *proof = &run->gmt->proof;
    ct_optimum found;
    proof->lambda = run->gmt->lambda;
    const ct_optimum_options options = {
        .depth = o->prove, .minbucket = o->limits.minbucket, .min_n = o->limits.min_n,
        .lambda = proof->lambda, .known = cost_at(&run->tree, proof->lambda),
        .without = o->prove_without, .threads = o->threads ? o->threads : 1, .halt = &run->halt};
    CT_TRY(ct_gmt_optimum_search(binned, ct_gram_at(o->simd), &options, &found, error));
    proof->complete = found.complete;
    proof->bound = found.bound;
    proof->solved += found.solved;
    proof->touched += (double) found.touched;
    *better = found.better;
    if (!found.better) return CT_OK;
    ct_gmt_model_tree_collapse(&run->tree, 0);
    plant(&run->tree, 0, found.tests, 0);
    ct_gmt_model_tree_refresh(&run->tree, 0, &o->limits);
    return CT_OK;
}

/* Proves the tree. A better tree is polished like any other, which may change lambda: then that is
 * proven again. */
static ct_status prove(running *run, ct_error *error)
{
    const ct_gmt_options *o = run->options;
    ct_gmt_proof *proof = &run->gmt->proof;
    const ct_model_table *binned = &run->table;
    const double start = ct_seconds();
    int better = 1;
    proof->depth = o->prove;
    proof->bins = o->bins;
    proof->lambda = run->gmt->lambda;
    if (run->data->n_rows > o->sample) {
        /* with the number of bins of the options */
        CT_TRY(ct_gmt_model_table_join(&run->binned, &run->table, o->bins, error));
        binned = &run->binned;
    }
    for (int round = 0; better && round < PROOFS && !ct_halt_now(&run->halt, 0); round++) {
        CT_TRY(prove_once(run, binned, &better, error));
        if (better) CT_TRY(polish(run, &run->gmt->certified, error));
    }
    proof->cost = cost_at(&run->tree, proof->lambda);
    const double above = proof->cost - proof->bound,
                 slack = 2 * ct_gmt_optimum_slack(&run->table, proof->cost);
    proof->gap = above > slack ? above / proof->cost : 0;
    proof->seconds = ct_seconds() - start;
    return CT_OK;
}

/* ---- the result ---- */

/* Converts results from the scaled response to the response: SSE by a factor, BIC by n times its
 * logarithm. */
static void scale_back(running *run)
{
    ct_gmt *gmt = run->gmt;
    const ct_gmt_node_models *models = &gmt->models;
    double deviance = 0, size = -1, n = run->data->n_rows,
           complexity = run->options->limits.complexity;
    for (uint32_t i = 0; i < models->n_nodes; i++) {
        if (gmt->forest.left[i]) continue;
        deviance += models->deviance[i];
        size += models->rank[i] + 1;
    }
    gmt->bic = n * log(deviance / n) + complexity * log(n) * size;
    double square = run->table.unit;
    gmt->lambda *= square;
    gmt->proof.lambda *= square;
    gmt->proof.cost *= square;
    gmt->proof.bound *= square;
    for (uint32_t i = 0; i < run->history.n; i++) {
        ct_gmt_moment *moment = &gmt->moments[i];
        double rows = run->data->n_rows > run->options->sample && run->options->mode != CT_GMT_PAPER
                          ? run->options->sample
                          : n;
        moment->sse *= square;
        moment->bic += rows * log(square);
    }
    gmt->n_moments = run->history.n;
    gmt->kicks = run->history.kicks;
    gmt->touched = run->history.touched;
    gmt->seconds = ct_seconds() - run->start;
    gmt->end = run->out_of_time                                ? CT_GMT_TIME
               : run->halt.stopped                             ? CT_GMT_INTERRUPTED
               : (double) gmt->touched >= run->options->max_rows ? CT_GMT_ROWS
                                                               : CT_GMT_DONE;
}

static ct_status run_steps(running *run, ct_error *error)
{
    ct_gmt *gmt = run->gmt;
    run->history.room = run->options->effort + 2;
    gmt->moments = (ct_gmt_moment *) ct_alloc(run->history.room * sizeof *gmt->moments);
    if (!gmt->moments) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    run->history.moments = gmt->moments;
    CT_TRY(search_all(run, error));
    if (run->options->prove) CT_TRY(prove(run, error));
    CT_TRY(ct_gmt_write(run->data, &run->tree, run->options->threads, gmt, error));
    scale_back(run);
    return CT_OK;
}

static void run_task(void *data)
{
    running *run = (running *) data;
    run->status = run_steps(run, run->error);
}

static ct_status run_all(running *run, ct_error *error)
{
    run->error = error;
    ct_with_crew(run->options->threads, run_task, run);
    return run->status;
}

static int paper_is_sound(const ct_gmt_options *o)
{
    const ct_paper_options *paper = &o->paper;
    return o->mode != CT_GMT_PAPER ||
           (paper->crossover >= 0 && paper->crossover <= 1 && paper->mutation >= 0 &&
            paper->mutation <= 1 && paper->pressure >= 1 && paper->pressure <= 2 &&
            paper->elite <= o->population);
}

static ct_status check_options(const ct_gmt_options *o, ct_error *error)
{
    if (o->limits.leaves_max < 1 || o->limits.leaves_max > CT_GMT_LEAVES ||
        o->limits.depth_max > CT_GMT_DEPTH || o->limits.minbucket < 1 || o->bins < 2 ||
        o->bins > CT_MODEL_BINS || o->sample < 1 || o->open_max < 1 || o->effort > 1000000 ||
        !(o->limits.complexity >= 0) || !(o->paper.alpha >= 0) ||
        (o->mode != CT_GMT_LOCAL && (o->population < 2 || o->population > 10000)) ||
        (o->mode != CT_GMT_PAPER && o->device.wish > CT_ON_AUTO) || !paper_is_sound(o) ||
        !ct_cpu_has(o->simd))
        return ct_fail(error, CT_BAD_INPUT, "an option is out of range");
    return CT_OK;
}

/* Whether a proof for trees of that depth and bins is feasible. */
static ct_status check_proof(const ct_gmt_model_data *data, const ct_gmt_options *o,
                             ct_error *error)
{
    const double pairs = (o->bins + 1.0) * (o->bins + 1.0),
                 bytes = pairs * (double) ct_gram_size(data->n_regressors + 2) * sizeof(double);
    if (!o->prove) return CT_OK;
    if (o->prove < 2 || o->prove > CT_OPTIMUM_DEPTH || o->mode == CT_GMT_PAPER ||
        o->limits.depth_max != o->prove || o->limits.leaves_max < 1u << o->prove)
        return ct_fail(error, CT_BAD_INPUT, "an option is out of range");
    for (uint32_t s = 0; s < data->n_splitters; s++)
        if (data->n_levels[s] > CT_CANDIDATE_LEVELS)
            return ct_fail(error, CT_BAD_INPUT,
                           "splitter %u has %u levels, but a proof goes through at most %d", s + 1,
                           data->n_levels[s], (int) CT_CANDIDATE_LEVELS);
    if (bytes > 4e9)
        return ct_fail(error, CT_BAD_INPUT,
                       "a proof for %u regressors and %u bins needs %.0f GB of memory",
                       data->n_regressors, o->bins, bytes / 1e9);
    return CT_OK;
}

ct_status ct_gmt_fit(const ct_gmt_model_data *data, const ct_gmt_options *options, ct_gmt *gmt,
                     ct_error *error)
{
    memset(gmt, 0, sizeof *gmt);
    CT_TRY(check_options(options, error));
    CT_TRY(ct_gmt_model_data_check(data, error));
    CT_TRY(check_proof(data, options, error));
    running run = {.data = data, .options = options, .gmt = gmt, .bic = NAN,
                   .start = ct_seconds()};
    run.history.start = run.start;
    run.halt = (ct_halt){check_end, &run, 0, 0};
    snprintf(gmt->device.name, sizeof gmt->device.name, "cpu");
    ct_status status = run_all(&run, error);
    ct_gmt_model_table_free(&run.binned);
    ct_gmt_local_free(&run.local);
    ct_gmt_model_tree_free(&run.tree);
    ct_gmt_model_tree_free(&run.small);
    ct_gmt_model_tree_free(&run.evolved);
    ct_gmt_kd_free(&run.kd);
    ct_gmt_model_table_free(&run.sample);
    ct_gmt_model_table_free(&run.table);
    return status;
}

void ct_gmt_free(ct_gmt *gmt)
{
    ct_forest_free(&gmt->forest);
    ct_gmt_node_models_free(&gmt->models);
    ct_free(gmt->where), ct_free(gmt->learned), ct_free(gmt->dropped), ct_free(gmt->moments);
    memset(gmt, 0, sizeof *gmt);
}
