#!/bin/sh
# What nvcc makes of each kernel, and of texts of schedules (`make texts` in tests/c): registers of
# a thread, bytes of its stack, bytes spilled, shared memory that the text declares.
# None may be more than is recorded in tests/c/kernel_figures.txt.
#
#   sh tools/kernel_figures.sh [NVCC]         ends with `kernels: N passed, N failed`
#   KEEP=1 sh tools/kernel_figures.sh [NVCC]  records them anew
#   MADE=FILE sh tools/kernel_figures.sh      compares a file of figures instead of compiling
#
# A compiler of another release than the recorded one may choose otherwise: then the figures are
# shown, and not compared.
cd "`dirname "$0"`/.." || exit 1
nvcc=${1:-nvcc}
recorded=tests/c/kernel_figures.txt made=build/kernel_figures.txt
mkdir -p build

# figures NVCC: a line a kernel and architecture, kernels by name.
figures () {
  for arch in 80 90 120; do
    for f in `grep -l "_ON_CUDA\|__global__" src/*/*.cu src/*/*/*.cu` tests/c/build/default/texts.cu
      do
        case $f in *texts.cu) text="-x cu --fmad=false" ;; *) text= ;; esac
        "$1" -O2 -Isrc -arch=sm_$arch -cubin -Xptxas -v -o build/kernel_figures.cubin $text "$f" \
          2>&1 || echo "cannot compile $f"
      done | tr -d "'" | c++filt | awk -v arch=sm_$arch '
        function before(word,    i) { # the number before WORD in this line
          for (i = 2; i <= NF; i++) if ($i ~ "^" word) return $(i - 1)
          return 0
        }
        /cannot compile/ { print }
        /Compiling entry function/ {
          match($0, /kernel_[A-Za-z_]+(<[0-9]+>)?|[a-z]+_(begin|nest|end)/)
          name = substr($0, RSTART, RLENGTH) }
        /bytes stack frame/ {
          stack = before("bytes")
          spilled = $0
          sub(/.*frame, /, "", spilled); split(spilled, words, " ")
          spills = words[1] + words[5]
        }
        /Used [0-9]+ registers/ {
          shared = 0
          for (i = 2; i < NF; i++) if ($i == "bytes" && $(i + 1) ~ /^smem/) shared = $(i - 1)
          print name, arch, before("registers"), stack, spills, shared
        }'
  done
}

release=`"$nvcc" --version 2> /dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'`
if test -n "$MADE"; then
  made=$MADE release=`sed -n 's/^# nvcc //p' "$MADE"`
else
  make -s -C tests/c texts > /dev/null || exit 1
  { echo "# nvcc $release"
    echo "# kernel, architecture, registers, bytes of stack, spilled, of declared shared memory"
    figures "$nvcc"; } > $made
fi
if test -n "$KEEP"; then cp $made $recorded; fi

awk -v release="$release" '
  FNR == NR { if ($2 == "nvcc") was = $3; else if (!/^#/) limit[$1 " " $2] = $0; next }
  /^#/ { next }
  NF != 6 { print "FAILED: " $0; failed++; next }
  {
    of = $1 " " $2
    if (was != release) { print "not compared, as by nvcc " was ": " $0; next }
    split(limit[of], most, " ")
    worse = !(of in limit)
    for (i = 3; i <= 6; i++) worse += $i + 0 > most[i] + 0
    if (worse) print "FAILED: " $0 "; recorded: " (of in limit ? limit[of] : "nothing")
    if (worse) failed++; else passed++
    seen[of] = 1
  }
  END {
    for (of in limit) if (was == release && !(of in seen)) {
      print "FAILED: " of " is recorded, but there is no such kernel"
      failed++
    }
    print "kernels: " passed + 0 " passed, " failed + 0 " failed"
    exit failed > 0
  }' $recorded $made
