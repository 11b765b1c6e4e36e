"""Figure 2: accuracy, training and test time against D, for RF and H0/1, on the paper's four sets and kernels."""
import dataclasses
import json
import statistics

import table1
from contenders import fit_drawn
from rows import SPLITS, NoData
from svg import PALETTE, Line, Panel, Style, picture

TITLE = "Figure 2: accuracy and time against D"
COLUMNS = [("spambase", "polynomial"), ("nursery", "polynomial"), ("ijcnn1", "exponential"), ("cod-rna", "exponential")]
SIZES, QUICK_SIZES = [10, 20, 50, 100, 200, 500, 1000], [20, 200]
MAPS = {"RF": ("rf", "off"), "H0/1": ("h01", "on")}  # whose C, of Table 1's choices; map.h01
FIELDS = {"accuracy": "accuracy, %", "train_s": "training, CPU s", "test_s": "testing, CPU s"}


def cells_of(context):
    return context.cells("figure2", ["set", "kernel", "split", "map", "D"], [*FIELDS, "width", "program"])


def measure(context):
    cells = cells_of(context)
    for split in [1] if context.quick else SPLITS:
        for name, kernel in COLUMNS:
            if name not in context.sets:
                continue
            try:
                context.library.split(name, split)  # to see whether it is there
            except NoData as error:
                context.left_out(f"Figure 2, {name}: {error}")
                continue
            rows = context.library.split(name, split, table1.scaling(context, name, kernel))
            for which, (contender, h01) in MAPS.items():
                setting = json.loads(table1.chosen(context, name, kernel, contender)["setting"])
                for size in QUICK_SIZES if context.quick else SIZES:
                    cells.once((name, kernel, split, which, size), lambda: {
                        **{key: value for key, value in dataclasses.asdict(
                            fit_drawn(size, h01)(rows, kernel, setting)).items() if key != "features"},
                        "program": context.dpsvm.mark})


def along(cells, name, kernel, which, field):
    """(D, mean over the splits) where there is one."""
    sizes = sorted({int(key[4]) for key in cells.found})
    found = [(size, [cells.number((name, kernel, split, which, size), field) for split in SPLITS]) for size in sizes]
    return [(size, statistics.mean(value for value in values if value is not None)) for size, values in found
            if any(value is not None for value in values)]


def page(context):
    cells = cells_of(context)
    columns = [column for column in COLUMNS if any(key[:2] == column for key in cells.found)]
    if not columns:
        return []
    panels, rows = [], []
    for field, title in FIELDS.items():
        panels.append([Panel(f"{name}, {kernel}: {title}", "D", [
            Line(*map(list, zip(*along(cells, name, kernel, which, field))), PALETTE[k], 2) for k, which in enumerate(MAPS)],
            logarithmic_y=field != "accuracy") for name, kernel in columns])
    picture(context.figure("figure2"), "The paper's Figure 2 with dpsvm in LIBLINEAR's place", panels,
            [Style(which, PALETTE[k], 2) for k, which in enumerate(MAPS)])
    sizes = sorted({int(key[4]) for key in cells.found})
    for name, kernel in columns:
        for field, title in FIELDS.items():
            for which in MAPS:
                of = dict(along(cells, name, kernel, which, field))
                rows.append([f"{name}, {kernel}", title, which, *[(f"{of[size]:.2f}" if field == "accuracy" else f"{of[size]:.3g}")
                                                                  if size in of else "" for size in sizes]])
    splits = {f"{name} {len({key[2] for key in cells.found if key[:2] == (name, kernel)})}" for name, kernel in columns}
    return [f"Means over splits ({', '.join(sorted(splits))}). C and the scaling of columns are those of Table 1; seconds as there. The x axis is D, though H0/1 has",
            "d + 1 columns more, as in the paper.", "", f"![Figure 2]({context.link('figure2')})", "",
            *context.table(["set, kernel", "", "map", *[f"D = {size}" for size in sizes]], rows), "", *context.notes("figure2")]
