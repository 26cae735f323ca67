#!/bin/sh
# Functions and data that more files can see than need them.
#
#   sh test_symbols.sh [SRC [OBJECTS [TESTS]]]   a line a fault, then `symbols: N passed, N failed`
#
# Of what an object of OBJECTS defines, another file must have need: an object, or by its text one
# that is not among them, of the glue or of CUDA. What the tests alone need must serve its own file,
# too; else it belongs to them. Exceptions have a reason below.
here=`dirname "$0"`
src=${1:-$here/../../src} objects=${2:-$here/build/default} tests=${3:-$here}

# Tests set the twin's failures, memory and blocks and those of allocations, listen to the search,
# have it ask for a stop more often and ask a device for the width of its windows; kernels are asked
# for by instruction set; shortcuts are written into instances.
for_tests='ct_gpu_twin_blocks ct_gpu_twin_fail_at ct_gpu_twin_memory ct_alloc_fail_for ct_alloc_fill
 ct_observe ct_worker_poll_every ct_offload_window ct_kernels_at ct_shortcut_name'

# words FILE...: the names in them, each once a file.
words () { for file; do grep -Eoh '\<ct_[a-z0-9_]+' "$file" | sort -u; done; }

# lone SRC OBJECTS TESTS: a line `name object` for each that no other file needs.
lone () {
  (cd "$1" && find . -name '*.c' | sed 's,^\./,,; s/c$/o/' | sort) > "$plant/of_source"
  (cd "$2" && find . -name '*.o' -not -name 'test_*' | sed 's,^\./,,' | sort |
    comm -12 - "$plant/of_source" | xargs nm -A) | sed 's/:/ /' > "$plant/nm"
  words `find "$1" -name '*.cu' -o -name '*.cuh'` `ls "$1"/init.c "$1"/r/*.c 2> /dev/null` |
    sort -u > "$plant/seen"
  awk '$2 == "U" { print $3 }' "$plant/nm" | sort -u >> "$plant/seen"
  awk 'FNR == NR { seen[$1]; next } $3 ~ /^[BDRT]$/ && !($4 in seen) { print $4, $1 }' \
    "$plant/seen" "$plant/nm"
}

# faults SRC OBJECTS TESTS
faults () {
  words "$3"/*.[ch] "$3"/*/*.[ch] "$3"/*/*.cu 2> /dev/null | sort -u > "$plant/of_tests"
  lone "$@" | while read -r name object; do
    case " "`echo $for_tests`" " in *" $name "*) continue ;; esac
    file=$1/${object%.o}.c
    if ! grep -qx "$name" "$plant/of_tests"; then echo "$object: $name can be static"
    elif test "`grep -ow "$name" "$file" | wc -l`" -lt 2; then
      echo "$object: only tests use $name"
    fi
  done
}

plant=`mktemp -d`
trap 'rm -rf "$plant"' EXIT
mkdir "$plant/src" "$plant/src/r" "$plant/objects" "$plant/tests"
echo 'void ct_a(void) {} void ct_b(void) { ct_a(); } void ct_c(void) {}' > "$plant/src/a.c"
echo 'void ct_b(void); void ct_d(void) { ct_b(); } void ct_e(void) {}' > "$plant/src/b.c"
echo 'void r(void) { ct_d(); }' > "$plant/src/r/r.c"
echo 'int main(void) { ct_c(); ct_b(); }' > "$plant/tests/test_x.c"
for name in a b; do
  ${CC:-cc} -w -c "$plant/src/$name.c" -o "$plant/objects/$name.o"
done
found=`faults "$plant/src" "$plant/objects" "$plant/tests" | sed 's/^.*: //' | sort | tr '\n' ';'`
if test "$found" != "ct_a can be static;ct_e can be static;only tests use ct_c;"; then
  echo "symbols: the check itself is broken: of planted names it finds $found"
  echo "symbols: 0 passed, 1 failed"
  exit 1
fi

faults "$src" "$objects" "$tests" > "$plant/faults"
cat "$plant/faults"
passed=`awk '$3 ~ /^[BDRT]$/' "$plant/nm" | wc -l` failed=`wc -l < "$plant/faults"`
echo "symbols: $passed passed, `expr $failed + 0` failed"
test "$failed" -eq 0 && test "$passed" -gt 0
