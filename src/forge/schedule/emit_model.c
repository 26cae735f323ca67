/* The trees of an ensemble as arrays in a text of C. */
#include "base/compact.h"

#include <math.h>

#include "forge/schedule/emit.h"

/* Numbers of an array, some a line. */
typedef struct {
    ct_forge_text *text;
    size_t n;
} listing;

static void begin_list(listing *list, ct_forge_text *text, const char *type, const char *name,
                       const char *what)
{
    *list = (listing){text, 0};
    ct_forge_text_add(text, "static const %s %s_%s[] = {", type, name, what);
}

static void end_list(listing *list)
{
    if (!list->n) ct_forge_text_add(list->text, "0");
    ct_forge_text_add(list->text, "};\n");
}

static void next_of(listing *list, size_t a_line)
{
    const char *between = list->n ? ", " : "";
    if (list->n % a_line == 0) between = list->n ? ",\n    " : "\n    ";
    ct_forge_text_add(list->text, "%s", between);
    list->n++;
}

static void add_double(ct_forge_text *text, double number)
{
    if (isnan(number)) ct_forge_text_add(text, "NAN");
    else if (isinf(number)) ct_forge_text_add(text, number > 0 ? "HUGE_VAL" : "-HUGE_VAL");
    else ct_forge_text_add(text, "%a", number);
}

typedef enum { DOUBLES, WORDS, BYTES } number_kind;

static void list_numbers(ct_forge_text *text, const char *name, const char *what, number_kind kind,
                         const void *numbers, size_t n)
{
    static const char *const types[] = {"double", "u32", "u8"};
    static const size_t a_line[] = {4, 10, 20};
    listing list;
    begin_list(&list, text, types[kind], name, what);
    for (size_t i = 0; i < n; i++) {
        next_of(&list, a_line[kind]);
        if (kind == DOUBLES) add_double(text, ((const double *) numbers)[i]);
        else if (kind == WORDS) ct_forge_text_add(text, "%uu", ((const uint32_t *) numbers)[i]);
        else ct_forge_text_add(text, "%u", (unsigned) ((const uint8_t *) numbers)[i]);
    }
    end_list(&list);
}

static void list_nodes(const ct_forge_model *m, const char *name, ct_forge_text *text)
{
    listing list;
    begin_list(&list, text, "struct ct_node", name, "nodes");
    for (uint32_t i = 0; i < m->n_nodes; i++) {
        next_of(&list, 2);
        ct_forge_text_add(text, "{");
        add_double(text, m->nodes[i].threshold);
        ct_forge_text_add(text, ", %uu, %uu}", (unsigned) m->nodes[i].next,
                          (unsigned) m->nodes[i].what);
    }
    end_list(&list);
}

void ct_forge_emit_model(const ct_forge_model *m, const char *name, ct_forge_text *text)
{
    CT_ASSERT(m->ensemble && m->n_nodes > 0 && name && *name);
    const ct_forge_ensemble *e = m->ensemble;
    ct_forge_text_line(text, 0, "#include <math.h>\n");
    list_nodes(m, name, text);
    list_numbers(text, name, "origin", WORDS, m->origin, m->n_nodes);
    list_numbers(text, name, "roots", WORDS, m->roots, m->n_trees);
    list_numbers(text, name, "used", WORDS, m->used, m->n_used);
    list_numbers(text, name, "output", WORDS, m->output, m->n_trees);
    list_numbers(text, name, "terms", DOUBLES, m->terms, (size_t) e->n_nodes * m->leaf_width);
    list_numbers(text, name, "base", DOUBLES, m->base, m->n_outputs);
    list_numbers(text, name, "set_first", WORDS, m->set_first, e->n_nodes);
    list_numbers(text, name, "set_size", WORDS, m->set_size, e->n_nodes);
    list_numbers(text, name, "set_else", BYTES, m->set_else, e->n_nodes);
    list_numbers(text, name, "sets", BYTES, m->sets, (e->n_set_bits + 7) / 8);
    ct_forge_text_add(text, "static const struct ct_model %s_model = {\n    ", name);
    static const char *const parts[] = {"nodes", "origin", "roots", "used", "output", "terms",
                                        "base", "set_first", "set_size", "set_else", "sets"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ct_forge_text_add(text, "%s_%s,%s", name, parts[i], i % 4 == 3 ? "\n    " : " ");
    add_double(text, m->divisor);
    ct_forge_text_add(text, ",\n    %u, %u, %u, %u, %u, %u, %u};\n\n", (unsigned) m->n_trees,
                      (unsigned) m->n_used, (unsigned) m->n_outputs, (unsigned) m->leaf_width,
                      (unsigned) m->minus_fraction, (unsigned) m->plain, (unsigned) m->n_nodes);
}
