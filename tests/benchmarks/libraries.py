#!/usr/bin/env python3
"""Training with the BLAS and LAPACK of other machines, and before there were own kernels: build/bench/libraries.md.

    DPSVM_BEFORE=PROGRAM ./dev.sh bench libraries        another version of dpsvm, run with OpenBLAS; without it, only now

DPSVM_BENCH_SIMD=avx2|portable: "now" is held to that SIMD path, which OpenBLAS has, too.

Libraries are Debian's packages, unpacked into a folder of DPSVM_BENCH_OUT; the loader's path chooses one. Runs with one
thread, in turn. Seconds of solving come from reports, times the share of the core that the process had.
"""
import glob
import json
import os
import statistics
import subprocess
import sys

import speed_common as common
from bench_common import arguments, chosen, data_file, table

FEATURES = (100, 500, 1000)
SIMD = os.environ.get("DPSVM_BENCH_SIMD", "auto")
ROUNDS = int(os.environ.get("DPSVM_BENCH_ROUNDS", "5"))
PACKAGES = {"OpenBLAS": "libopenblas0-pthread", "BLIS": "libblis4-pthread", "reference": "libblas3"}
BESIDE = ("liblapack3", "libgfortran5")  # BLIS and the reference BLAS bring no LAPACK


def unpacked(package):
    folder = os.path.join(common.OUT, "libraries", package)
    if not os.path.exists(folder + ".done"):
        os.makedirs(folder, exist_ok=True)
        said = subprocess.run(["apt-get", "download", package], cwd=folder, capture_output=True, text=True, check=False)
        if said.returncode != 0:
            raise SystemExit(f"apt-get download {package}: {said.stderr}")
        for file in glob.glob(os.path.join(folder, "*.deb")):
            subprocess.run(["dpkg", "-x", file, folder], check=True)
        with open(folder + ".done", "w", encoding="ascii"):
            pass
    return folder


def loader_path(name):
    """LD_LIBRARY_PATH under which the loader finds this BLAS and a LAPACK."""
    found = []
    for folder in [unpacked(PACKAGES[name])] + [unpacked(package) for package in BESIDE]:
        found += sorted({os.path.dirname(path) for path in
                         glob.glob(os.path.join(folder, "usr/lib/**/lib*.so.*"), recursive=True)}, key=len, reverse=True)
    return ":".join(found)


def solve_seconds(program, path, words):
    """Of one training: seconds of solving, CPU seconds of the run."""
    report = os.path.join(common.OUT, "libraries.report")
    os.environ["LD_LIBRARY_PATH"] = path
    cost = common.timed([program, "train", *words, f"--output.model={report}.model", "--report", report, "-q",
                         "--run.threads=1"], common.cores(1))
    del os.environ["LD_LIBRARY_PATH"]
    with open(report, encoding="utf-8") as file:
        stages = json.load(file)["stages"]
    return stages["solve"]["seconds"] * min(1.0, cost["cpu"] / cost["wall"]), cost["cpu"]


def main():
    options = arguments(__doc__).parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    sides = [(f"now, {name}", options.dpsvm, loader_path(name)) for name in ("reference", "OpenBLAS", "BLIS")]
    before = os.environ.get("DPSVM_BEFORE")
    if before:
        sides.insert(0, ("before, OpenBLAS", before, loader_path("OpenBLAS")))
    lines = []
    for name in chosen(options, ["ijcnn1", "nursery"]):
        for features in FEATURES:
            words = [data_file(options, name + ".train"), "--solver.type=newton", f"--map.features={features}"]
            seconds = [[] for _ in sides]
            whole = [[] for _ in sides]
            for _ in range(ROUNDS):
                for k, (_, program, path) in enumerate(sides):
                    held = [f"--run.simd={SIMD}"] if program == options.dpsvm else []
                    solving, cpu = solve_seconds(program, path, words + held)
                    seconds[k].append(solving)
                    whole[k].append(cpu)
            first = statistics.median(seconds[0])
            cells = [f"{statistics.median(one):.3f} ({statistics.median(one) / first:.2f}); {statistics.median(all_):.3f}"
                     for one, all_ in zip(seconds, whole)]
            lines.append([name, features, *cells])
            print(name, features, *cells, file=sys.stderr, flush=True)
    table(["set", "D"] + [f"{side[0]}: solve (ratio); CPU of the run" for side in sides], lines)


if __name__ == "__main__":
    main()
