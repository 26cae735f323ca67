#!/bin/sh
# The fewest inputs of fuzz/corpus/, and of what fuzz_api has found since, that reach every branch
# that all of them reach: sh fuzz_minimise.sh DIR, the folder of the fuzzers
#
# A set counts as covering by the branches alone, not by how often they are taken.
dir=$1
for program in fuzz_solve fuzz_route fuzz_certify fuzz_protobuf fuzz_schedule; do
  fewest=$dir/fewest/$program
  rm -rf "$fewest"
  mkdir -p "$fewest" "$dir/corpus/$program"
  "$dir/$program" -merge=1 -use_counters=0 -max_len=600 -timeout=30 "$fewest" \
    "fuzz/corpus/$program" "$dir/corpus/$program" > "$dir/$program-merge.log" 2>&1 || {
    tail -n 20 "$dir/$program-merge.log"
    exit 1
  }
  test -n "`ls "$fewest"`" || exit 1
  echo "$program: `ls "fuzz/corpus/$program" | wc -l` inputs, now `ls "$fewest" | wc -l`"
  rm -rf "fuzz/corpus/$program"
  mv "$fewest" "fuzz/corpus/$program"
done
