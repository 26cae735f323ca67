/* Remembered bounds against a function of row sets for which facts M and Lip hold. */
#include "check.h"
#include "random.h"
#include "exact/bound/cache.h"

enum { ROWS = 200, COLS = 3, VALUES = 12, UNIT_SHIFT = 3 };

static uint32_t rank_of[COLS][ROWS];
static int marked[ROWS];

static int holds(const ct_path *path, uint32_t row)
{
    for (uint32_t i = 0; i < path->n; i++)
        if ((rank_of[path->line[i] / 2][row] < path->threshold[i]) == (int) (path->line[i] % 2))
            return 0;
    return 1;
}

static uint32_t size_of(const ct_path *path)
{
    uint32_t n = 0;
    for (uint32_t row = 0; row < ROWS; row++) n += (uint32_t) holds(path, row);
    return n;
}

/* Grows with the set, by at most one unit a row, and differs between depths. */
static int64_t value_of(const ct_path *path, unsigned depth)
{
    int64_t n = 0;
    for (uint32_t row = 0; row < ROWS; row++) n += holds(path, row) && marked[row];
    return (n << UNIT_SHIFT) / (int64_t) (depth - 1);
}

static ct_path random_path(rng *r, uint32_t splits)
{
    ct_path path = {0};
    for (uint32_t i = 0; i < splits; i++) {
        uint32_t f = rng_below(r, COLS), side = rng_below(r, 2), low = 1, high = VALUES - 1;
        for (uint32_t j = 0; j < path.n; j++) { /* a split separates the rows at hand */
            if (path.line[j] == 2 * f) high = path.threshold[j];
            if (path.line[j] == 2 * f + 1) low = path.threshold[j];
        }
        path = ct_path_extend(&path, f, (int) side, low + rng_below(r, high - low + 1));
    }
    return path;
}

static void fill(rng *r)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t col = 0; col < COLS; col++) rank_of[col][row] = rng_below(r, VALUES);
        marked[row] = (int) rng_below(r, 2);
    }
}

static void paths_keep_the_tightest_conditions(void)
{
    ct_path path = {0};
    path = ct_path_extend(&path, 2, 0, 9);
    path = ct_path_extend(&path, 0, 1, 3);
    path = ct_path_extend(&path, 2, 0, 5);
    path = ct_path_extend(&path, 2, 1, 2);
    CHECK_INT(path.n, 3);
    CHECK(path.line[0] == 1 && path.line[1] == 4 && path.line[2] == 5);
    CHECK(path.threshold[0] == 3 && path.threshold[1] == 5 && path.threshold[2] == 2);
}

static void bounds_are_never_too_large(rng *r, uint32_t seed)
{
    fill(r);
    ct_bound_cache *cache = ct_bound_cache_new(seed % 4 ? SIZE_MAX : 20000);
    REQUIRE(cache != NULL);
    long found = 0;
    for (int i = 0; i < 3000; i++) {
        ct_path path = random_path(r, 2 + rng_below(r, 3));
        unsigned depth = 2 + rng_below(r, 2);
        uint32_t n = size_of(&path);
        int64_t value = value_of(&path, depth),
                bound = ct_bound_cache_find(cache, &path, depth, n << UNIT_SHIFT);
        CHECK(bound <= value);
        found += bound > 0;
        ct_bound_cache_add(cache, &path, depth, n << UNIT_SHIFT, value);
        if (seed % 4)
            CHECK_INT(ct_bound_cache_find(cache, &path, depth, n << UNIT_SHIFT), value);
    }
    CHECK(found > 300);
    ct_bound_cache_free(cache);
}

static void bounds_come_from_both_sides(void)
{
    rng r = {1};
    fill(&r);
    ct_path none = {0}, wide = ct_path_extend(&none, 0, 0, 8),
            narrow = ct_path_extend(&none, 0, 0, 4);
    wide = ct_path_extend(&wide, 1, 1, 3);
    narrow = ct_path_extend(&narrow, 1, 1, 6);
    ct_bound_cache *cache = ct_bound_cache_new(SIZE_MAX);
    REQUIRE(cache != NULL);
    ct_bound_cache_add(cache, &narrow, 2, 75, 70);
    CHECK_INT(ct_bound_cache_find(cache, &wide, 2, 115), 70);   /* a subset's, as it is */
    ct_bound_cache_free(cache);
    cache = ct_bound_cache_new(SIZE_MAX);
    REQUIRE(cache != NULL);
    ct_bound_cache_add(cache, &wide, 2, 115, 70);
    CHECK_INT(ct_bound_cache_find(cache, &narrow, 2, 75), 30); /* a superset's, less 40 rows */
    ct_bound_cache_free(cache);
}

static void memory_that_ends(void)
{
    ct_alloc_fail_after(0);
    CHECK(ct_bound_cache_new(SIZE_MAX) == NULL);
    ct_alloc_fail_after(-1);
    ct_bound_cache_free(NULL);
    ct_bound_cache *cache = ct_bound_cache_new(0);
    REQUIRE(cache != NULL);
    ct_path none = {0}, path = ct_path_extend(&none, 0, 0, 8);
    ct_bound_cache_add(cache, &path, 2, 75, 70);
    CHECK_INT(ct_bound_cache_find(cache, &path, 2, 75), 0);
    ct_bound_cache_free(cache);
}

static const check_case cases[] = {
    {"paths keep the tightest conditions", paths_keep_the_tightest_conditions},
    {"bounds are never too large", EACH(bounds_are_never_too_large, 0, 40, 3, 3)},
    {"bounds come from both sides", bounds_come_from_both_sides},
    {"memory that ends", memory_that_ends},
};

CHECK_MAIN(cases)
