#include "base/rng.h"

void ct_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k0 = key[0],
             k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t x = (uint64_t) a * UINT32_C(0xd2511f53), y = (uint64_t) c * UINT32_C(0xcd9e8d57);
        a = (uint32_t) (y >> 32) ^ b ^ k0;
        b = (uint32_t) y;
        c = (uint32_t) (x >> 32) ^ d ^ k1;
        d = (uint32_t) x;
        k0 += UINT32_C(0x9e3779b9);
        k1 += UINT32_C(0xbb67ae85);
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}
