#include "exact/run/options.h"

#include <math.h>
#include <string.h>

ct_exact_options ct_exact_options_default(void)
{
    ct_exact_options options = {0};
    options.depth = 3;
    options.max_cost = INFINITY;
    options.time_limit = INFINITY;
    options.memory_limit = SIZE_MAX;
    options.plane_budget = (size_t) 1 << 30;
    options.price_rows = 4096;
    options.wide_rows = 1024; /* this and the next three: measured, see bench/notes/exact.md */
    options.word_rows = 2048;
    options.tally_rows = 16;
    options.test_rows = 8;
    options.some_rows = 256;
    options.team_after = 1e8;
    options.early_after = 1.5e10;
    options.simd = "auto";
    return options;
}

static const char *const names[] = {
#define CT_SHORTCUT_NAME(id, name, text) name,
    CT_SHORTCUTS(CT_SHORTCUT_NAME)
#undef CT_SHORTCUT_NAME
};

ct_exact_shortcut ct_exact_shortcut_find(const char *name)
{
    int i = 0;
    while (i < CT_EXACT_N_SHORTCUTS && strcmp(names[i], name) != 0) i++;
    return (ct_exact_shortcut) i;
}

const char *ct_shortcut_name(ct_exact_shortcut shortcut)
{
    return names[shortcut];
}
