"""What the benchmark scripts share: where things are, one training run, tables. Standard library only."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--dpsvm", default=os.path.join(ROOT, "build", "release", "dpsvm"), help="the program")
    parser.add_argument("--data", default=os.path.join(ROOT, "build", "benchmarks"), help="what prepare.py wrote")
    parser.add_argument("--sets", help="only these, separated by commas")
    return parser


def chosen(options, names):
    """The wanted names whose data are there; says which are skipped."""
    wanted = options.sets.split(",") if options.sets else names
    there = [name for name in wanted if os.path.exists(os.path.join(options.data, name + ".train"))]
    for name in wanted:
        if name not in there:
            print(f"skipped: {name} (run tests/benchmarks/prepare.py with DPSVM_DATA set)", file=sys.stderr)
    return there


def data_file(options, name):
    return os.path.join(options.data, name)


def train(options, ini=None, **settings):
    """One run of `dpsvm train`; settings are section__key = value. Returns its report."""
    with tempfile.TemporaryDirectory() as folder:
        command = [options.dpsvm, "train"] + ([ini] if ini else [])
        settings = {"output__model": os.path.join(folder, "model"), **settings}
        settings["output__report"] = os.path.join(folder, "report")
        command += [f"--{key.replace('__', '.')}={value}" for key, value in settings.items()] + ["-q"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")
        with open(settings["output__report"], encoding="utf-8") as file:
            return json.load(file)


def table(head, rows):
    """Prints a Markdown table row by row, as the rows come."""
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * len(head), flush=True)
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
