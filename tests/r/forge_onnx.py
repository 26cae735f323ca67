#!/usr/bin/env python3
"""Small models of ONNX with what ONNX Runtime says of them, for test-forge-onnx.R.

    build/venv/bin/python tests/r/forge_onnx.py [FOLDER]

Writes into FOLDER (tests/testthat/fixtures/forge) NAME.onnx.gz, NAME.onnx-scores.gz, doubles row
after row, and onnx.rows.gz, the rows of all. Needs numpy, onnx, onnxruntime, onnxmltools, skl2onnx,
scikit-learn, xgboost and lightgbm (written with onnx 1.23, onnxruntime 1.32).
"""
import gzip
import sys
import warnings

import lightgbm as lgb
import numpy as np
import onnx
import onnxmltools
import onnxruntime as ort
import xgboost as xgb
from onnx import TensorProto, helper, numpy_helper
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

warnings.filterwarnings("ignore")
folder = sys.argv[1] if len(sys.argv) > 1 else "tests/testthat/fixtures/forge"
draw = np.random.default_rng(1)
X = draw.standard_normal((300, 5)).astype(np.float32)
Z = X[:, 0] * X[:, 1] + X[:, 2]
two, three = (Z > 0).astype(int), np.digitize(Z, [-0.5, 0.5])


def compressed(name, data):
    with open(f"{folder}/{name}.gz", "wb") as raw:
        with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
            file.write(data)


def record(name, model):
    for part in ("doc_string", "producer_version"):
        model.ClearField(part)
    found = [v for node in model.graph.node for a in node.attribute if a.name == "nodes_values"
             for v in a.floats]
    found += [v for node in model.graph.node for a in node.attribute if a.name == "nodes_splits"
              for v in numpy_helper.to_array(a.t)]
    rows[name] = np.array(found, dtype=np.float32)
    models[name] = model


def table():
    t = np.unique(np.concatenate(list(rows.values())))
    t = np.concatenate([t, np.nextafter(t, np.float32(9)), np.nextafter(t, np.float32(-9))])
    values = np.concatenate([t, np.array([0, -0.0, np.inf, -np.inf, 1e-45], dtype=np.float32)])
    return draw.choice(values, (120, 5)).astype(np.float32)


def tensor(values, kind=TensorProto.FLOAT):
    return helper.make_tensor("t", kind, [len(values)], values)


# Version 5: x0 <= 0 ? (x1 > 0.5 ? 1 : 2) : 4, and a tree that is a leaf
def version_5():
    node = helper.make_node(
        "TreeEnsemble", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1, aggregate_function=1,
        post_transform=0, tree_roots=[0, 2], nodes_featureids=[0, 1, 0],
        nodes_splits=tensor([0.0, 0.5, 0.0]), nodes_modes=tensor([0, 3, 0], TensorProto.UINT8),
        nodes_truenodeids=[1, 0, 3], nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[2, 1, 3],
        nodes_falseleafs=[1, 1, 1], leaf_targetids=[0, 0, 0, 0],
        leaf_weights=tensor([1.0, 2.0, 4.0, 0.25]),
        nodes_missing_value_tracks_true=[1, 0, 0])
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 1])])
    return helper.make_model(graph, ir_version=10,
                             opset_imports=[helper.make_opsetid("ai.onnx.ml", 5)])


rows, models = {}, {}
record("onnx-forest", to_onnx(RandomForestRegressor(4, max_depth=4, random_state=1).fit(X, Z),
                              X[:1]))
record("onnx-classes", to_onnx(RandomForestClassifier(4, max_depth=3, random_state=1).fit(X, three),
                               X[:1], options={"zipmap": False}))
types = [("x", FloatTensorType([None, 5]))]
record("onnx-xgb", onnxmltools.convert_xgboost(
    xgb.XGBRegressor(n_estimators=4, max_depth=3).fit(X, Z), initial_types=types))
record("onnx-xgb-two", onnxmltools.convert_xgboost(
    xgb.XGBClassifier(n_estimators=4, max_depth=3).fit(X, two), initial_types=types))
record("onnx-xgb-three", onnxmltools.convert_xgboost(
    xgb.XGBClassifier(n_estimators=3, max_depth=3).fit(X, three), initial_types=types))
record("onnx-lgb", onnxmltools.convert_lightgbm(
    lgb.LGBMRegressor(n_estimators=4, num_leaves=6, verbose=-1).fit(X, Z), initial_types=types))
record("onnx-5", version_5())
x = table()
x[:10, 0] = np.nan
compressed("onnx.rows", x.astype(np.float64).tobytes())
options = ort.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
for name, model in models.items():
    data = model.SerializeToString()
    compressed(f"{name}.onnx", data)
    session = ort.InferenceSession(data, options)
    # one row at a time: then trees are summed in their order
    said = [np.asarray(session.run(None, {session.get_inputs()[0].name: x[i:i + 1]})[-1]).ravel()
            for i in range(len(x))]
    compressed(f"{name}.onnx-scores", np.array(said, dtype=np.float64).tobytes())
    print(name, len(data), said[0])
