#!/usr/bin/env python3
"""The experiments of Kar & Karnick 2012 and more, as one page (./dev.sh experiments).

    python3 tests/experiments/run.py [--quick] [--page-only] [--seconds N] [--sets a,b] [STEP ...]

Cells that the work folder has are not measured again. Exit status 3: --seconds were over, run it again. Standard library only; peers
(LIBSVM, LIBLINEAR, XGBoost, scikit-learn) that are missing are named, and left out.
"""
import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(1, os.path.join(ROOT, "tests", "benchmarks"))

import bars  # noqa: E402
import beyond  # noqa: E402
import compositional  # noqa: E402
import figure1  # noqa: E402
import figure2  # noqa: E402
import payoff  # noqa: E402
import table1  # noqa: E402
import theorems  # noqa: E402
from cells import OutOfTime  # noqa: E402
from context import Context  # noqa: E402

STEPS = {"figure1": figure1, "table1": table1, "bars": bars, "figure2": figure2,
         "compositional": compositional, "payoff": payoff, "theorems": theorems, "beyond": beyond}  # in the order of the page


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dpsvm", default=os.path.join(ROOT, "build", "release", "dpsvm"), help="the program")
    parser.add_argument("--work", help="folder of the cells (build/experiments)")
    parser.add_argument("--page", help="the page to write (docs/evidence/paper.md; with --quick in the work folder)")
    parser.add_argument("--quick", action="store_true", help="a small part of everything, within minutes")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page of what there is")
    parser.add_argument("--seconds", type=float, help="begin no cell after so many seconds")
    parser.add_argument("--sets", help="only these sets, separated by commas")
    parser.add_argument("steps", nargs="*", metavar="STEP", help="default: all of " + ", ".join(STEPS))
    options = parser.parse_args()
    unknown = [step for step in options.steps if step not in STEPS]
    if unknown:
        parser.error(f"unknown step {unknown[0]}: {', '.join(STEPS)}")
    return options


def main():
    options = arguments()
    work = options.work or os.path.join(ROOT, "build", "experiments", *(["quick"] if options.quick else []))
    page = options.page or (os.path.join(work, "paper.md") if options.quick else os.path.join(ROOT, "docs", "evidence", "paper.md"))
    context = Context(options.dpsvm, work, page, os.environ.get("DPSVM_DATA", ""), options.quick,
                      options.sets and options.sets.split(","), options.seconds)
    status = 0
    try:
        for name in (options.steps or STEPS) if not options.page_only else []:
            STEPS[name].measure(context)
    except OutOfTime:
        status = 3
    context.write(STEPS.values())
    print(f"{page}{': not complete, run it again' if status else ''}")
    return status


if __name__ == "__main__":
    sys.exit(main())
