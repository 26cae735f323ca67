#!/bin/sh
# Runs test programs and adds up: sh run.sh TITLE RUNNER PROGRAM...
#
# RUNNER stands before each program ("" for none). A program that dies before its closing line, or
# whose runner complains although its own checks passed, counts as one failure. $JOBS of them run at
# a time, one unless that is set; of each the cases whose name has $CASES, all unless that is set.
title=$1 runner=$2
export runner
shift 2
passed=0 failed=0 skipped=0

printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I '{}' sh -c \
  '$runner {} $CASES > {}.log 2>&1; echo $? > {}.status'
for program
do
  log=$program.log status=`cat "$program.status"`
  rm -f "$program.status"
  line=`grep '^[a-z_0-9]*: [0-9]* passed, [0-9]* failed, [0-9]* skipped$' "$log" | tail -n 1`
  if test -n "$line"; then
    set -- `echo "$line" | tr -dc '0-9 \n'`
    # the name's digits, if any, come first
    while test $# -gt 3; do shift; done
  else
    set -- 0 0 0
  fi
  if test $status -ne 0 && test "$2" -eq 0; then
    echo "`basename "$program"`: exit status $status" >> "$log"
    set -- "$1" 1 "$3"
  fi
  passed=`expr $passed + "$1"` failed=`expr $failed + "$2"` skipped=`expr $skipped + "$3"`
  cat "$log"
  rm -f "$log"
done
echo "$title: $passed passed, $failed failed, $skipped skipped"
test $failed -eq 0 && test $passed -gt 0
