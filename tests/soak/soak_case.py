"""A configuration, drawn from a seed: what is set, on which rows, and how it is run. All of it is data (a dict), so that
shrinking can take parts away."""

import random

import soak_rows as rows
from soak_options import flags_of

FILES = {"data.train": "train.data", "data.test": "test.data", "data.cache": "rows.cache",
         "solver.warm_start": "before.dpsvm", "run.scratch": ".", "output.model": "model.dpsvm"}
# what `tune` may search (docs/guide.md); others are refused, which is tried too
SEARCHED = ("kernel.", "map.", "solver.", "data.scaling", "data.normalize", "data.categorical", "data.missing")
# values of flags, by what `dpsvm help COMMAND` calls them
FLAG_VALUES = {"OUT": ["out.text"], "T": ["0", "0.5", "-0.3", "accuracy", "f1", "balanced", "1e300"], "F": ["text", "csv", "libsvm", "npy"],
               "FILE": ["report.json"], "FILE.svg": ["plot.svg"]}


def value_of(option, random_):
    if option.what in ("file", "files"):
        if random_.random() < 0.03:
            return "nowhere/file"
        return FILES.get(option.name, option.key + ".out")
    return option.draw(random_)


def draw_flags(random_, program, command, labels):
    drawn = []
    for name, value in flags_of(program, command):
        if name != "--help" and random_.random() < 0.25:
            words = FLAG_VALUES.get(value, (labels or ["1"]) + ["nobody"] if value == "LABEL" else ["1"])
            drawn.append([name] + ([random_.choice(words)] if value else []))
    return drawn


def draw(seed, number, options, program):
    random_ = random.Random(f"{seed}/{number}")
    chance = random_.random
    data = rows.draw(random_)
    drawn = {"data.train": FILES["data.train"]}
    if data["task"] == "regression":
        drawn["solver.task"] = "regression"
    if data["holes"] and chance() < 0.8:
        drawn["data.missing"] = random_.choice(["mean", "zero"])
    if data["weights"] and data["layout"] == "csv" and data["header"]:
        drawn["data.weights"] = "weight"
    if chance() < 0.9:  # else the search of kernel.type = auto, which takes longer
        drawn["map.features"] = str(int(2 ** random_.uniform(1, 8)))
    for option in random_.sample(options, min(len(options), random_.choice([0, 1, 2, 3, 4, 6, 8, 12, 16]))):
        if option.name != "data.train" and not (option.name == "solver.task" and chance() < 0.8):
            drawn[option.name] = value_of(option, random_)
    illegal = None
    if chance() < 0.05:
        option = random_.choice(options)
        text = option.illegal(random_)
        if text is not None:
            drawn[option.name], illegal = text, option.name
    case = {
        "seed": seed, "number": number, "rows": data, "options": drawn, "illegal": illegal,
        "line": sorted(name for name in drawn if chance() < 0.15),  # given on the command line
        "command": "tune" if chance() < 0.15 else "train", "searched": {},
        "other": {"threads": random_.choice([2, 3, 5]), "memory": random_.choice(["40M", "80M", "200M"]),
                  "pieces": random_.choice([2, 3]), "simd": random_.choice(["portable", "avx2", "auto"])},
        "stop_after": random_.uniform(0.01, 0.2) if chance() < 0.08 else None,
        "ranks": chance() < 0.06, "asan": chance() < 0.1,
    }
    if case["command"] == "tune":
        for option in random_.sample([o for o in options if o.name.startswith(SEARCHED)], random_.choice([0, 1, 1, 2])):
            case["searched"][option.name] = ", ".join(value_of(option, random_) for _ in range(random_.choice([1, 2, 3])))
    case["flags"] = {command: draw_flags(random_, program, command, data["labels"])
                     for command in ("predict", "transform", "evaluate", "info")}
    return case


def ini(case, options):
    """The configuration as a file, without what is given on the command line."""
    text, sections = "", []
    for option in options:
        if option.section not in sections:
            sections.append(option.section)
    for section in sections:
        lines = [f"{name.partition('.')[2]} = {value}\n" for name, value in case["options"].items()
                 if name.startswith(section + ".") and name not in case["line"]]
        if section == "tune":
            lines += [f"{name} = {value}\n" for name, value in case["searched"].items()]
        text += f"[{section}]\n" + "".join(lines) if lines else ""
    return text


# --- shrinking ------------------------------------------------------------------------------------------------------

EASIER = {"words": False, "holes": False, "packed": "", "size": 1, "far": False, "remarks": False, "crlf": False, "constant": False,
          "copies": False, "rare": False, "one_label": False, "amounts": False, "density": 1, "decimal": ".", "delimiter": ",",
          "weights": False, "header": True, "label_last": True}


def smaller(case):
    """Cases with a part less, the largest parts first."""
    for name in list(case["options"]):
        if name not in ("data.train", case["illegal"]):
            yield {**case, "options": {k: v for k, v in case["options"].items() if k != name},
                   "line": [k for k in case["line"] if k != name]}
    for name in list(case["searched"]):
        yield {**case, "searched": {k: v for k, v in case["searched"].items() if k != name}}
    if case["line"]:
        yield {**case, "line": []}
    for command, flags in case["flags"].items():
        for flag in flags:
            yield {**case, "flags": {**case["flags"], command: [f for f in flags if f is not flag]}}
    for what, plain in (("ranks", False), ("stop_after", None), ("asan", False), ("command", "train")):
        if case[what] != plain:
            yield {**case, what: plain, "searched": case["searched"] if what != "command" else {}}
    for what, plain in (("threads", 1), ("memory", None), ("pieces", 1), ("simd", "auto")):
        if case["other"][what] != plain:
            yield {**case, "other": {**case["other"], what: plain}}
    data = case["rows"]
    for what in ("rows", "columns"):
        if data[what] > 1:
            yield {**case, "rows": {**data, what: data[what] // 2}}
            yield {**case, "rows": {**data, what: data[what] - 1}}
    for what, plain in EASIER.items():
        if data[what] != plain:
            yield {**case, "rows": {**data, what: plain}}


def shrink(case, fails, most):
    """The case with as little as still fails the same way: fails(case) says so. At most `most` trials."""
    trials, again = 0, True
    while again:
        again = False
        for other in smaller(case):
            trials += 1
            if trials > most:
                return case
            if fails(other):
                case, again = other, True
                break
    return case
