/* Sorting a column against the definition, over values that take each kind of key to its limits. */
#include "check.h"
#include "base/bits.h"
#include "base/memory.h"
#include "data/sort.h"
#include "random.h"

static const double *sorted_values; /* of the column that by_value compares */

static int by_value(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;
    double x = sorted_values[i], y = sorted_values[j];
    return x < y ? -1 : x > y ? 1 : i < j ? -1 : i > j;
}

static void check_column(const ct_column *column, const double *values, uint32_t n,
                         const char *what)
{
    size_t words = ((size_t) n + 63) / 64;
    uint32_t *order = (uint32_t *) keep_new(n, sizeof *order),
             *expected = (uint32_t *) keep_new(n, sizeof *expected);
    uint64_t *ties = (uint64_t *) keep_new(words, sizeof *ties);
    void *scratch = ct_alloc(ct_sort_scratch_of(column, n));
    REQUIRE(scratch);
    uint32_t n_values = ct_sort_column(column, n, scratch, order, ties, NULL, 0), changes = 0,
             wrong = 0;
    for (uint32_t i = 0; i < n; i++) expected[i] = i;
    sorted_values = values;
    qsort(expected, n, sizeof *expected, by_value);
    for (uint32_t j = 0; j < n; j++) {
        int change = j + 1 < n && values[expected[j]] != values[expected[j + 1]];
        wrong += order[j] != expected[j] || ct_bit(ties, j) != change;
        changes += (uint32_t) change;
    }
    if (wrong || n_values != changes + 1) printf("  %s, %lu rows\n", what, (unsigned long) n);
    CHECK_INT(wrong, 0);
    CHECK_INT(n_values, changes + 1);
    ct_free(scratch);
}

static double next_up(double x, uint32_t steps)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += steps;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static double draw(rng *r, int kind)
{
    double u = rng_unit(r), v = rng_unit(r);
    switch (kind) {
    case 0: return u;
    case 1: return floor(u * 300) - 100;                /* one digit */
    case 2: return floor(u * 4e9) - 2e9;                /* whole numbers that take all 32 bits */
    case 3: return floor(u * 1e14);                     /* whole numbers that take more */
    case 4: return exp(40 * u * v - 20);                /* most of the range is empty */
    case 5:
        return u < 0.001
                   ? 1e300
                   : next_up(1, rng_below(r, 5000));     /* values that agree in 32 bits and more */
    case 6: return u < 0.5 ? -1.7e308 * v : 1.7e308 * v; /* the range overflows */
    case 7: return u < 0.5 ? 0.0 : -0.0;
    case 8: return next_up(0, rng_below(r, 1000)) * (v < 0.5 ? -1 : 1); /* the range is subnormal */
    case 9: return u < 0.8 ? 0 : floor(v * 100) / 100;
    case 10: return u < 0.3 ? -1 : v < 0.5 ? 0.0 : -0.0; /* two values, one of them twice */
    default: return 3.25;
    }
}

static void doubles(void)
{
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 200, 3000, 5000, 20001};
    for (int kind = 0; kind <= 11; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes - (CHECK_QUICK() ? 2 : 0); i++) {
            uint32_t n = sizes[i];
            rng r = {(uint64_t) kind * 100 + i};
            char what[32];
            double *values = (double *) keep_new(n, sizeof *values);
            for (uint32_t row = 0; row < n; row++) values[row] = draw(&r, kind);
            snprintf(what, sizeof what, "kind %d", kind);
            check_column(&(ct_column){values, CT_DOUBLE}, values, n, what);
        }
}

static void integers(rng *r, uint32_t seed)
{
    uint32_t n = 1 + rng_below(r, seed % 10 ? 500 : 6000),
             mask = seed % 7 ? UINT32_MAX >> rng_below(r, 32) : 1;
    int32_t *codes = (int32_t *) keep_new(n, sizeof *codes);
    double *values = (double *) keep_new(n, sizeof *values);
    for (uint32_t row = 0; row < n; row++) {
        codes[row] = (int32_t) ((rng_next(r) & mask) - mask / 2 - 1);
        values[row] = codes[row];
    }
    check_column(&(ct_column){codes, CT_INT32}, values, n, "integers");
}

/* Levels in any order, some of them equal, many without rows. */
static void coded(rng *r, uint32_t seed)
{
    static double levels[65536];
    uint32_t n = 1 + rng_below(r, seed % 10 ? 500 : 6000),
             n_levels = seed % 20 ? 1 + rng_below(r, 700) : 65536;
    uint16_t *codes = (uint16_t *) keep_new(n, sizeof *codes);
    double *values = (double *) keep_new(n, sizeof *values);
    for (uint32_t i = 0; i < n_levels; i++) levels[i] = draw(r, (int) (seed % 12));
    for (uint32_t row = 0; row < n; row++) {
        codes[row] = (uint16_t) rng_below(r, n_levels);
        values[row] = levels[codes[row]];
    }
    ct_coded_column column = {codes, levels, n_levels};
    check_column(&(ct_column){&column, CT_CODED}, values, n, "coded");
}

/* Doubles, integers and codes, of one value or of many. */
static void stops(void)
{
    enum { N = 5000 };
    static double values[N];
    static int32_t codes[N];
    static uint16_t few[N];
    static uint32_t order[N];
    static uint64_t ties[N / 64 + 1];
    void *scratch = ct_alloc(ct_sort_scratch(N));
    REQUIRE(scratch != NULL);
    for (int kind = 0; kind < 3; kind++) {
        ct_halt stop = {NULL, NULL, 0, 1};
        for (uint32_t row = 0; row < N; row++) {
            codes[row] = kind ? (int32_t) (row * 7919 % N) : 0;
            few[row] = (uint16_t) codes[row];
            values[row] = kind == 1 ? codes[row] : exp(codes[row]);
        }
        ct_column doubles_ = {values, CT_DOUBLE}, integers_ = {codes, CT_INT32};
        CHECK_INT(ct_sort_column(&doubles_, N, scratch, order, ties, &stop, 1), 0);
        CHECK_INT(ct_sort_column(&integers_, N, scratch, order, ties, &stop, 0), 0);
        ct_coded_column of_few = {few, values, N};
        ct_column coded_ = {&of_few, CT_CODED};
        void *room = ct_alloc(ct_sort_scratch_of(&coded_, N));
        REQUIRE(room != NULL);
        CHECK_INT(ct_sort_column(&coded_, N, room, order, ties, &stop, 1), 0);
        ct_free(room);
    }
    ct_free(scratch);
}

static const check_case cases[] = {
    {"doubles of every kind", doubles},
    {"integers", EACH(integers, 0, 60, 60, 60)},
    {"coded columns", EACH(coded, 0, 60, 60, 60)},
    {"sorting ends when it is told to", stops},
};

CHECK_MAIN(cases)
