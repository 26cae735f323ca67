#!/bin/sh
# Installs what is missing, on Debian and Ubuntu; elsewhere, or without the right to, says what to
# install and fails.
#
#   sh tools/setup.sh LEVEL...
#     run    R, a C compiler, and the packages that tools/demo.R shows beside contree
#     test   what `make test` needs: all of Imports and Suggests, what R CMD check asks for, lintr
#            and spelling; also valgrind, ccache, Graphviz, Chromium, clang's ThreadSanitizer and
#            libFuzzer, clang-tidy, cppcheck, a compiler for 64-bit ARM and
#            qemu-user, scikit-learn, but their suites can be left out, so without them
#            it goes on; not with STRICT=1, where they are needed like all others
#     cluster  Slurm, munge and future.batchtools, for one suite of `make test-all`, which can be
#            left out likewise
#     build  what builds the vignettes, for `make install` and `make repository`
#     doc    roxygen2, for `make doc`
#     site   pkgdown and what the examples show, for `make site`
#
# Says nothing when all is there. Everything comes as a package of the system, but for one script
# (checkbashisms), which is put into build/bin without the 40 packages that its own would bring.
cd "`dirname "$0"`/.." || exit 1

packages=  # missing, by the names that Debian has for them
wishes=    # missing, and can be done without
script=no  # is checkbashisms missing?

need () {
  for p
  do
    case " $packages " in *" $p "*) ;; *) packages="$packages $p" ;; esac
  done
}

# Can be done without, unless nothing may be left out.
wish () {
  if test -n "$STRICT"; then need "$@"; else wishes="$wishes $*"; fi
}

# need_command COMMAND PACKAGE...
need_command () {
  command -v "$1" > /dev/null 2>&1 && return
  shift
  need "$@"
}

# need_r NAME...: R packages, each r-cran-name in Debian.
need_r () {
  missing=$*
  if command -v Rscript > /dev/null 2>&1; then
    missing=`Rscript --vanilla -e '
      for (p in commandArgs(TRUE)) if (!nzchar(system.file(package = p))) cat(p, "")' "$@"`
  fi
  for p in $missing; do need "r-cran-`echo "$p" | tr '[:upper:]' '[:lower:]'`"; done
}

# What DESCRIPTION imports and suggests, without versions and without what comes with R itself.
r_dependencies () {
  awk '/^[^ \t]/ { on = $1 == "Imports:" || $1 == "Suggests:" }
    on { sub(/^[A-Za-z]+:/, ""); print }' DESCRIPTION |
    tr ',' '\n' | sed 's/(.*//; s/[ \t]//g; /^$/d' |
    grep -Evx 'base|compiler|datasets|graphics|grDevices|grid|methods|parallel' |
    grep -Evx 'splines|stats|stats4|tools|utils'
}

# ThreadSanitizer with OpenMP, and libFuzzer.
clang_has_sanitizers () {
  mkdir -p build &&
    echo 'int main(void) { return 0; }' |
      clang -fopenmp -fsanitize=thread -x c - -o build/clang-probe 2> /dev/null &&
    echo 'int LLVMFuzzerTestOneInput(const char *x, long n) { return x == 0 && n < 0; }' |
      clang -fsanitize=fuzzer,address,undefined -x c - -o build/clang-probe 2> /dev/null
  status=$?
  rm -f build/clang-probe
  return $status
}

# The test looks at these.
python_has_sklearn () {
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import sklearn' 2> /dev/null && return
  done
  return 1
}

neon_runs () {
  mkdir -p build &&
    echo 'int main(void) { return 0; }' |
      aarch64-linux-gnu-gcc -fopenmp -static -x c - -o build/neon-probe 2> /dev/null &&
    qemu-aarch64 build/neon-probe 2> /dev/null
  status=$?
  rm -f build/neon-probe
  return $status
}

level_run () {
  need_command Rscript r-base-core
  need_command cc gcc libc6-dev
  need_command make make
  need_r MASS rpart
}

level_build () {
  level_run
  need_r knitr markdown
}

level_test () {
  level_run
  need_r codetools lintr spelling yaml `r_dependencies`
  need_command qpdf qpdf
  need_command c++ g++
  command -v valgrind > /dev/null 2>&1 || wish valgrind
  test -d /usr/lib/ccache || wish ccache
  command -v dot > /dev/null 2>&1 || wish graphviz
  command -v chromium > /dev/null 2>&1 || wish chromium
  command -v cppcheck > /dev/null 2>&1 || wish cppcheck
  command -v clang-tidy > /dev/null 2>&1 || wish clang-tidy
  python_has_sklearn || wish python3-sklearn
  clang_has_sanitizers || wish clang libomp-dev libclang-rt-dev
  neon_runs || wish gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
  command -v checkbashisms > /dev/null 2>&1 || test -x build/bin/checkbashisms || script=yes
}

level_cluster () {
  for command in munged slurmctld slurmd sbatch; do
    test -x /usr/sbin/$command || command -v $command > /dev/null 2>&1 || wish slurm-wlm munge
  done
  if ! Rscript --vanilla -e 'quit(status = !nzchar(system.file(package = "future.batchtools")))' \
    2> /dev/null; then wish r-cran-future.batchtools; fi
}

level_doc () {
  level_run
  need_r roxygen2
}

level_site () {
  level_run
  need_r pkgdown `r_dependencies`
  need_command pandoc pandoc
}

for level in ${*:-run}; do
  case $level in
    run|test|cluster|doc|site) level_$level ;;
    *) echo "setup: no such level: $level (run, test, cluster, doc, site)" >&2; exit 2 ;;
  esac
done
if test -z "$packages$wishes" && test $script = no; then exit 0; fi

# ---- install ----

left_out () { test -z "$wishes" || echo "setup: some tests will be left out without:$wishes" >&2; }

# cannot WHY: ends with what has to be installed by hand.
cannot () {
  echo "setup: $1" >&2
  test -z "$packages" || echo "setup: please install, under these or similar names:$packages" >&2
  test $script = no || echo "setup: please install checkbashisms (in Debian's devscripts)" >&2
  left_out
  exit 1
}

# as_root COMMAND...
as_root () {
  if test "`id -u`" = 0; then "$@"; else sudo "$@"; fi
}
may_be_root () {
  test "`id -u`" = 0 || { command -v sudo > /dev/null 2>&1 &&
    { sudo -n true 2> /dev/null || test -t 0; }; }
}
install_packages () {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
    > /dev/null
}

if ! command -v apt-get > /dev/null 2>&1; then
  if test -n "$packages" || test $script = yes; then
    cannot "this is not Debian or Ubuntu, so nothing was installed."
  fi
  left_out
elif test -z "$packages$wishes"; then
  :
elif may_be_root; then
  echo "setup: installing$packages$wishes"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq || cannot "apt-get update failed."
  test -z "$packages" || install_packages $packages || cannot "apt-get install failed."
  packages=
  for p in $wishes; do
    # not every release has each by this name
    if ! apt-cache show "$p" > /dev/null 2>&1; then continue; fi
    install_packages "$p" || echo "setup: $p cannot be installed; some tests will be left out" >&2
  done
  wishes=
elif test -n "$packages"; then
  cannot "neither root nor sudo, so nothing was installed."
else
  left_out
fi

if test $script = yes; then
  echo "setup: unpacking checkbashisms into build/bin"
  mkdir -p build/bin build/deb &&
    (cd build/deb && apt-get download -qq devscripts 2> /dev/null) &&
    dpkg-deb --fsys-tarfile build/deb/devscripts_*.deb |
      tar -xO ./usr/bin/checkbashisms > build/bin/checkbashisms &&
    chmod +x build/bin/checkbashisms ||
      { rm -f build/bin/checkbashisms; cannot "apt-get download devscripts failed."; }
  rm -rf build/deb
fi
