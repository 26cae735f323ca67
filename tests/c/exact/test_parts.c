/* Searches in parts: whatever is left open by whom, however it is divided, and in whatever order
 * the parts come, their tree and proof are those of one call, and of brute force. */
#include "base/memory.h"
#include "brute.h"
#include "exact/bound/kept.h"
#include "exact/exact.h"
#include "solve.h"

enum { MOST_PARTS = 600, MOST_PIECES = 4000 };

/* A range and the part that left it. */
typedef struct {
    ct_exact_range range;
    const ct_exact_part *of;
} piece;

/* One search, with all of its parts so far. */
typedef struct {
    rng *r;
    const ct_data *data;
    ct_exact_options options;
    ct_exact_part parts[MOST_PARTS];
    ct_exact_result results[MOST_PARTS];
    uint32_t n;
    uint32_t best;     /* the part with the best tree */
    int64_t known[8];  /* of all parts */
    piece pieces[MOST_PIECES];
    uint32_t n_pieces;
    long polls;        /* until a part is stopped; negative: it is not */
    ct_exact_kept kept[2]; /* of two processes */
} game;

static int stop_now(void *data)
{
    game *g = (game *) data;
    return g->polls >= 0 && g->polls-- == 0;
}

/* Others want it back now and then. */
static int wanted(void *data) { return rng_below(((game *) data)->r, 8) > 0; }

static int is_better(const ct_exact_part *a, const ct_exact_part *b)
{
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->feature != b->feature) return a->feature < b->feature;
    return a->threshold < b->threshold;
}

/* Runs the next part; what it has to go on from are `from`, or all thresholds. */
static int run_part(game *g, const ct_exact_open *from, uint64_t most, int is_last)
{
    ct_exact_options options = g->options;
    ct_exact_part *part = &g->parts[g->n];
    ct_exact_start start;
    if (!CHECK(g->n < MOST_PARTS)) return 0;
    part->from = from;
    part->done = is_last ? g->known : NULL;
    part->pause = HUGE_VAL;
    part->most = most;
    part->one_of_several = !is_last && from;
    uint32_t process = rng_below(g->r, 3);
    part->kept = process < 2 ? &g->kept[process] : NULL;
    if (!is_last && rng_below(g->r, 2)) {
        part->wanted = wanted;
        part->wanted_data = g;
    }
    options.part = part;
    if (from) { /* what a part knows may be old */
        uint32_t known = is_last || rng_below(g->r, 3) ? g->best : rng_below(g->r, g->best + 1);
        start = start_of(&g->results[known].tree);
        options.start = &start;
    }
    if (!is_last) {
        g->polls = rng_below(g->r, 3) ? -1 : (long) rng_below(g->r, 30);
        options.stop = stop_now;
        options.stop_data = g;
    }
    if (!solve(g->data, &options, &g->results[g->n])) return 0;
    if (!g->n || (is_better(part, &g->parts[g->best]))) g->best = g->n;
    g->n++;
    return 1;
}

/* Takes in what the latest part has left open and what it knows. */
static void merge(game *g)
{
    const ct_exact_part *part = &g->parts[g->n - 1];
    for (uint32_t i = 0; i <= g->data->n_cols; i++)
        if (part->known[i] < g->known[i]) g->known[i] = part->known[i];
    for (uint32_t i = 0; i < part->open.n && CHECK(g->n_pieces < MOST_PIECES); i++)
        g->pieces[g->n_pieces++] = (piece){part->open.ranges[i], part};
}

static piece take_piece(game *g, uint32_t i)
{
    piece taken = g->pieces[i];
    g->pieces[i] = g->pieces[--g->n_pieces];
    return taken;
}

/* Some of what one part has left open, perhaps divided. */
static void play_some(game *g)
{
    ct_exact_range some[8];
    piece first = take_piece(g, rng_below(g->r, g->n_pieces));
    ct_exact_open from = {some, 1, 0, first.of->open.ends, 0};
    some[0] = first.range;
    if (rng_below(g->r, 2) && some[0].first < some[0].last) {
        piece rest = first;
        some[0].last = some[0].first + rng_below(g->r, some[0].last - some[0].first);
        rest.range.first = some[0].last + 1;
        g->pieces[g->n_pieces++] = rest;
    }
    for (uint32_t i = 0; i < g->n_pieces && from.n < 8; i++)
        if (g->pieces[i].of == first.of && rng_below(g->r, 2))
            some[from.n++] = take_piece(g, i).range;
    if (!run_part(g, &from, 1 + rng_below(g->r, 4), 0)) return;
    if (g->parts[g->n - 1].searched) {
        merge(g);
    } else { /* it was stopped before it began */
        for (uint32_t i = 0; i < from.n; i++)
            g->pieces[g->n_pieces++] = (piece){some[i], first.of};
    }
}

static void begin(game *g)
{
    g->n = g->n_pieces = g->best = 0;
    memset(g->parts, 0, sizeof g->parts);
    for (int i = 0; i < 8; i++) g->known[i] = INT64_MAX;
}

/* The answer in parts; the last result is it. */
static int play(game *g)
{
    begin(g);
    if (!run_part(g, NULL, rng_below(g->r, 4), 0)) return 0;
    if (!g->parts[0].searched) {
        g->n = 0;
        ct_exact_part_free(&g->parts[0]);
        memset(g->parts, 0, sizeof g->parts);
        return run_part(g, NULL, UINT64_MAX, 1);
    }
    merge(g);
    while (g->n_pieces && g->n < MOST_PARTS - 2 && !check_state.failed) play_some(g);
    const ct_exact_open nothing = {0};
    return !check_state.failed && run_part(g, &nothing, 0, 1);
}

static void end_game(game *g)
{
    for (uint32_t i = 0; i < g->n; i++) ct_exact_part_free(&g->parts[i]);
    for (int i = 0; i < 2; i++) ct_exact_kept_free(&g->kept[i]);
    ct_exact_worker_poll_every(0);
}

static void check_game(game *g)
{
    ct_exact_result one;
    ct_exact_options options = g->options;
    options.part = NULL;
    if (!solve(g->data, &options, &one)) return;
    if (play(g)) {
        const ct_exact_result *all = &g->results[g->n - 1];
        CHECK(all->end == CT_END_OPTIMAL && one.end == CT_END_OPTIMAL);
        CHECK(all->cost == one.cost && all->bound == one.bound);
        CHECK(same_tree(&all->tree, &one.tree));
        for (uint32_t f = 0; f < g->data->n_cols; f++)
            CHECK(all->root_bounds[f] >= all->bound);
    }
    end_game(g);
}

/* So small that brute force knows the tree, and looked at after every few rows of work. */
static void small_problems(rng *r, uint32_t seed)
{
    *r = (rng){(seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    ct_exact_worker_poll_every(64);
    static game g;
    static brute b;
    random_table t = table_random(r, 4 + rng_below(r, BRUTE_ROWS - 6), 1 + rng_below(r, 3),
                                  2 + rng_below(r, 2), 0);
    if (rng_below(r, 3) == 0) table_add_weights(&t, r);
    g.r = r;
    g.data = &t.data;
    g.options = ct_exact_options_default();
    g.options.depth = 3 + rng_below(r, 2);
    g.options.threads = 1 + rng_below(r, 2);
    g.options.team_after = 0;
    g.options.min_bucket = 1 + rng_below(r, 2);
    if (rng_below(r, 3) == 0) g.options.complexity = rng_below(r, 32) / 8.0 / t.data.n_rows;
    g.options.any_size = g.options.complexity == 0 && rng_below(r, 3) == 0;
    check_game(&g);
    ct_exact_result one;
    REQUIRE(solve(&t.data, &g.options, &one));
    CHECK_NEAR(brute_optimum(&b, &t.data, &g.options), one.cost, 1e-9 * (1 + one.cost));
    if (!t.data.weights && !(g.options.any_size && one.cost == 0))
        CHECK(brute_is_tree(&b, &one.tree, 0, brute_all(&b), g.options.depth, NULL));
}

/* Tables on which many thresholds are open at a time, with everything that changes the search. */
static void larger_problems(rng *r, uint32_t seed)
{
    *r = (rng){(seed + 1) * UINT64_C(0xd1342543de82ef95)};
    static game g;
    uint32_t n = 40 + rng_below(r, 160);
    random_table t = table_random(r, n, 2 + rng_below(r, 3), 2 + rng_below(r, 3), 0);
    for (uint32_t i = 0; i < n; i += 4)
        t.classes[i] = (int32_t) rng_below(r, t.data.n_classes);
    double *response = (seed + 1) % 3 ? NULL : (double *) keep_new(n, sizeof *response);
    for (uint32_t i = 0; response && i < n; i++) response[i] = rng_below(r, 40) / 4.0;
    if (rng_below(r, 4) == 0) table_add_weights(&t, r);
    ct_data numbers = t.data;
    numbers.n_classes = 0;
    numbers.classes = NULL;
    numbers.response = response;
    g.r = r;
    g.data = response ? &numbers : &t.data;
    g.options = ct_exact_options_default();
    g.options.threads = 1 + rng_below(r, 3);
    g.options.team_after = 0;
    g.options.min_bucket = 1 + rng_below(r, 6);
    if (rng_below(r, 3) == 0) g.options.complexity = 0.01;
    for (int s = 0; s < CT_EXACT_N_SHORTCUTS; s++)
        g.options.off |= (rng_below(r, 8) == 0 ? UINT32_C(1) : 0) << s;
    ct_exact_worker_poll_every(1 << (6 + rng_below(r, 12)));
    check_game(&g);
}

/* What is stopped in the middle says no more than is proven: its bound is below the optimum. */
static void bounds_of_open_parts(rng *r, uint32_t seed)
{
    static game g;
    random_table t = table_random(r, 60 + rng_below(r, 60), 3, 2, 0);
    g.r = r;
    g.data = &t.data;
    g.options = ct_exact_options_default();
    double optimum = solved_cost(&t.data, &g.options);
    begin(&g);
    g.polls = -1;
    REQUIRE(run_part(&g, NULL, 1 + rng_below(r, 5), 1));
    merge(&g);
    ct_exact_open left = g.parts[0].open;
    if (g.parts[0].searched && run_part(&g, &left, 0, 1)) {
        CHECK(g.results[0].bound <= optimum && optimum <= g.results[0].cost);
        CHECK(g.results[1].bound == g.results[0].bound);
        CHECK(g.parts[1].open.n == left.n && g.parts[1].evaluated == 0);
        double least = g.results[0].cost;
        for (uint32_t i = 0; i < left.n; i++) least = fmin(least, left.ranges[i].proven);
        CHECK(least >= g.results[0].bound);
    }
    end_game(&g);
}

/* Bytes of another search are refused, whatever they are. */
static void unsound_ranges(rng *r, uint32_t seed)
{
    random_table t = table_random(r, 30, 2, 2, 0);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_part part = {0}, again = {0};
    ct_exact_result result;
    part.pause = again.pause = HUGE_VAL;
    part.most = 1;
    again.most = UINT64_MAX;
    options.part = &part;
    REQUIRE(solve(&t.data, &options, &result));
    again.from = &part.open;
    options.part = &again;
    for (uint32_t i = 0; part.open.n && i < 3; i++) {
        ct_exact_range *range = &part.open.ranges[rng_below(r, part.open.n)];
        uint32_t what = rng_below(r, 5);
        if (what == 0) range->feature = rng_next(r);
        if (what == 1) range->first = 0;
        if (what == 2) range->last = rng_next(r);
        if (what == 3) range->at = rng_next(r);
        if (what == 4)
            part.open.ends.bytes[rng_below(r, (uint32_t) part.open.ends.n)] ^=
                (uint8_t) rng_next(r);
    }
    ct_status status = ct_exact_solve(&t.data, &options, &result, NULL, &reason);
    CHECK(status == CT_OK || status == CT_BAD_INPUT || status == CT_INTERNAL);
    if (status == CT_OK) ct_exact_result_free(&result);
    ct_exact_part_free(&part);
    ct_exact_part_free(&again);
}

/* A better tree ends a part of several, and a part that is not wanted ends at once. Counted: better
 * trees, and those of them that left something. */
static void parts_that_come_back(rng *r, uint32_t seed)
{
    static game g;
    random_table t = table_random(r, 120, 3, 2, 0);
    g.r = r;
    g.data = &t.data;
    g.options = ct_exact_options_default();
    begin(&g);
    g.polls = -1;
    REQUIRE(run_part(&g, NULL, 1, 1));
    merge(&g);
    ct_exact_open open = g.parts[0].open;
    while (g.parts[0].searched && open.n && g.n < 60) {
        int64_t before = g.parts[g.best].cost;
        ct_exact_part *part = &g.parts[g.n];
        ct_exact_start start = start_of(&g.results[g.best].tree);
        ct_exact_options options = g.options;
        *part = (ct_exact_part){.from = &open, .pause = HUGE_VAL, .most = UINT64_MAX,
                                .one_of_several = 1, .kept = &g.kept[0]};
        options.part = part;
        options.start = &start;
        if (!solve(g.data, &options, &g.results[g.n])) break;
        CHECK(part->cost < before || !part->open.n);
        check_state.tally[0] += part->cost < before;
        check_state.tally[1] += part->cost < before && part->open.n;
        if (part->cost < before) g.best = g.n;
        open = part->open;
        g.n++;
    }
    end_game(&g);
}

static void some_came_back(void)
{
    CHECK(check_state.tally[0] > 0 && check_state.tally[1] > 0);
}

/* Columns that were cut short by one part are so for the next; what is of other data is refused. */
static void what_is_kept(void)
{
    static ct_exact_kept kept;
    rng r = {5};
    random_table one = table_random(&r, 40, 2, 2, 0), other = table_random(&r, 41, 2, 2, 0);
    ct_exact_part part = {.pause = HUGE_VAL, .most = 1, .kept = &kept};
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    options.part = &part;
    options.max_thresholds = 3;
    for (int i = 0; i < 2; i++) {
        REQUIRE(solve(&one.data, &options, &result));
        CHECK(result.capped);
        ct_exact_part_free(&part);
    }
    CHECK_FAILS(ct_exact_solve(&other.data, &options, &result, NULL, &reason), CT_BAD_INPUT);
    ct_exact_part_free(&part);
    ct_exact_kept_free(&kept);
}

static const check_case cases[] = {
    {"small problems", EACH(small_problems, 1, 1000, 40, 40)},
    {"larger problems", EACH(larger_problems, 1, 20, 3, 3)},
    {"bounds of what is open", EACH(bounds_of_open_parts, 1, 40, 3, 3)},
    {"parts that come back", EACH(parts_that_come_back, 1, 30, 30, 30), some_came_back},
    {"what is kept", what_is_kept},
    {"unsound ranges", EACH(unsound_ranges, 1, 400, 20, 20)},
};
CHECK_MAIN(cases)
