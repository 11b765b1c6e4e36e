"""Running programs: CPU seconds of a child, the settings of dpsvm as words, accuracy of what a program predicted."""
import csv
import hashlib
import json
import os
import resource
import signal
import subprocess


class Failed(Exception):
    """A command that did not end with status 0."""


class TookTooLong(Failed):
    """It was ended at its limit."""


def cpu_seconds(command, limit=None, stdin=None):
    """User and system seconds of one child process. More than `limit` of them: TookTooLong."""
    command = [str(word) for word in command]
    child = subprocess.Popen(command, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             preexec_fn=limit and (lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))))
    return _reaped(child, command, limit)


def _reaped(child, command, limit=None):
    said = child.stderr.read()  # to its end, so that the pipe never fills
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if limit and child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TookTooLong(f"takes more than {limit} s")
    if child.returncode != 0:
        raise Failed(f"{' '.join(command)}\nended with {child.returncode}: {said.decode(errors='replace')[-500:]}")
    return usage.ru_utime + usage.ru_stime


def piped_cpu_seconds(first, second):
    """The same of two commands, the second reading what the first writes."""
    first, second = [[str(word) for word in command] for command in (first, second)]
    with subprocess.Popen(first, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        seconds = cpu_seconds(second, stdin=writer.stdout)
        return seconds + _reaped(writer, first)


def words(settings):
    """Settings section__key = value as options of the command line."""
    return [f"--{key.replace('__', '.')}={value}" for key, value in settings.items()]


def accuracy(rows, predicted):
    """Percent of the rows (a file that begins each line with the label) that a file of predicted labels has right."""
    with open(rows, encoding="ascii") as file, open(predicted, encoding="ascii") as answers:
        pairs = [(float(row.split(None, 1)[0]), float(answer.split()[0])) for row, answer in zip(file, answers, strict=True)]
    return 100 * sum(label == answer for label, answer in pairs) / len(pairs)


class Dpsvm:
    """The program, on one thread."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        with open(path, "rb") as file:
            self.mark = hashlib.sha256(file.read()).hexdigest()[:10]  # tells builds apart

    def scratch(self, name):
        return os.path.join(self.folder, name)

    def train(self, train, limit=None, **settings):
        """CPU seconds and report of a training; the model is scratch("model") unless output__model says otherwise."""
        report = self.scratch("report.json")
        settings = {"data__train": train, "run__threads": 1, "output__baseline": "off", "output__model": self.scratch("model"),
                    "output__report": report, **settings}
        seconds = cpu_seconds([self.path, "train", *words(settings), "-q"], limit)
        with open(report, encoding="utf-8") as file:
            return seconds, json.load(file)

    def predict(self, test, model=None):
        """CPU seconds, and accuracy in percent."""
        out = self.scratch("predicted")
        seconds = cpu_seconds([self.path, "predict", model or self.scratch("model"), test, "-o", out, "--run.threads=1", "-q"])
        return seconds, accuracy(test, out)

    def transform_command(self, model, source, target, form="libsvm"):
        return [self.path, "transform", model, source, "-o", target, "--format", form, "--run.threads=1", "-q"]

    def transform(self, model, source, target, form="libsvm"):
        return cpu_seconds(self.transform_command(model, source, target, form))

    def kernel(self, rows, *flags, **settings):
        """What `dpsvm kernel` prints as CSV, for rows taken as they are: a dictionary of texts a line."""
        settings = {"data__train": rows, "data__scaling": "none", "data__normalize": "none", "run__threads": 1, **settings}
        done = subprocess.run([self.path, "kernel", *words(settings), "-q", "--format", "csv", *map(str, flags)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(done.stderr)
        return list(csv.DictReader(done.stdout.splitlines()))
