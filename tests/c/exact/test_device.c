/* The door to the GPU. */
#include "base/hd.h"
#include "gpu/played.h"
#include "self_test.h"

static void popcount_of_every_16_bits(void)
{
    for (uint32_t x = 0; x < 0x10000u; x++) {
        uint32_t naive = 0;
        for (int b = 0; b < 16; b++) naive += x >> b & 1;
        CHECK_INT(ct_hd_popcount(x), naive);
        CHECK_INT(ct_hd_popcount(x << 16 | x), 2 * naive);
    }
}

static void query_says_why_or_what(void)
{
    ct_device_list list;
    memset(&list, 0xff, sizeof list);
    ct_device_query(&list);
    CHECK(list.compiled == 0 || list.compiled == 1);
    CHECK(list.n_devices >= 0 && list.n_devices <= CT_DEVICE_MAX);
    CHECK((list.n_devices == 0) == (list.reason[0] != '\0'));
    CHECK(list.compiled || list.n_devices == 0);
    for (int i = 0; i < list.n_devices; i++) {
        CHECK(list.device[i].name[0] != '\0');
        CHECK(list.device[i].memory > 0);
        CHECK(list.device[i].major > 0);
    }
    if (list.n_devices == 0) printf("  no device: %s\n", list.reason);
}

static void self_test_of(int device) { CHECK_OK(self_test(device, &reason)); }

static void self_test_of_no_such_device(void)
{
    const int numbers[] = {-1, CT_DEVICE_MAX, 0x7fffffff};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK_FAILS(self_test(numbers[i], &reason), CT_NO_DEVICE);
        CHECK_INT(reason.status, CT_NO_DEVICE);
    }
    CHECK_INT(self_test(-1, NULL), CT_NO_DEVICE); /* a caller who wants no message */
}

static const check_case cases[] = {
    {"popcount of every 16 bits", popcount_of_every_16_bits},
    {"device query says why or what", query_says_why_or_what},
    {"self test of every CUDA device", ON_EVERY_DEVICE(self_test_of)},
    {"self test of no such CUDA device", self_test_of_no_such_device},
};
CHECK_MAIN(cases)
