/* Where work that a device may do is done: the wish of the caller, and what became of it. */
#ifndef CT_GPU_CHOICE_H
#define CT_GPU_CHOICE_H

#include "base/status.h"

typedef enum {
    CT_ON_CPU,
    CT_ON_AUTO,     /* the first CUDA device if that pays, and the CPU if it fails */
    CT_ON_CUDA,     /* the CUDA device of that number, or an error */
    CT_ON_TWIN      /* the host twin, for tests */
} ct_gpu_wish;

typedef struct {
    ct_gpu_wish wish;
    int number; /* of the CUDA device, from 0 */
} ct_gpu_choice;

typedef struct {
    char name[16];  /* who did the work: "cpu", "twin" or "cuda:" and a number */
    char note[256]; /* why a device did not; empty: there is nothing to say */
} ct_gpu_used;

/* What the work takes, in seconds. */
typedef struct {
    double cpu, device;
} ct_gpu_cost;

/* Whether the device is to be tried; *used becomes the CPU, without a note. */
int ct_gpu_wants(const ct_gpu_choice *device, const ct_gpu_cost *cost, ct_gpu_used *used);
/* The number that ct_gpu_open() takes for it. */
int ct_gpu_number(const ct_gpu_choice *device);
/* The device has done the work. */
void ct_gpu_done(const ct_gpu_choice *device, ct_gpu_used *used);
/* It has not, for a reason: CT_OK if the CPU is to do it, with a note if there is a device that
 * might have. */
ct_status ct_gpu_without(const ct_gpu_choice *device, const ct_error *why, ct_gpu_used *used,
                         ct_error *error);

#endif
