/* Before and after the scans of the child features, whatever the lanes: see ct_children. */

enum { SCANNED = 1 }; /* in ct_children.done, SCANNED << side */

/* The sides that can gain from child g, by their bounds. */
CT_INLINE int wanted_sides(const ct_children *c, uint32_t g)
{
    return ct_child_wanted(c, 0, g) + 2 * ct_child_wanted(c, 1, g) - 1;
}

/* What the neighbours say about every child, in each side. */
static void bound(ct_children *c)
{
    size_t room = ct_children_room(c->rows->n_cols);
    for (int side = 0; side < 2; side++) {
        const uint64_t *near = (const uint64_t *) c->near[side], *far = (const uint64_t *) c->far[side];
        uint64_t *errors = (uint64_t *) c->errors[side];
        vec far_rows = l64_set(c->far_rows[side]), floor = l64_set(c->floor[side]);
        for (size_t g = 0; g < room; g += VEC_WORDS)
            v_store(errors + g, l64_max(l64_max(v_load(near + g), l64_sub(v_load(far + g), far_rows)), floor));
    }
}

/* The least of one side's errors. */
CT_INLINE int64_t least_error(const ct_children *c, int side)
{
    const uint64_t *errors = (const uint64_t *) c->errors[side];
    vec most = l64_sub(v_fill(0), v_load(errors));
    for (size_t g = VEC_WORDS; g < ct_children_room(c->rows->n_cols); g += VEC_WORDS)
        most = l64_max(most, l64_sub(v_fill(0), v_load(errors + g)));
    return -l64_top(most);
}

static void sum_up(ct_children *c)
{
    for (int side = 0; side < 2; side++) {
        c->least[side] = least_error(c, side);
        if (c->min_rows[side] <= 1) { /* every split is allowed */
            c->least_allowed[side] = c->least[side];
            continue;
        }
        for (uint32_t g = 0; g < c->rows->n_cols; g++)
            if (!(c->done[g] & SCANNED << side) && c->errors[side][g] < c->least_allowed[side])
                c->least_allowed[side] = c->errors[side][g];
    }
    memset(c->done, 0, c->rows->n_cols);
}
