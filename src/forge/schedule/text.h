/* A growing string. It is initialised with zeros and freed by ct_forge_text_free; after an
 * allocation failure it stays unchanged and records the failure. */
#ifndef CT_FORGE_SCHEDULE_TEXT_H
#define CT_FORGE_SCHEDULE_TEXT_H

#include <stddef.h>

#include "base/status.h"

typedef struct {
    char *at; /* [n], and a zero; NULL while there is nothing */
    size_t n, capacity;
    int failed;
} ct_forge_text;

void ct_forge_text_add(ct_forge_text *text, const char *format, ...) CT_PRINTF(2, 3);
void ct_forge_text_add_bytes(ct_forge_text *text, const char *bytes, size_t n);
/* A line that begins with four blanks a level. */
void ct_forge_text_line(ct_forge_text *text, int level, const char *format, ...) CT_PRINTF(3, 4);
void ct_forge_text_free(ct_forge_text *text);

#endif
