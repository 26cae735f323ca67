#include "forge/protobuf.h"

#include <math.h>
#include <string.h>

#include "check.h"

static ct_forge_pb_field field;
static uint64_t at;

/* The first field of a message that ends at the end of the bytes. */
static int first_of(const uint8_t *bytes, uint64_t size)
{
    at = 0;
    return ct_forge_pb_next(bytes, size, &at, &field);
}
#define FIRST(...) first_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void varints(void)
{
    CHECK(FIRST(0x08, 0x96, 0x01) == 1 && field.number == 1 && field.value == 150 && at == 3);
    CHECK(field.wire == CT_FORGE_PB_VARINT);
    CHECK(FIRST(0x80, 0x01, 0x05) == 1 && field.number == 16 && field.value == 5 &&
          field.start == 2);
    CHECK(FIRST(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01) == 1);
    CHECK(field.value == -1 && at == 11);
    CHECK(FIRST(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01) == 1);
    CHECK(field.value == -ldexp(1, 63));
}

static void other_wires(void)
{
    CHECK(FIRST(0x15, 0, 0, 0xc0, 0x3f) == 1 && field.number == 2 && field.value == 1.5 && at == 5);
    CHECK(FIRST(0x19, 0, 0, 0, 0, 0, 0, 0x04, 0xc0) == 1 && field.value == -2.5 && at == 9);
    CHECK(FIRST(0x22, 2, 7, 8, 0x08) == 1 && field.wire == CT_FORGE_PB_BYTES && field.number == 4);
    CHECK(field.start == 2 && field.size == 2 && at == 4);
    CHECK(FIRST(0x22, 0) == 1 && field.size == 0 && at == 2);
    CHECK(first_of(NULL, 0) == 0);
}

/* Cut off, too long, of no number, or of no wire. */
static void malformed(void)
{
    CHECK(FIRST(0x08) == -1 && FIRST(0x08, 0x80) == -1 && FIRST(0x80) == -1);
    CHECK(FIRST(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02) == -1);
    CHECK(FIRST(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01) == -1);
    CHECK(FIRST(0x15, 0, 0, 0) == -1 && FIRST(0x19, 0, 0, 0, 0, 0, 0, 0) == -1);
    CHECK(FIRST(0x22, 1) == -1 && FIRST(0x22, 3, 7, 8) == -1 && FIRST(0x22) == -1);
    CHECK(FIRST(0x22, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0) == -1);
    CHECK(FIRST(0x00, 0x01) == -1 && FIRST(0x0b, 0x01) == -1 && FIRST(0x0e, 0x01) == -1);
    CHECK(FIRST(0x80, 0x80, 0x80, 0x80, 0x10, 0x01) == -1); /* the number 2^29 */
    CHECK(FIRST(0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01) == 1 && field.number == 0x1fffffff);
}

static void packed(void)
{
    const uint8_t row[] = {0x01, 0xac, 0x02, 0, 0, 0x80, 0x3f};
    double value;
    at = 0;
    CHECK(ct_forge_pb_number(row, 3, CT_FORGE_PB_VARINT, &at, &value) == 1 && value == 1 &&
          at == 1);
    CHECK(ct_forge_pb_number(row, 3, CT_FORGE_PB_VARINT, &at, &value) == 1 && value == 300 &&
          at == 3);
    CHECK(ct_forge_pb_number(row, 3, CT_FORGE_PB_VARINT, &at, &value) == 0 && at == 3);
    CHECK(ct_forge_pb_number(row, 7, CT_FORGE_PB_FLOAT, &at, &value) == 1 && value == 1 && at == 7);
    at = 4;
    CHECK(ct_forge_pb_number(row, 7, CT_FORGE_PB_FLOAT, &at, &value) == -1 && at == 4);
}

static const check_case cases[] = {
    {"varints", varints},
    {"other wires", other_wires},
    {"malformed", malformed},
    {"packed", packed},
};

CHECK_MAIN(cases)
