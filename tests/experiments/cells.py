"""Measured cells: one CSV file a step in the work folder, a line a cell, appended as it is measured. A cell that is there
is not measured again, so a run that was stopped goes on where it was; the page is made from the files alone."""
import csv
import os
import time


class OutOfTime(Exception):
    """The seconds that this run was given are over; the next run goes on from here."""


class Cells:
    def __init__(self, folder, name, keys, values, deadline=None):
        self.path = os.path.join(folder, f"{name}.csv")
        self.name, self.keys, self.head, self.deadline = name, keys, [*keys, *values], deadline
        self.found = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    self.found[tuple(row[key] for key in keys)] = row

    def get(self, *key):
        """The cell as a dictionary of texts, or None."""
        return self.found.get(tuple(map(str, key)))

    def number(self, key, field):
        """A number of a cell; None where cell or number is missing."""
        cell = self.get(*key)
        return float(cell[field]) if cell and cell[field] != "" else None

    def put(self, key, values):
        row = {**dict(zip(self.keys, map(str, key))), **{name: _text(value) for name, value in values.items()}}
        new = not os.path.exists(self.path)
        with open(self.path, "a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.head, restval="", lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(row)
        self.found[tuple(map(str, key))] = {**dict.fromkeys(self.head, ""), **row}
        return self.get(*key)

    def in_time(self):
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime

    def once(self, key, measure):
        """The cell; measured, a dictionary of values, where it is not there."""
        if self.get(*key) is None:
            self.in_time()
            print(self.name, *key, flush=True)
            self.put(key, measure())
        return self.get(*key)


def _text(value):
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
