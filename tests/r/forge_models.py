#!/usr/bin/env python3
"""Small models of XGBoost and LightGBM with what these predict, for test-forge-import.R.

    python3 -m venv build/venv && build/venv/bin/pip install numpy xgboost-cpu lightgbm
    build/venv/bin/python tests/r/forge_models.py [FOLDER]

Writes into FOLDER (tests/testthat/fixtures/forge): NAME.json, .ubj or .txt, and for each
NAME.rows.gz, .margin.gz, .response.gz and .leaf.gz: doubles (responses: floats; leaves: 32-bit
integers), lowest byte first, row after row; models.csv has names, columns, outputs, versions.
Rows are hostile: missing values, both zeros, thresholds and both their neighbours as floats and
doubles, codes that are negative, fractional or unknown; for LightGBM infinities, too.
"""
import gzip
import json
import os
import re
import sys

import lightgbm as lgb
import numpy as np
import xgboost as xgb

out = sys.argv[1] if len(sys.argv) > 1 else "tests/testthat/fixtures/forge"
os.makedirs(out, exist_ok=True)
rng = np.random.default_rng(20)
N, F = 400, 5
X = rng.normal(size=(N, F)).astype(np.float32).astype(float)
X[:, 3] = rng.integers(0, 4, N)  # few values, zeros among them
C = rng.integers(0, 40, N)
Z = np.nan_to_num(X[:, 0]) + X[:, 1] * X[:, 2] + (C % 3 == 0) + rng.normal(size=N) * 0.2
X[rng.random((N, F)) < 0.08] = np.nan
XC = np.column_stack([X, C])
models = []


def hostile(x, thresholds, infinite, codes):
    """Rows of values at, beside and far from the thresholds."""
    rows = x[rng.integers(0, len(x), 50)].copy()
    for j in range(x.shape[1]):
        t = np.array(thresholds.get(j, [0.0]), dtype=float)
        single = t.astype(np.float32)
        beside = np.concatenate([t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf), single,
                                 np.nextafter(single, np.float32(np.inf)),
                                 np.nextafter(single, np.float32(-np.inf)),
                                 [np.nan, 0.0, -0.0, 5e-324, -1e-40, 1e-35, -1e-35, 1.1e-35, 1e30,
                                  -1e30]])
        if infinite:
            beside = np.concatenate([beside, [np.inf, -np.inf]])
        if j == codes:
            beside = np.array([np.nan, 0, -0.0, -0.5, -1, -3, 0.99, 7.5, 39, 40, 63, 64, 1000,
                               2.0 ** 31, 1e12])
        where = rng.random(len(rows)) < 0.5
        rows[where, j] = rng.choice(beside, where.sum())
    return rows


def write(name, values):
    with open(f"{out}/{name}.gz", "wb") as file:
        file.write(gzip.compress(values.tobytes(), mtime=0))


def record(name, file, rows, margin, response, leaf, version):
    margin, response, leaf = np.asarray(margin), np.asarray(response), np.asarray(leaf)
    margin = margin.reshape(len(rows), -1).astype("<f8")
    leaf = leaf.reshape(len(rows), -1).astype("<i4")
    write(f"{name}.rows", rows.astype("<f8"))
    write(f"{name}.margin", margin)
    write(f"{name}.response", response.reshape(len(rows), -1).astype("<f4"))
    write(f"{name}.leaf", leaf)
    models.append((name, file, rows.shape[1], margin.shape[1], leaf.shape[1], version))


def xgb_thresholds(path):
    trees = json.load(open(path))["learner"]["gradient_booster"]
    trees = trees.get("gbtree", trees)["model"]["trees"]
    found = {}
    for tree in trees:
        for left, j, t in zip(tree["left_children"], tree["split_indices"],
                              tree["split_conditions"]):
            if left >= 0:
                found.setdefault(j, []).append(t)
    return found


def xgboost(name, y, rounds=4, x=X, ubj=False, codes=None, first=None, **settings):
    settings = dict(dict(max_depth=3, tree_method="hist", nthread=1, seed=1), **settings)
    kinds = dict(feature_types=["q"] * F + ["c"], enable_categorical=True) if codes else {}
    model = xgb.train(settings, xgb.DMatrix(x, y, **kinds), rounds)
    path = f"{out}/{name}.json"
    model.save_model(path)
    rows = hostile(x, xgb_thresholds(path), False, codes)
    if ubj:
        os.remove(path)
        path = f"{out}/{name}.ubj"
        model.save_model(path)
    data = xgb.DMatrix(rows, **kinds)
    taken = {} if first is None else dict(iteration_range=(0, first))
    record(name, os.path.basename(path), rows, model.predict(data, output_margin=True, **taken),
           model.predict(data, **taken), model.predict(data, pred_leaf=True, **taken),
           "xgboost " + xgb.__version__)


two, three = (Z > 0.3).astype(int), np.digitize(Z, [0, 1])
xgboost("xgb-regression", Z, rounds=5, max_depth=4)
xgboost("xgb-logistic", two, objective="binary:logistic", ubj=True, base_score=0.3)
xgboost("xgb-poisson", np.abs(np.round(Z)), objective="count:poisson", grow_policy="lossguide",
        max_leaves=9, max_depth=0)
xgboost("xgb-softprob", three, objective="multi:softprob", num_class=3, rounds=3)
xgboost("xgb-forest", three, objective="multi:softmax", num_class=3, rounds=2, num_parallel_tree=2,
        subsample=0.7)
xgboost("xgb-dart", two, objective="binary:logistic", booster="dart", rate_drop=0.4, rounds=5)
xgboost("xgb-codes", Z, x=XC, codes=F, max_cat_to_onehot=2, max_depth=4)
xgboost("xgb-onehot", Z, x=XC, codes=F, max_cat_to_onehot=100, ubj=True)
xgboost("xgb-vectors", np.column_stack([Z, -Z, Z * Z]), multi_strategy="multi_output_tree",
        rounds=3)
xgboost("xgb-vectors-ubj", np.column_stack([Z, Z * Z]), multi_strategy="multi_output_tree",
        rounds=3, ubj=True)
xgboost("xgb-first", Z, rounds=5, first=3)


def lightgbm(name, y, rounds=4, x=X, codes=None, **settings):
    settings = dict(dict(num_leaves=9, min_data_in_leaf=5, verbosity=-1, num_threads=1, seed=1,
                         min_data_per_group=5, cat_smooth=1, deterministic=True), **settings)
    data = lgb.Dataset(x, y, categorical_feature=[codes] if codes else [])
    model = lgb.train(settings, data, rounds)
    path = f"{out}/{name}.txt"
    text = re.sub(r"\nparameters:.*?end of parameters\n", "\n", model.model_to_string(), flags=re.S)
    open(path, "w").write(text)
    found = {}
    for tree in text.split("\nTree=")[1:]:
        lines = dict(line.split("=", 1) for line in tree.split("\n") if "=" in line)
        if lines.get("num_leaves") == "1":
            continue
        splits = (lines[part].split() for part in ("split_feature", "threshold", "decision_type"))
        for j, t, kind in zip(*splits):
            if not int(kind) & 1:
                found.setdefault(int(j), []).append(float(t))
    rows = hostile(x, found, True, codes)
    rows[rows == 2.0 ** 31] = 2.0 ** 31 - 1  # beyond integers LightGBM's casts are undefined
    rows[rows == 1e12] = 4e8
    record(name, os.path.basename(path), rows, model.predict(rows, raw_score=True),
           model.predict(rows), model.predict(rows, pred_leaf=True), "lightgbm " + lgb.__version__)


lightgbm("lgb-regression", Z)
lightgbm("lgb-binary", two, objective="binary", zero_as_missing=True)
lightgbm("lgb-none", Z, use_missing=False)
lightgbm("lgb-multiclass", three, objective="multiclass", num_class=3, rounds=3)
lightgbm("lgb-forest", Z, boosting="rf", bagging_fraction=0.6, bagging_freq=1)
lightgbm("lgb-codes", Z, x=XC, codes=F, max_cat_to_onehot=2)
lightgbm("lgb-onehot", Z, x=XC, codes=F, max_cat_to_onehot=100)
lightgbm("lgb-linear", Z, linear_tree=True, linear_lambda=0.1, rounds=5)
lightgbm("lgb-linear-codes", two, x=XC, codes=F, linear_tree=True, objective="binary")

with open(f"{out}/models.csv", "w") as table:
    table.write("name,file,columns,outputs,trees,version\n")
    for row in models:
        table.write(",".join(map(str, row)) + "\n")
