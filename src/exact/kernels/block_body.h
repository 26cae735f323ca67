/* Looking into single blocks (see scan_body.h). */

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

/* The place of the first row of that block of the vector at word w. */
CT_INLINE size_t FN(place)(size_t w, unsigned block) { return w * 64 + block * CT_LANE; }
