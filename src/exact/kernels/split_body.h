/* The lanes of a side: see ct_split. */

static void FN(split)(ct_split *s)
{
    size_t words = s->words;
    split_sets(s);
    FN(split_masses)(s);
    if (s->n_classes == 2) {
        vec before = v_fill(0);
        FN(prices) prices0 = FN(split_prices)(s, 0), prices1 = FN(split_prices)(s, 1);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec a = FN(cost)(prices0, v_load(s->sets + w), w), b = FN(cost)(prices1, v_load(s->sets + words + w), w);
            vec net = L(add)(L(scan)(L(sub)(a, b)), before);
            before = L(last)(net);
            v_store(s->lanes + w, L(add)(net, b));
            v_store(s->lanes + words + w, L(sub)(a, net));
        }
        return;
    }
    for (uint32_t c = 0; c < s->n_classes; c++) {
        vec before = v_fill(0);
        FN(prices) prices = FN(split_prices)(s, c);
        for (size_t w = s->begin; w < s->end; w += VEC_WORDS) {
            vec x = L(add)(L(scan)(FN(cost)(prices, v_load(s->sets + c * words + w), w)), before);
            before = L(last)(x);
            v_store(s->lanes + c * words + w, x);
        }
    }
}
