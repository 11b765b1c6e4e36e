"""Training on pandas tables with columns of text: as the program trains on a CSV file, which lies in memory."""

import os

import numpy as np

from . import _library
from ._parameters import quoted
from ._rows import csv_lines, header_line, is_text, names_of


def free_name(names):
    """A name for the labels' column that none of these is."""
    name = "label"
    while name in names:
        name += "_"
    return name


class _MemoryFile:
    """A file of this content that is in memory and has a path while it is open."""

    def __init__(self, name, text):
        self._descriptor = os.memfd_create(name)
        with open(self._descriptor, "wb", closefd=False) as file:
            file.write(_library.encoded(text))
        self.path = f"/proc/self/fd/{self._descriptor}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)


def _text_columns(frame):
    """The setting that makes text of what pandas holds as text or categories, whatever is in it. Columns of objects
    are judged by their content, as those of a file."""
    forced = [name for name, dtype in zip(frame.columns, frame.dtypes) if is_text(dtype) and dtype.kind != "b"]
    forced = [name for name in forced if frame[name].dtype != object]
    return ["data.text_columns=" + ", ".join(map(quoted, forced))] if forced else []


def train_table(settings, frame, labels, weight, watch):
    """labels: numbers, or (texts of classes, class of each row)."""
    names = names_of(frame)
    if names is None or len(set(names)) < len(names):
        raise ValueError("a table with columns of text needs names of columns that are text and differ")
    if isinstance(labels, tuple):
        labels = np.array(labels[0], dtype=object)[labels[1]]
    name = free_name(names)
    frame = frame.assign(**{name: labels})
    text = header_line(frame.columns) + "\n" + csv_lines(frame)
    settings = _text_columns(frame[names]) + settings
    with _MemoryFile("rows", text) as rows:
        settings += [f"data.train={rows.path}", "data.format=csv", "data.header=on", "data.delimiter=comma"]
        settings += ["data.decimal=point", "data.label_column=last"]
        try:
            if weight is None:
                return _library.train(settings, watch)
            with _MemoryFile("weights", "".join(f"{w!r}\n" for w in weight.tolist())) as weights:
                return _library.train(settings + [f"data.weights={weights.path}"], watch)
        except ValueError as error:
            raise ValueError(str(error).replace(rows.path, "the table as CSV")) from None
