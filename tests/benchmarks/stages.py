#!/usr/bin/env python3
"""Stages of a run, start-up, growth with rows and features, threads: build/bench/stages.md, growth.csv, .svg.

    ./dev.sh bench stages          synthetic data; needs no other program

Seconds of stages come from reports, times the share of the core that the process had where other programs ran.
"""
import json
import math
import os
import random
import statistics
import sys

import speed_common as common
from bench_common import arguments
from speed_common import say, timed

COLUMNS = 16
PASSES = 8  # of the longer run; what it needs more than a run of one pass is passes alone, in CPU seconds


def rows_file(rows, columns=COLUMNS):
    """A file of rows of decimals, the class a quadratic function of them with noise."""
    path = os.path.join(common.OUT, f"rows.{rows}" + ("" if columns == COLUMNS else f".{columns}"))
    if not os.path.exists(path):
        draw = random.Random(7)
        with open(path + ".part", "w", encoding="ascii") as file:
            for _ in range(rows):
                x = [draw.random() for _ in range(columns)]
                label = "+1" if x[0] * x[1] + x[2] * x[3] + draw.gauss(0, 0.1) > 0.5 else "-1"
                file.write(label + "".join(f" {j}:{value:.5f}" for j, value in enumerate(x, 1)) + "\n")
        os.replace(path + ".part", path)
    return path


class Stages:
    def __init__(self, program):
        self.program = program
        self.model = os.path.join(common.OUT, "stages.model")

    def run(self, command, threads):
        report = os.path.join(common.OUT, "stages.report")
        cost = timed([self.program, *command, "--report", report, "-q", f"--run.threads={threads}"],
                     common.cores(threads))
        with open(report, encoding="utf-8") as file:
            said = json.load(file)
        share = min(1.0, cost["cpu"] / cost["wall"]) if threads == 1 else 1.0
        return cost, {name: stage["seconds"] * share for name, stage in said["stages"].items()}, said

    def train(self, rows, threads=1, **settings):
        words = [f"--{key.replace('__', '.')}={value}" for key, value in settings.items()]
        return self.run(["train", rows_file(rows), f"--output.model={self.model}", *words], threads)

    def best(self, repeats, *arguments, **settings):
        """Median seconds of each stage and least of CPU over several runs."""
        runs = [self.train(*arguments, **settings) for _ in range(repeats)]
        stages = {name: statistics.median(run[1][name] for run in runs) for name in runs[0][1]}
        return min(run[0]["cpu"] for run in runs), stages, runs[0][2]

    # ------------------------------------------------------------------ tables

    def parser(self):
        path, rows = rows_file(200000), []
        size = os.path.getsize(path)
        for threads in (1, 2):
            _, stages, _ = self.best(3, 200000, threads, map__features=16, solver__type="sgd", solver__max_iterations=1)
            rows.append(["parse, file to rows", f"{threads} threads", f"{size / stages['parse'] / 1e6:.0f} MB/s"])
        return rows

    def predict(self):
        self.train(10000, map__features=500, solver__type="sgd", solver__max_iterations=1)
        runs = []
        for _ in range(5):
            cost, stages, _ = self.run(["predict", self.model, rows_file(200000), "-o", os.devnull], 1)
            runs.append((cost["cpu"], stages))
        total = min(run[0] for run in runs)
        least = {name: min(run[1][name] for run in runs) for name in runs[0][1]}
        alone = least["parse"] + least["map"]
        parts = ", ".join(f"{name} {seconds:.3f}" for name, seconds in least.items())
        return [["predict, text to labels, CPU s", "1 thread", f"{total:.3f} ({parts})"],
                ["over parse alone + map alone", "1 thread", f"{total / alone:.2f}"]]

    def start_up(self):
        few = os.path.join(common.OUT, "ten")
        with open(rows_file(10000), encoding="ascii") as source, open(few, "w", encoding="ascii") as target:
            target.writelines(source.readline() for _ in range(10))
        self.train(10000, map__features=100, solver__type="sgd", solver__max_iterations=1)
        rows = []
        for threads in (1, 2):
            ours, cat = [], []
            for _ in range(31):
                ours.append(timed([self.program, "predict", self.model, few, "-o", os.devnull, "-q",
                                   f"--run.threads={threads}"], common.cores(threads)))
                cat.append(timed(["cat", few], common.cores(threads)))
            more = {field: 1000 * (statistics.median(run[field] for run in ours) -
                                   statistics.median(run[field] for run in cat)) for field in ("wall", "cpu")}
            rows.append(["predict 10 rows, more than cat", f"{threads} threads",
                         f"{more['wall']:.1f} ms wall, {more['cpu']:.1f} ms CPU"])
        return rows

    def threads(self):
        """Wall time of a stage with one thread over that with two, three pairs in turn."""
        dcd = dict(solver__type="dcd", solver__max_iterations=5)
        sgd = dict(solver__type="sgd", solver__max_iterations=3)
        again = dict(run__memory="160M")  # mapped rows do not fit: made on every pass
        cases = {"parse": ("parse", sgd), "map": ("map", sgd), "newton, rows kept": ("solve", dict(solver__type="newton")),
                 "newton, features made on every pass": ("solve", dict(solver__type="newton", **again)),
                 "dcd, rows kept": ("solve", dcd), "dcd, rows kept, 2 shards": ("solve", dict(dcd, run__shards=2)),
                 "dcd, features made on every pass": ("solve", dict(dcd, **again)),
                 "dcd, features made on every pass, 2 shards": ("solve", dict(dcd, run__shards=2, **again)),
                 "sgd, features made on every pass": ("solve", dict(sgd, **again))}
        rows = []
        for name, (stage, settings) in cases.items():
            seconds = {1: [], 2: []}
            for _ in range(3):
                for threads in (1, 2):
                    said = self.train(200000, threads, map__features=500, output__baseline="off", **settings)[2]
                    seconds[threads].append(said["stages"][stage]["seconds"])
            one, two = (statistics.median(seconds[threads]) for threads in (1, 2))
            rows.append([name, "2 threads over 1", f"{one / two:.2f}x ({one:.3f} s, {two:.3f} s)"])
        return rows

    def hadamard(self):
        """d = 784, D = 4096: mapping with Rademacher signs (look-up kernel) over mapping with Hadamard blocks, in turn."""
        seconds = {"rademacher": [], "hadamard": []}
        for _ in range(3):
            for projection, found in seconds.items():
                said = self.run(["train", rows_file(3000, 784), f"--output.model={self.model}", "--map.features=4096",
                                 f"--map.projection={projection}", "--map.h01=off", "--solver.type=sgd",
                                 "--solver.max_iterations=1", "--output.baseline=off"], 1)[2]
                found.append(said["stages"]["map"]["seconds"])
        signs, blocks = (statistics.median(found) for found in seconds.values())
        return [["hadamard over rademacher, d = 784, D = 4096", "1 thread",
                 f"{signs / blocks:.2f}x ({signs:.3f} s, {blocks:.3f} s)"]]

    def growth(self):
        points, rows = [], []
        sizes = [10000, 31623, 100000, 316228, 1000000]
        for size in sizes:
            say(f"growth: {size} rows")
            repeats = 5 if size <= 100000 else 1
            one = self.best(repeats, size, map__features=100, solver__type="dcd", solver__max_iterations=1)
            more = self.best(repeats, size, map__features=100, solver__type="dcd", solver__max_iterations=PASSES)
            whole = self.best(repeats, size, map__features=100)
            points.append(["rows", size, one[1]["parse"], one[1]["map"],
                           (more[0] - one[0]) / (PASSES - 1), whole[0]])
        for features in (64, 128, 256, 512, 1024):
            say(f"growth: {features} features")
            one = self.best(3, 31623, map__features=features, map__h01="on", solver__type="dcd",
                            solver__max_iterations=1)
            more = self.best(3, 31623, map__features=features, map__h01="on", solver__type="dcd",
                             solver__max_iterations=PASSES)
            points.append(["D", one[2]["map"]["width"], one[1]["parse"], one[1]["map"],
                           (more[0] - one[0]) / (PASSES - 1), one[0]])
        head = ["by", "size", "parse s", "map s", "dcd pass s", "whole run CPU s"]
        common.write_table("growth", head, [[*point[:2], *(f"{value:.4g}" for value in point[2:])] for point in points])
        for by in ("rows", "D"):
            for column, name in ((2, "parse"), (3, "map"), (4, "dcd pass"), (5, "whole run, newton")):
                if by == "D" and column in (2, 5):
                    continue
                chosen = [(math.log(p[1]), math.log(p[column])) for p in points if p[0] == by and p[column] > 0]
                rows.append([f"exponent of {name}", f"in {by}", f"{slope(chosen):.3f}"])
        common.plot("growth", "set logscale xy\nset xlabel 'rows'\nset ylabel 'seconds, one core'\nset key left top\n"
                    "plot for [k=3:6] 'growth.csv' using (strcol(1) eq 'rows' ? column(2) : NaN):k with linespoints "
                    "title columnheader(k)")
        return rows


def slope(points):
    x, y = statistics.mean(p[0] for p in points), statistics.mean(p[1] for p in points)
    return sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--only", default="parser,predict,start_up,threads,hadamard,growth")
    options = parser.parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    stages = Stages(options.dpsvm)
    rows = []
    for table in options.only.split(","):
        say(table)
        rows += getattr(stages, table)()
    common.write_table("stages", ["measure", "by", "result"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
