"""Scores a table in DuckDB by an SQL expression: duckdb_score.py FOLDER

FOLDER has `columns`, lines of name<tab>type, number or text; the values of the i-th column in `i`,
doubles of 8 bytes, or lines (empty: missing); and the `expression`. Writes `answer`, doubles or
lines, and prints the version and the seconds of CREATE TABLE ... AS SELECT (median of three).
"""
import statistics
import sys
import time

import duckdb
import numpy

folder = sys.argv[1]
con = duckdb.connect()
con.execute("SET threads = 1")
columns, made = {}, []
for i, line in enumerate(open(folder + "/columns")):
    name, kind = line.rstrip("\n").split("\t")
    path = f"{folder}/{i + 1}"
    if kind == "number":
        columns[f"c{i}"] = numpy.fromfile(path)
        made.append(f"CASE WHEN isnan(c{i}) THEN NULL ELSE c{i} END AS \"{name}\"")
    else:
        columns[f"c{i}"] = numpy.array(open(path).read().split("\n")[:-1], dtype=object)
        made.append(f"nullif(c{i}, '') AS \"{name}\"")
con.execute(f"CREATE TABLE x AS SELECT {', '.join(made)} FROM columns")
expression = open(folder + "/expression").read()
seconds = []
for _ in range(3):
    con.execute("DROP TABLE IF EXISTS scored")
    begin = time.time()
    con.execute(f"CREATE TABLE scored AS SELECT {expression} AS prediction FROM x")
    seconds.append(time.time() - begin)
answer = con.execute("SELECT prediction FROM scored").fetchnumpy()["prediction"]
if answer.dtype.kind == "f":
    numpy.asarray(answer, dtype=numpy.float64).tofile(folder + "/answer")
else:
    open(folder + "/answer", "w").write("".join(str(value) + "\n" for value in answer))
print(duckdb.__version__, statistics.median(seconds), sep=";")
