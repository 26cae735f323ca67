/* Looking up places in one feature's order: see ct_kernels. */

static size_t find(const uint64_t *sets, uint32_t n_sets, size_t words, const uint32_t *before, size_t begin, size_t end,
                   uint32_t k)
{
    /* before[begin] <= k < before[end]; the step that halves has no branch to guess wrong */
    for (size_t n = end - begin; n > 1;) {
        size_t half = n / 2;
        begin += before[begin + half] <= k ? half : 0;
        n -= half;
    }
    uint64_t word = 0;
    for (uint32_t i = 0; i < n_sets; i++) word |= sets[i * words + begin];
    return begin * 64 + word_select(word, k - before[begin]);
}

static uint32_t count(const uint64_t *sets, uint32_t n_sets, size_t words, const uint32_t *counts, size_t position,
                      uint32_t *totals)
{
    uint64_t below = ct_low_bits(position % 64);
    uint32_t sum = 0;
    sets += position / 64;
    for (uint32_t i = 0; i < n_sets; i++) {
        totals[i] = counts[i] + word_count(sets[i * words] & below);
        sum += totals[i];
    }
    return sum;
}
