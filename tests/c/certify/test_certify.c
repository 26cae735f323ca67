/* Certificates: what the search proves is proven again; what was tampered with proves nothing that
 * is untrue. The least costs come from absolute.h, which shares nothing with either, and no claim
 * is granted any slack against them. */
#include "certify/certify.h"

#include <float.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absolute.h"
#include "exact/cost/costs.h"
#include "data/table.h"
#include "../exact/instance_random.h"
#include "exact/prove.h"
#include "../exact/solve.h"

static absolute second_opinion;

static ct_certify_claim claim_of(const ct_exact_options *options)
{
    ct_certify_claim claim = {options->depth,
                              options->complexity,
                              options->min_bucket,
                              options->min_split,
                              options->max_thresholds,
                              NULL,
                              NULL,
                              NULL,
                              options->any_size,
                              0};
    return claim;
}

/* A certificate that no tree costs less than `best` or, without, than the bound; freed by
 * ct_bytes_free. */
static ct_bytes certificate_below(const ct_data *data, const ct_exact_options *options,
                                  double bound, const ct_outcome *best)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_certify_claim claim = claim_of(options);
    ct_exact_end end;
    ct_error error;
    ct_certify_begin(data, &claim, &bytes);
    CHECK_INT(ct_exact_prove(data, options, bound, best, &bytes, &end, &error), CT_OK);
    CHECK_INT(end, CT_END_OPTIMAL);
    return bytes;
}

static ct_bytes certificate_for(const ct_data *data, const ct_exact_options *options, double bound)
{
    return certificate_below(data, options, bound, NULL);
}

static ct_certify_result check_claim(const ct_data *data, const ct_certify_claim *claim,
                                     const uint8_t *bytes, size_t n)
{
    ct_certify_result checked;
    ct_error error = {CT_OK, ""};
    ct_status status = ct_certify(data, claim, bytes, n, &checked, &error);
    if (!CHECK_INT(status, CT_OK)) printf("    %s\n", error.message);
    return checked;
}

static ct_certify_result check(const ct_data *data, const ct_exact_options *options,
                               const uint8_t *bytes, size_t n)
{
    ct_certify_claim claim = claim_of(options);
    return check_claim(data, &claim, bytes, n);
}

/* ---- solving ---- */

/* What a search found, and the labels that its tree gives. Freed by found_free. */
typedef struct {
    ct_exact_result result;
    ct_outcome tree;
    int32_t *labels;
} found_tree;

static int find(const ct_data *data, const ct_exact_options *options, found_tree *found)
{
    ct_error error = {CT_OK, ""};
    uint32_t *leaf = (uint32_t *) malloc(data->n_rows * sizeof *leaf);
    ct_status status = ct_exact_solve(data, options, &found->result, leaf, &error);
    if (status != CT_OK) printf("    %s\n", error.message);
    found->labels = (int32_t *) calloc(data->n_rows, sizeof *found->labels);
    for (uint32_t row = 0; status == CT_OK && row < data->n_rows; row++)
        found->labels[row] = found->result.tree.label[leaf[row]];
    found->tree = (ct_outcome){found->labels,
                               status == CT_OK ? (found->result.tree.n_nodes - 1) / 2 : 0};
    free(leaf);
    return CHECK_INT(status, CT_OK);
}

static void found_free(found_tree *found)
{
    ct_exact_result_free(&found->result);
    free(found->labels);
}

/* ---- costs ---- */

/* By how much the cost of a tree, counted in the integers that the library takes for costs, may
 * differ from what it is; 0 where all of them are exact. Up to what long double itself loses. */
static long double rounding_of(const ct_data *data, const ct_exact_options *options)
{
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    ct_exact_costs costs;
    ct_error error;
    long double sum = 0;
    size_t n = data->n_classes;
    ct_arena_init(&arena, &budget);
    CHECK_INT(ct_exact_costs_init(&costs, data, options->depth, options->complexity, 0, &arena,
                                  &error),
              CT_OK);
    for (uint32_t row = 0; row < data->n_rows; row++) {
        long double most = 0;
        for (uint32_t label = 0; label < n; label++) {
            size_t own = (size_t) data->classes[row];
            long double units = ct_loss_units(&costs, own, label);
            if (costs.weights) units *= costs.weights[row];
            long double cost = absolute_cost_of_row(data, row, label),
                        off = fabsl(units * costs.unit - cost);
            if (off > 0) most = fmaxl(most, off + cost * LDBL_EPSILON);
        }
        sum += most;
    }
    sum += (data->n_rows - 1) * options->complexity * absolute_weight(data) *
           0x1p-45L; /* decimal fractions in doubles */
    ct_arena_free(&arena);
    return sum;
}

/* Whether the costs are whole numbers that long double adds exactly. */
static int is_whole(const ct_data *data, const ct_exact_options *options)
{
    int whole = options->complexity == 0;
    for (uint32_t row = 0; row < data->n_rows; row++)
        for (uint32_t label = 0; label < data->n_classes; label++) {
            long double cost = absolute_cost_of_row(data, row, label);
            whole &= cost == floorl(cost) && cost < 0x1p58L;
        }
    return whole;
}

/* `least` in long double, or what it may be below that by the rounding of its own sums. */
static long double surely(long double least)
{
    return least * (1 + 64 * (long double) LDBL_EPSILON);
}

/* Solves, certifies, checks; returns the bound that is proven again, or -1. `leaves`: of the tree,
 * if they are known. */
static double proven_again(const ct_data *data, const ct_exact_options *options, uint32_t leaves,
                           double *cost)
{
    found_tree found;
    if (!find(data, options, &found)) return -1;
    CHECK(!leaves || options->any_size || found.tree.n_splits + 1 == leaves);
    int optimal = found.result.end == CT_END_OPTIMAL;
    ct_bytes bytes = certificate_below(data, options, found.result.bound,
                                       optimal ? &found.tree : NULL);
    ct_certify_claim claim = claim_of(options);
    claim.best = &found.tree;
    ct_certify_result checked = check_claim(data, &claim, bytes.bytes, bytes.n);
    CHECK_INT(checked.verdict, CT_CERTIFIED);
    int clear = options->complexity == 0 ||
                (!data->weights && !data->loss); /* penalties beside which units are seen */
    CHECK(!optimal || checked.attained || (!clear && checked.bound < found.result.cost));
    if (options->any_size) CHECK(!checked.smallest || !found.tree.n_splits);
    else CHECK(!optimal || checked.smallest || checked.rounding > 0 || !clear);
    double slack = 2 * (double) rounding_of(data, options) + 1e-12 * found.result.cost;
    if (!CHECK(checked.bound >= found.result.bound - slack &&
               checked.bound <= found.result.cost * (1 + 1e-15)))
        printf("    bound %.17g, checked %.17g, cost %.17g\n", found.result.bound, checked.bound,
               found.result.cost);
    *cost = found.result.cost;
    found_free(&found);
    ct_bytes_free(&bytes);
    return checked.verdict == CT_CERTIFIED ? checked.bound : -1;
}

/* A small table and options of all kinds. */
static ct_exact_options small_problem(rng *r, random_table *t)
{
    ct_exact_options options = ct_exact_options_default();
    uint32_t n_rows = 2 + rng_below(r, 11), n_classes = 1 + rng_below(r, 4);
    options.depth = rng_below(r, 5);
    *t = table_random(r, n_rows, 1 + rng_below(r, 3), n_classes, 1);
    if (rng_below(r, 3) == 0) options.complexity = rng_below(r, 8) / 8.0 / n_rows;
    if (rng_below(r, 3) == 0) options.min_bucket = 1 + rng_below(r, 4);
    if (rng_below(r, 4) == 0) options.min_split = 1 + rng_below(r, n_rows);
    if (rng_below(r, 3) == 0) table_add_weights(t, r);
    if (n_classes > 1 && rng_below(r, 3) == 0) table_add_loss(t, r);
    return options;
}

static void least_costs_are_proven_again(void)
{
    int n = CHECK_QUICK() ? 100 : 4000;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed};
        random_table t;
        ct_exact_options options = small_problem(&r, &t);
        double cost = 0;
        absolute_cost best = absolute_optimum(&second_opinion, &t.data, &options);
        long double least = best.cost;
        double bound = proven_again(&t.data, &options,
                                    rounding_of(&t.data, &options) == 0 ? best.leaves : 0, &cost);
        long double rounding = rounding_of(&t.data, &options) + 1e-14L * least;
        if (!CHECK(fabsl(cost - least) <= 2 * rounding && bound <= surely(least) &&
                   bound >= least - 3 * rounding))
            printf("    seed %d: least %.17Lg, cost %.17g, bound %.17g\n", seed, least, cost,
                   bound);
        table_free(&t);
    }
}

/* Some more rows, with a gap, fewer thresholds and all shortcuts on and off. */
static void bounds_of_any_search_are_proven_again(void)
{
    int n = CHECK_QUICK() ? 5 : 100;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed + 500};
        static const unsigned depths[] = {2, 2, 3, 3, 4};
        unsigned depth = depths[rng_below(&r, CHECK_QUICK() ? 3 : 5)];
        random_table t = random_shape(&r, 4);
        ct_exact_options options = random_options(&r, depth, t.data.n_rows);
        options.memory_limit = SIZE_MAX;
        /* without others it takes long */
        if (depth > 2)
            options.off &= UINT32_C(1) << CT_SHORTCUT_HINTS | UINT32_C(1) << CT_SHORTCUT_MEDIANS;
        double cost;
        if (proven_again(&t.data, &options, 0, &cost) < 0) printf("    seed %d\n", seed);
        table_free(&t);
    }
}

/* What is proven must never be above the least cost, whatever the bytes. */
static void check_never_above(const random_table *t, const ct_exact_options *options,
                              const uint8_t *bytes, size_t n, long double least)
{
    ct_certify_result checked = check(&t->data, options, bytes, n);
    if (checked.verdict != CT_CERTIFIED) CHECK(checked.bound == 0);
    else CHECK(checked.bound <= surely(least));
}

static void tampered_bytes_prove_nothing_untrue(void)
{
    int n = CHECK_QUICK() ? 20 : 1000;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed + 9000};
        random_table t;
        ct_exact_options options = small_problem(&r, &t);
        options.depth = 2 + rng_below(&r, 2);
        long double least = absolute_optimum(&second_opinion, &t.data, &options).cost;
        ct_bytes whole = certificate_for(&t.data, &options, (double) least);
        uint8_t *bytes = (uint8_t *) malloc(whole.n + 8);
        for (int i = 0; i < 100; i++) {
            memcpy(bytes, whole.bytes, whole.n);
            /* mostly behind the hash, which would end the check */
            size_t from = rng_below(&r, 10) && whole.n > 18 ? 18 : 0, size = whole.n;
            for (uint32_t flips = rng_below(&r, 3) + 1; flips; flips--)
                bytes[from + rng_below(&r, (uint32_t) (whole.n - from))] ^=
                    (uint8_t) (1 << rng_below(&r, 8));
            if (rng_below(&r, 5) == 0) size = rng_below(&r, (uint32_t) whole.n + 1);
            if (rng_below(&r, 5) == 0) bytes[size++] = (uint8_t) rng_next(&r);
            check_never_above(&t, &options, bytes, size, least);
        }
        free(bytes);
        ct_bytes_free(&whole);
        table_free(&t);
    }
}

/* ---- what comes from other rooms ---- */

/* In place of the library's, at the linker's request: the same, spoiled as a test asks for. */
ct_status __real_ct_table_rank(ct_table *table, uint32_t col, uint32_t max_thresholds,
                               ct_arena *arena, int *capped);
ct_status __wrap_ct_table_rank(ct_table *table, uint32_t col, uint32_t max_thresholds,
                               ct_arena *arena, int *capped);
ct_status __real_ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                                     double complexity, int one_word, ct_arena *arena,
                                      ct_error *error);
ct_status __wrap_ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                                     double complexity, int one_word, ct_arena *arena,
                                      ct_error *error);

static struct {
    int order, costs; /* which fault; 0: none */
    uint32_t row;    /* not the last */
    int weighted;    /* whether there were integer weights to spoil */
} spoiled;

ct_status __wrap_ct_table_rank(ct_table *table, uint32_t col, uint32_t max_thresholds,
                               ct_arena *arena, int *capped)
{
    ct_status status = __real_ct_table_rank(table, col, max_thresholds, arena, capped);
    uint32_t *order = table->order[col], first = order[0], last = order[table->n_rows - 1],
             before = order[spoiled.row];
    if (spoiled.order == 1) order[0] = last, order[table->n_rows - 1] = first;
    if (spoiled.order == 2) order[0] = last;
    if (spoiled.order == 3) order[0] = table->n_rows;
    if (spoiled.order == 5) {
        order[spoiled.row] = order[spoiled.row + 1];
        order[spoiled.row + 1] = before;
    }
    if (spoiled.order == 6) { /* falls throughout, and says that it never rises */
        for (uint32_t j = 0; j < table->n_rows / 2; j++) {
            uint32_t *other = &order[table->n_rows - 1 - j], row = order[j];
            order[j] = *other;
            *other = row;
        }
        memset(table->ties[col], 0, table->words * sizeof table->ties[col][0]);
    }
    if (spoiled.order == 4) table->ties[col][spoiled.row / 64] ^= UINT64_C(1) << spoiled.row % 64;
    return status;
}

ct_status __wrap_ct_exact_costs_init(ct_exact_costs *costs, const ct_data *data, unsigned depth,
                                     double complexity, int one_word, ct_arena *arena,
                                      ct_error *error)
{
    ct_status status = __real_ct_exact_costs_init(costs, data, depth, complexity, one_word, arena,
                                                  error);
    int64_t *weights = (int64_t *) costs->weights, *loss = (int64_t *) costs->loss;
    spoiled.weighted = weights != NULL;
    if (spoiled.costs == 1 && weights) weights[spoiled.row] += 1000;
    if (spoiled.costs == 2 && loss) loss[1] += 3;
    if (spoiled.costs == 3) costs->unit *= 2;
    if (spoiled.costs == 4 && weights) weights[spoiled.row] = -5;
    if (spoiled.costs == 5 && weights)
        weights[spoiled.row] = INT64_MAX / 2, weights[!spoiled.row] = INT64_MAX / 2;
    return status;
}

/* An order, or a mark of ties, that is not right is an internal error. */
static void wrong_orders_are_found(void)
{
    for (int seed = 0; seed < 40; seed++) {
        rng r = {(uint64_t) seed + 300};
        random_table t = table_random(&r, 20, 2, 2, 0);
        ct_exact_options options = ct_exact_options_default();
        options.depth = 2;
        if (seed % 2) options.max_thresholds = 5;
        ct_certify_claim claim = claim_of(&options);
        ct_certify_result checked;
        ct_error error;
        ct_bytes bytes = certificate_for(&t.data, &options, 1);
        CHECK_INT(ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &error), CT_OK);
        spoiled.row = rng_below(&r, 19);
        for (spoiled.order = 1; spoiled.order <= 6; spoiled.order++)
            CHECK_INT(ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &error),
                      CT_INTERNAL);
        spoiled.order = 0;
        ct_bytes_free(&bytes);
        table_free(&t);
    }
}

/* Integer costs that are not those of the data prove nothing untrue of these, or are an internal
 * error. */
static void wrong_costs_prove_nothing_untrue(void)
{
    int weaker = 0, refused = 0;
    for (int seed = 0; seed < 200; seed++) {
        rng r = {(uint64_t) seed + 800};
        random_table t = table_random(&r, 3 + rng_below(&r, 8), 2, 3, 0);
        ct_exact_options options = ct_exact_options_default();
        table_add_weights(&t, &r);
        table_add_loss(&t, &r);
        for (uint32_t i = 0; i < 9; i++) t.loss[i] += i % 4 != 0;
        options.depth = rng_below(&r, 3);
        ct_certify_claim claim = claim_of(&options);
        long double least = absolute_optimum(&second_opinion, &t.data, &options).cost;
        ct_bytes bytes = certificate_for(&t.data, &options, (double) least);
        spoiled.row = rng_below(&r, t.data.n_rows);
        for (spoiled.costs = 1; spoiled.costs <= 5; spoiled.costs++) {
            ct_certify_result checked;
            ct_error error;
            ct_status status = ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &error);
            if (status == CT_OK) CHECK(checked.bound <= surely(least));
            else CHECK_INT(status, CT_INTERNAL);
            if (spoiled.costs >= 4 && spoiled.weighted) CHECK_INT(status, CT_INTERNAL);
            weaker += status == CT_OK && checked.rounding > 0.5;
            refused += status == CT_INTERNAL;
        }
        spoiled.costs = 0;
        ct_bytes_free(&bytes);
        table_free(&t);
    }
    CHECK(weaker > 100 && refused > 100);
}

/* ---- costs of wide range ---- */

/* Weights and losses beside which others are small: 1e11 beside 1, sums of 1.5e9, tenths, and
 * numbers that are no fractions. */
static double wide_cost(rng *r, uint32_t kind)
{
    switch (kind) {
    case 0: return rng_below(r, 4) ? 1 : 1e11;
    case 1: return rng_below(r, 3) ? 1 + rng_below(r, 3) : 1.5e8 + rng_below(r, 1000);
    case 2: return rng_below(r, 5) ? rng_unit(r) : 1e11 * rng_unit(r);
    case 3: return exp(30 * rng_unit(r) - 10);
    case 4: return rng_below(r, 30) / 10.0;
    case 5: return rng_below(r, 6) ? 1 + rng_below(r, 4) : 1e15;
    default: return floor(exp(20 * rng_unit(r)));
    }
}

static void add_wide_costs(random_table *t, rng *r)
{
    uint32_t n = t->data.n_classes, weights = rng_below(r, 3) || n == 1,
             losses = n > 1 && rng_below(r, 2), kind = rng_below(r, 7);
    if (weights) table_add_weights(t, r);
    for (uint32_t i = 0; weights && i < t->data.n_rows; i++) t->weights[i] = wide_cost(r, kind);
    if (weights) t->weights[0] += 1;
    if (!losses) return;
    table_add_loss(t, r);
    kind = rng_below(r, 3) ? 0 : rng_below(r, 7);
    for (uint32_t i = 0; i < n * n; i++) t->loss[i] = i % (n + 1) ? wide_cost(r, kind) : 0;
    t->loss[1] += 1;
}

/* Fits that were stopped, by a gap or at once, or not at all. */
static ct_exact_options wide_problem(rng *r, random_table *t)
{
    ct_exact_options options = ct_exact_options_default();
    uint32_t n_rows = 2 + rng_below(r, ABSOLUTE_ROWS - 2);
    *t = table_random(r, n_rows, 1 + rng_below(r, 3), 1 + rng_below(r, 4), 1);
    add_wide_costs(t, r);
    options.depth = rng_below(r, 4);
    if (rng_below(r, 4) == 0) options.min_bucket = 1 + rng_below(r, 3);
    if (rng_below(r, 4) == 0) options.max_gap = wide_cost(r, rng_below(r, 7));
    if (rng_below(r, 6) == 0) options.time_limit = 0;
    if (rng_below(r, 6) == 0) options.complexity = rng_unit(r) / n_rows;
    return options;
}

/* valgrind computes with 53 bits where the type has 64. */
static int long_double_is_long(void)
{
    volatile long double one = 1, more = one + LDBL_EPSILON;
    return more > one;
}

static int others; /* trees that cost the least and are not the smallest */

/* Nothing that the check says is false: of a fit, of the tree of another fit, of bytes that were
 * changed. */
static void check_claims(rng *r, const random_table *t, const ct_exact_options *options,
                         const found_tree *found, const ct_outcome *other, const ct_bytes *bytes)
{
    absolute_cost best = absolute_optimum(&second_opinion, &t->data, options);
    long double least = best.cost, rounding = rounding_of(&t->data, options);
    int optimal = found->result.end == CT_END_OPTIMAL, whole = is_whole(&t->data, options);
    ct_certify_claim claim = claim_of(options);
    claim.best = &found->tree;
    ct_certify_result checked = check_claim(&t->data, &claim, bytes->bytes, bytes->n);
    CHECK_INT(checked.verdict, CT_CERTIFIED);
    CHECK(checked.bound <= surely(least));
    /* as much as is there, and no more, is taken off for rounding */
    if (long_double_is_long() &&
        !CHECK(checked.rounding <= 1.001L * rounding &&
               (!whole || rounding > 0 || checked.rounding == 0)))
        printf("    rounding %.17g, at most %.17Lg\n", checked.rounding, rounding);
    long double lost = 0; /* what long double may have made too much of it */
    for (uint32_t row = 0; row < t->data.n_rows; row++)
        for (uint32_t label = 0; label < t->data.n_classes; label++)
            lost += 4 * LDBL_EPSILON * absolute_cost_of_row(&t->data, row, label);
    if (options->complexity == 0 && long_double_is_long())
        CHECK(checked.rounding >= rounding - lost);
    CHECK(optimal <= checked.attained);
    if (optimal && rounding == 0)
        CHECK(checked.bound == least && (checked.smallest || options->complexity > 0 ||
                                         options->any_size));
    /* the last has a split that parts nothing */
    const ct_outcome padded = {found->tree.labels,
                               found->tree.n_splits + (found->tree.n_splits + 1 < t->data.n_rows)};
    const ct_outcome *trees[] = {&found->tree, other, &padded};
    for (int i = 0; i < 3; i++) {
        claim.best = trees[i];
        long double cost = absolute_cost_of(&t->data, trees[i], options->complexity);
        checked = check_claim(&t->data, &claim, bytes->bytes, bytes->n);
        if (whole && rounding == 0 && checked.smallest)
            CHECK(cost == least && trees[i]->n_splits + 1 == best.leaves);
        if (whole && cost == least && trees[i]->n_splits + 1 > best.leaves)
            others++, CHECK(!checked.smallest);
        if (checked.attained && !CHECK(cost <= surely(least) + 2 * rounding))
            printf("    tree %d costs %.20Lg, least %.20Lg\n", i, cost, least);
    }
    uint8_t *changed = (uint8_t *) malloc(bytes->n);
    for (int i = 0; i < 10; i++) {
        memcpy(changed, bytes->bytes, bytes->n);
        size_t from = bytes->n > 18 ? 18 : 0;
        changed[from + rng_below(r, (uint32_t) (bytes->n - from))] ^= (uint8_t) (1 << rng_below(r,
                                                                                                8));
        check_never_above(t, options, changed, bytes->n, least);
    }
    free(changed);
}

static void wide_costs_prove_nothing_untrue(void)
{
    int n = CHECK_QUICK() ? 50 : 2500;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed + 70000};
        random_table t;
        ct_exact_options options = wide_problem(&r, &t), less = options;
        found_tree found, other;
        less.depth = rng_below(&r, options.depth + 1);
        less.max_gap = INFINITY;
        if (find(&t.data, &options, &found) && find(&t.data, &less, &other)) {
            int before = check_state.failed;
            ct_bytes bytes = certificate_below(&t.data, &options, found.result.bound,
                                               found.result.end == CT_END_OPTIMAL ? &found.tree
                                                                                  : NULL);
            check_claims(&r, &t, &options, &found, &other.tree, &bytes);
            if (check_state.failed > before) printf("    seed %d\n", seed);
            ct_bytes_free(&bytes);
            found_free(&found);
            found_free(&other);
        }
        table_free(&t);
    }
    CHECK(others > n / 50);
}

/* A certificate that is cut off anywhere, or goes on, is refused. */
static void ends_matter(void)
{
    rng r = {42};
    random_table t = table_random(&r, 60, 3, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    ct_bytes whole = certificate_for(&t.data, &options, solved_cost(&t.data, &options));
    for (size_t n = 0; n < whole.n; n++)
        CHECK(check(&t.data, &options, whole.bytes, n).verdict != CT_CERTIFIED);
    ct_bytes_put(&whole, 0);
    CHECK_INT(check(&t.data, &options, whole.bytes, whole.n).verdict, CT_MALFORMED);
    CHECK_INT(check(&t.data, &options, (const uint8_t *) "nothing of the kind", 19).verdict,
              CT_NO_CERTIFICATE);
    ct_bytes_free(&whole);
    table_free(&t);
}

/* The bytes of the evidence alone, under a beginning made for these data. */
static ct_bytes with_other_beginning(const ct_bytes *from, const ct_data *data,
                                     const ct_exact_options *options, size_t begin)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_certify_claim claim = claim_of(options);
    ct_certify_begin(data, &claim, &bytes);
    for (size_t i = begin; i < from->n; i++) {
        ct_bytes_put(&bytes, 0);
        bytes.bytes[bytes.n - 1] = from->bytes[i];
    }
    return bytes;
}

static size_t beginning(const ct_data *data, const ct_exact_options *options)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_certify_claim claim = claim_of(options);
    ct_certify_begin(data, &claim, &bytes);
    size_t n = bytes.n;
    ct_bytes_free(&bytes);
    return n;
}

/* One datum changed: noticed by the hash; and where the hash is forged, only what is true of the
 * new data is proven. */
static void tampered_data_are_noticed(void)
{
    int n = CHECK_QUICK() ? 20 : 200, weaker = 0;
    for (int seed = 0; seed < n; seed++) {
        rng r = {(uint64_t) seed + 4000};
        random_table t;
        ct_exact_options options = small_problem(&r, &t);
        options.depth = 2 + rng_below(&r, 2);
        double before = (double) absolute_optimum(&second_opinion, &t.data, &options).cost;
        ct_bytes bytes = certificate_for(&t.data, &options, before);
        size_t begin = beginning(&t.data, &options);
        uint32_t row = rng_below(&r, t.data.n_rows);
        double *x = &table_column(&t, 0)[row];
        if (t.weights) {
            double weight = t.weights[0];
            t.weights[0] += 1;
            CHECK_INT(check(&t.data, &options, bytes.bytes, bytes.n).verdict, CT_OTHER_DATA);
            t.weights[0] = weight;
        }
        if (t.data.n_classes > 1 && rng_below(&r, 2))
            t.classes[row] = (t.classes[row] + 1) % (int32_t) t.data.n_classes;
        else *x = *x < 0.5 ? 0.75 : 0.25;
        CHECK_INT(check(&t.data, &options, bytes.bytes, bytes.n).verdict, CT_OTHER_DATA);
        long double after = absolute_optimum(&second_opinion, &t.data, &options).cost;
        ct_bytes forged = with_other_beginning(&bytes, &t.data, &options, begin);
        check_never_above(&t, &options, forged.bytes, forged.n, after);
        weaker += after < before;
        ct_bytes_free(&forged);
        ct_bytes_free(&bytes);
        table_free(&t);
    }
    CHECK(weaker > 0);
}

/* Evidence that is left out is missed: the next larger bound is not proven, nor the bound without
 * most of the thresholds. */
static void evidence_is_needed(void)
{
    rng r = {6};
    random_table t = table_random(&r, 200, 4, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    for (options.depth = 2; options.depth < 4; options.depth++) {
        double cost = solved_cost(&t.data, &options);
        ct_bytes whole = certificate_for(&t.data, &options, cost), none = {NULL, 0, 0, SIZE_MAX, 0};
        ct_certify_result checked = check(&t.data, &options, whole.bytes, whole.n);
        CHECK(checked.verdict == CT_CERTIFIED && checked.bound == cost && checked.thresholds > 0);
        ct_certify_claim claim = claim_of(&options);
        ct_certify_begin(&t.data, &claim, &none);
        ct_bytes_put(&none, 0);
        checked = check(&t.data, &options, none.bytes, none.n);
        CHECK(checked.verdict == CT_CERTIFIED && checked.bound < cost && checked.thresholds == 0);
        /* a certificate of less proves less, or at most the cost */
        ct_bytes half = certificate_for(&t.data, &options, cost / 2);
        checked = check(&t.data, &options, half.bytes, half.n);
        CHECK(half.n < whole.n && checked.bound >= floor(cost / 2) && checked.bound <= cost);
        ct_bytes_free(&whole);
        ct_bytes_free(&none);
        ct_bytes_free(&half);
    }
    table_free(&t);
}

/* Other rules than those it was made for are refused. */
static void rules_matter(void)
{
    rng r = {8};
    random_table t = table_random(&r, 50, 3, 3, 0);
    ct_exact_options options = ct_exact_options_default(), other;
    ct_bytes bytes = certificate_for(&t.data, &options, solved_cost(&t.data, &options));
    for (int i = 0; i < 5; i++) {
        other = options;
        if (i == 0) other.depth = 2;
        if (i == 1) other.complexity = 0.01;
        if (i == 2) other.min_bucket = 3;
        if (i == 3) other.min_split = 9;
        if (i == 4) other.max_thresholds = 10;
        CHECK_INT(check(&t.data, &other, bytes.bytes, bytes.n).verdict, CT_OTHER_DATA);
    }
    CHECK_INT(check(&t.data, &options, bytes.bytes, bytes.n).verdict, CT_CERTIFIED);
    ct_bytes_free(&bytes);
    table_free(&t);
}

static int at_once(void *unused)
{
    (void) unused;
    return 1;
}

static void it_ends_when_asked_to(void)
{
    rng r = {9};
    random_table t = table_random(&r, 200, 4, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_bytes bytes = certificate_for(&t.data, &options, cost), small = {NULL, 0, 0, 50, 0};
    ct_certify_claim claim = claim_of(&options);
    ct_certify_result checked;
    ct_error error;
    ct_exact_end end;
    claim.stop = at_once;
    CHECK_INT(ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &error), CT_OK);
    CHECK_INT(checked.verdict, CT_CHECK_STOPPED);
    CHECK_INT(ct_exact_prove(&t.data, &options, cost, NULL, &small, &end, &error), CT_OK);
    CHECK(end == CT_END_MEMORY && small.n <= 60);
    ct_bytes_free(&bytes);
    ct_bytes_free(&small);
    table_free(&t);
}

static void too_little_memory_is_an_error(void)
{
    rng r = {10};
    random_table t = table_random(&r, 80, 3, 3, 0);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_bytes bytes = certificate_for(&t.data, &options, cost);
    ct_certify_claim claim = claim_of(&options);
    for (int after = 0; after < 20; after++) {
        ct_certify_result checked;
        ct_error error;
        ct_alloc_fail_after(after);
        ct_status status = ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &error);
        ct_alloc_fail_after(-1);
        if (status == CT_OK) CHECK(checked.verdict == CT_CERTIFIED && checked.bound == cost);
        else CHECK_INT(status, CT_NO_MEMORY);
    }
    ct_bytes_free(&bytes);
    table_free(&t);
}

/* A process of its own, with so much memory. */
static int is_certified_within(size_t bytes, const ct_data *data, const ct_exact_options *options,
                               const ct_bytes *log)
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {bytes, bytes};
        ct_certify_claim claim = claim_of(options);
        ct_certify_result checked;
        if (bytes) setrlimit(RLIMIT_AS, &limit);
        ct_status certified = ct_certify(data, &claim, log->bytes, log->n, &checked, NULL);
        _exit(certified != CT_OK || checked.verdict != CT_CERTIFIED || checked.rounding > 0 ||
              checked.bound != data->n_classes - 2);
    }
    if (child > 0) waitpid(child, &status, 0);
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Memory must not grow with the square of the classes. (Sanitizers and valgrind take more than any
 * limit.) */
static void many_classes_take_little(void)
{
    uint32_t n = CHECK_QUICK() ? 500 : 20000;
    random_table t = table_new(n, 1, n);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 1;
    for (uint32_t i = 0; i < n; i++) {
        table_column(&t, 0)[i] = i % 50;
        t.classes[i] = (int32_t) i;
    }
    ct_bytes bytes = certificate_for(&t.data, &options, n - 2);
    CHECK(is_certified_within(CHECK_QUICK() ? 0 : (size_t) 1 << 31, &t.data, &options, &bytes));
    ct_bytes_free(&bytes);
    table_free(&t);
}

static void numbers_survive_bytes(void)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    for (int shift = 0; shift < 64; shift++)
        ct_bytes_put(&bytes, (UINT64_C(1) << shift) - (shift & 1));
    ct_bytes_put(&bytes, UINT64_MAX);
    ct_bytes_reader reader = {bytes.bytes, bytes.n, 0, 0};
    for (int shift = 0; shift < 64; shift++)
        CHECK(ct_bytes_get(&reader) == (UINT64_C(1) << shift) - (shift & 1));
    CHECK(ct_bytes_get(&reader) == UINT64_MAX && !reader.bad && reader.at == reader.n);
    CHECK(ct_bytes_get(&reader) == 0 && reader.bad);
    const uint8_t endless[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 127};
    ct_bytes_reader bad = {endless, sizeof endless, 0, 0};
    CHECK(ct_bytes_get(&bad) == 0 && bad.bad);
    ct_bytes_free(&bytes);
}

static const check_case cases[] = {
    {"numbers survive bytes", numbers_survive_bytes},
    {"least costs are proven again", least_costs_are_proven_again},
    {"bounds of any search are proven again", bounds_of_any_search_are_proven_again},
    {"evidence is needed", evidence_is_needed},
    {"rules matter", rules_matter},
    {"ends matter", ends_matter},
    {"tampered bytes prove nothing untrue", tampered_bytes_prove_nothing_untrue},
    {"wide costs prove nothing untrue", wide_costs_prove_nothing_untrue},
    {"wrong orders are found", wrong_orders_are_found},
    {"wrong costs prove nothing untrue", wrong_costs_prove_nothing_untrue},
    {"tampered data are noticed", tampered_data_are_noticed},
    {"it ends when asked to", it_ends_when_asked_to},
    {"many classes take little", many_classes_take_little},
    {"too little memory is an error", too_little_memory_is_an_error},
};

CHECK_MAIN(cases)
