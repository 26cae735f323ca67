/* libFuzzer: ct_exact_solve with any data and options. It refuses with a message, or its answer is
 * that of brute.h, and of brute_units.h where the numbers are such that nothing need be rounded. */
#include "../exact/brute.h"
#include "fuzz_api.h"
#include "../exact/instance_units.h"

enum { MOST_ROWS = 10, MOST_COLS = 3, MOST_CLASSES = 4, MOST_NODES = 7 };

/* All that a call borrows. The arrays are as large as the largest sound sizes; larger sizes must be
 * refused unread, which cannot be said of numbers of rows: a caller has to have them. */
typedef struct {
    double values[MOST_COLS][MOST_ROWS], weights[MOST_ROWS], loss[MOST_CLASSES * MOST_CLASSES],
        threshold[MOST_NODES];
    int32_t integers[MOST_COLS][MOST_ROWS], classes[MOST_ROWS], feature[MOST_NODES];
    uint32_t left[MOST_NODES], right[MOST_NODES];
    uint8_t roots[MOST_COLS];
    ct_column columns[MOST_COLS];
    ct_data data;
    ct_exact_options options;
    ct_exact_start start;
} problem;

static void draw_data(fuzz_bytes *b, problem *p)
{
    p->data.n_rows = fuzz_rarely(b, 40) ? 0 : 1 + fuzz_below(b, MOST_ROWS);
    p->data.n_cols = fuzz_rarely(b, 40) ? 0 : 1 + fuzz_below(b, MOST_COLS);
    p->data.n_classes = fuzz_rarely(b, 40) ? 0 : 1 + fuzz_below(b, MOST_CLASSES);
    for (uint32_t col = 0; col < p->data.n_cols; col++) {
        int integers = fuzz_rarely(b, 4);
        for (uint32_t i = 0; i < p->data.n_rows; i++) {
            if (integers)
                p->integers[col][i] = fuzz_rarely(b, 8) ? (int32_t) fuzz_u32(b)
                                                        : (int32_t) fuzz_below(b, 5);
            else p->values[col][i] = fuzz_double(b);
        }
        if (integers) p->columns[col] = (ct_column){p->integers[col], CT_INT32};
        else p->columns[col] = (ct_column){p->values[col], CT_DOUBLE};
    }
    for (uint32_t i = 0; i < p->data.n_rows; i++)
        p->classes[i] = fuzz_rarely(b, 200)
                            ? (int32_t) fuzz_u32(b)
                            : (int32_t) fuzz_below(b, p->data.n_classes + !p->data.n_classes);
    if (fuzz_rarely(b, 3)) p->data.weights = p->weights;
    if (fuzz_rarely(b, 3)) p->data.loss = p->loss;
    for (uint32_t i = 0; p->data.weights && i < p->data.n_rows; i++) p->weights[i] = fuzz_double(b);
    for (uint32_t i = 0; p->data.loss && i < p->data.n_classes * p->data.n_classes; i++)
        p->loss[i] = i % (p->data.n_classes + 1) || fuzz_rarely(b, 40) ? fuzz_double(b) : 0;
    p->data.columns = p->columns;
    p->data.classes = p->classes;
}

/* Any links: also circles, and columns that are not there. */
static void draw_any_start(fuzz_bytes *b, problem *p)
{
    p->start = (ct_exact_start){fuzz_below(b, MOST_NODES + 1), p->feature, p->threshold, p->left,
                                p->right};
    for (uint32_t i = 0; i < p->start.n_nodes; i++) {
        p->feature[i] = fuzz_rarely(b, 40) ? (int32_t) fuzz_u32(b)
                                           : (int32_t) fuzz_below(b, MOST_COLS + 1) - 1;
        p->threshold[i] = fuzz_double(b);
        p->left[i] = fuzz_rarely(b, 20) ? fuzz_u32(b) : 2 * i + 1;
        p->right[i] = fuzz_rarely(b, 20) ? fuzz_below(b, MOST_NODES) : 2 * i + 2;
    }
    p->options.start = &p->start;
}

static void draw_options(fuzz_bytes *b, problem *p)
{
    static const char *const levels[] = {"auto", "scalar", "", "abacus"};
    ct_exact_options *o = &p->options;
    *o = ct_exact_options_default();
    o->depth = fuzz_rarely(b, 40) ? fuzz_u32(b) : fuzz_below(b, BRUTE_DEPTH + 1);
    if (fuzz_rarely(b, 2))
        o->complexity = fuzz_rarely(b, 4) ? fuzz_any_double(b) : fuzz_below(b, 16) / 64.0;
    if (fuzz_rarely(b, 3)) o->min_bucket = fuzz_size(b, 5);
    if (fuzz_rarely(b, 4)) o->min_split = fuzz_size(b, 8);
    if (fuzz_rarely(b, 6)) o->max_gap = fuzz_double(b);
    if (fuzz_rarely(b, 6)) o->max_cost = fuzz_double(b);
    if (fuzz_rarely(b, 30)) o->time_limit = fuzz_double(b);
    if (fuzz_rarely(b, 8)) o->threads = fuzz_below(b, 4), o->team_after = 0;
    if (fuzz_rarely(b, 20)) o->team_after = fuzz_any_double(b);
    if (fuzz_rarely(b, 8)) o->memory_limit = fuzz_u32(b);
    if (fuzz_rarely(b, 8)) o->plane_budget = fuzz_u32(b);
    if (fuzz_rarely(b, 4)) o->off = fuzz_u32(b);
    if (fuzz_rarely(b, 8)) o->simd = levels[fuzz_below(b, 4)];
    if (fuzz_rarely(b, 4)) o->any_of_ties = 1;
    if (fuzz_rarely(b, 4)) draw_any_start(b, p);
    if (!fuzz_rarely(b, 4)) return;
    for (uint32_t col = 0; col < MOST_COLS; col++) p->roots[col] = (uint8_t) fuzz_below(b, 3);
    o->roots = p->roots;
}

/* Drawn last, so that the inputs kept so far mean what they did. */
static void draw_more(fuzz_bytes *b, problem *p)
{
    ct_exact_options *o = &p->options;
    if (fuzz_rarely(b, 3)) o->max_thresholds = fuzz_size(b, 4);
    if (fuzz_rarely(b, 3)) o->device = CT_EXACT_DEVICE_TWIN;
    if (fuzz_rarely(b, 4)) ct_gpu_twin_fail_at(1 + (long) fuzz_byte(b));
    if (fuzz_rarely(b, 4)) ct_gpu_twin_memory(fuzz_u32(b));
    if (fuzz_rarely(b, 4)) ct_exact_worker_poll_every(1 + 16 * (uint64_t) fuzz_byte(b));
    if (fuzz_rarely(b, 4)) o->time_limit = fuzz_byte(b) * 1e-5;
    ct_alloc_fill((int) fuzz_byte(b));
}

static void as_it_was(void)
{
    ct_gpu_twin_fail_at(0);
    ct_gpu_twin_memory(SIZE_MAX);
    ct_exact_worker_poll_every(0);
    ct_alloc_fill(-1);
}

/* The rows with the values that the cap leaves. */
static random_table capped(const problem *p)
{
    const ct_data *data = &p->data;
    random_table all = table_new(data->n_rows, data->n_cols, data->n_classes);
    memcpy(all.classes, data->classes, data->n_rows * sizeof *all.classes);
    for (uint32_t col = 0; col < data->n_cols; col++)
        for (uint32_t i = 0; i < data->n_rows; i++)
            table_column(&all, col)[i] = ct_column_value(&data->columns[col], i);
    random_table t = table_capped(&all, p->options.max_thresholds);
    t.data.weights = data->weights;
    t.data.loss = data->loss;
    table_free(&all);
    return t;
}

/* Brute force is for small depths; and costs that are far apart leave no digits to compare. */
static int is_comparable(const problem *p)
{
    double most = dearest_of(&p->data), all = sum_of_weights(&p->data);
    return p->options.depth <= BRUTE_DEPTH && most > 1e-200 && most < 1e200 && all > 1e-200 &&
           all < 1e200 && p->options.complexity * all < 1e3 * most;
}

static void check_exactly(const problem *p, const ct_data *data, const ct_exact_result *result)
{
    static unit_brute b;
    units rooted[MOST_COLS];
    if (!units_begin(&b, data, &p->options)) return;
    units optimum = units_optimum(&b, rooted);
    unit_truth truth = {&b, &p->data, optimum, allowed_rounding(&b, data), rooted};
    check_state.failed = 0;
    check_in_units(&truth, &p->options, result);
    FUZZ_REQUIRE(!check_state.failed);
}

static void check_answer(const problem *p, const ct_exact_result *result,
                         const uint32_t *leaf_of_row)
{
    static brute b;
    const ct_data *data = &p->data;
    double cost = 0, splits = 0;
    for (uint32_t node = 0; node < result->tree.n_nodes; node++)
        splits += result->tree.feature[node] >= 0;
    for (uint32_t i = 0; i < data->n_rows; i++) {
        uint32_t node = result->tree.roots[0];
        while (result->tree.feature[node] >= 0) {
            double x = ct_column_value(&data->columns[result->tree.feature[node]], i);
            node = x < result->tree.threshold[node] ? result->tree.left[node]
                                                    : result->tree.right[node];
        }
        FUZZ_REQUIRE(leaf_of_row[i] == node);
        cost += cost_of_row(data, i, (uint32_t) result->tree.label[node]);
    }
    FUZZ_REQUIRE(result->bound <= result->cost);
    if (!is_comparable(p)) return;
    random_table t = capped(p);
    double expected = brute_optimum(&b, &t.data, &p->options),
           slack = dearest_of(data) * (data->weights ? 1e-6 : 1e-9);
    cost += splits * p->options.complexity * sum_of_weights(data);
    FUZZ_REQUIRE(fabs(cost - result->cost) <= slack);
    FUZZ_REQUIRE(result->bound <= expected + slack && expected <= result->cost + slack);
    if (result->end == CT_END_OPTIMAL) FUZZ_REQUIRE(fabs(result->cost - expected) <= slack);
    check_exactly(p, &t.data, result);
    table_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_bytes b = {bytes, bytes + size};
    problem p;
    ct_exact_result result;
    ct_error error = {CT_OK, ""};
    uint32_t leaf_of_row[MOST_ROWS];
    memset(&p, 0, sizeof p);
    draw_options(&b, &p);
    draw_data(&b, &p);
    draw_more(&b, &p);
    ct_status status = ct_exact_solve(&p.data, &p.options, &result, leaf_of_row, &error);
    as_it_was();
    if (status == CT_OK) {
        check_answer(&p, &result, leaf_of_row);
        ct_exact_result_free(&result);
    } else {
        if (status != CT_BAD_INPUT && status != CT_NO_MEMORY)
            fprintf(stderr, "%s\n", error.message);
        FUZZ_REQUIRE(status == CT_BAD_INPUT ||
                     (status == CT_NO_MEMORY && p.options.memory_limit < SIZE_MAX));
        FUZZ_REQUIRE(error.status == status && error.message[0]);
    }
    return 0;
}
