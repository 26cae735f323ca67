#!/usr/bin/env python3
"""Tiny models of every objective and option of XGBoost, LightGBM and CatBoost, and of what others
convert to ONNX, with what these predict.

    python3 -m venv build/venv && build/venv/bin/pip install xgboost==1.7.6 lightgbm==3.3.5 pandas
    build/venv/bin/python tests/r/zoo.py [FOLDER [LIBRARY ...]]

Writes into FOLDER (tests/testthat/fixtures/forge) zoo-LIBRARY-VERSION.gz, of what is installed, or
named. Each holds models one after the other: a line with
name, kind of file, and numbers of bytes, rows, columns, margins, responses, trees and rounds (0:
all); the model's bytes; rows, margins and responses, doubles, and leaves, 32-bit integers, lowest
byte first, row after row. test-forge-zoo.R reads them. Rows are hostile: missing values, both
zeros, denormals, thresholds and both their neighbours as floats and doubles, codes that are
negative, fractional or unknown; for LightGBM infinities, too. Of ydf and H2O columns of levels
have their places among those of the model, from 1, and one more for a new level. Kept are those of
xgboost 1.7.6, 2.1.4, 3.0.5, 3.2.0 and 3.4.1, lightgbm 3.3.5, 4.3.0 and 4.7.0, catboost 1.2.10
(with onnxmltools 1.12, xgboost 2.1.4 and onnxruntime 1.32), skl2onnx 1.20, treelite 4.8.1 (with
xgboost 3.2.0, lightgbm 4.7.0 and scikit-learn 1.9.1), ydf 0.16.1 and h2o 3.44.0.3.
"""
import gzip
import json
import os
import sys
import tempfile
import warnings

import numpy as np

warnings.filterwarnings("ignore")
out = sys.argv[1] if len(sys.argv) > 1 else "tests/testthat/fixtures/forge"
N, ROWS = 80, 20
rng = np.random.default_rng(7)
X = rng.normal(size=(N, 3)).astype(np.float32).astype(float)
X[:, 1] = np.round(X[:, 1])  # zeros, with values on both sides
Z = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * X[:, 2]
Z = Z.astype(np.float32).astype(float)
C = (np.arange(N) * 7 % 11).astype(float)
X[rng.random((N, 3)) < 0.06] = np.nan
XC = np.column_stack([X[:, 0], C])
ZC = Z + 2 * np.isin(C, [1, 4, 7])
TWO, THREE, COUNT = (Z > 0).astype(int), np.digitize(Z, [-0.5, 0.7]), np.abs(np.round(Z))
EPOCHS = rng.integers(1500000000, 1700000000, N).astype(float)
XE = np.column_stack([EPOCHS, X[:, 0] * 1e9])
ZE = np.sin(EPOCHS / 2e7)


def hostile(x, thresholds, infinite, codes):
    """Rows of values at, beside and far from the thresholds."""
    rows = x[rng.integers(0, len(x), ROWS)].copy()
    for j in range(x.shape[1]):
        t = np.array(thresholds.get(j, [0.0]), dtype=float)
        single = t.astype(np.float32)
        beside = np.concatenate([t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf), single,
                                 np.nextafter(single, np.float32(np.inf)),
                                 np.nextafter(single, np.float32(-np.inf)),
                                 [np.nan, 0.0, -0.0, 5e-324, -1e-40, 1e-35, -1e-35, 1e30, -1e30],
                                 np.float32([1e-35, -1e-35])])
        if infinite:
            beside = np.concatenate([beside, [np.inf, -np.inf]])
        if j == codes:
            beside = np.array([np.nan, 0, -0.0, -0.5, -1, -3, 0.99, 7.5, 10, 11, 63, 64, 1000])
        where = rng.random(len(rows)) < 0.7
        rows[where, j] = rng.choice(beside, where.sum())
    return rows


class Zoo:
    def __init__(self, name):
        self.path, self.all = f"{out}/zoo-{name}.gz", []

    def add(self, name, kind, model, rows, margin, response, leaf, rounds):
        def wide(x, kind):
            return np.asarray(x).reshape(len(rows), -1).astype(kind)
        margin, response, leaf = wide(margin, "<f8"), wide(response, "<f8"), wide(leaf, "<i4")
        sizes = (len(model), *rows.shape, margin.shape[1], response.shape[1], leaf.shape[1], rounds)
        self.all.append(" ".join(map(str, (name, kind, *sizes))).encode() + b"\n" + model +
                        rows.astype("<f8").tobytes() + margin.tobytes() + response.tobytes() +
                        leaf.tobytes())

    def write(self):
        with open(self.path, "wb") as file:
            file.write(gzip.compress(b"".join(self.all), 9, mtime=0))
        print(self.path, len(self.all), os.path.getsize(self.path))


def xgboosts(xgb):
    version = tuple(map(int, xgb.__version__.split(".")[:2]))
    zoo = Zoo(f"xgboost-{xgb.__version__}")

    def thresholds(text):
        trees = json.loads(text)["learner"]["gradient_booster"]
        trees = trees.get("gbtree", trees)["model"]["trees"]
        found = {}
        for tree in trees:
            for left, j, t in zip(tree["left_children"], tree["split_indices"],
                                  tree["split_conditions"]):
                if left >= 0 and t == t:
                    found.setdefault(j, []).append(t)
        return found

    def add(name, y, x=X, kind="json", codes=None, rounds=3, first=0, data=None, **settings):
        settings = dict(dict(max_depth=2, tree_method="hist", nthread=1, seed=1, eta=0.5),
                        **settings)
        types = dict(feature_types=["q", "c"], enable_categorical=True) if codes else {}
        data = data or xgb.DMatrix(x, y, **types)
        model = xgb.train(settings, data, rounds)
        text = bytes(model.save_raw("json")).decode()
        rows = hostile(x, thresholds(text), False, codes)
        given = xgb.DMatrix(rows, **types)
        taken = dict(iteration_range=(0, first)) if first else {}
        made = text.encode() if kind == "json" else bytes(model.save_raw("ubj"))
        read = xgb.Booster()
        read.load_model(bytearray(made))
        zoo.add(name, kind, made, rows, read.predict(given, output_margin=True, **taken),
                read.predict(given, **taken), read.predict(given, pred_leaf=True, **taken), first)

    add("squarederror", Z, objective="reg:squarederror", max_depth=3)
    add("squaredlogerror", np.abs(Z), objective="reg:squaredlogerror", kind="ubj")
    add("reg-logistic", TWO, objective="reg:logistic")
    add("pseudohuber", Z, objective="reg:pseudohubererror", kind="ubj")
    add("absoluteerror", Z, objective="reg:absoluteerror")
    add("binary", TWO, objective="binary:logistic", base_score=0.3, kind="ubj")
    add("logitraw", TWO, objective="binary:logitraw", base_score=0.3)
    add("logitraw-ubj", TWO, objective="binary:logitraw", base_score=0.7, kind="ubj")
    add("hinge", TWO, objective="binary:hinge")
    add("poisson", COUNT, objective="count:poisson")
    add("gamma", np.abs(Z) + 0.1, objective="reg:gamma")
    add("tweedie", COUNT, objective="reg:tweedie", tweedie_variance_power=1.3)
    add("cox", np.where(TWO, 1, -1) * (np.abs(Z) + 0.1), objective="survival:cox")
    survival = xgb.DMatrix(X)
    survival.set_float_info("label_lower_bound", np.abs(Z) + 0.1)
    survival.set_float_info("label_upper_bound", np.where(TWO, np.abs(Z) + 0.1, np.inf))
    add("aft", None, objective="survival:aft", data=survival, base_score=0.6)
    add("softprob", THREE, objective="multi:softprob", num_class=3, kind="ubj")
    add("softmax", THREE, objective="multi:softmax", num_class=3)
    for kind in ("pairwise", "ndcg", "map"):
        data = xgb.DMatrix(X, TWO)
        data.set_group([20] * 4)
        add(f"rank-{kind}", None, objective=f"rank:{kind}", data=data, rounds=2)
    add("labels-2", np.column_stack([TWO, Z > 0.5]), objective="binary:logistic")
    add("labels-3", np.column_stack([TWO, Z > 0.5, Z < 1]), objective="binary:logistic", rounds=2)
    add("targets", np.column_stack([Z, -Z]), objective="reg:squarederror", first=2)
    dropout = dict(booster="dart", rate_drop=0.6, rounds=4)
    add("dart", TWO, objective="binary:logistic", **dropout)
    add("dart-forest", Z, normalize_type="forest", kind="ubj", **dropout)
    add("dart-first", Z, first=2, one_drop=1, **dropout)
    add("dart-classes", THREE, objective="multi:softprob", num_class=3, **dropout)
    add("forest", Z, num_parallel_tree=2, subsample=0.7, first=2, rounds=3)
    add("forest-classes", THREE, objective="multi:softprob", num_class=3, num_parallel_tree=2,
        subsample=0.7, rounds=2, first=1)
    add("lossguide", Z, grow_policy="lossguide", max_leaves=5, max_depth=0)
    add("exact", Z, tree_method="exact")
    add("approx", Z, tree_method="approx", kind="ubj")
    add("codes", ZC, x=XC, codes=1, max_depth=3, max_cat_to_onehot=2)
    add("codes-ubj", ZC, x=XC, codes=1, max_depth=3, max_cat_to_onehot=2, kind="ubj")
    add("codes-onehot", ZC, x=XC, codes=1, max_depth=3, max_cat_to_onehot=99)
    add("epochs", ZE, x=XE, max_depth=4)
    add("epochs-ubj", ZE, x=XE, max_depth=4, kind="ubj")
    if version >= (2, 0):
        vectors = dict(multi_strategy="multi_output_tree")
        two = np.column_stack([Z, Z * Z])
        add("vectors", two, **vectors)
        add("vectors-ubj", two, kind="ubj", **vectors)
        add("quantiles", Z, objective="reg:quantileerror", quantile_alpha=[0.2, 0.7])
    if version >= (3, 3):
        add("expectile", Z, objective="reg:expectileerror", expectile_alpha=0.3)
    zoo.write()


def lightgbms(lgb):
    version = tuple(map(int, lgb.__version__.split(".")[:2]))
    zoo = Zoo(f"lightgbm-{lgb.__version__}")

    def thresholds(text):
        found = {}
        for tree in text.split("\nTree=")[1:]:
            lines = dict(line.split("=", 1) for line in tree.split("\n") if "=" in line)
            if lines.get("num_leaves") == "1":
                continue
            splits = (lines[p].split() for p in ("split_feature", "threshold", "decision_type"))
            for j, t, kind in zip(*splits):
                if not int(kind) & 1:
                    found.setdefault(int(j), []).append(float(t))
        return found

    def add(name, y, x=X, codes=None, rounds=3, first=0, group=None, objective="regression",
            **settings):
        settings = dict(dict(num_leaves=4, min_data_in_leaf=3, verbosity=-1, num_threads=1, seed=1,
                             min_data_per_group=3, cat_smooth=1, objective=objective), **settings)
        data = lgb.Dataset(x, y, group=group, categorical_feature=[codes] if codes else [],
                           free_raw_data=False)
        model = lgb.train(settings, data, rounds)
        text = model.model_to_string()
        start, end = text.index("\nparameters:"), text.index("end of parameters\n")
        kept = text[:start] + text[end + len("end of parameters"):]
        rows = hostile(x, thresholds(text), True, codes)
        read = lgb.Booster(model_str=text)
        taken = dict(num_iteration=first) if first else {}
        zoo.add(name, "txt", kept.encode(), rows, read.predict(rows, raw_score=True, **taken),
                read.predict(rows, **taken), read.predict(rows, pred_leaf=True, **taken), first)

    add("regression", Z, num_leaves=6)
    for name in ("regression_l1", "huber", "fair", "quantile", "mape"):
        add(name, Z, objective=name, rounds=2)
    add("sqrt", Z, reg_sqrt=True)
    for name in ("poisson", "gamma", "tweedie"):
        add(name, np.abs(Z) + 0.1, objective=name)
    add("binary", TWO, objective="binary")
    add("binary-sigmoid", TWO, objective="binary", sigmoid=2.5)
    add("unbalanced", TWO, objective="binary", is_unbalance=True)
    add("multiclass", THREE, objective="multiclass", num_class=3)
    add("multiclassova", THREE, objective="multiclassova", num_class=3, sigmoid=0.7)
    add("ova-2", TWO, objective="multiclassova", num_class=2)
    add("cross_entropy", TWO * 0.8, objective="cross_entropy")
    add("cross_entropy_lambda", TWO * 0.8, objective="cross_entropy_lambda")
    add("lambdarank", TWO, objective="lambdarank", group=[20] * 4)
    add("rank_xendcg", TWO, objective="rank_xendcg", group=[20] * 4)
    add("zero", Z, zero_as_missing=True, num_leaves=6)
    add("none", Z, use_missing=False, num_leaves=6)
    bagging = dict(bagging_fraction=0.6, bagging_freq=1)
    add("forest", Z, boosting="rf", **bagging)
    add("forest-first", Z, boosting="rf", first=2, **bagging)
    add("forest-classes", THREE, boosting="rf", objective="multiclass", num_class=3, **bagging)
    add("forest-binary", TWO, boosting="rf", objective="binary", **bagging)
    add("dart", TWO, boosting="dart", objective="binary", drop_rate=0.7, rounds=5)
    add("goss", Z, boosting="goss")
    add("codes", ZC, x=XC, codes=1, max_cat_to_onehot=2)
    add("codes-onehot", ZC, x=XC, codes=1, max_cat_to_onehot=99, first=2)
    add("linear", Z, linear_tree=True, linear_lambda=0.1)
    add("extra", Z, extra_trees=True)
    add("smooth", Z, path_smooth=2.0)
    # a border between numbers below zero and zero lies at -1e-35f
    add("border", X[:, 1] < 0, x=np.nan_to_num(X), objective="binary", zero_as_missing=True)
    add("border-nan", np.nan_to_num(X[:, 1], nan=1) < 0, objective="binary")
    zoo.write()


def catboosts(catboost):
    zoo = Zoo(f"catboost-{catboost.__version__}")
    binary = Zoo(f"catboost-binary-{catboost.__version__}")

    def add(name, y, loss="RMSE", x=X, rounds=3, group=None, cbm=False, **settings):
        settings = dict(dict(depth=2, thread_count=1, random_seed=1, learning_rate=0.5,
                             allow_writing_files=False, logging_level="Silent"), **settings)
        model = catboost.CatBoost(dict(settings, loss_function=loss, iterations=rounds))
        model.fit(catboost.Pool(x, y, group_id=group))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            model.save_model(path, format="json")
            text = open(path).read()
            model.save_model(path, format="cbm")
            content = open(path, "rb").read()
        document = json.loads(text)
        found = {f["flat_feature_index"]: f["borders"] + [0.0]
                 for f in document["features_info"]["float_features"]}
        info = document["model_info"]  # what it says of the training is long
        document["model_info"] = {key: info[key] for key in info if key == "class_params"}
        document["model_info"]["params"] = {"loss_function": info["params"]["loss_function"]}
        rows = hostile(x, found, True, None)
        kind = {"Logloss": "Probability", "CrossEntropy": "Probability", "Poisson": "Exponent",
                "Focal:focal_alpha=0.3;focal_gamma=2": "Probability", "MultiClass": "Probability",
                "Tweedie:variance_power=1.5": "Exponent",
                "MultiClassOneVsAll": "Probability"}.get(loss, "RawFormulaVal")
        response = np.asarray(model.predict(rows, prediction_type=kind))
        if loss in ("Logloss", "CrossEntropy") or loss.startswith("Focal"):
            response = response[:, 1]
        said = (rows, model.predict(rows, prediction_type="RawFormulaVal"), response,
                model.calc_leaf_indexes(rows), 0)
        zoo.add(name, "json", json.dumps(document).encode(), *said)
        if cbm:
            binary.add(name, "cbm", content, *said)

    add("rmse", Z, depth=3, cbm=True)
    for name in ("MAE", "MAPE", "Quantile:alpha=0.3", "Huber:delta=0.7", "Expectile:alpha=0.3"):
        add(name.split(":")[0], Z, name)
    add("poisson", COUNT, "Poisson", cbm=True)
    add("tweedie", COUNT, "Tweedie:variance_power=1.5")
    add("logloss", TWO, "Logloss")
    add("names", np.array(["no", "yes"])[TWO], "Logloss", cbm=True)
    add("entropy", TWO * 0.8, "CrossEntropy")
    add("multiclass", THREE, "MultiClass", cbm=True)
    add("ova", THREE, "MultiClassOneVsAll")
    add("several", np.column_stack([Z, -Z]), "MultiRMSE", cbm=True)
    add("max", Z, nan_mode="Max", cbm=True)
    add("deep", Z, depth=6, rounds=2)
    for policy in ("Lossguide", "Depthwise"):
        add(policy, Z, grow_policy=policy, depth=4, min_data_in_leaf=5, cbm=True)
        add(f"{policy}-classes", THREE, "MultiClass", grow_policy=policy, depth=3, cbm=True)
    add("logcosh", Z, "LogCosh")
    add("rmspe", np.abs(Z) + 0.1, "RMSPE")
    add("cox", np.where(TWO, 1, -1) * (np.abs(Z) + 0.1), "Cox")
    add("focal", TWO, "Focal:focal_alpha=0.3;focal_gamma=2")
    add("quantiles", Z, "MultiQuantile:alpha=0.2,0.7")
    add("missing", np.column_stack([Z, -Z]), "MultiRMSEWithMissingValues")
    groups = np.repeat(np.arange(4), 20)
    for name in ("QuerySoftMax", "LambdaMart", "StochasticFilter", "StochasticRank:metric=DCG"):
        add(name.split(":")[0], TWO, name, group=groups)
    add("GroupQuantile", Z, "GroupQuantile:alpha=0.3", group=groups)
    zoo.write()
    binary.write()


def catboost_levels(catboost):
    """Categories: one level asked for, and statistics of levels. Rows have places among the texts
    that a document lists."""
    zoo = Zoo(f"catboost-levels-{catboost.__version__}")
    table = Levels()
    table.data["i"] = rng.integers(0, 3, 3 * N)
    y = table.y + (table.data.i == 1)
    names = ["c", "i"]

    def add(name, y, loss="RMSE", **settings):
        model = catboost.CatBoost(dict(dict(
            depth=2, thread_count=1, random_seed=1, learning_rate=0.5, allow_writing_files=False,
            logging_level="Silent", loss_function=loss, iterations=4, max_ctr_complexity=1),
            **settings))
        pool = catboost.Pool(table.data, y, cat_features=names)
        model.fit(pool)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            model.save_model(path, format="json", pool=pool)
            document = json.load(open(path))
        info = document["model_info"]
        document["model_info"] = {key: info[key] for key in info if key == "class_params"}
        document["model_info"]["params"] = {"loss_function": info["params"]["loss_function"]}
        features = document["features_info"]
        found = {f["flat_feature_index"]: f.get("borders", [0.0])
                 for f in features["float_features"]}
        rows, numbers = table.rows(found, "new")
        rows["i"] = rng.choice([0, 1, 2, 77], ROWS)
        known = [item["value"] for item in features["cat_features_hash"]]
        places = [[known.index(str(x)) + 1 if str(x) in known else len(known) + 1 for x in rows[j]]
                  for j in names]
        numbers = np.column_stack([numbers[:, :2], *places])
        given = catboost.Pool(rows, cat_features=names)
        margin = np.asarray(model.predict(given, prediction_type="RawFormulaVal"))
        response = margin if loss == "RMSE" else np.asarray(
            model.predict(given, prediction_type="Probability"))
        if loss == "Logloss":
            response = response[:, 1]
        zoo.add(name, "json", json.dumps(document).encode(), numbers, margin, response,
                model.calc_leaf_indexes(given), 0)

    add("levels", y, one_hot_max_size=10)
    add("statistics", y, one_hot_max_size=1)
    add("two", table.two, "Logloss", one_hot_max_size=1)
    add("three", table.three, "MultiClass", one_hot_max_size=1)
    add("buckets", table.three, "MultiClass", one_hot_max_size=1,
        simple_ctr=["Buckets:Prior=0.3", "Counter"])
    add("lossguide", y, one_hot_max_size=3, grow_policy="Lossguide", depth=3)
    zoo.write()


def converted(onnxmltools):
    """What converters make of models of others, by what ONNX Runtime says: probabilities, or the
    response; there are no margins and leaves."""
    import catboost
    import lightgbm as lgb
    import onnx
    import onnxruntime as ort
    import xgboost as xgb
    from onnxmltools.convert.common.data_types import FloatTensorType
    zoo = Zoo(f"onnx-{ort.__version__}")
    x = np.nan_to_num(X).astype(np.float32)
    types = [("x", FloatTensorType([None, 3]))]

    def add(name, model):
        data = model.SerializeToString()
        session = ort.InferenceSession(data)
        found = {0: [0.0]}
        for node in model.graph.node:
            a = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            for j, t in zip(a.get("nodes_featureids", []), a.get("nodes_values", [])):
                found.setdefault(j, []).append(t)
        rows = hostile(x, found, False, None).astype(np.float32).astype(float)
        rows[np.isnan(rows)] = 0
        said = [session.run(None, {session.get_inputs()[0].name: row[None].astype(np.float32)})[-1]
                for row in rows]
        said = [list(s[0].values()) if isinstance(s[0], dict) else np.ravel(s) for s in said]
        zoo.add(name, "onnx", data, rows, np.empty((ROWS, 0)), np.array(said),
                np.empty((ROWS, 0)), 0)

    def lightgbm(name, kind, y, **settings):
        model = kind(n_estimators=3, num_leaves=4, min_child_samples=3, verbosity=-1, **settings)
        kept = dict(zipmap=False) if kind is lgb.LGBMClassifier else {}
        add(name, onnxmltools.convert_lightgbm(model.fit(x, y), initial_types=types, **kept))

    lightgbm("lightgbm-two", lgb.LGBMClassifier, TWO)
    lightgbm("lightgbm-three", lgb.LGBMClassifier, THREE)
    lightgbm("lightgbm-poisson", lgb.LGBMRegressor, COUNT, objective="poisson")
    lightgbm("lightgbm-forest", lgb.LGBMRegressor, Z, boosting_type="rf", bagging_freq=1,
             bagging_fraction=0.6)
    model = xgb.XGBRegressor(n_estimators=3, max_depth=2, objective="count:poisson").fit(x, COUNT)
    add("xgboost-poisson", onnxmltools.convert_xgboost(model, initial_types=types))
    settings = dict(iterations=3, depth=2, thread_count=1, allow_writing_files=False,
                    logging_level="Silent")
    for name, kind, y in (("number", catboost.CatBoostRegressor, Z),
                          ("two", catboost.CatBoostClassifier, TWO),
                          ("three", catboost.CatBoostClassifier, THREE)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            kind(**settings).fit(x, y).save_model(path, format="onnx")
            add(f"catboost-{name}", onnx.load(path))
    zoo.write()


def forests(skl2onnx):
    """Forests of scikit-learn of two classes, of which skl2onnx writes one score."""
    import onnxruntime as ort
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier
    zoo = Zoo(f"skl2onnx-{skl2onnx.__version__}")
    x = np.nan_to_num(X).astype(np.float32)
    for kind in (RandomForestClassifier, ExtraTreesClassifier, DecisionTreeClassifier):
        many = {} if kind is DecisionTreeClassifier else dict(n_estimators=5)
        model = kind(max_depth=3, random_state=1, **many).fit(x, TWO)
        data = skl2onnx.to_onnx(model, x[:1], options={"zipmap": False}).SerializeToString()
        rows = hostile(x, {}, False, None).astype(np.float32).astype(float)
        rows[np.isnan(rows)] = 0
        session = ort.InferenceSession(data)
        said = [session.run(None, {"X": row[None].astype(np.float32)})[-1][0] for row in rows]
        zoo.add(kind.__name__, "onnx", data, rows, np.empty((ROWS, 0)), np.array(said),
                np.empty((ROWS, 0)), 0)
    zoo.write()


def treelites(treelite):
    """Checkpoints, whose rows have the type of the leaves."""
    import lightgbm as lgb
    import xgboost as xgb
    from sklearn import ensemble
    zoo = Zoo(f"treelite-{treelite.__version__}")
    x = np.nan_to_num(X)

    def add(name, model, data=X, codes=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            model.serialize(path)
            content = open(path, "rb").read()
        document = json.loads(model.dump_as_json())
        found = {}
        for tree in document["trees"]:
            for node in tree["nodes"]:
                if "threshold" in node:
                    found.setdefault(node["split_feature_id"], []).append(node["threshold"])
        rows = hostile(data, found, True, codes)
        given = rows.astype(np.float32 if model.input_type == "float32" else float)

        def flat(values):  # outputs of targets with fewer classes than others are not there
            values = np.asarray(values).reshape(ROWS, len(document["num_class"]), -1)
            return np.concatenate([values[:, i, :n] for i, n in enumerate(document["num_class"])],
                                  axis=1)
        zoo.add(name, "treelite", content, rows,
                flat(treelite.gtil.predict(model, given, pred_margin=True)),
                flat(treelite.gtil.predict(model, given)),
                treelite.gtil.predict_leaf(model, given), 0)

    def xgboost(name, y, x=X, codes=False, **settings):
        types = dict(feature_types=["q", "c"], enable_categorical=True) if codes else {}
        model = xgb.train(dict(max_depth=2, nthread=1, **settings), xgb.DMatrix(x, y, **types), 3)
        add(name, treelite.frontend.from_xgboost(model), x, 1 if codes else None)

    def lightgbm(name, y, x=X, codes="auto", **settings):
        model = lgb.train(dict(num_leaves=4, min_data_in_leaf=3, verbosity=-1, num_threads=1,
                               min_data_per_group=3, **settings),
                          lgb.Dataset(x, y, categorical_feature=codes), 3)
        add(name, treelite.frontend.from_lightgbm(model), x, 1 if codes != "auto" else None)

    xgboost("xgboost", Z)
    xgboost("xgboost-binary", TWO, objective="binary:logistic", base_score=0.3)
    xgboost("xgboost-three", THREE, objective="multi:softprob", num_class=3)
    xgboost("xgboost-poisson", COUNT, objective="count:poisson")
    xgboost("xgboost-vectors", np.column_stack([Z, -Z * Z]), multi_strategy="multi_output_tree")
    xgboost("xgboost-codes", ZC, XC, True, max_cat_to_onehot=2)
    lightgbm("lightgbm", Z)
    lightgbm("lightgbm-forest", Z, boosting="rf", bagging_freq=1, bagging_fraction=0.6)
    lightgbm("lightgbm-ova", THREE, objective="multiclassova", num_class=3)
    lightgbm("lightgbm-codes", ZC, XC, [1], max_cat_to_onehot=2)
    small = dict(max_depth=3, random_state=1)
    for name, model, y in (
            ("forest-three", ensemble.RandomForestClassifier(3, **small), THREE),
            ("forest-several", ensemble.RandomForestClassifier(3, **small),
             np.column_stack([THREE, TWO])),
            ("forest", ensemble.ExtraTreesRegressor(3, **small), Z),
            ("boosting", ensemble.GradientBoostingClassifier(n_estimators=3, **small), TWO),
            ("histograms", ensemble.HistGradientBoostingClassifier(max_iter=2, **small), THREE),
            ("isolation", ensemble.IsolationForest(n_estimators=2, max_samples=20), TWO)):
        add(name, treelite.sklearn.import_model(model.fit(x, y)), x)
    zoo.write()


class Levels:
    """A table of numbers, texts and truth values, and hostile rows of it with texts by place."""

    def __init__(self):
        import pandas as pd
        self.texts = np.array(["u", "v", "w", "x"])
        n = 3 * N
        self.data = pd.DataFrame({"a": np.round(rng.normal(size=n), 2),
                                  "b": np.exp(rng.normal(size=n)),
                                  "c": self.texts[rng.integers(0, 4, n)]})
        self.y = self.data.a + np.sin(2 * self.data.b) + 2 * (self.data.c == "w")
        self.data.loc[::17, "a"] = np.nan
        self.two = np.where(self.y > 1, "yes", "no")
        self.three = np.array(["p", "q", "r"])[np.digitize(self.y, [0.3, 1.2])]
        self.count = np.abs(np.round(self.y))

    def rows(self, found, missing):
        numbers = hostile(self.data[["a", "b"]].to_numpy(), found, False, None)
        places = rng.integers(0, 5, ROWS)
        table = self.data.iloc[:ROWS].copy()
        table["a"], table["b"] = numbers.T
        table["c"] = np.append(self.texts, "new")[places]
        gone = rng.random(ROWS) < 0.1
        table.loc[gone, "c"] = missing
        return table, np.column_stack([numbers, np.where(gone, np.nan, places)])


def ydfs(ydf):
    """Serialized models. Margins are known where the response is one."""
    zoo = Zoo("ydf-0.16.1")
    ydf.verbose(0)
    table = Levels()

    def add(name, learner, y):
        data = table.data.assign(y=y)
        model = learner.train(data)
        content = model.serialize()
        columns = model.data_spec().columns
        found = {}

        def look(node):
            if node.is_leaf:
                return
            threshold = getattr(node.condition, "threshold", None)
            if isinstance(threshold, float):
                feature = "abc".index(columns[node.condition.attribute].name)
                found.setdefault(feature, []).append(threshold)
            look(node.neg_child)
            look(node.pos_child)
        for tree in model.get_all_trees():
            look(tree.root)
        rows, numbers = table.rows(found, "")
        # places of levels as the model has them
        items = [c for c in columns if c.name == "c"][0].categorical.items
        numbers[:, 2] = [np.nan if text == "" else items[text].index if text in items else
                         len(items) for text in rows["c"]]
        said = np.asarray(model.predict(rows)).reshape(ROWS, -1)
        exact = learner.__class__.__name__ != "GradientBoostedTreesLearner" or \
            np.asarray(y).dtype.kind == "f" and "loss" not in name
        rows["y"] = np.asarray(y)[:ROWS]
        zoo.add(name, "ydf", content, numbers, said if exact else np.empty((ROWS, 0)), said,
                model.predict_leaves(rows), 0)

    boosted, forest = ydf.GradientBoostedTreesLearner, ydf.RandomForestLearner
    few = dict(label="y", num_trees=3, max_depth=4)
    number = dict(task=ydf.Task.REGRESSION)
    add("boosted", boosted(**few, **number), table.y)
    add("boosted-binned", boosted(**few, **number, discretize_numerical_columns=True), table.y)
    add("boosted-large", boosted(label="y", num_trees=2, growing_strategy="BEST_FIRST_GLOBAL",
                                 max_num_nodes=90, max_depth=-1, min_examples=1, **number),
        table.y)
    add("boosted-loss-poisson", boosted(**few, **number, loss="POISSON"), table.count)
    add("boosted-two", boosted(**few), table.two)
    add("boosted-three", boosted(**few), table.three)
    add("forest", forest(**few, **number), table.y)
    add("forest-two", forest(**few), table.two)
    add("forest-three", forest(**few), table.three)
    add("forest-shares", forest(**few, winner_take_all=False), table.three)
    add("forest-many", forest(label="y", num_trees=48, max_depth=2), table.two)
    add("cart", ydf.CartLearner(label="y", **number), table.y)
    zoo.write()


def h2os(h2o):
    """MOJO files, without what is there to be looked at."""
    import io
    import zipfile
    from h2o.estimators import H2OGradientBoostingEstimator, H2ORandomForestEstimator
    from h2o.tree import H2OTree
    h2o.init(max_mem_size="1G", nthreads=1, bind_to_localhost=True)
    h2o.no_progress()
    zoo = Zoo(f"h2o-{h2o.__version__}")
    table = Levels()
    data = table.data.assign(y=table.y, two=table.two, three=table.three, count=table.count)
    data.loc[::23, "c"] = np.nan
    frame = h2o.H2OFrame(data, column_types={name: "enum" for name in ("c", "two", "three")},
                         na_strings=["nan", ""])

    def smaller(content):
        made = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as given, \
                zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as kept:
            for name in given.namelist():
                if not name.startswith("experimental"):
                    kept.writestr(zipfile.ZipInfo(name), given.read(name), zipfile.ZIP_DEFLATED)
        return made.getvalue()

    def add(name, model, y):
        model.train(["a", "b", "c"], y, frame)
        with tempfile.TemporaryDirectory() as folder:
            content = smaller(open(model.download_mojo(folder), "rb").read())
            path = os.path.join(folder, "small.zip")
            open(path, "wb").write(content)
            read = h2o.import_mojo(path)
        cuts = [t for tree in range(2) for t in H2OTree(
            model, tree, "p" if y == "three" else None).thresholds if t == t]
        rows, numbers = table.rows({0: cuts, 1: cuts}, None)
        given = h2o.H2OFrame(rows, column_types={"c": "enum"}, na_strings=["nan", ""])
        said = read.predict(given).as_data_frame()
        if y in ("two", "three"):
            said = said.iloc[:, 1:]
        leaf = model.predict_leaf_node_assignment(given, type="Node_ID").as_data_frame()
        # its reader of decimals may miss the nearest number
        lines = given[["a", "b"]].get_frame_data().strip().split("\n")[1:]
        numbers[:, :2] = [[float(x) if x else np.nan for x in line.split(",")] for line in lines]
        numbers[:, 2] += 1
        zoo.add(name, "h2o", content, numbers, np.empty((ROWS, 0)), said.to_numpy(), leaf, 0)

    few = dict(ntrees=2, max_depth=3, seed=1, min_rows=3)
    boosted, forest = H2OGradientBoostingEstimator, H2ORandomForestEstimator
    for name, y in (("gaussian", "y"), ("bernoulli", "two"), ("multinomial", "three"),
                    ("poisson", "count"), ("laplace", "y")):
        add(name, boosted(distribution=name, **few), y)
    for y in ("y", "two", "three"):
        add(f"forest-{y}", forest(**few), y)
    add("forest-double", forest(binomial_double_trees=True, **few), "two")
    zoo.write()
    h2o.cluster().shutdown()


for name, make in (("xgboost", xgboosts), ("lightgbm", lightgbms), ("catboost", catboosts),
                   ("onnxmltools", converted), ("skl2onnx", forests), ("treelite", treelites),
                   ("ydf", ydfs), ("h2o", h2os), ("catboost", catboost_levels)):
    if sys.argv[2:] and name not in sys.argv[2:]:
        continue
    try:
        library = __import__(name)
    except ImportError:
        continue
    make(library)
