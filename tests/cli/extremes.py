"""Rows and settings at the ends of their ranges, for every solver and loss: a training ends with finite figures and a
gap of 0 to 1, or with exit code 2 to 4 and a reason. Run by test_extremes.sh, in a folder of its own."""

import itertools
import json
import os
import random
import subprocess
import sys

CLASSES = {"dcd": ("squared_hinge", "hinge"), "sgd": ("squared_hinge", "hinge", "logistic"), "newton": ("squared_hinge", "logistic")}
TARGETS = {"dcd": ("squared_epsilon_insensitive", "epsilon_insensitive"), "newton": ("squared_epsilon_insensitive",),
           "sgd": ("squared_epsilon_insensitive", "epsilon_insensitive")}
MAPS = (("--kernel.type=linear",), ("--kernel.type=polynomial", "--map.features=1"), ("--map.type=fourier", "--map.features=2"))
UNSCALED = ("--data.scaling=none", "--data.normalize=none")


def data_sets():
    draw = random.Random(5)
    base = [(1 if i % 2 else -1, [draw.gauss(1 if i % 2 else -1, 1), draw.gauss(0, 1), draw.gauss(0, 1)]) for i in range(40)]
    return {
        "plain": base,
        "large": [(y, [v * 1e300 for v in x]) for y, x in base],
        "small": [(y, [v * 1e-300 for v in x]) for y, x in base],
        "both": [(y, [x[0] * 1e300, x[1] * 1e-300, x[2]]) for y, x in base],
        "denormal": [(y, [v * 5e-320 for v in x]) for y, x in base],
        "constant columns": [(y, [1.0, 2.0, x[2]]) for y, x in base],
        "all constant": [(y, [1.0, 2.0, 3.0]) for y, x in base],
        "one column": [(y, x[:1]) for y, x in base],
        "two rows": [(1, [1.0]), (-1, [-1.0])],
        "one row": [(1, [1.0, 2.0])],
        "opposite labels": [(y, [1.0, 2.0]) for y, _ in base] + [(-y, [1.0, 2.0]) for y, _ in base],
        "1 to 100000": [(1 if i == 777 else -1, [float(i == 777)]) for i in range(100001)],
    }


def main():
    bad, trained, refused = [], 0, 0
    names = data_sets()
    for name, rows in names.items():
        with open(name, "w") as file:
            for y, x in rows:
                print(y, *(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v != 0), file=file)
    runs = []
    for solver, losses in CLASSES.items():
        for loss in losses:
            own = (f"--solver.type={solver}", f"--solver.loss={loss}", "--solver.max_iterations=50")
            runs += [(name, *own, *kind, *scaling) for name, kind, scaling in itertools.product(names, MAPS, ((), UNSCALED))]
            runs += [("plain", *own, f"--solver.C={C}", *kind) for C in ("1e-12", "1e-6", "1e6", "1e12") for kind in MAPS]
    for solver, losses in TARGETS.items():
        for loss in losses:
            own = ("--solver.task=regression", f"--solver.type={solver}", f"--solver.loss={loss}", "--solver.max_iterations=50",
                   "--kernel.type=polynomial", "--map.features=4")
            runs += [(name, *own, *scaling) for name, scaling in itertools.product(names, ((), UNSCALED))]
            runs += [("plain", *own, f"--solver.C={C}") for C in ("1e-12", "1e12")]
    for words in runs:
        done = subprocess.run([os.environ["DPSVM"], "train", *words, "-q", "--run.threads=1", "--output.baseline=off", "-o", "m",
                               "--report", "report.json"], capture_output=True, timeout=120)
        if done.returncode == 0:
            trained += 1
            with open("report.json") as file:
                solver = json.load(file)["solver"]
            numbers = [solver.get("objective"), solver.get("gap")]
            if not all(isinstance(number, (int, float)) for number in numbers) or not 0 <= numbers[1] <= 1:
                bad.append((words, numbers))
        elif done.returncode in (2, 3, 4) and done.stderr.startswith(b"dpsvm: "):
            refused += 1
        else:
            bad.append((words, done.returncode, done.stderr[-200:]))
    for case in bad[:20]:
        print(*case)
    print(f"{trained} trained with finite figures, {refused} refused by name, {len(bad)} neither")
    return 1 if bad or trained < 300 or refused == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
