/* Random instances for the exact search, as many as fit into some time:
 *
 *     fuzz_search SECONDS [SEED]
 *
 * Instance i of a run is instance_random(SEED + i), so a run can be repeated and continued. Each
 * one is checked (instance_check.h) in a child process, which may fail, crash or hang. An instance
 * that does is made small and written to a file in $CT_INSTANCES (tests/instances, if that is not
 * set), which test_instances replays; after three the run ends. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../exact/instance_check.h"
#include "../exact/instance_random.h"
#include "../exact/instance_shrink.h"

enum { MOST_FAILURES = 3, HANGS_AFTER = 180, SHRINK_SECONDS = 60 };

/* What a child tells its parent, in memory they share. */
typedef struct {
    uint64_t seed;  /* of the instance under way */
    uint64_t count; /* instances that passed */
} progress;

/* The exit status of a child is 0 if the checks passed. */
static int checks_pass(const instance *in)
{
    size_t kept = check_keeps.n;
    alarm(HANGS_AFTER);
    check_state.failed = 0;
    check_instance(in);
    check_release(kept);
    return check_state.failed == 0;
}

static int child_failed(pid_t child, int quiet)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fuzz_search");
        exit(2);
    }
    int killed = !quiet && WIFSIGNALED(status);
    if (killed && WTERMSIG(status) == SIGALRM) printf("    did not end within %d s\n", HANGS_AFTER);
    else if (killed) printf("    killed by signal %d\n", WTERMSIG(status));
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Leaves a child at once: what the parent has in its buffers is not the child's to write. */
static void leave(int passed)
{
    fflush(stdout);
    _exit(!passed);
}

/* The instance fails, silently. */
static int fails(const instance *in)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(2);
        leave(checks_pass(in));
    }
    return child_failed(child, 1);
}

/* Checks instances from p->seed on until one fails or time is up. */
static void check_until(progress *p, double deadline)
{
    for (; ct_seconds() < deadline; p->seed++) {
        instance in = instance_random(p->seed);
        if (!checks_pass(&in)) leave(0);
        instance_free(&in);
        p->count++;
    }
    leave(1);
}

static void print_instance(const char *title, const instance *in)
{
    const ct_data *data = &in->table.data;
    printf("    %s: %u rows, %u columns, %u classes, depth %u, complexity %g\n", title,
           data->n_rows, data->n_cols, data->n_classes, in->options.depth, in->options.complexity);
}

static void keep_failure(uint64_t seed)
{
    char path[1024];
    const char *folder = getenv("CT_INSTANCES");
    instance in = instance_random(seed);
    print_instance("found", &in);
    instance_shrink(&in, fails, SHRINK_SECONDS);
    print_instance("made small", &in);
    snprintf(path, sizeof path, "%s/fuzz-%llu.txt", folder ? folder : "../instances",
             (unsigned long long) seed);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "# found by fuzz_search, seed %llu\n", (unsigned long long) seed);
        instance_write(file, &in);
        fclose(file);
        printf("    written to %s\n", path);
    } else {
        perror(path);
    }
    instance_free(&in);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10, start = ct_seconds();
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    progress *p = (progress *) mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int failures = 0;
    if (p == MAP_FAILED) {
        perror("fuzz_search");
        return 2;
    }
    p->seed = first;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    while (failures < MOST_FAILURES && ct_seconds() < start + seconds) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) check_until(p, start + seconds);
        if (!child_failed(child, 0)) continue;
        failures++;
        printf("  FAILED: seed %llu, after %.1f s\n", (unsigned long long) p->seed,
               ct_seconds() - start);
        keep_failure(p->seed++);
    }
    printf("  %llu instances from seed %llu on, %.0f s\n", (unsigned long long) p->count,
           (unsigned long long) first, ct_seconds() - start);
    printf("fuzz_search: %d passed, %d failed, 0 skipped\n", p->count > 0, failures);
    return failures != 0;
}
