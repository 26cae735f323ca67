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
#if CT_LANE == 16
    extremes16(a, b, ties, high, low);
#else
    int net = (int) word_count(a & 0xffff) - (int) word_count(b & 0xffff), high2, low2;
    extremes16(a & 0xffff, b & 0xffff, ties & 0xffff, high, low);
    extremes16(a >> 16, b >> 16, ties >> 16, &high2, &low2);
    *high = ct_larger(*high, net + high2);
    *low = -ct_larger(-*low, -(net + low2));
#endif
}
