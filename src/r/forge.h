/* A forged ensemble as R holds it: behind an external pointer, which owns it. */
#ifndef R_FORGE_H
#define R_FORGE_H

#include "base/arena.h"
#include "forge/blocks.h"
#include "forge/forged.h"
#include "forge/offload/offload.h"
#include "forge/run.h"
#include "forge/schedule/calls.h"
#include "r/glue.h"

/* The device that was asked for last, by the process of that number; `text` is the schedule whose
 * text it runs, NULL: none. */
typedef struct {
    ct_forged_device *device;
    int number;
    long process;
    ct_forge_text text;
} r_forged_on;

typedef struct {
    ct_budget budget;
    ct_arena arena; /* of the ensemble */
    ct_forge_ensemble ensemble;
    ct_forged forged;
    ct_forge_tile_scratch *row;  /* for one row at a time; the arena's */
    ct_forge_scratch_pool rooms; /* for many rows */
    int running;                 /* a run uses `rooms`, or the schedule below */
    /* The schedule that was asked for last, made ready; `schedule` is its text. */
    ct_arena of_schedule;
    ct_forge_text schedule;
    ct_forge_scheduled scheduled;
    r_forged_on on;
} r_forged;

/* An error of R where the pointer is to none. */
r_forged *r_forged_of(SEXP pointer);

/* Rows to predict, with the columns of the ensemble. */
r_columns r_forged_columns(const r_forged *all, SEXP columns);

/* Gives the device back, if there is one. */
void r_forged_leave(r_forged_on *on);

/* Makes the schedule ready, unless it is that of the call before. It is the caller's to say
 * `running` while it is in use. */
void r_forged_schedule(r_forged *all, const char *text, int any_order);
/* The text of an R string, which is checked to be one. */
const char *r_string_of(SEXP text);

/* Settings of a run from R values, which are checked. */
ct_forge_run r_run_of(SEXP threads, SEXP way, SEXP simd);

#endif
