#!/bin/sh
# Installs the package from this folder, without its vignettes, or from a tarball, with them:
# sh tools/install.sh [LIBRARY [TARBALL]]
#
# Without LIBRARY, or if it is "", into R's first library if one may write there, else into one's
# own, which is made if need be.
cd "`dirname "$0"`/.." || exit 1
lib=$1
from=${2:-.}
if test -z "$lib"; then
  lib=`Rscript --no-save -e 'lib <- .libPaths()[1]
    if (file.access(lib, 2) != 0) {
      lib <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]
    }
    cat(path.expand(lib))'` || exit 1
fi
mkdir -p "$lib" build || exit 1
# Files are compiled side by side.
case " $MAKEFLAGS" in
  *" -j"*) ;;
  *)
    MAKEFLAGS="$MAKEFLAGS -j`getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1`"
    export MAKEFLAGS ;;
esac
echo "Installing contree into $lib"
# What configure found is shown at once, and how many files are compiled: on a terminal as it goes.
show='
  /^configure: / { print; fflush() }
  / -c .*[.]cu? / { n++ }
  / -c .*[.]cu? / && terminal { printf "\r%d of about %d files compiled ", n, total; fflush() }
  END { if (n) printf "%s%d files compiled\n", terminal ? "\r" : "", n }'
total=`find src -name '*.c' | wc -l`
terminal=0
if test -t 1; then terminal=1; fi
{
  R CMD INSTALL --no-multiarch --library="$lib" "$from" 2>&1
  echo $? > build/install.status
} | tee build/install.log | awk -v total="$total" -v terminal=$terminal "$show"
if test "`cat build/install.status`" != 0; then
  cat build/install.log >&2
  exit 1
fi
