"""What the speed tables share: timed runs on chosen cores, a store of results so that a run that was stopped goes on
where it was, tables as Markdown and CSV. Standard library only.

DPSVM_BENCH_OUT (default build/bench) is the folder of results and of intermediate files; delete it to start anew.
DPSVM_BENCH_CORES (default: the first two allowed) are the cores that every side is pinned to.
"""
import csv
import hashlib
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

from bench_common import ROOT

OUT = os.environ.get("DPSVM_BENCH_OUT", os.path.join(ROOT, "build", "bench"))


def cores(count):
    """The first `count` cores to pin to, as taskset wants them."""
    given = os.environ.get("DPSVM_BENCH_CORES")
    allowed = given.split(",") if given else [str(core) for core in sorted(os.sched_getaffinity(0))]
    return ",".join(allowed[:count])


class Failed(Exception):
    """A command that did not end with status 0, or took too long."""


def timed(command, on=None, stdout=None, limit=None, own_session=True):
    """Runs a command pinned to the cores `on`; `limit` wants a session of its own. Returns wall and CPU seconds and peak memory in bytes."""
    peak = os.path.join(OUT, f"peak.{os.getpid()}")
    # time's own wait, because a child of Python inherits Python's peak
    command = ["time", "-o", peak, "-f", "%M"] + (["taskset", "-c", on] if on else []) + [str(w) for w in command]
    with open(stdout or os.devnull, "wb") as out:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, start_new_session=own_session)
        timer = None
        if limit:
            timer = threading.Timer(limit, os.killpg, (child.pid, signal.SIGKILL))
            timer.start()
        said = child.stderr.read()  # to its end, so that the pipe never fills
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stderr.close()
        if timer:
            timer.cancel()
    if child.returncode != 0:
        raise Failed(f"{' '.join(command)}\nended with {child.returncode}: {said.decode(errors='replace')[-500:]}")
    with open(peak, encoding="ascii") as file:
        kilobytes = int(file.read().split()[-1])
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": kilobytes * 1024}


class Store:
    """Results by name, one JSON object a line, kept between runs."""

    def __init__(self, name):
        os.makedirs(OUT, exist_ok=True)
        self.path = os.path.join(OUT, name + ".jsonl")
        self.found = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    entry = json.loads(line)
                    self.found[entry["key"]] = entry["value"]

    def get(self, *words):
        return self.found.get("|".join(str(word) for word in words))

    def put(self, value, *words):
        key = "|".join(str(word) for word in words)
        self.found[key] = value
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "value": value}) + "\n")
        return value

    def once(self, work, *words):
        value = self.get(*words)
        return self.put(work(), *words) if value is None else value


def program_mark(path):
    """Tells builds of the program apart: results of an older one are measured again."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:10]


def median(runs, field):
    return statistics.median(run[field] for run in runs)


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float("nan")


def write_table(name, head, rows, note=""):
    """OUT/name.md and OUT/name.csv, and the Markdown on standard output."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    text = "\n".join(lines) + "\n" + (f"\n{note}\n" if note else "")
    with open(os.path.join(OUT, name + ".md"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(OUT, name + ".csv"), "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    print(text, flush=True)


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def plot(name, script):
    """OUT/name.svg by gnuplot; without gnuplot nothing."""
    script = f"set terminal svg size 800,480 noenhanced dynamic font 'sans-serif,13'\nset output '{name}.svg'\n" \
             "set datafile separator ','\n" + script
    with open(os.path.join(OUT, name + ".gnuplot"), "w", encoding="utf-8") as file:
        file.write(script)
    try:
        subprocess.run(["gnuplot", name + ".gnuplot"], cwd=OUT, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        say(f"no plot {name}: {error}")
