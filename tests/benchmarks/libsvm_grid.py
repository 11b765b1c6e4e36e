#!/usr/bin/env python3
"""LIBSVM's RBF kernel, tuned as its guide says: what the two-line configuration is measured against.

    python3 tests/benchmarks/libsvm_grid.py [--data build/benchmarks] [--sets a,b] [--fit]

Columns are brought to [0, 1] by svm-scale, fitted on the training rows. The grid of grid.py: C in 2^-5 .. 2^15, gamma
in 2^-15 .. 2^3, steps of 4 in value; 5-fold cross-validation (svm-train -v 5) on the first 5,000 training rows, which
prepare.py has shuffled. A point that takes more than 60 seconds of CPU is not chosen. The coarse half of the grid is
done first for every set, then the surroundings of its best point, then the rest. --fit: then one svm-train on all
training rows at the best point, timed, and its test accuracy.
Each result is kept as one line of libsvm_grid.jsonl (speed_common.Store), so that a stopped run goes on where it was.
"""
import os
import resource
import subprocess

import bench_common
import speed_common

SETS = ["nursery", "spambase", "cod-rna", "adult", "ijcnn1", "covertype"]
MOST_ROWS = 5000
SECONDS = 60
LOG2_C = range(-5, 16, 2)
LOG2_GAMMA = range(-15, 4, 2)


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def scaled(data, name, kind):
    """The set's rows as svm-scale writes them, made when they are missing."""
    path = os.path.join(speed_common.OUT, f"{name}.scaled.{kind}")
    if os.path.exists(path):
        return path
    ranges = os.path.join(speed_common.OUT, f"{name}.range")
    source = os.path.join(data, f"{name}.{'train' if kind == 'cv' else kind}")
    if kind == "cv":
        with open(scaled(data, name, "train"), encoding="ascii") as file:
            lines = [line for _, line in zip(range(MOST_ROWS), file)]
        text = "".join(lines)
    else:
        how = ["-l", "0", "-u", "1", "-s", ranges] if kind == "train" else ["-r", ranges]
        text = subprocess.run(["svm-scale", *how, source], capture_output=True, text=True, check=True).stdout
    with open(path + ".part", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(path + ".part", path)
    return path


def validate(store, data, name, point):
    """5-fold accuracy in percent of 2^point; None: took too long."""
    found = store.get(name, *point)
    if found is None:
        cost, gamma = point
        command = ["svm-train", "-q", "-m", "400", "-v", "5", "-c", str(2.0**cost), "-g", str(2.0**gamma)]
        done = subprocess.run(command + [scaled(data, name, "cv")], capture_output=True, text=True, preexec_fn=limit_cpu)
        found = {"accuracy": None}
        if done.returncode == 0:
            found["accuracy"] = float(done.stdout.split("Accuracy = ")[1].split("%")[0])
        store.put(found, name, *point)
        print(name, point, found, flush=True)
    return found["accuracy"]


def best(store, name):
    """The best point of those done: accuracy, (log2 C, log2 gamma); ties: the smaller C, then gamma."""
    done = []
    for cost in LOG2_C:
        for gamma in LOG2_GAMMA:
            found = store.get(name, cost, gamma)
            if found and found["accuracy"] is not None:
                done.append((found["accuracy"], -cost, -gamma))
    accuracy, cost, gamma = max(done)
    return accuracy, (-cost, -gamma)


def tried(store, name):
    """How many points of the grid are done, of how many."""
    points = [(cost, gamma) for cost in LOG2_C for gamma in LOG2_GAMMA]
    return f"{sum(store.get(name, *point) is not None for point in points)}/{len(points)}"


def grid(store, data, sets):
    for name in sets:
        for cost in LOG2_C[::2]:
            for gamma in LOG2_GAMMA[::2]:
                validate(store, data, name, (cost, gamma))
    for name in sets:
        centre = None
        while centre != best(store, name)[1]:
            centre = best(store, name)[1]
            for cost in LOG2_C:
                for gamma in LOG2_GAMMA:
                    if abs(cost - centre[0]) <= 2 and abs(gamma - centre[1]) <= 2:
                        validate(store, data, name, (cost, gamma))
    for name in sets:
        for cost in LOG2_C:
            for gamma in LOG2_GAMMA:
                validate(store, data, name, (cost, gamma))


def fit(store, data, name):
    """One svm-train on all training rows at the best point: seconds and test accuracy."""
    _, (cost, gamma) = best(store, name)
    found = store.get(name, "fit", cost, gamma)
    if found is None:
        train, test = scaled(data, name, "train"), scaled(data, name, "test")
        model = os.path.join(speed_common.OUT, f"{name}.libsvm")
        command = ["svm-train", "-q", "-m", 1000, "-c", 2.0**cost, "-g", 2.0**gamma, train, model]
        found = speed_common.timed(command, on=speed_common.cores(1))
        said = subprocess.run(["svm-predict", test, model, os.devnull], capture_output=True, text=True, check=True)
        found["accuracy"] = float(said.stdout.split("Accuracy = ")[1].split("%")[0])
        store.put(found, name, "fit", cost, gamma)
        print(name, "fit", (cost, gamma), found, flush=True)
    return found


def main():
    parser = bench_common.arguments(__doc__.split("\n")[0])
    parser.add_argument("--fit", action="store_true", help="fit on all training rows at the best point so far, no grid")
    options = parser.parse_args()
    store = speed_common.Store("libsvm_grid")
    sets = bench_common.chosen(options, SETS)
    if options.fit:
        for name in sets:
            fit(store, options.data, name)
    else:
        grid(store, options.data, sets)


if __name__ == "__main__":
    main()
