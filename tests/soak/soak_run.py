"""One case, run and held against what is promised: `Trial(case, ...).run()` returns a list of refusals, or raises Finding."""

import array
import collections
import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

from soak_case import FILES, ini
from soak_rows import Rows

OLD = b"what was here before\n"
PLANTED = ("output.model", "output.report", "output.curve", "output.plot", "tune.table", "tune.ini")
STATUSES = (0, 1, 2, 3, 4)
STOPPED = (75, 143)


class Finding(Exception):
    """what: a word of the kind, which shrinking keeps; text: what was seen."""

    def __init__(self, what, text):
        super().__init__(f"{what}: {text}")
        self.what = what


class Program:
    """patience: seconds until a run is sent SIGTERM; grace: seconds in which it must then end."""

    def __init__(self, path, options, patience, asan=None, mpiexec=None, grace=60):
        self.path, self.options, self.patience, self.grace, self.asan = path, options, patience, grace, asan
        self.mpirun = None
        if mpiexec:
            version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
            self.mpirun = [mpiexec] + (["--oversubscribe"] if "Open" in version else []) + ["-n", "2"]
        self.counts = collections.Counter()  # "command status": runs


class Result:
    def __init__(self, status, out, err, stopped):
        self.status, self.out, self.err, self.stopped = status, out, err.decode(errors="replace"), stopped


def without_seconds(data):
    """A CSV without its columns of seconds."""
    lines = [line.split(",") for line in data.decode().splitlines()]
    keep = [i for i, name in enumerate(lines[0]) if "seconds" not in name] if lines else []
    return [[line[i] for i in keep if i < len(line)] for line in lines]


def strict_json(text, what):
    def refuse(word):
        raise Finding("not finite", f"{what} holds {word}")
    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise Finding("no JSON", f"{what}: {error}") from error


class Trial:
    def __init__(self, program, case):
        self.program, self.case = program, case
        self.commands = []  # what was run, for the report of a finding
        self.refusals = []
        self.names = {option.name for option in program.options}
        self.defaults = {option.name: option.default for option in program.options}

    # --- one process -----------------------------------------------------------------------------------------------

    def start(self, folder, words, stop_after=None, ranks=False):
        asan = self.case["asan"] and self.program.asan and not ranks
        path = self.program.asan if asan else self.program.path
        self.commands.append(f"(cd {os.path.basename(folder)} && dpsvm {' '.join(words)})" + (" on 2 ranks" if ranks else ""))
        environment = dict(os.environ, LC_ALL="C", ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
        process = subprocess.Popen((self.program.mpirun if ranks else []) + [path, *words], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        patience = stop_after or self.program.patience * (8 if asan else 1)
        stopped = False
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            stopped = True
            process.send_signal(signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=self.program.grace)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise Finding("hang", f"{words[0]} goes on {self.program.grace} s after SIGTERM") from None
        # a signal without a handler of ours is what a shell calls 128 and the signal
        status = 128 + signal.SIGTERM if stopped and process.returncode == -signal.SIGTERM else process.returncode
        result = Result(status, out, err, stopped)
        self.check_end(words[0], result, ranks)
        self.program.counts[f"{words[0]} {result.status}"] += 1
        return result

    def check_end(self, command, result, ranks=False):
        if re.search(r"Sanitizer|runtime error:", result.err):
            raise Finding("sanitizer", f"{command}: " + re.search(r".*(Sanitizer|runtime error:).*", result.err)[0])
        if result.status < 0:
            raise Finding("crash", f"{command} ends by signal {-result.status}")
        if ranks:
            return  # the launcher adds lines and its own status
        if result.status not in STATUSES + (STOPPED if result.stopped or "run.time_limit" in self.case["options"] else ()):
            raise Finding("exit code", f"{command} ends with {result.status}")
        said = [line for line in result.err.splitlines() if re.match(r"dpsvm: (?!warning: |note: )", line)]
        if result.status == 0 and said:
            raise Finding("message", f"{command} ends with 0 and says {said[0]}")
        if result.status in STATUSES[1:]:
            if len(said) != 1 or result.err.splitlines()[-1] != said[0]:
                raise Finding("message", f"{command} ends with {result.status} and says {said or result.err[-200:]!r}")
            self.check_message(command, result.status, said[0][len("dpsvm: "):])

    def places(self, message):
        """Options, flags and files that a message names."""
        options = {name for name in re.findall(r"\b[a-z]+\.[A-Za-z_0-9]+", message) if name in self.names}
        return options, re.findall(r"--[a-z]+", message), re.findall(r"[\w./]+\.(?:data|dpsvm|ini|txt|out|csv|svg|json|text|cache)\b|nowhere", message)

    def check_message(self, command, status, message):
        options, flags, files = self.places(message)
        named = {1: options or files, 2: options or flags or "config.ini:" in message or files, 3: files or options, 4: options}[status]
        if not named or len(message.split()) < 4 or re.search(r"\(null\)|%[sdzl]", message):
            raise Finding("message", f"{command} ends with {status} and names neither option nor file: {message}")

    # --- a folder --------------------------------------------------------------------------------------------------

    def make_folder(self, folder, pieces):
        """Input files of the case, the training rows in so many pieces; returns their names."""
        os.mkdir(folder)
        data = self.case["rows"]
        train = Rows(data, "train", data["rows"])
        pieces = min(pieces, data["rows"])
        names = ["train.data"] if pieces == 1 else [f"train{k}.data" for k in range(pieces)]
        for k, name in enumerate(names):
            train.write(os.path.join(folder, name), data["rows"] * k // pieces, data["rows"] * (k + 1) // pieces)
        with open(os.path.join(folder, "weights.txt"), "w") as file:
            file.write("".join(weight + "\n" for weight in train.weights))
        for use in ("test", "validation"):
            Rows(data, use, max(2, data["rows"] // 3)).write(os.path.join(folder, use + ".data"))
        with open(os.path.join(folder, "config.ini"), "w") as file:
            file.write(ini(self.case, self.program.options))
        return names

    def paths(self):
        """Output files by the option that names them."""
        found = {name: value for name, value in {**self.defaults, **self.case["options"]}.items()
                 if name.startswith(("output.", "tune.")) and name in PLANTED and value}
        return found

    def line(self):
        return [f"--{name}={self.case['options'][name]}" for name in self.case["line"]]

    def read(self, folder, name):
        try:
            with open(os.path.join(folder, name), "rb") as file:
                return file.read()
        except OSError:
            return None

    # --- training --------------------------------------------------------------------------------------------------

    def fit(self, folder, *words, **ways):
        return self.start(folder, [self.case["command"], "config.ini", *self.line(), *words], **ways)

    def train(self, folder):
        """The first run, over files that were there; what is refused leaves them."""
        if self.case["options"].get("solver.warm_start") == FILES["solver.warm_start"]:
            self.start(folder, ["train", "config.ini", *self.line(), "--solver.warm_start=", "--output.model=before.dpsvm"])
        outputs = self.paths()
        for name in outputs.values():
            if os.path.dirname(name) == "":
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(OLD)
        before = set(os.listdir(folder))
        result = self.fit(folder)
        for option, name in outputs.items():
            found = self.read(folder, name)
            searched = self.case["command"] == "tune" and result.status in STOPPED and option != "output.model"
            if result.status != 0 and not searched and os.path.dirname(name) == "" and found != OLD:
                raise Finding("old file lost", f"{name} after status {result.status}")
        left = set(os.listdir(folder)) - before - {value for value in self.case["options"].values()} - {"tune.journal"}
        if left:
            raise Finding("file left", f"{sorted(left)} after {self.case['command']}")
        return result

    def check_outputs(self, folder):
        paths = self.paths()
        for name, path in paths.items():
            data = self.read(folder, path)
            if data in (None, OLD):
                continue
            if name == "output.report":
                strict_json(data.decode(), "the report")
            elif name == "output.plot":
                if re.search(rb"[\"> ](-?nan|-?inf)\b", data):
                    raise Finding("not finite", "the plot")
                xml.etree.ElementTree.fromstring(data)
            elif name in ("output.curve", "tune.table") and re.search(rb"(^|,)-?(nan|inf)(,|$)", data, re.M):
                raise Finding("not finite", name)

    # the result may hang on these (docs/options.md), so that nothing is compared
    def depends_on_time(self):
        return self.case["options"].get("run.time_limit", "0") not in ("0", "0.0", "1e+09", "1000000000.0")

    def compare(self, first, model):
        """The same with other threads, memory, instructions, pieces; from a checkpoint; over ranks."""
        other = self.case["other"]
        second = first + ".other"
        names = self.make_folder(second, other["pieces"])
        if os.path.exists(os.path.join(first, "before.dpsvm")):
            shutil.copy(os.path.join(first, "before.dpsvm"), second)
        same = [f"--run.threads={other['threads']}", f"--run.simd={other['simd']}", f"--data.train={','.join(names)}"]
        memory = [f"--run.memory={other['memory']}"] if other["memory"] else []
        result = self.fit(second, *same, *memory)
        if result.status != 0 and not result.stopped and "run.memory" in result.err.splitlines()[-1]:
            result = self.fit(second, *same)
        self.held_to(first, second, model, result, "threads, memory, pieces")
        if self.case["stop_after"] and self.case["command"] == "train":
            saved = ["--run.checkpoint=state.ckpt", "--run.resume=auto"]
            result = self.fit(second, *same, *saved, "--run.checkpoint_every=0",
                              stop_after=self.case["stop_after"])
            if result.status not in (0, *STOPPED):
                raise Finding("exit code", f"a run that is stopped ends with {result.status}: {result.err[-300:]}")
            result = self.fit(second, *same, *saved)
            self.held_to(first, second, model, result, "checkpoint")
        if self.case["ranks"] and self.program.mpirun and self.case["command"] == "train":
            result = self.fit(second, f"--data.train={','.join(names)}", "--run.threads=1", ranks=True)
            if result.status == 0:
                self.held_to(first, second, model, result, "ranks")
            elif not result.stopped and not re.search(r"rank|several processes|one process", result.err):
                raise Finding("ranks", f"two ranks end with {result.status}: {result.err[-400:]}")

    def held_to(self, first, second, model, result, what):
        if result.stopped:
            return
        if result.status != 0:
            raise Finding("other status", f"{what}: {result.status} instead of 0: {result.err.splitlines()[-1]}")
        if self.read(second, self.paths()["output.model"]) != model:
            raise Finding("other bytes", f"the model by {what}")
        for name in ("output.curve", "tune.table"):
            path = self.paths().get(name)
            one, two = (self.read(folder, path) if path else None for folder in (first, second))
            if what != "checkpoint" and one and two and OLD not in (one, two) and without_seconds(one) != without_seconds(two):
                raise Finding("other bytes", f"{name} by {what}")

    # --- a model ---------------------------------------------------------------------------------------------------

    def use(self, folder, model):
        data = self.case["rows"]
        test = Rows(data, "test", max(2, data["rows"] // 3))
        count = len(test.cells)
        test.write(os.path.join(folder, "new0.data"), 0, count // 2)
        test.write(os.path.join(folder, "new1.data"), count // 2)
        other = [f"--run.threads={self.case['other']['threads']}", f"--run.simd={self.case['other']['simd']}"]
        for flags in ([["--scores"]], self.case["flags"]["predict"]):
            self.answers(folder, "predict", model, flags, other, count)
        for command in ("transform", "evaluate"):
            self.answers(folder, command, model, self.case["flags"][command], other, None)
        result = self.start(folder, ["info", model, "--json"])
        strict_json(result.out.decode(), "info --json")
        words = sum(self.case["flags"]["info"], [])
        if self.start(folder, ["info", model, *words]).status == 1 and "--verify" in words:
            raise Finding("verify", "the model's self-test fails")

    def answers(self, folder, command, model, flags, other, count):
        words = sum(flags, [])
        result = self.start(folder, [command, model, "test.data", *words])
        if result.status != 0:
            self.refusals.append((command, result.status, result.err.splitlines()[-1] if result.err else ""))
            return
        outputs = [name for name in ("out.text", "report.json", "plot.svg") if name in words]
        files = {name: self.read(folder, name) for name in outputs}
        out = files.get("out.text", result.out)
        again = self.start(folder, [command, model, "new0.data", "new1.data", *words, *other])
        if again.status != 0:
            if not again.stopped:
                raise Finding("other status", f"{command} of two files: {again.err[-300:]}")
            return
        if out != (self.read(folder, "out.text") if "out.text" in words else again.out):
            raise Finding("other bytes", f"{command} {' '.join(words)} by threads and pieces")
        if files.get("report.json") is not None:
            strict_json(files["report.json"].decode(), f"the report of {command}")
        if command == "evaluate":
            return
        if out.startswith(b"\x93NUMPY"):
            numbers = array.array("f", out[10 + int.from_bytes(out[8:10], "little"):])
            if not all(math.isfinite(x) for x in numbers):
                raise Finding("not finite", "transform")
            return
        if re.search(rb"(^|[ ,:\t])-?(nan|inf)\b", out, re.I | re.M):
            raise Finding("not finite", f"{command} {' '.join(words)}: {re.search(rb'.*(nan|inf).*', out, re.I)[0][:200]!r}")
        if count is not None:
            self.check_predictions(out.decode(), words, count)

    def check_predictions(self, text, words, count):
        lines = text.splitlines()
        if len(lines) != count + (["--format", "csv"] == words[-2:] or "csv" in words):
            raise Finding("lines", f"predict {' '.join(words)}: {len(lines)} lines of {count} rows")
        if "--proba" in words and "csv" not in words and "--positive" not in words and self.case["options"].get("data.id_column") is None:
            for line in lines:
                shares = [float(word) for word in line.split()]
                if not all(0 <= x <= 1 for x in shares) or abs(sum(shares) - 1) > 1e-5:
                    raise Finding("probabilities", line)

    # --- all -------------------------------------------------------------------------------------------------------

    def run(self):
        """True if a model came of it."""
        place = tempfile.mkdtemp(prefix="soak.")
        try:
            return self.run_in(place)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def run_in(self, place):
        first = os.path.join(place, "first")
        self.make_folder(first, 1)
        result = self.train(first)
        illegal = self.case["illegal"]
        if illegal and illegal in self.case["options"]:
            if result.status != 2 or illegal not in result.err.splitlines()[-1]:
                raise Finding("not refused", f"{illegal} = {self.case['options'][illegal]}: status {result.status}, {result.err[-200:]}")
        self.check_outputs(first)
        if result.stopped or result.status in STOPPED:
            self.refusals.append((self.case["command"], result.status, "stopped"))
            return False
        if result.status != 0:
            self.refusals.append((self.case["command"], result.status, result.err.splitlines()[-1]))
            return False
        path = self.paths()["output.model"]
        model = self.read(first, path)
        if model == OLD and self.case["command"] == "tune" and (
                not self.case["searched"] or "run.time_limit ended the search" in result.err):
            return True  # plain cross-validation, or what was measured in time is in the table
        if model in (None, OLD):
            raise Finding("no model", f"{self.case['command']} ends with 0 and has written none")
        if not self.depends_on_time():
            self.compare(first, model)
        if self.case["command"] == "tune" and not self.depends_on_time():
            result = self.start(first, ["train", self.paths()["tune.ini"], "--output.model=again.dpsvm"])
            if not result.stopped and (result.status != 0 or self.read(first, "again.dpsvm") != model):
                raise Finding("other bytes", f"training by tune.ini: status {result.status} {result.err[-200:]}")
        self.use(first, path)
        return True
