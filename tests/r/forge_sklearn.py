#!/usr/bin/env python3
"""Small models of scikit-learn with what these predict, for test-forge-sklearn.R.

    python3 -m venv build/venv && build/venv/bin/pip install scikit-learn
    build/venv/bin/python tests/r/forge_sklearn.py [FOLDER]

Writes into FOLDER (tests/testthat/fixtures/forge) sklearn.json: of each model the attributes that
import_forest() reads, and rows with their margins; doubles are hexadecimal. Rows have missing
values, thresholds and the floats and doubles next to them.
"""
import json
import sys

import numpy as np
import sklearn
from sklearn.ensemble import (GradientBoostingClassifier, GradientBoostingRegressor,
                              HistGradientBoostingRegressor, RandomForestClassifier,
                              RandomForestRegressor)

out = sys.argv[1] if len(sys.argv) > 1 else "tests/testthat/fixtures/forge"
rng = np.random.default_rng(21)
X = rng.normal(size=(150, 4))
X[:, 3] = np.round(X[:, 3])
Y = X[:, 0] * X[:, 1] + X[:, 2] + 0.2 * rng.normal(size=150)
CLASS = np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])]
GAPS = X.copy()
GAPS[rng.random(GAPS.shape) < 0.1] = np.nan
NAMES = ["children_left", "children_right", "feature", "threshold", "value", "missing_go_to_left",
         "weighted_n_node_samples"]
FIELDS = ["value", "count", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right",
          "gain", "is_leaf", "is_categorical"]


def plain(x):
    return [float(v).hex() for v in np.asarray(x, dtype=float).ravel()]


def tree_of(estimator):
    tree = estimator.tree_
    return {"dim": list(tree.value.shape), **{name: plain(getattr(tree, name)) for name in NAMES}}


def hostile(thresholds, missing):
    beside = np.array(thresholds)
    single = beside.astype(np.float32)
    beside = np.concatenate([beside, np.nextafter(beside, np.inf), np.nextafter(beside, -np.inf),
                             single, np.nextafter(single, np.float32(np.inf)),
                             np.nextafter(single, np.float32(-np.inf)), [0.0, -0.0, 1e-40, 3e38]])
    beside = beside[np.abs(beside) < 3.1e38]
    rows = rng.choice(beside, (120, X.shape[1]))
    if missing:
        rows[rng.random(rows.shape) < 0.15] = np.nan
    return rows


def record(model, attributes, thresholds, missing, margin):
    rows = hostile(thresholds, missing)
    return {"class": f"{type(model).__module__}.{type(model).__name__}",
            "n_features_in_": X.shape[1], "classes_": list(getattr(model, "classes_", [])),
            "loss": getattr(model, "loss", None), **attributes,
            "rows": plain(rows),
            "margin": plain(margin(rows))}


def forest(model, x, y, missing):
    model.fit(x, y)
    predict = getattr(model, "predict_proba", model.predict)
    thresholds = np.concatenate([e.tree_.threshold for e in model.estimators_])
    return record(model, {"trees": [tree_of(e) for e in model.estimators_]}, thresholds, missing,
                  predict)


def boosting(model, y):
    model.fit(X, y)
    estimators = model.estimators_.ravel()
    thresholds = np.concatenate([e.tree_.threshold for e in estimators])
    start = model._raw_predict_init(X[:1])
    return record(model, {"trees": [tree_of(e) for e in estimators],
                          "rounds": len(model.estimators_), "learning_rate": model.learning_rate,
                          "start": plain(start)},
                  thresholds, False, lambda rows: model._raw_predict(rows.astype(np.float32)))


def histograms(model):
    model.fit(GAPS, Y)
    nodes = [predictor[0].nodes for predictor in model._predictors]
    thresholds = np.concatenate([n["num_threshold"][n["is_leaf"] == 0] for n in nodes])
    return record(model, {"nodes": [{name: plain(n[name]) for name in FIELDS} for n in nodes],
                          "start": plain(model._baseline_prediction)}, thresholds, True,
                  model.predict)


settings = dict(n_estimators=4, max_depth=4, random_state=1)
models = [forest(RandomForestRegressor(**settings), GAPS, Y, True),
          forest(RandomForestRegressor(**settings), X, np.column_stack([Y, Y * Y]), False),
          forest(RandomForestClassifier(**settings), GAPS, CLASS, True),
          boosting(GradientBoostingRegressor(n_estimators=6, random_state=1), Y),
          boosting(GradientBoostingClassifier(n_estimators=3, random_state=1), CLASS),
          boosting(GradientBoostingClassifier(n_estimators=6, random_state=1), Y > 0),
          histograms(HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5))]
with open(f"{out}/sklearn.json", "w") as file:
    json.dump({"version": sklearn.__version__, "models": models}, file, default=str)
