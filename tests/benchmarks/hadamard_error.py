#!/usr/bin/env python3
"""Kernel error of Walsh-Hadamard projections beside that of Rademacher's, on the six sets: docs/evidence/kernel_error.md.
Mean |error| of 100 rows in percent of the mean of K(x, x), mean over maps and its 95 % confidence interval.

    python3 tests/benchmarks/hadamard_error.py       a table in Markdown; needs what prepare.py wrote

Standard library only.
"""
import json
import os
import subprocess
import sys

from bench_common import arguments, chosen, data_file, table
from map_accuracy import KERNELS, SCALING, SETS, UNIT_NORM

SIZES = [100, 300, 1000]
# Under the geometric measure the mean error of the exponential kernel on Cod-RNA hangs on a few maps of 500.
MEASURE = {"polynomial": "geometric", "exponential": "coefficient"}
PROJECTIONS = ["rademacher", "hadamard"]
RUNS = 500  # maps of seeds 1 .. RUNS
ROWS = 100


def measure(options, name, kernel, projection):
    settings = {"data.scaling": SCALING.get(name, "max_abs"), **KERNELS[kernel], "map.projection": projection,
                "map.measure": MEASURE[kernel], "run.threads": 1,
                "data.normalize": "unit" if (name, kernel) in UNIT_NORM else "max_norm"}
    command = [options.dpsvm, "kernel", data_file(options, name + ".train"), "-q", "--format", "json",
               "--rows", str(ROWS), "--runs", str(RUNS), "--sizes", ",".join(map(str, SIZES))]
    command += [f"--{key}={value}" for key, value in settings.items()]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    unit = report["mean_diagonal"] / 100
    return [{key: point["mean"][key] / unit for key in ("mean", "half_width")} for point in report["maps"][0]["points"]]


def cell(value):
    return f"{value['mean']:.3g} +- {value['half_width']:.1g}"


def rows(options):
    for kernel in KERNELS:
        sums = {}
        names = chosen(options, SETS)
        for name in names:
            found = {projection: measure(options, name, kernel, projection) for projection in PROJECTIONS}
            line = [kernel, name]
            for k in range(len(SIZES)):
                for projection in found:
                    sums[projection, k] = sums.get((projection, k), 0) + found[projection][k]["mean"]
                    line.append(cell(found[projection][k]))
            yield line
        line = [kernel, "mean of the sets"]
        for k in range(len(SIZES)):
            line += [f"{sums['rademacher', k] / len(names):.3g}",
                     f"{sums['hadamard', k] / len(names):.3g} ({sums['hadamard', k] / sums['rademacher', k]:.2f})"]
        yield line


def main():
    options = arguments(__doc__.split("\n")[0]).parse_args()
    head = ["kernel", "set"]
    for size in SIZES:
        head += [f"D = {size}: rademacher", "hadamard"]
    table(head, rows(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
