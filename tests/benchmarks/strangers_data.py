"""The data sets of strangers.py as CSV files of train and test rows. Standard library only.

WORK/tables/NAME.csv     whole: header, label last (class or target), NA where a value is missing
WORK/NAME/splitK.train.csv, splitK.test.csv

A split: the rows in the order of their labels, at random within a label; 30 of 100 at even distances, from a random start,
are the test rows. So every class, and every range of targets, has its share. Of what is left 5,000 rows at most train.
"""
import csv
import gzip
import hashlib
import io
import lzma
import os
import random
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SKLEARN = "/usr/lib/python3/dist-packages/sklearn/datasets/data"
PACKAGES = ["r-cran-mlbench", "r-cran-kernlab", "r-cran-modeldata", "r-cran-aer", "r-cran-ggplot2"]
TRAIN_ROWS = 5000
MANY, FEW, SMALL = 10, 3, 1000  # splits of a set with at most SMALL training rows, and of a larger one

CLASSES = """Sonar Vowel Ionosphere PimaIndiansDiabetes Glass Vehicle Satellite DNA LetterRecognition BreastCancer
    HouseVotes84 Soybean Zoo Shuttle spam musk promotergene income ticdata cells attrition credit_data ad_data pd_speech
    hpc_data mlc_churn digits wine breast_cancer usps""".split()
TARGETS = """BostonHousing Ozone ames concrete car_prices Sacramento meats biomass HousePrices CPS1985 diamonds diabetes
    abalone""".split()
FROM_FOLDER = ["usps", "abalone"]  # of DPSVM_DATA
WHOLE = {"letter_whole": "LetterRecognition"}  # one split of all rows
GIVEN = ["usps_given", "sector_given"]  # LIBSVM files of DPSVM_DATA in train and test rows as published


def half(name):
    """Rules of the search may look at the design half only."""
    return "unseen" if hashlib.sha256(name.lower().encode()).digest()[-1] % 2 else "design"


def write_table(path, rows, label):
    """Rows of texts, the label last, under a header."""
    with open(path, "w", encoding="ascii", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f"x{k}" for k in range(1, len(rows[0]))] + [label])
        out.writerows(rows)


def libsvm_rows(lines, columns):
    for line in lines:
        label, *pairs = line.split()
        row = ["0"] * columns
        for pair in pairs:
            index, value = pair.split(":")
            row[int(index) - 1] = value
        yield row + [label]


def opened(name):
    return lzma.open(os.path.join(os.environ["DPSVM_DATA"], name + ".xz"), "rt", encoding="ascii")


def from_sklearn(folder):
    """Its files have no header that names the columns."""
    def text(name):
        path = os.path.join(SKLEARN, name)
        with (gzip.open if name.endswith(".gz") else open)(path, "rt", encoding="ascii") as file:
            return file.read()

    for name in ("wine", "breast_cancer"):
        head, *rows = csv.reader(io.StringIO(text(name + ("_data.csv" if name == "wine" else ".csv"))))
        write_table(os.path.join(folder, name + ".csv"), [row[:-1] + [head[2 + int(row[-1])]] for row in rows], "class")
    digits = [[f"{float(value):g}" for value in row] for row in csv.reader(io.StringIO(text("digits.csv.gz")))]
    write_table(os.path.join(folder, "digits.csv"), digits, "class")
    rows = zip(text("diabetes_data_raw.csv.gz").splitlines(), text("diabetes_target.csv.gz").split())
    write_table(os.path.join(folder, "diabetes.csv"), [row.split() + [f"{float(y):g}"] for row, y in rows], "target")


def from_folder(folder, work):
    if not os.environ.get("DPSVM_DATA"):
        return
    with opened("usps") as train, opened("usps.t") as test:
        write_table(os.path.join(folder, "usps.csv"), [*libsvm_rows(train, 256), *libsvm_rows(test, 256)], "class")
    with opened("abalone") as file:
        write_table(os.path.join(folder, "abalone.csv"), list(libsvm_rows(file, 8)), "target")
    for name, raw in (("usps_given", "usps"), ("sector_given", "sector.scale")):
        os.makedirs(os.path.join(work, name), exist_ok=True)
        for part, source in (("train", raw), ("test", raw + ".t")):
            with opened(source) as file, open(split_file(work, name, 0, part), "w", encoding="ascii") as out:
                out.write(file.read())


def split_file(work, name, split, part):
    return os.path.join(work, name, f"split{split}.{part}.{'svm' if name in GIVEN else 'csv'}")


def evenly(count, wanted, start):
    """Places of `wanted` of `count`, at even distances."""
    return {min(count - 1, int((k + start) * count / wanted)) for k in range(wanted)}


def write_split(work, name, split, header, lines, key, most):
    dice = random.Random(f"{name} {split}")
    order = sorted(range(len(lines)), key=lambda row: (key[row], dice.random()))
    tested = evenly(len(order), round(0.3 * len(order)), dice.random())
    test = [row for place, row in enumerate(order) if place in tested]
    train = [row for place, row in enumerate(order) if place not in tested]
    if len(train) > most:
        kept = evenly(len(train), most, dice.random())
        train = [row for place, row in enumerate(train) if place in kept]
    for part, rows in (("train", train), ("test", test)):
        dice.shuffle(rows)
        with open(split_file(work, name, split, part), "w", encoding="utf-8") as file:
            file.writelines([header] + [lines[row] for row in rows])


def splits_of(rows):
    return MANY if rows - round(0.3 * rows) <= SMALL else FEW


def split_table(work, name, table, whole=False):
    with open(os.path.join(work, "tables", table + ".csv"), encoding="utf-8") as file:
        header, *lines = file.readlines()  # no text of these sets holds a line's end
    labels = [row[-1] for row in csv.reader(lines)]
    key = [float(label) for label in labels] if table in TARGETS else labels
    os.makedirs(os.path.join(work, name), exist_ok=True)
    for split in range(1 if whole else splits_of(len(lines))):
        write_split(work, name, split, header, lines, key, len(lines) if whole else TRAIN_ROWS)


def make(work):
    """Everything, once."""
    tables, done = os.path.join(work, "tables"), os.path.join(work, "tables", "done")
    if os.path.exists(done):
        return
    os.makedirs(tables, exist_ok=True)
    subprocess.run(["sh", os.path.join(HERE, "r_data.sh"), os.path.join(work, "packages"),
                    os.path.join(HERE, "strangers.R"), *PACKAGES],
                   cwd=tables, check=True)
    from_sklearn(tables)
    from_folder(tables, work)
    for name in CLASSES + TARGETS:
        if os.path.exists(os.path.join(tables, name + ".csv")):
            split_table(work, name, name)
    for name, table in WHOLE.items():
        split_table(work, name, table, whole=True)
    with open(done, "w", encoding="ascii"):
        pass


def there(work, names):
    return [name for name in names if os.path.exists(split_file(work, name, 0, "test"))]


def splits(work, name):
    return sum(os.path.exists(split_file(work, name, split, "test")) for split in range(MANY))


def facts(work, name):
    """Training rows, test rows, columns, classes (0: a number to predict), whether a value is missing."""
    if name in GIVEN:
        with open(split_file(work, name, 0, "train"), encoding="ascii") as file:
            lines = file.readlines()
        columns = max(int(line.split()[-1].split(":")[0]) for line in lines)
        labels, missing, train = {line.split()[0] for line in lines}, False, len(lines)
        with open(split_file(work, name, 0, "test"), encoding="ascii") as file:
            return {"train": train, "test": sum(1 for _ in file), "columns": columns, "classes": len(labels),
                    "missing": missing}
    rows = {}
    for part in ("train", "test"):
        with open(split_file(work, name, 0, part), encoding="utf-8", newline="") as file:
            rows[part] = list(csv.reader(file))[1:]
    both = rows["train"] + rows["test"]
    return {"train": len(rows["train"]), "test": len(rows["test"]), "columns": len(both[0]) - 1,
            "classes": 0 if name in TARGETS else len({row[-1] for row in both}),
            "missing": any("NA" in row for row in both)}
