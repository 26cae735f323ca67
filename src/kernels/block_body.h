/* Looking into single blocks: shared by the scans of both lane widths (see scan_body.h). */

/* Block `block` of the words of one vector: lanes lie in the words from the lowest bits up. */
CT_INLINE uint32_t FN(block)(const uint64_t *words, unsigned block)
{
    unsigned in_word = 64 / CT_LANE;
    return (uint32_t) (words[block / in_word] >> (block % in_word * CT_LANE) & (UINT64_MAX >> (64 - CT_LANE)));
}

CT_INLINE int FN(lane)(const uint64_t *words, unsigned block)
{
    return (CT_PASTE(CT_PASTE(int, CT_LANE), _t)) FN(block)(words, block);
}

/* The largest and the smallest (rows of a) - (rows of b) over the prefixes of a block that end at a legal position. */
CT_INLINE void FN(pair_extremes)(uint32_t a, uint32_t b, uint32_t ties, int *high, int *low)
{
    *high = -CT_LANE, *low = CT_LANE;
    for (; ties; ties &= ties - 1) {
        uint32_t upto = ties ^ (ties - 1);
        int net = (int) word_count(a & upto) - (int) word_count(b & upto);
        if (net > *high) *high = net;
        if (net < *low) *low = net;
    }
}
