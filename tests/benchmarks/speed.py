#!/usr/bin/env python3
"""Speed against other programs, from files on disk to model and to predictions: build/bench/speed.md, .csv, .svg.

    DPSVM_DATA=FOLDER ./dev.sh bench speed          all of it; a run that was stopped goes on where it was
    python3 tests/benchmarks/speed.py --sets nursery,spambase [--cores 1] [--rows 2000]

Kernel: polynomial, degree 10, offset 1. Contenders:
  libsvm         svm-train -t 1, the exact kernel (once a set), and the same through scikit-learn's SVC
  pipeline       `dpsvm transform` with collapse = off to a text file, then liblinear-train on it (-s 1 or -s 2,
                 the faster, at the loosest -e within 1 % of the optimum); "in memory" is the same without its files of mapped
                 rows: reading, scaling and mapping as `dpsvm transform` reports them, and LIBLINEAR's fit of a matrix
  nystroem, sketch, rbf      scikit-learn's Nystroem, PolynomialCountSketch, RBFSampler, each with LinearSVC
  ours           `dpsvm train`, maps and solvers of the list OURS
Rows are scaled alike for all: peers read files that `dpsvm transform` has scaled already (not counted), ours scales by
itself (counted). Peers in Python are timed without the start of Python and its imports. Everybody is pinned to the
same cores; the peers use one thread, and are therefore measured on one core only; ours uses as many threads as there are cores. C is chosen for every contender by the same
cross-validation: FOLDS folds of the first CV_ROWS training rows, the grid COSTS over the mean of K(x, x), the
smallest C within 0.1 points of the best.
"""
import json
import os
import subprocess
import sys

import speed_common as common
from bench_common import ROOT, arguments, chosen, data_file
from speed_common import Failed, Store, median, say, timed

SETS = ["nursery", "spambase", "cod-rna", "adult", "ijcnn1", "covertype"]
SCALING = {"cod-rna": "min_max", "ijcnn1": "min_max", "spambase": "standard"}  # as configs/paper; others max_abs
WITHIN = {"covertype": 2.5}  # points below the exact kernel that a setting of ours may be; others 0.5
COSTS = [1, 10, 100, 1000, 10000, 100000]
CV_ROWS, FOLDS, CV_LIMIT = 3000, 3, 40.0
ONCE_ABOVE = 60.0  # a contender that takes longer is measured once
PYTHON = "/usr/bin/python3"
PEER = os.path.join(ROOT, "tests", "benchmarks", "peer_sklearn.py")

# name: (map settings, solver settings). Cross-validated once a map and loss.
H01 = {"map__h01": "on"}
OURS = {
    "H0/1 newton 25": ({**H01, "map__features": 25}, {"solver__type": "newton"}),
    "H0/1 newton 50": ({**H01, "map__features": 50}, {"solver__type": "newton"}),
    "H0/1 newton 100": ({**H01, "map__features": 100}, {"solver__type": "newton"}),
    "H0/1 newton 200": ({**H01, "map__features": 200}, {"solver__type": "newton"}),
    "H0/1 newton 500": ({**H01, "map__features": 500}, {"solver__type": "newton"}),
    "H0/1 dcd 100": ({**H01, "map__features": 100}, {"solver__type": "dcd", "solver__max_iterations": 200}),
    "H0/1 sgd 100": ({**H01, "map__features": 100}, {"solver__type": "sgd", "solver__max_iterations": 10}),
    "H0/1 newton 100 loose": ({**H01, "map__features": 100}, {"solver__type": "newton", "solver__tolerance": 0.05}),
    "H0/1 newton 50 loose": ({**H01, "map__features": 50}, {"solver__type": "newton", "solver__tolerance": 0.05}),
    "H0/1 hinge 100": ({**H01, "map__features": 100}, {"solver__type": "auto", "solver__loss": "hinge"}),
    "H0/1 complex 100": ({**H01, "map__features": 100, "map__projection": "complex"}, {"solver__type": "newton"}),
    "H0/1 complex 200": ({**H01, "map__features": 200, "map__projection": "complex"}, {"solver__type": "newton"}),
    "H0/1 complex 300": ({**H01, "map__features": 300, "map__projection": "complex"}, {"solver__type": "newton"}),
    "RF newton 200": ({"map__h01": "off", "map__features": 200}, {"solver__type": "newton"}),
    "RF newton 1000": ({"map__h01": "off", "map__features": 1000}, {"solver__type": "newton"}),
    "RF complex 1000": ({"map__h01": "off", "map__features": 1000, "map__projection": "complex"},
                        {"solver__type": "newton"}),
    "RF newton 500": ({"map__h01": "off", "map__features": 500}, {"solver__type": "newton"}),
    "exact newton 100": ({"map__exact_degree": 2, "map__features": 100}, {"solver__type": "newton"}),
    "exact newton 10": ({"map__exact_degree": 2, "map__features": 10}, {"solver__type": "newton"}),
    "cubic newton 10": ({"map__exact_degree": 3, "map__features": 10}, {"solver__type": "newton"}),
}
# Where all products of two columns, or of three, are not too many to carry exactly.
EXACT = {"exact": ["nursery", "cod-rna", "ijcnn1"], "cubic": ["nursery", "cod-rna"]}
PIPELINES = {"H0/1 pipeline 100": "H0/1 newton 100", "RF pipeline 500": "RF newton 500"}
SKLEARN = {"nystroem 100": ("nystroem", 100), "nystroem 500": ("nystroem", 500), "sketch 500": ("sketch", 500),
           "rbf 500": ("rbf", 500)}
PEERS = ["libsvm", "svc", *PIPELINES, *SKLEARN]


def best_cost(accuracies):
    top = max(accuracies)
    return next(cost for cost, accuracy in zip(COSTS, accuracies) if accuracy >= top - 0.001)


class Bench:
    def __init__(self, options, name, cores):
        self.options, self.name, self.cores = options, name, cores
        self.folder = os.path.join(common.OUT, "work", name + (f"-{options.rows}" if options.rows else ""))
        os.makedirs(self.folder, exist_ok=True)
        self.store = Store("speed")
        self.program = options.dpsvm
        self.mark = options.mark or common.program_mark(self.program)
        self.on = common.cores(cores)
        self.train, self.test = self.path("train"), self.path("test")
        self.prepare()

    def path(self, name):
        return os.path.join(self.folder, name)

    def label(self):
        return f"{self.name}/{self.options.rows}" if self.options.rows else self.name

    # ------------------------------------------------------------------ our program

    def words(self, settings):
        settings = {"data__scaling": SCALING.get(self.name, "max_abs"), "kernel__type": "polynomial",
                    "kernel__degree": 10, "kernel__offset": 1, **settings}
        return [f"--{key.replace('__', '.')}={value}" for key, value in settings.items()] + ["-q"]

    def dpsvm_train(self, model, on=None, **settings):
        report = model + ".report"
        if on is None:
            settings = {**settings, "run__threads": 1}  # not timed: leaves the other cores alone
        cost = timed([self.program, "train", *self.words({"output__model": model, "output__report": report,
                                                          **settings})], on, limit=1800)
        with open(report, encoding="utf-8") as file:
            return cost, json.load(file)

    def transform(self, model, source, target, on=None, form="libsvm"):
        return timed([self.program, "transform", model, source, "-o", target, "--format", form, "-q"], on)

    # ------------------------------------------------------------------ files

    def prepare(self):
        """Training and test rows as they are and scaled, the folds, the mean of K(x, x)."""
        done = self.store.get(self.label(), "prepared")
        if done and all(os.path.exists(self.path(name)) for name in ("train", "scaled.train", "held0.scaled")):
            self.diagonal = done
            return
        for kind in ("train", "test"):
            with open(data_file(self.options, f"{self.name}.{kind}"), encoding="ascii") as source:
                lines = source.readlines()
            with open(self.path(kind), "w", encoding="ascii") as target:
                target.writelines(lines[:self.options.rows or None])
        linear = {"kernel__type": "linear", "map__scale": "none", "solver__max_iterations": 1, "solver__type": "newton"}
        scaler = self.path("scaler")
        self.dpsvm_train(scaler, data__train=self.train, **linear)
        for kind in ("train", "test"):
            self.transform(scaler, self.path(kind), self.path(f"scaled.{kind}"))
        for name, suffix in (("train", ""), ("scaled.train", ".scaled")):
            with open(self.path(name), encoding="ascii") as file:
                lines = file.readlines()[:CV_ROWS]
            for k in range(FOLDS):
                for kind, keep in (("fit", False), ("held", True)):
                    with open(self.path(f"{kind}{k}{suffix}"), "w", encoding="ascii") as file:
                        file.writelines(line for i, line in enumerate(lines) if (i % FOLDS == k) == keep)
        _, report = self.dpsvm_train(self.path("any"), data__train=self.train, map__features=10, map__h01="on",
                                     solver__type="newton", solver__max_iterations=1)
        self.diagonal = self.store.put(report["map"]["mean_diagonal"], self.label(), "prepared")

    def folds(self, suffix=""):
        return [(self.path(f"fit{k}{suffix}"), self.path(f"held{k}{suffix}")) for k in range(FOLDS)]

    # ------------------------------------------------------------------ C of every contender

    def cost_of(self, contender):
        if contender in PIPELINES:
            contender = PIPELINES[contender]
        if contender in OURS:
            mapping, solver = OURS[contender]
            loss = solver.get("solver__loss", "squared_hinge")
            name = " ".join(f"{key}={value}" for key, value in mapping.items()) + " " + loss
            find = lambda: self.search_ours(mapping, loss)
        elif contender in ("libsvm", "svc"):
            name, find = "libsvm", self.search_libsvm
        else:
            name, find = contender, lambda: self.search_sklearn(*SKLEARN[contender])
        if self.options.cached and self.store.get(self.label(), "cv", name) is None:
            return None
        return best_cost(self.store.once(find, self.label(), "cv", name))

    def search_ours(self, mapping, loss):
        say(f"{self.name}: C of {mapping} {loss}")
        return [sum(self.dpsvm_train(self.path("cv"), data__train=fit, data__test=held, solver__C=cost,
                                     solver__loss=loss, **mapping)[1]["test_accuracy"]
                    for fit, held in self.folds()) / FOLDS for cost in COSTS]

    def search_sklearn(self, model, width):
        say(f"{self.name}: C of {model} {width}")
        pairs = [",".join(pair) for pair in self.folds(".scaled")]
        return json.loads(subprocess.run(
            [PYTHON, PEER, "cv", model, str(width), ",".join(map(str, COSTS)), str(self.diagonal), *pairs],
            check=True, capture_output=True, text=True).stdout)

    def search_libsvm(self):
        say(f"{self.name}: C of libsvm")
        found = []
        for cost in COSTS:
            right, seconds = 0.0, 0.0
            try:
                for fit, held in self.folds(".scaled"):
                    run = self.libsvm_train(cost, fit, self.path("cv.svm"), limit=CV_LIMIT)
                    seconds = max(seconds, run["cpu"])
                    right += self.libsvm_predict(held, self.path("cv.svm"))[1] / FOLDS
            except Failed:
                right, seconds = 0.0, 2 * CV_LIMIT
            found.append(right)
            if seconds > CV_LIMIT / 2 or right < max(found) - 0.01:
                break
        return found

    # ------------------------------------------------------------------ one run each

    def libsvm_train(self, cost, source, model, on=None, limit=None):
        return timed(["svm-train", "-q", "-t", 1, "-d", 10, "-g", 1, "-r", 1, "-m", 1000, "-c", cost / self.diagonal,
                      source, model], on, limit=limit)

    def libsvm_predict(self, source, model, on=None):
        cost = timed(["svm-predict", "-q", source, model, self.path("predicted")], on)
        return cost, self.right(source)

    def right(self, source):
        with open(source, encoding="ascii") as rows, open(self.path("predicted"), encoding="ascii") as answers:
            pairs = [(float(row.split(None, 1)[0]), float(answer)) for row, answer in zip(rows, answers)]
        return sum(label == answer for label, answer in pairs) / len(pairs)

    def run_libsvm(self, cost, seed):
        train = self.libsvm_train(cost, self.path("scaled.train"), self.path("svm"), self.on)
        test, right = self.libsvm_predict(self.path("scaled.test"), self.path("svm"), self.on)
        return self.result(train, test, right, None, None)

    def run_sklearn(self, model, width, cost):
        out = self.path("sklearn.json")
        run = timed([PYTHON, PEER, "fit", model, width, cost, self.path("scaled.train"), self.path("scaled.test"),
                     self.diagonal], self.on, stdout=out)
        with open(out, encoding="utf-8") as file:
            said = json.load(file)
        return {"train": said["train"], "train_cpu": said["train_cpu"], "test": said["test"],
                "test_cpu": said["test_cpu"], "peak": run["peak"], "accuracy": said["accuracy"], "D": width,
                "width": width}

    def run_ours(self, contender, cost, seed):
        mapping, solver = OURS[contender]
        model = self.path("model")
        train, report = self.dpsvm_train(model, self.on, data__train=self.train, solver__C=cost, map__seed=seed,
                                         **mapping, **solver)
        test = timed([self.program, "predict", model, self.test, "-o", self.path("predicted"), "-q"], self.on)
        result = self.result(train, test, self.right(self.test), report["map"]["features"], report["map"]["width"])
        result["stages"] = {name: stage["seconds"] for name, stage in report["stages"].items()}
        result["solver"] = {key: report["solver"][key] for key in ("type", "gap", "iterations", "outcome")}
        return result

    def run_pipeline(self, contender, cost, seed):
        """The map is a model trained without care; its making is not counted, as its random matrix is drawn again."""
        mapping, _ = OURS[PIPELINES[contender]]
        model, mapped, tested = self.path("map"), self.path("mapped.train"), self.path("mapped.test")
        _, report = self.dpsvm_train(model, data__train=self.train, map__collapse="off", map__seed=seed,
                                     solver__type="newton", solver__max_iterations=1, **mapping)
        kind, end, fit = self.end_of(contender, cost)
        train = self.transform(model, self.train, mapped, self.on)
        solve = timed(["liblinear-train", "-q", "-s", {"dual": 1, "primal": 2}[kind], "-e", end, "-B", 1, "-c", cost,
                       mapped, self.path("linear")], self.on)
        test = self.transform(model, self.test, tested, self.on)
        predict = timed(["liblinear-predict", "-q", tested, self.path("linear"), self.path("predicted")], self.on)
        right = self.right(self.test)
        os.remove(mapped)
        os.remove(tested)
        result = self.result(add(train, solve), add(test, predict), right, report["map"]["features"],
                             report["map"]["width"])
        result["in_memory"] = self.mapping_seconds(model) + fit
        return result

    def mapping_seconds(self, model):
        """Of reading, scaling and mapping the training rows; times the share of the core that the process had."""
        report = self.path("map.report")
        cost = timed([self.program, "transform", model, self.train, "-o", os.devnull, "--format", "npy", "--report", report,
                      "-q"], self.on)
        with open(report, encoding="utf-8") as file:
            stages = json.load(file)["stages"]
        spent = sum(stages[name]["seconds"] for name in ("parse", "scale", "map") if name in stages)
        return spent * min(1, cost["cpu"] / cost["wall"])

    def end_of(self, contender, cost):
        return self.store.once(lambda: self.loosest(contender, cost, OURS[PIPELINES[contender]][0]), self.label(),
                               "end and seconds", contender, cost)

    def choose(self, contenders):
        for contender in contenders:
            cost = self.cost_of(contender)
            if contender in PIPELINES:
                self.end_of(contender, cost)

    def loosest(self, contender, cost, mapping):
        """The faster of LIBLINEAR's dual and primal at the loosest -e within 1 % of the optimum, and its seconds."""
        say(f"{self.name}: -e of {contender} at C = {cost}")
        features, labels = dump(self, mapping, "off")
        best = optimum(self, mapping, "off", cost, "squared_hinge")
        found = json.loads(subprocess.run([PYTHON, PEER, "ends", features, labels, "squared_hinge", str(cost),
                                           str(best), "0.01"], check=True, capture_output=True, text=True).stdout)
        os.remove(features)
        reached = {kind: end for kind, end in found.items() if end["reached"]} or found
        kind = min(reached, key=lambda name: reached[name]["seconds"])
        return [kind, reached[kind]["tolerance"], reached[kind]["seconds"]]

    @staticmethod
    def result(train, test, right, features, width):
        return {"train": train["wall"], "train_cpu": train["cpu"], "test": test["wall"], "test_cpu": test["cpu"],
                "peak": max(train["peak"], test["peak"]), "accuracy": right, "D": features, "width": width}

    def run(self, contender, cost, repeat):
        if contender == "libsvm":
            return self.run_libsvm(cost, repeat)
        if contender == "svc":
            return self.run_sklearn("svc", 0, cost)
        if contender in SKLEARN:
            return self.run_sklearn(*SKLEARN[contender], cost)
        if contender in PIPELINES:
            return self.run_pipeline(contender, cost, repeat)
        return self.run_ours(contender, cost, repeat)

    def measure(self, contenders, repeats):
        """All contenders in turn, `repeats` times; slow ones once. Returns their runs."""
        runs = {contender: [] for contender in contenders}
        for repeat in range(1, repeats + 1):
            for contender in contenders:
                cost = self.cost_of(contender)
                if cost is None:
                    continue
                ours = contender in OURS
                # a program of one thread takes as long on two cores as on one
                used = self.cores if ours or contender in PIPELINES else 1
                key = (self.label(), "run", contender, cost, f"{used} cores", repeat) + ((self.mark,) if ours else ())
                if repeat > 1 and runs[contender] and runs[contender][0]["train_cpu"] > ONCE_ABOVE:
                    continue
                try:
                    value = self.store.get(*key)
                    if value is None and self.options.cached:
                        continue
                    if value is None:
                        say(f"{self.label()}: {contender}, C = {cost}, {self.cores} cores, run {repeat}")
                        value = self.store.put({**self.run(contender, cost, repeat), "C": cost}, *key)
                    runs[contender].append(value)
                except (Failed, subprocess.CalledProcessError) as error:
                    say(f"{self.name}: {contender} left out: {error}")
        return {contender: value for contender, value in runs.items() if value}


def add(a, b):
    return {"wall": a["wall"] + b["wall"], "cpu": a["cpu"] + b["cpu"], "peak": max(a["peak"], b["peak"])}


def dump(bench, mapping, collapse):
    """Mapped training rows as a .npy matrix and their labels as text."""
    model, features, labels = bench.path("dump"), bench.path("dump.npy"), bench.path("dump.labels")
    bench.dpsvm_train(model, data__train=bench.train, map__collapse=collapse, solver__type="newton",
                      solver__max_iterations=1, **mapping)
    bench.transform(model, bench.train, features, form="npy")
    with open(bench.train, encoding="ascii") as rows, open(labels, "w", encoding="ascii") as file:
        words = [float(row.split(None, 1)[0]) for row in rows]
        top = max(words)
        file.writelines("1\n" if word == top else "-1\n" for word in words)
    return features, labels


def optimum(bench, mapping, collapse, cost, loss):
    """The smallest objective that we know of, to 1e-6."""
    _, report = bench.dpsvm_train(bench.path("optimum"), data__train=bench.train, map__collapse=collapse,
                                  solver__type="newton", solver__tolerance=1e-6, solver__C=cost, solver__loss=loss,
                                  **mapping)
    return report["solver"]["objective"]


def seconds(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def rows_of(bench, runs):
    exact = runs.get("libsvm")
    for contender, found in runs.items():
        first = found[0]
        accuracy = sum(run["accuracy"] for run in found) / len(found)
        ratio = median(exact, "train_cpu") / median(found, "train_cpu") if exact else float("nan")
        yield [bench.label(), bench.cores, contender, first["D"] or "", first["width"] or "", first["C"],
               f"{100 * accuracy:.2f}", seconds(median(found, "train")), seconds(median(found, "train_cpu")),
               seconds(median(found, "test")), seconds(median(found, "test_cpu")), f"{median(found, 'peak') / 1e6:.0f}",
               f"{ratio:.3g}", len(found)]


def cheapest(bench, runs):
    """Our cheapest setting within the points allowed below the exact kernel, and the ratios of the two bars."""
    if "libsvm" not in runs:
        return None
    def mean(contender):
        return 100 * sum(run["accuracy"] for run in runs[contender]) / len(runs[contender])
    least = mean("libsvm") - WITHIN.get(bench.name, 0.5)
    able = [contender for contender in runs if contender in OURS and mean(contender) >= least]
    if not able:
        return None
    best = min(able, key=lambda contender: median(runs[contender], "train_cpu"))
    row = [bench.label(), bench.cores, best, f"{mean(best):.2f}", f"{mean('libsvm'):.2f}"]
    for peer, own in [("libsvm", best), *PIPELINES.items()]:
        for field in ("train_cpu", "train"):
            both = peer in runs and own in runs
            row.append(median(runs[peer], field) / median(runs[own], field) if both else float("nan"))
    for peer, own in PIPELINES.items():
        both = peer in runs and own in runs and "in_memory" in runs[peer][0]
        row.append(median(runs[peer], "in_memory") / median(runs[own], "train_cpu") if both else float("nan"))
    return row


BARS = ["libsvm", "libsvm, wall", *[f"{name}{wall}" for name in PIPELINES for wall in ("", ", wall")],
        *[f"{name} in memory" for name in PIPELINES]]


def plots(path):
    common.plot("speed", "set logscale xy\nset xlabel 'training, CPU seconds'\nset ylabel 'test error, %'\n"
                "set key outside\nset title 'Training time and error, one core: every point a set and a setting'\n"
                "kinds = 'libsvm pipeline nystroem sketch rbf newton complex dcd sgd hinge'\n"
                f"plot for [i=1:words(kinds)] '{path}' using (strstrt(strcol(3), word(kinds, i)) > 0 && column(2) == 1 "
                "? column(9) : NaN):(100-column(7)) every ::1 with points pt i ps 0.8 lc i title word(kinds, i)")


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--cores", default="1,2", help="1, 2 or both: how many cores everybody is pinned to")
    parser.add_argument("--rows", type=int, default=0, help="only so many rows of each file: a trial")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cached", action="store_true", help="tables of what has been measured, nothing else")
    parser.add_argument("--mark", help="name of the build in the results (default: from its content)")
    parser.add_argument("--find", action="store_true", help="only what is chosen beforehand: C, LIBLINEAR's -e")
    parser.add_argument("--only", help="contenders, separated by commas")
    options = parser.parse_args()
    contenders = options.only.split(",") if options.only else [*PEERS, *OURS]
    def of(name):
        return [contender for contender in contenders if name in EXACT.get(contender.split()[0], SETS)]

    if options.find:
        for name in chosen(options, SETS):
            Bench(options, name, 1).choose(of(name))
        return 0
    table, bars = [], []
    for name in chosen(options, SETS):
        for cores in map(int, options.cores.split(",")):
            bench = Bench(options, name, cores)
            runs = bench.measure(of(name), options.repeats)
            table += rows_of(bench, runs)
            bar = cheapest(bench, runs)
            if bar:
                bars.append(bar)
    note = ("Ratio: CPU seconds of libsvm over those of the contender, training. Wall and CPU seconds are medians; "
            "accuracy is a mean over the runs, which have map seeds 1, 2, ...")
    common.write_table("speed", ["set", "cores", "contender", "D", "D'", "C", "accuracy %", "train s", "train CPU s",
                                 "test s", "test CPU s", "peak MB", "ratio", "runs"], table, note)
    for cores in sorted({bar[1] for bar in bars}):
        mine = [bar for bar in bars if bar[1] == cores]
        bars.append(["geometric mean", cores, "", "", ""] + [
            common.geometric_mean([bar[k] for bar in mine if bar[k] == bar[k]]) for k in range(5, 5 + len(BARS))])
    common.write_table("speed_bars", ["set", "cores", "ours", "accuracy %", "libsvm %", *BARS],
                       [bar[:5] + [f"{value:.3g}" for value in bar[5:]] for bar in bars],
                       "How many times faster ours trains, CPU seconds and wall: than LIBSVM's exact kernel at the "
                       "cheapest setting within 0.5 points (Covertype 2.5), and than the paper's pipeline at the same "
                       "map, with its files of mapped rows and without them (in memory, CPU seconds).")
    plots("speed.csv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
