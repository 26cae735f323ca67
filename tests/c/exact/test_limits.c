/* Starts, limits, caps, gaps, threads and a device that may fail, together, on small tables with
 * costs of all widths: instance_units.h. */
#include "instance_check.h"
#include "instance_random.h"

/* The smallest instances of fuzz_search, and more of them. */
static void small_instances(rng *r, uint32_t i)
{
    *r = (rng){(i + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    unsigned depth = 1 + rng_below(r, 4);
    instance in;
    in.optimum = NAN;
    in.table = table_random(r, 2 + rng_below(r, UNIT_ROWS - 1), 1 + rng_below(r, 3),
                            2 + rng_below(r, 3), (int) rng_below(r, 2));
    in.options = random_options(r, depth, in.table.data.n_rows);
    if (rng_below(r, 2)) table_add_weights(&in.table, r);
    if (rng_below(r, 2)) spread_weights(r, &in.table);
    if (rng_below(r, 3) == 0) table_add_loss(&in.table, r);
    if (rng_below(r, 5) == 0) table_add_roots(&in.table, r);
    double scale = dearest_of(&in.table.data) / in.table.data.n_rows;
    in.options.max_gap *= scale;
    in.options.max_cost *= scale;
    if (rng_below(r, 2)) in.options.max_thresholds = 1 + rng_below(r, 4);
    ct_exact_options rules = ct_exact_options_default();
    rules.depth = depth;
    rules.complexity = ldexp(rng_below(r, 3) * rng_below(r, 9), -7);
    rules.any_size = in.options.any_size && rules.complexity == 0;
    rules.min_bucket = in.options.min_bucket;
    rules.min_split = in.options.min_split;
    rules.max_thresholds = in.options.max_thresholds;
    rules.roots = in.table.roots;
    check_units(&in, &rules);
}

static const check_case cases[] = {
    {"small instances", EACH(small_instances, 0, 1500, 60, 60)},
};
CHECK_MAIN(cases)
