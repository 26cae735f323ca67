"""The Python side: keeps a table in memory and times fits on request.

Commands come on standard input, one a line; each is answered by one line in the file named on the
command line, fields separated by tabs. The peers' own output goes elsewhere.
  load PATH                        CSV, class first                     ok
  pycontree DEPTH LIMIT            solver seconds, fit() seconds, errors, status, processor seconds
  pystreed_numbers FILE DEPTH LIMIT  processor time of fit(), squared error; responses in a file
  pystreed DEPTH THRESHOLDS LIMIT  fit() seconds, errors, status, number of binary features,
                                   processor seconds
  gosdt DEPTH PRICE LIMIT          processor seconds of fit(), objective in rows, status
  arborenum DEPTH PRICE WITHIN     processor seconds of fit and count, least objective in rows, with
  praxis DEPTH PRICE WITHIN        the price of leaves, trees, trees with majority labels alone
  treefarms DEPTH PRICE WITHIN     processor seconds of fit, -1, trees, -1
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


def fastest(ask, most=5, seconds=2):
    """The answer, and the processor seconds of the fastest of some calls."""
    spent = []
    while not spent or (len(spent) < most and sum(spent) < seconds):
        start = time.process_time()
        answer = ask()
        spent.append(time.process_time() - start)
    return min(spent), answer


def counted(model, fit, X, y, depth, price, within, **settings):
    """With a look ahead of all levels but one the sets are complete."""
    def ask(majority):
        one = model()
        getattr(one, fit)(X, y, lambda_reg=float(price), depth_budget=int(depth),
                          rashomon_mult=float(within), lookahead_k=int(depth) - 1,
                          majority_leaf_only=majority, **settings)
        return one, one.count_trees()

    y = y.astype(int)
    cpu, (one, trees) = fastest(lambda: ask(False))
    if cpu < .05:
        start = time.process_time()
        for _ in range(50):
            ask(False)
        cpu = (time.process_time() - start) / 50
    return cpu, one.get_min_objective(), trees, ask(True)[1]


def arborenum(X, y, *asked):
    from arborenum import ArborEnum

    return counted(ArborEnum, "fit_binarized", X.astype(np.uint8), y, *asked)


def arborenum_continuous(X, y, *asked):
    from arborenum import ArborEnum

    return counted(ArborEnum, "fit", X, y, *asked, proxy_mode="continuous")


def praxis(X, y, *asked):
    from praxis import PRAXIS

    return counted(PRAXIS, "fit", X.astype(np.uint8), y, *asked)


def treefarms(X, y, depth, price, within):
    """Its depth counts the leaf."""
    from pandas import DataFrame, Series
    from treefarms import TREEFARMS

    model = TREEFARMS({"regularization": float(price), "depth_budget": int(depth) + 1,
                       "rashomon_bound_multiplier": float(within), "rashomon_trie": "",
                       "verbose": False})
    start = time.process_time()
    model.fit(DataFrame(X.astype(int)), Series(y, name="class"))
    spent = time.process_time() - start
    trees = model.get_tree_count()
    return spent, -1, trees, -1


def main():
    X = y = None
    fits = {"pycontree": pycontree, "pystreed": pystreed, "pystreed_numbers": pystreed_numbers,
            "gosdt": gosdt, "arborenum": arborenum, "arborenum continuous": arborenum_continuous,
            "praxis": praxis, "treefarms": treefarms}
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
