# Called by tables.sh: data sets of R's packages (its CSV, in the current folder) as pandas' to_csv writes them, each in five
# ways, with what people do to them before: numbers of rows kept or not, NaN, bool, dates, decimal commas.
import sys
import pandas

for name, label in (line.split("=") for line in sys.argv[1:]):
    table = pandas.read_csv(name + ".csv", index_col=0)
    # the label last, as people keep it
    table = table[[column for column in table.columns if column != label] + [label]]
    numbers = table.columns[:-1]
    table.to_csv(name + ".pandas.csv")
    table.to_csv(name + ".pandas.bare.csv", index=False)
    holes = table.copy()
    holes.iloc[3::7, 0] = float("nan")
    holes.to_csv(name + ".pandas.nan.csv", index=False)
    holes.to_csv(name + ".pandas.na.csv", na_rep="NaN")
    bools = table.copy()
    bools.insert(0, "above", table[numbers[0]] > table[numbers[0]].median())
    bools.to_csv(name + ".pandas.bool.csv", index=False)
    dates = table.copy()
    dates.insert(0, "when", pandas.date_range("2020-01-01", periods=len(table), freq="h"))
    dates.to_csv(name + ".pandas.date.csv", index=False)
    dates.set_index("when").to_csv(name + ".pandas.dated.csv")
    table.to_csv(name + ".pandas.semicolon.csv", sep=";", decimal=",")
    table.to_csv(name + ".pandas.tab.gz", sep="\t", index=False)
