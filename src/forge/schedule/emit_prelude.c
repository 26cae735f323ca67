/* What each emitted text begins with: types, the model, and steps of walks. */
#include "base/compact.h"

#include "forge/schedule/emit.h"

static const char *const types[] = {
    "typedef unsigned int u32;",
    "typedef unsigned char u8;",
    "typedef long long i64;",
    "",
    "/* `what`: the column (of those used), and 1 << 24: no leaf, 1 << 25: missing goes left,",
    " * 1 << 26: zeros are missing, 1 << 27: a set of codes goes left. */",
    "struct ct_node {",
    "    double threshold;",
    "    u32 next, what;",
    "};",
    "",
    "struct ct_model {",
    "    const struct ct_node *nodes;",
    "    const u32 *origin, *roots, *used, *output;",
    "    const double *terms, *base;",
    "    const u32 *set_first, *set_size;",
    "    const u8 *set_else, *sets;",
    "    double divisor;",
    "    u32 n_trees, n_used, n_outputs, leaf_width, minus_fraction, plain, n_nodes;",
    "};",
    ""};

static const char *const steps[] = {
    "/* Whether a code goes left. */",
    "CT_FN u32 ct_in_set(const struct ct_model *m, u32 node, double x)",
    "{",
    "    const u32 bit = m->set_first[node] + (x > 0 && x < 4294967295.0 ? (u32) x : 0u);",
    "    if (m->minus_fraction ? x <= -1.0 : x < 0.0) return m->set_else[node];",
    "    if (x >= (double) m->set_size[node]) return m->set_else[node];",
    "    return (u32) m->sets[bit / 8] >> bit % 8 & 1u;",
    "}",
    "",
    "/* 1: to the right. */",
    "CT_FN u32 ct_right(const struct ct_model *m, const struct ct_node *node, u32 origin,",
    "    double x)",
    "{",
    "    const u32 missing_right = !(node->what & 1u << 25);",
    "    if (x != x) return missing_right;",
    "    if (node->what & 1u << 27) return !ct_in_set(m, origin, x);",
    "    if (node->what & 1u << 26 && x <= (double) 1e-35f && x >= -(double) 1e-35f)",
    "        return missing_right;",
    "    return !(x <= node->threshold);",
    "}",
    ""};

static const char *const only_c[] = {
    "#include <stdlib.h>",
    "",
    "#if defined(__GNUC__)",
    "#define CT_FN static inline __attribute__((unused))",
    "#else",
    "#define CT_FN static inline",
    "#endif",
    "",
    "/* Sums begin at -0: -0 + x is x, whatever x is. */",
    "CT_FN double *ct_sums(i64 n)",
    "{",
    "    double *sums = (double *) malloc((size_t) (n > 0 ? n : 1) * sizeof *sums);",
    "    for (i64 i = 0; sums && i < n; i++) sums[i] = -0.0;",
    "    return sums;",
    "}",
    ""};

static void add_lines(ct_forge_text *text, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) ct_forge_text_line(text, 0, "%s", lines[i]);
}

#define LINES(text, lines) add_lines(text, lines, sizeof(lines) / sizeof *(lines))

void ct_forge_emit_prelude(ct_forge_language language, ct_forge_text *text)
{
    ct_forge_text_line(text, 0, "/* Made by the R package contree. */");
    if (language == CT_FORGE_IN_CUDA) ct_forge_text_line(text, 0,
                                                   "#define CT_FN static __device__ inline");
    LINES(text, types);
    if (language == CT_FORGE_IN_C) LINES(text, only_c);
    LINES(text, steps);
}
