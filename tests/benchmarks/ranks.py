#!/usr/bin/env python3
"""Ranks against threads: newton on a million synthetic rows, 2 ranks of 1 thread and 1 rank of 2 threads in turn.

    ./dev.sh bench ranks           needs an MPI (mpirun) that dpsvm was built with; two processors

The bar: 2 x 1 at least 0.9 of the speed of 1 x 2, in the solver and in the whole run, by the least of the repeats (other
programs only ever add to a time). The two models must be equal.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys

BAR = 0.9


def make_rows(path, rows, columns):
    """The class is a quadratic function of the columns with noise."""
    if os.path.exists(path):
        return
    draw = random.Random(7)
    with open(path + ".part", "w", encoding="ascii") as file:
        for _ in range(rows):
            x = [draw.random() for _ in range(columns)]
            label = "+1" if x[0] * x[1] + x[2] * x[3] + draw.gauss(0, 0.1) > 0.5 else "-1"
            file.write(label + "".join(f" {j}:{value:.4f}" for j, value in enumerate(x, 1)) + "\n")
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dpsvm", required=True)
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        print("skipped: no mpirun")
        return 0
    out = os.environ.get("DPSVM_BENCH_OUT", "build/bench")
    os.makedirs(out, exist_ok=True)
    rows = os.path.join(out, f"ranks.{asked.rows}.{asked.columns}")
    make_rows(rows, asked.rows, asked.columns)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMP_WAIT_POLICY="passive", OMPI_MCA_mpi_yield_when_idle="1")
    least = {}
    for _ in range(asked.repeats):
        for ranks, threads in ((1, 2), (2, 1)):
            name = f"{ranks} x {threads}"
            model, report = (os.path.join(out, f"ranks.{ranks}.{what}") for what in ("model", "report"))
            launch = [mpirun, "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 1 else []
            subprocess.run(launch + [asked.dpsvm, "train", rows, f"--map.features={asked.features}",
                                     "--solver.type=newton", f"--run.threads={threads}", "--output.baseline=off",
                                     "-o", model, "--report", report, "-q"], check=True, env=environment)
            with open(report, encoding="utf-8") as file:
                said = json.load(file)
            for stage, seconds in [(s, v["seconds"]) for s, v in said["stages"].items()] + [("all", said["seconds"])]:
                key = (name, stage)
                least[key] = min(seconds, least.get(key, seconds))
    with open(os.path.join(out, "ranks.1.model"), "rb") as one, open(os.path.join(out, "ranks.2.model"), "rb") as two:
        same = one.read() == two.read()
    print("| stage | 1 rank x 2 threads, s | 2 ranks x 1 thread, s | speed of ranks to threads |")
    print("| --- | --- | --- | --- |")
    stages = [stage for name, stage in least if name == "1 x 2"]
    ratio = {}
    for stage in stages:
        threads, ranks = least["1 x 2", stage], least["2 x 1", stage]
        ratio[stage] = threads / ranks if ranks > 0 else float("inf")
        print(f"| {stage} | {threads:.2f} | {ranks:.2f} | {ratio[stage]:.2f} |")
    print(f"\nmodels {'equal' if same else 'DIFFER'}; load {os.getloadavg()[0]:.1f}; bar {BAR}: "
          f"solve {ratio['solve']:.2f}, all {ratio['all']:.2f}")
    return 0 if same and min(ratio["solve"], ratio["all"]) >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
