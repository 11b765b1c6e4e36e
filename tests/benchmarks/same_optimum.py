#!/usr/bin/env python3
"""Do the solvers find the same optimum on real data? At C = 1 (or --C), map.scale = unit, both losses.

    python3 tests/benchmarks/same_optimum.py [--features 500]

For each set and loss: the objective that dcd and newton reach at tolerance 1e-5, how far apart they are; the passes dcd
needs for a gap of 1e-3; how far sgd is above that objective after 20 epochs, on the rows as they are and sorted
by class; the gap that auto reaches at C = 1000 with tolerance 1e-3, and which solver ended.
"""
import os
import sys
import tempfile

from bench_common import arguments, chosen, data_file, table, train

SETS = ["spambase", "adult", "cod-rna", "ijcnn1"]
LOSSES = ["squared_hinge", "hinge"]
EPOCHS = 20
FINE = 1e-5
COARSE = 1e-3
AGREE = {"squared_hinge": 1e-4, "hinge": 2 * FINE}  # hinge: both are within FINE of the optimum
SGD_WITHIN = 0.02


def sorted_by_class(path, folder):
    with open(path, encoding="ascii") as file:
        lines = sorted(file, key=lambda line: float(line.split()[0]))
    name = os.path.join(folder, "sorted")
    with open(name, "w", encoding="ascii") as file:
        file.writelines(lines)
    return name


def yes(condition):
    return "yes" if condition else "NO"


def rows(options):
    for name in chosen(options, SETS):
        path = data_file(options, name + ".train")
        with tempfile.TemporaryDirectory() as folder:
            by_class = sorted_by_class(path, folder)
            for loss in LOSSES:
                def run(data=path, **settings):
                    return train(options, data__train=data, solver__loss=loss, map__features=options.features,
                                 map__scale="unit", **settings)["solver"]

                dcd = run(solver__type="dcd", solver__tolerance=FINE, solver__max_iterations=20000)
                newton = run(solver__type="newton", solver__tolerance=FINE)
                coarse = run(solver__type="dcd", solver__tolerance=COARSE)
                best = min(dcd["objective"], newton["objective"])
                apart = abs(dcd["objective"] - newton["objective"]) / best
                sgd = [run(data, solver__type="sgd", solver__max_iterations=EPOCHS,
                           solver__tolerance=1e-6)["objective"] / best - 1 for data in (path, by_class)]
                hard = run(solver__C=1000, solver__tolerance=COARSE)
                yield [
                    name, loss, f"{best:.6g}", f"{apart:.1e}", yes(apart <= AGREE[loss]),
                    f"{coarse['gap']:.1e} ({coarse['iterations']})", yes(coarse["gap"] <= COARSE),
                    f"{100 * sgd[0]:.2f} / {100 * sgd[1]:.2f}", yes(max(sgd) <= SGD_WITHIN),
                    f"{hard['gap']:.1e} ({hard['type']})", yes(hard["gap"] <= COARSE),
                ]


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--features", type=int, default=500)
    options = parser.parse_args()
    table(["set", "loss", "objective", "dcd, newton apart", "agree", "dcd gap (passes)", "<= 1e-3",
           "sgd above, % (as is / sorted)", "<= 2 %", "auto at C = 1000", "<= 1e-3"], rows(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
