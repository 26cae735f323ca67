/* Bit planes of ranks listed in another feature's order: see ct_kernels. The ranks of padding positions are 0. */

static void planes16(const uint16_t *rank, const uint32_t *order, uint32_t n, uint64_t *planes, size_t words,
                     unsigned n_planes)
{
    uint16_t numbers[64];
    for (size_t w = 0; w < words; w++) {
        size_t start = w * 64, end = start + 64 < n ? 64 : start < n ? n - start : 0;
        for (size_t j = 0; j < end; j++) numbers[j] = rank[order[start + j]];
        if (end < 64) memset(numbers + end, 0, (64 - end) * sizeof *numbers);
        transpose16(numbers, planes + w, words, n_planes);
    }
}

static void planes32(const uint32_t *rank, const uint32_t *order, uint32_t n, uint64_t *planes, size_t words,
                     unsigned n_planes)
{
    uint16_t low[64], high[64];
    unsigned n_low = n_planes < 16 ? n_planes : 16;
    for (size_t w = 0; w < words; w++) {
        size_t start = w * 64, end = start + 64 < n ? 64 : start < n ? n - start : 0;
        for (size_t j = 0; j < 64; j++) {
            uint32_t number = j < end ? rank[order[start + j]] : 0;
            low[j] = (uint16_t) number;
            high[j] = (uint16_t) (number >> 16);
        }
        transpose16(low, planes + w, words, n_low);
        transpose16(high, planes + 16 * words + w, words, n_planes - n_low);
    }
}
