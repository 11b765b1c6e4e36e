#!/usr/bin/env python3
"""Test accuracy of every measure and exact degree: docs/map_accuracy.md.

    DPSVM_DATA=FOLDER python3 tests/benchmarks/map_accuracy.py      fits what is missing, then prints the page
    python3 tests/benchmarks/map_accuracy.py --report               the page of what is there

Every fit is one line of results.csv, written when it is done: a run that was stopped goes on where it was, smallest D
first. Standard library only.
"""
import csv
import os
import statistics
import subprocess
import sys

import prepare
from bench_common import ROOT, arguments, train

SETS = ["adult", "spambase", "ijcnn1", "cod-rna", "nursery", "covertype"]
SCALING = {"ijcnn1": "min_max", "cod-rna": "min_max", "spambase": "standard"}  # as configs/paper; others max_abs
KERNELS = {
    "polynomial": {"kernel.type": "polynomial", "kernel.degree": 10, "kernel.offset": 1},
    "exponential": {"kernel.type": "exponential"},
}
SIZES = [50, 100, 200, 500, 1000]
MEASURES = ["geometric", "coefficient", "variance"]
EXACT = {"off": {"map.h01": "off"}, "1": {"map.h01": "on"}, "auto": {"map.exact_degree": "auto"}}
SPLITS = 5
SPLITS_OF_LARGEST = 3
MOST_TEST_ROWS = 20000
SEARCH_ROWS = 8000  # of the first split's training rows, which are shuffled
COSTS = "2^-5..2^16:3"
COLUMNS = ["set", "kernel", "D", "measure", "exact", "split", "C", "accuracy", "exact_degree", "width", "seconds"]


def splits_of(size):
    return SPLITS_OF_LARGEST if size == SIZES[-1] else SPLITS


def write_splits(folder, data):
    """The rows of prepare.py, shuffled SPLITS times."""
    os.makedirs(folder, exist_ok=True)
    for name in SETS:
        rows = None
        for k in range(SPLITS):
            train_rows, test_rows = os.path.join(folder, f"{name}.{k}.train"), os.path.join(folder, f"{name}.{k}.test")
            if os.path.exists(test_rows):
                continue
            rows = rows or prepare.SPLIT[name](data)
            train_part, test_part = prepare.split(rows, prepare.SHUFFLE_SEED + k)
            prepare.write(train_rows, train_part)
            if k == 0:
                prepare.write(os.path.join(folder, f"{name}.search"), train_part[:SEARCH_ROWS])
            prepare.write(test_rows, test_part[:MOST_TEST_ROWS])


def settings_of(name, kernel, size):
    return {"data.scaling": SCALING.get(name, "max_abs"), **KERNELS[kernel], "map.features": size,
            "solver.type": "newton", "solver.loss": "squared_hinge", "run.threads": 1}


def search_cost(options, name, kernel, size):
    """C of best mean accuracy of cross-validation, the mean also over the three measures with exact degrees 0 and 1."""
    place = os.path.join(options.out, f"{name}.{kernel}.{size}")
    settings = {**settings_of(name, kernel, size), "tune.solver.C": COSTS, "tune.map.measure": ",".join(MEASURES),
                "tune.folds": 3 if size == SIZES[-1] else 5,
                "tune.table": place + ".csv", "tune.journal": place + ".journal", "tune.ini": place + ".ini",
                "output.model": place + ".model"}
    if not os.path.exists(place + ".csv"):
        command = [options.dpsvm, "tune", os.path.join(options.splits, name + ".search"), "-q"]
        subprocess.run(command + [f"--{key}={value}" for key, value in settings.items()], check=True,
                       stdout=subprocess.DEVNULL)
    accuracy = {}
    with open(place + ".csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            accuracy.setdefault(float(row["solver.C"]), []).append(float(row["accuracy"]))
    return max(accuracy, key=lambda cost: (sum(accuracy[cost]), -cost))


def fit(options, name, settings, cost, split):
    place = os.path.join(options.splits, f"{name}.{split}")
    changes = {**settings, "data.train": place + ".train", "data.test": place + ".test", "solver.C": cost,
               "map.seed": split + 1}
    return train(options, **{key.replace(".", "__"): value for key, value in changes.items()})


def results(options):
    if not os.path.exists(options.results):
        return []
    with open(options.results, encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if None not in row.values()]


def fits(options):
    """What has to be fitted, smallest D first; the linear model, of D = 0, before all."""
    for name in options.chosen:
        for split in range(SPLITS):
            yield name, "linear", 0, "", "", split
    for size in SIZES:
        for name in options.chosen:
            for kernel in KERNELS:
                for split in range(splits_of(size)):
                    for measure in MEASURES:
                        for exact in EXACT:
                            yield name, kernel, size, measure, exact, split


def run(options):
    done = {tuple(row[column] for column in COLUMNS[:6]) for row in results(options)}
    costs = {}
    with open(options.results, "a", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        if file.tell() == 0:
            lines.writerow(COLUMNS)
        for key in fits(options):
            name, kernel, size, measure, exact, split = key
            if tuple(map(str, key)) in done:
                continue
            if kernel == "linear":
                cost = "auto"
                settings = {"kernel.type": "linear", "data.scaling": SCALING.get(name, "max_abs"), "run.threads": 1}
            else:
                if key[:3] not in costs:
                    costs[key[:3]] = search_cost(options, *key[:3])
                cost = costs[key[:3]]
                settings = {**settings_of(*key[:3]), "map.measure": measure, **EXACT[exact]}
            report = fit(options, name, settings, cost, split)
            lines.writerow([*key, report["solver"]["C"], f"{report['test_accuracy']:.6f}",
                            report["map"]["exact_degree"], report["map"]["width"], f"{report['seconds']:.3f}"])
            file.flush()


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "benchmarks", "maps"), help="results and splits")
    parser.add_argument("--report", action="store_true", help="fit nothing")
    options = parser.parse_args()
    options.chosen = options.sets.split(",") if options.sets else SETS
    options.splits = os.path.join(options.out, "splits")
    options.results = os.path.join(options.out, "results.csv")
    if not options.report:
        data = os.environ.get("DPSVM_DATA", "")
        if not data:
            print("skipped: set DPSVM_DATA to the folder with the raw data sets (docs/experiments.md)")
            return 0
        write_splits(options.splits, data)
        run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
