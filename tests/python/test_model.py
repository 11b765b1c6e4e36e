"""Model: files of the program, with numpy alone."""

import copy
import os
import pickle
import subprocess
import sys
import unittest

import numpy as np

from common import SOURCE, Case, numbers, program, spirals, write_csv, write_libsvm
from dpsvm import Model


class Files(Case):
    def test_tables_of_the_program(self):
        with open("trees.csv", "w") as file:
            file.write("height;width;tree\n")
            file.write("1,8;0,4;ash\n0,3;0,6;oak\n1,7;0,3;ash\n0,4;0,5;oak\n1,9;0,6;ash\n0,2;0,4;oak\n" * 5)
        program("train", "trees.csv", "-q", "-o", "model")
        model = Model("model")
        self.assertEqual(model.classes, ["ash", "oak"])
        self.assertEqual(model.columns, [("height", "number", []), ("width", "number", [])])
        self.assertEqual(model.task, "classification")
        rows = np.array([[1.8, 0.4], [0.3, 0.6], [0.25, 0.5]])
        self.assertEqual(list(model.predict(rows)), ["ash", "oak", "oak"])
        self.assertEqual(list(model.predict_index(rows)), [0, 1, 1])

    def test_every_data_set_of_the_tree_predicts_as_the_program_does(self):
        for name in "spirals", "parity":
            rows = f"{SOURCE}/data/{name}.train"
            program("train", rows, "--map.features=50", "-q", "-o", "model")
            dense = np.zeros((100, 64))
            with open(rows) as file, open("rows.svm", "w") as some:
                for i, line in zip(range(100), file):
                    some.write(line)
                    for word in line.split("#")[0].split()[1:]:
                        index, value = word.split(":")
                        dense[i, int(index) - 1] = float(value)
            model = Model("model")
            width = len(model.columns)
            scores = numbers(program("predict", "model", "rows.svm", "--scores", "-q"))
            self.assert_same_bits(model.scores(dense[:, :width]), scores)
            labels = program("predict", "model", "rows.svm", "-q").splitlines()
            self.assertEqual(list(model.predict(dense[:, :width])), labels)

    def test_content_copies_and_saving(self):
        x, y, _ = spirals(100)
        write_csv("rows.csv", x, y)
        program("train", "rows.csv", "--map.features=50", "--data.label_column=last", "-q", "-o", "model")
        content = open("model", "rb").read()
        model = Model("model")
        model.save("saved")
        self.assertEqual(open("saved", "rb").read(), content)
        for same in Model.from_bytes(content), pickle.loads(pickle.dumps(model)), copy.deepcopy(model):
            self.assertEqual(same.to_bytes(), content)
            self.assert_same_bits(same.scores(x), model.scores(x))
        self.assertIn("2 classes", repr(model))
        self.assertEqual(model.fact("map.features"), "50")
        with self.assertRaises(KeyError):
            model.fact("map.nothing")
        series = ", ".join(repr(1 / (3 + k)) for k in range(40))
        options = ["--kernel.type=maclaurin", f"--kernel.coefficients={series}", "--map.features=50"]
        program("train", "rows.csv", *options, "--data.label_column=last", "-q", "-o", "long")
        self.assertEqual(Model("long").fact("kernel.coefficients").split(), series.split(", "))

    def test_what_is_refused(self):
        with self.assertRaises(OSError):
            Model("nothing")
        with self.assertRaisesRegex(ValueError, "model"):
            Model.from_bytes(b"no model")
        x, y, _ = spirals(100)
        write_libsvm("rows.svm", x, y)
        program("train", "rows.svm", "--map.features=50", "-q", "-o", "model")
        content = bytearray(open("model", "rb").read())
        content[len(content) // 2] ^= 1
        with self.assertRaises(ValueError):
            Model.from_bytes(bytes(content))
        model = Model("model")
        for rows in x[0], np.array([[1, np.inf]]), np.array([[1, 1j]]), [["a", "b"]]:
            with self.assertRaises(ValueError):
                model.predict(rows)
        with self.assertRaises(ValueError):
            model.predict_proba(x)
        self.assertEqual(len(model.predict(np.zeros((0, 2)))), 0)
        with self.assertRaises(OSError):
            model.save("no/such/folder")


class Surroundings(Case):
    def python(self, text, **environment):
        return subprocess.run(
            [sys.executable, "-B", "-c", text], env={**os.environ, **environment}, capture_output=True, text=True
        )

    def test_model_wants_numpy_alone(self):
        x, y, _ = spirals(100)
        write_csv("rows.csv", x, y)
        program("train", "rows.csv", "--map.features=50", "--data.label_column=last", "-q", "-o", "model")
        text = (
            "import sys\n"
            "for name in 'sklearn', 'scipy', 'pandas', 'joblib': sys.modules[name] = None\n"
            "from dpsvm import Model\n"
            "print(Model('model').predict([[0.5, 0.5], [0.9, 0.9]]))\n"
        )
        done = self.python(text)
        self.assertEqual((done.returncode, done.stdout), (0, "['1' '0']\n"), done.stderr)

    def test_a_library_that_is_not_there_is_named(self):
        done = self.python("import dpsvm", DPSVM_LIBRARY="/nowhere/libdpsvm.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("DPSVM_LIBRARY", done.stderr)


class Installed(Case):
    def test_a_tree_that_was_installed_and_moved_works(self):
        done = subprocess.run(
            ["cmake", "--install", os.environ["BUILD"], "--prefix", os.path.abspath("first")], capture_output=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        os.rename("first", "moved")
        text = "import dpsvm; print(dpsvm.__file__, dpsvm.__version__)"
        environment = {k: v for k, v in os.environ.items() if k not in ("DPSVM_LIBRARY", "PYTHONPATH")}
        environment["PYTHONPATH"] = os.path.abspath("moved/lib/python3/dist-packages")
        done = subprocess.run([sys.executable, "-B", "-c", text], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("moved/lib/python3", done.stdout)


if __name__ == "__main__":
    unittest.main()
