"""Exact kernels by scikit-learn's SVC on their Gram matrices. In a process of its own, with numpy and scikit-learn:

    python3 gram.py TRAIN TEST RBF-GAMMA LAPLACIAN-GAMMA UNIT     a JSON object: accuracy in percent by "base outer"

TRAIN and TEST are LIBSVM text, scaled already. The base is multiplied by 1 / UNIT (its mean K(x, x)) where it is intersection or chi2. C by
5-fold cross-validation on the training rows, the smallest within 0.1 points of the best.
"""
import json
import sys

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

COSTS = [0.1, 1, 10, 100, 1000]
OUTER = {"alone": lambda k: k, "exponential": np.exp, "polynomial": lambda k: (1 + k) ** 3}


def by_column(x, y, of):
    total = np.zeros((len(x), len(y)))
    for j in range(x.shape[1]):
        total += of(x[:, j][:, None], y[:, j][None, :])
    return total


def chi2(a, b):
    return np.divide(2 * a * b, a + b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=a + b > 0)


def bases(x, y, rbf, laplacian, unit):
    yield "rbf", np.exp(-rbf * euclidean_distances(x, y, squared=True))
    yield "laplacian", np.exp(-laplacian * manhattan_distances(x, y))
    yield "intersection", by_column(x, y, np.minimum) / unit
    yield "chi2", by_column(x, y, chi2) / unit


def accuracy(gram, labels, test_gram, test_labels):
    scale = np.mean(np.diag(gram))
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    found = [np.mean(cross_val_score(SVC(C=cost / scale, kernel="precomputed"), gram, labels, cv=folds)) for cost in COSTS]
    cost = next(cost for cost, right in zip(COSTS, found) if right >= max(found) - 0.001)
    return 100 * SVC(C=cost / scale, kernel="precomputed").fit(gram, labels).score(test_gram, test_labels)


def main():
    x, labels = load_svmlight_file(sys.argv[1])
    y, test_labels = load_svmlight_file(sys.argv[2], n_features=x.shape[1])
    numbers = [float(word) for word in sys.argv[3:6]]
    x, y = x.toarray(), y.toarray()
    found = {}
    for (base, gram), (_, test_gram) in zip(bases(x, x, *numbers), bases(y, x, *numbers)):
        for outer, of in OUTER.items():
            found[f"{base} {outer}"] = accuracy(of(gram), labels, of(test_gram), test_labels)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
