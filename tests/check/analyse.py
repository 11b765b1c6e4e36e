"""clang's static analyser on the sources of a build: analyse.py COMPILE_COMMANDS [FILE...]

Prints what it finds, and at last a line with the counts; ends with 1 if it found something, or did not see the bugs of
analyser_planted.c. FILE: of the sources these alone. Of each function 5,000 states are looked at (clang's own bound, 225,000, takes
many minutes). What it cannot know of other sources stands in analyser_facts.h, what it says and is not so in analyser_known.txt."""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

ALONE = ("-D", "-I", "-std", "-m", "-fopenmp", "-U")  # what analysing needs of a command, in one word
PAIRS = ("-iquote", "-isystem")  # and in two
# deadcode.DeadStores: a variable is given its last value where all others are, read or not
ASKED = ("-Xclang", "-analyzer-disable-checker", "-Xclang", "deadcode.DeadStores", "-Xclang", "-analyzer-config", "-Xclang",
         "max-nodes=5000")
HERE = os.path.dirname(os.path.abspath(__file__))
UTIL = os.path.join(os.path.dirname(os.path.dirname(HERE)), "src", "util")
FACTS_OF = ("status.c", "allocation.c", "comm.c", "comm_none.c")  # which define what these are facts of


def words_for(command):
    kept, words = [], iter(shlex.split(command))
    for word in words:
        if word in PAIRS:
            kept += [word, next(words)]
        elif word.startswith(ALONE):
            kept.append(word)
    return kept


def known():
    """Lines "FILE: MESSAGE" of analyser_known.txt."""
    with open(os.path.join(HERE, "analyser_known.txt"), encoding="utf-8") as file:
        return {line.rstrip("\n") for line in file if line[0] not in "# \n"}


def analyse(entry):
    with open(entry["file"], encoding="utf-8") as file:
        first = "_GNU_SOURCE" in file.read()  # it must come before any header
    facts = () if first or os.path.basename(entry["file"]) in FACTS_OF else (
        "-iquote", UTIL, "-include", os.path.join(HERE, "analyser_facts.h"))
    command = ["clang", "--analyze", "--analyzer-output", "text", "-Wno-everything", *ASKED, *words_for(entry["command"]), *facts,
               entry["file"], "-o", os.devnull]
    done = subprocess.run(command, cwd=entry["directory"], stderr=subprocess.PIPE, text=True, check=False)
    warnings = re.findall(r"^\S*?([^\s:]+):\d+:\d+: warning: (.*?)(?: \[[\w.]+\])?$", done.stderr, re.M)
    unknown = [file for file, message in warnings if f"{file.split('/src/')[-1]}: {message}" not in known()]
    return done.stderr if unknown or done.returncode != 0 else ""


def main():
    version = subprocess.run(["clang", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[0]
    if " version 14." not in version:  # others say other things that are not so
        print(f"not tried: the analyser of clang 14; here is {version}")
        return 0
    with open(sys.argv[1], encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file) if "/src/" in entry["file"]}
    asked = [entries[os.path.abspath(name)] for name in sys.argv[2:]] or list(entries.values())
    planted = {**asked[0], "file": os.path.join(HERE, "analyser_planted.c")}
    if "2 warnings generated" not in analyse(planted):
        print("the analyser does not see the bugs of analyser_planted.c")
        return 1
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [text for text in pool.map(analyse, asked) if text]
    print("".join(found), end="")
    print(f"{len(asked)} sources through clang's analyser, {len(found)} with findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
