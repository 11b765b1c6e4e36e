"""scikit-learn's own checks of estimators, on both, and once more with probabilities."""

import unittest
import warnings

from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from dpsvm import DpsvmClassifier, DpsvmRegressor


class Contract(unittest.TestCase):
    def check(self, estimator, passed_over):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            check_estimator(estimator)
        skipped = [str(warning.message) for warning in found if issubclass(warning.category, SkipTestWarning)]
        self.assertEqual(len(skipped), passed_over, skipped)

    def test_classifier_passes_every_check(self):
        self.check(DpsvmClassifier(), 0)

    def test_regressor_passes_every_check(self):
        self.check(DpsvmRegressor(), 0)

    def test_classifier_with_probabilities_passes_all_but_two(self):
        self.check(DpsvmClassifier(kernel="linear", probability=True), 5)  # three of training, two of weights


if __name__ == "__main__":
    unittest.main()
