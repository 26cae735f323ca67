#!/bin/sh
# R CMD check --as-cran of a tarball: anything but "Status: OK" fails, notes included.
#
#   sh tools/check.sh TARBALL          the check's folder is build/check
cd "`dirname "$0"`/.." || exit 1
tarball=$1
test -f "$tarball" || { echo "usage: sh tools/check.sh TARBALL" >&2; exit 2; }

PATH=$PATH:`pwd`/build/bin  # checkbashisms, where tools/setup.sh put it
LC_ALL=C.UTF-8
LANGUAGE=en
export PATH LC_ALL LANGUAGE
# No questions to servers: CRAN's index, the time of day, other packages' help pages.
export _R_CHECK_CRAN_INCOMING_=false
export _R_CHECK_SYSTEM_CLOCK_=false
export _R_CHECK_XREFS_USE_ALIASES_FROM_CRAN_=false
# Enhanced packages need not be there.
export _R_CHECK_PACKAGE_DEPENDS_IGNORE_MISSING_ENHANCES_=true
# As CRAN sets them: more than two threads at work is a note.
export _R_CHECK_EXAMPLE_TIMING_CPU_TO_ELAPSED_THRESHOLD_=2.5
export _R_CHECK_TEST_TIMING_CPU_TO_ELAPSED_THRESHOLD_=2.5
export _R_CHECK_TESTS_NLINES_=0  # of a failed test, all lines
# Fewer of the cases drawn at random: suite r draws them all.
export CONTREE_QUICK=1

mkdir -p build/check
rm -rf build/check/contree.Rcheck
# The tarball's vignettes have just been knitted from the same files.
CONTREE_CUDA=${CONTREE_CUDA:-no} R CMD check --as-cran --no-manual --no-build-vignettes \
  --output=build/check "$tarball"

log=build/check/contree.Rcheck/00check.log
status=`sed -n 's/^Status: //p' "$log"`
if test "$status" = OK; then
  echo "R CMD check: 1 passed, 0 failed"
else
  faults=`grep -cE '\.\.\. .*(NOTE|WARNING|ERROR)$' "$log"`
  test "$faults" -gt 0 || faults=1
  echo "R CMD check: ${status:-it did not finish}"
  echo "R CMD check: 0 passed, $faults failed"
  exit 1
fi
