#!/bin/sh
# Builds a tarball with CUDA where nvcc is, and sees that the result loads and answers, with a
# device or without.
#
#   sh tools/test_cuda.sh TARBALL      ends with `CUDA build: N passed, N failed`
#   CUDA_TOOLKITS="/opt/cuda-11.8 /opt/cuda-12.4" sh tools/test_cuda.sh TARBALL
#                                      the same with each of these, after all their architectures
#                                      with warnings as errors
cd "`dirname "$0"`/.." || exit 1
tarball=$1
lib=build/lib-cuda
passed=0 failed=0
verdict () {
  if test $? -eq 0; then
    passed=`expr $passed + 1`
  else
    failed=`expr $failed + 1`
    echo "FAILED: $1"
  fi
}

nvcc=`command -v nvcc`
for d in "$CUDA_HOME" "$CUDA_PATH" "$CUDA_ROOT" /usr/local/cuda /opt/cuda; do
  test -n "$nvcc" || test ! -x "$d/bin/nvcc" || nvcc=$d/bin/nvcc
done
if test -z "$nvcc" && test -z "$CUDA_TOOLKITS"; then
  echo "not run: there is no nvcc on this machine"
  echo "CUDA build: 0 passed, 0 failed"
  exit 0
fi

# every_architecture DIR: all CUDA code for all that this toolkit knows from 7.0 on.
every_architecture () {
  gencode=
  for a in `"$1/bin/nvcc" --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$/\1/p'`; do
    test "$a" -lt 70 || gencode="$gencode -gencode arch=compute_$a,code=sm_$a"
  done
  host=`sed -n 's/^configure: CUDA: yes .*, with \(.*\))$/\1/p' build/test_cuda.log`
  for f in src/*/*.cu src/*/*/*.cu; do
    test -f "$f" || continue
    "$1/bin/nvcc" ${host:+-ccbin $host} -O2 -Xcompiler -Wall,-Wextra -Werror all-warnings $gencode \
      -Isrc -c $f -o build/cuda.o
    verdict "$f, without a warning:$gencode"
  done
}

# install_with WHICH: yes or a toolkit's folder
install_with () {
  rm -rf "$lib"
  mkdir -p "$lib"
  CONTREE_CUDA=$1 R CMD INSTALL --no-multiarch --library="$lib" "$tarball" \
    > build/test_cuda.log 2>&1
  verdict "R CMD INSTALL with CONTREE_CUDA=$1"
  cat build/test_cuda.log
  rm -rf "$lib/contree/doc"
  size=`du -sk "$lib/contree" | cut -f 1`
  test "$size" -lt 5120
  verdict "the package installed with CUDA is under 5 MB, vignettes apart: $size kB"
}

# Drivers that fail, each in its way.
fake=build/fake-driver
mkdir -p $fake
driver () { # CUDA_VERSION INIT REASON
  cc -shared -fPIC -DVERSION="$1" -DINIT="$2" -o $fake/libcuda.so.1 tools/fake_driver.c &&
    R_LIBS=$lib LD_LIBRARY_PATH=$fake:$LD_LIBRARY_PATH Rscript --vanilla -e '
      gpu <- contree::contree_gpu()
      cat("driver that fails:", gpu$reason, "\n")
      stopifnot(gpu$built, !gpu$available, grepl(commandArgs(TRUE), gpu$reason, fixed = TRUE))' "$3"
  verdict "contree_gpu() with a driver that fails: $3"
}

# What was installed loads and answers.
try_it () {
  so=$lib/contree/libs/contree.so
  if command -v nm > /dev/null 2>&1; then
    test "`nm -D --defined-only "$so" | sed 's/.* //'`" = R_init_contree
    verdict "the library exports its init function alone, nothing of the CUDA runtime"
  fi
  if command -v readelf > /dev/null 2>&1; then
    test -z "`readelf -d "$so" | grep NEEDED | grep -i cuda`"
    verdict "the library needs no CUDA library to load"
  fi

  R_LIBS=$lib Rscript --vanilla -e '
    library(contree)
    gpu <- contree_gpu()
    print(gpu)
    stopifnot(gpu$built, gpu$available == !is.na(gpu$device), gpu$available == !nzchar(gpu$reason))'
  verdict "contree_gpu() of a build with CUDA"

  driver 99000 100 "no CUDA device"
  driver 10000 0   "too old: it is for CUDA 10.0"
  driver 0     999 "too old"
  driver 99000 999 "CUDA: "

  if ls tests/testthat/test-util-device.R > /dev/null 2>&1; then
    Rscript --vanilla tools/test_r.R "$lib" '^util-device$' > build/test_cuda_r.log 2>&1
    verdict "tests/testthat/test-util-device.R with the CUDA build"
    cat build/test_cuda_r.log
  fi
}

# Schedules as CUDA text, for those devices from 7.5 to 12.0 that this nvcc knows.
kept_texts () { # NVCC
  codes=`"$1" --list-gpu-code | awk '/^sm_(75|80|86|89|90|100|120)$/ { all = all "," $1 }
    END { print substr(all, 2) }'`
  make -s -C tests/c texts > /dev/null
  "$1" -Xcompiler -Wall,-Wextra -Werror all-warnings -gencode "arch=compute_75,code=[$codes]" \
    -x cu -c tests/c/build/default/texts.cu -o build/cuda.o
  verdict "schedules as CUDA text, without a warning: $codes"
}

# What the kernels take is not more than recorded, and would be noticed if it were.
kernel_figures () { # NVCC
  sh tools/kernel_figures.sh "$1" > build/kernel_figures.log
  verdict "registers, stack, spills and shared memory of the kernels"
  cat build/kernel_figures.log
  sed '/^kernel_scan<2> sm_90/s/ [0-9]* \([0-9]*\)$/ 4 \1/' build/kernel_figures.txt \
    > build/kernel_figures.worse
  if grep -q 'not compared' build/kernel_figures.log; then return; fi
  ! MADE=build/kernel_figures.worse sh tools/kernel_figures.sh > /dev/null
  verdict "a kernel that spills is noticed"
}

for toolkit in ${CUDA_TOOLKITS:-yes}; do
  install_with "$toolkit"
  test "$toolkit" = yes || every_architecture "$toolkit"
  test "$toolkit" = yes || nvcc=$toolkit/bin/nvcc
  kept_texts "$nvcc"
  kernel_figures "$nvcc"
  try_it
done

echo "CUDA build: $passed passed, $failed failed"
test $failed -eq 0
