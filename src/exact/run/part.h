/* A search in parts, for several processes. One call leaves root thresholds open, others go on with
 * some of these each, and a last one puts together what all of them have found: the answer, the
 * proof and the choice among equal trees are then those of a single call, in whatever order the
 * parts come.
 *
 * An open range keeps what is known of the two thresholds (or ends of the column) that it lies
 * between, so that whoever goes on begins where the search was left. All calls must have the same
 * data and options; trees pass between them as options->start. */
#ifndef CT_EXACT_RUN_PART_H
#define CT_EXACT_RUN_PART_H

#include "base/bytes.h"
#include "base/status.h"

/* Thresholds first .. last of one column, in the table's ranks, that may be the root's. */
typedef struct {
    uint32_t feature, first, last;
    uint32_t rows;  /* between the thresholds that `ends` tells of */
    int64_t bound;  /* no tree with such a root costs less; ... */
    double proven;  /* ... the same as an objective */
    size_t at;      /* where `ends` tells of its two ends */
} ct_exact_range;

typedef struct {
    ct_exact_range *ranges; /* [n] */
    uint32_t n, room;
    ct_bytes ends;    /* see search/left_open.c */
    int lost;         /* memory ended: a range is missing */
} ct_exact_open;

typedef struct {
    /* asked: */
    const ct_exact_open *from; /* what to search; NULL: all thresholds. Borrowed */
    const int64_t *done;  /* [n_cols + 1] `known` of all parts before; NULL: nothing. Borrowed */
    double pause;         /* seconds after which no threshold is begun but the first */
    uint64_t most;        /* thresholds that are begun */
    /* the tree may be any of the equal ones with its root; and once there is a better one than was
     * known, the part pauses, for others to know it */
    int one_of_several;
    /* asked between thresholds, by one thread at a time: 0: pause. May be NULL */
    int (*wanted)(void *);
    void *wanted_data;
    /* What this process keeps between parts, see bound/kept.h. Borrowed; NULL: nothing. */
    struct ct_exact_kept *kept;
    /* answered, freed by ct_exact_part_free: */
    ct_exact_open open;   /* what is left */
    /* [n_cols + 1] of the other thresholds: relaxed bounds by column, and of all what is proven;
     * larger than any cost where there are none */
    int64_t *known;
    uint64_t evaluated;   /* thresholds */
    int64_t cost;         /* of the tree; with its root decides which of two is better */
    int32_t feature;      /* of its root, -1: a leaf */
    uint32_t threshold;
    int unsound;  /* `from` is not of this search */
    /* 0: the call ended without a search (the tree was known at once, or a limit came first); the
     * rest of the answer is then void but for the tree's */
    int searched;
} ct_exact_part;

/* Adds a range whose ends are written next; its place, or NULL: `lost` is then set. */
ct_exact_range *ct_open_add(ct_exact_open *open);
/* Before the call; NULL: there is none. */
ct_status ct_part_begin(ct_exact_part *part, uint32_t n_cols, ct_error *error);
/* Owned members alone, which must have been zero at first. */
void ct_exact_part_free(ct_exact_part *part);

#endif
