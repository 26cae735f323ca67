/* Whether evolution is worth a device, by a model of few numbers. */
#ifndef CT_EVOLVE_OFFLOAD_COST_H
#define CT_EVOLVE_OFFLOAD_COST_H

#include "evolve/row_cells.h"

/* Seconds that generations of a population take. */
typedef struct {
    double cpu, device;
} ct_evolve_cost;

ct_evolve_cost ct_evolve_cost_of(const ct_row_cells *cells, uint32_t population,
                                 double generations, unsigned threads);

#endif
