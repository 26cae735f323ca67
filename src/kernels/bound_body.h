/* Before and after the scans of the child features, whatever the lanes: see ct_children. */

enum { SCANNED = 1 }; /* in ct_children.done, SCANNED << side */

/* Whether either side can gain from child g, by its bounds. */
CT_INLINE int can_gain(const ct_children *c, uint32_t g)
{
    if (c->scan_all) return c->need[0] > 0 || c->need[1] > 0;
    return c->errors[0][g] < c->need[0] || c->errors[1][g] < c->need[1];
}

/* What the neighbours say about every child, in each side. */
static void bound_children(ct_children *c)
{
    for (int side = 0; side < 2; side++) {
        const int64_t *near = c->near[side], *far = c->far[side];
        int64_t *errors = c->errors[side], far_rows = c->far_rows[side], floor = c->floor[side];
        for (uint32_t g = 0; g < c->rows->n_cols; g++)
            errors[g] = ct_larger64(ct_larger64(near[g], far[g] - far_rows), floor);
        c->best[side] = -1;
        c->least_allowed[side] = INT64_MAX;
    }
}

static void sum_up(ct_children *c)
{
    for (int side = 0; side < 2; side++) {
        const int64_t *errors = c->errors[side];
        int64_t least = INT64_MAX, not_scanned = INT64_MAX;
        for (uint32_t g = 0; g < c->rows->n_cols; g++) {
            least = errors[g] < least ? errors[g] : least;
            if (!(c->done[g] & SCANNED << side) && errors[g] < not_scanned) not_scanned = errors[g];
        }
        c->least[side] = least;
        if (not_scanned < c->least_allowed[side]) c->least_allowed[side] = not_scanned;
    }
    memset(c->done, 0, c->rows->n_cols);
}
