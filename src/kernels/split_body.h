/* The lanes of a side: see ct_split. */

static void FN(split)(ct_split *s)
{
    size_t words = s->words;
    split_sets(s);
    FN(split_masses)(s);
    if (s->n_classes == 2) {
        vec before = v_fill(0);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec a = FN(split_cost)(s, v_load(s->sets + w), 0, w), b = FN(split_cost)(s, v_load(s->sets + words + w), 1, w);
            vec net = L(add)(L(scan)(L(sub)(a, b)), before);
            before = L(last)(net);
            v_store(s->lanes + w, L(add)(net, b));
            v_store(s->lanes + words + w, L(sub)(a, net));
        }
        return;
    }
    for (uint32_t c = 0; c < s->n_classes; c++) {
        vec before = v_fill(0);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec x = L(add)(L(scan)(FN(split_cost)(s, v_load(s->sets + c * words + w), c, w)), before);
            before = L(last)(x);
            v_store(s->lanes + c * words + w, x);
        }
    }
}
