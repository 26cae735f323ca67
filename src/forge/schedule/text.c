#include "forge/schedule/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Makes room for `more` characters and a zero; 0 if memory ends. */
static int reserve(ct_forge_text *text, size_t more)
{
    if (text->failed) return 0;
    if (text->n + more < text->capacity) return 1;
    size_t capacity = 2 * text->capacity + more + 256;
    char *at = (char *) ct_alloc(capacity);
    if (!at) {
        text->failed = 1;
        return 0;
    }
    if (text->n) memcpy(at, text->at, text->n);
    at[text->n] = 0;
    ct_free(text->at);
    text->at = at;
    text->capacity = capacity;
    return 1;
}

CT_PRINTF(2, 0)
static void add(ct_forge_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0 || !reserve(text, (size_t) n)) return;
    vsnprintf(text->at + text->n, (size_t) n + 1, format, arguments);
    text->n += (size_t) n;
}

void ct_forge_text_add(ct_forge_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(text, format, arguments);
    va_end(arguments);
}

void ct_forge_text_add_bytes(ct_forge_text *text, const char *bytes, size_t n)
{
    CT_ASSERT(bytes || !n);
    if (!reserve(text, n)) return;
    memcpy(text->at + text->n, bytes, n);
    text->n += n;
    text->at[text->n] = 0;
}

void ct_forge_text_line(ct_forge_text *text, int level, const char *format, ...)
{
    va_list arguments;
    ct_forge_text_add(text, "%*s", 4 * level, "");
    va_start(arguments, format);
    add(text, format, arguments);
    va_end(arguments);
    ct_forge_text_add(text, "\n");
}

void ct_forge_text_free(ct_forge_text *text)
{
    ct_free(text->at);
    memset(text, 0, sizeof *text);
}
