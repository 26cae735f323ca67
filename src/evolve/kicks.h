/* Iterated local search: the best tree is changed at random in one or two places (a kick), searched
 * again, and replaced if the result is better. With a population any of its trees is changed, or
 * takes over a test or a subtree from another, and the result replaces the worst tree if it is
 * better and not yet in the population. Kicks are accepted in order, each with random numbers keyed
 * by its number; threads make them before earlier ones are done, and again where they started from
 * the wrong tree, so that the result is that of one thread. */
#ifndef CT_EVOLVE_KICKS_H
#define CT_EVOLVE_KICKS_H

#include "evolve/local.h"

/* A moment of the search: after that kick the best tree had this BIC. */
typedef struct {
    uint32_t kick, n_leaves;
    double bic, sse; /* of the scaled response */
    int64_t touched;
    double seconds;
} ct_gmt_moment;

typedef struct {
    uint32_t effort;     /* kicks at most */
    uint32_t patience;   /* without success at most */
    uint32_t population; /* local optima that are kept; below 2: the best alone */
    int64_t max_rows;    /* that split searches look at before the search ends */
    uint32_t open_max;
    uint64_t seed;
    unsigned threads;
    uint32_t without; /* short cuts, see ct_gmt_split_options */
    ct_halt *halt;
    void (*report)(void *, uint32_t kicks, double bic); /* on the calling thread; NULL: none */
    void *calls;
} ct_kick_options;

typedef struct {
    ct_gmt_moment *moments; /* [room] owned by the caller */
    uint32_t room, n;
    uint32_t kicks; /* made */
    int64_t touched;
    double start; /* ct_seconds() */
} ct_kick_history;

void ct_gmt_note_moment(ct_kick_history *history, const ct_model_tree *best, double complexity);

/* `best`: the tree to start from, a root or any other; then the best tree found. */
ct_status ct_gmt_search_tree(ct_model_tree *best, const ct_tree_limits *limits,
                             const ct_kick_options *options, ct_kick_history *history,
                             ct_error *error);

#endif
