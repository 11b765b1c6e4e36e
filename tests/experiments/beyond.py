"""Beyond the paper: accuracy against D up to 20,000, against rows up to all of them, and all kernels at equal seconds."""
import json

import table1
from contenders import CONTENDERS, fit_dpsvm, fit_drawn, fit_refined, fit_xgboost
from program import Failed
from rows import SETS, NoData
from svg import PALETTE, Line, Panel, Style, picture

TITLE = "Beyond the paper"
D_SETS, D_SIZES = ["cod-rna", "ijcnn1", "covertype"], [100, 300, 1000, 3000, 10000, 20000]
ROW_SETS, ROW_COUNTS = ["ijcnn1", "covertype"], [1000, 3000, 10000, 20000, 40000, 70000]
ROW_TEST = 20000  # test rows of the growing training sets
SECONDS = 1.0  # CPU seconds of training that every kernel gets
WIDTHS = [64, 128, 256, 512, 1024]
KERNELS = {  # all of them over D random features, degrees 0 and 1 exact where they have them
    "linear": {"kernel__type": "linear"}, "polynomial 10": {"kernel__type": "polynomial"},
    "polynomial 3": {"kernel__type": "polynomial", "kernel__degree": 3}, "homogeneous 2": {"kernel__type": "homogeneous", "kernel__degree": 2},
    "exponential": {"kernel__type": "exponential"}, "vovk_real 10": {"kernel__type": "vovk_real"},
    "vovk_infinite": {"kernel__type": "vovk_infinite"}, "rbf": {"kernel__type": "rbf"}, "laplacian": {"kernel__type": "laplacian"},
    "intersection": {"kernel__type": "intersection", "data__scaling": "min_max"},
    "chi2": {"kernel__type": "chi2", "data__scaling": "min_max"},
    "rbf, refined": {"kernel__type": "linear", "map__type": "fourier", "map__refine": "projections"},
}
LEVEL, BEHIND = 0.1, 0.3  # points: a line is as good; trees are better


def cells_of(context):
    return context.cells("beyond", ["what", "set", "contender", "at"], ["accuracy", "train_s", "test_s", "width", "setting", "program", "note"])


def put_fit(context, key, fit):
    """One cell; fit gives a Fit and the setting."""
    def measured():
        try:
            found, setting = fit()
        except Failed as error:
            return {"program": context.dpsvm.mark, "note": str(error).splitlines()[-1][:200]}
        return {"accuracy": found.accuracy, "train_s": found.train_s, "test_s": found.test_s, "width": found.width, "setting": setting,
                "program": context.dpsvm.mark}
    return cells_of(context).once(key, measured)


def against_width(context, name):
    rows = context.library.split(name, 1, table1.scaling(context, name, "polynomial"))
    setting = json.loads(table1.chosen(context, name, "polynomial", "h01")["setting"])
    for size in D_SIZES:
        put_fit(context, ("D", name, "H0/1", size), lambda: (fit_drawn(size, "on")(rows, "polynomial", setting), ""))


def against_rows(context, name):
    for count in ROW_COUNTS:
        rows = context.library.growing(name, count, ROW_TEST, table1.scaling(context, name, "none"))
        if rows is None:  # so many are not there
            continue
        for contender, fit in (("refined", fit_refined), ("xgboost", fit_xgboost)):
            if CONTENDERS[contender].missing():
                context.left_out(f"Beyond, XGBoost: no {', '.join(CONTENDERS[contender].missing())} on this machine")
                continue
            setting = json.loads(table1.chosen(context, name, "none", contender)["setting"])
            put_fit(context, ("rows", name, contender, count), lambda: (fit(rows, "none", setting), ""))


def at_equal_seconds(context, name):
    """Every kernel: C by dpsvm's own cross-validation at the least D, then the largest D that trains within SECONDS. Columns are
    scaled as Table 1 chose for the exponential kernel, or for the polynomial one, which stands for all others."""
    for kernel, settings in KERNELS.items():
        rows = context.library.split(name, 1, table1.scaling(context, name, kernel if kernel in table1.HALVES else "polynomial"))

        def fit():
            best = None
            asked = {**rows.scaling, **settings, "map__seed": 1}
            asked["solver__C"] = rows.dpsvm.train(rows.train, **asked, map__features=WIDTHS[0], solver__C="auto")[1]["solver"]["C"]
            for width in WIDTHS:
                found = fit_dpsvm(rows, {**asked, "map__features": width})
                if found.train_s > SECONDS and best:
                    break
                best = found, f"D = {width}, C = {asked['solver__C']:g}"
                if kernel == "linear" or found.train_s > SECONDS:
                    break
            return best
        put_fit(context, ("seconds", name, kernel, SECONDS), fit)


PARTS = {against_width: D_SETS, against_rows: ROW_SETS, at_equal_seconds: SETS}


def measure(context):
    for part, names in PARTS.items():
        for name in names:
            if name in context.sets:
                try:
                    context.library.split(name, 1)  # to see whether it is there
                    part(context, name)
                except NoData as error:
                    context.left_out(f"Beyond, {name}: {error}")


def line_of(cells, what, name, contender, field):
    found = sorted((int(key[3]), cells.number(key, field)) for key in cells.found if key[:3] == (what, name, contender))
    return [(at, value) for at, value in found if value is not None]


def growth(cells, what, names, contenders, title):
    """A table of accuracy and seconds."""
    ats = sorted({int(key[3]) for key in cells.found if key[0] == what})
    rows = []
    for name in names:
        for contender in contenders:
            for field, text in (("accuracy", "accuracy, %"), ("train_s", "training, CPU s"), ("test_s", "testing, CPU s")):
                of = dict(line_of(cells, what, name, contender, field))
                if of:
                    rows.append([name, contender, text, *[f"{of[at]:.2f}" if at in of else "" for at in ats]])
    return ["set", "", "", *[f"{title} = {at}" for at in ats]], rows


def equal_seconds(cells):
    names = [name for name in SETS if any(key[:2] == ("seconds", name) for key in cells.found)]
    rows = []
    for kernel in KERNELS:
        row = [kernel]
        for name in names:
            cell = cells.get("seconds", name, kernel, SECONDS)
            row.append(f"{float(cell['accuracy']):.2f} (D' {cell['width']})" if cell and cell["accuracy"] else "not measured" if not cell else "-")
        rows.append(row)
    return ["kernel", *names], rows


def wrong_tool(results):
    """What Table 1's means say: sets where a line is as good as every map of ours, and where trees are better."""
    out = []
    for name in SETS:
        scores = {contender: results.mean(name, kernel, contender) for kernel, contender in (
            ("polynomial", "h01"), ("exponential", "h01"), ("polynomial", "rf"), ("none", "refined"), ("none", "linear"), ("none", "xgboost"))}
        linear, trees = scores.pop("linear"), scores.pop("xgboost")
        mapped = max((score for score in scores.values() if score is not None), default=None)
        if mapped is None:
            continue
        if linear is not None and linear >= mapped - LEVEL:
            out.append(f"* {name}: the line. It has {linear:.2f} %, the best of the maps {mapped:.2f} %.")
        if trees is not None and trees >= mapped + BEHIND:
            out.append(f"* {name}: trees. XGBoost has {trees:.2f} %, the best of the maps {mapped:.2f} %.")
    return out or ["* On none of the sets measured."]


def page(context):
    cells = cells_of(context)
    if not cells.found:
        return []
    out, panels = [], []
    for what, names, contenders, title in (("D", D_SETS, ["H0/1"], "D"), ("rows", ROW_SETS, ["refined", "xgboost"], "rows")):
        head, rows = growth(cells, what, names, contenders, title)
        if not rows:
            continue
        out += [{"D": "### Accuracy against D: H0/1, polynomial kernel, first split", "rows": f"### Accuracy against rows: {ROW_TEST} test rows, settings of Table 1"}[what],
                "", *context.table(head, rows), ""]
        panels.append(Panel("accuracy, %", title, [
            Line(*map(list, zip(*line_of(cells, what, name, contender, "accuracy"))), PALETTE[SETS.index(name)], 2, "6 3" if contender == "xgboost" else "")
            for name in names for contender in contenders if line_of(cells, what, name, contender, "accuracy")], logarithmic_y=False))
    if panels:
        picture(context.figure("beyond"), "Accuracy against D (H0/1) and against rows (refined; XGBoost dashed)", [panels],
                [Style(name, PALETTE[SETS.index(name)], 2) for name in dict.fromkeys([*D_SETS, *ROW_SETS])])
        out += [f"![Accuracy against D and rows]({context.link('beyond')})", ""]
    head, rows = equal_seconds(cells)
    if len(head) > 1:
        out += [f"### All kernels at equal seconds: the largest D of {', '.join(map(str, WIDTHS))} that trains within {SECONDS:g} CPU second, first split", "",
                "C by the program's own cross-validation at the least D; columns scaled as Table 1 chose for the exponential kernel, or the polynomial one for all others;",
                "test accuracy in %.", "", *context.table(head, rows), ""]
    wrong = wrong_tool(table1.Results(context))
    return [*out, "### Where random features are the wrong tool", "", *wrong, "", *context.notes("beyond")]
