#!/usr/bin/env python3
"""Small models of scikit-learn with what these predict, for test-forge-sklearn.R.

    python3 -m venv build/venv && build/venv/bin/pip install scikit-learn
    build/venv/bin/python tests/r/forge_sklearn.py [FOLDER]

Writes into FOLDER (tests/testthat/fixtures/forge) sklearn-VERSION.json.gz: of each model the
attributes that import_forest() reads, and rows with their margins, responses and classes. Arrays
have their dimensions, and hexadecimal numbers. Rows have thresholds and the floats and doubles next
to them; missing values where the model takes them; and categories that it does not know. Kept are
those of 1.3.2 and 1.9.1.
"""
import gzip
import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn.ensemble import (AdaBoostClassifier, BaggingClassifier, BaggingRegressor,
                              ExtraTreesClassifier, ExtraTreesRegressor,
                              GradientBoostingClassifier, GradientBoostingRegressor,
                              HistGradientBoostingClassifier, HistGradientBoostingRegressor,
                              IsolationForest, RandomForestClassifier, RandomForestRegressor)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

warnings.filterwarnings("ignore")
out = sys.argv[1] if len(sys.argv) > 1 else "tests/testthat/fixtures/forge"
NEW = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 4)
ROWS = 30
rng = np.random.default_rng(21)
X = rng.normal(size=(150, 4))
X[:, 3] = np.round(X[:, 3])
Y = X[:, 0] * X[:, 1] + X[:, 2] + 0.2 * rng.normal(size=150)
THREE = np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])]
MANY = np.digitize(Y, np.linspace(-2, 2, 11)) * 10000
TWO = (Y > 0).astype(int)
WEIGHT = rng.random(150)
GAPS = X.copy()
GAPS[rng.random(GAPS.shape) < 0.1] = np.nan
CODES = np.column_stack([X[:, :2], np.arange(150) * 7 % 11, X[:, 3]])
CODED = Y + 2 * np.isin(CODES[:, 2], [1, 4, 7])
OF_TREES = ["children_left", "children_right", "feature", "threshold", "value",
            "missing_go_to_left", "weighted_n_node_samples"]
FIELDS = ["value", "count", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right",
          "gain", "is_leaf", "is_categorical", "bitset_idx"]
PLAIN = ["loss", "learning_rate", "algorithm", "_max_samples", "monotonic_cst"]
ARRAYS = ["estimator_weights_", "_baseline_prediction", "is_categorical_"]
LISTS = ["estimators_features_", "_decision_path_lengths", "_average_path_length_per_tree"]


def array(x):
    x = np.asarray(x, dtype=float)
    return {"dim": list(x.shape), "hex": " ".join(float(v).hex() for v in x.ravel())}


def described(model, features):
    said = {"class": f"{type(model).__module__}.{type(model).__name__}"}
    if hasattr(model, "classes_"):
        several = isinstance(model.classes_, list)
        said["classes_"] = [c.tolist() for c in model.classes_] if several else \
            model.classes_.tolist()
    if hasattr(model, "tree_"):
        said["tree_"] = {name: array(getattr(model.tree_, name)) for name in OF_TREES}
    if not features:
        return said
    said["n_features_in_"] = model.n_features_in_
    said.update({name: getattr(model, name) for name in PLAIN if hasattr(model, name)})
    said.update({name: array(getattr(model, name)) for name in ARRAYS
                 if getattr(model, name, None) is not None})
    said.update({name: [array(x) for x in getattr(model, name)] for name in LISTS
                 if hasattr(model, name)})
    if hasattr(model, "estimators_"):
        said["estimators_"] = [described(e, False) for e in np.ravel(model.estimators_)]
        said["rounds"] = len(model.estimators_)
    if hasattr(model, "_raw_predict_init"):
        said["start"] = array(model._raw_predict_init(X[:1]))
        said["own_loss"] = type(model._loss).__module__
    if hasattr(model, "_predictors"):
        said["_predictors"] = [[{"nodes": {f: array(p.nodes[f]) for f in FIELDS},
                                 "raw_left_cat_bitsets": array(p.raw_left_cat_bitsets)}
                                for p in round] for round in model._predictors]
        if NEW and model._preprocessor is not None:
            known = model._preprocessor.named_transformers_["encoder"].categories_
            said["categories"] = [array(c) if c.dtype.kind == "f" else c.tolist() for c in known]
    return said


def takes_missing(model, rows):
    try:
        model.predict(rows)
        return True
    except ValueError:
        return False


def thresholds(model):
    if hasattr(model, "_predictors"):
        nodes = [p.nodes for round in model._predictors for p in round]
        return np.concatenate([n["num_threshold"][n["is_leaf"] == 0] for n in nodes])
    trees = np.ravel(model.estimators_) if hasattr(model, "estimators_") else [model]
    return np.concatenate([e.tree_.threshold for e in trees])


def hostile(model, missing, codes):
    beside = thresholds(model)
    single = beside.astype(np.float32)
    beside = np.concatenate([beside, np.nextafter(beside, np.inf), np.nextafter(beside, -np.inf),
                             single, np.nextafter(single, np.float32(np.inf)),
                             np.nextafter(single, np.float32(-np.inf)), [0.0, -0.0, 1e-40, 3e38]])
    beside = beside[np.abs(beside) < 3.1e38]
    rows = rng.choice(beside, (ROWS, 4))
    if codes is not None:
        rows[:, codes] = rng.choice([0, 1, 4, 7, 10, 11, -1, 3.5, 1e9, 255, 256], ROWS)
    if missing:
        rows[rng.random(rows.shape) < 0.15] = np.nan
    return rows


def isolation_sums(model, rows):
    sums = np.zeros(len(rows))
    for tree, features, way, below in zip(model.estimators_, model.estimators_features_,
                                          model._decision_path_lengths,
                                          model._average_path_length_per_tree):
        leaf = tree.apply(rows[:, features].astype(np.float32))
        sums += way[leaf] + below[leaf] - 1
    return sums


def record(model, x, y, weight=None, codes=None):
    model.fit(x, y, **({} if weight is None else {"sample_weight": weight}))
    missing = takes_missing(model, np.full((1, 4), np.nan))
    rows = hostile(model, missing, codes)
    boosted = "GradientBoosting" in type(model).__name__
    if isinstance(model, IsolationForest):
        margin, response, chosen = isolation_sums(model, rows), model.score_samples(rows), None
    else:
        predict = getattr(model, "predict_proba", model.predict)
        response = predict(rows)
        response = np.hstack(response) if isinstance(response, list) else response
        by_class = hasattr(model, "classes_") and not isinstance(model.classes_, list)
        chosen = model.predict(rows).tolist() if by_class else None
        if isinstance(model, AdaBoostClassifier):
            margin = model.decision_function(rows)
        elif boosted:
            floats = "Hist" not in type(model).__name__
            margin = model._raw_predict(rows.astype(np.float32) if floats else rows)
        else:
            margin = response
    return {**described(model, True), "takes_missing": missing, "version": sklearn.__version__,
            "rows": array(rows), "margin": array(np.reshape(margin, (ROWS, -1))),
            "response": array(np.reshape(response, (ROWS, -1))), "chosen": chosen}


few = dict(n_estimators=3, max_depth=3, random_state=1)
boost = dict(n_estimators=3, max_depth=2, random_state=1)
hist = dict(max_iter=3, min_samples_leaf=5, max_leaf_nodes=6)
stump = DecisionTreeClassifier(max_depth=2, random_state=1)
two_classes = np.column_stack([TWO, MANY])
EVEN = np.array([[0.0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]])
models = [record(DecisionTreeRegressor(max_depth=3), GAPS, Y),
          record(DecisionTreeClassifier(max_depth=3), X, MANY, WEIGHT),
          record(DecisionTreeClassifier(max_depth=3), X, two_classes),
          record(RandomForestRegressor(**few), GAPS if NEW else X, Y),
          record(RandomForestRegressor(**few), X, np.column_stack([Y, Y * Y])),
          record(RandomForestRegressor(criterion="absolute_error", **few), X, Y),
          record(RandomForestClassifier(**few), GAPS if NEW else X, THREE),
          record(RandomForestClassifier(class_weight="balanced", **few), X, THREE, WEIGHT),
          record(RandomForestClassifier(**few), X, two_classes),
          record(ExtraTreesRegressor(**few), X, Y),
          record(ExtraTreesClassifier(**few), X, TWO),
          record(BaggingRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=3,
                                  random_state=1, max_features=0.5), X, Y),
          record(BaggingClassifier(stump, n_estimators=4, random_state=1, max_samples=9), X, THREE),
          record(GradientBoostingRegressor(**boost), X, Y),
          record(GradientBoostingRegressor(loss="huber", init="zero", **boost), X, Y),
          record(GradientBoostingClassifier(**boost), X, THREE),
          record(GradientBoostingClassifier(**boost), X, TWO),
          record(GradientBoostingClassifier(loss="exponential", **boost), X, TWO),
          record(GradientBoostingClassifier(**boost), EVEN, [0, 1, 0, 1]),
          record(GradientBoostingClassifier(loss="exponential", **boost), EVEN, [0, 1, 0, 1]),
          record(AdaBoostClassifier(stump, n_estimators=12, random_state=1,
                                    **({} if NEW else dict(algorithm="SAMME"))), X, TWO),
          record(AdaBoostClassifier(stump, n_estimators=5, random_state=1,
                                    **({} if NEW else dict(algorithm="SAMME"))), X, THREE),
          record(IsolationForest(n_estimators=3, max_samples=20, random_state=1), X, None),
          record(IsolationForest(n_estimators=3, max_samples=9, max_features=0.5,
                                 random_state=1), X, None),
          record(HistGradientBoostingRegressor(**hist), GAPS, Y),
          record(HistGradientBoostingRegressor(loss="poisson", **hist), X, np.abs(Y)),
          record(HistGradientBoostingRegressor(loss="gamma", **hist), X, np.abs(Y) + 0.1),
          record(HistGradientBoostingClassifier(**hist), X, THREE),
          record(HistGradientBoostingClassifier(**hist), X, TWO),
          record(HistGradientBoostingClassifier(**hist), EVEN, [0, 1, 0, 1])]
if NEW:
    models += [record(HistGradientBoostingRegressor(categorical_features=[2], **hist), CODES,
                      CODED, codes=2),
               record(HistGradientBoostingClassifier(categorical_features=[2], **hist), CODES,
                      CODED > 1, codes=2)]
with open(f"{out}/sklearn-{sklearn.__version__}.json.gz", "wb") as file:
    file.write(gzip.compress(json.dumps({"models": models}).encode(), 9, mtime=0))
