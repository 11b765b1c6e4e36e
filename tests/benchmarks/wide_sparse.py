#!/usr/bin/env python3
"""Wide sparse data: accuracy, time and peak memory of sector.scale (55,197 features, 105 classes) and
reuters-moneyfx (8,315 features), linear and with a polynomial map of degree 2 at D = 500, within 2 GB.

    python3 tests/benchmarks/wide_sparse.py
"""
import sys

from bench_common import arguments, chosen, data_file, table, train

SETS = ["sector", "reuters"]
KERNELS = {
    "linear": {"kernel__type": "linear"},
    "polynomial 2, D = 500": {"kernel__type": "polynomial", "kernel__degree": 2, "map__features": 500},
}
LIMIT = 2 << 30


def rows(options):
    for name in chosen(options, SETS):
        for kernel, settings in KERNELS.items():
            report = train(options, data__train=data_file(options, name + ".train"),
                           data__test=data_file(options, name + ".test"), data__scaling="none", data__normalize="unit",
                           solver__C=options.C, run__memory="2G", **settings)
            solver, peak = report["solver"], report["peak_memory"]
            yield [name, kernel, report["rows"], report["features"], len(report["classes"]),
                   f"{100 * report['test_accuracy']:.2f}", solver["type"], f"{solver['gap']:.1e}",
                   f"{report['seconds']:.1f}", f"{peak / 2**20:.0f}", "yes" if peak <= LIMIT else "NO"]


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--C", default="1")
    options = parser.parse_args()
    table(["set", "kernel", "rows", "d", "classes", "test accuracy %", "solver", "gap", "seconds", "peak MB", "<= 2 GB"],
          rows(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
