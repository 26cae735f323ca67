#include "base/compact.h"

#include "forge/schedule/rules.h"

static const struct {
    const char *name, *sentence;
} rules[] = {
#define RULE_TEXT(code, name, sentence) {name, sentence},
    CT_FORGE_RULES(RULE_TEXT)
#undef RULE_TEXT
};

const char *ct_forge_rule_name(ct_forge_rule rule) { return rules[rule].name; }
const char *ct_forge_rule_sentence(ct_forge_rule rule) { return rules[rule].sentence; }
