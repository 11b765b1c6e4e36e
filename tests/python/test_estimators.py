"""What scikit-learn's checks do not ask: labels, arrays of all kinds, tables, errors, Ctrl-C, company."""

import io
import multiprocessing
import os
import pickle
import signal
import threading
import time
import unittest
import warnings
from contextlib import redirect_stderr

import joblib
import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from common import Case, program, spirals, write_csv
from dpsvm import DpsvmClassifier, DpsvmRegressor, DpsvmWarning, Model

RBF = {"kernel": "rbf", "n_components": 64}


def bits(estimator):
    return estimator.model_.to_bytes()


class Labels(Case):
    def test_texts_that_look_like_numbers_keep_their_classes(self):
        x, y, _ = spirals(300)
        named = np.where(y == 1, "10", "9")  # scikit-learn: "10" before "9"; the program: 9 before 10
        model = DpsvmClassifier(probability=True, **RBF).fit(x, named)
        self.assertEqual(list(model.classes_), ["10", "9"])
        self.assertEqual(model.model_.classes, ["9", "10"])
        self.assertGreater(model.score(x, named), 0.95)
        self.assertTrue(np.array_equal(model.decision_function(x) > 0, model.predict(x) == "9"))
        likely = model.classes_[model.predict_proba(x).argmax(axis=1)]
        self.assertGreater(np.mean(likely == named), 0.95)

    def test_three_of_them(self):
        x, y, z = spirals(400)
        named = np.array(["9", "10", "a b"])[y + (z > 1)]
        model = DpsvmClassifier(probability=True, C=100, **RBF).fit(x, named)
        self.assertEqual(list(model.classes_), ["10", "9", "a b"])
        self.assertGreater(model.score(x, named), 0.9)
        likely = model.classes_[model.decision_function(x).argmax(axis=1)]
        self.assertTrue(np.array_equal(likely, model.predict(x)))
        self.assertGreater(np.mean(model.classes_[model.predict_proba(x).argmax(axis=1)] == named), 0.9)

    def test_labels_of_any_type_come_back_as_they_were(self):
        x, y, _ = spirals(300)
        for labels in y.astype(bool), y * 2.0 - 1, y.astype(np.int8) - 1, np.array(["ä, ö", 'say "x"'])[y]:
            model = DpsvmClassifier(**RBF).fit(x, labels)
            self.assertEqual(model.predict(x).dtype, labels.dtype)
            self.assertGreater(model.score(x, labels), 0.95)

    def test_labels_that_the_program_would_merge_or_change(self):
        x, y, _ = spirals(60)
        table = pd.DataFrame({"a": x[:, 0], "b": np.where(x[:, 1] > 0, "u", "v")})
        pairs = [("7", "007"), ("7", "7.0"), ("0", "-0"), ("0x10", "16"), (" a", "a"), ("a", "a\n"), ("a", "b\rc")]
        for pair in pairs + [(2**60, 2**60 + 1)]:
            for rows in x, table:
                with self.assertRaisesRegex(ValueError, "^labels? "):
                    DpsvmClassifier(**RBF).fit(rows, np.array(pair)[y])
        for pair in ("1_0", "10"), ("a", "A"), ("\u0663", "3"):
            self.assertEqual(len(DpsvmClassifier(**RBF).fit(x, np.array(pair)[y]).model_.classes), 2)

    def test_class_weights_go_by_label(self):
        x, y, _ = spirals(300)
        labels = np.array(["damp soil", "dry, stony"])[y]
        plain = DpsvmClassifier(**RBF).fit(x, labels)
        heavy = DpsvmClassifier(class_weight={"damp soil": 0.01, "dry, stony": 10}, **RBF).fit(x, labels)
        self.assertGreater(np.mean(heavy.predict(x) == "dry, stony"), np.mean(plain.predict(x) == "dry, stony"))


class Arrays(Case):
    def setUp(self):
        super().setUp()
        self.x, self.y, _ = spirals(300, columns=6)
        self.x = np.round(self.x, 2)
        self.model = DpsvmClassifier(**RBF).fit(self.x, self.y)
        self.scores = self.model.decision_function(self.x)

    def test_layout_does_not_matter(self):
        wide = np.zeros((600, 10))
        wide[::2, 2:8] = self.x
        backwards = self.x[::-1].copy()[::-1]
        for same in np.asfortranarray(self.x), wide[::2, 2:8], self.x.tolist(), backwards, pd.DataFrame(self.x):
            self.assert_same_bits(self.model.decision_function(same), self.scores)
            self.assertEqual(bits(DpsvmClassifier(**RBF).fit(same, self.y)), bits(self.model))
        one = np.broadcast_to(self.x[:1], (4, 6))
        self.assert_same_bits(self.model.decision_function(one), self.scores[[0, 0, 0, 0]])

    def test_single_precision_and_whole_numbers_are_exact(self):
        single = self.x.astype(np.float32)
        self.assert_same_bits(
            self.model.decision_function(single), self.model.decision_function(single.astype(np.float64))
        )
        self.assertEqual(
            bits(DpsvmClassifier(**RBF).fit(single, self.y)),
            bits(DpsvmClassifier(**RBF).fit(single.astype(np.float64), self.y)),
        )
        whole = (self.x * 100).astype(np.int16)
        self.assert_same_bits(
            self.model.decision_function(whole), self.model.decision_function(whole.astype(np.float64))
        )

    def test_sparse_rows_may_be_in_any_order(self):
        sparse = scipy.sparse.csr_matrix(self.x)
        turned = scipy.sparse.csr_matrix(
            (sparse.data.copy(), sparse.indices.copy(), sparse.indptr.copy()), shape=sparse.shape
        )
        for i in range(300):
            part = slice(turned.indptr[i], turned.indptr[i + 1])
            turned.indices[part], turned.data[part] = turned.indices[part][::-1].copy(), turned.data[part][::-1].copy()
        turned.has_sorted_indices = turned.has_canonical_format = False
        kept = turned.indices.copy()
        self.assert_same_bits(self.model.decision_function(turned), self.scores)
        self.assertTrue(np.array_equal(turned.indices, kept))
        empty = scipy.sparse.csr_matrix((3, 6))
        self.assert_same_bits(self.model.decision_function(empty), self.model.decision_function(np.zeros((3, 6))))

    def test_arrays_that_lie_anywhere(self):
        packed = np.frombuffer(b"." + self.x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(self.x.shape)
        self.assertFalse(packed.flags.aligned)
        self.assert_same_bits(self.model.model_.scores(packed), self.scores)

    def test_complex_numbers_are_refused(self):
        for rows in self.x * 1j, scipy.sparse.csr_matrix(self.x * 1j):
            with self.assertRaisesRegex(ValueError, "complex"):
                self.model.model_.predict(rows)

    def test_columns_that_are_odd_in_a_file_are_columns_here(self):
        x = np.column_stack([np.arange(300), self.x, np.ones(300), np.round(self.x[:, 0])])
        model = DpsvmClassifier(**RBF).fit(x, self.y)
        self.assertEqual(len(model.model_.columns), 9)
        self.assertEqual(len(model.predict(x)), 300)

    def test_threads_do_not_change_a_bit(self):
        for count in 1, 2:
            model = DpsvmClassifier(n_jobs=count, **RBF).fit(self.x, self.y)
            self.assertEqual(bits(model), bits(self.model))
            self.assert_same_bits(model.decision_function(self.x), self.scores)

    def test_the_seed_is_the_map_s(self):
        for state, seed in (5, "5"), (np.random.RandomState(0), str(np.random.RandomState(0).randint(2**31 - 1))):
            model = DpsvmClassifier(random_state=state, **RBF).fit(self.x, self.y)
            self.assertEqual(model.model_.fact("map.seed"), seed)
        self.assertEqual(self.model.model_.fact("map.seed"), "1")

    def test_rows_of_weight_0_are_left_out(self):
        weight = np.arange(300) % 3.0
        kept = weight > 0
        self.assertEqual(
            bits(DpsvmClassifier(**RBF).fit(self.x, self.y, weight)),
            bits(DpsvmClassifier(**RBF).fit(self.x[kept], self.y[kept], weight[kept])),
        )


class Tables(Case):
    def setUp(self):
        super().setUp()
        rng = np.random.RandomState(3)
        self.frame = pd.DataFrame(
            {
                "height": rng.uniform(0, 2, 200),
                "bark, outside": rng.choice(["grey", "dark brown", 'so "called" red'], 200),
                "zone": pd.Categorical(rng.choice([1, 2, 3], 200)),
                "wet": rng.choice([True, False], 200),
                "age": rng.randint(0, 90, 200),
            }
        )
        grey = self.frame["bark, outside"] == "grey"
        self.y = np.where((self.frame["height"] > 1) ^ grey, "ash", "oak")

    def test_texts_and_categories_go_through_the_code_book(self):
        model = DpsvmClassifier(kernel="rbf", n_components=200, C=100).fit(self.frame, self.y)
        kinds = {name: kind for name, kind, _ in model.model_.columns}
        self.assertEqual([kinds[name] for name in ("height", "bark, outside", "zone")], ["number", "onehot", "onehot"])
        self.assertEqual(list(model.feature_names_in_), list(self.frame.columns))
        self.assertGreater(model.score(self.frame, self.y), 0.95)
        self.frame.assign(kind=self.y).to_csv("trees.csv", index=False)
        model.model_.save("model")
        labels = program("predict", "model", "trees.csv", "-q").splitlines()
        self.assertEqual(list(model.predict(self.frame)), labels)
        turned = self.frame[list(self.frame.columns)[::-1]]
        self.assertEqual(list(Model("model").predict(turned.assign(more="x"))), labels)
        self.assert_same_bits(Model("model").scores(turned), model.decision_function(self.frame))
        self.assertEqual(list(pickle.loads(pickle.dumps(model)).predict(self.frame[:9])), labels[:9])

    def test_regression_and_weights_on_a_table(self):
        target = self.frame["height"] * np.where(self.frame["wet"], 2, -1)
        weight = np.arange(200) % 4.0
        model = DpsvmRegressor(kernel="polynomial", degree=3, C=100, missing="mean")
        model.fit(self.frame, target, sample_weight=weight)
        self.assertGreater(model.score(self.frame, target), 0.9)
        kept = weight > 0
        self.assertEqual(bits(model), bits(clone(model).fit(self.frame[kept], target[kept], weight[kept])))

    def test_single_precision_is_read_as_the_doubles_it_is(self):
        single = self.frame.assign(height=self.frame["height"].astype(np.float32))
        double = single.assign(height=single["height"].astype(np.float64))
        model = DpsvmClassifier(**RBF).fit(double, self.y)
        self.assertEqual(bits(DpsvmClassifier(**RBF).fit(single, self.y)), bits(model))
        self.assert_same_bits(model.decision_function(single), model.decision_function(double))

    def test_missing_values_of_tables(self):
        frame = self.frame.copy()
        frame.loc[::9, "height"] = np.nan
        frame.loc[::7, "bark, outside"] = None
        with self.assertRaisesRegex(ValueError, "the table as CSV:2:.*height.*missing"):
            DpsvmClassifier(**RBF).fit(frame, self.y)
        model = DpsvmClassifier(missing="mean", **RBF).fit(frame, self.y)
        self.assertEqual(len(model.predict(frame)), 200)

    def test_names_of_columns_are_in_the_model(self):
        frame, names = self.frame[["height", "age"]], ["height", "age"]
        model = DpsvmClassifier(**RBF).fit(frame, self.y)
        self.assertEqual([column[0] for column in model.model_.columns], names)
        model.model_.save("model")
        write_csv("turned.csv", frame[["age", "height"]].to_numpy(), self.y, ["age", "height", "label"])
        self.assertEqual(program("predict", "model", "turned.csv", "-q").splitlines(), list(model.predict(frame)))
        for other in self.frame, frame[["age", "height"]], frame.assign(more=0.5)[["more", "age", "height"]]:
            self.assertEqual(list(Model("model").predict(other)), list(model.predict(frame)))
        with self.assertRaisesRegex(ValueError, "no column 'age'"):
            Model("model").predict(self.frame[["height"]])
        labelled = frame.rename(columns={"age": "label"})
        self.assertGreater(DpsvmClassifier(**RBF).fit(labelled, self.y).score(labelled, self.y), 0.5)

    def test_columns_of_numbers_are_kept(self):
        frame = self.frame.assign(id=np.arange(1, 201))
        model = DpsvmClassifier(**RBF).fit(frame, self.y)
        self.assertIn("id", [column[0] for column in model.model_.columns])
        model = DpsvmClassifier(options={"data.ignore_columns": "age"}, **RBF).fit(self.frame, self.y)
        self.assertEqual(len(model.predict(self.frame)), 200)

    def test_names_that_csv_does_not_keep(self):
        for name in "#height", " height", "height ", "he\night", "he\right":
            with self.assertRaisesRegex(ValueError, "column '.*he"):
                DpsvmClassifier(**RBF).fit(self.frame.rename(columns={"height": name}), self.y)

    def test_a_matrix_may_have_such_a_name(self):
        frame = self.frame[["height", "age"]].rename(columns={"height": "#height"})
        model = DpsvmClassifier(**RBF).fit(frame, self.y)
        self.assertEqual(list(model.model_.predict(frame)), list(model.predict(frame)))

    def test_errors_name_no_file_in_memory(self):
        with self.assertRaisesRegex(ValueError, "^((?!/proc).)*sample_weight((?!/proc).)*$"):
            DpsvmClassifier(**RBF).fit(self.frame, self.y, np.where(np.arange(200) == 3, -1.0, 1.0))

    def test_tables_that_do_not_do(self):
        with self.assertRaisesRegex(ValueError, "names"):
            DpsvmClassifier(**RBF).fit(self.frame.set_axis(range(5), axis=1), self.y)
        model = DpsvmClassifier(**RBF).fit(self.frame, self.y)
        with self.assertRaises(ValueError):
            model.predict(self.frame.drop(columns="zone"))
        with self.assertRaises(ValueError):
            model.predict(self.frame.to_numpy())


class Errors(Case):
    def refused(self, text, x=None, y=None, **parameters):
        rows, labels, _ = spirals(60)
        with self.assertRaisesRegex(ValueError, text):
            DpsvmClassifier(**parameters).fit(rows if x is None else x, labels if y is None else y)

    def test_errors_are_the_program_s(self):
        self.refused("did you mean 'measure'", options={"map.measur": "variance"})
        self.refused("kernel.type", kernel="sigmoid")
        self.refused("solver.C", C=-1)
        self.refused("class", y=np.zeros(60))
        self.refused("label", options={"solver.class_weight": "5:2"})

    def test_options_that_are_arguments_here(self):
        self.refused("data.ignore_columns", options={"data.ignore_columns": "1"})
        self.refused("data.train", options={"data.train": "rows.csv"})
        self.refused("twice", C=1, options={"solver.C": 2})

    def test_no_probabilities_unless_asked_for(self):
        x, y, _ = spirals(60)
        model = DpsvmClassifier(**RBF).fit(x, y)
        self.assertFalse(hasattr(model, "predict_proba"))
        with self.assertRaises(ValueError):
            model.model_.predict_proba(x)
        with self.assertRaises(NotFittedError):
            DpsvmClassifier().predict(x)

    def test_warnings(self):
        x, y, _ = spirals(300)
        with self.assertWarnsRegex(DpsvmWarning, "covers"):
            DpsvmClassifier(kernel="polynomial", n_components=2).fit(x, y)
        with self.assertWarnsRegex(ConvergenceWarning, "max_iter"):
            DpsvmClassifier(kernel="polynomial", loss="hinge", solver="dcd", C=1000, max_iter=1, tol=1e-9).fit(x, y)


class Running(Case):
    def test_ctrl_c_ends_a_training(self):
        x, y, _ = spirals(20000, columns=20)
        endless = DpsvmClassifier(C="auto", kernel="rbf", n_components=2000)  # a minute and more
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            endless.fit(x, y)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertFalse(hasattr(endless, "model_"))
        self.assertEqual(DpsvmClassifier(**RBF).fit(x[:200], y[:200]).predict(x[:3]).shape, (3,))

    def test_verbose_tells(self):
        x, y, _ = spirals(300)
        for verbose, said in (0, False), (2, True):
            heard = io.StringIO()
            with redirect_stderr(heard):
                DpsvmClassifier(verbose=verbose, **RBF).fit(x, y)
            self.assertEqual(heard.getvalue() != "", said)

    def test_several_threads_train_at_once(self):
        x, y, _ = spirals(300)
        alone = bits(DpsvmClassifier(**RBF).fit(x, y))
        fits = joblib.Parallel(n_jobs=3, backend="threading")(
            joblib.delayed(DpsvmClassifier(n_jobs=1, **RBF).fit)(x, y) for _ in range(6)
        )
        self.assertEqual({bits(fit) for fit in fits}, {alone})


def trained_and_predicted(rows):
    x, y, _ = spirals(rows)
    model = DpsvmClassifier(n_jobs=2, **RBF).fit(x, y)
    return bits(model), model.decision_function(x).tobytes()


class Company(Case):
    def test_forked_processes_work_on(self):
        here = trained_and_predicted(3000)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            there = pool.map_async(trained_and_predicted, [3000, 3000]).get(timeout=200)
        self.assertEqual(there, [here, here])

    def test_clone_pickle_and_joblib(self):
        x, y, _ = spirals(300)
        model = DpsvmClassifier(options={"map.measure": "variance"}, n_components=50, probability=True).fit(x, y)
        self.assertEqual(clone(model).get_params(), model.get_params())
        joblib.dump(model, "file")
        for copy in pickle.loads(pickle.dumps(model)), joblib.load("file"):
            self.assertEqual(bits(copy), bits(model))
            self.assert_same_bits(copy.predict_proba(x), model.predict_proba(x))

    def test_search_and_pipeline(self):
        x, y, z = spirals(300)
        search = GridSearchCV(DpsvmClassifier(**RBF), {"C": [1e-4, 10]}, cv=3, n_jobs=2).fit(x, y)
        self.assertEqual(search.best_params_, {"C": 10})
        score = cross_val_score(make_pipeline(StandardScaler(), DpsvmRegressor(C=10, **RBF)), x, z, cv=3)
        self.assertGreater(score.min(), 0.9)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main(warnings="ignore")
