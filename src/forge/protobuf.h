/* Reads Protocol Buffers messages field by field, from bytes that have not been checked. */
#ifndef CT_FORGE_PROTOBUF_H
#define CT_FORGE_PROTOBUF_H

#include <stdint.h>

typedef enum { CT_FORGE_PB_VARINT = 0, CT_FORGE_PB_DOUBLE = 1, CT_FORGE_PB_BYTES = 2,
              CT_FORGE_PB_FLOAT = 5 } ct_forge_pb_wire;

typedef struct {
    uint32_t number;
    ct_forge_pb_wire wire;
    double value;         /* of numbers; of a varint, read as a signed integer of 64 bits */
    uint64_t start, size; /* of what follows its key; the size of bytes alone */
} ct_forge_pb_field;

/* The field at *at, and *at behind it: 1. 0: the message ends. -1: it is none. */
int ct_forge_pb_next(const uint8_t *bytes, uint64_t size, uint64_t *at, ct_forge_pb_field *field);

/* A number of a packed row of them, and *at behind it: 1, 0 at the end, -1 if it is broken. */
int ct_forge_pb_number(const uint8_t *bytes, uint64_t size, ct_forge_pb_wire wire, uint64_t *at,
                       double *value);

#endif
