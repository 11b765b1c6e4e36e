"""Rows in memory: numpy arrays, scipy.sparse matrices and pandas tables as the library takes them. Only numpy is
imported; the others are recognised by what they can do."""

import csv
import io

import numpy as np


class DenseRows:
    """count x width numbers, double or single, each row without gaps; NaN is a missing value."""

    def __init__(self, value):
        if value.dtype not in (np.float64, np.float32):
            value = value.astype(np.float64)
        if not value.flags.aligned:
            value = value.copy()
        if value.strides[1] != value.itemsize or value.strides[0] % value.itemsize:
            value = np.ascontiguousarray(value)
        if value.strides[0] < value.shape[1] * value.itemsize:  # one row repeated, or from the last to the first
            value = np.array(value, order="C")
        self.value = value
        self.count, self.width = value.shape


class SparseRows:
    """Row i has the features index[start[i]:start[i + 1]], ascending, counted from 0, and the values there."""

    def __init__(self, matrix):
        if matrix.shape[1] > 2**31 - 1:
            raise ValueError(f"{matrix.shape[1]} columns: at most {2**31 - 1} are possible")
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        self.start = np.ascontiguousarray(matrix.indptr, dtype=np.int64)
        self.index = np.ascontiguousarray(matrix.indices, dtype=np.int32)
        self.value = np.ascontiguousarray(matrix.data, dtype=np.float64)
        self.count, self.width = matrix.shape


def numeric_rows(x):
    """Rows of numbers: a sparse matrix, or what numpy makes a matrix of."""
    if hasattr(x, "tocsr"):
        if x.dtype.kind == "c":
            raise ValueError("complex numbers are no values of features")
        return SparseRows(x.tocsr())
    array = x.to_numpy(np.float64, na_value=np.nan) if is_frame(x) else np.asarray(x)
    if array.dtype.kind == "c":
        raise ValueError("complex numbers are no values of features")
    if array.ndim != 2:
        raise ValueError(f"expected a matrix of a row a line, found an array of {array.ndim} dimensions")
    return DenseRows(array)


# --- pandas -------------------------------------------------------------------------------------------------------


def is_frame(x):
    return hasattr(x, "iloc") and hasattr(x, "columns") and hasattr(x, "dtypes")


def is_text(dtype):
    """Whether a column of a table is more than numbers."""
    return getattr(dtype, "name", "") == "category" or getattr(dtype, "kind", "O") not in "biuf"


def holds_text(x):
    return is_frame(x) and any(map(is_text, x.dtypes))


def names_of(frame):
    """The names of its columns; None: not all of them are text."""
    names = list(frame.columns)
    return names if all(isinstance(name, str) for name in names) else None


def header_line(names):
    """A line of CSV with these names."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()


def csv_lines(frame):
    """Its rows as lines of CSV without names: numbers in digits that read back as the same doubles, missing values as
    empty fields."""
    single = [name for name, dtype in zip(frame.columns, frame.dtypes) if getattr(dtype, "name", "") == "float32"]
    frame = frame.astype({name: "float64" for name in single}) if single else frame
    return frame.to_csv(None, index=False, header=False, lineterminator="\n")
