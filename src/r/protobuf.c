/* .Call entries that take messages of Protocol Buffers apart. */
#include "forge/protobuf.h"
#include "r/callbacks.h"

static uint64_t count_fields(const uint8_t *bytes, uint64_t size)
{
    ct_forge_pb_field field;
    uint64_t n = 0, at = 0;
    int more;
    while ((more = ct_forge_pb_next(bytes, size, &at, &field)) == 1) n++;
    if (more < 0 || n > 0x7fffffff) Rf_error("a message is malformed");
    return n;
}

/* list(number, wire, value, start, size), an element a field; start from 0. */
SEXP ffi_protobuf(SEXP message)
{
    static const char *const names[] = {"number", "wire", "value", "start", "size"};
    if (TYPEOF(message) != RAWSXP) Rf_error("'message' must be a raw vector");
    const uint8_t *bytes = RAW_RO(message);
    uint64_t size = (uint64_t) Rf_xlength(message), at = 0;
    R_xlen_t n = (R_xlen_t) count_fields(bytes, size);
    SEXP out = PROTECT(r_named_list(names, 5));
    for (int i = 0; i < 5; i++)
        SET_VECTOR_ELT(out, i, Rf_allocVector(i < 2 ? INTSXP : REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        ct_forge_pb_field field;
        if (ct_forge_pb_next(bytes, size, &at, &field) != 1) Rf_error("a message is malformed");
        INTEGER(VECTOR_ELT(out, 0))[i] = (int) field.number;
        INTEGER(VECTOR_ELT(out, 1))[i] = (int) field.wire;
        REAL(VECTOR_ELT(out, 2))[i] = field.value;
        REAL(VECTOR_ELT(out, 3))[i] = (double) field.start;
        REAL(VECTOR_ELT(out, 4))[i] = (double) field.size;
    }
    UNPROTECT(1);
    return out;
}

/* The numbers of a packed row. */
SEXP ffi_protobuf_packed(SEXP bytes_, SEXP wire_)
{
    int wire = Rf_asInteger(wire_);
    if (TYPEOF(bytes_) != RAWSXP) Rf_error("'bytes' must be a raw vector");
    if (wire != CT_FORGE_PB_VARINT && wire != CT_FORGE_PB_DOUBLE && wire != CT_FORGE_PB_FLOAT)
        Rf_error("'wire' must be a type of numbers");
    const uint8_t *bytes = RAW_RO(bytes_);
    uint64_t size = (uint64_t) Rf_xlength(bytes_), at = 0, n = 0;
    double value;
    int more;
    while ((more = ct_forge_pb_number(bytes, size, (ct_forge_pb_wire) wire, &at, &value)) == 1) n++;
    if (more < 0) Rf_error("a row of numbers is malformed");
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n));
    at = 0;
    for (uint64_t i = 0; i < n; i++) {
        more = ct_forge_pb_number(bytes, size, (ct_forge_pb_wire) wire, &at, &REAL(out)[i]);
        CT_ASSERT(more == 1);
    }
    UNPROTECT(1);
    return out;
}
