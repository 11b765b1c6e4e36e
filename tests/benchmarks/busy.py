#!/usr/bin/env python3
"""Training beside busy programs: idle, one and two busy loops a core; one and two threads; before and after; other ways of
waiting: build/bench/busy.md.

    DPSVM_BEFORE=FILE ./dev.sh bench busy       FILE: an earlier build of the program; without it only this one is measured

Runs are interleaved, medians of --rounds. All are pinned to the same cores, busy loops each to one of them, and of one session:
the kernel shares out processors among sessions first (sched_autogroup_enabled), so that two threads would get no more than one
from a core that loops of other sessions want. With DPSVM_DATA Nursery and IJCNN1,
otherwise rows that are made here. Other programs that run meanwhile make the idle rows useless and the busy ones busier.
"""
import os
import subprocess
import sys
from statistics import median

import speed_common as common
from bench_common import ROOT, arguments
from speed_common import cores, say, timed
from stages import rows_file

SPIN = {"GOMP_SPINCOUNT": "300000", "KMP_BLOCKTIME": "200"}  # the runtimes' own defaults
SHORT = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "1"}


def cases(data):
    """Name: words of the command line."""
    there = [name for name in ("nursery", "ijcnn1") if os.path.exists(os.path.join(data, name + ".train"))]
    search = os.path.join(data, "nursery.train") if "nursery" in there else rows_file(3000)
    one = os.path.join(data, "ijcnn1.train") if "ijcnn1" in there else rows_file(50000)
    return {
        f"search, {'Nursery' if 'nursery' in there else '3,000 rows'}": [search],
        f"D = 500, {'IJCNN1' if 'ijcnn1' in there else '50,000 rows'}": [one, "--map.features=500"],
        "configs/pinwheel.ini": [os.path.join(ROOT, "configs", "pinwheel.ini")],
    }


class Loops:
    """`count` busy loops on each core, for a `with` block."""

    def __init__(self, count):
        self.count = count
        self.running = []

    def __enter__(self):
        for core in cores(2).split(","):
            for _ in range(self.count):
                self.running.append(subprocess.Popen(["taskset", "-c", core, "sh", "-c", "while :; do :; done"]))

    def __exit__(self, *_):
        for loop in self.running:
            loop.kill()
            loop.wait()


class Busy:
    def __init__(self, options):
        self.before = os.environ.get("DPSVM_BEFORE")
        self.model = os.path.join(common.OUT, "busy.model")
        self.sides = {("after", threads): (options.dpsvm, threads, {}) for threads in (1, 2)}
        self.sides["spinning", 2] = (options.dpsvm, 2, SPIN)
        self.sides["short spin", 2] = (options.dpsvm, 2, SHORT)
        if self.before:
            self.sides.update({("before", threads): (self.before, threads, {}) for threads in (1, 2)})

    def run(self, words, program, threads, setting):
        clean = [f"--unset={name}" for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")]
        return timed(["env", *clean, *(f"{name}={value}" for name, value in setting.items()), program, "train", *words,
                      f"--output.model={self.model}", f"--run.threads={threads}", "-q"], cores(2), own_session=False)

    def measure(self, words, rounds):
        found = {side: [] for side in self.sides}
        for _ in range(rounds):
            for side, how in self.sides.items():
                found[side].append(self.run(words, *how))
        return {side: {field: median(run[field] for run in runs) for field in ("wall", "cpu")}
                for side, runs in found.items()}


def row(name, loops, threads, seen):
    now, old = seen["after", threads], seen.get(("before", threads))
    cells = [name, ("idle", "one", "two")[loops], threads]
    for field in ("wall", "cpu"):
        cells += [f"{old[field]:.3f}" if old else "", f"{now[field]:.3f}"]
    if threads == 1:
        return cells + [""] * 3
    walls = [seen[side]["wall"] for side in seen if side[0] != "before"]
    return cells + [f"{seen['spinning', 2]['wall']:.3f}", f"{now['wall'] / seen['after', 1]['wall']:.2f}",
                    f"{now['wall'] / min(walls):.2f}"]


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--loops", default="0,1,2", help="busy loops a core")
    parser.add_argument("--only", default="", help="cases that begin so")
    options = parser.parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    busy = Busy(options)
    rows = []
    for name, words in cases(options.data).items():
        if not name.startswith(options.only):
            continue
        for loops in map(int, options.loops.split(",")):
            say(f"{name}, {loops} busy loops a core; load {os.getloadavg()[0]:.1f}")
            with Loops(loops):
                seen = busy.measure(words, options.rounds)
            rows += [row(name, loops, threads, seen) for threads in (1, 2)]
    common.write_table("busy", ["training", "busy loops a core", "threads", "before s", "after s", "before CPU s", "after CPU s",
                                "after, spinning s", "two threads over one", "over the best way of waiting"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
