"""Compositional kernels (the paper's section 5, Algorithm 2): dot-product kernels of other kernels. Their error against D, and
whether the estimate is unbiased; on seeded rows, without data."""
import array
import math
import os
import random
import statistics
import struct

from figure1 import write_points
from svg import PALETTE, Line, Panel, Style, picture

TITLE = "Compositional kernels: error and unbiasedness"
BASES = ["rbf", "laplacian", "intersection", "chi2"]
SERIES = [0.0, 1.0, 0.5, 0.25, 0.125]  # a plain series of a user's
OUTER = {
    "exponential": ({"kernel__type": "exponential", "kernel__sigma": 1}, math.exp),
    "polynomial": ({"kernel__type": "polynomial", "kernel__degree": 3, "kernel__offset": 1}, lambda t: (1 + t) ** 3),
    "series": ({"kernel__type": "maclaurin", "kernel__coefficients": ",".join(map(str, SERIES))},
               lambda t: sum(a * t**n for n, a in enumerate(SERIES))),
}
COLUMNS, GAMMA = 10, 1.0
SIZES, QUICK_SIZES = [10, 30, 100, 300, 1000, 3000], [30, 300]
ROWS, RUNS = 100, 5
PAIR_ROWS, DRAWS = 12, 20000  # unbiasedness: features drawn, all independent
PAPER_MAP = {"map__measure": "geometric", "map__allocation": "iid", "map__collapse": "off"}
MAPS = {"Algorithm 2": PAPER_MAP, "ours": {}}


def histograms(count):
    """Rows of COLUMNS shares that add up to 1, a third of them 0: of one size under every base."""
    draw = random.Random(5)
    rows = []
    for _ in range(count):
        row = [draw.expovariate(1) * (draw.random() > 1 / 3) for _ in range(COLUMNS)]
        rows.append([x / (sum(row) or 1) for x in row])
    return rows


def base_kernel(base, x, y):
    """The base by its definition."""
    if base == "rbf":
        return math.exp(-GAMMA * sum((a - b) ** 2 for a, b in zip(x, y)))
    if base == "laplacian":
        return math.exp(-GAMMA * sum(abs(a - b) for a, b in zip(x, y)))
    if base == "intersection":
        return sum(map(min, x, y))
    return sum(2 * a * b / (a + b) for a, b in zip(x, y) if a + b > 0)


def settings_of(base, outer):
    return {"map__type": "compositional", "map__base": base, "map__gamma": GAMMA, **OUTER[outer][0]}


def read_npy(path):
    """Rows of a two-dimensional array of floats, row after row."""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    head = data[10:start].decode("ascii")
    values = array.array("d" if "<f8" in head else "f", data[start:])
    columns = int(head.split("(")[1].split(")")[0].split(",")[1])
    return [values[i:i + columns] for i in range(0, len(values), columns)]


def worst_deviation(context, base, outer):
    """Over the pairs of PAIR_ROWS rows: (mean of the estimates of DRAWS independent features - K) in standard errors, the one
    of largest size; and the bias in percent of the mean K(x, x)."""
    rows = histograms(PAIR_ROWS)
    source, model, out = (os.path.join(context.work, name) for name in ("pairs.csv", "pairs.model", "pairs.npy"))
    write_points(source, rows)
    plain = {"data__scaling": "none", "data__normalize": "none", "data__label_column": 1, "data__header": "off"}
    context.dpsvm.train(source, output__model=model, **plain, **settings_of(base, outer), **PAPER_MAP, map__features=DRAWS, map__scale="none",
                        solver__type="dcd", solver__max_iterations=1)
    context.dpsvm.transform(model, source, out, "npy")
    mapped = read_npy(out)
    of = OUTER[outer][1]
    scale = sum(of(base_kernel(base, x, x)) for x in rows) / len(rows)
    worst, biases = 0.0, []
    for i in range(PAIR_ROWS):
        for j in range(i + 1):
            products = [a * b * len(mapped[i]) for a, b in zip(mapped[i], mapped[j])]
            off = statistics.fmean(products) - of(base_kernel(base, rows[i], rows[j]))
            error = statistics.pstdev(products) / math.sqrt(len(products))
            worst = max(worst, off / error if error else 0.0, key=abs)
            biases.append(off / scale)
    return {"value": worst, "bias_percent": 100 * statistics.fmean(biases)}


def cells_of(context):
    return context.cells("compositional", ["what", "base", "outer", "map", "D"], ["value", "bias_percent"])


def measure(context):
    cells = cells_of(context)
    sizes = QUICK_SIZES if context.quick else SIZES
    path = os.path.join(context.work, "histograms.csv")
    write_points(path, histograms(ROWS))
    for base in BASES:
        for outer in OUTER:
            for name, settings in MAPS.items():
                if cells.get("error", base, outer, name, sizes[-1]) is None:
                    cells.in_time()
                    for line in context.dpsvm.kernel(path, "--rows", ROWS, "--runs", RUNS, "--sizes", ",".join(map(str, sizes)),
                                                     **settings_of(base, outer), **settings):
                        cells.put(("error", base, outer, name, line["D"]), {"value": line["relative_frobenius"]})
            cells.once(("bias", base, outer, "Algorithm 2", DRAWS), lambda: worst_deviation(context, base, outer))


def page(context):
    cells = cells_of(context)
    if not cells.found:
        return []
    sizes = sorted({int(key[4]) for key in cells.found if key[0] == "error"})
    rows, panels = [], []
    for outer in OUTER:
        lines = []
        for k, base in enumerate(BASES):
            bias = cells.get("bias", base, outer, "Algorithm 2", DRAWS)
            for name, width in (("Algorithm 2", 1), ("ours", 2.5)):
                errors = [(size, cells.number(("error", base, outer, name, size), "value")) for size in sizes]
                errors = [(size, error) for size, error in errors if error is not None]
                lines.append(Line([size for size, _ in errors], [error for _, error in errors], PALETTE[k], width))
                of = dict(errors)
                rows.append([f"{outer} of {base}", name, *[f"{of[size]:.3g}" if size in of else "" for size in sizes],
                             *([f"{float(bias['value']):+.2f}", f"{float(bias['bias_percent']):+.2f}"] if bias and width == 1 else ["", ""])])
        panels.append(Panel(f"{outer} of ...", "D", lines))
    picture(context.figure("compositional"), "Compositional kernels: relative error of the kernel matrix", [panels],
            [Style(base, PALETTE[k], 2.5) for k, base in enumerate(BASES)] + [Style("Algorithm 2", "#444", 1), Style("ours", "#444", 2.5)])
    return ["The paper proposes them and measures none. exp(K), (1 + K)^3 and a plain series K + K^2/2 + K^3/4 + K^4/8 of four bases, on "
            f"{ROWS} seeded histograms", f"of {COLUMNS} columns that add up to 1 (so that all bases have K(x, x) = 1; gamma = 1). |error matrix| / |kernel matrix| in the Frobenius norm, mean",
            f"of {RUNS} maps: a map of zeros has 1. *Algorithm 2*: the paper's; *ours*: the defaults (stratified degrees, constant features merged).", "",
            f"Unbiased? {DRAWS} independent features of Algorithm 2 estimate K for all pairs of {PAIR_ROWS} rows; the kernel is computed again in the script by its",
            f"definition. Largest deviation in standard errors (of {PAIR_ROWS * (PAIR_ROWS + 1) // 2} pairs, which hang together: above 4.2 would be an alarm, "
            "one in 500 false", "a kernel), and the mean deviation in percent of the mean K(x, x).", "",
            f"![Compositional kernels]({context.link('compositional')})", "",
            *context.table(["kernel", "map", *[f"D = {size}" for size in sizes], "deviation, standard errors", "bias %"], rows), "",
            *context.notes("compositional")]
