#include "forge/protobuf.h"

#include <string.h>

#include "base/status.h"

static int varint(const uint8_t *bytes, uint64_t size, uint64_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (*at >= size) return -1;
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t) (byte & 127) << shift;
        if (byte < 128) return shift < 63 || byte < 2 ? 1 : -1;
    }
    return -1;
}

/* The lowest byte comes first, whatever the machine does. */
static uint64_t little_endian(const uint8_t *bytes, unsigned n)
{
    uint64_t x = 0;
    for (unsigned i = n; i-- > 0;) x = x << 8 | bytes[i];
    return x;
}

int ct_forge_pb_number(const uint8_t *bytes, uint64_t size, ct_forge_pb_wire wire, uint64_t *at,
                       double *value)
{
    CT_ASSERT((bytes || !size) && *at <= size && value);
    if (*at >= size) return 0;
    uint64_t bits;
    if (wire == CT_FORGE_PB_VARINT) {
        if (varint(bytes, size, at, &bits) < 0) return -1;
        *value = bits >> 63 ? -(double) (~bits + 1) : (double) bits;
        return 1;
    }
    unsigned n = wire == CT_FORGE_PB_FLOAT ? 4 : 8;
    if (size - *at < n) return -1;
    bits = little_endian(bytes + *at, n);
    *at += n;
    if (wire == CT_FORGE_PB_FLOAT) {
        uint32_t half = (uint32_t) bits;
        float x;
        memcpy(&x, &half, sizeof x);
        *value = (double) x;
    } else {
        memcpy(value, &bits, sizeof bits);
    }
    return 1;
}

int ct_forge_pb_next(const uint8_t *bytes, uint64_t size, uint64_t *at, ct_forge_pb_field *field)
{
    CT_ASSERT((bytes || !size) && *at <= size && field);
    uint64_t key;
    memset(field, 0, sizeof *field);
    if (*at >= size) return 0;
    if (varint(bytes, size, at, &key) < 0 || key >> 3 == 0 || key >> 3 > UINT32_C(0x1fffffff))
        return -1;
    field->number = (uint32_t) (key >> 3);
    field->wire = (ct_forge_pb_wire) (key & 7);
    field->start = *at;
    if (field->wire == CT_FORGE_PB_BYTES) {
        if (varint(bytes, size, at, &field->size) < 0 || field->size > size - *at) return -1;
        field->start = *at;
        *at += field->size;
        return 1;
    }
    if (field->wire != CT_FORGE_PB_VARINT && field->wire != CT_FORGE_PB_DOUBLE &&
        field->wire != CT_FORGE_PB_FLOAT)
        return -1;
    return ct_forge_pb_number(bytes, size, field->wire, at, &field->value) == 1 ? 1 : -1;
}
