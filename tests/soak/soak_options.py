"""The options of the program, from what `dpsvm help options` says of them, and random values of each.

A new option of a known type joins by itself. What is told in other words is an error, so that a new type of option is taught
here. Options whose values are texts and names have words of their own in WORDS; one that is not there gets any of them."""

import functools
import re
import subprocess

NUMBER = r"[-+.0-9e]+"
RANGE = re.compile(rf"(?P<what>a whole number|a number|a list of numbers|whole numbers, as 1, 2 or 1\.\.5) "
                   rf"(?:from (?P<low>{NUMBER}) to|(?P<above>above 0) and at most) (?P<high>{NUMBER})$")
PLAIN = {"file names": "files", "a file name": "file", "text": "text", "names, with commas between": "names"}
SIZE = "a number of bytes"

# words for options whose values are texts or names
WORDS = {
    "data.delimiter": ["comma", "semicolon", "tab", "bar", "blank", "x", "two"],
    "data.label_column": ["class", "last", "-1", "1", "2", "none", "nowhere", "99"],
    "data.id_column": ["x0", "1", "word0", "nowhere"],
    "data.ignore_columns": ["x0", "1", "x1, x2", "nowhere"],
    "data.text_columns": ["x0", "2", "nowhere"],
    "data.keep_columns": ["x0", "1"],
    "data.missing_words": ["red", "0.5, rust", "-999"],
    "data.weights": ["weights.txt", "weight", "x0", "nowhere"],
    "data.validation": ["0.2", "0.01", "0.99", "validation.data", "1", "nowhere"],
    "solver.class_weight": ["balanced", "none", "-1:2", "1:0.5, 2:3", "a:4", "yes:1e6", '"well off":2', "nowhere:2"],
}
ILLEGAL = ["nan", "inf", "-inf", "10x", "0x1g", "1,5", "one", "--1"]


class Option:
    def __init__(self, section, key, default, value):
        self.name = f"{section}.{key}"
        self.section, self.key, self.default = section, key, default
        self.choices, self.what = [], PLAIN.get(value)
        self.low = self.high = None
        self.above = False
        found = RANGE.search(value)
        if self.what is None and found:
            self.what = found["what"]
            self.low, self.high = float(found["low"] or 0), float(found["high"])
            self.above = found["above"] is not None
            value = value[:found.start()].removesuffix(" or ")
        elif self.what is None and SIZE in value:
            self.what = SIZE
            value = value[:value.index(SIZE)].removesuffix(" or ")
        elif self.what is None:
            self.what = "choice"
        if self.what not in PLAIN.values():
            self.choices = [word for word in re.split(r", | or ", value) if word]
            if any(" " in word for word in self.choices) or (self.what == "choice" and len(self.choices) < 2):
                raise SystemExit(f"soak: what {self.name} takes is told in words that are new here: {value}")

    def number(self, random_):
        """Mostly near what is usual, now and then an end of the range, or beside it."""
        whole = "whole" in self.what
        low, high = self.low, self.high
        kind = random_.random()
        if kind < 0.08:
            value = low if not self.above else 5e-324
        elif kind < 0.14:
            value = high
        elif kind < 0.2:
            value = low + 1 if whole else low + 1e-9 if not self.above else 1e-300
        elif kind < 0.6 and re.fullmatch(NUMBER, self.default or "") and float(self.default) > 0:
            value = float(self.default) * 10 ** random_.uniform(-1, 1)
        else:
            value = 10 ** random_.uniform(-4, 2.2)
        value = max(low, min(high, value))
        if whole:
            value = max(int(value), int(low), int(self.above))
        return str(value) if whole else "%.6g" % value if low < value < high else repr(value)

    def draw(self, random_):
        if self.name in WORDS:
            return random_.choice(WORDS[self.name])
        if self.what in ("text", "names"):
            return random_.choice(random_.choice(list(WORDS.values())))
        if self.choices and (self.what == "choice" or random_.random() < 0.3):
            return random_.choice(self.choices)
        if self.what == SIZE:
            return random_.choice(["1", "1M", "20M", "64M", "300M", "1G", "1000T"])
        if self.what == "a list of numbers":
            return ", ".join(self.number(random_) for _ in range(random_.randint(1, 6)))
        if self.what.startswith("whole numbers"):
            first = random_.randrange(1, 1000)
            return self.number(random_) if random_.random() < 0.7 else random_.choice([f"{first}..{first + 2}", f"{first}, 7"])
        return self.number(random_)

    def illegal(self, random_):
        """A value outside what it takes, or None where everything is a value."""
        if self.what == "choice":
            return random_.choice(["nothing", "autos", "2"])
        if self.what in PLAIN.values():
            return None
        beyond = [] if self.what == SIZE else [repr(self.high * 2 + 1), repr(-1 - self.low)] + ["0"] * self.above
        return random_.choice([text for text in ILLEGAL if "," not in text or "numbers" not in self.what] + beyond)


@functools.lru_cache(maxsize=None)
def flags_of(program, command):
    """The flags that a command takes: (name, what its value is called, None for no value)."""
    text = subprocess.run([program, "help", command], capture_output=True, text=True, check=True).stdout
    text = text[text.index("flags:"):text.index("\noptions:")]
    return re.findall(r"^    (?:-\w, )?(--\w+)(?: (\S+))?(?:  |$)", text, re.M)


def options_of(program):
    text = subprocess.run([program, "help", "options"], capture_output=True, text=True, check=True).stdout
    options, section = [], None
    for line in text.splitlines():
        if line.startswith("## ["):
            section = line[4:-1]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if section and len(cells) == 7 and cells[1].startswith("`"):
            default = cells[2].strip("`") if cells[2] != "none" else ""
            options.append(Option(section, cells[1].strip("`"), default, cells[3]))
    if len(options) < 50:
        raise SystemExit("soak: the list of options was not understood")
    return options
