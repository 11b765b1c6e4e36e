"""Mutants of the source: would a test notice? (docs/evidence/mutants.md)

    mutate.py WORK [COUNT] [SEED]   so many mutants of that seed (300, 1), in a copy of the sources in the folder WORK
    --seconds N                     begins none after so long; the next call goes on
    --again                         those that nothing has noticed, with the tests as they are now
    --only N                        the N-th alone, and what each test says
    --table FILE                    the share that is noticed, by room, and those that were not, as Markdown
    --list                          the mutants, nothing else

A mutant is one change of a line in src/solver, src/features, src/data or src/model: a comparison, a constant, a sign, && for ||,
a truth, a condition turned round, a statement left out. Not drawn, as no test here could tell or need to: comments, texts,
assertions, progress and log lines, the making of errors, what frees and closes (sanitizers and tests/faults hold that),
capacities (lengths of arrays, what a buffer grows by). What the compiler makes the same object of is drawn again, and so is
what does not compile. The rest meets the tests, until one fails, crashes or takes several times as long as without the
mutant: those first that noticed others of the file, then unit tests of the file's name, then the unit, contract and numeric
tests of the room, then scripts, the quick ones first. WORK/SEED.csv has a line for each; explained.txt beside this file says
why some may stay."""

import argparse
import csv
import hashlib
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
ROOMS = ("solver", "features", "data", "model")
SCRIPTS = {  # golden values, then what else looks at the room
    "solver": "golden train_predict same_bits numerics regression logistic checkpoint weights early_stopping warm_start time_limit"
              " rare_class probability progress answers",
    "features": "golden train_predict same_bits kernel estimator numerics auto_map choose_c feature_weights seeds export score",
    "data": "golden train_predict same_bits csv arff tables input_files bad_input cache packed streams words weights slips read_back"
            " out_of_core cases_input cases_labels cases_prediction security",
    "model": "golden train_predict same_bits model_file warm_start weights_are_copies probability kernel export score isotonic csv"
             " security tune_ini"}
FIELDS = ("number", "room", "file", "line", "kind", "before", "after", "noticed", "by", "seconds")
JUDGED = ("yes", "no", "open")
SWAPS = [("comparison", r"(?<![<>=!\-])(<=|>=|==|!=)(?!=)|(?<= )([<>])(?= )", {
             "<=": "<", "<": "<=", ">=": ">", ">": ">=", "==": "!=", "!=": "=="}),
         ("logic", r"(&&|\|\|)", {"&&": "||", "||": "&&"}),
         ("sign", r"(?<= )([+\-])(?= )|(\+=|-=)", {"+": "-", "-": "+", "+=": "-=", "-=": "+="}),
         ("sign", r"(?<=[(,=] )-(?=[\w(])|(?<=\()-(?=[\w(])|(?<=return )-(?=[\w(])", {"-": ""}),
         ("truth", r"\b(true|false)\b", {"true": "false", "false": "true"}),
         ("constant", r"(?<![\w.])(\d+)(?![\w.])", None),
         ("constant", r"(?<![\w.])(\d+\.\d+)(?![\w.])", None)]
CONDITION = re.compile(r"^( +(?:\} else )?if \()([^()]*(?:\([^()]*\)[^()]*)*)\) \{$")
STATEMENT = re.compile(r"^ +(?!return|break|continue|goto|case|default|const |static |enum |struct )"
                       r"[a-z_][\w>\-.\[\]]*( [-+*/|&]?= .*|\(.*\));$")
SILENT = re.compile(r"free|close|release|dps_log_|_say\(|_destroy|unlink|\(void\)")  # of statements that are left out
LOOSE = re.compile(r"dps_log_|_say\(|capacity|\bslack|DPS_GROW|madvise|fadvise|\bflops\b|_flops\b|\bthreads\b|^\s*(enum \{ )?[A-Z_]+ = "
                   r"|^#|_Static_assert")  # lines that count for nothing but speed, memory or words
SLOW = 120  # processor seconds of a test that is not asked
ALLOCATION = "src/util/allocation.c"
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def masked(text):
    """The source with comments, texts and statements that make errors as blanks, line ends kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)
    text = re.sub(r"\b(assert|_Static_assert|dps_error_\w+|dps_out_of_memory|dps_log_\w+|\w*(?:bad|BAD|refuse|damaged)\w*)\s*\([^;]*;", blank, text)
    text = re.sub(r"^[ \t]*#.*(?:\\\n.*)*", blank, text, flags=re.M)
    text = re.sub(r"^ *(?:const |static )*[a-z]\w*(?: \*?\w+(?:\[\w+\])*(?: = \{\w*\})?,?)*;$",  # plain declarations
                  lambda match: blank(match) if "[" in match[0] else match[0], text, flags=re.M)
    return re.sub(r"^\w.*\($|^(?:typedef|struct|enum|static|const|\w+ \*?\w+\().*[,{;)]$", lambda match:
                  blank(match) if "=" not in match[0] else match[0], text, flags=re.M)  # heads


def constants(token):
    if token in ("0", "1"):
        return {"0": ["1"], "1": ["0", "2"]}[token]
    if token.isdigit():
        return [str(int(token) + 1), str(int(token) - 1), "0"]
    return [x for x in ("0.0", "1.0", repr(float(token) * 2)) if float(x) != float(token)]


def mutants_of(path, text):
    code, lines = masked(text).split("\n"), text.split("\n")
    for number, (line, shown) in enumerate(zip(lines, code), 1):
        if LOOSE.search(line):
            continue
        for kind, pattern, swap in SWAPS:
            for found in re.finditer(pattern, shown):
                for other in [swap[found[0]]] if swap else constants(found[0]):
                    yield path, number, kind, line, line[:found.start()] + other + line[found.end():]
        found = CONDITION.match(line)
        if found and shown == line:
            yield path, number, "condition", line, f"{found[1]}!({found[2]})) {{"
        if STATEMENT.match(line) and shown == line and not SILENT.search(line):
            yield path, number, "statement", line, re.match(" *", line)[0] + ";"


def draw(seed):
    """Mutants in the order of the seed, the rooms by turns."""
    rooms = {}
    for room in ROOMS:
        found = []
        for folder, _, names in sorted(os.walk(os.path.join(SOURCE, "src", room))):
            for name in sorted(names):
                if name.endswith(".c") and "avx" not in name:  # which this processor may not have
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        found += mutants_of(os.path.relpath(path, SOURCE), file.read())
        random.Random(f"{seed} {room}").shuffle(found)
        rooms[room] = found
    number = 0
    for k in range(max(len(found) for found in rooms.values())):
        for room in ROOMS:
            if k < len(rooms[room]):
                number += 1
                yield dict(zip(FIELDS, (str(number), room, *map(str, rooms[room][k]), "", "", "")))


def run(command, seconds=None, processor=None, **more):
    """(exit code or None when it took too long, processor seconds)"""
    def bounds():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if processor:
            resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 2))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                          start_new_session=True, preexec_fn=bounds, **more) as child:
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(child.pid, signal.SIGKILL)  # and what it began
        except ProcessLookupError:
            pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Tree:
    """A copy of the sources, its build, which no mutant touches, and its tests."""

    def __init__(self, work):
        self.path, self.build, self.scratch = (os.path.join(work, name) for name in ("tree", "build", "scratch"))
        self.known = os.path.join(work, "healthy.json")
        os.makedirs(self.scratch, exist_ok=True)
        self.copy()
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            subprocess.run(["cmake", "-G", "Ninja", "-S", self.path, "-B", self.build, "-DCMAKE_BUILD_TYPE=Debug",
                            "-DCMAKE_C_FLAGS_DEBUG=-O2", "-DDPSVM_WITH_MPI=OFF", "-DDPSVM_WERROR=OFF"], check=True,
                           stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", self.build, "-j", str(len(os.sched_getaffinity(0)))], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            self.compile = {os.path.relpath(entry["file"], self.path): entry["command"] for entry in json.load(file)}
        said = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
        self.tests, self.link, self.digests, self.healthy = {}, {}, {}, {}
        for test in json.loads(said.stdout)["tests"]:
            properties = {item["name"]: item["value"] for item in test["properties"]}
            self.tests[test["name"]] = (test["command"], properties.get("WORKING_DIRECTORY", self.build), dict(
                word.split("=", 1) for word in properties.get("ENVIRONMENT", [])))
        if os.path.exists(self.known):
            with open(self.known, encoding="utf-8") as file:
                self.healthy = json.load(file)

    def copy(self):
        """The sources as they stand; what is the same keeps its time, so that little is built."""
        said = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                              capture_output=True, text=True, check=True)
        for name in filter(None, said.stdout.split("\0")):
            old, new = os.path.join(self.path, name), os.path.join(SOURCE, name)
            if not os.path.isfile(new):
                continue
            with open(new, "rb") as file:
                text = file.read()
            if os.path.exists(old):
                with open(old, "rb") as file:
                    if file.read() == text:
                        continue
            os.makedirs(os.path.dirname(old), exist_ok=True)
            shutil.copyfile(new, old)
            shutil.copymode(new, old)

    def order(self, row, rows):
        """Tests that may notice a mutant: of the room, those first that noticed others of the file or are named after it, and the
        quick ones; then quick scripts; and for the end what takes long."""
        by = [other["by"].split(" ")[0] for other in rows if other["noticed"] == "yes" and other["file"] == row["file"]]
        words = [word for word in os.path.basename(row["file"])[:-2].split("_") if len(word) > 3]

        def cost(name):
            guess = 0.5 if name.startswith("unit") else 4
            own, seconds = any(word in name for word in words), (self.healthy.get(name) or (guess, guess))[1]
            return (seconds > 3, not (own or name in by), -by.count(name), seconds)
        near = sorted((name for name in self.tests if re.match(rf"(unit|contract|numeric)\.{row['room']}\.", name)), key=cost)
        slow = [name for name in near if cost(name)[0] and cost(name)[1]]
        near = [name for name in near if name not in slow]
        scripts = [name for name in ("cli.test_" + word for word in SCRIPTS[row["room"]].split()) if name in self.tests]
        far = sorted(scripts, key=lambda name: (name not in by, -by.count(name), (self.healthy.get(name) or (0, 0))[1])) + slow
        quick = [name for name in far if (self.healthy.get(name) or (0, 0))[1] <= 5]
        return near, quick, [name for name in far if name not in quick]

    def well(self, name):
        """Whether it passes without a mutant, and in reasonable time: (seconds, processor seconds) are kept."""
        if name not in self.healthy:
            begin = time.monotonic()
            code, processor = self.test(name, None, (None, SLOW))
            self.healthy[name] = (time.monotonic() - begin, processor) if code == 0 else None
            print(f"  {name}: {self.healthy[name]}", flush=True)
            with open(self.known, "w", encoding="utf-8") as file:
                json.dump(self.healthy, file, indent=0)
        return self.healthy[name] is not None

    def test(self, name, program, limits):
        """Runs a test, of another program than the one built."""
        command, folder, environment = self.tests[name]
        environment = {**os.environ, "MALLOC_PERTURB_": "165", **environment}
        if program and name.startswith("cli."):
            environment["DPSVM"] = program
        elif program:
            command = [program, *command[1:]]
        return run(command, *limits, cwd=folder, env=environment)

    def linked(self, target, mutant, more=()):
        """The target's program with the mutant's object, which comes before the archives and so instead of theirs; None: it
        does not link."""
        if target not in self.link:
            said = subprocess.run(["ninja", "-C", self.build, "-t", "commands", target], capture_output=True, text=True, check=True)
            self.link[target] = shlex.split(said.stdout.strip().split("\n")[-1])
        words = [word for word in self.link[target] if word not in (":", "&&")]
        at, program = words.index("-o"), os.path.join(self.scratch, os.path.basename(target))
        words[at:at + 2] = [mutant, *more, "-o", program]
        return program if run(words, cwd=self.build)[0] == 0 else None

    def compiled(self, path, text, more=(), name="mutant"):
        """The object of that text in place of the file's; None: it does not compile."""
        copy, out = os.path.join(self.scratch, name + ".c"), os.path.join(self.scratch, name + ".o")
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text)
        words = shlex.split(self.compile[path])
        words[-1], words[words.index("-o") + 1] = copy, out
        return out if run([*words, *more, "-O1", "-w", "-iquote", os.path.dirname(os.path.join(self.path, path))],
                          cwd=self.build)[0] == 0 else None

    def sanitized(self):
        """What to compile and link with for the sanitizers to see what is behind a block of dps_alloc."""
        with open(os.path.join(self.path, ALLOCATION), encoding="utf-8") as file:
            return (*SANITIZE, self.compiled(ALLOCATION, file.read(), SANITIZE, "allocation"))

    def digest(self, path, text):
        out = self.compiled(path, text)
        if out is None:
            return None
        with open(out, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def texts(self, row):
        """(the file, the mutant or None if the line is no longer there)"""
        with open(os.path.join(self.path, row["file"]), encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        places = [k for k, line in enumerate(lines) if line == row["before"]]
        if not places:
            return text, None
        lines[min(places, key=lambda k: abs(k + 1 - int(row["line"])))] = row["after"]
        return text, "\n".join(lines)

    def ask(self, names, mutant, more=(), every=False):
        """The first test that notices, and how; or None."""
        found, program = None, None
        for name in names:
            script = name.startswith("cli.")
            if not self.well(name):
                continue
            if not script or program is None:
                program = self.linked("dpsvm" if script else name.split(".")[-1], mutant, more)
            if program is None:
                print(f"  {name}: does not link", flush=True)
                continue
            wall, processor = self.healthy[name]
            slower = 4 if more else 1
            code, used = self.test(name, program, (slower * (30 * wall + 120), int(slower * (3 * processor + 2))))
            starved = code is None and 0.2 * processor < used < 2 * processor  # by others on this machine
            how = "" if code in (0, 77) or starved else "hangs" if code in (None, -signal.SIGXCPU) else "crashes" if code < 0 else "fails"
            if every:
                print(f"  {name}: {how or 'nothing'}", flush=True)
            if how and found is None:
                found = f"{name} {how}"
                if not every:
                    break
        return found

    def judge(self, row, rows, scripts, every=False):
        """(verdict, which test and how); without the scripts: 'open' if no other test notices."""
        text, mutant = self.texts(row)
        if mutant is None or row["file"] not in self.compile:
            return "gone", ""
        if row["file"] not in self.digests:
            self.digests[row["file"]] = self.digest(row["file"], text)
        near, quick, far = self.order(row, rows)
        if not scripts or every:
            digest = self.digest(row["file"], mutant)
            if digest is None:
                return "no compile", ""
            if digest == self.digests[row["file"]]:
                return "same object", ""
            found = self.ask(near, os.path.join(self.scratch, "mutant.o"), every=every)
            if found or not scripts:
                return ("yes", found) if found else ("open", "")
        found = self.ask(quick, self.compiled(row["file"], mutant), every=every)
        if found:
            return "yes", found
        found = self.ask(near, self.compiled(row["file"], mutant, SANITIZE), self.sanitized(), every)
        if found:
            return "yes", found + " under sanitizers"
        found = self.ask(far, self.compiled(row["file"], mutant), every=every)
        return ("yes", found) if found else ("no", "")


def explanations():
    """{(file, before, after): why}"""
    found = {}
    with open(os.path.join(HERE, "explained.txt"), encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            lines = [line for line in block.split("\n") if line and not line.startswith("#")]
            if len(lines) == 4:
                found[tuple(line.strip() for line in lines[:3])] = lines[3].strip()
    return found


def table(rows, path, seed):
    why = explanations()
    with open(path, "w", encoding="utf-8") as file:
        drawn = [row for row in rows if row["noticed"]]
        file.write(f"Seed {seed}: {len(drawn)} drawn, {sum(row['noticed'] == 'no compile' for row in drawn)} did not compile, "
                   f"{sum(row['noticed'] == 'same object' for row in drawn)} were the same object.\n\n")
        file.write("| room | mutants | noticed | share | not noticed | open | noticed by a unit, contract or numeric test | by a script |\n"
                   "| --- | --- | --- | --- | --- | --- | --- | --- |\n")
        for room in (*ROOMS, ""):
            of = [row for row in rows if row["noticed"] in JUDGED and room in ("", row["room"])]
            count = {verdict: sum(row["noticed"] == verdict for row in of) for verdict in JUDGED}
            scripts = sum(row["noticed"] == "yes" and row["by"].startswith("cli") for row in of)
            file.write(f"| {room or 'all'} | {len(of)} | {count['yes']} | {100 * count['yes'] / max(1, len(of)):.0f} % | {count['no']} | "
                       f"{count['open']} | {count['yes'] - scripts} | {scripts} |\n")
        file.write("\n| place | before | after | | why it may stay |\n| --- | --- | --- | --- | --- |\n")
        for row in rows:
            if row["noticed"] in ("no", "open"):
                texts = [row[key].strip() for key in ("before", "after")]
                reason = why.get((row["file"], *texts), "not explained")
                shown = [text.replace("|", "\\|") for text in texts]
                verdict = "open" if row["noticed"] == "open" else "not noticed"
                file.write(f"| {row['file'][4:]}:{row['line']} | `{shown[0]}` | `{shown[1]}` | {verdict} | {reason} |\n")


class State:
    """WORK/SEED.csv: mutants of the seed, twice as many as wanted, with what came of them."""

    def __init__(self, work, seed, count):
        self.path = os.path.join(work, f"{seed}.csv")
        self.rows = []
        if os.path.exists(self.path):
            with open(self.path, newline="", encoding="utf-8") as file:
                self.rows = list(csv.DictReader(file))
        for k, row in enumerate(draw(seed)):
            if k >= 2 * count:
                break
            if k >= len(self.rows):
                self.rows.append(row)

    def save(self):
        with open(self.path + ".new", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(self.rows)
        os.replace(self.path + ".new", self.path)

    def judged(self):
        return [row for row in self.rows if row["noticed"] in JUDGED]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("work")
    parser.add_argument("count", nargs="?", type=int, default=300)
    parser.add_argument("seed", nargs="?", default="1")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", type=int)
    parser.add_argument("--table")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        for row in State(arguments.work, "none", 0).rows or [row for _, row in zip(range(arguments.count), draw(arguments.seed))]:
            print(f"{row['number']} {row['file']}:{row['line']} {row['kind']}: {row['before'].strip()}  ->  {row['after'].strip()}")
        return 0
    arguments.work = os.path.abspath(arguments.work)
    os.makedirs(arguments.work, exist_ok=True)
    end = time.monotonic() + arguments.seconds
    state = State(arguments.work, arguments.seed, arguments.count)
    if arguments.only is not None:
        tree, row = Tree(arguments.work), state.rows[arguments.only - 1]
        print(f"{row['file']}:{row['line']}\n- {row['before']}\n+ {row['after']}")
        print(*tree.judge(row, state.rows, True, every=True))
        return 0
    wanted = state.rows
    if arguments.again:
        wanted = [row for row in state.rows if row["noticed"] in ("no", "open")]
        for row in wanted:
            row["noticed"] = ""
    tree = Tree(arguments.work) if arguments.seconds > 0 else None
    for scripts in (False, True):  # what the quick tests do not notice is judged by the others at the end
        for row in wanted:
            judged = sum(other["noticed"] in JUDGED for other in state.rows)
            if time.monotonic() > end or not scripts and not arguments.again and judged >= arguments.count:
                break
            if row["noticed"] != ("open" if scripts else ""):
                continue
            begin = time.monotonic()
            row["noticed"], row["by"] = tree.judge(row, state.rows, scripts)
            row["seconds"] = f"{time.monotonic() - begin:.1f}"
            state.save()
            print(f"{row['number']} {row['file']}:{row['line']} {row['kind']}: {row['noticed']} {row['by']} ({row['seconds']} s)",
                  flush=True)
    if arguments.table:
        table(state.rows, arguments.table, arguments.seed)
    judged = state.judged()
    print(f"{len(judged)} mutants, {sum(row['noticed'] == 'yes' for row in judged)} noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
