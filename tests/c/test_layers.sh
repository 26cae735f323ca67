#!/bin/sh
# Do all includes point downward? R headers stay in the glue, CUDA in *.cu and *.cuh, and no room
# looks into one above it.
#
#   sh test_layers.sh [SRC [OBJECTS]]   checks each file of SRC; a line a fault, then `N passed, N
#                                       failed`, files counted
#
# may_see() below is the table of arrows. src/init.c and src/r/ see everything.
#
# With OBJECTS, the folder of the compiled files, also: is there a circle of files that use each
# other's functions? One is meant, the recursion: solve.c evaluates root splits by branch.c, which
# solves smaller problems.
here=`dirname "$0"`
src=${1:-$here/../../src}

r_headers='R\.h|Rinternals\.h|Rdefines\.h|Rmath\.h|Rversion\.h|Rconfig\.h|R_ext/.*'

# What systems may see of gpu/; its backends are its own.
of_gpu='gpu/choice.h gpu/device.h gpu/gpu.h gpu/kernel.h gpu/kernel.cuh'

# What all rooms of forests may see: what a forest is, and what its growers share.
of_forests='forest/hist_forest.h forest/words.h forest/grower.h'

# may_see ROOM: the rooms, or single headers, that it may include besides its own files.
may_see () {
  case $1 in
    base)          ;;
    base/simd)     echo "base" ;;
    data)          echo "base" ;;
    tree)          echo "base data" ;;
    certify)       echo "base data exact/cost" ;;
    gpu)           echo "base" ;;
    policy)        echo "base base/simd data tree" ;;
    forge/schedule) echo "base base/simd data forge" ;;
    forge/offload) echo "base base/simd data forge forge/schedule $of_gpu" ;;
    forest)        echo "base data forest/*" ;;
    forest/codes)  echo "base data tree" ;;
    forest/scan)   echo "base base/simd" ;;
    forest/sample) echo "base forest/scan" ;;
    forest/split)  echo "base forest/scan forest/sample $of_forests" ;;
    forest/walk)   echo "base data forest/codes $of_forests" ;;
    forest/grow)   echo "base forest/codes forest/sample forest/scan forest/split forest/walk" \
                     "$of_forests" ;;
    forest/offload) echo "base data forest forest/* pixels $of_gpu" ;;
    evolve/offload) echo "base base/simd data evolve $of_gpu" ;;
    evolve)        echo "base base/simd data tree evolve/offload/device.h evolve/offload/cost.h" \
                     "$of_gpu" ;;
    pixels|forge)  echo "base base/simd data tree $of_gpu" ;;
    exact)         echo "base data tree $of_gpu exact/*" ;;
    exact/cost)    echo "base data" ;;
    exact/kernels) echo "base base/simd exact/cost exact/kernels/response" ;;
    exact/kernels/response) echo "base base/simd exact/cost exact/kernels" ;;
    exact/run)     echo "base data exact/cost exact/kernels" ;;
    exact/bound)   echo "base exact/run" ;;
    exact/rows)    echo "base exact/run exact/kernels/conditions.h" ;;
    exact/search)  echo "base exact/cost exact/bound exact/rows exact/run" \
                     "exact/kernels/conditions.h" ;;
    exact/offload) echo "base exact/rows exact/run exact/search $of_gpu" ;;
    exact/finish)  echo "base data tree exact/cost exact/bound exact/rows exact/run exact/search" ;;
    exact/sets)    echo "base data tree exact exact/cost exact/bound exact/rows exact/run" \
                     "exact/search" ;;
  esac
}

# may_include FILE HEADER QUOTED: is FILE (src/ cut off) allowed to include it? QUOTED is 1 for
# "..." and 0 for <...>.
may_include () {
  case $1 in
    init.c|r/*.[ch]) return 0 ;;  # the glue
    */*) ;;
    *) return 1 ;;                # no other file lies outside the rooms
  esac
  if echo "$2" | grep -Eqx "$r_headers"; then return 1; fi
  room=`dirname "$1"`
  case $3,$2 in
    0,cuda*|0,nvrtc*|1,*.cuh) case $1 in *.cu|*.cuh) ;; *) return 1 ;; esac ;;
  esac
  case $3,$2 in
    0,omp.h) test "$1" = base/threads.h; return ;;
    0,*) return 0 ;;
  esac
  from=`dirname "$2"`
  if test "$from" = "$room"; then return 0; fi
  set -f                          # "exact/*" is no folder of this one
  for seen in `may_see "$room"`; do
    case $2,$from in "$seen",*|*,$seen) set +f; return 0 ;; esac
  done
  set +f
  return 1                        # a path that does not start at src/ lands here too
}

# check_tree SRC: sets passed and failed, prints the faults.
check_tree () {
  passed=0 failed=0
  for file in `find "$1" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'`; do
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

# uses DIR: a line `a.o b.o` for each pair of objects of which the first uses what the second
# defines.
uses () {
  (cd "$1" && find . -name '*.o' -not -name 'test_*' | sed 's,^\./,,' | sort |
    while read -r object; do
      nm "$object" | awk -v o="$object" \
        '$1 == "U" { print "uses", o, $2 } $2 ~ /^[BDRT]$/ { print "has", o, $3 }'
  done) | awk '
    $1 == "has" { home[$3] = $2 }
    $1 == "uses" { user[++n] = $2; what[n] = $3 }
    END {
      for (i = 1; i <= n; i++)
        if (what[i] in home && home[what[i]] != user[i]) print user[i], home[what[i]]
    }' | sort -u
}

# circles DIR: the files of circles, of which there should be none.
circles () {
  uses "$1" | grep -v '^exact/search/branch.o exact/search/solve.o$' > "$plant/arrows"
  tsort "$plant/arrows" 2>&1 > /dev/null | sed -n 's/^tsort: \(.*\.o\)$/\1/p' | sort -u
}

# A check that finds nothing wrong proves little, so it first has to find what is planted: 20 faults
# in 20 files.
plant=`mktemp -d`
trap 'rm -rf "$plant"' EXIT
for room in base exact/kernels exact/offload exact/search exact/rows certify forest \
  forest/split gpu r; do
  mkdir -p "$plant/$room"
done
echo '#include <R.h>'                       > "$plant/base/a.c"
echo '  #  include "exact/search/branch.h"' > "$plant/base/b.h"
echo '#include <omp.h>'                     > "$plant/base/c.c"
echo '#include "gpu/device.h"'              > "$plant/exact/kernels/a.h"
echo '#include "exact/finish/check.h"'      > "$plant/exact/rows/a.c"
echo '#include <Rinternals.h>'              > "$plant/exact/search/a.c"
echo '#include "forest/grow/grow.h"'        > "$plant/exact/search/b.c"
echo '#include "gpu/buffers.h"'             > "$plant/exact/search/c.c"
echo '#include <cuda_runtime.h>'            > "$plant/exact/search/d.c"
echo '#include "a.h"'                       > "$plant/forest/a.c"
echo '#include "forest/grow/partition.h"'   > "$plant/forest/split/a.c"
echo '#include "exact/search/branch.h"'     > "$plant/gpu/a.cu"
echo '#include "exact/offload/views.h"'     > "$plant/gpu/b.c"
echo '#include "data/table.h"'              > "$plant/gpu/c.h"
echo '#include <cuda_runtime.h>'            > "$plant/gpu/d.h"
echo '#include "gpu/backend.h"'             > "$plant/exact/offload/a.cu"
echo '#include "gpu/kernel.cuh"'            > "$plant/exact/offload/b.c"
echo '#include <cuda_runtime.h>'            > "$plant/exact/offload/c.cu"
echo '#include "gpu/kernel.cuh"'            > "$plant/exact/offload/d.cu"
echo '#include "data/table.h"'              > "$plant/stray.c"
echo '#include "exact/bound/interval.h"'    > "$plant/certify/a.c"
echo '#include "exact/kernels/kernels.h"'   > "$plant/certify/b.c"
echo '#include "exact/cost/costs.h"'        > "$plant/certify/c.c"
echo '#include <R_ext/Utils.h>'             > "$plant/r/glue.c"
echo '#include "exact/rows/node.h"'         > "$plant/exact/search/e.c"
check_tree "$plant" > /dev/null
if test $failed -ne 20 || test $passed -ne 5; then
  echo "layers: the check itself is broken: it finds $failed of 20 planted faults," \
    "and passes $passed of 5 clean files"
  echo "layers: 0 passed, 1 failed"
  exit 1
fi

check_tree "$src"
if test -n "$2"; then
  mkdir "$plant/objects"
  echo 'void b(void); void a(void) { b(); }' > "$plant/a.c"
  echo 'void a(void); void b(void) { a(); }' > "$plant/b.c"
  for name in a b; do ${CC:-cc} -c "$plant/$name.c" -o "$plant/objects/$name.o"; done
  if test "`circles "$plant/objects" | tr '\n' ' '`" != "a.o b.o "; then
    echo "layers: the check itself is broken: it does not find a planted circle"
    failed=`expr $failed + 1`
  fi
  circle=`circles "$2"`
  if test -n "$circle"; then
    echo "these files use each other in a circle:" $circle
    failed=`expr $failed + 1`
  else
    passed=`expr $passed + 1`
  fi
fi
echo "layers: $passed passed, $failed failed"
test $failed -eq 0 && test $passed -gt 0
