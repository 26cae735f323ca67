#!/bin/sh
# Instructions of fixed problems against recorded ones: sh instructions.sh PROGRAM FILE [RECORD]
#
# Counts are the same on every machine, unlike times, so a slower search is seen at once. They
# depend on the compiler, however: FILE names the one it was recorded with, and only with the same
# one does a rise above 5% count as a failure. A third argument writes FILE anew: after a change
# that is meant to cost more, or with the compiler of a new system. callgrind has no AVX-512; what
# is not available is left out.
program=$1 file=$2 record=$3
compiler=`${CC:-cc} --version | head -n 1`
passed=0 failed=0
out=`dirname "$program"`/callgrind.out
if ! command -v valgrind > /dev/null 2>&1; then
  echo "not run: valgrind is missing"
  echo "instructions: 0 passed, 0 failed, 0 skipped"
  exit 0
fi

# count CASE LEVEL: instructions within the solve, nothing if the level is not available here.
count () {
  valgrind --tool=callgrind --callgrind-out-file="$out" --toggle-collect=ct_exact_solve "$program" \
    "$1" "$2" \
    > "$out.log" 2>&1 && sed -n 's/^.*Collected : \([0-9]*\).*/\1/p' "$out.log"
}

recorded_compiler=`sed -n 's/^compiler: //p' "$file" 2> /dev/null`
counts=
for name in `"$program"`
do
  for level in scalar avx2
  do
    now=`count "$name" "$level"`
    if test -z "$now"; then
      echo "  skipped: $name: $level is not available"
      if test $level = scalar; then failed=`expr $failed + 1`; cat "$out.log"; fi
      continue
    fi
    counts="$counts$name $level $now
"
    before=`sed -n "s/^$name $level \([0-9]*\)$/\1/p" "$file" 2> /dev/null`
    if test -z "$before"; then echo "instructions: $name $level $now (not recorded)"; continue; fi
    verdict=`echo "$now $before" | awk '{
      rise = 100 * ($1 - $2) / $2
      verdict = (rise > 5) ? " REGRESSION" : (rise < -5) ? " better: record it" : ""
      printf("(recorded %s, %+.1f%%)%s", $2, rise, verdict)
    }'`
    echo "instructions: $name $level $now $verdict"
    case $verdict in
      *REGRESSION) if test "$compiler" = "$recorded_compiler"; then
                     failed=`expr $failed + 1`
                     continue
                   fi ;;
    esac
    passed=`expr $passed + 1`
  done
done
rm -f "$out" "$out.log"

if test -n "$record"; then
  { echo "compiler: $compiler"; printf '%s' "$counts"; } > "$file"
  echo "recorded in $file"
elif test "$compiler" != "$recorded_compiler"; then
  echo "not comparable: this is $compiler, recorded was $recorded_compiler"
fi
echo "instructions: $passed passed, $failed failed, 0 skipped"
test $failed -eq 0
