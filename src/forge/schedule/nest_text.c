/* Statements and loop nests printed, and read from text. */
#include "base/compact.h"

#include <stdlib.h>
#include <string.h>

#include "forge/schedule/nest.h"

/* ---- printing ---- */

void ct_forge_statement_print(const ct_forge_statement *statement, ct_forge_text *text)
{
    CT_ASSERT(statement->n_words <= CT_FORGE_MOST_WORDS);
    const char *form = ct_forge_directive_form(statement->directive);
    ct_forge_text_add(text, "%s(", ct_forge_directive_name(statement->directive));
    for (uint32_t i = 0; i < statement->n_words; i++)
        ct_forge_text_add(text, "%s%s", i ? ", " : "", statement->words[i]);
    switch (form[strlen(form) - 1]) {
    case 'k': ct_forge_text_add(text, ", %lld", (long long) statement->number); break;
    case 'd': ct_forge_text_add(text, ", %s",
                                ct_forge_dimension_name((int) statement->number)); break;
    case 'r': ct_forge_text_add(text, "%s", ct_forge_layout_name((int) statement->number)); break;
    default: break;
    }
    ct_forge_text_add(text, ")");
}

void ct_forge_nest_print(const ct_forge_nest *nest, ct_forge_text *text)
{
    CT_ASSERT(nest->n_statements <= CT_FORGE_MOST_STATEMENTS);
    ct_forge_text_add(text, "schedule 1\n");
    for (uint32_t i = 0; i < nest->n_statements; i++) {
        ct_forge_statement_print(&nest->statements[i], text);
        ct_forge_text_add(text, "\n");
    }
}

/* ---- parsing ---- */

/* One line under way. */
typedef struct {
    const char *at;
    int line;
    ct_error *error;
} parsing;

/* A word of a line: letters, digits, '_', '.', and a sign in front. */
static size_t word_length(const char *at)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-+";
    return strspn(at, all);
}

static void skip_blanks(parsing *p) { p->at += strspn(p->at, " \t\r"); }

static ct_status bad_line(const parsing *p, ct_forge_rule rule, const char *what)
{
    return ct_fail(p->error, CT_BAD_INPUT, "line %d: %s (rule %s)", p->line, what,
                   ct_forge_rule_name(rule));
}

static ct_status take_word(parsing *p, char *word)
{
    skip_blanks(p);
    size_t n = word_length(p->at);
    if (!n) return bad_line(p, CT_FORGE_RULE_SYNTAX, "a word is missing");
    if (n >= CT_FORGE_NAME)
        return bad_line(p, CT_FORGE_RULE_NAME, "a word is longer than 31 letters");
    memcpy(word, p->at, n);
    word[n] = 0;
    p->at += n;
    skip_blanks(p);
    return CT_OK;
}

static int number_of(const char *word, int64_t *number)
{
    char *end;
    long long x = strtoll(word, &end, 10);
    if (*end || end == word || x > CT_FORGE_MOST_FACTOR || x < -CT_FORGE_MOST_FACTOR) return 0;
    *number = x;
    return 1;
}

static int place_of(const char *word, const char *(*name)(int), int n, int64_t *number)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(word, name(i))) {
            *number = i;
            return 1;
        }
    return 0;
}

/* Words of a statement to what its directive takes. */
static ct_status take_arguments(const parsing *p, char (*words)[CT_FORGE_NAME], uint32_t n,
                                ct_forge_statement *s)
{
    const char *form = ct_forge_directive_form(s->directive);
    int known = 1;
    if (form[0] != '*' && strlen(form) != n)
        return bad_line(p, CT_FORGE_RULE_ARGUMENTS, "there are too few or too many arguments");
    for (uint32_t i = 0; i < n; i++) {
        switch (form[0] == '*' ? 'L' : form[i]) {
        case 'k': known &= number_of(words[i], &s->number); break;
        case 'd':
            known &= place_of(words[i], ct_forge_dimension_name, CT_FORGE_N_DIMENSIONS, &s->number);
            break;
        case 'r': known &= place_of(words[i], ct_forge_layout_name, CT_FORGE_N_LAYOUTS,
                                    &s->number); break;
        default: memcpy(s->words[s->n_words++], words[i], CT_FORGE_NAME); break;
        }
    }
    return known ? CT_OK : bad_line(p, CT_FORGE_RULE_ARGUMENTS, "an argument is none of its kind");
}

/* Directives of the papers that are none here, and why. */
static const char *why_missing(const char *name)
{
    static const char *const missing[][2] = {
        {"unroll", "loops are not unrolled: on the CPU they call compiled functions, and compilers "
                   "for GPUs unroll short ones of themselves; use unrollWalk for walks"},
        {"specialize", "loops are not specialized by iteration: trees are data here, not program "
                       "text; use split for trees of one depth"}};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (!strcmp(name, missing[i][0])) return missing[i][1];
    return "no such directive";
}

static ct_status take_statement(parsing *p, ct_forge_statement *s)
{
    char name[CT_FORGE_NAME], words[CT_FORGE_MOST_WORDS][CT_FORGE_NAME] = {{0}};
    uint32_t n = 0;
    memset(s, 0, sizeof *s);
    CT_TRY(take_word(p, name));
    for (; s->directive < CT_FORGE_N_DIRECTIVES; s->directive =
         (ct_forge_directive) (s->directive + 1))
        if (!strcmp(name, ct_forge_directive_name(s->directive))) break;
    if (s->directive == CT_FORGE_N_DIRECTIVES)
        return bad_line(p, CT_FORGE_RULE_DIRECTIVE, why_missing(name));
    if (*p->at != '(') return bad_line(p, CT_FORGE_RULE_SYNTAX, "'(' is missing");
    do {
        p->at++;
        if (n == CT_FORGE_MOST_WORDS)
            return bad_line(p, CT_FORGE_RULE_SIZE, "there are too many arguments");
        CT_TRY(take_word(p, words[n++]));
    } while (*p->at == ',');
    if (*p->at != ')') return bad_line(p, CT_FORGE_RULE_SYNTAX, "')' is missing");
    p->at++;
    skip_blanks(p);
    return take_arguments(p, words, n, s);
}

static ct_status take_version(parsing *p)
{
    char word[CT_FORGE_NAME], version[CT_FORGE_NAME];
    CT_TRY(take_word(p, word));
    if (strcmp(word, "schedule") != 0)
        return bad_line(p, CT_FORGE_RULE_VERSION, "it is not 'schedule 1'");
    CT_TRY(take_word(p, version));
    if (!strcmp(version, "1")) return CT_OK;
    return bad_line(p, CT_FORGE_RULE_VERSION, "it is not 'schedule 1'");
}

static int at_end(const parsing *p) { return !*p->at || *p->at == '\n' || *p->at == '#'; }

ct_status ct_forge_nest_parse(ct_forge_nest *nest, const char *text, ct_error *error)
{
    CT_ASSERT(text);
    parsing p = {text, 1, error};
    int begun = 0;
    ct_forge_nest_begin(nest);
    for (;; p.line++) {
        skip_blanks(&p);
        if (!at_end(&p)) {
            ct_forge_statement s;
            if (!begun) CT_TRY(take_version(&p));
            else CT_TRY(take_statement(&p, &s));
            if (!at_end(&p))
                return bad_line(&p, CT_FORGE_RULE_SYNTAX, "there is more than a statement");
            if (begun) CT_TRY(ct_forge_nest_add(nest, &s, error));
            begun = 1;
        }
        p.at += strcspn(p.at, "\n");
        if (!*p.at) break;
        p.at++;
    }
    return begun ? CT_OK : bad_line(&p, CT_FORGE_RULE_VERSION, "there is no 'schedule 1'");
}
