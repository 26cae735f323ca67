#!/bin/sh
# Installs the package from this folder: sh tools/install.sh [LIBRARY]
#
# Without LIBRARY into R's first library if one may write there, else into one's own, which is made
# if need be.
cd "`dirname "$0"`/.." || exit 1
lib=$1
if test -z "$lib"; then
  lib=`Rscript --no-save -e 'lib <- .libPaths()[1]
    if (file.access(lib, 2) != 0) {
      lib <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]
    }
    cat(path.expand(lib))'` || exit 1
fi
mkdir -p "$lib" build || exit 1
echo "Installing contree into $lib"
if R CMD INSTALL --no-multiarch --library="$lib" . > build/install.log 2>&1; then
  grep '^configure: ' build/install.log
else
  cat build/install.log >&2
  exit 1
fi
