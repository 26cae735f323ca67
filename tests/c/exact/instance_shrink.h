/* Makes a failing instance small: takes away rows, columns and options, one after the other, as
 * long as it still fails. */
#ifndef CT_TEST_INSTANCE_SHRINK_H
#define CT_TEST_INSTANCE_SHRINK_H

#include "base/clock.h"
#include "instance.h"
#include "reference.h"

typedef struct {
    instance *in;
    int (*fails)(const instance *in);
    double deadline; /* in ct_seconds(): what is reached by then is the answer */
} shrinking;

/* Takes `candidate` in place of the instance if it fails too; frees the other of the two. */
static inline int shrink_to(shrinking *s, random_table candidate, ct_exact_options options)
{
    instance smaller = {candidate, options, NAN};
    ct_error error;
    if (ct_data_check(&candidate.data, &error) != CT_OK || ct_seconds() >= s->deadline ||
        !s->fails(&smaller)) {
        table_free(&candidate);
        return 0;
    }
    instance_free(s->in);
    *s->in = smaller;
    return 1;
}

/* Without `count` of the rows (or columns) from `first` on. */
static inline random_table table_without(const random_table *t, int columns, uint32_t first,
                                         uint32_t count)
{
    uint32_t n_rows = t->data.n_rows, n_cols = t->data.n_cols, *rows = all_of(n_rows),
             *cols = all_of(n_cols);
    uint32_t *kept = columns ? cols : rows, *size = columns ? &n_cols : &n_rows;
    for (uint32_t i = first + count; i < *size; i++) kept[i - count] = kept[i];
    *size -= count;
    random_table without = table_select(t, rows, n_rows, cols, n_cols, 1);
    free(rows);
    free(cols);
    return without;
}

/* Drops ever smaller runs of rows or columns. */
static inline int shrink_size(shrinking *s, int columns)
{
    const uint32_t *size = columns ? &s->in->table.data.n_cols : &s->in->table.data.n_rows;
    int changed = 0;
    for (uint32_t count = *size / 2; count; count /= 2)
        for (uint32_t first = 0; first < *size && *size > count;) {
            uint32_t run = count < *size - first ? count : *size - first;
            if (shrink_to(s, table_without(&s->in->table, columns, first, run), s->in->options))
                changed = 1;
            else first += count;
        }
    return changed;
}

static inline random_table table_copy(const random_table *t) { return table_without(t, 0, 0, 0); }

/* Without weights, losses or a choice of roots. */
static inline int shrink_costs(shrinking *s)
{
    int changed = 0;
    for (int what = 0; what < 3; what++) {
        random_table t = table_copy(&s->in->table);
        double *weights = t.weights, *loss = t.loss;
        uint8_t *roots = t.roots;
        int there = what == 0 ? weights != NULL : what == 1 ? loss != NULL : roots != NULL;
        if (what == 0) drop(weights), t.data.weights = t.weights = NULL;
        else if (what == 1) drop(loss), t.data.loss = t.loss = NULL;
        else drop(roots), t.roots = NULL;
        if (there) changed |= shrink_to(s, t, s->in->options);
        else table_free(&t);
    }
    return changed;
}

/* Sets options to their defaults; a lower depth; no shortcut off that need not be. */
static inline int shrink_options(shrinking *s)
{
    ct_exact_options defaults = ct_exact_options_default(), options;
    int changed = 0;
#define RESET(field, type)                                                       \
    options = s->in->options;                                                    \
    options.field = defaults.field;                                              \
    if (s->in->options.field != defaults.field && strcmp(#field, "depth") != 0)  \
        changed |= shrink_to(s, table_copy(&s->in->table), options);
    INSTANCE_SETTINGS(RESET)
#undef RESET
    options = s->in->options;
    if (options.depth > 1) {
        options.depth--;
        changed |= shrink_to(s, table_copy(&s->in->table), options);
    }
    for (int shortcut = 0; shortcut < CT_EXACT_N_SHORTCUTS; shortcut++) {
        options = s->in->options;
        options.off &= ~(UINT32_C(1) << shortcut);
        if (options.off != s->in->options.off)
            changed |= shrink_to(s, table_copy(&s->in->table), options);
    }
    return changed;
}

/* Class c becomes number[c] - 1 of n; 0: no more. */
static inline void renumber_losses(random_table *t, const int32_t *number, uint32_t n)
{
    double *loss = (double *) keep_new((size_t) n * n, sizeof *loss);
    for (uint32_t c = 0; c < t->data.n_classes; c++)
        for (uint32_t k = 0; k < t->data.n_classes; k++)
            if (number[c] && number[k])
                loss[(uint32_t) (number[c] - 1) * n + (uint32_t) number[k] - 1] =
                    t->loss[c * t->data.n_classes + k];
    drop(t->loss);
    t->data.loss = t->loss = loss;
}

/* Ranks instead of values, classes from 0 without holes. */
static inline void shrink_values(shrinking *s)
{
    shrink_to(s, table_capped(&s->in->table, 0), s->in->options);
    random_table t = table_copy(&s->in->table);
    int32_t *number = (int32_t *) calloc(t.data.n_classes, sizeof *number), next = 0;
    for (uint32_t i = 0; i < t.data.n_rows; i++) {
        int32_t *mine = &number[t.classes[i]];
        if (!*mine) *mine = ++next;
        t.classes[i] = *mine - 1;
    }
    if (t.loss) renumber_losses(&t, number, (uint32_t) next);
    free(number);
    t.data.n_classes = (uint32_t) next;
    shrink_to(s, t, s->in->options);
}

/* `in` fails; it is replaced by a smaller one that does. */
static inline void instance_shrink(instance *in, int (*fails)(const instance *in), double seconds)
{
    shrinking s = {in, fails, ct_seconds() + seconds};
    int changed = 1;
    while (changed && ct_seconds() < s.deadline) {
        changed = shrink_size(&s, 0);
        changed |= shrink_size(&s, 1);
        changed |= shrink_costs(&s);
        changed |= shrink_options(&s);
    }
    shrink_values(&s);
}

#endif
