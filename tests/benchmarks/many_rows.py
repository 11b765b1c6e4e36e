#!/usr/bin/env python3
"""Rows beyond memory: seconds, memory and bytes of models, for docs/evidence/performance.md (Growth).

    python3 tests/benchmarks/many_rows.py [--dpsvm PROGRAM] [--rows 10000000] [--part 1000000] [--features 200]
                                          [--memory 1G] [--solvers newton,dcd]

Synthetic rows of 20 numbers (a NumPy file, made once), their label the sign of a product and a square with a tenth turned
round. An RBF map trains out of core on all of them; a part that fits trains within memory and out of core, and the two
models must have the same bytes. Prints a table. Needs python3-numpy and room for 84 bytes a row, and as many for scratch.
"""
import argparse
import filecmp
import json
import os

import numpy

import speed_common

COLUMNS, CHUNK = 20, 1 << 20


def make(path, rows):
    if os.path.exists(path):
        return
    random = numpy.random.default_rng(1)
    table = numpy.lib.format.open_memmap(path + ".part", mode="w+", dtype=numpy.float32, shape=(rows, 1 + COLUMNS))
    for begin in range(0, rows, CHUNK):
        x = random.standard_normal((min(CHUNK, rows - begin), COLUMNS), dtype=numpy.float32)
        label = numpy.where(x[:, 0] * x[:, 1] + x[:, 2] ** 2 - 0.7 > 0, 1, -1)
        table[begin:begin + len(x), 0] = numpy.where(random.random(len(x)) < 0.1, -label, label)
        table[begin:begin + len(x), 1:] = x
    del table
    os.rename(path + ".part", path)


def train(options, path, solver, memory, model):
    used = speed_common.timed([options.dpsvm, "train", f"--data.train={path}", "--kernel.type=rbf", f"--map.features={options.features}",
                               f"--solver.type={solver}", f"--run.memory={memory}", f"--run.scratch={options.work}", "-q", "-o", model,
                               "--report", model + ".json"])
    with open(model + ".json", encoding="utf-8") as file:
        said = json.load(file)
    stages = " ".join(f"{name} {part['seconds']:.0f}" for name, part in said["stages"].items() if part["seconds"] >= 0.5)
    print(f"| {os.path.basename(path)} | {solver} | {memory} | {used['wall']:.0f} | {used['cpu']:.0f} | {used['peak'] / 2**20:.0f} | "
          f"{said['solver']['iterations']} | {said['solver']['gap']:.1e} | {stages} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dpsvm", default=os.path.join(speed_common.ROOT, "build", "release", "dpsvm"))
    parser.add_argument("--work", default=os.path.join(speed_common.OUT, "many_rows"))
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--part", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=200)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--solvers", default="newton,dcd")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    files = {rows: os.path.join(options.work, f"{rows}.npy") for rows in (options.part, options.rows)}
    for rows, path in files.items():
        make(path, rows)
    print("| rows | solver | memory | wall s | CPU s | peak MB | iterations | gap | stages, s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for solver in options.solvers.split(","):
        models = [os.path.join(options.work, f"{solver}.{kind}") for kind in ("within", "beyond", "all")]
        train(options, files[options.part], solver, "8G", models[0])
        train(options, files[options.part], solver, "128M", models[1])
        if not filecmp.cmp(models[0], models[1], shallow=False):
            raise SystemExit(f"{solver}: the model out of core has other bytes")
        train(options, files[options.rows], solver, options.memory, models[2])
    print("models of the part: the same bytes within memory and beyond it")


if __name__ == "__main__":
    main()
