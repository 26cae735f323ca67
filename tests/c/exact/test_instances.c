/* Replays every file of tests/instances: hand-made corner cases, and what fuzz_search has found.
 * With arguments, the files whose name contains one of them. */
#include <dirent.h>

#include "instance_check.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Names of the instances in `folder`, sorted; returns how many. */
static size_t list_files(const char *folder, char *names[], size_t room)
{
    DIR *dir = opendir(folder);
    size_t n = 0;
    for (struct dirent *entry; dir && n < room && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".txt") != 0) continue;
        names[n] = (char *) malloc(length + 1);
        memcpy(names[n++], entry->d_name, length + 1);
    }
    if (dir) closedir(dir);
    qsort(names, n, sizeof *names, compare_names);
    return n;
}

static int is_same(const void *a, const void *b, size_t bytes)
{
    return a && b ? !memcmp(a, b, bytes) : a == b;
}

/* The instance, written and read back, is the same to the bit. */
static void survives_writing(const char *path, const instance *in)
{
    instance again;
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    instance_write(file, in);
    fclose(file);
    REQUIRE(instance_read(path, &again));
    remove(path);
    const ct_data *a = &in->table.data, *b = &again.table.data;
    if (CHECK(a->n_rows == b->n_rows && a->n_cols == b->n_cols && a->n_classes == b->n_classes)) {
        CHECK(!memcmp(in->table.values, again.table.values,
                      (size_t) a->n_rows * a->n_cols * sizeof(double)));
        CHECK(!memcmp(in->table.classes, again.table.classes, a->n_rows * sizeof(int32_t)));
        CHECK(is_same(a->weights, b->weights, a->n_rows * sizeof(double)));
        CHECK(is_same(a->loss, b->loss, (size_t) a->n_classes * a->n_classes * sizeof(double)));
        CHECK(is_same(in->table.roots, again.table.roots, a->n_cols));
    }
#define SAME(field, type) CHECK(in->options.field == again.options.field);
    INSTANCE_SETTINGS(SAME)
#undef SAME
    CHECK(in->options.off == again.options.off);
    instance_free(&again);
}

static int replay(const char *path, const char *scratch)
{
    instance in;
    check_state.failed = 0;
    if (CHECK_FIRST()) printf("  case: %s\n", path);
    if (CHECK(instance_read(path, &in))) {
        if (in.table.data.n_rows < 1000) survives_writing(scratch, &in);
        check_instance(&in);
    }
    check_release(0);
    if (check_state.failed) printf("  FAILED: %s (%d checks)\n", path, check_state.failed);
    return check_state.failed == 0;
}

int main(int argc, char **argv)
{
    const char *folder = getenv("CT_INSTANCES");
    char *names[1000], path[1024], scratch[1024];
    if (!folder) folder = "../instances";
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    snprintf(scratch, sizeof scratch, "%s.scratch", argv[0]);
    size_t n = list_files(folder, names, sizeof names / sizeof *names);
    int passed = 0, failed = 0;
    if (!CHECK(n > 0)) failed = 1;
    for (size_t i = 0; i < n; i++) {
        if (check_wanted(names[i], argc, argv)) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            if (replay(path, scratch)) passed++;
            else failed++;
        }
        free(names[i]);
    }
    printf("test_instances: %d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
