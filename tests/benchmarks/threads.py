#!/usr/bin/env python3
"""Two threads against one, from text to model, with kept rows: build/bench/threads.md, .csv.

    ./dev.sh bench threads

Synthetic rows of 22 columns, D' 512, polynomial kernel, newton to a gap of 1e-3; threads in turn, the least of the runs.
"""
import json
import os
import random
import sys

import speed_common as common
from bench_common import ROOT, arguments

COLUMNS, FEATURES, RUNS = 22, 490, 5
STAGES = ("parse", "scale", "map", "solve")


def write_rows(path, rows):
    noise = random.Random(3)
    weight = [noise.gauss(0, 1) for _ in range(COLUMNS)]
    with open(path, "w", encoding="ascii") as file:
        for _ in range(rows):
            x = [noise.uniform(-1, 1) for _ in range(COLUMNS)]
            score = sum(a * b for a, b in zip(weight, x)) + 8 * x[0] * x[1] * x[2] + noise.gauss(0, 1)
            file.write(("1" if score > 0 else "-1") + "".join(f" {j + 1}:{v:.4f}" for j, v in enumerate(x)) + "\n")


def run(program, path, threads):
    report = os.path.join(common.OUT, "threads.json")
    common.timed([program, "train", path, "--kernel.type=polynomial", f"--map.features={FEATURES}", "--solver.type=newton",
                  "--solver.tolerance=1e-3", f"--run.threads={threads}", "--output.baseline=off", "-q",
                  f"--output.model={common.OUT}/threads.model", f"--output.report={report}"])
    with open(report, encoding="utf-8") as file:
        found = json.load(file)
    return {**{name: found["stages"][name]["seconds"] for name in STAGES}, "whole run": found["seconds"]}


def main():
    arguments(__doc__.split("\n")[0]).parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    program = os.environ.get("DPSVM", os.path.join(ROOT, "build", "release", "dpsvm"))
    table = []
    for rows in (20000, 200000):
        path = os.path.join(common.OUT, f"threads.{rows}.svm")
        if not os.path.exists(path):
            write_rows(path, rows)
        runs = {1: [], 2: []}
        for _ in range(RUNS):
            for threads in runs:
                runs[threads].append(run(program, path, threads))
        for name in (*STAGES, "whole run"):
            one, two = (min(found[name] for found in runs[threads]) for threads in (1, 2))
            table.append([rows, name, f"{one:.4f}", f"{two:.4f}", f"{one / two:.2f}"])
    common.write_table("threads", ["rows", "stage", "1 thread, s", "2 threads, s", "times"], table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
