#!/bin/sh
# All test suites, or those named: sh tools/test.sh [SUITE...]; `quick` names those of `make test`.
#
# With STRICT=1 nothing may be left out but what tests/may_skip.txt lists: a missing tool is a
# failure then.
#
#   layers     includes and calls point downward; headers compile alone   make -C tests/c layers
#   lint       style, spelling and help pages              tools/lint.R
#   c          C tests                                     make -C tests/c
#   asan       the same under ASan, UBSan, LeakSanitizer   make -C tests/c asan=1
#   tsan       the same under ThreadSanitizer              make -C tests/c tsan=1      (needs clang
#              and libomp)
#   valgrind   the same under valgrind, shorter loops      make -C tests/c valgrind=1
#   neon       the same for 64-bit ARM, shorter loops      make -C tests/c neon=1      (needs a
#              cross compiler, qemu-user)
#   fuzz       random instances for 30 s, ASan, UBSan      make -C tests/c asan=1 fuzz  ($SECONDS,
#              $SEED: others)
#   fuzz_api   libFuzzer on the C API for 20 s             make -C tests/c fuzz_api    (needs clang
#              with libFuzzer)
#   mutants    planted faults, each found by a test        make -C tests/c mutants
#   mutants_r  the same in R code                          tests/r/mutants.R
#   analyse    what gcc, clang-tidy and cppcheck find      tools/analyse.sh
#   instructions  of three fixed problems, as recorded     make -C tests/c instructions (needs
#                 valgrind)
#   gpu        the C tests of the device, with CUDA        make -C tests/c gpu         (needs nvcc)
#   cuda_on_cpu  the same, CUDA played on the CPU, ASan, TSan  make -C tests/c on_cpu=1 ... (needs a
#                C++ compiler)
#   configure  what configure decides on odd machines      tools/test_configure.sh
#   check      R CMD build, R CMD check --as-cran, and installed  tools/build.sh, tools/check.sh,
#              with vignettes from a repository              tools/repository.sh
#   cuda       the package built and loaded with CUDA      tools/test_cuda.sh          (needs nvcc)
#   bench      ... and without: benchmarks' scripts run    bench/smoke.sh
#   r          testthat                                    tools/test_r.R
#   fuzz_r     hostile documents, fits, calls, ASan, UBSan tests/r/fuzz.R
#              ($FUZZ_CASES, $SEED: others)
#   glue       .Call entries under gctorture and valgrind  tests/r/glue.R
#   soak       many fits in one process, and forked        tests/r/soak.R              ($FITS,
#              $FORKS: others)
#   promises   what fits say, against brute force          tests/r/promises.R          ($COUNT,
#              $SEED: others)
#   signals    Ctrl-C at random moments                    tests/r/signals.R           ($SIGNALS,
#              $SEED: others)
#   cluster    searches over Rscript workers and Slurm, of tests/r/cluster.sh          (needs Slurm,
#              which a worker is killed                    munge, root)
#
# A suite that passes shows its last lines, one that fails all of them; build/test keeps each log.
# The last line adds up: `N passed, N failed`, tests and R's checks alike.
cd "`dirname "$0"`/.." || exit 1
# those last that use all cores, of which the other lane leaves one by then
of_c="layers c analyse instructions fuzz fuzz_api configure gpu asan tsan valgrind neon"
of_c="$of_c cuda_on_cpu mutants"
last_of_c="mutants cuda_on_cpu neon"
of_r="lint check cuda bench r mutants_r fuzz_r glue soak promises signals cluster"
logs=build/test
mkdir -p $logs

# Those of the C library, and configure, which needs no package either, beside those of the package,
# since most use one core; who is ready first takes the last ones of the library that are left. The
# totals are added up.
if test "$*" = quick; then
  of_c="layers lint configure c"
  last_of_c=
  of_r=r
  CONTREE_QUICK=1 # fewer of the cases drawn at random, see tests/testthat/helper-sizes.R
  export CONTREE_QUICK
  set --
fi
if test $# -eq 0; then
  rm -rf $logs/total* $logs/taken
  mkdir $logs/taken
  TAKEN=$logs/taken
  export TAKEN
  TOTAL=$logs/total-c sh tools/test.sh $of_c & lane=$!
  TOTAL=$logs/total-r sh tools/test.sh $of_r $last_of_c
  status=$?
  wait $lane || status=1
  cat $logs/total-c $logs/total-r |
    awk '{ passed += $1; failed += $3 } END { print passed " passed, " failed + 0 " failed" }' |
      tee $logs/total
  exit $status
fi

cores=`getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1`
MAKEFLAGS=-j$cores
LC_ALL=C.UTF-8
LANGUAGE=en
PATH=$PATH:`pwd`/build/bin
export MAKEFLAGS LC_ALL LANGUAGE PATH
# Several suites compile the same files in the same way; folders and debug information differ.
if test -d /usr/lib/ccache; then
  PATH=/usr/lib/ccache:$PATH
  CCACHE_DIR=${CCACHE_DIR:-`pwd`/build/ccache} CCACHE_NOHASHDIR=1
  export CCACHE_DIR CCACHE_NOHASHDIR
fi
# Real data sets with known optima, where they lie beside the checkout; the tests that want them
# skip without.
if test -z "$CONTREE_DATA" && test -d ../shared/data; then
  CONTREE_DATA=`cd ../shared/data && pwd`
  export CONTREE_DATA
fi
if test -x /usr/local/cuda/bin/nvcc; then PATH=$PATH:/usr/local/cuda/bin; fi

# The tarball is built once, for whoever comes first.
tarball=
need_tarball () {
  test -n "$tarball" || tarball=`sh tools/build.sh`
}

# So is the library without CUDA.
library=
need_library () {
  test -z "$library" || return 0
  need_tarball && rm -rf build/lib-cpu && mkdir -p build/lib-cpu &&
    CONTREE_CUDA=no R CMD INSTALL --no-multiarch --no-docs --library=build/lib-cpu "$tarball" &&
      library=build/lib-cpu
}

repository () {
  address=`sh tools/repository.sh "$tarball" | sed -n 's/.*repos = "\(.*\)")$/\1/p'`
  CONTREE_CUDA=no Rscript --vanilla -e 'lib <- tempdir()' \
    -e 'install.packages("contree", lib, commandArgs(TRUE), quiet = TRUE)' \
    -e 'library(contree, lib.loc = lib)' \
    -e 'stopifnot("contree" %in% vignette(package = "contree", lib.loc = lib)$results[, "Item"])' \
    "$address" && echo "repository: 1 passed, 0 failed"
}

# And one whose C tells of memory and arithmetic gone wrong, and of assertions; R, which has none of
# that, must have the runtime loaded first.
runtime () { gcc -print-file-name="$1" 2> /dev/null; }
sanitizers="`runtime libasan.so` `runtime libubsan.so`"
need_asan_library () {
  wanted=-fsanitize=address,undefined,float-cast-overflow
  need_tarball && rm -rf build/lib-asan && mkdir -p build/lib-asan &&
    { echo "CFLAGS = -g -O1 -DCT_DEBUG -DCT_SCALAR -fno-omit-frame-pointer $wanted \\"
      echo "  -fno-sanitize-recover=all"
      echo "LDFLAGS = -fsanitize=address,undefined"; } > $logs/asan.mk &&
    CONTREE_CUDA=no R_MAKEVARS_USER=`pwd`/$logs/asan.mk R CMD INSTALL --no-multiarch --no-docs \
      --no-test-load --library=build/lib-asan "$tarball" &&
      grep -q __asan_init build/lib-asan/contree/libs/contree.so
}

has_asan () {
  echo 'int main(void) { return 0; }' |
    gcc -fsanitize=address,undefined -x c - -o $logs/asan-probe 2> /dev/null &&
    LD_PRELOAD=$sanitizers ASAN_OPTIONS=detect_leaks=0 R --version > /dev/null 2>&1
}

fuzz_r () {
  cases_and_seed="${FUZZ_CASES:-600} ${SEED:-1}"
  if has_asan; then
    need_asan_library || return 1
    LD_PRELOAD=$sanitizers ASAN_OPTIONS=detect_leaks=0 Rscript --vanilla tests/r/fuzz.R \
      build/lib-asan $cases_and_seed
  else
    echo "not run: gcc's sanitizers within R are missing"
    need_library && Rscript --vanilla tests/r/fuzz.R $library $cases_and_seed
  fi
}

# Leaks and errors of contree end it badly; R itself has none at this level.
glue () {
  need_library && Rscript --vanilla tests/r/glue.R $library torture || return 1
  command -v valgrind > /dev/null 2>&1 || { echo "not run: valgrind is missing"; return 0; }
  leaks="--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
  R -d "valgrind -q $leaks --error-exitcode=9" --vanilla --no-echo -f tests/r/glue.R --args $library
}

has_tsan () {
  command -v clang > /dev/null 2>&1 &&
    echo 'int main(void) { return 0; }' |
      clang -fopenmp -fsanitize=thread -x c - -o $logs/tsan-probe 2> /dev/null
}

has_neon () {
  command -v qemu-aarch64 > /dev/null 2>&1 &&
    echo 'int main(void) { return 0; }' |
      aarch64-linux-gnu-gcc -fopenmp -static -x c - -o $logs/neon-probe 2> /dev/null
}

has_libfuzzer () {
  command -v clang > /dev/null 2>&1 &&
    echo 'int LLVMFuzzerTestOneInput(const char *x, long n) { return x == 0 && n < 0; }' |
      clang -fsanitize=fuzzer -x c - -o $logs/libfuzzer-probe 2> /dev/null
}

# skip WHY: the suite's line when the machine cannot run it.
skip () { echo "not run: $1"; echo "$suite: 0 passed, 0 failed"; }

# Several programs at a time: those of these suites are slow.
c_tests () { JOBS=$cores make -s -C tests/c WERROR="$WERROR" "$@"; }

# Under the sanitizers that there are; all in all.
cuda_on_cpu () {
  bad=0
  sh tools/test_gpu_day.sh > $logs/cuda_on_cpu.parts 2>&1 || bad=1
  cat $logs/cuda_on_cpu.parts
  kinds=asan=1
  if has_tsan; then kinds="$kinds tsan=1"; else echo "not run: ThreadSanitizer is missing"; fi
  for kind in $kinds; do
    case $kind in tsan*) strict= ;; *) strict=$WERROR ;; esac
    WERROR=$strict c_tests on_cpu=1 $kind > $logs/cuda_on_cpu.part 2>&1 || bad=1
    cat $logs/cuda_on_cpu.part
    cat $logs/cuda_on_cpu.part >> $logs/cuda_on_cpu.parts
  done
  awk '/^C tests, / { passed += $4; failed += $6 }
    END { print "CUDA on the CPU: " passed + 0 " passed, " failed + 0 " failed" }
    ' $logs/cuda_on_cpu.parts
  rm -f $logs/cuda_on_cpu.part $logs/cuda_on_cpu.parts
  return $bad
}

run_suite () {
  case $1 in
    layers)    make -s -C tests/c layers ;;
    lint)      Rscript --vanilla tools/lint.R ;;
    c)         make -s -C tests/c WERROR="$WERROR" ;;
    asan)      c_tests asan=1 ;;
    tsan)      if has_tsan; then c_tests tsan=1 WERROR=
               else skip "clang with ThreadSanitizer and libomp is missing"
               fi ;;
    valgrind)  if command -v valgrind > /dev/null 2>&1; then c_tests valgrind=1
               else skip "valgrind is missing"
               fi ;;
    neon)      if has_neon; then c_tests neon=1
               else skip "qemu-aarch64 or aarch64-linux-gnu-gcc is missing"; fi ;;
    fuzz)      make -s -C tests/c WERROR="$WERROR" asan=1 fuzz SECONDS="${SECONDS:-30}" ;;
    fuzz_api)  if has_libfuzzer; then
      make -s -C tests/c WERROR="$WERROR" fuzz_api SECONDS="${SECONDS:-20}"
               else skip "clang with libFuzzer is missing"; fi ;;
    mutants)   make -s -C tests/c mutants ;;
    analyse)   sh tools/analyse.sh ;;
    instructions) make -s -C tests/c instructions ;;
    gpu)       if command -v nvcc > /dev/null 2>&1; then make -s -C tests/c gpu
               else skip "nvcc is missing"
               fi ;;
    cuda_on_cpu) if command -v c++ > /dev/null 2>&1; then cuda_on_cpu
                 else skip "a C++ compiler is missing"
                 fi ;;
    configure) sh tools/test_configure.sh ;;
    check)     need_tarball && sh tools/check.sh "$tarball" && repository ;;
    cuda)      need_tarball && sh tools/test_cuda.sh "$tarball" ;;
    bench)     need_library && sh bench/smoke.sh $library ;;
    r)         need_library && Rscript --vanilla tools/test_r.R $library ;;
    mutants_r) need_library && CONTREE_QUICK=1 Rscript --vanilla tests/r/mutants.R $library ;;
    fuzz_r)    fuzz_r ;;
    glue)      glue ;;
    soak)      need_library &&
      Rscript --vanilla tests/r/soak.R $library "${FITS:-1200}" "${FORKS:-20}" ;;
    promises)  need_library &&
      Rscript --vanilla tests/r/promises.R $library "${COUNT:-60}" "${SEED:-1}" ;;
    signals)   need_library &&
      Rscript --vanilla tests/r/signals.R $library "${SIGNALS:-60}" "${SEED:-1}" ;;
    cluster)   need_library && sh tests/r/cluster.sh $library ;;
    *)         echo "no such suite: $1"; return 2 ;;
  esac
}

# What a log says was left out: a suite or a part of one, cases of C tests, tests of testthat.
left_out () {
  grep -E '^not run: |^not comparable: |^  skipped: |^(•|\*) .* \([0-9]+\)$' "$1"
}

# How much of it the list does not allow; says what.
not_allowed () {
  left_out "$1" | awk -F '|' -v suite="$2" '
    FNR == NR {
      if (/^#/ || NF < 3) next
      last = NF - 1
      suites = $1
      for (i = 2; i < last; i++) suites = suites "|" $i
      gsub(/ /, "", suites)
      gsub(/^ +| +$/, "", $last)
      n++; of[n] = "^(" suites ")$"; text[n] = $last
      next
    }
    {
      for (i = 1; i <= n; i++) if (suite ~ of[i] && $0 ~ text[i]) next
      print "STRICT: left out: " $0
    }' tests/may_skip.txt -
}

# number WORD: the figure before WORD in $line.
number () { echo "$line" | sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p"; }

passed=0 failed=0 broken=
for suite
do
  test -z "$TAKEN" || mkdir "$TAKEN/$suite" 2> /dev/null || continue
  log=$logs/$suite.log
  start=`date +%s`
  run_suite "$suite" > "$log" 2>&1
  status=$?
  seconds=`expr \`date +%s\` - "$start"`
  line=`grep -E ' [0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1`
  n_passed=`number passed` n_failed=`number failed`
  # a suite that ends badly without a count has failed once
  if test $status -ne 0 && test "${n_failed:-0}" -eq 0; then n_failed=1; fi
  if test -n "$STRICT"; then
    not_allowed "$log" "$suite" > $logs/strict
    n_failed=`expr "${n_failed:-0}" + \`grep -c . $logs/strict\``
    cat $logs/strict >> "$log"
    rm -f $logs/strict
  fi
  passed=`expr $passed + "${n_passed:-0}"`
  failed=`expr $failed + "${n_failed:-0}"`
  printf -- '---- %s\n' "$suite"
  if test "${n_failed:-0}" -eq 0; then
    grep -E -e '^not run: |^\[ FAIL|skipped: |^instructions: .*recorded|^  [0-9]+ instances' \
      -e '^  fuzz_.* inputs|^[a-z-]+ +\| ' "$log" | uniq
    echo "$line, $seconds s"
  else
    broken="$broken $suite"
    cat "$log"
    echo "---- $suite FAILED ($seconds s; $log)"
  fi
done

test -z "$broken" || echo "failed suites:$broken"
echo "$passed passed, $failed failed" | tee "${TOTAL:-$logs/total}"
test $failed -eq 0 && test $passed -gt 0
