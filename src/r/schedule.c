/* .Call entries of schedules. A schedule comes from R as its text. */
#include "base/compact.h"

#include <stdlib.h>
#include <string.h>

#include "forge/schedule/emit.h"
#include "forge/schedule/nvrtc.h"
#include "r/callbacks.h"
#include "r/forge.h"

const char *r_string_of(SEXP text)
{
    if (TYPEOF(text) != STRSXP || Rf_xlength(text) != 1 || STRING_ELT(text, 0) == NA_STRING)
        Rf_error("'text' must be a string");
    return CHAR(STRING_ELT(text, 0));
}

static void free_text(void *text) { ct_forge_text_free((ct_forge_text *) text); }

/* A text that R owns; protect it. */
static SEXP new_text(ct_forge_text **text)
{
    SEXP owner = r_owner(sizeof **text, Rf_install("contree_text"), free_text);
    *text = (ct_forge_text *) R_ExternalPtrAddr(owner);
    return owner;
}

/* The text as an R string. */
static SEXP string_from(const ct_forge_text *text)
{
    if (text->failed) Rf_error("not enough memory");
    return Rf_mkString(text->at ? text->at : "");
}

/* ---- the nest as vectors, a loop an element, outermost first ---- */

static int list_loops(const ct_forge_nest *nest, int first, int depth, int *loops, int *depths)
{
    int n = 0;
    for (int i = first; i >= 0; i = nest->loops[i].next) {
        CT_ASSERT(i < nest->n_loops && depth < CT_FORGE_MOST_LOOPS);
        loops[n] = i;
        depths[n++] = depth;
        n += list_loops(nest, nest->loops[i].inner, depth + 1, loops + n, depths + n);
    }
    return n;
}

/* What is said of a loop: "parallel, interleave 4". */
static SEXP marks_of(const ct_forge_index *index)
{
    char text[256] = "";
    size_t n = 0;
    for (int number_of = CT_FORGE_GPU; number_of < CT_FORGE_N_DIRECTIVES; number_of++) {
        const ct_forge_directive d = (ct_forge_directive) number_of;
        char number[32] = "";
        const char *form = ct_forge_directive_form(d);
        if (!index->marked[d]) continue;
        if (form[1] == 'k') snprintf(number, sizeof number, " %d", (int) index->number[d]);
        if (form[1] == 'd')
            snprintf(number, sizeof number, " %s", ct_forge_dimension_name((int) index->number[d]));
        n += (size_t) snprintf(text + n, sizeof text - n, "%s%s%s", n ? ", " : "",
                               ct_forge_directive_name(d), number);
        if (n >= sizeof text) break;
    }
    return Rf_mkChar(text);
}

static SEXP loops_of(const ct_forge_nest *nest)
{
    static const char *const names[] = {"loop", "over", "depth", "start", "stop", "step", "marks"};
    int loops[CT_FORGE_MOST_LOOPS], depths[CT_FORGE_MOST_LOOPS];
    int n = list_loops(nest, nest->first, 0, loops, depths);
    CT_ASSERT(n > 0 && n <= CT_FORGE_MOST_LOOPS);
    SEXP list = PROTECT(r_named_list(names, 7));
    for (int i = 0; i < 7; i++)
        SET_VECTOR_ELT(list, i, Rf_allocVector(i < 2 || i == 6 ? STRSXP : i == 2 ? INTSXP : REALSXP,
                                               n));
    for (int i = 0; i < n; i++) {
        const ct_forge_index *index = &nest->loops[loops[i]];
        SET_STRING_ELT(VECTOR_ELT(list, 0), i, Rf_mkChar(index->name));
        SET_STRING_ELT(VECTOR_ELT(list, 1), i,
                       Rf_mkChar(index->axis == CT_FORGE_ROWS ? "rows" : "trees"));
        INTEGER(VECTOR_ELT(list, 2))[i] = depths[i];
        REAL(VECTOR_ELT(list, 3))[i] = (double) index->start;
        const int is_open = index->stop == CT_FORGE_OPEN;
        REAL(VECTOR_ELT(list, 4))[i] = is_open ? NA_REAL : (double) index->stop;
        REAL(VECTOR_ELT(list, 5))[i] = (double) index->step;
        SET_STRING_ELT(VECTOR_ELT(list, 6), i, marks_of(index));
    }
    UNPROTECT(1);
    return list;
}

/* list(text, loops, representation, gpu): a schedule that is legal for some forest. */
SEXP ffi_schedule_read(SEXP text)
{
    static const char *const names[] = {"text", "loops", "representation", "gpu"};
    ct_forge_nest nest;
    ct_error error;
    ct_forge_text *printed;
    r_check(ct_forge_nest_parse(&nest, r_string_of(text), &error), &error);
    r_check(ct_forge_nest_check(&nest, NULL, &error), &error);
    SEXP list = PROTECT(r_named_list(names, 4));
    SET_VECTOR_ELT(list, 1, loops_of(&nest));
    SET_VECTOR_ELT(list, 2, Rf_mkString(ct_forge_layout_name((int) nest.layout)));
    SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(ct_forge_nest_on_gpu(&nest)));
    PROTECT(new_text(&printed));
    ct_forge_nest_print(&nest, printed);
    SET_VECTOR_ELT(list, 0, string_from(printed));
    UNPROTECT(2);
    return list;
}

/* The rules: a character vector of sentences with their names. */
SEXP ffi_schedule_rules(void)
{
    SEXP sentences = PROTECT(Rf_allocVector(STRSXP, CT_FORGE_N_RULES));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, CT_FORGE_N_RULES));
    for (int i = 0; i < CT_FORGE_N_RULES; i++) {
        SET_STRING_ELT(sentences, i, Rf_mkChar(ct_forge_rule_sentence((ct_forge_rule) i)));
        SET_STRING_ELT(names, i, Rf_mkChar(ct_forge_rule_name((ct_forge_rule) i)));
    }
    Rf_setAttrib(sentences, R_NamesSymbol, names);
    UNPROTECT(2);
    return sentences;
}

/* ---- with a forest ---- */

/* What texts of a schedule there are. */
enum { SHOW_LEVELS = 3, SHOW_C = SHOW_LEVELS, SHOW_CUDA, SHOW_PTX };

/* Compiles the CUDA text to PTX. */
static ct_status show_ptx(const ct_forge_scheduled *s, const char *name, ct_forge_text *out,
                          ct_error *error)
{
    ct_forge_text cuda = {NULL, 0, 0, 0};
    ct_forge_emit_prelude(CT_FORGE_IN_CUDA, &cuda);
    ct_forge_emit(s->ir, s->model, name, CT_FORGE_IN_CUDA, &cuda);
    ct_status status = cuda.failed ? ct_fail(error, CT_NO_MEMORY, "not enough memory")
                                   : ct_forge_nvrtc_compile(cuda.at, "compute_75", out, error);
    ct_forge_text_free(&cuda);
    /* the text is ours: what does not take it is no compiler for it */
    return status == CT_BAD_INPUT ? CT_NO_DEVICE : status;
}

static ct_status show(const ct_forged *f, const char *text, int any_order, int what,
                      const char *name, ct_arena *arena, ct_forge_text *out, ct_error *error)
{
    ct_forge_scheduled s;
    CT_ASSERT(what >= 0 && what <= SHOW_PTX);
    CT_TRY(ct_forge_scheduled_new(f, text, any_order, arena, &s, error));
    if (what < SHOW_LEVELS) {
        CT_TRY(ct_forge_ir_lower(s.ir, s.nest, s.shape, (ct_forge_ir_level) what, error));
        ct_forge_ir_print(s.ir, out);
        return CT_OK;
    }
    ct_forge_language language = what == SHOW_C ? CT_FORGE_IN_C : CT_FORGE_IN_CUDA;
    if (language == CT_FORGE_IN_CUDA && !s.ir->on_gpu)
        return ct_fail(error, CT_BAD_INPUT, "no loop is on a dimension of a GPU");
    if (what == SHOW_PTX) return show_ptx(&s, name, out, error);
    ct_forge_emit_prelude(language, out);
    if (language == CT_FORGE_IN_C) ct_forge_emit_model(s.model, name, out);
    ct_forge_emit(s.ir, s.model, name, language, out);
    return CT_OK;
}

/* A text: what 0 to 2: the IR, ct_forge_ir_level; 3: C, 4: CUDA, 5: PTX, of that name. An error
 * where the schedule is not legal for the forest. */
SEXP ffi_schedule_show(SEXP pointer, SEXP text, SEXP any_order, SEXP what, SEXP name)
{
    r_forged *all = r_forged_of(pointer);
    ct_error error;
    ct_forge_text *out;
    ct_budget budget = {SIZE_MAX / 2, 0};
    ct_arena arena;
    const char *given = r_string_of(text), *called = r_string_of(name);
    const int in_any_order = r_flag(any_order, "any_order"), which = Rf_asInteger(what);
    if (which < 0 || which > SHOW_PTX) Rf_error("there is no such text of a schedule");
    PROTECT(new_text(&out));
    ct_arena_init(&arena, &budget);
    ct_status status = show(&all->forged, given, in_any_order, which, called, &arena, out, &error);
    ct_arena_free(&arena);
    r_check(status, &error);
    SEXP string = string_from(out);
    UNPROTECT(1);
    return string;
}

void r_forged_schedule(r_forged *all, const char *text, int any_order)
{
    ct_error error;
    if (all->schedule.at && !strcmp(all->schedule.at, text)) return;
    if (all->running) r_fail("this forest is predicting under another schedule");
    if (all->on.text.at) r_forged_leave(&all->on);
    ct_forge_text_free(&all->schedule);
    ct_arena_free(&all->of_schedule);
    ct_arena_init(&all->of_schedule, &all->budget);
    r_check(ct_forge_scheduled_new(&all->forged, text, any_order, &all->of_schedule,
                                   &all->scheduled, &error), &error);
    ct_forge_text_add(&all->schedule, "%s", text);
}

/* Predicts by a schedule: a matrix of sums, a column an output. */
SEXP ffi_schedule_predict(SEXP pointer, SEXP text, SEXP any_order, SEXP columns, SEXP threads,
                          SEXP simd)
{
    r_forged *all = r_forged_of(pointer);
    r_columns x = r_forged_columns(all, columns);
    ct_forge_run run = r_run_of(threads, Rf_ScalarInteger(CT_FORGE_WAY_AUTO), simd);
    r_forged_schedule(all, r_string_of(text), r_flag(any_order, "any_order"));
    ct_error error;
    r_callbacks calls;
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int) x.n_rows, (int) all->ensemble.n_outputs));
    PROTECT(r_callbacks_init(&calls, R_NilValue));
    ct_halt stop = {r_callbacks_stop, &calls, 0, 0};
    run.stop = &stop;
    int was_running = all->running;
    CT_ASSERT(all->scheduled.forged == &all->forged);
    all->running = 1;
    ct_status status = ct_forge_scheduled_predict(&all->scheduled, x.columns, x.n_rows, &run,
                                                  REAL(out), &error);
    all->running = was_running;
    r_callbacks_end(&calls, status, &error);
    UNPROTECT(2);
    return out;
}
