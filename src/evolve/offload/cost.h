/* Whether evolution is worth a device, by a simple model of its cost. */
#ifndef CT_EVOLVE_OFFLOAD_COST_H
#define CT_EVOLVE_OFFLOAD_COST_H

#include "evolve/kd_tree.h"
#include "gpu/choice.h"

/* What generations of a population take. */
ct_gpu_cost ct_evolve_cost_of(const ct_kd_tree *kd, uint32_t population, double generations,
                                 unsigned threads);

#endif
