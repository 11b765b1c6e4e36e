"""scikit-learn as a contender, in a process of its own. Not for direct use: speed.py and solver_only.py start it.

    python3 peer_sklearn.py fit MODEL D C TRAIN TEST FACTOR     one fit: JSON with seconds, accuracy
    python3 peer_sklearn.py cv MODEL D GRID FACTOR FIT,HELD ... accuracy of every C of GRID, mean over the folds
    python3 peer_sklearn.py solver FEATURES LABELS LOSS C BEST  LinearSVC.fit on a matrix of mapped rows
    python3 peer_sklearn.py ends FEATURES LABELS LOSS C BEST WITHIN  loosest tolerances within WITHIN of the optimum

Seconds count from the start of reading, after the imports. FACTOR: C is divided by it (the mean of K(x, x)).
"""
import json
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch, RBFSampler
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

warnings.filterwarnings("ignore")
DEGREE, OFFSET = 10, 1.0


def estimator(name, width, cost):
    if name == "svc":
        return SVC(C=cost, kernel="poly", degree=DEGREE, coef0=OFFSET, gamma=1.0, cache_size=1000)
    maps = {
        "nystroem": lambda: Nystroem(kernel="poly", degree=DEGREE, coef0=OFFSET, gamma=1.0, n_components=width,
                                     random_state=1),
        "sketch": lambda: PolynomialCountSketch(degree=DEGREE, coef0=OFFSET, gamma=1.0, n_components=width,
                                                random_state=1),
        "rbf": lambda: RBFSampler(gamma="scale", n_components=width, random_state=1),
    }
    return make_pipeline(maps[name](), LinearSVC(C=cost, dual=False))


def load(path, columns=None):
    x, y = load_svmlight_file(path, n_features=columns)
    return x.toarray(), y


def scale_of(name, factor):
    return 1.0 if name == "rbf" else factor  # random Fourier features have K(x, x) = 1


def fit(name, width, cost, train, test, factor):
    begin = time.perf_counter(), time.process_time()
    x, y = load(train)
    model = estimator(name, width, cost / scale_of(name, factor)).fit(x, y)
    trained = time.perf_counter(), time.process_time()
    x, y = load(test, x.shape[1])
    right = float(np.mean(model.predict(x) == y))
    done = time.perf_counter(), time.process_time()
    return {"train": trained[0] - begin[0], "train_cpu": trained[1] - begin[1], "test": done[0] - trained[0],
            "test_cpu": done[1] - trained[1], "accuracy": right}


def cross_validate(name, width, grid, factor, pairs):
    total = np.zeros(len(grid))
    for pair in pairs:
        (x, y), held = load(pair[0]), load(pair[1])
        columns = max(x.shape[1], held[0].shape[1])
        x, v = [np.pad(a, ((0, 0), (0, columns - a.shape[1]))) for a in (x, held[0])]
        for k, cost in enumerate(grid):
            total[k] += np.mean(estimator(name, width, cost / scale_of(name, factor)).fit(x, y).predict(v) == held[1])
    return (total / len(pairs)).tolist()


def objective(z, y, w, cost, loss):
    margin = 1.0 - y * (z @ w)
    margin[margin < 0] = 0
    return 0.5 * float(w @ w) + cost * float(np.sum(margin ** 2 if loss == "squared_hinge" else margin))


def linear(loss, dual, cost, tolerance):
    return LinearSVC(C=cost, loss=loss, dual=dual, tol=tolerance, max_iter=ROUNDS, intercept_scaling=1.0)


ROUNDS = 1000  # LIBLINEAR's own limit
TOLERANCES = [1e3, 100, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5]


def search(features, labels, loss, cost, best, within, repeats, limit=60.0):
    """For dual and primal: the loosest tolerance whose objective is within `within` of the best known, its seconds."""
    z, y = np.load(features).astype(np.float64), np.loadtxt(labels)
    with_bias = np.hstack([z, np.ones((len(z), 1))])
    answer = {}
    for dual in (False, True) if loss == "squared_hinge" else (True,):
        spent = 0.0
        for tolerance in TOLERANCES:
            begin = time.process_time()
            model = linear(loss, dual, cost, tolerance).fit(z, y)
            seconds = time.process_time() - begin
            spent += seconds
            w = np.append(model.coef_[0], model.intercept_[0])
            above = objective(with_bias, y, w, cost, loss) / best - 1
            reached = above <= within
            if reached or spent > limit or model.n_iter_ >= ROUNDS:
                samples = [seconds]
                while reached and len(samples) < repeats and seconds < 60:
                    begin = time.process_time()
                    linear(loss, dual, cost, tolerance).fit(z, y)
                    samples.append(time.process_time() - begin)
                answer["dual" if dual else "primal"] = {"tolerance": tolerance, "seconds": float(np.median(samples)),
                                                        "above": above, "reached": bool(reached)}
                break
    return answer


def main():
    what, *words = sys.argv[1:]
    if what == "fit":
        answer = fit(words[0], int(words[1]), float(words[2]), words[3], words[4], float(words[5]))
    elif what == "cv":
        grid = [float(cost) for cost in words[2].split(",")]
        answer = cross_validate(words[0], int(words[1]), grid, float(words[3]), [w.split(",") for w in words[4:]])
    elif what == "solver":
        answer = search(words[0], words[1], words[2], float(words[3]), float(words[4]), 1e-3, 3)
    elif what == "ends":
        answer = search(words[0], words[1], words[2], float(words[3]), float(words[4]), float(words[5]), 1)
    else:
        raise SystemExit(__doc__)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
