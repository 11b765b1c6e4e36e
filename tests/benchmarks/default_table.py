#!/usr/bin/env python3
"""The table "Without settings" of docs/evidence/experiments.md: a two-line configuration against LIBSVM's tuned RBF kernel.

    python3 tests/benchmarks/default_table.py [--dpsvm PROGRAM] [--data build/benchmarks] [--sets a,b] [--no-grid]

First what is missing of libsvm_grid.py (--no-grid: the best point found so far is taken), then one fit of LIBSVM on all
training rows at its best point, then `dpsvm train` on [data] train = FILE and nothing else: reading, search, training,
writing. Seconds of CPU, one thread on one core each, since wall time says little on a busy machine. --wall: the wall time of
dpsvm with its default threads too, against that of LIBSVM, which has one thread; for an idle machine. Results
are kept in libsvm_grid.jsonl and default.jsonl (speed_common.Store): a stopped run goes on where it was.
"""
import json
import os
import statistics
import subprocess

import bench_common
import libsvm_grid
import speed_common

ALLOWED = {"covertype": 3.0}  # points below LIBSVM; the others 0.5


def ours(store, options, name):
    """A run without settings: seconds, test accuracy, what was chosen. --wall: seconds with the default threads, anew."""
    found, folder = store.get(name), speed_common.OUT
    if found is None:
        ini, model, report = (os.path.join(folder, f"{name}.default.{kind}") for kind in ("ini", "model", "json"))
        with open(ini, "w", encoding="ascii") as file:
            file.write(f"[data]\ntrain = {os.path.abspath(bench_common.data_file(options, name))}.train\n")
        threads = "--run.threads=1"
        found = speed_common.timed([options.dpsvm, "train", ini, "-q", threads, "-o", model, "--report", report],
                                   on=speed_common.cores(1))
        with open(report, encoding="utf-8") as file:
            said = json.load(file)
        found["chosen"] = said["auto_search"]["chosen"]
        found["trials"] = len(said["auto_search"]["tried"])
        found["search"] = said["auto_search"]["seconds"]
        test = subprocess.run([options.dpsvm, "predict", model, bench_common.data_file(options, name) + ".test", "-q",
                               "-o", os.devnull, "--report", report], capture_output=True, text=True, check=False)
        if test.returncode != 0:
            raise SystemExit(test.stderr)
        with open(report, encoding="utf-8") as file:
            found["accuracy"] = 100 * json.load(file)["accuracy"]
        store.put(found, name)
    if options.wall:
        found["all cores"] = speed_common.timed([options.dpsvm, "train", os.path.join(folder, f"{name}.default.ini"), "-q",
                                                 "-o", os.path.join(folder, f"{name}.default.model")])["wall"]
    return found


def words(chosen):
    """What was chosen, short: "rbf, D 512, C 32"."""
    kernel = chosen.get("map.base", chosen["kernel.type"])
    if "kernel.degree" in chosen:
        kernel += f" {chosen['kernel.degree']}" + (" exact" if "map.exact_degree" in chosen else "")
    parts = [kernel]
    if "data.scaling" in chosen:
        parts.append(chosen["data.scaling"])
    if "map.features" in chosen and kernel != "linear":
        parts.append(f"D = {chosen['map.features']}")
    if "map.gamma" in chosen:
        parts.append(f"gamma = {float(chosen['map.gamma']):.3g}")
    return ", ".join(parts + [f"C = {float(chosen['solver.C']):g}"])


def main():
    parser = bench_common.arguments(__doc__.split("\n")[0])
    parser.add_argument("--no-grid", action="store_true", help="take the best point of LIBSVM's grid found so far")
    parser.add_argument("--wall", action="store_true", help="measure wall time with the default threads too")
    options = parser.parse_args()
    peer, store = speed_common.Store("libsvm_grid"), speed_common.Store("default")
    sets = bench_common.chosen(options, libsvm_grid.SETS)
    if not options.no_grid:
        libsvm_grid.grid(peer, options.data, sets)
    ratios, walls = [], []

    def row(name):
        tuned, (cost, gamma) = libsvm_grid.best(peer, name)
        theirs = libsvm_grid.fit(peer, options.data, name)
        mine = ours(store, options, name)
        behind = theirs["accuracy"] - mine["accuracy"]
        ratio = mine["cpu"] / theirs["cpu"]
        ratios.append(ratio)
        if options.wall:
            walls.append(mine["all cores"] / theirs["wall"])
        return [name, libsvm_grid.tried(peer, name), f"2^{cost}, 2^{gamma}", f"{tuned:.2f}",
                f"{theirs['accuracy']:.2f}", f"{mine['accuracy']:.2f}", f"{-behind:+.2f}",
                "yes" if behind <= ALLOWED.get(name, 0.5) else "no", words(mine["chosen"]), mine["trials"],
                f"{theirs['cpu']:.1f}", f"{mine['cpu']:.1f}", f"{ratio:.2f}"] + (
                    [f"{theirs['wall']:.1f}", f"{mine['all cores']:.1f}", f"{walls[-1]:.2f}"] if options.wall else [])

    head = ["set", "LIBSVM's grid: points", "C, gamma", "5-fold %", "LIBSVM test %", "default test %", "difference",
            "near enough", "chosen", "trials", "LIBSVM: one fit, CPU s", "default: all, CPU s", "ratio"]
    head += ["LIBSVM wall s", "default wall s", "ratio"] if options.wall else []
    bench_common.table(head, map(row, sets))
    if ratios:
        print(f"\nMedian ratio of CPU seconds: {statistics.median(ratios):.2f}")
    if walls:
        print(f"Median ratio of wall seconds: {statistics.median(walls):.2f}")


if __name__ == "__main__":
    main()
