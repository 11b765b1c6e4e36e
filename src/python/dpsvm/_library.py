"""The shared library (include/dpsvm/dpsvm.h) by ctypes: where it is, what its functions take, errors as exceptions."""

import ctypes
import itertools
import os
import pathlib
import threading
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p

import numpy as np

from ._rows import DenseRows

_SONAME = "libdpsvm.so.0"


def _places():
    """Files that may be the library, in the order in which they are looked for."""
    here = pathlib.Path(__file__).resolve().parent
    yield here / _SONAME
    for above in list(here.parents)[:4]:  # PREFIX/lib/python3/dist-packages/dpsvm, or src/python/dpsvm of the tree
        yield above / _SONAME
        yield from sorted(above.glob("*-linux-*/" + _SONAME))
        yield above / "lib64" / _SONAME
        yield above / "build" / "release" / _SONAME


def _load():
    given = os.environ.get("DPSVM_LIBRARY")
    first = None
    found = (str(place) for place in _places() if place.exists())
    for name in [given] if given else itertools.chain(found, [_SONAME]):
        try:
            return ctypes.CDLL(name)
        except OSError as error:  # of another machine, say: the next may do
            first = first or error
    raise ImportError(f"the library of dpsvm cannot be loaded: {first}; DPSVM_LIBRARY may name its file")


# --- structures and functions, as the headers have them -----------------------------------------------------------


class _Error(ctypes.Structure):
    _fields_ = [("code", c_int32), ("row", c_int64), ("text", c_char * 1536)]


class _Rows(ctypes.Structure):
    _fields_ = [
        ("rows", c_int64),
        ("columns", c_int32),
        ("stride", c_int64),
        ("dense", c_void_p),
        ("dense_float", c_void_p),
        ("start", c_void_p),
        ("index", c_void_p),
        ("value", c_void_p),
    ]


class _Answers(ctypes.Structure):
    _fields_ = [("label", c_void_p), ("score", c_void_p), ("probability", c_void_p)]


class _Column(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int32),
        ("feature", c_int32),
        ("features", c_int32),
        ("value_count", c_int32),
        ("values", POINTER(c_char_p)),
        ("rest", c_int32),
        ("missing", c_int32),
        ("fill", c_double),
    ]


class _Progress(ctypes.Structure):
    _fields_ = [
        ("stage", c_char_p),
        ("fraction", c_double),
        ("iteration", c_int64),
        ("objective", c_double),
        ("gap", c_double),
        ("target", c_double),
    ]


_PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Progress))
_MESSAGE = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class _Training(ctypes.Structure):
    _fields_ = [
        ("config", c_char_p),
        ("settings", POINTER(c_char_p)),
        ("setting_count", c_size_t),
        ("rows", _Rows),
        ("target", c_void_p),
        ("label", c_void_p),
        ("weight", c_void_p),
        ("name", POINTER(c_char_p)),
        ("label_name", c_char_p),
        ("progress", _PROGRESS),
        ("message", _MESSAGE),
        ("context", c_void_p),
    ]


_lib = _load()


def _function(name, result, *arguments):
    try:
        function = getattr(_lib, name)
    except AttributeError:
        text = f"{_lib._name} is no library of this version of dpsvm: it has no {name}"
        raise ImportError(text + "; DPSVM_LIBRARY may name the right file") from None
    function.restype, function.argtypes = result, arguments
    return function


_E, _M, _S = POINTER(_Error), c_void_p, c_void_p  # an error's room, a model, a scorer
_OUT, _TO = POINTER(c_void_p), POINTER(_Answers)

_version = _function("dpsvm_version", c_char_p)
_train = _function("dpsvm_train", c_int, _OUT, POINTER(_Training), _E)
_model_open = _function("dpsvm_model_open", c_int, _OUT, c_char_p, _E)
_model_read = _function("dpsvm_model_read", c_int, _OUT, c_char_p, c_size_t, _E)
_model_close = _function("dpsvm_model_close", None, _M)
_model_bytes = _function("dpsvm_model_bytes", c_int, _M, _OUT, POINTER(c_size_t), _E)
_bytes_free = _function("dpsvm_bytes_free", None, c_void_p)
_model_save = _function("dpsvm_model_save", c_int, _M, c_char_p, _E)
_model_task = _function("dpsvm_model_task", c_int32, _M)
_model_fact = _function("dpsvm_model_fact", c_int32, _M, c_char_p, c_char_p, c_size_t)
_class_count = _function("dpsvm_class_count", c_int32, _M)
_class_label = _function("dpsvm_class_label", c_char_p, _M, c_int32)
_score_count = _function("dpsvm_score_count", c_int32, _M)
_has_probabilities = _function("dpsvm_has_probabilities", c_int32, _M)
_column_count = _function("dpsvm_column_count", c_int32, _M)
_column_get = _function("dpsvm_column_get", c_int, _M, c_int32, POINTER(_Column))
_scorer_new = _function("dpsvm_scorer_new", c_int, _OUT, _M, _E)
_scorer_free = _function("dpsvm_scorer_free", None, _S)
_scorer_text = _function("dpsvm_scorer_text", c_int, _S, c_char_p, c_char, c_char_p, _E)
_score_text = _function("dpsvm_score_text", c_int, _S, c_char_p, c_size_t, c_int64, _TO, POINTER(c_int64), _E)
_score_threads = _function("dpsvm_score_threads", c_int, _S, c_int32, POINTER(_Rows), _TO, _E)

# --- texts and errors ---------------------------------------------------------------------------------------------

_EXCEPTION = {1: OSError, 2: MemoryError, 3: ValueError, 4: ValueError}


def encoded(text):
    """Text for the library; bytes that are no UTF-8 come and go unchanged. A NUL would end it early."""
    data = os.fsencode(text) if isinstance(text, os.PathLike) else text.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise ValueError(f"{text!r} holds a NUL")
    return data


def decoded(data):
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _texts(texts):
    return (c_char_p * len(texts))(*map(encoded, texts))


def _call(function, *arguments):
    error = _Error()
    code = function(*arguments, byref(error))
    if code != 0:
        raise _EXCEPTION.get(code, RuntimeError)(decoded(error.text))


def version():
    return decoded(_version())


# --- models -------------------------------------------------------------------------------------------------------


_FEW_ROWS = 1536  # the library scores fewer on one thread


class Handle:
    """An open model; it is closed with the object."""

    def __init__(self, function, *arguments):
        self._pointer = c_void_p()
        _call(function, byref(self._pointer), *arguments)

    def __del__(self):
        _model_close(self._pointer)

    @classmethod
    def open(cls, path):
        return cls(_model_open, os.fsencode(path))

    @classmethod
    def read(cls, data):
        return cls(_model_read, data, len(data))

    def content(self):
        data, size = c_void_p(), c_size_t()
        _call(_model_bytes, self._pointer, byref(data), byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            _bytes_free(data)

    def save(self, path):
        _call(_model_save, self._pointer, os.fsencode(path))

    def fact(self, key):
        """The text of a field of the file, or None."""
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = _model_fact(self._pointer, encoded(key), buffer, size)
            if length < size:
                return None if length < 0 else decoded(buffer.value)
            size = length + 1

    def is_regression(self):
        return _model_task(self._pointer) == 1

    def classes(self):
        return [decoded(_class_label(self._pointer, k)) for k in range(_class_count(self._pointer))]

    def has_probabilities(self):
        return bool(_has_probabilities(self._pointer))

    def columns(self):
        """(name or None, kind 0 number, 1 one-hot, 2 ordinal, texts of the code book) of each column."""
        found = []
        for j in range(_column_count(self._pointer)):
            column = _Column()
            _column_get(self._pointer, j, byref(column))
            values = [decoded(column.values[k]) for k in range(column.value_count)]
            found.append((decoded(column.name), column.kind, values))
        return found

    # --- scoring

    def score(self, rows, what, threads=1):
        """label (class of each row), score or probability of rows in memory."""
        with _Scorer(self._pointer) as scorer:
            room, answers = self._room(rows.count, what)
            if rows.count < _FEW_ROWS:
                threads = 1

            def work():
                _call(_score_threads, scorer, threads, byref(_rows_of(rows)), byref(answers))

            work() if threads == 1 else _apart(work)
            return room

    def score_text(self, header, text, count, what):
        """The same of so many lines of CSV below this line of names."""
        with _Scorer(self._pointer) as scorer:
            room, answers = self._room(count, what)
            _call(_scorer_text, scorer, b"csv", b",", header)
            found = c_int64()
            _call(_score_text, scorer, text, len(text), count, byref(answers), byref(found))
            if found.value != count:
                raise ValueError(f"{count} rows were given, and {found.value} were read")
            return room

    def _room(self, count, what):
        if what == "label":
            room = np.zeros(count, dtype=np.int32)
        elif what == "score":
            room = np.empty((count, _score_count(self._pointer)))
        else:
            room = np.empty((count, _class_count(self._pointer)))
        return room, _Answers(**{what: room.ctypes.data})


class _Scorer:
    def __init__(self, model):
        self._model = model

    def __enter__(self):
        self._pointer = c_void_p()
        _call(_scorer_new, byref(self._pointer), self._model)
        return self._pointer

    def __exit__(self, *_):
        _scorer_free(self._pointer)


def _rows_of(rows):
    if isinstance(rows, DenseRows):
        kind = "dense" if rows.value.dtype == np.float64 else "dense_float"
        stride = rows.value.strides[0] // rows.value.itemsize if rows.count > 1 else rows.width
        return _Rows(rows=rows.count, columns=rows.width, stride=stride, **{kind: rows.value.ctypes.data})
    return _Rows(
        rows=rows.count,
        columns=rows.width,
        start=rows.start.ctypes.data,
        index=rows.index.ctypes.data,
        value=rows.value.ctypes.data,
    )


# --- training -----------------------------------------------------------------------------------------------------


def train(settings, watch, rows=None, names=None, label_name=None, target=None, label=None, weight=None):
    """A Handle. rows None: those of the setting data.train. label: (texts of classes, class of each row). watch: its
    progress(...) and message(level, text) are called while the training runs; Ctrl-C ends it."""
    stop = threading.Event()

    @_PROGRESS
    def progress(_, found):
        now = found.contents
        watch.progress(decoded(now.stage), now.fraction, now.iteration, now.objective, now.gap, now.target)
        return stop.is_set()

    @_MESSAGE
    def message(_, level, text):
        watch.message(level, decoded(text))

    training = _Training(progress=progress, message=message)
    training.settings, training.setting_count = _texts(settings), len(settings)
    if rows is not None:
        training.rows = _rows_of(rows)
        training.name = _texts(names) if names is not None else None
        training.label_name = encoded(label_name) if label_name is not None else None
        training.target = target.ctypes.data if target is not None else None
        training.weight = weight.ctypes.data if weight is not None else None
    if label is not None:
        texts = _texts(label[0])
        pointers = np.frombuffer(texts, dtype=np.uintp)[label[1]]
        training.label = pointers.ctypes.data
    return _apart(lambda: Handle(_train, byref(training)), stop)


def _apart(work, stop=None):
    """The result of the work, which a thread of its own does. The one that waits for it hears Ctrl-C, which a call into
    the library would keep from it; and OpenMP's threads end with the thread that has called for them, so that none of them
    is missed by a child of fork()."""
    outcome = []

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as error:  # handed on below
            outcome.append((None, error))

    thread = threading.Thread(target=run, name="dpsvm training")
    thread.start()
    interrupt = None
    while thread.is_alive():
        try:
            thread.join(0.1)  # not for ever: another thread may have got the signal
        except KeyboardInterrupt as error:
            interrupt = error
            if stop is not None:
                stop.set()
    if interrupt is not None:
        raise interrupt
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
