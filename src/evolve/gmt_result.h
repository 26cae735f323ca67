/* The tree of a search as the one tree type, with the models of its nodes. */
#ifndef CT_EVOLVE_GMT_RESULT_H
#define CT_EVOLVE_GMT_RESULT_H

#include "evolve/gmt.h"
#include "evolve/model_tree.h"

/* Sets the forest, models, where[] and learned[] of *gmt, which owns them, also after a failure.
 * CT_NO_MEMORY. */
ct_status ct_gmt_write(const ct_gmt_model_data *data, const ct_model_tree *tree, unsigned threads,
                       ct_gmt *gmt, ct_error *error);

#endif
