#!/bin/sh
# What configure decides, on machines that are not there: compilers without OpenMP, broken or odd
# nvcc, none at all.
#
# The machines are made of small scripts that stand for cc, nvcc and uname. Nothing is compiled but
# configure's own probes. Ends with `configure: N passed, N failed`.
top=`cd "\`dirname "$0"\`/.." && pwd`
stage=`mktemp -d`
trap 'rm -rf "$stage"' EXIT
tree=$stage/contree
mkdir "$tree"
(cd "$top" && tar cf - configure configure.win cleanup .Rbuildignore DESCRIPTION NAMESPACE R src) |
  (cd "$tree" && tar xf -)
cd "$tree" || exit 1
./cleanup
find . | sort > "$stage/pristine"

# The surroundings are the tests' business alone.
unset CONTREE_CUDA CONTREE_CUDA_ARCHS CONTREE_DEBUG_INFO CONTREE_OPENMP CUDA_HOME CUDA_PATH \
  CUDA_ROOT NVCC_CCBIN

passed=0 failed=0 name=
verdict () {
  if test "$1" -eq 0; then
    passed=`expr $passed + 1`
  else
    failed=`expr $failed + 1`
    echo "  FAILED: $name: $2"
    sed 's/^/    | /' "$stage/out"
  fi
}

# run NAME COMMAND...: a new case. Its output and exit status are kept for the lines below.
run () { name=$1; shift; "$@" > "$stage/out" 2>&1; status=$?; }
exits () { test $status -eq "$1"; verdict $? "exit status $status, not $1"; }
says () { grep -qF -- "$1" "$stage/out"; verdict $? "does not say '$1'"; }
writes () { grep -qF -- "$1" src/Makevars; verdict $? "src/Makevars lacks '$1'"; }
writes_no () { if grep -qF -- "$1" src/Makevars; then
  false; fi; verdict $? "src/Makevars has '$1'"; }
cpu_build () {
  exits 0; writes gpu/device_stub.o; writes_no gpu/device.o; writes offload/kernels_stub.o
  writes_no offload/kernels.o
  writes_no nvcc; writes_no cudart
}

# ---- toolkits ----

# toolkit NAME: an nvcc whose body is read from stdin; $out is what follows -o.
toolkit () {
  mkdir -p "$stage/$1/bin"
  { echo '#!/bin/sh'
    echo 'out= prev='
    echo 'for a; do test "$prev" = -o && out=$a; prev=$a; done'
    echo 'case " $* " in *" --version "*) echo "nvcc of the tests"; exit 0 ;; esac'
    cat; } > "$stage/$1/bin/nvcc"
  chmod +x "$stage/$1/bin/nvcc"
}
lists='case " $* " in *" --list-gpu-code "*) for a in $codes; do echo sm_$a; done; exit 0 ;; esac'

toolkit broken <<EOF
codes="75 80 90"; $lists
echo "unsupported host compiler"; exit 1
EOF
toolkit old <<EOF
codes="35 50 61"; $lists
exit 0
EOF
# Takes no compiler but one, as each nvcc refuses compilers that are newer than itself.
toolkit choosy <<EOF
codes="75 80 90"; $lists
case " \$* " in *" --dryrun "*) echo '#\$ LIBRARIES=  "-L$stage/good/lib"' >&2; exit 0 ;; esac
case " \$* " in *" -ccbin g++-9 "*) ;; *)
  echo 'x.h:1:2: error: #error -- unsupported GNU version! gcc versions later than 9 are not' \
    'supported! The flag' >&2
  exit 1 ;;
esac
echo 'int runtime(void); int probe_cuda(void) { return runtime(); }' | cc -fPIC -x c -c - -o "\$out"
EOF
mkdir "$stage/compilers"
printf '#!/bin/sh\n' > "$stage/compilers/g++-9"
chmod +x "$stage/compilers/g++-9"
toolkit mute <<EOF
exit 1
EOF
toolkit noruntime <<EOF
codes="75 80 90"; $lists
case " \$* " in *" --dryrun "*) echo '#\$ LIBRARIES=  "-L$stage/nowhere"' >&2; exit 0 ;; esac
echo 'int absent(void); int probe_cuda(void) { return absent(); }' | cc -fPIC -x c -c - -o "\$out"
EOF
toolkit good <<EOF
codes="70 75 80 86 89 90 90a 100 103 120"; $lists
case " \$* " in *" --dryrun "*) echo '#\$ LIBRARIES=  "-L$stage/good/lib"' >&2; exit 0 ;; esac
echo 'int runtime(void); int probe_cuda(void) { return runtime(); }' | cc -fPIC -x c -c - -o "\$out"
EOF
toolkit crash <<EOF
codes="75"; $lists
case " \$* " in *" --dryrun "*) echo '#\$ LIBRARIES=  "-L$stage/good/lib"' >&2; exit 0 ;; esac
echo 'int runtime(void); int probe_cuda(void) { return 1 + runtime(); }' |
  cc -fPIC -x c -c - -o "\$out"
EOF
# Drivers: none of this machine is asked.
driver () { mkdir "$stage/$1"; { echo '#!/bin/sh'; cat; } > "$stage/$1/nvidia-smi"
  chmod +x "$stage/$1/nvidia-smi"; }
echo 'printf "9.0\n 8.0\n9.0\n6.1\n99.9\n"' | driver cards
echo 'echo "NVIDIA-SMI has failed because there is no driver 9.0"; exit 9' | driver no_cards
PATH=$stage/no_cards:$PATH
mkdir "$stage/good/lib"
echo 'int runtime(void) { return 0; }' | cc -fPIC -x c -c - -o "$stage/runtime.o" &&
  ar rc "$stage/good/lib/libcudart_static.a" "$stage/runtime.o"

# ---- CUDA ----

run "CONTREE_CUDA=no" env CONTREE_CUDA=no ./configure
cpu_build; says "CUDA: no - turned off"

run "--without-cuda beats the environment" env CONTREE_CUDA=yes ./configure --without-cuda
cpu_build; says "turned off"

run "CONTREE_CUDA=DIR without nvcc" env CONTREE_CUDA="$stage/nowhere" ./configure
exits 1; says "there is no nvcc in $stage/nowhere"

run "--with-cuda=DIR without nvcc" ./configure "--with-cuda=$stage/nowhere"
exits 1; says "there is no nvcc in $stage/nowhere"

run "an nvcc that fails, auto" env CUDA_HOME="$stage/broken" ./configure
cpu_build; says "does not compile a small kernel"

run "an nvcc that fails, asked for" env CUDA_HOME="$stage/broken" ./configure --with-cuda
exits 1; says "does not compile a small kernel"; says "unsupported host compiler"

run "an nvcc that is too old" env CUDA_HOME="$stage/old" ./configure
cpu_build; says "no architecture from 7.0 on (it knows 35 50 61)"

run "an nvcc that answers nothing" env CUDA_HOME="$stage/mute" ./configure
cpu_build; says "(it knows none)"

run "an nvcc that takes one C++ compiler alone" env PATH="$stage/compilers:$PATH" \
  CUDA_HOME="$stage/choosy" ./configure
exits 0; says "PTX for 75, with g++-9)"; writes "-ccbin g++-9"

run "that compiler by name" env PATH="$stage/compilers:$PATH" NVCC_CCBIN=g++-9 \
  CUDA_HOME="$stage/choosy" ./configure
exits 0; writes "-ccbin g++-9"

run "another compiler by name" env PATH="$stage/compilers:$PATH" NVCC_CCBIN=g++ \
  CUDA_HOME="$stage/choosy" ./configure --with-cuda
exits 1
says "(unsupported GNU version! gcc versions later than 9 are not supported; NVCC_CCBIN names"

run "no static runtime" env CUDA_HOME="$stage/noruntime" ./configure
cpu_build; says "does not link and run"

run "a program that does not run" env CUDA_HOME="$stage/crash" ./configure
cpu_build; says "does not link and run"

run "a toolkit that works" env CUDA_PATH="$stage/good" ./configure
exits 0; says "CUDA: yes ($stage/good/bin/nvcc, PTX for 70"
writes gpu/device.o; writes_no _stub; writes "gpu/device.o: gpu/device.cu"; writes -lcudart_static
writes "exact/offload/kernels.o: exact/offload/kernels.cu"; writes gpu/kernel.cuh
writes "code=compute_70 "; writes_no code=sm_; writes_no code=compute_80

run "the cards of this machine" env PATH="$stage/cards:$PATH" CUDA_PATH="$stage/good" ./configure
exits 0; says "code for 80 90, PTX for 70"; writes "code=sm_80 "; writes "code=sm_90 "
writes "code=compute_70 "; writes_no code=sm_70; writes_no code=sm_61; writes_no code=sm_999

run "nvcc on PATH" env PATH="$stage/good/bin:$PATH" ./configure
exits 0; says "CUDA: yes ($stage/good/bin/nvcc"

run "CONTREE_CUDA=nvcc itself" env CONTREE_CUDA="$stage/good/bin/nvcc" ./configure
exits 0; says "CUDA: yes ($stage/good/bin/nvcc"

run "architectures by wish" env CONTREE_CUDA_ARCHS="90,89" ./configure "--with-cuda=$stage/good"
exits 0; says "code for 89 90, PTX for 89"; writes "code=sm_89 "; writes "code=sm_90 "
writes "code=compute_89 "; writes_no compute_70; writes_no sm_80

run "an architecture that nvcc does not know" env CONTREE_CUDA_ARCHS="90 130" ./configure \
  "--with-cuda=$stage/good"
exits 1; says "does not build for architecture 130"

# ---- OpenMP ----

export CONTREE_CUDA=no

run "CONTREE_OPENMP=no" env CONTREE_OPENMP=no ./configure
exits 0; says "OpenMP: no - turned off"; writes_no OPENMP

# A compiler that refuses the flag, as Apple's does, and one to which R passes no flag at all.
cat > "$stage/cc" <<'EOF'
#!/bin/sh
case " $* " in *" -fopenmp "*) echo "unsupported option '-fopenmp'" >&2; exit 1 ;; esac
exec cc "$@"
EOF
chmod +x "$stage/cc"
echo "CC = $stage/cc" > "$stage/refuses.mk"
echo "SHLIB_OPENMP_CFLAGS =" > "$stage/ignores.mk"
mkdir "$stage/bin"
printf '#!/bin/sh\necho Darwin\n' > "$stage/bin/uname"
chmod +x "$stage/bin/uname"

for kind in refuses ignores; do
  run "a compiler that $kind OpenMP" env R_MAKEVARS_USER="$stage/$kind.mk" ./configure
  cpu_build; says "OpenMP: no - a small program"; writes_no OPENMP
  run "a compiler that $kind OpenMP, asked for" env R_MAKEVARS_USER="$stage/$kind.mk" ./configure \
    --with-openmp
  exits 1; says "error: OpenMP was asked for"
done

run "macOS without OpenMP" env PATH="$stage/bin:$PATH" R_MAKEVARS_USER="$stage/refuses.mk" \
  ./configure
cpu_build; says "OpenMP: no - a small program"; writes_no openmp

# ---- debugging information ----

run "debugging information, by default" ./configure
cpu_build; writes "PKG_LIBS = -Wl,-S,-x"; writes "-fno-asynchronous-unwind-tables"

run "debugging information, asked for" ./configure --with-debug-info
cpu_build; writes_no "-Wl,-S,-x"; writes_no unwind

run "... by the environment" env CONTREE_DEBUG_INFO=yes ./configure
cpu_build; writes_no "-Wl,-S,-x"

# A compiler and linker that know no such options.
cat > "$stage/cc" <<'EOF'
#!/bin/sh
case " $* " in *" -Wl,-S,-x "*|*unwind*) echo "unknown option" >&2; exit 1 ;; esac
exec cc "$@"
EOF
run "a compiler that keeps it" env R_MAKEVARS_USER="$stage/refuses.mk" ./configure
cpu_build; writes_no "-Wl,-S,-x"; writes_no unwind

# ---- Windows ----

rm -f src/Makevars
run "configure.win" sh ./configure.win
mv src/Makevars.win src/Makevars
cpu_build; writes 'SHLIB_OPENMP_CFLAGS'; writes "Makevars.win"; writes_no "-Wl,-S,-x"
writes_no unwind

# ---- other shells, other makes, what is left behind ----

for sh in dash "bash --posix" "busybox sh" ksh yash; do
  command -v ${sh%% *} > /dev/null 2>&1 || continue
  run "in $sh" $sh ./configure
  cpu_build
done

run "every C file is compiled" ./configure
for c in src/*.c src/*/*.c src/*/*/*.c; do
  o=${c#src/}; writes " ${o%.c}.o"
done

run "the same answers leave the file alone" sh -c 'touch -t 200001010000 src/Makevars; ./configure'
test -n "`find src/Makevars ! -newer configure`"; verdict $? "src/Makevars was written anew"
run "other answers do not" sh -c 'touch -t 200001010000 src/Makevars; ./configure --without-openmp'
test -n "`find src/Makevars -newer configure`"; verdict $? "src/Makevars was not written anew"

touch src/base/stale.o src/exact/search/stale.o src/stale.so
for round in 1 2; do
  run "R CMD build, round $round" R CMD build --no-build-vignettes .
  exits 0
  if tar tzf contree_*.tar.gz |
    grep -E 'Makevars$|Makevars.win$|\.o$|\.so$|config\.log|conftest'; then false; fi
  verdict $? "generated files are in the tarball"
done
rm -f contree_*.tar.gz

run "cleanup" ./cleanup
find . | sort > "$stage/after"
diff "$stage/pristine" "$stage/after" > "$stage/out"
verdict $? "files are left behind"

if command -v checkbashisms > /dev/null 2>&1; then
  run "configure and cleanup are POSIX sh" checkbashisms -p configure configure.win cleanup
  exits 0
else
  echo "not run: checkbashisms is missing"
fi

echo "configure: $passed passed, $failed failed"
test $failed -eq 0
