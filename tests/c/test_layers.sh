#!/bin/sh
# Do all includes point downward? R headers stay in the glue, CUDA in gpu/*.cu, and no room looks into one above it.
#
#   sh test_layers.sh [SRC]     checks each file of SRC; a line a fault, then `N passed, N failed`, files counted
#
# The arrows (ARCHITECTURE.md): core sees core; kernels sees core; search, evolve, forest and forge see core, kernels
# and gpu/device.h, never each other; certify sees core; gpu sees core and kernels; src/init.c and src/r_*.c see everything.
here=`dirname "$0"`
src=${1:-$here/../../src}

r_headers='R\.h|Rinternals\.h|Rdefines\.h|Rmath\.h|Rversion\.h|Rconfig\.h|R_ext/.*'

# may_include FILE HEADER QUOTED: is FILE (src/ cut off) allowed to include it? QUOTED is 1 for "..." and 0 for <...>.
may_include () {
  case $1 in
    init.c|r_*.[ch]) return 0 ;;  # the glue
    */*) ;;
    *) return 1 ;;                # no other file lies outside the rooms
  esac
  if echo "$2" | grep -Eqx "$r_headers"; then return 1; fi
  room=${1%%/*}
  case $3,$2 in
    0,cuda*|0,nvrtc*) case $1 in gpu/*.cu|gpu/*.cuh) return 0 ;; *) return 1 ;; esac ;;
    0,omp.h) test "$1" = core/threads.h ;;
    0,*) return 0 ;;
    1,"$room"/*) return 0 ;;
    1,core/*) return 0 ;;
    1,kernels/*) case $room in core|certify) return 1 ;; esac ;;
    1,gpu/device.h) case $room in search|evolve|forest|forge) return 0 ;; *) return 1 ;; esac ;;
    *) return 1 ;;                # a path that does not start at src/ lands here too
  esac
}

# check_tree SRC: sets passed and failed, prints the faults.
check_tree () {
  passed=0 failed=0
  for file in "$1"/*.[ch] "$1"/*/*.[ch] "$1"/*/*.cu "$1"/*/*.cuh; do
    test -f "$file" || continue
    name=${file#"$1"/}
    faults=`sed -n 's/^[ \t]*#[ \t]*include[ \t]*\([<"]\)\([^>"]*\)[>"].*/\1 \2/p' "$file" |
      while read -r kind header; do
        quoted=0; test "$kind" = '"' && quoted=1
        may_include "$name" "$header" $quoted || echo "$name must not include $header"
      done`
    if test -n "$faults"; then
      echo "$faults"
      failed=`expr $failed + 1`
    else
      passed=`expr $passed + 1`
    fi
  done
}

# A check that finds nothing wrong proves little, so it first has to find what is planted: 13 faults in 13 files.
plant=`mktemp -d`
trap 'rm -rf "$plant"' EXIT
for room in core kernels search certify forest gpu; do mkdir "$plant/$room"; done
echo '#include <R.h>'                    > "$plant/core/a.c"
echo '  #  include "search/branch.h"'    > "$plant/core/b.h"
echo '#include <omp.h>'                  > "$plant/core/c.c"
echo '#include "gpu/device.h"'           > "$plant/kernels/a_body.h"
echo '#include <Rinternals.h>'           > "$plant/search/a.c"
echo '#include "forest/grow.h"'          > "$plant/search/b.c"
echo '#include "gpu/buffers.h"'          > "$plant/search/c.c"
echo '#include <cuda_runtime.h>'         > "$plant/search/d.c"
echo '#include "a.h"'                    > "$plant/forest/a.c"
echo '#include "search/branch.h"'        > "$plant/gpu/a.cu"
echo '#include "core/table.h"'           > "$plant/stray.c"
echo '#include "search/interval.h"'      > "$plant/certify/a.c"
echo '#include "kernels/kernels.h"'      > "$plant/certify/b.c"
echo '#include "core/costs.h"'           > "$plant/certify/c.c"
echo '#include <R_ext/Utils.h>'          > "$plant/r_glue.c"
echo '#include "gpu/device.h"'           > "$plant/search/e.c"
check_tree "$plant" > /dev/null
if test $failed -ne 13 || test $passed -ne 3; then
  echo "layers: the check itself is broken: it finds $failed of 13 planted faults, and passes $passed of 3 clean files"
  echo "layers: 0 passed, 1 failed"
  exit 1
fi

check_tree "$src"
echo "layers: $passed passed, $failed failed"
test $failed -eq 0 && test $passed -gt 0
