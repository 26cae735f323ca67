/* What random numbers of a tree are drawn for: paths of ct_rng_of(), or sides from a node's. */
#ifndef CT_FOREST_SAMPLE_PATHS_H
#define CT_FOREST_SAMPLE_PATHS_H

enum {
    CT_SAMPLE_PATH,      /* the rows of the sample */
    CT_ROOT_PATH,        /* of the root; ct_rng_path() has those of nodes below */
    CT_PERMUTATION_PATH, /* columns shuffled */
    CT_POOL_PATH,        /* candidates that all nodes of one depth have in common */
    CT_CUTS_PATH,        /* cuts at random, of a node */
    CT_TWINS_PATH,       /* rows of twins of columns */
    CT_HALVES_PATH       /* which rows of a sample choose splits */
};

#endif
