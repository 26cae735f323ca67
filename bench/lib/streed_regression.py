"""The optimal regression tree of STreeD on all thresholds of a table.

    python streed_regression.py TABLE DEPTH LIMIT

TABLE is a CSV without a header, the response first. The features are `column <= value` for each
value that rows have but the largest, made here, so that nothing is binned. Prints seconds of fit(),
R squared on the table, and 1 if fit() ended before the limit.
"""
import sys
import time
import warnings

import numpy as np
from pystreed import STreeDRegressor

warnings.filterwarnings("ignore")
path, depth, limit = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
table = np.loadtxt(path, delimiter=",", ndmin=2)
y, X = table[:, 0], table[:, 1:]
features = np.column_stack([X[:, j] <= value for j in range(X.shape[1])
                            for value in np.unique(X[:, j])[:-1]]).astype(np.intc)
model = STreeDRegressor("regression", max_depth=depth, max_num_nodes=2 ** depth - 1,
                        min_leaf_node_size=1, time_limit=limit, cost_complexity=0)
start = time.perf_counter()
model.fit(features, y)
seconds = time.perf_counter() - start
error = y - np.asarray(model.predict(features), dtype=float)
r2 = 1 - (error @ error) / ((y - y.mean()) @ (y - y.mean()))
print(seconds, r2, int(seconds < limit))
