/* What a tree goes through in a generation of the evolution: changes, and between these queries
 * about the rows. The queries of many trees can be answered at a time. */
#ifndef CT_EVOLVE_PAPER_STEPS_H
#define CT_EVOLVE_PAPER_STEPS_H

#include "base/rng.h"
#include "evolve/kd_walk.h"
#include "evolve/local.h"

typedef struct {
    ct_kd_query query; /* a query about the tree; its node tells whether there is one */
    ct_rng rng;        /* of the mutation */
    int may_mutate;    /* once the tree is up to date */
    int mutation;      /* the mutation that waits for rows of query.node */
    ct_refreshing refreshing;
    int64_t touched; /* rows of the nodes changed */
} ct_tree_steps;

/* A rank below n; 0, the first, is `pressure` (1 .. 2) times as likely as if all were equally
 * likely, and the chances of the others fall evenly. */
uint32_t ct_gmt_draw_rank(uint32_t n, double pressure, ct_rng *rng);

/* A test that separates a dipole: the first row, and one of the others whose response is rather far
 * from its own; 0 if none was found. */
int ct_gmt_dipole_test(const ct_model_table *table, const uint32_t *rows, uint32_t n, ct_rng *rng,
                       ct_gmt_test *test);
/* Draws which of n rows a dipole is chosen from, `numbers` [CT_QUERY_ROWS]; returns how many. */
uint32_t ct_gmt_dipole_numbers(uint32_t n, ct_rng *rng, uint32_t *numbers);

/* Notes that a node was changed, so that its tree is brought up to date. */
void ct_gmt_steps_changed(ct_tree_steps *steps, int32_t node);
/* Continues after the query is answered, or if there is none, up to the next query. If there is
 * none then, the tree is done. */
void ct_gmt_steps_go_on(ct_tree_steps *steps, const ct_tree_limits *limits);

/* Lets two trees exchange tests or subtrees, or one give the other a subtree. `nodes`: working
 * memory for both. */
void ct_gmt_cross_trees(ct_tree_steps *one, ct_tree_steps *other, uint32_t leaves_max,
                        ct_model_node *nodes, ct_rng *rng);

#endif
