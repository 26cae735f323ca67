/* Status codes and error messages of the C core.
 *
 * Every function that can fail returns a ct_status; the message, if any, goes into the ct_error
 * that the caller passed. What makes memory and can fail in no other way may return it, or NULL. An
 * int answers a question and is never a failure. The core never prints, exits or jumps. CT_TRY
 * hands a failure up to the caller.
 *
 * CT_ASSERT is for states that cannot occur; it is on under CT_DEBUG (the C tests), but not on a
 * device, and costs nothing elsewhere. A caller's mistake is never an assertion: it is a
 * ct_error. */
#ifndef CT_BASE_STATUS_H
#define CT_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CT_OK = 0,
    CT_BAD_INPUT, /* the caller's data or options are not acceptable */
    CT_NO_MEMORY, /* an allocation failed, or the memory limit was met before any tree was known */
    CT_NO_DEVICE, /* a GPU was asked for and there is none that works */
    CT_INTERNAL   /* the answer failed its own check; a bug in the library */
} ct_status;

typedef struct {
    ct_status status;
    char message[256];
} ct_error;

#if defined(__GNUC__)
#define CT_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define CT_PRINTF(a, b)
#endif

/* Fills *error (which may be NULL) and returns `status`, so that a failure reads `return
 * ct_fail(...)`. */
ct_status ct_fail(ct_error *error, ct_status status, const char *format, ...) CT_PRINTF(3, 4);

#define CT_TRY(expr)                                  \
    do {                                              \
        ct_status ct_try_status_ = (expr);            \
        if (ct_try_status_ != CT_OK) return ct_try_status_; \
    } while (0)

#if defined(CT_DEBUG) && !defined(__CUDA_ARCH__)
__attribute__((noreturn)) void ct_assert_failed(const char *condition, const char *file, int line);
#define CT_ASSERT(condition)                                                                       \
    ((condition) ? (void) 0 : ct_assert_failed(#condition, __FILE__, __LINE__))
#else
#define CT_ASSERT(condition) ((void) 0)
#endif

#ifdef __cplusplus
}
#endif

#endif
