#!/bin/sh
# Do the benchmarks' scripts run? A few seconds, without the peers: sh bench/smoke.sh LIBRARY
#
# Ends with `bench: N passed, N failed`. What wants the data sets is left out where they are not.
cd "`dirname "$0"`/.." || exit 1
LIB=$1
OUT=build/bench-smoke
QUICK=1
PEERS=no
CASES="bank:2"
export LIB OUT QUICK PEERS CASES
passed=0 failed=0
rm -rf "$OUT"

# part NAME FILE: runs a part, which has to leave FILE.
part () {
  if PARTS=$1 sh bench/run.sh && test -s "$OUT/$2"; then
    passed=`expr $passed + 1`
  else
    failed=`expr $failed + 1`
    echo "FAILED: bench/$1.R"
  fi
}

if test -n "$CONTREE_DATA" || test -d ../shared/data; then
  part pairs pairs.csv
  part rpart held_out.csv
  part threads threads.csv
  part anytime anytime.csv
  part deep deep.csv
else
  echo "not run: CONTREE_DATA does not name the data sets"
fi
part small small.csv
part call call.csv
part report summary.md

# papers SCRIPT PART FILE: runs a part of a table beside a paper's.
papers () {
  if R_LIBS=$LIB Rscript --vanilla bench/papers_$1.R $2 > /dev/null && test -s "$OUT/$3"; then
    passed=`expr $passed + 1`
  else
    failed=`expr $failed + 1`
    echo "FAILED: bench/papers_$1.R $2"
  fi
}

papers gmt sets paper-gmt.csv
papers sharp round paper-sharp.csv
if test -n "$CONTREE_DATA" || test -d ../shared/data; then
  papers contree caps paper-contree.csv
  papers forge autotune paper-forge.csv
fi

for each in gpu gpu_forest gpu_gmt; do
  if R_LIBS=$LIB Rscript --vanilla bench/$each.R "$OUT/$each.csv" > /dev/null; then
    passed=`expr $passed + 1`
  else
    failed=`expr $failed + 1`
    echo "FAILED: bench/$each.R"
  fi
done

# CUDA's driver and NVRTC as stand-ins that work on the CPU.
mkdir -p "$OUT/driver"
if sh tests/c/cuda_on_cpu/stand_ins.sh "$OUT/driver" && STAND_INS=$OUT/driver R_LIBS=$LIB \
  Rscript --vanilla bench/gpu_forge.R "$OUT/gpu_forge.csv" > /dev/null; then
  passed=`expr $passed + 1`
else
  failed=`expr $failed + 1`
  echo "FAILED: bench/gpu_forge.R"
fi

echo "bench: $passed passed, $failed failed"
test $failed -eq 0
