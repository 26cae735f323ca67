#!/bin/sh
# Static analysis of the C library: no findings, or it fails. Tools that are missing are left out.
#
#   clang         warnings: those of tests/c/Makefile, whose builds have gcc's
#   gcc           -fanalyzer, of the rooms below the search and of the certifier; without two of its
#                 checks, which gcc 12 does not get right: it takes an address that is kept in the
#                 block for a leak, and arrays of structs that a function fills for uninitialised
#   cppcheck      tools/cppcheck.txt has what is known and right
#   clang-tidy    tools/clang-tidy.yaml; of the other rooms the paths through functions, too, a
#                 fifth as far as clang goes by itself (DEEP=1: as far, in four times the minutes)
cd "`dirname "$0"`/.." || exit 1
rooms=`echo src/base src/data src/tree src/gpu src/exact src/certify src/forest src/pixels \
  src/evolve src/forge src/policy`
all=`find $rooms -name '*.c' | sort`
# kernels, most of them compiled once for each instruction set, are too much for the analysers
of_kernels='/isa_|_(scalar|avx2|avx512|neon)[.]c'
kernels=`echo "$all" | grep -E "$of_kernels"`
files=`echo "$all" | grep -vE "$of_kernels"`
warnings="-Wall -Wextra -Wconversion -Wshadow -Wc++-compat -Wstrict-prototypes"
log=build/analyse.log
passed=0 failed=0
mkdir -p build

# tool NAME COMMAND...: passes if it says nothing. Headers of the system are not ours.
tool () {
  name=$1
  shift
  if ! command -v "$1" > /dev/null 2>&1; then echo "not run: $1 is missing"; return; fi
  "$@" > $log 2>&1
  if grep -E '(warning|error|portability|performance): ' $log > /dev/null; then
    echo "$name:"
    cat $log
    failed=`expr $failed + 1`
  else
    passed=`expr $passed + 1`
  fi
}

# each FILES COMMAND...: the command with every file.
each () {
  these=$1
  shift
  for file in $these; do "$@" -c "$file" -o build/analyse.o; done
}
compile_with () {
  compiler=$1 these=$2
  shift 2
  each "$these" "$compiler" -std=gnu11 -fopenmp -Isrc $warnings "$@"
}
with () { command -v "$1" > /dev/null 2>&1; }

of_gcc=`echo "$files" | grep -E '^src/(base|data|tree|gpu|certify)/'`
of_clang=`echo "$files" | grep -vE '^src/(base|data|tree|gpu|certify)/'`

if with clang; then tool clang compile_with clang "$files $kernels" -fsyntax-only
else echo "not run: clang is missing"
fi
if with gcc; then
  tool "gcc -fanalyzer" compile_with gcc "$of_gcc" -O1 -fanalyzer -Wno-analyzer-malloc-leak \
    -Wno-analyzer-use-of-uninitialized-value
fi
tool cppcheck cppcheck --quiet --enable=warning,portability,performance --std=c11 -Isrc \
  -D_OPENMP=201511 -D__x86_64__ -D__GNUC__=12 --suppressions-list=tools/cppcheck.txt \
  --suppress=missingIncludeSystem $rooms
# With what assertions tell it. Paths are followed by either compiler, not by both.
tidy () { clang-tidy --quiet --config-file=tools/clang-tidy.yaml "$@" -- -std=gnu11 -Isrc -fopenmp \
  -DCT_DEBUG; }
x=--extra-arg=-Xclang far="$x --extra-arg=-analyzer-config $x --extra-arg=max-nodes=40000"
if test -n "$DEEP"; then far=; fi
both () { tidy --checks='-clang-analyzer-*' $of_gcc; tidy $far $of_clang; }
if with clang-tidy; then tool clang-tidy both; else echo "not run: clang-tidy is missing"; fi
rm -f build/analyse.o
echo "analyse: $passed passed, $failed failed"
test $failed -eq 0 && test $passed -gt 0
