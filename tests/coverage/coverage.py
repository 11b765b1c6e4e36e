"""Lines and branches of src that a run of tests reached: coverage.py BUILD TABLE.md

BUILD: a folder of preset coverage with what the tests left there (*.gcda). TABLE.md gets a table by room; beside it TABLE.txt all
blocks that nothing reached, each with its first line and what kind it is, by room and file."""

import collections
import concurrent.futures
import gzip
import json
import os
import re
import subprocess
import sys

KINDS = [("no memory", r"out_of_memory|ERROR_MEMORY"), ("a file or device fails", r"ERROR_IO|_write\(|_read\(|fclose|fflush|errno"),
         ("refused", r"dps_error_|refuse|BAD_|bad_|ERROR_"), ("handed on or given back", r"return (status|tried_|false|NULL|-1);|free|release|close")]


def counts(build, folder):
    """(file, line, count, [counts of its branches]) of a folder of objects"""
    names = [name for name in os.listdir(folder) if name.endswith(".gcda")]
    said = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *names], cwd=folder, capture_output=True, check=True).stdout
    for text in (gzip.decompress(said) if said[:2] == b"\x1f\x8b" else said).splitlines():
        for file in json.loads(text)["files"]:
            for line in file["lines"]:
                yield file["file"], line["line_number"], line["count"], [branch["count"] for branch in line["branches"]]


def main():
    build, page = os.path.abspath(sys.argv[1]), sys.argv[2]
    source = os.path.join(os.path.dirname(os.path.dirname(build)), "src")
    folders = sorted({folder for folder, _, names in os.walk(os.path.join(build, "src")) if any(name.endswith(".gcda") for name in names)})
    lines, branches = collections.Counter(), {}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for found in pool.map(lambda folder: list(counts(build, folder)), folders):
            for file, line, count, several in found:
                place = os.path.relpath(os.path.join(build, file), source), line
                if not place[0].startswith("..") and place[0].endswith((".c", ".h")):
                    lines[place] += count
                    known = branches.get(place, [])
                    branches[place] = [a + b for a, b in zip(known, several)] if len(known) == len(several) else several or known
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    for (file, line), count in lines.items():
        parts = os.path.dirname(file).split("/")
        room = rooms["/".join(parts[:2]) if parts[0] in ("data", "pipeline") else parts[0]]
        room[0] += count > 0
        room[1] += 1
        room[2] += sum(branch > 0 for branch in branches[file, line])
        room[3] += len(branches[file, line])
    kinds, blocks = collections.Counter(), []
    for file in sorted({file for file, _ in lines}):
        with open(os.path.join(source, file), encoding="utf-8") as text:
            text = text.read().split("\n")
        missed = [line for line in sorted(line for of, line in lines if of == file) if lines[file, line] == 0]
        while missed:
            block = [missed.pop(0)]
            while missed and missed[0] <= block[-1] + 2:
                block.append(missed.pop(0))
            said = " ".join(text[block[0] - 1:block[-1] + 1])
            kind = next((kind for kind, pattern in KINDS if re.search(pattern, said)), "other")
            kinds[kind] += 1
            blocks.append(f"{file}:{block[0]}-{block[-1]} ({kind}): {text[block[0] - 1].strip()}\n")
    rooms["all"] = [sum(column) for column in zip(*rooms.values())]
    with open(page, "w", encoding="utf-8") as out:
        out.write("| room | lines | reached | branches | reached |\n| --- | --- | --- | --- | --- |\n")
        for name, (hit, of, taken, ways) in sorted(rooms.items(), key=lambda item: (item[0] == "all", item[0])):
            out.write(f"| {name} | {of} | {100 * hit / max(1, of):.1f} % | {ways} | {100 * taken / max(1, ways):.1f} % |\n")
        out.write("\n| blocks that nothing reached | |\n| --- | --- |\n")
        for kind, count in kinds.most_common():
            out.write(f"| {kind} | {count} |\n")
    with open(os.path.splitext(page)[0] + ".txt", "w", encoding="utf-8") as out:
        out.writelines(blocks)
    with open(page, encoding="utf-8") as text:
        print(text.read(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
