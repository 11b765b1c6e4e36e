"""For test_kernel_model.sh: the errors of a map from the kernel of its metric, computed anew.

    kernel_error.py REPORT ROWS MAPPED KIND

REPORT: of `dpsvm kernel MODEL ROWS --report`, from which T, factor and the kernel's numbers are taken. ROWS: LIBSVM text,
no more of it than are sampled, for a model that does not scale. MAPPED: what `dpsvm transform --format csv` made of them.
KIND: the kernel, by its closed form here. Prints what differs from the errors in the report, and exits with 1."""
import json
import math
import struct
import sys

report_path, rows_path, mapped_path, kind = sys.argv[1:]
with open(report_path, encoding="ascii") as file:
    report = json.load(file)
metric = report["metric"]
names = [column["feature"] for column in metric["columns"]] if metric else []


def single(text):
    """As the program holds scaled rows."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def read_row(line):
    return {int(index): single(value) for index, value in (field.split(":") for field in line.split()[1:])}


with open(rows_path, encoding="ascii") as file:
    rows = [read_row(line) for line in file]
with open(mapped_path, encoding="ascii") as file:
    mapped = [[float(value) for value in line.split(",")[:-1]] for line in file]
if not names:
    names = [f"feature {j}" for j in sorted({j for row in rows for j in row})]
place = {int(name.split()[1]): k for k, name in enumerate(names)}


def moved(row):
    """x T"""
    y = [0.0] * len(names)
    for index, x in row.items():
        j = place[index]
        t = metric["columns"][j]["t"] if metric else None
        for k in [j] if t is None or metric["diagonal"] else range(len(names)):
            y[k] += x * (1.0 if t is None else t[0] if metric["diagonal"] else t[k])
    return y


def dot(x, y):
    return math.fsum(a * b for a, b in zip(x, y))


def rbf(x, y):
    return math.exp(-report["map"]["gamma"] * math.fsum((a - b) ** 2 for a, b in zip(x, y)))


def laplacian(x, y):
    return math.exp(-report["map"]["gamma"] * math.fsum(abs(a - b) for a, b in zip(x, y)))


# of a refined fourier map the rows stand beside the cosines, with a = 1 / mean |x|^2 over training rows
linear = report["kernel"].get("gamma", 0.0) if report["map"]["exact_degree"] == 1 else 0.0
kernels = {"rbf": lambda x, y: rbf(x, y) + linear * dot(x, y), "laplacian": laplacian,
           "cubic": lambda x, y: (dot(x, y) + 1) ** 3, "exp": lambda x, y: math.exp(dot(x, y) / report["kernel"]["sigma"] ** 2),
           "exp_rbf": lambda x, y: math.exp(rbf(x, y) / report["kernel"]["sigma"] ** 2), "linear": dot}
seen = [moved(row) for row in rows]
scale = report["map"]["factor"] ** -2
exact = [[kernels[kind](x, y) for y in seen] for x in seen]
errors = [scale * dot(a, b) - k for a, line in zip(mapped, exact) for b, k in zip(mapped, line)]
found = {"mean": math.fsum(map(abs, errors)) / len(errors), "max": max(map(abs, errors)),
         "rms": math.sqrt(math.fsum(e * e for e in errors) / len(errors))}
found["relative_frobenius"] = found["rms"] / math.sqrt(math.fsum(k * k for line in exact for k in line) / len(errors))
points = report["maps"][0]["points"]
assert report["maps"][0]["name"] == "model" and len(points) == 1
largest = max(abs(k) for line in exact for k in line)
wrong = [f"{name}: {points[0][name]['mean']} in the report, {value} here" for name, value in found.items()
         if not abs(points[0][name]["mean"] - value) <= 1e-5 * value + 1e-7 * (largest if name != "relative_frobenius" else 1)]
diagonal = math.fsum(exact[i][i] for i in range(len(rows))) / len(rows)
if not abs(report["mean_diagonal"] - diagonal) <= 1e-9 * diagonal:
    wrong.append(f"mean_diagonal: {report['mean_diagonal']} in the report, {diagonal} here")
print("\n".join(wrong))
sys.exit(bool(wrong))
