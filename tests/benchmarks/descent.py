#!/usr/bin/env python3
"""dcd and sgd on one and two threads with kept rows, and on 64 by counting: build/bench/descent.md, descent_threads.md.

    DPSVM_DATA=FOLDER [DPSVM_BEFORE=FILE] ./dev.sh bench descent      FILE: an earlier build of the program

Squared hinge, C = 1, 510 Fourier features (D' = 511), to a gap of 1e-3 (sgd: until it has settled), seconds of the solver alone,
the least of --rounds runs in turn: a busy machine makes runs longer, never shorter. The second table adds up what a block of rows
costs (solver/engine_blocks.c) from the rates below and counts how often threads meet; `1 thread` and `2 threads` of it should be
what the first one measures.
"""
import json
import lzma
import os
import subprocess
import sys
import tempfile

import speed_common as common
from bench_common import arguments

BLOCK, WIDTH = 256, 512
SETS = {"Covertype": (["covtype.binary.sample93k"], 17.7), "IJCNN1": (["ijcnn1.train", "ijcnn1.test"], 12.5)}
# Seconds a row on two cores of an AMD EPYC, by a clock in the running solver (idle machine; Covertype): scores 97 ns on one thread and 58 on
# two, which is the memory, chain 18, change 56 and 37, of which accounts about 25. A gate of two threads 0.3 us, of 64 a guess.
CHAIN, SCORE, ADD, ACCOUNT = 19e-9, 40e-9, 33e-9, 25e-9
LIST = 5e-9  # to draw a row's place, side by side
TAKE = 0.5e-6  # eta, w and averages, one thread
GATE = {1: 0.0, 2: 0.3e-6, 8: 0.8e-6, 16: 1.2e-6, 32: 1.6e-6, 64: 2e-6}
CORE, NODE, CACHE = 21e9, 150e9, 600e9  # bytes/s of memory: a core, 64 of them; of their caches together
CACHED = 96 << 20  # bytes of rows that stay in the caches of such a node


def rows_of(folder, name, most):
    path = os.path.join(folder, f"{name.lower()}.{most}.txt")
    left = most
    with open(path, "wb") as out:
        for part in SETS[name][0]:
            with lzma.open(os.path.join(os.environ["DPSVM_DATA"], part + ".xz")) as lines:
                for line in lines:
                    if left > 0:
                        out.write(line)
                        left -= 1
    return path, most - left


def solve(program, path, solver, threads, folder, *more):
    report = os.path.join(folder, "report.json")
    subprocess.run([program, "train", "--data.train=" + path, "--map.type=fourier", "--map.features=510", "--output.baseline=off",
                    "--solver.type=" + solver, f"--run.threads={threads}", "--output.model=" + os.path.join(folder, "m"),
                    "--output.report=" + report, "-q", *more], check=True)
    with open(report, encoding="utf-8") as file:
        told = json.load(file)
    return told["stages"]["solve"]["seconds"], told["solver"]


def measured(options, folder):
    programs = {"before": os.environ.get("DPSVM_BEFORE"), "": options.dpsvm}
    for name in SETS:
        for most in (20000, 1000000):
            path, rows = rows_of(folder, name, most)
            for solver in ("dcd", "sgd"):
                best, last = {}, {}
                for _ in range(options.rounds):
                    for when, program in programs.items():
                        for threads in (1, 2) if program else ():
                            seconds, last[when] = solve(program, path, solver, threads, folder)
                            best[when, threads] = min(best.get((when, threads), seconds), seconds)
                before = best.get(("before", 1))
                yield [name, rows, solver, last[""]["iterations"], f"{last['']['objective']:.1f}",
                       f"{last['before']['objective']:.1f}" if before else "", f"{before:.3f}" if before else "",
                       f"{best['', 1]:.3f}", f"{best['', 2]:.3f}", f"{before / best['', 1]:.2f}" if before else "",
                       f"{best['', 1] / best['', 2]:.2f}", f"{before / best['', 2]:.2f}" if before else ""]


def block_seconds(rows, threads, account):
    """One thread goes through the chain while the others score the next block, and then helps them; sums and accounts; three gates."""
    size = BLOCK * WIDTH * 4
    kept = rows * WIDTH * 4 <= CACHED and threads >= 32

    def scores(by):
        rate = CACHE if kept else CORE if by == 1 else min(NODE, 17.5e9 * by)
        return max(BLOCK * SCORE / by, size / rate)

    chain = BLOCK * CHAIN
    first = chain + (scores(1) if threads == 1 else max(0.0, 1 - chain / scores(threads - 1)) * scores(threads))
    change = BLOCK * (ADD * (1.0 if threads == 1 else 1.3) + (ACCOUNT if account else 0.0)) / threads
    return first + change + BLOCK * LIST / threads + TAKE + 3 * GATE[threads]


def counted():
    for solver, account in (("dcd", True), ("sgd", False)):
        for name, rows in (("Covertype", 92962), ("IJCNN1", 141691), ("synthetic", 1000000)):
            one = block_seconds(rows, 1, account)
            yield [solver, name, rows, *[f"{one / block_seconds(rows, threads, account):.1f}" for threads in list(GATE)[1:]]]


def main():
    parser = arguments(__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    if os.environ.get("DPSVM_DATA"):
        with tempfile.TemporaryDirectory() as folder:
            common.write_table("descent", ["set", "rows", "solver", "passes", "P", "P before", "before, 1 thread s", "1 thread s",
                                           "2 threads s", "before / 1", "1 / 2", "before / 2"], list(measured(options, folder)))
    common.write_table("descent_threads", ["solver", "set", "rows", *[f"{threads} threads" for threads in list(GATE)[1:]]], list(counted()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
