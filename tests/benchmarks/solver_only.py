#!/usr/bin/env python3
"""Solvers alone: the same mapped rows in memory, time to 1e-3 above the optimum: build/bench/solver_only.md, .csv, .svg.

    DPSVM_DATA=FOLDER ./dev.sh bench solver

Ours: seconds of the stage `solve` of the report (its certificate included), times the share of the core that the
process had where other programs ran beside it, with tolerance 1e-3, which is a bound on what is asked for; every
solver and `auto`. scikit-learn: LinearSVC.fit, which is LIBLINEAR, dual and primal, each at
the loosest tolerance that gets within 1e-3 (found by trying them; the search is not counted), in CPU seconds. Both on one core.
"""
import json
import os
import subprocess
import sys

import speed_common as common
from bench_common import arguments, chosen
from speed import PEER, PYTHON, SETS, Bench, dump, optimum, seconds
from speed_common import Failed, median, say

COSTS = [1, 100]
LOSSES = {"squared_hinge": ["newton", "dcd", "auto"], "hinge": ["dcd", "newton", "auto"]}
WITHIN = 1e-3
BARS = {"squared_hinge": 10, "hinge": 4}


def ours(bench, mapping, cost, loss, solver, best, repeats):
    runs = []
    for _ in range(repeats):
        try:
            cost_of_run, report = bench.dpsvm_train(bench.path("solve"), common.cores(1), data__train=bench.train,
                                          solver__C=cost, solver__loss=loss, solver__type=solver,
                                          solver__tolerance=WITHIN, **mapping)
        except Failed as error:
            say(f"left out: {error}")
            return None
        solved = report["solver"]
        share = min(1.0, cost_of_run["cpu"] / cost_of_run["wall"])  # of the core that others left to it
        runs.append({"seconds": report["stages"]["solve"]["seconds"] * share, "above": solved["objective"] / best - 1,
                     "reached": solved["objective"] <= (1 + WITHIN) * best, "type": solved["type"],
                     "iterations": solved["iterations"]})
    return {**runs[0], "seconds": median(runs, "seconds")}


def peer(features, labels, loss, cost, best, on):
    command = ["taskset", "-c", on, PYTHON, PEER, "solver", features, labels, loss, str(cost), str(best)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(bench, mapping, repeats):
    """One entry for every C and loss: optimum, ours by solver, peer by kind."""
    features = labels = None
    width = None
    for cost in COSTS:
        for loss, solvers in LOSSES.items():
            name = (bench.label(), " ".join(f"{key}={value}" for key, value in mapping.items()), cost, loss)
            best = bench.store.once(lambda: optimum(bench, mapping, "on", cost, loss), *name, "optimum")

            def theirs():
                nonlocal features, labels
                if features is None:
                    features, labels = dump(bench, mapping, "on")
                return peer(features, labels, loss, cost, best, bench.on)

            say(f"{bench.label()}: solvers, {mapping}, C = {cost}, {loss}")
            other = bench.store.once(theirs, *name, "LinearSVC")
            mine = {solver: bench.store.once(lambda s=solver: ours(bench, mapping, cost, loss, s, best, repeats), *name,
                                             solver, bench.mark) for solver in solvers}
            yield cost, loss, other, {solver: run for solver, run in mine.items() if run}
    if features:
        os.remove(features)


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--features", default="100,500", help="D of the H0/1 maps")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--mark")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    table, ratios = [], {loss: [] for loss in LOSSES}
    for name in chosen(options, SETS):
        bench = Bench(options, name, 1)
        for features in map(int, options.features.split(",")):
            for cost, loss, other, mine in measure(bench, {"map__h01": "on", "map__features": features},
                                                   options.repeats):
                able = {solver: run for solver, run in mine.items() if run["reached"]}
                if not able:
                    continue
                fast = min(able, key=lambda solver: able[solver]["seconds"])
                got_there = {kind: run for kind, run in other.items() if run["reached"]}
                kind = min(got_there or other, key=lambda k: other[k]["seconds"])
                theirs = other[kind]["seconds"]
                ratio = theirs / able[fast]["seconds"]
                ratios[loss].append(ratio)
                table.append([bench.label(), features, cost, loss, fast,
                              *[seconds(mine[s]["seconds"]) + ("" if mine[s]["reached"] else " (not there)")
                                if s in mine else "" for s in ("newton", "dcd", "auto")],
                              f"{kind} {other[kind]['tolerance']:g}", seconds(theirs),
                              "yes" if other[kind]["reached"] else "no: at its limit of rounds",
                              f"{ratio:.3g}",
                              f"{theirs / mine['auto']['seconds']:.3g}" if "auto" in mine else ""])
    note = "; ".join(f"{loss}: geometric mean {common.geometric_mean(found):.3g}, least {min(found):.3g}, bar {BARS[loss]}"
                     for loss, found in ratios.items() if found)
    common.write_table("solver_only", ["set", "D", "C", "loss", "fastest", "newton s", "dcd s", "auto s", "LinearSVC",
                                       "its s", "within 1e-3", "ratio", "ratio of auto"], table, note)
    common.plot("solver_only", "set style data histogram\nset style fill solid\nset logscale y\nset xtics rotate by 60 "
                "right\nset ylabel 'LinearSVC.fit / ours'\nset title 'Solver only, to 1e-3 above the optimum'\n"
                "plot 'solver_only.csv' using 12:xtic(sprintf('%s %s %s', strcol(1), strcol(3), strcol(4))) every ::1 "
                "notitle, 10 title 'bar, squared hinge', 4 title 'bar, hinge'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
