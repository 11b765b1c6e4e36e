"""Random rows, and the files they are written to. A `Rows` is a function of its parameters (a dict), which shrinking changes."""

import bz2
import gzip
import lzma
import random
import struct

PACKERS = {"": lambda data: data, ".gz": lambda data: gzip.compress(data, mtime=0), ".bz2": bz2.compress, ".xz": lzma.compress}
LABELS = {
    "two": [["-1", "+1"], ["0", "1"], ["no", "yes"], ["1", "2"], ["ill", "well off"]],
    "several": [["1", "2", "3"], ["a", "b", "c", "d"], ["0", "1", "2", "3", "4", "5"], ["-1", "0", "7.5"]],
}


def draw(random_):
    """Parameters of rows: mostly easy ones, now and then such as only strange files have."""
    chance = random_.random
    layout = random_.choice(["libsvm"] * 4 + ["csv"] * 4 + ["npy", "arff"])
    task = random_.choice(["two", "two", "several", "regression"])
    parameters = {
        "seed": random_.randrange(1 << 30),
        "layout": layout,
        "task": task,
        "rows": random_.choice([1, 2, 3, 5]) if chance() < 0.08 else int(2 ** random_.uniform(3.5, 8.5)),
        "columns": int(2 ** random_.uniform(0, 5)),
        "density": 1 if chance() < 0.5 else random_.uniform(0.05, 1),
        "labels": random_.choice(LABELS[task]) if task != "regression" else None,
        "amounts": chance() < 0.25,  # no negative value
        "size": 10 ** random_.choice([0, 0, 0, random_.uniform(-3, 3), random_.uniform(-30, 30), random_.uniform(-300, 300)]),
        "constant": chance() < 0.1,  # columns without a second value
        "copies": chance() < 0.1,
        "one_label": chance() < 0.03,
        "rare": chance() < 0.1,  # one row of the last class
        "words": layout in ("csv", "arff") and chance() < 0.6,
        "holes": layout in ("csv", "arff") and chance() < 0.4,  # missing values
        "header": chance() < 0.8,
        "delimiter": random_.choice(",,,;\t|"),
        "decimal": "," if chance() < 0.1 else ".",
        "label_last": chance() < 0.7,
        "far": layout == "libsvm" and chance() < 0.1,  # indices up to a million
        "remarks": layout == "libsvm" and chance() < 0.2,
        "crlf": chance() < 0.1,
        "kind": random_.choice(["<f4", "<f8", "<i4"]),
        "weights": chance() < 0.2,
        "packed": random_.choice([""] * 8 + [".gz", ".bz2", ".xz"]),
    }
    if parameters["decimal"] == ",":
        parameters["delimiter"] = ";"
    if layout == "npy" and task != "regression":
        parameters["labels"] = random_.choice([["0", "1"], ["-1", "1"]] if task == "two" else [["1", "2", "3"]])
    return parameters


class Rows:
    """Columns by name; rows of texts, a missing value None; labels; weights."""

    def __init__(self, parameters, use, count):
        """use: another word is another draw of the same distribution."""
        self.p = p = parameters
        rng = random.Random(f"{p['seed']} {use}")
        shape = random.Random(f"{p['seed']} columns")
        d = p["columns"]
        self.words = [p["words"] and shape.random() < 0.4 for _ in range(d)]
        self.constant = [p["constant"] and shape.random() < 0.4 for _ in range(d)]
        self.index = sorted(shape.sample(range(1, 1000000 if p["far"] else d + 1), d))
        self.names = [("word" if self.words[j] else "x") + str(j) for j in range(d)]
        whole = p["layout"] == "npy" and p["kind"] == "<i4"
        self.cells, self.labels, self.weights = [], [], []
        for i in range(count):
            row, signal = [], 0.0
            for j in range(d):
                value = 0.5 if self.constant[j] else rng.uniform(0 if p["amounts"] else -1, 1)
                if rng.random() >= p["density"]:
                    value = 0.0
                signal += value * ((j % 3) - 1) + (value * value if j == 0 else 0)
                if self.words[j]:
                    text = ["red", "green", "blue sky", "rust"][int(abs(value) * 3.99)]
                elif whole:
                    text = str(int(value * 100))
                else:
                    text = repr(float("%.5g" % (value * p["size"])))
                if p["holes"] and rng.random() < 0.05:
                    text = None
                row.append(text)
            if p["copies"] and self.cells and rng.random() < 0.5:
                row = list(self.cells[-1])
            self.cells.append(row)
            self.labels.append(self.label(rng, signal, i))
            self.weights.append("%.3g" % rng.uniform(0.2, 4))

    def label(self, rng, signal, i):
        p = self.p
        if p["labels"] is None:
            return "%.6g" % (3 * signal + rng.gauss(0, 0.3))
        k = len(p["labels"])
        if p["one_label"]:
            return p["labels"][0]
        if p["rare"]:
            return p["labels"][-1] if i == 1 else p["labels"][int(rng.random() * (k - 1))]
        return p["labels"][min(k - 1, max(0, int((signal + rng.gauss(0, 0.4) + 1) / 2 * k)))] if i >= k else p["labels"][i]

    # --- files: the rows from begin on up to end -------------------------------------------------------------------

    def write(self, path, begin=0, end=None, labelled=True):
        make = {"libsvm": self.libsvm, "csv": self.csv, "arff": self.arff, "npy": self.npy}[self.p["layout"]]
        data = make(range(len(self.cells))[begin:end], labelled)
        with open(path, "wb") as file:
            file.write(PACKERS[self.p["packed"]](data))

    def lines(self, lines):
        end = "\r\n" if self.p["crlf"] else "\n"
        return "".join(line + end for line in lines).encode()

    def libsvm(self, which, labelled):
        lines = []
        for i in which:
            if self.p["remarks"] and i % 7 == 3:
                lines.append("# a remark")
            label = self.labels[i].replace(" ", "_") if labelled else "0"
            pairs = [f"{self.index[j]}:{text}" for j, text in enumerate(self.cells[i]) if text not in (None, "0.0")]
            lines.append(" ".join([label, *pairs]))
        return self.lines(lines)

    def cell(self, text, word):
        if text is None:
            return "" if word else "NA"
        if self.p["decimal"] == "," and not word:
            return text.replace(".", ",")
        return '"' + text + '"' if " " in text else text

    def csv(self, which, labelled):
        cut, last = self.p["delimiter"], self.p["label_last"]

        def line(cells, label, weight):
            cells = ([weight] if self.p["weights"] else []) + cells
            return cut.join(cells if not labelled else cells + [label] if last else [label] + cells)

        lines = [line(self.names, "class", "weight")] if self.p["header"] else []
        for i in which:
            cells = [self.cell(text, self.words[j]) for j, text in enumerate(self.cells[i])]
            label = self.cell(self.labels[i], self.p["labels"] is not None)
            lines.append(line(cells, label, self.cell(self.weights[i], False)))
        return self.lines(lines)

    def arff(self, which, labelled):
        lines = ["@relation rows"]
        for name, word in zip(self.names, self.words):
            lines.append(f"@attribute {name} " + ("{red,green,'blue sky',rust}" if word else "numeric"))
        labels = "numeric" if self.p["labels"] is None else "{" + ",".join(f"'{x}'" for x in self.p["labels"]) + "}"
        lines += [f"@attribute class {labels}", "@data"]
        for i in which:
            cells = ["?" if text is None else f"'{text}'" if " " in text else text for text in self.cells[i]]
            label = self.labels[i] if labelled else "?"
            lines.append(",".join(cells + [f"'{label}'" if " " in label else label]))
        return self.lines(lines)

    def npy(self, which, labelled):
        kind = self.p["kind"]
        code, make = {"<f4": ("f", float), "<f8": ("d", float), "<i4": ("i", lambda text: int(float(text)))}[kind]
        body = bytearray()
        for i in which:
            for text in ([self.labels[i]] if labelled else []) + self.cells[i]:
                value = make(text)
                if code == "f" and abs(value) > 3e38:
                    value = 3e38
                body += struct.pack("<" + code, max(-2**31, min(2**31 - 1, value)) if code == "i" else value)
        header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (
            kind, len(which), len(self.names) + labelled)
        header += " " * (-(len(header) + 11) % 64) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(body)
