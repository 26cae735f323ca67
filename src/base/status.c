#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

ct_status ct_fail(ct_error *error, ct_status status, const char *format, ...)
{
    CT_ASSERT(status != CT_OK && format);
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

#ifdef CT_DEBUG
#include <stdlib.h>
void ct_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#endif
