/* The C library without R: reads a CSV file (a header line; the class as an integer from 0 first,
 * then numbers) and prints an optimal tree.   example FILE [DEPTH [COMPLEXITY [SIMD [SHORTCUTS
 * TURNED OFF...]]]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/exact.h"

typedef struct {
    uint32_t n_rows, n_cols, n_classes;
    double *values;   /* by column, after transpose */
    int32_t *classes;
} csv;

static void fail(const char *message)
{
    fprintf(stderr, "example: %s\n", message);
    exit(1);
}

static void *grow(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (!memory) fail("out of memory");
    return memory;
}

/* One line of numbers; returns how many there are. */
static size_t read_line(char *line, double *numbers, size_t room)
{
    size_t n = 0;
    for (char *field = strtok(line, ","); field; field = strtok(NULL, ",")) {
        char *end;
        if (n == room) fail("a line has too many fields");
        numbers[n++] = strtod(field, &end);
        if (end == field) fail("a field is not a number");
    }
    return n;
}

static csv read_csv(const char *path)
{
    static char line[1 << 16];
    static double numbers[1 << 12];
    csv data = {0, 0, 0, NULL, NULL};
    size_t room = 0;
    double *rows = NULL;
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) fail("cannot read the file");
    while (fgets(line, sizeof line, file)) {
        size_t n = read_line(line, numbers, sizeof numbers / sizeof *numbers);
        if (n < 2 || (data.n_cols && n != data.n_cols + 1)) fail("lines differ in length");
        data.n_cols = (uint32_t) n - 1;
        if (data.n_rows == room) {
            room = 2 * room + 1024;
            rows = (double *) grow(rows, room * data.n_cols * sizeof *rows);
            data.classes = (int32_t *) grow(data.classes, room * sizeof *data.classes);
        }
        data.classes[data.n_rows] = (int32_t) numbers[0];
        if ((uint32_t) data.classes[data.n_rows] + 1 > data.n_classes)
            data.n_classes = (uint32_t) data.classes[data.n_rows] + 1;
        memcpy(rows + (size_t) data.n_rows++ * data.n_cols, numbers + 1,
               data.n_cols * sizeof *rows);
    }
    fclose(file);
    data.values = (double *) grow(NULL, (size_t) data.n_rows * data.n_cols * sizeof *rows);
    for (uint32_t row = 0; row < data.n_rows; row++)
        for (uint32_t col = 0; col < data.n_cols; col++)
            data.values[(size_t) col * data.n_rows + row] = rows[(size_t) row * data.n_cols + col];
    free(rows);
    return data;
}

static void print_tree(const ct_forest *tree, uint32_t node, int indent)
{
    if (tree->feature[node] < 0) {
        printf("%*sclass %d\n", indent, "", tree->label[node]);
        return;
    }
    printf("%*sx%d < %.17g\n", indent, "", tree->feature[node] + 1, tree->threshold[node]);
    print_tree(tree, tree->left[node], indent + 2);
    printf("%*sx%d >= %.17g\n", indent, "", tree->feature[node] + 1, tree->threshold[node]);
    print_tree(tree, tree->right[node], indent + 2);
}

static void print_counters(const ct_exact_statistics *statistics)
{
#define COUNTER(field, name, text)                                                                 \
    printf("  %-28s %llu\n", name, (unsigned long long) statistics->field);
    CT_STATISTICS(COUNTER)
#undef COUNTER
}

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage: example FILE [DEPTH [COMPLEXITY [SIMD [LEAST ROWS OF A LEAF [THREADS "
             "[SHORTCUTS TURNED OFF...]]]]]]");
    csv file = read_csv(argv[1]);
    ct_exact_options options = ct_exact_options_default();
    if (argc > 2) options.depth = (unsigned) atoi(argv[2]);
    if (argc > 3) options.complexity = atof(argv[3]);
    if (argc > 4) options.simd = argv[4];
    if (argc > 5) options.min_bucket = (uint32_t) atoi(argv[5]);
    if (argc > 6) options.threads = (unsigned) atoi(argv[6]);
    for (int i = 7; i < argc; i++) {
        if (ct_exact_shortcut_find(argv[i]) == CT_EXACT_N_SHORTCUTS) fail("no such shortcut");
        options.off |= UINT32_C(1) << ct_exact_shortcut_find(argv[i]);
    }
    ct_column *columns = (ct_column *) grow(NULL, file.n_cols * sizeof *columns);
    for (uint32_t col = 0; col < file.n_cols; col++)
        columns[col] = (ct_column){file.values + (size_t) col * file.n_rows, CT_DOUBLE};
    ct_data data = {file.n_rows, file.n_cols, file.n_classes, columns, file.classes,
                    NULL, NULL, NULL};
    ct_exact_result result;
    ct_error error;
    if (ct_exact_solve(&data, &options, &result, NULL, &error) != CT_OK) fail(error.message);
    print_tree(&result.tree, result.tree.roots[0], 0);
    printf("%.0f of %lu rows misclassified, cost %g, bound %g: %s (%s, %.6f s)\n", result.errors,
           (unsigned long) file.n_rows, result.cost, result.bound, ct_exact_end_name(result.end),
           result.simd, result.seconds);
    print_counters(&result.statistics);
    ct_exact_result_free(&result);
    free(columns);
    free(file.values);
    free(file.classes);
    return 0;
}
