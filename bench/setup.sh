#!/bin/sh
# What the benchmarks need: contree in build/lib, and the peers, pinned, in a virtual environment of
# Python.
#
#   sh bench/setup.sh [VENV]           the environment's folder; build/bench-venv without
#
# A peer that cannot be installed is left out, with a line that says so; the benchmarks then run
# without it.
cd "`dirname "$0"`/.." || exit 1
venv=${1:-build/bench-venv}
peers="pycontree==1.0.8 pystreed==1.4.0"

sh tools/install.sh build/lib || exit 1

left_out () { echo "bench: $1; left out: $2"; }

if ! test -x "$venv/bin/python"; then
  mkdir -p build
  if ! python3 -m venv "$venv" > build/bench-venv.log 2>&1; then
    rm -rf "$venv"
    left_out "python3 -m venv does not work here (see build/bench-venv.log)" "$peers"
    exit 0
  fi
fi

for peer in $peers; do
  module=${peer%%=*}
  # the version too: an environment of an older checkout is brought up to date
  if "$venv/bin/python" -c "import $module
from importlib.metadata import version
assert version('$module') == '${peer##*=}'" 2> /dev/null; then continue; fi
  echo "bench: installing $peer"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "$peer" \
    >> build/bench-venv.log 2>&1 &&
    "$venv/bin/python" -c "import $module" >> build/bench-venv.log 2>&1 ||
    left_out "it cannot be installed (see build/bench-venv.log)" "$peer"
done
