#!/usr/bin/env python3
"""The scoring library against `dpsvm predict` and LIBLINEAR, in one run (./dev.sh bench library):
nanoseconds a row, one a call and all in one call; programs by the rows of a file a second.
Writes the table of docs/evidence/library.md to OUT/library.md.

    library.py --dpsvm PROGRAM --build FOLDER --out FOLDER
"""
import argparse
import glob
import os
import random
import subprocess
import time


def run(words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def make_rows(path, rows, columns, filled, seed):
    """Two classes by the sign of a product, `filled` of `columns` features each."""
    draw = random.Random(seed)
    with open(path, "w") as file:
        for _ in range(rows):
            x = {j: round(draw.gauss(0, 1), 3) for j in sorted(draw.sample(range(columns), filled))}
            total = sum(v * (1 if j % 3 else -2) for j, v in x.items()) + draw.gauss(0, 0.5)
            words = " ".join(f"{j + 1}:{v}" for j, v in x.items())
            file.write(f"{'+1' if total > 0 else '-1'} {words}\n")


def liblinear_headers(out):
    """Folder of linear.h: the system's, or unpacked from Debian's package."""
    if os.path.exists("/usr/include/linear.h"):
        return "/usr/include"
    folder = os.path.join(out, "liblinear")
    if not os.path.exists(folder):
        os.makedirs(folder)
        run(["apt-get", "download", "liblinear-dev"], cwd=folder)
        run(["dpkg", "-x", glob.glob(folder + "/*.deb")[0], folder])
    return folder + "/usr/include"


def seconds(words, rows):
    """Rows a second of a program, the best of five runs."""
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        run(words)
        best = min(best, time.perf_counter() - begin)
    return rows / best


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--dpsvm", required=True)
    parse.add_argument("--build", required=True, help="folder with libdpsvm-score.so")
    parse.add_argument("--out", required=True)
    asked = parse.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    os.makedirs(asked.out, exist_ok=True)
    speed = os.path.join(asked.out, "library_speed")
    library = glob.glob("/usr/lib/*/liblinear.so.4")[0]
    run(["cc", "-O2", "-std=c99", "-I", here + "/../../include", "-I", liblinear_headers(asked.out),
         here + "/library_speed.c", here + "/../library/rows_of_file.c", "-o", speed,
         "-L" + asked.build, "-ldpsvm-score", library, "-Wl,-rpath," + os.path.abspath(asked.build)])
    table = ["| rows | model | one sparse row a call, ns | one dense | one line of text | all sparse, a row | all dense | "
             "LIBLINEAR's predict_values | rows/s of `dpsvm predict` | of `liblinear-predict` |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, columns, filled in (("30 of 30", 30, 30), ("14 of 123", 123, 14), ("80 of 10,000", 10000, 80)):
        path = os.path.join(asked.out, "rows.svm")
        rows = 1000 if columns > 1000 else 5000
        make_rows(path, rows, columns, filled, 7)
        theirs = os.path.join(asked.out, "theirs.model")
        run(["liblinear-train", "-q", "-s", "3", "-B", "1", path, theirs])
        for kind in (["--kernel.type=linear"], ["--map.features=256", "--kernel.degree=3"], ["--map.features=2048", "--kernel.degree=3"]):
            if columns > 1000 and "2048" in kind[0]:
                continue
            model = os.path.join(asked.out, "ours.model")
            run([asked.dpsvm, "train", path, "-q", "-o", model, "--solver.C=1"] + kind)
            linear = "linear" in kind[0]
            found = dict(line.split() for line in run([speed, model, path] + ([theirs] if linear else [])).splitlines())
            ours = seconds([asked.dpsvm, "predict", model, path, "-q", "-o", "/dev/null"], rows)
            other = seconds(["liblinear-predict", "-q", path, theirs, "/dev/null"], rows) if linear else None
            cells = [name, "linear" if linear else kind[0][len("--map.features="):] + " features, degree 3"]
            cells += [found[k] for k in ("one_sparse", "one_dense", "one_text", "all_sparse", "all_dense")]
            cells += [found.get("liblinear", ""), f"{ours:,.0f}", f"{other:,.0f}" if other else ""]
            table.append("| " + " | ".join(cells) + " |")
    with open(os.path.join(asked.out, "library.md"), "w") as file:
        file.write("\n".join(table) + "\n")
    print("\n".join(table))


main()
