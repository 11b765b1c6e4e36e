"""The commands that faults.py runs into faults: their files, their words, what they write."""

import bz2
import gzip
import lzma
import os
import struct
import subprocess


class Command:
    """words: after `dpsvm`. writes: files that it leaves, besides standard output. may: files that it
    may leave behind or change on the way (a cache, a checkpoint, a journal, a log, a curve with its
    seconds): no promise but that the next run is not misled. needs: commands run before, once, whose files become inputs. steady: it
    prints the same every time."""

    def __init__(self, name, words, writes=(), may=(), needs=(), ranks=1, program=None,
                 steady=True):
        self.name, self.words, self.writes = name, words.split(), tuple(writes)
        self.may, self.needs, self.ranks, self.program, self.steady = tuple(may), tuple(needs), ranks, program, steady


MODEL = ("out.model",)
TRAIN = "-q --map.features=20 --run.threads=1 --output.baseline=off -o out.model"
PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
FORMATS = {
    "libsvm": "rows.svm",
    "csv": "rows.csv --data.label_column=y",
    "npy": "rows.npy --data.label_column=1",
    "arff": "rows.arff --data.label_column=y",
    "gzip": "rows.svm.gz",
    "bzip2": "rows.svm.bz2",
    "xz": "rows.svm.xz",
}
SOLVERS = ("dcd", "sgd", "newton")
KEPT = "--run.checkpoint=state.ck --run.checkpoint_every=0.000001"


def trainings():
    for solver in SOLVERS:
        for name, words in FORMATS.items():
            yield Command(f"train {solver} {name}", f"train {words} --solver.type={solver} {TRAIN}", MODEL)
        yield Command(f"train {solver} checkpoint", f"train rows.svm --solver.type={solver} {KEPT} {TRAIN}", MODEL,
                      ("state.ck",))
        yield Command(f"train {solver} three classes", f"train three.svm --solver.type={solver} {TRAIN}", MODEL)
    yield Command("train cache", f"train rows.svm --data.cache=rows.cache {TRAIN}", MODEL, ("rows.cache",))
    yield Command("train from cache", f"train rows.svm --data.cache=made.cache {TRAIN}", MODEL,
                  needs=(f"train rows.svm --data.cache=made.cache {TRAIN}",))
    yield Command("train config", f"train run.ini {TRAIN}", MODEL)
    yield Command("train self-test", f"train rows.svm --output.self_test=on {TRAIN}", MODEL)
    for solver in SOLVERS:
        words = f"train three.svm --solver.type={solver} --solver.tolerance=1e-9 --run.checkpoint=half.ck {TRAIN}"
        yield Command(f"train {solver} resumes", words, MODEL, ("half.ck",), (f"{words} --run.time_limit=0.000001",))
    yield Command("train validation", f"train rows.svm --data.validation=0.3 --output.curve=out.csv --output.plot=out.svg "
                  f"--run.log=run.log --map.seed=1..2 {TRAIN}", MODEL, ("out.csv", "out.svg", "run.log"))
    yield Command("train platt", f"train rows.svm --solver.probability=on --solver.calibration=platt {TRAIN}", MODEL)
    yield Command("train isotonic", f"train rows.svm --solver.probability=on --solver.calibration=isotonic {TRAIN}", MODEL)
    yield Command("train refine", "train rows.svm --map.refine=projections --map.refine_steps=3 --kernel.type=polynomial "
                  f"{TRAIN}", MODEL)
    yield Command("train metric", f"train rows.svm --map.type=fourier --map.refine=metric --map.refine_steps=3 {TRAIN}", MODEL)
    yield Command("train auto", "train rows.svm -q --run.threads=1 --kernel.type=auto --map.features=auto -o out.model",
                  MODEL)
    yield Command("train regression", f"train rows.svm --solver.task=regression --kernel.type=polynomial {TRAIN}", MODEL)
    yield Command("train warm start", f"train rows.svm --solver.warm_start=in.model {TRAIN}", MODEL)
    yield Command("train hadamard", f"train rows.svm --kernel.type=polynomial --map.projection=hadamard --map.craft=2 {TRAIN}", MODEL)
    yield Command("train choose C", f"train rows.svm --solver.C=auto --tune.folds=2 {TRAIN}", MODEL)
    yield Command("train rank scaling", f"train rows.csv --data.label_column=y --data.scaling=rank {TRAIN}", MODEL)
    yield Command("train scratch", "train many.svm -q --run.threads=1 --run.memory=16M --run.scratch=. --map.type=none "
                  "--kernel.type=linear --output.baseline=off -o out.model", MODEL)


def others():
    yield Command("tune", "tune rows.svm -q --map.features=20 --run.threads=1 --tune.folds=2 --tune.solver.C=0.1,10 "
                  "--tune.table=t.csv --tune.ini=b.ini --tune.journal=j.journal -o out.model",
                  MODEL + ("b.ini",), ("t.csv", "j.journal"))
    again = ("tune rows.svm -q --map.features=20 --run.threads=1 --tune.folds=2 --tune.solver.C=0.1,10 --tune.table=t.csv "
             "--tune.ini=b.ini --tune.journal=made.journal -o out.model")
    yield Command("tune again", again, MODEL + ("b.ini",), ("t.csv",), (again,))
    yield Command("info verify", "info --verify in.model")
    yield Command("predict", "predict in.model rows.svm -q -o out.txt", ("out.txt",))
    yield Command("predict scores", "predict in.model rows.svm.gz -q --scores")
    yield Command("predict csv", "predict csv.model rows.csv -q --proba -o out.txt", ("out.txt",))
    yield Command("evaluate", "evaluate csv.model rows.csv -q")
    yield Command("transform", "transform in.model rows.svm -q --format=npy -o out.npy", ("out.npy",))
    yield Command("kernel", "kernel rows.svm -q --kernel.type=polynomial --run.threads=1 --sizes=20,40 --rows=20 --runs=2",
                  steady=False)
    metric = f"train rows.svm --map.type=fourier --map.refine=metric --map.refine_holdout=0 --map.refine_steps=3 {TRAIN}"
    yield Command("kernel of a model", "kernel made.model rows.svm -q --run.threads=1 --rows=20 --runs=2", steady=False,
                  needs=(metric.replace("out.model", "made.model"),))
    yield Command("info", "info csv.model --json")
    yield Command("check", "check rows.svm --kernel.type=polynomial --run.threads=1 --run.memory=1G")
    yield Command("library", "", MODEL, program="LIBRARY_USER")


def ranks():
    yield Command("train 2 ranks", f"train rows.svm --solver.type=newton {TRAIN}", MODEL, ranks=2)
    yield Command("predict 2 ranks", "predict in.model rows.svm -q -o out.txt", ("out.txt",), ranks=2)


def all_commands():
    return list(trainings()) + list(others())


def text_rows(count, labels):
    """count rows of a label and three numbers, of a generator of its own so that files never change."""
    state = 61
    for i in range(count):
        values = []
        for j in range(3):
            state = state * 16807 % 2147483647
            values.append(state / 2147483647 - 0.5 + (labels[i % len(labels)] if j == 0 else 0))
        yield labels[i % len(labels)], values


def write_files(folder, program):
    """All inputs of all commands."""
    def put(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def libsvm(count, labels):
        return "".join(f"{y} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x)) + "\n"
                       for y, x in text_rows(count, labels))

    rows = list(text_rows(60, (-1, 1)))
    put("rows.svm", libsvm(60, (-1, 1)))
    put("three.svm", libsvm(60, (0, 1, 2)))
    put("many.svm", libsvm(20000, (-1, 1)))
    for ending, pack in PACKED.items():
        put(f"rows.svm.{ending}", pack(libsvm(60, (-1, 1)).encode()))
    table = "".join(f"{y},{x[0]:.4f},{x[1]:.4f},{'red' if x[2] > 0 else 'blue'}\n" for y, x in rows)
    put("rows.csv", "y,a,b,c\n" + table)
    put("rows.arff", "@relation r\n@attribute y {-1,1}\n@attribute a numeric\n@attribute b numeric\n"
        "@attribute c {red,blue}\n@data\n" + table)
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (60, 4), }"
    head += b" " * (117 - len(head)) + b"\n"
    put("run.ini", "[data]\ntrain = rows.svm\n[solver]\ntype = dcd\nC = 2\n")
    put("rows.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head +
        b"".join(struct.pack("<4d", y, *x) for y, x in rows))
    for words in (f"train rows.svm {TRAIN} -o in.model",
                  f"train rows.csv --data.label_column=y --solver.probability=on {TRAIN} -o csv.model"):
        subprocess.run([program, *words.replace("-o out.model", "").split()], cwd=folder, check=True)
