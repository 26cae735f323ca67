/* A forged ensemble as R holds it: behind an external pointer, which owns it. */
#ifndef R_FORGE_H
#define R_FORGE_H

#include "base/arena.h"
#include "forge/blocks.h"
#include "forge/forged.h"
#include "forge/run.h"
#include "forge/schedule/calls.h"
#include "r_glue.h"

typedef struct {
    ct_budget budget;
    ct_arena arena; /* of the ensemble */
    ct_ensemble ensemble;
    ct_forged forged;
    ct_tile_room *row; /* for one row at a time; the arena's */
    ct_rooms rooms;    /* for more */
    int running;       /* a run has them */
    /* The schedule that was asked for last, made ready; `schedule` is its text. */
    ct_arena of_schedule;
    ct_text schedule;
    ct_scheduled scheduled;
} r_forged;

/* An error of R where the pointer is to none. */
r_forged *r_forged_of(SEXP pointer);

/* Settings of a run, checked. */
ct_run r_run_of(SEXP threads, SEXP way, SEXP simd);

#endif
