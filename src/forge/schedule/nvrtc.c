#include "base/compact.h"

#include "forge/schedule/nvrtc.h"

#ifdef _WIN32

ct_status ct_forge_nvrtc_compile(const char *text, const char *architecture, ct_forge_text *code,
                                 ct_error *error)
{
    (void) text, (void) architecture, (void) code;
    return ct_fail(error, CT_NO_DEVICE, "NVRTC is not looked for on Windows");
}

#else

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* NVRTC's functions, as nvrtc.h declares them: programs are pointers, 0 is success. */
typedef struct program program;
typedef struct {
    int (*create)(program **, const char *, const char *, int, const char *const *,
                  const char *const *);
    int (*compile)(program *, int, const char *const *);
    int (*log_size)(program *, size_t *);
    int (*log)(program *, char *);
    int (*ptx_size)(program *, size_t *);
    int (*ptx)(program *, char *);
    int (*cubin_size)(program *, size_t *);
    int (*cubin)(program *, char *);
    int (*destroy)(program **);
} functions;

static void *open_library(void)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so",
                                        "/usr/local/cuda/lib/libnvrtc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

/* ISO C knows no pointer that is both an object's and a function's. */
static int find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int find_all(void *library, functions *f)
{
    return find(library, "nvrtcCreateProgram", &f->create) &&
           find(library, "nvrtcCompileProgram", &f->compile) &&
           find(library, "nvrtcGetProgramLogSize", &f->log_size) &&
           find(library, "nvrtcGetProgramLog", &f->log) &&
           find(library, "nvrtcGetPTXSize", &f->ptx_size) &&
           find(library, "nvrtcGetPTX", &f->ptx) &&
           find(library, "nvrtcGetCUBINSize", &f->cubin_size) &&
           find(library, "nvrtcGetCUBIN", &f->cubin) &&
           find(library, "nvrtcDestroyProgram", &f->destroy);
}

/* What a pair of functions has to say, as a text. */
static int take(program *p, int (*size_of)(program *, size_t *), int (*get)(program *, char *),
                ct_forge_text *text)
{
    size_t size = 0;
    char *said = size_of(p, &size) ? NULL : (char *) ct_alloc(size + 1);
    int taken = said && !get(p, said);
    if (taken && size && !said[size - 1]) size--; /* texts have one of their own */
    if (taken) ct_forge_text_add_bytes(text, said, size);
    ct_free(said);
    return taken && !text->failed;
}

static ct_status compile(const functions *f, program *p, const char *architecture,
                         ct_forge_text *code, ct_error *error)
{
    const int own = !strncmp(architecture, "sm_", 3);
    char option[64];
    snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
    const char *options[] = {option, "--fmad=false"};
    if (!f->compile(p, 2, options))
        return take(p, own ? f->cubin_size : f->ptx_size, own ? f->cubin : f->ptx, code)
                   ? CT_OK : ct_fail(error, CT_NO_MEMORY, "not enough memory for PTX");
    ct_forge_text log = {NULL, 0, 0, 0};
    take(p, f->log_size, f->log, &log);
    ct_status status = ct_fail(error, CT_BAD_INPUT, "NVRTC: %.200s", log.at ? log.at : "");
    ct_forge_text_free(&log);
    return status;
}

ct_status ct_forge_nvrtc_compile(const char *text, const char *architecture, ct_forge_text *code,
                                 ct_error *error)
{
    functions f;
    program *p = NULL;
    void *library = open_library();
    if (!library) return ct_fail(error, CT_NO_DEVICE, "NVRTC is not there");
    ct_status status = CT_NO_DEVICE;
    if (!find_all(library, &f) || f.create(&p, text, "schedule.cu", 0, NULL, NULL)) {
        ct_fail(error, CT_NO_DEVICE, "NVRTC is not as it should be");
    } else {
        status = compile(&f, p, architecture, code, error);
        f.destroy(&p);
    }
    dlclose(library);
    return status;
}

#endif
