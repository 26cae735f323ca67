/* libFuzzer: any bytes as a schedule. What parses is printed, and parses to the same again. */
#include "forge/schedule/legal.h"
#include "fuzz_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char given[4096];
    static ct_forge_nest nest, again;
    ct_error error = {CT_OK, ""};
    ct_forge_text text = {NULL, 0, 0, 0};
    if (size >= sizeof given) return 0;
    for (size_t i = 0; i < size; i++) given[i] = (char) data[i];
    given[size] = 0;
    if (ct_forge_nest_parse(&nest, given, &error) != CT_OK) {
        FUZZ_REQUIRE(strstr(error.message, "(rule ") != NULL);
        return 0;
    }
    if (ct_forge_nest_check(&nest, NULL, &error) != CT_OK)
        FUZZ_REQUIRE(strstr(error.message, "(rule ") != NULL);
    ct_forge_nest_print(&nest, &text);
    FUZZ_REQUIRE(ct_forge_nest_parse(&again, text.at, &error) == CT_OK);
    FUZZ_REQUIRE(nest.n_loops == again.n_loops && nest.first == again.first &&
                 !memcmp(nest.loops, again.loops, (size_t) nest.n_loops * sizeof *nest.loops));
    ct_forge_text_free(&text);
    return 0;
}
