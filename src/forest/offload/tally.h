/* How good a cut is, for host and device: class by class, or from sums of numbers, in the forms
 * that scan.h fixes for each kind of node. */
#ifndef CT_FOREST_OFFLOAD_TALLY_H
#define CT_FOREST_OFFLOAD_TALLY_H

#include "base/hd.h"
#include "forest/scan/scan.h"
#include "forest/split/criteria.h"

typedef enum {
    CT_TALLY_LIGHT,   /* two classes of little weight: off^2 / (L R), in floats */
    CT_TALLY_PAIR,    /* two classes: the same in doubles */
    CT_TALLY_SMALL,   /* more at small nodes: (L sum(R_k^2) + R sum(L_k^2)) / (L R), in floats */
    CT_TALLY_MANY,    /* more of little weight: as CT_TALLY_SQUARES, in floats */
    CT_TALLY_SQUARES, /* sum(L_k^2) / L + sum(R_k^2) / R */
    CT_TALLY_ENTROPY,
    CT_TALLY_ERROR,
    CT_TALLY_SUMS     /* numbers: S^2 / L + T^2 / R */
} ct_tally_kind;

/* What is to be known of a node. */
typedef struct {
    ct_tally_kind kind;
    uint32_t weight;
    uint32_t pair[2];   /* weights of both classes, if there are two */
    int64_t sum;        /* of numbers */
    const double *logs; /* [weight + 1] k log(k); of CT_TALLY_ENTROPY */
} ct_tally_node;

/* The left side of a cut, and in part the right one. */
typedef union {
    uint64_t integer; /* weights or their squares; numbers: their sum modulo 2^64 */
    double number;
} ct_tally_part;

typedef struct {
    ct_tally_part a, b;
    uint32_t size; /* weight on the left */
} ct_tally;

CT_HD ct_tally_kind ct_tally_kind_of(ct_score score, uint32_t n_runs, uint32_t weight)
{
    switch (score) {
    case CT_SCORE_SUMS: return CT_TALLY_SUMS;
    case CT_SCORE_ENTROPY: return CT_TALLY_ENTROPY;
    case CT_SCORE_ERROR: return CT_TALLY_ERROR;
    case CT_SCORE_SQUARES: break;
    }
    if (weight <= CT_LIGHT_WEIGHT) return n_runs == 2 ? CT_TALLY_LIGHT : CT_TALLY_MANY;
    return n_runs == 2 && weight <= CT_MIDDLE_WEIGHT ? CT_TALLY_PAIR : CT_TALLY_SQUARES;
}

/* At small nodes. */
CT_HD ct_tally_kind ct_tally_small_kind(ct_tally_kind kind)
{
    return kind == CT_TALLY_MANY ? CT_TALLY_SMALL : kind;
}

/* For cuts at random. */
CT_HD ct_tally_kind ct_tally_random_kind(ct_tally_kind kind)
{
    return kind >= CT_TALLY_ENTROPY ? kind : CT_TALLY_SQUARES;
}

/* For sets of levels. */
CT_HD ct_tally_kind ct_tally_set_kind(ct_tally_kind kind, int at_random, uint32_t n_runs,
                                      uint32_t weight)
{
    if (kind >= CT_TALLY_ENTROPY) return kind;
    return n_runs == 2 && weight <= CT_MIDDLE_WEIGHT && !at_random ? CT_TALLY_PAIR
                                                                   : CT_TALLY_SQUARES;
}

CT_HD void ct_tally_begin(ct_tally *t)
{
    t->a.integer = t->b.integer = 0; /* which is 0.0 as well */
    t->size = 0;
}

/* The next class, of which so much weight of `all` is on the left. */
CT_HD void ct_tally_add(const ct_tally_node *node, ct_tally *t, uint32_t run, uint32_t left,
                        uint32_t all)
{
    CT_ASSERT(left <= all);
    const uint64_t right = all - left;
    t->size += left;
    switch (node->kind) {
    case CT_TALLY_LIGHT:
    case CT_TALLY_PAIR:
        if (run)
            t->b.integer = left;
        else
            t->a.integer = left;
        break;
    case CT_TALLY_ENTROPY:
        t->a.number += node->logs[left];
        t->b.number += node->logs[right];
        break;
    case CT_TALLY_ERROR:
        if ((double) left > t->a.number) t->a.number = (double) left;
        if ((double) right > t->b.number) t->b.number = (double) right;
        break;
    default: t->a.integer += (uint64_t) left * left; t->b.integer += right * right;
    }
}

/* Numbers of the next rows on the left. */
CT_HD void ct_tally_add_sum(ct_tally *t, uint32_t weight, int64_t sum)
{
    t->size += weight;
    t->a.integer += (uint64_t) sum;
}

/* The numerator where classes are two: how far the first is off its proportion. */
CT_HD double ct_tally_off(const ct_tally_node *node, const ct_tally *t)
{
    const double off = (double) t->a.integer * node->pair[1] -
                       (double) t->b.integer * node->pair[0];
    return off * off;
}

CT_HD double ct_tally_sums(const ct_tally_node *node, const ct_tally *t)
{
    const double s = (double) (int64_t) t->a.integer,
                 rest = (double) (node->sum - (int64_t) t->a.integer);
    return (s * s) / (double) t->size + (rest * rest) / (double) (node->weight - t->size);
}

/* The score that cuts and candidates are compared by; -1 if a side is empty. */
CT_HD double ct_tally_end(const ct_tally_node *node, const ct_tally *t)
{
    CT_ASSERT(t->size <= node->weight);
    const uint32_t rest = node->weight - t->size;
    const double left = (double) t->size, right = (double) rest;
    if (!t->size || !rest) return -1;
    switch (node->kind) {
    case CT_TALLY_LIGHT: return (float) ct_tally_off(node, t) / (float) (left * right);
    case CT_TALLY_PAIR: return ct_tally_off(node, t) / (left * right);
    case CT_TALLY_SMALL:
        return (float) (t->size * t->b.integer + rest * t->a.integer) / (float) (left * right);
    case CT_TALLY_MANY:
        return (float) t->a.integer / (float) left + (float) t->b.integer / (float) right;
    case CT_TALLY_SQUARES: return (double) t->a.integer / left + (double) t->b.integer / right;
    case CT_TALLY_ENTROPY:
        return (t->a.number - node->logs[t->size]) + (t->b.number - node->logs[rest]) +
               node->weight * ct_entropy_lift(CT_HIST_CLASSES);
    case CT_TALLY_ERROR: return t->a.number + t->b.number;
    case CT_TALLY_SUMS: return ct_tally_sums(node, t);
    }
    return -1;
}

#endif
