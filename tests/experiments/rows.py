"""Rows for the experiments: the five splits of a set (tests/benchmarks/prepare.py), the folds of the first one, each in the
forms that programs read, written when first asked for. DPSVM_DATA: the folder with the raw files."""
import os
import random

import prepare

SETS = ["nursery", "spambase", "cod-rna", "adult", "ijcnn1", "covertype"]  # small to large, which is the order of a run
SPLITS = range(1, 6)
FOLD_ROWS, FOLDS = 5000, 3


class NoData(Exception):
    """A set whose files are not there."""


class Rows:
    """Training and test rows as files of LIBSVM text, and what is made of them; `name` of the set, `split` its seed,
    `scaling` of the columns, as data.scaling."""

    def __init__(self, dpsvm, folder, name, split, scaling):
        self.dpsvm, self.folder, self.name, self.split = dpsvm, folder, name, split
        self.scaling = {"data__scaling": scaling}
        self.facts_of = {}

    def path(self, kind):
        return os.path.join(self.folder, kind)

    train = property(lambda self: self.path("train"))
    test = property(lambda self: self.path("test"))

    def scaled(self, kind):
        """The rows as dpsvm scales them: constants learnt on the training rows."""
        path = self.path(f"{self.scaling['data__scaling']}.{kind}")
        if not os.path.exists(path):
            scaler = self.path("scaler")
            self.dpsvm.train(self.train, output__model=scaler, kernel__type="linear", map__scale="none",
                             solver__max_iterations=1, solver__type="newton", **self.scaling)
            self.dpsvm.transform(scaler, self.path(kind), path)
        return path

    def zero_one(self, kind):
        """Labels 0 and 1, without columns that training has not (XGBoost refuses them)."""
        path = self.path(f"{kind}.01")
        if not os.path.exists(path):
            with open(self.train, encoding="ascii") as file:
                last = max(int(entry.split(":")[0]) for line in file for entry in line.split()[-1:] if ":" in entry)
            with open(self.path(kind), encoding="ascii") as source, open(path, "w", encoding="ascii") as to:
                for line in source:
                    label, *entries = line.split()
                    kept = [entry for entry in entries if int(entry.split(":")[0]) <= last]
                    to.write(" ".join(["1" if float(label) > 0 else "0", *kept]) + "\n")
        return path

    def facts(self, kernel):
        """Of a kernel on the training rows: its sigma, and the mean of K(x, x)."""
        key = tuple(kernel.items())
        if key not in self.facts_of:
            _, report = self.dpsvm.train(self.train, map__features=10, map__h01="on", solver__type="newton",
                                         solver__max_iterations=1, **self.scaling, **kernel)
            self.facts_of[key] = report["kernel"]["sigma"], report["map"]["mean_diagonal"]
        return self.facts_of[key]


def _write(folder, **rows):
    os.makedirs(folder, exist_ok=True)
    for kind, lines in rows.items():
        with open(os.path.join(folder, kind + ".part"), "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in lines)
        os.replace(os.path.join(folder, kind + ".part"), os.path.join(folder, kind))


class Library:
    """Gives the Rows of any split and fold."""

    def __init__(self, dpsvm, work, data):
        self.dpsvm, self.work, self.data = dpsvm, os.path.join(work, "rows"), data

    def split(self, name, split, scaling="max_abs"):
        folder = os.path.join(self.work, f"{name}.{split}")
        if not os.path.exists(os.path.join(folder, "test")):
            train, test = prepare.split(self.whole(name), prepare.SHUFFLE_SEED + split - 1)
            _write(folder, train=train, test=test)
        return Rows(self.dpsvm, folder, name, split, scaling)

    def growing(self, name, count, test_rows, scaling):
        """`count` training rows beside `test_rows` others, the same of every count; None where there are fewer."""
        folder = os.path.join(self.work, f"{name}.rows{count}")
        if not os.path.exists(os.path.join(folder, "test")):
            lines = self.whole(name)
            random.Random(prepare.SHUFFLE_SEED).shuffle(lines)
            if count + test_rows > len(lines):
                return None
            _write(folder, train=lines[test_rows:test_rows + count], test=lines[:test_rows])
        return Rows(self.dpsvm, folder, name, 1, scaling)

    def whole(self, name):
        """All rows of a set as lines of text."""
        if not self.data:
            raise NoData("DPSVM_DATA is not set")
        try:
            return prepare.SPLIT[name](self.data)
        except FileNotFoundError as error:
            raise NoData(f"no {os.path.basename(error.filename)} in DPSVM_DATA") from error

    def folds(self, name, scaling):
        """FOLDS pairs of fit and held rows, of the first FOLD_ROWS training rows of the first split."""
        first = self.split(name, 1)
        folders = [os.path.join(self.work, f"{name}.fold{k}") for k in range(FOLDS)]
        if not os.path.exists(os.path.join(folders[-1], "test")):
            with open(first.train, encoding="ascii") as file:
                lines = [line.strip() for _, line in zip(range(FOLD_ROWS), file)]
            for k, folder in enumerate(folders):
                _write(folder, train=[line for i, line in enumerate(lines) if i % FOLDS != k],
                       test=[line for i, line in enumerate(lines) if i % FOLDS == k])
        return [Rows(self.dpsvm, folder, name, 1, scaling) for folder in folders]
