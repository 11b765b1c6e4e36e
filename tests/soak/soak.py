"""Random configurations on random rows, all commands, against what is promised (docs/evidence/soak.md).

    soak.py [RUNS] [SEED]     so many cases of that seed (200, 1)
    --only N                  the N-th case alone, and what it ran
    --jobs N                  cases side by side (1)
    --patience SECONDS        a run that takes longer is stopped by SIGTERM, and must then end (5)
    --table FILE              commands, refusals by reason and findings, as Markdown
    --seconds N               begins no case after so long
    --state FILE              keeps what came of them, and goes on from there
    --planted                 bugs that must be found (planted.sh)
    --words                   the options as they were understood

From the environment: DPSVM; DPSVM_ASAN, a build with the address sanitizer, for a tenth of the cases; MPIEXEC, for some on two
ranks. A case that is refused is run again without the options that the message names, so that most end in a model. A failure is
made smaller while it stays the same, and printed as a configuration with its commands. Ends with 1 where there was one."""

import argparse
import concurrent.futures
import collections
import json
import math
import os
import random
import re
import sys
import time

import soak_case
from soak_options import options_of
from soak_run import Finding, Program, Trial

REPAIRS = 6  # times that options are taken out of what was refused
TRIALS = 150  # of shrinking


def without(case, names):
    options = {name: value for name, value in case["options"].items() if name not in names or name == "data.train"}
    return {**case, "options": options, "line": [name for name in case["line"] if name in options],
            "searched": {name: value for name, value in case["searched"].items() if name not in names},
            "illegal": case["illegal"] if case["illegal"] in options else None}


def repaired(case, trial, attempt):
    """The case with what its last refusal advises, or without what it names; in the end without anything."""
    message = trial.refusals[-1][2]
    advice = re.search(r"\b([a-z]+\.[a-z_]+) = (\w+)", message)
    if advice and advice[1] in trial.names and advice[1] not in case["options"] and attempt < REPAIRS - 1:
        return {**case, "options": {**case["options"], advice[1]: advice[2]}}
    named = trial.places(message)[0] & (set(case["options"]) | set(case["searched"])) - {"data.train"}
    if named and attempt < REPAIRS - 1:
        return without(case, named)
    others = sorted(set(case["options"]) - {"data.train", "solver.task"})
    if attempt == REPAIRS - 1 or not others:
        return without({**case, "searched": {}}, others)
    return without(case, set(random.Random(f"{case['seed']}/{case['number']}/{attempt}").sample(others, (len(others) + 1) // 2)))


def fate(program, case):
    """(refusals, whether a model came of it, the case as it failed, finding, what was run)"""
    refusals = []
    for attempt in range(REPAIRS):
        trial = Trial(program, case)
        try:
            done = trial.run()
        except Finding as finding:
            return refusals, False, case, finding, trial.commands
        refusals += trial.refusals
        if done:
            return refusals, True, case, None, trial.commands
        case = repaired(case, trial, attempt)
    return refusals, False, case, None, trial.commands


def reason(message):
    """A refusal without the numbers, names and values of the case."""
    message = re.sub(r"^dpsvm: (--)?", "", message)
    message = re.sub(r"[\w./]*\.(data|dpsvm|out|ini)(:\d+)*|nowhere/file", "FILE", message)
    message = re.sub(r"\"[^\"]*\"", '"..."', message)
    message = re.sub(r"=\S+", "=...", message)
    message = re.sub(r"-?\d[\d.]*(e[-+]?\d+)?( [kMGT]?B\b)?", "N", message)
    return message[:110]


def report(case, finding, commands, program):
    print(f"  soak.py {case['number'] + 1} {case['seed']} --only {case['number']}, made smaller: {finding}")
    print("".join(f"    {line}\n" for line in soak_case.ini(case, program.options).splitlines()), end="")
    easy = soak_case.EASIER
    print("  rows: " + json.dumps({k: v for k, v in case["rows"].items() if k not in easy or v != easy[k]}))
    print("".join(f"  {command}\n" for command in commands), end="", flush=True)

SAVE_EVERY = 20  # cases


class Tally:
    """What came of the cases so far; --state keeps it in a file, to go on from."""

    def __init__(self, path):
        self.path, self.cases, self.modelled, self.findings = path, 0, 0, []
        self.commands, self.refusals = collections.Counter(), collections.Counter()
        self.taken = collections.Counter()  # of the program's counts
        if path and os.path.exists(path):
            with open(path) as file:
                kept = json.load(file)
            self.cases, self.modelled, self.findings = kept["cases"], kept["modelled"], kept["findings"]
            self.commands.update(kept["commands"])
            self.refusals.update(kept["refusals"])

    def take(self, program):
        now = collections.Counter(program.counts)
        self.commands.update(now - self.taken)
        self.taken = now
        self.save()

    def save(self):
        if self.path:
            with open(self.path, "w") as file:
                json.dump({key: getattr(self, key) for key in ("cases", "modelled", "findings", "commands", "refusals")}, file)

    def table(self, path):
        with open(path, "w") as file:
            file.write(f"{self.cases} cases, {self.modelled} ended in a model; {self.commands.total()} commands.\n\n")
            ends = sorted({key.split()[1] for key in self.commands}, key=int)
            names = sorted({key.split()[0] for key in self.commands})
            file.write("| command | " + " | ".join(f"exit {end}" for end in ends) + " |\n| --- |" + " --- |" * len(ends) + "\n")
            for name in names:
                file.write(f"| {name} | " + " | ".join(str(self.commands[f"{name} {end}"]) for end in ends) + " |\n")
            file.write("\n| refused | times |\n| --- | --- |\n")
            for text, times in self.refusals.most_common():
                file.write(f"| {text.replace('|', '/')} | {times} |\n")
            file.write(f"\nFindings: {len(self.findings)}\n" + "".join(f"* {finding}\n" for finding in self.findings))


def made_smaller(program, case, finding):
    """The least case that fails in the same way, its finding, and what it ran."""
    def fails(other):
        try:
            Trial(program, other).run()
        except Finding as found:
            return found.what == finding.what
        return False

    smallest = soak_case.shrink(case, fails, TRIALS)
    trial = Trial(program, smallest)
    try:
        trial.run()
    except Finding as found:
        finding = found
    return smallest, finding, trial.commands


# what planted.sh breaks, and the finding that it must be
PLANTED = {"crash": "crash", "hang": "hang", "sanitizer": "sanitizer", "message": "message", "exit": "exit code", "torn": "old file lost",
           "left": "file left", "nan": "not finite", "json": "not finite", "bytes": "other bytes", "answers": "other bytes"}


def planted(path, options):
    """A program with one bug after the other: each must be found, and the crash made small."""
    os.environ["REAL"] = path
    program = Program(os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted.sh"), options, patience=1, grace=1)
    missed = []
    for bug, what in PLANTED.items():
        os.environ["PLANTED"] = bug
        program.patience = 0.5 if bug == "hang" else 300  # of a busy machine, too
        for number in range(40):
            _, _, case, finding, _ = fate(program, soak_case.draw("planted", number, options, path))
            if finding is not None:
                break
        print(f"{bug}: case {number}: {finding}", flush=True)
        if finding is None or finding.what != what:
            missed.append(f"{bug}: {finding}")
        elif bug == "crash":
            case, finding, _ = made_smaller(program, case, finding)
            if set(case["options"]) != {"data.train", "map.features"} or case["rows"]["rows"] > 2 or sum(case["flags"].values(), []):
                missed.append(f"the crash was not made small: {soak_case.ini(case, options)}")
    print(f"{len(PLANTED)} planted bugs, missed: " + ("; ".join(missed) or "none"))
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=200)
    parser.add_argument("seed", nargs="?", default="1")
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--patience", type=float, default=5)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--state")
    parser.add_argument("--table")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--words", action="store_true")
    arguments = parser.parse_args()
    path = os.path.abspath(os.environ["DPSVM"])
    options = options_of(path)
    program = Program(path, options, arguments.patience, os.environ.get("DPSVM_ASAN"), os.environ.get("MPIEXEC"))
    if arguments.planted:
        return planted(path, options)
    if arguments.words:
        for option in options:
            print(option.name, option.what, option.choices, option.low, option.high)
        return 0
    tally = Tally(arguments.state)
    numbers = [arguments.only] if arguments.only is not None else range(tally.cases, arguments.runs)
    end = time.monotonic() + arguments.seconds

    def one(number):
        return fate(program, soak_case.draw(arguments.seed, number, options, path)) if time.monotonic() < end else None

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, came in zip(numbers, pool.map(one, numbers)):
            if came is None:
                break
            refused, done, case, finding, commands = came
            tally.cases += 1
            tally.modelled += done
            tally.refusals.update(reason(message) for _, _, message in refused)
            if arguments.only is not None:
                print("\n".join(commands + [f"{command} {status} {text}" for command, status, text in refused]))
            if finding is not None:
                print(f"\nFOUND in case {number}: {finding}", flush=True)
                case, finding, commands = made_smaller(program, case, finding)
                tally.findings.append(f"case {number}: {finding}")
                report(case, finding, commands, program)
            if tally.cases % SAVE_EVERY == 0:
                tally.take(program)
    tally.take(program)
    if arguments.table:
        tally.table(arguments.table)
    print(f"{tally.cases} cases of seed {arguments.seed}: {tally.modelled} ended in a model, {tally.commands.total()} commands, "
          f"{tally.refusals.total()} refusals of {len(tally.refusals)} kinds, {len(tally.findings)} findings")
    few = arguments.only is None and 2 * tally.modelled < tally.cases  # then it tries refusals alone
    if few:
        print("less than half of the cases ended in a model")
    return 1 if tally.findings or few else 0


if __name__ == "__main__":
    sys.exit(main())
