#!/bin/sh
# All that a machine with a GPU is wanted for, in under 25 minutes: builds, tests on the device,
# compute-sanitizer, measurements.
#
#   sh tools/gpu_day.sh           needs nvcc, a driver and a card; results: bench/results/gpu/
#   PLAYED=1 sh tools/gpu_day.sh  the same steps with CUDA's runtime played on the CPU, ASan and
#                                 TSan in place of compute-sanitizer; results: build/gpu_day/played/
#   STEPS="build batches" ...     these steps
#   AGAIN=1 ...                   also those that are done
#   BUILT=1 ...                   tests/c/build/cuda and build/lib-gpu were built on another machine
#   DAY=DIR ...                   stamps are kept in DIR, and results in DIR/results
#
# A step that has ended well leaves a stamp with the commit that it was made of. Interrupted, or
# after a failure, call it again: what has its stamp is not repeated, unless the commit is another.
# A step that takes longer than its limit, played than twice that, has failed; the others are done
# all the same.
# RESULTS/summary.md says what came of each. Ends with `gpu_day: N passed, N failed, N skipped`.
cd "`dirname "$0"`/.." || exit 1
make=${MAKE:-make}
if test -x /usr/local/cuda/bin/nvcc; then PATH=$PATH:/usr/local/cuda/bin; fi
commit=${COMMIT:-`git rev-parse --short HEAD 2> /dev/null``git diff --quiet 2> /dev/null || echo +`}
if test -n "$PLAYED"; then day=${DAY:-build/gpu_day/played} results=$day/results
else day=${DAY:-build/gpu_day/card} results=${DAY:+$DAY/results}
fi
results=${results:-bench/results/gpu}
mkdir -p "$day" "$results" || exit 1

# Seconds that each step may take; together under 25 minutes.
steps="card:30 build:220 figures:40 tests:130 memcheck:110 racecheck:110 initcheck:90 batches:20
 package:190 solves:130 predictions:170 models:150 forests:110"

# ---- the steps; 77: it cannot be done here, and the last line says why ----

cannot () { echo "not run: $1"; exit 77; }

# The device's own code, not PTX that it compiles at the first call.
arch=`test -n "$PLAYED" || nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null |
  head -n 1 | tr -d .`
c_tests () {
  if test -n "$PLAYED"; then "$make" -s -C tests/c on_cpu=1 "$@"
  elif test -n "$BUILT"; then built "$1"
  else "$make" -s -C tests/c cuda=1 ${arch:+CUDA_ARCHS=$arch} "$@"
  fi
}

built () {
  cd tests/c || exit 1
  case $1 in
    build) test -x build/cuda/test_gpu ;;
    test) CASES=CUDA sh run.sh "C tests, cuda" "" build/cuda/test_* ;;
    *) build/cuda/time_$1 ;;
  esac
}

# sanitize TOOL: the device's part of the tests of batches, a fifth of the random cases.
sanitize () {
  tool=${COMPUTE_SANITIZER:-compute-sanitizer}
  command -v "$tool" > /dev/null 2>&1 || cannot "compute-sanitizer is missing"
  cd tests/c || exit 1
  complaints=0
  for program in test_gpu test_offload test_forge_device test_forest_walk test_evolve_device \
                 "test_forest_grow groups"; do
    set -- "$1" ${program% *} ${program#* }
    test "$2" != "$3" || set -- "$1" "$2" CUDA
    CT_QUICK=1 "$tool" --tool "$1" --error-exitcode 9 build/cuda/$2 "$3" || complaints=1
  done
  return $complaints
}

# measure SCRIPT NAME: on the card; played, small and on the host twin.
measure () {
  if test -z "$PLAYED"; then set -- "$1" "$2" R_LIBS=build/lib-gpu
  else set -- "$1" "$2" R_LIBS=build/lib-played QUICK=1
  fi
  env "$3" $4 Rscript --vanilla "$1" "$results/$2.csv"
}

# The package, and its tests of devices. Played, it is one without CUDA.
package () {
  if test -z "$PLAYED"; then cuda=yes lib=build/lib-gpu
  else cuda=no lib=build/lib-played
  fi
  { test -n "$BUILT" || CONTREE_CUDA=$cuda sh tools/install.sh $lib; } &&
    Rscript --vanilla tools/test_r.R $lib '^(util|forge|forest|gmt)-device$'
}

# Predictions, by functions compiled before and by schedules, tested and measured. Played, the
# driver is a stand-in.
predictions () {
  if test -z "$PLAYED"; then
    (cd tests/c && build/cuda/test_forge_device CUDA && build/cuda/test_schedule_device) &&
      measure bench/gpu_forge.R predictions
    return
  fi
  stand_ins=`mktemp -d` || return
  (cd tests/c && "$make" -s on_cpu=1 test only="test_forge_device test_schedule_device") &&
    sh tests/c/cuda_on_cpu/stand_ins.sh "$stand_ins" &&
    STAND_INS=$stand_ins measure bench/gpu_forge.R predictions
  status=$?
  rm -rf "$stand_ins"
  return $status
}

step () {
  case $1 in
    card) if test -n "$PLAYED"; then echo "CUDA's runtime, played on the CPU"
          else nvidia-smi && nvcc --version
          fi ;;
    build) c_tests build ;;
    figures) command -v nvcc > /dev/null 2>&1 || cannot "nvcc is missing"
             sh tools/kernel_figures.sh ;;
    tests) JOBS=4 CASES=CUDA c_tests test ;;
    memcheck) if test -n "$PLAYED"; then c_tests asan=1 test only=test_offload
              else sanitize memcheck
              fi ;;
    racecheck) if test -n "$PLAYED"; then c_tests tsan=1 test only=test_offload
               else sanitize racecheck
               fi ;;
    initcheck) test -z "$PLAYED" || cannot "memory of the played runtime is garbage in all tests"
               sanitize initcheck ;;
    batches) if test -n "$PLAYED"; then CT_QUICK=1 c_tests batches; else c_tests batches; fi ;;
    package) package ;;
    solves) measure bench/gpu.R solves ;;
    predictions) predictions ;;
    models) measure bench/gpu_gmt.R models ;;
    forests) measure bench/gpu_forest.R forests ;;
    *) echo "no such step: $1"; exit 2 ;;
  esac
}

if test "$1" = --step; then step "$2"; exit; fi

# ---- going through them ----

child=
interrupted () {
  test -z "$child" || { kill "$child" 2> /dev/null; wait "$child"; }
  echo "gpu_day: interrupted in step $name; call it again to go on"
  exit 130
}
trap interrupted INT TERM HUP

is_done () { test -z "$AGAIN" && test "`sed 1q "$day/$1.done" 2> /dev/null`" = "$commit"; }

# one NAME LIMIT
one () {
  if is_done "$1"; then echo "$1: done before"; return; fi
  rm -f "$day/$1.done"
  begin=`date +%s`
  timeout "$2" sh tools/gpu_day.sh --step "$1" > "$results/$1.log" 2>&1 &
  child=$!
  wait $child
  status=$?
  child=
  case $status in
    0) outcome=passed
       # its table says all that its log does
       test ! -f "$results/$1.csv" || rm "$results/$1.log" ;;
    77) outcome=skipped ;;
    124) outcome="failed: longer than $2 s" ;;
    *) outcome="failed: exit status $status" ;;
  esac
  { echo "$commit"; echo "| $1 | $outcome | `expr \`date +%s\` - $begin` |"; } > "$day/$1.said"
  case $outcome in failed*) ;; *) cp "$day/$1.said" "$day/$1.done" ;; esac
  echo "$1: $outcome"
}

export PLAYED DAY COMMIT MAKE BUILT
for each in $steps; do
  name=${each%:*} limit=${each#*:}
  test -z "$PLAYED" || limit=`expr 2 \* "$limit"`
  case " ${STEPS:-$name} " in *" $name "*) one "$name" "$limit" ;; esac
done

{ echo "# `sed 1q "$results/card.log" 2> /dev/null`"
  echo
  echo "Commit $commit. Logs, or tables, of the steps lie beside this file."
  echo
  echo "| step | outcome | seconds |"
  echo "| --- | --- | --- |"
  for each in $steps; do
    test "`sed 1q "$day/${each%:*}.said" 2> /dev/null`" = "$commit" && sed 1d "$day/${each%:*}.said"
  done; } > "$results/summary.md"

said () { grep -c "^| [a-z]* | $1" "$results/summary.md"; }
echo "gpu_day: `said passed` passed, `said failed` failed, `said skipped` skipped"
test "`said failed`" -eq 0
