/* Schedules: their text, their rules, and the loop IR that they become, against the interpreter. */
#include "check.h"
#include "interpret_rows.h"
#include "forge/schedule/calls.h"
#include "ir_run.h"
#include "schedule_random.h"

static any_ensemble drawn;
static ct_forge_nest nest, again;
static ct_forge_ir ir;

/* ---- text ---- */

static int same_tree(const ct_forge_nest *a, const ct_forge_nest *b)
{
    return a->n_statements == b->n_statements && a->n_loops == b->n_loops &&
           a->first == b->first && a->layout == b->layout &&
           !memcmp(a->loops, b->loops, (size_t) a->n_loops * sizeof *a->loops);
}

static void check_text(const ct_forge_nest *n)
{
    ct_forge_text text = {NULL, 0, 0, 0}, second = {NULL, 0, 0, 0};
    ct_error error = {CT_OK, ""};
    ct_forge_nest_print(n, &text);
    CHECK_INT(ct_forge_nest_parse(&again, text.at, &error), CT_OK);
    CHECK(same_tree(n, &again));
    ct_forge_nest_print(&again, &second);
    if (!CHECK(!strcmp(text.at, second.at))) printf("%s", text.at);
    ct_forge_text_free(&text);
    ct_forge_text_free(&second);
}

static void prints_what_it_reads(void)
{
    static const char given[] = "# XGBoost's\n schedule 1 \n\n tile( batch ,b0, b1,64 )# tiles\r\n"
                                "reorder(b0,tree,b1)\nparallel(b0)";
    static const char printed[] = "schedule 1\ntile(batch, b0, b1, 64)\nreorder(b0, tree, b1)\n"
                                  "parallel(b0)\n";
    ct_forge_text text = {NULL, 0, 0, 0};
    REQUIRE(ct_forge_nest_parse(&nest, given, NULL) == CT_OK);
    ct_forge_nest_print(&nest, &text);
    CHECK(!strcmp(text.at, printed));
    ct_forge_text_free(&text);
    int b0 = ct_forge_nest_find(&nest, "b0"), tree = ct_forge_nest_find(&nest, "tree");
    CHECK_INT(nest.first, b0);
    CHECK_INT(nest.loops[b0].inner, tree);
    CHECK_INT(nest.loops[nest.loops[tree].inner].stop, 64);
    CHECK_INT(nest.loops[b0].step, 64);
    CHECK_INT(nest.loops[b0].marked[CT_FORGE_PARALLEL], 3);
}

static void split_copies_what_is_within(void)
{
    REQUIRE(ct_forge_nest_parse(&nest, "schedule 1\nreorder(tree, batch)\ninterleave(batch, 4)\n"
                                       "split(tree, low, high, 3)\n", NULL) == CT_OK);
    int low = ct_forge_nest_find(&nest, "low"), high = ct_forge_nest_find(&nest, "high");
    CHECK_INT(nest.first, low);
    CHECK_INT(nest.loops[low].next, high);
    CHECK_INT(nest.loops[low].stop, 3);
    CHECK_INT(nest.loops[high].start, 3);
    CHECK_INT(nest.loops[low].inner, ct_forge_nest_find(&nest, "batch_low"));
    CHECK_INT(nest.loops[high].inner, ct_forge_nest_find(&nest, "batch_high"));
    CHECK_INT(nest.loops[nest.loops[high].inner].number[CT_FORGE_INTERLEAVE], 4);
    CHECK_INT(ct_forge_nest_find(&nest, "batch"), -1);
}

/* Bytes, and texts with a few bytes changed: never a crash, and an error that names a rule. */
static void any_text(void)
{
    static const char letters[] = "schedule 1\n(),b0batchtreeilk_#-";
    for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 300 : 4000); seed++) {
        ct_rng r = ct_rng_of(seed, 3, 0);
        char text[400];
        uint32_t n = ct_rng_below(&r, 200), first = 0;
        if (ct_rng_below(&r, 4)) {
            strcpy(text, any_templates[ct_rng_below(&r, 9)]);
            first = (uint32_t) strlen(text);
            n = ct_rng_below(&r, 8);
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = first ? ct_rng_below(&r, first) : i;
            text[at] = ct_rng_below(&r, 8) ? letters[ct_rng_below(&r, sizeof letters - 1)]
                                           : (char) (1 + ct_rng_below(&r, 255));
        }
        text[first ? first : n] = 0;
        ct_error error = {CT_OK, ""};
        if (ct_forge_nest_parse(&nest, text, &error) != CT_OK) CHECK(strstr(error.message,
                                                                            "(rule "));
        else check_text(&nest);
    }
}

/* ---- rules ---- */

/* Trees of depths 3 and 5, with a leaf below the root of the second. */
static const uint32_t deep[] = {3, 5}, shallow[] = {3, 1}, n_nodes[] = {15, 21};
static const ct_forge_shape two_trees = {2, 4, 1, 5, deep, shallow, n_nodes, 1, 0, 0};

#define GPU_NEST "tile(batch, b0, b1, 8)\nreorder(b0, b1, tree)\n"                                 \
                 "gpuDimension(b0, grid.x)\ngpuDimension(b1, block.x)\n"

/* What breaks each rule, and which loop or statement is to be named. */
static const struct {
    ct_forge_rule rule;
    const char *text, *named;
} broken[] = {
    {CT_FORGE_RULE_SYNTAX, "tile batch", "line 2"},
    {CT_FORGE_RULE_SYNTAX, "cache(batch", "line 2"},
    {CT_FORGE_RULE_SYNTAX, "cache(batch) cache(tree)", "line 2"},
    {CT_FORGE_RULE_DIRECTIVE, "\ntiles(batch, a, b, 2)", "line 3"},
    {CT_FORGE_RULE_DIRECTIVE, "unroll(tree)", "use unrollWalk"},
    {CT_FORGE_RULE_DIRECTIVE, "specialize(tree)", "use split"},
    {CT_FORGE_RULE_ARGUMENTS, "tile(batch, a, b)", "line 2"},
    {CT_FORGE_RULE_ARGUMENTS, "tile(batch, a, b, many)", "line 2"},
    {CT_FORGE_RULE_ARGUMENTS, "gpuDimension(batch, grid.w)", "line 2"},
    {CT_FORGE_RULE_LOOP, "cache(b0)", "statement 1, cache: there is no loop 'b0'"},
    {CT_FORGE_RULE_LOOP, "tile(batch, a, b, 2)\ncache(batch)", "statement 2, cache: loop 'batch'"},
    {CT_FORGE_RULE_NAME, "tile(batch, tree, b, 2)", "statement 1, tile: loop 'batch'"},
    {CT_FORGE_RULE_NAME, "tile(batch, a, a, 2)", "statement 1, tile"},
    {CT_FORGE_RULE_NAME, "tile(batch, 1a, b, 2)", "'1a'"},
    {CT_FORGE_RULE_ONCE, "cache(batch)\ncache(batch)", "statement 2, cache: loop 'batch'"},
    {CT_FORGE_RULE_ONCE, "represent(array)\nrepresent(array)", "statement 2, represent"},
    {CT_FORGE_RULE_MARKED, "parallel(batch)\ntile(batch, a, b, 2)", "parallel was said"},
    {CT_FORGE_RULE_TILE_SIZE, "tile(batch, a, b, 0)", "statement 1, tile: loop 'batch'"},
    {CT_FORGE_RULE_TILE_SIZE, "tile(batch, a, b, -4)", "loop 'batch'"},
    {CT_FORGE_RULE_SPLIT_RANGE, "split(batch, a, b, 0)", "statement 1, split: loop 'batch'"},
    {CT_FORGE_RULE_SPLIT_RANGE, "tile(batch, a, b, 8)\nsplit(b, c, d, 8)", "loop 'b'"},
    {CT_FORGE_RULE_SPLIT_STEP, "tile(batch, a, b, 8)\nsplit(a, c, d, 12)", "steps of 8"},
    {CT_FORGE_RULE_REORDER_TWICE, "reorder(tree, tree)", "loop 'tree'"},
    {CT_FORGE_RULE_REORDER_CHAIN, "tile(batch, a, b, 8)\nreorder(a, tree)", "loop 'a'"},
    {CT_FORGE_RULE_REORDER_PERFECT, "split(tree, a, b, 1)\nreorder(a, batch)", "loop 'batch'"},
    {CT_FORGE_RULE_FACTOR, "interleave(tree, 17)", "statement 1, interleave: loop 'tree'"},
    {CT_FORGE_RULE_FACTOR, "unrollWalk(tree, 0)", "loop 'tree'"},
    {CT_FORGE_RULE_GPU_ONCE, GPU_NEST "gpuDimension(tree, block.x)", "loop "},
    {CT_FORGE_RULE_GPU_GRID, GPU_NEST "gpuDimension(tree, grid.y)", "statement 5, gpuDimension"},
    {CT_FORGE_RULE_GPU_NEST, "tile(batch, b0, b1, 8)\nsplit(b1, c, d, 4)\ngpuDimension(c, block.x)",
     "loop 'c'"},
    {CT_FORGE_RULE_GPU_STATIC, "gpuDimension(batch, block.x)", "loop 'batch'"},
    {CT_FORGE_RULE_GPU_THREADS, "tile(batch, b0, b1, 1025)\ngpuDimension(b1, block.x)",
     "loop 'b1'"},
    {CT_FORGE_RULE_GPU_THREADS, "tile(batch, b0, b1, 65)\ngpuDimension(b1, block.z)", "loop 'b1'"},
    {CT_FORGE_RULE_GPU_PARALLEL, GPU_NEST "parallel(tree)", "statement 5, parallel: loop 'tree'"},
    {CT_FORGE_RULE_CACHE_UNIFORM, GPU_NEST "cache(b1)", "statement 5, cache: loop 'b1'"},
    {CT_FORGE_RULE_CACHE_UNIFORM, "tile(batch, b0, u, 8)\ntile(u, b1, b2, 2)\n"
     "gpuDimension(b1, block.x)\ncache(b2)", "loop 'b2'"},
    {CT_FORGE_RULE_CACHE_UNIFORM, "tile(batch, b0, b1, 8)\nreorder(b1, b0, tree)\n"
     "gpuDimension(b1, block.x)\ncache(tree)", "'b0' more or less often"},
    {CT_FORGE_RULE_CACHE_FITS, "tile(batch, b0, b1, 2000)\ngpuDimension(b0, grid.x)\ncache(b0)",
     "loop 'b0'"},
    {CT_FORGE_RULE_CACHE_TREES, "cache(tree)", "statement 1, cache: loop 'tree'"},
    {CT_FORGE_RULE_INNERMOST, "interleave(batch, 2)", "loop 'batch'"},
    {CT_FORGE_RULE_INNERMOST, "unrollWalk(batch, 5)", "loop 'batch'"},
    {CT_FORGE_RULE_LANES, "reorder(tree, batch)\ninterleave(batch, 4)\nsimdize(batch, 4)",
     "loop 'batch'"},
    {CT_FORGE_RULE_UNROLL_DEPTH, "unrollWalk(tree, 4)", "tree 2 is 5 deep"},
    {CT_FORGE_RULE_PEEL_DEPTH, "peelWalk(tree, 2)", "tree 2 has a leaf below 1"},
    {CT_FORGE_RULE_UNROLL_PEEL, "unrollWalk(tree, 5)\npeelWalk(tree, 1)", "statement 2, peelWalk"},
    {CT_FORGE_RULE_TREE_LOOP, "parallel(batch)\natomicReduce(batch)", "loop 'batch'"},
    {CT_FORGE_RULE_CONFLICT, "vectorReduce(tree, 4)", "loop 'tree'"},
    {CT_FORGE_RULE_ONE_REDUCTION, "parallel(tree)\natomicReduce(tree)\nvectorReduce(tree, 4)",
     "loop 'tree'"},
    {CT_FORGE_RULE_SHARED_GPU, "parallel(tree)\nsharedReduce(tree)", "statement 2, sharedReduce"},
    {CT_FORGE_RULE_SHARED_ONE,
     "tile(batch, b0, b1, 8)\ntile(tree, t0, t1, 1)\nreorder(b0, t0, t1, b1)\n"
     "gpuDimension(b0, grid.x)\ngpuDimension(t0, block.x)\ngpuDimension(t1, block.y)\n"
     "sharedReduce(t0)", "'t1' is parallel"},
    {CT_FORGE_RULE_SHARED_GRID, "gpuDimension(tree, block.x)\nsharedReduce(tree)", "loop 'tree'"},
    {CT_FORGE_RULE_SIMD_ROWS, "simdize(tree, 8)", "loop 'tree'"},
    {CT_FORGE_RULE_SIMD_WIDTH, "reorder(tree, batch)\nsimdize(batch, 64)", "64 lanes of sparse"},
    {CT_FORGE_RULE_ORDER, "parallel(tree)", "reproducible"},
    {CT_FORGE_RULE_PLANES_NEST, "represent(planes)", "statement 1, represent: loop "},
    {CT_FORGE_RULE_PLANES_NEST, "tile(batch, b0, b1, 64)\nreorder(b0, tree, b1)\nsimdize(b1, 512)\n"
     "represent(planes)", "loop 'b1'"},
    {CT_FORGE_RULE_PLANES_CPU, GPU_NEST "represent(planes)", "statement 5, represent"}};

static void rules_name_what_breaks_them(void)
{
    int seen[CT_FORGE_N_RULES] = {0};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char text[600], rule[64];
        ct_error error = {CT_OK, ""};
        snprintf(text, sizeof text, "schedule 1\n%s\n", broken[i].text);
        snprintf(rule, sizeof rule, "(rule %s)", ct_forge_rule_name(broken[i].rule));
        ct_status status = ct_forge_nest_parse(&nest, text, &error);
        if (status == CT_OK) status = ct_forge_nest_check(&nest, &two_trees, &error);
        if (!CHECK(status == CT_BAD_INPUT && strstr(error.message, rule) &&
                   strstr(error.message, broken[i].named)))
            printf("    %s\n    %s\n", broken[i].text, error.message);
        seen[broken[i].rule] = 1;
    }
    seen[CT_FORGE_RULE_VERSION] = seen[CT_FORGE_RULE_SIZE] = 1;
    seen[CT_FORGE_RULE_REPRESENT] = seen[CT_FORGE_RULE_MODELS] = 1;
    for (int i = 0; i < CT_FORGE_N_RULES; i++)
        if (!CHECK(seen[i])) printf("    nothing breaks %s\n",
                                    ct_forge_rule_name((ct_forge_rule) i));
}

static void expect_rule(const char *text, const ct_forge_shape *shape, ct_forge_rule rule)
{
    char wanted[64];
    ct_error error = {CT_OK, ""};
    ct_status status = ct_forge_nest_parse(&nest, text, &error);
    if (status == CT_OK) status = ct_forge_nest_check(&nest, shape, &error);
    snprintf(wanted, sizeof wanted, "(rule %s)", ct_forge_rule_name(rule));
    if (!CHECK(status == CT_BAD_INPUT && strstr(error.message, wanted)))
        printf("    %s\n    %s\n", wanted, error.message);
}

static void rules_of_sizes_and_forests(void)
{
    expect_rule("", &two_trees, CT_FORGE_RULE_VERSION);
    expect_rule("schedule 2\n", &two_trees, CT_FORGE_RULE_VERSION);
    expect_rule("cache(batch)\n", &two_trees, CT_FORGE_RULE_VERSION);
    ct_forge_text text = {NULL, 0, 0, 0};
    ct_forge_text_add(&text, "schedule 1\n");
    for (int i = 0; i < 20; i++) ct_forge_text_add(&text, "tile(%s%d, a%d, b%d, 2)\n", i ? "a"
                                                   : "batch", i ? i - 1 : 0, i, i);
    char *first = strstr(text.at, "batch0");
    memmove(first + 5, first + 6, strlen(first + 6) + 1);
    expect_rule(text.at, &two_trees, CT_FORGE_RULE_SIZE);
    ct_forge_text_free(&text);
    ct_forge_shape other = two_trees;
    other.has_models = 1;
    expect_rule("schedule 1\n", &other, CT_FORGE_RULE_MODELS);
    other = two_trees;
    other.deepest = 13;
    expect_rule("schedule 1\nrepresent(array)\n", &other, CT_FORGE_RULE_REPRESENT);
    other = two_trees;
    other.has_planes = 0;
    expect_rule(any_templates[1], &other, CT_FORGE_RULE_REPRESENT);
    other = two_trees;
    other.n_used = 800;
    expect_rule("schedule 1\n" GPU_NEST "cache(b0)\n", &other, CT_FORGE_RULE_CACHE_FITS);
    other.any_order = 1;
    CHECK_INT(ct_forge_nest_parse(&nest, "schedule 1\nparallel(tree)\n", NULL), CT_OK);
    CHECK_INT(ct_forge_nest_check(&nest, &other, NULL), CT_OK);
    expect_rule("schedule 1\ntile(tree, t0, t1, 1)\nreorder(t1, t0)\ntile(t0, a, b, 1)\n"
                "reorder(b, a)\ntile(t1, c, d, 1)\nparallel(a)\n", &two_trees, CT_FORGE_RULE_ORDER);
    uint32_t deeps[] = {3, 3, 3, 3, 3};
    ct_forge_shape five = {5, 4, 1, 3, deeps, deeps, n_nodes, 1, 0, 0};
    expect_rule("schedule 1\ntile(tree, t0, t1, 2)\nreorder(batch, t1, t0)\n", &five,
                CT_FORGE_RULE_ORDER);
}

/* Whatever is said, an error names a rule and leaves the nest as it was. */
static void illegal_statements(void)
{
    for (uint32_t seed = 0; seed < (CHECK_QUICK() ? 200 : 3000); seed++) {
        static ct_forge_nest before;
        ct_rng r = ct_rng_of(seed, 4, 0);
        ct_forge_nest_begin(&nest);
        for (int i = 0; i < 12; i++) {
            ct_forge_statement s = any_statement(&r, &nest);
            ct_error error = {CT_OK, ""};
            if (s.n_words && ct_rng_below(&r, 6) == 0) s.words[0][0] = 'q';
            before = nest;
            if (ct_forge_nest_add(&nest, &s, &error) != CT_OK) {
                CHECK(strstr(error.message, "(rule "));
                CHECK(!memcmp(&before, &nest, sizeof nest));
            }
            if (ct_forge_nest_check(&nest, &two_trees, &error) != CT_OK)
                CHECK(strstr(error.message, "(rule ") != NULL);
        }
    }
}

/* ---- the loop IR ---- */

/* The same rows as columns, through kernels on one and more threads. */
static int calls_agree(const ct_forged *f, const double *x, uint32_t n_rows, int any_order,
                       const double *expected)
{
    static double columns_of[ANY_ROWS * ANY_FEATURES], got[ANY_ROWS * ANY_OUTPUTS];
    ct_column columns[ANY_FEATURES];
    ct_forge_text text = {NULL, 0, 0, 0};
    ct_forge_scheduled s;
    ct_error error = {CT_OK, ""};
    uint32_t n_cols = f->ensemble->n_features;
    for (uint32_t col = 0; col < n_cols; col++) {
        double *to = columns_of + (size_t) col * n_rows;
        for (uint32_t i = 0; i < n_rows; i++) to[i] = x[(size_t) i * n_cols + col];
        columns[col] = (ct_column){to, CT_DOUBLE};
    }
    ct_forge_nest_print(&nest, &text);
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    ct_arena_init(&arena, &budget);
    int fine = CHECK_INT(ct_forge_scheduled_new(f, text.at, any_order, &arena, &s, &error), CT_OK);
    for (unsigned threads = 1; fine && threads <= 3; threads += 2) {
        ct_forge_run run = {CT_FORGE_WAY_AUTO, threads, ct_cpu_find("auto"), NULL, NULL, 0};
        CHECK_INT(ct_forge_scheduled_predict(&s, columns, n_rows, &run, got, &error), CT_OK);
        size_t n = (size_t) n_rows * f->ensemble->n_outputs;
        fine = CHECK(!memcmp(got, expected, n * sizeof *got));
    }
    ct_forge_text_free(&text);
    ct_arena_free(&arena);
    return fine;
}

static void check_random(uint32_t seed)
{
    static double x[ANY_ROWS * ANY_FEATURES], got[ANY_ROWS * ANY_OUTPUTS], row[ANY_OUTPUTS];
    ct_rng r = ct_rng_of(seed, 11, 0);
    int any_order = (int) ct_rng_below(&r, 2);
    any_forest(&r, &drawn, any_order);
    ct_forged f;
    ct_error error = {CT_OK, ""};
    REQUIRE(ct_forge(&drawn.ensemble, &f, NULL) == CT_OK);
    const ct_forge_shape *shape = ct_forge_shape_of(&f, any_order, &f.arena);
    any_schedule(&r, shape, &nest);
    check_text(&nest);
    uint32_t n_rows = ct_rng_below(&r, ANY_ROWS + 1), k = drawn.ensemble.n_outputs;
    any_rows(&r, &drawn, n_rows, x);
    int fine = CHECK_INT(ct_forge_ir_lower(&ir, &nest, shape, CT_FORGE_LOW, &error), CT_OK) &&
               CHECK_INT(run_ir(&ir, &drawn.ensemble, x, n_rows, got, &error), CT_OK);
    for (uint32_t i = 0; fine && i < n_rows; i++) {
        interpret_row(&drawn.ensemble, x + (size_t) i * drawn.ensemble.n_features, row);
        for (uint32_t j = 0; fine && j < k; j++)
            fine = CHECK(!memcmp(&row[j], &got[(size_t) j * n_rows + i], sizeof *row));
    }
    fine = fine && calls_agree(&f, x, n_rows, any_order, got);
    if (!fine) {
        ct_forge_text text = {NULL, 0, 0, 0};
        ct_forge_nest_print(&nest, &text);
        ct_forge_ir_print(&ir, &text);
        printf("    seed %u: %s\n%s", seed, error.message, text.at);
        ct_forge_text_free(&text);
    }
    ct_forged_free(&f);
}

/* SCHEDULES: how many; 10,000 on demand. */
static void random_schedules(void)
{
    const char *wanted = getenv("SCHEDULES");
    uint32_t n = wanted ? (uint32_t) atol(wanted) : CHECK_SLOW() ? 20 : CHECK_QUICK() ? 150 : 800;
    for (uint32_t seed = 0; seed < n; seed++) check_random(seed);
}

static void prints_each_level(void)
{
    static const char *const printed[] = {
        "predict(rows[N], trees[2], sparse) -> margins[N][1] {  # high\n"
        "    margins = predictEnsemble(rows; trees, sums in any order) under\n"
        "        tile(batch, b0, b1, 64)\n        reorder(b0, tree, b1)\n"
        "        parallel(tree)\n        interleave(b1, 4)\n}\n",
        "predict(rows[N], trees[2], sparse) -> margins[N][1] {  # mid\n"
        "    sums[row][output] = base[output]\n    for b0 = 0 .. N step 64 {  # rows\n"
        "        partial_tree[2][row][output] = -0\n"
        "        parallel for tree = 0 .. 2 {  # trees\n"
        "            for b1 = 0 .. 64 {  # rows\n"
        "                leaf = walkDecisionTree(tree = tree, row = b0 + b1; 4 at once of b1)\n"
        "                reduce(partial_tree[tree][row], value(leaf); sum)\n            }\n"
        "        }\n        reduceDim(sums, partial_tree, rows b0 + 0 .. 64; sum)\n    }\n"
        "    margins = sums / divisor\n}\n"};
    ct_forge_shape shape = two_trees;
    shape.any_order = 1;
    REQUIRE(ct_forge_nest_parse(&nest,
                                "schedule 1\ntile(batch, b0, b1, 64)\nreorder(b0, tree, b1)\n"
                                       "parallel(tree)\ninterleave(b1, 4)\n", NULL) == CT_OK);
    for (int level = CT_FORGE_HIGH; level <= CT_FORGE_LOW; level++) {
        ct_forge_text text = {NULL, 0, 0, 0};
        CHECK_INT(ct_forge_ir_lower(&ir, &nest, &shape, (ct_forge_ir_level) level, NULL), CT_OK);
        ct_forge_ir_print(&ir, &text);
        if (level < CT_FORGE_LOW && !CHECK(!strcmp(text.at, printed[level]))) printf("%s", text.at);
        if (level == CT_FORGE_LOW)
            CHECK(strstr(text.at, "for b1 = 0 .. min(64, N - b0)") &&
                  strstr(text.at, "loadThreshold(sparse, tree, node)"));
        ct_forge_text_free(&text);
    }
}

/* Threads whose tiles reach into each other's rows, as 61 does not divide 64 or as rows of a tile
 * are not next to each other, add what they have of their own alone. */
static void threads_add_their_own_rows(void)
{
    static const char *const overlapping[] = {
        "reorder(b0, tree, b1)\nparallel(b0)\ntile(b1, x, y, 61)\nparallel(tree)\n",
        "reorder(b1, b0, tree)\nparallel(b1)\nparallel(tree)\n"};
    static const char *const apart[] = {
        "reorder(b0, tree, b1)\nparallel(b0)\ntile(b1, x, y, 32)\nparallel(tree)\n",
        "reorder(b0, tree, b1)\ntile(b1, x, y, 61)\nparallel(tree)\n"};
    ct_forge_shape shape = two_trees;
    shape.any_order = 1;
    for (int i = 0; i < 4; i++) {
        char given[200];
        ct_forge_text text = {NULL, 0, 0, 0};
        snprintf(given, sizeof given, "schedule 1\ntile(batch, b0, b1, 64)\n%s",
                 (i < 2 ? overlapping : apart)[i % 2]);
        REQUIRE(ct_forge_nest_parse(&nest, given, NULL) == CT_OK);
        CHECK_INT(ct_forge_ir_lower(&ir, &nest, &shape, CT_FORGE_LOW, NULL), CT_OK);
        ct_forge_ir_print(&ir, &text);
        if (!CHECK((strstr(text.at, "; sum, where not -0)") != NULL) == (i < 2)))
            printf("%s", text.at);
        ct_forge_text_free(&text);
    }
}

/* What no pass makes is found: sums that two threads add to, and a walk whose leaf nobody takes. */
static void verifier_sees_faults(void)
{
    ct_forge_shape shape = two_trees;
    shape.any_order = 1;
    REQUIRE(ct_forge_nest_parse(&nest, "schedule 1\nparallel(tree)\n", NULL) == CT_OK);
    for (int fault = 0; fault < 4; fault++) {
        REQUIRE(ct_forge_ir_lower(&ir, &nest, &shape, CT_FORGE_LOW, NULL) == CT_OK);
        for (int i = 0; i < ir.n_nodes; i++) {
            ct_forge_ir_node *node = &ir.nodes[i];
            if (fault == 0 && node->kind == CT_FORGE_IR_REDUCE) node->target = CT_FORGE_TO_RESULT;
            if (fault == 1 && node->kind == CT_FORGE_IR_WALK) node->next = -1;
            if (fault == 2 && node->kind == CT_FORGE_IR_FOR) node->n_bounds = 0;
            if (fault == 3 && node->kind == CT_FORGE_IR_PRIVATE) node->loop = 0;
        }
        CHECK_INT(ct_forge_ir_verify(&ir, NULL), CT_INTERNAL);
    }
}

static const check_case cases[] = {
    {"text: prints what it reads", prints_what_it_reads},
    {"text: any bytes", any_text},
    {"split copies what is within", split_copies_what_is_within},
    {"rules name what breaks them", rules_name_what_breaks_them},
    {"rules of sizes and forests", rules_of_sizes_and_forests},
    {"rules: illegal statements", illegal_statements},
    {"random schedules equal the interpreter", random_schedules},
    {"prints each level", prints_each_level},
    {"threads add their own rows", threads_add_their_own_rows},
    {"verifier sees faults", verifier_sees_faults},
};
CHECK_MAIN(cases)
