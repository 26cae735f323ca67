/* What single rows cost, for coarse_body.h and confirm_body.h. */

enum { NOWHERE = 1 << 29 }; /* no legal place: its negative is below, itself above all that rows cost */

#ifndef CT_BYTES_WHERE
CT_INLINE int bytes_where(uint32_t members, const uint8_t *bytes)
{
    int sum = 0;
    for (; members; members &= members - 1) sum += bytes[ct_trailing_zeros(members)];
    return sum;
}

CT_INLINE void extremes16_by_row(uint32_t a, uint32_t b, uint32_t ties, const uint8_t *bytes, int *high, int *low)
{
    int net = 0;
    *high = -NOWHERE, *low = NOWHERE;
    for (uint32_t done = 0; ties; ties &= ties - 1) {
        uint32_t upto = ties ^ (ties - 1);
        net += bytes_where(a & upto & ~done, bytes) - bytes_where(b & upto & ~done, bytes);
        done = upto;
        *high = ct_larger(*high, net);
        *low = -ct_larger(-*low, -net);
    }
}
#endif

CT_INLINE void extremes16_one_by_one(uint32_t a, uint32_t b, uint32_t ties, int of_a, int of_b, int *high, int *low)
{
    *high = -NOWHERE, *low = NOWHERE;
    for (; ties; ties &= ties - 1) {
        uint32_t upto = ties ^ (ties - 1);
        int net = (int) word_count(a & upto) * of_a - (int) word_count(b & upto) * of_b;
        *high = ct_larger(*high, net);
        *low = -ct_larger(-*low, -net);
    }
}

CT_INLINE void extremes16_by_class(uint32_t a, uint32_t b, uint32_t ties, int of_a, int of_b, int *high, int *low)
{
#ifdef CT_BYTES_WHERE
    if ((of_a | of_b) >> 15 == 0) {
        extremes16_of_shorts(a, b, ties, of_a, of_b, high, low);
        return;
    }
#endif
    extremes16_one_by_one(a, b, ties, of_a, of_b, high, low);
}

/* What a wrong row of class c costs. */
CT_INLINE int64_t class_gain(const ct_children *all, uint32_t c) { return all->rows->gains[c * (all->rows->n_classes + 1)]; }

/* What the rows of class c in a side weigh, or cost where rows have no weights. */
CT_INLINE int64_t full_total(const ct_children *all, int side, uint32_t c)
{
    return all->masses[side] ? all->masses[side][c] : all->totals[side][c] * class_gain(all, c);
}

CT_INLINE void forget(scan_job *job)
{
    job->confined = 0;
    for (int side = 0; side < 2; side++) job->found[0][side] = job->found[1][side] = INT64_MAX;
}

static void split_sums(const ct_split *s)
{
    uint32_t n_classes = s->n_classes;
    if (!s->sums) return;
    uint32_t *sums = s->sums + s->begin * n_classes;
    for (uint32_t c = 0; c < n_classes; c++) sums[c] = 0;
    for (size_t w = s->begin; w < s->end; w++, sums += n_classes) {
        for (uint32_t c = 0; c < n_classes; c++) {
            uint64_t members = s->sets[c * s->words + w];
            const uint8_t *bytes = s->coarse_bytes + w * 64;
            sums[n_classes + c] = sums[c] + (uint32_t) (bytes_where((uint32_t) members, bytes) +
                                                        bytes_where((uint32_t) (members >> 32), bytes + 32));
        }
    }
}
