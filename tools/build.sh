#!/bin/sh
# Builds the source package and prints the tarball's path.
#
# It is built from a copy of what git knows or would add: R CMD build copies a folder whole before
# it drops what .Rbuildignore names, virtual environments and all. Where there is no git, the folder
# itself has to do.
cd "`dirname "$0"`/.." || exit 1
rm -rf build/tree build/contree_*.tar.gz
mkdir -p build/tree/contree || exit 1
if git rev-parse --git-dir > /dev/null 2>&1; then
  git ls-files -co --exclude-standard | while read -r f; do
    test ! -f "$f" || echo "$f"; done | tar cf - -T - |
    (cd build/tree/contree && tar xf -) || exit 1
  tree=tree/contree
else
  tree=..
fi
(cd build && CONTREE_CUDA=no R CMD build "$tree" > build.log 2>&1) ||
  { cat build/build.log >&2; exit 1; }
rm -rf build/tree
echo build/contree_*.tar.gz
