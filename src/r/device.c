/* .Call entries that tell what this build and this machine have. */
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <process.h>
#define getpid _getpid
#else
#include <unistd.h>
#endif

#include "base/cpu.h"
#include "base/threads.h"
#include "gpu/device.h"
#include "r/glue.h"

static SEXP simd_available(void)
{
    R_xlen_t n = 0;
    SEXP out = PROTECT(Rf_allocVector(STRSXP, CT_N_SIMD));
    for (int level = 0; level < CT_N_SIMD; level++)
        if (ct_cpu_has((ct_simd) level))
            SET_STRING_ELT(out, n++, Rf_mkChar(ct_simd_name((ct_simd) level)));
    out = PROTECT(Rf_lengthgets(out, n));
    UNPROTECT(2);
    return out;
}

SEXP ffi_info(void)
{
    static const char *const names[] = {"simd_available", "openmp", "cuda_compiled"};
    ct_device_list devices;
    int openmp = 0;
#ifdef _OPENMP
    openmp = 1;
#endif
    ct_device_query(&devices);
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    SET_VECTOR_ELT(list, 0, simd_available());
    SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(openmp));
    SET_VECTOR_ELT(list, 2, Rf_ScalarLogical(devices.compiled));
    UNPROTECT(1);
    return list;
}

/* How many processors a search can use: without OpenMP one. */
SEXP ffi_processors(void)
{
#ifdef _OPENMP
    return Rf_ScalarInteger(omp_get_num_procs());
#else
    return Rf_ScalarInteger(1);
#endif
}

/* Whether some variable of the environment limits threads: R then reads them. */
SEXP ffi_threads_limited(void)
{
    static const char *const names[] = {"_R_CHECK_LIMIT_CORES_", "OMP_THREAD_LIMIT",
                                        "OMP_NUM_THREADS"};
    int limited = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        limited |= value && *value;
    }
    return Rf_ScalarLogical(limited);
}

/* Whether this is not the process of that number. */
SEXP ffi_is_forked(SEXP process)
{
    return Rf_ScalarLogical(Rf_asInteger(process) != (int) getpid());
}

SEXP ffi_gpu_info(void)
{
    static const char *const names[] = {"compiled", "available", "reason",    "device",
                                        "name",     "memory",    "capability"};
    ct_device_list devices;
    char capability[32];
    ct_device_query(&devices);
    int n = devices.n_devices;
    CT_ASSERT(n >= 0 && n <= CT_DEVICE_MAX);
    SEXP list = PROTECT(r_named_list(names, sizeof names / sizeof *names));
    SET_VECTOR_ELT(list, 0, Rf_ScalarLogical(devices.compiled));
    SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(n > 0));
    SET_VECTOR_ELT(list, 2, Rf_mkString(devices.reason));
    SET_VECTOR_ELT(list, 3, Rf_allocVector(INTSXP, n));
    SET_VECTOR_ELT(list, 4, Rf_allocVector(STRSXP, n));
    SET_VECTOR_ELT(list, 5, Rf_allocVector(REALSXP, n));
    SET_VECTOR_ELT(list, 6, Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) {
        snprintf(capability, sizeof capability, "%d.%d", devices.device[i].major,
                 devices.device[i].minor);
        INTEGER(VECTOR_ELT(list, 3))[i] = i;
        SET_STRING_ELT(VECTOR_ELT(list, 4), i, Rf_mkChar(devices.device[i].name));
        REAL(VECTOR_ELT(list, 5))[i] = (double) devices.device[i].memory;
        SET_STRING_ELT(VECTOR_ELT(list, 6), i, Rf_mkChar(capability));
    }
    UNPROTECT(1);
    return list;
}
