"""What the steps share: where things are, what was left out, tables, and how the page is written."""
import os
import shutil
import time

from cells import Cells
from program import Dpsvm
from rows import SETS, Library

HERE = os.path.dirname(os.path.abspath(__file__))


class Context:
    def __init__(self, program, work, page, data, quick=False, sets=None, seconds=None):
        os.makedirs(work, exist_ok=True)
        self.work, self.page_path, self.quick = work, page, quick
        self.dpsvm = Dpsvm(program, work)
        self.library = Library(self.dpsvm, work, data)
        self.sets = [name for name in SETS if name in sets] if sets else SETS[:2] if quick else SETS
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.out = []  # what was left out, and why
        self.tables = {}

    def cells(self, name, keys, values):
        if name not in self.tables:
            self.tables[name] = Cells(self.work, name, keys, values, self.deadline)
        return self.tables[name]

    def left_out(self, what):
        if what not in self.out:
            self.out.append(what)
            print(f"left out: {what}", flush=True)

    # --- the page -------------------------------------------------------------------------------------------------

    def figure(self, name):
        folder = os.path.join(os.path.dirname(os.path.abspath(self.page_path)), "figures")
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, f"{name}.svg")

    @staticmethod
    def link(name):
        return f"figures/{name}.svg"

    @staticmethod
    def table(head, rows):
        return ["| " + " | ".join(map(str, head)) + " |", "|" + " --- |" * len(head)] + [
            "| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]

    @staticmethod
    def notes(name):
        """Paragraphs that a person wrote about what was measured: NAME.md beside this file."""
        path = os.path.join(HERE, "notes", f"{name}.md")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [*file.read().strip().splitlines(), ""]

    def write(self, steps):
        """The page from the cells, and the cells beside it."""
        out = ["# The paper's experiments, reproduced", "",
               "Kar and Karnick, Random Feature Maps for Dot Product Kernels (2012), section 6, and what it left unmeasured. Written by a script:", "",
               "    DPSVM_DATA=FOLDER ./dev.sh experiments", "",
               "`data/get.sh` fills and checks the folder. A run that was stopped goes on where it was; raw figures stand beside this page as",
               "`paper_*.csv`, a line a measured cell.", ""]
        for step in steps:
            lines = step.page(self)
            out += [f"## {step.TITLE}", "", *(lines or ["Not measured yet.", ""])]
        if self.out:
            out += ["## Left out of this run", "", *[f"* {what}" for what in self.out], ""]
        with open(self.page_path, "w", encoding="utf-8") as file:
            file.write("\n".join(out).rstrip() + "\n")
        for name, cells in self.tables.items():
            if os.path.exists(cells.path):
                shutil.copyfile(cells.path, os.path.join(os.path.dirname(os.path.abspath(self.page_path)), f"paper_{name}.csv"))
