/* "Rank below t", a vector at a time. Kept by value, so that compilers see that no store changes it. */

typedef struct {
    const uint64_t *planes, *selector; /* from the first plane that is read */
    size_t stride;
    unsigned n;                        /* planes that are read, at least one */
} less_than;

CT_INLINE less_than less_make(const uint64_t *planes, size_t words, const ct_threshold *threshold)
{
    unsigned first = threshold->first;
    less_than l = {planes + first * words, threshold->selector + first, words, threshold->end - first};
    return l;
}

/* The mask for the vector at word w. */
CT_INLINE vec v_less(less_than l, size_t w)
{
    const uint64_t *plane = l.planes + w;
    vec less = v_load(plane);
    for (unsigned i = 1; i < l.n; i++) {
        plane += l.stride;
        less = v_majority(less, v_load(plane), v_fill(l.selector[i]));
    }
    return less;
}
