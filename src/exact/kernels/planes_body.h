/* Bit planes of 8-bit digits listed in a feature's order: see ct_kernels. The digits of padding positions are 0. */

static void planes8(const uint8_t *digits, const uint32_t *order, uint32_t n, uint64_t *planes, size_t words,
                    unsigned n_planes)
{
    uint8_t listed[64];
    size_t w = 0;
    for (; w < n / 64; w++, order += 64) {
        for (unsigned j = 0; j < 64; j += 4) { /* by hand: compilers leave it rolled */
            listed[j] = digits[order[j]];
            listed[j + 1] = digits[order[j + 1]];
            listed[j + 2] = digits[order[j + 2]];
            listed[j + 3] = digits[order[j + 3]];
        }
        transpose_bytes(listed, planes + w, words, n_planes);
    }
    for (uint32_t left = n % 64; w < words; w++, left = 0) {
        memset(listed, 0, sizeof listed);
        for (uint32_t j = 0; j < left; j++) listed[j] = digits[order[j]];
        transpose_bytes(listed, planes + w, words, n_planes);
    }
}
