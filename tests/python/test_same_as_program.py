"""Rows in memory and the same rows in a file: the same models, byte for byte, and the same answers, bit for bit."""

import unittest

import numpy as np
import scipy.sparse

from common import Case, numbers, program, spirals, write_csv, write_libsvm
from dpsvm import DpsvmClassifier, DpsvmRegressor, Model

RBF = {"kernel": "rbf", "n_components": 64}
OPTIONS = ["--kernel.type=rbf", "--map.features=64", "--solver.task=classification", "-q", "-o", "model"]


class SameAsProgram(Case):
    def same_answers(self, model, file, x, probabilities=True):
        saved = Model("model")
        self.assertEqual(saved.to_bytes(), open("model", "rb").read())
        labels = program("predict", "model", file, "-q").splitlines()
        scores = numbers(program("predict", "model", file, "--scores", "-q"))
        self.assertEqual(list(saved.predict(x)), labels)
        self.assert_same_bits(saved.scores(x), scores)
        self.assert_same_bits(saved.scores(x, threads=1), scores)
        self.assert_same_bits(saved.scores(x[:7]), scores[:7])
        self.assert_same_bits(model.decision_function(x), scores)
        self.assertEqual([str(label) for label in model.predict(x)], labels)
        if probabilities:
            proba = numbers(program("predict", "model", file, "--proba", "-q"))
            self.assert_same_bits(saved.predict_proba(x), proba)
            self.assert_same_bits(model.predict_proba(x), proba)

    def test_dense_rows_are_those_of_a_table(self):
        x, y, _ = spirals(500)
        write_csv("rows.csv", x, y)
        program("train", "rows.csv", "--solver.probability=on", "--data.label_column=last", *OPTIONS)
        model = DpsvmClassifier(probability=True, **RBF).fit(x, y)
        self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())
        self.same_answers(model, "rows.csv", x)

    def test_three_classes_have_three_scores(self):
        x, y, z = spirals(500)
        y = y + 2 * (z > 0.5)
        write_csv("rows.csv", x, y)
        program("train", "rows.csv", "--solver.probability=on", "--data.label_column=last", *OPTIONS)
        model = DpsvmClassifier(probability=True, **RBF).fit(x, y)
        self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())
        self.same_answers(model, "rows.csv", x)

    def test_sparse_rows_are_those_of_libsvm_text(self):
        x, y, _ = spirals(500, columns=30)
        x[np.abs(x) < 0.7] = 0
        x[0, 29] = 1
        write_libsvm("rows.svm", x, y)
        program("train", "rows.svm", *OPTIONS)
        for make in scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix:
            model = DpsvmClassifier(**RBF).fit(make(x), y)
            self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())
        self.same_answers(model, "rows.svm", scipy.sparse.csr_matrix(x), probabilities=False)
        self.assert_same_bits(model.decision_function(x), model.decision_function(scipy.sparse.csr_matrix(x)))

    def test_search_of_the_default_is_the_program_s(self):
        x, y, _ = spirals(400)
        write_csv("rows.csv", x, y)
        program("train", "rows.csv", "--data.label_column=last", "--solver.task=classification", "-q", "-o", "model")
        model = DpsvmClassifier().fit(x, y)
        self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())
        self.assertEqual(model.n_iter_, int(model.model_.fact("trained.iterations")))

    def test_regression(self):
        x, _, z = spirals(500)
        write_csv("rows.csv", x, [repr(value) for value in z.tolist()])
        options = ["--kernel.type=rbf", "--map.features=64", "--solver.task=regression", "-q", "-o", "model"]
        program("train", "rows.csv", "--data.label_column=last", *options)
        model = DpsvmRegressor(**RBF).fit(x, z)
        self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())
        predicted = numbers(program("predict", "model", "rows.csv", "-q"))
        self.assert_same_bits(model.predict(x), predicted)
        self.assert_same_bits(Model("model").predict(x), predicted)

    def test_weights_are_those_of_a_file(self):
        x, y, _ = spirals(300)
        weight = np.random.RandomState(1).uniform(0.1, 3, 300)
        write_csv("rows.csv", x, y)
        with open("weights", "w") as file:
            file.write("".join(f"{w!r}\n" for w in weight.tolist()))
        program("train", "rows.csv", "--data.weights=weights", "--data.label_column=last", *OPTIONS)
        model = DpsvmClassifier(**RBF).fit(x, y, sample_weight=weight)
        self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())
        self.assertNotEqual(DpsvmClassifier(**RBF).fit(x, y).model_.to_bytes(), model.model_.to_bytes())

    def test_missing_values(self):
        x, y, _ = spirals(300)
        x[::7, 1] = np.nan
        write_csv("rows.csv", x, y)
        program("train", "rows.csv", "--data.missing=mean", "--data.label_column=last", *OPTIONS)
        model = DpsvmClassifier(missing="mean", **RBF).fit(x, y)
        self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())
        self.same_answers(model, "rows.csv", x, probabilities=False)
        by_option = DpsvmClassifier(options={"data.missing": "mean"}, **RBF).fit(x, y)
        self.assertEqual(by_option.model_.to_bytes(), model.model_.to_bytes())
        with self.assertRaisesRegex(ValueError, "NaN"):
            DpsvmClassifier(**RBF).fit(x, y)

    def test_every_parameter_is_an_option(self):
        x, y, _ = spirals(300)
        write_csv("rows.csv", x, y)
        given = {
            "kernel": "polynomial", "n_components": 40, "degree": 4, "gamma": 0.5, "coef0": 0.25,
            "projection": "gaussian", "C": 3.5, "loss": "hinge", "solver": "dcd", "tol": 1e-2, "max_iter": 500,
            "class_weight": {0: 2, 1: 0.5}, "scaling": "standard", "normalize": "unit", "random_state": 7,
        }  # fmt: skip
        options = {
            "kernel.type": "polynomial", "map.features": 40, "kernel.degree": 4, "kernel.gamma": 0.5,
            "kernel.offset": 0.25, "map.projection": "gaussian", "solver.C": 3.5, "solver.loss": "hinge",
            "solver.type": "dcd", "solver.tolerance": 1e-2, "solver.max_iterations": 500,
            "solver.class_weight": "0:2, 1:0.5", "data.scaling": "standard", "data.normalize": "unit", "map.seed": 7,
            "map.measure": "coefficient",
        }  # fmt: skip
        words = [f"--{key}={value}" for key, value in options.items()]
        program("train", "rows.csv", "--data.label_column=last", "-q", "-o", "model", *words)
        model = DpsvmClassifier(options={"map.measure": "coefficient"}, **given).fit(x, y)
        self.assertEqual(model.model_.to_bytes(), open("model", "rb").read())


if __name__ == "__main__":
    unittest.main()
