#!/usr/bin/env python3
"""docs/evidence/refine_small.md: maps that move on few rows: does their own held-out proof keep them from harm?

    python3 tests/benchmarks/refine_small.py [--dpsvm PROGRAM] [--work FOLDER] [--features 64] [--note TEXT] [--page FILE]

The sets of strangers.py with at most 350 training rows, whole splits of it, and spam. The same RBF map of 64 features, C by
cross-validation, drawn (map.refine = none) and moved (map.refine = projections, all else auto). One thread.
"""
import argparse
import json
import math
import os
import statistics
import subprocess

import bench_common
import speed_common
import strangers_data as data

PAGE = os.path.join(bench_common.ROOT, "docs", "evidence", "refine_small.md")
MOST_ROWS, ALSO = 350, ["spam"]


def accuracy(options, name, split, refine):
    """Of the test rows in %, and whether the map was kept as moved."""
    model, report = (os.path.join(options.work, name, "small." + end) for end in ("model", "json"))
    settings = ["--kernel.type=rbf", f"--map.features={options.features}", f"--map.refine={refine}", "--solver.C=auto",
                "--run.threads=1", "--data.missing=mean", "--data.scaling=standard"]
    subprocess.run([options.dpsvm, "train", f"--data.train={data.split_file(options.work, name, split, 'train')}", *settings,
                    "-q", "-o", model, "--report", report], check=True)
    with open(report, encoding="utf-8") as file:
        moved = (json.load(file)["refinement"] or {}).get("chosen_step", 0) > 0
    subprocess.run([options.dpsvm, "predict", model, data.split_file(options.work, name, split, "test"), "-q", "-o",
                    os.devnull, "--report", report], check=True)
    with open(report, encoding="utf-8") as file:
        said = json.load(file)
    os.remove(model)
    os.remove(report)
    return 100 * said["accuracy"], moved


def row(options, name):
    splits = range(data.splits(options.work, name))
    drawn = [accuracy(options, name, split, "none")[0] for split in splits]
    both = [accuracy(options, name, split, "projections") for split in splits]
    refined, moved = [a for a, _ in both], sum(kept for _, kept in both)
    apart = [r - d for r, d in zip(refined, drawn)]
    error = statistics.stdev(apart) / math.sqrt(len(apart)) if len(apart) > 1 else math.nan
    mean = statistics.mean(apart)
    facts = data.facts(options.work, name)
    speed_common.say(f"{name}: {mean:+.2f} +- {error:.2f}, moved {moved} of {len(apart)}")
    return [name, f"{facts['train']} + {facts['test']}", len(apart), f"{statistics.mean(drawn):.2f}",
            f"{statistics.mean(refined):.2f}", f"{mean:+.2f}", f"{error:.2f}", f"{moved} of {len(apart)}",
            "yes" if mean >= -error else "no"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dpsvm", default=os.path.join(bench_common.ROOT, "build", "release", "dpsvm"))
    parser.add_argument("--work", default=os.path.join(bench_common.ROOT, "build", "strangers"))
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--note", default="")
    parser.add_argument("--page", default=PAGE)
    options = parser.parse_args()
    small = [name for name in data.there(options.work, data.CLASSES)
             if name in ALSO or data.facts(options.work, name)["train"] <= MOST_ROWS]
    if not small:
        raise SystemExit("no data sets: run ./dev.sh bench strangers first, which makes them")
    rows = [row(options, name) for name in small]
    kept = sum(line[-1] == "yes" for line in rows)
    head = ["set", "rows: train + test", "splits", "drawn", "refined", "apart", "s. e.", "moved", "at most one s. e. below"]
    lines = ["# Maps that move on few rows", "",
             f"`./dev.sh bench refine_small`, after `./dev.sh bench strangers`, whose sets and splits these are. An RBF map of {options.features} "
             "features, columns of mean 0 and variance 1, C by cross-validation; drawn (`map.refine = none`) against moved (`projections`, all else "
             "`auto`): accuracy on test rows in %. A moved map is kept only where held-out rows prove it better (docs/algorithms.md); "
             "*moved* counts where they did. Where nothing moved the map still has the rows' own columns beside the drawn ones, and other "
             "phases: most gains below are theirs.", ""]
    lines += [options.note, ""] if options.note else []
    lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in line) + " |" for line in rows]
    lines += ["", f"At most one standard error below the drawn map: {kept} of {len(rows)} sets. Adult is in [refine](refine.md)."]
    with open(options.page, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
