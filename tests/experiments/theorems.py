"""Theorems 12 and 16: the largest error over the L1 ball against what both promise, as D, d and R grow. Needs no data."""
import math
import os
import random

from figure1 import write_points
from svg import PALETTE, Line, Panel, Style, picture

TITLE = "Theorems 12 and 16: promised and measured"
RISK, P, GAMMA = 0.05, 2.0, 1.0  # p of the geometric measure; gamma of the RBF base
DIMENSIONS, RADII, SIZES, ROWS, RUNS = [5, 20, 100], [0.5, 1.0, 2.0], [100, 1000, 10000], 200, 5
QUICK = ([5, 20], [0.5, 1.0], [100, 1000])
PAPER_MAP = {"map__measure": "geometric", "map__allocation": "iid", "map__p": 2, "kernel__type": "exponential", "kernel__sigma": 1}
MAPS = {"12": {"map__h01": "off"}, "16": {"map__type": "compositional", "map__base": "rbf", "map__gamma": GAMMA}}
PROMISES = {"12": ["12"], "16": ["16 as printed", "16 corrected"]}


def ball(d, radius):
    """ROWS points of the L1 ball: a third on its surface near few axes, vertices among them, a third anywhere on the surface, the
    rest inside. The error is largest where rows are."""
    draw = random.Random(f"{d} {radius}")
    rows = []
    for i in range(ROWS):
        used = draw.sample(range(d), min(d, 1 + i % 4)) if i % 3 == 0 else range(d)
        row = [0.0] * d
        for j in used:
            row[j] = draw.expovariate(1) * draw.choice((-1, 1))
        length = radius * (draw.random() ** (1 / d) if i % 3 == 2 else 1) / sum(map(abs, row))
        rows.append([x * length for x in row])
    return rows


def log_risk(promise, d, radius, size, eps):
    """Logarithm of the bound on P[sup error > eps] for f = exp (docs/evidence/kernel_error.md has the formulas); infinite where
    the theorem does not hold."""
    if promise == "12":
        c = P * math.exp(P * radius**2) / (P - 1)
        slope = radius * math.exp(radius**2) + P**2 * radius * math.sqrt(d) * math.exp(P * radius**2) / (P - 1)
        return math.log(2) + 2 * d * math.log(32 * radius * slope / eps) - size * eps**2 / (8 * c**2)
    c = P * math.exp(2 * P) / (P - 1)
    slope = math.sqrt(2 * GAMMA / math.e) * math.e + 2 * math.sqrt(2 * GAMMA * d) * P**2 * math.exp(2 * P) / (P - 1)
    if eps >= 8 * radius * slope:
        return math.inf
    if promise == "16 as printed":
        return math.log(32 * radius * slope / eps) - size * eps**2 / (8 * c**2 * d)
    share = 1 / (2 * d + 1)
    one = math.log(2) + 2 * d * math.log(4 * radius) - size * eps**2 / (8 * c**2)
    return math.log(2) + share * one + (1 - share) * math.log(4 * slope / eps)


def _crossing(risk_of):
    """Where a falling function crosses log RISK, by bisection over 16 to 40 powers of ten; nan: nowhere."""
    low, high = -16.0, 40.0
    places = [low + (high - low) * k / 560 for k in range(561)]
    below = next((k for k, place in enumerate(places) if risk_of(10**place) <= math.log(RISK)), None)
    if not below:
        return math.nan
    low, high = places[below - 1], places[below]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if risk_of(10**middle) > math.log(RISK) else (low, middle)
    return 10**high


def promised_error(promise, d, radius, size):
    """The eps that D = size features keep with probability 1 - RISK; nan: the theorem says nothing."""
    return _crossing(lambda eps: log_risk(promise, d, radius, size, eps))


def asked_size(promise, d, radius, eps):
    """The D that the theorem asks for, for an error of eps."""
    return _crossing(lambda size: log_risk(promise, d, radius, size, eps))


def cells_of(context):
    return context.cells("theorems", ["theorem", "d", "R", "D"], ["largest", "mean"])


def measure(context):
    cells = cells_of(context)
    dimensions, radii, sizes = QUICK if context.quick else (DIMENSIONS, RADII, SIZES)
    for d in dimensions:
        for radius in radii:
            path = os.path.join(context.work, "theorem.csv")
            write_points(path, ball(d, radius))
            for theorem, settings in MAPS.items():
                if cells.get(theorem, d, radius, sizes[-1]) is None:
                    cells.in_time()
                    for line in context.dpsvm.kernel(path, "--rows", ROWS, "--runs", RUNS, "--sizes", ",".join(map(str, sizes)),
                                                     **PAPER_MAP, **settings):
                        cells.put((theorem, d, radius, line["D"]), {"largest": line["max"], "mean": line["mean"]})


def page(context):
    found = cells_of(context).found.values()
    if not found:
        return []
    rows, lines = [], {"12": [], "16": []}
    for cell in found:
        d, radius, size, largest = int(cell["d"]), float(cell["R"]), int(cell["D"]), float(cell["largest"])
        for promise in PROMISES[cell["theorem"]]:
            eps, asked = promised_error(promise, d, radius, size), asked_size(promise, d, radius, largest)
            rows.append([promise, d, cell["R"], size, f"{largest:.3g}", "nothing" if math.isnan(eps) else f"{eps:.3g}",
                         "" if math.isnan(eps) else f"{eps / largest:.2g}", "nothing" if math.isnan(asked) else f"{asked:.2g}",
                         "" if math.isnan(asked) else f"{asked / size:.1g}"])
    dimensions = sorted({int(cell["d"]) for cell in found})
    for theorem in lines:
        for k, d in enumerate(dimensions):
            at = sorted((int(c["D"]), float(c["largest"])) for c in found if (c["theorem"], c["d"], c["R"]) == (theorem, str(d), "1.0"))
            lines[theorem].append(Line([x for x, _ in at], [y for _, y in at], PALETTE[k], 2.5))
            for promise, dashes in zip(PROMISES[theorem], ("6 3", "2 3") if theorem == "16" else ("6 3",)):
                promised = [(x, promised_error(promise, d, 1.0, x)) for x, _ in at]
                promised = [(x, y) for x, y in promised if not math.isnan(y)]
                lines[theorem].append(Line([x for x, _ in promised], [y for _, y in promised], PALETTE[k], 1.5, dashes))
    picture(context.figure("theorems"), f"Largest error over the L1 ball, R = 1, and what is promised with probability {1 - RISK:g}",
            [[Panel("Theorem 12, exp(<x, y>)", "D", lines["12"]), Panel("Theorem 16, exp(RBF)", "D", lines["16"])]],
            [Style(f"d = {d}", PALETTE[k], 2.5) for k, d in enumerate(dimensions)] + [
                Style("promised (16: as printed)", "#444", 1.5, "6 3"), Style("16 corrected", "#444", 1.5, "2 3")])
    return [f"f = exp, p = 2, the paper's maps. Largest |error| over all pairs of {ROWS} rows of the L1 ball of radius R (near few axes, on the",
            f"surface, inside; seeded), mean of {RUNS} maps: a supremum over fewer points than the theorem's, so a little below it. *Promised*: the eps",
            f"that the theorem keeps with probability {1 - RISK:g} at that D; *asks for*: the D at which it would promise the error that was measured.",
            "*Nothing*: no eps for which the bound is below 1 in the range where it is proved. Formulas, and what is wrong with the printed Theorem 16:",
            "[kernel_error.md](kernel_error.md).", "", f"![Promised and measured]({context.link('theorems')})", "",
            *context.table(["theorem", "d", "R", "D", "measured", "promised", "promised / measured", "asks for D", "of what sufficed"],
                           rows), "", *context.notes("theorems")]
