/* What a tree goes through in a generation of the evolution: changes, between which something is
 * asked about the rows. The questions of many trees can be answered at a time. */
#ifndef CT_EVOLVE_PAPER_STEPS_H
#define CT_EVOLVE_PAPER_STEPS_H

#include "base/rng.h"
#include "evolve/cell_walk.h"
#include "evolve/local.h"

typedef struct {
    ct_cell_question question; /* of the tree it is about; its node tells whether there is one */
    ct_rng rng;                /* of the mutation */
    int may_mutate;            /* once the tree is in order */
    int mutation;              /* that waits for the rows of question.node */
    ct_refreshing refreshing;
    int64_t touched;      /* rows of the nodes changed */
} ct_tree_steps;

/* A place in a ranking of n, 0 the first, which is `pressure` (1 .. 2) times as likely as one of
 * equal chances would be; those of the others fall evenly. */
uint32_t ct_gmt_draw_rank(uint32_t n, double pressure, ct_rng *rng);

/* A dipole: the first row, and that of the others whose response is rather far from its own. A test
 * that parts the two; 0 if none was found. */
int ct_gmt_dipole_test(const ct_model_table *table, const uint32_t *rows, uint32_t n, ct_rng *rng,
                       ct_gmt_test *test);
/* Which of n rows are to be looked at for that, in `numbers` [CT_ROWS_ASKED]; returns how many. */
uint32_t ct_gmt_dipole_numbers(uint32_t n, ct_rng *rng, uint32_t *numbers);

/* A node was changed: its tree is to be brought into order. */
void ct_gmt_steps_changed(ct_tree_steps *steps, int32_t node);
/* The question is answered, or there is none: on, up to the next one. With none the tree is done.
 */
void ct_gmt_steps_go_on(ct_tree_steps *steps, const ct_tree_limits *limits);

/* Two trees exchange tests or subtrees, or one gives the other a subtree. `nodes`: scratch of both.
 */
void ct_gmt_cross_trees(ct_tree_steps *one, ct_tree_steps *other, uint32_t leaves_max,
                        ct_model_node *nodes, ct_rng *rng);

#endif
