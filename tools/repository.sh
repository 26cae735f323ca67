#!/bin/sh
# Makes a repository of R packages with this one in it, for any server of static files:
# sh tools/repository.sh TARBALL
#
# The folder is build/repository; build/site, if `make site` has made it, becomes its web site.
cd "`dirname "$0"`/.." || exit 1
tarball=$1
test -f "$tarball" || { echo "usage: sh tools/repository.sh TARBALL" >&2; exit 2; }
contrib=build/repository/src/contrib
rm -rf build/repository
mkdir -p $contrib && cp "$tarball" $contrib || exit 1
Rscript --vanilla -e 'n <- tools::write_PACKAGES(commandArgs(TRUE), type = "source")' \
  -e 'stopifnot(n == 1)' $contrib || exit 1
if test -d build/site; then cp -R build/site/. build/repository; fi
echo "install.packages(\"contree\", repos = \"file://`pwd`/build/repository\")"
