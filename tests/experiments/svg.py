"""Panels of lines as SVG."""
import math
from typing import NamedTuple


class Line(NamedTuple):
    x: list
    y: list
    colour: str
    width: float = 1.5
    dashes: str = ""


class Style(NamedTuple):
    """A line of the legend."""
    name: str
    colour: str
    width: float = 1.5
    dashes: str = ""


PALETTE = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#999999"]


class Axis:
    """Values to a share of its length, and the ticks."""

    def __init__(self, values, logarithmic, margin):
        self.logarithmic = logarithmic
        places = [self.place(value) for value in values]
        low, high = min(places), max(places)
        pad = margin * (high - low) + (0.03 if logarithmic else 1e-9)
        self.low, self.high = low - pad, high + pad

    def place(self, value):
        return math.log10(value) if self.logarithmic else value

    def share(self, value):
        return (self.place(value) - self.low) / (self.high - self.low)

    def ticks(self):
        span = self.high - self.low
        if not self.logarithmic:
            step = 10.0 ** math.floor(math.log10(span / 3))
            step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 7)
            first = math.ceil(self.low / step)
            return [round(k * step, 10) for k in range(first, math.floor(self.high / step) + 1)]
        every = max(1, round(span / 7))
        steps = (1, 2, 5) if span < 2 else (1,)
        return [step * 10.0**power for power in range(math.floor(self.low), math.ceil(self.high) + 1) if power % every == 0
                for step in steps if self.low <= math.log10(step * 10.0**power) <= self.high]


class Panel:
    """One diagram; x logarithmic, y too unless told otherwise."""

    WIDTH, HEIGHT = 360, 270

    def __init__(self, title, x_title, lines, logarithmic_y=True):
        self.title, self.x_title = title, x_title
        self.lines = [line for line in lines if line.x]
        self.x = Axis([x for line in self.lines for x in line.x] or [1, 10], True, 0.02)
        self.y = Axis([y for line in self.lines for y in line.y] or [1, 10], logarithmic_y, 0.04)

    def draw(self, left, top, out):
        right, bottom = left + self.WIDTH, top + self.HEIGHT

        def across(x):
            return left + self.x.share(x) * self.WIDTH

        def up(y):
            return top + (1 - self.y.share(y)) * self.HEIGHT

        for value in self.x.ticks():
            x = across(value)
            out.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{top}" stroke="#ddd"/>')
            out.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>')
        for value in self.y.ticks():
            y = up(value)
            out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
            out.append(f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        out.append(f'<rect x="{left}" y="{top}" width="{self.WIDTH}" height="{self.HEIGHT}" fill="none" stroke="#444"/>')
        out.append(f'<text x="{left}" y="{top - 8}" font-size="13">{_text(self.title)}</text>')
        out.append(f'<text x="{(left + right) / 2}" y="{bottom + 30}" text-anchor="middle">{_text(self.x_title)}</text>')
        for line in self.lines:
            path = "M" + " L".join(f"{across(x):.1f},{up(y):.1f}" for x, y in zip(line.x, line.y))
            out.append(f'<path d="{path}" fill="none" stroke="{line.colour}" stroke-width="{line.width}"{_dash(line.dashes)}/>')


def _text(words):
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _dash(dashes):
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def picture(path, title, rows_of_panels, legend):
    """Panels in rows; legend: Styles."""
    wide, high = Panel.WIDTH + 80, Panel.HEIGHT + 75
    width, height = max(map(len, rows_of_panels)) * wide + 20, len(rows_of_panels) * high + 85
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="70" y="24" font-size="16">{_text(title)}</text>']
    for r, panels in enumerate(rows_of_panels):
        for c, panel in enumerate(panels):
            panel.draw(70 + c * wide, 62 + r * high, out)
    x, y = 70, height - 20
    for style in legend:
        out.append(f'<line x1="{x}" y1="{y}" x2="{x + 28}" y2="{y}" stroke="{style.colour}" stroke-width="{style.width}"'
                   f'{_dash(style.dashes)}/>')
        out.append(f'<text x="{x + 34}" y="{y + 4}">{_text(style.name)}</text>')
        x += 60 + 7 * len(style.name)
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n</svg>\n")
