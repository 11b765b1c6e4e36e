"""What was asked of Table 1, and whether it is met: computed from the cells."""
import statistics

import table1
from rows import SETS

TITLE = "Bars"
WIDEST = 500  # D' of ours that are compared with the exact kernel
BELOW, BELOW_OF = 0.3, {"covertype": 0.5}  # points below the exact kernel
FACTOR, LEAST_FACTOR = 80, 15  # exact kernel / refined of few features, training seconds: geometric mean, least
OURS = [("rf", True), ("h01", True), ("refined", False)]  # chosen among by cross-validated accuracy; whether of the kernel


def measure(context):
    """Nothing of its own."""


def judged(title, found, holds):
    """A row: found is a dictionary of texts by set, holds of truths by set."""
    if not found:
        return [title, "not measured", ""]
    missed = [name for name, held in holds.items() if not held]
    so_far = "" if len(holds) == len(SETS) else f" ({len(holds)} of {len(SETS)} sets measured)"
    return [title, ", ".join(f"{name} {text}" for name, text in found.items()),
            (f"missed on {', '.join(missed)}" if missed else "met") + so_far]


def paper_accuracy(results, kernel):
    found, holds = {}, {}
    for name in SETS:
        mean = results.mean(name, kernel, "h01")
        if mean is not None:
            paper = table1.PAPER[kernel][name][2][0]
            found[name], holds[name] = f"{mean:.2f} ({paper:g})", round(mean, 2) >= paper
    return judged(f"H0/1, dpsvm at the paper's D, {kernel}: at least the paper's accuracy", found, holds)


def best_of_ours(results, name, kernel):
    """Contender and kernel of ours with the best cross-validated accuracy, of those narrow enough."""
    able = []
    for contender, of_kernel in OURS:
        half = kernel if of_kernel else "none"
        held, width = results.choices.number((name, half, contender), "accuracy"), results.mean(name, half, contender, "width")
        if held is not None and width is not None and width <= WIDEST:
            able.append((held, contender, half))
    return max(able)[1:] if able else None


def beside_exact(results, kernel):
    found, holds = {}, {}
    for name in SETS:
        best = best_of_ours(results, name, kernel)
        pairs = results.paired(name, best[1], best[0], "libsvm", kernel) if best else []
        if pairs:
            apart = statistics.mean(ours - exact for ours, exact in pairs)
            found[name], holds[name] = f"{apart:+.2f} ({best[0]})", apart >= -BELOW_OF.get(name, BELOW)
    return judged(f"the best of ours (by cross-validation) at D' <= {WIDEST}, less LIBSVM's exact {kernel} kernel: at least "
                  f"-{BELOW} points, Covertype -{BELOW_OF['covertype']}", found, holds)


def factors(results, kernel):
    found = {}
    for name in SETS:
        pairs = results.paired(name, "none", "small", "libsvm", kernel, "train_s")
        if pairs:
            found[name] = sum(exact for _, exact in pairs) / sum(ours for ours, _ in pairs)
    mean = statistics.geometric_mean(found.values()) if found else 0
    return [judged(f"exact {kernel} kernel / refined, at most 64 features, training: geometric mean {FACTOR}", {"all": f"{mean:.1f}"} if found else {},
                   dict.fromkeys(found, mean >= FACTOR)),
            judged(f"exact {kernel} kernel / refined, at most 64 features, training: none below {LEAST_FACTOR}",
                   {name: f"{value:.1f}" for name, value in found.items()},
                   {name: value >= LEAST_FACTOR for name, value in found.items()})]


def page(context):
    results = table1.Results(context)
    if not results.cells.found:
        return []
    rows = []
    for kernel in ("polynomial", "exponential"):
        rows += [paper_accuracy(results, kernel), beside_exact(results, kernel), *factors(results, kernel)]
    return [*context.table(["asked", "measured", ""], rows), "",
            "Means over the splits that both sides have. In brackets: the paper's figure; which of ours.", "", *context.notes("bars")]
