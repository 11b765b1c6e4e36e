"""The estimators of scikit-learn's contract: parameters to options, arrays to the library, a Model kept in model_."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _library
from ._model import Model
from ._parameters import OPTION_OF, check_labels, settings_of, text_of_label
from ._progress import DpsvmWarning, Watch
from ._rows import holds_text, is_frame, numeric_rows
from ._table import free_name, train_table

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6: a method of BaseEstimator
    validate_data = None

_PARAMETERS = """
    Parameters
    ----------
    kernel : str, default="auto"
        Kernel, as kernel.type: auto searches scaling, kernel, map, D and C (where n_components, degree, gamma, coef0,
        projection and refine are not given); linear, rbf, polynomial, exponential, ...
    n_components : int or "auto", default=None
        D, the number of random features.
    degree, coef0 : number, default=None
        Of polynomial kernels, (gamma <x, y> + coef0)^degree.
    gamma : float, "auto" or "scale", default=None
        Factor on the inner product; of rbf and laplacian the inverse width.
    projection : str, default=None
        How the map projects rows, as map.projection.
    refine : str, default=None
        Whether the drawn map is moved before the last training, as map.refine.
    C : float or "auto", default=None
        Weight of the losses against the regulariser; auto chooses it by cross-validation.
    loss, solver : str, default=None
        As solver.loss and solver.type.
    tol : float, default=None
        Relative duality gap to reach.
    max_iter : int, default=None
        Most passes, epochs or steps of the solver; -1: no limit.
    scaling, normalize, missing : str, default=None
        What is done to columns, rows, and values that are NaN, as data.scaling, data.normalize and data.missing.
    random_state : int, RandomState or None, default=None
        Seed of the map; None is 1, as in the program, so that fits are the same without it, too.
    n_jobs : int, default=None
        Threads. None and -1: what the job may use, or OMP_NUM_THREADS. The result does not depend on it.
    verbose : int, default=0
        1 tells on standard error how far training is, 2 more often.
    options : dict, default=None
        Any other option of the program by its name, {"map.measure": "variance"}; docs/options.md lists them."""

_ATTRIBUTES = """
    Attributes
    ----------
    model_ : Model
        The trained model; model_.save(path) writes the file that the program reads.
    n_iter_ : int
        Passes, epochs or steps of the solver.
    n_features_in_ : int
        Columns that fit saw.
    feature_names_in_ : array of str
        Their names, where X was a table with names that are all text."""


class _Estimator(BaseEstimator):
    def _of_fit(self, x, y, **how):
        """x and y of fit as scikit-learn wants them checked. A table with columns of text is left as it is."""
        if holds_text(x) and y is not None:
            self._check(x, True, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            if len(y) != len(x):
                raise ValueError(f"{len(x)} rows, and {len(y)} labels")
            return x, y
        return self._check(x, True, y=y, **self._numeric, **how)

    def _rows(self, x):
        """x of predict and the like."""
        check_is_fitted(self)
        if is_frame(x) and (holds_text(x) or self.model_.has_text):
            return x  # the model finds its columns by their names
        return self._check(x, False, **self._numeric)

    @property
    def _fills(self):
        """Whether NaN is allowed: something stands for a missing value."""
        return (self.missing or (self.options or {}).get("data.missing", "error")) != "error"

    @property
    def _numeric(self):
        finite = "allow-nan" if self._fills else True
        return {"force_all_finite": finite, "accept_sparse": "csr", "dtype": [np.float64, np.float32]}

    def _check(self, x, reset, **how):
        if validate_data is not None:
            if "force_all_finite" in how:
                how["ensure_all_finite"] = how.pop("force_all_finite")
            return validate_data(self, x, reset=reset, **how)
        if how.pop("skip_check_array", False):
            self._check_feature_names(x, reset=reset)
            return self._check_n_features(x, reset=reset)
        return self._validate_data(x, reset=reset, **how)

    def _settings(self, task):
        parameters = {name: value for name, value in self.get_params(deep=False).items() if name in OPTION_OF}
        seed = self.random_state
        if isinstance(seed, np.random.RandomState) or seed is np.random:
            parameters["random_state"] = int(check_random_state(seed).randint(2**31 - 1))
        return settings_of(parameters, self.options) + ["solver.task=" + task]

    def _train(self, task, x, labels, sample_weight):
        """labels: of regression numbers, else (texts of classes, class of each row)."""
        settings = self._settings(task)
        watch = Watch(self.verbose)
        if holds_text(x):
            handle = train_table(settings, x, labels, sample_weight, watch)
        else:
            if (self.options or {}).get("data.ignore_columns"):
                raise ValueError(
                    "options: data.ignore_columns cannot be set here: X is numbers alone; leave the columns out of X"
                )
            how = {"target" if task == "regression" else "label": labels, "weight": sample_weight}
            names = getattr(self, "feature_names_in_", None)
            if names is not None and not hasattr(x, "tocsr"):
                how.update(names=list(names), label_name=free_name(names))
            handle = _library.train(settings, watch, rows=numeric_rows(x), **how)
        for text in watch.warnings:
            warnings.warn(text, DpsvmWarning, stacklevel=3)
        self.model_ = Model._of(handle)
        self.n_iter_ = int(self.model_.fact("trained.iterations"))
        if self.model_.fact("trained.outcome") == "iteration_limit":
            text = f"the solver has reached max_iter at a relative duality gap of {self.model_.fact('trained.gap')}"
            warnings.warn(text, ConvergenceWarning, stacklevel=3)

    @property
    def _threads(self):
        """For prediction: 0 is what the process may use."""
        return self.n_jobs if self.n_jobs is not None and self.n_jobs > 0 else 0

    def _more_tags(self):
        return {"allow_nan": self._fills}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._fills
        return tags


def _weighted(x, y, sample_weight):
    """Rows of weight 0 left out: a row of weight w counts as w rows."""
    if sample_weight is None:
        return x, y, None
    if is_frame(x):
        sample_weight = np.asarray(sample_weight, dtype=np.float64)
        if sample_weight.shape != (len(x),):
            raise ValueError(f"{len(x)} rows, and sample_weight of shape {sample_weight.shape}")
    else:
        sample_weight = _check_sample_weight(sample_weight, x, dtype=np.float64)
    if np.any(sample_weight == 0):
        keep = np.flatnonzero(sample_weight)
        x, y, sample_weight = (x.iloc[keep] if is_frame(x) else x[keep]), y[keep], sample_weight[keep]
    return x, y, np.ascontiguousarray(sample_weight)


# Checks of scikit-learn that ask for what probabilities of held-out rows cannot give (docs/python.md).
_NOT_WITH_PROBABILITIES = {
    "check_classifiers_train": "classes are told by scores; a fitted sigmoid may cross 1/2 elsewhere than at 0",
    "check_sample_weights_invariance": "which rows are held out for the sigmoid depends on the order of the rows",
}


class DpsvmClassifier(ClassifierMixin, _Estimator):
    __doc__ = f"""A support vector machine on random features of a kernel, or one of a kernel that it finds.
{_PARAMETERS}
    class_weight : dict or "balanced", default=None
        Factor on C of the rows of a class.
    probability : bool, default=False
        Whether probabilities are fitted, for predict_proba.
{_ATTRIBUTES}
    classes_ : array
        The classes, ascending.
    """

    def __init__(
        self,
        kernel="auto",
        *,
        n_components=None,
        degree=None,
        gamma=None,
        coef0=None,
        projection=None,
        refine=None,
        C=None,
        loss=None,
        solver=None,
        tol=None,
        max_iter=None,
        class_weight=None,
        probability=False,
        scaling=None,
        normalize=None,
        missing=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
        options=None,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.projection = projection
        self.refine = refine
        self.C = C
        self.loss = loss
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.probability = probability
        self.scaling = scaling
        self.normalize = normalize
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options

    def fit(self, X, y, sample_weight=None):
        """Trains on rows X of classes y; a row of weight w counts as w rows."""
        X, y = self._of_fit(X, y, ensure_min_samples=2)
        check_classification_targets(y)
        X, y, sample_weight = _weighted(X, y, sample_weight)
        self.classes_, index = np.unique(y, return_inverse=True)
        texts = [text_of_label(label) for label in self.classes_]
        check_labels(texts)
        self._train("classification", X, (texts, index), sample_weight)
        # the program's order of classes is numbers ascending, then texts by their bytes
        self._class = np.array([texts.index(text) for text in self.model_.classes])
        return self

    def predict(self, X):
        """The class of each row."""
        X = self._rows(X)
        return self.classes_[self._class[self.model_.predict_index(X, self._threads)]]

    def decision_function(self, X):
        """Scores: of the second class (two classes), else a column a class."""
        X = self._rows(X)
        scores = self.model_.scores(X, self._threads)
        if scores.ndim == 1:
            return scores if self._class[0] == 0 else -scores
        return scores[:, np.argsort(self._class)]

    def _more_tags(self):
        return {"_xfail_checks": _NOT_WITH_PROBABILITIES} if self.probability else {}

    @available_if(lambda self: self.probability)
    def predict_proba(self, X):
        """Probabilities, a column a class; where probability=True."""
        X = self._rows(X)
        return self.model_.predict_proba(X, self._threads)[:, np.argsort(self._class)]


class DpsvmRegressor(RegressorMixin, _Estimator):
    __doc__ = f"""Support vector regression on random features of a kernel, or one of a kernel that it finds.
{_PARAMETERS}
    epsilon : float, default=None
        Residuals up to this cost nothing.
{_ATTRIBUTES}
    """

    def __init__(
        self,
        kernel="auto",
        *,
        n_components=None,
        degree=None,
        gamma=None,
        coef0=None,
        projection=None,
        refine=None,
        C=None,
        loss=None,
        epsilon=None,
        solver=None,
        tol=None,
        max_iter=None,
        scaling=None,
        normalize=None,
        missing=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
        options=None,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.projection = projection
        self.refine = refine
        self.C = C
        self.loss = loss
        self.epsilon = epsilon
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.scaling = scaling
        self.normalize = normalize
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options

    def fit(self, X, y, sample_weight=None):
        """Trains on rows X with numbers y to predict; a row of weight w counts as w rows."""
        X, y = self._of_fit(X, y, y_numeric=True)
        X, y, sample_weight = _weighted(X, np.ascontiguousarray(y, dtype=np.float64), sample_weight)
        self._train("regression", X, y, sample_weight)
        return self

    def predict(self, X):
        """The number of each row."""
        X = self._rows(X)
        return self.model_.scores(X, self._threads)
