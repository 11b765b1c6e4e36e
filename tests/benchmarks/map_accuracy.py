#!/usr/bin/env python3
"""Test accuracy of every measure and exact degree: docs/evidence/map_accuracy.md.

    DPSVM_DATA=FOLDER python3 tests/benchmarks/map_accuracy.py      fits what is missing, then prints the page
    python3 tests/benchmarks/map_accuracy.py --report               the page of what is there

Every fit is one line of results.csv, written when it is done: a run that was stopped goes on where it was. The page is
docs/evidence/map_accuracy.md from its second heading on, and docs/evidence/map_accuracy.csv. Standard library only.
"""
import csv
import os
import statistics
import subprocess
import sys

import prepare
from bench_common import ROOT, arguments, table, train

SETS = ["adult", "spambase", "ijcnn1", "cod-rna", "nursery", "covertype"]
SCALING = {"ijcnn1": "min_max", "cod-rna": "min_max", "spambase": "standard"}  # as configs/paper; others max_abs
# Rows of Spambase are of norms far apart: exp(t / s^2) over them is a few rows' kernel, and training says so (coverage
# 0 %, "data.normalize = unit").
UNIT_NORM = [("spambase", "exponential")]
KERNELS = {
    "polynomial": {"kernel.type": "polynomial", "kernel.degree": 10, "kernel.offset": 1},
    "exponential": {"kernel.type": "exponential"},
}
SIZES = [50, 100, 200, 500, 1000]
MEASURES = ["geometric", "coefficient", "variance"]
EXACT = {"off": {"map.h01": "off"}, "1": {"map.h01": "on"}, "auto": {"map.exact_degree": "auto"}}
SPLITS = 5
# In this order, so that a part of the table is useful: sizes and their splits.
ORDER = [(50, range(5)), (100, range(5)), (200, range(5)), (500, range(3)), (1000, range(1)), (500, range(3, 5)),
         (1000, range(1, 3))]
MOST_TEST_ROWS = 20000
SEARCH_ROWS = 8000  # of the first split's training rows, which are shuffled
COSTS = [2.0**k for k in range(-5, 17, 3)]
NARROWED_AT = 500  # from this D on: 3 folds instead of 5, and four costs around that of D = 200
NARROWED = [1 / 64, 1 / 8, 1, 8]
COLUMNS = ["set", "kernel", "D", "measure", "exact", "split", "C", "accuracy", "exact_degree", "width", "seconds"]


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
            "data.normalize": "unit" if (name, kernel) in UNIT_NORM else "max_norm", "solver.type": "newton",
            "solver.loss": "squared_hinge", "run.threads": 1}


def search_cost(options, name, kernel, size):
    """C of best mean accuracy of cross-validation, the mean also over the three measures with exact degrees 0 and 1."""
    place = os.path.join(options.out, f"{name}.{kernel}.{size}")
    narrow = size >= NARROWED_AT
    costs = [factor * search_cost(options, name, kernel, 200) for factor in NARROWED] if narrow else COSTS
    settings = {**settings_of(name, kernel, size), "tune.solver.C": ",".join(map(str, costs)),
                "tune.map.measure": ",".join(MEASURES), "tune.folds": 3 if narrow else 5,
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
    """What has to be fitted; the linear model, of D = 0, before all."""
    for name in options.chosen:
        for split in range(SPLITS):
            yield name, "linear", 0, "", "", split
    for size, splits in ORDER:
        for split in splits:
            for name in options.chosen:
                for kernel in KERNELS:
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


def cells(options):
    """(set, kernel, D, measure, exact) -> {split: (accuracy in percent, D')}, and C of (set, kernel, D)."""
    found, cost = {}, {}
    for row in results(options):
        key = (row["set"], row["kernel"], int(row["D"]), row["measure"], row["exact"])
        found.setdefault(key, {})[int(row["split"])] = (100 * float(row["accuracy"]), int(row["width"]))
        cost[key[:3]] = float(row["C"])
    return found, cost


def mean(values):
    return statistics.fmean(values)


def accuracy_text(splits):
    values = [value[0] for value in splits.values()]
    spread = f" +- {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{mean(values):.2f}{spread}"


def all_cells(found, name, kernel, size):
    return [found.get((name, kernel, size, measure, exact)) for measure in MEASURES for exact in EXACT]


def set_table(found, cost, name):
    head = ["kernel", "D", "C", "splits", "D' (off, 1, auto)"]
    table(head + [f"{measure}, {exact}" for measure in MEASURES for exact in EXACT], (
        [kernel, size, f"{cost[name, kernel, size]:g}", min(map(len, line)),
         ", ".join(f"{mean([v[1] for v in part.values()]):.0f}" for part in line[:3])] + list(map(accuracy_text, line))
        for size in SIZES for kernel in KERNELS
        for line in [all_cells(found, name, kernel, size)] if all(line)))


def paired(found, kernel, size, one, other, names):
    """Mean over sets of the mean difference split by split, with its standard error where every set has two splits."""
    by_set = []
    for name in names:
        a, b = found.get((name, kernel, size) + one, {}), found.get((name, kernel, size) + other, {})
        both = [a[k][0] - b[k][0] for k in a if k in b]
        if both:
            by_set.append(both)
    if not by_set:
        return "-"
    errors = [statistics.variance(v) / len(v) for v in by_set if len(v) > 1]
    text = f"{mean([mean(v) for v in by_set]):+.2f}"
    if len(errors) == len(by_set):
        text += f" +- {sum(errors) ** 0.5 / len(by_set):.2f}"
    return text + (f" ({len(by_set)} sets)" if len(by_set) < len(names) else "")


CONTRASTS = [
    ("H0/1 against none, geometric", ("geometric", "1"), ("geometric", "off")),
    ("auto against 1, geometric", ("geometric", "auto"), ("geometric", "1")),
    ("coefficient against geometric, exact 1", ("coefficient", "1"), ("geometric", "1")),
    ("variance against geometric, exact 1", ("variance", "1"), ("geometric", "1")),
    ("coefficient against geometric, exact off", ("coefficient", "off"), ("geometric", "off")),
    ("variance against geometric, exact off", ("variance", "off"), ("geometric", "off")),
]


def contrast_rows(found, names):
    for kernel in KERNELS:
        for text, one, other in CONTRASTS:
            yield [kernel, text] + [paired(found, kernel, size, one, other, names) for size in SIZES]


def write_summary(options, found, cost):
    with open(os.path.join(ROOT, "docs", "evidence", "map_accuracy.csv"), "w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["set", "kernel", "D", "measure", "exact", "C", "splits", "accuracy", "deviation", "width"])
        for key, splits in found.items():
            values = [value[0] for value in splits.values()]
            lines.writerow([*key, f"{cost[key[:3]]:g}" if key[2] else "auto", len(values), f"{mean(values):.3f}",
                            f"{statistics.stdev(values):.3f}" if len(values) > 1 else "",
                            f"{mean([v[1] for v in splits.values()]):.1f}"])


def report(options):
    found, cost = cells(options)
    print("## Differences\n\nPercentage points, mean over the sets, with its standard error where there are two splits.\n")
    table(["kernel", "difference"] + [f"D = {size}" for size in SIZES], contrast_rows(found, options.chosen))
    for name in options.chosen:
        linear = found.get((name, "linear", 0, "", ""))
        print(f"\n## {name}\n" + (f"\nLinear: {accuracy_text(linear)}\n" if linear else ""))
        set_table(found, cost, name)
    write_summary(options, found, cost)


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
            print("skipped: set DPSVM_DATA to the folder with the raw data sets (docs/evidence/experiments.md)")
            return 0
        write_splits(options.splits, data)
        run(options)
    report(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
