"""Answers of dpsvm and of scikit-learn on the same rows (parity_sklearn.sh): a Markdown table; status 1 if any two are
further apart than the bound beside them.

    python3 parity_sklearn.py --dpsvm PROGRAM --fit-sigmoid PROGRAM DATA

* metrics: evaluate's report against sklearn.metrics on what predict printed: the same numbers in another order of sums
* sigmoid: Platt's fit to the same scores; scikit-learn stops at a gradient of 1e-5, which leaves about 1e-5 in A and B
* objective: P of both programs' solutions at their tightest practical tolerances, relative. LinearSVC and LinearSVR are
  LIBLINEAR; logistic regression is L-BFGS on rows with a constant column, so that the bias is regularised as ours is
* scaling: columns as transform writes them (floats: half a unit in the last place is 6e-8) against the scalers
"""
import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn import metrics
from sklearn.calibration import _SigmoidCalibration
from sklearn.datasets import dump_svmlight_file, load_svmlight_file, make_friedman1
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC, LinearSVR

warnings.filterwarnings("ignore")
EXACT, PLATT, SMOOTH, FLOATS = 1e-9, 1e-4, 1e-4, 2e-7
PLAIN = ["--kernel.type=linear", "--data.scaling=none", "--data.normalize=none", "--map.scale=none"]
EPSILON = 0.1


class Parity:
    def __init__(self, program, fit_sigmoid, work):
        self.program, self.fit_sigmoid, self.work = program, fit_sigmoid, Path(work)
        self.failures = 0
        print("| what | rows | dpsvm | scikit-learn | difference | bound |\n| --- | --- | --- | --- | --- | --- |")

    def compare(self, what, rows, ours, theirs, bound, relative=False):
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        apart = np.max(np.abs(ours - theirs)) if ours.shape == theirs.shape else np.inf
        apart = apart / np.max(np.abs(theirs)) if relative else apart
        bad = not apart <= bound
        self.failures += bad
        first = [f"{x.flat[0]:.10g}" + (" ..." if x.size > 1 else "") for x in (ours, theirs)]
        print(f"| {what} | {rows} | {first[0]} | {first[1]} | {apart:.1e} | {bound:.0e} |{' <-- differs' if bad else ''}")

    def run(self, *words):
        done = subprocess.run([str(self.program), *map(str, words), "-q"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def train(self, file, *options):
        report = self.work / "train.json"
        self.run("train", file, "-o", self.work / "model", "--report", report, "--data.format=libsvm", *options)
        return json.loads(report.read_text())

    def predict(self, file, *flags):
        lines = self.run("predict", self.work / "model", file, *flags).split("\n")[:-1]
        return np.array([[float(word) for word in line.split()] for line in lines])

    def evaluate(self, file):
        report = self.work / "evaluate.json"
        self.run("evaluate", self.work / "model", file, "--report", report)
        return json.loads(report.read_text())

    # ---- metrics and probabilities ----

    def classification(self, name, train, test, *options):
        self.train(train, "--solver.probability=on", *options)
        ours = self.evaluate(test)
        y = load_svmlight_file(str(test))[1]
        guess = self.predict(test)[:, 0]
        score, proba = self.predict(test, "--scores"), self.predict(test, "--proba")
        labels = np.unique(y)
        precision, recall, f1, rows = metrics.precision_recall_fscore_support(y, guess, labels=labels, zero_division=0)
        column = {key: [c[key] for c in ours["classes"]] for key in ("precision", "recall", "f1", "rows")}
        for what, a, b in [
                ("accuracy", ours["accuracy"], metrics.accuracy_score(y, guess)),
                ("balanced accuracy", ours["balanced_accuracy"], metrics.balanced_accuracy_score(y, guess)),
                ("precision a class", column["precision"], precision), ("recall a class", column["recall"], recall),
                ("F1 a class", column["f1"], f1), ("rows a class", column["rows"], rows),
                ("macro F1", ours["macro_f1"], metrics.f1_score(y, guess, average="macro")),
                ("confusion matrix", ours["confusion"], metrics.confusion_matrix(y, guess, labels=labels)),
                ("log-loss", ours["log_loss"], metrics.log_loss(y, proba, labels=labels)),
                ("probabilities' sum", proba.sum(axis=1), np.ones(len(y)))]:
            self.compare(what, name, a, b, EXACT)
        if len(labels) == 2:
            self.compare("AUC", name, ours["auc"], metrics.roc_auc_score(y == labels[1], score[:, 0]), EXACT)
            self.sigmoid(name, score[:, 0], y == labels[1])

    def sigmoid(self, name, score, positive):
        if not Path(self.fit_sigmoid).exists():
            print(f"| sigmoid | {name} | not built: {self.fit_sigmoid} | | | |")
            return
        lines = "".join(f"{s:.17g} {int(p)}\n" for s, p in zip(score, positive))
        done = subprocess.run([self.fit_sigmoid], input=lines, capture_output=True, text=True, check=True)
        ours = np.array([float(word) for word in done.stdout.split()])
        theirs = _SigmoidCalibration().fit(score, positive.astype(int))
        theirs = np.array([theirs.a_, theirs.b_])
        high, low = (positive.sum() + 1) / (positive.sum() + 2), 1 / ((~positive).sum() + 2)
        target = np.where(positive, high, low)

        def loss(ab):  # -sum t log p + (1 - t) log(1 - p), p = 1 / (1 + exp(f))
            f = ab[0] * score + ab[1]
            return float(np.sum(target * np.logaddexp(0, f) + (1 - target) * np.logaddexp(0, -f)))

        self.compare("sigmoid A", name, ours[0], theirs[0], PLATT, relative=True)
        self.compare("sigmoid B", name, ours[1], theirs[1], PLATT * max(1, abs(theirs[1])))
        self.compare("sigmoid's loss", name, loss(ours), loss(theirs), 1e-6, relative=True)

    def regression(self, name, train, test):
        self.train(train, "--solver.task=regression", *PLAIN)
        ours = self.evaluate(test)
        y, guess = load_svmlight_file(str(test))[1], self.predict(test)[:, 0]
        self.compare("RMSE", name, ours["rmse"], metrics.mean_squared_error(y, guess, squared=False), EXACT)
        self.compare("MAE", name, ours["mae"], metrics.mean_absolute_error(y, guess), EXACT)
        self.compare("R2", name, ours["r2"], metrics.r2_score(y, guess), EXACT)

    # ---- objectives ----

    def objective(self, name, file, loss, solvers=("newton", "dcd"), weight=None, **options):
        x, y = load_svmlight_file(str(file))
        x = np.hstack([x.toarray(), np.ones((x.shape[0], 1))])  # the constant feature: regularised
        c = np.ones(len(y)) if weight is None else weight
        number = loss.endswith("insensitive")
        targets = [y] if number else [np.where(y == k, 1.0, -1.0) for k in np.unique(y)[-1 if len(np.unique(y)) == 2 else 0:]]
        if number:
            words = ["--solver.task=regression", f"--solver.epsilon={EPSILON}"]
        else:
            words = []
        if options.get("balanced"):
            words.append("--solver.class_weight=balanced")
            c = len(y) / (len(np.unique(y)) * np.array([np.sum(y == k) for k in y]))
        if weight is not None:
            (self.work / "weights").write_text("".join(f"{w:.17g}\n" for w in weight))
            words.append(f"--data.weights={self.work / 'weights'}")
        theirs = sum(self.primal(self.fit(x, t, c, loss), x, t, c, loss) for t in targets)
        for solver in solvers:
            ours = self.train(file, *PLAIN, *words, f"--solver.loss={loss}", f"--solver.type={solver}",
                              "--solver.C=1", "--solver.tolerance=1e-6", "--solver.max_iterations=100000")["solver"]["objective"]
            what = f"P, {loss}, {solver}" + ("" if not options.get("balanced") else ", balanced") + \
                ("" if weight is None else ", weighted rows")
            self.compare(what, name, ours, theirs, SMOOTH, relative=True)

    @staticmethod
    def fit(x, t, c, loss):
        tight = {"fit_intercept": False, "C": 1.0, "tol": 1e-7, "max_iter": 2000000, "random_state": 1}
        if loss == "logistic":
            model = LogisticRegression(fit_intercept=False, tol=1e-10, max_iter=100000).fit(x, t, c)
        elif loss.endswith("insensitive"):
            model = LinearSVR(loss=loss, epsilon=EPSILON, dual=True, **tight).fit(x, t, c)
        else:
            model = LinearSVC(loss=loss, dual=True, **tight).fit(x, t, c)
        return model.coef_.ravel()

    @staticmethod
    def primal(w, x, t, c, loss):
        u = x @ w
        beyond = np.maximum(np.abs(t - u) - EPSILON, 0)
        value = {"hinge": np.maximum(1 - t * u, 0), "squared_hinge": np.maximum(1 - t * u, 0) ** 2,
                 "logistic": np.logaddexp(0, -t * u), "epsilon_insensitive": beyond,
                 "squared_epsilon_insensitive": beyond ** 2}[loss]
        return float(w @ w / 2 + np.sum(c * value))

    # ---- scaling ----

    def scaling(self, name, file):
        x = load_svmlight_file(str(file))[0].toarray()
        for kind, scaler in [("max_abs", MaxAbsScaler()), ("min_max", MinMaxScaler()), ("standard", StandardScaler())]:
            self.train(file, "--kernel.type=linear", "--data.normalize=none", "--map.scale=none",
                       "--solver.task=regression", f"--data.scaling={kind}")
            out = self.work / "scaled.npy"
            self.run("transform", self.work / "model", file, "-o", out, "--format", "npy")
            theirs = scaler.fit_transform(x)
            self.compare(f"columns, {kind}", name, np.load(out)[:, :x.shape[1]], theirs,
                         FLOATS * max(1.0, float(np.max(np.abs(theirs)))))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--dpsvm", required=True)
    arguments.add_argument("--fit-sigmoid", required=True)
    arguments.add_argument("data")
    given = arguments.parse_args()
    data = Path(given.data)
    with tempfile.TemporaryDirectory() as work:
        parity = Parity(given.dpsvm, given.fit_sigmoid, work)
        random = np.random.default_rng(1)
        ties = random.integers(0, 3, (500, 3)).astype(float)  # few distinct scores: ties in the AUC
        label = np.where(ties.sum(axis=1) + random.normal(0, 1.5, 500) > 3.5, 7, 5)
        dump_svmlight_file(ties, label, f"{work}/ties", zero_based=False)
        for part, seed in [("train", 2), ("test", 3)]:
            x, y = make_friedman1(600, 8, noise=1.0, random_state=seed)
            dump_svmlight_file(x * [1, 5, 0.1, 1, 1, 2, 1, 1], y, f"{work}/friedman.{part}", zero_based=False)
        rows = {"ties": (f"{work}/ties",) * 2, **{n: (data / f"{n}.train", data / f"{n}.test")
                                                  for n in ("parity", "pinwheel", "spirals")}}
        for name, (train, test) in rows.items():
            parity.classification(f"{name}, plain", train, test, "--kernel.type=linear")
        parity.classification("pinwheel, map", *rows["pinwheel"])
        parity.regression("friedman", f"{work}/friedman.train", f"{work}/friedman.test")
        for name in ("ties", "spirals", "pinwheel"):
            for loss in ("squared_hinge", "hinge", "logistic"):
                parity.objective(name, rows[name][0], loss)
        parity.objective("ties", rows["ties"][0], "squared_hinge", balanced=True)
        parity.objective("ties", rows["ties"][0], "logistic", weight=random.uniform(0.2, 3, 500))
        for loss in ("squared_epsilon_insensitive", "epsilon_insensitive"):
            parity.objective("friedman", f"{work}/friedman.train", loss)
            parity.objective("pinwheel as numbers", rows["pinwheel"][0], loss)
        parity.scaling("friedman", f"{work}/friedman.train")
    if parity.failures:
        sys.exit(f"{parity.failures} differences above their bounds")


main()
