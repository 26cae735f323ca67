/* libFuzzer: any bytes as a message. Fields lie within it, one behind the other, and it ends. */
#include "forge/protobuf.h"
#include "fuzz_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ct_forge_pb_wire wires[] = {CT_FORGE_PB_VARINT, CT_FORGE_PB_DOUBLE,
                                             CT_FORGE_PB_FLOAT};
    ct_forge_pb_field field;
    uint64_t at = 0, before = 0;
    for (int more; (more = ct_forge_pb_next(data, size, &at, &field)) != 0; before = at) {
        if (more < 0) break;
        FUZZ_REQUIRE(at > before && at <= size && field.number > 0);
        if (field.wire != CT_FORGE_PB_BYTES) continue;
        FUZZ_REQUIRE(field.start > before && field.start + field.size == at);
        for (unsigned i = 0; i < 3; i++) {
            uint64_t place = 0, last = 0;
            double value;
            while (ct_forge_pb_number(data + field.start, field.size, wires[i], &place,
                                      &value) == 1) {
                FUZZ_REQUIRE(place > last && place <= field.size);
                last = place;
            }
        }
    }
    return 0;
}
