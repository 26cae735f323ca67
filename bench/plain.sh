#!/bin/sh
# Installs contree built without OpenMP into a library: sh bench/plain.sh LIBRARY
#
# From a copy of the sources, so that the objects of the other build stay.
cd "`dirname "$0"`/.." || exit 1
mkdir -p "$1" build/plain || exit 1
rm -rf build/plain/*
cp -R DESCRIPTION NAMESPACE R src configure cleanup inst build/plain/ 2> /dev/null
find build/plain -name '*.o' -o -name '*.so' | xargs rm -f
CONTREE_OPENMP=no CONTREE_CUDA=no R CMD INSTALL --no-multiarch --no-docs --library="$1" \
  build/plain > build/plain.log 2>&1
