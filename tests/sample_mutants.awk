# Faults made by rule, as records of mutants.txt: a sample of what can be done to single lines.
#
#   awk -v root=../../src/ -v n=50 -v seed=1 -v killers='exact/=test_search; forge/=test_forge' \
#     -f sample_mutants.awk FILE...
#
# The rules: a comparison moved or turned, "or" for "and", a constant moved by one, a statement left
# out. Comments, assertions, strings, barriers and the preprocessor's lines stay as they are. A
# record quotes the line with the one before it, if its file has the two once. `root` is left out of
# the files' names; `killers` are tests of what a name begins with, the last that fits.

BEGIN {
  n_rules = split(" < : <= ~ <= : < ~ > : >= ~ >= : > ~ == : != ~ != : == ~ && : || ~ || : && ~" \
    " + 1: + 2~ - 1: - 2~= 0;:= 1;~= 1;:= 2;~(0, :(1, ~, 0):, 1)~, 1):, 2)", rules, "~")
  n_rooms = split(killers, rooms, "; *")
}

function offer(rule, text) {
  rule_of[n_offers] = rule
  from[n_offers] = last "\n" line
  to[n_offers] = last "\n" text
  file[n_offers] = name
  at[n_offers++] = FNR
}

# The line up to a comment or a string; nothing of one that is all comment.
function code_of(line) {
  if (in_comment) {
    if (!sub(/^.*\*\//, "", line)) return ""
    in_comment = 0
  }
  if (line ~ /\/\*/ && line !~ /\*\//) in_comment = 1
  if (line ~ /^ *#/ || line ~ /assert|ASSERT|_sync\(/) return ""
  sub(/\/\*.*/, "", line)
  sub(/["#].*/, "", line)
  return line
}

# A whole statement: no declaration, and nothing without which a function does not compile.
function is_statement(code) {
  if (last !~ /[;{}] *(\/\*.*)?$/ || gsub(/\(/, "(", code) != gsub(/\)/, ")", code)) return 0
  if (code ~ /^ +if \(.*;$/) return 1
  return code ~ /^ +[*(a-z].*;$/ && code !~ /^ +(return|goto|break|continue|case|do|else)/ &&
    code !~ /^ +[a-z_0-9]+ +[*a-z(]/
}

FNR == 1 {
  name = substr(FILENAME, length(root) + 1)
  in_comment = 0
  last = ""
}

{
  line = $0
  code = code_of(line)
  seen[name, last "\n" line]++
  for (i = 1; i <= n_rules && FNR > 1; i++) {
    split(rules[i], rule, ":")
    place = index(code, rule[1])
    if (place) offer(rules[i], substr(line, 1, place - 1) rule[2] \
      substr(line, place + length(rule[1])))
  }
  sub(/ *$/, "", code)
  if (is_statement(code)) {
    match(line, /[^ ]/)
    offer("left out", substr(line, 1, RSTART - 1) ";")
  }
  last = line
}

# 1 .. 2^31 - 2, the same in every awk: the generator of Park and Miller.
function draw() { return seed = (seed * 16807) % 2147483647 }

function tests_of(name,  i, room, found) {
  for (i = 1; i <= n_rooms; i++) {
    split(rooms[i], room, "=")
    if (index(name, room[1]) == 1) found = room[2]
  }
  return found
}

function said(rule) {
  if (split(rule, side, ":") < 2) return rule
  return "\"" side[1] "\" made \"" side[2] "\""
}

function quote(sign, text) {
  gsub(/\n/, "\n" sign, text)
  return sign text
}

END {
  seed = seed % 2147483646 + 1
  for (i = 0; i < 9; i++) draw()
  while (n > 0 && n_offers > 0) {
    i = draw() % n_offers
    if (seen[file[i], from[i]] == 1 && tests_of(file[i]) != "") {
      label = file[i] ":" at[i]
      gsub("/", "-", label)
      if (labels[label]++) label = label "-" labels[label]
      printf "mutant   %s\nstands   %s\nfile     %s\nkillers  %s\n%s\n%s\n\n", label, \
        said(rule_of[i]), file[i], tests_of(file[i]), quote("-", from[i]), quote("+", to[i])
      n--
    }
    n_offers-- # none is drawn twice
    rule_of[i] = rule_of[n_offers]; from[i] = from[n_offers]; to[i] = to[n_offers]
    file[i] = file[n_offers]; at[i] = at[n_offers]
  }
}
