"""From the parameters of an estimator to the options of the program: one table, and how values are written."""

import numbers

# parameter -> option, in the order in which the program gets them. docs/python.md has the same table, and a test
# compares the two. A parameter of None is not passed on: the program's default holds, or its search.
OPTION_OF = {
    "kernel": "kernel.type",
    "n_components": "map.features",
    "degree": "kernel.degree",
    "gamma": "kernel.gamma",
    "coef0": "kernel.offset",
    "projection": "map.projection",
    "refine": "map.refine",
    "C": "solver.C",
    "loss": "solver.loss",
    "epsilon": "solver.epsilon",
    "solver": "solver.type",
    "tol": "solver.tolerance",
    "max_iter": "solver.max_iterations",
    "class_weight": "solver.class_weight",
    "probability": "solver.probability",
    "scaling": "data.scaling",
    "normalize": "data.normalize",
    "missing": "data.missing",
    "random_state": "map.seed",
    "n_jobs": "run.threads",
}

# What fit() itself says to the program, by its arguments.
OF_FIT = {
    "solver.task": "the class of the estimator says it",
    "data.train": "the rows are those given to fit()",
    "data.weights": "weights are fit(sample_weight=...)",
    "data.label_column": "labels are fit(y=...)",
    "data.id_column": "rows in memory have no column of names",
    "data.format": "rows are in memory",
    "data.test": "use score()",
    "data.cache": "rows are in memory",
    "output.model": "the model is model_, and model_.save(path) writes it",
}


def text_of_label(label):
    """A class as the program spells it: 3, 0.5, True, ash."""
    if hasattr(label, "item"):
        label = label.item()
    if isinstance(label, bytes):
        return label.decode("utf-8", "surrogateescape")
    if isinstance(label, float):
        return str(int(label)) if label.is_integer() and abs(label) < 2**53 else repr(label)
    return str(label)


BLANKS = " \t\n\v\f\r"  # what the program trims


def _class_of(text):
    """What the program tells classes by: the number of a text that is one, else the text."""
    if not text.isascii() or "_" in text:
        return text
    try:
        return float.fromhex(text) if "x" in text.lower() else float(text)
    except (ValueError, OverflowError):
        return text


def check_labels(texts):
    """ValueError for classes that the program would change or take as one."""
    seen = {}
    for text in texts:
        if text != text.strip(BLANKS) or "\n" in text or "\r" in text:
            raise ValueError(f"label {text!r}: labels may have no outer blanks and no line breaks")
        other = seen.setdefault(_class_of(text), text)
        if other is not text:
            raise ValueError(f"labels {other!r} and {text!r} are the same number, which is one class to the program")


def quoted(text):
    """An item of a list, which may hold blanks and commas."""
    for mark in '"', "'":
        if mark not in text:
            return mark + text + mark
    raise ValueError(f"{text!r} has both kinds of quotes, and a list of the program's options has no escapes")


def text_of(value):
    """The value of an option as the program reads it."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, dict):
        return ", ".join(f"{quoted(text_of_label(key))}:{text_of(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(quoted(item) if isinstance(item, str) else text_of(item) for item in value)
    return str(value)


def _special(name, value):
    """(option, value) of parameters that are more than a word."""
    if name == "gamma" and isinstance(value, str):
        return "map.gamma", value  # scale and auto are widths of the RBF
    if name == "n_jobs" and value == -1:
        return "run.threads", "auto"
    if name == "max_iter" and value == -1:
        return "solver.max_iterations", 1000000000
    return OPTION_OF[name], value


def settings_of(parameters, options):
    """The list of "section.key=value" for the program. options: what the user gave by the program's own names."""
    found = {}
    for name in OPTION_OF:
        value = parameters.get(name)
        if value is not None:
            option, value = _special(name, value)
            found[option] = text_of(value)
    for option, value in (options or {}).items():
        if option in OF_FIT:
            raise ValueError(f"options: {option} cannot be set here: {OF_FIT[option]}")
        if option in found:
            raise ValueError(f"options: {option} is given twice, by a parameter of the estimator, too")
        found[option] = text_of(value)
    return [f"{option}={value}" for option, value in found.items()]
