#!/usr/bin/env python3
"""docs/evidence/strangers.md: a configuration of two lines against tuned support vector machines on sets that nobody tuned it on.

    python3 tests/benchmarks/strangers.py [--dpsvm PROGRAM] [--work FOLDER] [--sets a,b] [--sides dpsvm,svm,linear,trees]
                                          [--table-only] [--note TEXT] [--page FILE]

Sets and splits: strangers_data.py; peers: strangers_peers.py. What is done is kept in FOLDER/results.jsonl (a run that was
stopped goes on where it was), rows of dpsvm by the program's bytes too: `--sides dpsvm` measures a new build alone.
Small sets first; of large ones the first split of all, then the second. Seconds are of CPU, one thread each, since wall
time says little on a busy machine. The page holds what is there and says what is missing.
"""
import json
import os
import statistics
import subprocess
import sys

import bench_common
import speed_common
import strangers_data as data

PYTHON = "/usr/bin/python3"  # the one that Debian's scikit-learn is installed for
PAGE = os.path.join(bench_common.ROOT, "docs", "evidence", "strangers.md")
SIDES = ["dpsvm", "linear", "trees", "svm"]
WHOLE_SIDES = {"letter_whole": ["dpsvm", "svm10"], "usps_given": ["dpsvm", "svm10", "linear"],
               "sector_given": ["dpsvm", "linear"]}
MEAN, EACH = {"class": 1.0, "target": 0.02}, {"class": 2.5, "target": 0.05}  # how far behind is near enough
SHARE = 0.1  # of the time of the peer's tuning


def task_of(name):
    return "target" if name in data.TARGETS else "class"


def version():
    """The commit that the program's sources are of, marked where they have changed since."""
    def git(*words):
        return subprocess.run(["git", "-C", bench_common.ROOT, *words, "--", "src", "include"], capture_output=True, text=True,
                              check=False).stdout.strip()

    return (git("log", "-1", "--format=%h") or "unknown") + ("-dirty" if git("diff", "HEAD", "--name-only") else "")


class Bench:
    """Sets, their facts and what is known of them."""

    def __init__(self, options):
        self.options, self.work = options, options.work
        self.peers = None  # started with the first request
        self.store = speed_common.Store(os.path.join(options.work, "results"))
        self.mark = speed_common.program_mark(options.dpsvm)
        names = options.sets.split(",") if options.sets else data.CLASSES + data.TARGETS + list(WHOLE_SIDES)
        self.names = data.there(self.work, names)
        self.absent = [name for name in names if name not in self.names]
        self.facts = {name: self.store.once(lambda name=name: data.facts(self.work, name), name, "facts")
                      for name in self.names}
        self.splits = {name: data.splits(self.work, name) for name in self.names}

    def key(self, name, split, side):
        return (name, split, side, self.mark) if side == "dpsvm" else (name, split, side)

    def found(self, name, side, field, splits=None):
        """A list over the splits that are done."""
        entries = {split: self.store.get(*self.key(name, split, side)) for split in range(self.splits[name])}
        return {split: entry[field] for split, entry in entries.items()
                if entry is not None and (splits is None or split in splits)}

    def order(self):
        """(set, split) in the order of the work."""
        size = {name: facts["train"] * facts["columns"] for name, facts in self.facts.items()}
        pairs = [(name, split) for name in self.names for split in range(self.splits[name])]
        return sorted(pairs, key=lambda pair: (pair[1] if self.facts[pair[0]]["train"] > data.SMALL else -1,
                                               size[pair[0]], pair[1]))

    def sides(self, name):
        return WHOLE_SIDES.get(name, SIDES)

    def measure(self):
        wanted = self.options.sides.split(",") if self.options.sides else None
        for name, split in self.order():
            for side in self.sides(name):
                if (wanted is None or side in wanted) and self.store.get(*self.key(name, split, side)) is None:
                    said = self.ours(name, split) if side == "dpsvm" else self.theirs(name, split, side)
                    self.store.put(said, *self.key(name, split, side))
                    speed_common.say(f"{name} {split} {side}: {said['score']:.4g}, {said['seconds']:.2f} s")

    def file(self, name, split, part):
        return data.split_file(self.work, name, split, part)

    def ours(self, name, split):
        """Two lines, and those that the program asks for: what to do with missing values, that the label is a number."""
        base = os.path.join(self.work, name, f"split{split}.")
        with open(base + "ini", "w", encoding="utf-8") as file:
            file.write(f"[data]\ntrain = {self.file(name, split, 'train')}\n")
            file.write("missing = mean\n" if self.facts[name]["missing"] else "")
            file.write("[solver]\ntask = regression\n" if task_of(name) == "target" else "")
        model, report = base + "model", base + "json"
        used = speed_common.timed([self.options.dpsvm, "train", base + "ini", "-q", "--run.threads=1", "-o", model,
                                   "--report", report])
        with open(report, encoding="utf-8") as file:
            chosen = json.load(file).get("auto_search", {}).get("chosen", {})
        speed_common.timed([self.options.dpsvm, "predict", model, self.file(name, split, "test"), "-q",
                            "-o", os.devnull, "--report", report])
        with open(report, encoding="utf-8") as file:
            said = json.load(file)
        os.remove(model)
        score = said["r2"] if task_of(name) == "target" else 100 * said["accuracy"]
        return {"score": score, "seconds": used["cpu"], "chosen": chosen, "version": version()}

    def theirs(self, name, split, side):
        if self.peers is None:
            self.peers = subprocess.Popen([PYTHON, os.path.join(data.HERE, "strangers_peers.py")], text=True,
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          env={**os.environ, "OMP_NUM_THREADS": "1"})
        print(json.dumps([side, task_of(name), self.file(name, split, "train"), self.file(name, split, "test"),
                          os.path.join(self.work, name, f"split{split}.points.jsonl")]), file=self.peers.stdin, flush=True)
        answer = self.peers.stdout.readline()
        if not answer:
            raise SystemExit(f"{name}, split {split}, {side}: the peers ended with {self.peers.wait()}")
        return json.loads(answer)

    def missing(self):
        """What is not measured yet: a line a side."""
        lines = [f"data of {', '.join(self.absent)} (DPSVM_DATA)"] if self.absent else []
        for side in [*SIDES, "svm10"]:
            lacks = []
            for name in (name for name in self.names if side in self.sides(name)):
                if (left := self.splits[name] - len(self.found(name, side, "score"))) > 0:
                    lacks.append(f"{name} {left} of {self.splits[name]}")
            if lacks:
                lines.append(f"{side}, splits of: {', '.join(lacks)}")
        return lines


# --- the page -----------------------------------------------------------------------------------------------------------

def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] +
                     ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def mean(found):
    return statistics.mean(found.values()) if found else None


class Row:
    """A set as the tables show it: means over the splits that all sides have, or that dpsvm and what is there have."""

    def __init__(self, bench, name):
        self.name, self.task, self.facts = name, task_of(name), bench.facts[name]
        self.half = data.half(name)
        common = [set(found) for side in SIDES if (found := bench.found(name, side, "score"))]
        self.splits = set.intersection(*common) if common else set()
        scores = {side: bench.found(name, side, "score", self.splits) for side in SIDES}
        self.score = {side: mean(found) for side, found in scores.items()}
        self.seconds = {side: mean(bench.found(name, side, "seconds", self.splits)) for side in SIDES}
        self.peer = "svm"
        if self.task == "target" and None not in (self.score["svm"], self.score["linear"]):
            self.peer = max(("svm", "linear"), key=self.score.get)
        self.done = self.score["dpsvm"] is not None and self.score["svm"] is not None
        if self.done:
            apart = [scores["dpsvm"][split] - scores[self.peer][split] for split in self.splits]
            self.apart = statistics.mean(apart)
            self.error = statistics.stdev(apart) / len(apart) ** 0.5 if len(apart) > 1 else None
            self.ratio = self.seconds["dpsvm"] / self.seconds["svm"]

    def cells(self):
        def shown(value, sign=""):
            return "" if value is None else format(value, sign + (".3f" if self.task == "target" else ".2f"))

        facts = [self.name, self.half, f"{self.facts['train']} + {self.facts['test']}", str(self.facts["columns"])]
        facts += [str(self.facts["classes"])] if self.task == "class" else []
        facts += [str(len(self.splits))] + [shown(self.score[side]) for side in ("dpsvm", "svm", "linear", "trees")]
        if not self.done:
            return facts + ["", "", "", seconds(self.seconds["dpsvm"]), "", ""]
        near = "yes" if self.apart >= -EACH[self.task] else "no"
        return facts + [shown(self.apart, "+"), shown(self.error), near, seconds(self.seconds["dpsvm"]),
                        seconds(self.seconds["svm"]), f"{self.ratio:.3f}"]


def seconds(value):
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def averages(rows, task):
    """The bars by half."""
    out = []
    for half in ("design", "unseen", "both"):
        some = [row for row in rows if row.done and half in (row.half, "both")]
        if not some:
            continue
        middle = statistics.mean(row.apart for row in some)
        near = sum(row.apart >= -EACH[task] for row in some)
        ratio = statistics.median(row.ratio for row in some)
        digits = 3 if task == "target" else 2
        out.append([half, str(len(some))] + [f"{statistics.mean(values):.{digits}f}" if None not in values else "" for values in
                                             ([row.score[side] for row in some] for side in ("dpsvm", "svm", "linear", "trees"))] +
                   [f"{middle:+.{digits}f}", "yes" if middle >= -MEAN[task] else "no", f"{near} of {len(some)}",
                    f"{ratio:.3f}", "yes" if ratio <= SHARE else "no"])
    return out


def whole_rows(bench):
    """Large sets, one split, against one fit that nobody tuned."""
    out = []
    for name, sides in WHOLE_SIDES.items():
        if name not in bench.names:
            continue
        facts = bench.facts[name]
        got = {side: (mean(bench.found(name, side, "score")), mean(bench.found(name, side, "seconds"))) for side in sides}
        cells = [name, f"{facts['train']} + {facts['test']}", str(facts["columns"]), str(facts["classes"])]
        for side in ("dpsvm", "svm10", "linear"):
            score, used = got.get(side, (None, None))
            cells += ["" if score is None else f"{score:.2f}", seconds(used)]
        out.append(cells)
    return out


TEXT = """# Sets that nobody tuned it on

`[data]`, `train = FILE` and nothing else, against an RBF support vector machine that a grid and cross-validation tune, on data sets of
Debian's packages. Written by a script, which installs what it needs:

    ./dev.sh bench strangers

{measured}

**Data.** Of r-cran-mlbench, r-cran-kernlab, r-cran-modeldata, r-cran-aer, r-cran-ggplot2 and scikit-learn (tests/benchmarks/strangers.R
lists them), and USPS, Sector and Abalone where `DPSVM_DATA` has them; CSV files as R writes them: a header, the label last and named
`class` or `target`, texts in quotes, `NA` where a value is missing. 70 of 100 rows train, 30 test, the same share of each class; of
the training rows at most {most}. {many} splits of a set with at most {small} training rows, {few} of a larger one.

**dpsvm.** The two lines; where values are missing also `missing = mean`, and for a number to predict `task = regression`: the program
asks for both. One thread. Seconds: reading, search, training, writing.

**Peers.** scikit-learn and XGBoost as Debian has them, one thread. Texts become a column a value, missing values the column's mean,
columns (and a target) have mean 0 and variance 1. SVC: C in 2^-1, 2^1 .. 2^11, gamma in 2^-11, 2^-9 .. 2^1, five folds, the best
once more on all training rows; regression: SVR on the same grid (epsilon 0.1), and ridge, its strength by leave-one-out. A point of the
grid that takes more than 120 seconds is given up and counted with that time. LinearSVC and XGBoost at their defaults.
Seconds: without reading. All seconds are of CPU, on a machine that also did other work.

**Halves.** Rules of the search may be set while looking at the design half, never at the unseen one. Which half a set is of, its name
says: by the last bit of the SHA-256 of the name in small letters (0: design). `spam` is the Spambase of [experiments.md](experiments.md),
whose six sets the rules have seen.

"Apart" is the mean over the splits of dpsvm less its peer, with its standard error. Goals: on average at most {class_mean} points below
the tuned SVC and on each set at most {class_each}; R2 at most {target_mean} below the better of ridge and tuned SVR on average and
{target_each} on each; a median of at most a tenth of the seconds of the tuning. Where trees are better, the row stays.
"""


def page(bench):
    note = bench.options.note
    versions = {entry["version"] for key, entry in bench.store.found.items() if key.endswith("|" + bench.mark)}
    measured = f"Measured: dpsvm at commit {', '.join(sorted(versions)) or 'none'}." + (f" {note}" if note else "")
    parts = [TEXT.format(measured=measured, most=f"{data.TRAIN_ROWS:,}", many=data.MANY, few=data.FEW,
                         small=f"{data.SMALL:,}", class_mean=MEAN["class"], class_each=EACH["class"],
                         target_mean=MEAN["target"], target_each=EACH["target"])]
    facts = ["set", "half", "rows: train + test", "columns"]
    ends = ["apart", "s. e.", "near enough", "dpsvm s", "tuning s", "ratio"]
    for title, task, names, head in (
            ("Classes: accuracy in %", "class", data.CLASSES,
             facts + ["classes", "splits", "dpsvm", "tuned SVC", "LinearSVC", "XGBoost"] + ends),
            ("Numbers: R2", "target", data.TARGETS, facts + ["splits", "dpsvm", "tuned SVR", "ridge", "XGBoost"] + ends)):
        rows = [Row(bench, name) for name in sorted(names, key=str.lower) if name in bench.names]
        parts += [f"## {title}\n", table(head, [row.cells() for row in rows])]
        machine = "SVC" if task == "class" else "SVR"
        bars = ["half", "sets", "dpsvm", f"tuned {machine}", "LinearSVC" if task == "class" else "ridge", "XGBoost",
                "apart", f"within {MEAN[task]}", f"sets within {EACH[task]}", "median ratio of seconds", f"at most {SHARE}"]
        parts += [table(bars, averages(rows, task))]
    parts += ["## Whole\n",
              "Letter with all its rows, and USPS and Sector in the rows as published (LIBSVM files), against one fit without tuning: SVC\n"
              "with C = 10 on scaled columns, LinearSVC at its defaults. Goals: Letter within 0.5 points of SVC in at most 4 times its\n"
              "seconds, Sector within 0.3 of LinearSVC.\n",
              table(["set", "rows: train + test", "columns", "classes", "dpsvm", "s", "SVC(C = 10)", "s", "LinearSVC", "s"],
                    whole_rows(bench))]
    if missing := bench.missing():
        parts += ["## Missing\n", "Not measured yet:\n\n" + "".join(f"- {line}\n" for line in missing)]
    return "\n".join(parts)


def main():
    parser = bench_common.arguments(__doc__.split("\n")[0])
    parser.add_argument("--work", default=os.path.join(speed_common.OUT, "strangers"), help="data and results")
    parser.add_argument("--sides", help="of " + ", ".join(SIDES) + ", svm10: only these, separated by commas")
    parser.add_argument("--table-only", action="store_true", help="measure nothing")
    parser.add_argument("--note", default="", help="a sentence for the page")
    parser.add_argument("--page", default=PAGE, help="the file to write; -: only print")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    data.make(options.work)
    bench = Bench(options)
    if not options.table_only:
        bench.measure()
    text = page(bench)
    if options.page != "-":
        with open(options.page, "w", encoding="utf-8") as file:
            file.write(text)
    print(text)
    for line in bench.missing():
        print("missing:", line, file=sys.stderr)


if __name__ == "__main__":
    main()
