#!/usr/bin/env python3
"""Prepares the data sets of docs/evidence/experiments.md as LIBSVM text.

    DPSVM_DATA=FOLDER python3 tests/benchmarks/prepare.py [--out build/benchmarks] [SET ...]

DPSVM_DATA holds the raw files, each compressed with xz (docs/evidence/experiments.md lists them). Unset: says so and ends
with status 0, so that a test run without the data passes. Only the standard library is used.

The paper's sets (Kar & Karnick 2012, section 6.2) are shuffled with a fixed seed; 60 % of the rows, at most 20,000,
are NAME.train, all others NAME.test. Values are left as they are: scaling is the program's work.
"""
import argparse
import lzma
import os
import random
import sys

MOST_TRAINING_ROWS = 20000
SHUFFLE_SEED = 2012


def lines_of(folder, name):
    with lzma.open(os.path.join(folder, name + ".xz"), "rt", encoding="ascii") as file:
        return [line.strip() for line in file if line.strip()]


def libsvm_row(label, values):
    return " ".join([label] + [f"{j}:{value}" for j, value in enumerate(values, 1) if float(value) != 0.0])


def adult(folder):
    return lines_of(folder, "a9a") + lines_of(folder, "a9a.t")


def cod_rna(folder):
    return lines_of(folder, "cod-rna")


def covertype(folder):
    return lines_of(folder, "covtype.binary.sample93k")


def ijcnn1(folder):
    return lines_of(folder, "ijcnn1.train") + lines_of(folder, "ijcnn1.test")


def nursery(folder):
    """Eight categories as ordinal codes 0 .. 1 in the order of UCI's description; + is not_recom or spec_prior."""
    order = [
        ["usual", "pretentious", "great_pret"],
        ["proper", "less_proper", "improper", "critical", "very_crit"],
        ["complete", "completed", "incomplete", "foster"],
        ["1", "2", "3", "more"],
        ["convenient", "less_conv", "critical"],
        ["convenient", "inconv"],
        ["nonprob", "slightly_prob", "problematic"],
        ["recommended", "priority", "not_recom"],
    ]
    rows = []
    for line in lines_of(folder, "nursery.csv"):
        *words, label = line.split(",")
        codes = [f"{names.index(word) / (len(names) - 1):.6g}" for names, word in zip(order, words)]
        rows.append(libsvm_row("+1" if label in ("not_recom", "spec_prior") else "-1", codes))
    return rows


def spambase(folder):
    rows = []
    for line in lines_of(folder, "spambase.csv"):
        *values, label = line.split(",")
        rows.append(libsvm_row("+1" if float(label) == 1.0 else "-1", values))
    return rows


SPLIT = {
    "adult": adult,
    "cod-rna": cod_rna,
    "covertype": covertype,
    "ijcnn1": ijcnn1,
    "nursery": nursery,
    "spambase": spambase,
}
# Sets that come as training and test file.
WHOLE = {
    "letter": ("letter.scale", "letter.scale.t"),
    "pendigits": ("pendigits", "pendigits.t"),
    "sector": ("sector.scale", "sector.scale.t"),
    "reuters": ("reuters-moneyfx.train", "reuters-moneyfx.test"),
}


def write(path, rows):
    with open(path + ".part", "w", encoding="ascii") as file:
        file.writelines(row + "\n" for row in rows)
    os.replace(path + ".part", path)
    print(f"{path}: {len(rows)} rows")


def split(rows, seed):
    """Training and test rows."""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    count = min(len(rows) * 60 // 100, MOST_TRAINING_ROWS)
    return rows[:count], rows[count:]


def prepare(name, folder, out):
    if name in WHOLE:
        for kind, source in zip(("train", "test"), WHOLE[name]):
            write(os.path.join(out, f"{name}.{kind}"), lines_of(folder, source))
        return
    train, test = split(SPLIT[name](folder), SHUFFLE_SEED)
    write(os.path.join(out, name + ".train"), train)
    write(os.path.join(out, name + ".test"), test)


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=os.path.join(root, "build", "benchmarks"))
    parser.add_argument("sets", nargs="*", metavar="SET", help="default: all of " + ", ".join([*SPLIT, *WHOLE]))
    arguments = parser.parse_args()
    folder = os.environ.get("DPSVM_DATA", "")
    if not folder:
        print("skipped: set DPSVM_DATA to the folder with the raw data sets (docs/evidence/experiments.md)")
        return 0
    os.makedirs(arguments.out, exist_ok=True)
    for name in arguments.sets or [*SPLIT, *WHOLE]:
        if name not in SPLIT and name not in WHOLE:
            print(f"unknown set {name}", file=sys.stderr)
            return 2
        prepare(name, folder, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
