"""The Python side: keeps a table in memory and times fits on request.

Commands come on standard input, one a line; each is answered by one line in the file named on the
command line, fields separated by tabs. The peers' own output goes elsewhere.
  load PATH                        CSV, class first                     ok
  pycontree DEPTH LIMIT            solver seconds, fit() seconds, errors, status, processor seconds
  pystreed_numbers FILE DEPTH LIMIT  processor time of fit(), squared error; responses in a file
  pystreed DEPTH THRESHOLDS LIMIT  fit() seconds, errors, status, number of binary features,
                                   processor seconds
  gosdt DEPTH PRICE LIMIT          processor seconds of fit(), objective in rows, status
  quit
"""
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def load(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    # as fit() wants them, so that it need not convert
    return np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(np.intc)


def errors(model, X, y):
    return int((np.asarray(model.predict(X)) != y).sum())


def pycontree(X, y, depth, limit):
    """fit() does not report the time of its compiled part, so that is wrapped in a clock."""
    import pycontree.base as base

    compiled = base.solve
    spent = []

    def solve(*arguments):
        start, start_cpu = time.perf_counter(), time.process_time()
        tree = compiled(*arguments)
        spent.append((time.perf_counter() - start, time.process_time() - start_cpu))
        return tree

    base.solve = solve
    try:
        model = base.ConTree(max_depth=int(depth), time_limit=float(limit))
        start = time.perf_counter()
        model.fit(X, y)
        whole = time.perf_counter() - start
    finally:
        base.solve = compiled
    status = "optimal" if model._config.is_within_time_limit() else "time limit"
    wall, cpu = spent[0]
    return wall, whole, errors(model, X, y), status, cpu


def pystreed(X, y, depth, thresholds, limit):
    from pystreed import STreeDClassifier

    model = STreeDClassifier("accuracy", max_depth=int(depth), time_limit=float(limit),
                             continuous_binarize_strategy="quantile", n_thresholds=int(thresholds))
    start, start_cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    whole, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    status = "optimal" if model.fit_result.is_optimal() else "time limit"
    return whole, errors(model, X, y), status, model.train_X_.shape[1], cpu


def pystreed_numbers(X, y, responses, depth, limit):
    """Columns of 0 and 1, leaves of any size."""
    import numpy
    from pystreed import STreeDRegressor

    z = numpy.loadtxt(responses)
    model = STreeDRegressor("regression", max_depth=int(depth), max_num_nodes=2 ** int(depth) - 1,
                            min_leaf_node_size=1, time_limit=float(limit), cost_complexity=0)
    start = time.process_time()
    model.fit(X.astype(numpy.intc), z)
    spent = time.process_time() - start
    off = z - numpy.asarray(model.predict(X.astype(numpy.intc)), dtype=float)
    return spent, off @ off


def gosdt(X, y, depth, price, limit):
    """Its depth counts the leaf, its tables are of 0 and 1."""
    from gosdt import GOSDTClassifier
    from pandas import DataFrame

    model = GOSDTClassifier(regularization=float(price), depth_budget=int(depth) + 1,
                            time_limit=int(limit), allow_small_reg=True)
    start = time.process_time()
    model.fit(DataFrame(X.astype(int)), y)
    spent = time.process_time() - start
    status = "optimal" if model.result_.status.name == "CONVERGED" else "time limit"
    return spent, model.result_.upperbound * len(y), status


def main():
    X = y = None
    fits = {"pycontree": pycontree, "pystreed": pystreed,
            "pystreed_numbers": pystreed_numbers, "gosdt": gosdt}
    with open(sys.argv[1], "w", buffering=1) as replies:
        for line in sys.stdin:
            command, *arguments = line.rstrip("\n").split("\t")
            if command == "quit":
                break
            if command == "load":
                X, y = load(*arguments)
                answer = ["ok"]
            else:
                answer = fits[command](X, y, *arguments)
            print(*answer, sep="\t", file=replies)


main()
