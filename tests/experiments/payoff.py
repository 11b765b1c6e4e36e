"""Compositional kernels at work: ten real sets, against their own bases and against exact Gram-matrix SVMs on subsamples."""
import json
import os
import random
import statistics
import subprocess

import prepare
from compositional import BASES
from rows import NoData

TITLE = "Compositional kernels: does it pay to compose?"
SETS = ["nursery", "spambase", "cod-rna", "adult", "ijcnn1", "covertype", "letter", "pendigits", "usps", "splice"]
FILES = {"letter": ["letter.scale", "letter.scale.t"], "pendigits": ["pendigits", "pendigits.t"], "usps": ["usps", "usps.t"],
         "splice": ["splice"]}
OUTER = {"alone": None, "exponential": {"kernel__type": "exponential", "kernel__sigma": 1},
         "polynomial": {"kernel__type": "polynomial", "kernel__degree": 3, "kernel__offset": 1}}
SUBSAMPLES, TRAIN_ROWS, TEST_ROWS, FEATURES = range(1, 4), 1000, 2000, 500
PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's scikit-learn
HERE = os.path.dirname(os.path.abspath(__file__))


def lines_of(context, name):
    """All rows; of more than two classes each class is +1 or -1 at random, fixed."""
    if name not in FILES:
        return context.library.whole(name)
    try:
        lines = [line for file in FILES[name] for line in prepare.lines_of(context.library.data, file)]
    except FileNotFoundError as error:
        raise NoData(f"no {os.path.basename(error.filename)} in DPSVM_DATA") from error
    classes = sorted({line.split(None, 1)[0] for line in lines})
    draw = random.Random(2012)
    positive = set(draw.sample(classes, len(classes) // 2))
    return [" ".join(["+1" if label in positive else "-1", rest]) for label, rest in (line.split(None, 1) for line in lines)]


def subsample(context, name, seed):
    """Paths of training and test rows, columns scaled to [0, 1] on the training rows, rows by the largest norm."""
    lines = lines_of(context, name)
    random.Random(seed).shuffle(lines)
    count = min(TRAIN_ROWS, len(lines) // 2)
    paths = {kind: os.path.join(context.work, f"payoff.{kind}") for kind in ("train", "test")}
    for kind, part in (("train", lines[:count]), ("test", lines[count:count + TEST_ROWS])):
        with open(paths[kind] + ".raw", "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in part)
    scaler = os.path.join(context.work, "payoff.scaler")
    context.dpsvm.train(paths["train"] + ".raw", output__model=scaler, kernel__type="linear", map__scale="none", data__scaling="min_max",
                        solver__max_iterations=1, solver__type="newton")
    for path in paths.values():
        context.dpsvm.transform(scaler, path + ".raw", path)
        with open(path, encoding="ascii") as file:  # values of test rows outside the range of training: none below 0
            lines = [" ".join(word if ":-" not in word else word.split(":")[0] + ":0" for word in line.split()) for line in file]
        with open(path, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in lines)
    return paths["train"], paths["test"]


def unit_of(train):
    """Mean K(x, x) of intersection and chi2: the mean sum of a row."""
    with open(train, encoding="ascii") as file:
        return statistics.fmean(sum(float(word.split(":")[1]) for word in line.split()[1:]) for line in file)


def mapped(context, train, test, base, outer, unit):
    """Accuracy of dpsvm with FEATURES random features; C by its own cross-validation. And the base's gamma."""
    kernel = {"map__base": base, "map__features": FEATURES, "data__scaling": "none", "data__normalize": "none", "solver__C": "auto"}
    if outer == "alone":
        kernel.update({"map__type": "fourier", "kernel__type": "linear"})
    else:
        kernel.update({"map__type": "compositional", "kernel__gamma": 1 / unit if base in ("intersection", "chi2") else 1, **OUTER[outer]})
    _, report = context.dpsvm.train(train, **kernel)
    _, right = context.dpsvm.predict(test)
    return right, report["map"]["gamma"]


def cells_of(context):
    return context.cells("payoff", ["set", "subsample", "base", "outer"], ["mapped", "exact", "program"])


def measured(context, name, seed, cells):
    train, test = subsample(context, name, seed)
    print("payoff", name, seed, flush=True)
    unit, found, gammas = unit_of(train), {}, {}
    for base in BASES:
        for outer in OUTER:
            found[base, outer], gamma = mapped(context, train, test, base, outer, unit)
            gammas.setdefault(base, gamma)
    done = subprocess.run([PYTHON, os.path.join(HERE, "gram.py"), train, test, *map(str, (gammas["rbf"], gammas["laplacian"], unit))],
                          check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    exact = json.loads(done.stdout)
    for (base, outer), right in found.items():
        cells.put((name, seed, base, outer), {"mapped": right, "exact": exact[f"{base} {outer}"], "program": context.dpsvm.mark})


def measure(context):
    if subprocess.run([PYTHON, "-c", "import sklearn"], capture_output=True).returncode != 0:
        context.left_out("Compositional kernels on real sets: no scikit-learn on this machine")
        return
    cells = cells_of(context)
    for seed in [1] if context.quick else SUBSAMPLES:
        for name in context.sets if context.quick else SETS:
            if cells.get(name, seed, BASES[-1], "polynomial") is None:
                cells.in_time()
                try:
                    measured(context, name, seed, cells)
                except NoData as error:
                    context.left_out(f"Compositional kernels on real sets, {name}: {error}")


def gains(cells, name, base, outer, field):
    """Points above its own base, over the subsamples."""
    pairs = [(cells.number((name, seed, base, outer), field), cells.number((name, seed, base, "alone"), field)) for seed in SUBSAMPLES]
    return [composed - alone for composed, alone in pairs if None not in (composed, alone)]


def standard_error(found, values):
    """Of the mean gain: over the subsamples; of one alone that of two accuracies on different rows, which is too large."""
    if len(found) > 1:
        return statistics.stdev(found) / len(found) ** 0.5
    return 100 * (2 * values[0] / 100 * (1 - values[0] / 100) / TEST_ROWS) ** 0.5


def page(context):
    cells = cells_of(context)
    names = [name for name in SETS if any(key[0] == name for key in cells.found)]
    if not names:
        return []
    rows, better, tried = [], {"mapped": [], "exact": []}, 0
    for name in names:
        for base in BASES:
            row = [name, base]
            for field in ("exact", "mapped"):
                for outer in OUTER:
                    values = [cells.number((name, seed, base, outer), field) for seed in SUBSAMPLES]
                    values = [value for value in values if value is not None]
                    row.append(f"{statistics.mean(values):.2f}" if values else "")
                    found = gains(cells, name, base, outer, field)
                    if outer != "alone" and found:
                        tried += field == "mapped"
                        error = standard_error(found, values)
                        if min(found) > 0 and statistics.mean(found) > 2 * error:
                            better[field].append(f"{name}, {outer} of {base} {statistics.mean(found):+.2f} +- {error:.2f}")
            rows.append(row)
    counts = sorted({f"{name} {len({key[1] for key in cells.found if key[0] == name})}" for name in names})
    return [f"{TRAIN_ROWS} training and {TEST_ROWS} test rows (Splice 500 and 500), columns scaled to [0, 1] on training rows, rows by the largest norm; classes of Letter,",
            "Pendigits and USPS joined at random, fixed. Base alone, exp(K) and (1 + K)^3, K divided by its mean K(x, x) for intersection and chi2; gamma of RBF and",
            "Laplacian as `map.gamma = auto`. *Exact*: scikit-learn's SVC on the Gram matrix (hinge), C by 5-fold cross-validation;",
            f"*mapped*: dpsvm with D = {FEATURES} (squared hinge), C likewise. Means over subsamples ({', '.join(counts)}).", "",
            *context.table(["set", "base", *[f"{field}: {outer}" for field in ("exact", "mapped") for outer in OUTER]], rows), "",
            f"Above its own base on every subsample, and by more than two standard errors, of {tried} tried: "
            + ". ".join(f"{field}, {len(found)}: " + ("; ".join(found) if found else "none") for field, found in better.items()) + ".", "",
            *([f"Not measured yet: {', '.join(name for name in SETS if name not in names)}.", ""] if len(names) < len(SETS) else []),
            *context.notes("payoff")]
