#!/usr/bin/env python3
"""What ONNX Runtime and XGBoost say of models that contree wrote: see forge_written.R.

Reads FOLDER/NAME.onnx and NAME.json with FOLDER/NAME.rows, doubles row after row; writes
NAME.onnx.said and NAME.json.said, doubles: the last output, margins.
"""
import pathlib
import sys

import numpy as np
import onnxruntime as ort
import xgboost as xgb

folder = pathlib.Path(sys.argv[1])
options = ort.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
for path in sorted(folder.glob("*.onnx")):
    session = ort.InferenceSession(str(path), options)
    given = session.get_inputs()[0]
    x = np.fromfile(path.with_suffix(".rows")).reshape(-1, given.shape[1])
    x = x.astype(np.float32 if given.type == "tensor(float)" else np.float64)
    # one row at a time: then trees are summed in their order
    said = [np.asarray(session.run(None, {given.name: x[i:i + 1]})[-1]).ravel()
            for i in range(len(x))]
    np.array(said, dtype=np.float64).tofile(f"{path}.said")
for path in sorted(folder.glob("*.json")):
    booster = xgb.Booster(model_file=str(path))
    x = np.fromfile(path.with_suffix(".rows")).reshape(-1, booster.num_features())
    types = booster.feature_types
    data = xgb.DMatrix(x.astype(np.float32), feature_names=booster.feature_names,
                       feature_types=types, enable_categorical=bool(types) and "c" in types)
    booster.predict(data, output_margin=True).astype(np.float64).tofile(f"{path}.said")
