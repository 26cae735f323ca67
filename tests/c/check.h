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
 * says REQUIRE. */
#ifndef CT_CHECK_H
#define CT_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *name;
    void (*run)(void);
} check_case;

static struct {
    int failed;          /* checks that failed in the case under way */
    const char *skipped; /* reason, when the case under way was skipped */
} check_state;

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

/* The same, and leaves the function when it fails: for what the lines below rely on. */
#define REQUIRE(condition)             \
    do {                               \
        if (!CHECK(condition)) return; \
    } while (0)

#define SKIP(reason)                    \
    do {                                \
        check_state.skipped = (reason); \
        return;                         \
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

static inline int check_wanted(const char *name, int argc, char **argv)
{
    if (argc < 2) return 1;
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i])) return 1;
    return 0;
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
        if (CHECK_FIRST()) printf("  case: %s\n", cases[i].name);
        clock_t start = clock();
        cases[i].run();
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
