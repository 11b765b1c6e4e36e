"""What the tests share: the program, rows, and the same rows as files."""

import os
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = os.environ["DPSVM"]
SOURCE = os.environ["SOURCE"]


def program(*arguments, status=0):
    """Standard output of the program."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == status, f"dpsvm {' '.join(arguments)}: status {done.returncode}\n{done.stderr}"
    return done.stdout


def spirals(rows, seed=0, columns=2):
    """Rows of two classes that no line parts, and a number to predict."""
    rng = np.random.RandomState(seed)
    x = rng.uniform(-1, 1, (rows, columns))
    inside = (x[:, :2] ** 2).sum(axis=1) < 0.6
    return x, inside.astype(int), np.sin(3 * x[:, 0]) + x[:, 1]


class Case(unittest.TestCase):
    """Runs in an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def assert_same_bits(self, found, expected):
        found, expected = np.asarray(found), np.asarray(expected)
        self.assertEqual(found.shape, expected.shape)
        if found.dtype == np.float64:
            self.assertEqual(found.tobytes(), expected.tobytes())
        else:
            self.assertTrue(np.array_equal(found, expected))


def write_csv(path, x, y, names=None):
    """A line a row: numbers in digits that read back as the same doubles, then the label."""
    with open(path, "w") as file:
        if names is not None:
            file.write(",".join(names) + "\n")
        for row, label in zip(x.tolist(), y):
            fields = ["" if value != value else repr(value) for value in row]
            file.write(",".join(fields + [str(label)]) + "\n")


def write_libsvm(path, x, y):
    with open(path, "w") as file:
        for row, label in zip(x.tolist(), y):
            values = "".join(f" {j + 1}:{value!r}" for j, value in enumerate(row) if value != 0)
            file.write(f"{label}{values}\n")


def numbers(text):
    """What `predict` writes, a line a row, as one number or a row of them."""
    table = [[float(word) for word in line.split()] for line in text.splitlines()]
    array = np.array(table)
    return array[:, 0] if array.shape[1] == 1 else array
