/* .Call entries of forged ensembles on a device. What a device does not do, and one that cannot be
 * used or was lost, is no error here: R decides what comes of it. */
#include "base/compact.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "forge/offload/placing.h"
#include "r/callbacks.h"
#include "r/forge.h"

/* What CUDA has set up in a process is of no use to one forked from it. */
static int is_mine(const r_forged_on *on)
{
    return on->process == (long) getpid();
}

void r_forged_leave(r_forged_on *on)
{
    if (is_mine(on)) ct_forged_device_close(on->device);
    ct_forge_text_free(&on->text);
    memset(on, 0, sizeof *on);
}

static int is_ready(const r_forged_on *on, int number, const char *text)
{
    return on->device && is_mine(on) && on->number == number &&
           !strcmp(on->text.at ? on->text.at : "", text);
}

/* c(kind, why); kind: "open" where the device cannot be used, "refused" where it does not do this,
 * "lost" where it failed, or has not enough memory. */
static SEXP without_device(const char *kind, ct_status status, const ct_error *error)
{
    CT_ASSERT(status != CT_OK);
    if (status == CT_INTERNAL) r_check(status, error);
    if (status != CT_NO_DEVICE) kind = status == CT_BAD_INPUT ? "refused" : "lost";
    SEXP pair = PROTECT(Rf_allocVector(STRSXP, 2));
    SET_STRING_ELT(pair, 0, Rf_mkChar(kind));
    SET_STRING_ELT(pair, 1, Rf_mkChar(error->message));
    UNPROTECT(1);
    return pair;
}

static ct_status open_text(r_forged *all, int number, const char *text, ct_error *error)
{
    CT_ASSERT(!all->on.device && all->scheduled.forged == &all->forged);
    if (number < 0) return ct_fail(error, CT_BAD_INPUT, "the twin runs no schedules");
    ct_forge_text_add(&all->on.text, "%s", text);
    return ct_forged_device_open_text(&all->scheduled, number, &all->on.device, error);
}

/* Opens the device and sends the trees, unless it is open; text "": without a schedule. */
static ct_status make_ready(r_forged *all, int number, const char *text, int any_order,
                            ct_error *error)
{
    if (is_ready(&all->on, number, text)) return CT_OK;
    r_forged_leave(&all->on);
    if (*text) r_forged_schedule(all, text, any_order);
    all->on.number = number;
    all->on.process = (long) getpid();
    return *text ? open_text(all, number, text, error)
                 : ct_forged_device_open(&all->forged, number, CT_FORGE_WAY_AUTO, any_order,
                                         &all->on.device, error);
}

/* Arguments that all entries for devices have in common. */
typedef struct {
    r_forged *all;
    r_columns x;
    const char *text;
    int any_order, number;
    ct_forge_run run;
} request;

static request request_of(SEXP pointer, SEXP text, SEXP any_order, SEXP columns, SEXP threads,
                      SEXP number)
{
    request a;
    a.all = r_forged_of(pointer);
    a.x = r_forged_columns(a.all, columns);
    a.run = r_run_of(threads, Rf_ScalarInteger(CT_FORGE_WAY_AUTO), PROTECT(Rf_mkString("auto")));
    UNPROTECT(1);
    a.text = r_string_of(text);
    a.any_order = r_flag(any_order, "any_order");
    a.number = Rf_asInteger(number);
    if (a.number < -1 || a.number > 9999) Rf_error("there is no device of that number");
    return a;
}

/* Sums into `out` or, unless `taken` is NULL, the seconds that they take into that. Events are seen
 * to while a run asks for interrupts, and may ask for another device, which is not kept. */
static ct_status run_on_device(request *a, double *out, double seconds, double *taken,
                               ct_error *error)
{
    r_forged *all = a->all;
    const r_forged_on device = all->on;
    CT_ASSERT(device.device && !out == (taken != NULL));
    const int was_running = all->running;
    memset(&all->on, 0, sizeof all->on);
    all->running = 1;
    ct_status status =
        taken ? ct_forged_device_time(device.device, a->x.columns, a->x.n_rows, &a->run, seconds,
                                      taken, error)
              : ct_forged_device_predict(device.device, a->x.columns, a->x.n_rows, &a->run, out,
                                         error);
    all->running = was_running;
    r_forged_leave(&all->on);
    all->on = device;
    if (status == CT_NO_DEVICE) r_forged_leave(&all->on);
    return status;
}

/* Sums, a column an output; or what without_device() says. number: of the CUDA device, -1: the
 * twin. With no rows the device is opened alone. */
SEXP ffi_forged_device_predict(SEXP pointer, SEXP text, SEXP any_order, SEXP columns, SEXP threads,
                               SEXP number)
{
    request a = request_of(pointer, text, any_order, columns, threads, number);
    ct_error error = {CT_OK, ""};
    r_callbacks calls;
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int) a.x.n_rows,
                                      (int) a.all->ensemble.n_outputs));
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {r_callbacks_stop, &calls, 0, 0};
    a.run.stop = &stop;
    ct_status status = make_ready(a.all, a.number, a.text, a.any_order, &error);
    const char *kind = status == CT_OK ? "lost" : "open";
    if (status == CT_OK) status = run_on_device(&a, REAL(out), 0, NULL, &error);
    r_callbacks_jump_if(&calls, NULL);
    UNPROTECT(2);
    if (status != CT_OK) return without_device(kind, status, &error);
    if (calls.interrupted) r_interrupted();
    return out;
}

/* The seconds that rows take that are on the device, the least of some times of at least `seconds`;
 * or what without_device() says. */
SEXP ffi_forged_device_time(SEXP pointer, SEXP text, SEXP any_order, SEXP columns, SEXP threads,
                            SEXP number, SEXP seconds)
{
    request a = request_of(pointer, text, any_order, columns, threads, number);
    ct_error error = {CT_OK, ""};
    double least = Rf_asReal(seconds), taken = 0;
    if (!(least >= 0 && least < 60)) Rf_error("'seconds' must be a number from 0 to 60");
    if (!a.x.n_rows) Rf_error("there must be rows");
    ct_status status = make_ready(a.all, a.number, a.text, a.any_order, &error);
    const char *kind = status == CT_OK ? "lost" : "open";
    if (status == CT_OK) status = run_on_device(&a, NULL, least, &taken, &error);
    return status == CT_OK ? Rf_ScalarReal(taken) : without_device(kind, status, &error);
}

/* Whether a CUDA device should take less time for n_rows rows than the CPU with these threads, by a
 * model of costs. */
SEXP ffi_forged_device_pays(SEXP pointer, SEXP n_rows, SEXP threads)
{
    const r_forged *all = r_forged_of(pointer);
    double rows = Rf_asReal(n_rows);
    int n = Rf_asInteger(threads);
    if (!(rows >= 0 && rows <= INT_MAX) || n < 1) Rf_error("there are no such rows or threads");
    int open = is_ready(&all->on, 0, "");
    return Rf_ScalarLogical(ct_forged_pays(&all->forged, (uint32_t) rows, (unsigned) n, open));
}
