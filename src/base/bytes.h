/* Numbers in few bytes: seven bits a byte, the lowest first, the eighth bit on all but the last. */
#ifndef CT_BASE_BYTES_H
#define CT_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Begin with all 0 but the limit; freed by ct_bytes_free. */
typedef struct {
    uint8_t *bytes; /* owned */
    size_t n, room;
    size_t limit;   /* most bytes */
    int lost;       /* a number had no room: memory or the limit ended */
} ct_bytes;

void ct_bytes_put(ct_bytes *bytes, uint64_t number);
void ct_bytes_free(ct_bytes *bytes);

/* Bytes from anywhere; reading past their end, or more than 64 bits, sets `bad` and gives 0 from
 * then on. */
typedef struct {
    const uint8_t *bytes; /* borrowed */
    size_t n, at;
    int bad;
} ct_bytes_reader;

uint64_t ct_bytes_get(ct_bytes_reader *reader);

#endif
