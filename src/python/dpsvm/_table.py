"""Training on pandas tables with columns of text: as the program trains on a CSV file, which lies in memory."""

import os
import re

import numpy as np

from . import _library
from ._parameters import BLANKS, quoted
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


def _keep_columns(frame, settings):
    """The setting that keeps columns of numbers that look as if they numbered the rows: a matrix keeps them, too. Not
    where the user says himself what becomes of columns."""
    own = "data.ignore_columns=", "data.text_columns=", "data.keep_columns="
    if any(setting.startswith(own) for setting in settings):
        return []
    kept = [name for name, dtype in zip(frame.columns, frame.dtypes) if not is_text(dtype) and dtype.kind != "b"]
    kept = [name for name in kept if name and not ('"' in name and "'" in name)]
    return ["data.keep_columns=" + ", ".join(map(quoted, kept))] if kept else []


def train_table(settings, frame, labels, weight, watch):
    """labels: numbers, or (texts of classes, class of each row)."""
    names = names_of(frame)
    if names is None or len(set(names)) < len(names):
        raise ValueError("a table with columns of text needs names of columns that are text and differ")
    for name in names:
        if name != name.strip(BLANKS) or any(mark in name for mark in "\n\r\0") or name.startswith(("#", "\ufeff")):
            raise ValueError(f"column {name!r}: a line of CSV does not keep this name (outer blanks, line break, leading #)")
    if isinstance(labels, tuple):
        labels = np.array(labels[0], dtype=object)[labels[1]]
    name = free_name(names)
    frame = frame.assign(**{name: labels})
    text = header_line(frame.columns) + "\n" + csv_lines(frame)
    settings = _text_columns(frame[names]) + _keep_columns(frame[names], settings) + settings
    weights = None
    with _MemoryFile("rows", text) as rows:
        settings += [f"data.train={rows.path}", "data.format=csv", "data.header=on", "data.delimiter=comma"]
        settings += ["data.decimal=point", "data.label_column=last"]
        try:
            if weight is None:
                return _library.train(settings, watch)
            with _MemoryFile("weights", "".join(f"{w!r}\n" for w in weight.tolist())) as weights:
                return _library.train(settings + [f"data.weights={weights.path}"], watch)
        except ValueError as error:
            text = str(error)
            if weights is not None:
                text = re.sub(re.escape(weights.path) + r"(?!\d)", "sample_weight", text)
            raise ValueError(re.sub(re.escape(rows.path) + r"(?!\d)", "the table as CSV", text)) from None
