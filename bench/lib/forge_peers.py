"""Models of other libraries, and how long these take to predict: the Python side of bench/forge.R.

    python forge_peers.py make FOLDER      writes models, their rows and their margins
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


def write(name, features, margin):
    x, _ = data(features, N_ROWS, 2)
    x.astype(np.float64).T.tofile(f"{folder}/{name}.rows")
    np.asarray(margin(x), dtype=np.float64).tofile(f"{folder}/{name}.margin")
    with open(f"{folder}/{name}.features", "w") as file:
        file.write(str(features))


def make_xgboost():
    import xgboost as xgb
    for name, trees, features, depth in grid():
        x, y = data(features, N_TRAIN, 1)
        model = xgb.train(dict(max_depth=depth, eta=0.1, nthread=1, min_child_weight=0,
                               colsample_bynode=min(1, 16 / features)),
                          xgb.DMatrix(x, y), trees)
        model.save_model(f"{folder}/{name}.ubj")
        write(name, features, lambda x: model.predict(xgb.DMatrix(x), output_margin=True))


def make_lightgbm():
    import lightgbm as lgb
    for trees in (20, 100, 300):
        x, y = data(64, 5 * N_TRAIN, 1)
        model = lgb.train(dict(num_leaves=255, min_data_in_leaf=5, verbosity=-1, num_threads=1,
                               learning_rate=0.1, feature_fraction=0.3), lgb.Dataset(x, y), trees)
        model.save_model(f"{folder}/lgb-{trees}.txt")
        write(f"lgb-{trees}", 64, lambda x: model.predict(x.astype(np.float64), raw_score=True))


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


def onnxruntime(name):
    import onnxmltools
    import onnxruntime as ort
    import xgboost as xgb
    from onnxmltools.convert.common.data_types import FloatTensorType
    n = int(open(f"{folder}/{name}.features").read())
    model = xgb.XGBRegressor()
    model.load_model(f"{folder}/{name}.ubj")
    graph = onnxmltools.convert_xgboost(model, initial_types=[("x", FloatTensorType([None, n]))])
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(graph.SerializeToString(), options)
    return lambda x: session.run(None, {"x": x})


def sklearn(name):
    from sklearn.ensemble import RandomForestRegressor
    x, y = data(10, N_TRAIN, 1)
    model = RandomForestRegressor(500, n_jobs=1, random_state=1).fit(x, y)
    return lambda x: model.predict(x)


PEERS = {"xgboost": xgboost, "xgboost-shap": xgboost_shap, "lightgbm": lightgbm,
         "lightgbm-shap": lightgbm_shap, "lleaves": lleaves, "tl2cgen": tl2cgen,
         "onnxruntime": onnxruntime, "scikit-learn": sklearn}


def seconds(run, x):
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
            if (peer, name) not in known:
                known.clear()
                known[peer, name] = PEERS[peer](name)
            features = int(open(f"{folder}/{name}.features").read())
            x, _ = data(features, N_ROWS, 2)
            answer = seconds(known[peer, name], np.ascontiguousarray(x[:int(n)]))
        except Exception as problem:  # noqa: BLE001, a benchmark goes on
            print(problem, file=sys.stderr)
            answer = "NA"
        print(answer, file=replies, flush=True)


if sys.argv[1] == "make":
    os.makedirs(folder, exist_ok=True)
    make_lightgbm()
    make_xgboost()
else:
    serve()
