"""onnx_scores.py MODEL.onnx ROWS EXPECTED TOLERANCE [--proba | --class] [--info INFO.json]

Checks an exported graph by the checker and the shape inference of python3-onnx and runs it by the
operators' definitions (numpy; onnx 1.12 has no evaluator of its own). ROWS: LIBSVM text, or with --info
the columns of a table with commas, texts to codes by the code book of `dpsvm info --json`. EXPECTED: what
`dpsvm predict` says. Differences count against the largest number of their file, at least 1."""
import json
import math
import sys

import numpy as np
import onnx
from onnx import checker, numpy_helper, shape_inference

TYPES = {1: np.float32, 3: np.int8, 7: np.int64, 8: object, 11: np.float64}


def attributes(node):
    return {a.name: a.i for a in node.attribute}


def clip(x, low, high):
    assert low.shape == () and high.shape == ()
    return np.minimum(np.maximum(x, low), high)


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


def argmax(x, axis, keepdims):
    assert keepdims == 0
    return np.argmax(x, axis=axis)


OPERATORS = {
    "Identity": lambda x: x, "Abs": np.abs, "Sign": np.sign, "Log": np.log, "Sqrt": np.sqrt, "Sin": np.sin,
    "IsNaN": np.isnan, "Sigmoid": sigmoid, "Add": np.add, "Sub": np.subtract, "Mul": np.multiply,
    "Div": np.divide, "MatMul": np.matmul, "Greater": np.greater, "Equal": np.equal, "Where": np.where,
    "Clip": clip, "Cast": lambda x, to: x.astype(TYPES[to]), "Concat": lambda *x, axis: np.concatenate(x, axis),
    "Gather": lambda x, i, axis: np.take(x, i, axis), "ArgMax": argmax,
    "ReduceSum": lambda x, axes, keepdims: np.sum(x, tuple(axes), keepdims=bool(keepdims)),
    "Squeeze": lambda x, axes: np.squeeze(x, tuple(axes)), "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)),
}


def run(model, rows):
    value = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    (row,) = model.graph.input
    value[row.name] = rows
    assert row.type.tensor_type.elem_type == 11
    assert row.type.tensor_type.shape.dim[1].dim_value == rows.shape[1], rows.shape
    for node in model.graph.node:
        (output,) = node.output
        with np.errstate(all="ignore"):
            value[output] = OPERATORS[node.op_type](*[value[name] for name in node.input], **attributes(node))
    for output in model.graph.output:
        found, kind = value[output.name], output.type.tensor_type
        assert found.dtype == TYPES[kind.elem_type] or kind.elem_type == 8, (output.name, found.dtype)
        assert found.shape[0] == len(rows) and found.ndim == len(kind.shape.dim), (output.name, found.shape)
        assert found.shape[1:] == tuple(d.dim_value for d in kind.shape.dim[1:]), (output.name, found.shape)
    return {output.name: value[output.name] for output in model.graph.output}


def libsvm_rows(path, columns):
    rows = []
    for line in open(path):
        row = np.zeros(columns)
        for index, number in (pair.split(":") for pair in line.split() if ":" in pair):
            if int(index) <= columns:
                row[int(index) - 1] = float(number)
        rows.append(row)
    return np.array(rows)


def code(text, column):
    if "values" not in column:
        return float(text or "nan")
    if text == "":
        return math.nan
    if text in column["values"]:
        return column["values"].index(text)
    return len(column["values"]) if column["others_are_a_value"] else -1


def table_rows(path, info):
    roles = ("number", "onehot", "ordinal")
    columns = [c for c in json.load(open(info))["data"]["table"] if c["role"] in roles]
    return np.array([[code(text, c) for text, c in zip(line.rstrip("\n").split(","), columns)] for line in open(path)],
                    dtype=float)


def main():
    path, rows, expected, tolerance, *rest = sys.argv[1:]
    model = onnx.load(path)
    checker.check_model(model, full_check=True)
    shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    width = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    table = "--info" in rest
    given = table_rows(rows, rest[rest.index("--info") + 1]) if table else libsvm_rows(rows, width)
    outputs = run(model, given)
    lines = [line.split() for line in open(expected)]
    if "--class" in rest:
        said = [label.decode() if isinstance(label, bytes) else label for label in outputs["label"]]
        wrong = sum(a != b[0] for a, b in zip(said, lines))
        if wrong > 0 or len(said) != len(lines):
            sys.exit(f"{wrong} of {len(said)} labels differ")
        return
    found = outputs["probabilities" if "--proba" in rest else "scores"]
    wanted = np.array(lines, dtype=float)
    if found.shape != wanted.shape:
        sys.exit(f"expected {wanted.shape}, found {found.shape}")
    error = np.max(np.abs(found - wanted)) / max(1, np.max(np.abs(wanted)))
    print(f"{path}: {error:.2g}")
    if not error <= float(tolerance):
        sys.exit(f"the largest difference is {error:.3g}, more than {tolerance}")


main()
