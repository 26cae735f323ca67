/* Evolution of model trees as Jurczuk, Czajkowski and Kretowski (2022) describe it: no search of
 * the best split, random thresholds. The R help page of gmt_control() lists the operators and the
 * corrections of the published formulas.
 *
 * Random numbers are keyed by generation and pair or tree, so that threads, which share the pairs,
 * change nothing. Only what is below a changed node is looked at. */
#ifndef CT_EVOLVE_PAPER_H
#define CT_EVOLVE_PAPER_H

#include "evolve/kicks.h"
#include "evolve/offload/device.h"

/* What trees are ranked by: BIC, or 1 / (1 + SSE / n) - alpha * size, of the standardised response,
 * which is to be large. */
typedef enum { CT_FITNESS_BIC, CT_FITNESS_WEIGHTED } ct_gmt_fitness;

typedef struct {
    ct_gmt_fitness fitness;
    double alpha;
    double crossover, mutation; /* chances of a pair, and of a tree, in a generation */
    double pressure;            /* of the ranking: how often the best tree is selected, 1 .. 2 */
    uint32_t elite;             /* trees that are not lost */
    ct_kd_device *device;       /* has the k-d tree; NULL: the CPU alone. Borrowed */
    int needs_device;           /* stop if it is lost; else the CPU goes on */
} ct_paper_options;

/* `options`: effort and patience in generations, population (an odd one counts as one more); the
 * rows of changed nodes are those touched. `best`: a tree of the k-d tree's rows without splits;
 * then the best tree of all generations. */
ct_status ct_evolve_tree(const ct_kd_tree *kd, ct_model_tree *best, const ct_tree_limits *limits,
                         const ct_kick_options *options, const ct_paper_options *paper,
                         ct_kick_history *history, ct_error *error);

#endif
