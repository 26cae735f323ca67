#!/bin/sh
# Does each header of the library compile alone, in C, and in C++ where files of CUDA include it?
#
#   sh test_headers.sh [SRC]   a line a fault, then `headers: N passed, N failed`
#
# Not looked at: the glue, which needs R; the vocabularies of single instruction sets, which
# base/simd/vec.h includes under the options they need; and texts that are compiled once for each.
here=`dirname "$0"`
src=${1:-$here/../../src}
cc=${CC:-cc}
cxx=${CXX:-c++}

# alone SRC HEADER: compiles it alone, in C.
alone () {
  echo "#include \"$2\"" | $cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -I "$1" -x c -
}

# The same in C++.
alone_in_cxx () {
  echo "#include \"$2\"" | $cxx -std=c++14 -Wall -Werror -fsyntax-only -I "$1" -x c++ -
}

# Headers below SRC, and those of them that files of CUDA include, these and the ones below too.
without_templates () {
  grep -Ev '^r/|^base/simd/vec_|^evolve/gram_body\.h$' |
    grep -Ev '^policy/kernels_(body|isa)\.h$' |
    grep -Ev '^(forest/scan/(scan_(body|gini|subset)|rows_x86)|pixels/kernels_body)\.h$' |
    grep -Ev '^forge/(planes_(body|plain|x86)|network|shap_body|schedule/walk_body)\.h$'
}
headers () { (cd "$1" && find . -name '*.h' | sed 's,^\./,,' | sort) | without_templates; }
included () { sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(.*\.h\)".*/\1/p' "$@" | sort -u; }
of_cuda () {
  cd "$1" || return
  seen=`included \`find . -name '*.cu' -o -name '*.cuh'\``
  while true; do
    more=`(included $seen; echo "$seen") | sort -u`
    test "$more" = "$seen" && break
    seen=$more
  done
  echo "$seen" | without_templates
}

plant=`mktemp -d`
trap 'rm -rf "$plant"' EXIT
echo 'size_t missing(void);' > "$plant/a.h"
echo 'typedef int class;' > "$plant/b.h"
if alone "$plant" a.h 2> /dev/null || ! alone "$plant" b.h; then
  echo "headers: the check itself is broken: it does not tell a header that misses another"
  echo "headers: 0 passed, 1 failed"
  exit 1
fi

passed=0 failed=0
look () {
  if "$1" "$src" "$2" > "$plant/said" 2>&1; then
    passed=`expr $passed + 1`
  else
    head -n 5 "$plant/said"
    echo "$2 does not compile alone ($1)"
    failed=`expr $failed + 1`
  fi
}
for header in `headers "$src"`; do look alone "$header"; done
if $cxx --version > /dev/null 2>&1; then
  for header in `of_cuda "$src"`; do look alone_in_cxx "$header"; done
else
  echo "not run: headers in C++: no compiler"
fi
echo "headers: $passed passed, $failed failed"
test $failed -eq 0 && test $passed -gt 0
