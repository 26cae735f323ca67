/* A device that has the k-d tree of the rows, and answers queries about it (kd_walk.h): those of a
 * whole population at a time, to the last bit as the CPU does.
 *
 * A GPU and its host twin are called in the same way: the twin runs the same bodies of the kernels
 * on the CPU, one lane after the other. */
#ifndef CT_EVOLVE_OFFLOAD_DEVICE_H
#define CT_EVOLVE_OFFLOAD_DEVICE_H

#include "evolve/kd_walk.h"

typedef struct ct_kd_device ct_kd_device;

/* number: of the CUDA device; -1: the twin. The k-d tree is borrowed until the device is closed.
 * CT_NO_DEVICE with a message if it cannot be used or has too little memory; CT_NO_MEMORY if the
 * host has too little. */
ct_status ct_gmt_kd_device_open(int number, const ct_kd_tree *kd, unsigned threads,
                                ct_kd_device **device, ct_error *error);
void ct_gmt_kd_device_close(ct_kd_device *device); /* takes NULL */

/* Answers queries; answered[i]: whether query i was answered. Those that are too large for the
 * device's memory are left to the CPU, as are all after a failure. */
void ct_gmt_kd_device_answer(ct_kd_device *device, ct_kd_query *const *queries, uint32_t n,
                             uint8_t *answered);

int ct_gmt_kd_device_is_lost(const ct_kd_device *device);
/* Why the device is lost, if it is. */
const char *ct_gmt_kd_device_why(const ct_kd_device *device);
/* How many queries it has answered, in how many batches. */
int64_t ct_gmt_kd_device_answers(const ct_kd_device *device);
int64_t ct_gmt_kd_device_batches(const ct_kd_device *device);

#endif
