/* Certificates: what the search proves is proven again; what was tampered with proves nothing that
 * is untrue. The least costs come from absolute.h, which shares nothing with either, and no claim
 * is granted any slack against them. */
#include <float.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absolute.h"
#include "exact/cost/costs.h"
#include "data/table.h"
#include "../exact/instance_random.h"
#include "claims.h"

static absolute second_opinion;

static ct_bytes certificate_for(const ct_data *data, const ct_exact_options *options, double bound)
{
    return certificate_below(data, options, bound, NULL);
}

static ct_certify_result check(const ct_data *data, const ct_exact_options *options,
                               const uint8_t *bytes, size_t n)
{
    ct_certify_claim claim = claim_of(options, NULL);
    return check_claim(data, &claim, bytes, n);
}

/* ---- solving ---- */

/* What a search found, and the labels that its tree gives. */
typedef struct {
    ct_exact_result result;
    ct_outcome tree;
} found_tree;

static int find(const ct_data *data, const ct_exact_options *options, found_tree *found)
{
    uint32_t *leaf = (uint32_t *) keep_new(data->n_rows, sizeof *leaf);
    int32_t *labels = (int32_t *) keep_new(data->n_rows, sizeof *labels);
    if (!solve_rows(data, options, &found->result, leaf)) return 0;
    for (uint32_t row = 0; row < data->n_rows; row++)
        labels[row] = found->result.tree.label[leaf[row]];
    found->tree = (ct_outcome){labels, (found->result.tree.n_nodes - 1) / 2};
    return 1;
}

/* ---- costs ---- */

/* By how much the cost of a tree, counted in the integers that the library takes for costs, may
 * differ from what it is; 0 where all of them are exact. Up to what long double itself loses. */
static long double rounding_of(const ct_data *data, const ct_exact_options *options)
{
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    ct_exact_costs costs;
    long double sum = 0;
    size_t n = data->n_classes;
    ct_arena_init(&arena, &budget);
    CHECK_OK(ct_exact_costs_init(&costs, data, options->depth, options->complexity, 0, &arena,
                                 &reason));
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
    return least * (1 + 64 * long_epsilon());
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
    ct_certify_claim claim = claim_of(options, &found.tree);
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

static void least_costs_are_proven_again(rng *r, uint32_t seed)
{
    random_table t;
    ct_exact_options options = small_problem(r, &t);
    double cost = 0;
    absolute_cost best = absolute_optimum(&second_opinion, &t.data, &options);
    long double least = best.cost;
    double bound = proven_again(&t.data, &options,
                                rounding_of(&t.data, &options) == 0 ? best.leaves : 0, &cost);
    long double rounding = rounding_of(&t.data, &options) + 1e-14L * least;
    CHECK(fabsl(cost - least) <= 2 * rounding && bound <= surely(least) &&
               bound >= least - 3 * rounding);
}

/* Some more rows, with a gap, fewer thresholds and all shortcuts on and off. */
static void bounds_of_any_search_are_proven_again(rng *r, uint32_t seed)
{
    static const unsigned depths[] = {2, 2, 3, 3, 4};
    unsigned depth = depths[rng_below(r, CHECK_QUICK() ? 3 : 5)];
    random_table t = random_shape(r, 4);
    ct_exact_options options = random_options(r, depth, t.data.n_rows);
    options.memory_limit = SIZE_MAX;
    /* without others it takes long */
    if (depth > 2)
        options.off &= UINT32_C(1) << CT_SHORTCUT_HINTS | UINT32_C(1) << CT_SHORTCUT_MEDIANS;
    double cost;
    proven_again(&t.data, &options, 0, &cost);
}

/* What is proven must never be above the least cost, whatever the bytes. */
static void check_never_above(const random_table *t, const ct_exact_options *options,
                              const uint8_t *bytes, size_t n, long double least)
{
    ct_certify_result checked = check(&t->data, options, bytes, n);
    if (checked.verdict != CT_CERTIFIED) CHECK(checked.bound == 0);
    else CHECK(checked.bound <= surely(least));
}

static void tampered_bytes_prove_nothing_untrue(rng *r, uint32_t seed)
{
    random_table t;
    ct_exact_options options = small_problem(r, &t);
    options.depth = 2 + rng_below(r, 2);
    long double least = absolute_optimum(&second_opinion, &t.data, &options).cost;
    ct_bytes whole = certificate_for(&t.data, &options, (double) least);
    uint8_t *bytes = (uint8_t *) keep_new(whole.n + 1, 1);
    for (int i = 0; i < 100; i++) {
        memcpy(bytes, whole.bytes, whole.n);
        /* mostly behind the hash, which would end the check */
        size_t from = rng_below(r, 10) && whole.n > 18 ? 18 : 0;
        check_never_above(&t, &options, bytes, tamper(r, bytes, whole.n, from), least);
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
static void wrong_orders_are_found(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 20, 2, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    options.depth = 2;
    if (seed % 2) options.max_thresholds = 5;
    ct_certify_claim claim = claim_of(&options, NULL);
    ct_certify_result checked;
    ct_bytes bytes = certificate_for(&t.data, &options, 1);
    CHECK_OK(ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &reason));
    spoiled.row = rng_below(r, 19);
    for (spoiled.order = 1; spoiled.order <= 6; spoiled.order++)
        CHECK_FAILS(ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &reason),
                    CT_INTERNAL);
    spoiled.order = 0;
}

/* Integer costs that are not those of the data prove nothing untrue of these, or are an internal
 * error. */
static void wrong_costs_prove_nothing_untrue(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 3 + rng_below(r, 8), 2, 3, 0);
    ct_exact_options options = ct_exact_options_default();
    table_add_weights(&t, r);
    table_add_loss(&t, r);
    for (uint32_t i = 0; i < 9; i++) t.loss[i] += i % 4 != 0;
    options.depth = rng_below(r, 3);
    ct_certify_claim claim = claim_of(&options, NULL);
    long double least = absolute_optimum(&second_opinion, &t.data, &options).cost;
    ct_bytes bytes = certificate_for(&t.data, &options, (double) least);
    spoiled.row = rng_below(r, t.data.n_rows);
    for (spoiled.costs = 1; spoiled.costs <= 5; spoiled.costs++) {
        ct_certify_result checked;
        ct_status status = ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &reason);
        if (status == CT_OK) CHECK(checked.bound <= surely(least));
        else CHECK_INT(status, CT_INTERNAL);
        if (spoiled.costs >= 4 && spoiled.weighted) CHECK_INT(status, CT_INTERNAL);
        check_state.tally[0] += status == CT_OK && checked.rounding > 0.5;
        check_state.tally[1] += status == CT_INTERNAL;
    }
    spoiled.costs = 0;
}

static void both_happen(void) { CHECK(check_state.tally[0] > 100 && check_state.tally[1] > 100); }

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

static uint32_t others; /* trees that cost the least and are not the smallest */

/* Nothing that the check says is false: of a fit, of the tree of another fit, of bytes that were
 * changed. */
static void check_claims(rng *r, const random_table *t, const ct_exact_options *options,
                         const found_tree *found, const ct_outcome *other, const ct_bytes *bytes)
{
    absolute_cost best = absolute_optimum(&second_opinion, &t->data, options);
    long double least = best.cost, rounding = rounding_of(&t->data, options);
    int optimal = found->result.end == CT_END_OPTIMAL, whole = is_whole(&t->data, options);
    ct_certify_claim claim = claim_of(options, &found->tree);
    ct_certify_result checked = check_claim(&t->data, &claim, bytes->bytes, bytes->n);
    CHECK_INT(checked.verdict, CT_CERTIFIED);
    CHECK(checked.bound <= surely(least));
    /* as much as is there, and no more, is taken off for rounding */
    if (long_epsilon() == LDBL_EPSILON &&
        !CHECK(checked.rounding <= 1.001L * rounding &&
               (!whole || rounding > 0 || checked.rounding == 0)))
        printf("    rounding %.17g, at most %.17Lg\n", checked.rounding, rounding);
    long double lost = 0; /* what long double may have made too much of it */
    for (uint32_t row = 0; row < t->data.n_rows; row++)
        for (uint32_t label = 0; label < t->data.n_classes; label++)
            lost += 4 * LDBL_EPSILON * absolute_cost_of_row(&t->data, row, label);
    if (options->complexity == 0 && long_epsilon() == LDBL_EPSILON)
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
    uint8_t *changed = (uint8_t *) keep_new(bytes->n, 1);
    for (int i = 0; i < 10; i++) {
        memcpy(changed, bytes->bytes, bytes->n);
        size_t from = bytes->n > 18 ? 18 : 0;
        changed[from + rng_below(r, (uint32_t) (bytes->n - from))] ^= (uint8_t) (1 << rng_below(r,
                                                                                                8));
        check_never_above(t, options, changed, bytes->n, least);
    }
}

static void wide_costs_prove_nothing_untrue(rng *r, uint32_t seed)
{
    random_table t;
    ct_exact_options options = wide_problem(r, &t), less = options;
    found_tree found, other;
    less.depth = rng_below(r, options.depth + 1);
    less.max_gap = INFINITY;
    if (!find(&t.data, &options, &found) || !find(&t.data, &less, &other)) return;
    int optimal = found.result.end == CT_END_OPTIMAL;
    ct_bytes bytes = certificate_below(&t.data, &options, found.result.bound,
                                       optimal ? &found.tree : NULL);
    check_claims(r, &t, &options, &found, &other.tree, &bytes);
}

static void others_are_told_apart(void) { CHECK(others > check_state.seeds / 50); }

/* A certificate that is cut off anywhere, or goes on, is refused. */
static void ends_matter(void)
{
    rng r = {42};
    random_table t = table_random(&r, 60, 3, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    ct_bytes whole = certificate_for(&t.data, &options, solved_cost(&t.data, &options));
    for (size_t n = 0; n < whole.n; n++)
        CHECK(check(&t.data, &options, whole.bytes, n).verdict != CT_CERTIFIED);
    uint8_t *more = (uint8_t *) keep_new(whole.n + 1, 1);
    memcpy(more, whole.bytes, whole.n);
    CHECK_INT(check(&t.data, &options, more, whole.n + 1).verdict, CT_MALFORMED);
    CHECK_INT(check(&t.data, &options, (const uint8_t *) "nothing of the kind", 19).verdict,
              CT_NO_CERTIFICATE);
}

/* The beginning of a certificate made for these data. */
static ct_bytes beginning(const ct_data *data, const ct_exact_options *options)
{
    ct_bytes bytes = {NULL, 0, 0, SIZE_MAX, 0};
    ct_certify_claim claim = claim_of(options, NULL);
    ct_certify_begin(data, &claim, &bytes);
    keep_parts(&bytes, sizeof bytes, release_bytes);
    return bytes;
}

/* One datum changed: noticed by the hash; and where the hash is forged, only what is true of the
 * new data is proven. */
static void tampered_data_are_noticed(rng *r, uint32_t seed)
{
    random_table t;
    ct_exact_options options = small_problem(r, &t);
    options.depth = 2 + rng_below(r, 2);
    size_t begin_before = beginning(&t.data, &options).n;
    double before = (double) absolute_optimum(&second_opinion, &t.data, &options).cost;
    ct_bytes bytes = certificate_for(&t.data, &options, before);
    uint32_t row = rng_below(r, t.data.n_rows);
    double *x = &table_column(&t, 0)[row];
    if (t.weights) {
        double weight = t.weights[0];
        t.weights[0] += 1;
        CHECK_INT(check(&t.data, &options, bytes.bytes, bytes.n).verdict, CT_OTHER_DATA);
        t.weights[0] = weight;
    }
    if (t.data.n_classes > 1 && rng_below(r, 2))
        t.classes[row] = (t.classes[row] + 1) % (int32_t) t.data.n_classes;
    else *x = *x < 0.5 ? 0.75 : 0.25;
    CHECK_INT(check(&t.data, &options, bytes.bytes, bytes.n).verdict, CT_OTHER_DATA);
    long double after = absolute_optimum(&second_opinion, &t.data, &options).cost;
    ct_bytes begin = beginning(&t.data, &options);
    size_t n = bytes.n - begin_before; /* of the evidence */
    uint8_t *forged = (uint8_t *) keep_new(begin.n + n, 1);
    memcpy(forged, begin.bytes, begin.n);
    memcpy(forged + begin.n, bytes.bytes + begin_before, n);
    check_never_above(&t, &options, forged, begin.n + n, after);
    check_state.tally[0] += after < before;
}

static void some_bounds_are_weaker(void) { CHECK(check_state.tally[0] > 0); }

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
        ct_certify_claim claim = claim_of(&options, NULL);
        ct_certify_begin(&t.data, &claim, &none);
        ct_bytes_put(&none, 0);
        checked = check(&t.data, &options, none.bytes, none.n);
        CHECK(checked.verdict == CT_CERTIFIED && checked.bound < cost && checked.thresholds == 0);
        /* a certificate of less proves less, or at most the cost */
        ct_bytes half = certificate_for(&t.data, &options, cost / 2);
        checked = check(&t.data, &options, half.bytes, half.n);
        CHECK(half.n < whole.n && checked.bound >= floor(cost / 2) && checked.bound <= cost);
        ct_bytes_free(&none);
    }
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
    ct_certify_claim claim = claim_of(&options, NULL);
    ct_certify_result checked;
    ct_exact_end end;
    claim.stop = at_once;
    CHECK_OK(ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked, &reason));
    CHECK_INT(checked.verdict, CT_CHECK_STOPPED);
    CHECK_OK(ct_exact_prove(&t.data, &options, cost, NULL, &small, &end, &reason));
    CHECK(end == CT_END_MEMORY && small.n <= 60);
    ct_bytes_free(&small);
}

static void too_little_memory_is_an_error(void)
{
    rng r = {10};
    random_table t = table_random(&r, 80, 3, 3, 0);
    ct_exact_options options = ct_exact_options_default();
    double cost = solved_cost(&t.data, &options);
    ct_bytes bytes = certificate_for(&t.data, &options, cost);
    ct_certify_claim claim = claim_of(&options, NULL);
    for (int after = 0; after < 20; after++) {
        ct_certify_result checked;
        ct_status status = MEMORY_FOR(after,
                                      ct_certify(&t.data, &claim, bytes.bytes, bytes.n, &checked,
                                                 &reason));
        if (status == CT_OK) CHECK(checked.verdict == CT_CERTIFIED && checked.bound == cost);
        else CHECK_INT(status, CT_NO_MEMORY);
    }
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
        ct_certify_claim claim = claim_of(options, NULL);
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
    {"least costs are proven again", EACH(least_costs_are_proven_again, 0, 4000, 100, 100)},
    {"bounds of any search are proven again",
     EACH(bounds_of_any_search_are_proven_again, 500, 100, 5, 5)},
    {"evidence is needed", evidence_is_needed},
    {"rules matter", rules_matter},
    {"ends matter", ends_matter},
    {"tampered bytes prove nothing untrue",
     EACH(tampered_bytes_prove_nothing_untrue, 9000, 1000, 20, 20)},
    {"wide costs prove nothing untrue",
     EACH(wide_costs_prove_nothing_untrue, 70000, 2500, 50, 50), others_are_told_apart},
    {"wrong orders are found", EACH(wrong_orders_are_found, 300, 40, 40, 40)},
    {"wrong costs prove nothing untrue",
     EACH(wrong_costs_prove_nothing_untrue, 800, 200, 200, 200), both_happen},
    {"tampered data are noticed",
     EACH(tampered_data_are_noticed, 4000, 200, 20, 20), some_bounds_are_weaker},
    {"it ends when asked to", it_ends_when_asked_to},
    {"many classes take little", many_classes_take_little},
    {"too little memory is an error", too_little_memory_is_an_error},
};

CHECK_MAIN(cases)
