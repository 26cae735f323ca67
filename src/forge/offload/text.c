#include "base/compact.h"

#include "forge/offload/text.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "forge/offload/image.h"
#include "forge/schedule/emit.h"
#include "forge/schedule/nvrtc.h"

/* ---- code ---- */

/* The oldest that the text is for: its PTX runs on all devices since. */
static const char any_device[] = "compute_75";

/* For the device itself or, where NVRTC does not know it, as PTX, which the driver compiles. */
static ct_status compile(const char *cuda, int capability, ct_forge_text *code, ct_error *error)
{
    char own[32];
    snprintf(own, sizeof own, "sm_%d", capability);
    ct_status status = ct_forge_nvrtc_compile(cuda, own, code, error);
    if (status != CT_BAD_INPUT) return status;
    return ct_forge_nvrtc_compile(cuda, any_device, code, error);
}

static ct_status find_functions(ct_forge_device_text *t)
{
    CT_TRY(ct_gpu_find(&t->module, "schedule_begin", &t->begin));
    CT_TRY(ct_gpu_find(&t->module, "schedule_nest", &t->nest));
    return ct_gpu_find(&t->module, "schedule_end", &t->end);
}

static ct_status load(ct_forge_device_text *t, ct_gpu *gpu, const ct_forge_text *code,
                      ct_error *error)
{
    if (ct_gpu_load(gpu, code->at, &t->module) == CT_OK && find_functions(t) == CT_OK)
        return CT_OK;
    return ct_fail(error, CT_NO_DEVICE, "%s", ct_gpu_why(gpu));
}

static ct_status compile_and_load(ct_forge_device_text *t, ct_gpu *gpu, ct_error *error)
{
    ct_forge_text cuda = {NULL, 0, 0, 0}, code = {NULL, 0, 0, 0};
    ct_forge_emit_prelude(CT_FORGE_IN_CUDA, &cuda);
    ct_forge_emit(t->scheduled->ir, t->scheduled->model, "schedule", CT_FORGE_IN_CUDA, &cuda);
    ct_status status = cuda.failed
                           ? ct_fail(error, CT_NO_MEMORY, "not enough memory for a text")
                           : compile(cuda.at, ct_gpu_capability(gpu), &code, error);
    if (status == CT_OK) status = load(t, gpu, &code, error);
    ct_forge_text_free(&cuda);
    ct_forge_text_free(&code);
    return status;
}

/* ---- trees ---- */

/* Columns come to the device in the order in which they are used. */
static ct_status send_trees(ct_forge_device_text *t, ct_gpu *gpu, ct_gpu_block *trees,
                            ct_error *error)
{
    const ct_forge_model *m = t->scheduled->model;
    const ct_forge_ensemble *e = m->ensemble;
    ct_forge_model *to = &t->model;
    ct_forge_upload upload = {.n = 0};
    uint32_t *used = (uint32_t *) ct_alloc((m->n_used + (size_t) 1) * sizeof *used);
    if (!used) return ct_fail(error, CT_NO_MEMORY, "not enough memory for columns");
    for (uint32_t i = 0; i < m->n_used; i++) used[i] = i;
    *to = *m;
    ct_forge_upload_add(&upload, &to->nodes, m->nodes, m->n_nodes, sizeof *m->nodes);
    ct_forge_upload_add(&upload, &to->origin, m->origin, m->n_nodes, sizeof *m->origin);
    ct_forge_upload_add(&upload, &to->roots, m->roots, m->n_trees, sizeof *m->roots);
    ct_forge_upload_add(&upload, &to->used, used, m->n_used, sizeof *used);
    ct_forge_upload_add(&upload, &to->output, m->output, m->n_trees, sizeof *m->output);
    ct_forge_upload_add(&upload, &to->terms, m->terms, (size_t) e->n_nodes * m->leaf_width,
                        sizeof *m->terms);
    ct_forge_upload_add(&upload, &to->base, m->base, m->n_outputs, sizeof *m->base);
    if (e->n_set_bits) {
        ct_forge_upload_add(&upload, &to->set_first, m->set_first, e->n_nodes,
                            sizeof *m->set_first);
        ct_forge_upload_add(&upload, &to->set_size, m->set_size, e->n_nodes, sizeof *m->set_size);
        ct_forge_upload_add(&upload, &to->set_else, m->set_else, e->n_nodes, sizeof *m->set_else);
        ct_forge_upload_add(&upload, &to->sets, m->sets, (e->n_set_bits + 7) / 8, sizeof *m->sets);
    }
    ct_status status = ct_forge_upload_send(&upload, gpu, trees, error);
    ct_free(used);
    return status;
}

ct_status ct_forge_device_text_load(const ct_forge_scheduled *scheduled, ct_gpu *gpu,
                                    ct_gpu_block *trees, ct_forge_device_text *text,
                                    ct_error *error)
{
    CT_ASSERT(gpu && scheduled->ir->on_gpu);
    text->scheduled = scheduled;
    CT_TRY(compile_and_load(text, gpu, error));
    return send_trees(text, gpu, trees, error);
}

/* ---- a pass ---- */

typedef struct {
    void *sums;
    double *slots;
} pass_scratch;

static size_t cut_scratch(const ct_forge_device_text *t, char *memory, uint32_t n_rows,
                          pass_scratch *s)
{
    const ct_forge_ir *ir = t->scheduled->ir;
    const size_t n = (size_t) n_rows * t->model.n_outputs;
    ct_gpu_cutter c = {memory, 0};
    s->sums = ct_gpu_cut(&c, n * (t->model.ensemble->sum == CT_FORGE_F32 ? sizeof(float)
                                                                   : sizeof(double)));
    s->slots = (double *) ct_gpu_cut(
        &c, ir->n_slots ? n * (size_t) ct_forge_ir_slots(ir) * sizeof(double) : 0);
    return c.used;
}

size_t ct_forge_device_text_scratch(const void *of, uint32_t n_rows)
{
    CT_ASSERT(of && n_rows > 0);
    pass_scratch planned;
    return cut_scratch((const ct_forge_device_text *) of, NULL, n_rows, &planned);
}

static ct_gpu_shape shape_of(const ct_forge_launch *l)
{
    return (ct_gpu_shape){{l->blocks[0], l->blocks[1], l->blocks[2]},
                          {l->threads[0], l->threads[1], l->threads[2]}, l->shared};
}

ct_status ct_forge_device_text_predict(const void *of, const ct_forge_pass *pass)
{
    enum { THREADS = 256, MOST_BLOCKS = 1 << 16 };
    const ct_forge_device_text *t = (const ct_forge_device_text *) of;
    CT_ASSERT(t->begin && t->nest && t->end && pass->n > 0 && pass->n <= pass->capacity);
    const size_t n = (size_t) pass->n * t->model.n_outputs, blocks = (n + THREADS - 1) / THREADS;
    const ct_forge_launch launch = ct_forge_launch_of(t->scheduled->ir, pass->n);
    const ct_gpu_shape nest = shape_of(&launch),
                       numbers = {{blocks < MOST_BLOCKS ? (unsigned) blocks : MOST_BLOCKS, 1, 1},
                                  {THREADS, 1, 1}, 0};
    ct_forge_model model = t->model;
    long long n_rows = pass->n, row_step = 1, column_step = pass->n;
    const double *x = (const double *) pass->x;
    double *out = pass->out;
    pass_scratch s;
    (void) cut_scratch(t, pass->scratch, pass->n, &s);
    void *first[] = {&model, &n_rows, &s.sums, &s.slots};
    void *middle[] = {&model, &n_rows, &s.sums, &s.slots, &x, &row_step, &column_step};
    void *last[] = {&model, &n_rows, &s.sums, &s.slots, &out};
    CT_TRY(ct_gpu_call(&pass->stream, t->begin, &numbers, first));
    CT_TRY(ct_gpu_call(&pass->stream, t->nest, &nest, middle));
    return ct_gpu_call(&pass->stream, t->end, &numbers, last);
}
