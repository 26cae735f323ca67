/* Where losses depend on the label: which labels a scan has to look at, and what else the scans of
 * a threshold share. All in quantised costs (see ct_quantised).
 *
 * A split with labels i and j costs at least that of each row under the better of the two:
 * pair[i][j]. So label i can be one of them in a split that costs less than `need` only if
 * pair[i][j] is below that for some other j (that with itself is the leaf, which costs `need` at
 * least). The labels that can, in a wanted side, are looked at; what the others can do at best
 * (`dropped`) bounds every answer from above.
 *
 * Numbers in ct_children.labels: T[side][label], what a label spares of the whole side; the classes
 * that the sides have; pair[side][i][j], i < j; what a row of either of two classes spares, as the
 * two halves of one number: under each active label, then under the label that spares least of
 * each, then under the one that spares most. */
#ifndef CT_EXACT_KERNELS_LOSS_LABELS_H
#define CT_EXACT_KERNELS_LOSS_LABELS_H

#include "exact/kernels/job.h"


enum { MOST_PAIRED = 16 }; /* with more labels pairs would take longer than they spare */

CT_INLINE int32_t *label_totals(const scan_job *job, int side)
{
    return job->all->labels + (uint32_t) side * job->all->rows->n_classes;
}

CT_INLINE uint32_t *label_classes(const scan_job *job)
{
    return (uint32_t *) (void *) (job->all->labels + 2 * job->all->rows->n_classes);
}

CT_INLINE int32_t *label_pairs(const scan_job *job, int side)
{
    size_t n = job->all->rows->n_classes;
    return job->all->labels + (3 + (size_t) side * n) * n;
}

CT_INLINE int32_t *label_gain_pairs(const scan_job *job, uint32_t slot)
{
    size_t n = job->all->rows->n_classes;
    return job->all->labels + (3 + 2 * n) * n + slot * job->n_pairs;
}

CT_INLINE const int32_t *label_gains(const scan_job *job, uint32_t c)
{
    return job->all->rows->quantised->by_label + c * job->all->rows->n_classes;
}

/* Totals of both sides. */
static void sum_labels(scan_job *job)
{
    const ct_children *all = job->all;
    uint32_t n = all->rows->n_classes, *classes = label_classes(job);
    job->n_present = 0;
    memset(all->labels, 0, 2 * (size_t) n * sizeof *all->labels);
    for (int side = 0; side < 2; side++) job->size[side] = 0, job->most_cost[side] = 0;
    for (uint32_t c = 0; c < n; c++) {
        const int32_t *gains = label_gains(job, c);
        if (all->totals[0][c] + all->totals[1][c] == 0) continue;
        classes[job->n_present++] = c;
        for (int side = 0; side < 2; side++) {
            int32_t rows = (int32_t) all->totals[side][c], *totals = label_totals(job, side);
            for (uint32_t k = 0; k < n; k++) totals[k] += rows * gains[k];
            job->size[side] += (uint32_t) (rows * gains[c]);
            job->most_cost[side] += rows * all->rows->most[c];
        }
    }
    job->n_pairs = (job->n_present + 3) / 4 * 2;
}

static void pair_labels(scan_job *job)
{
    const ct_children *all = job->all;
    uint32_t n = all->rows->n_classes;
    if (n > MOST_PAIRED || all->count_all) return;
    for (int side = 0; side < 2; side++) {
        int32_t *pairs = label_pairs(job, side);
        for (uint32_t i = 0; i < n * n; i++) pairs[i] = (int32_t) job->size[side];
    }
    for (uint32_t p = 0; p < job->n_present; p++) {
        uint32_t c = label_classes(job)[p];
        const int32_t *gains = label_gains(job, c);
        int32_t left = (int32_t) all->totals[0][c], right = (int32_t) all->totals[1][c];
        for (uint32_t i = 0; i < n; i++) {
            int32_t *of_left = label_pairs(job, 0) + i * n, *of_right = label_pairs(job, 1) + i * n;
            for (uint32_t j = i + 1; j < n; j++) {
                int32_t gain = gains[i] > gains[j] ? gains[i] : gains[j];
                of_left[j] -= left * gain;
                of_right[j] -= right * gain;
            }
        }
    }
}

/* The labels that can be in a split that is wanted, as bits. */
static uint32_t wanted_labels(const scan_job *job)
{
    uint32_t n = job->all->rows->n_classes, wanted = 0;
    for (int side = 0; side < 2; side++) {
        if (job->need[side] <= 0) continue;
        for (uint32_t i = 0; i < n; i++) {
            const int32_t *pairs = label_pairs(job, side) + i * n;
            for (uint32_t j = i + 1; j < n; j++)
                if (pairs[j] < job->need[side]) wanted |= UINT32_C(1) << i | UINT32_C(1) << j;
        }
    }
    return wanted;
}

/* What splits with other labels can do at best. */
static void drop_labels(scan_job *job, uint32_t kept)
{
    uint32_t n = job->all->rows->n_classes;
    for (int side = 0; side < 2; side++) {
        int32_t least = INT32_MAX;
        for (uint32_t i = 0; i < n; i++) {
            const int32_t *pairs = label_pairs(job, side) + i * n;
            for (uint32_t j = i + 1; j < n; j++)
                if (!(kept >> i & kept >> j & 1) && pairs[j] < least) least = pairs[j];
        }
        job->dropped[side] = least < INT32_MAX ? least : INT64_MAX;
    }
}

/* What a row of each of two classes spares, by label. */
static void pair_gains(scan_job *job)
{
    enum { HALF = 16 }; /* bits */
    uint32_t n_active = job->n_active, n_pairs = job->n_pairs;
    int32_t *all = label_gain_pairs(job, 0);
    memset(all, 0, (n_active + 2) * n_pairs * sizeof *all);
    for (uint32_t p = 0; p < job->n_present; p++) {
        const int32_t *gains = label_gains(job, label_classes(job)[p]);
        int32_t *pairs = all + p / 2, least = INT32_MAX, most = 0;
        unsigned up = p % 2 ? HALF : 0;
        for (uint32_t a = 0; a < n_active; a++, pairs += n_pairs) {
            int32_t gain = gains[job->all->active[a]];
            if (gain < least) least = gain;
            if (gain > most) most = gain;
            *pairs |= (int32_t) ((uint32_t) gain << up);
        }
        pairs[0] |= (int32_t) ((uint32_t) least << up);
        pairs[n_pairs] |= (int32_t) ((uint32_t) most << up);
    }
}

static void choose_labels(scan_job *job)
{
    const ct_children *all = job->all;
    uint32_t n = all->rows->n_classes;
    int every = n > MOST_PAIRED || all->count_all;
    uint32_t wanted = every ? 0 : wanted_labels(job);
    if (!every && wanted == job->wanted) return; /* what was dropped stays the same, too */
    job->wanted = wanted;
    job->n_active = 0;
    for (uint32_t k = 0; k < n; k++)
        if (every || wanted >> k & 1) all->active[job->n_active++] = k;
    job->dropped[0] = job->dropped[1] = INT64_MAX;
    if (!every) drop_labels(job, wanted);
    if (job->n_active) pair_gains(job);
}

/* The two largest of some numbers, and which is the first of these. */
typedef struct {
    int which, first, second;
} two_largest;

CT_INLINE void take_in(two_largest *t, int which, int number)
{
    if (number > t->first || t->which < 0) {
        t->second = t->first;
        t->first = number;
        t->which = which;
    } else {
        t->second = ct_larger(t->second, number);
    }
}

CT_INLINE int largest_but(const two_largest *t, int which)
{
    return which == t->which ? t->second : t->first;
}

#endif
