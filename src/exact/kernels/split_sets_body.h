/* One side of a row set, in the order of one feature: see ct_split. All but its lanes. */

static void split_sets(ct_split *s)
{
    size_t words = s->words, first = s->end, last = s->begin;
    uint32_t n_classes = s->n_classes, total = 0;
    for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
        vec keep = v_fill(~UINT64_C(0)), seen = v_fill(0);
        if (s->threshold) {
            keep = v_less(less_make(s->planes, words, s->threshold), w);
            if (s->right) keep = v_not(keep);
        }
        for (uint32_t c = 0; c < n_classes; c++) {
            vec members = v_and(keep, v_load(s->parent_sets + c * words + w));
            v_store(s->sets + c * words + w, members);
            seen = v_or(seen, members);
        }
        if (!v_any(seen)) continue;
        if (first == s->end) first = w;
        last = w + VEC_WORDS;
    }
    if (first > last) first = last;
    s->begin = first / CT_STEP * CT_STEP;
    s->end = (last + CT_STEP - 1) / CT_STEP * CT_STEP;

    uint32_t *counts = s->counts + s->begin * n_classes;
    memset(counts, 0, n_classes * sizeof *counts);
    for (size_t w = s->begin; w < s->end; w++, counts += n_classes) {
        s->members[w] = total;
        for (uint32_t c = 0; c < n_classes; c++) {
            uint32_t count = word_count(s->sets[c * words + w]);
            counts[n_classes + c] = counts[c] + count;
            total += count;
        }
    }
    s->members[s->end] = total;
}
