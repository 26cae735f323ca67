#!/bin/sh
# CUDA's driver and NVRTC on the CPU as libraries that are called like NVIDIA's: who has opened them
# finds them by these names, as does who has DIR in LD_LIBRARY_PATH.
#
#   sh stand_ins.sh DIR    builds DIR/libcuda.so.1 and DIR/libnvrtc.so; needs a C++ compiler
here=`cd "\`dirname "$0"\`" && pwd`
dir=`cd "$1" && pwd` || exit 1
cxx="${CXX:-c++} -std=gnu++17 -O1 -fPIC -shared -I$here"
$cxx -include cuda_runtime.h "$here/cuda_on_cpu.cpp" "$here/driver.cpp" -Wl,-soname,libcuda.so.1 \
  -o "$dir/libcuda.so.1" -ldl || exit 1
$cxx "-DCUDA_ON_CPU_FOLDER=\"$here\"" "-DCUDA_ON_CPU_DRIVER=\"$dir/libcuda.so.1\"" \
  "$here/nvrtc.cpp" -Wl,-soname,libnvrtc.so -o "$dir/libnvrtc.so"
