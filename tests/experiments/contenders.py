"""The contenders of Table 1: how each is fitted and tested. All get the same rows and have their settings chosen by the same
cross-validation (choose). CPU seconds are user and system time of the programs that fit, or test, from files on disk to a
file; one thread each."""
import dataclasses
import json
import os
import shutil
from typing import Callable, Optional

from program import TookTooLong, accuracy, cpu_seconds, piped_cpu_seconds
from rows import Rows

KERNELS = {"polynomial": {"kernel__type": "polynomial", "kernel__degree": 10, "kernel__offset": 1},
           "exponential": {"kernel__type": "exponential"}}
# D of the paper's Table 1: random features alone, and with H0/1.
PAPER_D = {"nursery": (500, 100), "spambase": (500, 50), "cod-rna": (500, 50), "adult": (500, 100), "ijcnn1": (1000, 200),
           "covertype": (1000, 100)}
COSTS = [{"solver__C": cost} for cost in (0.1, 1, 10, 100, 1000, 10000, 100000)]
PAPER_MAP = {"map__measure": "geometric", "map__allocation": "iid", "map__collapse": "off", "map__h01": "off"}
# exp(t) as LIBSVM's polynomial kernel (1 + t/q)^q: the difference is t^2 / 2q of it, a part in 100,000 at t = 4
EXPONENTIAL_DEGREE = 1 << 20
FIT_LIMIT, CV_LIMIT = 300, 20  # CPU seconds that a fit may take


@dataclasses.dataclass
class Fit:
    accuracy: float  # percent, on the test rows
    train_s: float
    test_s: float
    features: Optional[int] = None  # D
    width: Optional[int] = None  # D', columns


# --- ours ---------------------------------------------------------------------------------------------------------


def fit_dpsvm(rows: Rows, settings):
    seconds, report = rows.dpsvm.train(rows.train, **settings)
    tested, right = rows.dpsvm.predict(rows.test)
    drawn = report["map"]["type"] != "none"
    return Fit(right, seconds, tested, report["map"]["features"] if drawn else None, report["map"]["width"])


def fit_drawn(size, h01):
    """The fit of a drawn map; size: D, or a function of the set's name."""
    def fit(rows, kernel, setting):
        return fit_dpsvm(rows, {**rows.scaling, **KERNELS[kernel], "map__h01": h01,
                                "map__features": size(rows.name) if callable(size) else size, "map__seed": rows.split, **setting})
    return fit


def fit_refined(rows, kernel, setting):
    return fit_dpsvm(rows, {**rows.scaling, "kernel__type": "linear", "map__type": "fourier", "map__refine": "projections",
                            "map__seed": rows.split, **setting})


def fit_linear(rows, kernel, setting):
    return fit_dpsvm(rows, {**rows.scaling, "kernel__type": "linear", **setting})


def fit_default(rows, kernel, setting):
    return fit_dpsvm(rows, {})


# --- peers --------------------------------------------------------------------------------------------------------


def libsvm_kernel(rows, kernel):
    """Words of svm-train's kernel, and what C is divided by: the mean of K(x, x)."""
    sigma, diagonal = rows.facts(KERNELS[kernel])
    if kernel == "polynomial":
        return ["-t", 1, "-d", 10, "-g", 1, "-r", 1], diagonal
    return ["-t", 1, "-d", EXPONENTIAL_DEGREE, "-g", repr(1 / (sigma * sigma * EXPONENTIAL_DEGREE)), "-r", 1], diagonal


def fit_libsvm(rows, kernel, setting, limit=FIT_LIMIT):
    words, diagonal = libsvm_kernel(rows, kernel)
    model, out = rows.path("libsvm"), rows.path("predicted")
    train, test = rows.scaled("train"), rows.scaled("test")
    seconds = cpu_seconds(["svm-train", "-q", *words, "-m", 1000, "-c", repr(setting["solver__C"] / diagonal), train, model], limit)
    tested = cpu_seconds(["svm-predict", "-q", test, model, out])
    return Fit(accuracy(test, out), seconds, tested)


def fit_liblinear(rows, kernel, setting):
    """The paper's pipeline: mapped rows as text, liblinear on them. The map is a model trained without care, not counted."""
    model, mapped, fitted, out = (rows.path(name) for name in ("map", "mapped", "liblinear", "predicted"))
    _, report = rows.dpsvm.train(rows.train, output__model=model, **rows.scaling, **KERNELS[kernel], **PAPER_MAP,
                                 map__features=PAPER_D[rows.name][0], map__seed=rows.split, solver__type="newton",
                                 solver__max_iterations=1)
    seconds = rows.dpsvm.transform(model, rows.train, mapped)
    seconds += cpu_seconds(["liblinear-train", "-q", "-s", 2, "-B", 1, "-c", setting["solver__C"], mapped, fitted], FIT_LIMIT)
    os.remove(mapped)
    tested = piped_cpu_seconds(rows.dpsvm.transform_command(model, rows.test, "-"),
                               ["liblinear-predict", "-q", "/dev/stdin", fitted, out])
    return Fit(accuracy(rows.test, out), seconds, tested, report["map"]["features"], report["map"]["width"])


def fit_xgboost(rows, kernel, setting):
    model, conf, out = (rows.path(f"xgboost.{name}") for name in ("model", "conf", "out"))
    train, test = (f'"{rows.zero_one(kind)}?format=libsvm"' for kind in ("train", "test"))
    with open(conf, "w", encoding="ascii") as file:
        file.write("booster = gbtree\nobjective = binary:logistic\ntree_method = hist\nnthread = 1\nverbosity = 0\n"
                   f'num_round = {setting["rounds"]}\nmodel_out = "{model}"\ndata = {train}\ntest:data = {test}\n'
                   f'name_pred = "{out}"\n')
    seconds = cpu_seconds(["xgboost", conf])
    tested = cpu_seconds(["xgboost", conf, "task=pred", f"model_in={model}"])
    with open(rows.zero_one("test"), encoding="ascii") as file, open(out, encoding="ascii") as answers:
        right = [(float(answer) > 0.5) == (row[0] == "1") for row, answer in zip(file, answers, strict=True)]
    return Fit(100 * sum(right) / len(right), seconds, tested)


# --- the table ----------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Contender:
    title: str
    fit: Callable  # rows, kernel, setting -> Fit
    grid: list  # settings to choose from, cheapest first
    kernels: tuple = tuple(KERNELS)  # "none": knows nothing of the paper's kernels, measured once
    programs: tuple = ()  # that must be installed
    slow: bool = False  # measured after the others
    same_as: str = ""  # its settings are those of this one: the same features and the same objective

    def missing(self):
        return [program for program in self.programs if not shutil.which(program)]


SMALL = [{"map__features": D, **cost} for D in (16, 32, 64) for cost in COSTS[1:4]]
REFINED = [{"map__features": D, **cost} for D in (32, 64, 128, 360) for cost in COSTS[1:4]]
CONTENDERS = {
    "libsvm": Contender("exact kernel, LIBSVM", fit_libsvm, COSTS, programs=("svm-train",), slow=True),
    "rf_liblinear": Contender("RF, LIBLINEAR (the paper's pipeline)", fit_liblinear, COSTS, programs=("liblinear-train",),
                              slow=True, same_as="rf"),
    "rf": Contender("RF, dpsvm", fit_drawn(lambda name: PAPER_D[name][0], "off"), COSTS),
    "h01": Contender("H0/1, dpsvm", fit_drawn(lambda name: PAPER_D[name][1], "on"), COSTS),
    "refined": Contender("refined, dpsvm", fit_refined, REFINED, ("none",)),
    "small": Contender("refined, at most 64 features, dpsvm", fit_refined, SMALL, ("none",)),
    "default": Contender("two lines, dpsvm", fit_default, [{}], ("none",)),
    "linear": Contender("linear, dpsvm", fit_linear, COSTS, ("none",)),
    "xgboost": Contender("XGBoost", fit_xgboost, [{"rounds": rounds} for rounds in (30, 100, 300)], ("none",), ("xgboost",)),
}
NEAR = 0.1  # points below the best cross-validated accuracy that a cheaper setting may be
HOPELESS = 1.0  # points below the best so far at which a grid of rising cost is not gone on with


def choose(contender, folds, kernel):
    """The first setting of the grid within NEAR points of the best cross-validated accuracy, and that accuracy."""
    if len(contender.grid) == 1:
        return {"setting": json.dumps(contender.grid[0]), "accuracy": None}
    found = []
    for setting in contender.grid:
        try:
            more = {"limit": CV_LIMIT} if contender.fit is fit_libsvm else {}
            fits = [contender.fit(fold, kernel, setting, **more) for fold in folds]
        except TookTooLong:  # so will those that follow
            break
        found.append((sum(fit.accuracy for fit in fits) / len(fits), setting))
        if contender.fit is fit_libsvm and (found[-1][0] < max(right for right, _ in found) - HOPELESS or
                                            max(fit.train_s for fit in fits) > CV_LIMIT / 2):
            break
    best = max(right for right, _ in found)
    right, setting = next(entry for entry in found if entry[0] >= best - NEAR)
    return {"setting": json.dumps(setting), "accuracy": right}


SCALINGS = ["max_abs", "min_max", "standard", "log"]
BY = {"polynomial": CONTENDERS["h01"], "exponential": CONTENDERS["h01"],
      "none": dataclasses.replace(CONTENDERS["refined"], grid=REFINED[3:6])}  # whose accuracy chooses the scaling


def choose_scaling(folds, kernel):
    """The scaling of columns, for all contenders of a kernel: folds gives the pairs of rows for one."""
    found = [(choose(BY[kernel], folds(scaling), kernel)["accuracy"], scaling) for scaling in SCALINGS]
    best = max(found)[0]
    right, scaling = next(entry for entry in found if entry[0] >= best - NEAR)
    return {"setting": scaling, "accuracy": right}
