/* One problem for the exact search, data and options together, and its form as a text file:
 *
 *     # anything                  a comment line
 *     rows 4 columns 2 classes 2  the sizes, before the data
 *     depth 3                     options by name, those of INSTANCE_SETTINGS; what is not named
 * has its default off child features          a shortcut that is switched off, by name; a line each
 *     copies 100                  every row below counts so many times
 *     optimum 1                   the least cost, where it is known
 *     root 2                      the root may be split on this column, from 0; a line each;
 * without such lines on any loss 0 1 2.5                what label 1 costs a row of class 0; a line
 * each, others are 0; without such lines all are 1 weights                     the rows have
 * weights data                        then a line a row: the class from 0, the weight if rows have
 * one, the value of each column 0 0.5 1e300 1 -0 4.9406564584124654e-324
 *     ...
 *
 * Values are written so that reading them back gives the same bits. */
#ifndef CT_TEST_INSTANCE_H
#define CT_TEST_INSTANCE_H

#include <stdio.h>

#include "random.h"

/* The options that are part of an instance: X(field, type). A new option needs a line here and one
 * in instance_random.h. */
#define INSTANCE_SETTINGS(X)    \
    X(depth, unsigned)          \
    X(complexity, double)       \
    X(min_bucket, uint32_t)     \
    X(min_split, uint32_t)      \
    X(max_gap, double)          \
    X(max_cost, double)         \
    X(any_of_ties, int)         \
    X(any_size, int)            \
    X(threads, unsigned)        \
    X(max_thresholds, uint32_t) \
    X(memory_limit, size_t)     \
    X(plane_budget, size_t)     \
    X(test_rows, uint32_t)      \
    X(some_rows, uint32_t)      \
    X(early_after, double)

typedef struct {
    random_table table;
    ct_exact_options options;
    double optimum; /* NAN: not known */
} instance;

static inline void instance_free(instance *in) { table_free(&in->table); }

/* A table with `copies` of each of the rows `rows[n_rows]` and with the columns `cols[n_cols]` of
 * another. */
static inline random_table table_select(const random_table *from, const uint32_t *rows,
                                        uint32_t n_rows, const uint32_t *cols, uint32_t n_cols,
                                        uint32_t copies)
{
    random_table t = table_new(n_rows * copies, n_cols, from->data.n_classes);
    size_t losses = (size_t) t.data.n_classes * t.data.n_classes;
    t.data.weights = t.weights = from->weights
                                     ? (double *) keep_new(t.data.n_rows, sizeof *t.weights)
                                     : NULL;
    t.data.loss = t.loss = from->loss ? (double *) keep_copy(from->loss, losses * sizeof *t.loss)
                                      : NULL;
    t.roots = from->roots ? (uint8_t *) keep_new(n_cols, 1) : NULL;
    for (uint32_t col = 0; t.roots && col < n_cols; col++) t.roots[col] = from->roots[cols[col]];
    for (uint32_t i = 0; i < t.data.n_rows; i++) {
        uint32_t row = rows[i / copies];
        t.classes[i] = from->classes[row];
        if (t.weights) t.weights[i] = from->weights[row];
        for (uint32_t col = 0; col < n_cols; col++)
            table_column(&t, col)[i] = ct_column_value(&from->data.columns[cols[col]], row);
    }
    return t;
}

/* 0, 1, ... n - 1; to be freed. */
static inline uint32_t *all_of(uint32_t n)
{
    uint32_t *numbers = (uint32_t *) malloc((n ? n : 1) * sizeof *numbers);
    for (uint32_t i = 0; i < n; i++) numbers[i] = i;
    return numbers;
}

static inline random_table table_repeat(const random_table *from, uint32_t copies)
{
    uint32_t *rows = all_of(from->data.n_rows), *cols = all_of(from->data.n_cols);
    random_table t = table_select(from, rows, from->data.n_rows, cols, from->data.n_cols, copies);
    free(rows);
    free(cols);
    return t;
}

/* ---- writing ---- */

/* As short as reading it back allows. */
static inline void write_number(FILE *file, double x)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    fputs(text, file);
}

static inline void instance_write(FILE *file, const instance *in)
{
    const ct_data *data = &in->table.data;
    ct_exact_options defaults = ct_exact_options_default();
    fprintf(file, "rows %u columns %u classes %u\n", data->n_rows, data->n_cols, data->n_classes);
#define WRITE(field, type)                                 \
    if (in->options.field != defaults.field) {             \
        fprintf(file, #field " ");                         \
        write_number(file, (double) in->options.field);    \
        fprintf(file, "\n");                               \
    }
    INSTANCE_SETTINGS(WRITE)
#undef WRITE
    for (int s = 0; s < CT_EXACT_N_SHORTCUTS; s++)
        if (in->options.off >> s & 1) fprintf(file, "off %s\n",
                                              ct_shortcut_name((ct_exact_shortcut) s));
    if (!isnan(in->optimum)) {
        fprintf(file, "optimum ");
        write_number(file, in->optimum);
        fprintf(file, "\n");
    }
    for (uint32_t col = 0; in->table.roots && col < data->n_cols; col++)
        if (in->table.roots[col]) fprintf(file, "root %u\n", col);
    for (uint32_t i = 0; data->loss && i < data->n_classes * data->n_classes; i++) {
        if (!(data->loss[i] > 0)) continue;
        fprintf(file, "loss %u %u ", i / data->n_classes, i % data->n_classes);
        write_number(file, data->loss[i]);
        fprintf(file, "\n");
    }
    if (data->weights) fprintf(file, "weights\n");
    fprintf(file, "data\n");
    for (uint32_t row = 0; row < data->n_rows; row++) {
        fprintf(file, "%d", (int) data->classes[row]);
        if (data->weights) fputc(' ', file), write_number(file, data->weights[row]);
        for (uint32_t col = 0; col < data->n_cols; col++) {
            fputc(' ', file);
            write_number(file, ct_column_value(&data->columns[col], row));
        }
        fputc('\n', file);
    }
}

/* ---- reading ---- */

/* What goes with the table; the first of such lines makes room. 0 if the line is something else. */
static inline int read_costs(const char *line, random_table *t)
{
    uint32_t n = t->data.n_classes, i, k;
    double value;
    if (sscanf(line, "root %u", &i) == 1 && i < t->data.n_cols) {
        if (!t->roots) t->roots = (uint8_t *) keep_new(t->data.n_cols, 1);
        return t->roots[i] = 1;
    }
    if (sscanf(line, "loss %u %u %lf", &i, &k, &value) == 3 && i < n && k < n) {
        if (!t->loss) table_new_loss(t);
        t->loss[(size_t) i * n + k] = value;
        return 1;
    }
    if (strcmp(line, "weights") != 0) return 0;
    if (!t->weights) table_new_weights(t);
    return 1;
}

/* One line of options into *in; 0 if it says nothing known. */
static inline int read_option(char *line, instance *in, uint32_t *copies)
{
    char name[32];
    double value = NAN;
    int after = 0;
    if (line[0] == '#' || line[0] == '\0') return 1;
    if (sscanf(line, "%31s %n%lf", name, &after, &value) < 1) return 0;
    if (!strcmp(name, "off")) {
        ct_exact_shortcut shortcut = ct_exact_shortcut_find(line + after);
        if (shortcut < CT_EXACT_N_SHORTCUTS) in->options.off |= UINT32_C(1) << shortcut;
        return shortcut < CT_EXACT_N_SHORTCUTS;
    }
    if (isnan(value)) return 0;
    if (!strcmp(name, "optimum")) return in->optimum = value, 1;
    if (!strcmp(name, "copies")) return *copies = (uint32_t) value, 1;
#define READ(field, type) \
    if (!strcmp(name, #field)) return in->options.field = (type) value, 1;
    INSTANCE_SETTINGS(READ)
#undef READ
    return 0;
}

static inline int read_rows(FILE *file, random_table *t)
{
    for (uint32_t row = 0; row < t->data.n_rows; row++) {
        int code;
        if (fscanf(file, "%d", &code) != 1) return 0;
        t->classes[row] = code;
        if (t->weights && fscanf(file, "%lf", &t->weights[row]) != 1) return 0;
        for (uint32_t col = 0; col < t->data.n_cols; col++)
            if (fscanf(file, "%lf", table_column(t, col) + row) != 1) return 0;
    }
    return 1;
}

/* The lines before the data; *once receives the table's size and costs. */
static inline int read_head(FILE *file, instance *in, random_table *once, uint32_t *copies)
{
    char line[256];
    unsigned n_rows, n_cols, n_classes;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        int sized = once->columns != NULL;
        if (sized && !strcmp(line, "data")) return *copies > 0;
        if (!sized &&
            sscanf(line, "rows %u columns %u classes %u", &n_rows, &n_cols, &n_classes) == 3)
            *once = table_new(n_rows, n_cols, n_classes);
        else if (!(sized && read_costs(line, once)) && !read_option(line, in, copies)) {
            printf("    what is '%s'?\n", line);
            return 0;
        }
    }
    return 0;
}

/* 0 and a printed line if the file is not an instance; *in then holds nothing. */
static inline int instance_read(const char *path, instance *in)
{
    FILE *file = fopen(path, "r");
    random_table once;
    uint32_t copies = 1;
    memset(&once, 0, sizeof once);
    in->options = ct_exact_options_default();
    in->optimum = NAN;
    int fine = file && read_head(file, in, &once, &copies) && read_rows(file, &once);
    if (fine) in->table = table_repeat(&once, copies);
    else printf("    %s: not an instance\n", path);
    table_free(&once);
    if (file) fclose(file);
    return fine;
}

#endif
