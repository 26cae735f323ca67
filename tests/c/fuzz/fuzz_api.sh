#!/bin/sh
# libFuzzer on the C API: sh fuzz_api.sh DIR SECONDS SEED
#
# A fifth of the time for each program. Inputs that reach new code are kept in DIR/corpus from run
# to run; it begins with fuzz/corpus/. An input that crashes, hangs, leaks or gets a wrong answer is
# left in DIR: give it to the program as an argument.
dir=$1 seconds=$2 seed=$3
each=`expr $seconds / 5`
passed=0 failed=0
for program in fuzz_solve fuzz_route fuzz_certify fuzz_protobuf fuzz_schedule; do
  corpus=$dir/corpus/$program
  mkdir -p "$corpus"
  if "$dir/$program" -max_total_time="$each" -seed="$seed" -max_len=600 -timeout=30 \
      -rss_limit_mb=4000 -print_final_stats=1 -artifact_prefix="$dir/$program-" \
      "$corpus" "fuzz/corpus/$program" > "$dir/$program.log" 2>&1; then
    passed=`expr $passed + 1`
    sed -n "s/^stat::number_of_executed_units: */  $program inputs: /p" "$dir/$program.log"
  else
    failed=`expr $failed + 1`
    tail -n 60 "$dir/$program.log"
  fi
done
echo "fuzz_api: $passed passed, $failed failed, 0 skipped"
test $failed -eq 0
