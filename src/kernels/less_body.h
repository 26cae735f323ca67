/* The mask "rank below t" for one vector of planes, starting at word 0 of `planes`. */
CT_INLINE vec v_less(const uint64_t *planes, size_t words, const ct_threshold *threshold)
{
    unsigned i = threshold->first;
    planes += i * words;
    vec less = v_load(planes);
    while (++i < threshold->end) {
        planes += words;
        less = v_majority(less, v_load(planes), v_fill(threshold->selector[i]));
    }
    return less;
}
