/* One of three fixed problems, solved once: count_instructions CASE LEVEL. instructions.sh runs it
 * under valgrind and compares what it took with what is recorded in instructions.txt. */
#include <stdio.h>

#include "random.h"

typedef struct {
    const char *name;
    uint32_t n_rows, n_cols, n_classes, noise; /* noise: one row in so many has a random class */
    unsigned depth;
} problem;

static const problem problems[] = {
    {"two-classes-depth-3", 1500, 6, 2, 3, 3},
    {"seven-classes-depth-3", 500, 5, 7, 3, 3},
    {"many-rows-depth-2", 60000, 8, 3, 2, 2},
};

/* Classes from a tree of depth two on the first columns, with noise. */
static random_table make_table(const problem *p)
{
    rng r = {2025};
    random_table t = table_random(&r, p->n_rows, p->n_cols, p->n_classes, 0);
    for (uint32_t i = 0; i < p->n_rows; i++) {
        int right = table_column(&t, 0)[i] >= 0.4, far = table_column(&t, right ? 1 : 2)[i] >= 0.55;
        uint32_t clean = (uint32_t) (2 * right + far) % p->n_classes,
                 any = rng_below(&r, p->n_classes);
        t.classes[i] = (int32_t) (rng_below(&r, p->noise) ? clean : any);
    }
    return t;
}

static int solve(const problem *p, const char *level)
{
    random_table t = make_table(p);
    ct_exact_options options = ct_exact_options_default();
    ct_exact_result result;
    ct_error error = {CT_OK, ""};
    options.depth = p->depth;
    options.simd = level;
    ct_status status = ct_exact_solve(&t.data, &options, &result, NULL, &error);
    if (status == CT_OK)
        printf("%s %s: cost %g, %.3f s\n", p->name, result.simd, result.cost, result.seconds);
    else printf("%s %s: %s\n", p->name, level, error.message);
    if (status == CT_OK) ct_exact_result_free(&result);
    table_free(&t);
    return status != CT_OK;
}

/* Without arguments: the names of the problems. */
int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (argc < 3) puts(problems[i].name);
        else if (!strcmp(argv[1], problems[i].name)) return solve(&problems[i], argv[2]);
    }
    return argc >= 3;
}
