#!/bin/sh
# Planted faults: every mutant of mutants.txt must be found by a test.
#
#   sh mutants.sh DIR             all of them, as many at a time as there are cores; DIR holds the
#                                 unchanged objects and
#                                 the objects of the tests (make -C tests/c mutants)
#   sh mutants.sh DIR NAME...     these
#   sh mutants.sh DIR --sample    those of DIR/sample.txt, made by rule (../sample_mutants.awk), of
#                                 which those that no test of their room finds are listed; this is
#                                 no failure
#
# A mutant's file is copied with its lines replaced, what includes it is compiled anew, and the
# tests are linked with that and run, those that its record lists, until one fails; where mutants
# are named, all others after them. Prints a line a mutant: which test found it, after how long. A
# mutant that none finds is a failure, and so is one whose lines are not in its file exactly once.
# The library is the portable one: of the kernels it has the scalar ones alone, and its CUDA is
# played on the CPU. CC, CXX, CXX_FLAGS and LIBRARIES are make's.
here=`cd "\`dirname "$0"\`" && pwd`
src=$here/../../src table=${TABLE:-$here/mutants.txt}
dir=$1
shift
all_tests="test_kernels test_cache test_bounds test_sort test_costs test_search test_team
 test_incumbent test_set test_set_few test_parts test_instances test_route test_predict test_certify
 test_edges test_memory test_rng
 test_parallel test_scan test_forest test_forest_wide test_forest_sets test_image test_evolve
 test_evolve_device
 test_gmt test_optimum test_forge test_forge_device test_protobuf test_shap test_schedule
 test_schedule_text test_schedule_device test_regression test_certify_response test_leaves"
patience=${PATIENCE:-60} # seconds for a test

# What the mutant's record says about WORD.
says () { awk -v name="$name" -v word="$1" '
  $1 == "mutant" { on = $2 == name }
  on && $1 == word { sub(/^[a-z]+ +/, ""); print }' "$table"; }

# The mutated text of the file; fails if the lines to replace are not there exactly once.
mutated () { awk -v name="$name" '
  FNR == NR {
    if ($1 == "mutant") on = $2 == name
    if (!on) next
    if (/^-/) { if (last != "-") n++; from[n] = from[n] substr($0, 2) "\n" }
    if (/^\+/) to[n] = to[n] substr($0, 2) "\n"
    last = substr($0, 1, 1)
    next
  }
  { text = text $0 "\n" }
  END {
    for (i = 1; i <= n; i++) {
      at = index("\n" text, "\n" from[i])
      if (!at || index(substr(text, at + 1), "\n" from[i])) exit 3
      text = substr(text, 1, at - 1) to[i] substr(text, at + length(from[i]))
    }
    if (!n) exit 3
    printf "%s", text
  }' "$table" "$src/$file"; }

# Compiles anew what includes the file; leaves the objects to link with in $objects.
compile () {
  objects=
  for base in `cat "$dir/objects"`; do
    base=$dir/${base#build/mutants/}
    source=${base#"$dir"/} source=${source%.o}
    case $source in *.cu) ;; *) source=$source.c ;; esac
    if test "$source" = "$file" || grep -q "[/ ]$file\( \|$\)" "${base%.o}.d"; then
      object=$mine/`echo "$source" | tr / _`.o
      if test "$source" = "$file"; then path=$mine/$file; else path=$src/$source; fi
      test -f "$path" || path=`ls "$here"/*/"$source"` # of the tests
      case $path in
        *.cu) sed -f "$here/cuda_on_cpu/shared.sed" "$path" > "$object.cpp" &&
                $CXX -I"$mine" $CXX_FLAGS -c "$object.cpp" -o "$object" ;;
        *) $CC -std=gnu11 -O1 -w -fopenmp -DCT_DEBUG -DCT_SCALAR -I"$mine" -I"$src" \
          -c "$path" -o "$object" ;;
      esac || return 1
      objects="$objects $object"
    else
      objects="$objects $base"
    fi
  done
}

# killed_by PROGRAM [CASE]: links, if need be, and runs; true if it fails. $killer is the case that
# did.
killed_by () {
  source=`ls "$here"/*/"$1.c"`
  wraps=`sed -n 's/^[a-z].*__wrap_\([a-z_]*\)[^a-z_].*/-Wl,--wrap=\1/p' "$source" | sort -u`
  test_object=$dir/$1.o
  if grep -q "[/ ]$file\( \|$\)" "$dir/$1.d"; then
    test_object=$mine/$1.o
    test -f "$test_object" || $CC -std=gnu11 -O1 -w -fopenmp -DCT_DEBUG -DCT_CUDA_ON_CPU -I"$mine" \
      -DCT_SCALAR -I"$src" -I"$here" -c "$source" -o "$test_object" || return 1
  fi
  test -x "$mine/$1" || $CC -fopenmp "$test_object" $objects $LIBRARIES $wraps -o "$mine/$1" ||
    return 1
  (cd "$here" && CT_FIRST=1 timeout $patience "$mine/$1" ${2:+"$2"}) > "$mine/log" 2>&1
  # the machine may be busy: see timeout
  status=$?
  case $status in
    0) return 1 ;;
    124) test -n "$hanging_counts" || return 1 ;; # what takes too long has found nothing
  esac
  killer="$1: `sed -n 's/^  case: //p' "$mine/log" | tail -n 1`"
  test $status -ne 124 || killer="$1, which hangs"
}

# Finds a test; 1 if there is none.
find_killer () {
  old=$IFS
  IFS=,
  set -- $likely
  IFS=$old
  for test
  do
    program=`echo "$test" | sed 's/:.*//; s/ //g'` part=`echo "$test" | sed -n 's/.*: *//p'`
    killed_by "$program" "$part" && return 0
  done
  for program in $others; do killed_by "$program" && return 0; done
  return 1
}

one () {
  name=$1 file=`says file` likely=`says killers` mine=$dir/of/$1
  start=`date +%s`
  rm -rf "$mine"
  mkdir -p "$mine/`dirname "$file"`"
  if ! mutated > "$mine/$file"; then verdict="STALE: its lines are not in $file exactly once"
  elif ! compile > "$mine/compiler" 2>&1; then
    verdict="DOES NOT COMPILE: `head -n 1 "$mine/compiler"`"
  elif find_killer || test -z "$hanging_counts" && { find_killer || find_killer; }; then
    # three times, since which thread comes first may decide
    verdict="$killer, `expr \`date +%s\` - $start` s"
  else verdict="SURVIVED"
  fi
  printf '%-30s | %s\n' "$name" "$verdict" > "$dir/of/$name.line"
  rm -rf "$mine"
}

# For xargs: mutants.sh DIR --one NAME
if test "$1" = --one; then one "$2"; exit; fi

# Of those that are named, the other tests are asked too: they may be better killers. A fault made
# by rule may well be a loop without an end, which is found, too.
others= hanging_counts=
if test "$1" = --sample; then
  table=$dir/sample.txt hanging_counts=1 PATIENCE=120
  shift
elif test $# -gt 0; then others=$all_tests
fi
TABLE=$table
export others hanging_counts TABLE PATIENCE
names=${*:-`awk '$1 == "mutant" { print $2 }' "$table"`}
rm -rf "$dir/of"
mkdir -p "$dir/of"
echo $names | tr ' ' '\n' |
  xargs -P "${CORES:-`getconf _NPROCESSORS_ONLN`}" -n 1 sh "$0" "$dir" --one
printf '%-30s | %s\n' mutant 'killed by'
alive=0 killed=0
for name in $names; do
  cat "$dir/of/$name.line"
  if grep -q '| test_' "$dir/of/$name.line"; then killed=`expr $killed + 1`
  else alive=`expr $alive + 1`
  fi
done
if test -n "$hanging_counts"; then
  echo
  for name in $names; do
    if grep -q '| SURVIVED' "$dir/of/$name.line"; then
      awk -v name="$name" '$1 == "mutant" { on = $2 == name } on && !/^killers/' "$table"
    fi
  done
  echo "made by rule: $killed found, `cat "$dir"/of/*.line | grep -c '| SURVIVED'` survived," \
    "`cat "$dir"/of/*.line | grep -c '| DOES NOT COMPILE'` do not compile"
  exit
fi
echo "mutants: $killed passed, $alive failed, 0 skipped"
test $alive -eq 0 && test $killed -gt 0
