"""Figure 1 of Kar & Karnick 2012: mean absolute error of the kernel matrix of 100 points of the unit ball, three
kernels, d = 10 .. 200, D = 10 .. 5000, 5 runs, with and without H0/1; then the same with our maps, at equal D and at
equal D'. Writes SVG pictures, and the tables of docs/evidence/kernel_error.md to standard output. Python's own modules only."""

import csv
import io
import math
import os
import random
import subprocess
import sys
import tempfile

DIMENSIONS = [10, 20, 50, 100, 200]
SIZES = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
KERNELS = {
    "homogeneous": ("Homogeneous, t^10", ["--kernel.type=homogeneous"]),
    "polynomial": ("Polynomial, (t + 1)^10", ["--kernel.type=polynomial"]),
    "exponential": ("Exponential, exp(t / s^2)", ["--kernel.type=exponential"]),
}
PAPER = ["--map.measure=geometric", "--map.allocation=iid", "--map.collapse=off"]
OURS = ["--map.measure=coefficient"]
MAPS = {
    "RF": PAPER + ["--map.h01=off"],
    "H0/1": PAPER + ["--map.h01=on"],
    "real": OURS,
    "complex": OURS + ["--map.projection=complex"],
}
COLOURS = {10: "#d55e00", 20: "#e69f00", 50: "#009e73", 100: "#0072b2", 200: "#cc79a7"}


def points(d):
    """100 points, uniform in the unit ball; the seed is d."""
    draw = random.Random(d)
    rows = []
    for _ in range(100):
        g = [draw.gauss(0, 1) for _ in range(d)]
        scale = draw.random() ** (1 / d) / math.sqrt(sum(x * x for x in g))
        rows.append([x * scale for x in g])
    return rows


def measure(dpsvm, path, options):
    out = subprocess.run(
        [dpsvm, "kernel", f"--data.train={path}", "--data.scaling=none", "--data.normalize=none", "-q", "--format",
         "csv", "--rows", "100", "--runs", "5", "--sizes", ",".join(map(str, SIZES)), *options],
        check=True, capture_output=True, text=True).stdout
    lines = csv.DictReader(io.StringIO(out))
    return [{k: float(v) if v else math.nan for k, v in line.items() if k != "map"} for line in lines]


def zero_map(rows):
    """Mean and root mean square of <x, y>^10: the errors of z = 0."""
    values = [sum(a * b for a, b in zip(x, y)) ** 10 for x in rows for y in rows]
    return sum(values) / len(values), math.sqrt(sum(v * v for v in values) / len(values))


def run_all(dpsvm):
    found, zero = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for d in DIMENSIONS:
            rows = points(d)
            zero[d] = zero_map(rows)
            path = os.path.join(folder, f"ball{d}.csv")
            with open(path, "w", encoding="ascii") as file:
                for i, row in enumerate(rows):
                    file.write(",".join([str(i % 2)] + [repr(x) for x in row]) + "\n")
            for kernel, (_, options) in KERNELS.items():
                for name, extra in MAPS.items():
                    if kernel != "homogeneous" or name != "H0/1":  # no degree 0 or 1 to carry
                        found[kernel, d, name] = measure(dpsvm, path, options + extra)
    return found, zero


# --- pictures ----------------------------------------------------------------------------------------------------


class Panel:
    """Logarithmic axes over all the lines; lines: (x, y, colour, width, dashes)."""

    WIDTH, HEIGHT = 360, 270

    def __init__(self, title, x_title, lines):
        self.title, self.x_title, self.lines = title, x_title, lines
        xs = [math.log10(x) for line in lines for x in line[0]]
        ys = [math.log10(y) for line in lines for y in line[1]]
        self.x = (min(xs) - 0.05, max(xs) + 0.05)
        margin = 0.04 * (max(ys) - min(ys)) + 0.03
        self.y = (min(ys) - margin, max(ys) + margin)

    def at(self, left, top, x, y):
        across = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return left + across * self.WIDTH, top + (1 - up) * self.HEIGHT

    @staticmethod
    def ticks(span):
        every = max(1, round((span[1] - span[0]) / 7))
        steps = (1, 2, 5) if span[1] - span[0] < 2 else (1,)
        for power in range(math.floor(span[0]), math.ceil(span[1]) + 1):
            for step in steps:
                value = step * 10.0**power
                if span[0] <= math.log10(value) <= span[1] and power % every == 0:
                    yield value

    def draw(self, left, top, out):
        right, bottom = left + self.WIDTH, top + self.HEIGHT
        for value in self.ticks(self.x):
            x = self.at(left, top, value, 10 ** self.y[0])[0]
            out.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{top}" stroke="#ddd"/>')
            out.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>')
        for value in self.ticks(self.y):
            y = self.at(left, top, 10 ** self.x[0], value)[1]
            out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
            out.append(f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        out.append(f'<rect x="{left}" y="{top}" width="{self.WIDTH}" height="{self.HEIGHT}" fill="none" stroke="#444"/>')
        out.append(f'<text x="{left}" y="{top - 8}" font-size="13">{self.title}</text>')
        out.append(f'<text x="{(left + right) / 2}" y="{bottom + 30}" text-anchor="middle">{self.x_title}</text>')
        for xs, ys, colour, width, dashes in self.lines:
            path = "M" + " L".join("%.1f,%.1f" % self.at(left, top, x, y) for x, y in zip(xs, ys))
            dash = f' stroke-dasharray="{dashes}"' if dashes else ""
            out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>')


def picture(path, title, rows_of_panels, styles):
    wide, high = Panel.WIDTH + 80, Panel.HEIGHT + 75
    width, height = 3 * wide + 20, len(rows_of_panels) * high + 85
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="70" y="24" font-size="16">{title}</text>']
    for r, panels in enumerate(rows_of_panels):
        for c, panel in enumerate(panels):
            panel.draw(70 + c * wide, 62 + r * high, out)
    x, y = 70, height - 20
    legend = [(f"d = {d}", COLOURS[d], 2.5, "") for d in DIMENSIONS]
    for name, colour, thick, dashes in legend + [(name, "#444", thick, dashes) for name, thick, dashes in styles]:
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        out.append(f'<line x1="{x}" y1="{y}" x2="{x + 28}" y2="{y}" stroke="{colour}" stroke-width="{thick}"{dash}/>')
        out.append(f'<text x="{x + 34}" y="{y + 4}">{name}</text>')
        x += 60 + 7 * len(name)
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n</svg>\n")


def lines_of(found, zero, kernel, styles, x):
    lines = []
    for d in DIMENSIONS:
        for name, _, width, dashes in styles:
            if name == "zero" and kernel == "homogeneous":
                lines.append((SIZES[:: len(SIZES) - 1], [zero[d][0]] * 2, COLOURS[d], width, dashes))
            elif (kernel, d, name) in found:
                result = [p for p in found[kernel, d, name] if p[x] > 0]
                lines.append(([p[x] for p in result], [p["mean"] for p in result], COLOURS[d], width, dashes))
    return lines


def draw_all(folder, found, zero):
    def panels(styles, x, x_title):
        return [Panel(title, x_title, lines_of(found, zero, kernel, styles, x)) for kernel, (title, _) in KERNELS.items()]

    zero_style = ("zero", "map of zeros (homogeneous)", 1, "2 3")
    paper = [("RF", "RF", 1, ""), ("H0/1", "H0/1", 3, ""), zero_style]
    best = [("RF", "the paper's RF", 1, ""), ("real", "ours, real", 3, ""), ("complex", "ours, complex", 2, "6 3")]
    picture(os.path.join(folder, "figure1.svg"), "The paper's Figure 1: mean |error| of 100 points, 5 runs",
            [panels(paper, "D", "D")], [s[1:] for s in paper])
    picture(os.path.join(folder, "figure1_ours.svg"), "The same points with our maps: mean |error| at equal D (above) and equal D' (below)",
            [panels(best + [zero_style], "D", "D, random features"), panels(best, "width", "D', columns stored")],
            [s[1:] for s in best + [zero_style]])


# --- tables ------------------------------------------------------------------------------------------------------


def at_width(points_, width):
    """Mean error where the map is so wide, between its points in logarithms; nan outside."""
    for a, b in zip(points_, points_[1:]):
        if a["width"] <= width <= b["width"]:
            share = math.log(width / a["width"]) / math.log(b["width"] / a["width"]) if b["width"] > a["width"] else 0
            return a["mean"] * (b["mean"] / a["mean"]) ** share
    return math.nan


def cell(value, bar=math.inf):
    return "-" if math.isnan(value) else f"{value:.2f}" if value <= bar else f"**{value:.2f}**"


def ratio_table(found, kernel, name, equal_width, bar, first):
    lines = [f"| d \\ D{chr(39) if equal_width else ''} | " + " | ".join(f"{size}" for size in SIZES) + " |",
             "| --- " * (len(SIZES) + 1) + "|"]
    over = 0
    for d in DIMENSIONS:
        cells = []
        for k, size in enumerate(SIZES):
            ours = found[kernel, d, name]
            error = at_width(ours, size) if equal_width else ours[k]["mean"]
            ratio = error / found[kernel, d, "RF"][k]["mean"]
            limit = bar if size >= first else math.inf
            over += ratio > limit
            cells.append(cell(ratio, limit))
        lines.append(f"| {d} | " + " | ".join(cells) + " |")
    return lines, over


def homogeneous_table(found, zero):
    lines = ["| d | D | mean error: RF | map of zeros | ours | rms error: map of zeros | RF, runs with a feature of degree 10 "
             "(runs) | ours |", "| --- " * 8 + "|"]
    for d in DIMENSIONS:
        for size in (1000, 5000):
            k = SIZES.index(size)
            paper, ours = found["homogeneous", d, "RF"][k], found["homogeneous", d, "real"][k]
            drawn = 5 - round(paper["zero_maps"])
            conditioned = f"{paper['rms_not_zero']:.2g} ({drawn})" if drawn else "- (0)"
            lines.append(f"| {d} | {size} | {paper['mean']:.2g} | {zero[d][0]:.2g} | {ours['mean']:.2g} | {zero[d][1]:.2g} | "
                         f"{conditioned} | {ours['rms']:.2g} |")
    return lines


def print_tables(found, zero):
    bars = [("exponential", "real", 0.25, 10), ("polynomial", "real", 0.6, 1000), ("polynomial", "complex", 0.5, 1000)]
    for kernel, name, bar, first in bars:
        for equal_width in (False, True):
            table, over = ratio_table(found, kernel, name, equal_width, bar, first)
            print(f"**{kernel}, {name}, equal D{chr(39) if equal_width else ''}** (bar {bar} from {first}; {over} above it):\n")
            print("\n".join(table) + "\n")
    print("**homogeneous, degree 10**:\n")
    print("\n".join(homogeneous_table(found, zero)))


def main():
    dpsvm, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    found, zero = run_all(dpsvm)
    draw_all(folder, found, zero)
    print_tables(found, zero)


if __name__ == "__main__":
    main()
