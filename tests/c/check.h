/* A test program: named cases in a table, checks that count, one line at the end.
 *
 *     static void adds(void) { CHECK(1 + 1 == 2); CHECK_INT(1 + 1, 2); }
 *     static const check_case cases[] = {{"adds", adds}};
 *     CHECK_MAIN(cases)
 *
 * Each .c file that includes this is a program of its own. Without arguments it runs every case;
 * with arguments the cases whose name contains one of them; with -l it lists the names. The last
 * line reads `test_x: N passed, N failed, N skipped`, and the exit status is 0 only when nothing
 * failed. A case fails at its first failed check or at many; the rest of it still runs unless it
 * says REQUIRE.
 *
 * A case may also be one function for many seeds, of which there are fewer under the sanitizers
 * and fewer still under valgrind. It ends at the first seed with a failed check, and names it:
 *
 *     static void adds_any(rng *r, uint32_t i) { CHECK(rng_unit(r) + 1 >= 1); }
 *     {"adds any", EACH(adds_any, 7000, 300, 75, 15)}    seeds from 7000 on: 300, 75 or 15
 *
 * What all seeds together must have is for a function after that: EACH(...), is_seen}.
 *
 * What is passed to keep() is freed after the seed, or else at the end of the case. */
#ifndef CT_CHECK_H
#define CT_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/status.h"

/* See random.h. */
typedef struct {
    uint64_t state;
} check_rng;

typedef struct {
    const char *name;
    void (*run)(void); /* NULL: each */
    void (*each)(check_rng *r, uint32_t i);
    uint64_t first;
    uint32_t n[3]; /* seeds: in full, under the sanitizers, under valgrind */
    void (*after)(void); /* all of them; NULL: nothing is left to check */
    void (*with)(void (*on)(int)), (*on)(int); /* not NULL: with(on), in place of run */
} check_case;

/* Most cases are a name and a function, and not all for seeds need the number. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define EACH(one, first, full, quick, slow) NULL, one, first, {full, quick, slow}

static struct {
    int failed;          /* checks that failed in the case under way */
    const char *skipped; /* reason, when the case under way was skipped */
    uint32_t seeds;      /* that it has had */
    uint32_t tally[2];   /* what its seeds count, for `after` */
} check_state;

/* Where functions of the library say what went wrong; where that is asked for, it begins as
 * NO_REASON. */
static ct_error reason;
#define NO_REASON ((ct_error){CT_OK, ""})

/* True where the checks run many times slower (valgrind): cases with loops over random tables then
 * do fewer. */
#define CHECK_QUICK() (getenv("CT_QUICK") != NULL)
/* ... where all takes twenty times as long, or more */
#define CHECK_SLOW() (CHECK_QUICK() && !strcmp(getenv("CT_QUICK"), "2"))

/* True where one failure is enough to know: the program names every case before it runs, and ends
 * at the first failed check. */
#define CHECK_FIRST() (getenv("CT_FIRST") != NULL)

#define CHECK(condition) check_that((condition) != 0, __FILE__, __LINE__, #condition)

#define CHECK_INT(got, expected)                                                                   \
    check_int((long long) (got), (long long) (expected), __FILE__, __LINE__, #got)

/* As far apart as `off` at most. */
#define CHECK_NEAR(got, expected, off) check_near(got, expected, off, __FILE__, __LINE__, #got)

/* CHECK, and leaves the function when it fails: for what the lines below rely on. */
#define REQUIRE(condition)             \
    do {                               \
        if (!CHECK(condition)) return; \
    } while (0)

/* That a call of the library returned CT_OK; prints what it says else. */
#define CHECK_OK(call) check_ok((call), __FILE__, __LINE__, #call)
#define REQUIRE_OK(call)             \
    do {                             \
        if (!CHECK_OK(call)) return; \
    } while (0)

/* That it returned this error, and says something. */
#define CHECK_FAILS(call, status)                                                 \
    (reason = NO_REASON,                                                             \
     check_int(call, status, __FILE__, __LINE__, #call) && CHECK(reason.message[0]))

/* What a call returns that has memory for so many allocations. */
#define MEMORY_FOR(allocations, call) \
    (ct_alloc_fail_after(allocations), check_end_of_memory(call))

#define SKIP(because)                    \
    do {                                 \
        check_state.skipped = (because); \
        return;                          \
    } while (0)

#define CHECK_MAIN(cases)                                                               \
    int main(int argc, char **argv)                                                     \
    {                                                                                   \
        return check_main(argc, argv, __FILE__, cases, sizeof(cases) / sizeof *(cases)); \
    }

/* A loop of checks gone wrong shall not fill the screen. */
enum { CHECK_SHOWN = 10 };

static inline int check_that(int holds, const char *file, int line, const char *what)
{
    if (!holds && check_state.failed++ < CHECK_SHOWN) printf("    %s:%d: %s\n", file, line, what);
    if (!holds && CHECK_FIRST()) exit(1);
    return holds;
}

static inline int check_int(long long got, long long expected, const char *file, int line,
                            const char *what)
{
    if (got != expected && check_state.failed++ < CHECK_SHOWN)
        printf("    %s:%d: %s is %lld, not %lld\n", file, line, what, got, expected);
    if (got != expected && CHECK_FIRST()) exit(1);
    return got == expected;
}

static inline int check_near(double got, double expected, double off, const char *file, int line,
                             const char *what)
{
    int fine = fabs(got - expected) <= off || got == expected;
    if (!fine && check_state.failed < CHECK_SHOWN)
        printf("    %.17g is not %.17g:\n", got, expected);
    return check_that(fine, file, line, what);
}

static inline int check_ok(ct_status status, const char *file, int line, const char *what)
{
    int fine = check_that(status == CT_OK, file, line, what);
    if (!fine) printf("    %s\n", reason.message);
    return fine;
}

#ifdef CT_DEBUG
static inline ct_status check_end_of_memory(ct_status status)
{
    ct_alloc_fail_after(-1);
    return status;
}
#endif

/* ---- what a case makes ---- */

typedef struct {
    void *what;
    void (*release)(void *);
} check_kept;

static struct {
    check_kept *of;
    size_t n, room;
} check_keeps;

/* Returns `what`. */
static inline void *keep(void *what, void (*release)(void *))
{
    if (check_keeps.n == check_keeps.room) {
        check_keeps.room = 2 * check_keeps.room + 64;
        check_keeps.of = (check_kept *) realloc(check_keeps.of,
                                                check_keeps.room * sizeof *check_keeps.of);
        if (!check_keeps.of) abort();
    }
    check_keeps.of[check_keeps.n++] = (check_kept){what, release};
    return what;
}

/* Zeros. */
static inline void *keep_new(size_t n, size_t size) { return keep(calloc(n ? n : 1, size), free); }

static inline void *keep_copy(const void *from, size_t bytes)
{
    return memcpy(keep_new(bytes, 1), from, bytes);
}

/* What a struct points to. */
static inline void keep_parts(const void *of, size_t bytes, void (*release)(void *))
{
    keep(keep_copy(of, bytes), release);
}

/* Frees all but the first n. */
static inline void check_release(size_t n)
{
    while (check_keeps.n > n) {
        check_kept last = check_keeps.of[--check_keeps.n];
        if (last.what) last.release(last.what);
    }
}

/* Frees one at once. */
static inline void drop(void *what)
{
    for (size_t i = check_keeps.n; what && i-- > 0;) {
        if (check_keeps.of[i].what != what) continue;
        check_keeps.of[i].release(what);
        check_keeps.of[i].what = NULL;
        break;
    }
    while (check_keeps.n && !check_keeps.of[check_keeps.n - 1].what) check_keeps.n--;
}

/* ---- running them ---- */

/* How many of a case that has {in full, under the sanitizers, under valgrind}; SEEDS=3 in the
 * environment: three times as many. */
static inline uint32_t check_seeds(uint32_t full, uint32_t quick, uint32_t slow)
{
    const char *times = getenv("SEEDS");
    uint32_t n = CHECK_SLOW() ? slow : CHECK_QUICK() ? quick : full;
    return times ? n * (uint32_t) atoi(times) : n;
}

/* Until a check fails. */
static inline void each_seed(uint64_t first, uint32_t n, void (*one)(check_rng *r, uint32_t i))
{
    size_t kept = check_keeps.n;
    int failed = check_state.failed;
    for (uint32_t i = 0; i < n && check_state.failed == failed; i++) {
        check_rng r = {first + i};
        one(&r, i);
        check_state.seeds++;
        check_release(kept);
        if (check_state.failed > failed)
            printf("    seed %llu, number %u\n", (unsigned long long) first + i, i);
    }
}

static inline int check_wanted(const char *name, int argc, char **argv)
{
    if (argc < 2) return 1;
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i])) return 1;
    return 0;
}

static inline void check_run(const check_case *c)
{
    if (c->with) c->with(c->on);
    else if (c->run) c->run();
    else each_seed(c->first, check_seeds(c->n[0], c->n[1], c->n[2]), c->each);
    if (c->after && !check_state.failed) c->after();
}

static inline int check_main(int argc, char **argv, const char *file, const check_case *cases,
                             size_t n_cases)
{
    int passed = 0, failed = 0, skipped = 0;
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    int list = argc > 1 && strcmp(argv[1], "-l") == 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a crash shall not swallow the lines before it */
    for (size_t i = 0; i < n_cases; i++) {
        if (list) {
            puts(cases[i].name);
            continue;
        }
        if (!check_wanted(cases[i].name, argc, argv)) continue;
        check_state.failed = 0;
        check_state.skipped = NULL;
        check_state.seeds = check_state.tally[0] = check_state.tally[1] = 0;
        if (CHECK_FIRST()) printf("  case: %s\n", cases[i].name);
        clock_t start = clock();
        check_run(&cases[i]);
        check_release(0);
        double seconds = (double) (clock() - start) / CLOCKS_PER_SEC;
        if (seconds >= 5) printf("  %.0f s of processor time: %s\n", seconds, cases[i].name);
        if (check_state.failed) {
            printf("  FAILED: %s (%d checks)\n", cases[i].name, check_state.failed);
            failed++;
        } else if (check_state.skipped) {
            printf("  skipped: %s: %s\n", cases[i].name, check_state.skipped);
            skipped++;
        } else {
            passed++;
        }
    }
    if (!list)
        printf("%.*s: %d passed, %d failed, %d skipped\n", (int) strcspn(name, "."), name, passed,
               failed, skipped);
    return failed != 0;
}

#endif
