"""Table 1, both halves: every contender on five splits of six sets, the paper's own figure beside each."""
import dataclasses
import json
import statistics

from contenders import CONTENDERS, NEAR, PAPER_D, SCALINGS, choose, choose_scaling
from program import TookTooLong
from rows import FOLD_ROWS, FOLDS, SETS, SPLITS, NoData

TITLE = "Table 1: accuracy and time"
HALVES = {"polynomial": "Polynomial kernel, (1 + <x, y>)^10", "exponential": "Exponential kernel, exp(<x, y> / s^2)",
          "none": "Without the paper's kernels"}
SLOW = 90.0  # CPU seconds of training and testing on the first split above which a contender gets no more splits
# The paper's Table 1: accuracy, training and test seconds of the exact kernel, RF and H0/1, both with LIBLINEAR.
PAPER = {
    "polynomial": {
        "nursery": [(99.9, 18.6, 3.37), (99.7, 3.96, 0.63), (98.2, 0.49, 0.1)],
        "spambase": [(93.8, 3.64, 2.84), (93.2, 1.67, 1.13), (92.02, 0.19, 0.38)],
        "cod-rna": [(95.2, 144.1, 28.6), (94.9, 12.1, 2.8), (93.77, 0.63, 0.51)],
        "adult": [(84.2, 179.6, 60.6), (84.7, 21.2, 15.6), (84.7, 6.9, 7.26)],
        "ijcnn1": [(98.4, 164.1, 33.4), (97.3, 36.5, 23.3), (92.3, 4.98, 7.5)],
        "covertype": [(77.4, 160.95, 1653.9), (77.04, 186.1, 236.8), (75.5, 3.9, 70.3)],
    },
    "exponential": {
        "nursery": [(99.8, 10.8, 1.7), (99.6, 2.52, 0.6), (97.96, 0.4, 0.18)],
        "spambase": [(93.5, 3.19, 1.89), (92.3, 1.9, 0.6), (92.08, 0.19, 0.16)],
        "cod-rna": [(95.2, 91.5, 17.1), (94.9, 11.5, 2.8), (93.8, 0.67, 1.4)],
        "adult": [(83.7, 263.3, 33.4), (82.9, 39.8, 14.3), (84.8, 7.18, 9.4)],
        "ijcnn1": [(98.4, 135.8, 29.98), (97.2, 24.9, 23.4), (92.2, 5.2, 9.1)],
        "covertype": [(80.6, 194.1, 695.8), (76.2, 21.4, 207), (75.5, 3.7, 80.4)],
    },
}
PAPER_COLUMN = {"libsvm": 0, "rf_liblinear": 1, "rf": 1, "h01": 2}


def rows_of(kernel):
    """The contenders of a half."""
    return [name for name, contender in CONTENDERS.items() if kernel in contender.kernels]


def choices_of(context):
    return context.cells("choices", ["set", "kernel", "contender"], ["setting", "accuracy", "program"])


def cells_of(context):
    return context.cells("table1", ["set", "kernel", "split", "contender"],
                         ["accuracy", "train_s", "test_s", "features", "width", "setting", "program", "note"])


def scaling(context, name, kernel):
    """The scaling of columns of a set and kernel, chosen on the first split's training rows."""
    return choices_of(context).once((name, kernel, "scaling"), lambda: {
        **choose_scaling(lambda scaling: context.library.folds(name, scaling), kernel), "program": context.dpsvm.mark})["setting"]


def chosen(context, name, kernel, contender):
    """The setting of a contender, chosen on the first split's training rows."""
    contender = CONTENDERS[contender].same_as or contender
    return choices_of(context).once((name, kernel, contender), lambda: {
        **choose(CONTENDERS[contender], context.library.folds(name, scaling(context, name, kernel)), kernel),
        "program": context.dpsvm.mark})


def too_slow(cells, name, kernel, contender):
    first = cells.get(name, kernel, 1, contender)
    return first and (first["note"] or float(first["train_s"]) + float(first["test_s"]) > SLOW)


def fitted(context, name, kernel, split, contender):
    setting = chosen(context, name, kernel, contender)["setting"]
    try:
        fit = CONTENDERS[contender].fit(context.library.split(name, split, scaling(context, name, kernel)), kernel,
                                        json.loads(setting))
        return {**dataclasses.asdict(fit), "setting": setting, "program": context.dpsvm.mark}
    except TookTooLong as error:
        return {"setting": setting, "program": context.dpsvm.mark, "note": str(error).splitlines()[0]}


def measure(context):
    """The first split first, on it what is quick: a run that is stopped leaves a table with few holes."""
    for splits in ([1], [] if context.quick else SPLITS[1:]):
        for slow in (False, True):
            for split in splits:
                for name in context.sets:
                    measure_set(context, name, split, slow)


def measure_set(context, name, split, slow):
    cells = cells_of(context)
    try:
        context.library.split(name, split)
    except NoData as error:
        context.left_out(f"Table 1, {name}: {error}")
        return
    for kernel in HALVES:
        for contender in rows_of(kernel):
            missing = CONTENDERS[contender].missing()
            if missing:
                context.left_out(f"Table 1, {CONTENDERS[contender].title}: no {', '.join(missing)} on this machine")
            elif CONTENDERS[contender].slow == slow and (split == 1 or not too_slow(cells, name, kernel, contender)):
                cells.once((name, kernel, split, contender), lambda: fitted(context, name, kernel, split, contender))


class Results:
    """The cells of Table 1 as numbers over the splits."""

    def __init__(self, context):
        self.cells, self.choices = cells_of(context), choices_of(context)

    def values(self, name, kernel, contender, field):
        found = [self.cells.number((name, kernel, split, contender), field) for split in SPLITS]
        return [value for value in found if value is not None]

    def mean(self, name, kernel, contender, field="accuracy"):
        """None where nothing was measured."""
        values = self.values(name, kernel, contender, field)
        return statistics.mean(values) if values else None

    def paired(self, name, kernel, contender, other, other_kernel, field="accuracy"):
        """Values of both on the splits that both have."""
        pairs = [[self.cells.number((name, k, split, c), field) for k, c in ((kernel, contender), (other_kernel, other))]
                 for split in SPLITS]
        return [pair for pair in pairs if None not in pair]


def half(results, kernel):
    head = ["set", "contender", "accuracy %", "paper's", "train s", "paper's", "test s", "paper's", "exact kernel / it, train", "test",
            "paper's", "D", "D'", "chosen", "splits"]
    rows, missing = [], []
    for name in SETS:
        paper = PAPER.get(kernel, {}).get(name)
        for contender in rows_of(kernel):
            scores = results.values(name, kernel, contender, "accuracy")
            if len(scores) < len(SPLITS):
                missing.append((name, contender, len(scores)))
            if not scores:
                continue
            there = next(results.cells.get(name, kernel, split, contender) for split in SPLITS
                         if results.cells.number((name, kernel, split, contender), "accuracy") is not None)
            spread = f" +- {statistics.stdev(scores):.2f}" if len(scores) > 1 else ""
            train, test = (results.mean(name, kernel, contender, field) for field in ("train_s", "test_s"))
            exact = [speed_up(results, name, kernel, contender, field) for field in ("train_s", "test_s")]
            column = PAPER_COLUMN.get(contender)
            theirs = ["", "", "", ""]
            if paper and column is not None:
                theirs = [f"{value:g}" for value in paper[column]] + [f"{paper[0][1] / paper[column][1]:.3g}"]
            setting = ", ".join(f"{key.split('__')[-1]} = {value}" for key, value in json.loads(there["setting"]).items())
            rows.append([name, CONTENDERS[contender].title, f"{statistics.mean(scores):.2f}{spread}", theirs[0], f"{train:.3g}",
                         theirs[1], f"{test:.3g}", theirs[2], *exact, theirs[3] if column else "", there["features"], there["width"],
                         setting, len(scores)])
    return head, rows, missing


def speed_up(results, name, kernel, contender, field):
    """How many times the seconds of the exact kernel; beside no kernel, of the polynomial one."""
    if contender == "libsvm":
        return ""
    pairs = results.paired(name, kernel, contender, "libsvm", kernel if kernel != "none" else "polynomial", field)
    return f"{sum(them for _, them in pairs) / sum(it for it, _ in pairs):.3g}" if pairs else ""


def page(context):
    results = Results(context)
    if not results.cells.found:
        return []
    programs = sorted({cell["program"] for cell in results.cells.found.values()})
    out = ["Nursery (not_recom and spec_prior against the rest: one of the ways to halve five classes, fixed), Spambase, Cod-RNA (the training",
           "file), Adult (a9a and a9a.t), IJCNN1 (all its parts), Covertype (**a part: a random 16 % of the rows**, 92,962; class 2 against the rest).",
           "60 % of the rows, at most 20,000, train, all others test; five splits, seeded; mean +- standard deviation. Columns are scaled, and rows",
           "divided by the largest norm, by constants learnt on training rows. Everything is chosen once a set and kernel by the same",
           f"{FOLDS}-fold cross-validation on the first {FOLD_ROWS} training rows of the first split, as the cheapest within {NEAR} points of the best: first the scaling",
           f"of the columns ({', '.join(SCALINGS)}; by H0/1, or by a refined map of 64 features where no kernel is given), for all contenders alike (not for the two lines",
           "and XGBoost, which scale as they like), then the setting of every contender (C over the mean of K(x, x); D too for refined maps, rounds for XGBoost).",
           "RF, LIBLINEAR has the C of RF, dpsvm: the same features and the same objective. No test row chose anything. The map's seed is the split's number.", "",
           "Seconds are user and system time of the processes (getrusage), one thread each, from files to a model and from files to predictions, so that",
           "they mean something on a machine that does other work, too. Not counted: scaling the columns for LIBSVM and labels 0 and 1 for XGBoost. LIBSVM has no",
           "exponential kernel: it gets (1 + t/q)^q with q = 2^20, which is that to a part in 100,000. RF, LIBLINEAR: `dpsvm transform` with the",
           "paper's map writes text, `liblinear-train -s 2` reads it; its test rows go through a pipe. The paper's seconds are of its machine: only ratios compare.", "",
           f"Measured with {len(programs)} build{'s' * (len(programs) > 1)} of the program ({', '.join(programs)}; a column of the CSV). Scaling chosen: " + "; ".join(
               f"{kernel} " + ", ".join(f"{name} {results.choices.get(name, kernel, 'scaling')['setting']}" for name in SETS
                                        if results.choices.get(name, kernel, "scaling")) for kernel in HALVES) + ".", "",
           *context.notes("table1")]
    for kernel, title in HALVES.items():
        head, rows, missing = half(results, kernel)
        if not rows:
            continue
        if kernel == "none":
            head = [*head[:8], "exact polynomial kernel / it, train", *head[9:]]
        out += [f"### {title}", "", *context.table(head, rows), ""]
        out += [f"{CONTENDERS['h01'].title}: D = " + ", ".join(f"{name} {d[1]}" for name, d in PAPER_D.items()) + ", the paper's.", ""] * (kernel != "none")
        if missing:
            out += ["Not measured yet:", "", *listed(results, kernel, missing), ""]
    return out


def listed(results, kernel, missing):
    """What was not measured, a line a reason."""
    by_reason = {}
    for name, contender, count in missing:
        by_reason.setdefault(why(results, name, kernel, contender, count), {}).setdefault(name, []).append(contender)
    for reason, names in by_reason.items():
        texts = [f"{name}: " + ("all" if contenders == rows_of(kernel) else ", ".join(CONTENDERS[c].title for c in contenders))
                 for name, contenders in names.items()]
        yield f"* {reason}: {'; '.join(texts)}"


def why(results, name, kernel, contender, count):
    splits = f"splits {count + 1} to {len(SPLITS)}" if count + 1 < len(SPLITS) else f"split {len(SPLITS)}"
    if too_slow(results.cells, name, kernel, contender):
        note = results.cells.get(name, kernel, 1, contender)["note"]
        return f"{splits} ({note or f'a split takes more than {SLOW:g} CPU seconds'})"
    return f"{splits} (the run was stopped before them)"
