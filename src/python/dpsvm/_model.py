"""A trained model: what is in its file, and predictions by it."""

import numpy as np

from . import _library
from ._rows import csv_lines, header_line, holds_text, is_frame, names_of, numeric_rows

_KINDS = ("number", "onehot", "ordinal")


class Model:
    """A model of the program, from a file that `dpsvm train` or `save` wrote. Needs numpy and nothing else.

    Rows are a matrix of numbers (numpy, scipy.sparse, or what numpy makes one of; NaN is a missing value) or a pandas
    table. Columns of a table are found by the names that the model has, and texts go through its code book.

    Parameters
    ----------
    path : str or path
        The file. `Model.from_bytes` takes its content instead.

    Attributes
    ----------
    task : "classification" or "regression"
    classes : list of str
        The labels as the training data spelt them, in the model's order; empty for regression.
    columns : list of (name, kind, values)
        The columns that predict: name or None; "number", "onehot" or "ordinal"; the texts of its code book.
    has_probabilities : bool
    """

    def __init__(self, path):
        self._begin(_library.Handle.open(path))

    @classmethod
    def from_bytes(cls, data):
        """The model whose file has this content."""
        return cls._of(_library.Handle.read(bytes(data)))

    @classmethod
    def _of(cls, handle):
        model = cls.__new__(cls)
        model._begin(handle)
        return model

    def _begin(self, handle):
        self._handle = handle
        self.task = "regression" if handle.is_regression() else "classification"
        self.classes = handle.classes()
        self.has_probabilities = handle.has_probabilities()
        self.columns = [(name, _KINDS[kind], values) for name, kind, values in handle.columns()]

    def to_bytes(self):
        """The content of the file."""
        return self._handle.content()

    def save(self, path):
        """Writes the file, which the program and `Model` read."""
        self._handle.save(path)

    def fact(self, key):
        """A field of the file by its key (docs/model_format.md), as text: fact("kernel.type"). KeyError: none."""
        found = self._handle.fact(key)
        if found is None:
            raise KeyError(key)
        return found

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)

    def __repr__(self):
        what = "regression" if self.task == "regression" else f"{len(self.classes)} classes"
        return f"<dpsvm.Model: {what}, kernel {self.fact('kernel.type')}, D' = {self.fact('map.width')}>"

    @property
    def has_text(self):
        """Whether a column has a code book."""
        return any(kind != "number" for _, kind, _ in self.columns)

    def _answers(self, x, what, threads):
        if is_frame(x) and self.columns and self.columns[0][0] is not None:
            x = self._own_columns(x)
            if self.has_text or holds_text(x):
                header, text = header_line(x.columns), csv_lines(x)
                return self._handle.score_text(
                    _library.encoded(header), _library.encoded(text), len(x), what
                )
        return self._handle.score(numeric_rows(x), what, threads)

    def _own_columns(self, frame):
        """The columns that predict, in the model's order."""
        names = [name for name, _, _ in self.columns]
        there = set(names_of(frame) or ())
        if names[0] not in there and "#" + names[0] in there:  # a # before the first name marks a line of names
            names[0] = "#" + names[0]
        missing = [name for name in names if name not in there]
        if missing:
            raise ValueError(f"the table has no column {missing[0]!r}, by which the model predicts")
        return frame[names]

    def scores(self, x, threads=0):
        """Decision values, as `dpsvm predict --scores`: one a row for two classes (above 0: the second one) and for
        regression, else a column a class. threads: at most so many; 0: what the process may use."""
        scores = self._answers(x, "score", threads)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_index(self, x, threads=0):
        """Of each row the number of its class in `classes`."""
        if self.task == "regression":
            raise ValueError("a model of regression has no classes: predict() gives its numbers")
        return self._answers(x, "label", threads)

    def predict(self, x, threads=0):
        """Of each row its label as the training data spelt it, or the predicted number of regression."""
        if self.task == "regression":
            return self.scores(x, threads)
        return np.array(self.classes, dtype=object)[self.predict_index(x, threads)]

    def predict_proba(self, x, threads=0):
        """Probabilities, a column a class in the order of `classes`; ValueError where the model has none."""
        return self._answers(x, "probability", threads)
