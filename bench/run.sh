#!/bin/sh
# The benchmarks: sh bench/run.sh. bench/notes says what is measured. `make bench` comes here.
#
# Environment variables, each with a default:
#   QUICK=1      minutes instead of an hour or two: fewer repeats, no long runs of the peers;
#                results go to build/bench
#   PARTS=...    these alone, of: pairs rpart streed small call scaling threads anytime deep
#                estimate report; and, only if named, quantiles survival (of forests, beside
#                ranger's)
#   CASES=...    these alone, as "bank:2 raisin:4 large:2" (data set, or curve of scaling, and
#                depth)
#   RESUME=1     keep what the result files hold and go on behind it; without, a part begins by
#                removing its file
#   OUT=DIR      where results go; bench/results, or build/bench in quick mode
#   LIMIT=900    seconds after which a single run is stopped (60 in quick mode)
#   BUDGET=900   the peer is not run where it is known to take longer than so many seconds (20 in
#                quick mode)
#   REPEAT=60    a case is repeated for about so many seconds (4 in quick mode)
#   DEEP=60      limit in seconds of a run of the part deep (5 in quick mode), and
#   THREADS="1 2"  its numbers of threads
#   PLAIN=DIR    a library that holds contree built without OpenMP, to compare with (made in
#                build/lib-plain if not quick)
#   PEERS=no     contree and rpart alone
#   LIB=DIR      a library that holds contree; nothing is then installed
#   CONTREE_DATA the folder of the data sets; ../shared/data without
#   MACHINE=...  how the summary describes this machine
cd "`dirname "$0"`/.." || exit 1
venv=`pwd`/build/bench-venv

if test -z "$LIB"; then
  if test "$PEERS" = no; then sh tools/install.sh build/lib
  else sh bench/setup.sh "$venv"
  fi || exit 1
  LIB=build/lib
fi
R_LIBS=$LIB${R_LIBS:+:$R_LIBS}
if test "$PEERS" != no && test -x "$venv/bin/python"; then BENCH_PYTHON=$venv/bin/python
else BENCH_PYTHON=
fi
if test -z "$CONTREE_DATA" && test -d ../shared/data; then
  CONTREE_DATA=`cd ../shared/data && pwd`
fi
if test -z "$OUT"; then
  if test -n "$QUICK"; then OUT=build/bench; else OUT=bench/results; fi
fi
LC_ALL=C.UTF-8
# Who is measured against one thread has one; contree is told its number.
OPENBLAS_NUM_THREADS=1
export R_LIBS BENCH_PYTHON CONTREE_DATA OUT QUICK CASES RESUME LIMIT BUDGET MACHINE
export DEEP THREADS REPEAT PLAIN LC_ALL OPENBLAS_NUM_THREADS

mkdir -p "$OUT" || exit 1
for part in ${PARTS:-pairs rpart streed small call scaling threads anytime deep estimate report}; do
  echo "---- $part"
  if test "$part" = threads && test -z "$QUICK$PLAIN"; then
    sh bench/plain.sh build/lib-plain && PLAIN=build/lib-plain
  fi
  case "$part" in
    quantiles) Rscript --vanilla bench/quantiles.R ${QUICK:+5000 20} > "$OUT/$part.txt" ;;
    survival) Rscript --vanilla bench/survival.R ${QUICK:+20 2 lung pbc} > "$OUT/$part.txt" ;;
    *) Rscript --vanilla "bench/$part.R" ;;
  esac || exit 1
done
