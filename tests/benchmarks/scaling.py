#!/usr/bin/env python3
"""Test accuracy by data.scaling: the table in section 2 of docs/guide.md.

    DPSVM_DATA=FOLDER python3 tests/benchmarks/scaling.py

The splits of map_accuracy.py, C by cross-validation on the training rows; a linear model, and one with random features.
"""
import os
import statistics
import sys

import map_accuracy
from bench_common import ROOT, arguments, table, train

SCALINGS = ["max_abs", "standard", "log", "rank"]
MODELS = {"linear": {"kernel__type": "linear"},
          "polynomial": {"kernel__type": "polynomial", "kernel__degree": 10, "map__features": 200}}
SPLITS = 3


def accuracy(options, name, model, scaling):
    values = []
    for split in range(SPLITS):
        place = os.path.join(options.splits, f"{name}.{split}")
        report = train(options, data__train=place + ".train", data__test=place + ".test", data__scaling=scaling,
                       solver__C="auto", map__seed=split + 1, output__baseline="off", run__threads=1, **MODELS[model])
        values.append(100 * report["test_accuracy"])
    return f"{statistics.fmean(values):.2f} +- {statistics.stdev(values):.2f}"


def main():
    parser = arguments(__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--splits", default=os.path.join(ROOT, "build", "benchmarks", "maps", "splits"))
    options = parser.parse_args()
    data = os.environ.get("DPSVM_DATA", "")
    if not data:
        print("skipped: set DPSVM_DATA to the folder with the raw data sets (docs/evidence/experiments.md)")
        return 0
    map_accuracy.write_splits(options.splits, data)
    names = options.sets.split(",") if options.sets else map_accuracy.SETS
    table(["model", "set", *SCALINGS], ([model, name, *(accuracy(options, name, model, scaling) for scaling in SCALINGS)]
                                        for model in MODELS for name in names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
