#!/usr/bin/env python3
"""What XGBoost and LightGBM say that features contribute, for test-forge-contributions.R.

    build/venv/bin/python tests/r/forge_contributions.py [FOLDER]

For some models that forge_models.py wrote into FOLDER (tests/testthat/fixtures/forge) writes
NAME.contributions.gz: doubles, a row of the first 60 at most of NAME.rows after another, by output,
feature and the base. Needs the packages of forge_models.py.
"""
import csv
import gzip
import sys

import lightgbm as lgb
import numpy as np
import xgboost as xgb

folder = sys.argv[1] if len(sys.argv) > 1 else "tests/testthat/fixtures/forge"
wanted = ["xgb-regression", "xgb-softprob", "xgb-dart", "xgb-codes", "lgb-regression", "lgb-binary",
          "lgb-multiclass", "lgb-codes"]


def contributions(model, rows):
    path = f"{folder}/{model['file']}"
    if model["name"].startswith("lgb"):
        return lgb.Booster(model_file=path).predict(rows, pred_contrib=True)
    booster = xgb.Booster(model_file=path)
    kinds = booster.feature_types
    data = xgb.DMatrix(rows.astype(np.float32), feature_types=kinds, enable_categorical=True)
    return booster.predict(data, pred_contribs=True)


with open(f"{folder}/models.csv") as table:
    models = {row["name"]: row for row in csv.DictReader(table)}
for name in wanted:
    model = models[name]
    with gzip.open(f"{folder}/{name}.rows.gz") as file:
        rows = np.frombuffer(file.read()).reshape(-1, int(model["columns"]))[:60]
    values = np.asarray(contributions(model, rows), dtype=np.float64).reshape(len(rows), -1)
    values = values.astype(np.float32 if name.startswith("xgb") else np.float64)
    with open(f"{folder}/{name}.contributions.gz", "wb") as raw:
        with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
            file.write(values.astype(np.float64).tobytes())
