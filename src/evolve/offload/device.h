/* A device that has the rows in cells, and answers questions about them (cell_walk.h): those of a
 * whole population at a time, to the last bit as the CPU does.
 *
 * What is asked of a GPU is asked of its host twin in the same words: the twin runs the very bodies
 * of the kernels on the CPU, a lane after the other. */
#ifndef CT_EVOLVE_OFFLOAD_DEVICE_H
#define CT_EVOLVE_OFFLOAD_DEVICE_H

#include "evolve/cell_walk.h"

typedef struct ct_cell_device ct_cell_device;

/* number: of the CUDA device; -1: the twin. The cells are borrowed until it is closed.
 * CT_NO_DEVICE with a message if it cannot be used, or has too little memory; CT_NO_MEMORY if the
 * host has. */
ct_status ct_gmt_cell_device_open(int number, const ct_row_cells *cells, unsigned threads,
                                  ct_cell_device **device, ct_error *error);
void ct_gmt_cell_device_close(ct_cell_device *device); /* takes NULL */

/* Answers questions; answered[i]: whether it has answered this one. Those that are too large for
 * its memory are left to the CPU, and all from a failure on. */
void ct_gmt_cell_device_ask(ct_cell_device *device, ct_cell_question *const *questions, uint32_t n,
                            uint8_t *answered);

int ct_gmt_cell_device_is_lost(const ct_cell_device *device);
/* What lost it, when it is. */
const char *ct_gmt_cell_device_why(const ct_cell_device *device);
/* How many questions it has answered, in how many batches. */
int64_t ct_gmt_cell_device_answers(const ct_cell_device *device);
int64_t ct_gmt_cell_device_batches(const ct_cell_device *device);

#endif
