/* The best split within one block, row by row, and full costs of blocks where lanes of 32 bits hold
 * rounded ones.
 *
 * What scans of rounded costs do not reject is counted in full: blocks that may still be better, by
 * sums along the order from where the last sum ended, from the beginning or from the end, whichever
 * is nearest, then row by row. What is found takes the place of a score in lanes: the cost, rounded
 * up. */
#ifndef CT_EXACT_KERNELS_FULL_COSTS_H
#define CT_EXACT_KERNELS_FULL_COSTS_H

#include "exact/kernels/row_costs.h"

/* ---- row by row ---- */

/* The rows of a block: of each member, which kept class it is of and what it counts. */
typedef struct {
    uint32_t ties, members, of[32];
    int64_t cost[32];
} block_rows;

/* What the best split at a legal place of a block spares, where labels are the kept classes; rows
 * that are no members cost 0. x: what they spare before the block; rest: of all rows, then behind a
 * place. The former grows along the block, the latter against it. No branch to guess wrong, and no
 * sum waits for a maximum. */
CT_INLINE int64_t best_of_classes(const scan_job *job, const block_rows *b, const unsigned lane,
                                  int64_t *x, int64_t *rest)
{
    int64_t most_x = 0, most_rest = 0, best = 0, before[32], behind[32];
    for (uint32_t k = 0; k < job->n_kept; k++) most_x = ct_larger64(most_x, x[k]);
    for (unsigned j = 0; j < lane; j++) before[j] = x[b->of[j]] += b->cost[j];
    for (uint32_t k = 0; k < job->n_kept; k++) most_rest = ct_larger64(most_rest, rest[k] -= x[k]);
    for (unsigned j = lane; j-- > 0;) behind[j] = rest[b->of[j]] += b->cost[j];
    for (unsigned j = 0; j < lane; j++) before[j] = most_x = ct_larger64(most_x, before[j]);
    for (unsigned j = lane; j-- > 0;) {
        best = ct_larger64(best, (before[j] + most_rest) * (b->ties >> j & 1));
        most_rest = ct_larger64(most_rest, behind[j]);
    }
    return best;
}

/* The labels that are looked at to the left (0) and to the right (1) of the places in a block, and
 * what they spare there: before and behind the block's first row. */
typedef struct {
    uint32_t n[2], *label[2];
    int64_t *spared[2];
} block_labels;

CT_INLINE block_labels no_labels(const scan_job *job)
{
    uint32_t *labels = (uint32_t *) (void *) job_spared(job, 2);
    block_labels none = {{0, 0},
                         {labels, labels + job->n_active},
                         {job_spared(job, 0), job_spared(job, 1)}};
    return none;
}

CT_INLINE void add_label(block_labels *l, int right, uint32_t label, int64_t spared)
{
    l->label[right][l->n[right]] = label;
    l->spared[right][l->n[right]++] = spared;
}

/* The best of a block where a row saves gains[class][label]. Places between two rows are one split:
 * looked at are the rows and, since there may be one before the first, the first place. */
CT_INLINE int64_t best_of_labels(const scan_job *job, const block_rows *b, const block_labels l)
{
    const ct_rows *rows = job->all->rows;
    int64_t best = 0;
    for (uint32_t left = b->members | (b->ties & (0 - b->ties)), next; left; left = next) {
        next = left & (left - 1);
        unsigned j = ct_trailing_zeros(left);
        int legal = (b->ties & ((next & (0 - next)) - 1)) >> j != 0;
        int member = b->members >> j & 1;
        uint32_t c = job->kept[member ? b->of[j] : 0];
        const int64_t *of_row = rows->gains + (size_t) c * rows->n_classes;
        int64_t most_x = 0, most_rest = 0, cost = member ? b->cost[j] : 0;
        for (uint32_t i = 0; i < l.n[0]; i++)
            most_x = ct_larger64(most_x, l.spared[0][i] += cost * of_row[l.label[0][i]]);
        for (uint32_t i = 0; i < l.n[1]; i++)
            most_rest = ct_larger64(most_rest, l.spared[1][i] -= cost * of_row[l.label[1][i]]);
        best = ct_larger64(best, (most_x + most_rest) * legal);
    }
    return best;
}

/* `plain`: rows cost 1. */
CT_INLINE void rows_in_block(const scan_job *job, const int plain, const unsigned lane, size_t w,
                             unsigned block, block_rows *b)
{
    const ct_rows *rows = job->all->rows;
    b->ties = bits_of_block(job->ties + w, block, lane), b->members = 0;
    for (uint32_t k = 0; k < job->n_kept; k++) {
        uint32_t members = bits_of_block(job_members(job, k) + w, block, lane);
        int64_t each = plain || rows->gains ? 1 : rows->most[job->kept[k]];
        b->members |= members;
        for (; members; members &= members - 1) {
            unsigned j = ct_trailing_zeros(members);
            b->of[j] = k;
            b->cost[j] = each;
            if (!plain && job->weights) b->cost[j] *= job->weights[w * 64 + block * lane + j];
        }
    }
}

/* ---- full costs ---- */

enum { FULL_BLOCK = 32 }; /* rows */

/* What the members of the kept classes in the words before w weigh. */
static const int64_t *reach(scan_job *job, int side, size_t w)
{
    int64_t *masses = (int64_t *) (void *) job_numbers(job);
    size_t way = w < job->reached ? job->reached - w : w - job->reached;
    if (w - job->begin < way || job->end - w < way) {
        int from_end = job->end - w < w - job->begin;
        job->reached = from_end ? job->end : job->begin;
        for (uint32_t k = 0; k < job->n_kept; k++)
            masses[k] = from_end ? mass_of_class(job->all, side, job->kept[k]) : 0;
    }
    size_t from = w < job->reached ? w : job->reached, to = w < job->reached ? job->reached : w;
    for (uint32_t k = 0; k < job->n_kept; k++) {
        int64_t mass = mass_between(job_members(job, k), job->weights, from, to);
        masses[k] += from == w ? -mass : mass;
    }
    job->reached = w;
    return masses;
}

/* What the best split at a legal place of a block spares, from row `start` of word w on; of two
 * classes, by their net. (The same label on both sides is allowed: it is the leaf.) Rows with
 * weights cost the same number of times these, whatever their class. */
static int64_t full_pair(const scan_job *job, const int64_t *masses, int side, size_t w,
                         unsigned start)
{
    const int64_t *weights = weights_at(job->weights, w), *most = job->all->rows->most;
    int64_t before[2], gain[2], total[2];
    uint64_t members[2];
    for (uint32_t k = 0; k < 2; k++) {
        gain[k] = weights ? 1 : most[job->kept[k]];
        members[k] = job_members(job, k)[w];
        before[k] = masses[k] + mass_of(members[k] & ct_low_bits(start), weights);
        total[k] = mass_of_class(job->all, side, job->kept[k]) * gain[k];
    }
    vec last = l64_set(before[0] * gain[0] - before[1] * gain[1]), best = v_fill(0);
    for (unsigned j = start; j < start + FULL_BLOCK; j += VEC_WORDS) {
        vec a = l64_set(gain[0]), b = l64_set(gain[1]);
        if (weights) a = b = v_load((const uint64_t *) (const void *) (weights + j));
        a = l64_where(a, l64_of_bits(members[0] >> j));
        b = l64_where(b, l64_of_bits(members[1] >> j));
        vec net = l64_add(l64_scan(l64_sub(a, b)), last);
        last = l64_last(net);
        vec spared = l64_max(l64_add(l64_set(total[1]), net), l64_sub(l64_set(total[0]), net));
        best = l64_max_where(best, spared, l64_of_bits(job->ties[w] >> j));
    }
    return l64_top(best) * (weights ? most[0] : 1);
}

/* full_pair() for any number of classes. */
static int64_t full_many(const scan_job *job, const int64_t *masses, int side, size_t w,
                         unsigned start)
{
    const int64_t *weights = weights_at(job->weights, w), *most = job->all->rows->most;
    uint64_t *last = (uint64_t *) (void *) job_spared(job, 0);
    int64_t each = weights ? most[0] : 1;
    vec best = v_fill(0);
    for (uint32_t k = 0; k < job->n_kept; k++) {
        int64_t mass = masses[k] + mass_of(job_members(job, k)[w] & ct_low_bits(start), weights);
        v_store(last + k * VEC_WORDS, l64_set(mass * (weights ? 1 : most[job->kept[k]])));
    }
    for (unsigned j = start; j < start + FULL_BLOCK; j += VEC_WORDS) {
        vec most_x = v_fill(0), most_rest = v_fill(0);
        for (uint32_t k = 0; k < job->n_kept; k++) {
            int64_t gain = weights ? 1 : most[job->kept[k]];
            vec cost = l64_set(gain);
            if (weights) cost = v_load((const uint64_t *) (const void *) (weights + j));
            vec x = l64_scan(l64_where(cost, l64_of_bits(job_members(job, k)[w] >> j)));
            x = l64_add(x, v_load(last + k * VEC_WORDS));
            v_store(last + k * VEC_WORDS, l64_last(x));
            most_x = l64_max(most_x, x);
            vec total = l64_set(mass_of_class(job->all, side, job->kept[k]) * gain);
            most_rest = l64_max(most_rest, l64_sub(total, x));
        }
        best = l64_max_where(best, l64_add(most_x, most_rest), l64_of_bits(job->ties[w] >> j));
    }
    return l64_top(best) * each;
}

/* full_many() where a row saves gains[class][label]. */
static int64_t full_labels(const scan_job *job, const int64_t *masses, int side, size_t w,
                           unsigned start)
{
    const ct_rows *rows = job->all->rows;
    block_labels l = no_labels(job);
    for (uint32_t a = 0; a < job->n_active; a++) {
        uint32_t label = job->all->active[a];
        int64_t x = 0, rest = 0;
        for (uint32_t k = 0; k < job->n_kept; k++) {
            uint64_t before = job_members(job, k)[w] & ct_low_bits(start);
            int64_t gain = rows->gains[(size_t) job->kept[k] * rows->n_classes + label],
                    mass = masses[k] + mass_of(before, weights_at(job->weights, w));
            x += mass * gain;
            rest += (mass_of_class(job->all, side, job->kept[k]) - mass) * gain;
        }
        add_label(&l, 0, label, x);
        add_label(&l, 1, label, rest);
    }
    block_rows b;
    rows_in_block(job, 0, FULL_BLOCK, w, start / FULL_BLOCK, &b);
    return best_of_labels(job, &b, l);
}

/* The score that stands for what a block costs in full. */
static int full_score(scan_job *job, int side, size_t w, unsigned block)
{
    unsigned start = block * FULL_BLOCK % 64;
    w += block * FULL_BLOCK / 64;
    const int64_t *masses = reach(job, side, w);
    int64_t spared = job->all->rows->gains ? full_labels(job, masses, side, w, start)
                     : job->n_active == 2  ? full_pair(job, masses, side, w, start)
                                           : full_many(job, masses, side, w, start);
    int64_t cost = job->most_cost[side] - spared,
            *found = &job->found[job->windowed >> side & 1][side];
    if (cost < *found) *found = cost;
    return (int) ((int64_t) job->size[side] - quantised_up(job, cost));
}

#endif
