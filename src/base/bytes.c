#include "base/bytes.h"

#include "base/memory.h"
#include "base/status.h"

enum { MOST_BYTES = 10, FIRST_ROOM = 4096 }; /* of a number; of a buffer */

/* Room for one more number; 0 if there is none. */
static int grow(ct_bytes *bytes)
{
    CT_ASSERT(bytes->n <= bytes->room);
    if (bytes->room - bytes->n >= MOST_BYTES) return 1;
    size_t room = bytes->room ? 2 * bytes->room : FIRST_ROOM;
    if (room >= SIZE_MAX / 4 || !ct_enlarge(&bytes->bytes, bytes->n, room - bytes->n)) return 0;
    bytes->room = room;
    CT_ASSERT(bytes->room - bytes->n >= MOST_BYTES);
    return 1;
}

void ct_bytes_put(ct_bytes *bytes, uint64_t number)
{
    if (bytes->lost || bytes->n >= bytes->limit || !grow(bytes)) {
        bytes->lost = 1;
        return;
    }
    for (; number > 127; number >>= 7) bytes->bytes[bytes->n++] = (uint8_t) (number | 128);
    bytes->bytes[bytes->n++] = (uint8_t) number;
    CT_ASSERT(bytes->n <= bytes->room);
}

void ct_bytes_free(ct_bytes *bytes)
{
    ct_free(bytes->bytes);
    bytes->bytes = NULL;
    bytes->n = bytes->room = 0;
}

uint64_t ct_bytes_get(ct_bytes_reader *reader)
{
    CT_ASSERT(reader->at <= reader->n);
    uint64_t number = 0;
    for (unsigned shift = 0; !reader->bad && shift < 64 && reader->at < reader->n; shift += 7) {
        uint64_t byte = reader->bytes[reader->at++];
        if (shift == 63 && byte > 1) break;
        number |= (byte & 127) << shift;
        if (byte < 128) return number;
    }
    reader->bad = 1;
    return 0;
}
