/* What a search remembers, against brute force: not only its answers. */
#include "instance_bounds.h"

#include "gpu/twin.h"
#include "instance_random.h"

/* Few rows, many ties, and complexity more often than not: with it a split that separates nothing
 * still costs something. */
static random_table small_table(rng *r)
{
    uint32_t n_rows = 3 + rng_below(r, BOUND_ROWS - 2);
    random_table t = table_random(r, n_rows, 1 + rng_below(r, 4), 2 + rng_below(r, 3), 1);
    uint32_t kind = rng_below(r, 3);
    for (uint32_t col = 0; kind && col < t.data.n_cols; col++)
        for (uint32_t i = 0; i < n_rows; i++)
            table_column(&t, col)[i] = rng_below(r, kind == 1 ? 2 : 5);
    for (uint32_t i = 0; i < n_rows; i++)
        if (rng_below(r, 3) == 0) t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    if (rng_below(r, 3) == 0) table_add_weights(&t, r);
    if (rng_below(r, 8) == 0) spread_weights(r, &t);
    if (rng_below(r, 3) == 0) table_add_loss(&t, r);
    if (rng_below(r, 6) == 0) table_add_roots(&t, r);
    return t;
}

static ct_exact_options small_options(rng *r, const random_table *t)
{
    ct_exact_options o = ct_exact_options_default();
    o.depth = 2 + rng_below(r, 3);
    o.price_rows = 0;
    if (rng_below(r, 4)) o.complexity = (1 + rng_below(r, 12)) / 8.0 / t->data.n_rows;
    if (rng_below(r, 4) == 0) o.complexity = rng_unit(r) * rng_unit(r) * 0.2;
    if (rng_below(r, 4) == 0) o.min_bucket = 1 + rng_below(r, 4);
    if (rng_below(r, 5) == 0) o.min_split = 1 + rng_below(r, 6);
    if (rng_below(r, 4) == 0) o.max_thresholds = 1 + rng_below(r, 4);
    if (rng_below(r, 6) == 0) o.max_gap = rng_unit(r) * dearest_of(&t->data) / 4;
    if (rng_below(r, 8) == 0) o.max_cost = rng_unit(r) * dearest_of(&t->data) / 2;
    if (rng_below(r, 6) == 0) o.device = CT_EXACT_DEVICE_TWIN;
    if (rng_below(r, 6) == 0) o.plane_budget = 0, o.wide_rows = rng_below(r, 2) * 1024;
    if (rng_below(r, 4) == 0) o.any_of_ties = 1;
    if (rng_below(r, 2)) o.word_rows = 0;
    if (rng_below(r, 2)) o.tally_rows = 0;
    if (rng_below(r, 2)) o.test_rows = 0;
    for (int s = 0; s < CT_EXACT_N_SHORTCUTS && rng_below(r, 2); s++)
        if (rng_below(r, 3) == 0) o.off |= UINT32_C(1) << s;
    if (rng_below(r, 8) == 0) o.threads = 2, o.team_after = 0;
    o.roots = t->roots;
    return o;
}

static void remembered_bounds_hold(rng *r, uint32_t i)
{
    random_table t = small_table(r);
    ct_exact_options options = small_options(r, &t);
    check_state.tally[0] += (uint32_t) bounds_hold(&t, &options);
    if (!check_state.failed) return;
    instance in = {t, options, NAN};
    instance_write(stdout, &in);
}

static void most_were_answered(void)
{
    CHECK(check_state.tally[0] > check_state.seeds * 9 / 10);
    CHECK(bounds_state.seen > 100 * (uint64_t) check_state.seeds); /* somebody listened */
}

/* A search that runs out of memory keeps what it has proven, and makes nothing up: with each limit
 * from too little to enough. */
static void bounds_hold_without_memory(rng *r, uint32_t i)
{
    random_table t = table_random(r, 6 + rng_below(r, 4), 2, 2, 1);
    ct_exact_options options = ct_exact_options_default();
    int answers = 0;
    options.depth = 3 + i % 2;
    options.plane_budget = 0;
    for (size_t limit = 4000; limit < 60000; limit += 40) {
        options.memory_limit = limit;
        answers += bounds_hold(&t, &options);
    }
    CHECK(answers > 100);
}

static const check_case cases[] = {
    {"remembered bounds hold", EACH(remembered_bounds_hold, 1, 2000, 100, 100), most_were_answered},
    {"bounds hold without memory", EACH(bounds_hold_without_memory, 23087, 6, 2, 2)},
};

CHECK_MAIN(cases)
