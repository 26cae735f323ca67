#!/bin/sh
# Whether tools/gpu_day.sh goes on where it was interrupted: with a make that only writes down what
# it was asked for, and fails or is interrupted on demand.
#
# Ends with `C tests, gpu_day: N passed, N failed, 0 skipped`.
cd "`dirname "$0"`/.." || exit 1
stage=`mktemp -d`
trap 'rm -rf "$stage"' EXIT
passed=0 failed=0
verdict () {
  if test $? -eq 0; then passed=`expr $passed + 1`
  else failed=`expr $failed + 1`; echo "  FAILED: gpu_day: $1"; sed 's/^/    | /' "$stage/out"
  fi
}

cat > "$stage/make" <<'END'
#!/bin/sh
stage=`dirname "$0"`
echo "$*" | sed 's/.*on_cpu=1 //' >> "$stage/asked"
for word
do
  if test "$word" = "`cat "$stage/fails" 2> /dev/null`"; then exit 3; fi
  if test "$word" = "`cat "$stage/hangs" 2> /dev/null`"; then
    kill -TERM "`cat "$stage/pid"`"
    cat "$stage/pipe"
  fi
done
END
chmod +x "$stage/make"
mkfifo "$stage/pipe"

# day COMMIT: a run; what it asked make for is in $asked.
day () {
  rm -f "$stage/asked"
  STEPS="card build tests memcheck batches" PLAYED=1 DAY=$stage/day COMMIT=$1 MAKE=$stage/make \
    sh -c 'echo $$ > "$0/pid"; exec sh tools/gpu_day.sh' "$stage" > "$stage/out" 2>&1
  status=$?
  asked=`cat "$stage/asked" 2> /dev/null | tr '\n' ';'`
}

echo test > "$stage/hangs"
day one
test $status -eq 130 && test "$asked" = "build;test;"
verdict "an interruption ends it: $status, $asked"

rm "$stage/hangs"
echo asan=1 > "$stage/fails"
day one
test $status -eq 1 && test "$asked" = "test;asan=1 test only=test_offload;batches;"
verdict "it goes on with the step that was interrupted, and after one that fails: $status, $asked"
grep -q '^| memcheck | failed: exit status 3 |' "$stage/day/results/summary.md"
verdict "the summary says what failed"

rm "$stage/fails"
day one
test $status -eq 0 && test "$asked" = "asan=1 test only=test_offload;"
verdict "only the step that failed is repeated: $status, $asked"
grep -q '^gpu_day: 5 passed, 0 failed, 0 skipped' "$stage/out"
verdict "all steps count, whichever run they were done in"

day one
test $status -eq 0 && test -z "$asked"
verdict "nothing is repeated when all is done: $asked"

day two
test $status -eq 0 && test "$asked" = "build;test;asan=1 test only=test_offload;batches;"
verdict "another commit begins anew: $asked"

echo "C tests, gpu_day: $passed passed, $failed failed, 0 skipped"
test $failed -eq 0
