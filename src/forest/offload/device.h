/* Where a forest is grown or used: the wish of the caller, and what became of it. */
#ifndef CT_FOREST_OFFLOAD_DEVICE_H
#define CT_FOREST_OFFLOAD_DEVICE_H

#include "base/status.h"

typedef enum {
    CT_FOREST_CPU,
    CT_FOREST_AUTO, /* the first CUDA device if that pays, and the CPU if it fails */
    CT_FOREST_CUDA, /* the CUDA device of that number, or an error */
    CT_FOREST_TWIN  /* the host twin, for tests */
} ct_forest_wish;

typedef struct {
    ct_forest_wish wish;
    int number; /* of the CUDA device, from 0 */
} ct_forest_device;

typedef struct {
    char name[16];  /* who did the work: "cpu", "twin" or "cuda:" and a number */
    char note[256]; /* why a device did not; empty: there is nothing to say */
} ct_forest_used;

/* What the work takes, in seconds. */
typedef struct {
    double cpu, device;
} ct_forest_cost;

/* Whether the device is to be tried; *used becomes the CPU, without a note. */
int ct_forest_wants(const ct_forest_device *device, const ct_forest_cost *cost,
                    ct_forest_used *used);
/* The number that ct_gpu_open() takes for it. */
int ct_forest_number(const ct_forest_device *device);
/* The device has done the work. */
void ct_forest_done(const ct_forest_device *device, ct_forest_used *used);
/* It has not, for a reason: CT_OK if the CPU is to do it, with a note if there is a device that
 * might have. */
ct_status ct_forest_without(const ct_forest_device *device, const ct_error *why,
                            ct_forest_used *used, ct_error *error);

#endif
