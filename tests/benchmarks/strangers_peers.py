"""scikit-learn and XGBoost as contenders, a process for all fits (their imports take seconds). Not for direct use: strangers.py.

Standard input: a line a fit or tuning, a JSON list [SIDE, TASK, TRAIN, TEST, POINTS]; standard output: a line each, JSON
with the score and the seconds of CPU from after reading to the model.
SIDE: svm (SVC or SVR, tuned), svm10 (C = 10), linear (LinearSVC, or ridge with its strength by leave-one-out), trees (XGBoost).
TASK: class or target. POINTS: what is done of the grid, a line a point; a run that was stopped goes on where it was.
Columns of texts become a column a value, missing values the column's mean, columns have mean 0 and variance 1, and so has a
target; all by the training rows. LIBSVM files are taken as they are by linear, since nobody centres 50,000 columns of text.
"""
import csv
import json
import multiprocessing
import os
import resource
import signal
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_files
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from xgboost import XGBClassifier, XGBRegressor

warnings.filterwarnings("ignore")
COSTS = [2.0 ** k for k in (-1, 1, 3, 5, 7, 9, 11)]
GAMMAS = [2.0 ** k for k in (-11, -9, -7, -5, -3, -1, 1)]
FOLDS = 5
LIMIT = 120  # seconds of CPU for a point; above it is given up, not chosen, and counted with that time


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([row[:-1] for row in rows], dtype=object), np.array([row[-1] for row in rows], dtype=object)


def numbers(column):
    try:
        return np.array([np.nan if value == "NA" else float(value) for value in column])
    except ValueError:
        return None


def columns(train, test):
    """Numbers as they are, texts a column a value of the training rows."""
    parts = []
    for k in range(train.shape[1]):
        pair = numbers(train[:, k]), numbers(test[:, k])
        if pair[0] is not None and pair[1] is not None:
            parts.append([column[:, None] for column in pair])
            continue
        values = sorted(set(train[:, k]) - {"NA"})
        parts.append([np.where((side[:, k] == "NA")[:, None], np.nan,
                               (side[:, k][:, None] == np.array(values, dtype=object)).astype(float))
                      for side in (train, test)])
    return [np.hstack([part[side] for part in parts]) for side in (0, 1)]


def prepared(task, train, test):
    if train.endswith(".svm"):
        x, y, v, w = load_svmlight_files([train, test])
    else:
        (x, y), (v, w) = table(train), table(test)
        x, v = columns(x, v)
    begin = time.process_time()
    if isinstance(x, np.ndarray):
        mean = np.nan_to_num(np.nanmean(x, axis=0))
        x, v = [np.where(np.isnan(side), mean, side) for side in (x, v)]
        scaler = StandardScaler().fit(x)
        x, v = scaler.transform(x), scaler.transform(v)
    if task == "target":
        y, w = y.astype(float), w.astype(float)
        middle, spread = y.mean(), y.std()
        y, w = (y - middle) / spread, (w - middle) / spread  # R2 does not change by it
    return x, y, v, w, begin


def score(task, model, x, y):
    said = model.predict(x)
    if task == "class":
        return float(100 * np.mean(said == y))
    return float(1 - np.sum((y - said) ** 2) / np.sum((y - y.mean()) ** 2))


def machine(task, cost, gamma):
    kind = SVC if task == "class" else SVR
    return kind(C=cost, gamma=gamma, cache_size=500)


def point(task, x, y, cost, gamma, out):
    """Mean score over the folds, in a child that the system ends at LIMIT."""
    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + LIMIT), resource.RLIM_INFINITY))
    folds = StratifiedKFold if task == "class" else KFold
    scores = []
    for fit, held in folds(FOLDS, shuffle=True, random_state=1).split(x, y):
        if len(set(y[fit])) > 1:
            scores.append(score(task, machine(task, cost, gamma).fit(x[fit], y[fit]), x[held], y[held]))
    out.send((float(np.mean(scores)), time.process_time() - used))


def try_point(task, x, y, cost, gamma):
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=point, args=(task, x, y, cost, gamma, sender))
    child.start()
    sender.close()
    child.join()
    if child.exitcode == -signal.SIGXCPU:
        return None, LIMIT
    if child.exitcode != 0:
        raise SystemExit(f"C = {cost}, gamma = {gamma}: ended with {child.exitcode}")
    return receiver.recv()


def tune(task, x, y, path):
    """The best point, seconds of all; what is done stands in `path`."""
    done = {}
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            done = {(entry["C"], entry["gamma"]): entry for entry in map(json.loads, file)}
    for cost in COSTS:
        for gamma in GAMMAS:
            if (cost, gamma) not in done:
                found, seconds = try_point(task, x, y, cost, gamma)
                done[cost, gamma] = {"C": cost, "gamma": gamma, "score": found, "seconds": seconds}
                with open(path, "a", encoding="ascii") as file:
                    file.write(json.dumps(done[cost, gamma]) + "\n")
    counted = [entry for entry in done.values() if entry["score"] is not None]
    best = max(counted, key=lambda entry: (entry["score"], -entry["C"], -entry["gamma"]))
    return best, sum(entry["seconds"] for entry in done.values()), len(done) - len(counted)


def run(side, task, train, test, path):
    x, y, v, w, begin = prepared(task, train, test)
    said = {}
    tuning = 0.0
    if side == "svm":
        best, tuning, given_up = tune(task, x, y, path)
        said = {"C": best["C"], "gamma": best["gamma"], "given_up": given_up}
        begin = time.process_time()
        model = machine(task, best["C"], best["gamma"])
    elif side == "svm10":
        model = SVC(C=10, cache_size=500)
    elif side == "linear":
        model = LinearSVC(random_state=1) if task == "class" else RidgeCV(alphas=np.logspace(-3, 4, 15))
    elif task == "class":
        codes = LabelEncoder().fit(y)
        known = np.isin(w, codes.classes_)
        y = codes.transform(y)
        w = np.array([codes.transform([label])[0] if there else -1 for label, there in zip(w, known)])
        model = XGBClassifier(n_jobs=1)
    else:
        model = XGBRegressor(n_jobs=1)
    model.fit(x, y)
    said["seconds"] = tuning + time.process_time() - begin
    said["score"] = score(task, model, v, w)
    return said


if __name__ == "__main__":
    for request in sys.stdin:
        print(json.dumps(run(*json.loads(request))), flush=True)
