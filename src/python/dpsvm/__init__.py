"""dpsvm: kernel-quality models at the cost of linear ones. Model works with numpy alone; DpsvmClassifier and
DpsvmRegressor are scikit-learn estimators and want it installed. docs/python.md is the guide."""

from ._library import version as _version
from ._model import Model
from ._progress import DpsvmWarning

__version__ = _version()
__all__ = ["DpsvmClassifier", "DpsvmRegressor", "DpsvmWarning", "Model"]


def __getattr__(name):
    if name in ("DpsvmClassifier", "DpsvmRegressor"):
        from . import _estimators

        return getattr(_estimators, name)
    raise AttributeError(f"module 'dpsvm' has no attribute {name!r}")


def __dir__():
    return sorted(set(globals()) | set(__all__))
